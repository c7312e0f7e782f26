#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Recordings of programs made of seeds, judged by `twinrt check`: it finds nothing in programs that
do nothing wrong, and only races in programs that race.

With --injections, that many breaches of each rule of order are injected into the recordings of the
programs that do nothing wrong, and all must be found. With --board, that many of these also run
through a vendor's library, where the recording holds what TWINRT_RECORD_TIMES=events adds: only
the times of event records after the work. With --graphs, that many recordings are of programs that
are run at once and captured, and do not race.

  check_runs.py TWINRT CHECK_PROGRAM RANDOM_PROGRAM [--runs N] [--first SEED] [--injections N
  CHECK_INJECTIONS] [--board N HOME] [--graphs N RANDOM_GRAPH]
"""
import argparse
import collections
import json
import os
import subprocess
import sys
import tempfile

PROFILES = ("910b3", "950", "310p3", "910b1", "950", "910_9391", "950")  # 950 has counting notifies
# The rules that these programs test; a single recording has no results to compare with another.
JUDGED = [f"ORD-{n:02}" for n in range(1, 15) if n != 13] + ["CLK-01"] + [f"RACE-{n:02}"
                                                                          for n in range(1, 5)] + \
         [f"LIFE-{n:02}" for n in range(1, 11)]
KEPT = 60  # records to inject in
RACING = 10  # one run in so many is of the program that races


def record(program, seed, path, **settings):
    environment = {**os.environ, "TWINRT_BACKEND": "sim", "TWINRT_RECORD": path,
                   "TWINRT_PROFILE": PROFILES[seed % len(PROFILES)], "TWINRT_SEED": str(seed % 4),
                   **settings}
    subprocess.run(program, check=True, timeout=120, env=environment)


def judge(twinrt, path):
    done = subprocess.run([twinrt, "check", "--json", path], stdout=subprocess.PIPE, timeout=60,
                          check=False)
    report = json.loads(done.stdout)
    assert done.returncode == (0 if report["clean"] else 1), done.returncode
    return report


def judge_stamps(options, folder):
    """Whether nothing is found by times that are bounds; they must have been used."""
    runs, home = int(options.board[0]), options.board[1]
    judged, wrong = collections.Counter(), 0
    path = os.path.join(folder, "board.rec")
    for seed in range(options.first, options.first + runs):
        record([options.check_program, str(seed), "40"], seed, path, TWINRT_BACKEND="ascend",
               TWINRT_ASCEND_HOME=home,
               TWINRT_RECORD_TIMES="events")
        report = judge(options.twinrt, path)
        if report["findings"]:
            wrong += 1
            print(f"seed {seed} with stamps:",
                  sorted(finding["rule"] for finding in report["findings"]))
        for rule in report["rules"]:
            judged[rule["rule"]] += rule["judged"]
    print(f"{runs} records with stamps, {wrong} with findings that should not be")
    return wrong == 0 and judged["ORD-01"] > 0 and judged["ORD-05"] > 0


def judge_graphs(options, folder):
    """Whether nothing is found, though races of runs were looked for."""
    judged, wrong = collections.Counter(), 0
    path = os.path.join(folder, "graph.rec")
    for seed in range(options.first, options.first + int(options.graphs[0])):
        record([options.graphs[1], f"--seed={seed}", "--calls=20"], seed, path,
               TWINRT_PROFILE="910b3")  # has values in memory
        report = judge(options.twinrt, path)
        if report["findings"]:
            wrong += 1
            print(f"seed {seed} with graphs:",
                  sorted(finding["rule"] for finding in report["findings"]))
        for rule in report["rules"]:
            judged[rule["rule"]] += rule["judged"]
    print(f"{options.graphs[0]} records with graphs, {wrong} with findings that should not be")
    return wrong == 0 and all(judged[rule] > 0 for rule in
                              ("RACE-01", "RACE-02", "RACE-03", "RACE-04"))


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("twinrt")
    parser.add_argument("check_program")
    parser.add_argument("random_program")
    parser.add_argument("--runs", type=int, default=30)
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--injections", nargs=2, metavar=("N", "CHECK_INJECTIONS"))
    parser.add_argument("--board", nargs=2, metavar=("N", "HOME"))
    parser.add_argument("--graphs", nargs=2, metavar=("N", "RANDOM_GRAPH"))
    options = parser.parse_args()
    judged, racing, bad, kept = collections.Counter(), 0, 0, []
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(options.first, options.first + options.runs):
            races = seed % RACING == 0
            path = os.path.join(folder, f"{seed}.rec")
            record([options.random_program, str(seed)] if races
                   else [options.check_program, str(seed), "40"], seed, path)
            report = judge(options.twinrt, path)
            found = {finding["rule"] for finding in report["findings"]}
            racing += races and bool(found)
            wrong = {rule for rule in found if not (races and rule.startswith("RACE-"))}
            if wrong or report["unanswered"] or report["damaged_places"]:
                bad += 1
                print(f"seed {seed}: {sorted(found)}, {report['unanswered']} calls open, "
                      f"{report['damaged_places']} places damaged")
                if bad <= 3:
                    subprocess.run([options.twinrt, "check", path], check=False)
            for rule in report["rules"]:
                judged[rule["rule"]] += rule["judged"]
            if races or len(kept) == KEPT or not options.injections:
                os.unlink(path)
            else:
                kept.append(path)
        injected = not options.injections or subprocess.run(
            [options.injections[1], options.injections[0], str(options.first), *kept], timeout=600,
            check=False).returncode == 0
        stamped = not options.board or judge_stamps(options, folder)
        graphs = not options.graphs or judge_graphs(options, folder)
    missing = [rule for rule in JUDGED if judged[rule] == 0]
    print(
        f"{options.runs} records, {bad} with findings that should not be; {racing} with races "
        f"that should")
    if missing:
        print("never judged:", ", ".join(missing))
    if options.runs >= RACING and racing == 0:
        print("no program raced")
    good = not bad and not missing and injected and stamped and graphs
    return 0 if good and (options.runs < RACING or racing > 0) else 1


if __name__ == "__main__":
    sys.exit(main())
