# SPDX-License-Identifier: Apache-2.0
"""Lines of a kernel's source in the messages of the runtime.

usage: kernel_lines_test.py TWINRT_CC PROGRAM KERNELS
"""
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

CC = PROGRAM = FOLDER = SOURCE = ""
SETTINGS = {name: value for name, value in os.environ.items() if not name.startswith("TWINRT_")}
HEADER = "kernel_lines_header.h"
# What each kernel's one message says.
MISTAKES = {
    "no_flag": "twk_adds (V) reads UB bytes 0 to 159 while twk_load (MTE2) may still write it",
    "wrong_buffer": "twk_adds (V) reads UB bytes 256 to 415 while twk_load (MTE2)",
    "unwritten": "which the block has not written",
    "misaligned": "is not a multiple of 4",
    "outside": "which are not inside an allocation",
    "asserted": "args->nothing == 1",
    "plain_assert": "assertion `args->nothing == 2' failed",
    "divided": "a division by 0",
    "wild": "its own code, not an operation, accessed 0x",
    "never_set": "twk_wait_flag(TWK_MTE2, TWK_V, 3) waits for ever: nothing sets it",
}


def line_of(name, text):
    with open(os.path.join(FOLDER, name), encoding="utf-8") as file:
        found = [number for number, line in enumerate(file, 1) if "// " + text in line]
    assert len(found) == 1, text
    return found[0]


class Lines(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp()
        cls.plain = cls.compile("plain.o")

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder)

    @classmethod
    def compile(cls, name, *options):
        path = os.path.join(cls.folder, name)
        subprocess.run([CC, *options, "-o", path, SOURCE], cwd=FOLDER, check=True, timeout=200,
                       env=SETTINGS)
        return path

    def messages(self, kernel, path=None, blocks=1):
        done = subprocess.run([PROGRAM, path or self.plain, kernel, str(blocks)], text=True,
                              env={**SETTINGS, "TWINRT_BACKEND": "sim"}, capture_output=True,
                              timeout=200, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return [line for line in done.stderr.splitlines() if 'kernel "%s", block' % kernel in line]

    def at(self, text):
        return ", at %s:%d" % (os.path.join(FOLDER, SOURCE), line_of(SOURCE, text))

    def test_each_mistake(self):
        for kernel, said in MISTAKES.items():
            with self.subTest(kernel):
                found = self.messages(kernel)
                self.assertIn(said, found[0])
                self.assertTrue(found[0].endswith(self.at("mistake: " + kernel)), found[0])

    def test_function_that_others_call(self):
        found = self.messages("too_long")
        self.assertIn("are not in UB", found[0])
        self.assertTrue(found[0].endswith(self.at("mistake: fill")), found[0])

    def test_header(self):
        found = self.messages("header")
        self.assertTrue(found[0].endswith(self.at("call: header") + " (in %s:%d)" % (
            HEADER, line_of(HEADER, "mistake: header"))), found[0])

    def test_any_compiler(self):
        for option in ("--cc=clang", "-g", "-O0"):
            with self.subTest(option):
                found = self.messages("no_flag", self.compile("other.o", option))
                self.assertTrue(found[0].endswith(self.at("mistake: no_flag")), found[0])

    def test_several_blocks(self):
        self.assertEqual(self.messages("no_flag"), self.messages("no_flag", blocks=40))

    def test_no_debug_information(self):
        found = self.messages("no_flag", self.compile("bare.o", "-g0"))
        self.assertNotIn(", at ", found[0])


if __name__ == "__main__":
    CC, PROGRAM = sys.argv[1:3]
    FOLDER, SOURCE = os.path.split(sys.argv[3])
    unittest.main(argv=sys.argv[:1] + sys.argv[4:])
