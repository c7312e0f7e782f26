#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""mutations.py on a program of five lines: it reports which errors are caught, are missed, hang and
do not build."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parent / "mutations.py"
PROJECT = """cmake_minimum_required(VERSION 3.22)
project(toy C)
enable_testing()
add_executable(sum sum.c)
add_test(NAME toy.sum COMMAND sum)
"""
PROGRAM = """int main(void)
{
    int sum = 0, spare = 3;
    for (int i = 0; i < 10; i++)
        sum += i;
    return sum + 0 * spare == 45 ? 0 : 1;
}
"""


class Toy(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.root = self.folder / "toy"
        self.root.mkdir()
        (self.root / "CMakeLists.txt").write_text(PROJECT, encoding="utf-8")
        (self.root / "sum.c").write_text(PROGRAM, encoding="utf-8")

    def run_script(self, *errors):
        rows = [
            "file\ttest\trule\tfrom\tto", *("sum.c\ttoy.sum\tTOY-1\t" + "\t".join(error)
                                            for error in errors)]
        (self.folder / "list.tsv").write_text("\n".join(rows) + "\n", encoding="utf-8")
        return subprocess.run(
            [sys.executable, "-B", str(SCRIPT), "--root", str(self.root), "--jobs", "1",
             "--list", str(self.folder / "list.tsv"), "--work", str(self.folder / "work")],
            capture_output=True, text=True, check=False)

    def test_each_verdict(self):
        done = self.run_script(("i < 10", "i <= 10"), ("spare = 3", "spare = 4"), ("i++", "i += 0"),
                               ("sum += i", "sum +="))
        rows = [line.split("\t") for line in done.stdout.split("\n") if "\ttoy.sum\t" in line]
        self.assertEqual([fields[0] for fields in rows],
                         ["caught", "MISSED", "caught", "DOES NOT BUILD"], done)
        self.assertIn("hangs", rows[2][5])
        self.assertIn("mutations: 2 of 4 caught", done.stdout)
        self.assertEqual(done.returncode, 1)

    def test_all_caught(self):
        done = self.run_script(("i < 10", "i < 9"), ("sum = 0", "sum = 1"))
        self.assertIn("mutations: 2 of 2 caught", done.stdout)
        self.assertEqual(done.returncode, 0, done)

    def test_what_fails_without_an_error_proves_nothing(self):
        (self.root / "sum.c").write_text(PROGRAM.replace("45", "46"), encoding="utf-8")
        done = self.run_script(("i < 10", "i <= 10"))
        self.assertIn("without an error toy.sum does not pass", done.stderr)
        self.assertNotEqual(done.returncode, 0)

    def test_an_error_has_one_place(self):
        done = self.run_script(("sum", "total"))
        self.assertIn("occurs 3 times", done.stderr)
        self.assertNotEqual(done.returncode, 0)


if __name__ == "__main__":
    unittest.main()
