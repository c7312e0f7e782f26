#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The outputs of `twinrt check` and `twinrt run --check` for CI: reports, suppressions, exit
statuses, text in columns.

  check_report_test.py TWINRT CHECK_PROGRAM RANDOM_PROGRAM
"""
import fcntl
import json
import os
import pty
import select
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time
import unittest
import xml.etree.ElementTree

from recordings import HEADER
from report_case import ABORTS, FREED, GOOD, ORDERED, RACING, TWINRT, ReportCase

# SARIF 2.1.0 (OASIS), sarif-schema-2.1.0.json: of each object that we write, its required
# properties and all that it may have.
SARIF = {
    "log": ({"version", "runs"}, {"$schema"}),
    "run": ({"tool"}, {"invocations", "columnKind", "originalUriBaseIds", "results"}),
    "driver": ({"name"}, {"version", "rules"}),
    "rule": (
        {"id"}, {"shortDescription", "fullDescription", "help", "defaultConfiguration",
                 "properties"}),
    "result": (
        {"message"}, {"ruleId", "ruleIndex", "level", "locations", "relatedLocations",
                      "partialFingerprints",
                      "occurrenceCount", "suppressions", "properties"}),
    "location": (set(), {"id", "physicalLocation", "logicalLocations", "message", "properties"}),
    "place": ({"artifactLocation"}, {"region", "address"}),
    "file": (set(), {"uri", "uriBaseId"}),
    "logical": (set(), {"name", "fullyQualifiedName", "kind"}),
    "invocation": ({"executionSuccessful"}, {"toolExecutionNotifications"}),
    "suppression": ({"kind"}, {"justification"}),
}


class ReportTest(ReportCase):
    # ---- exit statuses ----

    def test_exit_status(self):
        """--error-exitcode is for findings alone."""
        for arguments, status in (((), 99), (("--error-exitcode", "7"), 7),
                                  (("--error-exitcode=0",), 0)):
            self.assertEqual(self.check(*arguments).returncode, status, arguments)
        self.assertEqual(self.check("--error-exitcode=7", program=(GOOD, "3", "5")).returncode, 0)
        failing = ("/bin/sh", "-c", f"{RACING} 3; exit 5")
        self.assertEqual(self.check("--error-exitcode=0", program=failing).returncode, 5)
        for value in ("", "x", "-1", "256", "1x"):
            done = self.check("--error-exitcode=" + value)
            self.assertEqual(done.returncode, 125)
            self.assertIn("0 to 255", done.stderr)
        record = os.path.join(self.folder, "racing.rec")
        self.assertEqual(self.run_tool("record", "-o", record, "--", RACING, "3").returncode, 0)
        for arguments, status in (((), 1), (("--error-exitcode", "7"), 7),
                                  (("--error-exitcode=0",), 0)):
            self.assertEqual(self.run_tool("check", *arguments, record).returncode, status,
                             arguments)

    def test_strict(self):
        """A warning is an error if that is asked for."""
        self.assertEqual(self.check(program=(ORDERED, "missing")).returncode, 0)
        done = self.check("--strict", "--report", "r.xml", "--report=r.json", "--record=r.rec",
                          program=(ORDERED, "missing"))
        self.assertEqual(done.returncode, 99)
        self.assertEqual(xml.etree.ElementTree.fromstring(self.read("r.xml")).get("failures"), "1")
        report = json.loads(self.read("r.json"))
        self.assertEqual((report["clean"], report["processes"][0]["clean"], report["warnings"]),
                         (False, False, 1))
        for strict, status in (([], 0), (["--strict"], 1)):
            done = self.run_tool("check", "--json", *strict, "r.rec")
            self.assertEqual((done.returncode, json.loads(done.stdout)["clean"]),
                             (status, status == 0))

    def test_options_without_check(self):
        for option in ("--report=r.xml", "--verbose", "--suppressions=s", "--error-exitcode=1",
                       "--strict", "--all"):
            done = self.run_tool("run", option, "--", GOOD, "3", "5")
            self.assertEqual(done.returncode, 125, option)
            self.assertIn("--check", done.stderr)

    # ---- text ----

    def test_verbose(self):
        quiet, verbose = self.check(), self.check("--verbose")
        self.assertNotRegex(quiet.stderr, r"(?m)^rule +checked|^not checked")
        self.assertRegex(verbose.stderr, r"(?m)^rule +checked +found")
        self.assertRegex(verbose.stderr, r"(?m)^not checked: the recording lacks\n.*ORD-")
        for each in (quiet, verbose):
            self.assertRegex(each.stderr.splitlines()[-1],
                             r"^twinrt check: .*: \d+ ops, \d+ errors")

    def test_columns(self):
        """Findings stay within the columns of a terminal, and within 100 where there is none. Text to
        copy is one line."""
        def lines(text):
            return [line for line in text.splitlines()[:-1] if not line.startswith("  suppress: ")]
        done = self.check("--verbose")
        self.assertLessEqual(max(map(len, lines(done.stderr))), 100)
        for columns in (80, 100):
            leader, follower = pty.openpty()
            fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
            with open(os.path.join(self.folder, "shown"), "wb") as file, \
                 subprocess.Popen([TWINRT, "run", "--check", "--verbose", "--", RACING, "3"],
                                  stdout=subprocess.DEVNULL,
                                  stderr=follower,
                                  env={**os.environ, "TWINRT_BACKEND": "sim"}) as process:
                os.close(follower)
                while True:
                    try:
                        data = os.read(leader, 65536)
                    except OSError: # the other end is closed
                        break
                    if not data:
                        break
                    file.write(data)
            os.close(leader)
            shown = lines(self.read("shown"))
            self.assertEqual(process.returncode, 99)
            self.assertLessEqual(max(map(len, shown)), columns)
            self.assertGreater(max(map(len, shown)), columns - 15)

    def test_dropped(self):
        """Work that an abort drops is a warning that names the tasks; work that ran before or that
        is waited for is not."""
        for how, call in (("force", "aclrtDestroyStreamForce"), ("abort", "aclrtStreamAbort"),
                          ("device", "aclrtDeviceTaskAbort"), ("reset", None), ("wait", None)):
            done = self.check("--report=r.json", program=(ABORTS, how))
            self.assertEqual(done.returncode, 0, done.stderr)
            findings = json.loads(self.read("r.json"))["processes"][0]["findings"]
            self.assertEqual(
                [(each["rule"], each["level"], each["second"]["call"]) for each in findings],
                [("LIFE-11", "warning", call)] if call else [], how)
            if call:
                self.assertRegex(findings[0]["seen"], r"^3 tasks of stream \d+ did not complete: "
                                                      r"task 2 \(fill\), task 3 \(fill\), task 4 "
                                                      r"\(record\)$")

    # ---- reports ----

    def test_formats(self):
        """The ending of a name selects the format, or --report-format does. Reports have the
        permissions that the umask allows."""
        umask = os.umask(0o022)
        try:
            done = self.check(
                *(f"--report=r.{ending}" for ending in ("txt", "json", "xml", "sarif")))
        finally:
            os.umask(umask)
        self.assertEqual(done.returncode, 99)
        for ending in ("txt", "json", "xml", "sarif"):
            self.assertEqual(os.stat(os.path.join(self.folder, f"r.{ending}")).st_mode & 0o777,
                             0o644, ending)
        self.assertIn("error[RACE-01]: ", self.read("r.txt"))
        self.assertEqual(json.loads(self.read("r.json"))["format"], "twinrt-check-report")
        self.assertEqual(xml.etree.ElementTree.fromstring(self.read("r.xml")).tag, "testsuites")
        self.assertEqual(json.loads(self.read("r.sarif"))["version"], "2.1.0")
        self.assertEqual(self.check("--report-format=sarif", "--report=a.b").returncode, 99)
        self.assertEqual(json.loads(self.read("a.b"))["version"], "2.1.0")
        for arguments, text in ((["--report=a.c"], "the format is missing"),
                                (["--report=.xml"], "the format is missing"),
                                (["--report="], "missing the name"),
                                (["--report=no/such/r.xml"], "no/such/r.xml"),
                                (["--report=r.xml", "--report-format=html"],
                                 "text, json, junit or sarif")):
            done = self.check(*arguments)
            self.assertEqual(done.returncode, 125, arguments)
            self.assertIn(text, done.stderr)

    def test_not_written(self):
        record = os.path.join(self.folder, "good.rec")
        self.run_tool("record", "-o", record, "--", GOOD, "3", "5")
        done = self.run_tool("check", "--report", "/dev/full", "--report-format", "sarif", record)
        self.assertEqual(done.returncode, 2)
        self.assertIn("/dev/full cannot be written: No space left", done.stderr)

    def test_ended_while_judging(self):
        """A signal while the tool prints findings: the recording has its name, and nothing else is
        left."""
        for number in (signal.SIGINT, signal.SIGTERM):
            for options, wanted in ((["--record=kept.rec"], ["kept.rec"]), ([], [])):
                with tempfile.TemporaryDirectory() as folder, \
                        subprocess.Popen(
                            [TWINRT, "run", "--check", "--all", *options, "--", RACING, "3"],
                            cwd=folder, bufsize=0,
                            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                            env={**os.environ, "TWINRT_BACKEND": "sim", "TMPDIR": folder}) as tool:
                    fcntl.fcntl(tool.stderr, fcntl.F_SETPIPE_SZ, 4096)
                    # of "error[RACE-01]"; the pipe has no room for all of them
                    self.assertEqual(tool.stderr.read(1), b"e")
                    tool.send_signal(number)
                    self.assertEqual(tool.wait(timeout=30), -number)
                    end = time.monotonic() + 30
                    while os.listdir(folder) != wanted and time.monotonic() < end:
                        time.sleep(0.01)
                    self.assertEqual(os.listdir(folder), wanted, number)

    def test_no_earlier_report_stays(self):
        """Where no report can be written, that of an earlier run is gone, not taken for one of this
        run."""
        for program, status in ((("/no/such/program",), 127),
                                (("/bin/sh", "-c", "test ! -e r.xml && kill -9 $PPID"),
                                 -signal.SIGKILL)):
            self.write("r.xml", "<testsuites/>")
            self.assertEqual(self.check("--report=r.xml", program=program).returncode, status)
            self.assertEqual(os.listdir(self.folder), [], program)
        # a name for another file stays one
        self.write("real.xml", "<testsuites/>")
        os.symlink("real.xml", os.path.join(self.folder, "r.xml"))
        self.check("--report=r.xml", program=("/no/such/program",))
        self.assertEqual(self.read("real.xml"), "")
        self.check("--report=r.xml")
        self.assertTrue(os.path.islink(os.path.join(self.folder, "r.xml")))
        self.assertEqual(xml.etree.ElementTree.fromstring(self.read("real.xml")).tag, "testsuites")

    def test_a_report_has_its_name_once_it_is_whole(self):
        """A second report goes to a pipe without a reader: by then the first one is complete, and
        no temporary file is left."""
        os.mkfifo(os.path.join(self.folder, "pipe"))
        pipe = os.open(os.path.join(self.folder, "pipe"), os.O_RDONLY | os.O_NONBLOCK)
        self.addCleanup(os.close, pipe)
        fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, 4096)
        with subprocess.Popen(
            [TWINRT, "run", "--check", "--report=r.json", "--report=pipe", "--report-format=json",
             "--", RACING, "3"],
            cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            env={**os.environ, "TWINRT_BACKEND": "sim"}) as tool:
            select.select([pipe], [], [], 30)
            self.assertEqual(sorted(os.listdir(self.folder)), ["pipe", "r.json"])
            self.assertEqual(json.loads(self.read("r.json"))["format"], "twinrt-check-report")
            os.set_blocking(pipe, True)
            with os.fdopen(os.dup(pipe), "rb") as rest:
                self.assertEqual(json.loads(rest.read())["format"], "twinrt-check-report")
            self.assertEqual(tool.wait(timeout=30), 99)

    def test_not_regular_files(self):
        """A pipe, a standard stream or a device takes a report as it is, and also where its folder
        takes no file."""
        for name in ("/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"):
            done = self.check("--report", name, "--report-format=json",
                              program=("/bin/sh", "-c", f"{RACING} 3 >/dev/null; echo ran"))
            self.assertEqual((done.returncode, done.stdout[:4]), (99, "ran\n"), done.stderr)
            self.assertEqual(json.loads(done.stdout[4:])["format"], "twinrt-check-report")
        # a file that takes the program's output too: nothing of that is lost
        with open(os.path.join(self.folder, "out"), "wb") as out:
            subprocess.run(
                [TWINRT, "run", "--check", "--report=/dev/stdout", "--report-format=json", "--",
                 "/bin/sh", "-c",
                 f"{RACING} 3 >/dev/null; echo ran"], stdout=out, stderr=subprocess.DEVNULL,
                timeout=60, check=False,
                cwd=self.folder, env={**os.environ, "TWINRT_BACKEND": "sim"})
        first, _, rest = self.read("out").partition("\n")
        self.assertEqual((first, json.loads(rest)["format"]), ("ran", "twinrt-check-report"))
        done = self.check("--report=/dev/full", "--report-format=json", program=(GOOD, "3", "5"))
        self.assertEqual(done.returncode, 125)
        self.assertIn("/dev/full cannot be written: No space left", done.stderr)
        script = f"{TWINRT} run --check --report-format=json --report >(cat >copy) -- {RACING} 3 >/dev/null 2>&1; echo $?; wait $!"
        done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, timeout=60,
                              check=False, cwd=self.folder,
                              env={**os.environ, "TWINRT_BACKEND": "sim"})
        self.assertEqual(done.stdout, "99\n", done.stderr)
        self.assertEqual(json.loads(self.read("copy"))["format"], "twinrt-check-report")
        script = f"{TWINRT} run --check --report-format=json --report >(true) -- {RACING} 3 >/dev/null"
        done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, timeout=60,
                              check=False, cwd=self.folder,
                              env={**os.environ, "TWINRT_BACKEND": "sim"})
        self.assertEqual(done.returncode, 99, "a finding, also if the report cannot be written")
        self.assertIn("cannot be written: Broken pipe", done.stderr)

    def test_the_folder_of_reports_is_made(self):
        """A folder of reports that was removed since it was set up is there again; one in a folder
        that is missing is not."""
        self.assertEqual(
            self.check("--report=reports/r.xml",
                       f"--report={self.folder}/others//r.json").returncode, 99)
        self.assertEqual(xml.etree.ElementTree.fromstring(self.read("reports/r.xml")).tag,
                         "testsuites")
        self.assertEqual(json.loads(self.read("others/r.json"))["format"], "twinrt-check-report")
        done = self.check("--report=no/such/r.xml")
        self.assertEqual(done.returncode, 125)
        self.assertIn("cannot write the report no/such/r.xml: No such file", done.stderr)
        self.assertFalse(os.path.exists(os.path.join(self.folder, "no")))

    def test_a_name_for_one_file(self):
        """A report does not overwrite the recording, the suppressions, or another output."""
        self.run_tool("record", "-o", "good.rec", "--", GOOD, "3", "5")
        self.write("s", "RACE-*\n")
        self.write("here.json", "{}")
        before = {name: os.stat(os.path.join(self.folder, name)).st_size
                  for name in ("good.rec", "s", "here.json")}
        report = "--report-format=json"
        for arguments, status, what in (
                (["check", report, "--report=./good.rec", "good.rec"], 2, "recording"),
                (["check", report, "--report=s", "--suppressions=s", "good.rec"], 2,
                 "suppressions"),
                (["run", "--check", report, "--report=new.rec", "--record=./new.rec", "--", GOOD,
                  "3", "5"], 125, "record"),
                (["run", "--check", report, "--report=here.json", "--trace=here.json", "--", GOOD,
                  "3", "5"], 125, "timeline"),
                (["run", "--check", report, "--report=a.json", f"--report={self.folder}/a.json",
                  "--", GOOD, "3", "5"], 125, "two reports")):
            done = self.run_tool(*arguments)
            self.assertEqual((done.returncode, done.stdout), (status, ""), arguments)
            self.assertRegex(done.stderr, f"cannot take .*{what}.*: give each a file")
        self.assertEqual(
            {name: os.stat(os.path.join(self.folder, name)).st_size
             for name in os.listdir(self.folder)}, before)
        self.assertEqual(self.check(report, "--report=/dev/null", "--report=/dev/null").returncode,
                         99)

    def test_sarif_of_one_op(self):
        """A finding of one op has neither a first nor a second one, as in text. The folder "/" has
        one "/" in its URI."""
        path = os.path.join(self.folder, "r.sarif")
        done = subprocess.run(
            [TWINRT, "run", "--check", "--stacks", "--report", path, "--", sys.executable, "-c",
             FREED], cwd="/",
            capture_output=True, text=True, timeout=60, check=False,
            env={**os.environ, "TWINRT_BACKEND": "sim"})
        self.assertRegex(done.stderr, r"(?m)^error\[LIFE-04\].*\n  op: ")
        run, = json.loads(self.read(path))["runs"]
        result, = run["results"]
        self.assertRegex(result["locations"][0]["message"]["text"], "^op: ")
        self.assertEqual([stack["message"]["text"][:4] for stack in result["stacks"]], ["op: "])
        self.assertEqual(run["originalUriBaseIds"]["%SRCROOT%"]["uri"], "file:///")
        self.assertNotIn("file:////", self.read(path))

    def test_json(self):
        self.check("--report=r.json", program=("/bin/sh", "-c", f"{GOOD} 3 5; {RACING} 3"))
        report = json.loads(self.read("r.json"))
        self.assertEqual((report["clean"], report["whole"], len(report["processes"])),
                         (False, True, 2))
        self.assertEqual(
            report["errors"], sum(process["errors"] for process in report["processes"]))
        self.assertEqual(sorted(process["clean"] for process in report["processes"]), [False, True])

    def test_junit(self):
        """A suite for each process, a case for each rule that was judged; names are the same in
        each run."""
        program = ("/bin/sh", "-c", f"{GOOD} 3 5; {RACING} 3")
        self.check("--report=r.xml", "--report=r.json", program=program)
        root = xml.etree.ElementTree.fromstring(self.read("r.xml"))
        processes = json.loads(self.read("r.json"))["processes"]
        self.assertEqual(len(root.findall("testsuite")), 2)
        for suite, process in zip(root.findall("testsuite"), processes):
            cases = suite.findall("testcase")
            judged = {rule["rule"] for rule in process["rules"] if rule["judged"]}
            self.assertEqual(
                {case.get("name").split()[0] for case in cases
                 if not case.get("classname").endswith(".recording")},
                judged)
            failed = [case for case in cases if case.find("failure") is not None]
            found = {finding["rule"] for finding in process["findings"]}
            self.assertEqual({case.get("name").split()[0] for case in failed}, found)
            self.assertEqual(
                [suite.get(name) for name in ("tests", "failures", "errors", "skipped")],
                [str(len(cases)), str(len(failed)), "0", "0"])
            for case in failed:
                texts = [finding["seen"] for finding in process["findings"]
                         if case.get("name").startswith(finding["rule"])]
                shown = " ".join(case.find("failure").text.split())
                self.assertTrue(all(text in shown for text in texts),
                                "each finding is in the text of its rule")
        # GitLab keeps one case of each class and name, and shows no suite: both reports of two
        # tests must differ in one of them
        keys = [(case.get("classname"), case.get("name")) for case in root.iter("testcase")]
        self.assertEqual(len(set(keys)), len(keys))
        self.assertEqual({key[0].split(".")[0] for key in keys}, {"r"})
        for name, attribute in (("tests", "tests"), ("failures", "failures")):
            self.assertEqual(int(root.get(attribute)),
                             sum(int(suite.get(name)) for suite in root.findall("testsuite")))

    def test_junit_of_damage(self):
        record = os.path.join(self.folder, "good.rec")
        self.run_tool("record", "-o", record, "--", GOOD, "3", "5")
        with open(record, "rb") as file:
            content = file.read().rstrip(b"\0")
        self.write("cut.rec", content[:HEADER + (len(content) - HEADER) // 2])
        self.assertEqual(
            self.run_tool("check", "--report=r.xml", "--report=r.sarif", "cut.rec").returncode, 3)
        suite, = xml.etree.ElementTree.fromstring(self.read("r.xml"))
        self.assertEqual(suite.get("errors"), "1")
        case, = (case for case in suite if case.find("error") is not None)
        self.assertEqual(case.get("name"), "the recording is whole")
        invocation, = json.loads(self.read("r.sarif"))["runs"][0]["invocations"]
        self.assertFalse(invocation["executionSuccessful"])

    def test_escapes(self):
        """Names of programs are bytes."""
        name = os.path.join(self.folder.encode(), b"a<&\"']]>\x01\xff\xc3\xbc")
        os.symlink(RACING, name)
        done = subprocess.run(
            [TWINRT, "run", "--check", "--report=r.xml", "--report=r.sarif", "--report=r.json",
             "--", name, "3"],
            capture_output=True, timeout=60, check=False, cwd=self.folder,
            env={**os.environ, "TWINRT_BACKEND": "sim"})
        self.assertEqual(done.returncode, 99)
        suite, = xml.etree.ElementTree.fromstring(self.read("r.xml"))
        self.assertTrue(suite.get("name").endswith("a<&\"']]>??\u00fc"), suite.get("name"))
        for report in ("r.sarif", "r.json"):
            json.loads(self.read(report))
        # So are names of modules, which are shown where debug information is missing.
        program = os.path.join(self.folder.encode(), b"p\x01\xff")
        shutil.copy(RACING, program)
        subprocess.run(["strip", "-g", program], check=True)
        done = subprocess.run(
            [TWINRT, "run", "--check", "--report=m.xml", "--report=m.sarif", "--", program, "3"],
            capture_output=True, timeout=60, check=False, cwd=self.folder,
            env={**os.environ, "TWINRT_BACKEND": "sim"})
        self.assertEqual(done.returncode, 99, done.stderr)
        self.assertIn(b"p??+0x", done.stderr)
        xml.etree.ElementTree.fromstring(self.read("m.xml"))
        json.loads(self.read("m.sarif"))

    def test_a_missing_recording_is_not_clean(self):
        """The run used a device, and its work cannot be judged: no report says that all is well."""
        reports = [f"--report=r.{ending}" for ending in ("json", "xml", "sarif")]
        done = self.check(*reports, "--record=gone/r.rec", program=(GOOD, "3", "5"))
        self.assertEqual(done.returncode, 125, done.stderr)
        self.write("bad.rec", "no recording")
        self.looks_incomplete()
        for name in ("r.json", "r.xml", "r.sarif"):
            os.remove(os.path.join(self.folder, name))
        self.assertEqual(self.run_tool("check", *reports, "bad.rec").returncode, 2)
        self.looks_incomplete()

    def looks_incomplete(self):
        report = json.loads(self.read("r.json"))
        self.assertEqual((report["clean"], report["whole"]), (False, False))
        self.assertEqual(xml.etree.ElementTree.fromstring(self.read("r.xml")).get("errors"), "1")
        run, = json.loads(self.read("r.sarif"))["runs"]
        self.assertFalse(run["invocations"][0]["executionSuccessful"])

    def shape(self, what, value):
        required, optional = SARIF[what]
        self.assertLessEqual(required, value.keys(), what)
        self.assertLessEqual(value.keys(), required | optional, what)

    def message(self, value):
        self.assertEqual(value.keys(), {"text"})
        self.assertTrue(value["text"])

    def test_sarif(self):
        self.write("s", "RACE-01\n")
        self.check("--report=r.sarif", "--report=r.json", "--suppressions=s")
        log = json.loads(self.read("r.sarif"))
        findings = json.loads(self.read("r.json"))["processes"][0]["findings"]
        self.shape("log", log)
        self.assertEqual(log["version"], "2.1.0")
        run, = log["runs"]
        self.shape("run", run)
        self.shape("driver", run["tool"]["driver"])
        rules = run["tool"]["driver"]["rules"]
        for rule in rules:
            self.shape("rule", rule)
            self.message(rule["shortDescription"])
            self.assertIn(rule["defaultConfiguration"]["level"], ("warning", "error"))
        for invocation in run["invocations"]:
            self.shape("invocation", invocation)
            self.assertTrue(invocation["executionSuccessful"])
        self.assertEqual(len(run["results"]), len(findings))
        for result, finding in zip(run["results"], findings):
            self.shape("result", result)
            self.message(result["message"])
            self.assertIn(finding["seen"], result["message"]["text"])
            self.assertEqual(rules[result["ruleIndex"]]["id"], result["ruleId"])
            self.assertEqual((result["ruleId"], result["level"]),
                             (finding["rule"], finding["level"]))
            self.assertEqual(result["occurrenceCount"], 1 + finding["repeats"])
            for location in result["locations"] + result["relatedLocations"]:
                self.shape("location", location)
                self.message(location["message"])
                self.shape("place", location["physicalLocation"])
                self.shape("file", location["physicalLocation"]["artifactLocation"])
                for logical in location["logicalLocations"]:
                    self.shape("logical", logical)
            self.assertEqual("suppressions" in result, result["ruleId"] == "RACE-01")
            for suppression in result.get("suppressions", ()):
                self.shape("suppression", suppression)
                self.assertEqual((suppression["kind"], suppression["justification"]),
                                 ("external", "s:1"))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
