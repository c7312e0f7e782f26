#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""P29: what the deterministic mode costs a fork/join program: thread_order under `twinrt run` with
   and without --deterministic.

usage: thread_order.py [--build FOLDER] [--pairs N] [--repeats N]

Both run in turn. Prints the median and spread of a round of each, and of the ratio of each pair."""

import argparse
import os
import statistics

from run import run


def round_ns(build, repeats, *options):
    """Median of the samples of one run."""
    rows = run(
        [os.path.join(build, "bin", "twinrt"), "run", *options, "--",
         os.path.join(build, "bench", "thread_order"), str(repeats)],
        {"TWINRT_BACKEND": "sim"})
    return statistics.median(next(iter(rows.values()))[1])


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default="build",
                        help="build folder, configured with -DTWINRT_BENCH=ON")
    parser.add_argument("--pairs", type=int, default=9)
    parser.add_argument("--repeats", type=int, default=5, help="samples of each run")
    options = parser.parse_args()
    free, ordered = [], []
    for _ in range(options.pairs):
        free.append(round_ns(options.build, options.repeats))
        ordered.append(round_ns(options.build, options.repeats, "--deterministic"))
    ratios = [after / before for before, after in zip(free, ordered)]
    for name, values, unit in (("free threads", [value / 1000 for value in free], "us"),
                               ("in order", [value / 1000 for value in ordered], "us"),
                               ("ratio", ratios, "")):
        print(
            f"{name:14} {statistics.median(values):8.2f} {unit:2} ({min(values):.2f} to "
            f"{max(values):.2f})")
    print(f"P29: aim 1.5: {'met' if statistics.median(ratios) <= 1.5 else 'MISSED'}")


if __name__ == "__main__":
    main()
