#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The examples, run as a reader would run them.

  example_test.py --build FOLDER --compiler CC [--flags FLAGS] [unittest options]

FOLDER is the build folder: bin/twinrt, include/, lib64/, examples/. Everything runs on the model.
"""
import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCES = os.path.join(HERE, "..", "..", "examples")
CHECK = os.path.join(HERE, "..", "tools", "timeline_check.py")
OPTIONS = argparse.Namespace()

# What each must print, in this order. The codes and orders are those of the interface's documents.
LINES = {
    "device_synchronize": [
        "idle device: the wait returns at once",
        "after one wait: all 4 streams are done, 4194304 bytes verified",
        "device_synchronize: ok",
    ],
    "event_synchronize": [
        "event without a record: the wait returns at once",
        "after the first event: small data is back, the large copy is still running",
        "after the second event: all is done",
        "event_synchronize: ok",
    ],
    "host_function": [
        "the function saw the first copies, on a thread of the runtime",
        "the other stream has read what it made",
        "host_function: ok",
    ],
    "graph_capture": [
        "54 tasks at once and captured, 3 executions: all verified",
        "graph_capture: ok",
    ],
    "graph_condition": [
        "one execution: 6 steps, the end for even numbers",
        "one execution: 5 steps, the end for odd numbers",
        "graph_condition: ok",
    ],
    "memory_pool": [
        "queued 8 steps of 8388608 bytes in a pool of 8388608",
        "the second stream has the memory after the first one's event",
        "copied through the pool: 4194304 bytes verified",
        "the pool has released its memory at the synchronisation",
        "memory_pool: ok",
    ],
    "reset_sequences": [
        "reset of a device that was never set:", "  reset=507007",
        "forced reset of a device that was never set:", "  force=507007",
        "set and reset in pairs:", "  set=0 reset=0 set=0 reset=0",
        "as many resets as sets:", "  set=0 set=0 reset=0 reset=0",
        "one reset too many:", "  set=0 reset=0 reset=507007",
        "set and forced reset in pairs:", "  set=0 force=0 set=0 force=0",
        "one forced reset for two sets:", "  set=0 set=0 force=0",
        "first a pair with reset, then one with forced reset:", "  set=0 reset=0 set=0 force=0",
        "two sets, a reset, then a forced reset:", "  set=0 set=0 reset=0 force=0",
        "forced reset after the resets took all:", "  set=0 set=0 reset=0 reset=0 force=507007",
        "a second forced reset:", "  set=0 set=0 reset=0 force=0 force=507007",
        "a reset after the forced reset:", "  set=0 set=0 force=0 reset=507007",
        "two threads, each resets what it set:",
        "  set(thread 1)=0 set(thread 2)=0 reset(thread 1)=0 reset(thread 2)=0",
        "two threads, each with a forced reset: the first one's was for both:",
        "  set(thread 1)=0 set(thread 2)=0 force(thread 1)=0 force(thread 2)=507007",
        "two threads, one forced reset by the last:",
        "  set(thread 1)=0 set(thread 2)=0 force(thread 2)=0",
        "reset_sequences: ok, 15 sequences",
    ],
    "runtime_resources": [
        "devices: 1, Ascend910B3",
        "run mode: host",
        "default stream of the default context: copy verified",
        "explicit context: both its streams copied, verified",
        "explicit stream: refused while another context is current",
        "released in reverse order",
        "runtime_resources: ok",
    ],
    "shared_memory": [
        "importer: read what the exporter wrote",
        "exporter: read the answer in the same memory",
        "shared_memory: ok",
    ],
    "stream_synchronize": [
        "empty stream: the wait returns at once",
        "quick stream done: its data is back, the slow stream is still copying",
        "slow stream done",
        "stream_synchronize: ok",
    ],
    "stream_wait_event": [
        "stream B is done: 4194304 bytes verified",
        "order of the events, device time, time after the first:",
        "stream_wait_event: ok",
    ],
    "virtual_memory": [
        "reserved 1024 GiB of addresses: no memory is taken",
        "mapped   6 MiB at the same address, 12 MiB in all",
        "one copy reads all 3 pieces",
        "what is written at one address is read at the other",
        "after the unmap it is refused: 107000",
        "virtual_memory: ok",
    ],
}

# Each of these is one process, with one timeline.
ALONE = [name for name in LINES if name != "shared_memory"]

# Programs with kernels, each in its own folder. Times and speeds are the model's; the program
# itself requires that the second way is faster.
KERNEL_LINES = {
    "matmul_overlap": [
        r"1024 by 768 times 768 by 2048 in fp16, 8 blocks",
        r"1 set  of buffers: .* us of device time, .* 0 of 2097152 results differ",
        r"2 sets of buffers: .* us of device time, .* 0 of 2097152 results differ",
        r"overlapping copies and products: 1\.[3-9]\d times as fast",
        r"matmul_overlap: ok",
    ],
    "reduction": [
        r"two kernels: 4999985",
        r"one kernel with atomic additions: 4999985",
        r"reduction: ok, 1000003 numbers on 40 blocks",
    ],
    "vector_add": [
        r" 1 blocks: .* us of device time, 1000000 sums exact",
        r"40 blocks: .* us of device time, 1000000 sums exact",
        r"vector_add: ok",
    ],
    "graph_update": [
        r"as captured: 2",
        r"the group's kernel updated: 11",
        r"the last kernel changed too: 110",
        r"the last kernel left out: 10",
        r"graph_update: ok",
    ],
    "zero_copy": [
        r"4 MiB of ordinary memory are registered",
        r"kernel on host memory: .* us of device time, 1048576 products exact",
        r"kernel on device memory: .* us of device time",
        r"zero_copy: ok",
    ],
}

# On the model stream B's own work is long done when stream A's copy is.
ORDER = ["stream A begins", "stream B has done what it queued before its wait",
         "stream A has copied to the device", "stream B has copied on the device",
         "stream B has copied back to the host"]


def program(name):
    return os.path.join(OPTIONS.build, "examples", name)


def environment():
    """What a program sees: none of our settings but the model, which a whole run may be about."""
    clean = {k: v for k, v in os.environ.items() if not k.startswith("TWINRT_")
             or k == "TWINRT_MODEL"}
    return dict(clean, TWINRT_BACKEND="sim")


def run(*command, check=True, **options):
    got = subprocess.run(command, capture_output=True, text=True, timeout=240, check=False,
                         **dict({"env": environment()}, **options))
    if check and got.returncode != 0:
        raise AssertionError("%s ended with %d\n%s%s" % (" ".join(command), got.returncode,
                                                         got.stdout, got.stderr))
    return got


def tool(*arguments, **options):
    return run(os.path.join(OPTIONS.build, "bin", "twinrt"), *arguments, **options)


class Examples(unittest.TestCase):
    def check_lines(self, name, text):
        printed = text.splitlines()
        at = 0
        for line in LINES[name]:
            self.assertIn(line, printed[at:], "%s printed:\n%s" % (name, text))
            at = printed.index(line, at) + 1

    def test_each_prints_its_results(self):
        for name in LINES:
            with self.subTest(name):
                got = tool("run", "--", program(name))
                self.check_lines(name, got.stdout)
                self.assertEqual(got.stderr, "")

    def test_every_example_is_tested(self):
        found = {f[:-2] for f in os.listdir(SOURCES) if f.endswith(".c")}
        self.assertEqual(found, set(LINES))

    def test_compiled_with_headers_and_library_alone(self):
        with tempfile.TemporaryDirectory() as folder:
            for name in LINES:
                with self.subTest(name):
                    out = os.path.join(folder, name)
                    run(OPTIONS.compiler, *OPTIONS.flags.split(),
                        os.path.join(SOURCES, name + ".c"), "-o", out,
                        "-I" + os.path.join(OPTIONS.build, "include"),
                        "-L" + os.path.join(OPTIONS.build, "lib64"), "-lascendcl")
                    self.check_lines(name, tool("run", "--", out).stdout)

    def test_events_come_in_the_order_of_the_streams(self):
        text = tool("run", "--", program("stream_wait_event")).stdout
        found = re.findall(r"^  (\d)\. +(\d+) us +\+?([\d.]+) us  (.*)$", text, re.M)
        self.assertEqual([int(f[0]) for f in found], [1, 2, 3, 4, 5])
        self.assertEqual([f[3] for f in found], ORDER)
        times = [float(f[2]) for f in found]
        self.assertEqual(times, sorted(times))


class Kernels(unittest.TestCase):
    def check_lines(self, name, text):
        for pattern, line in zip(KERNEL_LINES[name], text.splitlines()):
            self.assertRegex(line, "^" + pattern + "$")
        self.assertEqual(len(text.splitlines()), len(KERNEL_LINES[name]))

    def test_each_prints_its_results(self):
        for name in KERNEL_LINES:
            with self.subTest(name):
                got = tool("run", "--", program(name))
                self.check_lines(name, got.stdout)
                self.assertEqual(got.stderr, "")  # no flag is forgotten

    def test_every_folder_is_tested(self):
        found = {name for name in os.listdir(SOURCES)
                 if os.path.exists(os.path.join(SOURCES, name, "kernels.c"))}
        self.assertEqual(found, set(KERNEL_LINES))

    def test_built_with_what_is_installed(self):
        with tempfile.TemporaryDirectory() as folder:
            for name in KERNEL_LINES:
                with self.subTest(name):
                    source = os.path.join(SOURCES, name)
                    out, kernels = os.path.join(folder, name), os.path.join(folder, "kernels.o")
                    run(os.path.join(OPTIONS.build, "bin", "twinrt-cc"), "-o", kernels,
                        os.path.join(source, "kernels.c"))
                    run(OPTIONS.compiler, *OPTIONS.flags.split(), os.path.join(source, name + ".c"),
                        "-o", out,
                        "-I" + os.path.join(OPTIONS.build, "include"),
                        "-L" + os.path.join(OPTIONS.build, "lib64"), "-lascendcl")
                    self.check_lines(name, tool("run", "--", out, kernels).stdout)

    def test_with_seeds(self):
        for seed in ("1", "99"):
            for name in ("reduction", "vector_add"):
                with self.subTest(name, seed=seed):
                    self.check_lines(
                        name, tool("run", "--", program(name),
                                   env=dict(environment(), TWINRT_SEED=seed)).stdout)

    def test_use_of_the_pipes(self):
        """With two sets of buffers the cube is busier, and the same work is done."""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "t.json")
            tool("run", "--trace", path, "--", program("matmul_overlap"))
            text = run(sys.executable, os.path.join(SOURCES, "pipe_use.py"), path).stdout
        found = re.findall(r"AIC cores, ([\d.]+) us of blocks: .*cube (\d+) %", text)
        self.assertEqual(len(found), 2, text)
        (first, cube), (second, busier) = [(float(time), int(share)) for time, share in found]
        self.assertGreater(busier, cube)
        self.assertAlmostEqual(first * cube, second * busier, delta=0.5 * (first + second))


class Timelines(unittest.TestCase):
    def trace(self, name, path):
        tool("run", "--trace", path, "--", program(name))
        with open(path, "rb") as file:
            return file.read()

    def test_same_bytes_every_time(self):
        with tempfile.TemporaryDirectory() as folder:
            for name in LINES:
                with self.subTest(name):
                    first = self.trace(name, os.path.join(folder, "1.json"))
                    self.assertEqual(first, self.trace(name, os.path.join(folder, "2.json")))

    def test_same_bytes_under_load(self):
        with tempfile.TemporaryDirectory() as folder:
            quiet = {name: self.trace(name, os.path.join(folder, "q.json")) for name in ALONE}
            load = [subprocess.Popen(["yes"], stdout=subprocess.DEVNULL) for _ in range(4)]
            try:
                for name in ALONE:
                    with self.subTest(name):
                        self.assertEqual(quiet[name],
                                         self.trace(name, os.path.join(folder, "l.json")))
            finally:
                for process in load:
                    process.kill()
                    process.wait()

    def test_format(self):
        wanted = {"stream_wait_event": ("--wakes", "1", "--submits", "10", "--calls", "30",
                                        "--tasks", "10"),
                  "reset_sequences": ("--calls", "50")}
        with tempfile.TemporaryDirectory() as folder:
            for name in ALONE:
                with self.subTest(name):
                    path = os.path.join(folder, name + ".json")
                    self.trace(name, path)
                    run(sys.executable, CHECK, path, "--covered", *wanted.get(name, ()))


class Explained(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "t.json")
            cls.text = tool("run", "--explain", "--trace", path, "--",
                            program("stream_wait_event")).stdout
            cls.path = path

    def handover(self):
        return self.text[self.text.index("Where the time of a wait"):self.text.index(
            "Where the time of the slowest")]

    def test_nothing_is_unaccounted(self):
        part = self.handover()
        rows = [int(ns) for ns in re.findall(r"^ +[\d.]+ +(\d+)  \S", part, re.M)]
        total = re.search(r"^ +(\d+)  in all, (\d+) ns unaccounted$", part, re.M)
        self.assertIsNotNone(total, part)
        self.assertEqual(total.group(2), "0")
        self.assertEqual(sum(rows), int(total.group(1)))
        ends = [float(t) for t in re.findall(r"retired at ([\d.]+) us", part)]
        first = re.search(r"^ +([\d.]+) +\d+  \S", part, re.M)
        self.assertEqual(int(total.group(1)), round((ends[1] - float(first.group(1))) * 1000))
        self.assertLessEqual(float(first.group(1)), ends[0])

    def test_each_part_has_a_parameter_with_a_mark(self):
        part = self.handover()
        rows = re.findall(r"^ +[\d.]+ +\d+  (\S.*)$", part, re.M)
        self.assertGreater(len(rows), 4)
        for row in rows:
            self.assertRegex(row, r" \S+ \S+ (known|inferred|assumed|measured)$")

    def test_event_times_are_those_the_program_reads(self):
        shown = [float(t) for t in re.findall(r"^ +([\d.]+)  record event", self.text, re.M)]
        read = re.findall(r"^  \d\. +(\d+) us +\+?([\d.]+) us  ", self.text, re.M)
        self.assertEqual(len(shown), len(read))
        for time, (since_start, since_first) in zip(shown, read):
            self.assertEqual(int(time), int(since_start))
            self.assertAlmostEqual(time - shown[0], float(since_first), delta=0.006)

    def test_path_of_the_timeline_is_named(self):
        self.assertIn("timeline: " + self.path, self.text)


class Info(unittest.TestCase):
    """`twinrt info` against the profile that it shows."""

    def setUp(self):
        path = os.path.join(OPTIONS.build, "lib64", "twinrt", "profiles", "910b3.json")
        with open(path, encoding="utf-8") as file:
            self.facts = dict(self.flatten(json.load(file)))

    def flatten(self, part, prefix=""):
        for name, value in part.items():
            if "value" in value:
                yield prefix + name, value
            else:
                yield from self.flatten(value, prefix + name + ".")

    def test_identity_and_limits(self):
        text = tool("info", "--devices", "3").stdout
        self.assertIn("backend: sim", text)
        self.assertIn("devices: 3", text)
        value = {name: fact["value"] for name, fact in self.facts.items()}
        self.assertIn("device 2: %s, %d MiB" % (value["soc_name"], value["limit.memory_mib"]), text)
        self.assertIn("at most %d streams of %d tasks, %d events, %d notifies, %d priorities" % (
            value["limit.streams"], value["limit.sq_depth"] - value["limit.sq_reserve"],
            value["limit.events"], value["limit.notifies"], value["limit.priorities"]), text)
        self.assertRegex(text, r"TWINRT_DEVICES +3 +\[set\]")

    def test_every_parameter_with_its_mark_and_source(self):
        # the source goes on in further lines, which are indented more
        lines = re.sub(r"\n {6}(?=\S)", " ", tool("info", "--all").stdout).splitlines()
        for name, fact in self.facts.items():
            found = [line for line in lines if line.split()[:1] == [name]]
            self.assertEqual(len(found), 1, name)
            for part in (str(fact["value"]), fact["unit"], "[%s]" % fact["mark"], fact["source"]):
                self.assertIn(part, found[0])
        for mark in ("known", "inferred", "assumed"):
            count = sum(fact["mark"] == mark for fact in self.facts.values())
            self.assertRegex(lines[-1], r"\b%d %s\b" % (count, mark))

    def test_what_cannot_be_used(self):
        for bad in (("--profile", "nosuch"), ("--profile", "/dev/null")):
            got = tool("info", *bad, check=False)
            self.assertEqual(got.returncode, 1)
            self.assertIn(bad[1], got.stderr)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("--build", required=True, type=os.path.abspath)
    parser.add_argument("--compiler", required=True)
    parser.add_argument("--flags", default="")
    OPTIONS, rest = parser.parse_known_args(namespace=OPTIONS)
    unittest.main(argv=sys.argv[:1] + rest)
