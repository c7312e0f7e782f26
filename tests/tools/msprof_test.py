# SPDX-License-Identifier: Apache-2.0
"""Times of kernels in the columns of the vendor's profilers: what the model writes, and what
`twinrt calibrate` and `twinrt compare` read. Tables of a board are synthetic: their columns are
the documented ones, their times follow from the rules.

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

# The launches of kernel_rates.c: kernel, blocks, count, rounds, columns.
LAUNCHES = [("vector_rate", 1, 64, 1, 0), ("vector_rate", 1, 64, 40, 0),
            ("vector_rate", 1, 64, 20, 0), ("vector_rate", 1, 64, 60, 0),
            ("vector_rate", 1, 64, 80, 0), ("vector_rate", 1, 64, 100, 0),
            ("vector_rate", 1, 8192, 1, 0), ("vector_rate", 1, 8192, 8, 0),
            ("vector_rate", 4, 8192, 20, 0), ("cube_rate", 1, 32, 1, 32),
            ("cube_rate", 1, 32, 40, 32), ("cube_rate", 1, 128, 1, 128),
            ("cube_rate", 2, 128, 20, 128), ("cube_rate", 1, 128, 1, 16),
            ("mixed_rate", 2, 64, 3, 0)]
MIXED = 14 # its place, which parts with one kind of cores do not accept

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
SCALING = 2 # cycles that twk_muls takes beside the start: e in the table of runtime/docs/kernels.md
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


def write_profile(path, values, base="910b3", mark="assumed"):
    """A variant of a profile: name -> value; units are those of the base."""
    known = parameters_of(base)
    root = {"base": base}
    for name, value in values.items():
        at = root
        *groups, last = name.split(".")
        for group in groups:
            at = at.setdefault(group, {})
        at[last] = {"value": value, "unit": known[name]["unit"], "mark": mark,
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
                         [(kernel, str(blocks)) for kernel, blocks, *_ in LAUNCHES])
        starts = [float(row["Task Start Time(us)"]) for row in self.summary]
        self.assertEqual(starts, sorted(starts))
        self.assertEqual({row["Task Type"] for row in self.summary}, {"AI_VECTOR_CORE", "AI_CORE", "MIX_AIC"})

    def test_a_row_for_each_block(self):
        found = [(row["Op Name"], row["block_id"], row["sub_block_id"]) for row in self.blocks]
        units = {"vector_rate": ["vector0"], "cube_rate": ["cube0"],
                 "mixed_rate": ["cube0", "vector0", "vector1"]}
        self.assertEqual(found, [(kernel, str(block), unit) for kernel, blocks, *_ in LAUNCHES
                                 for block in range(blocks) for unit in units[kernel]])

    def test_each_core_of_a_mixed_block_has_its_own_times(self):
        """The second vector core does twice as much; the kernel has the mean of all four."""
        one = (self.values["aicore.vector_start_cycles"] + SCALING
               + 256 // self.values["aicore.vector_bytes"]) / 1000
        rows = [row for row in self.blocks if row["Op Name"] == "mixed_rate"]
        self.assertEqual([row["aiv_vec_time(us)"] for row in rows],
                         ["NA", "%.3f" % (3 * one), "%.3f" % (6 * one)] * 2)
        kernel = self.summary[MIXED]
        self.assertEqual((kernel["Block Dim"], kernel["Mix Block Dim"]), ("2", "4"))
        self.assertAlmostEqual(float(kernel["aiv_vec_time(us)"]), 4.5 * one, delta=0.00051)

    def test_scalings_take_what_the_rules_say(self):
        """T-CORE-15 and the table of runtime/docs/kernels.md: a start, e, and 4 * count bytes."""
        start, width = (self.values["aicore.vector_" + name] for name in ("start_cycles", "bytes"))
        rows = [row for row in self.blocks if row["Op Name"] == "vector_rate"]
        wanted = [rounds * (start + SCALING + -(-4 * count // width)) / 1000
                  for kernel, blocks, count, rounds, _ in LAUNCHES
                  for _ in range(blocks) if kernel == "vector_rate"]
        self.assertEqual([float(row["aiv_vec_time(us)"]) for row in rows], wanted)
        self.assertEqual({row["aic_cube_time(us)"] for row in rows}, {"NA"})

    def test_products_take_what_the_rules_say(self):
        """A start, and ceil(m / 16) ceil(n / 16) ceil(k / 16) cycles of FP16."""
        start, depth = self.values["aicore.cube_start_cycles"], self.values["aicore.cube_k_fp16"]
        rows = [row for row in self.summary if row["Op Name"] == "cube_rate"]
        wanted = [rounds * (start + (count // 16) * (n // 16) * (count // depth)) / 1000
                  for kernel, _, count, rounds, n in LAUNCHES if kernel == "cube_rate"]
        self.assertEqual([float(row["aic_mac_time(us)"]) for row in rows], wanted)

    def test_a_kernel_is_as_long_as_its_parts(self):
        """T-CORE-7 and T-CORE-8: one block begins after three steps; the report is at the end."""
        before = sum(self.values["aicore." + name] for name in (
            "dispatch_ns", "core_init_ns", "software_init_ns", "report_ns"))
        for row, (_, blocks, *_) in zip(self.summary, LAUNCHES):
            core = max(float(row["aicore_time(us)"]), float(row["aiv_time(us)"]))
            self.assertGreater(float(row["Task Duration(us)"]), core + before / 1000)
            if blocks == 1:
                pipes = {name: float(row[name]) for name in SUMMARY
                         if name.endswith("_time(us)") and name.count("_") == 2}
                scalar = sum(us for name, us in pipes.items() if "scalar" in name)
                # one pipe after the other; the scalar unit issues rounds beside them
                self.assertLessEqual(sum(pipes.values()) - scalar, core + 1e-6)
                # T-CORE-22: the barrier after its reads waits until they have landed
                latency = (self.values["link.l2.hit_cycles"] + self.values["link.l2.miss_cycles"]
                           ) / self.values["aicore.clock_mhz"]
                self.assertGreaterEqual(sum(pipes.values()), core - latency - 0.001)

    def test_waiting_for_other_pipes_is_not_counted(self):
        """The scalar unit issues 20 long scalings in a moment, then waits for them at a barrier."""
        row = self.summary[LAUNCHES.index(("vector_rate", 4, 8192, 20, 0))]
        self.assertLess(float(row["aiv_scalar_time(us)"]), float(row["aiv_time(us)"]) / 4)
        self.assertLess(float(row["aiv_mte3_time(us)"]), float(row["aiv_time(us)"]) / 2)

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
        rows = table(self.measure("310p3", "joint", str(MIXED))[0])
        self.assertIn("vec_time(us)", rows[0])
        self.assertNotIn("aiv_vec_time(us)", rows[0])
        self.assertGreater(float(rows[0]["vec_time(us)"]), 0)


def only(*names):
    """The option of a fit of these parameters."""
    return ["--only=" + ",".join(names)]


class Calibrated(Folder):
    """A model with other parameters is the board."""

    SECRET = {"aicore.vector_start_cycles": 17, "aicore.cube_start_cycles": 11,
              "aicore.mte_start_cycles": 25, "aicore.scalar_block_cycles": 6,
              "aicore.vector_bytes": 200, "aicore.l0b_load_bytes": 100, "aicore.gm_bytes": 40,
              "aicore.software_init_ns": 700}

    def test_what_was_changed_is_found(self):
        write_profile(self.path("secret.json"), self.SECRET)
        summary, blocks = self.measure(self.path("secret.json"))
        mine = self.path("mine.json")
        found = json.loads(run(
            TWINRT, "calibrate", "--json", "--table", summary, "--table", blocks, "-o", mine,
            *only(*self.SECRET), "--", PROGRAM))
        rows = {row["name"]: row for row in found["parameters"]}
        self.assertEqual({name: row["verdict"] for name, row in rows.items()},
                         dict.fromkeys(self.SECRET, "identifiable"))
        for name, value in self.SECRET.items(): # operations are rounded to nanoseconds
            self.assertAlmostEqual(rows[name]["fitted"], value, delta=0.006 * value, msg=name)
        fitted = parameters_of(mine)["aicore.vector_bytes"]
        self.assertEqual((fitted["value"], fitted["mark"]),
                         (rows["aicore.vector_bytes"]["fitted"], "measured"))
        self.assertRegex(fitted["source"], r"fitted to board\.s\.csv, board\.p\.csv: .* \d+ rows")
        self.assertEqual(len(found["rows"]), sum(row["times"] for row in found["recordings"]))
        worst = max(found["rows"], key=lambda row: abs(row["off"]))
        self.assertLess(abs(worst["off"]), 0.02, worst)
        # the residual of each row is there, and was larger before
        self.assertGreater(max(abs(row["before_us"] / row["board_us"] - 1)
                               for row in found["rows"]), 0.2)
        text = run(TWINRT, "compare", summary, self.measure(mine, "again")[0])
        self.assertRegex(text, r"(?m)^vector_rate\n(?:  .*\n)*  aiv_vec +9 .* 0\.\d\d %")

    def test_rates_that_are_exchangeable_are_not_called_known(self):
        """Products of square matrices load as much into L0A as into L0B."""
        square = str(MIXED - 1)
        secret = {"aicore.l0a_load_bytes": 512, "aicore.l0b_load_bytes": 100,
                  "aicore.mte_start_cycles": 25}
        write_profile(self.path("secret.json"), secret)
        summary, blocks = self.measure(self.path("secret.json"), "board", square)
        found = json.loads(run(TWINRT, "calibrate", "--json", "--table", summary, "--table", blocks,
                               *only(*secret), "--", PROGRAM, square))
        self.assertEqual({row["name"]: row["verdict"] for row in found["parameters"]},
                         {"aicore.l0a_load_bytes": "too weak", "aicore.l0b_load_bytes": "too weak",
                          "aicore.mte_start_cycles": "identifiable"})


class ByHand(Folder):
    """Tables as a board writes them, for the first six launches of kernel_rates: 1, 40, 20, 60, 80
    and 100 scalings of 64 FP32 numbers. With a start of 28 cycles, e of 2, 128 bytes a cycle and
    1800 MHz one takes 28 + 2 + 256 / 128 = 32 cycles, 17.778 ns."""

    TIMES = ("0.017778", "0.711111", "0.355556", "1.066667", "1.422222", "1.777778")

    BASE = {"aicore.vector_bytes": 128, "aicore.vector_start_cycles": 12,
            "aicore.clock_mhz": 1800}
    BLOCKS = "block_id,sub_block_id,aic_time(us),aiv_time(us),aiv_vec_time(us),aiv_vec_ratio,"

    def write(self, name, text, folder=""):
        os.makedirs(self.path(folder), exist_ok=True)
        path = self.path(os.path.join(folder, name))
        with open(path, "wb") as file:
            file.write(text.encode() if isinstance(text, str) else text)
        return path

    def fit(self, *options, status=0, arguments=("6",), free="aicore.vector_start_cycles"):
        write_profile(self.path("base.json"), self.BASE, mark="known")
        out = run(TWINRT, "calibrate", "--json", "--profile", self.path("base.json"),
                  *only(free), *options, "--", PROGRAM, *arguments, status=status)
        return json.loads(out) if status == 0 else out

    def start_of(self, found):
        row, = found["parameters"]
        return row["fitted"], row["verdict"]

    def test_op_summary(self):
        """With a byte order mark, quotes, CRLF, a tab after a number, other operators, and rows of
        tasks that have no such times."""
        table = (
            "\ufeffDevice_id,Model ID,Task ID,Stream ID,Op Name,OP Type,OP State,Task Type,"
            "Task Start Time(us),Task Duration(us),Task Wait Time(us),Block Num,Mix Block Num,"
            "HF32 Eligible,Input Shapes,aiv_vec_time(us)\r\n"
            "0,4294967295,2,2,hcom_send,N/A,N/A,COMMUNICATION,1764001.120\t,12.5,0,0,"
            "N/A,N/A,N/A,N/A\r\n"
            "\r\n"
            + "".join(
                '0,4294967295,%d,2,aclnnMuls_Muls,Muls,dynamic,AI_VECTOR_CORE,"176400%d.120\t",N/A,'
                '0,1,N/A,NO,"""64;64""", %s \r\n' % (task, task, us)
                for task, us in enumerate(self.TIMES)))
        found = self.fit("--table", self.write("op_summary_1.csv", table),
                         "--op=aclnnMuls_Muls=vector_rate")
        self.assertEqual(self.start_of(found), (28, "identifiable"))
        self.assertEqual([(row["line"], row["board_us"]) for row in found["rows"]],
                         [(4 + row, float(us)) for row, us in enumerate(self.TIMES)])
        sums, = found["recordings"]
        self.assertEqual((sums["ops"], sums["times"], sums["left_out"]), (7, 6, 1))

    def test_values_that_are_not_used(self):
        """Start and rate act in proportion. Both stay, and so does the deviation: with a start of
        24 cycles and 256 bytes a cycle a scaling takes 24 + 2 + 1 cycles and is 5 short, 2.778 ns;
        launches have 1, 20, 40, 60, 80 and 100."""
        self.BASE = {**self.BASE, "aicore.vector_bytes": 256, "aicore.vector_start_cycles": 24}
        board = self.write("board.csv", "Op Name,Task Duration(us),aiv_vec_time(us)\n"
                           + "".join(f"vector_rate,N/A,{us}\n" for us in self.TIMES))
        both = "aicore.vector_bytes,aicore.vector_start_cycles"
        found = self.fit("--table", board, free=both)
        self.assertEqual([(row["verdict"], row["fitted"]) for row in found["parameters"]],
                         [("too weak", 256), ("too weak", 24)])
        for when in ("before", "after"):
            self.assertAlmostEqual(found["median_ns_" + when], 60 * 2.778, delta=1)
            self.assertAlmostEqual(found["worst_ns_" + when], 100 * 2.778, delta=1)
        self.assertLess(found["worst_ns_fitted"], 3)
        for row in found["rows"]:
            self.assertAlmostEqual(row["off"], -5 / 32, delta=0.001)
        text = run(TWINRT, "calibrate", "--profile", self.path("base.json"), *only(both),
                   "--table", board, "-o", self.path("mine.json"), "--", PROGRAM, "6")
        self.assertRegex(text, r"(?m)^deviation, median: 166\.\d ns before, 166\.\d ns after")
        self.assertRegex(text, r"(?m)^with the values of the fit that are not used: median \d\.")
        self.assertIn(": no value was determined, so it has the times of profile ",
                      " ".join(text.split()))

    def test_values_that_rest_on_one_that_is_not_used(self):
        """A rate of 129 to 255 bytes does not divide the 256 of a scaling, which then takes 16
        cycles more (vector_unaligned_cycles), as the board does. So it may be that rate or the
        start, and neither is measured."""
        board = self.write("board.csv", "Op Name,Task Duration(us),aiv_vec_time(us)\n"
                           + "".join(f"vector_rate,N/A,{us}\n" for us in self.TIMES))
        found = self.fit("--table", board, free="aicore.vector_bytes,aicore.vector_start_cycles")
        self.assertEqual([(row["verdict"], row["fitted"]) for row in found["parameters"]],
                         [("too weak", 128), ("too weak", 12)])

    def test_tables_side_by_side(self):
        """The board has 1.5 times the model's time of each task; its rows have another name."""
        model, _ = self.measure("910b3", "model", "2")
        lengths = [float(row["Task Duration(us)"]) for row in table(model)]
        board = self.write("op_summary_1.csv", "Op Name,Task Duration(us)\n" + "".join(
            "%s,%.6f\n" % (name, 1.5 * us)
            for name, us in zip(("aclnnMuls_Muls", "aclnnMuls_Other"), lengths)))
        both = ("--op", "aclnnMuls_Muls=vector_rate", "--op=aclnnMuls_Other=vector_rate")
        found = json.loads(run(TWINRT, "compare", "--json", *both, board, model))
        self.assertEqual([(row["kernel"], row["launch"], row["line"], row["model_us"])
                          for row in found["rows"]],
                         [("vector_rate", launch, 2 + launch, us)
                          for launch, us in enumerate(lengths)])
        for row in found["rows"]:
            self.assertAlmostEqual(row["off"], 1 / 1.5 - 1, places=5)
        self.assertIn("kernel vector_rate: 1 launches in " + board,
                      run(TWINRT, "compare", *both[2:], board, model, status=2))
        # names in the model's table stay: B is not renamed
        for arguments, wanted in (
                ((board, model), "no kernel is in both"),
                (("--op=vector_rate=aclnnMuls_Muls", board, model), "no kernel is in both"),
                (("--op=aclnnMuls_Muls", board, model), "--op=aclnnMuls_Muls: expected BOARD=KERN"),
                ((*both, TWINRT, TWINRT), "--op is for two tables of a profiler"),
                ((board, TWINRT), f"{board} is a table of a profiler, but {TWINRT} is not; exp"),
                ((*both, board, board + "x"), f"but {board}x is not: No such file or directory; "),
                (("--svg=x.svg", board, model), "--svg is for recordings")):
            self.assertIn(wanted, run(TWINRT, "compare", *arguments, status=2))

    def test_the_summary(self):
        """What was read, fitted, not used and why, and where the profile is."""
        self.write("board.csv", "Op Name,Task Duration(us),aiv_vec_time(us),aic_mac_time(us)\n"
                   + "hcom_send,12.5,N/A,N/A\nCast,1,2,N/A\nCast,1,N/A,N/A\n" + "".join(
                       "vector_rate,N/A,%s,%s\n" % (us, "0.1" if us > "1" else "0")
                       for us in self.TIMES))
        write_profile(self.path("base.json"), self.BASE, mark="known")
        command = [TWINRT, "calibrate", "--profile=./base.json", "--table=board.csv",
                   *only("aicore.cube_start_cycles", "aicore.vector_start_cycles")]

        def fit(*options):
            return subprocess.run([*command, *options, "--", PROGRAM, "6"], env=SETTINGS,
                                  cwd=self.folder, text=True, capture_output=True, check=True)
        done = fit("-o", "mine.json")
        self.assertEqual(done.stderr, "twinrt: fitting 2 parameters to 6 durations; -v reports "
                         "each step\n")
        lines = done.stdout.splitlines()
        # 6 times are used; 4 are of other kernels, 3 of a pipe that the kernel does not have
        self.assertEqual(lines[0], "board.csv: 13 times, 6 durations, 7 not in the model")
        self.assertRegex(done.stdout, r"(?m)^aicore\.vector_start_cycles +12 +28 +\d.* 6  "
                         "identifiable$")
        for line in ("no influence, unchanged: aicore.cube_start_cycles",
                     "not used, the model has no kernel of the name (--op): Cast (3), "
                     "hcom_send (1)",
                     "not used, 0 or missing in the model: vector_rate aic_cube (3)",
                     "wrote mine.json: 1 value measured, 0 only in sums; use it with "
                     "TWINRT_PROFILE=./mine.json"):
            self.assertIn(line, lines)
        self.assertRegex(done.stdout, r"(?m)^deviation, median: \d")
        self.assertEqual([line for line in lines if len(line) > 80
                          and not line.startswith(("not used", "wrote"))], [])
        self.assertEqual(parameters_of(self.path("mine.json"))["aicore.vector_start_cycles"]
                         ["value"], 28)
        self.assertIn("\nno profile was written; -o FILE writes one\n", fit().stdout)

    def launches(self, mhz="1800"):
        """Folders of msprof op, a launch in each."""
        files = []
        for number, us in enumerate(self.TIMES):
            folder = "OPPROF_%d" % number
            self.write("OpBasicInfo.csv", "Op Name,Op Type,Task Duration(us),Block Dim,"
                       "Mix Block Dim,Device Id,Pid,Current Freq,Rated Freq,\n"
                       "vector_rate,vector,3.100000,1,NA,0,77,%s,1800,\n" % mhz, folder)
            files += ["--table", self.write(
                "PipeUtilization.csv",
                self.BLOCKS + "\n0,vector0,NA,NA,%s,0.5,\n" % us, folder)]
        return files

    def test_pipe_utilization(self):
        """The kernel's name is in OpBasicInfo.csv beside it."""
        self.assertEqual(self.start_of(self.fit(*self.launches())), (28, "identifiable"))

    def test_another_clock(self):
        files = self.launches("800")
        basic = os.path.join(os.path.dirname(files[1]), "OpBasicInfo.csv")
        said = self.fit("--table", basic, *files, status=2)
        self.assertIn("measured at 800 MHz, but profile", said)

    def test_task_time(self):
        """A task is as long as its parts: 500 ns more of T-CORE-7 are 500 ns more."""
        values = parameters_of("910b3")["aicore.software_init_ns"]["value"]
        lengths = [float(row["Task Duration(us)"])
                   for row in table(self.measure("910b3", "base")[0])]
        path = self.write("task_time_1.csv", "Device_id,kernel_name,kernel_type,stream_id,task_id,"
                          "task_time(us),task_start(us),task_stop(us)\n" + "".join(
                              "0,%s,AI_VECTOR_CORE,2,%d,%.3f,1,2\n" % (row[0], task, us + 0.5)
                              for task, (row, us) in enumerate(zip(LAUNCHES, lengths))))
        found = json.loads(run(
            TWINRT, "calibrate", "--json", "--table", path, *only("aicore.software_init_ns"), "--",
            PROGRAM))
        self.assertEqual(self.start_of(found), (values + 500, "identifiable"))

    def test_what_is_not_certain_is_refused(self):
        head = "Op Name,Task Duration(us),Block Dim,aiv_vec_time(us)\n"
        good = "vector_rate,3,1,0.017778\nvector_rate,3,1,0.711111\n" # of the first two launches
        for text, wanted in (
                (head + good + "vector_rate,3,1,0.7\n",
                 "kernel vector_rate: 3 launches in FILE, but 2 in PROGRAM: it is not known which"),
                (head + good.replace(",1,0.7", ",8,0.7"),
                 "FILE: line 3: kernel vector_rate has 8 blocks, but 1 in PROGRAM"),
                (head + good.replace("vector_rate", "Muls"),
                 "no kernel is in both: Muls is in FILE, vector_rate in PROGRAM; "
                 "--op BOARD=KERNEL"),
                (head + good.replace("0.711111", "fast"),
                 'FILE: line 3, column aiv_vec_time(us): "fast" is not a number'),
                (head + good.replace("0.711111", "-1"), 'line 3, column aiv_vec_time(us): "-1"'),
                (head + good.replace("0.711111", "inf"), 'line 3, column aiv_vec_time(us): "inf"'),
                (head + good.replace("0.711111", "0.7,8"),
                 "FILE: line 3: more cells than the header has"),
                (head + '"vector_rate', "FILE: line 2: the quoted cell that begins here"),
                (head + '"vector_rate"x,3', "FILE: line 2: text after a quoted cell"),
                (head.replace("Block Dim", "Op Name") + good, "column Op Name: is there twice"),
                (self.BLOCKS + "Op Name\n" + "0,vector0,NA,1,1,1,vector_rate\n" * 2,
                 'FILE: line 3: time aiv of block 0 on "vector0" is in line 2 already'),
                (head, "no times of kernels"),
                ("", "FILE: line 1: no header"),
                (b"Op Name,Task Duration(us)\n\0", "FILE: line 1: a byte of value 0"),
                ("a,b\n1,2\n", "FILE: not a table of a profiler"),
                ("block_id,sub_block_id,aiv_time(us),aiv_main_mem_read_bw(GB/s)\n",
                 "FILE: no times of pipes (as aiv_vec_time(us)); Memory.csv"),
                (self.BLOCKS + "\n0,vector0,NA,1,1,1,\n",
                 "FILE: the table does not name its kernel; expected OpBasicInfo.csv")):
            path = self.write("bad.csv", text)
            said = self.fit("--table", path, status=2, arguments=("2",))
            said = said.replace(path, "FILE").replace(PROGRAM, "PROGRAM")
            self.assertTrue(said.startswith("twinrt: ") and said.count("\n") == 1, said)
            self.assertIn(wanted, said)

    def test_use_of_the_command(self):
        path = self.write("a.csv", "Op Name,Task Duration(us)\nvector_rate,3\n")
        for arguments, wanted in (
                ([path], "is a table, not a recording; expected --table FILE"),
                (["--table", path], "missing argument: the program that was measured"),
                (["--op=a=b", path], "--op is for --table"),
                (["--table", path, "--op=a", "--", PROGRAM], "--op=a: expected BOARD=KERNEL"),
                (["--table", path, "--", "/bin/false"], "/bin/false: a run on the model ended"),
                (["--table", path, "--", "/no/such"], "/no/such: a run on the model ended with "
                 "status 127"),
                (["--table", "/dev/null", "--", PROGRAM], "/dev/null: not a regular file"),
                (["--table", self.folder, "--", PROGRAM], "not a regular file"),
                (["--table", path + "x", "--", PROGRAM], "No such file")):
            self.assertIn(wanted, run(TWINRT, "calibrate", *arguments, status=2))

    def test_nothing_is_left_in_the_temporary_folder(self):
        os.mkdir(self.path("tmp"))
        path = self.write("a.csv", "Op Name,Task Duration(us)\nvector_rate,3\n")
        run(TWINRT, "calibrate", "--table", path, "--", PROGRAM, status=2, TMPDIR=self.path("tmp"))
        self.assertIn("true: a run on the model has no times of kernels; expected a program that ",
                      run(TWINRT, "calibrate", "--table", path, "--", "true", status=2,
                          TMPDIR=self.path("tmp")))
        self.assertEqual(os.listdir(self.path("tmp")), [])


if __name__ == "__main__":
    TWINRT, PROGRAM = sys.argv[1:3]
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
