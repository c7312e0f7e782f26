#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`twinrt check`, `twinrt run --check` and `twinrt compare` from outside: statuses, reports, and
   files that are not recordings.

  check_command_test.py TWINRT CHECK_PROGRAM RANDOM_PROGRAM COUNT_PROGRAM KERNEL_PROGRAM
    [--damage N]
"""
import argparse
import fcntl
import json
import os
import random
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

from recordings import HEADER

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
# Uses a device and is killed before it can write a timeline.
KILLED = (
    "import ctypes, os; acl = ctypes.CDLL('libascendcl.so'); acl.aclInit(None); "
    "acl.aclrtSetDevice(0); p, n = ctypes.c_void_p(), ctypes.c_size_t(64); "
    "acl.aclrtMalloc(ctypes.byref(p), n, 0); acl.aclrtMemsetAsync(p, n, 0, n, None); "
    "acl.aclrtSynchronizeStream(None); "
    "os.kill(os.getpid(), 9)")
failures = []


def expect(good, text):
    if not good:
        failures.append(text)
        print("FAILED:", text)


class Tool:
    def __init__(self, twinrt, folder):
        self.twinrt, self.folder = twinrt, folder

    def run(self, *arguments, **environment):
        return subprocess.run([self.twinrt, *arguments], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, timeout=60,
                              cwd=self.folder,
                              env={**os.environ, "TWINRT_BACKEND": "sim", **environment},
                              check=False)

    def record(self, name, program, **environment):
        path = os.path.join(self.folder, name)
        done = self.run("record", "-o", path, "--", *program, **environment)
        expect(done.returncode == 0, f"record {name}: {done.stderr.decode()}")
        return path

    def json(self, *arguments):
        done = self.run(*arguments)
        expect(done.returncode in (0, 1), f"{arguments}: {done.returncode} {done.stderr.decode()}")
        return done.returncode, json.loads(done.stdout)


def test_threads(tool, program):
    """Order among threads: a program that has it is clean, one that does without is warned of."""
    for mode in ("join", "relay", "cond", "mutex", "semaphore", "barrier", "rwlock", "spin"):
        status, report = tool.json("check", "--json", "--strict",
                                   tool.record(mode + ".rec", [program, mode]))
        judged = [rule["judged"] for rule in report["rules"] if rule["rule"] == "RACE-05"]
        expect(status == 0 and report["clean"] and report["warnings"] == 0,
               f"threads in order: {mode}: {report['findings']}")
        expect(judged[0] > 0, f"threads are judged: {mode}")
    missing = tool.record("missing.rec", [program, "missing"])
    status, report = tool.json("check", "--json", missing)
    expect(status == 0 and report["clean"] and report["warnings"] == 1,
           "a missing order is a warning")
    expect([finding["rule"] for finding in report["findings"]] == ["RACE-05"], "of threads")
    expect({report["findings"][0][part]["thread"] for part in ("first", "second")} == {1, 2},
           "both threads are named")
    expect(tool.run("check", "--strict", missing).returncode == 1,
           "and a finding if that is asked for")
    expect(b"warning[RACE-05]: " in tool.run("check", missing).stdout, "it is called a warning")
    status, report = tool.json("check", "--json",
                               tool.record("calls.rec", [program, "missing"],
                                           TWINRT_HOST_TIME="calls"))
    expect(status == 0 and report["warnings"] == 0,
           "without synchronization in the recording, threads are not judged")


def test_check(tool, clean, racing):
    status, report = tool.json("check", "--json", clean)
    expect(status == 0 and report["clean"] and report["findings"] == [],
           "a clean recording is clean")
    expect((report["format"], report["version"]) == ("twinrt-check", 3), "format")
    for rule in report["rules"]:
        expect((rule["judged"] == 0) == ("needs" in rule),
               f"{rule['rule']}: what is not judged says what it needs")
    status, report = tool.json("check", "--json", racing)
    expect(status == 1 and not report["clean"], "a race is found")
    finding = report["findings"][0]
    for part in ("first", "second"):
        expect({"seq", "kind", "call", "thread"} <= finding[part].keys(), f"fields of {part} op")
    expect(finding["message"] and finding["seen"] and finding["fix"], "why and what to do")
    few, all_of_them = tool.run("check", racing), tool.run("check", "--all", racing)
    expect(few.returncode == all_of_them.returncode == 1, "status of the text")
    shown = all_of_them.stdout.decode().count("\n  seen:   ")
    expect(shown == len(report["findings"]), f"--all shows {shown} of {len(report['findings'])}")
    expect(few.stdout.count(b"\n  seen:   ") < shown, "without it, fewer")
    expect(tool.run("check", racing).stdout == few.stdout, "twice the same")


def test_run(tool, check_program, random_program):
    good = tool.run("run", "--check", "--", check_program, "3", "5")
    plain = tool.run("run", "--", check_program, "3", "5")
    closing = f"twinrt check: {check_program}: ".encode()
    expect(good.returncode == 0 and good.stdout == plain.stdout,
           "run --check leaves standard output to the program")
    expect(good.stderr.startswith(closing) and good.stderr.endswith(b" ops, 0 errors\n")
           and good.stderr.count(b"\n") == 1,
           f"a good program gets one line: {good.stderr.decode()}")
    bad = tool.run("run", "--check", "--", random_program, "3")
    expect(bad.returncode == 99 and b"error[RACE-" in bad.stderr,
           f"run --check of a racing one: {bad.returncode}")
    expect(
        b"not checked" not in bad.stderr and bad.stderr.splitlines()[-1].startswith(closing.replace(
        check_program.encode(), random_program.encode())),
        "findings and a closing line, nothing else")
    kept = os.path.join(tool.folder, "kept.rec")
    both = tool.run("run", "--check", "--record", kept, "--", check_program, "3", "5")
    expect(both.returncode == 0 and os.path.exists(kept), "--record keeps what --check judged")
    expect(tool.run("check", kept).returncode == 0, "and it can be judged again")
    untimed = tool.run("run", "--check", "--", check_program, "--no-time")
    expect(untimed.returncode == 0 and b" 0 errors" in untimed.stderr,
           f"the time of an event made without one: {untimed.returncode} {untimed.stderr.decode()}")
    none = tool.run("run", "--check", "--", "/bin/true")
    expect(
        none.returncode == 0
        and none.stderr.endswith(b"device: nothing was checked, no file was written\n"),
        f"no ACL call: {none.returncode} {none.stderr.decode()}")
    reported = tool.run("run", "--check", "--report=none.xml", "--", "/bin/true")
    expect(
        reported.returncode == 0 and os.path.exists(os.path.join(tool.folder, "none.xml"))
        and reported.stderr.endswith(b"device: nothing was checked, only --report is written\n"),
        f"no ACL call, a report: {reported.returncode} {reported.stderr.decode()}")
    strict = tool.run("run", "--check", "--require-calls", "--", "/bin/true")
    expect(strict.returncode == 125 and b"(--require-calls)" in strict.stderr,
           f"no call, strict: {strict.returncode}")
    nested = tool.run("run", "--check", "--require-calls", "--stall-after", "0", "--", "/bin/sh",
                      "-c",
                      f"true; {check_program} 3 5; true")
    expect(nested.returncode == 0 and b"ACL call" not in nested.stderr,
           f"a child's call: {nested.stderr.decode()}")
    unusable = tool.run("run", "--check", "--", "/bin/sh", "-c",
                        f"TWINRT_BACKEND=none {check_program} 3 5; true")
    expect(unusable.returncode == 125 and b"left no recording" in unusable.stderr,
           f"a start that fails is a use: {unusable.returncode} {unusable.stderr.decode()}")
    killed = tool.run("run", "--explain", "--", sys.executable, "-c", KILLED)
    expect(killed.returncode == 137 and b"left no timeline" in killed.stderr,
           f"killed: {killed.stderr.decode()}")
    test_killed(tool)
    typo = tool.run("run", "--backend", "auto", "--", "/bin/sh", "-c",
                    f"TWINRT_FAIL_OPS=bogus {check_program} 3 5 >/dev/null")
    lines = [line for line in typo.stderr.splitlines() if line.startswith(b"twinrt: ")
             and b"bogus" in line]
    expect(len(lines) == 1 and b'has no ":" after the op' in lines[0],
           f"a typo is reported once: {typo.stderr.decode()}")
    expect(lines[0].startswith(b"twinrt: error: TWINRT_FAIL_OPS: "),
           f"no backend is to blame: {lines[0]}")
    failed = tool.run("run", "--check", "--", "/bin/sh", "-c", f"{check_program} 3 5; exit 7")
    expect(failed.returncode == 7, f"the program's status: {failed.returncode}")
    missing = tool.run("run", "--check", "--", "/no/such/program")
    expect(missing.returncode == 127 and b"ACL call" not in missing.stderr,
           f"no program: {missing.stderr.decode()}")
    expect_nothing_left(tool)


def test_killed(tool):
    """The files that a killed program did not write come from its recording, by the command that is
    printed."""
    done = tool.run("run", "--trace=k.json", "--stats=k.stats", "--vcd=k.vcd", "--record=k.rec",
                    "--", sys.executable, "-c", KILLED)
    command = done.stderr.decode().splitlines()[-1].strip()
    expect(command == "TWINRT_STATS=k.stats TWINRT_VCD=k.vcd twinrt replay --trace=k.json k.rec",
           f"killed, recorded: {done.stderr.decode()}")
    path = os.path.dirname(tool.twinrt) + os.pathsep + os.environ["PATH"]
    made = subprocess.run(["/bin/sh", "-c", command], cwd=tool.folder, capture_output=True,
                          timeout=60, env={**os.environ, "PATH": path}, check=False)
    expect(made.returncode == 0, f"replay: {made.returncode} {made.stderr.decode()}")
    with open(os.path.join(tool.folder, "k.json"), encoding="utf-8") as file:
        names = [event["name"] for event in json.load(file)["traceEvents"]]
    expect("aclrtMemsetAsync" in names, f"the timeline of the replay: {names}")
    with open(os.path.join(tool.folder, "k.stats"), encoding="utf-8") as file:
        expect(json.load(file)["devices"][0]["tasks"] > 0, "the counters of the replay")
    expect(os.path.getsize(os.path.join(tool.folder, "k.vcd")) > 0, "the signals of the replay")
    done = tool.run("run", "--stats=d.stats", "--record=-d.rec", "--", sys.executable, "-c", KILLED)
    command = done.stderr.decode().splitlines()[-1].strip()
    expect(command == "TWINRT_STATS=d.stats twinrt replay -- -d.rec",
           f"killed, a name like an option: {command}")
    # names that the shell would divide; a recording that another process keeps the place of
    with open(os.path.join(tool.folder, "it's; k.rec"), "wb") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        done = tool.run("run", "--trace=a b.json", "--record=it's; k.rec", "--", sys.executable,
                        "-c", KILLED)
    command = done.stderr.decode().splitlines()[-1].strip()
    name, = (name for name in os.listdir(tool.folder) if name.startswith("it's; k.rec."))
    expect(shlex.split(command)[:3] == ["twinrt", "replay", "--trace=a b.json"] and
           [os.path.basename(word) for word in shlex.split(command)[3:]] == [name],
           f"killed, names with blanks: {command}, {name}")


def expect_nothing_left(tool):
    left = [name for name in os.listdir(tool.folder) if name.startswith("twinrt.")]
    expect(not left, f"left behind: {left}")


def test_processes(tool, good, bad):
    """A program of several processes: each of them is judged, whichever comes first."""
    for script in (f"{bad}; {good}", f"{good}; {bad}", f"{good} & {bad}; wait"):
        done = tool.run("run", "--check", "--", "/bin/sh", "-c", script)
        expect(done.returncode == 99 and b"error[RACE-" in done.stderr,
               f"{script}: {done.returncode}")
        name = os.path.basename(bad.split()[0]).encode()
        expect(done.stderr.count(name + b", process ") == 1,
               f"the one with findings is named: {done.stderr.decode()}")
        expect(b"twinrt check: /bin/sh: 2 processes, " in done.stderr.splitlines()[-1],
               "one closing line for both")
    expect_nothing_left(tool)
    kept = os.path.join(tool.folder, "both.rec")
    done = tool.run("run", "--check", "--record", kept, "--", "/bin/sh", "-c", f"{bad}; {good}")
    expect(done.returncode == 99, f"--record: {done.returncode}")
    recordings = sorted(name for name in os.listdir(tool.folder) if name.startswith("both.rec"))
    expect(len(recordings) == 2 and all(name.encode() in done.stderr for name in recordings),
           f"both are kept and named: {recordings}")
    expect(sorted(tool.run("check", name).returncode for name in recordings) == [0, 1],
           "and can be judged again")
    # recordings that carry the number of their process
    place = os.path.join(tool.folder, "p")
    os.mkdir(place)
    for program, status, count in ((good, 0, 1), (f"{bad}; {good}", 99, 3)):
        done = tool.run("run", "--check", "--record", "p/x.%p.rec", "--", "/bin/sh", "-c", program)
        expect((done.returncode, len(os.listdir(place))) == (status, count),
               f"%p: {done.returncode} {os.listdir(place)}")
    expect(b": 2 processes, " in done.stderr, "those of an earlier run are not judged")


def test_held(tool, program):
    """Where another process writes the recording of that name, the message names
    the new one."""
    path = os.path.join(tool.folder, "held.rec")
    with open(path, "wb") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        done = tool.run("record", "-o", path, "--", *program)
    other = [name for name in os.listdir(tool.folder) if name.startswith("held.rec.")]
    expect(done.returncode == 0 and len(other) == 1 and other[0].encode() in done.stderr,
           f"held: {done.stderr.decode()}")
    expect(os.path.getsize(path) == 0, "the other's stays as it was")


def test_singular(tool, check_program):
    """One task, one swap-in, one use."""
    text = tool.run("run", "--stats", "--", check_program, "--one-copy").stdout.decode()
    for part in (" 1 task, 1 swap-in, ", "prefetched 0 times, waited for 1 time\n", " 1 time\n"):
        expect(part in text, f"one is singular: {part} in {text}")


def test_full(tool, clean):
    """A report that cannot be written is not a success."""
    for arguments, status in ((("check", clean), 2), (("check", "--json", clean), 2),
                              (("compare", clean, clean), 2),
                              (("compare", "--json", clean, clean), 2), (("info",), 1),
                              (("info", "--json"), 1), (("api",), 1),
                              (("bench", "--list"), 1), (("record", "--print", clean), 1),
                              (("record", "--layout"), 1),
                              (("replay", clean), 125)):
        with open("/dev/full", "wb") as full:
            done = subprocess.run([tool.twinrt, *arguments], stdout=full, stderr=subprocess.PIPE,
                                  timeout=60, cwd=tool.folder,
                                  env={**os.environ, "TWINRT_BACKEND": "sim"}, check=False)
        expect(done.returncode == status and done.stderr.count(b"cannot be written") == 1,
               f"{arguments}: {done.returncode} {done.stderr.decode()}")


def test_columns(tool, program, clean, other, racing):
    """Piped text fits 100 columns, names of files aside."""
    for arguments in (("api", "--all", "--profile=310b1"), ("api",), ("info", "--all"),
                      ("info", "--profiles"), ("bench", "--list"),
                      ("bench", "--repeats=1", "--filter=sync"),
                      ("check", "--all", "--verbose", racing), ("compare", clean, other),
                      ("compare", clean, racing), ("replay", "--all", "--profile=310p3", clean),
                      ("run", "--check", "--explain=9", "--stats", "--", *program)):
        done = tool.run(*arguments)
        text = (done.stdout + done.stderr).decode()
        text = re.sub(r"(?<!\S)/\S+", "NAME", text)
        for name in (clean, other, racing):
            text = text.replace(name, "NAME")
        long = [line for line in text.splitlines() if len(line) > 100]
        expect(text and not long, f"{arguments}: more than 100 columns: {long[:3]}")


def test_refused(tool, check_program):
    """Refused calls reach no device: a free has one reason for that, a fill has many."""
    status, report = tool.json("check", "--json",
                               tool.record("twice.rec", [check_program, "--free-twice"]))
    found = [(finding["rule"], finding["second"]["call"], finding["repeats"])
             for finding in report["findings"]]
    expect(status == 1 and found == [("LIFE-04", "aclrtFree", 0)], f"a second free: {found}")
    expect(report["refused"] == 1, f"fills refused: {report['refused']}")
    # the device refuses the first, and the second frees
    once = tool.record("once.rec", [check_program, "--free-twice"],
                       TWINRT_FAIL_OPS="memory.free:1=TWIN_E_INVALID")
    status, report = tool.json("check", "--json", once)
    expect(status == 0, f"a free that the device refused: {report['findings']}")


def test_compare(tool, clean, other):
    status, same = tool.json("compare", "--json", clean, clean)
    expect(status == 0 and same["same"], "a recording is the same as itself")
    expect(
        same["swapped"] == same["a"]["alone"] == same["b"]["alone"] == same["other_answers"] == 0,
        "no difference")
    expect(
        same["kinds"] and all(kind[part] == 1 for kind in same["kinds"]
                              for part in ("median", "p5", "p95", "min", "max")),
        "all ratios are 1")
    _, there = tool.json("compare", "--json", clean, other)
    _, back = tool.json("compare", "--json", other, clean)
    expect(there["pairs"] == back["pairs"] == same["pairs"],
           "the same pairs both ways, as many as with itself")
    expect(there["a"]["polls"] != there["b"]["polls"], "loops turn more often on one")
    expect(same["pairs"] + same["a"]["polls"] - 10 < same["a"]["ops"],
           "a row of questions is one op")
    # the program stops polling after 50 times, and waits
    alone = {group["call"] for side in ("a", "b") for group in there[side]["alone_by_call"]}
    expect(alone <= {"aclrtSynchronizeEvent"}, f"and that is not a difference: {alone}")
    expect(there["swapped"] == back["swapped"],
           f"as many swaps both ways: {there['swapped']}, {back['swapped']}")
    mirrored = {kind["kind"]: kind for kind in back["kinds"]}
    for kind in there["kinds"]:
        opposite = mirrored[kind["kind"]]
        expect(abs(kind["max"] * opposite["min"] - 1) < 1e-9,
               f"{kind['kind']}: max and min are each other's inverse")
    picture = os.path.join(tool.folder, "compare.svg")
    expect(tool.run("compare", clean, other, "--svg", picture).returncode in (0, 1), "--svg")
    expect(os.stat(picture).st_mode & 0o777 == 0o600, "the picture is its owner's alone")
    root = xml.etree.ElementTree.parse(picture).getroot()
    width, height = float(root.get("width")), float(root.get("height"))
    circles = [item for item in root.iter() if item.tag.endswith("circle")]
    expect(len(circles) > 10, "the picture has points")
    expect(
        all(0 <= float(item.get("cx")) <= width and 0 <= float(item.get("cy")) <= height
            for item in circles), "inside")


def tasks_of(tool, record):
    """{(queue, task): (begin, end)} from what `twinrt record` prints."""
    report = json.loads(tool.run("record", "--print", record, "--json").stdout)
    return {(entry["queue"], entry["task"]): (entry["task_begin_ns"], entry["task_end_ns"])
            for entry in report["entries"] if entry["op"] == "task"}


def test_order(tool, clean, other):
    """Pairs in another order, counted one by one. One thread, so queues and tasks have the same
    numbers on both sides."""
    a, b = tasks_of(tool, clean), tasks_of(tool, other)
    expect(a.keys() == b.keys() and len(a) > 30, "the same tasks")
    swapped = sum(1 for x in a for y in a
                  if a[x][1] <= a[y][0] and a[x][0] < a[y][0] and b[y][1] <= b[x][0]
                  and b[y][0] < b[x][0])
    _, report = tool.json("compare", "--json", clean, other)
    expect(swapped > 0 and report["swapped"] == swapped,
           f"{report['swapped']} pairs in another order, not {swapped}")
    ratios = sorted((b[task][1] - b[task][0]) / (a[task][1] - a[task][0]) for task in a
                    if a[task][1] > a[task][0])
    least, most = min(kind["min"] for kind in report["kinds"]), max(kind["max"]
                                                                    for kind in report["kinds"])
    expect(abs(least / ratios[0] - 1) < 1e-9 and abs(most / ratios[-1] - 1) < 1e-9,
           "min and max of all ratios")
    expect(sum(kind["tasks"] for kind in report["kinds"]) == len(ratios), "each task has a ratio")


def test_extra(tool, check_program, clean):
    """Ops that only one side has are reported; all others are paired as before."""
    more = tool.record("more.rec", [check_program, "6", "40", "7"])
    _, same = tool.json("compare", "--json", clean, clean)
    status, report = tool.json("compare", "--json", clean, more)
    expect(status == 1 and not report["same"], "more ops are a difference")
    expect(report["pairs"] == same["pairs"], f"{report['pairs']} pairs, not {same['pairs']}")
    expect(report["a"]["alone"] == 0 and report["b"]["alone"] == 7,
           f"{report['b']['alone']} ops alone, not 7")
    one = tool.record("one.rec", [check_program, "6", "40", "1"])
    for other, text in ((more, b"\nonly in B: 7 ops\n"), (one, b"\nonly in B: 1 op\n")):
        expect(text in tool.run("compare", clean, other).stdout, f"not there: {text}")
    group, = report["b"]["alone_by_call"]
    expect((group["kind"], group["call"], group["count"]) == ("synchronous fill", "aclrtMemset", 7),
           f"which: {group}")


def test_counts(tool, program):
    """A wait that one of two changes lets pass: which of them it was is another order, though all
    waited from the beginning."""
    first, second = (tool.record(f"count{n}.rec", [program, str(n)], TWINRT_PROFILE="950")
                     for n in (0, 1))
    _, report = tool.json("compare", "--json", first, second)
    expect(
        report["swapped"] == 3,
        f"two changes and the wait between them, each two the other way round: {report['swapped']}")
    both = tool.record("count2.rec", [program, "0", "2"], TWINRT_PROFILE="950")
    _, report = tool.json("compare", "--json", first, both)
    kinds = [group["kind"] for group in report["a"]["alone_by_call"]]
    expect(kinds == ["count wait"], f"a wait for another value is another op: {kinds}")


def derived(folder, name, changes):
    """A profile on 910b3 in which some parameters have other values."""
    def entries(tree):
        return {key: {"value": value, "unit": "ns", "mark": "assumed", "source": "a test"}
                if isinstance(value, int) else entries(value) for key, value in tree.items()}
    for file in os.listdir(os.path.join(TOP, "sim", "profiles")):
        shutil.copy(os.path.join(TOP, "sim", "profiles", file), folder)
    path = os.path.join(folder, name)
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"base": "910b3", **entries(changes)}, file)
    return path


def facts(tool, profile):
    report = json.loads(tool.run("info", "--json", TWINRT_PROFILE=profile).stdout)
    return {fact["name"]: fact["value"] for fact in report["parameters"]}


def test_ratio(tool, program):
    """A copy on the device of one byte, alone: fetch, decode, setup, next to nothing on the way,
    retire."""
    slow = derived(
        tool.folder, "slow.json", {"dma": {"sdma": {"setup_ns": 7000}}, "sqe": {"decode_ns": 240}})
    lengths, recordings = [], []
    for name, profile in (("fast", "910b3"), ("slow", slow)):
        values = facts(tool, profile)
        lengths.append(
            sum(int(values[key]) for key in ("fetch.read_ns", "sqe.decode_ns", "dma.sdma.setup_ns",
                                             "sqe.retire_ns")))
        recordings.append(
            tool.record(name + ".rec", [program, "--one-copy"], TWINRT_PROFILE=profile))
    _, report = tool.json("compare", "--json", *recordings)
    kind = next(kind for kind in report["kinds"] if kind["kind"] == "copy")
    # the byte itself takes a few ns on both sides
    expect(kind["tasks"] == 1 and abs(kind["median"] / (lengths[1] / lengths[0]) - 1) < 0.02,
           f"the ratio of an isolated copy is {kind['median']}, not {lengths[1]} by {lengths[0]}")


def test_no_recordings(tool):
    empty = os.path.join(tool.folder, "empty.rec")
    with open(empty, "wb"):
        pass
    for arguments, text in ((("check", "/nowhere/at.all"), b"No such file"),
                            (("check", tool.folder), b""),
                            (("check", empty), b""), (("check", tool.twinrt), b""),
                            (("compare", empty, empty), b"")):
        done = tool.run(*arguments)
        expect(done.returncode == 2 and done.stderr.startswith(b"twinrt: ") and text in done.stderr
               and not done.stdout,
               f"{arguments}: {done.returncode} {done.stderr}")
    for arguments in (("check",), ("check", "a", "b"), ("compare", "a"), ("compare", "a", "b", "c"),
                      ("check", "--what", "a")):
        expect(tool.run(*arguments).returncode == 2, f"usage: {arguments}")


def test_damage(tool, record, times):
    """Files that are cut off or changed anywhere: an answer or a clear refusal, and in time."""
    with open(record, "rb") as file:
        content = file.read()
    # the bytes that are used; the rest is room
    path = os.path.join(tool.folder, "damaged.rec")
    used = max(HEADER + 64, len(content.rstrip(b"\0")))
    seen = set()
    for seed in range(times):
        dice = random.Random(seed)
        damaged = bytearray(content)
        if seed % 3 == 0:
            damaged = damaged[:dice.randrange(HEADER) if seed % 12 == 0
                              else dice.randrange(HEADER, used)]
        else:
            for _ in range(dice.choice((1, 3, 30, 300))):
                at = dice.randrange(128) if seed % 3 == 1 and dice.randrange(
                    4) == 0 else dice.randrange(HEADER, used)
                damaged[at] = dice.choice((0, 1, 0x7f, 0x80, 0xff, dice.randrange(256)))
        with open(path, "wb") as file:
            file.write(damaged)
        for arguments in (("check", "--json", path), ("compare", "--json", record, path)):
            done = tool.run(*arguments)
            seen.add(done.returncode)
            good = done.returncode in (0, 1, 3) and json.loads(
                done.stdout) or done.returncode == 2 and done.stderr
            expect(
                good,
                f"damage {seed}: {arguments[0]} ended with {done.returncode}: {done.stderr[:300]}")
            if arguments[0] == "compare" and done.returncode in (0, 3):
                expect(json.loads(done.stdout)["whole"] == (done.returncode == 0),
                       f"damage {seed}: compare ended with {done.returncode}")
            if arguments[0] == "check" and done.returncode in (0, 1, 3):
                report = json.loads(done.stdout)
                whole = report["damaged_places"] + report["lost"] == 0
                wanted = 1 if not report["clean"] else 0 if whole else 3
                # a changed word of the header may also say that the recording was cut
                expect(done.returncode == wanted or (done.returncode == 3 and not report["whole"]),
                       f"damage {seed}: status {done.returncode}, not {wanted}")
    expect(times < 30 or {0, 2, 3} <= seen, f"statuses seen: {seen}")


def test_cut(tool, check_program, clean):
    """A recording that is not whole gives no all-clear, whatever is found in the rest."""
    with open(clean, "rb") as file:
        content = file.read()
    path = os.path.join(tool.folder, "cut.rec")
    with open(path, "wb") as file:
        file.write(content[:HEADER + (len(content.rstrip(b"\0")) - HEADER) * 9 // 10])
    done = tool.run("check", path)
    expect(done.returncode == 3 and b" 0 errors, in the rest of the recording" in done.stdout,
           f"cut: {done.returncode}")
    status = tool.run("check", "--json", path)
    expect(status.returncode == 3 and not json.loads(status.stdout)["whole"], "JSON says so too")
    expect(json.loads(tool.run("check", "--json", clean).stdout)["whole"], "the whole one is whole")
    # as a recording that stopped for lack of room says of itself: state 3, so many entries lost
    with open(path, "wb") as file:
        file.write(content[:28] + (3).to_bytes(4, "little") + content[32:40] +
                   (7).to_bytes(8, "little") + content[48:])
    done = tool.run("check", path)
    expect(done.returncode == 3 and b"7 entries had no room" in done.stdout,
           f"stopped: {done.returncode}")


def test_cut_compare(tool, clean):
    """Two cut recordings with equal rests are not reported as the same."""
    with open(clean, "rb") as file:
        content = file.read()
    stopped = content[:28] + (3).to_bytes(4, "little") + content[32:40] + (7).to_bytes(
        8, "little") + content[48:]
    used = HEADER + (len(content.rstrip(b"\0")) - HEADER) * 9 // 10
    path = os.path.join(tool.folder, "cut.rec")
    for changed, text in ((content[:used], b"left out; the first"),
                          (stopped, b"7 entries were lost")):
        with open(path, "wb") as file:
            file.write(changed)
        done = tool.run("compare", path, path)
        expect(done.returncode == 3 and text in done.stderr,
               f"compare: {done.returncode} {done.stderr.decode()}")
        expect(b"incomplete" in done.stdout and b", in the readable part" in done.stdout,
               "the text says so")
        report = json.loads(tool.run("compare", "--json", path, path).stdout)
        expect(report["same"] and not report["whole"] and not report["a"]["whole"]
               and not report["b"]["whole"], "and JSON")
        for sides, whole in (((path, clean), (False, True)), ((clean, path), (True, False))):
            report = json.loads(tool.run("compare", "--json", *sides).stdout)
            expect((report["a"]["whole"], report["b"]["whole"]) == whole and not report["whole"],
                   "which of them")
    _, report = tool.json("compare", "--json", clean, clean)
    side = report["a"]
    expect(report["whole"] and side["whole"] and side["damaged_places"] == side["lost"] == 0,
           "the whole one is")
    # as a killed process leaves it: readable in full
    with open(path, "wb") as file:
        file.write(content[:28] + (1).to_bytes(4, "little") + content[32:])
    done = tool.run("compare", path, clean)
    expect(done.returncode == 0 and b"killed" in done.stderr,
           f"open: {done.returncode} {done.stderr.decode()}")


def test_timed_only(tool, program):
    """Without data there is no verdict: each tool says why and what to do, and ends with 2."""
    timed = tool.record("timed.rec", [program, "2"], TWINRT_KERNEL_DATA="off")
    computed = tool.record("computed.rec", [program, "2"])
    again = os.path.join(tool.folder, "again-timed.rec")
    done = tool.run("replay", "--record", again, timed)
    expect(done.returncode == 0, f"replay: {done}")
    for arguments in (("check", timed), ("check", again), ("compare", timed, computed),
                      ("compare", computed, timed)):
        done = tool.run(*arguments)
        expect(done.returncode == 2 and done.stdout == b"", f"{arguments}: {done}")
        for word in (b"timed.rec: 2 launches were only timed, not computed", b'"vector_rate"',
                     b"Expected: a run with data", b"TWINRT_KERNEL_DATA=on"):
            expect(word in done.stderr, f"{arguments}: {word} is missing: {done.stderr}")
    for arguments in (("check", computed), ("compare", computed, computed)):
        done = tool.run(*arguments)
        expect(done.returncode == 0, f"{arguments}: {done}")
    done = tool.run("run", "--check", "--", program, "2", TWINRT_KERNEL_DATA="off")
    expect(done.returncode == 125 and b"only timed, not computed" in done.stderr, f"run: {done}")


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("twinrt")
    parser.add_argument("check_program")
    parser.add_argument("random_program")
    parser.add_argument("count_program")
    parser.add_argument("kernel_program")
    parser.add_argument("--damage", type=int, default=60)
    options = parser.parse_args()
    os.umask(0o022) # files are private whatever the user's habit is
    with tempfile.TemporaryDirectory() as folder:
        os.environ["TMPDIR"] = folder
        tool = Tool(options.twinrt, folder)
        clean = tool.record("clean.rec", [options.check_program, "6", "40"])
        slow = derived(folder, "other.json", {"dma": {"sdma": {"setup_ns": 40000}}})
        other = tool.record("other.rec", [options.check_program, "6", "40"], TWINRT_PROFILE=slow)
        racing = tool.record("racing.rec", [options.random_program, "1"])
        test_check(tool, clean, racing)
        test_threads(tool, os.path.join(os.path.dirname(options.check_program), "order_program"))
        test_run(tool, options.check_program, options.random_program)
        test_processes(tool, f"{options.check_program} 3 5", f"{options.random_program} 3")
        test_held(tool, [options.check_program, "3", "5"])
        test_singular(tool, options.check_program)
        test_full(tool, clean)
        test_columns(tool, [options.random_program, "1"], clean, other, racing)
        test_refused(tool, options.check_program)
        test_compare(tool, clean, other)
        test_order(tool, clean, other)
        test_extra(tool, options.check_program, clean)
        test_ratio(tool, options.check_program)
        test_counts(tool, options.count_program)
        test_timed_only(tool, options.kernel_program)
        test_no_recordings(tool)
        test_cut(tool, options.check_program, clean)
        test_cut_compare(tool, clean)
        test_damage(tool, clean, options.damage)
    print(f"{len(failures)} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
