#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Threads that spend time outside the runtime: each row is a program and the outcome that is
   wanted.

  rows_test.py --bin FOLDER --twinrt TOOL [--only ROW...] [--skip ROW...] [--runs N] [--places]
  [--jobs N]

A row runs by itself (level a: the runtime alone) and under `twinrt run` (level b: libtwinrt-host.so
too), as its table says. --places repeats all that alone and beside two processes that compute, on
one processor and on all.
"""
import argparse
import collections
import concurrent.futures
import os
import re
import subprocess
import sys
import time

DEADLOCK = 507046
LIMIT_S = 20
COPY_MS = 2.7  # what the copy of the polling rows takes on the device, about
YEARS = 101


def facts_of(text):
    return {name: float(value) if re.fullmatch(r"-?[0-9.]+", value) else value
            for name, value in re.findall(r"([\w.]+)=(\S+)", text)}


def completes(facts, said):
    return facts.get("code") == 0 and "deadlock" not in said


def timed_out_then_completes(facts, said):
    return facts.get("timed") == 507046 and completes(facts, said)


def warns_and_completes(facts, said):
    return completes(facts, said) and "waits for notify" in said and said.count(
        "has made no call yet") == 1


def few_polls(most, sleep_ms, levels):
    """Few questions; beside the sleeps there is the time that the model takes on a busy machine."""
    def judge(facts, said):
        del said
        polls = facts.get("polls", 1e9)
        return polls <= most[levels] and facts["ms"] <= polls * sleep_ms * 2 + 5000
    return judge


def real_seconds(seconds):
    """One round a second, and one that a limit cuts."""
    def judge(facts, said):
        del said
        return 1 <= facts.get(
            "rounds", 0) <= seconds + 2 and seconds * 1000 <= facts["ms"] < seconds * 1000 + 1500
    return judge


def warns_of_deadlock(facts, said):
    # Once no other thread is left the wait is a proven deadlock: within a second of the last
    # thread's end.
    return "waits for notify" in said and 5000 <= facts.get("ms",
                                                            0) <= 8500 and facts.get(
                                                                "code") == DEADLOCK


def right_times(facts, said):
    del said
    return facts.get("years", 0) >= YEARS and facts["grows"] == 1 and abs(facts["last_us"] -
                                                                          facts["first_us"]) <= 0.1


Row = collections.namedtuple("Row", "name levels command wanted quick", defaults=(True,))
# `levels`: on which the outcome is promised. `quick`: ctest runs it too.
ROWS = [
    Row("1", "ab", ["pool"], timed_out_then_completes),
    Row("2.sleep", "ab", ["sleep", "1200"], completes),
    Row("2.socket", "ab", ["socket", "900"], completes),
    Row("2.child", "ab", ["child", "900"], completes),
    Row("2.armed", "abd", ["armed", "50"], completes),
    Row("2.signal", "abd", ["signal", "300"], completes),
    Row("2.timer", "ab", ["timer", "900"], completes),
    Row("2.compute", "ab", ["compute", "900"], completes),
    Row("2.warns", "ab", ["sleep", "9000"], warns_and_completes, False),
    Row("2.computes_long", "ab", ["compute", "12000"], warns_and_completes, False),
    Row("3.short", "a", ["poll", "1000"], few_polls({"a": 60}, 1, "a")),
    Row("3.short", "b", ["poll", "1000"], few_polls({"b": 2 + 2 * COPY_MS}, 1, "b")),
    Row("3.long", "b", ["poll", "10000"], few_polls({"b": 3}, 10, "b")),
    Row("3.once", "b", ["ask_once", "2000"], lambda facts, said: facts.get("complete") == 1),
    Row("4", "abd", ["spin"], lambda facts, said: facts.get("ms", 1e9) < 8000),
    Row("5.pthreads", "d", ["team"], lambda facts,
        said: len([name for name in facts if name.startswith("t")]) == 24),
    Row("9", "n", ["sleep", "900"], completes),
    # Blocked work that nothing can end is dropped, with its code.
    Row("10", "ab", ["reset"], lambda facts, said: facts.get("code") in (0, DEADLOCK)
        and facts["ms"] < 5000),
    Row("11", "ab", ["deadlock", "6500"], warns_of_deadlock),
    Row("12", "ab", ["report", "3000"], real_seconds(3)),
    Row("14", "ab", ["years", str(YEARS)], right_times),
]
EXPLAIN = {"a": "the runtime alone", "b": "twinrt run", "d": "twinrt run --deterministic",
           "n": "without /proc"}


class Skip(Exception):
    pass


def command_of(options, row, level):
    program = [os.path.join(options.bin, "rows"), *row.command]
    if level == "n":
        if "TEST_SANITIZED" in os.environ:
            raise Skip("the sanitizer needs /proc")
        hide = ["unshare", "-m", "sh", "-c", 'mount -t tmpfs none /proc && exec "$@"', "sh"]
        if subprocess.run([*hide, "true"], capture_output=True, check=False).returncode != 0:
            raise Skip("no right to hide /proc")
        return [*hide, *program]
    if level == "a":
        return program
    return [options.twinrt, "run", *(["--deterministic"] if level == "d" else []), "--", *program]


def run(options, row, level, place):
    """None, or what went wrong; and the facts."""
    # Leaks are other tests' affair: LeakSanitizer needs /proc, and a row may end with work in
    # flight.
    sanitizer = "detect_leaks=0:" + os.environ.get("ASAN_OPTIONS", "")
    try:
        done = subprocess.run([*place, *command_of(options, row, level)], capture_output=True,
                              text=True, timeout=LIMIT_S, check=False,
                              env={**os.environ, "TWINRT_BACKEND": "sim",
                                   "ASAN_OPTIONS": sanitizer})
    except subprocess.TimeoutExpired as late:
        return f"still runs after {LIMIT_S} s\n{(late.stderr or b'').decode()}", {}
    facts = facts_of(done.stdout)
    if done.returncode != 0 or facts.get("done") != 1:
        return f"status {done.returncode}\n{done.stdout}{done.stderr}", facts
    return (None if row.wanted(facts, done.stderr)
            else f"not what is wanted\n{done.stdout}{done.stderr}"), facts


def turn(options, row, level, place, runs):
    """How many of the runs went wrong."""
    wrong = 0
    lists = collections.Counter()
    for number in range(runs):
        problem, facts = run(options, row, level, place)
        lists[tuple(
            sorted((name, value) for name, value in facts.items() if name.startswith("t")))] += 1
        if problem:
            wrong += 1
            print(f"row {row.name}, {EXPLAIN[level]}, run {number + 1}: {problem}", file=sys.stderr)
    if level == "d" and len(lists) > 1:
        wrong += 1
        print(f"row {row.name}, {EXPLAIN[level]}: {len(lists)} lists of event times in {runs} runs",
              file=sys.stderr)
    return wrong


def places(options):
    if not options.places:
        return [("", [], 0)]
    one = ["taskset", "-c", str(min(os.sched_getaffinity(0)))]
    return [("alone, all processors", [], 0), ("alone, one processor", one, 0),
            ("beside two that compute, all processors", [], 2),
            ("beside two that compute, one processor", one, 2)]


def judge(options, row, level, place, prefix):
    """Runs a row on one level. Returns whether it ran, and whether it went wrong."""
    name = f"row {row.name}, {EXPLAIN[level]}{', ' + place if place else ''}"
    if level in "bd" and not options.has_library:
        print(f"{name}: skipped, libtwinrt-host.so is not built")
        return False, False
    begin = time.monotonic()
    try:
        wrong = turn(options, row, level, prefix, max(options.runs, 2 if level == "d" else 1))
    except Skip as reason:
        print(f"{name}: skipped, {reason}")
        return False, False
    print(f"{name}: {wrong} of {options.runs} wrong, {time.monotonic() - begin:.1f} s", flush=True)
    return True, wrong != 0


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", required=True)
    parser.add_argument("--twinrt", required=True)
    parser.add_argument("--only", nargs="*")
    parser.add_argument("--skip", nargs="*", default=[])
    parser.add_argument("--runs", type=int, default=1)
    parser.add_argument("--quick", action="store_true", help="only rows of some seconds")
    parser.add_argument("--places", action="store_true")
    parser.add_argument("--jobs", type=int, default=1, help="rows at once; most of them sleep")
    options = parser.parse_args()
    options.has_library = os.path.exists(
        os.path.join(os.path.dirname(os.path.dirname(os.path.realpath(options.twinrt))), "lib64",
                     "libtwinrt-host.so"))
    rows = [row for row in ROWS if (not options.only or row.name in options.only)
            and row.name not in options.skip and (row.quick or not options.quick)]
    outcomes = []
    for place, prefix, hogs in places(options):
        busy = [subprocess.Popen([*prefix, sys.executable, "-c", "while True: pass"])
                for _ in range(hogs)]
        try:
            with concurrent.futures.ThreadPoolExecutor(options.jobs) as runner:
                turns = [runner.submit(judge, options, row, level, place, prefix) for row in rows
                         for level in row.levels]
                outcomes += [done.result() for done in turns]
        finally:
            for hog in busy:
                hog.kill()
                hog.wait()
    ran, failed = sum(ran for ran, _ in outcomes), sum(wrong for _, wrong in outcomes)
    print(f"{ran} turns of {options.runs} runs, {failed} failed")
    return 1 if failed else 0 if ran else 77


if __name__ == "__main__":
    sys.exit(main())
