#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Times of the vendor's examples, unchanged, beside those that their pages publish.

usage: ascendc.py --toolkit=DIR [--build=build]

Compiles each row of ascendc.tsv with twinrt-cc, runs it on the part of its figure without computing,
and prints a line of a table: figure, definitions, published time, time of the model, error."""
import argparse
import csv
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
INPUT_BYTES = 8192 * 8192 * 2


def rows_of(name):
    with open(os.path.join(HERE, name), encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


def time_of(build, toolkit, row, part):
    """Microseconds from fetch to retirement of its kernel."""
    with tempfile.TemporaryDirectory() as folder:
        program, table = os.path.join(folder, "program"), os.path.join(folder, "table.csv")
        subprocess.run([os.path.join(build, "bin", "twinrt-cc"), "--ascend-c", "-O2",
                        "--toolkit=" + toolkit, *row["definitions"].split(),
                        os.path.join(toolkit, row["source"]), "-o", program], check=True)
        for name in row["inputs"].split():
            path = os.path.join(folder, "input", name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "wb") as file:
                file.truncate(INPUT_BYTES) # the values do not matter
        os.mkdir(os.path.join(folder, "output"))
        done = subprocess.run([os.path.join(build, "bin", "twinrt"), "run", "--profile", part,
                               "--op-summary", table, "--", program], cwd=folder, check=False,
                              text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              env={**os.environ, "TWINRT_KERNEL_DATA": "off",
                                   "TWINRT_KERNEL_CHECK": "off"})
        if done.returncode != 0:
            sys.exit(f"{row['figure']}: {done.stdout}")
        with open(table, encoding="utf-8", newline="") as file:
            kernels = list(csv.DictReader(file))
    assert len(kernels) == 1, kernels
    return float(kernels[0]["Task Duration(us)"])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--toolkit", required=True)
    parser.add_argument("--build", default="build")
    options = parser.parse_args()
    figures = {row["id"]: row for row in rows_of("figures.tsv")}
    print("| Figure | What | Published | Ascend C | Error |\n|---|---|---|---|---|")
    for row in rows_of("ascendc.tsv"):
        figure = figures[row["figure"]]
        published = float(figure["published"])
        model = time_of(os.path.abspath(options.build), os.path.abspath(options.toolkit), row,
                        figure["profile"])
        print(f"| `{row['figure']}` | {figure['what']} | {published:g} us | {model:.1f} | "
              f"{100 * (model / published - 1):+.1f} % |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
