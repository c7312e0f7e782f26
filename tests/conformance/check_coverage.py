#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that coverage.tsv and the row ids in the names of the tests agree, both ways."""

import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
FAMILIES = ("ORD", "ERR", "INIT", "CFG", "DEV", "CTX", "STR", "EVT", "NTF", "CNT", "VAL", "LBL",
            "CBK", "EXC", "ABT",
            "ALC", "GRF", "OVF", "GRP", "LOG", "ENV", "KRN", "COD", "MEM", "CMO", "SYM", "RED",
            "SNP", "SOMA", "UVA", "VMM", "IPC",
            "SMO")
ROW = re.compile(rf"\b(?:{'|'.join(FAMILIES)})-\d+b?\b")
# A row number that two pages of the catalogue have given has a "b" where the second reading means
# it. Rows of other parts of the catalogue, and rules of the design: named by tests, not listed in
# the table.
SUITE = re.compile(r'\.name = "(\w+)"')


def tests_by_row():
    """{row: {suite, ...}} from the tables of tests: lines `{"ROW, ROW: sentence", function}`."""
    found = {}
    for path in sorted(HERE.glob("*_suite.c")):
        text = path.read_text(encoding="utf-8")
        suite = SUITE.search(text).group(1)
        table = text[text.index("static const twin_test tests[]"):]
        table = table[: table.index("\n};")]
        for name in re.findall(r'\{\s*"((?:[^"\\]|\\.)*(?:"\s*"(?:[^"\\]|\\.)*)*)"', table):
            name = re.sub(r'"\s*"', "", name)
            for row in ROW.findall(name.split(": ")[0]):
                found.setdefault(row, set()).add(suite)
    return found


def table_rows():
    """[(row, title, suites, reason)], in the order of the file."""
    rows = []
    for number, line in enumerate((HERE / "coverage.tsv").read_text(encoding="utf-8").splitlines(),
                                  1):
        if not line or line.startswith("#"):
            continue
        cells = line.split("\t")
        if len(cells) != 4:
            raise SystemExit(f"coverage.tsv:{number}: {len(cells)} cells, not 4")
        rows.append(cells)
    return rows[1:]


def main():
    found = tests_by_row()
    problems = []
    listed = set()
    for row, title, suites, reason in table_rows():
        if row in listed:
            problems.append(f"{row} is listed twice")
        listed.add(row)
        if not title:
            problems.append(f"{row} has no title")
        tested = ",".join(sorted(found.get(row, ())))
        if suites == "not covered":
            if tested:
                problems.append(f"{row} is listed as not covered, but {tested} has a test for it")
            if not reason:
                problems.append(f"{row} is not covered and has no reason")
        elif suites != tested:
            problems.append(f"{row} is listed under '{suites}', its tests are in '{tested}'")
    for row in sorted(found.keys() - listed):
        problems.append(f"{row} has a test and no line in coverage.tsv")
    for problem in problems:
        print(problem)
    covered = sum(1 for row in listed if row in found)
    print(f"{covered} of {len(listed)} rows have a test")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
