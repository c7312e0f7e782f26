#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How much of each block its bench meets: lines and toggles, as Verilator counts them.

  coverage.py --work FOLDER PROGRAMS

PROGRAMS is the folder with one program for each block, named like it; each is run once. What a
program covers counts for its own block; of a block without a program, like wait_lists, what all the
others cover. Several instances of a module count as one. What was not met is in FOLDER/unmet.txt.
Ends with 0 when each block has at least the lines that LEAST asks for.
"""

import argparse
import collections
import pathlib
import shutil
import subprocess
import sys

LEAST = 90  # percent of the lines of each block
KINDS = {"line": "lines", "branch": "lines", "toggle": "toggles"}


def points(path):
    """(kind, file, line, what, how often) of each point that Verilator wrote down."""
    for entry in path.read_text(encoding="utf-8", errors="replace").split("\n"):
        if not entry.startswith("C '"):
            continue
        text, count = entry[3:].rsplit("' ", 1)
        fields = dict(field.split("\2", 1) for field in text.split("\1") if "\2" in field)
        kind = KINDS.get(fields.get("page", "").removeprefix("v_").split("/")[0])
        if kind:
            yield kind, fields["f"], int(fields["l"]), fields.get("n",
                                                                  "") + " " + fields.get(
                                                                      "o", ""), int(count)


def block_of(file):
    """rtl-stubs/BLOCK/rtl/x.sv"""
    return pathlib.Path(file).parent.parent.name


def run(program, work):
    data = work / program.name
    done = subprocess.run([str(program), f"--coverage={data}"], capture_output=True, text=True,
                          check=False)
    if done.returncode != 0 or "PASS " not in done.stdout:
        sys.exit(f"{program.name}: {done.stdout}{done.stderr}")
    found = collections.defaultdict(collections.Counter)  # by block: how often, by point
    for path in sorted(work.glob(program.name + ".*")):
        for kind, file, line, what, count in points(path):
            found[block_of(file)][kind, file, line, what] += count
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--work", required=True, type=pathlib.Path)
    parser.add_argument("programs", type=pathlib.Path)
    arguments = parser.parse_args()
    shutil.rmtree(arguments.work, ignore_errors=True)
    arguments.work.mkdir(parents=True)
    programs = sorted(path for path in arguments.programs.iterdir() if path.is_file())
    by_program = {program.name: run(program, arguments.work) for program in programs}
    blocks = collections.defaultdict(collections.Counter)
    for name, found in by_program.items():
        for block, counts in found.items():
            if block == name or block not in by_program:
                blocks[block].update(counts)

    unmet, low = [], []
    print(f"{'block':14} {'lines':>18} {'toggles':>20}")
    for block, counts in sorted(blocks.items()):
        row = f"{block:14}"
        for kind, width in (("lines", 18), ("toggles", 20)):
            of_kind = {point: count for point, count in counts.items() if point[0] == kind}
            met = sum(count > 0 for count in of_kind.values())
            percent = 100 * met / len(of_kind) if of_kind else 100
            row += f"{f'{met} of {len(of_kind)}':>{width - 7}} {percent:4.1f} %"
            if kind == "lines" and percent < LEAST:
                low.append(block)
        print(row)
        unmet += [f"{file}:{line}: {kind}: {what}"
                  for (kind, file, line, what), count in counts.items() if count == 0]
    (arguments.work / "unmet.txt").write_text("\n".join(sorted(unmet)) + "\n", encoding="utf-8")
    print(f"not met: {arguments.work / 'unmet.txt'}")
    if low:
        sys.exit(f"FAIL: less than {LEAST} % of the lines: {', '.join(low)}")


if __name__ == "__main__":
    main()
