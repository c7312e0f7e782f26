#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The tool finds its plug-ins however it is called, and takes none from the present folder.
Arguments: the tool, a program to record."""
import os
import subprocess
import sys
import tempfile
import unittest

PROGRAM = os.path.abspath(sys.argv.pop())
TOOL = os.path.abspath(sys.argv.pop())


class Place(unittest.TestCase):
    def test_called_by_its_bare_name(self):
        with tempfile.TemporaryDirectory(prefix="twinrt-place.") as folder:
            record = os.path.join(folder, "a.rec")
            environment = {**os.environ, "TWINRT_BACKEND": "sim", "PATH": os.path.dirname(TOOL) +
                           ":" + os.environ["PATH"]}
            subprocess.run([PROGRAM], env={**environment, "TWINRT_RECORD": record}, check=True,
                           capture_output=True, timeout=60)
            # a trap: the file that the bare name would mean here, and the library beside it
            os.makedirs(os.path.join(folder, "twinrt"))
            with open(os.path.join(folder, "twinrt", "backend-sim.so"), "w",
                      encoding="ascii") as file:
                file.write("no library")
            done = subprocess.run([os.path.basename(TOOL), "replay", record], env=environment,
                                  cwd=folder, capture_output=True,
                                  text=True, timeout=60, check=False)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            self.assertIn("the same answers at the same times", done.stdout)


if __name__ == "__main__":
    unittest.main()
