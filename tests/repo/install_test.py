#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Installs the build into a fresh prefix and uses it as a stranger would.

usage: install_test.py BUILD_FOLDER STEP [SANITIZER]
steps: layout set_env link samples cxx find_package pkg_config kernels moved package python"""

import os
import re
import shutil
import subprocess
import sys
import tempfile

PROGRAM = r"""
#include <stdint.h>
#include <stdio.h>
#include "acl/acl.h"

#define CHECK(call) do { if ((call) != ACL_SUCCESS) { printf("%s failed: %s\n", #call, aclGetRecentErrMsg()); return 1; } } while (0)

int main(void)
{
    aclrtStream stream;
    void *device;
    uint8_t bytes[64] = {0};
    CHECK(aclInit(NULL));
    CHECK(aclrtSetDevice(0));
    CHECK(aclrtCreateStream(&stream));
    CHECK(aclrtMalloc(&device, sizeof(bytes), ACL_MEM_MALLOC_HUGE_FIRST));
    CHECK(aclrtMemsetAsync(device, sizeof(bytes), 0x5a, sizeof(bytes), stream));
    CHECK(aclrtSynchronizeStream(stream));
    CHECK(aclrtMemcpy(bytes, sizeof(bytes), device, sizeof(bytes), ACL_MEMCPY_DEVICE_TO_HOST));
    CHECK(aclrtFree(device));
    CHECK(aclrtDestroyStream(stream));
    CHECK(aclrtResetDevice(0));
    CHECK(aclFinalize());
    printf("%s holds 0x%02x\n", aclrtGetSocName() ? "device memory" : "nothing", bytes[63]);
    return 0;
}
"""
PRINTS = "device memory holds 0x5a\n"

KERNELS = r"""
#include <twinrt/kernel.h>
struct arguments { twk_gm to; };
TWK_VECTOR_KERNEL(fill, struct arguments, args)
{
    twk_duplicate(TWK_UINT8, twk_ub_at(0), VALUE, 64);
    twk_set_flag(TWK_V, TWK_MTE3, 0);
    twk_wait_flag(TWK_V, TWK_MTE3, 0);
    twk_store(args->to, twk_ub_at(0), 64);
}
"""
# The program, with a kernel in place of the fill.
KERNEL_PROGRAM = PROGRAM.replace("int main(void)", "int main(int argc, char **argv)").replace(
    "    CHECK(aclrtMemsetAsync(device, sizeof(bytes), 0x5a, sizeof(bytes), stream));\n", r"""
    aclrtBinHandle binary;
    aclrtFuncHandle kernel;
    CHECK(aclrtBinaryLoadFromFile(argv[argc - 1], NULL, &binary));
    CHECK(aclrtBinaryGetFunction(binary, "fill", &kernel));
    CHECK(aclrtLaunchKernelWithHostArgs(kernel, 1, stream, NULL, &device, sizeof(device), NULL, 0));
""")
KERNEL_PROJECT = """
cmake_minimum_required(VERSION 3.22)
project(kernels LANGUAGES C)
find_package(twinrt 0.1 REQUIRED)
add_executable(kernel_program kernel_program.c)
target_link_libraries(kernel_program PRIVATE twinrt::ascendcl)
twinrt_add_kernels(kernels SOURCES kernels.c DEFINITIONS VALUE=0x5a)
"""

# As samples of the vendor are built: libraries by path, link-time libraries from a stub folder,
# names that they do not use.
SAMPLE_PROJECT = """
cmake_minimum_required(VERSION 3.16)
project(sample LANGUAGES CXX)
include_directories(${ASCEND_CANN_PACKAGE_PATH}/runtime/include)
set(folder ${ASCEND_CANN_PACKAGE_PATH}/lib64)
add_executable(by_path sample.cpp)
target_link_libraries(by_path PRIVATE ${folder}/libmsprofiler.so ${folder}/libascendcl.so ${folder}/libacl_rt.so
  ${folder}/libacl_rt_impl.so ${folder}/libprofapi.so)
add_executable(by_stub sample.cpp)
target_link_directories(by_stub PRIVATE ${ASCEND_CANN_PACKAGE_PATH}/runtime/lib64/stub)
target_link_libraries(by_stub PRIVATE -Wl,--no-as-needed ascendcl acl_op_compiler runtime)
add_executable(by_old_name sample.cpp)
target_link_directories(by_old_name PRIVATE ${ASCEND_CANN_PACKAGE_PATH}/fwkacllib/lib64)
target_link_libraries(by_old_name PRIVATE ascendcl)
"""
# The version of the vendor's package with these headers (its version.cmake).
PACKAGE_VERSION = "9.1.0"
# It links a function of the layer below the interface, too.
SAMPLE = "extern \"C\" int rtDeviceGetBareTgid(unsigned *);\n" + PROGRAM.replace(
    "    CHECK(aclInit(NULL));\n", r"""
    unsigned process;
    CHECK(aclInit(NULL));
    CHECK(rtDeviceGetBareTgid(&process));
    char package[] = "runtime", version[ACL_PKG_VERSION_MAX_SIZE];
    int32_t number;
    CHECK(aclsysGetVersionStr(package, version));
    CHECK(aclsysGetVersionNum(package, &number));
    printf("%s %d\n", version, number);
""")
SAMPLE_PRINTS = f"{PACKAGE_VERSION} 90100000\n{PRINTS}"

PROJECT = """
cmake_minimum_required(VERSION 3.22)
project(stranger LANGUAGES C CXX)
find_package(twinrt 0.1 REQUIRED)
add_executable(program program.c)
target_link_libraries(program PRIVATE twinrt::ascendcl twinrt::host)
add_executable(program_cxx program.cpp)
target_link_libraries(program_cxx PRIVATE twinrt::acl_rt)
"""


def plugins():
    """Names of backends and wrappers, as backends/CMakeLists.txt lists them."""
    with open(
        os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "backends",
                     "CMakeLists.txt"), encoding="utf-8") as file:
        lists = re.findall(r"^set\(TWIN_(?:BACKENDS|WRAPPERS)([^)]*)\)", file.read(),
                           flags=re.MULTILINE)
    return sorted(" ".join(lists).split())


MUST_HAVE = ["bin/twinrt", "bin/twinrt-cc", "lib64/libtwinrt_kernel.a",
             "lib64/cmake/twinrt/twinrt-kernels.cmake",
             "include/twinrt/kernel.h", "include/twinrt/kernel_image.h",
             "include/twinrt/kernel_ops.h",
             "include/acl/acl.h", "include/acl/acl_rt.h",
             "include/acl/error_codes/rt_error_codes.h",
             "lib/libascendcl.so", "lib64/libacl_prof.so", "lib64/libacl_rt.so",
             "lib64/libacl_tdt_channel.so",
             "lib64/libacl_tdt_queue.so", "lib64/libascend_dump.so", "lib64/libascendcl.so",
             "lib64/libmsprofiler.so",
             "lib64/libplatform.so", "lib64/libtwinrt-host.so",
             *(f"lib64/twinrt/backend-{name}.so" for name in plugins()),
             *(f"lib64/twinrt/profiles/{name}.json" for name in (
                 "310b1", "310p3", "910_9391", "910a", "910b1", "910b2", "910b3", "910b4", "950")),
             "lib64/cmake/twinrt/twinrt-config.cmake", "lib64/pkgconfig/twinrt.pc",
             "include/twinrt/frames.h", "include/twinrt/interrupt.h", "include/twinrt/symbol.h",
             "set_env.sh",
             "share/doc/twinrt/LICENSE", "share/doc/twinrt/runtime/ascendc/instructions.tsv",
             "bin/setenv.bash", "share/info/runtime/version.info",
             "tikcpp/ascendc_kernel_cmake/ascendc.cmake"]
# Names of the vendor's that no library of ours implements, of its compilers, and folders of older
# toolkits.
LINKS = [
    "bin/bisheng", "bin/ccec",
    *(f"lib64/lib{name}.so" for name in ("acl_op_compiler", "acl_rt_impl", "profapi", "runtime")),
    *(f"lib64/stub/lib{name}.so" for name in (
        "acl_op_compiler", "acl_prof", "acl_rt", "acl_rt_impl", "acl_tdt_channel", "acl_tdt_queue",
        "ascend_dump", "ascendcl",
        "msprofiler", "platform", "profapi", "runtime")),
    *(f"{old}/{folder}" for old in ("acllib", "fwkacllib", "runtime")
      for folder in ("include", "lib64"))]
# Unless the build was configured without benchmarks.
BENCH = [
    f"lib64/twinrt/bench/{name}" for name in ("acl_bench", "empty_kernel.o", "model_bench",
                                              "targets.json")]
# Unless the build was configured without Python.
PYTHON = ["python/site-packages/acl/__init__.py", "python/site-packages/acl/_acl.abi3.so",
          "python/site-packages/twinrt.py",
          "python/site-packages/acl-stubs/__init__.pyi",
          "python/site-packages/acl-stubs/rt.pyi", "python/site-packages/acl-stubs/util.pyi"]
# Whatever else is installed is an accident, such as a test library or a header of the seam.
MAY_HAVE = ("bin/bisheng", "bin/ccec", "bin/setenv.bash", "bin/twinrt", "bin/twinrt-cc",
            "include/acl/", "include/twinrt/",
            "lib64/", "python/", "set_env.sh", "share/", "examples/",
            "tikcpp/")


HERE = os.path.dirname(os.path.abspath(__file__))


class Failure(Exception):
    pass


def sh(command, cwd=None, env=None):
    """Runs a command or a line of shell; gives what it printed."""
    line = ["sh", "-c", command] if isinstance(command, str) else command
    done = subprocess.run(line, cwd=cwd, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, check=False)
    text = done.stdout.decode(errors="replace")
    if done.returncode != 0:
        raise Failure(f"{command} ended with {done.returncode}:\n{text}")
    return text


def expect(held, problem):
    if not held:
        raise Failure(problem)


def clean_environment():
    drop = ("ASCEND_", "TWINRT_", "LD_LIBRARY_PATH", "CMAKE_PREFIX_PATH", "PKG_CONFIG",
            "PYTHONPATH", "CPATH", "LIBRARY_PATH")
    return {name: value for name, value in os.environ.items() if not name.startswith(drop)}


class Stranger:
    def __init__(self, build, work, sanitizer):
        self.build = build
        self.work = work
        self.prefix = os.path.join(work, "prefix")
        self.env = clean_environment()
        self.has_python = os.path.exists(os.path.join(build, PYTHON[0]))
        with open(os.path.join(build, "CMakeCache.txt"), encoding="utf-8") as cache:
            self.has_bench = "\nTWINRT_BENCH:BOOL=OFF\n" not in cache.read()
        self.must_have = MUST_HAVE + (PYTHON if self.has_python else []) + (BENCH if self.has_bench
                                                                            else [])
        self.flags = ["-Wall", "-Werror"] + ([f"-fsanitize={sanitizer}"] if sanitizer else [])
        sh(["cmake", "--install", build, "--prefix", self.prefix])
        for name in ("program.c", "program.cpp"):
            with open(os.path.join(work, name), "w", encoding="utf-8") as file:
                file.write(PROGRAM)

    def with_set_env(self, command):
        """Runs a line of shell in a bash that has read set_env.sh."""
        return sh(["bash", "-euc", f". '{self.prefix}/set_env.sh'\n{command}"], cwd=self.work,
                  env=self.env)

    def prints(self, command):
        seen = self.with_set_env(command)
        expect(seen == PRINTS, f"{command} printed:\n{seen}")

    def layout(self):
        for path in self.must_have:
            expect(os.path.exists(os.path.join(self.prefix, path)), f"{path} was not installed")
        for path in LINKS:
            place = os.path.join(self.prefix, path)
            expect(os.path.islink(place) and os.path.exists(place),
                   f"{path} is not a link to something installed")
            expect(not os.path.isabs(os.readlink(place)),
                   f"{path} leads to {os.readlink(place)}, which no other place has")
        if self.has_bench:
            self.measures()
        for folder, _, names in os.walk(self.prefix):
            for name in names:
                path = os.path.relpath(os.path.join(folder, name), self.prefix)
                expect(path.startswith(MAY_HAVE), f"{path} does not belong into an installation")
                with open(os.path.join(folder, name), "rb") as file:
                    if path.endswith((".cmake", ".pc", ".sh")):
                        expect(self.build.encode() not in file.read(),
                               f"{path} names the build folder")

    def set_env(self):
        names = "ASCEND_HOME_PATH ASCEND_TOOLKIT_HOME LD_LIBRARY_PATH PATH CMAKE_PREFIX_PATH PYTHONPATH"
        once = self.with_set_env(f"for n in {names}; do printenv $n; done")
        twice = self.with_set_env(
            f". '{self.prefix}/set_env.sh'; for n in {names}; do printenv $n; done")
        expect(once == twice, f"reading set_env.sh twice adds something:\n{twice}")
        for line in once.splitlines():
            expect(line.startswith(self.prefix), f"set_env.sh gives {line}")
        expect("" not in self.with_set_env("printenv LD_LIBRARY_PATH").strip().split(":"),
               "an empty entry in LD_LIBRARY_PATH")
        plain = sh(f"cd '{self.prefix}' && . ./set_env.sh && printenv ASCEND_HOME_PATH",
                   env=self.env)
        expect(plain.strip() == self.prefix, f"another shell gets {plain}")
        board = self.with_set_env(
            f"ASCEND_HOME_PATH=/opt/board; . '{self.prefix}/set_env.sh'; . "
            f"'{self.prefix}/set_env.sh'; echo $TWINRT_ASCEND_HOME")
        expect(board.strip() == "/opt/board", f"the ascend backend is sent to {board}")
        expect("unset" in self.with_set_env("echo ${TWINRT_ASCEND_HOME-unset}"),
               "a folder of no vendor is taken for one")
        seen = self.with_set_env("twinrt info")
        expect("910B3" in seen, f"twinrt info printed:\n{seen}")

    def link(self):
        # Nothing but the include folder and one library, as build files of applications have it.
        for library in ("ascendcl", "acl_rt"):
            sh(["gcc", *self.flags, "-I", f"{self.prefix}/include", "program.c", "-o", library,
                "-L", f"{self.prefix}/lib64", f"-l{library}"], cwd=self.work, env=self.env)
            self.prints(f"./{library}")
            needed = sh(["readelf", "-d", library], cwd=self.work)
            expect(f"[lib{library}.so]" in needed,
                   f"the program records another name than lib{library}.so:\n{needed}")
        sh(["gcc", *self.flags, "-I", f"{self.prefix}/include", "-I", f"{self.prefix}/include/acl",
            "program.c", "-o", "both",
            "-L", f"{self.prefix}/lib", "-lascendcl"], cwd=self.work, env=self.env)
        self.prints("./both")

    def samples(self):
        """Build files and run scripts in the form of the vendor's samples work as they are."""
        for name, text in (("CMakeLists.txt", SAMPLE_PROJECT), ("sample.cpp", SAMPLE)):
            with open(os.path.join(self.work, name), "w", encoding="utf-8") as file:
                file.write(text)
        flags = " ".join(self.flags)
        script = ("set -euo pipefail\nsource \"$ASCEND_HOME_PATH/bin/setenv.bash\"\n"
                  f"cmake -B out -DASCEND_CANN_PACKAGE_PATH=\"$ASCEND_HOME_PATH\" "
                  f"-DCMAKE_CXX_FLAGS='{flags}' >log\n"
                  "cmake --build out >>log\nfor program in by_path by_stub by_old_name; do "
                  "./out/$program; done\n")
        seen = sh(["bash", "-c", script], cwd=self.work,
                  env=dict(self.env, ASCEND_HOME_PATH=self.prefix))
        expect(seen == SAMPLE_PRINTS * 3, f"the samples printed:\n{seen}")
        # A stub folder is where the build tool sends the dynamic linker, too.
        seen = sh("./out/by_stub", cwd=self.work, env=dict(self.env, ASCEND_HOME_PATH=self.prefix))
        expect(seen == SAMPLE_PRINTS, f"without LD_LIBRARY_PATH by_stub printed:\n{seen}")
        # On a board these names are the vendor's, so no program may ask for ours by them.
        for program in ("by_path", "by_stub"):
            needed = sh(["readelf", "-d", f"out/{program}"], cwd=self.work)
            for name in ("acl_op_compiler", "acl_rt_impl", "profapi", "runtime"):
                expect(f"lib{name}.so" not in needed, f"{program} records lib{name}.so:\n{needed}")

    def cxx(self):
        sh(["g++", *self.flags, "-D_GLIBCXX_USE_CXX11_ABI=0", "-I", f"{self.prefix}/include",
            "program.cpp", "-o", "cxx",
            "-L", f"{self.prefix}/lib64", "-lascendcl"], cwd=self.work, env=self.env)
        self.prints("./cxx")

    def find_package(self):
        with open(os.path.join(self.work, "CMakeLists.txt"), "w", encoding="utf-8") as file:
            file.write(PROJECT)
        flags = " ".join(self.flags)
        self.with_set_env(
            f"cmake -G Ninja -S . -B out -DCMAKE_C_FLAGS='{flags}' -DCMAKE_CXX_FLAGS='{flags}'; "
            f"cmake --build out")
        self.prints("out/program")
        self.prints("out/program_cxx")
        refused = self.with_set_env(
            "sed -i s/0.1/7.5/ CMakeLists.txt; ! cmake -G Ninja -S . -B out2")
        expect("7.5" in refused, f"a wrong version was not refused:\n{refused}")

    def pkg_config(self):
        if not shutil.which("pkg-config"):
            print("pkg-config is missing")
            sys.exit(77)
        self.with_set_env(
            f"gcc {' '.join(self.flags)} program.c -o by_pc $(pkg-config --cflags --libs twinrt)")
        self.prints("./by_pc")

    def kernels(self):
        """By the tool alone, by pkg-config's variable, and by CMake, which knows when to build
        anew."""
        for name, text in (("kernels.c", KERNELS), ("kernel_program.c", KERNEL_PROGRAM),
                           ("CMakeLists.txt", KERNEL_PROJECT)):
            with open(os.path.join(self.work, name), "w", encoding="utf-8") as file:
                file.write(text)
        self.with_set_env(
            f"gcc {' '.join(self.flags)} kernel_program.c -o kernel_program "
            f"-I'{self.prefix}/include' "
            f"-L'{self.prefix}/lib64' -lascendcl; twinrt-cc -DVALUE=0x5a -o kernels.o kernels.c")
        self.prints("./kernel_program kernels.o")
        if shutil.which("pkg-config"):
            self.with_set_env(
                "$(pkg-config --variable=kernel_compiler twinrt) -DVALUE=0x5a -o by_pc.o kernels.c")
            self.prints("./kernel_program by_pc.o")
        flags = " ".join(self.flags)
        self.with_set_env(
            f"cmake -G Ninja -S . -B out -DCMAKE_C_FLAGS='{flags}'; cmake --build out")
        self.prints("out/kernel_program out/kernels.o")
        printed = self.with_set_env("cmake --build out; touch kernels.c; cmake --build out")
        expect(printed.count("Building kernels") == 1,
               f"a changed kernel is built anew, and no other:\n{printed}")

    def moved(self):
        elsewhere = os.path.join(self.work, "else where")
        os.rename(self.prefix, elsewhere)
        self.prefix = elsewhere
        self.with_set_env(
            f"gcc {' '.join(self.flags)} program.c -o away -I\"$ASCEND_HOME_PATH/include\" "
            "-L\"$ASCEND_HOME_PATH/lib64\" -lascendcl")
        self.prints("./away")

    def python(self):
        if not self.has_python or "san" in "".join(self.flags):
            print("no Python module in this build, or one for a Python with a sanitizer")
            sys.exit(77)
        line = f"'{sys.executable}' -c 'import acl; print(acl.__file__, acl.rt.get_device_count())'"
        printed = self.with_set_env(line)
        expect(printed == f"{self.prefix}/{PYTHON[0]} (1, 0)\n", f"the module printed:\n{printed}")
        # The module finds its library by its own place, too.
        printed = sh(line, env=dict(self.env, PYTHONPATH=f"{self.prefix}/python/site-packages"))
        expect(printed.endswith(" (1, 0)\n"), f"without set_env.sh the module printed:\n{printed}")

    def measures(self):
        """The tool's benchmarks find their programs, libraries, profile and targets."""
        tool = os.path.join(self.prefix, "bin", "twinrt")
        for run in ("sync", "model/start", "model/events"):
            shown = sh([tool, "bench", "--filter", run, "--repeats", "1"])
            expect("sync" in shown or "targets" in shown,
                   f"twinrt bench --filter {run} printed:\n{shown}")

    def package(self):
        missing = [tool for tool in ("cpack", "dpkg-shlibdeps", "file", "lintian")
                   if not shutil.which(tool)]
        if missing:
            print("missing: " + " ".join(missing))
            sys.exit(77)
        sh(["cpack", "--config", f"{self.build}/CPackConfig.cmake", "-B", self.work])
        packages = {name.split("_")[0]: name for name in os.listdir(self.work)
                    if name.endswith(".deb")}
        expect(set(packages) == {"twinrt", "twinrt-model", "twinrt-dbgsym"},
               f"cpack made {packages}")
        listed = {name: sh(["dpkg-deb", "--contents", file], cwd=self.work)
                  for name, file in packages.items()}
        contents = listed["twinrt"] + listed["twinrt-model"]
        for path in self.must_have:
            expect(f"./opt/twinrt/{path}\n" in contents or path.startswith("lib/"),
                   f"{path} is in no package")
        for path in LINKS:
            expect(f"./opt/twinrt/{path} -> " in contents, f"{path} is in no package")
        for path in ("usr/bin/twinrt -> /opt/twinrt/bin/twinrt",
                     "usr/bin/twinrt-cc -> /opt/twinrt/bin/twinrt-cc",
                     "usr/share/bash-completion/completions/twinrt-cc -> "
                     "/opt/twinrt/share/bash-completion/completions/twinrt",
                     "usr/share/fish/vendor_completions.d/twinrt-cc.fish -> "
                     "/opt/twinrt/share/fish/vendor_completions.d/twinrt.fish",
                     "usr/share/zsh/vendor-completions/_twinrt -> "
                     "/opt/twinrt/share/zsh/site-functions/_twinrt",
                     "usr/share/man/man1/twinrt-run.1.gz", "usr/share/doc/twinrt/copyright",
                     "usr/share/doc/twinrt-model/copyright",
                     "opt/twinrt/share/doc/twinrt/runtime/docs/ci.md",
                     "opt/twinrt/share/twinrt/examples/check.h",
                     "opt/twinrt/share/twinrt/tools/msprof_print.py"):
            expect(f"./{path}\n" in contents, f"{path} is in no package")
        depends = {name: sh(["dpkg-deb", "--field", file, "Depends"], cwd=self.work)
                   for name, file in packages.items()}
        expect("libc6" in depends["twinrt"] and "libcjson1" in depends["twinrt"]
               and "systemc" not in depends["twinrt"],
               f"twinrt depends on {depends['twinrt']}")
        expect("libsystemc" in depends["twinrt-model"] and "twinrt (=" in depends["twinrt-model"],
               f"twinrt-model depends on {depends['twinrt-model']}")
        sources = os.path.dirname(os.path.dirname(HERE)).encode()
        for name in ("twinrt", "twinrt-model"):
            unpacked = os.path.join(self.work, "unpacked")
            sh(["dpkg-deb", "--extract", packages[name], unpacked], cwd=self.work)
        self.has_debug_information(os.path.join(self.work, "debug"), packages["twinrt-dbgsym"],
                                   unpacked)
        for folder, _, names in os.walk(unpacked):
            for path in (os.path.join(folder, name) for name in names
                         if not os.path.islink(os.path.join(folder, name))):
                with open(path, "rb") as file:
                    text = file.read()
                expect(sources not in text and self.build.encode() not in text,
                       f"{path} names a folder of the build")
        seen = sh(
            ["lintian", "--allow-root", "--fail-on", "error,warning", "--no-cfg",
             *packages.values()], cwd=self.work)
        expect(seen == "", f"lintian says:\n{seen}")
        self.prefix = os.path.join(unpacked, "opt", "twinrt")
        self.link()

    def has_debug_information(self, folder, package, unpacked):
        """Programs and libraries are stripped, and a debugger finds functions and lines by the
        build id."""
        sh(["dpkg-deb", "--extract", package, folder], cwd=self.work)
        library = os.path.join(unpacked, "opt/twinrt/lib64/libacl_rt.so")
        expect(" .debug_info" not in sh(["readelf", "-SW", library])
               and " .symtab" not in sh(["readelf", "-SW", library]), "not stripped")
        identity = re.search(r"Build ID: (\w+)", sh(["readelf", "-n", library])).group(1)
        kept = os.path.join(folder, "usr/lib/debug/.build-id", identity[:2], identity[2:] +
                            ".debug")
        address = next(
            line.split()[1] for line in sh(["readelf", "--dyn-syms", "-W", library]).splitlines()
            if line.endswith(" aclInit"))
        seen = sh(["addr2line", "-f", "-e", kept, "0x" + address])
        expect(seen.startswith("aclInit\n") and re.search(r"\.c:\d+", seen),
               f"the debug package says of aclInit:\n{seen}")


def main(arguments):
    if len(arguments) not in (2, 3) or not hasattr(Stranger, arguments[1]):
        sys.exit(__doc__)
    with tempfile.TemporaryDirectory() as work:
        try:
            stranger = Stranger(os.path.abspath(arguments[0]), work, arguments[2]
                                if len(arguments) == 3 else "")
            getattr(stranger, arguments[1])()
        except Failure as failure:
            print(failure)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
