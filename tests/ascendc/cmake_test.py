#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Projects with sources in Ascend C, as CMake builds them: find_package(ASC) and ascendc.cmake.
Arguments: the build folder, and Projects or Examples. Skipped (77) without clang 17 or newer."""
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
BUILD = os.path.abspath(sys.argv.pop(1))
SETTINGS = {name: value for name, value in os.environ.items()
            if not name.startswith(("TWINRT_", "ASC")) and name not in ("CC", "CXX")}
TOOLKIT = os.environ.get("TWINRT_TEST_TOOLKIT", "")
LANGUAGE = """
cmake_minimum_required(VERSION 3.16)
find_package(ASC REQUIRED)
project(language LANGUAGES ASC CXX)
set(CMAKE_ASC_ARCHITECTURES dav-2201)
add_executable(launches launches.asc)
target_compile_options(launches PRIVATE $<$<COMPILE_LANGUAGE:ASC>:--npu-arch=dav-2201>)
"""
# As projects of before find_package(ASC): the language comes with ascendc.cmake.
FUNCTIONS = """
cmake_minimum_required(VERSION 3.16)
project(functions)
include($ENV{ASCENDC_CMAKE_DIR}/ascendc.cmake)
ascendc_library(kernels %s increase.cpp double.cpp)
ascendc_compile_definitions(kernels PRIVATE STEP=3)
ascendc_fatbin_library(alone increase.cpp)
ascendc_compile_definitions(alone PRIVATE STEP=3)
include_directories(${ASCEND_CANN_PACKAGE_PATH}/include)
add_executable(program main.cpp)
target_link_libraries(program PRIVATE kernels ${ASCEND_CANN_PACKAGE_PATH}/lib64/libacl_rt.so)
"""
INCREASE = """
#include <cstdint>
[[block_local]] uint64_t of_each_source;
extern "C" __global__ __aicore__ void increase(__gm__ int32_t *x) { x[block_idx] += STEP; }
void start_increase(void *stream, int32_t *x) { increase<<<4, nullptr, stream>>>(x); }
"""
DOUBLE = """
#include <cstdint>
[[block_local]] uint64_t of_each_source;
extern "C" __global__ __aicore__ void twice(__gm__ int32_t *x) { x[block_idx] *= 2; }
int start_twice(void *stream, int32_t *x)
{
    return static_cast<int>(twice<<<4, nullptr, stream>>>(x));
}
"""
WITH_HEADER = """
#include <cstdint>
#include "kernel_operator.h"
extern "C" __global__ __aicore__ void put(__gm__ int32_t *x) { x[block_idx] = OF_THE_TOOLKIT; }
"""
MAIN = """
#include <acl/acl.h>
#include <cstdio>
void start_increase(void *stream, int32_t *x);
int start_twice(void *stream, int32_t *x);
int main()
{
    int32_t host[4] = {1, 2, 3, 4};
    void *x = nullptr;
    aclrtStream stream = nullptr;
    aclInit(nullptr);
    aclrtSetDevice(0);
    aclrtCreateStream(&stream);
    aclrtMalloc(&x, sizeof(host), ACL_MEM_MALLOC_HUGE_FIRST);
    aclrtMemcpy(x, sizeof(host), host, sizeof(host), ACL_MEMCPY_HOST_TO_DEVICE);
    start_increase(stream, (int32_t *)x);
    const int code = start_twice(stream, (int32_t *)x);
    aclrtSynchronizeStream(stream);
    aclrtMemcpy(host, sizeof(host), x, sizeof(host), ACL_MEMCPY_DEVICE_TO_HOST);
    std::printf("%d: %d %d %d %d\\n", code, host[0], host[1], host[2], host[3]);
    aclrtBinHandle binary = nullptr;
    aclrtFuncHandle function = nullptr;
    std::printf("alone %d", aclrtBinaryLoadFromFile("alone.o", nullptr, &binary));
    std::printf(" %d", aclrtBinaryGetFunction(binary, "increase", &function));
    std::printf(" %d", aclrtLaunchKernelWithHostArgs(function, 2, stream, nullptr, &x, sizeof(x),
                                                     nullptr, 0));
    aclrtSynchronizeStream(stream);
    aclrtMemcpy(host, sizeof(host), x, sizeof(host), ACL_MEMCPY_DEVICE_TO_HOST);
    std::printf(": %d %d %d %d\\n", host[0], host[1], host[2], host[3]);
    aclrtBinaryUnLoad(binary);
    aclrtFree(x);
    aclrtDestroyStream(stream);
    aclrtResetDevice(0);
    aclFinalize();
}
"""


def has_clang():
    done = subprocess.run([os.path.join(BUILD, "bin", "twinrt-cc"), "--ascend-c", "-c", "-o",
                           os.devnull, os.devnull + ".asc"], capture_output=True, text=True,
                          check=False, env=SETTINGS)
    return "needs clang 17" not in done.stderr


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)

    def write(self, **files):
        for name, text in files.items():
            path = os.path.join(self.folder, name.replace("_", "."))
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)

    def command(self, *words, **settings):
        done = subprocess.run(words, cwd=self.folder, env={**SETTINGS, **settings}, text=True,
                              capture_output=True, timeout=250, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout


class Projects(Case):
    def test_language(self):
        self.write(CMakeLists_txt=LANGUAGE)
        for name in ("launches.asc", "device.h"):
            shutil.copy(os.path.join(HERE, name), self.folder)
        for generator in ("Unix Makefiles", "Ninja"):
            with self.subTest(generator):
                build = os.path.join(self.folder, generator)
                self.command("cmake", "-G", generator, "-S", ".", "-B", build,
                             "-DCMAKE_PREFIX_PATH=" + BUILD,
                             ASCEND_HOME_PATH=BUILD)  # as of set_env.sh: not a toolkit
                self.command("cmake", "--build", build)
                got = self.command(os.path.join(build, "launches"), TWINRT_BACKEND="sim",
                                   LD_LIBRARY_PATH=os.path.join(BUILD, "lib64"))
                self.assertRegex(got, r"(?m)^\w+: ok$")
                # A header that has changed: the source is compiled again.
                os.utime(os.path.join(self.folder, "device.h"))
                self.assertIn("launches.asc", self.command("cmake", "--build", build))
                self.assertNotIn("launches.asc.o", self.command("cmake", "--build", build))

    def test_functions(self):
        self.write(increase_cpp=INCREASE, double_cpp=DOUBLE, main_cpp=MAIN)
        for kind in ("STATIC", "SHARED"):
            with self.subTest(kind):
                self.write(CMakeLists_txt=FUNCTIONS % kind)
                build = os.path.join(self.folder, kind)
                self.command("cmake", "-S", ".", "-B", build, "-DASCEND_CANN_PACKAGE_PATH=" + BUILD,
                             ASCENDC_CMAKE_DIR=os.path.join(BUILD, "lib64", "cmake", "asc"))
                self.command("cmake", "--build", build)
                self.folder, source = build, self.folder
                got = self.command("./program", TWINRT_BACKEND="sim",
                                   LD_LIBRARY_PATH=os.path.join(BUILD, "lib64"))
                self.folder = source
                self.assertEqual(got, "0: 8 10 12 14\nalone 0 0 0: 11 13 12 14\n")
                self.command("cmake", "--install", build, "--prefix", kind + "-installed")
                self.assertEqual(self.command("find", kind + "-installed", "-type", "f"),
                                 kind + "-installed/fatbin/alone/alone.o\n")

    def test_folder_of_the_package(self):
        """Scripts find ascendc.cmake below the folder of twinrt; set_env.sh keeps the toolkit."""
        self.write(double_cpp=DOUBLE, header_cpp=WITH_HEADER)
        self.write(CMakeLists_txt="""
cmake_minimum_required(VERSION 3.16)
project(package)
include(${ASCEND_CANN_PACKAGE_PATH}/tikcpp/ascendc_kernel_cmake/ascendc.cmake)
ascendc_library(kernels STATIC double.cpp header.cpp)
""")
        include = os.path.join(self.folder, "toolkit", "include")
        os.makedirs(include)
        with open(os.path.join(include, "kernel_operator.h"), "w", encoding="utf-8") as file:
            file.write("#define OF_THE_TOOLKIT 5\n")
        script = (". " + os.path.join(BUILD, "set_env.sh") + " && cmake -S . -B b "
                  '-DASCEND_CANN_PACKAGE_PATH="$ASCEND_HOME_PATH" && cmake --build b && '
                  "twinrt-cc --ascend-c -c header.cpp -o header.o")
        self.command("bash", "-c", script, ASCEND_HOME_PATH=os.path.join(self.folder, "toolkit"))


class Examples(Case):
    """Each is a project of its own, and uses the headers of a toolkit."""
    def build(self, name):
        build = os.path.join(self.folder, name)
        self.command("cmake", "-S", os.path.join(HERE, "..", "..", "examples", name), "-B", build,
                     "-DCMAKE_PREFIX_PATH=" + BUILD, ASCEND_HOME_PATH=TOOLKIT)
        self.command("cmake", "--build", build)
        got = self.command(os.path.join(build, name), TWINRT_BACKEND="sim",
                           TWINRT_KERNEL_CHECK="error",
                           LD_LIBRARY_PATH=os.path.join(BUILD, "lib64"))
        self.assertTrue(got.startswith(name + ": ok"), got)

    def test_add(self):
        self.build("ascendc_add")

    def test_matmul(self):
        self.build("ascendc_matmul")


def skip(why):
    print("skipped: " + why)
    sys.exit(77)


if __name__ == "__main__":
    if not has_clang():
        skip("clang 17 or newer is not installed")
    if "Examples" in sys.argv and not TOOLKIT:
        skip("TWINRT_TEST_TOOLKIT names no toolkit with the headers of Ascend C")
    unittest.main()
