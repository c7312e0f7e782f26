#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The backend `ascend` over a replacement of the vendor's library: its defects are reported, and
nothing crashes.

usage: vendor_test.py library|answers|sweep BUILD PROBE TWINRT"""

import os
import pathlib
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

BUILD, PROBE, TWINRT = pathlib.Path(), "", ""
TOOLKITS = [place / "Ascend" / name for place in (pathlib.Path("/usr/local"), pathlib.Path.home())
            for name in ("cann", "ascend-toolkit/latest", "latest", "nnae/latest", "nnrt/latest")]
SECONDS = 20
SETUP = 507033


class Run:
    """One run of a program, with what it said: codes by call, messages, its end."""

    def __init__(self, home, script="", command=None, **settings):
        environment = {name: value for name, value in os.environ.items()
                       if not name.startswith(("TWINRT_", "ASCEND_", "FAKE_"))}
        environment.update(TWINRT_BACKEND="ascend",
                           FAKE_VENDOR_BELOW=str(BUILD / "loop/lib64/libacl_rt.so"),
                           FAKE_VENDOR=script)
        if home is not None:
            environment["TWINRT_ASCEND_HOME"] = str(home)
        environment.update(settings)
        # a library that is refused is closed with what it holds
        environment["ASAN_OPTIONS"] = environment.get("ASAN_OPTIONS", "") + ":detect_leaks=0"
        try:
            done = subprocess.run(command or [PROBE], env=environment, stdin=subprocess.DEVNULL,
                                  capture_output=True, text=True,
                                  timeout=SECONDS, check=False)
        except subprocess.TimeoutExpired as late:
            raise AssertionError(f"with {script} it takes for ever: {late.stdout}") from late
        self.status = done.returncode
        self.out = done.stdout
        self.log = done.stderr
        self.codes = {}
        for call, code in re.findall(r"^(\w+)\(.*\) (-?\d+)$", done.stdout, re.MULTILINE):
            self.codes.setdefault(call, []).append(int(code))

    @property
    def through(self):
        return self.status == 0 and self.out.endswith("through\n")

    @property
    def good(self):
        return self.through and all(code == 0 for codes in self.codes.values() for code in codes)


def fake(name):
    return BUILD / "fake" / name


class Library(unittest.TestCase):
    """Finding and judging the library."""

    def refused(self, run, *parts, code=SETUP):
        self.assertTrue(run.through, run.out + run.log)
        self.assertEqual(run.codes["aclrtSetDevice"], [code], run.out)
        for part in parts:
            self.assertIn(part, run.out)

    def test_whole(self):
        run = Run(fake("whole"))
        self.assertTrue(run.good, run.out + run.log)
        self.assertIn("bytes same", run.out)
        self.assertIn("time good", run.out)

    def test_no_folder(self):
        self.refused(Run("/no/such/folder"), "TWINRT_ASCEND_HOME is /no/such/folder",
                     "lib64/libacl_rt.so")

    def test_nothing_installed(self):
        if any(home.exists() for home in TOOLKITS):
            self.skipTest("a toolkit is installed here")
        self.refused(Run(None), "toolkit is not installed", "ASCEND_HOME_PATH",
                     "TWINRT_ASCEND_HOME")

    def test_ourselves(self):
        """Our own library is not taken: by its folder, by a link, by the variable that our
        set_env.sh sets."""
        with tempfile.TemporaryDirectory() as folder:
            home = pathlib.Path(folder)
            (home / "lib64").mkdir()
            (home / "lib64/libascendcl.so").symlink_to(BUILD / "lib64/libacl_rt.so")
            for run in (Run(BUILD), Run(home)):
                self.refused(run, "this runtime itself")
        if not any(home.exists() for home in TOOLKITS):
            # A second copy counts as the vendor's only where the setting for that names it.
            self.refused(Run(None, ASCEND_HOME_PATH=str(BUILD / "loop")), "this runtime itself")

    def test_no_library(self):
        with tempfile.TemporaryDirectory() as folder:
            home = pathlib.Path(folder)
            (home / "lib64").mkdir()
            (home / "lib64/libascendcl.so").write_text("no library", encoding="utf-8")
            self.refused(Run(home), "does not load", "set_env.sh")

    def test_required_functions(self):
        self.refused(Run(fake("broken")), "has no aclrtFree, aclrtMallocAlign32,",
                     "install a newer toolkit")

    def test_old(self):
        """Functions of later versions are refused by name; the rest works."""
        run = Run(fake("old"))
        self.assertTrue(run.through, run.out + run.log)
        failed = {call for call, codes in run.codes.items() if any(codes)}
        self.assertEqual(failed, {"aclrtValueWrite"}, run.out)
        self.assertEqual(run.codes["aclrtValueWrite"], [207000])
        info = Run(fake("old"), command=[TWINRT, "info", "--all"])
        self.assertEqual(info.status, 0, info.log)
        self.assertRegex(
            re.sub(r"\n {6}(?=\S)", " ", info.out),
            r"vendor.missing +aclrtValueWrite .*toolkit 8\.2 or newer has it")
        self.assertRegex(info.out, r"vendor.library +" + re.escape(str(fake("old").resolve())))

    def linked(self, *folders, script="", probe="vendor_cxx_probe", **settings):
        """A program in C++ over the toolkit of several libraries; our own folder is the first that
        is searched."""
        path = ":".join(str(folder) for folder in (BUILD / "lib64", *folders))
        return Run(fake("linked"), script, command=[BUILD / "tests/bin" / probe],
                   LD_LIBRARY_PATH=path, **settings)

    def test_libraries_of_a_toolkit(self):
        """They find each other, not our libraries of the same names, whether the toolkit's
        set_env.sh was sourced or not; their calls of the interface stay among them; and their
        std::cout is the program's."""
        devlib = fake("linked") / "devlib"
        for run in (self.linked(fake("linked") / "lib64", devlib), self.linked(devlib),
                    self.linked(devlib, LD_BIND_NOW="1")):
            self.assertTrue(run.good, run.out + run.log)
            self.assertIn("the vendor's runtime begins", run.out)
        run = self.linked(devlib, script="devices=3")
        self.assertIn("devices 3", run.out, run.log)

    def test_home(self):
        """The vendor's runtime reads its own folder where our set_env.sh has put ours; another
        folder in the environment is kept."""
        devlib = fake("linked") / "devlib"
        run = self.linked(devlib, ASCEND_HOME_PATH=str(BUILD), ASCEND_TOOLKIT_HOME="/opt/another")
        self.assertTrue(run.good, run.out + run.log)
        self.assertIn(
            f"ASCEND_HOME_PATH is {fake('linked')}\nASCEND_TOOLKIT_HOME is /opt/another\n", run.out)

    def test_libraries_behind_links(self):
        """A toolkit's lib64 may hold nothing but links."""
        with tempfile.TemporaryDirectory() as folder:
            home = pathlib.Path(folder)
            (home / "lib64").mkdir()
            (home / "runtime").mkdir()
            for file in (fake("linked") / "lib64").iterdir():
                part = home / ("runtime" if file.name == "libacl_rt.so" else "lib64") / file.name
                shutil.copy(file, part)
            (home / "lib64/libacl_rt.so").symlink_to("../runtime/libacl_rt.so")
            run = Run(home, command=[BUILD / "tests/bin/vendor_cxx_probe"],
                      LD_LIBRARY_PATH=f"{BUILD}/lib64:{fake('linked')}/devlib")
            self.assertTrue(run.good, run.out + run.log)

    def test_name_taken(self):
        """A message names the name of the toolkit under which the program has loaded ours."""
        run = self.linked(fake("linked") / "devlib", probe="vendor_taken_probe")
        self.refused(
            run, "does not load",
            f"the program has loaded {BUILD}/lib64/libplatform.so as libplatform.so before",
            "do not link with it")

    def test_names_of_the_toolkit(self):
        """A program that links our libruntime.so and libprofapi.so leaves these names to the
        toolkit."""
        run = self.linked(fake("linked") / "devlib", probe="vendor_names_probe")
        self.assertTrue(run.good, run.out + run.log)
        self.assertIn("the vendor's runtime begins", run.out)

    def test_built_with_the_toolkit(self):
        """A program that asks for libruntime.so by name: ours serves the model; on a board it must
        be the toolkit's."""
        run = self.linked(probe="vendor_built_probe", TWINRT_BACKEND="sim")
        self.assertTrue(run.good, run.out + run.log)
        run = self.linked(fake("linked") / "devlib", probe="vendor_built_probe")
        self.refused(
            run, "does not load",
            f"the program has loaded {BUILD}/lib64/libascendcl.so as libruntime.so before",
            "source the toolkit's set_env.sh and then this runtime's")
        run = self.sourced("vendor_built_probe")
        self.assertTrue(run.good, run.out + run.log)
        self.assertIn("the vendor's runtime begins", run.out)

    def test_libraries_of_the_program(self):
        """The toolkit's libraries that a program links get each other when our set_env.sh is read
        after the toolkit's."""
        run = self.sourced("vendor_operators_probe")
        self.assertTrue(run.good, run.out + run.log)
        self.assertIn("operators 11\n", run.out)
        # A name that both have: ours in the handle of ours, the toolkit's in that of the toolkit's
        # libruntime.so.
        self.assertIn("physical 0 13\n", run.out)

    def sourced(self, probe):
        """A program after the toolkit's set_env.sh and then, twice, ours."""
        home = fake("linked")
        script = f". '{BUILD}/set_env.sh' && . '{BUILD}/set_env.sh' && exec '{BUILD}/tests/bin/{probe}'"
        return Run(None, command=["bash", "-c", script], ASCEND_HOME_PATH=str(home),
                   LD_LIBRARY_PATH=f"{home}/lib64:{home}/devlib")

    def test_stub_of_the_driver(self):
        run = self.linked(fake("linked") / "devlib", script="devices=0")
        self.refused(
            run, "finds no device", "devlib/libascend_hal.so is loaded in place of the driver",
            code=207004)

    def test_versions(self):
        self.refused(Run(fake("whole"), "version=2.0.0"), "version 2.0.0", "knows version 1")
        self.refused(Run(fake("whole"), "aclrtGetVersion=507899"), "does not report its version",
                     "507899")

    def test_toolkit_version(self):
        with tempfile.TemporaryDirectory() as folder:
            home = pathlib.Path(folder)
            (home / "lib64").mkdir()
            shutil.copy(fake("whole") / "lib64/libacl_rt.so", home / "lib64/libacl_rt.so")
            (home / "version.info").write_text("Version=7.6.0.1.220\ntimestamp=1\n",
                                               encoding="utf-8")
            info = Run(home, command=[TWINRT, "info", "--all"])
            self.assertRegex(info.out, r"vendor.toolkit +7\.6\.0\.1\.220 ")
            # how the release is called counts, not the number of a part
            arch = home / f"{platform.machine()}-linux"
            arch.mkdir()
            (arch / "ascend_toolkit_install.info").write_text(
                "package_name=Ascend-cann-toolkit\nversion=8.5.0\n", encoding="utf-8")
            info = Run(home, command=[TWINRT, "info", "--all"])
            self.assertRegex(info.out, r"vendor.toolkit +8\.5\.0 ")

    def test_places(self):
        """Also where a user other than root has installed it."""
        if any(home.exists() for home in TOOLKITS):
            self.skipTest("a toolkit is installed here")
        for name in ("Ascend/cann", "Ascend/ascend-toolkit/latest", "Ascend/nnae/latest"):
            with tempfile.TemporaryDirectory() as folder:
                library = pathlib.Path(folder) / name / "lib64/libacl_rt.so"
                library.parent.mkdir(parents=True)
                shutil.copy(fake("whole") / "lib64/libacl_rt.so", library)
                info = Run(None, HOME=folder, command=[TWINRT, "info", "--all"])
                self.assertRegex(info.out, r"vendor.library +" + re.escape(str(library.resolve())),
                                 info.log)

    def test_start(self):
        """No driver, no devices."""
        self.refused(Run(fake("whole"), "aclInit=507008"), "cannot be started: it returned 507008",
                     "driver")
        self.refused(Run(fake("whole"), "aclrtGetDeviceCount=507899"),
                     "cannot count devices: it returned 507899")
        self.refused(Run(fake("whole"), "devices=0"), "finds no device", "npu-smi", code=207004)
        info = Run(fake("whole"), "devices=0", command=[TWINRT, "info"])
        self.assertNotEqual(info.status, 0)
        self.assertIn("finds no device", info.log)

    def test_auto(self):
        """A board if there is one; else the model, and why is said once."""
        with tempfile.NamedTemporaryFile("r", encoding="utf-8") as trace:
            run = Run(fake("whole"), TWINRT_BACKEND="auto", FAKE_VENDOR_TRACE=trace.name,
                      TWINRT_LOG="info")
            self.assertTrue(run.good, run.out)
            self.assertIn("aclrtMemcpyAsync", trace.read())
            self.assertIn("using the Ascend hardware backend", run.log)
        for script in ("devices=0", "version=3.0.0", "aclInit=507008"):
            run = Run(fake("whole"), script, TWINRT_BACKEND="auto")
            self.assertTrue(run.good, run.out)
            self.assertEqual(run.log.count("no hardware available"), 1, run.log)
        if not any(home.exists() for home in TOOLKITS):
            run = Run(None, TWINRT_BACKEND="auto")
            said = [line for line in run.log.splitlines()
                    if "runs under ThreadSanitizer" not in line]
            self.assertTrue(run.good and not said, run.log)


class Answers(unittest.TestCase):
    """What single calls below answer."""

    def test_codes_stay(self):
        """Known or not, a code comes to the caller as it is."""
        for below, call, code in (("aclrtMallocAlign32", "aclrtMalloc", 207001),
                                  ("aclrtMallocAlign32", "aclrtMalloc", 599999),
                                  ("aclrtMallocHost", "aclrtMallocHost", 207001),
                                  ("aclrtMemcpyAsync", "aclrtMemcpyAsync", 507899),
                                  ("aclrtMemcpyAsync", "aclrtMemcpyAsync", 107003),
                                  ("aclrtCreateStreamWithConfig", "aclrtCreateStream", 207008),
                                  ("aclrtSetDevice", "aclrtSetDevice", 507033),
                                  ("aclrtSetDevice", "aclrtSetDevice", 107001),
                                  ("aclrtSynchronizeStreamWithTimeout", "aclrtSynchronizeStream",
                                   507015),
                                  ("aclrtSynchronizeStreamWithTimeout", "aclrtSynchronizeStream",
                                   507057),
                                  ("aclrtSynchronizeStreamWithTimeout", "aclrtSynchronizeStream",
                                   507901),
                                  ("aclrtCreateEvent", "aclrtCreateEvent", 207007)):
            run = Run(fake("whole"), f"{below}={code}")
            self.assertTrue(run.through, run.out + run.log)
            self.assertIn(code, run.codes[call], f"{below}={code}: {run.out}")
            self.assertNotIn(0, run.codes[call][:1], f"{below}={code}: {run.out}")

    def test_driver_error_is_not_for_ever(self):
        """507899 of one call takes no device out of service."""
        run = Run(fake("whole"), "aclrtMemcpyAsync#1=507899")
        self.assertTrue(run.through, run.out)
        self.assertEqual(run.codes["aclrtMemcpyAsync"], [507899, 0])
        self.assertEqual(run.codes["aclrtMemset"], [0])
        self.assertEqual(run.codes["aclrtResetDevice"], [0])

    def test_end_of_the_process(self):
        """A program that ends as it is: the vendor's own objects may be gone, and nothing is asked
        of them any more."""
        with tempfile.TemporaryDirectory() as folder:
            record = pathlib.Path(folder) / "record"
            run = Run(fake("whole"), command=[PROBE, "leave"], TWINRT_RECORD=str(record))
            self.assertTrue(run.good, f"{run.status} {run.out}{run.log}")
            self.assertGreater(record.stat().st_size, 0)
        with tempfile.NamedTemporaryFile("r", encoding="utf-8") as trace:
            run = Run(fake("whole"), FAKE_VENDOR_TRACE=trace.name)
            self.assertTrue(run.good, run.out + run.log)
            self.assertEqual(trace.read().split().count("aclFinalize"), 1)

    def test_of_another(self):
        """A program that has started the vendor's library before ends it itself."""
        with tempfile.NamedTemporaryFile("r", encoding="utf-8") as trace:
            run = Run(fake("whole"), "aclInit=100002", FAKE_VENDOR_TRACE=trace.name)
            self.assertTrue(run.through, run.out + run.log)
            self.assertNotIn("aclFinalize", trace.read().split())

    def test_slow(self):
        for call in ("aclrtMemcpyAsync", "aclrtRecordEvent", "aclrtProcessReport",
                     "aclrtSetCurrentContext"):
            run = Run(fake("whole"), f"{call}~20000")
            self.assertTrue(run.good, run.out + run.log)
            self.assertIn("bytes same", run.out)


class Sweep(unittest.TestCase):
    """The first, second and third call of each function fails."""

    def test_every_call(self):
        with tempfile.NamedTemporaryFile("r", encoding="utf-8") as trace:
            Run(fake("whole"), FAKE_VENDOR_TRACE=trace.name)
            called = trace.read().split()
        self.assertGreater(len(set(called)), 30)
        for name in sorted(set(called)):
            if name == "aclGetRecentErrMsg":
                continue
            for number in range(1, min(called.count(name), 3) + 1):
                with self.subTest(name=name, call=number):
                    run = Run(fake("whole"), f"{name}#{number}=507899")
                    self.assertTrue(run.through, f"status {run.status}\n{run.out}{run.log}")


if __name__ == "__main__":
    part, BUILD, PROBE, TWINRT = sys.argv[1], pathlib.Path(
        sys.argv[2]).resolve(), sys.argv[3], sys.argv[4]
    unittest.main(argv=[sys.argv[0], part.capitalize()], verbosity=1)
