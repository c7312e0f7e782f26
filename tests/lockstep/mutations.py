#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Deliberate errors of one line, in the RTL and in the model: each must be caught by the lockstep tests.

Copies the sources, builds the tests there without optimisation, then plants one error of mutations.tsv after the other:
  mutations.py --work FOLDER            all of them
  mutations.py --work FOLDER arbiter    those whose file or test has that in its name
Ends with 0 when every error was caught, and says so in its last line. Not part of ctest: it takes some minutes.
"""

import argparse
import csv
import pathlib
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
TIME_LIMIT = 300  # seconds for one test; an error that makes it hang is caught, too
# What a mutant may not do and still count as caught: fail to build.
CAUGHT, MISSED, BROKEN = "caught", "MISSED", "DOES NOT BUILD"


def read_mutations():
    with open(HERE / "mutations.tsv", newline="", encoding="utf-8") as file:
        lines = [line for line in file if not line.startswith("#")]
    return list(csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))


def copy_sources(work):
    source = work / "source"
    if source.exists():
        shutil.rmtree(source)
    names = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard"], cwd=ROOT, check=True,
                           capture_output=True, text=True).stdout.split("\n")
    for name in filter(None, names):
        if (ROOT / name).is_file():
            (source / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, source / name)
    return source


def build(work, targets, jobs):
    return subprocess.run(["ninja", "-C", str(work / "build"), "-j", str(jobs), *targets], capture_output=True, text=True)


def verdict(work, test, jobs):
    target = f"lockstep_{test}_test"
    built = build(work, [target], jobs)
    if built.returncode != 0:
        return BROKEN, built.stdout[-2000:]
    try:
        ran = subprocess.run([str(work / "build/tests/bin" / target)], capture_output=True, text=True, cwd=work,
                             timeout=TIME_LIMIT, check=False)
    except subprocess.TimeoutExpired:
        return CAUGHT, "it hangs"
    if ran.returncode == 0:
        return MISSED, ""
    reason = [line for line in ran.stdout.split("\n") if "differ:" in line or "signal" in line]
    return CAUGHT, "; ".join(line.strip() for line in reason[:2]) or f"status {ran.returncode}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--work", required=True, type=pathlib.Path, help="folder to build in")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("only", nargs="?", default="")
    arguments = parser.parse_args()
    work = arguments.work.resolve()
    work.mkdir(parents=True, exist_ok=True)
    source = copy_sources(work)
    mutations = [m for m in read_mutations() if arguments.only in m["file"] + " " + m["test"]]
    for mutation in mutations:  # all of them fit before any is tried
        text = (source / mutation["file"]).read_text(encoding="utf-8")
        if text.count(mutation["from"]) != 1:
            sys.exit(f"{mutation['file']}: \"{mutation['from']}\" stands there {text.count(mutation['from'])} times")
    subprocess.run(["cmake", "-S", str(source), "-B", str(work / "build"), "-G", "Ninja", "-DTWINRT_BENCH=OFF",
                    "-DCMAKE_BUILD_TYPE=Debug", "-DTWIN_VERILATED_OPTIONS=-O0"], check=True, stdout=subprocess.DEVNULL)
    tests = sorted({mutation["test"] for mutation in mutations})
    for test in tests:
        found, text = verdict(work, test, arguments.jobs)
        if found != MISSED:
            sys.exit(f"without an error {test} does not pass: {text}")
    missed = 0
    for number, mutation in enumerate(mutations, 1):
        path = source / mutation["file"]
        text = path.read_text(encoding="utf-8")
        path.write_text(text.replace(mutation["from"], mutation["to"]), encoding="utf-8")
        found, why = verdict(work, mutation["test"], arguments.jobs)
        path.write_text(text, encoding="utf-8")
        missed += found != CAUGHT
        print(f"{number:3} {found}: {mutation['file']}: {mutation['from']} -> {mutation['to']}  ({why})", flush=True)
    print(f"mutations: {len(mutations) - missed} of {len(mutations)} caught")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
