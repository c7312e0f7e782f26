#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Programs without races: the same bytes in each run, however the system schedules their threads.

The style `turns` of random_program has several threads that take turns, and host functions beside
them. Each seed runs several times, with other noise in real time and every second time on one
processor alone. The timeline and the counters must be equal, byte for byte; so must be the timeline
of a replay of the first run.

  turns_test.py RANDOM_PROGRAM TWINRT [--first SEED] [--seeds COUNT] [--runs COUNT] [--calls TURNS]
  [--threads COUNT]
"""
import argparse
import os
import subprocess
import sys
import tempfile

SECONDS = 280  # a program; its own watchdog ends it first
SEEN = {"timeline": "TWINRT_TRACE", "counters": "TWINRT_STATS"}


def bind_to_one():
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})


def run(options, seed, number, folder):
    """The failure, or None, and the program's output files, by name."""
    paths = {name: os.path.join(folder, name) for name in SEEN}
    settings = {setting: paths[name] for name, setting in SEEN.items()}
    if number == 0:
        settings["TWINRT_RECORD"] = os.path.join(folder, "record")
    command = [options.random_program, "turns", f"--seed={seed}", f"--calls={options.calls}",
               f"--threads={options.threads}",
               f"--noise={1000 * seed + number}"]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          timeout=SECONDS, check=False,
                          preexec_fn=bind_to_one if number % 2 else None,
                          env={**os.environ, **settings, "TWINRT_BACKEND": "sim"})
    missing = [name for name, path in paths.items() if not os.path.exists(path)]
    if done.returncode != 0 or missing:
        return f"status {done.returncode}, missing {missing}\n{done.stdout.decode()}", {}
    found = {}
    for name, path in paths.items():
        with open(path, "rb") as file:
            found[name] = file.read()
        os.unlink(path)
    return None, found


def replay(options, folder):
    """What the first run recorded, run again: what went wrong, or None, and its timeline."""
    record, path = os.path.join(folder, "record"), os.path.join(folder, "timeline")
    done = subprocess.run([options.twinrt, "replay", "--trace", path, record],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          timeout=SECONDS, check=False, env={**os.environ, "TWINRT_BACKEND": "sim"})
    os.unlink(record)
    if done.returncode != 0 or not os.path.exists(path):
        return f"status {done.returncode} of its replay\n{done.stdout.decode()}", {}
    with open(path, "rb") as file:
        return None, {"timeline": file.read()}


def first_difference(one, other):
    for number, (a, b) in enumerate(zip(one.splitlines(), other.splitlines()), 1):
        if a != b:
            return f"line {number}\n  {a[:400]}\n  {b[:400]}"
    return f"{len(one.splitlines())} and {len(other.splitlines())} lines"


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("random_program")
    parser.add_argument("twinrt")
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--seeds", type=int, default=25)
    parser.add_argument("--runs", type=int, default=4)
    parser.add_argument("--calls", type=int, default=60)
    parser.add_argument("--threads", type=int, default=4)
    options = parser.parse_args()
    failures, tasks, functions = 0, 0, 0
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(options.first, options.first + options.seeds):
            wrong, first = run(options, seed, 0, folder)
            for number in range(options.runs):
                if not wrong:
                    wrong, found = replay(options, folder) if number == 0 else run(options, seed,
                                                                                   number, folder)
                different = [] if wrong else [name for name in found if found[name] != first[name]]
                if different:
                    name = different[0]
                    wrong = f"{f'run {number}' if number else 'replayed'}: another {name}: "
                    wrong += first_difference(first[name].decode(), found[name].decode())
                if wrong:
                    print(f"seed {seed}: {wrong}")
                    failures += 1
                    break
            tasks += first.get("timeline", b"").count(b'"cat":"task"')
            functions += first.get("timeline", b"").count(b'"cause":"host_function"')
    print(
        f"{options.seeds} programs from seed {options.first}, {options.runs} runs and a replay "
        f"each, {tasks} tasks, {functions} waits for host "
        f"functions: {failures} differ")
    return 1 if failures or tasks == 0 or functions == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
