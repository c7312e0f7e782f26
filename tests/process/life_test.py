#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A child of a process that has only asked, and calls after the end.

  life_test.py PROGRAM TWINRT [unittest options]
"""
import json
import os
import subprocess
import sys
import tempfile
import unittest

PROGRAM = ""
TWINRT = ""
STATUS = 7


class Life(unittest.TestCase):
    def run_program(self, how, **settings):
        environment = {name: value for name, value in os.environ.items()
                       if not name.startswith("TWINRT_")}
        environment.update(settings, TWINRT_BACKEND="sim")
        done = subprocess.run([PROGRAM, how], env=environment, text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, check=False)
        self.assertEqual(done.returncode, STATUS, done.stderr)
        return done.stderr

    def test_a_child_works_after_a_query_of_its_parent(self):
        self.assertEqual(self.run_program("fork"), "")

    @unittest.skipIf("TEST_SANITIZED" in os.environ,
                     "AddressSanitizer of gcc 12 forks while threads hold locks of its heap")
    def test_children_forked_beside_calls_work_or_are_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            for settings in ({}, {"TWINRT_RECORD": os.path.join(folder, "%p.record")}):
                self.run_program("forks", **settings)

    def test_parent_and_child_have_files_of_their_own(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "%p")
            self.run_program("fork", TWINRT_TRACE=f"{path}.json", TWINRT_RECORD=f"{path}.record")
            names = os.listdir(folder)
            self.assertEqual(len(names), 4, names)
            for name in names:
                if name.endswith(".json"):
                    with open(os.path.join(folder, name), encoding="utf-8") as file:
                        json.load(file)

    def test_a_host_function_that_ends_its_thread_does_not_end_the_process(self):
        self.run_program("function")

    def test_objects_that_are_released_too_late_are_no_matter(self):
        self.assertEqual(self.run_program("late"), "")

    def test_unreleased_memory_is_reported(self):
        self.assertIn("was not freed", self.run_program("leaves"))

    @unittest.skipIf("TEST_SANITIZED" in os.environ,
                     "Python is not built with the sanitizer of the library")
    def test_dlclose_leaves_what_the_end_needs(self):
        library = os.path.join(os.path.dirname(TWINRT), "..", "lib64", "libascendcl.so")
        code = ("import _ctypes, ctypes; l = ctypes.CDLL(%r); assert l.aclrtSetDevice(0) == 0; "
                "s = ctypes.c_void_p(); assert l.aclrtCreateStream(ctypes.byref(s)) == 0; "
                "_ctypes.dlclose(l._handle)" % library)
        with tempfile.TemporaryDirectory() as folder:
            environment = dict(os.environ, TWINRT_BACKEND="sim", TWINRT_TRACE="trace")
            done = subprocess.run([sys.executable, "-c", code], cwd=folder, env=environment,
                                  text=True,
                                  stderr=subprocess.PIPE, check=False)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            with open(os.path.join(folder, "trace"), encoding="utf-8") as file:
                json.load(file)


if __name__ == "__main__":
    PROGRAM, TWINRT = (os.path.abspath(path) for path in sys.argv[1:3])
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
