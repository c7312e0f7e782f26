# SPDX-License-Identifier: Apache-2.0
"""Numbered rules and rows: T-SCH-3 of the model's timing, HOST-6 of host time, RACE-02 of `twinrt
check`, EVT-13 of the contract."""

import re

from tree import check

TIMING = "sim/docs/timing.md"
HOST_TIME = "runtime/docs/host-time.md"
CHECKER = "tools/check/README.md"
CONTRACT = "runtime/docs/contract/"
COVERAGE = "tests/conformance/coverage.tsv"
UNTESTED = "tests/repo/untested_rules.txt"

# The checker's table has rows of this family of the contract: it says there how each is judged.
JUDGED = {CHECKER: "ORD"}
# Files that name ids that do not exist: these checks, beginnings of the names of suites' tests, and
# a test of an unknown id.
EXEMPT = ("tests/repo/rules.py", "tests/repo/selftest.py", "tests/conformance/expect/",
          "tests/tools/check_sites_test.py")

NOT_TEXT = (".png", ".o", ".bin", ".vcd", ".svg")
ID = re.compile(r"(?<![\w-])((?:T-)?[A-Z]{2,5})-(\d{1,3}b?)(?!\w)")
ROW = re.compile(r"\|\s*((?:T-)?[A-Z]{2,5})-(\d{1,3}b?)\s*\|")


def pages(tree):
    return [path for path in tree.files(".md") if path in (TIMING, HOST_TIME, CHECKER)
            or path.startswith(CONTRACT)]


def defined(tree):
    """The place of each id, {id: "path:line"}; and the problems of the pages: a family on two pages,
    an id twice."""
    places, owners, problems = {}, {}, []
    for path in pages(tree):
        for number, line in tree.lines(path):
            match = ROW.match(line)
            if not match or match.group(1) == JUDGED.get(path):
                continue
            family, name = match.group(1), "-".join(match.groups())
            if name in places:
                problems.append(f"{path}:{number}: {name} is defined in {places[name]} too")
            elif owners.setdefault(family, path) != path:
                problems.append(
                    f"{path}:{number}: {name}: {owners[family]} has the family {family}")
            places.setdefault(name, f"{path}:{number}")
    return places, owners, problems


def expand(line):
    """The ids a line quotes; "T-DMA-2 to T-DMA-4" and "T-DMA-2..4" mean all of them."""
    found = {"-".join(match) for match in ID.findall(line)}
    for family, first, last in re.findall(
        r"(?<![\w-])((?:T-)?[A-Z]{2,5})-(\d+)(?: to |\.\.+)(?:\1-)?(\d+)(?!\w)", line):
        width = len(first) if first.startswith("0") else 0
        found |= {
            f"{family}-{n:0{width}}" for n in range(int(first), min(int(last), int(first) + 50) +
                                                    1)}
    return sorted(found)


@check
def rule_ids(tree):
    """Each id is defined once, each family on one page; every id of a family that any text quotes
    is defined."""
    places, owners, problems = defined(tree)
    problems += [f"{page}:1: no id is defined here: has the table another shape?"
                 for page in (TIMING, HOST_TIME, CHECKER, CONTRACT)
                 if not any(owner.startswith(page) for owner in owners.values())]
    for path in tree.files():
        if path.endswith(NOT_TEXT) or path.startswith(EXEMPT):
            continue
        for number, line in tree.lines(path):
            for name in expand(line):
                family = name.rsplit("-", 1)[0]
                if name in places or not {family, "T-" + family} & set(owners):
                    continue
                timing = "T-" + name
                problems.append(
                    f"{path}:{number}: {name} is not defined in {owners.get(family, TIMING)}"
                    + (f"; the rule of {TIMING} is {timing}" if timing in places else ""))
    return problems


@check
def timing_rules(tree):
    """Every rule of timing.md is quoted by a test of the model or listed as untested with a
    reason."""
    rules = [name for name, place in defined(tree)[0].items() if place.startswith(TIMING)]
    problems, untested = [], {}
    for number, line in tree.lines(UNTESTED):
        if line and not line.startswith("#"):
            rule, _, reason = line.partition(" ")
            untested[rule] = number
            if not reason.strip():
                problems.append(f"{UNTESTED}:{number}: {rule} without a reason")
            if rule not in rules:
                problems.append(f"{UNTESTED}:{number}: there is no rule {rule}")
    quoted = {rule: path for path in tree.files(".c", ".cpp", ".h", ".py", ".txt", ".job")
              if path.startswith(("tests/sim/", "tests/lockstep/")) for _, line in tree.lines(path)
              for rule in expand(line)}
    for rule in rules:
        if rule not in quoted and rule not in untested:
            problems.append(
                f"{TIMING}:1: no test in tests/sim quotes {rule}; quote it or give a reason in "
                f"{UNTESTED}")
        if rule in quoted and rule in untested:
            problems.append(f"{UNTESTED}:{untested[rule]}: {rule} is tested, by {quoted[rule]}")
    return problems


@check
def contract_rows(tree):
    """Every row that coverage.tsv lists is a row of the contract."""
    places = defined(tree)[0]
    return [f"{COVERAGE}:{number}: {CONTRACT} has no {line.split(chr(9))[0]}"
            for number, line in tree.lines(COVERAGE)
            if "\t" in line and line.split("\t")[0] not in ("row", *places)]
