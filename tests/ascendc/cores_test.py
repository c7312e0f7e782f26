#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What kernels in Ascend C run on. Arguments: the build folder. Skipped (77) without clang 17 or
newer."""
import sys
import unittest

from ascendc_test import HERE, TOOLKIT, Case, find_clang, functions_of, line_of


class Cores(Case):
    """Of kernels that do not declare it. A mixed kernel has a function for each core."""

    def functions(self, *words):
        got = self.tool("cores.asc", "--kernels-only", "-o", self.path("cores.o"), *words)
        self.assertEqual(got.returncode, 0, got.stderr)
        return functions_of(self.path("cores.o")), got.stderr

    def test_each_level(self):
        """It does not depend on what the optimiser leaves in."""
        for level in ("-O0", "-O1", "-O2", "-Os"):
            with self.subTest(level):
                self.assertEqual(self.functions(level), ({"known", "without_server"}, ""))

    def test_runs(self):
        """On the right cores: on others the kernels fail."""
        got = self.run_program(self.build("cores.asc", "-O0"))
        self.assertEqual(got.returncode, 0, got.stdout + got.stderr)

    def test_server(self):
        """Its kernel is mixed, and so is any other of the source that asks it."""
        for level in ("-O0", "-O2"):
            found, errors = self.functions(level, "-DSERVER")
            self.assertEqual(found, {"known"} | {f"{name}_mix_{core}" for core in ("aic", "aiv")
                                                 for name in ("with_server", "without_server")})
            self.assertEqual(errors, "")

    def test_both(self):
        """A warning names a kernel that is mixed, and why it is."""
        l1, ub = (line_of("cores.asc", f"of {core} cores") for core in ("cube", "vector"))
        for level in ("-O0", "-O2"):
            found, errors = self.functions(level, "-DBOTH")
            self.assertEqual(found, {"known", "without_server", "either_mix_aic",
                                     "either_mix_aiv"})
            self.assertRegex(errors, "^twinrt-cc: warning: cores.asc: kernel either uses "
                             rf"instructions of cube cores \(cores.asc:{l1}\) and of vector "
                             rf"cores \(cores.asc:{ub}\), so .*\n$")

    def test_task_type(self):
        """KERNEL_TASK_TYPE_DEFAULT, by the numbers that the toolkit's headers give the types."""
        found, errors = self.functions("-DTYPES")
        self.assertEqual(found - {"known", "without_server"},
                         {*(f"typed_{kind}" for kind in range(4)),
                          *(f"typed_{kind}_mix_{core}" for kind in (4, 5)
                            for core in ("aic", "aiv"))})
        self.assertEqual(errors, "")
        got = self.run_program(self.build("cores.asc", "-DTYPES"))
        self.assertEqual(got.returncode, 0, got.stdout + got.stderr)

    def test_parts(self):
        """Kernels run on the parts that they are compiled for."""
        self.write("part.asc", '#include "device.h"\n'
                   "__global__ __aicore__ void one(__gm__ int *x) { x[0] = 1; }\n"
                   "int main() { Device device; Memory<int> x({0});"
                   "const int code = (one<<<1, nullptr, device.stream>>>(x.at)); device.wait();"
                   'std::printf("%d %d\\n", code, x.back()[0]); }\n')
        program = self.build(self.path("part.asc"), "-I" + HERE)
        for profile, wanted in (("910b4", "0 1\n"), ("910_9391", "0 1\n"), ("910a", "107000 0\n"),
                                ("310p3", "107000 0\n"), ("950", "107000 0\n")):
            got = self.run_program(program, TWINRT_PROFILE=profile)
            self.assertEqual(got.stdout, wanted, got.stderr)
            self.assertEqual("compiled for the 910B and A3 (dav-2201), and the device is Ascend"
                             in got.stderr, wanted != "0 1\n", got.stderr)

    def test_contradictions(self):
        for text in ("__cube__ __vector__ void two(__gm__ int *x) { x[0] = 1; }",
                     "__mix__(1, 2) __vector__ void two(__gm__ int *x) { x[0] = 1; }",
                     "__cube__ void two(__gm__ int *x)"
                     " { KERNEL_TASK_TYPE_DEFAULT(0); x[0] = 1; }"):
            self.write("two.asc", f"__global__ {text}\n")
            got = self.tool(self.path("two.asc"), "-c", "-o", self.path("two.o"))
            self.assertEqual(got.returncode, 1, got.stderr)
            self.assertIn("kernel two is declared in two ways", got.stderr)
        got = self.tool("cores.asc", "-c", "-DTYPE=6", "-o", self.path("six.o"))
        self.assertRegex(got.stderr, "error: static assertion failed.*a 910B has the kernel types")


@unittest.skipUnless(TOOLKIT, "TWINRT_TEST_TOOLKIT does not name the sources of a toolkit")
class ToolkitCores(Case):
    def functions(self, body, *words):
        self.write("kernel.asc", '#include "kernel_operator.h"\nusing namespace AscendC;\n'
                   f'extern "C" __global__ __aicore__ void kernel(GM_ADDR x) {{ {body} }}\n')
        got = self.tool(self.path("kernel.asc"), "--kernels-only", "--toolkit=" + TOOLKIT, "-o",
                        self.path("kernel.o"), *words)
        self.assertEqual((got.returncode, got.stderr), (0, ""))
        return functions_of(self.path("kernel.o"))

    def test_cores(self):
        """A kernel of the cube unit alone, whose headers ask a server on vector cores."""
        load = ("TPipe pipe; TQue<QuePosition::A1, 1> a1; pipe.InitBuffer(a1, 1, 512);"
                "GlobalTensor<half> g; g.SetGlobalBuffer((__gm__ half *)x);"
                "DataCopy(a1.AllocTensor<half>(), g, 256);")
        for level in ("-O0", "-O2"):
            self.assertEqual(self.functions(load, level), {"kernel"})

    def test_task_type(self):
        """The macro is not the one of the toolkit."""
        both = ("KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY); LocalTensor<half> l;"
                "l.address_.logicPos = *(__gm__ uint8_t *)x; GlobalTensor<half> g;"
                "g.SetGlobalBuffer((__gm__ half *)x); DataCopy(g, l, 256);")
        self.assertEqual(self.functions(both), {"kernel"})


if __name__ == "__main__":
    if not find_clang():
        print("skipped: no clang 17 or newer: ./dev setup all installs clang-19")
        sys.exit(77)
    unittest.main(verbosity=2)
