#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Notifies and events that two devices of a process share: the same timeline in each run and in a
   replay, with an account of
the way (T-RMT-10).

Usage: across_test.py TWINRT ACROSS_SUITE
"""
import json
import os
import subprocess
import sys
import tempfile
import unittest

TESTS = {"notify": "NTF-15: a notify that another device records takes the time",
         "event": "EVT-70: a shared event takes the time",
         "notifies": "NTF-16: a notify stays",
         "events": "EVT-70: a wait ends with the newest"}
PAIR = ("notify", "event")


def run(*command, **settings):
    return subprocess.run(command, capture_output=True, text=True, timeout=90,
                          env={**os.environ, **settings})


def content(path):
    with open(path, "rb") as file:
        return file.read()


class Across(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def traced(self, name, test, *options, **settings):
        done = run(TWINRT, "run", "--trace", self.path(name), *options, "--", SUITE,
                   "--backend=sim", "--only=" + TESTS[test],
                   **settings)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout

    def test_each_run_is_the_same(self):
        for test in ("notifies", "events"):  # those that ask for no time that a seed may stretch
            for seed in ("0", "1", "77"):
                with self.subTest(test, seed=seed):
                    self.traced("first.json", test, TWINRT_SEED=seed)
                    self.traced("again.json", test, TWINRT_SEED=seed)
                    self.assertEqual(content(self.path("first.json")),
                                     content(self.path("again.json")))

    def test_the_models_agree(self):
        for test in PAIR:
            self.traced("first.json", test)
            for model in ("rtl", "lockstep"):
                if os.path.exists(
                    os.path.join(os.path.dirname(TWINRT), "..", "lib64", "twinrt", "model-rtl.so")):
                    with self.subTest(test, model=model):
                        self.traced("again.json", test, "--model", model)
                        self.assertEqual(content(self.path("first.json")),
                                         content(self.path("again.json")))

    def test_a_replay_is_the_same(self):
        for test in PAIR:
            with self.subTest(test):
                done = run(TWINRT, "record", "-o", self.path("one.rec"), "--", SUITE,
                           "--backend=sim", "--only=" + TESTS[test])
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
                done = run(TWINRT, "replay", self.path("one.rec"))
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
                self.assertIn("the same answers at the same times", done.stdout)

    def test_the_timeline_names_the_record(self):
        """A wait on device 0 that a task of device 1 has ended."""
        for test, name in (("notify", "write value"), ("event", "record event")):
            with self.subTest(test):
                self.traced("one.json", test)
                events = json.loads(content(self.path("one.json")))["traceEvents"]
                waits = [event["args"] for event in events if event.get("cat") == "wait"
                         and event["args"].get("device") == 0 and
                         event["args"].get("waker_device") == 1]
                self.assertEqual(len(waits), 1)
                wakers = [event for event in events if event.get("cat") == "task" and all(
                    event["args"].get(key) == waits[0]["waker_" + key]
                    for key in ("device", "stream", "number"))]
                self.assertEqual([event["name"][:len(name)] for event in wakers], [name])

    def test_the_way_is_accounted_for(self):
        """Of a store there and back, of a forwarded record there."""
        for test, line in (("notify", r"tables and stores +link\.peer_write_ns +d1 s1 t3\n"),
                           ("event", r"link\.peer_write_ns")):
            with self.subTest(test):
                self.assertRegex(self.traced("one.json", test, "--explain=9"), line)


if __name__ == "__main__":
    TWINRT, SUITE = (os.path.abspath(path) for path in sys.argv[1:3])
    unittest.main(argv=sys.argv[:1])
