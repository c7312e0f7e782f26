#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Files that the runtime writes: relative names, programs that close descriptors, and targets that
take nothing.

  files_test.py PROGRAM TWINRT [unittest options]
"""
import json
import os
import resource
import subprocess
import sys
import tempfile
import unittest

PROGRAM = ""
TWINRT = ""
STATUS = 7  # of the program, whatever becomes of the files
JSON = ("TWINRT_TRACE", "TWINRT_STATS")
WRITTEN = JSON + ("TWINRT_VCD", "TWINRT_MSPROF")
ALL = WRITTEN + ("TWINRT_RECORD",)


class Files(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def path(self, name):
        return os.path.join(self.folder, name)

    def run_program(self, arguments, settings=(), limit=None, **options):
        environment = {name: value for name, value in os.environ.items()
                       if not name.startswith("TWINRT_")}
        environment.update(settings, TWINRT_BACKEND="sim")

        def prepare():
            if limit is not None:
                resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))

        return subprocess.run([PROGRAM, *arguments], cwd=self.folder, env=environment,
                              stdout=subprocess.PIPE,
                              stderr=options.pop("stderr", subprocess.PIPE), preexec_fn=prepare,
                              check=False,
                              **options)

    def read(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def readable(self, recording):
        done = subprocess.run([TWINRT, "check", self.path(recording)], stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stdout)
        return done.stdout

    def test_relative_names_are_taken_from_the_folder_of_the_start(self):
        os.mkdir(self.path("elsewhere"))
        done = self.run_program(["chdir", "elsewhere"], {name: f"{name}.out" for name in ALL})
        self.assertEqual(done.returncode, STATUS, done.stderr)
        self.assertEqual(os.listdir(self.path("elsewhere")), [])
        for name in ALL:
            self.assertGreater(len(self.read(f"{name}.out")), 0, name)
        for name in JSON:
            json.loads(self.read(f"{name}.out"))
        self.readable("TWINRT_RECORD.out")

    def test_a_file_that_is_read_is_found_after_the_program_went_elsewhere(self):
        os.mkdir(self.path("elsewhere"))
        done = self.run_program(["chdir", "elsewhere"], {"TWINRT_PROFILE": "./none.json"})
        self.assertNotEqual(done.returncode, STATUS)
        self.assertIn(self.path("").encode(), done.stderr)
        self.assertNotIn(b"elsewhere", done.stderr)

    def check_refused(self, target, reason, names=ALL, **options):
        for name in names:
            with self.subTest(name):
                done = self.run_program([], {name: target}, **options)
                self.assertEqual(done.returncode, STATUS, done.stderr)
                self.assertIn(reason, done.stderr.decode())
                self.assertNotIn("Invalid argument", done.stderr.decode())
                self.assertNotIn("ulimit -v", done.stderr.decode())

    def test_a_device_is_refused_with_the_reason(self):
        self.check_refused("/dev/full", "regular file")

    def test_a_pipe_is_refused_with_the_reason(self):
        os.mkfifo(self.path("pipe"))
        self.check_refused("pipe", "regular file")

    def test_a_limit_of_file_sizes_costs_the_file_and_not_the_status(self):
        for name in WRITTEN:
            self.check_refused("file", "ulimit -f", [name], limit=512)
            self.assertFalse(os.path.exists(self.path("file")), name)

    def test_a_recording_ends_at_the_limit_of_file_sizes(self):
        done = self.run_program([], {"TWINRT_RECORD": "record"}, limit=300 << 10)
        self.assertEqual(done.returncode, STATUS, done.stderr)
        self.assertIn(b"the recording in", done.stderr)
        self.assertIn(b"stops here: File too large", done.stderr)
        self.assertNotIn(b"ulimit -v", done.stderr)
        self.assertLessEqual(len(self.read("record")), 300 << 10)

    def check_untouched(self, how, settings=(), **options):
        """The program opens its own file; nothing but the program writes into it."""
        contents = bytes(range(256)) * 4096
        with open(self.path("own"), "wb") as file:
            file.write(contents)
        done = self.run_program([how, "own"], settings, **options)
        self.assertEqual(done.returncode, STATUS, done.stderr)
        self.assertTrue(self.read("own") == contents, "the program's file has changed")
        return done

    def test_nothing_is_written_into_files_of_the_program(self):
        self.check_untouched(
            "take", dict({name: f"{name}.out" for name in ALL}, TWINRT_LOG="debug"))
        for name in JSON:
            json.loads(self.read(f"{name}.out"))
        self.readable("TWINRT_RECORD.out")

    def test_nothing_is_written_into_files_of_the_program_in_open_memory(self):
        self.check_untouched("take", {"TWINRT_DEVMEM": "open"})

    def test_a_file_that_becomes_standard_error_by_chance_gets_no_lines(self):
        environment = dict(os.environ, TWINRT_BACKEND="sim", TWINRT_LOG="debug")
        contents = b"mine" * 1000
        with open(self.path("own"), "wb") as file:
            file.write(contents)
        done = subprocess.run(["/bin/sh", "-c", 'exec "$0" closed own 2>&-', PROGRAM],
                              cwd=self.folder,
                              env=environment, check=False)
        self.assertEqual(done.returncode, STATUS)
        self.assertEqual(self.read("own"), contents)

    def test_standard_error_in_a_file_gets_its_lines(self):
        with open(self.path("lines"), "wb") as file:
            done = self.run_program([], {"TWINRT_TRACE": "/dev/full"}, stderr=file)
        self.assertEqual(done.returncode, STATUS)
        self.assertIn(b"twinrt: error: TWINRT_TRACE", self.read("lines"))


if __name__ == "__main__":
    PROGRAM, TWINRT = (os.path.abspath(path) for path in sys.argv[1:3])
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
