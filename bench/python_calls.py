#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a call costs more from Python than from C: acl.rt.record_event and query_event_status,
   compared with the same loops in C.

usage: python_calls.py [--build FOLDER] [--repeats N]

Both run in turn, in batches that a ring holds; the calls alone are timed, with the loop around
them. Prints medians and spreads in ns."""

import argparse
import json
import os
import statistics
import subprocess
import sys
import time

from run import run

BATCH, BATCHES = 1900, 53


def c_samples(build, repeats):
    """{name: samples} of the loops in C, ns a call."""
    rows = run(
        [os.path.join(build, "lib64", "twinrt", "bench", "acl_bench"), "submit", str(repeats)])
    return {name: samples for name, (_, samples) in rows.items()}


def python_samples(repeats):
    """The same from Python."""
    import acl  # pylint: disable=import-outside-toplevel

    assert acl.init() == 0 and acl.rt.set_device(0) == 0
    stream, event = acl.rt.create_stream()[0], acl.rt.create_event_ex_with_flag(1)[0]
    record, query, now = acl.rt.record_event, acl.rt.query_event_status, time.perf_counter_ns
    samples = {"event record": [], "event query": []}
    for _ in range(repeats + 1):
        spent = 0
        for _ in range(BATCHES):
            begin = now()
            for _ in range(BATCH):
                record(event, stream)
            spent += now() - begin
            assert acl.rt.synchronize_stream(stream) == 0
        samples["event record"].append(spent / (BATCH * BATCHES))
        begin = now()
        for _ in range(20000):
            query(event)
        samples["event query"].append((now() - begin) / 20000)
    return {name: values[1:] for name, values in samples.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", default="build", help="build folder")
    parser.add_argument("--repeats", type=int, default=5, help="samples of each of three runs")
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.inside:
        print(json.dumps(python_samples(options.repeats)))
        return
    build = os.path.abspath(options.build)
    environment = dict(os.environ, PYTHONPATH=os.path.join(build, "python", "site-packages"),
                       TWINRT_BACKEND="sim")
    samples = {"C": {}, "Python": {}}
    for _ in range(3):
        printed = subprocess.run(
            [sys.executable, __file__, "--inside", "--repeats", str(options.repeats)],
            env=environment,
                              check=True, text=True, stdout=subprocess.PIPE).stdout
        for language, rows in (("C", c_samples(build, options.repeats)),
                               ("Python", json.loads(printed))):
            for name, values in rows.items():
                samples[language].setdefault(name, []).extend(values)
    for name in samples["Python"]:
        medians = {}
        for language, rows in samples.items():
            medians[language] = statistics.median(rows[name])
            print(
                f"{name:14} {language:7} {medians[language]:7.0f} ns  ({min(rows[name]):.0f} to "
                f"{max(rows[name]):.0f})")
        above = medians["Python"] - medians["C"]
        print(f"{name:14} above C {above:7.0f} ns  aim 500: {'met' if above <= 500 else 'MISSED'}")


if __name__ == "__main__":
    main()
