#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`twinrt graph`: the model instances of recordings. Arguments: the tool, instances_program, the folder
of the examples, the picture of graph_capture, the folder of a stand-in for a board or ""."""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as tree

BOARD = sys.argv.pop()
PICTURE = os.path.abspath(sys.argv.pop())
EXAMPLES = os.path.abspath(sys.argv.pop())
PROGRAM = os.path.abspath(sys.argv.pop())
TOOL = os.path.abspath(sys.argv.pop())
KERNELS = os.path.join(EXAMPLES, "vector_add_kernels.o")
SVG = "{http://www.w3.org/2000/svg}"
KIB = 1024


def tool(*arguments, status=0, **environment):
    done = subprocess.run([TOOL, *arguments], capture_output=True, text=True, timeout=60,
                          check=False, env={**os.environ, "TWINRT_BACKEND": "sim", **environment})
    assert done.returncode == status, (done.returncode, done.stdout, done.stderr)
    return done.stderr if status == 2 else done.stdout


def setUpModule():
    global FOLDER, ONE, OTHER, EXAMPLE, PLAIN, CONDITION
    FOLDER = tempfile.mkdtemp(prefix="twinrt-graph.")
    ONE, OTHER, EXAMPLE, PLAIN, CONDITION = (
        os.path.join(FOLDER, name + ".rec")
        for name in ("one", "other", "example", "plain", "condition"))
    tool("record", "-o", ONE, "--", PROGRAM, KERNELS, TWINRT_DEVICES="2")
    tool("record", "-o", OTHER, "--", PROGRAM, KERNELS, "other")
    tool("record", "-o", EXAMPLE, "--", os.path.join(EXAMPLES, "graph_capture"))
    tool("record", "-o", CONDITION, "--", os.path.join(EXAMPLES, "graph_condition"))
    tool("record", "-o", PLAIN, "--", os.path.join(EXAMPLES, "stream_wait_event"))


def tearDownModule():
    shutil.rmtree(FOLDER)


def instances(path, *options):
    found = json.loads(tool("graph", path, "--json", *options))
    return {graph["instance"]: graph for graph in found["instances"]}


def lanes(graph):
    """The tasks of each lane in words."""
    found = {}
    for task in graph["tasks"]:
        found.setdefault(task["lane"], []).append(task["text"])
    return [found[lane] for lane in sorted(found)]


def edges(graph):
    """Each edge as the words of both ends."""
    texts = [task["text"] for task in graph["tasks"]]
    return sorted((texts[edge["from"]], texts[edge["to"]]) for edge in graph["edges"])


class List(unittest.TestCase):
    def test_a_capture(self):
        graph = instances(ONE)[1]
        self.assertTrue(graph["captured"] and graph["complete"])
        self.assertEqual(graph["executions"], 2)
        self.assertRegex(graph["site"], r"^capture \(.*instances_program.c:\d+\)$")
        start, first, second = lanes(graph)
        self.assertEqual(sorted(start)[2:], ["reset", "reset"])
        self.assertEqual(first, ["copy 64 KiB host to device", "record", "wait",
                                 "vector_add, 1 block", "copy 64 KiB device to host", "end"])
        self.assertEqual(second, ["wait", "vector_add, 2 blocks", "host function", "record"])
        self.assertEqual([edge for edge in edges(graph) if edge[0] == "record"],
                         2 * [("record", "wait")])
        lane_of = [task["lane"] for task in graph["tasks"]]
        self.assertEqual(sorted((lane_of[edge["from"]], lane_of[edge["to"]], edge["kind"])
                                for edge in graph["edges"]),
                         [(0, 1, "activation"), (0, 2, "activation"), (1, 2, "wait"),
                          (2, 1, "wait")])
        self.assertEqual([task["updates"] for task in graph["tasks"] if task["kind"] == "kernel"],
                         [1, 0])
        self.assertEqual([stream["call"] for stream in graph["streams"]],
                         ["aclmdlRICaptureEnd", "aclmdlRICaptureBegin", "aclrtStreamWaitEvent"])

    def test_an_instance_that_was_built(self):
        graph = instances(ONE)[2]
        self.assertFalse(graph["captured"])
        self.assertEqual(graph["executions"], 0)
        head, waits = lanes(graph)
        self.assertEqual((head[0], head[2]), ("fill 64 KiB", "record"))
        # the fill before them was removed by aclrtPersistentTaskClean
        self.assertEqual(waits, ["wait", "wait", "reset", "end"])
        self.assertEqual(edges(graph), [(head[1], "wait"), ("record", "wait")])
        # nothing in it records the event of the first wait
        self.assertEqual([edge["to"] for edge in graph["edges"]], [3, 4])
        self.assertNotIn("begin_ns", graph["tasks"][0])

    def test_a_capture_that_fails(self):
        graph = instances(ONE)[3]
        self.assertFalse(graph["complete"])
        self.assertEqual(lanes(graph), [["record"], ["wait"]])
        self.assertIn("never complete", tool("graph", ONE, "--instance", "3"))

    def test_a_lane_of_two_streams(self):
        graph = instances(ONE)[4]
        self.assertEqual(len(graph["streams"]), 4)
        self.assertEqual([len(lane) for lane in lanes(graph)], [5, 1205, 2])
        # the activation of its second stream is not an edge
        self.assertEqual(len(graph["edges"]), 4)
        shown = tool("graph", ONE, "--instance", "4")
        self.assertRegex(shown, r"(?m)^  \d+, \d+ +1205  1200 fills, 2 records, 1 wait, 1 end, ")

    def test_text_fits_a_terminal(self):
        shown = tool("graph", EXAMPLE)
        self.assertRegex(shown, r"^.*example.rec: 1 model instance\n\nmodel instance 1, captured, ")
        self.assertIn("59 tasks, 4 edges between streams, 3 executions\n", shown)
        self.assertRegex(shown, r"(?m)^  \d +29  26 copies, 1 record, 1 wait, 1 end;")
        self.assertRegex(shown, r"critical path of execution 3: \d+ tasks, [\d.]+ us\n")
        for text in (shown, tool("graph", EXAMPLE, "--resources"),
                     tool("graph", ONE, "--diff", OTHER, "--instance", "1", status=1)):
            words = [line for line in text.splitlines()[2:] if len(line) > 80
                     and " " in line.strip()]
            self.assertEqual([line for line in words if "/" not in line], [])


class Times(unittest.TestCase):
    @staticmethod
    def reported(path):
        """(queue, task): begin and end in each execution, as the recording has them."""
        found = {}
        for entry in json.loads(tool("record", "--print", path, "--json"))["entries"]:
            if entry["op"] == "task":
                found.setdefault((entry["queue"], entry["task"]), []).append(
                    (entry["task_begin_ns"], entry["task_end_ns"]))
        return found

    def test_of_each_execution(self):
        for path, executions in ((EXAMPLE, 3), (ONE, 2)): # apart, and on two streams
            entries = json.loads(tool("record", "--print", path, "--json"))["entries"]
            made = {entry["seq"]: entry for entry in entries}
            reported = self.reported(path)
            for execution in range(1, executions + 1):
                graph = instances(path, "--execution", str(execution), "--instance", "1")[1]
                self.assertEqual(graph["timed_execution"], execution)
                for task in graph["tasks"]:
                    op = made[task["seq"]]
                    first, last = (reported[op["queue"], number][execution - 1] for number in
                                   (op["first_task"], op["first_task"] + op["tasks"] - 1))
                    self.assertEqual((task["begin_ns"], task["end_ns"]), (first[0], last[1]))
        self.assertEqual(instances(EXAMPLE)[1]["timed_execution"], 3)

    def test_the_critical_path(self):
        """It is a chain from the first begin to the last end, without gaps."""
        graph = instances(EXAMPLE)[1]
        path = sorted((task for task in graph["tasks"] if task["critical"]),
                      key=lambda task: task["end_ns"])
        self.assertEqual(path[-1]["end_ns"], max(task["end_ns"] for task in graph["tasks"]))
        self.assertEqual(sum(task["path_ns"] for task in path),
                         path[-1]["end_ns"] - path[0]["begin_ns"])
        self.assertEqual((graph["begin_ns"], graph["end_ns"]),
                         (path[0]["begin_ns"], path[-1]["end_ns"]))
        followed = {(edge["from"], edge["to"]) for edge in graph["edges"]}
        for before, task in zip(path, path[1:]):
            beside = before["lane"] == task["lane"] and before["task"] + 1 == task["task"]
            self.assertTrue(beside or (before["task"], task["task"]) in followed)
            # what a task followed is what ended last of all that it follows
            others = [graph["tasks"][first] for first, then in followed if then == task["task"]]
            if task["task"] > 0 and graph["tasks"][task["task"] - 1]["lane"] == task["lane"]:
                others.append(graph["tasks"][task["task"] - 1])
            self.assertEqual(before["end_ns"], max(other["end_ns"] for other in others))


class Conditions(unittest.TestCase):
    """The example graph_condition: a loop of six steps, in the second execution of five, and one of
    two ends."""

    def test_turns(self):
        taken = []
        for execution, steps in ((1, 6), (2, 5)):
            graph = instances(CONDITION, "--execution", str(execution))[1]
            main, body, *ends = lanes(graph)
            self.assertEqual([text.split(" ")[0] for text in body],
                             ["reduction", "reduction", "activate"])
            turns = [task.get("turns", 0) for task in graph["tasks"]]
            self.assertEqual(turns[len(main):len(main) + 3], 3 * [steps])
            # the comparison of the loop comes before each step, and finds that there is none
            self.assertEqual(turns[:3], [1, steps + 1, steps])
            self.assertEqual([len(end) for end in ends], [2, 2])
            self.assertEqual(sorted(turns[-4:]), [0, 0, 1, 1])
            taken.append(turns[-1])
            self.assertEqual(sum(task.get("path_ns", 0) for task in graph["tasks"]),
                             graph["end_ns"] - graph["begin_ns"])
        self.assertEqual(sorted(taken), [0, 1])

    def test_edges(self):
        graph = instances(CONDITION)[1]
        lane = [task["lane"] for task in graph["tasks"]]
        between = sorted((lane[edge["from"]], lane[edge["to"]]) for edge in graph["edges"])
        # into the body and back to the comparison, past the loop, into each end and behind it
        self.assertEqual(between, [(0, 0), (0, 1), (0, 2), (0, 3), (1, 0), (2, 0), (3, 0)])

    def test_the_picture_of_a_loop(self):
        out = os.path.join(FOLDER, "loop.svg")
        tool("graph", CONDITION, "--svg", out)
        root = tree.parse(out).getroot()
        texts = [text.text for text in root.iter(SVG + "text")]
        # 14 tasks in four lanes; the streams after the two comparisons are activated by those
        steps = [line for line in root.iter(SVG + "line") if line.get("x1") == line.get("x2")]
        self.assertEqual(len(steps), 14 - 4 - 2)
        self.assertEqual(len([text for text in texts if text.startswith("5 times, ")]), 4)
        self.assertEqual(len([text for text in texts if text.startswith("6 times, ")]), 1)
        shown = tool("graph", CONDITION)
        self.assertRegex(shown, r"(?m)^  \d, \d and 3 more +7  4 activations, 2 switches, 1 end;")
        self.assertRegex(shown, r"us  10 reductions\n")


class Resources(unittest.TestCase):
    def found(self, path, *options):
        rows = json.loads(tool("graph", path, "--resources", "--json", *options))["resources"]
        return {row["instance"]: row for row in rows}

    def test_counts(self):
        found = self.found(ONE)
        # Captures: a stream each, one that resets the events, one more after 1000 tasks.
        self.assertEqual([found[i]["held"]["streams"] for i in (1, 2, 3, 4)], [3, 2, 2, 4])
        self.assertEqual([found[i]["held"]["events"] for i in (1, 2, 3, 4)], [2, 1, 1, 3])
        row = found[4]
        self.assertEqual(row["others"], {"streams": 6, "events": 4, "notifies": 0,
                                         "count_notifies": 0})
        calls = {holder.get("call", holder.get("instance")): holder for holder in row["holders"]}
        self.assertEqual(set(calls), {"aclrtSetDevice", "aclrtCreateStream",
                                      "aclrtCreateEventExWithFlag", 1})
        self.assertEqual((calls[1]["streams"], calls[1]["events"]), (3, 2))
        self.assertRegex(calls["aclrtCreateStream"]["site"],
                         r"^main \(.*instances_program.c:\d+\)$")
        self.assertRegex(tool("graph", ONE, "--resources", "--instance", "4"),
                         r"(?m)^    3 streams, 2 events: model instance 1$")

    def test_limits_of_the_profile(self):
        for profile, streams, events in (("", 3, 2), ("310p3", 1, 0), ("950", 1, 0)):
            path = os.path.join(FOLDER, profile + ".rec") if profile else ONE
            profile = profile or "910b3"
            if path != ONE:
                tool("record", "-o", path, "--", PROGRAM, KERNELS, "32", TWINRT_PROFILE=profile)
            facts = json.loads(tool("info", "--json", "--profile", profile))["devices"][0]
            limits = {name: facts[name] for name in ("streams", "events", "notifies")}
            row = self.found(path)[1]
            self.assertEqual({name: row["limits"][name] for name in limits}, limits)
            self.assertEqual((row["held"]["streams"], row["held"]["events"]), (streams, events))
            free = limits["streams"] - streams - row["others"]["streams"]
            self.assertEqual((row["more"], row["runs_out"]), (free // streams, "streams"))
            self.assertIn(f"  {row['more']} more such graphs fit; streams run out first\n",
                          tool("graph", path, "--resources", "--instance", "1"))


class Drawing(unittest.TestCase):
    def draw(self, path, *options):
        out = os.path.join(FOLDER, "out.svg")
        self.assertEqual(tool("graph", path, "--svg", out, *options), "")
        self.assertEqual(os.stat(out).st_mode & 0o777, 0o600)
        return tree.parse(out).getroot()

    @staticmethod
    def texts(root):
        return [text.text for text in root.iter(SVG + "text")]

    def test_boxes(self):
        root = self.draw(ONE, "--instance", "1")
        texts = self.texts(root)
        for task in instances(ONE)[1]["tasks"]:
            if task["kind"] != "reset":
                self.assertIn(task["text"], texts)
        self.assertIn("2 resets", texts)
        graph = instances(ONE)[1]
        for task in graph["tasks"]:
            if task["kind"] == "kernel":
                self.assertIn("%s, seq %d, %.3f us after the begin, %.3f us" % (
                    task["text"], task["seq"], (task["begin_ns"] - graph["begin_ns"]) / 1e3,
                    (task["end_ns"] - task["begin_ns"]) / 1e3),
                              [title.text for title in root.iter(SVG + "title")])
        arrows = [path for path in root.iter(SVG + "path") if path.get("marker-end")]
        self.assertEqual(len(arrows), 4)
        self.assertEqual(len([path for path in arrows if path.get("stroke-dasharray")]), 2)
        dark = root.find(SVG + "style").text
        self.assertIn("prefers-color-scheme:dark", dark)

    def test_each_box_is_below_what_it_follows(self):
        root = self.draw(ONE, "--instance", "1")
        for path in root.iter(SVG + "path"):
            if path.get("marker-end"):
                numbers = [float(number) for number in re.findall(r"[\d.]+", path.get("d"))]
                self.assertGreater(numbers[-1], numbers[1])

    def test_rows_of_equal_tasks(self):
        self.assertIn("24 x copy 32 KiB on the device", self.texts(self.draw(EXAMPLE)))
        each = self.texts(self.draw(EXAMPLE, "--each"))
        self.assertEqual(each.count("copy 32 KiB on the device"), 48)

    def test_a_task_with_an_edge_has_a_box_of_its_own(self):
        texts = self.texts(self.draw(ONE, "--instance", "4"))
        self.assertEqual((texts.count("record"), texts.count("2 records")), (3, 0))

    def test_the_critical_path_is_marked(self):
        boxes = [box for box in self.draw(EXAMPLE, "--each").iter(SVG + "rect")
                 if box.get("class", "").startswith("hot")]
        graph = instances(EXAMPLE)[1]
        self.assertEqual(len(boxes), sum(task["critical"] for task in graph["tasks"]))
        self.assertFalse(any("critical path" in text for text in
                             self.texts(self.draw(ONE, "--instance", "2"))))

    def test_dot(self):
        out = os.path.join(FOLDER, "out.dot")
        tool("graph", ONE, "--dot", out, "--instance", "1")
        with open(out, encoding="utf-8") as file:
            text = file.read()
        self.assertEqual(text.count("subgraph cluster_"), 3)
        self.assertEqual(text.count("style=dashed"), 2)
        self.assertEqual(text.count("style=solid"), 2)
        self.assertRegex(text, r't\d+ \[label="vector_add, 2 blocks\\n[\d.]+ us"')
        if shutil.which("dot"):
            subprocess.run(["dot", "-Tsvg", out, "-o", os.devnull], check=True)

    def test_the_picture_of_the_example(self):
        """It shows what the tool draws now, but for times, line numbers and what is critical."""
        def shape(root):
            return [re.sub(r"[\d.]+ us$|, graph_capture.*", "", text) for text in self.texts(root)]
        self.assertEqual(shape(tree.parse(PICTURE).getroot()), shape(self.draw(EXAMPLE)))


class Diff(unittest.TestCase):
    def test_the_same(self):
        shown = tool("graph", ONE, "--diff", ONE, "--instance", "1")
        self.assertTrue(shown.endswith("\nthe same graph\n"))
        again = os.path.join(FOLDER, "again.rec")
        tool("record", "-o", again, "--", PROGRAM, KERNELS)
        self.assertTrue(json.loads(tool("graph", ONE, "--diff", again, "--instance", "4",
                                        "--json"))["same"])

    def test_changes(self):
        found = json.loads(tool("graph", ONE, "--diff", OTHER, "--instance", "1", "--json",
                                status=1))
        self.assertFalse(found["same"])
        self.assertEqual([(change["a"]["text"], change["b"]["text"])
                          for change in found["changed"]],
                         [("copy 64 KiB host to device", "copy 32 KiB host to device"),
                          ("vector_add, 2 blocks", "vector_add, 4 blocks")])
        self.assertEqual([task["text"] for task in found["only_a"]], ["host function"])
        self.assertEqual([task["text"] for task in found["only_b"]], ["fill 4 KiB"])
        self.assertEqual(found["edges_only_a"] + found["edges_only_b"], [])
        shown = tool("graph", ONE, "--diff", OTHER, "--instance", "1", status=1)
        self.assertIn("tasks: 7 the same, 2 changed, 1 only in A, 1 only in B\n", shown)
        self.assertRegex(shown, r"(?m)^  only in B stream \d+ task 2: fill 4 KiB$")

    def test_two_of_one_recording(self):
        found = json.loads(tool("graph", ONE, "--instance", "3", "--with", "4", "--json", status=1))
        self.assertEqual((found["a"]["instance"], found["b"]["instance"]), (3, 4))
        self.assertEqual((found["only_a"], found["changed"]), ([], []))
        self.assertEqual(len(found["only_b"]), 1200 + 4)
        self.assertEqual(len(found["edges_only_b"]), 1) # the record of the second stream

    def test_a_recording_that_is_not_whole(self):
        """Its end is missing, where the first instance is not."""
        path = os.path.join(FOLDER, "cut.rec")
        shutil.copy(ONE, path)
        status, size = 0, os.path.getsize(path)
        while status == 0:
            size -= 16 * KIB
            os.truncate(path, size)
            done = subprocess.run([TOOL, "graph", ONE, "--diff", path, "--instance", "1"],
                                  capture_output=True, text=True, check=False)
            status = done.returncode
        self.assertEqual((status, done.stdout.splitlines()[-1]), (3, "the same graph"))
        self.assertIn("damaged", done.stderr)

    @unittest.skipUnless(BOARD, "no stand-in for a board")
    def test_arguments_of_a_kernel(self):
        """A device that runs device code is given them, and so they are recorded."""
        sizes = (32, 40)
        paths = [os.path.join(FOLDER, f"{size}.rec") for size in sizes]
        for path, size in zip(paths, sizes):
            tool("record", "-o", path, "--", PROGRAM, KERNELS, str(size), TWINRT_BACKEND="ascend",
                 TWINRT_ASCEND_HOME=BOARD)
        found = json.loads(tool("graph", paths[0], "--diff", paths[1], "--json", status=1))
        self.assertEqual([(change["a"]["args_bytes"], change["b"]["args_bytes"])
                          for change in found["changed"]], [sizes])
        shown = " ".join(tool("graph", paths[0], "--diff", paths[1], status=1).split())
        self.assertIn("vector_add, 1 block, arguments of 32 bytes; B ", shown)
        self.assertIn("vector_add, 1 block, arguments of 40 bytes tasks: ", shown)


class Mistakes(unittest.TestCase):
    def test_mistakes(self):
        out = os.path.join(FOLDER, "x")
        for arguments, text in (
                ((PLAIN,), "no model instance is in the recording; expected a program that calls"),
                ((ONE, "--instance", "7"), "no model instance 7; the recording has 1, 2, 3, 4"),
                ((ONE, "--svg", out), "model instances 1, 2, 3, 4; choose one with --instance"),
                ((ONE, "--instance", "1", "--with", "5"), "no model instance 5; the recording has"),
                ((ONE, "--instance", "1", "--execution", "3"), "has 2 executions, not 3"),
                ((ONE, "--instance", "2", "--execution", "1"), "has 0 executions, not 1"),
                ((ONE, "--diff", PLAIN, "--instance", "1"), "plain.rec: no model instance is in"),
                ((ONE, "--with", "1"), "--with requires --instance or --diff"),
                ((ONE, "--each"), "--each requires --dot or --svg"),
                ((ONE, "--diff", ONE, "--resources"), "exclude each other"),
                ((EXAMPLE, "--svg", out, "--dot", out), "name the same file"),
                ((EXAMPLE, "--svg", os.path.join(FOLDER, "no/x")), "No such file"),
                ((ONE + "x",), "one.recx"),
                ((PICTURE,), "is not a recording of twinrt"),
                ((), "missing argument: RECORDING")):
            shown = tool("graph", *arguments, status=2)
            self.assertIn(text, " ".join(shown.split()), arguments)
        self.assertFalse(os.path.exists(out))


if __name__ == "__main__":
    unittest.main()
