#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures what a recording and a trace cost: a submission, and a task with its wait.

All runs share one processor. A run counts if that processor had its full speed before and after it: on a
virtual machine a neighbour on the same core makes it up to two times slower. Run it after ./dev build."""

import argparse
import os
import statistics
import sys
import tempfile
import time

from run import run

# A processor that is at most this many times slower than in the best moment has its full speed.
SLACK = 1.3
# A timeline of so many submissions takes half a minute to write.
LOOPS = (("submit", "submit", ("plain", "recorded")),
         ("task and wait", "wait", ("plain", "recorded", "traced")))
SETTINGS = {"recorded": "TWINRT_RECORD", "traced": "TWINRT_TRACE"}


def loop_seconds():
    begin = time.perf_counter()
    for _ in range(200_000):
        pass
    return time.perf_counter() - begin


def measure(program, seconds, folder):
    """Rows of (loop, kind, median of the run's samples, slowest probe around the run)."""
    rows, units = [], {}
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        for name, question, kinds in LOOPS:
            for kind in kinds:
                env = {"TWINRT_BACKEND": "sim"}
                path = os.path.join(folder, "file")
                if kind in SETTINGS:
                    env[SETTINGS[kind]] = path
                before = loop_seconds()
                units[name], values = run([program, question, "3"], env)[name]
                rows.append((name, kind, statistics.median(values), max(before, loop_seconds())))
                if kind in SETTINGS:
                    os.unlink(path)
    return rows, units


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", default="build", help="build folder")
    parser.add_argument("--seconds", type=float, default=300, help="how long to measure")
    parser.add_argument("--cpu", type=int, default=max(os.sched_getaffinity(0)), help="processor")
    options = parser.parse_args()
    os.sched_setaffinity(0, {options.cpu})
    try:
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
    except PermissionError:
        print("recording_cost: no real-time priority: other processes disturb the runs",
              file=sys.stderr)
    program = os.path.join(options.build, "lib64", "twinrt", "bench", "acl_bench")
    with tempfile.TemporaryDirectory(dir=options.build) as folder:
        rows, units = measure(program, options.seconds, folder)
    limit = SLACK * min(probe for *_, probe in rows)
    counted = [row for row in rows if row[3] <= limit]
    print(f"{len(counted)} of {len(rows)} runs had the processor at full speed")
    print(f"{'loop':14} {'':9} {'runs':>4} {'median':>7} {'least':>7} {'most':>7} {'ratio':>6}")
    for name, _, kinds in LOOPS:
        plain = None
        for kind in kinds:
            values = [row[2] for row in counted if row[:2] == (name, kind)]
            if not values:
                print(f"{name:14} {kind:9} {0:4}")
                continue
            median = statistics.median(values)
            plain = plain or median
            print(f"{name:14} {kind:9} {len(values):4} {median:7.3g} {min(values):7.3g} "
                  f"{max(values):7.3g} {median / plain:6.2f}  {units[name]}")


if __name__ == "__main__":
    main()
