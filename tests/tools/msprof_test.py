# SPDX-License-Identifier: Apache-2.0
"""Times of kernels in the columns of the vendor's profilers: what the model writes.

usage: msprof_test.py TWINRT KERNEL_RATES [TEST...]
"""
import csv
import json
import os
import subprocess
import sys
import tempfile
import unittest

TWINRT = PROGRAM = ""
SETTINGS = {name: value for name, value in os.environ.items() if not name.startswith("TWINRT_")}

# The launches of kernel_rates.c: kernel, blocks, count, rounds.
LAUNCHES = [("vector_rate", 1, 64, 1), ("vector_rate", 1, 64, 40), ("vector_rate", 1, 8192, 1),
            ("vector_rate", 1, 8192, 8), ("vector_rate", 4, 8192, 20), ("cube_rate", 1, 32, 1),
            ("cube_rate", 1, 32, 40), ("cube_rate", 1, 128, 1), ("cube_rate", 2, 128, 20)]

# As the pages that tools/msprof/times.h names have them, for parts with separate vector cores.
SUMMARY = (
    "Device_id,Model ID,Task ID,Stream ID,Op Name,OP Type,OP State,Task Type,Task Start Time(us),"
    "Task Duration(us),Task Wait Time(us),Block Dim,Mix Block Dim,HF32 Eligible,Input Shapes,"
    "Input Data Types,Input Formats,Output Shapes,Output Data Types,Output Formats,Context ID,"
    "aicore_time(us),aic_total_cycles,aic_mac_time(us),aic_mac_ratio,aic_scalar_time(us),"
    "aic_scalar_ratio,aic_mte1_time(us),aic_mte1_ratio,aic_mte2_time(us),aic_mte2_ratio,"
    "aic_fixpipe_time(us),aic_fixpipe_ratio,aic_icache_miss_rate,aiv_time(us),aiv_total_cycles,"
    "aiv_vec_time(us),aiv_vec_ratio,aiv_scalar_time(us),aiv_scalar_ratio,aiv_mte2_time(us),"
    "aiv_mte2_ratio,aiv_mte3_time(us),aiv_mte3_ratio,aiv_icache_miss_rate,"
    "cube_utilization(%)").split(",")
UTILIZATION = {"block_id", "sub_block_id", "aic_time(us)", "aic_total_cycles", "aiv_time(us)",
               "aiv_total_cycles", "aiv_vec_time(us)", "aiv_vec_ratio", "aic_cube_time(us)",
               "aic_cube_ratio", "aic_scalar_time(us)", "aic_scalar_ratio", "aiv_scalar_time(us)",
               "aiv_scalar_ratio", "aic_fixpipe_time(us)", "aic_fixpipe_ratio", "aic_mte1_time(us)",
               "aic_mte1_ratio", "aic_mte2_time(us)", "aic_mte2_ratio", "aiv_mte2_time(us)",
               "aiv_mte2_ratio", "aiv_mte3_time(us)", "aiv_mte3_ratio"}


def run(*command, status=0, **settings):
    done = subprocess.run(command, env={**SETTINGS, "TWINRT_BACKEND": "sim", **settings}, text=True,
                          capture_output=True, timeout=300, check=False)
    if done.returncode != status:
        raise AssertionError("%s ended with %d\n%s%s" %
                             (" ".join(command), done.returncode, done.stdout, done.stderr))
    return done.stdout if status == 0 else done.stderr


def parameters_of(profile):
    found = json.loads(run(TWINRT, "info", "--json", "--profile", profile))
    return {row["name"]: row for row in found["parameters"]}


def write_profile(path, values, base="910b3"):
    """A variant of a profile: name -> value; units are those of the base."""
    known = parameters_of(base)
    root = {"base": base}
    for name, value in values.items():
        at = root
        *groups, last = name.split(".")
        for group in groups:
            at = at.setdefault(group, {})
        at[last] = {"value": value, "unit": known[name]["unit"], "mark": "assumed",
                    "source": "a value of the test"}
    with open(path, "w", encoding="utf-8") as file:
        json.dump(root, file)


def table(path):
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


class Folder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def path(self, name):
        return os.path.join(self.folder, name)

    def profile(self, **values):
        path = self.path("variant.json")
        write_profile(path, {name.replace("__", "."): value for name, value in values.items()})
        return path

    def measure(self, profile, name="board", *arguments):
        """Paths of both tables of a run."""
        summary, blocks = self.path(name + ".s.csv"), self.path(name + ".p.csv")
        run(TWINRT, "run", "--op-summary", summary, "--pipe-utilization", blocks, "--", PROGRAM,
            *arguments, TWINRT_PROFILE=profile)
        return summary, blocks


class Written(Folder):
    """A clock of 1000 MHz: a cycle is a nanosecond, so that no length is rounded."""

    def setUp(self):
        super().setUp()
        self.variant = self.profile(aicore__clock_mhz=1000)
        self.values = {name: row["value"] for name, row in parameters_of(self.variant).items()}
        self.summary, self.blocks = map(table, self.measure(self.variant))

    def test_columns_are_those_of_the_vendor(self):
        self.assertEqual(list(self.summary[0]), SUMMARY)
        self.assertLessEqual(UTILIZATION, set(self.blocks[0]))

    def test_a_row_for_each_kernel_in_order(self):
        self.assertEqual([(row["Op Name"], row["Block Dim"]) for row in self.summary],
                         [(kernel, str(blocks)) for kernel, blocks, _, _ in LAUNCHES])
        starts = [float(row["Task Start Time(us)"]) for row in self.summary]
        self.assertEqual(starts, sorted(starts))
        self.assertEqual({row["Task Type"] for row in self.summary}, {"AI_VECTOR_CORE", "AI_CORE"})

    def test_a_row_for_each_block(self):
        found = [(row["Op Name"], row["block_id"], row["sub_block_id"]) for row in self.blocks]
        self.assertEqual(found, [(kernel, str(block), kernel[:-5] + "0")
                                 for kernel, blocks, _, _ in LAUNCHES for block in range(blocks)])

    def test_scalings_take_what_the_rules_say(self):
        """T-CORE-15 and the table of runtime/docs/kernels.md: a start, and 4 * count bytes."""
        start, width = (self.values["aicore.vector_" + name] for name in ("start_cycles", "bytes"))
        rows = [row for row in self.blocks if row["Op Name"] == "vector_rate"]
        wanted = [rounds * (start + -(-4 * count // width)) / 1000
                  for kernel, blocks, count, rounds in LAUNCHES
                  for _ in range(blocks) if kernel == "vector_rate"]
        self.assertEqual([float(row["aiv_vec_time(us)"]) for row in rows], wanted)
        self.assertEqual({row["aic_cube_time(us)"] for row in rows}, {"NA"})

    def test_products_take_what_the_rules_say(self):
        """A start, and ceil(m / 16) ceil(n / 16) ceil(k / 16) cycles of FP16."""
        start, depth = self.values["aicore.cube_start_cycles"], self.values["aicore.cube_k_fp16"]
        rows = [row for row in self.summary if row["Op Name"] == "cube_rate"]
        wanted = [rounds * (start + (count // 16) ** 2 * (count // depth)) / 1000
                  for kernel, _, count, rounds in LAUNCHES if kernel == "cube_rate"]
        self.assertEqual([float(row["aic_mac_time(us)"]) for row in rows], wanted)

    def test_a_kernel_is_as_long_as_its_parts(self):
        """T-CORE-7 and T-CORE-8: one block begins after three steps; the report is at the end."""
        before = sum(self.values["aicore." + name] for name in (
            "dispatch_ns", "core_init_ns", "software_init_ns", "report_ns"))
        for row, (_, blocks, _, _) in zip(self.summary, LAUNCHES):
            core = float(row["aicore_time(us)"]) + float(row["aiv_time(us)"])
            self.assertGreater(float(row["Task Duration(us)"]), core + before / 1000)
            if blocks == 1:
                pipes = {name: float(row[name]) for name in SUMMARY
                         if name.endswith("_time(us)") and name.count("_") == 2}
                scalar = sum(us for name, us in pipes.items() if "scalar" in name)
                # one pipe after the other; the scalar unit issues rounds beside them
                self.assertLessEqual(sum(pipes.values()) - scalar, core + 1e-6)
                self.assertGreaterEqual(sum(pipes.values()), core - 1e-6)

    def test_cycles_and_ratios_belong_to_the_times(self):
        for row in self.blocks:
            for kind in ("aic", "aiv"):
                if row[kind + "_time(us)"] == "NA":
                    continue
                total = float(row[kind + "_time(us)"])
                self.assertEqual(round(total * 1000), int(row[kind + "_total_cycles"]))
                self.assertAlmostEqual(float(row[kind + "_mte2_time(us)"]) / total,
                                       float(row[kind + "_mte2_ratio"]), places=3)

    def test_a_part_with_one_kind_of_cores(self):
        rows = table(self.measure("310p3", "joint")[0])
        self.assertIn("vec_time(us)", rows[0])
        self.assertNotIn("aiv_vec_time(us)", rows[0])
        self.assertGreater(float(rows[0]["vec_time(us)"]), 0)


if __name__ == "__main__":
    TWINRT, PROGRAM = sys.argv[1:3]
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
