# SPDX-License-Identifier: Apache-2.0
"""`twinrt calibrate`: a model with secret parameters plays the board, and a fit that begins from
   the public ones finds them.

usage: calibrate_test.py [--seeds N] [--first SEED] [--profiles A,B] [--repeats N] [--noise
PERMILLE] [--vary SEED] [--least N]
                         [--misses N] [--few] [--table] TWINRT ACL_BENCH [TEST...]
ctest runs a short turn, of few parameters; bench/calibrate.sh has the long ones."""

import argparse
import collections
import json
import os
import random
import subprocess
import sys
import tempfile
import unittest

from recordings import HEADER, entries, hide, stop_clocks, tasks

SMOOTH = ("ns", "cycles", "MB/s", "permille", "B/cycle")
NEAR = 0.05
# where a brief public call and an ended task have how long they took, and its bytes
LENGTHS = {42: (11, 3), 5: (20, 4)}
# Of a short turn. The last two are known in their sum alone, the one before has no influence.
FEW = ("dma.pcie.setup_ns", "dma.sdma.setup_ns", "fetch.read_ns", "host.doorbell_ns",
       "host.memory_ns", "sqe.write_value_ns",
       "dma.pcie.list.read_ns", "swap_in.record_read_ns", "swap_in.slot_enable_ns")
OPTIONS = None
FOUND = collections.defaultdict(list) # (profile, parameter or sum) -> outcomes, for the table
MISSED = collections.defaultdict(list) # profile -> outcomes whose interval does not hold the truth
SETTINGS = {name: value for name, value in os.environ.items() if not name.startswith("TWINRT_")}


def run(*command, status=0, **settings):
    done = subprocess.run(command, env={**SETTINGS, **settings}, text=True, capture_output=True,
                          timeout=600, check=False)
    if done.returncode != status:
        raise AssertionError("%s ended with %d\n%s%s" %
                             (" ".join(command), done.returncode, done.stdout, done.stderr))
    return done.stdout if status == 0 else done.stderr


def parameters_of(profile):
    """name -> parameter of a profile, by name or file."""
    found = json.loads(run(OPTIONS.twinrt, "info", "--json", "--profile", profile))
    return {row["name"]: row for row in found["parameters"]}


def assumed(profile):
    """What a calibration may change: name -> parameter."""
    return {name: row for name, row in parameters_of(profile).items()
            if row["mark"] == "assumed" and row["unit"] in SMOOTH and row["value"] > 0
            and (name in FEW or not OPTIONS.few)}


def write_profile(path, base, values):
    """A variant of a profile with these values: name -> (value, unit)."""
    root = {"base": base}
    for name, (value, unit) in values.items():
        at = root
        *groups, last = name.split(".")
        for group in groups:
            at = at.setdefault(group, {})
        at[last] = {"value": value, "unit": unit, "mark": "assumed",
                    "source": "a secret of the test"}
    with open(path, "w", encoding="utf-8") as file:
        json.dump(root, file)


TASK = 5  # the kind of ended tasks


def add_noise(path, permille, seed):
    """Clocks that stray: the ends of all tasks and of all public calls are shifted by a random part
       of their lengths. What
    followed is left where it was, so some tasks seem to begin before the one before them has
    ended."""
    dice = random.Random(seed)
    with open(path, "rb") as file:
        record = bytearray(file.read())
    moved = 0
    for at, kind, _ in entries(record):
        if kind not in LENGTHS:
            continue
        offset, size = LENGTHS[kind]
        place = slice(at + offset, at + offset + size)
        length = int.from_bytes(record[place], "little")
        length = max(0, length + round(dice.gauss(0, length * permille / 1000)))
        record[place] = length.to_bytes(size, "little")
        moved += 1
    with open(path, "wb") as file:
        file.write(record)
    return moved


class Hidden:
    """A board with secret parameters, and what a calibration says of its record."""

    def __init__(self, folder, profile, seed):
        dice = random.Random("%s %d" % (profile, seed))
        self.public = assumed(profile)
        self.secret = {name: max(1, round(row["value"] * 2 ** dice.uniform(-1, 1)))
                       for name, row in self.public.items()}
        for name, row in self.public.items():
            if row["unit"] == "permille":
                self.secret[name] = min(self.secret[name], 1000)
        board = os.path.join(folder, "board-%s-%d.json" % (profile, seed))
        self.record = os.path.join(folder, "board-%s-%d.rec" % (profile, seed))
        self.fitted_path = os.path.join(folder, "fitted-%s-%d.json" % (profile, seed))
        write_profile(
            board, profile, {name: (self.secret[name], row["unit"])
                             for name, row in self.public.items()})
        run(OPTIONS.acl_bench, "calibrate", str(OPTIONS.repeats), TWINRT_BACKEND="sim",
            TWINRT_PROFILE=board, TWINRT_RECORD=self.record,
            TWINRT_SEED=str(OPTIONS.vary))
        if OPTIONS.noise:
            assert add_noise(self.record, OPTIONS.noise, seed) > 1000
        fixed = ["--fix=" + row["name"] for row in parameters_of(profile).values()
                 if row["mark"] == "assumed" and row["name"] not in self.public]
        self.result = json.loads(
            run(OPTIONS.twinrt, "calibrate", "--json", "--profile", profile, "-o", self.fitted_path,
                *fixed,
                self.record))
        self.rows = {row["name"]: row for row in self.result["parameters"]}

    def of(self, verdict):
        return [row for row in self.result["parameters"] if row["verdict"] == verdict]

    def truth_of(self, combination):
        """Of "a_ns + 0.98 * b_ns", with the secret values."""
        total = 0
        for part in combination.split(" + "):
            factor, _, name = part.rpartition(" * ")
            total += float(factor or 1) * self.secret[name]
        return total

    def outcomes(self):
        """(name, verdict, how far off, whether the interval holds the truth; None: nothing is said)
        of each parameter and sum."""
        reported = set()
        for row in self.result["parameters"]:
            name, verdict = row["name"], row["verdict"]
            if "low" in row:
                holds = row["low"] <= self.secret[name] <= row["high"]
                yield name, verdict, row["fitted"] / self.secret[name] - 1, holds
            else:
                yield name, verdict, None, None
            if "sum" in row and row["combination"] not in reported:
                reported.add(row["combination"])
                truth = self.truth_of(row["combination"])
                holds = row["sum_low"] - 1 <= truth <= row["sum_high"] + 1
                yield row["combination"], "sum", row["sum"] / truth - 1, holds


class SecretParameters(unittest.TestCase):
    """Every parameter that is reported as determined is, and one without influence has none."""

    def judge(self, profile, seed, least):
        with tempfile.TemporaryDirectory() as folder:
            hidden = Hidden(folder, profile, seed)
            outcomes = list(hidden.outcomes())
            for name, *outcome in outcomes:
                FOUND[profile, name].append((seed, *outcome))
            far = {name: "%+.1f %%" % (100 * error) for name, verdict, error, _ in outcomes
                   if verdict in ("identifiable", "sum") and abs(error) > NEAR}
            self.assertEqual(far, {}, "%s, seed %d: farther off than 5 %%" % (profile, seed))
            missed = [(seed, *row) for row in outcomes if row[3] is False]
            MISSED[profile] += missed
            self.assertLessEqual(len(MISSED[profile]), OPTIONS.misses,
                                 "%s: the truth is outside: %s" % (profile, MISSED[profile]))
            self.assertGreaterEqual(len(hidden.of("identifiable")), least)
            self.check_profile(hidden)
            self.check_silent(folder, profile, hidden)
        return hidden

    def check_profile(self, hidden):
        fitted = parameters_of(hidden.fitted_path)
        self.assertEqual(os.stat(hidden.fitted_path).st_mode & 0o777, 0o600)
        for row in hidden.of("identifiable"):
            self.assertEqual(fitted[row["name"]]["mark"], "measured", row["name"])
            self.assertEqual(fitted[row["name"]]["value"], row["fitted"])
            self.assertIn(os.path.basename(hidden.record), fitted[row["name"]]["source"])
        for row in hidden.of("no influence"):
            self.assertEqual(fitted[row["name"]]["mark"], "assumed", row["name"])

    def check_silent(self, folder, profile, hidden):
        """A board with other values of those without influence does the same."""
        # instructions inside kernels are done again as recorded, so that their costs are hidden
        # from the fit alone
        silent = {row["name"] for row in hidden.of("no influence")
                  if not row["name"].startswith("aicore.") or row["unit"] != "cycles"}
        factor = {"ns": 3, "cycles": 3}
        values = {
            name: (
                round(
                    value * (factor.get(hidden.public[name]["unit"], 0.5) if name in silent else 1))
                or 1,
                hidden.public[name]["unit"]) for name, value in hidden.secret.items()
            if name in hidden.public}
        board = os.path.join(folder, "silent.json")
        other = os.path.join(folder, "silent.rec")
        one = os.path.join(folder, "one.rec")
        write_profile(board, profile, values)
        run(OPTIONS.acl_bench, "calibrate", str(OPTIONS.repeats), TWINRT_BACKEND="sim",
            TWINRT_PROFILE=board, TWINRT_RECORD=other)
        values = {name: (value, hidden.public[name]["unit"])
                  for name, value in hidden.secret.items() if name in hidden.public}
        write_profile(board, profile, values)
        run(OPTIONS.acl_bench, "calibrate", str(OPTIONS.repeats), TWINRT_BACKEND="sim",
            TWINRT_PROFILE=board, TWINRT_RECORD=one)
        self.assertTrue(self.times(one) == self.times(other), "something of %s has an influence" %
                        sorted(silent))

    @staticmethod
    def times(path):
        with open(path, "rb") as file:
            return sorted(tasks(file.read()))


def seeds():
    return range(OPTIONS.first, OPTIONS.first + OPTIONS.seeds)


def add_profile(profile):
    def test(self):
        for seed in seeds():
            with self.subTest(seed=seed):
                hidden = self.judge(profile, seed, 6 if OPTIONS.few else OPTIONS.least)
                if not OPTIONS.few:
                    errors = [error for _, verdict, error, _ in hidden.outcomes()
                              if verdict in ("identifiable", "sum")]
                    print("%s seed %d: %d determined, worst %+.2f %%, %d runs%s" % (
                        profile, seed, len(errors), 100 * max(errors, key=abs, default=0),
                        hidden.result["runs"],
                        ", poor" if hidden.result["poor"] else ""), flush=True)
    setattr(SecretParameters, "test_" + profile, test)


def percent(errors):
    return "%.2f %%" % (100 * max(map(abs, errors))) if errors else "-"


def print_table():
    """One row for each parameter: in how many sets of secrets it was determined, and its worst
    verdict."""
    print(
        "| Part | Parameter | Sets | Measured | Only in a sum | Too weak | No influence | "
        "Farthest off, measured | Intervals that hold |")
    print("|---|---|---|---|---|---|---|---|---|")
    sums = collections.defaultdict(list)
    for (profile, name), outcomes in sorted(FOUND.items()):
        verdicts = collections.Counter(outcome[1] for outcome in outcomes)
        if "sum" in verdicts:
            sums[profile, name] += outcomes
            continue
        said = [outcome for outcome in outcomes if outcome[3] is not None]
        print("| %s | `%s` | %d | %d | %d | %d | %d | %s | %d of %d |" % (
            profile, name, len(outcomes), verdicts["identifiable"], verdicts["only in sum"],
            verdicts["too weak"],
            verdicts["no influence"], percent(
                [outcome[2] for outcome in outcomes if outcome[1] == "identifiable"]),
            sum(outcome[3] for outcome in said), len(said)))
    for (profile, name), outcomes in sums.items():
        seeds_of = {outcome[0] for outcome in outcomes}
        print("| %s | sum `%s` | %d | %d | - | - | - | %s | %d of %d |" % (
            profile, name, len(seeds_of), len(seeds_of),
            percent([outcome[2] for outcome in outcomes]),
            sum(outcome[3] for outcome in outcomes), len(outcomes)))


def in_one_step(*free, profile="910b3"):
    """Options of a fit of these parameters."""
    return ["--profile=" + profile, "--steps=1", "--only=" + ",".join(free)]


def calibrate_one(record, *arguments, folder=None):
    return subprocess.run(
        [OPTIONS.twinrt, "calibrate", "--json", *in_one_step("fetch.read_ns"), *arguments, record],
        env=SETTINGS, cwd=folder, text=True, capture_output=True, timeout=600, check=False)


class Command(unittest.TestCase):
    """What is refused, and how."""

    def test_no_record(self):
        self.assertIn("missing argument: RECORDING", run(OPTIONS.twinrt, "calibrate", status=2))

    def test_unknown_parameter(self):
        with tempfile.TemporaryDirectory() as folder:
            record = os.path.join(folder, "a.rec")
            run(OPTIONS.acl_bench, "submit", "1", TWINRT_BACKEND="sim", TWINRT_RECORD=record)
            self.assertIn("has no parameter no.such_thing",
                          run(OPTIONS.twinrt, "calibrate", "--free=no.such_thing", record,
                              status=2))
            self.assertIn(
                "limit.streams", run(OPTIONS.twinrt, "calibrate", "--free=limit.streams", record,
                                     status=2))

    def test_only(self):
        """The named parameters are fitted, whatever their marks, and no others."""
        with tempfile.TemporaryDirectory() as folder:
            record = os.path.join(folder, "a.rec")
            run(OPTIONS.token, TWINRT_BACKEND="sim", TWINRT_PROFILE="310p3", TWINRT_RECORD=record)
            command = (OPTIONS.twinrt, "calibrate", "--profile=310p3", "--steps=1")
            known = parameters_of("310p3")
            names = ["aicore.vector_bytes", "firmware.command_ns", "host.wait_ns"]
            self.assertNotEqual(known[names[0]]["mark"], "assumed")
            found = json.loads(run(*command, "--json", "--only=" + ",".join(names[:2]),
                                   "--only", names[2], record))
            self.assertEqual(sorted(row["name"] for row in found["parameters"]), names)
            fit = [name for name, row in known.items() if row["unit"] in SMOOTH and row["value"]]
            firmware = ", ".join(name for name in fit if name.startswith("firmware."))
            self.assertGreater(firmware.count(", "), 3)
            for option, wanted in (
                    ("--only=firmware.none_ns,host.wait_ns",
                     "profile 310p3 has no parameter firmware.none_ns; twinrt info --profile "
                     "310p3 lists them; these can be fitted: " + firmware + "\n"),
                    ("--only=firmware.loop",
                     "firmware.loop: cannot be fitted: not a time, rate or share; these can be "
                     "fitted: " + firmware + "\n"),
                    ("--free=firmware.loop", "; these can be fitted: " + firmware + "\n"),
                    ("--only=limit.streams", "; these can be fitted: " + ", ".join(fit) + "\n"),
                    ("--fix=firmware.none_ns", "twinrt info --profile 310p3 lists them\n"),
                    ("--only=host.wait_ns,", "--only: a name is empty; expected PARAMETER[,")):
                self.assertIn(wanted, run(*command, option, record, status=2))
            for other in ("--free=host.wait_ns", "--fix=host.wait_ns"):
                self.assertIn("--only names all that is fitted",
                              run(*command, other, "--only=host.wait_ns", record, status=2))

    def test_a_place_that_cannot_be_written(self):
        with tempfile.TemporaryDirectory() as folder:
            record = os.path.join(folder, "a.rec")
            run(OPTIONS.acl_bench, "submit", "1", TWINRT_BACKEND="sim", TWINRT_RECORD=record)
            for place in (os.path.join(folder, "none", "x.json"), folder,
                          os.path.join(folder, "x" * 300)):
                done = calibrate_one(record, "--verbose", "-o", place)
                self.assertEqual((done.returncode, done.stdout), (2, ""))
                self.assertRegex(done.stderr, "^twinrt: " + place + " cannot be written: .*\n$",
                                 "before the fit")
            # the name is too long only for the final write: the result is printed all the same
            place = os.path.join(folder, "x" * 248)
            done = calibrate_one(record, "-o", place)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertRegex(done.stderr, "(?m)^twinrt: " + place +
                             " cannot be written: File name too long$")
            self.assertIn(
                "fetch.read_ns", [row["name"] for row in json.loads(done.stdout)["parameters"]])
            self.assertEqual(os.listdir(folder), ["a.rec"])

    def test_a_place_in_this_folder(self):
        """Named without the folder, as the manual does."""
        with tempfile.TemporaryDirectory() as folder:
            run(OPTIONS.acl_bench, "submit", "1", TWINRT_BACKEND="sim",
                TWINRT_RECORD=os.path.join(folder, "a.rec"))
            done = calibrate_one("a.rec", "-o", "mine.json", folder=folder)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(sorted(os.listdir(folder)), ["a.rec", "mine.json"])
            self.assertIn("fetch.read_ns", parameters_of(os.path.join(folder, "mine.json")))

    def test_the_report_fits_100_columns(self):
        """With sums, with intervals of what is too weak, and with the steps of the fit."""
        for profile, free, out, err in (
                ("910b3", "host.doorbell_ns swap_in.arbitration_ns swap_in.record_read_ns "
                 "swap_in.slot_enable_ns",
                 r"only in sum\n    host\.doorbell_ns \+ .* =\n      1024, from \d+ to \d+\n",
                 r"(?m)^step 1: "),
                ("310p3", "host.doorbell_ns firmware.activate_ns firmware.command_ns "
                 "firmware.fetch_ns firmware.report_ns firmware.reports.interrupt_ns "
                 "firmware.reports.take_ns",
                 r"too weak\n    between \d+ and \d+\n", r"(?m)^cost \S+: \S+ [+-]\d")):
            with self.subTest(profile), tempfile.TemporaryDirectory() as folder:
                run(OPTIONS.token, TWINRT_BACKEND="sim", TWINRT_PROFILE=profile,
                    TWINRT_RECORD=os.path.join(folder, "a.rec"))
                done = subprocess.run(
                    [OPTIONS.twinrt, "calibrate", "--verbose",
                     *in_one_step(*free.split(), profile=profile), "a.rec"],
                    env=SETTINGS, cwd=folder, text=True, capture_output=True, timeout=600,
                    check=False)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertRegex(done.stdout, out)
                self.assertLessEqual(done.stdout.count(" 1024, from "), 1)  # one sum of four
                self.assertRegex(done.stderr, err)
                self.assertEqual([line for line in (done.stdout + done.stderr).splitlines()
                                  if len(line) > 100], [])

    def test_a_record_that_is_not_whole(self):
        """It is used as far as it goes, and what is missing is reported."""
        with tempfile.TemporaryDirectory() as folder:
            record = os.path.join(folder, "a.rec")
            run(OPTIONS.acl_bench, "submit", "1", TWINRT_BACKEND="sim", TWINRT_RECORD=record)
            with open(record, "rb") as file:
                content = file.read()
            with open(record, "wb") as file:
                file.write(content[:HEADER + (len(content.rstrip(b"\0")) - HEADER) * 9 // 10])
            done = calibrate_one(record)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn(f"{record}: ", done.stderr)
            self.assertIn("damaged places are left out", done.stderr)

    def test_a_trial_that_ends_otherwise(self):
        """With times far from the device's the program of this recording ends in a deadlock: the
        fit must avoid such values."""
        with tempfile.TemporaryDirectory() as folder:
            record = os.path.join(folder, "token.rec")
            run(OPTIONS.token, TWINRT_BACKEND="sim", TWINRT_PROFILE="310p3", TWINRT_RECORD=record)
            found = json.loads(
                run(OPTIONS.twinrt, "calibrate", "--json", "--profile=310p3", record))
            self.assertEqual([row for row in found["parameters"] if row["fitted"] != row["before"]],
                             [])
            slow = os.path.join(folder, "slow.json")
            write_profile(slow, "310p3", {"firmware.command_ns": (50000, "ns")})
            said = run(OPTIONS.twinrt, "calibrate", "--profile=" + slow, record, status=2)
            self.assertRegex(said, "^twinrt: " + record +
                             r": queue\.drain \(seq \d+\) cannot be asked for again: "
                             r"TWIN_E_DEADLOCK\n$")

    def test_not_a_record(self):
        with tempfile.TemporaryDirectory() as folder:
            text = os.path.join(folder, "text.rec")
            with open(text, "w", encoding="utf-8") as file:
                file.write("no record\n" * 1000)
            for path in ("/dev/null", text, folder, os.path.join(folder, "none.rec")):
                self.assertRegex(run(OPTIONS.twinrt, "calibrate", path, status=2), "^twinrt: " +
                                 path + "\\b.*\n$")

    def test_of_another_part(self):
        """Nothing of it is used, also where another recording would do."""
        with tempfile.TemporaryDirectory() as folder:
            record, other = os.path.join(folder, "a.rec"), os.path.join(folder, "b.rec")
            run(OPTIONS.acl_bench, "submit", "1", TWINRT_BACKEND="sim", TWINRT_RECORD=record)
            run(OPTIONS.acl_bench, "submit", "1", TWINRT_BACKEND="sim", TWINRT_RECORD=other,
                TWINRT_PROFILE="310p3")
            said = run(OPTIONS.twinrt, "calibrate", "--profile=910b3", record, other, status=2)
            self.assertRegex(said, "^twinrt: " + other +
                             ": recorded on an Ascend310P3, but profile 910b3 is of an "
                             "Ascend910B3;")

    def test_without_times(self):
        """Of a device that reported no times, and of a run that submitted nothing."""
        with tempfile.TemporaryDirectory() as folder:
            record, idle = os.path.join(folder, "a.rec"), os.path.join(folder, "idle.rec")
            run(OPTIONS.acl_bench, "submit", "1", TWINRT_BACKEND="sim", TWINRT_RECORD=record)
            run(OPTIONS.twinrt, "info", TWINRT_BACKEND="sim", TWINRT_RECORD=idle)
            with open(record, "rb") as file:
                content = bytearray(file.read())
            for at, kind, _ in list(entries(content)):
                if kind == TASK:
                    hide(content, at)
            stop_clocks(content)  # nor is there a clock of the callers
            with open(record, "wb") as file:
                file.write(content)
            for path in [record] + [idle] * os.path.exists(idle):
                said = run(OPTIONS.twinrt, "calibrate", path, status=2)
                self.assertIn(path + ": the recording has no durations of tasks", said)


def main():
    global OPTIONS
    parser = argparse.ArgumentParser()
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--few", action="store_true")
    parser.add_argument("--repeats", type=int, default=1)
    parser.add_argument("--profiles", default="910b3")
    parser.add_argument("--noise", type=int, default=0,
                        help="clocks stray by so many thousandths of each length")
    parser.add_argument("--least", type=int, default=15, help="parameters that must be determined")
    parser.add_argument("--misses", type=int, default=0,
                        help="intervals of a part that need not hold: with noise 3 of 1000 do not")
    parser.add_argument(
        "--token", help="the program token_program, which the tests of the command need")
    parser.add_argument("--table", action="store_true", help="print what was found in the end")
    parser.add_argument("--vary", type=int, default=0,
                        help="TWINRT_SEED of the board: its times vary in their ranges")
    parser.add_argument("twinrt")
    parser.add_argument("acl_bench")
    OPTIONS, rest = parser.parse_known_args()
    os.umask(0o022) # files are private whatever the user's habit is
    for profile in OPTIONS.profiles.split(","):
        add_profile(profile)
    done = unittest.main(argv=sys.argv[:1] + rest, exit=False)
    if OPTIONS.table:
        print_table()
    sys.exit(not done.result.wasSuccessful())


if __name__ == "__main__":
    main()
