#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Stacks of calls in findings (`twinrt run --stacks`): C, C++, Python, a wrapper library; damaged
and killed recordings.

  check_stacks_test.py TWINRT STACK_PROGRAM
"""
import json
import os
import random
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

from recordings import entries, fields

HERE = os.path.dirname(os.path.abspath(__file__))
TWINRT, PROGRAM = (os.path.abspath(path) for path in sys.argv[1:3])
BIN = os.path.dirname(PROGRAM)
MODULE = os.path.join(os.path.dirname(os.path.dirname(TWINRT)), "python", "site-packages")
STACK, SCRIPT_STACK, CALL_STACK = 18, 19, 20  # kinds of entries (seam/record_kinds.h)
RACE = """import acl
def fill(memory, stream):
    assert acl.rt.memset_async(memory, 4096, 1, 4096, stream) == 0
def again(memory, stream):
    fill(memory, stream)
acl.init()
acl.rt.set_device(0)
a, b = acl.rt.create_stream()[0], acl.rt.create_stream()[0]
memory = acl.rt.malloc(4096, 0)[0]
again(memory, a)
SECOND
acl.rt.synchronize_device()
acl.rt.free(memory)
acl.finalize()
"""


def line_of(file, site):
    with open(os.path.join(HERE, file), encoding="utf-8") as lines:
        return next(number for number, line in enumerate(lines, 1) if f"SITE: {site} " in line
                    or line.endswith(f"SITE: {site}\n"))


class StacksTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def run_tool(self, *arguments, **environment):
        return subprocess.run([TWINRT, *arguments], capture_output=True, text=True, timeout=60,
                              check=False, cwd=self.folder,
                              env={**os.environ, "TWINRT_BACKEND": "sim", **environment})

    def read(self, name):
        with open(os.path.join(self.folder, name), encoding="utf-8") as file:
            return file.read()

    def check(self, *program, options=("--stacks",), **environment):
        """The text and the one finding of a run."""
        done = self.run_tool("run", "--check", *options, "--report=r.json", "--report=r.sarif",
                             "--report=r.xml", "--", *program,
                             **environment)
        self.assertEqual(done.returncode, 99, done.stderr)
        finding, = json.loads(self.read("r.json"))["processes"][0]["findings"]
        return done.stderr, finding

    def expect(self, stack, *frames):
        """The innermost frames are these: function, and the line that is marked with a name, or
        None."""
        self.assertGreaterEqual(len(stack), len(frames), stack)
        for frame, (file, function, site) in zip(stack, frames):
            self.assertEqual((frame["function"], os.path.basename(frame["file"])), (function, file))
            if site:
                # a call may take two lines
                self.assertIn(frame["line"] - line_of(file, site), (-1, 0), frame)

    def record(self, *program, options=("--stacks",), **environment):
        path = os.path.join(self.folder, "run.rec")
        done = self.run_tool("record", *options, "-o", path, "--", *program, **environment)
        with open(path, "rb") as file:
            return done, path, file.read()

    # ---- what is shown ----

    def test_frames(self):
        """Function and line of each frame, of two threads; main and the start of a thread are the
        last."""
        text, finding = self.check(PROGRAM, "3")
        file = "stack_program.c"
        self.expect(finding["first"]["stack"], (file, "dive", "dive"), (file, "dive", None),
                    (file, "dive", None), (file, "main", "main"))
        self.expect(finding["second"]["stack"], (file, "collect", "collect"),
                    (file, "reader", None))
        self.assertEqual([len(finding[end]["stack"]) for end in ("first", "second")], [4, 2])
        self.assertEqual(finding["first"]["site"], finding["first"]["stack"][0])
        shown = " ".join(text.split())
        self.assertRegex(
            shown,
            r"#0 dive \(\S+stack_program\.c:\d+\) #1 dive \(\S+\) #2 dive \(\S+\) #3 main "
            r"\(\S+:\d+\) second:")
        self.assertRegex(text, r"(?m)^ {10}#0 collect \(\S+\)\n {10}#1 reader ")
        self.assertNotIn(" at dive", shown)

    def test_sixteen(self):
        """Of a deeper stack the 16 innermost frames."""
        text, finding = self.check(PROGRAM, "20")
        self.assertEqual([frame["function"] for frame in finding["first"]["stack"]], ["dive"] * 16)
        self.assertIn("#15 dive", text)
        self.assertNotIn("#16", text)

    def test_reports(self):
        """SARIF has `stacks` (result.stacks, OASIS SARIF 2.1.0, 3.27.18), JUnit the text."""
        _, finding = self.check(PROGRAM, "3")
        result, = json.loads(self.read("r.sarif"))["runs"][0]["results"]
        self.assertEqual(len(result["stacks"]), 2)
        for stack, end in zip(result["stacks"], ("second", "first")):
            self.assertLessEqual(stack.keys(), {"message", "frames"})
            self.assertTrue(stack["message"]["text"].startswith(end + ": "))
            self.assertEqual(len(stack["frames"]), len(finding[end]["stack"]))
            for frame, known in zip(stack["frames"], finding[end]["stack"]):
                location = frame["location"]
                self.assertEqual(location["logicalLocations"][0]["name"], known["function"])
                self.assertEqual(location["physicalLocation"]["region"]["startLine"], known["line"])
                self.assertTrue(
                    location["physicalLocation"]["artifactLocation"]["uri"].endswith(
                        "/stack_program.c"))
        failure, = xml.etree.ElementTree.fromstring(self.read("r.xml")).iter("failure")
        self.assertIn("#3 main (", failure.text)

    def test_cxx(self):
        """A destructor that an exception runs, and a function that is inlined: the function that
        has it is the frame."""
        _, finding = self.check(os.path.join(BIN, "stack_cleanup"))
        file = "stack_cleanup.cpp"
        self.expect(finding["first"]["stack"], (file, "~Cleanup", "~Cleanup"), (file, "fail", None))
        self.assertEqual(finding["first"]["stack"][-1]["function"], "main")
        self.expect(finding["second"]["stack"], (file, "collect", "collect"),
                    (file, "main", "main"))

    # ---- wrappers ----

    def test_wrapper(self):
        """A library without debug information makes the call: the finding says so; with the stack
        it names the caller of the library."""
        for name in ("site_program", "libsite_library.so"):
            shutil.copy(os.path.join(BIN, name), self.folder)
        subprocess.run(["strip", "-g", os.path.join(self.folder, "libsite_library.so")], check=True)
        program = os.path.join(self.folder, "site_program")
        text, finding = self.check(program, options=(), LD_LIBRARY_PATH=self.folder)
        self.assertIn("(libsite_library.so+0x", text)
        self.assertIn(
            "a library without debug information: its caller is not known (twinrt run --stacks "
            "records it)",
            " ".join(text.split()))
        self.assertTrue(finding["first"]["site"]["wrapper"])
        self.assertFalse(finding["second"]["site"]["wrapper"])
        result, = json.loads(self.read("r.sarif"))["runs"][0]["results"]
        self.assertIn("its caller is not known (twinrt run --stacks records it)",
                      result["relatedLocations"][0]["message"]["text"])
        self.assertNotIn("not known", result["locations"][0]["message"]["text"])
        text, finding = self.check(program, LD_LIBRARY_PATH=self.folder)
        self.assertNotIn("not known", text)
        self.assertEqual([frame["wrapper"] for frame in finding["first"]["stack"]], [True, False])
        self.assertEqual(
            (finding["first"]["site"]["function"], finding["first"]["site"]["wrapper"]),
            ("main", False))
        first = json.loads(self.read("r.sarif"))["runs"][0]["results"][0]["relatedLocations"][0]
        self.assertTrue(
            first["physicalLocation"]["artifactLocation"]["uri"].endswith("/site_program.cpp"))

    def python(self, second, *options):
        if not os.path.exists(os.path.join(MODULE, "acl", "_acl.abi3.so")):
            self.skipTest("the Python module is not built (-DTWINRT_PYTHON=ON)")
        with open(os.path.join(self.folder, "race.py"), "w", encoding="utf-8") as file:
            file.write(RACE.replace("SECOND", second))
        return self.check(sys.executable, "race.py", options=options, PYTHONPATH=MODULE)

    def test_python(self):
        text, finding = self.python("fill(memory, b)", "--stacks")
        for end, frames in (("first", [("fill", 3), ("again", 5), ("<module>", 10)]),
                            ("second", [("fill", 3), ("<module>", 11)])):
            self.assertEqual(
                [(frame["function"], frame["line"], os.path.basename(frame["file"]))
                 for frame in finding[end]["stack"]],
                [(function, line, "race.py") for function, line in frames])
            self.assertFalse(finding[end]["site"]["wrapper"])
        self.assertIn(
            "#0 fill (race.py:3)\n          #1 again (race.py:5)\n          #2 <module> "
            "(race.py:10)\n", text)
        result, = json.loads(self.read("r.sarif"))["runs"][0]["results"]
        place = result["locations"][0]["physicalLocation"]
        self.assertEqual((place["artifactLocation"], place["region"]),
                         ({"uri": "race.py", "uriBaseId": "%SRCROOT%"}, {"startLine": 3}))

    def test_python_without(self):
        text, _ = self.python("fill(memory, b)")
        self.assertIn("the Python module: its caller is not known (twinrt run --stacks records it)",
                      " ".join(text.split()))

    def test_python_ctypes(self):
        """Calls that bypass the module are not attributed to it: the native stack is shown."""
        _, finding = self.python(
            "import ctypes; p = ctypes.c_void_p; "
            "ctypes.CDLL('libascendcl.so').aclrtMemsetAsync(p(memory), p(4096), 1, p(4096), p(b))",
            "--stacks")
        self.assertEqual(finding["first"]["stack"][0]["function"], "fill")
        self.assertTrue(any("libffi" in frame["module"] for frame in finding["second"]["stack"]),
                        finding["second"]["stack"])

    def test_binding(self):
        """What a binding reports of its program (twinrt/frames.h) is used if it is whole, and for
        the calls of its own library alone."""
        _, finding = self.check(PROGRAM, "2", "script")
        self.assertEqual(
            [(frame["function"], frame["file"], frame["line"])
             for frame in finding["first"]["stack"]],
            [("load", "/scripts/a.lua", 7), ("start", "/scripts/b.lua", 90)])
        # another thread: nothing was reported
        self.assertEqual(finding["second"]["stack"][0]["function"], "collect")
        _, finding = self.check(PROGRAM, "2", "deep")
        self.assertEqual(len(finding["first"]["stack"]), 16)
        for how in ("unended", "odd", "long", "none"):
            _, finding = self.check(PROGRAM, "2", how)
            self.assertEqual([frame["function"] for frame in finding["first"]["stack"]],
                             ["dive", "dive", "main"], how)

    # ---- the recording ----

    def test_none(self):
        """Without --stacks a recording has none of it, and so has a report."""
        done, path, content = self.record(PROGRAM, "3", options=())
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertFalse(
            {kind for _, kind, _ in entries(content)} & {STACK, SCRIPT_STACK, CALL_STACK})
        finding, = json.loads(self.run_tool("check", "--json", path).stdout)["findings"]
        self.assertNotIn("stack", finding["first"])

    def test_once(self):
        """Each stack is in the recording once, and each call names one."""
        _, path, content = self.record(PROGRAM, "3")
        kinds = [kind for _, kind, _ in entries(content)]
        stacks = [content[at + 72:at + size] for at, kind, size in entries(content)
                  if kind == STACK]
        self.assertEqual(len(stacks), len(set(stacks)))
        calls = sum(kind == 42 for kind in kinds) # host.call
        self.assertEqual(kinds.count(CALL_STACK), calls)
        printed = self.run_tool("record", "--print", path).stdout
        self.assertRegex(printed, r'(?m) stack stack=1 count=\d+ frames=\["0x[0-9a-f]+"')
        self.assertRegex(printed, r"(?m) call_stack stack=1$")
        alone = os.path.join(BIN, "stack_cleanup") # it has one thread
        self.assertEqual(
            *(self.run_tool("record", "--print", self.record(alone)[1], "--stable").stdout
              for _ in range(2)))

    def test_killed(self):
        """A program that is killed leaves its stacks."""
        done, path, _ = self.record(PROGRAM, "3", "kill")
        self.assertEqual(done.returncode, 128 + 9)
        checked = self.run_tool("check", "--json", path)
        finding, = (each for each in json.loads(checked.stdout)["findings"]
                    if each["rule"] == "RACE-02")
        self.assertEqual([frame["function"] for frame in finding["first"]["stack"]],
                         ["dive", "dive", "dive", "main"])

    def test_damaged(self):
        """A stack that cannot be one is left out and reported; findings fall back to the call
        site."""
        _, path, good = self.record(PROGRAM, "3")
        for offset, value in ((0, 0), (4, 0), (4, 17), (4, 0xffffffff)): # number; frames
            content = bytearray(good)
            for at, kind, _ in entries(good):
                if kind == STACK:
                    struct.pack_into("<I", content, at + 64 + offset, value)
            with open(path, "wb") as file:
                file.write(content)
            done = self.run_tool("check", path)
            self.assertEqual(done.returncode, 1, done.stderr)
            self.assertRegex(" ".join(done.stdout.split()),
                             r"damaged in \d+ places.*an entry of kind 18: (a stack has no "
                             r"number, or not 1 to "
                                                           r"16 frames|what follows the fields is "
                                                           r"longer than the entry)")
            self.assertIn("at dive (", " ".join(done.stdout.split()))
        content = bytearray(good) # stacks of other calls
        for at, kind, _ in entries(good):
            if kind == STACK:
                struct.pack_into("<Q", content, at + 72, 0xdeadbeef)
        with open(path, "wb") as file:
            file.write(content)
        self.assertIn("at dive (", " ".join(self.run_tool("check", path).stdout.split()))

    def test_fuzzed(self):
        """Whatever the entries of stacks hold: a verdict or a refusal, no crash."""
        _, path, good = self.record(PROGRAM, "3")
        places = [(at, size) for at, kind, size in entries(good) if kind in (STACK, CALL_STACK)]
        choice = random.Random(17)
        for turn in range(40):
            content = bytearray(good)
            for at, size in choice.sample(places, 3):
                content[at + choice.randrange(size)] = choice.randrange(256)
            with open(path, "wb") as file:
                file.write(content)
            done = self.run_tool("check", path)
            self.assertIn(done.returncode, (0, 1, 2, 3), (turn, done.stderr))

    def test_many_threads(self):
        """Threads that find a new stack at the same time write it once, and each call names one
        that is there."""
        done, path, content = self.record(os.path.join(BIN, "random_program"), "races",
                                          "--seed=1", "--calls=100", "--threads=8")
        self.assertEqual(done.returncode, 0, done.stderr)
        made = [struct.unpack_from("<I", content, at + 64)[0] for at, kind, _ in entries(content)
                if kind == STACK]
        named = {struct.unpack_from("<I", content, fields(content, at))[0]
                 for at, kind, _ in entries(content) if kind == CALL_STACK}
        self.assertEqual(sorted(made), list(range(1, len(made) + 1)))
        self.assertEqual(named, set(made))
        report = json.loads(self.run_tool("check", "--json", path).stdout)
        self.assertEqual((report["damaged_places"], report["whole"]), (0, True))

    def test_option(self):
        for command in (("run", "--stacks", "--", PROGRAM, "3"),
                        ("record", "--stacks", "--print", "x")):
            done = self.run_tool(*command)
            self.assertNotEqual(done.returncode, 0)
            self.assertIn("--stacks", done.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
