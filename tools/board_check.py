#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the conformance suites and the benchmarks on a board, and packs what came out into one file.

`./dev board-check` calls it. A suite that hangs or dies is run again test by test, so that the
others still count; when a test that has passed before does not pass any more either, the board is
left alone and the rest counts as left. After an interrupt it packs the results so far. It packs:
versions of toolkit, interface, driver and kernel; what `twinrt info` and `npu-smi info` say of the
device; results; logs, with those of the vendor's runtime of suites that did not pass. Names of the
user, the machine and folders, homes of others, and identifiers of hardware are taken out; a name of
three letters or fewer only where a name can be: in paths, and next to @ and =."""

import argparse
import getpass
import io
import ipaddress
import json
import os
import pathlib
import platform
import re
import shutil
import signal
import subprocess
import sys
import tarfile
import tempfile
import time

FORMAT = 1
MODEL_ONLY = {"arbitration": "profiles and seeds are the model's",
              "part": "profiles are the model's",
              "time": "simulated time is the model's"}
LABELS = ("pass", "fail", "skip", "known", "hang", "died", "left")
BAD = ("fail", "hang", "died", "left")
KILL_SECONDS = 10 # a program inside the driver may not end at all
LOG_BYTES = 64 << 10 # of each file of the vendor's runtime
LOG_FILES = 8 # of each suite
VERSION_FILES = ("driver/version.info", "firmware/version.info", "version.info")
PASSED = (0, 77) # statuses of a suite: passed, skipped


def hide_ipv6(found):
    """Replaces valid addresses; times, buses and names of C++ look alike and are not."""
    text = found.group()
    for end in (len(text), len(text.rstrip(":"))):
        try:
            ipaddress.IPv6Address(text[:end].partition("%")[0])
        except ValueError:
            continue
        return text if text.strip(":") == "" else "ADDRESS" + text[end:]
    return text


def hide_ipv4(found):
    """Numbers after the word "version" are not an address."""
    return found.group() if found.group(1) else "ADDRESS"


class Packed:
    """The files of the result, with what is private taken out."""

    def __init__(self, build, home=None, node=None, user=None):
        """Without them, home, node and user are those of the process."""
        self.files = {}
        home = home or os.path.expanduser("~")
        node = node or platform.node()
        folders = [(str(build), "BUILD"), (str(pathlib.Path.cwd()), "SOURCE"), (home, "HOME")]
        names = [(node, "HOST"), (node.split(".")[0], "HOST"), (user or getpass.getuser(), "USER")]
        self.patterns = [(rf"(?<!\w){re.escape(folder)}(?!\w)", word)
                         for folder, word in sorted(folders, key=lambda pair: -len(pair[0]))
                         if len(folder) > 1]
        # homes of other users
        self.patterns.append((r"(?<![\w/])/(?:home|Users)/[^/\s:;,'\"]+", "/HOME"))
        for name, word in sorted(names, key=lambda pair: -len(pair[0])):
            # a short name may be a word of the language: only where names can be, in paths and next
            # to @ and =
            around = (r"(?<!\w)", r"(?!\w)") if len(name) > 3 else (r"(?<=[/@=])",
                                                                    r"(?![\w.])|(?<!\w){}(?=@)")
            if name:
                quoted = re.escape(name)
                flags = "i" if word == "HOST" else "" # a host has its name in any case
                self.patterns.append(
                    (f"(?{flags}:{around[0]}{quoted}{around[1].format(quoted)})", word))
        # what names one piece of hardware, or one machine in a network
        byte = r"(?:25[0-5]|2[0-4]\d|1?\d?\d)"
        quad = rf"{byte}(?:\.{byte}){{3}}"
        self.patterns += [
            (r"\b[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\b|\b[0-9a-fA-F]{32}\b",
             "UUID"),
            (r"(?<![\w:-])(?:[0-9a-fA-F]{2}[:-]){5,}[0-9a-fA-F]{2}(?![\w:-])", "MAC"),
            (rf"(?<![\w:.])(?:[0-9a-fA-F]{{0,4}}:){{2,8}}(?:{quad}|[0-9a-fA-F]{{0,4}})(?:%\w+)?(?!\w|\.\d)", hide_ipv6),
            (rf"(?i:(version\W{{1,3}})?)(?<![\w.-]){quad}(?!\w|\.\w|-\w)", hide_ipv4)]

    def hide(self, text):
        for pattern, word in self.patterns:
            text = re.sub(pattern, word, text)
        return text

    def add(self, name, text):
        self.files[name] = self.hide(text)

    def write(self, file):
        with tarfile.open(fileobj=file, mode="w:gz") as archive:
            for name in sorted(self.files):
                data = self.files[name].encode("utf-8", "replace")
                entry = tarfile.TarInfo(f"board-check/{name}")
                entry.size, entry.mode = len(data), 0o644
                archive.addfile(entry, io.BytesIO(data))


class Stop:
    """SIGINT and SIGTERM. They are raised while a program is waited for, and at no other time: one
       that has just been started
    would be lost."""
    asked = waiting = False

    @classmethod
    def take(cls, *_):
        cls.asked = True
        if cls.waiting:
            raise KeyboardInterrupt

    @classmethod
    def wait(cls, process, seconds):
        try:
            cls.waiting = True
            if cls.asked:
                raise KeyboardInterrupt
            return process.wait(seconds)
        finally:
            cls.waiting = False


def end(process):
    """False: it does not end."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    try:
        process.wait(KILL_SECONDS)
    except subprocess.TimeoutExpired:
        return False
    return True


def run(command, seconds, environment):
    """(status, output): status is the program's, "hang" or "died N". Does not wait for its
    children."""
    with tempfile.TemporaryFile() as output:
        # No `with`: that would wait for a program that nothing ends.
        process = subprocess.Popen(command, env=environment, stdin=subprocess.DEVNULL,
                                   stdout=output, stderr=subprocess.STDOUT,
                                   start_new_session=True) # pylint: disable=consider-using-with
        note = ""
        try:
            code = Stop.wait(process, seconds)
            status = code if code >= 0 else f"died {-code}"
        except subprocess.TimeoutExpired:
            status = "hang"
            if not end(process):
                note = f"\n--- process {process.pid} does not end: it is inside the driver ---\n"
        except KeyboardInterrupt:
            end(process)
            raise
        output.seek(0)
        return status, output.read().decode("utf-8", "replace") + note


def read_results(path):
    if not path.exists():
        return []
    return [(line.split("\t") + ["", ""])[:3] for line in path.read_text(
        encoding="utf-8").splitlines()]


def lost(status):
    return "hang" if status == "hang" else "died"


class Board:
    """Whether the board still answers: a test that has passed once must pass again."""

    def __init__(self, environment, rest):
        self.environment = environment
        self.rest = rest  # seconds that a device gets to come back
        self.known = None # (program, test)
        self.gone = ""    # why it is left alone

    def passed(self, program, rows):
        if not self.known:
            self.known = next(((program, row[1]) for row in rows if row[0] == "pass"), None)

    def answers(self):
        """Asked after a program that hung or died. A device may need a while to come back."""
        if not self.known or self.gone:
            return not self.gone
        program, test = self.known
        for attempt in range(2):
            if attempt:
                time.sleep(self.rest)
            if run([program, "--backend=ascend", f"--only={test}"], 60, self.environment)[0] == 0:
                return True
        self.gone = f"the board no longer answers: {program.name} {test} passed before, and does not now"
        return False


def run_suite(program, seconds, board, folder):
    """([(outcome, test, reason)], log) of one suite. One that reports no test has not passed."""
    environment = {
        **board.environment, "ASCEND_PROCESS_LOG_PATH": str(folder / "vendor" / program.name)}
    results = folder / f"{program.name}.tsv"
    results.unlink(missing_ok=True)
    command = [program, "--backend=ascend", f"--results={results}"]
    try:
        status, log = run(command, seconds, environment)
    except OSError as error:
        return [("died", "all", f"cannot be run: {error.strerror}")], f"{error}\n"
    found = read_results(results)
    if isinstance(status, int) and found:
        if status not in PASSED and not any(row[0] in BAD for row in found):
            found.append(["died", "all", f"the suite ended with {status}"])
        board.passed(program, found)
        return found, log
    log += f"\n--- the suite ended with {status}; each test by itself ---\n"
    found = []
    status, names = run([program, "--list"], min(seconds, 60), environment)
    if status != 0 or not names.split():
        return [(lost(status), "all", f"the list of tests: {status}")], log + names
    for name in names.splitlines():
        if board.gone:
            found.append(("left", name, board.gone))
            continue
        results.unlink(missing_ok=True)
        status, text = run([*command, f"--only={name}"], min(seconds, 60), environment)
        own = [row for row in read_results(results) if row[1] == name]
        log += text
        if isinstance(status, int) and own:
            found += own
            board.passed(program, own)
            continue
        found.append((lost(status), name, str(status)))
        if not board.answers():
            log += f"--- {board.gone} ---\n"
    return found, log


def vendor_logs(folder):
    """{name: end of the text} of the newest files that the vendor's runtime has written for a
    suite."""
    files = sorted((path for path in folder.rglob("*") if path.is_file()),
                   key=lambda path: path.stat().st_mtime)
    return {str(path.relative_to(folder)): path.read_bytes()[-LOG_BYTES:].decode("utf-8", "replace")
            for path in files[-LOG_FILES:]}


def text_of(command, environment):
    """What a program of the system says; why it says nothing."""
    try:
        return run(command, 60, environment)[1]
    except OSError as error:
        return f"{command[0]}: {error.strerror}\n"


def first_line(command, environment):
    try:
        status, text = run(command, 20, environment)
    except OSError:
        return "not installed"
    return text.strip().splitlines()[0][:200] if status == 0 and text.strip() else f"answers {status}"


def drivers():
    """Lines with versions of driver and firmware, where they are usually installed."""
    found = []
    for name in VERSION_FILES:
        try:
            lines = pathlib.Path("/usr/local/Ascend", name).read_text(encoding="utf-8",
                                                                      errors="replace").splitlines()
        except OSError:
            continue
        found += [f"{name}: {line.strip()}" for line in lines if "ersion" in line.partition("=")[0]]
    return found


def versions(build, environment):
    return {
        "format": FORMAT,
        "twinrt": first_line([build / "bin/twinrt", "--version"], environment),
        "commit": first_line(["git", "rev-parse", "HEAD"], environment),
        "system": f"{platform.system()} {platform.release()} {platform.machine()}",
        "driver": first_line(["npu-smi", "-v"], environment),
        "files": drivers(),
        "date": time.strftime("%Y-%m-%d", time.gmtime()),
    }


def suites(build, wanted):
    """Programs of the suites. SystemExit: there are none, or a name is unknown."""
    listed = build / "tests/board_suites.txt"
    names = set(listed.read_text(encoding="utf-8").split()) if listed.exists() else None
    programs = {path.name[:-6]: path for path in sorted((build / "tests/bin").glob("*_suite"))
                if os.access(path, os.X_OK) and (names is None or path.name[:-6] in names)}
    if not programs:
        raise SystemExit(f"board-check: {build} has no suites; build it first")
    unknown = sorted(set(wanted) - set(programs))
    if unknown:
        raise SystemExit(
            f"board-check: no suite is called {', '.join(unknown)}; "
            f"there are: {' '.join(programs)}")
    return [path for name, path in programs.items() if not wanted or name in wanted]


def open_output(path):
    """A temporary file in the folder of `path`, renamed at the end. SystemExit: it cannot be
    created."""
    try:
        if path.exists() and not path.is_file():
            raise FileExistsError(None, "not a regular file")
        return tempfile.NamedTemporaryFile(dir=path.parent, prefix=f".{path.name}.", delete=False)
    except OSError as error:
        raise SystemExit(f"board-check: {path} cannot be written: {error.strerror}") from error


def place(packed, file, path):
    """Writes the result and gives it its name. False, with a message."""
    try:
        packed.write(file)
        file.flush()
        os.replace(file.name, path)
    except OSError as error:
        print(f"board-check: {path} cannot be written: {error.strerror}", file=sys.stderr)
        return False
    print(f"board-check: {path} holds all of it")
    return True


def summary(results, about, benched):
    lines = [f"{key}: {value}" for key, value in about.items()]
    lines += ["", f"{'suite':<14}" + "".join(f"{label:>8}" for label in LABELS)]
    for suite, rows in results.items():
        counts = [sum(1 for row in rows if row[0] == label) for label in LABELS]
        lines.append(f"{suite:<14}" + "".join(f"{count:>8}" for count in counts))
    bad = [(suite, row) for suite, rows in results.items() for row in rows if row[0] in BAD]
    lines += ["", f"{len(bad)} tests did not pass"]
    lines += [f"  {row[0]:<5} {suite}: {row[1]}" + (f" ({row[2][:160]})" if row[2] else "")
              for suite, row in bad]
    lines += ["", f"benchmarks: {benched}", ""]
    return "\n".join(lines), len(bad)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, required=True, help="folder of the build")
    parser.add_argument(
        "--home", help="folder of the vendor's toolkit; without it as the runtime finds it")
    parser.add_argument("--output", type=pathlib.Path, default=pathlib.Path("board-check.tar.gz"),
                        help="file to write")
    parser.add_argument("--suite", action="append", default=[],
                        help="only this suite; may be repeated")
    parser.add_argument("--seconds", type=int, default=600, help="limit of one suite (600)")
    parser.add_argument("--repeats", type=int, default=11,
                        help="samples of each benchmark (11); 0: none are run")
    parser.add_argument("--rest", type=int, default=30,
                        help="seconds that a device gets to come back after a hang (30)")
    options = parser.parse_args()
    build = options.build.resolve()
    programs = suites(build, options.suite)
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, Stop.take)
    with open_output(options.output) as file:
        try:
            return check(options, build, programs, file)
        except KeyboardInterrupt: # before or after the suites
            print("board-check: interrupted", file=sys.stderr)
            return 1
        finally:
            pathlib.Path(file.name).unlink(missing_ok=True)


def check(options, build, programs, file):
    """Runs the programs and writes the result. What to end with."""
    environment = {name: value for name, value in os.environ.items()
                   if not name.startswith("TWINRT_") or name == "TWINRT_ASCEND_HOME"}
    environment["TWINRT_BACKEND"] = "ascend"
    if options.home:
        environment["TWINRT_ASCEND_HOME"] = str(pathlib.Path(options.home).resolve())
    packed = Packed(build)
    try:
        status, info = run([build / "bin/twinrt", "info", "--backend=ascend", "--all"], 120,
                           environment)
    except OSError as error:
        status, info = 1, f"{error}\n"
    print(info, end="")
    if status != 0:
        print("board-check: no board found; the line above names what is missing", file=sys.stderr)
        return 1
    packed.add("info.txt", info)
    # What follows a value may be on the next line.
    stand_in = bool(re.search(r"^  vendor\.device +model\b", info, re.MULTILINE))
    home = re.search(r"^  vendor\.home +(\S.*?)(?:  .*)?$", info, re.MULTILINE)
    # without it the suites use a copy of this runtime
    if not environment.get("TWINRT_ASCEND_HOME") and home:
        environment["TWINRT_ASCEND_HOME"] = home.group(1)
    if not stand_in:
        environment["TWIN_TESTS_ON_BOARD"] = "1"

    # 2 seconds less for each end of the vendor's runtime; set by hand, a value stays.
    environment.setdefault("ASCEND_LOG_DEVICE_FLUSH_TIMEOUT", "0")
    about = versions(build, environment)
    about["board"] = "a second copy of this runtime, over the model" if stand_in else "a board"
    packed.add("npu-smi-before.txt", text_of(["npu-smi", "info"], environment))
    folder = build / "board-check"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    board, results, benched = Board(environment, options.rest), {}, "not run"
    try:
        run_suites(options, programs, stand_in, board, folder, packed, results)
        if options.repeats > 0 and not board.gone:
            benched = run_benchmarks(options, build, environment, folder, packed)
    except KeyboardInterrupt:
        print("interrupted")
        board.gone = "interrupted"
    Stop.asked = False # what comes now is packing
    for program in programs:
        results.setdefault(program.name[:-6], [("left", "all", board.gone)])
    packed.add("npu-smi-after.txt", text_of(["npu-smi", "info"], environment))
    text, bad = summary(results, about, benched)
    packed.add("versions.json", json.dumps(about, indent=1) + "\n")
    packed.add("summary.txt", text)
    print(text)
    return 0 if place(packed, file, options.output) and not bad else 1


def run_suites(options, programs, stand_in, board, folder, packed, results):
    """Adds to `results` suite by suite."""
    for program in programs:
        suite = program.name[:-6]
        if not stand_in and suite in MODEL_ONLY:
            results[suite] = [("skip", "all", MODEL_ONLY[suite])]
            continue
        if board.gone:
            results[suite] = [("left", "all", board.gone)]
            continue
        print(f"{suite} ... ", end="", flush=True)
        rows, log = run_suite(program, options.seconds, board, folder)
        results[suite] = rows
        bad = sum(1 for row in rows if row[0] in BAD)
        print(f"{len(rows)} tests, {bad} bad")
        packed.add(f"logs/{suite}.log", log)
        packed.add(f"results/{suite}.tsv", "".join("\t".join(row) + "\n" for row in rows))
        if bad:
            for name, text in vendor_logs(folder / "vendor" / program.name).items():
                packed.add(f"vendor/{suite}/{name}", text)


def run_benchmarks(options, build, environment, folder, packed):
    """What became of them."""
    target = folder / "bench.json"
    print("benchmarks ... ", end="", flush=True)
    status, log = run(
        [build / "bin/twinrt", "bench", "--backend=ascend", f"--repeats={options.repeats}",
         f"--json={target}"],
        1800, environment)
    benched = "done" if status == 0 else f"ended with {status}"
    print(benched)
    packed.add("logs/bench.log", log)
    if target.exists():
        packed.add("bench.json", target.read_text(encoding="utf-8"))
    return benched


if __name__ == "__main__":
    sys.exit(main())
