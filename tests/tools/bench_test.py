#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`twinrt bench`: options, fields, exact simulated times, and the parameters that they depend on.
No host time is judged.
Arguments: the tool, the folder of the installed layout's libraries."""
import copy
import json
import os
import subprocess
import sys
import tempfile
import unittest

LIBRARIES = os.path.abspath(sys.argv.pop())
TOOL = os.path.abspath(sys.argv.pop())
FIELDS = ("group", "run", "name", "clock", "unit", "repeats", "median", "p90", "low", "high",
          "samples")
WAYS = ["event", "stream", "stream wait event", "device", "notify", "value wait", "callback"]
MIB = 1 << 20


def run(*arguments, **environment):
    return subprocess.run([TOOL, "bench", *arguments], capture_output=True, text=True, timeout=600,
                          check=False,
                          env={**os.environ, "TWINRT_BACKEND": "sim", **environment})


def outcome(*arguments, **environment):
    got = run(*arguments, "--json", **environment)
    assert got.returncode == 0, got.stderr
    return json.loads(got.stdout)


def simulated(report):
    return {row["name"]: row["samples"] for row in report["rows"] if row["clock"] == "virtual"}


def leaves(node, path=""):
    for key, value in node.items():
        if isinstance(value, dict) and "value" in value:
            yield path + key, value
        elif isinstance(value, dict):
            yield from leaves(value, path + key + ".")


class Options(unittest.TestCase):
    def test_unknown_filter(self):
        got = run("--filter", "nosuch")
        self.assertEqual(got.returncode, 2)
        self.assertIn('"nosuch"', got.stderr)
        self.assertIn("--list", got.stderr)
        self.assertEqual(got.stdout, "")

    def test_wrong_repeats_and_words(self):
        for words in (("--repeats", "0"), ("--repeats", "65"), ("--repeats", "many"), ("more",)):
            got = run("--filter", "sync", *words)
            self.assertEqual(got.returncode, 2, words)
            self.assertEqual(got.stdout, "")

    def test_list_names_groups_and_rows(self):
        shown = run("--list").stdout
        for group in ("sync/ways", "copy/sizes", "submit/tasks", "submit/waits", "model/streams",
                      "model/devices"):
            self.assertIn(group, shown)
        part = run("--list", "--filter", "sync").stdout
        self.assertEqual([line.strip() for line in part.splitlines() if line.startswith("    ")],
                         WAYS)

    def test_null_backend_has_no_model(self):
        got = run("--filter", "model/start", "--backend", "null")
        self.assertIn("measures the model", got.stderr)

    def test_table_keeps_clocks_apart_and_says_the_marks(self):
        shown = run("--filter", "sync", "--repeats", "1").stdout
        simulated_part, _, host_part = shown.partition(" host time")
        self.assertIn("simulated time (exact)", simulated_part)
        for part in (simulated_part, host_part):
            self.assertEqual(
                [line[2:34].strip() for line in part.splitlines() if line[2:34].strip() in WAYS],
                WAYS)
        self.assertRegex(simulated_part, r"stream wait event .* us .* \d+i \d+a\n")


class Sync(unittest.TestCase):
    def test_fields(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "bench.json")
            os.umask(0o022)
            got = run("--filter", "sync", "--repeats", "3", "--json", path)
            self.assertEqual(os.stat(path).st_mode & 0o777, 0o600)
            self.assertEqual(got.returncode, 0, got.stderr)
            with open(path, encoding="utf-8") as file:
                report = json.load(file)
        self.assertEqual((report["backend"], report["repeats"]), ("sim", 3))
        names = {clock: [] for clock in ("host", "virtual")}
        for row in report["rows"]:
            for field in FIELDS:
                self.assertIn(field, row)
            self.assertEqual((row["group"], row["repeats"], len(row["samples"])), ("sync", 3, 3))
            self.assertEqual([row["low"], row["median"], row["high"]], sorted(row["samples"]))
            self.assertEqual(row["p90"], row["high"])
            names[row["clock"]].append(row["name"])
            if row["clock"] == "virtual":
                self.assertTrue(row["parameters"])
                self.assertLessEqual(set(row["parameters"].values()),
                                     {"known", "inferred", "assumed", "measured"})
        self.assertEqual(names, {"host": WAYS, "virtual": WAYS})

    def test_simulated_times_repeat(self):
        first = simulated(outcome("--filter", "sync", "--repeats", "3"))
        self.assertEqual(first, simulated(outcome("--filter", "sync", "--repeats", "3")))
        for samples in first.values():
            self.assertEqual(len(set(samples)), 1)

    def test_a_time_depends_on_just_the_parameters_that_are_named(self):
        with open(os.path.join(LIBRARIES, "twinrt", "profiles", "910b3.json"),
                  encoding="utf-8") as file:
            profile = json.load(file)
        plain = outcome("--filter", "sync", "--repeats", "1")
        times = simulated(plain)
        found = {name: set() for name in times}
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "changed.json")
            for name, leaf in leaves(profile):
                if leaf.get("unit") != "ns":
                    continue
                changed = copy.deepcopy(profile)
                entry = dict(leaves(changed))[name]
                entry["value"] = entry["value"] * 2 + 400
                with open(path, "w", encoding="utf-8") as file:
                    json.dump(changed, file)
                for way, samples in simulated(
                    outcome("--filter", "sync", "--repeats", "1", TWINRT_PROFILE=path)).items():
                    if samples != times[way]:
                        found[way].add(name)
        for row in plain["rows"]:
            if row["clock"] == "virtual":
                self.assertEqual(set(row["parameters"]), found[row["name"]], row["name"])


class Footprint(unittest.TestCase):
    """Memory is counted, so it can be judged here; the targets are those of bench/targets.json."""

    def test_eight_devices_with_all_streams(self):
        rows = {
            row["name"]: row["median"] for row in outcome("--filter", "model/devices", "--repeats",
                                                              "1")["rows"]}
        self.assertEqual(rows["devices"], 8)
        # a context takes one of the profile's 1984 for its default stream
        self.assertEqual(rows["streams of all devices"], 8 * 1983)
        self.assertLessEqual(rows["resident with all streams"], 2048)
        self.assertLessEqual(rows["memory of the first stream"], 2048)

    def test_a_large_copy_costs_the_model_what_a_small_one_does(self):
        rows = {
            row["name"]: row["median"] for row in outcome("--filter", "model/events", "--repeats",
                                                              "1")["rows"]}
        self.assertEqual(rows["events of a 1 GiB copy"], rows["events of a 1 MiB copy"])


if __name__ == "__main__":
    unittest.main()
