# SPDX-License-Identifier: Apache-2.0
"""`twinrt kernel-report`: bytes, operations and times follow from the arguments of the kernels;
each planted cause has its hint, and a kernel without one has none.

usage: kernel_report_test.py TWINRT KERNEL_RATES KERNEL_HINTS EXAMPLES [TEST...]
"""
import csv
import json
import os
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree

from msprof_test import LAUNCHES, MIXED, SCALING

TWINRT = RATES = HINTS = EXAMPLES = ""
SETTINGS = {name: value for name, value in os.environ.items() if not name.startswith("TWINRT_")}
MHZ = 1000 # of the variant: a cycle is a nanosecond


def run(*command, status=0, **settings):
    done = subprocess.run(command, env={**SETTINGS, **settings}, text=True, capture_output=True,
                          timeout=100, check=False)
    if done.returncode != status:
        raise AssertionError("%s ended with %d\n%s%s" % (" ".join(command), done.returncode,
                                                         done.stdout, done.stderr))
    return done


def report(*arguments, **settings):
    return json.loads(run(TWINRT, "kernel-report", "--json", *arguments, **settings).stdout)


def parameters_of(profile):
    found = json.loads(run(TWINRT, "info", "--json", "--profile", profile,
                           TWINRT_BACKEND="sim").stdout)
    return {row["name"]: row["value"] for row in found["parameters"]}


class Folder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)
        return self.path(name)


class Work(Folder):
    """The launches of kernel_rates.c on a variant whose cycle is a nanosecond."""

    def setUp(self):
        super().setUp()
        self.variant = self.write("variant.json", json.dumps({
            "base": "910b3", "aicore": {"clock_mhz": {
                "value": MHZ, "unit": "MHz", "mark": "assumed", "source": "a value of the test"}}}))
        self.values = parameters_of(self.variant)
        self.kernels = report("--each", "--profile", self.variant, "--", RATES)["kernels"]

    def rows(self, kind):
        return [(kernel, *launch[1:]) for kernel, launch in zip(self.kernels, LAUNCHES)
                if launch[0] == kind]

    def test_launches_are_in_their_order(self):
        self.assertEqual([(kernel["name"], kernel["blocks"], kernel["launches"])
                          for kernel in self.kernels],
                         [(name, blocks, 1) for name, blocks, *_ in LAUNCHES])

    def test_vector_kernels(self):
        """A copy in, `rounds` scalings, a copy out; T-CORE-15 and runtime/docs/kernels.md."""
        start, width = (self.values["aicore.vector_" + name] for name in ("start_cycles", "bytes"))
        for kernel, blocks, count, rounds, _ in self.rows("vector_rate"):
            part, = kernel["parts"]
            self.assertEqual((part["kind"], part["blocks"]), ("aiv", blocks))
            for way in ("reads", "writes"):
                self.assertEqual(part[way]["bytes"], blocks * 4 * count)
                self.assertEqual(part[way]["count"], blocks)
            self.assertEqual(part["operations"], [{
                "pipe": "V", "type": "FP32", "count": blocks * count * rounds,
                # an operation on each FP32 of the width in each cycle of each core
                "peak": self.values["limit.aiv_cores"] * width / 4 * MHZ * 1e6}])
            self.assertEqual(part["pipes"]["V"]["ns"],
                             blocks * rounds * (start + SCALING + -(-4 * count // width)))
            self.assertEqual(kernel["operations"], blocks * count * rounds)

    def test_cube_kernels(self):
        """Two factors in, `rounds` products of 2 m n k operations, the result out."""
        start, depth = self.values["aicore.cube_start_cycles"], self.values["aicore.cube_k_fp16"]
        for kernel, blocks, m, rounds, n in self.rows("cube_rate"):
            part, = kernel["parts"]
            self.assertEqual(part["reads"]["bytes"], blocks * 2 * (m * m + m * n))
            self.assertEqual(part["writes"]["bytes"], blocks * 2 * m * n)
            self.assertEqual(part["operations"], [{
                "pipe": "M", "type": "FP16", "count": blocks * rounds * 2 * m * m * n,
                "peak": self.values["limit.aic_cores"] * 16 * 16 * depth * 2 * MHZ * 1e6}])
            self.assertEqual(part["pipes"]["M"]["ns"],
                             blocks * rounds * (start + m // 16 * (n // 16) * (m // depth)))
            cube = kernel["roofs"]["cube"]
            self.assertAlmostEqual(cube["share"], part["operations"][0]["count"]
                                   / part["operations"][0]["peak"] / (kernel["span_ns"] * 1e-9))

    def test_mixed_kernels(self):
        """The cube core does nothing, vector core n does rounds (1 + n)."""
        _, blocks, count, rounds, _ = LAUNCHES[MIXED]
        cube, vector = self.kernels[MIXED]["parts"]
        self.assertEqual((cube["kind"], cube["operations"], cube["busy_ns"]), ("aic", [], 0))
        self.assertEqual((vector["kind"], vector["blocks"]), ("aiv", 2 * blocks))
        self.assertEqual(vector["operations"][0]["count"], blocks * count * rounds * (1 + 2))
        self.assertEqual(vector["reads"]["bytes"], 2 * blocks * 4 * count)

    def test_the_parts_are_the_whole(self):
        for kernel in self.kernels:
            for part in kernel["parts"]:
                self.assertEqual(part["busy_ns"] + sum(part["idle"].values()), part["work_ns"])
                self.assertLessEqual(part["reads"]["l2_bytes"], part["reads"]["bytes"])
                self.assertGreater(part["start_ns"], 0)
            first = kernel["parts"][0]
            if kernel["blocks"] == 1: # a block that is alone has the whole span
                self.assertEqual(first["start_ns"] + max(part["work_ns"] / part["blocks"]
                                 for part in kernel["parts"]), kernel["span_ns"])
            hbm = sum(part[way]["bytes"] - part[way]["l2_bytes"] for part in kernel["parts"]
                      for way in ("reads", "writes"))
            self.assertEqual(kernel["roofs"].get("HBM", {"amount": 0})["amount"], hbm)

    def test_equal_launches_are_one_kernel(self):
        found = {(kernel["name"], kernel["blocks"]): kernel
                 for kernel in report("--profile", self.variant, "--", RATES)["kernels"]}
        self.assertEqual(len(found), 5)
        alone = [row for row in LAUNCHES if row[:2] == ("vector_rate", 1)]
        self.assertEqual(found["vector_rate", 1]["launches"], len(alone))
        self.assertEqual(found["vector_rate", 1]["operations"],
                         sum(count * rounds for _, _, count, rounds, _ in alone))

    def test_times_are_the_same_without_counts(self):
        tables = []
        for more in ([], ["--kernel-counts", self.path("counts.json")]):
            table = self.path("table.csv")
            run(TWINRT, "run", "--backend=sim", "--op-summary", table, *more, "--", RATES)
            with open(table, encoding="utf-8", newline="") as file:
                tables.append(list(csv.reader(file)))
        self.assertEqual(*tables)
        self.assertEqual(len(report("--each", self.path("counts.json"))["kernels"]),
                         len(LAUNCHES))

    def test_a_recording(self):
        recording = self.path("a.rec")
        run(TWINRT, "record", "-o", recording, "--", RATES, TWINRT_BACKEND="sim")
        again = report("--each", recording)["kernels"]
        self.assertEqual([kernel["operations"] for kernel in again],
                         [kernel["operations"] for kernel in self.kernels])


class Hints(Folder):
    def hints(self, arguments):
        kernel, = report("--", HINTS, *arguments.split(), TWINRT_KERNEL_DATA="off")["kernels"]
        return {hint["kind"]: hint["text"] for hint in kernel["hints"]}

    def check(self, arguments, kind, text=""):
        found = self.hints(arguments)
        self.assertEqual(list(found), [kind] if kind else [], (arguments, found))
        self.assertIn(text, found.get(kind, ""))

    def test_a_good_kernel_has_none(self):
        self.check("buffers 40 64 32768 1 2", None)

    def test_one_buffer(self):
        self.check("buffers 40 64 32768 1 1", "one-buffer", "flag V to MTE2 0")

    def test_barriers(self):
        self.check("barriers 40 32 32768 4 0", "barriers", "at 64 barriers a block")

    def test_short_rows(self):
        """A row of 64 bytes costs a sector of 512 and 40 bytes: 64 / 552."""
        self.check("rows 40 4 32768 0 64", "short-rows", "rows of 64 bytes reach 12 % of HBM")

    def test_rows_of_a_sector(self):
        self.check("rows 40 32 32768 0 512", None)

    def test_latency(self):
        """Each load is waited for, or 64 of them at once."""
        self.check("latency 40 1024 512 0 1", "latency", "all pipes wait for data")
        self.check("latency 40 1024 512 0 64", None)

    def test_bank_conflicts(self):
        """Both operands in the same bank groups: each of the 64 repeats of 3000 additions takes a
        cycle more, on 40 cores."""
        self.check("banks 40 0 16384 3000 16384", "bank-conflicts",
                   "cost %d cycles" % (40 * 3000 * 64))
        self.check("banks 40 0 16384 3000 16640", None)

    def test_unaligned(self):
        self.check("aligned 40 32 32768 0 32", "unaligned", "100 % of the bytes")
        self.check("aligned 40 32 32768 0 0", None)

    def test_uneven_blocks(self):
        self.check("uneven 40 0 32768 300 3", "uneven-blocks",
                   "block 39, takes 3.0 times the median")

    def test_few_blocks(self):
        self.check("buffers 4 64 32768 1 2", "few-blocks", "4 of 40 cores work")

    def test_last_wave(self):
        self.check("buffers 44 64 32768 1 2", "last-wave", "2 waves, the last of 4")

    def test_scalar(self):
        self.check("scalar 40 0 0 60000 0", "scalar", "100 % of the time only the scalar unit")

    def test_other_cores(self):
        self.check("meeting 40 0 32768 1000 0", "cross-core", "waits for flags of others")

    def test_start(self):
        self.check("buffers 40 1 1024 1 2", "start", "99 % of their time")

    def test_an_example(self):
        """matmul_overlap, with one set of buffers and with two: m n k is 1024 2048 768, and 8
        blocks read all of a and their part of b."""
        one, two = report("--each", "--", os.path.join(EXAMPLES, "matmul_overlap"))["kernels"]
        for kernel in (one, two):
            part, = kernel["parts"]
            self.assertEqual(kernel["operations"], 2 * 1024 * 2048 * 768)
            self.assertEqual(part["reads"]["bytes"], 2 * 768 * (8 * 1024 + 2048))
            self.assertEqual(part["writes"]["bytes"], 2 * 1024 * 2048)
        self.assertEqual([hint["kind"] for hint in one["hints"]], ["few-blocks", "one-buffer"])
        self.assertIn("MTE2 waits", one["hints"][1]["text"])
        self.assertEqual([hint["kind"] for hint in two["hints"]], ["few-blocks"])
        self.assertGreater(two["parts"][0]["pipes"]["M"]["share"],
                           one["parts"][0]["pipes"]["M"]["share"])


class Output(Folder):
    def setUp(self):
        super().setUp()
        self.counts = self.path("counts.json")
        run(TWINRT, "run", "--backend=sim", "--kernel-counts", self.counts, "--", RATES)

    def test_text_fits_80_columns(self):
        for option in ([], ["--each"]):
            text = run(TWINRT, "kernel-report", *option, self.counts).stdout
            self.assertLessEqual(max(map(len, text.splitlines())), 80)
            self.assertIn("vector_rate: vector cores, 4 blocks, 1 launch\n", text)

    def test_one_kernel(self):
        found = report("--kernel", "mixed_rate", self.counts)["kernels"]
        self.assertEqual([kernel["name"] for kernel in found], ["mixed_rate"])
        self.assertIn('no kernel "none" was executed',
                      run(TWINRT, "kernel-report", "--kernel", "none", self.counts,
                          status=2).stderr)

    def test_junit(self):
        path = self.path("hints.xml")
        run(TWINRT, "kernel-report", "--junit", path, "--fail-on-hints", self.counts, status=1)
        root = ElementTree.parse(path).getroot()
        kernels = report(self.counts)["kernels"]
        suites = root.findall("testsuite")
        self.assertEqual(len(suites), len(kernels))
        for suite, kernel in zip(suites, kernels):
            kinds = {hint["kind"] for hint in kernel["hints"]}
            failed = {case.get("name").split(":")[0] for case in suite.findall("testcase")
                      if case.find("failure") is not None}
            self.assertEqual(failed, kinds)
            self.assertEqual(int(suite.get("failures")), len(kinds))
            self.assertEqual(int(suite.get("tests")), len(suite.findall("testcase")))

    def test_picture(self):
        path = self.path("roofs.svg")
        run(TWINRT, "kernel-report", "--svg", path, self.counts)
        texts = [text.text for text in ElementTree.parse(path).getroot().iter()
                 if text.tag.endswith("}text")]
        self.assertIn("HBM 1.52 TB/s", texts) # 1.8 TB/s by 0.844
        self.assertIn("L2 5.00 TB/s", texts)
        self.assertIn("M FP16 295 TOP/s", texts) # 20 cores, 16^3 products of two in 1.8 GHz
        self.assertIn("V FP32 4.61 TOP/s", texts) # 40 cores, 64 in 1.8 GHz

    def test_names_are_text(self):
        with open(self.counts, encoding="utf-8") as file:
            content = json.load(file)
        content["kernels"] = content["kernels"][:1]
        content["kernels"][0]["name"] = "a<b>&\"'\u0001" + "x" * 300
        path = self.write("named.json", json.dumps(content))
        for option in ("--junit", "--svg"):
            out = self.path("out" + option)
            run(TWINRT, "kernel-report", option, out, path)
            ElementTree.parse(out)
        self.assertEqual(len(report(path)["kernels"]), 1)

    def test_bad_files(self):
        with open(self.counts, encoding="utf-8") as file:
            good = file.read()
        for text, wanted in (
                ("", "is not a file of counts"),
                ("{}", "is not a file of counts"),
                (good[:-20], "is not a file of counts"),
                (good.replace('"version":1', '"version":2'), "is not a file of counts"),
                (good.replace('"aicore.clock_mhz":1800', '"aicore.clock_mhz":-1'),
                 '"aicore.clock_mhz" is invalid'),
                (good.replace('"kernels":[', '"kernels":{}, "more":['), '"kernels" is invalid'),
                (good.replace('"blocks":4,', '"blocks":1e300,'), '"blocks" is invalid'),
                (good.replace('"pipe":"V"', '"pipe":"W"'), 'launch 1: "pipe" is not a pipe'),
                (good.replace('"cores":"vector"', '"cores":"none"'), '"cores" is "none"'),
                (good.replace('"kind":"aiv"', '"kind":"ai"'), '"kind" is "ai"'),
                (good.replace('"list_ns"', '"list"'), 'launch 1: "list_ns" is missing'),
                (good.replace('"waits":[', '"waits":1,"x":['), '"waits" is invalid')):
            self.assertNotEqual(text, good)
            said = run(TWINRT, "kernel-report", self.write("bad.json", text), status=2).stderr
            self.assertTrue(said.startswith("twinrt: ") and said.count("\n") == 1, said)
            self.assertIn(wanted, said)

    def test_use_of_the_command(self):
        for arguments, wanted, status in (
                ([], "missing argument: FILE, or -- PROGRAM", 2),
                ([self.path("none")], "No such file", 2),
                ([self.folder], "twinrt: ", 2),
                ([self.counts, "more"], "expected -- before a program", 2),
                (["--", "/no/such"], "ended with status 127: no report", 127),
                (["--", "true"], "true has no counts of kernels", 2),
                (["--profile", "none", "--", RATES, "1"], "ended with status 1: no report", 1),
                (["--svg", "a", "--junit", "a", self.counts], "name the same file", 2),
                (["--svg", "--", RATES, "1"], "--svg: missing FILE before --", 2),
                ([RATES], "nor a recording; a program follows --", 2),
                (["--svg", "/no/such/a", self.counts], "No such file", 2)):
            said = run(TWINRT, "kernel-report", *arguments, status=status).stderr
            self.assertIn(wanted, said)
            self.assertNotIn("counts.%p", said) # its own file

    def test_nothing_is_left_in_the_temporary_folder(self):
        os.mkdir(self.path("tmp"))
        report("--", RATES, "1", TMPDIR=self.path("tmp"))
        self.assertEqual(os.listdir(self.path("tmp")), [])


if __name__ == "__main__":
    TWINRT, RATES, HINTS, EXAMPLES = sys.argv[1:5]
    unittest.main(argv=sys.argv[:1] + sys.argv[5:])
