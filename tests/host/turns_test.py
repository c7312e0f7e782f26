#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Deterministic mode: a threaded program does the same in each run, whatever the system does with
   its threads.

  turns_test.py shapes COMMAND [ARGUMENT...] [--runs COUNT] [--times]   one program, again and again
  turns_test.py random RANDOM_PROGRAM_HOST [--first SEED] [--seeds COUNT] [--seconds LIMIT] [--calls STEPS]
  [--jobs COUNT]
                                                                     programs of seeds, each twice;
                                                                     without --first new ones each
                                                                     time
  turns_test.py ends TURNS_ENDS                                      ends of threads and processes:
  none hangs

Every second run is on one processor alone. What the program prints and its timeline must be equal,
byte for byte, and the order of threads must hold to the end. The soak: turns_test.py random
build/tests/bin/random_program_host --seeds 10000 --seconds 100000 --jobs 2
"""
import argparse
import concurrent.futures
import os
import subprocess
import sys
import tempfile
import time

LIMIT_S = 120


def run_once(command, seed, alone, timeline):
    """What the run printed, and its timeline; or why there is none."""
    with tempfile.TemporaryDirectory() as folder:
        trace = os.path.join(folder, "trace.json")
        environment = dict(os.environ, TWINRT_DETERMINISTIC="on", TWINRT_TRACE=trace,
                           TWINRT_LOG="error", PYTHONHASHSEED="0")
        if seed is not None:
            environment["TWINRT_SEED"] = str(seed)
        if alone:
            command = ["taskset", "-c", str(max(os.sched_getaffinity(0))), *command]
        try:
            done = subprocess.run(command, env=environment, capture_output=True, text=True,
                                  timeout=LIMIT_S)
        except subprocess.TimeoutExpired:
            return None, "it hangs"
        if done.returncode != 0 or "TWINRT_DETERMINISTIC" in done.stderr:
            return None, f"status {done.returncode}: {done.stderr.strip()[-600:]}"
        with open(trace, "rb") as file:
            return (done.stdout, file.read() if timeline else b""), None


def difference(first, other):
    if first[0] != other[0]:
        return f"prints\n  {first[0][:400]!r}\nand\n  {other[0][:400]!r}"
    at = next((i for i, pair in enumerate(zip(first[1], other[1])) if pair[0] != pair[1]),
              min(len(first[1]), len(other[1])))
    return f"timelines differ at byte {at}:\n  {first[1][at - 200:at + 100]!r}\nand\n  {other[1][at - 200:at + 100]!r}"


def compare(command, seed, runs, timeline=True):
    """The first failure of these runs, or None."""
    first = None
    for number in range(runs):
        result, reason = run_once(command, seed, number % 2 == 1, timeline)
        if reason:
            return f"run {number + 1}: {reason}"
        if first is None:
            first = result
        elif result != first:
            return f"runs 1 and {number + 1}: {difference(first, result)}"
    return None


def random_programs(options):
    """Seeds that failed, and how many there were."""
    first = options.first if options.first is not None else int.from_bytes(os.urandom(4), "little")
    print(f"seeds from {first}", flush=True)
    end = time.monotonic() + options.seconds
    failed = done = 0

    def one(seed):
        if time.monotonic() > end:
            return None
        # Odd ones with another choice of what clocks leave open.
        return seed, compare([options.program, "locks", f"--seed={seed}",
                              f"--calls={options.calls}"], seed if seed % 2 else 0, 2)

    with concurrent.futures.ThreadPoolExecutor(options.jobs) as executor:
        for result in executor.map(one, range(first, first + options.seeds)):
            if result is None:
                continue
            done += 1
            if result[1]:
                failed += 1
                print(f"locks --seed={result[0]} --calls={options.calls}: {result[1]}", flush=True)
    print(f"{done} programs, {failed} differ")
    return 1 if failed or done == 0 else 0


# Statuses as turns_ends.c gives them, and whether the order of threads ends before.
ENDS = {"cancel": (0, False), "detached": (0, False), "exit": (4, False), "fork": (0, False),
        "main": (3, False),
        "pipe": (7, True), "signal": (7, False), "underscore_exit": (4, False)}


def all_ends(program):
    failed = 0
    for name, (status, ends_order) in ENDS.items():
        environment = dict(os.environ, TWINRT_DETERMINISTIC="on", TWINRT_LOG="error")
        try:
            done = subprocess.run([program, name], env=environment, capture_output=True, text=True,
                                  timeout=LIMIT_S)
        except subprocess.TimeoutExpired:
            print(f"{name} hangs")
            failed += 1
            continue
        if done.returncode != status or ("TWINRT_DETERMINISTIC" in done.stderr) != ends_order:
            print(f"{name}: status {done.returncode}, expected {status}: {done.stderr[-400:]}")
            failed += 1
    print(f"{len(ENDS)} ends, {failed} failed")
    return 1 if failed else 0


def main():
    parser = argparse.ArgumentParser()
    modes = parser.add_subparsers(dest="mode", required=True)
    shapes = modes.add_parser("shapes")
    shapes.add_argument("--runs", type=int, default=10)
    shapes.add_argument("--times", action="store_true", help="compare what is printed alone")
    shapes.add_argument("command", nargs=argparse.REMAINDER)
    programs = modes.add_parser("random")
    programs.add_argument("program")
    programs.add_argument("--first", type=int)
    programs.add_argument("--seeds", type=int, default=1000)
    programs.add_argument("--seconds", type=float, default=30)
    programs.add_argument("--calls", type=int, default=40)
    programs.add_argument("--jobs", type=int, default=1)
    ends = modes.add_parser("ends")
    ends.add_argument("program")
    options = parser.parse_args()
    if options.mode == "ends":
        return all_ends(options.program)
    if options.mode == "random":
        return random_programs(options)
    failure = compare(options.command, None, options.runs, not options.times)
    if failure:
        print(f"{' '.join(options.command)}: {failure}")
        return 1
    print(f"{options.runs} equal runs")
    return 0


if __name__ == "__main__":
    sys.exit(main())
