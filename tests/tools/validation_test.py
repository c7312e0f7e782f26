#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""bench/validation/run.py: values from times, errors, the two runs of a range, ids, cases,
marks in pages.
Argument: the folder of run.py."""
import csv
import os
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, sys.argv.pop())

import run  # pylint: disable=wrong-import-position

ROW = {"id": "x", "use": "check", "group": "stream", "profile": "910b1", "what": "", "unit": "us",
       "published": "100", "amount": "1", "time": "task", "run": "empty", "source": "", "rule": "",
       "note": ""}


def figure(*times, **columns):
    made = run.Figure({**ROW, **columns})
    made.times = list(times)
    made.evaluate(2000)
    return made


class Values(unittest.TestCase):
    def test_units(self):
        self.assertEqual(figure(5000).value, 5)
        self.assertEqual(figure(5000, unit="ns", amount="10").value, 500)
        # 1000 ns at 2000 MHz are 2000 cycles
        self.assertEqual(figure(500, 1500, unit="cycles", amount="100").value, 20)
        self.assertEqual(figure(1000, unit="B/cycle", amount="4000").value, 2)
        self.assertEqual(figure(1000, unit="GB/s", amount="24000").value, 24)
        self.assertEqual(figure(1 << 30, unit="GiB/s", amount=str(10 ** 9)).value,
                         (10 ** 9 / (1 << 30)) * 10 ** 9 / (1 << 30))

    def test_errors_are_those_of_the_time(self):
        self.assertAlmostEqual(figure(110000).error(), 0.1)
        self.assertAlmostEqual(figure(80000).error(), -0.2)
        slow = figure(1000, unit="GB/s", amount="8000", published="10")
        self.assertAlmostEqual(slow.error(), 0.25)

    def test_ranges(self):
        self.assertEqual(figure(25000, published="19-30").error(), 0)
        self.assertAlmostEqual(figure(33000, published="19-30").error(), 0.1)
        self.assertAlmostEqual(figure(17100, published="19-30").error(), -0.1)

    def test_two_runs(self):
        self.assertEqual(figure(1000, 2000, run="add m=3 k=1..2").runs(),
                         [["add", "m=3", "k=1"], ["add", "m=3", "k=2"]])
        self.assertEqual(figure(1000, run="add m=3").runs(), [["add", "m=3"]])


class Selection(unittest.TestCase):
    def test_ids(self):
        figures = [figure(1, id=name) for name in ("add-1", "add-2", "mm-1")]
        self.assertEqual([one.id for one in run.select(figures, ["mm-1", "add-1", "mm-1"])],
                         ["add-1", "mm-1"])
        self.assertEqual([one.id for one in run.select(figures, ["add-*", "add-2"])],
                         ["add-1", "add-2"])
        with self.assertRaises(ValueError) as caught:
            run.select(figures, ["add-1", "sub-*"])
        self.assertIn("no figure sub-*; ", str(caught.exception))
        with self.assertRaises(ValueError) as caught:
            run.select(figures, ["add-1", "add-11", "zzz", "add-11"])
        self.assertEqual(str(caught.exception), "figures.tsv has no figure add-11, zzz; "
                         "near: add-1, add-2; `./dev validation --list` lists all")
        with self.assertRaises(ValueError) as caught:
            run.select(figures, ["zzz"])
        self.assertEqual(str(caught.exception), "figures.tsv has no figure zzz; "
                         "`./dev validation --list` lists all")

    def test_errors_of_the_command(self):
        for arguments, wanted in ((["add-11"], "no figure add-11; near: add-1, "),
                                  (["--renew", "add-1"], "given with --renew, --check or --list")):
            done = subprocess.run([sys.executable, "-B", run.__file__, "--build", "/none",
                                   *arguments], capture_output=True, text=True, check=False)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertIn(wanted, done.stderr)
        done = subprocess.run([sys.executable, "-B", run.__file__, "--build", "/none", "--list"],
                              capture_output=True, text=True, check=True)
        self.assertEqual([line.split("\t")[0] for line in done.stdout.splitlines()],
                         [one.id for one in run.read_figures()])
        with subprocess.Popen([sys.executable, "-B", run.__file__, "--build", "/none", "--list"],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE) as closed:
            closed.stdout.close()
            self.assertEqual(closed.stderr.read(), b"")


class Pages(unittest.TestCase):
    def test_between_marks(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "page.md")
            with open(path, "w", encoding="utf-8") as file:
                file.write("a\n<!-- t: begin -->\nold\n<!-- t: end -->\nb\n")
            self.assertEqual(run.between(path, t="new\n"),
                             "a\n<!-- t: begin -->\nnew\n<!-- t: end -->\nb\n")
            with self.assertRaises(SystemExit):
                run.between(path, other="")

    def test_pages_are_those_of_the_committed_times(self):
        """--renew writes them from the times of results.tsv."""
        figures = run.read_figures()
        with open(os.path.join(run.HERE, "results.tsv"), encoding="utf-8", newline="") as file:
            times = {row["id"]: row["times_ns"] for row in csv.DictReader(file, delimiter="\t")}
        for one in figures:
            one.times = [int(ns) for ns in times[one.id].split("..")]
            one.evaluate(run.clock_mhz(one.profile))
        self.assertEqual("\n".join(run.differences(run.files(figures))), "")

    def test_sources(self):
        figures = [figure(1, id=name, source=source) for name, source in (
            ("a", "kit, page one, case 1; model, two"), ("b", "kit, page one, case 2"),
            ("c", "kit, page one, case 1"), ("d", "other"))]
        self.assertEqual(run.source_list(figures),
                         ["- kit, page one: `a`, `c` (case 1), `b` (case 2)", "- model, two: `a`",
                          "- other: `d`"])


class Cases(unittest.TestCase):
    def case(self, figures, ids, page=""):
        return run.Case({"group": "stream", "case": "some", "figures": ids, "page": page}, figures)

    def test_table(self):
        figures = [figure(110000, id="add-1"), figure(80000, id="add-2"), figure(1, id="mm-1")]
        table = run.case_table([self.case(figures, "add-*"), self.case(figures, "add-1")])
        self.assertEqual([line.split(" | ")[2:] for line in table.splitlines()[2:]],
                         [["`add-*`", "2", "-20.0 % to +10.0 % |"],
                          ["`add-1`", "1", "+10.0 % |"]])
        table = run.ratio_table([self.case(figures, "add-2/add-1")])
        self.assertIn("`add-2`, `add-1` | 1.00 | 0.73 |", table)
        with self.assertRaises(SystemExit):
            self.case(figures, "add-1 sub-*")

    def test_what_a_page_says(self):
        for ns, holds in ((79000, {"", "fast"}), (90000, {"", "fast", "near"}),
                          (121000, {"", "slow"})):
            for page in run.PAGE:
                case = self.case([figure(100000, id="a"), figure(ns, id="b")], "b", page)
                if page in holds:
                    case.check_page()
                    continue
                with self.assertRaises(SystemExit) as caught:
                    case.check_page()
                self.assertIn('what-to-believe.md says of "some": ' + page,
                              caught.exception.code)

    def test_each_predicted_figure_has_one(self):
        figures = run.read_figures()
        cases = [case for case in run.read_cases(figures) if not case.compared]
        self.assertEqual(sorted(one.id for case in cases for one in case.figures),
                         sorted(one.id for one in figures if one.use == "check"))


class Figures(unittest.TestCase):
    def test_rows(self):
        figures = run.read_figures()
        self.assertEqual(len({one.id for one in figures}), len(figures))
        for one in figures:
            self.assertTrue(one.source and one.rule and one.what, one.id)
            self.assertLessEqual(one.low, one.high, one.id)
            self.assertGreater(run.clock_mhz(one.profile), 0)


if __name__ == "__main__":
    unittest.main()
