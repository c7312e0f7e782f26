#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Generated programs of everyday shapes: each ends by itself with the right bytes, without an error
   of the runtime.

  shapes_test.py --bin FOLDER --twinrt TOOL [--first SEED] [--seeds COUNT] [--only FAMILY...]
  [--each COUNT] [--levels abd] [--jobs N]

A seed chooses a family of shapes and its numbers. Each program runs by itself (level a) and under
`twinrt run` (level b); those whose threads wait through the C library alone also run twice under
`twinrt run --deterministic` (d), with equal event times.
"""
import argparse
import collections
import concurrent.futures
import os
import re
import subprocess
import sys
import time

LIMIT_S = 60
FOLDER = os.path.dirname(os.path.abspath(__file__))
# What a run must not say on standard error, whatever it ends with.
VERDICT = re.compile(r"deadlock|507046|made no progress for|not freed")
COMMANDS = {"a": [], "b": ["run", "--"], "d": ["run", "--deterministic", "--"]}


def families_of(options):
    """Name, command, whether its times are the same in each run of the deterministic mode."""
    found = []
    programs = [[os.path.join(options.bin, "shapes")]]
    if not options.no_python:
        programs.append([sys.executable, os.path.join(FOLDER, "shapes.py")])
    for program in programs:
        for line in subprocess.run([*program, "--list"], capture_output=True, text=True,
                                   check=True).stdout.splitlines():
            name, ordered = line.split()
            found.append((name, program, ordered == "1"))
    return found


def run(options, family, seed, level):
    """None, or what went wrong; and the event times."""
    name, program, _ = family
    modules = os.path.join(os.path.dirname(os.path.dirname(os.path.realpath(options.twinrt))),
                           "python", "site-packages")
    paths = ":".join(path for path in (modules, os.environ.get("PYTHONPATH")) if path)
    command = [*([options.twinrt] if COMMANDS[level] else []), *COMMANDS[level], *program, name,
               str(seed)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT_S, check=False,
                              env={**os.environ, "TWINRT_BACKEND": "sim", "PYTHONPATH": paths,
                                   "OMP_WAIT_POLICY": "passive",
                                   "ASAN_OPTIONS": "detect_leaks=0:" +
                                   os.environ.get("ASAN_OPTIONS", "")})
    except subprocess.TimeoutExpired as late:
        return f"still runs after {LIMIT_S} s\n{(late.stdout or b'').decode()}{(late.stderr or b'').decode()}", None
    if done.returncode != 0 or "done=1" not in done.stdout or VERDICT.search(done.stderr):
        return f"status {done.returncode}\n{done.stdout[-1500:]}{done.stderr[-3000:]}", None
    return None, [line for line in done.stdout.splitlines() if line.startswith("t")]


def difference(one, other):
    return next((f"{a} and {b}" for a, b in zip(one, other) if a != b),
                f"{len(one)} and {len(other)} events")


def check(options, families, seed):
    """What was run, and what went wrong, by level."""
    family = families[seed % len(families)]
    outcome = []
    for level in options.levels:
        if level == "d" and not family[2]:
            continue
        problem, times = run(options, family, seed, level)
        if not problem and level == "d":
            problem, again = run(options, family, seed, level)
            if not problem and again != times:
                problem = "other event times: " + difference(times, again)
        outcome.append((level, problem))
    return seed, family[0], outcome


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", required=True)
    parser.add_argument("--twinrt", required=True)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--seeds", type=int, default=200)
    parser.add_argument("--each", type=int, help="so many seeds of each family instead")
    parser.add_argument("--no-python", action="store_true")
    parser.add_argument("--only", nargs="*")
    parser.add_argument("--skip", nargs="*", default=[])
    parser.add_argument("--levels", default="abd")
    parser.add_argument("--jobs", type=int, default=1)
    options = parser.parse_args()
    families = families_of(options)
    if options.each:
        options.seeds = options.each * len(families)
    names = [name for name, _, _ in families]
    seeds = [seed for seed in range(options.first, options.first + options.seeds)
             if (not options.only or names[seed % len(names)] in options.only)
             and names[seed % len(names)] not in options.skip]
    begin, ran, wrong = time.monotonic(), collections.Counter(), collections.Counter()
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as runner:
        for seed, name, outcome in runner.map(lambda seed: check(options, families, seed), seeds):
            for level, problem in outcome:
                ran[level] += 1
                if problem:
                    wrong[level] += 1
                    print(f"seed {seed}, {name}, level {level}: {problem}", flush=True)
    print(
        f"{len(seeds)} programs of {len(families)} families from seed {options.first}, "
        f"{time.monotonic() - begin:.0f} s: "
        + ", ".join(f"level {level}: {wrong[level]} of {ran[level]} wrong"
                    for level in sorted(ran)))
    return 1 if wrong or not ran else 0


if __name__ == "__main__":
    sys.exit(main())
