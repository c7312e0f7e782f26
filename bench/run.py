#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the benchmark programs in turn, forms medians, spreads and ratios, and writes build/bench.json.

Peers and our own programs alternate within one run, so that both meet the same machine. Targets are printed beside
the numbers; a missed one is said, never turned into a failure: host time is not a test."""

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys


def run(command, env=None):
    """Runs one program and returns {name: samples} from its JSON lines."""
    full = dict(os.environ)
    full.update(env or {})
    done = subprocess.run(command, env=full, stdout=subprocess.PIPE, check=False, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(command)} ended with {done.returncode}")
    rows = {}
    for line in done.stdout.splitlines():
        if line.startswith("{"):
            row = json.loads(line)
            rows[row["name"]] = (row["unit"], row["samples"])
    return rows


class Numbers:
    """Samples by name, gathered over several runs of the same program."""

    def __init__(self):
        self.samples = {}
        self.units = {}

    def take(self, prefix, rows):
        for name, (unit, samples) in rows.items():
            key = f"{prefix}{name}"
            self.samples.setdefault(key, []).extend(samples)
            self.units[key] = unit

    def median(self, key):
        return statistics.median(self.samples[key]) if self.samples.get(key) else None

    def summary(self):
        rows = {}
        for key, samples in self.samples.items():
            ordered = sorted(samples)
            rows[key] = {
                "unit": self.units[key],
                "median": statistics.median(ordered),
                "low": ordered[0],
                "high": ordered[-1],
                "samples": len(ordered),
            }
        return rows


class Hogs:
    """Two busy processes, for the time of a with block."""

    def __enter__(self):
        code = "while True: pass"
        self.processes = [subprocess.Popen([sys.executable, "-c", code]) for _ in range(2)]

    def __exit__(self, *_):
        for process in self.processes:
            process.kill()
            process.wait()


def measure(folder, build, rounds, repeats):
    numbers = Numbers()
    acl = os.path.join(folder, "acl_bench")
    pocl = os.path.join(folder, "pocl_bench")
    sim = {"TWINRT_BACKEND": "sim"}
    has_pocl = os.path.exists(pocl)
    trace = os.path.join(build, "bench-trace.json")
    for _ in range(rounds):
        for question in ("submit", "wait", "streams", "copy"):
            numbers.take("", run([acl, question, str(repeats)], sim))
            if has_pocl and question in ("submit", "wait"):
                for kind in ("basic", "pthread"):
                    env = {"POCL_DEVICES": kind}
                    numbers.take(f"pocl {kind}: ", run([pocl, str(repeats)], env))
        numbers.take("", run([os.path.join(folder, "event_loop"), str(repeats)]))
        # "streams" submits, simulates and waits for 180 000 tasks per sample: one is enough for a timeline.
        for question, samples in (("submit", "3"), ("wait", "4"), ("streams", "1")):
            for _ in range(3 if question == "streams" else 1):
                numbers.take("untraced: ", run([acl, question, samples], sim))
                numbers.take("traced: ", run([acl, question, samples], {**sim, "TWINRT_TRACE": trace}))
        numbers.take("alone: ", run([acl, "wait", "3"], sim))
        with Hogs():
            numbers.take("hogs: ", run([acl, "wait", "3"], sim))
    for _ in range(11):
        numbers.take("", run([acl, "start"], sim))
    for question in ("memory", "idle", "resets"):
        numbers.take("", run([acl, question], sim))
    profile = os.path.join(build, "lib64", "twinrt", "profiles", "910b3.json")
    numbers.take("", run([os.path.join(folder, "model_bench"), profile]))
    if os.path.exists(trace):
        os.remove(trace)
    return numbers


def ratio(numbers, above, below):
    top, bottom = numbers.median(above), numbers.median(below)
    return top / bottom if top is not None and bottom else None


def judge(numbers):
    """(id, what, value, unit, must, aim, lower is better) for every target; no limits: told, not judged."""
    median = numbers.median
    streams64 = median("task on 64 streams")
    rate = 1e6 / streams64 if streams64 else None
    return [
        ("P1", "submit / pocl basic enqueue", ratio(numbers, "submit", "pocl basic: submit"), "", 0.20, 0.10, True),
        ("P2", "event record", median("event record"), "ns", 200, 100, True),
        ("P2", "event query", median("event query"), "ns", 200, 100, True),
        ("P3", "task + wait / pocl basic", ratio(numbers, "task and wait", "pocl basic: task and wait"), "", 2.0, 1.2, True),
        ("P3", "task + wait / pocl threads", ratio(numbers, "task and wait", "pocl pthread: task and wait"), "", 0.10, 0.03, True),
        ("P4", "wait on an idle stream", median("idle wait"), "us", 0.2, 0.05, True),
        ("P5", "record, wait on a second stream, synchronise", median("two-stream hop"), "us", 5, 2, True),
        ("P6", "tasks per second, 64 streams", rate, "k/s", 300, 1000, False),
        ("P7", "the same / C event loop", ratio(numbers, "event loop task", "task on 64 streams"), "", 0.06, 0.20, False),
        ("P8", "task on 1983 streams / on 1", ratio(numbers, "task on 1983 streams", "task on 1 stream"), "", 1.5, 1.2, True),
        ("P9", "64 MiB copy and wait / memcpy", ratio(numbers, "64 MiB copy and wait", "64 MiB memcpy"), "", 1.10, 1.05, True),
        ("P10", "model events of 1 GiB / 1 MiB copy", ratio(numbers, "events of a 1 GiB copy", "events of a 1 MiB copy"), "", 1.2, 1.0, True),
        ("P11", "bytes per pending task", median("bytes per pending task"), "B", 144, 96, True),
        ("P12", "aclInit + aclrtSetDevice", median("start"), "ms", 10, 5, True),
        ("P13", "idle CPU", median("idle CPU"), "%", 0.5, 0, True),
        ("P18", "task + wait, traced / not", ratio(numbers, "traced: task and wait", "untraced: task and wait"), "", 1.3, 1.1, True),
        ("P18", "task on 64 streams, traced / not", ratio(numbers, "traced: task on 64 streams", "untraced: task on 64 streams"), "", 1.3, 1.1, True),
        ("", "submit alone, traced / not", ratio(numbers, "traced: submit", "untraced: submit"), "", None, None, True),
        ("P19", "task + wait, two hogs / alone", ratio(numbers, "hogs: task and wait", "alone: task and wait"), "", 3, 1.5, True),
        ("P20", "growth per device reset", median("growth per reset"), "B", 4096, 0, True),
    ]


def verdict(value, must, aim, lower):
    if value is None:
        return "not measured"
    if must is None:
        return "no target"
    reaches = (lambda limit: value <= limit) if lower else (lambda limit: value >= limit)
    return "aim" if reaches(aim) else "met" if reaches(must) else "MISSED"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", default="build", help="build folder")
    parser.add_argument("--rounds", type=int, default=3, help="times each program runs, in turn")
    parser.add_argument("--repeats", type=int, default=5, help="samples of each run")
    parser.add_argument("--output", help="JSON file; BUILD/bench.json by default")
    options = parser.parse_args()
    build = os.path.abspath(options.build)
    numbers = measure(os.path.join(build, "bench"), build, options.rounds, options.repeats)
    targets = []
    print(f"{'':4} {'question':46} {'value':>10} {'':4} {'must':>8} {'aim':>8}  verdict")
    for name, what, value, unit, must, aim, lower in judge(numbers):
        word = verdict(value, must, aim, lower)
        shown = "-" if value is None else f"{value:.3g}"
        limits = " ".join(f"{'-' if limit is None else f'{limit:g}':>8}" for limit in (must, aim))
        print(f"{name:4} {what:46} {shown:>10} {unit:4} {limits}  {word}")
        targets.append({"id": name, "what": what, "value": value, "unit": unit, "must": must, "aim": aim, "verdict": word})
    report = {
        "machine": {"system": platform.platform(), "processor": platform.processor(), "cpus": os.cpu_count()},
        "rounds": options.rounds,
        "repeats": options.repeats,
        "targets": targets,
        "numbers": numbers.summary(),
    }
    path = options.output or os.path.join(build, "bench.json")
    with open(path, "w", encoding="utf-8") as file:
        json.dump(report, file, indent=1)
        file.write("\n")
    print(f"all samples: {path}")


if __name__ == "__main__":
    main()
