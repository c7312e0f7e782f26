#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tools/board_check.py, over the copy of the runtime that stands in for a board's.

usage: board_check_test.py SOURCE BUILD"""

import getpass
import json
import os
import pathlib
import platform
import shutil
import signal
import subprocess
import sys
import tarfile
import tempfile
import time
import unittest

SOURCE, BUILD = pathlib.Path(), pathlib.Path()


def check(folder, *arguments):
    output = pathlib.Path(folder) / "result.tar.gz"
    done = subprocess.run(
        [sys.executable, "-B", SOURCE / "tools/board_check.py", "--build", BUILD, "--output",
         output,
         *arguments], capture_output=True, text=True, timeout=170, check=False)
    files = {}
    if output.exists():
        with tarfile.open(output) as archive:
            for member in archive.getmembers():
                files[member.name] = archive.extractfile(member).read().decode("utf-8")
    return done, files


class BoardCheck(unittest.TestCase):
    def test_loop(self):
        with tempfile.TemporaryDirectory() as folder:
            home = pathlib.Path(folder) / ("long" * 20) # so long that its source is folded
            shutil.copytree(BUILD / "loop", home, symlinks=True)
            done, files = check(folder, "--home", home, "--suite", "event", "--suite", "stream",
                                "--repeats", "1")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual({f"board-check/{name}" for name in (
            "versions.json", "info.txt", "summary.txt", "bench.json", "logs/bench.log",
            "logs/event.log", "logs/stream.log",
            "results/event.tsv", "results/stream.tsv", "npu-smi-before.txt", "npu-smi-after.txt")},
                         set(files))
        about = json.loads(files["board-check/versions.json"])
        self.assertIn("second copy", about["board"])
        self.assertIn("vendor.library", files["board-check/info.txt"])
        rows = [line.split("\t") for line in files["board-check/results/event.tsv"].splitlines()]
        self.assertGreater(len(rows), 40)
        self.assertEqual({row[0] for row in rows} - {"pass", "skip"}, set())
        self.assertIn("0 tests did not pass", files["board-check/summary.txt"])
        self.assertTrue(json.loads(files["board-check/bench.json"]))
        private = [word for word in (str(BUILD), platform.node(), getpass.getuser())
                   if len(word) > 4]
        for name, text in files.items():
            for word in private:
                self.assertNotIn(word, text, name)

    def test_failures(self):
        """Errors of a board are in the result, and a suite that hangs or dies does not stop
        others."""
        os.environ["FAKE_VENDOR_BELOW"] = str(BUILD / "loop/lib64/libacl_rt.so")
        os.environ["FAKE_VENDOR"] = "aclrtResetEvent=507899"
        try:
            with tempfile.TemporaryDirectory() as folder:
                done, files = check(folder, "--home", BUILD / "fake/whole", "--suite", "value",
                                    "--suite", "event", "--repeats", "0")
        finally:
            del os.environ["FAKE_VENDOR"], os.environ["FAKE_VENDOR_BELOW"]
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertIn("\nfail\tEVT-21", files["board-check/results/event.tsv"])
        self.assertRegex(files["board-check/summary.txt"], r"fail +event: EVT-21")
        self.assertIn("pass\tVAL-01", files["board-check/results/value.tsv"])

    def test_private(self):
        """Names of any length are removed where they identify the machine or its user; words
        stay."""
        sys.path.insert(0, str(SOURCE / "tools"))
        import board_check # pylint: disable=import-outside-toplevel,import-error
        packed = board_check.Packed("/data/build", home="/srv/al", node="ox.lab.example", user="al")
        other = "/ho" + "me/bea/Ascend"
        packed.add(
            "a",
            f"/srv/al/x /data/build/y al@ox.lab.example ox user=al /tmp/al/z {other}:/x host=ox\n"
                 "al dente: the ox is slow; /tmp/alone, total=all\n"
                 "uuid 12345678-9abc-8def-8123-456789abcdef mac 00:1a:2b:3c:4d:5e bus "
                 "0000:01:00.0\n")
        text = packed.files["a"]
        self.assertEqual(
            text, "HOME/x BUILD/y USER@HOST ox user=USER /tmp/USER/z /HOME/Ascend:/x host=HOST\n"
                  "al dente: the ox is slow; /tmp/alone, total=all\n"
                  "uuid UUID mac MAC bus 0000:01:00.0\n")
        packed = board_check.Packed("/b", home="/", node="amsterdam", user="root")
        packed.add("b", "root on amsterdam at / and /b/c, rooted\n")
        self.assertEqual(packed.files["b"], "USER on HOST at / and BUILD/c, rooted\n")

    def test_addresses(self):
        """Names and addresses of a machine or its devices in a network, in all their notations."""
        sys.path.insert(0, str(SOURCE / "tools"))
        import board_check # pylint: disable=import-outside-toplevel,import-error
        packed = board_check.Packed("/data/build", home="/srv/alice", node="Rack7.lab.example",
                                    user="alice")
        for private, shown in (("192.168.1.20", "ADDRESS"), ("10.0.0.1:8080", "ADDRESS:8080"),
                               ("[10.1.2.3]", "[ADDRESS]"),
                               ("fe80::21a:2bff:fe3c:4d5e%eth0", "ADDRESS"),
                               ("2001:db8::7:1/64", "ADDRESS/64"),
                               ("[2001:db8:0:1:2:3:4:5]:443", "[ADDRESS]:443"),
                               ("::ffff:10.0.0.9", "ADDRESS"),
                               ("fd00::2:", "ADDRESS:"), ("at ::1.", "at ADDRESS."),
                               ("00-1A-2B-3C-4D-5E", "MAC"), ("00:1a:2b:3c:4d:5e", "MAC"),
                               ("123456789abc8def8123456789abcdef", "UUID"), ("RACK7", "HOST"),
                               ("rack7.LAB.example", "HOST")):
            self.assertEqual(packed.hide(f"x {private} y"), f"x {shown} y")
        for plain in ("0000:c1:00.0", "12:34:56", "12:34:56.789", "std::string", "a :: b",
                      "version: 24.1.0.3", "1.2.3",
                      "300.1.2.3", "5.10.0-60.18.0.50.oe2203", "0x123456789abc8def8123456789abcdef",
                      "d" * 40, "rack70"):
            self.assertEqual(packed.hide(f"x {plain} y"), f"x {plain} y")

    def test_nothing_there(self):
        with tempfile.TemporaryDirectory() as folder:
            done, files = check(folder, "--home", folder)
        self.assertEqual((done.returncode, files), (1, {}))
        self.assertIn("TWINRT_ASCEND_HOME is", done.stdout)


class Build:
    """A folder like that of a build, in which a tool and suites are scripts."""

    def __init__(self, folder):
        self.path = pathlib.Path(folder) / "build"
        self.ran = self.path / "ran"
        self.script(
            "bin/twinrt", f'echo "$1 home=$TWINRT_ASCEND_HOME seed=$TWINRT_SEED" >> {self.ran}\n'
                          'echo "  vendor.library /x/y/lib64/libacl_rt.so"\n'
                          'echo "  vendor.device  model   the library is"\n'
                          'echo "  vendor.home    /x  of the toolkit"')

    def script(self, name, text):
        path = self.path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
        path.chmod(0o755)

    def suite(self, name, text):
        """`text` sees the file for results as $results."""
        take = "results=/dev/null; for word; do case $word in --results=*) results=${word#*=};; esac; done\n"
        self.script(f"tests/bin/{name}_suite", take + text)

    def command(self, *arguments):
        output = self.path.parent / "result.tar.gz"
        return [sys.executable, "-B", SOURCE / "tools/board_check.py", "--build", self.path,
                "--output", output, "--repeats=0",
                *arguments]

    def check(self, *arguments, **environment):
        return subprocess.run(self.command(*arguments), env={**os.environ, **environment},
                              capture_output=True, text=True,
                              timeout=60, check=False)

    def started(self):
        return subprocess.Popen(self.command(), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                text=True)


class Trouble(unittest.TestCase):
    """Whatever keeps suites from running is not a success."""

    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.folder = pathlib.Path(place.name)
        self.build = Build(place.name)

    def packed(self, name):
        with tarfile.open(self.folder / "result.tar.gz") as archive:
            return archive.extractfile(f"board-check/{name}").read().decode()

    def test_what_holds_the_output_open(self):
        """A process that a suite leaves behind does not delay the check."""
        pid = self.folder / "pid"
        self.build.suite(
            "odd",
            f"test $1 = --list && echo ONE && exit\nsetsid sh -c 'echo $$ >> {pid}; exec sleep "
            f"1000' &\n"
                   "sleep 1000")
        try:
            done = self.build.check("--seconds=1")
        finally:
            for left in pid.read_text(encoding="utf-8").split():
                os.kill(int(left), signal.SIGKILL)
        self.assertEqual(done.returncode, 1)
        self.assertIn("hang  odd: ONE", done.stdout)

    def test_a_board_that_is_gone(self):
        """When a suite that has passed fails, no other suite runs, and those left are reported."""
        gone, tried = self.folder / "gone", self.folder / "tried"
        self.build.suite("a", f"test -e {gone} && exit 1\nprintf 'pass\\tFIRST\\t\\n' > $results")
        self.build.suite(
            "b", f"test $1 = --list && printf 'ONE\\nTWO\\n' && exit\ntouch {gone}; sleep 1000")
        self.build.suite("c", f"touch {tried}")
        done = self.build.check("--seconds=1", "--rest=0")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("hang  b: ONE", done.stdout)
        self.assertRegex(
            done.stdout, "left  b: TWO .the board no longer answers: a_suite FIRST passed before")
        self.assertIn("left  c: all", done.stdout)
        self.assertFalse(tried.exists())
        gone.unlink()
        self.build.suite("b", "test $1 = --list && printf 'ONE\\nTWO\\n' && exit\nsleep 1000")
        done = self.build.check("--seconds=1", "--rest=0")
        self.assertIn("hang  b: TWO", done.stdout, "it answers: one goes on")
        self.assertTrue(tried.exists())

    def test_interrupted(self):
        """The results until then are packed, and no suite keeps running."""
        pid = self.folder / "pid"
        self.build.suite("a", "printf 'pass\\tFIRST\\t\\n' > $results")
        self.build.suite("b", f"echo $$ > {pid}.new; mv {pid}.new {pid}; exec sleep 1000")
        for number in (signal.SIGINT, signal.SIGTERM):
            with self.build.started() as process:
                while not pid.exists() and process.poll() is None:
                    time.sleep(0.01)
                process.send_signal(number)
                out, err = process.communicate(timeout=60)
            self.assertEqual(process.returncode, 1, out + err)
            self.assertIn("left  b: all (interrupted)", self.packed("summary.txt"))
            self.assertEqual(self.packed("results/a.tsv"), "pass\tFIRST\t\n")
            with self.assertRaises(ProcessLookupError):
                os.kill(int(pid.read_text(encoding="utf-8")), 0)
            pid.unlink()

    def test_logs_of_the_vendor(self):
        """Those of a suite that did not pass."""
        write = "mkdir -p $ASCEND_PROCESS_LOG_PATH/plog; echo flush $ASCEND_LOG_DEVICE_FLUSH_TIMEOUT > $ASCEND_PROCESS_LOG_PATH/plog/1\n"
        for outcome in ("pass", "fail"):
            self.build.suite(
                "odd", write + f"printf '{outcome}\\tONE\\twhy it is so\\n' > $results")
            done = self.build.check()
            self.assertEqual(done.returncode, outcome == "fail", done.stderr)
        self.assertEqual(self.packed("vendor/odd/plog/1"), "flush 0\n")
        self.assertIn("fail  odd: ONE (why it is so)", done.stdout)

    def test_a_suite_that_tells_of_no_test(self):
        passes = "test $1 != --list && printf 'pass\\tONE\\t\\n' > $results"
        for text, row in (("kill -9 $$", "died  odd: all"), ("exit 127", "died  odd: all"),
                          ("exit 0", "died  odd: all"),
                          ("test $1 = --list && exec sleep 60; kill -9 $$", "hang  odd: all"),
                          (passes + "; exit 3", "died  odd: all"), (passes, None)):
            self.build.suite("odd", text)
            done = self.build.check("--seconds=2")
            self.assertEqual(done.returncode, 1 if row else 0, text + done.stdout + done.stderr)
            self.assertIn(f"{1 if row else 0} tests did not pass", done.stdout)
            if row:
                self.assertIn(row, done.stdout)
        (self.build.path / "tests/bin/odd_suite").write_bytes(b"\x7fELF of another machine")
        done = self.build.check()
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("died  odd: all", done.stdout)

    def test_suites_that_are_not_there(self):
        done = self.build.check()
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertIn("has no suites", done.stderr)
        self.build.suite("event", "exit 0")
        done = self.build.check("--suite", "event", "--suite", "nosuch")
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertIn("no suite is called nosuch; there are: event", done.stderr)
        self.assertFalse(self.build.ran.exists())
        self.assertEqual(os.listdir(self.folder), ["build"])

    def test_the_toolkit_of_the_environment(self):
        self.build.suite(
            "event", "printf 'pass\\tONE\\t\\n' > $results; echo home=$TWINRT_ASCEND_HOME")
        for arguments, theirs, home in (((), "/opt/theirs", "/opt/theirs"),
                                        (("--home", "/opt/mine"), "/opt/theirs", "/opt/mine"),
                                        ((), "", "/x")):
            done = self.build.check(*arguments, TWINRT_ASCEND_HOME=theirs, TWINRT_SEED="7")
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            given = home if theirs else ""
            self.assertIn(f"info home={given} seed=\n", self.build.ran.read_text(encoding="utf-8"))
            self.assertEqual(self.packed("logs/event.log"), f"home={home}\n")

    def test_a_place_that_cannot_be_written(self):
        self.build.suite("event", "exit 0")
        for place in (self.folder / "none/x.tar.gz", self.folder, "/dev/null"):
            done = self.build.check("--output", place)
            self.assertEqual(done.returncode, 1, done.stdout)
            self.assertIn(f"{place} cannot be written", done.stderr)
            self.assertNotIn("Traceback", done.stderr)
        self.assertFalse(self.build.ran.exists(), "found out before anything ran")


if __name__ == "__main__":
    SOURCE, BUILD = (pathlib.Path(name).resolve() for name in sys.argv[1:])
    unittest.main(argv=sys.argv[:1])
