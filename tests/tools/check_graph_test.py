#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`twinrt check` and `twinrt compare` of programs that capture or build model instances: what is
found, and how the tasks of a run are named.

  check_graph_test.py TWINRT GRAPH_PROGRAM
"""
import json
import os
import subprocess
import sys
import tempfile
import unittest

CORRECT = ("forked", "long", "ordered", "twice", "destroyed", "called", "built", "branching",
           "threads")
# Name of the program: rule, functions that queue the two ops (those of a run: also which instance),
# and what the fix is to say.
WRONG = {
    "race_inside": ("RACE-01", ("copy", 1), ("copy", 1), "in the model instance, record an event"),
    "race_built": ("RACE-01", ("fill", 1), ("copy", 1), "in the model instance, record an event"),
    "race_after": ("RACE-02", ("copy", 1), ("copy", None), "after the run"),
    "race_before": ("RACE-02", ("fill", None), ("copy", 1), "before the run"),
    "race_twice": ("RACE-03", ("copy", None), ("copy", 1), "before the run"),
    "race_two": ("RACE-01", ("copy", 1), ("copy", 2), "stream of the second run"),
    "race_host": ("RACE-04", ("copy", 1), ("race_host", None), "before the call"),
    "freed_early": ("LIFE-01", ("copy", 1), ("freed_early", None), "before the free"),
    "freed_before": ("LIFE-03", ("freed_before", None), ("copy", 1), "after the last run"),
}
FAILS = ("freed_before",)  # the run that uses freed memory fails


def tool(*arguments, status=(0, 1)):
    done = subprocess.run([TWINRT, *arguments], capture_output=True, text=True, timeout=60,
                          env={**os.environ, "TWINRT_BACKEND": "sim"}, check=False)
    if done.returncode not in status:
        raise AssertionError(f"{arguments}: {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


class CheckGraph(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = os.path.join(folder.name, "graph.rec")

    def record(self, name, *more, path=None):
        tool("record", "-o", path or self.path, "--", PROGRAM, name, *more,
             status=(int(name in FAILS),))

    def compare(self, *programs, status):
        paths = [f"{self.path}.{side}" for side in "ab"]
        for path, program in zip(paths, programs):
            self.record(*program, path=path)
        return json.loads(tool("compare", "--json", *paths, status=(status,)))

    def test_correct_programs(self):
        for name in CORRECT:
            with self.subTest(name):
                self.record(name)
                report = json.loads(tool("check", "--json", self.path))
                self.assertEqual(report["findings"], [])

    def test_tasks_are_judged(self):
        """A correct program is one without findings, not one that is not looked at."""
        for name, races in (("forked", 9), ("ordered", 9), ("built", 6)):
            with self.subTest(name):
                self.record(name)
                report = json.loads(tool("check", "--json", self.path))
                judged = {rule["rule"]: rule["judged"] for rule in report["rules"]}
                count = judged["RACE-01"] + judged["RACE-02"] + judged["RACE-03"]
                self.assertGreaterEqual(count, races)
                self.assertEqual(report["unjudged_work"], 0)

    def check_op(self, op, expected):
        function, instance = expected
        self.assertEqual(op["site"]["function"], function)
        self.assertEqual(op.get("model_instance"), instance)
        self.assertEqual("run" in op, instance is not None)
        if instance is not None:
            self.assertEqual(op["run"]["call"], "aclmdlRIExecuteAsync")
            self.assertEqual(op["run"]["site"]["function"], "run")
            self.assertLess(op["seq"], op["run"]["seq"])

    def test_wrong_programs(self):
        for name, (rule, first, second, fix) in WRONG.items():
            with self.subTest(name):
                self.record(name)
                report = json.loads(tool("check", "--json", self.path))
                self.assertEqual([finding["rule"] for finding in report["findings"]], [rule])
                finding = report["findings"][0]
                self.check_op(finding["first"], first)
                self.check_op(finding["second"], second)
                self.assertIn(fix, finding["fix"])

    def test_one_finding_for_all_runs(self):
        self.record("race_inside")
        report = json.loads(tool("check", "--json", self.path))
        self.assertEqual(report["findings"][0]["repeats"], 2)
        self.assertEqual(report["findings"][0]["first"]["run"],
                         report["findings"][0]["second"]["run"])

    def test_threads(self):
        """A run of one thread and work of another one, which no lock or join orders: a warning."""
        self.record("race_threads")
        report = json.loads(tool("check", "--json", self.path))
        self.assertEqual({finding["rule"] for finding in report["findings"]}, {"RACE-05"})
        ops = [finding[op] for finding in report["findings"] for op in ("first", "second")]
        (task,) = [op for op in ops if "run" in op]
        self.assertEqual(task["site"]["function"], "copy")
        self.assertNotEqual(task["run"]["thread"], ops[0]["thread"])

    def test_text(self):
        self.record("race_inside")
        text = " ".join(tool("check", self.path).split())
        self.assertEqual(text.count("of model instance 1 (seq"), 2)
        self.assertIn("both: run of a model instance, aclmdlRIExecuteAsync, thread 1, stream 1",
                      text)
        self.record("race_two")
        text = " ".join(tool("check", self.path).split())
        self.assertEqual(text.count("in: run of a model instance, aclmdlRIExecuteAsync"), 2)

    def test_sarif(self):
        self.record("race_after")
        path = self.path + ".sarif"
        tool("check", "--report", path, self.path)
        with open(path, encoding="utf-8") as file:
            result = json.load(file)["runs"][0]["results"][0]
        texts = [place["message"]["text"] for place in result["relatedLocations"]]
        self.assertEqual([text.split(":")[0] for text in texts], ["first", "run with the first"])
        self.assertIn("of model instance 1", texts[0])
        self.assertIn("run of a model instance, aclmdlRIExecuteAsync", texts[1])
        self.assertEqual([place["id"] for place in result["relatedLocations"]], [1, 2])

    def test_compare_the_same(self):
        report = self.compare(["forked"], ["forked"], status=0)
        self.assertTrue(report["same"])
        (runs,) = report["model_instances"]
        self.assertEqual((runs["model_instance"], runs["runs"], runs["median_ratio"]), (1, 3, 1))
        self.assertEqual(runs["made"]["call"], "aclmdlRICaptureBegin")

    def test_compare_another_graph(self):
        """What one graph has more is reported once, and takes time in each run."""
        report = self.compare(["forked"], ["forked", "more"], status=1)
        self.assertEqual(report["a"]["alone"], 0)
        alone = {group["kind"]: (group["count"], group.get("model_instance"))
                 for group in report["b"]["alone_by_call"]}
        self.assertEqual(alone, {"event creation": (1, None), "record": (1, 1), "wait": (1, 1),
                                 "fill": (1, 1), "reset": (1, 1),
                                 "event destruction": (1, None)})
        (runs,) = report["model_instances"]
        self.assertEqual(runs["runs"], 3)
        self.assertLess(runs["a_median_ns"], runs["b_median_ns"])
        self.assertGreater(runs["median_ratio"], 1)


if __name__ == "__main__":
    TWINRT, PROGRAM = (os.path.abspath(path) for path in sys.argv[1:3])
    unittest.main(argv=sys.argv[:1])
