#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the benchmark programs in turn, forms medians, spreads and ratios, and writes
   build/bench.json.

Peers and our own programs alternate within one run, so that both meet the same machine. Targets are
printed next to the numbers; a missed one is reported and is not a failure: host time is not a
test."""

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
    ours = os.path.join(build, "lib64", "twinrt", "bench")
    acl = os.path.join(ours, "acl_bench")
    pocl = os.path.join(folder, "pocl_bench")
    sim = {"TWINRT_BACKEND": "sim"}
    has_pocl = os.path.exists(pocl)
    trace = os.path.join(build, "bench-trace.json")
    record = os.path.join(build, "bench.rec")
    for _ in range(rounds):
        for question in ("submit", "wait", "streams", "copy", "launch", "graph"):
            numbers.take("", run([acl, question, str(repeats)], sim))
            if has_pocl and question in ("submit", "wait"):
                for kind in ("basic", "pthread"):
                    env = {"POCL_DEVICES": kind}
                    numbers.take(f"pocl {kind}: ", run([pocl, str(repeats)], env))
        numbers.take("", run([os.path.join(folder, "event_loop"), str(repeats)]))
        # "streams" submits, simulates and waits for 180 000 tasks per sample: one is enough for a
        # timeline.
        fresh = {**sim, "BENCH_FRESH_RINGS": "1"}
        for question, samples in (("submit", "3"), ("wait", "4"), ("streams", "1")):
            for _ in range(3 if question == "streams" else 1):
                numbers.take("untraced: ", run([acl, question, samples], fresh))
                numbers.take(
                    "traced: ", run([acl, question, samples], {**fresh, "TWINRT_TRACE": trace}))
                if question != "streams":
                    numbers.take("recorded: ",
                                 run([acl, question, samples], {**sim, "TWINRT_RECORD": record}))
        long = {**sim, "BENCH_OVER_TURNS": "1"}
        numbers.take("alone: ", run([acl, "wait", "3"], long))
        with Hogs():
            numbers.take("hogs: ", run([acl, "wait", "3"], long))
    for _ in range(11):
        numbers.take("", run([acl, "start"], sim))
    for _ in range(3):
        numbers.take("", run([acl, "devices"], {**sim, "TWINRT_DEVICES": "8"}))
    for _ in range(3):
        numbers.take("", run([os.path.join(folder, "mappings")], sim))
    for question in ("memory", "idle", "resets"):
        numbers.take("", run([acl, question], sim))
    profile = os.path.join(build, "lib64", "twinrt", "profiles", "910b3.json")
    numbers.take("", run([os.path.join(ours, "model_bench"), profile]))
    for left in (trace, record):
        if os.path.exists(left):
            os.remove(left)
    return numbers


def ratio(numbers, above, below):
    top, bottom = numbers.median(above), numbers.median(below)
    return top / bottom if top is not None and bottom else None


def judge(numbers):
    """(id, what, value, unit, must, aim, lower is better) for every target; without limits it is
    only reported."""
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "targets.json"),
              encoding="utf-8") as file:
        targets = json.load(file)
    rows = []
    for target in targets:
        if "ratio" in target:
            value = ratio(numbers, *target["ratio"])
        elif "rate" in target:
            median = numbers.median(target["rate"])
            value = 1e6 / median if median else None
        else:
            value = numbers.median(target["value"])
        rows.append(
            (target["id"], target["what"], value, target["unit"], target.get("must"),
             target.get("aim"),
             not target.get("higher", False)))
    return rows


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
        targets.append(
            {"id": name, "what": what, "value": value, "unit": unit, "must": must, "aim": aim,
             "verdict": word})
    report = {
        "machine": {"system": platform.platform(), "processor": platform.processor(),
                    "cpus": os.cpu_count()},
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
