#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Recordings of real programs on the model: `twinrt record`, and the content of the files.
Arguments: the tool, an example program, the page about recordings."""
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import unittest

PAGE = os.path.abspath(sys.argv.pop())
PROGRAM = os.path.abspath(sys.argv.pop())
SOURCES = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TOOL = os.path.abspath(sys.argv.pop())
LAYOUT = "<!-- layout -->\n"


def tool(*arguments, **environment):
    return subprocess.run([TOOL, *arguments], capture_output=True, text=True, timeout=60,
                          check=False,
                          env={**os.environ, "TWINRT_BACKEND": "sim", **environment})


class Folder(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory(prefix="twinrt-record.")
        self.addCleanup(place.cleanup)
        self.folder = place.name

    def path(self, name):
        return os.path.join(self.folder, name)

    def record(self, name, *options, program=(PROGRAM,), **environment):
        done = tool("record", *options, "-o", self.path(name), "--", *program, **environment)
        self.assertEqual(done.returncode, 0, done.stderr)
        return self.path(name)

    def printed(self, path, *options):
        done = tool("record", "--print", path, *options)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def entries(self, path):
        found = json.loads(self.printed(path, "--json"))
        self.assertEqual(found["damage"], [])
        return found, found["entries"]


class Record(Folder):
    def test_one_program_gives_one_record(self):
        first = self.printed(self.record("a"), "--stable")
        second = self.printed(self.record("b"), "--stable")
        self.assertEqual(first, second)
        self.assertNotEqual(
            first, self.printed(self.record("c", TWINRT_PROFILE="910b1"), "--stable"))

    def test_wall_clock_times_do_not_go_back(self):
        _, entries = self.entries(self.record("run"))
        # task, seen, moved, nondeterminism: none
        timed = [entry for entry in entries if entry["kind"] not in (5, 14, 15, 16)]
        last = 0
        for entry in timed:
            if entry["thread"] != timed[0]["thread"]:
                continue
            self.assertGreaterEqual(entry["begin_wall_ns"], last, entry)
            self.assertGreaterEqual(entry["end_wall_ns"], entry["begin_wall_ns"], entry)
            last = entry["begin_wall_ns"]

    def test_what_a_run_asked_is_there(self):
        found, entries = self.entries(self.record("run"))
        self.assertEqual((found["state"], found["lost"]), ("closed", 0))
        ops = {}
        for entry in entries:
            ops.setdefault(entry["op"], []).append(entry)
        names = [entry["name"] for entry in ops["host.call"]]
        self.assertEqual((names[0], names[-1]), ("aclInit", "aclFinalize"))
        self.assertTrue(all(entry["code"] == 0 for entry in ops["host.call"]))
        self.assertEqual(ops["process.start"][0]["texts"][0], "sim")
        self.assertIn(["TWINRT_PROFILE", "910b3"], [entry["texts"] for entry in ops["setting"]])
        marks = {entry["texts"][3] for entry in ops["fact"]}
        self.assertLessEqual({"known", "inferred", "assumed"}, marks)
        # a number of the sequence is one begin or one end, or of an entry that was dropped
        numbers = sorted(number for entry in entries for number in {entry["seq"], entry["end_seq"]})
        self.assertEqual(len(numbers), len(set(numbers)))
        self.assertEqual(numbers[0], 1)
        self.assertFalse(
            [entry for entry in entries if entry["op"] in ("seen", "moved", "nondeterminism")])

    def test_every_call_has_its_place(self):
        """The return address of each public call is in a module that the recording names before
        the call, where debug information finds it."""
        _, entries = self.entries(self.record("run"))
        modules = [entry for entry in entries if entry["op"] == "module"]
        calls = [entry for entry in entries if entry["op"] == "host.call"]
        self.assertEqual([module["texts"][0] for module in modules], [os.path.realpath(PROGRAM)])
        notes = subprocess.run(["readelf", "-n", PROGRAM], capture_output=True, text=True,
                               check=True).stdout
        self.assertEqual(modules[0]["texts"][1], re.search(r"Build ID: (\w+)", notes).group(1))
        begin, end, base = (int(modules[0][field], 16) for field in ("begin", "end", "base"))
        sites = [int(call["site"], 16) for call in calls]
        for call, site in zip(calls, sites):
            self.assertGreater(call["seq"], modules[0]["seq"])
            self.assertTrue(begin <= site < end, call)
        places = subprocess.run(["addr2line", "-e", PROGRAM] +
                                [hex(site - 1 - base) for site in sites],
                                capture_output=True, text=True, check=True).stdout.splitlines()
        # a compiler cache keeps the folder of the clone that compiled the file first: only its end
        # is certain
        name = os.path.basename(places[0].rpartition(":")[0])
        with open(os.path.join(SOURCES, "examples", name), encoding="utf-8") as file:
            lines = file.read().splitlines()
        for call, place in zip(calls, places):
            line = int(re.search(r":(\d+)", place).group(1))
            self.assertIn(call["name"], " ".join(lines[max(line - 4, 0):line + 3]), place)

    def test_every_piece_of_work_has_its_tasks(self):
        _, entries = self.entries(self.record("run"))
        tasks = {(entry["queue"], entry["task"]): entry for entry in entries
                 if entry["op"] == "task"}
        work = [entry for entry in entries if entry["op"].startswith("work.")]
        self.assertGreater(len(work), 5)
        owned = set()
        for entry in work:
            self.assertGreater(entry["tasks"], 0)
            for task in range(entry["first_task"], entry["first_task"] + entry["tasks"]):
                found = tasks[entry["queue"], task]
                self.assertNotIn((entry["queue"], task), owned)
                owned.add((entry["queue"], task))
                self.assertEqual(found["result"], "TWIN_OK")
                self.assertGreater(found["task_begin_ns"], entry["begin_ns"])
                self.assertGreater(found["task_end_ns"], found["task_begin_ns"])
        self.assertEqual(owned, set(tasks))
        # ORD-01, ORD-05: the second stream's copy begins after the end of the record it waits for
        wait = next(entry for entry in work if entry["op"] == "work.wait")
        record = next(entry for entry in work if entry["op"] == "work.record"
                      and entry["signal"] == wait["signal"])
        after = next(entry for entry in work if entry["queue"] == wait["queue"]
                     and entry["seq"] > wait["seq"])
        self.assertNotEqual(record["queue"], wait["queue"])
        self.assertGreaterEqual(tasks[after["queue"], after["first_task"]]["task_begin_ns"],
                                tasks[record["queue"], record["first_task"]]["task_end_ns"])

    def test_a_recorded_run_takes_the_same_virtual_time(self):
        plain = subprocess.run([PROGRAM], capture_output=True, text=True, check=True,
                               timeout=60).stdout
        with_record = tool("record", "-o", self.path("run"), "--", PROGRAM)
        self.assertEqual(plain, with_record.stdout)

    def test_stamps_and_data(self):
        _, entries = self.entries(self.record("stamps", "--events"))
        stamped = {entry["of_seq"]: entry for entry in entries if entry["op"] == "stamp"}
        work = [entry["seq"] for entry in entries if entry["op"].startswith("work.")]
        self.assertEqual(sorted(stamped), sorted(work))
        self.assertTrue(all(entry["result"] == "TWIN_OK" for entry in stamped.values()))
        _, entries = self.entries(self.record("data", "--data"))
        held = {entry["data"]: entry["bytes"] for entry in entries if entry["op"] == "data"}
        contents = [entry for entry in entries if entry["op"] == "content"]
        self.assertGreater(len(contents), 0)
        for entry in contents:
            self.assertEqual(held[entry["data"]], entry["bytes"])

    def test_failures_from_below_are_answers(self):
        done = tool("record", "-o", self.path("fail"), "--", PROGRAM,
                    TWINRT_FAIL_OPS="work.copy:2=TWIN_E_NOMEM")
        self.assertNotEqual(done.returncode, 0)
        _, entries = self.entries(self.path("fail"))
        copies = [entry["status"] for entry in entries if entry["op"] == "work.copy"]
        self.assertEqual(copies, ["TWIN_OK", "TWIN_E_NOMEM"])
        codes = [entry["code"] for entry in entries if entry["op"] == "host.call"
                 and entry.get("code")]
        self.assertEqual(codes, [207001])

    def test_the_number_of_the_process_in_a_name(self):
        done = tool("record", "-o", self.path("%p.rec"), "--", "sh", "-c", f"exec {PROGRAM}")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(len([name for name in os.listdir(self.folder) if name.endswith(".rec")]),
                         1)

    def test_a_record_that_is_not_to_be_had(self):
        """The program runs; the status says that there is no recording."""
        old = self.path("old.rec")
        with open(old, "w", encoding="utf-8") as file:
            file.write("from an earlier run")
        os.symlink(old, self.path("link"))
        for where in ("/no/such/folder/x", self.folder, self.path("x" * 300), self.path("link")):
            for command in (("record", "-o"), ("run", "--check", "--record")):
                done = tool(*command, where, "--", PROGRAM)
                self.assertEqual(done.returncode, 125, where)
                self.assertIn(os.path.basename(where), done.stderr)
        done = tool("run", "--trace", self.folder, "--", PROGRAM)
        self.assertEqual((done.returncode, "no timeline goes there" in done.stderr), (125, True))
        done = tool("record", "-o", old, "--", "/bin/true")
        self.assertEqual((done.returncode, "made no ACL call" in done.stderr), (0, True))
        with open(old, encoding="utf-8") as file:
            self.assertEqual(file.read(), "from an earlier run")
        self.assertEqual(sorted(os.listdir(self.folder)), ["link", "old.rec"])


class Print(Folder):
    def test_what_is_no_record(self):
        for content, reason in ((b"", "is not a record"), (b"x" * 9000, "is not a record")):
            with open(self.path("x"), "wb") as file:
                file.write(content)
            done = tool("record", "--print", self.path("x"))
            self.assertEqual(done.returncode, 1)
            self.assertIn(reason, done.stderr)
        self.assertIn("No such file", tool("record", "--print", self.path("none")).stderr)
        self.assertIn("is not a regular file", tool("record", "--print", self.folder).stderr)

    def test_nothing_reaches_the_terminal_unquoted(self):
        with open(self.record("x"), "rb") as file:
            content = file.read()
        self.assertIn(b"aclrtSetDevice\0", content)
        with open(self.path("x"), "wb") as file:
            file.write(content.replace(b"aclrtSetDevice\0", b"\x1bclrtSetDevice\0"))
        found = self.printed(self.path("x"))
        self.assertNotIn("\x1b", found)
        self.assertIn('name="\\u001bclrtSetDevice"', found)

    def test_usage(self):
        record = self.record("run")
        left = os.listdir(self.folder)
        out = ("-o", self.path("x"))
        for arguments in ((), ("--print",), ("-o", "x"), ("--", PROGRAM),
                          ("--print", record, PROGRAM), ("--print", record, *out),
                          ("--layout", "--print", record), ("--layout", PROGRAM),
                          ("--layout", "--json"), ("--layout", *out),
                          ("--json", *out, PROGRAM), ("--stable", *out, PROGRAM),
                          ("--print", record, "--data"),
                          ("--print", record, "--events")):
            done = tool("record", *arguments)
            self.assertEqual((done.returncode, done.stdout), (2, ""), arguments)
        self.assertEqual(os.listdir(self.folder), left)

    def test_the_page_has_the_layout(self):
        with open(PAGE, encoding="utf-8") as file:
            page = file.read()
        self.assertEqual(page[page.index(LAYOUT) + len(LAYOUT):], tool("record", "--layout").stdout)


class Refused(Folder):
    def test_rules_that_cannot_be_read(self):
        for rule, reason in (("work.cpy:1=TWIN_E_NOMEM", "does not name an op"),
                             ("work.copy=TWIN_E_NOMEM", 'no ":"'),
                             ("work.copy:0=TWIN_E_NOMEM", "number of a call"),
                             ("work.copy:1x=TWIN_E_NOMEM", "number"),
                             ("work.copy:1", 'no "="'), ("work.copy:1=TWIN_OK", "has no status"),
                             ("work.copy:1=NOMEM", "has no status"),
                             ("work.copy:1=TWIN_E_VENDOR", "has no status"),
                             ("queue.create:1=TWIN_E_NOMEM/after", "would be lost"),
                             ("w*:1=TWIN_E_NOMEM", "does not name an op")):
            done = subprocess.run([PROGRAM], capture_output=True, text=True, timeout=60,
                                  check=False,
                                  env={**os.environ, "TWINRT_BACKEND": "sim",
                                       "TWINRT_FAIL_OPS": rule})
            self.assertGreater(done.returncode, 0, rule)
            said = [line for line in done.stderr.splitlines() if line.startswith("twinrt: ")]
            self.assertEqual(len(said), 1, done.stderr)
            self.assertRegex(said[0], f"TWINRT_FAIL_OPS: .*{reason}", rule)

    def test_rules_strike_the_calls_they_name(self):
        def hit(rule):
            done = subprocess.run([PROGRAM], capture_output=True, text=True, timeout=60,
                                  check=False,
                                  env={**os.environ, "TWINRT_BACKEND": "sim",
                                       "TWINRT_FAIL_OPS": rule})
            self.assertNotEqual(done.returncode, -signal.SIGSEGV)
            return [line.split("TWINRT_FAIL_OPS: ")[1] for line in done.stderr.splitlines()
                    if "TWINRT_FAIL_OPS: " in line]
        self.assertEqual(hit("work.copy:2=TWIN_E_NOMEM"),
                         ["call 2, which is work.copy, answers TWIN_E_NOMEM"])
        self.assertEqual(hit("memory.free:1=TWIN_E_INVALID/after"),
                         ["call 1, which is memory.free, answers TWIN_E_INVALID after its work"])
        self.assertEqual(hit("work.*:2=TWIN_E_NOMEM,work.record:1000=TWIN_E_NOMEM"),
                         ["call 2, which is work.copy, answers TWIN_E_NOMEM"])
        self.assertEqual(hit("work.reduce:1=TWIN_E_NOMEM"), [])


if __name__ == "__main__":
    unittest.main()
