#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`twinrt info --memory`: the addresses of the model, and the memory map of recordings. Arguments:
the tool, a program that has memory of each kind, the folder of the examples."""
import glob
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest

EXAMPLES = os.path.abspath(sys.argv.pop())
PROGRAM = os.path.abspath(sys.argv.pop())
TOOL = os.path.abspath(sys.argv.pop())
MIB = 1 << 20


def tool(*arguments, status=0, **environment):
    done = subprocess.run([TOOL, *arguments], capture_output=True, text=True, timeout=60,
                          check=False,
                          env={**os.environ, "TWINRT_BACKEND": "sim", **environment})
    assert done.returncode == status, (done.returncode, done.stderr)
    return done.stdout if status == 0 else done.stderr


class Device(unittest.TestCase):
    def test_addresses_and_pages(self):
        shown = tool("info", "--memory", "--profile", "910b3", "--devices", "2")
        for line in (
                r"page of 2 MiB +larger allocations",
                r"  0x090000000000 to 0x0c0000000000  3 TiB +managed memory",
                r"  0x100000000000 to 0x180000000000  8 TiB +aclrtReserveMemAddress with expectPtr",
                r"  0x114000000000 to 0x11c000000000  512 GiB +page-locked",
                r"  0x124000000000 to 0x126000000000  128 GiB +memory of device 0",
                r"  0x12c000000000 to 0x12e000000000  128 GiB +memory of device 1",
                r"  0x190000000000 to 0x210000000000  8 TiB +aclrtReserveMemAddress without",
                r"  0x340000000000 to 0x350000000000  1 TiB +registered"):
            self.assertRegex(shown, "(?m)^" + line)
        self.assertNotIn("settings:", shown)
        facts = json.loads(tool("info", "--memory", "--json"))
        self.assertEqual(facts["address.device_0"], "0x124000000000-0x126000000000")

    def test_the_picture_has_these_addresses(self):
        picture = os.path.join(os.path.dirname(os.path.abspath(__file__)),
                               "../../runtime/docs/pictures/memory-addresses.svg")
        with open(picture, encoding="utf-8") as file:
            drawn = set(re.findall(r"0x\w{12}", file.read()))
        shown = tool("info", "--memory", "--profile", "910b3", "--devices", "2")
        self.assertGreater(len(drawn), 10)
        self.assertLessEqual(drawn, set(re.findall(r"0x\w{12}", shown)))

    def test_a_smaller_part_has_fewer_addresses(self):
        shown = tool("info", "--memory", "--profile", "310b1")
        bytes_ = json.loads(tool("info", "--profile", "310b1", "--json"))["devices"][0][
            "memory_bytes"]
        end = 0x124000000000 + 2 * bytes_
        self.assertIn(f"0x124000000000 to 0x{end:012x}", shown)

    def test_a_backend_without_addresses(self):
        self.assertIn("the driver of the device decides",
                      tool("info", "--memory", TWINRT_BACKEND="null"))


class Recording(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory(prefix="twinrt-memory.")
        self.addCleanup(place.cleanup)
        self.folder = place.name

    def record(self, program):
        path = os.path.join(self.folder, os.path.basename(program) + ".rec")
        tool("record", "-o", path, "--", program)
        return path

    def map(self, path, *options):
        return json.loads(tool("info", "--memory", path, "--json", *options))

    def test_each_kind(self):
        path = self.record(PROGRAM)
        found = self.map(path)
        self.assertEqual(found["device_bytes"], 18 * MIB + 4096)
        self.assertEqual(found["left_bytes"], 0)
        rows = {}
        for row in found["rows"]:
            if row["call"] in ("aclInit", "aclrtSetDevice"):
                continue # what the runtime itself allocates
            self.assertRegex(row["site"], r"^main \(.*memory_program.c:\d+\)$|pool_of_device")
            rows.setdefault(row["kind"], []).append(
                (row["call"], row.get("address"), row["bytes"], row.get("page_bytes"),
                 row.get("device"), row.get("stream")))
        own = rows["registered"][0][1]
        at = rows["pool"][0][1]
        # Managed memory is elsewhere than usual under a sanitizer that has those addresses.
        managed = rows["managed"][0][1]
        self.assertEqual(rows, {
            "device": [("aclrtMallocAlign32", "0x124000000000", 4096, 4096, 0, None),
                       ("aclrtMallocAlign32", "0x124000200000", 6 * MIB, 2 * MIB, 0, None)],
            "pool": [("aclrtMemPoolMallocAsync", at, 2 * MIB, 2 * MIB, 0, 2)],
            "physical": [("aclrtMallocPhysical", None, 10 * MIB, 2 * MIB, 0, None)],
            "mapping": [("aclrtMapMem", "0x190000000000", 10 * MIB, 2 * MIB, 0, None)],
            "page-locked": [("aclrtMallocHost", "0x114000000000", 3 * MIB, 4096, None, None)],
            "registered": [("aclrtHostRegister", own, 8192, 4096, 0, None)],
            "managed": [("aclrtMemAllocManaged", managed, 4 * MIB, 2 * MIB, 0, None)],
            "reserved": [("aclrtReserveMemAddress", "0x190000000000", 64 * MIB, None, None,
                          None)]})
        self.assertEqual([row.get("device_address") for row in found["rows"]
                          if row["kind"] == "registered"], ["0x340000000000"])
        for kind in ("physical", "mapping"):
            self.assertEqual([row["memory"] for row in found["rows"] if row["kind"] == kind], [1])

        # Before the reset of the device what was not freed is still there, after it nothing is.
        entries = json.loads(tool("record", "--print", path, "--json"))["entries"]
        reset = [entry["seq"] for entry in entries if entry["op"] == "device.close"][-1]
        late = self.map(path, "--at", str(reset - 1))
        self.assertEqual([(row["kind"], row["bytes"]) for row in late["rows"]],
                         [("device", 6 * MIB)])
        self.assertEqual(late["seq"], reset - 1)
        self.assertEqual(self.map(path, "--at", "end")["rows"], [])
        self.assertEqual(self.map(path, "--at", "0")["rows"], [])

    def test_text_fits_a_terminal(self):
        shown = tool("info", "--memory", self.record(PROGRAM), COLUMNS="80")
        self.assertRegex(shown, r"(?m)^.*: after seq \d+ of \d+, when most device memory was ")
        self.assertRegex(shown, "(?m)^address +bytes  pages +kind +device  stream\n")
        self.assertRegex(shown, r"(?m)^0x124000\w{6} +2097152  2 MiB   pool +0 +2\n"
                                r" +aclrtMemPoolMallocAsync at main")
        self.assertRegex(shown, r"(?m)^- +10485760  2 MiB   physical +0 +-\n"
                                r" +physical memory 1; aclrtMallocPhysical at main")
        self.assertIn("0x340000000000 for the device; aclrtHostRegister at main", shown)
        rows = [line for line in shown.splitlines() if not line.startswith(" ")]
        self.assertLessEqual(max(map(len, rows[2:])), 80)

    def test_memory_of_another_process(self):
        path = self.record(os.path.join(EXAMPLES, "shared_memory"))
        imported = [row for name in glob.glob(path + ".*") for row in self.map(name)["rows"]
                    if row["kind"] == "imported"]
        self.assertEqual([(row["call"], row["address"], row["bytes"]) for row in imported],
                         [("aclrtIpcMemImportByKey", "0x190000000000", 8 * MIB)])

    def test_mistakes(self):
        path = self.record(PROGRAM)
        for arguments, text in (
                ((path,), "no argument is expected without --memory"),
                (("--memory", "--at", "max"), "--at requires --memory and a recording"),
                (("--memory", path, "--at", "soon"), 'expected max, end or the number of a call'),
                (("--memory", path, path), "more than one recording")):
            self.assertIn(text, tool("info", *arguments, status=2))
        self.assertIn("no such file", tool("info", "--memory", path + "x", status=1).lower())
        with open(path, "r+b") as file: # a file that was cut off
            file.truncate(os.path.getsize(path) // 2)
        self.assertRegex(tool("info", "--memory", path), r"device memory: \d+ bytes")


if __name__ == "__main__":
    unittest.main()
