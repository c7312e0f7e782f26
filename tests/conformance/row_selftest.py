#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The answers of row_result, with suites and results made up here.

usage: row_selftest.py ROW_RESULT"""

import os
import subprocess
import sys
import tempfile

PROGRAM = """#!/bin/sh
for argument; do case $argument in --results=*) to=${argument#--results=} ;; esac; done
%s
"""

# (content of the results, content that a run would write or None, arguments, status, parts of
# the output)
CASES = [
    ("pass\tSTR-01: a\t\n", None, ["STR-01"], 0, ["pass on sim: STR-01: a"]),
    ("pass\tSTR-01: a\t\nfail\tSTR-01: b\t\n", None, ["STR-01"], 1, ["fail on sim"]),
    ("pass\tSTR-01, STR-02: a\t\n", None, ["STR-02"], 0, []),
    ("skip\tSTR-01: a\tno device\n", None, ["STR-01"], 77, ["skip on sim: STR-01: a: no device"]),
    ("known\tSTR-01: a\tcracked\n", None, ["STR-01"], 77, []),
    # Another row, a longer number, a row that the sentence names: not this one, and a run finds
    # none either.
    ("pass\tSTR-02: a\t\n", "", ["STR-01"], 1, ["has no result"]),
    ("pass\tSTR-011: a\t\n", "", ["STR-01"], 1, ["has no result"]),
    ("pass\tSTR-02: as STR-01: a\t\n", "", ["STR-01"], 1, ["has no result"]),
    # No results, or older ones than their sources: a run of the row.
    (None, "pass\\tSTR-01: a\\t", ["STR-01"], 0, ["pass on sim"]),
    (None, None, ["STR-01"], 1, ["has no result"]),
    ("pass\tSTR-01: a\t\n", "fail\\tSTR-01: a\\t", ["STR-01", "--newer=NEW"], 1, ["fail on sim"]),
    (None, None, ["STR-01", "--reason=not built"], 77, ["not covered: not built"]),
    (None, None, ["STR-01", "--wrong"], 1, []),
]


def run(row_result, folder, case):
    results, now, arguments, _, _ = case
    program = os.path.join(folder, "stream_suite")
    with open(program, "w", encoding="utf-8") as file:
        file.write(PROGRAM % ("exit 1" if now is None else f"printf '{now}\\n' >$to"))
    os.chmod(program, 0o755)
    path = os.path.join(folder, "stream.sim.tsv")
    new = os.path.join(folder, "new")
    if results is not None:
        with open(path, "w", encoding="utf-8") as file:
            file.write(results)
        os.utime(path, (os.stat(program).st_mtime + 10,) * 2)
    with open(new, "w", encoding="utf-8"):
        pass
    os.utime(new, (os.stat(program).st_mtime + 20,) * 2)
    command = [row_result, arguments[0], "a title",
               *(text.replace("NEW", new) for text in arguments[1:])]
    if not any("reason" in text for text in arguments):
        command += [f"--folder={folder}", f"sim={program}"]
    return subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, check=False)


def main(row_result):
    failed = 0
    for case in CASES:
        with tempfile.TemporaryDirectory() as folder:
            done = run(row_result, folder, case)
        wrong = [
            f"status {done.returncode}, expected {case[3]}"] if done.returncode != case[3] else []
        wrong += [f"lacks {part!r}" for part in case[4] if part not in done.stdout.decode()]
        failed += bool(wrong)
        if wrong:
            print(f"{case}: {'; '.join(wrong)}\n{done.stdout.decode()}{done.stderr.decode()}")
    print(f"{len(CASES) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
