#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the main() of the test programs answers and prints, seen from outside.

usage: selftest.py SAMPLE_PROGRAM"""

import os
import subprocess
import sys
import tempfile

# (arguments, exit status, parts of the output, parts that must not be there)
RUNS = [
    (["--only=good"], 0, ["Test: good one ...passed", "1 passed, 0 failed\n", "Run Summary"],
     ["skipped"]),
    (["--only=codes"], 1, ["0 passed, 1 failed\n",
                           "gave ACL_ERROR_RT_PARAM_INVALID (107000), expected ACL_SUCCESS (0)",
                           "status gave TWIN_E_BUSY, expected TWIN_OK", "sample.c:"], []),
    (["--only=values"], 1, ["0x10 is 16 (0x10), expected 17 (0x11)",
                            '"left" is "left", expected "right"',
                            'which lacks "stream"', "3.0 is 3, expected 1 to 2"], []),
    (["--only=require"], 1, ["ACL_ERROR_RT_NO_DEVICE"], ["the test went on"]),
    (["--only=inside"], 77, ["skipped: no such engine", "0 passed, 0 failed, 1 skipped\n"], []),
    (["--only=inside", "--only=good"], 0, ["1 passed, 0 failed, 1 skipped\n"], []),
    (["--only=wood", "--backend=wood"], 0, ["1 passed, 0 failed\n"], []),
    (["--only=wood", "--backend=stone"], 1, ['is "stone", expected "wood"'], []),
    (["--only=unsupported", "--backend=stone"], 77,
     ["stone: stones do not do this", "0 passed, 0 failed, 1 skipped\n"], []),
    (["--only=unsupported", "--backend=wood"], 1, ["0 passed, 1 failed\n"], ["stones"]),
    (["--only=known", "--only=good", "--backend=stone"], 0,
     ["failed, as listed", "cracked", "1 passed, 0 failed\n",
                                                            "1 known to fail"], ["FAILED"]),
    (["--only=listed", "--backend=stone"], 1, ["0 passed, 1 failed\n", "take its row out"], []),
    (["--only=good", "--only=require", "--except=require"], 0, ["1 passed, 0 failed\n"],
     ["ACL_ERROR_RT_NO_DEVICE"]),
    (["--only=no such name"], 1, [], ["passed"]),
    (["--wrong"], 1, [], ["passed"]),
    (["--list", "--only=stone"], 0, [
        "unsupported on stone\nknown to fail on stone\nlisted on stone but passes\n"], ["Suite"]),
    ([], 1, ["2 passed, 6 failed, 1 skipped\n"], []),
]

# What the file of results holds after a run with these arguments.
RESULTS = [
    (["--backend=stone", "--only=stone", "--only=good", "--only=inside", "--only=codes"], [
        "pass\tgood one\t", "fail\tcodes are named\t", "skip\tskipped from inside\tno such engine",
        "skip\tunsupported on stone\tstones do not do this",
        "known\tknown to fail on stone\tcracked",
        "fail\tlisted on stone but passes\t"]),
    (["--only=good"], ["pass\tgood one\t"]),
]


def check_results(program, environment):
    """The number of runs whose file is not as above."""
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "results.tsv")
        for arguments, expected in RESULTS:
            subprocess.run([program, *arguments, f"--results={path}"], env=environment,
                           stdin=subprocess.DEVNULL,
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
            with open(path, encoding="utf-8") as file:
                lines = file.read().splitlines()
            if lines != expected:
                failed += 1
                print(f"{' '.join(arguments)}: the results are {lines}")
        gone = subprocess.run([program, "--only=good", "--results=/no/such/folder/file"],
                              env=environment,
                              stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL, check=False)
        if gone.returncode != 1:
            failed += 1
            print(f"results that cannot be written: status {gone.returncode}, expected 1")
    return failed


def main(program):
    environment = {name: value for name, value in os.environ.items() if name != "TWINRT_BACKEND"}
    failed = 0
    for arguments, status, parts, absent in RUNS:
        done = subprocess.run([program, *arguments], env=environment, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, check=False)
        output = done.stdout.decode()
        wrong = [
            f"status {done.returncode}, expected {status}"] if done.returncode != status else []
        wrong += [f"lacks {part!r}" for part in parts if part not in output]
        wrong += [f"holds {part!r}" for part in absent if part in output]
        failed += bool(wrong)
        if wrong:
            print(f"{' '.join(arguments)}: {'; '.join(wrong)}\n{output}")
    failed += check_results(program, environment)
    print(f"{len(RUNS) + len(RESULTS) + 1 - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
