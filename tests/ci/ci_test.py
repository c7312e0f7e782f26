#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The contents of runtime/docs/ci.md and gdb.md, and the CMake functions that they name, used from
a fresh installation.

usage: ci_test.py BUILD_FOLDER SOURCE_FOLDER STEP
steps: page       files of the page are written, its commands run, its outputs compared
       gdb        the same for gdb.md
       github     each `run` step of the workflow on the page, in order; ctest's is the one that
                  fails
       gitlab     the same for the `script` of the page's job
       container  the page's container file in a new Debian, and the page's project in it
                  (./dev soak container)
       launcher   the page's command for a project that stays as it is
       presets    the page's project by each preset of the installation: which defects each finds
       functions  options of twinrt_add_test() and twinrt_discover_tests(), and mistakes in them
       update     writes the outputs into ci.md (no test)"""

import glob
import os
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET

ROOT = sys.argv[2] if len(sys.argv) == 4 else "."
sys.path.insert(0, os.path.join(ROOT, "tests", "repo"))
import readme  # noqa: E402  (its comparison of outputs)

PREFIX = "/opt/twinrt"
FENCE = re.compile(r"^```(\w+) (run|norun|output|(?:file|add)=\S+)\n(.*?)^```$", re.MULTILINE |
                   re.DOTALL)

FUNCTIONS = """
cmake_minimum_required(VERSION 3.22)
project(functions LANGUAGES CXX)
enable_testing()
find_package(GTest REQUIRED)
find_package(twinrt REQUIRED)
add_executable(cases cases.cpp)
target_link_libraries(cases PRIVATE twinrt::ascendcl GTest::gtest_main)
"""
CASES = r"""
#include <acl/acl.h>
#include <gtest/gtest.h>
#include <unistd.h>
#include <cstdlib>
#ifdef SLOW
static unsigned slow = sleep(60);
#endif
TEST(Plain, Device) { ASSERT_EQ(aclInit(nullptr), ACL_SUCCESS); ASSERT_EQ(aclrtSetDevice(0), ACL_SUCCESS); }
TEST(Plain, Fails) { FAIL(); }
TEST(Plain, Skips) { GTEST_SKIP(); }
void race()
{
    void *from, *to;
    aclrtStream one, other;
    ASSERT_EQ(aclInit(nullptr), ACL_SUCCESS);
    ASSERT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
    ASSERT_EQ(aclrtMalloc(&from, 4096, ACL_MEM_MALLOC_HUGE_FIRST), ACL_SUCCESS);
    ASSERT_EQ(aclrtMalloc(&to, 4096, ACL_MEM_MALLOC_HUGE_FIRST), ACL_SUCCESS);
    ASSERT_EQ(aclrtCreateStream(&one), ACL_SUCCESS);
    ASSERT_EQ(aclrtCreateStream(&other), ACL_SUCCESS);
    ASSERT_EQ(aclrtMemsetAsync(from, 4096, 1, 4096, one), ACL_SUCCESS);
    ASSERT_EQ(aclrtMemcpyAsync(to, 4096, from, 4096, ACL_MEMCPY_DEVICE_TO_DEVICE, other), ACL_SUCCESS);
    ASSERT_EQ(aclrtSynchronizeDevice(), ACL_SUCCESS);
}
TEST(Race, Skips) { race(); GTEST_SKIP(); }
TEST(Race, Passes) { race(); puts("expected text"); }
TEST(Plain, DISABLED_Broken) { FAIL(); }
TEST(Plain, Folder) { char name[4096]; ASSERT_TRUE(getcwd(name, sizeof(name))); ASSERT_STREQ(name, getenv("WANTED_FOLDER")); }
TEST(Plain, Seed) { ASSERT_STREQ(getenv("TWINRT_SEED"), getenv("WANTED_SEED")); }
TEST(Hang, Waits)
{
    aclrtEvent never;
    aclrtStream stream;
    ASSERT_EQ(aclInit(nullptr), ACL_SUCCESS);
    ASSERT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
    ASSERT_EQ(aclrtCreateStream(&stream), ACL_SUCCESS);
    for (;;) pause();
}
class Numbers : public testing::TestWithParam<const char *> {};
TEST_P(Numbers, Odd) { SUCCEED(); }
INSTANTIATE_TEST_SUITE_P(All, Numbers, testing::Values("a; b [", "#"));
template <class T> class Typed : public testing::Test {};
TYPED_TEST_SUITE(Typed, testing::Types<int>);
TYPED_TEST(Typed, Works) { SUCCEED(); }
"""


class Failure(Exception):
    pass


def expect(held, problem):
    if not held:
        raise Failure(problem)


def environment():
    drop = ("ASCEND_", "TWINRT_", "LD_LIBRARY_PATH", "CMAKE_", "CTEST_", "PYTHONPATH", "GTEST_")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(drop)}
    return {**kept, "PATH": "/usr/bin:" + kept["PATH"]}  # pytest is Debian's, and so its Python


def bash(commands, cwd, env=None):
    done = subprocess.run(["bash", "-euo", "pipefail", "-c", commands], cwd=cwd, env=env
                          or environment(),
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          check=False)
    return done.returncode, done.stdout.decode(errors="replace"), done.stderr.decode(
        errors="replace")


def good(commands, cwd):
    status, out, err = bash(commands, cwd)
    expect(status == 0, f"{commands} ended with {status}:\n{out}{err}")
    return out


def write(folder, name, text, mode="w"):
    path = os.path.join(folder, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, mode, encoding="utf-8") as file:
        file.write(text)


class Page:
    """The page's blocks, in a folder for a project, against an installation elsewhere than the page
    says."""

    def __init__(self, work, prefix, name="ci.md"):
        self.path = os.path.join(ROOT, "runtime", "docs", name)
        with open(self.path, encoding="utf-8") as file:
            self.text = file.read()
        self.blocks = list(FENCE.finditer(self.text))
        self.project = os.path.join(work, "project")
        self.prefix = prefix

    def here(self, text):
        return text.replace(PREFIX, self.prefix)

    def shown(self, text):
        """An output with what differs from run to run left out."""
        text = text.expandtabs(2).replace(self.prefix, PREFIX).replace(self.project,
                                                                       "/builds/project")
        text = re.sub(r"0x[0-9a-f]{6,}", "…", re.sub(r"\b\d+\.\d+ (sec|us)\b", r"… \1", text))
        text = re.sub(r"\d+\.\d+ to … us", "… to … us", re.sub(r"\(seq \d+\)", "(seq …)", text))
        text = re.sub(r" +… sec", " … sec", re.sub(r"\((\d+) ms( total)?\)", r"(… ms\2)", text))
        text = re.sub(r"Thread (0x\w+|…) \(LWP \d+\)", "Thread …", text)
        text = re.sub(r"\bin \d+\.\d+s\b", "in …s", text)
        return re.sub(r"\b\d+ ops\b", "… ops", text)

    def files(self):
        for block in self.blocks:
            if block.group(2).startswith("file="):
                write(self.project, block.group(2)[5:], self.here(block.group(3)))

    def block(self, name):
        found = [block.group(3) for block in self.blocks if block.group(2) == "file=" + name]
        expect(len(found) == 1, f"the page shows {len(found)} files {name}; expected 1")
        return found[0]

    def outputs(self):
        """Runs the page from the beginning; yields (block of the output, what was printed)."""
        self.files()
        for block, follows in zip(self.blocks, self.blocks[1:] + [None]):
            if block.group(2).startswith("add="):
                write(self.project, block.group(2)[4:], self.here(block.group(3)), "a")
            if block.group(2) == "run":
                out = self.shown(good(self.here(block.group(3)), self.project))
                if follows and follows.group(2) == "output":
                    yield follows, out


def cases(page, report):
    """{name of a test case: whether it failed} of a JUnit report."""
    suite = ET.parse(os.path.join(page.project, report))
    return {case.get("name", ""): case.find("failure") is not None
            for case in suite.iter("testcase")}


def outputs_match(page, least):
    count = 0
    for block, out in page.outputs():
        expect(readme.matches(block.group(3), out),
               f"the page shows:\n{block.group(3)}\nprinted was:\n{out}")
        count += 1
    expect(count >= least, f"the page has {count} outputs; expected at least {least}")


def step_gdb(page):
    outputs_match(page, 3)


def step_page(page):
    outputs_match(page, 6)
    # What the reports say, by their own format.
    for report in ("build/twinrt-reports/Copies.WithoutWait.xml", "twinrt.xml"):
        failed = [name for name, has_failed in cases(page, report).items() if has_failed]
        expect(len(failed) == 1 and "RACE-02" in failed[0],
               f"{report} has the failures {failed}; expected RACE-02 alone")
    ran = cases(page, "pytest.xml")
    expect(list(ran.values()) == [False, False],
           f"pytest.xml has {ran}; expected two cases that passed")


def step_update(page):
    text = page.text
    for block, out in reversed(list(page.outputs())):
        text = text[:block.start(3)] + "".join(line.rstrip() + "\n"
                                               for line in out.splitlines()) + text[block.end(3):]
    write(os.path.dirname(page.path), os.path.basename(page.path), text)


def ci_run(page, lines, artifacts):
    """Runs the lines of a job as the CI does: the first that fails ends it. Then looks at the files
    that the job keeps."""
    page.files()
    for line in lines:
        status, out, err = bash(page.here(line), page.project)
        if line.startswith("ctest"):
            expect(status == 8 and "Copies.WithoutWait" in out,
                   f"{line} ended with {status}; expected 8, failed tests:\n{out}{err}")
        else:
            expect(status == 0, f"{line} ended with {status}:\n{out}{err}")
    expect(lines[-1].startswith("ctest"), f"the job ends with {lines[-1]}; expected ctest")
    for pattern in artifacts:
        found = glob.glob(os.path.join(page.project, pattern))
        expect(found, f"the job keeps {pattern}; no such file was written")
        for path in found:
            expect(ET.parse(path).getroot().tag in ("testsuite", "testsuites"),
                   f"{path} is not JUnit XML")


def step_github(page):
    import yaml
    workflow = yaml.safe_load(page.block(".github/workflows/test.yml"))
    steps = workflow["jobs"]["model"]["steps"]
    kept = [step for step in steps if step.get("uses", "").startswith("actions/upload-artifact@")]
    expect(len(kept) == 1 and kept[0]["if"] == "always()", "reports of a failed job must be kept")
    ci_run(page, [step["run"] for step in steps if "run" in step], kept[0]["with"]["path"].split())


def step_gitlab(page):
    import yaml
    job = yaml.safe_load(page.block(".gitlab-ci.yml"))["model"]
    expect(job["artifacts"]["when"] == "always", "reports of a failed job must be kept")
    ci_run(page, job["script"], job["artifacts"]["reports"]["junit"])


def step_launcher(page):
    version = re.search(r"(\d+)\.(\d+)", good("cmake --version", page.project))
    if (int(version.group(1)), int(version.group(2))) >= (3, 29):
        print("this CMake takes CMAKE_TEST_LAUNCHER")
        sys.exit(77)
    page.files()
    write(
        page.project, "CMakeLists.txt", FUNCTIONS.replace("find_package(twinrt REQUIRED)",
                                                          "").replace("cases",
                                                                      "copies_test").replace(
        "twinrt::ascendcl", f"{page.prefix}/lib64/libascendcl.so") + f"""
target_include_directories(copies_test PRIVATE {page.prefix}/include)
include(GoogleTest)
gtest_discover_tests(copies_test)
""")
    commands = [block.group(3) for block in page.blocks if block.group(2) == "norun"
                and "EMULATOR" in block.group(3)]
    expect(
        len(commands) == 1, f"the page has {len(commands)} commands that are not run; expected 1")
    good(page.here(commands[0]).replace("-B build", "-B out") + "cmake --build out", page.project)
    seen, out = results(page.project)
    expect(seen == {"Copies.WithWait": "run", "Copies.WithoutWait": "fail"} and "RACE-02" in out,
           f"ctest has {seen}:\n{out}")


PRESETS = """
cmake_minimum_required(VERSION 3.25)
project(presets LANGUAGES C)
enable_testing()
find_package(twinrt REQUIRED)
add_executable(defects {defects})
target_include_directories(defects PRIVATE {examples})
add_executable(streams streams.c)
foreach(program defects streams)
  target_link_libraries(${{program}} PRIVATE twinrt::ascendcl)
endforeach()
foreach(defect none leak signed race_function)
  add_test(NAME ${{defect}} COMMAND defects ${{defect}})
endforeach()
add_test(NAME streams COMMAND streams)
twinrt_add_test(NAME checked COMMAND defects leak)
"""
STREAMS = """
#include <acl/acl.h>
int main(void)
{
    void *memory;
    aclrtStream first, second;
    if (aclInit(NULL) || aclrtSetDevice(0) || aclrtMalloc(&memory, 4096, ACL_MEM_MALLOC_HUGE_FIRST) ||
        aclrtCreateStream(&first) || aclrtCreateStream(&second))
        return 1;
    if (aclrtMemsetAsync(memory, 4096, 1, 4096, first) || aclrtMemsetAsync(memory, 4096, 2, 4096, second))
        return 1;
    return aclrtSynchronizeDevice() || aclrtDestroyStream(first) || aclrtDestroyStream(second) || aclrtFree(memory) ||
           aclrtResetDevice(0) || aclFinalize();
}
"""
# Which of these programs' tests fail with which preset: each tool finds the defects that it can
# detect, and no others.
FOUND = {"plain": set(), "check": {"streams"}, "asan": {"leak", "checked"}, "ubsan": {"signed"},
         "tsan": {"race_function"}, "valgrind": {"leak", "checked"}}


def step_presets(page):
    page.files()
    text = good("cmake --list-presets", page.project)
    expect(set(re.findall('"twinrt-(\\w+)"', text)) == set(FOUND), f"the presets are:\n{text}")
    write(
        page.project, "CMakeLists.txt", PRESETS.format(
            defects=os.path.abspath(os.path.join(ROOT, "tests/sanitizers/defects.c")),
            examples=os.path.abspath(os.path.join(ROOT, "examples"))))
    write(page.project, "streams.c", STREAMS)
    for preset, wanted in FOUND.items():
        good(f"cmake --preset twinrt-{preset} && cmake --build --preset twinrt-{preset}",
             page.project)
        # it is slow
        chosen = [
            "leak", "checked",
            "race_function"] if preset == "valgrind" else ["none", "leak", "checked", "signed",
                                                           "race_function", "streams"]
        _, out, _ = bash(f"ctest --preset twinrt-{preset} -j2 -R '^({'|'.join(chosen)})$'",
                         page.project)
        suite = ET.parse(
            os.path.join(page.project, "build", f"twinrt-{preset}", "ctest.xml")).getroot()
        failed = {case.get("name") for case in suite.iter("testcase")
                  if case.get("status") != "run"}
        expect(failed == wanted and len(list(suite.iter("testcase"))) == len(chosen),
               f"{preset} fails {failed}; expected {wanted}:\n{out}")


def container_script(text):
    """The commands of a container file as a script for its base image: COPY takes from /project,
    where the packages are."""
    script = ["cd /project", "ln -s /packages packages"]
    for line in re.sub(r"\\\n", " ", text).splitlines():
        word, _, rest = line.partition(" ")
        if word == "COPY":
            *_, target = rest.split()
            script += [f"mkdir -p {target}", f"cp {rest}"]
        elif word == "RUN":
            script += [f"({rest})"]
        else:
            expect(line in ("", "FROM debian:bookworm-slim"),
                   f"{line}: expected FROM debian:bookworm-slim, COPY or RUN")
    return "\n".join(script)


def step_container(page):
    page.prefix = PREFIX  # where the packages install
    page.files()
    job = re.findall(r"- run: (.*)", page.block(".github/workflows/test.yml"))
    script = os.path.join(page.project, "container.sh")
    write(page.project, "container.sh", container_script(page.block("Containerfile")) + f"""
{" && ".join(job[:-1])}
status=0
{job[-1]} >ctest.txt || status=$?
cat ctest.txt
[ $status -eq 8 ]
grep -q 'RACE-02' ctest.txt
grep -q 'copies_test.cpp:23' ctest.txt
echo "the project in the container: its race is found"
""")
    done = subprocess.run(
        ["bash", os.path.join(ROOT, "tests/packages/root.sh"), sys.argv[1], script, page.project],
        check=False)
    expect(done.returncode == 0, f"the container ended with {done.returncode}")


def results(project, arguments=""):
    """{name: "run" | "fail" | "disabled" | "notrun"} of a run of ctest, and its output."""
    _, out, _ = bash(
        f"ctest --test-dir out --output-junit result.xml --output-on-failure {arguments}", project)
    suite = ET.parse(os.path.join(project, "out", "result.xml")).getroot()
    return {case.get("name"): case.get("status") for case in suite.iter("testcase")}, out


def configure(page, lines):
    write(page.project, "CMakeLists.txt", FUNCTIONS + lines)
    write(page.project, "cases.cpp", CASES)
    return bash(
        f"cmake -G Ninja -S . -B out -DCMAKE_PREFIX_PATH='{page.prefix}' && cmake --build out",
        page.project)


def step_functions(page):
    status, out, err = configure(page, """
twinrt_discover_tests(cases TEST_PREFIX "all/" TIMEOUT 3 WORKING_DIRECTORY "${CMAKE_SOURCE_DIR}"
  PROPERTIES LABELS "one;two" ENVIRONMENT "WANTED_FOLDER=${CMAKE_SOURCE_DIR};WANTED_SEED=0;TWINRT_SEED=0")
twinrt_add_test(NAME seeds COMMAND cases --gtest_filter=Plain.Seed SEEDS 7 PROPERTIES ENVIRONMENT WANTED_SEED=7)
twinrt_add_test(NAME semicolon COMMAND sh -c "true; exit 0")
twinrt_add_test(NAME none COMMAND /bin/true RUN_OPTIONS --require-calls)
twinrt_add_test(NAME unchecked COMMAND cases --gtest_filter=Plain.Device NO_CHECK)
twinrt_add_test(NAME text COMMAND cases --gtest_filter=Plain.Fails PROPERTIES PASS_REGULAR_EXPRESSION "nothing;FAILED")
twinrt_add_test(NAME race.text COMMAND cases --gtest_filter=Race.Passes PROPERTIES PASS_REGULAR_EXPRESSION "expected text")
twinrt_add_test(NAME race.both COMMAND cases --gtest_filter=Race.Passes
  PROPERTIES PASS_REGULAR_EXPRESSION "expected text" FAIL_REGULAR_EXPRESSION "not there;nor there")
twinrt_add_test(NAME fails.text COMMAND cases --gtest_filter=Plain.Device
  PROPERTIES PASS_REGULAR_EXPRESSION PASSED FAIL_REGULAR_EXPRESSION "not there;OK")
twinrt_add_test(NAME race.unchecked COMMAND cases --gtest_filter=Race.Skips NO_CHECK PROPERTIES SKIP_REGULAR_EXPRESSION SKIPPED)
""")
    expect(status == 0, f"the project was not built:\n{out}{err}")
    seen, out = results(page.project)
    wanted = {"all/Plain.Device": "run", "all/Plain.Fails": "fail", "all/Plain.Skips": "notrun",
              "all/Plain.Broken": "disabled",
              "all/Plain.Folder": "run", "all/Plain.Seed": "run", "all/Hang.Waits": "fail",
              "all/All/Numbers.Odd/0": "run",
              "all/All/Numbers.Odd/1": "run", "all/Typed/0.Works": "run", "seeds.seed_7": "run",
              "semicolon": "run",
              "none": "fail", "unchecked": "run", "all/Race.Skips": "fail",
              "all/Race.Passes": "fail", "text": "run",
              "race.text": "fail", "race.both": "fail", "fails.text": "fail",
              "race.unchecked": "notrun"}
    expect(seen == wanted, f"ctest has {seen}; expected {wanted}:\n{out}")
    reports = os.listdir(os.path.join(page.project, "out", "twinrt-reports"))
    expect(not any(name.startswith("unchecked") for name in reports),
           f"NO_CHECK wrote a report: {reports}")
    for name in ("Plain.Device", "All_Numbers.Odd_0", "All_Numbers.Odd_1"):
        expect(any(re.fullmatch(rf"all_{name}-[0-9a-f]{{8}}\.xml", report) for report in reports),
               f"no report of {name}: {reports}")
    labelled, _ = results(page.project, "-L one")
    expect(len(labelled) == 12, f"{len(labelled)} tests have the label; expected 12")
    for line, message in (
            ("twinrt_add_test(NAME a COMMAND cases TIMEOUT soon)",
             'TIMEOUT is "soon"; expected whole seconds'),
            ("twinrt_add_test(NAME a COMMAND cases TIMEOUT 0)",
             'TIMEOUT is "0"; expected whole seconds'),
            ("twinrt_add_test(NAME a COMMAND cases SEEDS 1 x)",
             'SEEDS has "x"; expected whole numbers'),
            ("twinrt_add_test(NAME a)", "missing argument: NAME or COMMAND"),
            ("twinrt_add_test(NAME a COMMAND cases TIMEOUT)", "missing value: TIMEOUT"),
            ("twinrt_add_test(NAME a COMMAND cases PROPERTIES SKIP_REGULAR_EXPRESSION x)",
             "use SKIP_RETURN_CODE, or NO_CHECK"),
            ("twinrt_discover_tests(cases PROPERTIES WILL_FAIL TRUE)",
             "use PASS_REGULAR_EXPRESSION, or NO_CHECK"),
            ("twinrt_discover_tests(cases DISCOVERY_TIMEOUT 0)",
             'DISCOVERY_TIMEOUT is "0"; expected whole seconds'),
            ("target_compile_definitions(cases PRIVATE SLOW)\ntwinrt_discover_tests(cases "
             "DISCOVERY_TIMEOUT 1)",
             "a larger limit: DISCOVERY_TIMEOUT"),
            ("twinrt_discover_tests(cases CHECK)", "unknown argument"),
            ("twinrt_discover_tests(nothing)", "twinrt_discover_tests(nothing): not a target")):
        status, out, err = configure(page, line)
        text = " ".join((out + err).split())
        expect(status != 0 and message in text, f"{line}: expected \"{message}\":\n{out}{err}")


def main():
    steps = {"page": step_page, "gdb": step_gdb, "github": step_github, "gitlab": step_gitlab,
             "launcher": step_launcher, "container": step_container, "presets": step_presets,
             "functions": step_functions, "update": step_update}
    if len(sys.argv) != 4 or sys.argv[3] not in steps:
        sys.exit(__doc__)
    with tempfile.TemporaryDirectory() as work:
        try:
            prefix = os.path.join(work, "twinrt")
            good(f"cmake --install '{os.path.abspath(sys.argv[1])}' --prefix '{prefix}' >/dev/null",
                 work)
            names = {"gdb": ["gdb.md"], "update": ["ci.md"]}.get(sys.argv[3], ["ci.md"])
            for name in names:
                page = Page(work, prefix, name)
                os.makedirs(page.project, exist_ok=True)
                steps[sys.argv[3]](page)
        except Failure as failure:
            print(failure)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
