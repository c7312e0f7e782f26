#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Deliberate errors of one line, in the RTL and in the model: each must be caught by a test that
   compares the two.

A list names for each error the file, the test that must catch it (its name in ctest), the rule, a
text that occurs there once, and its replacement. The script copies the sources, builds that one
test there without optimisation and runs it as ctest would. An error is caught when the test fails,
or uses more than LIMIT times the processor time of a run without an error; an error that does not
build is not caught.

  mutations.py --work FOLDER               all of them
  mutations.py --work FOLDER dma_pool …    those with such a word in the name of the file or test
  mutations.py --check                     only whether each still fits the sources, and each block
                                           has some

Ends with 0 when all were caught.
"""

import argparse
import collections
import csv
import math
import os
import pathlib
import queue
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
LIMIT = 20  # a run with an error may take so many times the processor time of one without
LEAST = 20  # errors in the RTL, and as many in the model
CAUGHT, MISSED, BROKEN = "caught", "MISSED", "DOES NOT BUILD"
OPTIONS = ["-DCMAKE_BUILD_TYPE=Debug", "-DTWIN_VERILATED_OPTIONS=-O0", "-DTWINRT_BENCH=OFF",
           "-DTWINRT_PYTHON=OFF"]

Run = collections.namedtuple("Run", "status seconds text")  # processor time


def read_list(path):
    with open(path, newline="", encoding="utf-8") as file:
        lines = [line for line in file if not line.startswith("#")]
    return list(csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))


def misfits(mutations, root):
    """Each error must be one of one line, and say exactly where."""
    for number, mutation in enumerate(mutations, 1):
        if None in mutation.values() or None in mutation:
            yield f"line {number}: it does not have five columns"
            continue
        text = (root / mutation["file"]).read_text(encoding="utf-8")
        if text.count(mutation["from"]) != 1:
            yield f"{mutation['file']}: \"{mutation['from']}\" occurs {text.count(mutation['from'])} times"
        elif mutation["from"] == mutation["to"]:
            yield f"{mutation['file']}: \"{mutation['from']}\" is not changed"


def is_rtl(mutation):
    return mutation["file"].startswith("rtl-stubs/")


def too_few(mutations, root):
    """Some in each block of the RTL, enough in the RTL and in the model."""
    blocks = {path.parent.name for path in (root / "rtl-stubs").glob("*/rtl")} - {"common"}
    for block in sorted(
        blocks - {mutation["file"].split("/")[1] for mutation in mutations if is_rtl(mutation)}):
        yield f"no error in the RTL of {block}"
    rtl = sum(is_rtl(mutation) for mutation in mutations)
    for what, count in (("RTL", rtl), ("model", len(mutations) - rtl)):
        if count < LEAST:
            yield f"{count} errors in the {what}: {LEAST} are asked for"


def file_names(root):
    if not (root / ".git").exists():
        return [path.relative_to(root) for path in root.rglob("*") if path.is_file()]
    done = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
                          cwd=root, check=True,
                          capture_output=True, text=True)
    return [pathlib.Path(name) for name in done.stdout.split("\0") if name
            and (root / name).is_file()]


def run(command, limit=None, cwd=None):
    """Runs it to its end, or to so many seconds of processor time."""
    if limit is not None:
        command = ["prlimit", f"--cpu={limit}", "--core=0", *command]
    with tempfile.TemporaryFile("w+", errors="replace") as output:
        with subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT, cwd=cwd) as process:
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        return Run(process.returncode, usage.ru_utime + usage.ru_stime, output.read())


class Tree:
    """A copy of the sources, and its build."""

    def __init__(self, work, root):
        self.source, self.build = work / "source", work / "build"
        names = set(file_names(root))
        for name in names:  # unchanged files stay, so that their objects stay up to date
            wanted, there = (root / name).read_bytes(), self.source / name
            if not there.is_file() or there.read_bytes() != wanted:
                there.parent.mkdir(parents=True, exist_ok=True)
                there.write_bytes(wanted)
                there.chmod((root / name).stat().st_mode)
        for path in self.source.rglob("*"):
            if path.is_file() and path.relative_to(self.source) not in names:
                path.unlink()
        done = run(
            ["cmake", "-S", str(self.source), "-B", str(self.build), "-G", "Ninja", *OPTIONS])
        if done.status != 0:
            sys.exit(done.text)
        self.commands = {}  # ctest itself names those alone whose programs are there
        for path in self.build.rglob("CTestTestfile.cmake"):
            for name, words in re.findall(r"^add_test\(\[=*\[(.*?)\]=*\] (.*)\)$",
                                          path.read_text(encoding="utf-8"), re.M):
                self.commands[name] = re.findall(r'"([^"]*)"', words)

    def make(self, test):
        """Builds the programs that the test's command names."""
        programs = [os.path.relpath(word, self.build) for word in self.commands[test]
                    if word.startswith(f"{self.build}/")]
        return run(["ninja", "-C", str(self.build), "-j1", *programs])

    def try_out(self, test, limit=None):
        return run(self.commands[test], limit, self.build)


def verdict(tree, mutation, limit):
    path = tree.source / mutation["file"]
    right = path.read_text(encoding="utf-8")
    path.write_text(right.replace(mutation["from"], mutation["to"]), encoding="utf-8")
    try:
        made = tree.make(mutation["test"])
        if made.status != 0:
            return BROKEN, made.text[-1500:]
        tried = tree.try_out(mutation["test"], limit)
    finally:
        path.write_text(right, encoding="utf-8")
    if tried.status == 0:
        return MISSED, ""
    # It or a process that it started was stopped. The limit is counted in ticks of the clock, so
    # the time used may be less.
    if tried.status in (-signal.SIGXCPU, -signal.SIGKILL) or tried.seconds > 0.9 * limit:
        return CAUGHT, f"hangs: more than {limit} s"
    return CAUGHT, reason(tried)


def reason(tried):
    for line in tried.text.split("\n"):
        if any(word in line for word in ("FAIL", "differ", "Assertion", "rror:")):
            return " ".join(line.split())[:100]
    return f"status {tried.status}"


def work_through(tree_folder, root, groups, found, failures):
    """One worker: its own tree, one test after the other with all its errors."""
    try:
        tree = Tree(tree_folder, root)
        while not failures:
            try:
                test, mutations = groups.get_nowait()
            except queue.Empty:
                return
            if test not in tree.commands:
                raise SystemExit(f"there is no test {test}")
            made = tree.make(test)
            right = made if made.status else tree.try_out(test)
            if right.status != 0:
                raise SystemExit(f"without an error {test} does not pass:\n{right.text[-3000:]}")
            for number, mutation in mutations:
                began = time.monotonic()
                result, why = verdict(tree, mutation, math.ceil(LIMIT * right.seconds))
                found[number] = result
                print(
                    f"{result}\t{time.monotonic() - began:.0f} "
                    f"s\t{test}\t{mutation['rule']}\t{mutation['file']}: "
                    f"{mutation['from'].strip()} -> {mutation['to'].strip() or '(nothing)'}\t{why}",
                    flush=True)
    except BaseException as failure:  # of this thread; the main one reports it
        failures.append(failure)


def table(mutations, found):
    print(f"\n{'file':48} {'caught':>10}")
    for file in sorted({mutation["file"] for mutation in mutations}):
        results = [found[i] for i, mutation in enumerate(mutations) if mutation["file"] == file]
        print(f"{file:48} {results.count(CAUGHT):4} of {len(results):2}")
    for what, side in (("RTL", True), ("model", False)):
        results = [found[i] for i, mutation in enumerate(mutations) if is_rtl(mutation) == side]
        print(f"{what:48} {results.count(CAUGHT):4} of {len(results):2}")


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--work", type=pathlib.Path,
                        help="folder to build in; what is there is used again")
    parser.add_argument("--jobs", type=int, default=2, help="how many at once")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--root", type=pathlib.Path, default=ROOT,
                        help="other sources, for the script's own test")
    parser.add_argument("--list", type=pathlib.Path, default=HERE / "mutations.tsv")
    parser.add_argument("only", nargs="*", metavar="WORD")
    arguments = parser.parse_args()
    root = arguments.root.resolve()
    mutations = read_list(arguments.list)
    wrong = list(misfits(mutations, root))
    if arguments.check:
        wrong += too_few(mutations, root)
    if wrong:
        sys.exit("\n".join(wrong))
    if arguments.check:
        print(f"mutations: {len(mutations)} fit")
        return 0
    if not arguments.work:
        parser.error("--work is missing")

    if arguments.only:
        mutations = [
            m for m in mutations if any(word in m["file"] + " " + m["test"]
                                        for word in arguments.only)]
    by_test = collections.defaultdict(list)
    for number, mutation in enumerate(mutations):
        by_test[mutation["test"]].append((number, mutation))
    groups = queue.Queue()
    for group in sorted(
        by_test.items(), key=lambda item: (item[0].startswith("rtl.bench."), -len(item[1]))):
        groups.put(group)
    found, failures = {}, []
    work = arguments.work.resolve()
    threads = [
        threading.Thread(target=work_through, args=(work / str(i), root, groups, found, failures))
        for i in range(arguments.jobs)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        sys.exit("\n".join(str(failure) for failure in failures))
    table(mutations, found)
    caught = list(found.values()).count(CAUGHT)
    print(f"mutations: {caught} of {len(mutations)} caught")
    return 0 if caught == len(mutations) and mutations else 1


if __name__ == "__main__":
    sys.exit(main())
