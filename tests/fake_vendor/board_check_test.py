#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tools/board_check.py, over the copy of the runtime that stands in for a board's.

usage: board_check_test.py SOURCE BUILD"""

import getpass
import json
import os
import pathlib
import platform
import subprocess
import sys
import tarfile
import tempfile
import unittest

SOURCE, BUILD = pathlib.Path(), pathlib.Path()


def check(folder, *arguments):
    output = pathlib.Path(folder) / "result.tar.gz"
    done = subprocess.run([sys.executable, "-B", SOURCE / "tools/board_check.py", "--build", BUILD, "--output", output,
                           *arguments], capture_output=True, text=True, timeout=170, check=False)
    files = {}
    if output.exists():
        with tarfile.open(output) as archive:
            for member in archive.getmembers():
                files[member.name] = archive.extractfile(member).read().decode("utf-8")
    return done, files


class BoardCheck(unittest.TestCase):
    def test_loop(self):
        with tempfile.TemporaryDirectory() as folder:
            done, files = check(folder, "--home", BUILD / "loop", "--suite", "event", "--suite", "stream", "--repeats", "1")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual({f"board-check/{name}" for name in (
            "versions.json", "info.txt", "summary.txt", "bench.json", "logs/bench.log", "logs/event.log", "logs/stream.log",
            "results/event.tsv", "results/stream.tsv")}, set(files))
        about = json.loads(files["board-check/versions.json"])
        self.assertIn("second copy", about["board"])
        self.assertIn("vendor.library", files["board-check/info.txt"])
        rows = [line.split("\t") for line in files["board-check/results/event.tsv"].splitlines()]
        self.assertGreater(len(rows), 40)
        self.assertEqual({row[0] for row in rows} - {"pass", "skip"}, set())
        self.assertIn("0 tests did not pass", files["board-check/summary.txt"])
        self.assertTrue(json.loads(files["board-check/bench.json"]))
        private = [word for word in (str(BUILD), platform.node(), getpass.getuser()) if len(word) > 4]
        for name, text in files.items():
            for word in private:
                self.assertNotIn(word, text, name)

    def test_failures(self):
        """What a board does wrong is in the result, and a suite that hangs or dies takes no other along."""
        os.environ["FAKE_VENDOR_BELOW"] = str(BUILD / "loop/lib64/libacl_rt.so")
        os.environ["FAKE_VENDOR"] = "aclrtResetEvent=507899"
        try:
            with tempfile.TemporaryDirectory() as folder:
                done, files = check(folder, "--home", BUILD / "fake/whole", "--suite", "value", "--suite", "event", "--repeats", "0")
        finally:
            del os.environ["FAKE_VENDOR"], os.environ["FAKE_VENDOR_BELOW"]
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertIn("\nfail\tEVT-21", files["board-check/results/event.tsv"])
        self.assertRegex(files["board-check/summary.txt"], r"fail +event: EVT-21")
        self.assertIn("pass\tVAL-01", files["board-check/results/value.tsv"])

    def test_private(self):
        """Names of any length are taken out where they tell whose machine it is; words stay words."""
        sys.path.insert(0, str(SOURCE / "tools"))
        import board_check # pylint: disable=import-outside-toplevel,import-error
        packed = board_check.Packed("/data/build", home="/srv/al", node="ox.lab.example", user="al")
        other = "/ho" + "me/bea/Ascend"
        packed.add("a", f"/srv/al/x /data/build/y al@ox.lab.example ox user=al /tmp/al/z {other}:/x host=ox\n"
                        "al dente: the ox is slow; /tmp/alone, total=all\n"
                        "uuid 12345678-9abc-8def-8123-456789abcdef mac 00:1a:2b:3c:4d:5e bus 0000:01:00.0\n")
        text = packed.files["a"]
        self.assertEqual(text, "HOME/x BUILD/y USER@HOST ox user=USER /tmp/USER/z /HOME/Ascend:/x host=HOST\n"
                               "al dente: the ox is slow; /tmp/alone, total=all\n"
                               "uuid UUID mac MAC bus 0000:01:00.0\n")
        packed = board_check.Packed("/b", home="/", node="amsterdam", user="root")
        packed.add("b", "root on amsterdam at / and /b/c, rooted\n")
        self.assertEqual(packed.files["b"], "USER on HOST at / and BUILD/c, rooted\n")

    def test_nothing_there(self):
        with tempfile.TemporaryDirectory() as folder:
            done, files = check(folder, "--home", folder)
        self.assertEqual((done.returncode, files), (1, {}))
        self.assertIn("TWINRT_ASCEND_HOME is", done.stdout)


if __name__ == "__main__":
    SOURCE, BUILD = (pathlib.Path(name).resolve() for name in sys.argv[1:])
    unittest.main(argv=sys.argv[:1])
