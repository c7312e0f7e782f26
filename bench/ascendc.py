#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Host time of a product of 1024 x 1024 x 1024 in FP16 by the Matmul object of Ascend C, on 20 cores.
Prints median, minimum and maximum.

usage: ascendc.py --toolkit=DIR [--build=build] [--repeats=9]"""
import argparse
import os
import statistics
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--toolkit", required=True)
    parser.add_argument("--build", default="build")
    parser.add_argument("--repeats", type=int, default=9)
    options = parser.parse_args()
    build = os.path.abspath(options.build)
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.join(folder, "product")
        subprocess.run([os.path.join(build, "bin", "twinrt-cc"), "--ascend-c", "-O2",
                        "--toolkit=" + options.toolkit, os.path.join(HERE, "ascendc_product.asc"),
                        "-o", program], check=True)
        done = subprocess.run([program, str(options.repeats)], check=True, text=True,
                              stdout=subprocess.PIPE,
                              env={**os.environ, "TWINRT_BACKEND": "sim",
                                   "LD_LIBRARY_PATH": os.path.join(build, "lib64")})
    rows = [[float(number) for number in line.split()] for line in done.stdout.splitlines()]
    for name, unit, values in zip(("processor time", "elapsed time", "device"), ("s", "s", "us"),
                                  zip(*rows)):
        print(f"{name}: {statistics.median(values):.4g} {unit} ({min(values):.4g} to "
              f"{max(values):.4g}, {len(values)} times)")
    return 0


if __name__ == "__main__":
    sys.exit(main())
