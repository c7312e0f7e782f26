#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Jobs through the public interface: job_program plays them and holds streams and memory against
   the rules; the times of the tasks are
held against the order that the rules give them; `twinrt check` judges the record of the same run;
and each model gives what cpp gives: what is printed, and the timeline, byte for byte.

  job_runtime_test.py JOB_PROGRAM TWINRT [--models rtl,lockstep] [--random COUNT] [--first SEED]
  [FILE.job ...]
"""
import argparse
import collections
import json
import os
import re
import subprocess
import sys
import tempfile

# Findings that a job may cause itself: races, flags that nothing sets. The runtime or the device
# causes the others.
ALLOWED = ("RACE-", "LIFE-")
# `twinrt check` pairs a flag's waits with its records by the order of submission. Where the device
# has a choice, findings of these rules prove nothing.
BY_PAIRS = ("ORD-02", "ORD-03", "ORD-05", "ORD-06", "ORD-08", "ORD-09", "ORD-11")


def play(options, job, model, folder, extra=None):
    """Status, output, timeline."""
    trace = os.path.join(folder, model + ".json")
    profile = os.path.join(folder, "machine.json")
    order = os.path.join(folder, "order.json")
    done = subprocess.run([options.job_program, f"--profile={profile}", f"--order={order}", job],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          timeout=60, check=False,
                          env={**os.environ, "TWINRT_BACKEND": "sim", "TWINRT_MODEL": model,
                                                        "TWINRT_TRACE": trace,
                               "TWINRT_LOG": "error", **(extra or {})})
    content = b""
    if os.path.exists(trace):
        with open(trace, "rb") as file:
            content = file.read()
        os.unlink(trace)
    return done.returncode, done.stdout.decode(), content


def first_difference(one, other):
    for number, (a, b) in enumerate(zip(one.splitlines(), other.splitlines()), 1):
        if a != b:
            return f"line {number}\n  cpp:   {a[:300]}\n  other: {b[:300]}"
    return f"{len(one)} and {len(other)} characters"


def ns(us):
    return round(us * 1000)


def check_times(folder, timeline):
    """The tasks before a task have ended when it begins; if it is a wait, when it passes. Breaches,
    and how many pairs were seen."""
    with open(os.path.join(folder, "order.json"), encoding="utf-8") as file:
        tasks = json.load(file)
    times = {
        (event["args"]["stream"], event["args"]["number"]): (ns(event["ts"]),
                                                             ns(event["ts"] + event["dur"]))
        for event in json.loads(timeline)["traceEvents"] if event["ph"] == "X"
        and event["cat"] == "task"}
    seen = [times.get((task["stream"], task["number"])) if task else None for task in tasks]
    wrong, pairs = [], 0
    for index, task in enumerate(tasks):
        for other in task["after"] if task else []:
            if seen[index] is None or tasks[other] is None:
                continue
            pairs += 1
            since = seen[index][1 if task["wait"] else 0]
            if seen[other] is None or seen[other][1] > since:
                wrong.append(
                    f"task {task['number']} of stream {task['stream']} at {since} ns, before the "
                    f"end of task "
                    f"{tasks[other]['number']} of stream {tasks[other]['stream']}: {seen[other]}")
    return wrong, pairs, sum(1 for task in seen if task)


def rests_on_pairs(finding):
    """ORD-10 does when the host learned of one stream by a wait for another."""
    first, second = finding.get("first") or {}, finding.get("second") or {}
    other = second.get("stream") != first.get("stream")
    return finding["rule"] in BY_PAIRS or (finding["rule"] == "ORD-10" and other)


def judge(options, record, choice):
    done = subprocess.run([options.twinrt, "check", "--json", record], stdout=subprocess.PIPE,
                          timeout=60, check=False)
    report = json.loads(done.stdout)
    wrong = [f"{finding['rule']}: {finding.get('seen') or finding.get('why')}"
             for finding in report["findings"]
             if not finding["rule"].startswith(ALLOWED)
             and not (choice and rests_on_pairs(finding))]
    if not report["whole"] or report["damaged_places"]:
        wrong.append("the record is not whole")
    return wrong, {rule["rule"]: rule["judged"] for rule in report["rules"]}


def accounted(output):
    """Each line of the job is played, submits, or is refused, and each refused one is named."""
    last = [line for line in output.splitlines() if " lines: " in line]
    if len(last) != 1:
        return False
    words = last[0].replace(",", "").split()
    lines, played, submits, refused = int(words[0]), int(words[2]), int(words[4]), int(words[6])
    return lines == played + submits + refused and refused == output.count("refused ")


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("job_program")
    parser.add_argument("twinrt")
    parser.add_argument("--models", default="")
    parser.add_argument("--random", type=int, default=0)
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("jobs", nargs="*")
    options = parser.parse_intermixed_args()
    models = [model for model in options.models.split(",") if model]
    jobs = options.jobs + [f"--random={options.first + n}" for n in range(options.random)]
    failures, totals, judged = 0, collections.Counter(), collections.Counter()

    def fail(job, model, text):
        nonlocal failures
        failures += 1
        print(f"{job}, {model}: {text}")

    with tempfile.TemporaryDirectory() as folder:
        for job in jobs:
            record = os.path.join(folder, "cpp.rec")
            status, output, timeline = play(options, job, "cpp", folder, {"TWINRT_RECORD": record})
            if options.jobs:
                print(output, end="")
            if status != 0 or not timeline:
                fail(job, "cpp", f"status {status}\n{output}")
                continue
            if not accounted(output):
                fail(job, "cpp", f"lines are missing in its output\n{output}")
            choice = " 0 flags leave the device a choice" not in output
            found, counts = judge(options, record, choice)
            wrong, pairs, seen = check_times(folder, timeline)
            judged.update(counts)
            bursts = "links are shared burst by burst" in output
            with open(record, "rb") as file:
                if bursts != bool(re.search(rb"TWINRT_DMA\0+burst\0", file.read())):
                    fail(job, "cpp", "the record does not say how the job's links are shared")
            totals.update(pairs=pairs, tasks=seen, choices=int(choice), bursts=int(bursts))
            for text in found + wrong[:5]:
                fail(job, "cpp", text)
            for model in ["cpp"] + models:  # cpp once more, without a record
                status, printed, found = play(options, job, model, folder)
                if status != 0:
                    fail(job, model, f"status {status}\n{printed}")
                elif printed != output:
                    fail(job, model, "another output: " + first_difference(output, printed))
                elif found != timeline:
                    fail(job, model, "another timeline: " +
                         first_difference(timeline.decode(), found.decode()))
            words = [line for line in output.splitlines() if "bytes written" in line][0].split()
            totals.update(written=int(words[0]), certain=int(words[3]),
                          hanging=output.count("did not end"),
                          ends=output.count("has ended"))
    print(
        f"{len(jobs)} jobs, {failures} failures; models: {['cpp'] + models}; {totals['choices']} "
        f"jobs leave the device a choice, "
        f"{totals['bursts']} have bursts; "
        f"{totals['tasks']} tasks, {totals['pairs']} pairs in order; streams that ended "
        f"{totals['ends']}, that did not "
        f"{totals['hanging']}; bytes written {totals['written']}, certain {totals['certain']}")
    print(
        "judged: " + ", ".join(f"{rule} {count}" for rule, count in sorted(judged.items())
                               if count))
    if not jobs or totals["tasks"] == 0 or judged["ORD-04"] == 0 or (totals["certain"] == 0
                                                                     and totals["written"] != 0):
        print("nothing was judged")
        return 1
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
