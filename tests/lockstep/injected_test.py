#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A difference ends a program early: the output files of its run are written nonetheless.

  injected_test.py INJECTED_RTL PROGRAM LIBRARIES
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))
sys.path[:0] = [os.path.join(TOP, "tests", "tools"), os.path.join(TOP, "tools")]
sys.dont_write_bytecode = True

import msprof_print  # noqa: E402
import timeline_check  # noqa: E402

DIFFERENCE = 98


def main():
    injected, program, libraries = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        own = os.path.join(folder, "lib64")
        shutil.copytree(libraries, own, symlinks=True,
                        ignore=lambda at, names: [n for n in names
                                                  if n in ("model-rtl.so", "bench")])
        shutil.copy(injected, os.path.join(own, "twinrt", "model-rtl.so"))
        files = {name: os.path.join(folder, name) for name in ("TRACE", "STATS", "MSPROF", "VCD")}
        done = subprocess.run([program], cwd=folder, timeout=50, check=False, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              env={**os.environ, "LD_LIBRARY_PATH": own, "TWINRT_BACKEND": "sim",
                                   "TWINRT_MODEL": "lockstep",
                                   **{"TWINRT_" + name: path for name, path in files.items()}})
        assert done.returncode == DIFFERENCE, (done.returncode, done.stderr)
        assert "signal injected" in done.stderr, done.stderr
        wrong, counts = timeline_check.check(timeline_check.load(files["TRACE"]))
        assert not wrong, wrong[:10]
        assert counts["tasks"] > 0, counts
        with open(files["STATS"], encoding="utf-8") as file:
            stats = json.load(file)
        assert sum(device["tasks"] for device in stats["devices"]) > 0, stats["devices"]
        assert len(msprof_print.read(files["MSPROF"])[2]) > 1
        with open(files["VCD"], encoding="utf-8") as file:
            assert "$enddefinitions" in file.read()
        left = sorted(os.listdir(folder))
        assert left == sorted(["lib64", *files]), left
    print("1 passed, 0 failed")


if __name__ == "__main__":
    main()
