#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Programs built with sanitizers, or run by valgrind, on a library that is built without.

  sanitizers_test.py BUILD SOURCE CC [unittest options]

CC is a compiler, or "valgrind", or "" if it is missing."""
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import unittest

BUILD, SOURCE, COMPILER = sys.argv[1:4]
HERE = os.path.join(SOURCE, "tests/sanitizers")
TOOL = os.path.join(BUILD, "bin/twinrt")
KERNELS = os.path.join(BUILD, "examples/vector_add_kernels.o")
# What a report of any of the tools has in it.
REPORT = re.compile(r"(?:ERROR|WARNING): \w+Sanitizer:|runtime error:|ERROR SUMMARY: [1-9]")
FOLDER = tempfile.TemporaryDirectory()


def environment(**settings):
    kept = {name: value for name, value in os.environ.items()
            if not re.match(r"TWINRT_|LD_PRELOAD|.SAN_OPTIONS", name)}
    # Without, LeakSanitizer of gcc 12 can crash (runtime/docs/sanitizers.md).
    stable = "intercept_tls_get_addr=0"
    return {**kept, "TWINRT_BACKEND": "sim", "LD_LIBRARY_PATH": os.path.join(BUILD, "lib64"),
            "ASAN_OPTIONS": stable, "LSAN_OPTIONS": stable, **settings}


def build(name, sanitizer="", compiler=COMPILER):
    """The program `name`, built as users do."""
    out = os.path.join(FOLDER.name, f"{name}.{sanitizer or 'none'}")
    if not os.path.exists(out):
        flags = [f"-fsanitize={sanitizer}"] if sanitizer else []
        subprocess.run(
            [compiler, "-g", "-O1", *flags, os.path.join(HERE, name + ".c"), "-I" +
             os.path.join(SOURCE, "examples"),
             "-I" + os.path.join(BUILD, "include"), "-L" + os.path.join(BUILD, "lib64"),
             "-lascendcl", "-pthread",
             "-o", out], check=True)
    return out


def run(command, **settings):
    return subprocess.run(command, env=environment(**settings), text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE,
                          check=False, timeout=200)


class Compiler(unittest.TestCase):
    def quiet(self, done):
        self.assertEqual((done.returncode, REPORT.findall(done.stderr)), (0, []), done.stderr)

    def reported(self, defect, sanitizer, text):
        done = run([build("defects", sanitizer), defect])
        self.assertNotEqual(done.returncode, 0, done.stderr)
        self.assertIn(text, done.stderr)

    def test_a_correct_program_has_no_report(self):
        for sanitizer in ("address", "undefined", "leak", "thread"):
            with self.subTest(sanitizer=sanitizer):
                program = build("program", sanitizer)
                self.quiet(run([program, KERNELS]))
                self.quiet(run([TOOL, "run", "--", program, KERNELS]))
                done = run([TOOL, "run", "--check", "--", program, KERNELS])
                self.quiet(done)
                self.assertIn(" 0 errors", done.stderr)

    def test_the_thread_sanitizer_of_clang_has_no_order_of_turns(self):
        done = run([TOOL, "run", "--deterministic", "--", build("program", "thread"), KERNELS])
        if "clang" in os.path.basename(COMPILER):
            self.assertNotEqual(done.returncode, 0, done.stderr)
            self.assertIn("the program has the ThreadSanitizer of clang", done.stderr)
        else:
            self.quiet(done)

    def test_a_race_with_a_host_function_is_reported(self):
        self.reported("race_function", "thread", "data race")

    def test_a_race_of_threads_that_call_is_reported(self):
        self.reported("race_threads", "thread", "data race")

    def test_a_leak_is_reported(self):
        for sanitizer in ("address", "leak"):
            self.reported("leak", sanitizer, "100 byte(s) leaked in 1 allocation(s)")

    def test_a_copy_beyond_host_memory_is_reported(self):
        self.reported("overflow_copy", "address", "heap-buffer-overflow")

    def test_a_write_beyond_page_locked_memory_is_reported(self):
        self.reported("overflow_pinned", "address", "use-after-poison")

    def test_undefined_behaviour_is_reported(self):
        done = run([build("defects", "undefined"), "signed"])
        self.assertIn("signed integer overflow", done.stderr)

    def test_what_the_runtime_holds_at_the_end_is_not_a_leak(self):
        for sanitizer in ("address", "leak"):
            self.quiet(run([build("abandons", sanitizer)]))

    def test_where_addresses_are_is_said_once(self):
        text = run([build("program", "thread"), KERNELS]).stderr
        self.assertEqual(text.count("addresses may be outside the documented windows"), 1, text)
        self.assertNotIn("documented windows", run([build("program", "address"), KERNELS]).stderr)

    def test_the_memory_sanitizer_is_said_not_to_be_supported(self):
        if "clang" not in os.path.basename(COMPILER):
            self.skipTest("only clang has it")
        text = run([build("defects", "memory")]).stderr
        self.assertEqual(text.count("-fsanitize=memory, which is not supported"), 1, text)


class Valgrind(unittest.TestCase):
    def test_memcheck_has_nothing_to_report(self):
        program = build("copy", compiler="cc")
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = run(
            ["valgrind", "--leak-check=full", "--show-leak-kinds=definite",
             "--errors-for-leak-kinds=definite", "--error-exitcode=9", program])
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        self.assertLess(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, 15,
                        "processor seconds")
        self.assertEqual((done.returncode, REPORT.findall(done.stderr)), (0, []), done.stderr)
        self.assertIn("definitely lost: 0 bytes", done.stderr +
                      "definitely lost: 0 bytes" * ("no leaks are possible" in done.stderr))
        self.assertEqual(done.stderr.count("addresses may be outside the documented windows"), 1,
                         done.stderr)


if __name__ == "__main__":
    if not shutil.which(COMPILER or "-"):
        print(f"{COMPILER or 'the compiler'} is not installed")
        sys.exit(77)
    unittest.main(
        argv=[sys.argv[0], "Valgrind" if os.path.basename(COMPILER) == "valgrind" else "Compiler",
              *sys.argv[4:]])
