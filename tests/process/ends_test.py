#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Each way to end or to branch, in each state of a call: status, outputs, no hang.

  ends_test.py PROGRAM TWINRT [--seeds N] [--only TEXT] [unittest options]
"""
import json
import os
import signal
import subprocess
import sys
import tempfile
import unittest

PROGRAM = ""
TWINRT = ""
SEEDS = 1
ONLY = ""
LIMIT_S = 30  # for what hangs: a run takes a tenth of a second

STATES = ("alloc", "callback", "copy", "create", "device", "drive", "follow", "function", "idle",
          "poll", "stuck",
          "submit")
# The result of each way to end: the status, and whether the output files are written.
ENDS = {"exit": (7, True), "quick_exit": (7, True), "_exit": (7, False),
        "abort": (-signal.SIGABRT, False)}
OTHERS = {**ENDS, "return": (7, True), "pthread_exit": (0, True), "fork": (7, True),
          "vfork": (7, True),
          "spawn": (7, True), "cancel": (7, True)}
MISSING = "the outputs of the end are missing"


class Ends(unittest.TestCase):
    def run_way(self, way, who, state, seed):
        """One run. What is wrong with it, and whether the outputs were left out with a reason."""
        status, written = (ENDS if who == "self" else OTHERS)[way]
        with tempfile.TemporaryDirectory() as folder:
            environment = {name: value for name, value in os.environ.items()
                           if not name.startswith("TWINRT_")}
            environment.update(TWINRT_BACKEND="sim", TWINRT_DEVICES="2", TWINRT_TRACE="trace",
                               TWINRT_STATS="stats",
                               TWINRT_RECORD="record")
            try:
                done = subprocess.run([PROGRAM, way, who, state, str(seed)], cwd=folder,
                                      env=environment, text=True,
                                      stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                      timeout=LIMIT_S, check=False)
            except subprocess.TimeoutExpired:
                return "hangs", False
            if done.returncode != status:
                return f"status {done.returncode}, not {status}: {done.stderr}", False
            if "deadlock" in done.stderr:
                return f"a deadlock is reported: {done.stderr}", False
            missing = MISSING in done.stderr
            found = set(os.listdir(folder)) - {"record"}
            if found != ({"trace", "stats"} if written and not missing else set()):
                return f"files {sorted(found)}: {done.stderr}", missing
            try:
                for name in found:
                    with open(os.path.join(folder, name), encoding="utf-8") as file:
                        json.load(file)
            except ValueError as error:
                return f"{name}: {error}", missing
            checked = subprocess.run([TWINRT, "check", os.path.join(folder, "record")], text=True,
                                     check=False,
                                     stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            # 1: a finding, as of streams that were not destroyed
            if checked.returncode not in (0, 1):
                return f"the recording: {checked.stdout}", missing
            return "", missing

    def run_table(self, who, ways):
        wrong, runs, missing = [], 0, 0
        for way in ways:
            for state in STATES:
                for seed in range(1, SEEDS + 1):
                    name = f"{way} {who} {state} {seed}"
                    if ONLY not in name:
                        continue
                    text, left_out = self.run_way(way, who, state, seed)
                    runs += 1
                    missing += left_out
                    if text:
                        wrong.append(f"{name}: {text}")
        print(f"{who}: {runs} runs, {missing} without outputs")
        # A signal in the middle of a malloc() of the call, whose handler calls exit(): the C
        # library waits for its own lock.
        hanging = [text for text in wrong if text.startswith("exit self")
                   and text.endswith(": hangs")]
        if len(hanging) == 1:
            wrong.remove(hanging[0])
            print(f"{hanging[0]}, as exit() inside malloc() may")
        self.assertEqual(wrong, [], "\n".join(wrong))
        self.assertLessEqual(missing, runs // 10)

    def test_a_thread_ends_the_process_inside_a_call(self):
        self.run_table("self", ENDS)

    def test_a_thread_ends_or_branches_beside_one_inside_a_call(self):
        self.run_table("other", OTHERS)


def option(name, value):
    if name not in sys.argv:
        return value
    at = sys.argv.index(name)
    value = type(value)(sys.argv[at + 1])
    del sys.argv[at:at + 2]
    return value


if __name__ == "__main__":
    SEEDS, ONLY = option("--seeds", SEEDS), option("--only", ONLY)
    PROGRAM, TWINRT = (os.path.abspath(path) for path in sys.argv[1:3])
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
