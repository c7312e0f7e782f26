# SPDX-License-Identifier: Apache-2.0
"""`twinrt calibrate`: a model with secret parameters plays the board, and a fit that begins from the public ones finds them.

usage: calibrate_test.py [--seeds N] [--first SEED] [--profiles A,B] [--noise PERMILLE] [--vary SEED] [--few] TWINRT ACL_BENCH
ctest runs a short turn, of few parameters; bench/calibrate.sh has the long ones."""

import argparse
import json
import os
import random
import struct
import subprocess
import sys
import tempfile
import unittest

SMOOTH = ("ns", "cycles", "MB/s", "permille", "B/cycle")
NEAR = 0.05
# Of a short turn. The last two are known in their sum alone, the one before has no influence.
FEW = ("dma.pcie.setup_ns", "dma.sdma.setup_ns", "fetch.read_ns", "host.doorbell_ns", "host.memory_ns", "sqe.write_value_ns",
       "dma.pcie.list.read_ns", "swap_in.record_read_ns", "swap_in.slot_enable_ns")
OPTIONS = None
SETTINGS = {name: value for name, value in os.environ.items() if not name.startswith("TWINRT_")}


def run(*command, status=0, **settings):
    done = subprocess.run(command, env={**SETTINGS, **settings}, text=True, capture_output=True, timeout=600, check=False)
    if done.returncode != status:
        raise AssertionError("%s ended with %d\n%s%s" % (" ".join(command), done.returncode, done.stdout, done.stderr))
    return done.stdout if status == 0 else done.stderr


def parameters_of(profile):
    """name -> parameter of a profile, by name or file."""
    found = json.loads(run(OPTIONS.twinrt, "info", "--json", "--profile", profile))
    return {row["name"]: row for row in found["parameters"]}


def assumed(profile):
    """What a calibration may change: name -> parameter."""
    return {name: row for name, row in parameters_of(profile).items()
            if row["mark"] == "assumed" and row["unit"] in SMOOTH and row["value"] > 0 and (name in FEW or not OPTIONS.few)}


def write_profile(path, base, values):
    """A variant of a profile with these values: name -> (value, unit)."""
    root = {"base": base}
    for name, (value, unit) in values.items():
        at = root
        *groups, last = name.split(".")
        for group in groups:
            at = at.setdefault(group, {})
        at[last] = {"value": value, "unit": unit, "mark": "assumed", "source": "a secret of the test"}
    with open(path, "w", encoding="utf-8") as file:
        json.dump(root, file)


def entries(record):
    """(offset, kind, bytes) of each entry of a record, as seam/record_file.h lays it out."""
    chunk_bytes = struct.unpack_from("<I", record, 24)[0]
    chunk = struct.unpack_from("<I", record, 16)[0]
    while chunk + 32 <= len(record):
        magic, span, _, used = struct.unpack_from("<IIQQ", record, chunk)
        at = chunk + 32
        while magic == 0x4B4E4843 and at < chunk + 32 + used:
            size, kind = struct.unpack_from("<IH", record, at)
            yield at, kind, size
            at += size
        chunk += chunk_bytes * max(span, 1)


def add_noise(path, permille, seed):
    """Shifts the ends of all tasks by a random part of their lengths, and beginnings with the ends before them."""
    dice = random.Random(seed)
    with open(path, "rb") as file:
        record = bytearray(file.read())
    moved = 0
    for at, kind, _ in entries(record):
        if kind != 5:  # a task
            continue
        begin, end = struct.unpack_from("<QQ", record, at + 64 + 16)
        end = max(begin, end + round(dice.gauss(0, (end - begin) * permille / 1000)))
        struct.pack_into("<QQ", record, at + 64 + 16, begin, end)
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
        board = os.path.join(folder, "board-%s-%d.json" % (profile, seed))
        self.record = os.path.join(folder, "board-%s-%d.rec" % (profile, seed))
        self.fitted_path = os.path.join(folder, "fitted-%s-%d.json" % (profile, seed))
        write_profile(board, profile, {name: (self.secret[name], row["unit"]) for name, row in self.public.items()})
        run(OPTIONS.acl_bench, "calibrate", str(OPTIONS.repeats), TWINRT_BACKEND="sim", TWINRT_PROFILE=board, TWINRT_RECORD=self.record,
            TWINRT_SEED=str(OPTIONS.vary))
        if OPTIONS.noise:
            assert add_noise(self.record, OPTIONS.noise, seed) > 1000
        fixed = ["--fix=" + row["name"] for row in parameters_of(profile).values()
                 if row["mark"] == "assumed" and row["name"] not in self.public]
        self.result = json.loads(run(OPTIONS.twinrt, "calibrate", "--json", "--profile", profile, "-o", self.fitted_path, *fixed,
                                     self.record))
        self.rows = {row["name"]: row for row in self.result["parameters"]}

    def of(self, verdict):
        return [row for row in self.result["parameters"] if row["verdict"] == verdict]

    def errors(self):
        """name -> how far off, of what is said to be determined; of sums, by the names in them."""
        found = {row["name"]: row["fitted"] / self.secret[row["name"]] - 1 for row in self.of("identifiable")}
        for row in self.of("only in sum"):
            names = [row["name"]] + row["with"].split(", ")
            if any(name not in self.rows for name in names):
                continue
            found[" + ".join(sorted(names))] = (sum(self.rows[name]["fitted"] for name in names) /
                                                sum(self.secret[name] for name in names) - 1)
        return found


class SecretParameters(unittest.TestCase):
    """Every parameter that is said to be determined is, and what is said to have no influence has none."""

    def judge(self, profile, seed, least):
        with tempfile.TemporaryDirectory() as folder:
            hidden = Hidden(folder, profile, seed)
            errors = hidden.errors()
            far = {name: "%+.1f %%" % (100 * error) for name, error in errors.items() if abs(error) > NEAR}
            self.assertEqual(far, {}, "%s, seed %d: farther off than 5 %%" % (profile, seed))
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
        silent = {row["name"] for row in hidden.of("no influence")}
        factor = {"ns": 3, "cycles": 3}
        values = {name: (round(value * (factor.get(hidden.public[name]["unit"], 0.5) if name in silent else 1)) or 1,
                         hidden.public[name]["unit"]) for name, value in hidden.secret.items() if name in hidden.public}
        board = os.path.join(folder, "silent.json")
        other = os.path.join(folder, "silent.rec")
        one = os.path.join(folder, "one.rec")
        write_profile(board, profile, values)
        run(OPTIONS.acl_bench, "calibrate", str(OPTIONS.repeats), TWINRT_BACKEND="sim", TWINRT_PROFILE=board, TWINRT_RECORD=other)
        values = {name: (value, hidden.public[name]["unit"]) for name, value in hidden.secret.items() if name in hidden.public}
        write_profile(board, profile, values)
        run(OPTIONS.acl_bench, "calibrate", str(OPTIONS.repeats), TWINRT_BACKEND="sim", TWINRT_PROFILE=board, TWINRT_RECORD=one)
        self.assertEqual(self.times(one), self.times(other), "something of %s has an influence" % sorted(silent))

    @staticmethod
    def times(path):
        with open(path, "rb") as file:
            record = file.read()
        return sorted(struct.unpack_from("<IIQQQ", record, at + 64) for at, kind, _ in entries(record) if kind == 5)


def seeds():
    return range(OPTIONS.first, OPTIONS.first + OPTIONS.seeds)


def add_profile(profile):
    def test(self):
        for seed in seeds():
            with self.subTest(seed=seed):
                hidden = self.judge(profile, seed, 6 if OPTIONS.few else 15)
                if OPTIONS.seeds > 1:
                    errors = hidden.errors()
                    print("%s seed %d: %d determined, worst %+.2f %%, %d runs" % (
                        profile, seed, len(errors), 100 * max(errors.values(), key=abs), hidden.result["runs"]))
    setattr(SecretParameters, "test_" + profile, test)


def all_but(free):
    """What a fit of one parameter in one step needs."""
    return ["--profile=910b3", "--steps=1"] + ["--fix=" + name for name, row in parameters_of("910b3").items()
                                               if row["mark"] == "assumed" and name != free]


def calibrate_one(record, *arguments):
    return subprocess.run([OPTIONS.twinrt, "calibrate", "--json", *all_but("fetch.read_ns"), *arguments, record],
                          env=SETTINGS, text=True, capture_output=True, timeout=600, check=False)


class Command(unittest.TestCase):
    """What is refused, and how."""

    def test_no_record(self):
        self.assertIn("which records?", run(OPTIONS.twinrt, "calibrate", status=2))

    def test_unknown_parameter(self):
        with tempfile.TemporaryDirectory() as folder:
            record = os.path.join(folder, "a.rec")
            run(OPTIONS.acl_bench, "submit", "1", TWINRT_BACKEND="sim", TWINRT_RECORD=record)
            self.assertIn("no.such_thing is no parameter", run(OPTIONS.twinrt, "calibrate", "--free=no.such_thing", record, status=2))
            self.assertIn("limit.streams", run(OPTIONS.twinrt, "calibrate", "--free=limit.streams", record, status=2))

    def test_a_place_that_cannot_be_written(self):
        with tempfile.TemporaryDirectory() as folder:
            record = os.path.join(folder, "a.rec")
            run(OPTIONS.acl_bench, "submit", "1", TWINRT_BACKEND="sim", TWINRT_RECORD=record)
            for place in (os.path.join(folder, "none", "x.json"), folder, os.path.join(folder, "x" * 300)):
                done = calibrate_one(record, "--verbose", "-o", place)
                self.assertEqual((done.returncode, done.stdout), (2, ""))
                self.assertRegex(done.stderr, "^twinrt: " + place + " cannot be written: .*\n$", "before the fit")
            # a name that its last moment alone is too long for: what was found is told all the same
            place = os.path.join(folder, "x" * 248)
            done = calibrate_one(record, "-o", place)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertRegex(done.stderr, "(?m)^twinrt: " + place + " cannot be written: File name too long$")
            self.assertIn("fetch.read_ns", [row["name"] for row in json.loads(done.stdout)["parameters"]])
            self.assertEqual(os.listdir(folder), ["a.rec"])

    def test_a_record_that_is_not_whole(self):
        """It is used as far as it goes, and what is missing is told."""
        with tempfile.TemporaryDirectory() as folder:
            record = os.path.join(folder, "a.rec")
            run(OPTIONS.acl_bench, "submit", "1", TWINRT_BACKEND="sim", TWINRT_RECORD=record)
            with open(record, "rb") as file:
                content = file.read()
            with open(record, "wb") as file:
                file.write(content[:4096 + (len(content.rstrip(b"\0")) - 4096) * 9 // 10])
            done = calibrate_one(record)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn(f"{record}: ", done.stderr)
            self.assertIn("damaged places are left out", done.stderr)

    def test_not_a_record(self):
        self.assertIn("/dev/null", run(OPTIONS.twinrt, "calibrate", "/dev/null", status=2))


def main():
    global OPTIONS
    parser = argparse.ArgumentParser()
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--few", action="store_true")
    parser.add_argument("--repeats", type=int, default=1)
    parser.add_argument("--profiles", default="910b3")
    parser.add_argument("--noise", type=int, default=0)
    parser.add_argument("--vary", type=int, default=0, help="TWINRT_SEED of the board: its times vary in their ranges")
    parser.add_argument("twinrt")
    parser.add_argument("acl_bench")
    OPTIONS, rest = parser.parse_known_args()
    os.umask(0o022) # files are private whatever the user's habit is
    for profile in OPTIONS.profiles.split(","):
        add_profile(profile)
    unittest.main(argv=sys.argv[:1] + rest)


if __name__ == "__main__":
    main()
