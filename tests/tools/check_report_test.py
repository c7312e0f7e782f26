#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What `twinrt check` and `twinrt run --check` write for CI: reports, suppressions, exit statuses, text in columns.

  check_report_test.py TWINRT CHECK_PROGRAM RANDOM_PROGRAM
"""
import fcntl
import json
import os
import pty
import re
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

HERE = os.path.dirname(os.path.abspath(__file__))
TWINRT, GOOD, RACING = (os.path.abspath(path) for path in sys.argv[1:4])
ORDERED, ABORTS = (os.path.join(os.path.dirname(GOOD), name) for name in ("order_program", "abort_program"))

# Frees what was never allocated.
FREED = ("import ctypes; acl = ctypes.CDLL('libascendcl.so'); acl.aclInit(None); acl.aclrtSetDevice(0); "
         "acl.aclrtFree(ctypes.c_void_p(4096)); acl.aclrtResetDevice(0); acl.aclFinalize()")

# SARIF 2.1.0 (OASIS), sarif-schema-2.1.0.json: of each object that we write, its required properties and all that it may have.
SARIF = {
    "log": ({"version", "runs"}, {"$schema"}),
    "run": ({"tool"}, {"invocations", "columnKind", "originalUriBaseIds", "results"}),
    "driver": ({"name"}, {"version", "rules"}),
    "rule": ({"id"}, {"shortDescription", "fullDescription", "help", "defaultConfiguration", "properties"}),
    "result": ({"message"}, {"ruleId", "ruleIndex", "level", "locations", "relatedLocations", "partialFingerprints",
                             "occurrenceCount", "suppressions", "properties"}),
    "location": (set(), {"id", "physicalLocation", "logicalLocations", "message", "properties"}),
    "place": ({"artifactLocation"}, {"region", "address"}),
    "file": (set(), {"uri", "uriBaseId"}),
    "logical": (set(), {"name", "fullyQualifiedName", "kind"}),
    "invocation": ({"executionSuccessful"}, {"toolExecutionNotifications"}),
    "suppression": ({"kind"}, {"justification"}),
}


class ReportTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def run_tool(self, *arguments, **environment):
        return subprocess.run([TWINRT, *arguments], capture_output=True, text=True, timeout=60, check=False, cwd=self.folder,
                              env={**os.environ, "TWINRT_BACKEND": "sim", **environment})

    def check(self, *arguments, program=(RACING, "3"), **environment):
        return self.run_tool("run", "--check", *arguments, "--", *program, **environment)

    def write(self, name, text):
        with open(os.path.join(self.folder, name), "wb") as file:
            file.write(text if isinstance(text, bytes) else text.encode())
        return name

    def read(self, name):
        with open(os.path.join(self.folder, name), encoding="utf-8") as file:
            return file.read()

    # ---- exit statuses ----

    def test_exit_status(self):
        """--error-exitcode is for findings alone."""
        for arguments, status in (((), 99), (("--error-exitcode", "7"), 7), (("--error-exitcode=0",), 0)):
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
        for arguments, status in (((), 1), (("--error-exitcode", "7"), 7), (("--error-exitcode=0",), 0)):
            self.assertEqual(self.run_tool("check", *arguments, record).returncode, status, arguments)

    def test_strict(self):
        """A warning is an error if that is asked for."""
        self.assertEqual(self.check(program=(ORDERED, "missing")).returncode, 0)
        done = self.check("--strict", "--report", "r.xml", "--report=r.json", "--record=r.rec", program=(ORDERED, "missing"))
        self.assertEqual(done.returncode, 99)
        self.assertEqual(xml.etree.ElementTree.fromstring(self.read("r.xml")).get("failures"), "1")
        report = json.loads(self.read("r.json"))
        self.assertEqual((report["clean"], report["processes"][0]["clean"], report["warnings"]), (False, False, 1))
        for strict, status in (([], 0), (["--strict"], 1)):
            done = self.run_tool("check", "--json", *strict, "r.rec")
            self.assertEqual((done.returncode, json.loads(done.stdout)["clean"]), (status, status == 0))

    def test_options_without_check(self):
        for option in ("--report=r.xml", "--verbose", "--suppressions=s", "--error-exitcode=1", "--strict", "--all"):
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
            self.assertRegex(each.stderr.splitlines()[-1], r"^twinrt check: .*: \d+ ops, \d+ errors")

    def test_columns(self):
        """Findings stay within the columns of a terminal, and within 100 where there is none. What is to be copied is one line."""
        def lines(text):
            return [line for line in text.splitlines()[:-1] if not line.startswith("  suppress: ")]
        done = self.check("--verbose")
        self.assertLessEqual(max(map(len, lines(done.stderr))), 100)
        for columns in (80, 100):
            leader, follower = pty.openpty()
            fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
            with open(os.path.join(self.folder, "shown"), "wb") as file, \
                 subprocess.Popen([TWINRT, "run", "--check", "--verbose", "--", RACING, "3"], stdout=subprocess.DEVNULL,
                                  stderr=follower, env={**os.environ, "TWINRT_BACKEND": "sim"}) as process:
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
        """Work that an abort drops is a warning that names the tasks; what ran before and what is waited for is not."""
        for how, call in (("force", "aclrtDestroyStreamForce"), ("abort", "aclrtStreamAbort"),
                          ("device", "aclrtDeviceTaskAbort"), ("reset", None), ("wait", None)):
            done = self.check("--report=r.json", program=(ABORTS, how))
            self.assertEqual(done.returncode, 0, done.stderr)
            findings = json.loads(self.read("r.json"))["processes"][0]["findings"]
            self.assertEqual([(each["rule"], each["level"], each["second"]["call"]) for each in findings],
                             [("LIFE-11", "warning", call)] if call else [], how)
            if call:
                self.assertRegex(findings[0]["seen"], r"^3 tasks of stream \d+ did not complete: "
                                                      r"task 2 \(fill\), task 3 \(fill\), task 4 \(record\)$")

    # ---- reports ----

    def test_formats(self):
        """The ending of a name tells the format, or --report-format does. Whom the umask lets read reports may read them."""
        umask = os.umask(0o022)
        try:
            done = self.check(*(f"--report=r.{ending}" for ending in ("txt", "json", "xml", "sarif")))
        finally:
            os.umask(umask)
        self.assertEqual(done.returncode, 99)
        for ending in ("txt", "json", "xml", "sarif"):
            self.assertEqual(os.stat(os.path.join(self.folder, f"r.{ending}")).st_mode & 0o777, 0o644, ending)
        self.assertIn("error[RACE-01]: ", self.read("r.txt"))
        self.assertEqual(json.loads(self.read("r.json"))["format"], "twinrt-check-report")
        self.assertEqual(xml.etree.ElementTree.fromstring(self.read("r.xml")).tag, "testsuites")
        self.assertEqual(json.loads(self.read("r.sarif"))["version"], "2.1.0")
        self.assertEqual(self.check("--report-format=sarif", "--report=a.b").returncode, 99)
        self.assertEqual(json.loads(self.read("a.b"))["version"], "2.1.0")
        for arguments, text in ((["--report=a.c"], "the format is missing"), (["--report=.xml"], "the format is missing"),
                                (["--report="], "missing the name"), (["--report=no/such/r.xml"], "no/such/r.xml"),
                                (["--report=r.xml", "--report-format=html"], "text, json, junit or sarif")):
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
        """A signal while the tool prints findings: the recording has its name, and nothing else is left."""
        for number in (signal.SIGINT, signal.SIGTERM):
            for options, wanted in ((["--record=kept.rec"], ["kept.rec"]), ([], [])):
                with tempfile.TemporaryDirectory() as folder, \
                        subprocess.Popen([TWINRT, "run", "--check", "--all", *options, "--", RACING, "3"], cwd=folder, bufsize=0,
                                         stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                         env={**os.environ, "TWINRT_BACKEND": "sim", "TMPDIR": folder}) as tool:
                    fcntl.fcntl(tool.stderr, fcntl.F_SETPIPE_SZ, 4096)
                    self.assertEqual(tool.stderr.read(1), b"e")  # of "error[RACE-01]"; the pipe has no room for all of them
                    tool.send_signal(number)
                    self.assertEqual(tool.wait(timeout=30), -number)
                    end = time.monotonic() + 30
                    while os.listdir(folder) != wanted and time.monotonic() < end:
                        time.sleep(0.01)
                    self.assertEqual(os.listdir(folder), wanted, number)

    def test_no_earlier_report_stays(self):
        """Where no report can be written, that of an earlier run is gone, not taken for one of this run."""
        for program, status in ((("/no/such/program",), 127), (("/bin/sh", "-c", "test ! -e r.xml && kill -9 $PPID"), -signal.SIGKILL)):
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
        """A second report goes to a pipe that nobody empties: the first one is there by then, in full, and no other file."""
        os.mkfifo(os.path.join(self.folder, "pipe"))
        pipe = os.open(os.path.join(self.folder, "pipe"), os.O_RDONLY | os.O_NONBLOCK)
        self.addCleanup(os.close, pipe)
        fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, 4096)
        with subprocess.Popen([TWINRT, "run", "--check", "--report=r.json", "--report=pipe", "--report-format=json", "--", RACING, "3"],
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
        """A pipe, a standard stream or a device takes a report as it is, and also where its folder takes no file."""
        for name in ("/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"):
            done = self.check("--report", name, "--report-format=json", program=("/bin/sh", "-c", f"{RACING} 3 >/dev/null; echo ran"))
            self.assertEqual((done.returncode, done.stdout[:4]), (99, "ran\n"), done.stderr)
            self.assertEqual(json.loads(done.stdout[4:])["format"], "twinrt-check-report")
        # a file that takes what the program prints, too: nothing of that is lost
        with open(os.path.join(self.folder, "out"), "wb") as out:
            subprocess.run([TWINRT, "run", "--check", "--report=/dev/stdout", "--report-format=json", "--", "/bin/sh", "-c",
                            f"{RACING} 3 >/dev/null; echo ran"], stdout=out, stderr=subprocess.DEVNULL, timeout=60, check=False,
                           cwd=self.folder, env={**os.environ, "TWINRT_BACKEND": "sim"})
        first, _, rest = self.read("out").partition("\n")
        self.assertEqual((first, json.loads(rest)["format"]), ("ran", "twinrt-check-report"))
        done = self.check("--report=/dev/full", "--report-format=json", program=(GOOD, "3", "5"))
        self.assertEqual(done.returncode, 125)
        self.assertIn("/dev/full cannot be written: No space left", done.stderr)
        script = f"{TWINRT} run --check --report-format=json --report >(cat >copy) -- {RACING} 3 >/dev/null 2>&1; echo $?; wait $!"
        done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, timeout=60, check=False, cwd=self.folder,
                              env={**os.environ, "TWINRT_BACKEND": "sim"})
        self.assertEqual(done.stdout, "99\n", done.stderr)
        self.assertEqual(json.loads(self.read("copy"))["format"], "twinrt-check-report")
        script = f"{TWINRT} run --check --report-format=json --report >(true) -- {RACING} 3 >/dev/null"
        done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, timeout=60, check=False, cwd=self.folder,
                              env={**os.environ, "TWINRT_BACKEND": "sim"})
        self.assertEqual(done.returncode, 99, "a finding, also if nobody reads the report")
        self.assertIn("cannot be written: Broken pipe", done.stderr)

    def test_the_folder_of_reports_is_made(self):
        """A folder of reports that was removed since it was set up is there again; one in a folder that is missing is not."""
        self.assertEqual(self.check("--report=reports/r.xml", f"--report={self.folder}/others//r.json").returncode, 99)
        self.assertEqual(xml.etree.ElementTree.fromstring(self.read("reports/r.xml")).tag, "testsuites")
        self.assertEqual(json.loads(self.read("others/r.json"))["format"], "twinrt-check-report")
        done = self.check("--report=no/such/r.xml")
        self.assertEqual(done.returncode, 125)
        self.assertIn("cannot write the report no/such/r.xml: No such file", done.stderr)
        self.assertFalse(os.path.exists(os.path.join(self.folder, "no")))

    def test_a_name_for_one_file(self):
        """A report does not take the place of what is judged, of suppressions, or of another output."""
        self.run_tool("record", "-o", "good.rec", "--", GOOD, "3", "5")
        self.write("s", "RACE-*\n")
        self.write("here.json", "{}")
        before = {name: os.stat(os.path.join(self.folder, name)).st_size for name in ("good.rec", "s", "here.json")}
        report = "--report-format=json"
        for arguments, status, what in (
                (["check", report, "--report=./good.rec", "good.rec"], 2, "recording"),
                (["check", report, "--report=s", "--suppressions=s", "good.rec"], 2, "suppressions"),
                (["run", "--check", report, "--report=new.rec", "--record=./new.rec", "--", GOOD, "3", "5"], 125, "record"),
                (["run", "--check", report, "--report=here.json", "--trace=here.json", "--", GOOD, "3", "5"], 125, "timeline"),
                (["run", "--check", report, "--report=a.json", f"--report={self.folder}/a.json", "--", GOOD, "3", "5"], 125, "two reports")):
            done = self.run_tool(*arguments)
            self.assertEqual((done.returncode, done.stdout), (status, ""), arguments)
            self.assertRegex(done.stderr, f"cannot take .*{what}.*: give each a file")
        self.assertEqual({name: os.stat(os.path.join(self.folder, name)).st_size for name in os.listdir(self.folder)}, before)
        self.assertEqual(self.check(report, "--report=/dev/null", "--report=/dev/null").returncode, 99)

    def test_sarif_of_one_op(self):
        """A finding of one op has neither a first nor a second one, as in text. The folder "/" has one "/" in its URI."""
        path = os.path.join(self.folder, "r.sarif")
        done = subprocess.run([TWINRT, "run", "--check", "--stacks", "--report", path, "--", sys.executable, "-c", FREED], cwd="/",
                              capture_output=True, text=True, timeout=60, check=False, env={**os.environ, "TWINRT_BACKEND": "sim"})
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
        self.assertEqual((report["clean"], report["whole"], len(report["processes"])), (False, True, 2))
        self.assertEqual(report["errors"], sum(process["errors"] for process in report["processes"]))
        self.assertEqual(sorted(process["clean"] for process in report["processes"]), [False, True])

    def test_junit(self):
        """A suite for each process, a case for each rule that was judged; names are the same in each run."""
        program = ("/bin/sh", "-c", f"{GOOD} 3 5; {RACING} 3")
        self.check("--report=r.xml", "--report=r.json", program=program)
        root = xml.etree.ElementTree.fromstring(self.read("r.xml"))
        processes = json.loads(self.read("r.json"))["processes"]
        self.assertEqual(len(root.findall("testsuite")), 2)
        for suite, process in zip(root.findall("testsuite"), processes):
            cases = suite.findall("testcase")
            judged = {rule["rule"] for rule in process["rules"] if rule["judged"]}
            self.assertEqual({case.get("name").split()[0] for case in cases if not case.get("classname").endswith(".recording")},
                             judged)
            failed = [case for case in cases if case.find("failure") is not None]
            found = {finding["rule"] for finding in process["findings"]}
            self.assertEqual({case.get("name").split()[0] for case in failed}, found)
            self.assertEqual([suite.get(name) for name in ("tests", "failures", "errors", "skipped")],
                             [str(len(cases)), str(len(failed)), "0", "0"])
            for case in failed:
                texts = [finding["seen"] for finding in process["findings"] if case.get("name").startswith(finding["rule"])]
                shown = " ".join(case.find("failure").text.split())
                self.assertTrue(all(text in shown for text in texts), "each finding is in the text of its rule")
        # GitLab keeps one case of each class and name, and shows no suite: both reports of two tests have to be told apart
        keys = [(case.get("classname"), case.get("name")) for case in root.iter("testcase")]
        self.assertEqual(len(set(keys)), len(keys))
        self.assertEqual({key[0].split(".")[0] for key in keys}, {"r"})
        for name, attribute in (("tests", "tests"), ("failures", "failures")):
            self.assertEqual(int(root.get(attribute)), sum(int(suite.get(name)) for suite in root.findall("testsuite")))

    def test_junit_of_damage(self):
        record = os.path.join(self.folder, "good.rec")
        self.run_tool("record", "-o", record, "--", GOOD, "3", "5")
        with open(record, "rb") as file:
            content = file.read().rstrip(b"\0")
        self.write("cut.rec", content[:HEADER + (len(content) - HEADER) // 2])
        self.assertEqual(self.run_tool("check", "--report=r.xml", "--report=r.sarif", "cut.rec").returncode, 3)
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
        done = subprocess.run([TWINRT, "run", "--check", "--report=r.xml", "--report=r.sarif", "--report=r.json", "--", name, "3"],
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
        done = subprocess.run([TWINRT, "run", "--check", "--report=m.xml", "--report=m.sarif", "--", program, "3"],
                              capture_output=True, timeout=60, check=False, cwd=self.folder,
                              env={**os.environ, "TWINRT_BACKEND": "sim"})
        self.assertEqual(done.returncode, 99, done.stderr)
        self.assertIn(b"p??+0x", done.stderr)
        xml.etree.ElementTree.fromstring(self.read("m.xml"))
        json.loads(self.read("m.sarif"))

    def test_a_missing_recording_is_not_clean(self):
        """The run used a device, and what it did cannot be judged: no report says that all is well."""
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
            self.assertEqual((result["ruleId"], result["level"]), (finding["rule"], finding["level"]))
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
                self.assertEqual((suppression["kind"], suppression["justification"]), ("external", "s:1"))

    # ---- where calls are made ----

    def sites(self, how=None):
        """The folder of a copy of the racing program and its library, treated by `how`, and the two ends of the one finding."""
        folder = os.path.join(self.folder, "sites")
        os.mkdir(folder)
        for name in ("site_program", "libsite_library.so"):
            shutil.copy(os.path.join(os.path.dirname(GOOD), name), folder)
            if how:
                subprocess.run([*how, os.path.join(folder, name)], check=True)
        done = self.check("--report=r.json", "--report=r.sarif", program=[os.path.join(folder, "site_program")],
                          LD_LIBRARY_PATH=folder)
        self.assertEqual(done.returncode, 99, done.stderr)
        finding, = json.loads(self.read("r.json"))["processes"][0]["findings"]
        self.assertEqual(finding["rule"], "RACE-02")
        return folder, done.stderr, finding["first"]["site"], finding["second"]["site"]

    def test_debug_information(self):
        """Function, file and line, of a library and of a function that is inlined."""
        _, text, first, second = self.sites()
        for site, file, function in ((first, "site_library.cpp", "upload"), (second, "site_program.cpp", "collect")):
            source = os.path.join(HERE, file)
            with open(source, encoding="utf-8") as lines:
                line = next(number + 1 for number, line in enumerate(lines, 1) if f"SITE: {function}" in line)
            self.assertEqual((site["function"], site["line"], site["wrapper"]), (function, line, False))
            # a compiler cache may have the object from another clone
            self.assertTrue(site["file"].endswith(f"/tests/tools/{file}"), site["file"])
            self.assertEqual(site["file"], os.path.normpath(site["file"]))
            self.assertRegex(" ".join(text.split()), rf" at {function} \(\S*{file}:{line}\)")
        result, = json.loads(self.read("r.sarif"))["runs"][0]["results"]
        for location, site in ((result["locations"][0], second), (result["relatedLocations"][0], first)):
            place = location["physicalLocation"]
            self.assertTrue(place["artifactLocation"]["uri"].endswith("/" + os.path.basename(site["file"])))
            self.assertEqual(place["region"], {"startLine": site["line"]})
            self.assertEqual(location["logicalLocations"][0]["name"], site["function"])

    def test_symbols_alone(self):
        """Without debug information the function of the table of symbols, as it is written in C++, and the offset."""
        _, text, first, second = self.sites(("strip", "-g"))
        self.assertTrue(first["function"].startswith("staging::upload("), first)
        self.assertEqual((second["function"], second["file"], second["line"]), ("main", "", 0))
        self.assertIn("at main (site_program+0x", " ".join(text.split()))

    def test_nothing_but_the_offset(self):
        """Of a stripped program, module and offset: what debug information kept elsewhere is looked up with."""
        folder, text, _, second = self.sites(("strip",))
        self.assertEqual((second["function"], second["file"], second["line"]), ("", "", 0))
        self.assertEqual(second["module"], os.path.join(os.path.realpath(folder), "site_program"))
        self.assertIn(f"at site_program+{second['offset']}\n", text)
        place = subprocess.run(["addr2line", "-e", os.path.join(os.path.dirname(GOOD), "site_program"), second["offset"]],
                               capture_output=True, text=True, check=True).stdout
        self.assertIn("site_program.cpp:", place)
        place = json.loads(self.read("r.sarif"))["runs"][0]["results"][0]["locations"][0]["physicalLocation"]
        self.assertEqual(place["address"]["relativeAddress"], int(second["offset"], 16))
        self.assertTrue(place["artifactLocation"]["uri"].endswith("/site_program"))

    def test_another_build(self):
        """A file that is not the one that ran is not used: it would name wrong lines."""
        folder = os.path.join(self.folder, "sites")
        record = os.path.join(self.folder, "sites.rec")
        os.mkdir(folder)
        for name in ("site_program", "libsite_library.so"):
            shutil.copy(os.path.join(os.path.dirname(GOOD), name), folder)
        program = os.path.join(folder, "site_program")
        self.assertEqual(self.run_tool("record", "-o", record, "--", program, LD_LIBRARY_PATH=folder).returncode, 0)
        shutil.copy(GOOD, program)
        self.assertRegex(self.run_tool("check", record).stdout, r"at site_program\+0x")

    def reloaded(self, *files, options=()):
        """The lines of the first and second op of each finding, sorted; 0: not known."""
        build = os.path.dirname(GOOD)
        for name in ("first", "second"):
            shutil.copy(os.path.join(build, f"reload_{name}.so"), os.path.join(self.folder, f"{name}.so"))
        done = self.check("--all", "--report=r.json", *options, program=[os.path.join(build, "reload_program"), *files])
        self.assertEqual(done.returncode, 99, done.stderr)
        findings = json.loads(self.read("r.json"))["processes"][0]["findings"]
        return sorted((one["first"]["site"]["line"], one["second"]["site"]["line"]) for one in findings)

    def test_plug_in_in_the_place_of_another(self):
        """Each call has the line of the plug-in that made it, also when one returns to its place."""
        with open(os.path.join(HERE, "reload_library.cpp"), encoding="utf-8") as lines:
            first = next(number for number, line in enumerate(lines, 1) if "// SITE" in line)
        second = first + 1000
        for options in ((), ("--stacks",)):
            self.assertEqual(self.reloaded("./first.so", "./second.so", options=options), [(first, second)])
            self.assertEqual(self.reloaded("./first.so", "./second.so", "./first.so", options=options),
                             [(first, second), (second, first)])

    def test_plug_in_that_was_built_again(self):
        """The file has the second build's lines; those of the first are lost with its file, but not its caller's."""
        (first, second), = self.reloaded("./first.so", "+./second.so")
        self.assertEqual(first, 0)
        self.assertGreater(second, 1000)
        (first, second), = self.reloaded("./first.so", "+./second.so", options=["--stacks"])
        with open(os.path.join(HERE, "reload_program.cpp"), encoding="utf-8") as lines:
            self.assertEqual(first, next(number for number, line in enumerate(lines, 1) if "if (upload(" in line))
        self.assertGreater(second, 1000)

    def test_python(self):
        """Calls of a Python program are the module's: the report says that this is no place of the program."""
        module = os.path.join(os.path.dirname(os.path.dirname(TWINRT)), "python", "site-packages")
        if not os.path.exists(os.path.join(module, "acl", "_acl.abi3.so")):
            self.skipTest("the Python module is not built")
        self.write("race.py", "import acl\nacl.init()\nacl.rt.set_device(0)\n"
                              "a, b = acl.rt.create_stream()[0], acl.rt.create_stream()[0]\n"
                              "memory = acl.rt.malloc(4096, 0)[0]\n"
                              "for stream in (a, b):\n    assert acl.rt.memset_async(memory, 4096, 1, 4096, stream) == 0\n"
                              "acl.rt.synchronize_device()\nacl.rt.free(memory)\nacl.finalize()\n")
        done = self.check("--report=r.json", program=(sys.executable, "race.py"), PYTHONPATH=module)
        self.assertEqual(done.returncode, 99, done.stderr)
        self.assertIn("the Python module: its caller is not known", " ".join(done.stderr.split()))
        finding, = json.loads(self.read("r.json"))["processes"][0]["findings"]
        self.assertTrue(finding["first"]["site"]["wrapper"])

    # ---- suppressions ----

    def test_sites_suppressed(self):
        self.sites()
        program = [os.path.join(self.folder, "sites", "site_program")]
        for condition, status in (("function=upload", 0), ("function=up*  function=collect", 0), ("function=down", 99),
                                  ("file=site_library.cpp", 0), ("file=*/tools/site_*.cpp", 0), ("file=site_library.c", 99),
                                  ("module=libsite_library.so", 0), ("module=*/sites/*", 0), ("module=site_library", 99)):
            self.write("s", f"RACE-02 {condition}\n")
            done = self.check("--suppressions=s", program=program, LD_LIBRARY_PATH=os.path.dirname(program[0]))
            self.assertEqual(done.returncode, status, condition)

    def test_suppressions(self):
        rules = {match for match in re.findall(r"error\[(.*?)\]", self.check("--all").stderr)}
        self.assertGreater(len(rules), 1)
        self.write("all", "# known\n\n  RACE-*   # every race\n")
        done = self.check("--suppressions=all")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stderr, r"^twinrt check: .*: \d+ ops, 0 errors, \d+ suppressed")
        self.assertEqual(len(done.stderr.splitlines()), 1)
        self.write("some", "RACE-04 call=aclrtMemcpy\n")
        done = self.check("--all", "--suppressions=some")
        self.assertEqual(done.returncode, 99)
        self.assertEqual({match for match in re.findall(r"error\[(.*?)\]", done.stderr)}, rules - {"RACE-04"})

    def test_conditions(self):
        """All conditions must hold, each for one of the two ops."""
        self.check("--report=r.json")
        findings = json.loads(self.read("r.json"))["processes"][0]["findings"]
        finding = next(finding for finding in findings if finding["rule"] == "RACE-02")
        first, second = finding["first"], finding["second"]

        def suppressed(conditions):
            self.write("s", f"RACE-02 {conditions}\n")
            self.check("--suppressions=s", "--report=r.json")
            return sum("suppressed_by_line" in each for each in json.loads(self.read("r.json"))["processes"][0]["findings"])

        exact = f"stream={first['stream']} stream={second['stream']} call={first['call']}"
        expected = sum(each["rule"] == "RACE-02" and
                       {first["stream"], second["stream"]} <= {each["first"].get("stream"), each["second"].get("stream")} and
                       first["call"] in (each["first"]["call"], each["second"]["call"]) for each in findings)
        self.assertEqual(suppressed(exact), expected)
        self.assertEqual(suppressed(exact + " call=aclrtReduceAsync"), 0)
        self.assertEqual(suppressed("call=aclrt*Async"), sum(
            each["rule"] == "RACE-02" and "Async" in each["first"]["call"] + each["second"]["call"] for each in findings))

    def test_offered_suppressions(self):
        """--verbose prints the line that leaves a finding out."""
        for how in (None, ("strip", "-g"), ("strip",)):
            with self.subTest(how=how):
                folder, *_ = self.sites(how)
                program = [os.path.join(folder, "site_program")]
                done = self.check("--verbose", program=program, LD_LIBRARY_PATH=folder)
                line, = re.findall(r"(?m)^  suppress: (.*)$", done.stderr)
                self.write("s", line + "\n")
                done = self.check("--suppressions=s", program=program, LD_LIBRARY_PATH=folder)
                self.assertEqual(done.returncode, 0, line)
                shutil.rmtree(folder)

    def test_unused_suppressions(self):
        self.write("s", "RACE-*\nLIFE-01 call=aclrtFree # none\n")
        self.assertNotIn("unused", self.check("--suppressions=s").stderr)
        done = self.check("--suppressions=s", "--verbose", "--report=r.json")
        self.assertIn("unused suppression: s:2: LIFE-01 call=aclrtFree # none\n", done.stderr)
        self.assertEqual(done.stderr.count("unused suppression"), 1)
        used = [item["used"] > 0 for item in json.loads(self.read("r.json"))["suppressions"]]
        self.assertEqual(used, [True, False])

    def test_wrong_suppressions(self):
        """A mistake is found before the program runs."""
        for text, line, message in (("RACE-01\nRACE-99\n", 2, "RACE-99"), ("RACE-01 call\n", 1, "KEY=PATTERN"),
                                    ("RACE-01 call=\n", 1, "KEY=PATTERN"), ("\n#\nRACE-01 colour=red", 3, "KEY=PATTERN")):
            self.write("s", text)
            done = self.check("--suppressions=s", program=("/bin/echo", "ran"))
            self.assertEqual((done.returncode, done.stdout), (125, ""), text)
            self.assertIn(f"s:{line}: ", done.stderr)
            self.assertIn(message, done.stderr)
        done = self.check("--suppressions=none", program=("/bin/echo", "ran"))
        self.assertEqual((done.returncode, done.stdout), (125, ""))
        self.assertIn("none: No such file", done.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
