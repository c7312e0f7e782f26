#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures what a recording costs: a submission, and a task with its wait, on one processor.

A run counts if the processor had its full speed before and after it: on a virtual machine a
neighbour on the same core makes it up to two times slower. Run it after ./dev build."""
import argparse
import os
import statistics
import tempfile
import time

from run import run

SLACK = 1.3  # at full speed a short loop takes at most this many times its best time


def loop_seconds():
    begin = time.perf_counter()
    for _ in range(200_000):
        pass
    return time.perf_counter() - begin


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", default="build", help="build folder")
    parser.add_argument("--seconds", type=float, default=300, help="how long to measure")
    options = parser.parse_args()
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    program = os.path.join(options.build, "lib64", "twinrt", "bench", "acl_bench")
    rows, end = [], time.monotonic() + options.seconds
    with tempfile.TemporaryDirectory(dir=options.build) as folder:
        path = os.path.join(folder, "a.rec")
        while time.monotonic() < end:
            for name, question in (("submit", "submit"), ("task and wait", "wait")):
                for kind, setting in (("", {}), (", recorded", {"TWINRT_RECORD": path})):
                    before = loop_seconds()
                    unit, values = run([program, question, "3"],
                                       {"TWINRT_BACKEND": "sim", **setting})[name]
                    rows.append((f"{name}{kind} ({unit})", statistics.median(values),
                                 max(before, loop_seconds())))
            os.unlink(path)
    limit = SLACK * min(probe for *_, probe in rows)
    print(f"{'':29} {'runs':>5} {'median':>8} {'least':>8} {'most':>8}")
    for name in dict.fromkeys(row[0] for row in rows):
        values = [value for each, value, probe in rows if each == name and probe <= limit]
        if values:
            print(f"{name:29} {len(values):5} {statistics.median(values):8.4g} {min(values):8.4g} "
                  f"{max(values):8.4g}")


if __name__ == "__main__":
    main()
