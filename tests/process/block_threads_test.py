# SPDX-License-Identifier: Apache-2.0
"""Blocks of a long kernel on several threads of the host, as a process sees it.

usage: block_threads_test.py PROGRAM TWINRT
"""
import os
import re
import subprocess
import sys
import unittest

PROGRAM = TWINRT = ""
SETTINGS = {name: value for name, value in os.environ.items() if not name.startswith("TWINRT_")}
PROCESSORS = len(os.sched_getaffinity(0))


def run(*before, **settings):
    """The number of threads that ran blocks."""
    done = subprocess.run([*before, PROGRAM], env={**SETTINGS, "TWINRT_BACKEND": "sim", **settings},
                          text=True, capture_output=True, timeout=200, check=False)
    found = re.fullmatch(r"threads (\d+)\nsignals at threads of the runtime 0\n", done.stdout)
    if done.returncode != 0 or not found:
        raise AssertionError("ended with %d\n%s%s" % (done.returncode, done.stdout, done.stderr))
    return int(found[1])


def messages(what, threads):
    """What a kernel writes that reads memory which it had better not. Of addresses the place in a
    page: with a sanitizer device memory is somewhere else in each process."""
    done = subprocess.run([PROGRAM, what], env={**SETTINGS, "TWINRT_BACKEND": "sim",
                          "TWINRT_DEVICES": "2", "TWINRT_KERNEL_THREADS": threads},
                          text=True, capture_output=True, timeout=200, check=True)
    return re.sub(r"0x[0-9a-f]+([0-9a-f]{3})\b", r"\1", done.stderr)


class Threads(unittest.TestCase):
    def test_one_is_asked_for(self):
        self.assertEqual(run(TWINRT_KERNEL_THREADS="1"), 1)

    def test_as_many_as_processors(self):
        self.assertEqual(run(), min(PROCESSORS, 40))
        self.assertEqual(run(TWINRT_KERNEL_THREADS="2"), min(PROCESSORS, 2))

    def test_one_processor(self):
        self.assertEqual(run("taskset", "-c", str(min(os.sched_getaffinity(0)))), 1)

    def test_threads_that_take_turns(self):
        self.assertEqual(run(TWINRT, "run", "--deterministic", "--"), 1)

    def test_a_number_that_is_none(self):
        with self.assertRaises(AssertionError) as failed:
            run(TWINRT_KERNEL_THREADS="65")
        self.assertIn("TWINRT_KERNEL_THREADS", str(failed.exception))

    def test_messages(self):
        for what, part in (("late", "after its memory was freed"), ("peer", "memory of device 1"),
                           ("host", "block 1: twk_load reads")):
            with self.subTest(what):
                one = messages(what, "1")
                self.assertEqual(one.count(part), 1, one)
                self.assertEqual(messages(what, "0"), one)


if __name__ == "__main__":
    PROGRAM, TWINRT = sys.argv[1:3]
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
