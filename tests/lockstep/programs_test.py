#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Random programs on each model: rtl and lockstep must give the results of cpp.

The style `order` of random_program (tests/random) checks what a program of a seed sees by the rules
of order: streams of two devices, copies, fills, host functions, events, notifies, values, waits and
queries of the host, objects that go and come. Here the same seed runs on each model, and on cpp
once more. These must be equal, byte for byte: the timeline (each task, its id, its slot, engine and
table with their times, each wait and what ended it) and the counters, except for the waits of
threads that run host functions; and, entry by entry, the recording (each call with its answer and
its virtual time, the times and results of completions).

  programs_test.py RANDOM_PROGRAM TWINRT [--models rtl,lockstep] [--first SEED] [--seeds COUNT]
"""
import argparse
import os
import re
import subprocess
import sys
import tempfile

SECONDS = 100  # a program; its own watchdog ends it first
THE_MODEL = b'["TWINRT_MODEL", '  # the only setting that differs
# The operating system decides when a thread of host functions begins to wait; the effects of its
# functions on tasks are compared.
OF_THREADS = re.compile(rb"host_function|host\.attach|channel\.take")
# Entries that depend only on the order of the host's threads, and the count of all.
OF_TURNS = re.compile(rb"\d+ +(nondeterminism|moved|seen) |.*\d+ entries, ")


def content(path):
    with open(path, "rb") as file:
        found = [line for line in file if not OF_THREADS.search(line)]
    os.unlink(path)
    return b"".join(found)


def entries(printed):
    """Those of a recording, in the order of their text, which begins with the time: the operating
    system orders the threads of host functions and of the program, and a task may be reported to
    any of them."""
    found = []
    for line in printed.split(b"\n"):
        words = line.split(None, 2)  # number, thread, the rest
        if len(words) == 3 and THE_MODEL not in line and not OF_THREADS.search(
            line) and not OF_TURNS.match(words[2]):
            found.append(re.sub(rb"^\d+ +task queue=", b"task queue=", words[2]))
    return b"\n".join(sorted(found))


def run(options, seed, model, folder):
    """Status and text of the program, and its output files, by name."""
    names = {"timeline": "TWINRT_TRACE", "counters": "TWINRT_STATS", "record": "TWINRT_RECORD"}
    paths = {name: os.path.join(folder, name) for name in names}
    settings = {setting: paths[name] for name, setting in names.items()}
    done = subprocess.run([options.random_program, "order", f"--seed={seed}", "--calls=1"],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          timeout=SECONDS, check=False,
                          env={**os.environ, **settings, "TWINRT_BACKEND": "sim",
                               "TWINRT_MODEL": model})
    missing = [name for name, path in paths.items() if not os.path.exists(path)]
    if done.returncode != 0 or missing:
        return f"status {done.returncode}, missing {missing}\n{done.stdout.decode()}", {}
    printed = subprocess.run([options.twinrt, "record", "--print", paths["record"], "--stable"],
                             stdout=subprocess.PIPE,
                             timeout=SECONDS, check=True).stdout
    os.unlink(paths["record"])
    return None, {"timeline": content(paths["timeline"]), "counters": content(paths["counters"]),
                  "record": entries(printed)}


def first_difference(one, other):
    for number, (a, b) in enumerate(zip(one.splitlines(), other.splitlines()), 1):
        if a != b:
            return f"line {number}\n  cpp:   {a[:400]}\n  other: {b[:400]}"
    return f"{len(one.splitlines())} and {len(other.splitlines())} lines"


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("random_program")
    parser.add_argument("twinrt")
    parser.add_argument("--models", default="rtl,lockstep")
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--seeds", type=int, default=20)
    options = parser.parse_args()
    models = [model for model in options.models.split(",") if model]
    failures, tasks, lines = 0, 0, 0
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(options.first, options.first + options.seeds):
            wrong, plain = run(options, seed, "cpp", folder)
            for model in [] if wrong else ["cpp"] + models:
                wrong, found = run(options, seed, model, folder)
                different = [name for name in found if found[name] != plain[name]]
                for name in different:
                    print(f"seed {seed}, {model}: another {name}: " +
                          first_difference(plain[name].decode(), found[name].decode()))
                if wrong:
                    print(f"seed {seed}, {model}: {wrong}")
                failures += bool(wrong or different)
            if not plain:
                print(f"seed {seed}, cpp: {wrong}")
                failures += 1
            tasks += plain.get("timeline", b"").count(b'"cat":"task"')
            lines += plain.get("record", b"").count(b"\n")
    print(
        f"{options.seeds} programs from seed {options.first}, {tasks} tasks, {lines} lines of "
        f"records on cpp twice, "
        f"{', '.join(models)}: {failures} differ")
    return 1 if failures or tasks == 0 or lines == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
