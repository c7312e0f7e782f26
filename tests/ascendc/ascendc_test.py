#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Programs in Ascend C, compiled by twinrt-cc and run on the model. Arguments: the build folder.
Skipped (77) without clang 17 or newer."""
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest
import unittest.mock

HERE = os.path.dirname(os.path.abspath(__file__))
BUILD = os.path.abspath(sys.argv.pop(1))
TOOL = os.path.join(BUILD, "bin", "twinrt-cc")
TOOLKIT = os.environ.get("TWINRT_TEST_TOOLKIT", "")
# The codes of kernels that run on vector cores: an exception, a trap, and success.
EXCEPTION, TRAP, GOOD = 507035, 507036, 0


def find_clang():
    """The command of a clang++ that is new enough; None: there is none."""
    for name in [*(f"clang++-{version}" for version in range(30, 16, -1)), "clang++"]:
        if not shutil.which(name):
            continue
        macros = subprocess.run([name, "-dM", "-E", "-x", "c++", os.devnull], capture_output=True,
                                text=True, check=False).stdout
        version = re.search(r"__clang_major__ (\d+)", macros)
        if version and int(version.group(1)) >= 17:
            return name
    return None


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)

    def tool(self, *words):
        environment = {key: value for key, value in os.environ.items() if key not in ("CC", "CXX")}
        return subprocess.run([TOOL, "--ascend-c", *words], capture_output=True, text=True,
                              timeout=300, check=False, cwd=HERE, env=environment)

    def build(self, source, *words, output="program"):
        got = self.tool(source, "-Werror", "-Wall", "-o", self.path(output), *words)
        self.assertEqual((got.returncode, got.stderr), (0, ""), got.stderr)
        return self.path(output)

    def run_program(self, *words, cwd=None, **environment):
        library = {"LD_LIBRARY_PATH": os.path.join(BUILD, "lib64"), "TWINRT_BACKEND": "sim"}
        return subprocess.run([*words], capture_output=True, text=True, timeout=120, check=False,
                              stdin=subprocess.DEVNULL, cwd=cwd,
                              env={**os.environ, **library, **environment})

    def passes(self, *words):
        got = self.run_program(*words, TWINRT_KERNEL_CHECK="error")
        self.assertEqual(got.returncode, 0, got.stdout + got.stderr)
        self.assertRegex(got.stdout, r"(?m)^\w+: ok$")
        self.assertEqual(got.stderr, "")

    def run_example(self, name, source):
        """Builds one of 01_simd_cpp_api with its own CMake file. Its output and its folder."""
        folder = os.path.join(TOOLKIT, "examples", "01_simd_cpp_api", name)
        build = self.path("build")
        os.mkdir(build)
        environment = {**os.environ, "ASCEND_HOME_PATH": TOOLKIT}
        for command in (["cmake", "-S", folder, "-B", build, f"-DCMAKE_PREFIX_PATH={BUILD}",
                         "-DCMAKE_ASC_ARCHITECTURES=dav-2201"], ["cmake", "--build", build]):
            got = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False,
                                 env=environment)
            self.assertEqual(got.returncode, 0, got.stdout + got.stderr)
        for name, data in source.items():
            path = os.path.join(self.folder, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "wb") as file:
                file.write(data)
        got = self.run_program(os.path.join(build, "demo"), cwd=self.folder)
        self.assertEqual((got.returncode, got.stderr), (0, ""), got.stdout + got.stderr)
        return got.stdout


class Programs(Case):
    def test_launches(self):
        self.passes(self.build("launches.asc"))

    def test_pointers(self):
        self.passes(self.build("pointers.asc"))

    def test_matrices(self):
        self.passes(self.build("matrices.asc"))

    def test_optimisations(self):
        """Results do not depend on the level of optimisation."""
        for level in ("-O0", "-O3"):
            self.passes(self.build("launches.asc", level))
            self.passes(self.build("pointers.asc", level))

    def test_included_file(self):
        """A file that -include names has the language, too."""
        with open(self.path("twice.h"), "w", encoding="utf-8") as file:
            file.write("__aicore__ inline half twice(half x) { return x + x; }\n")
        self.passes(self.build("launches.asc", "-include", self.path("twice.h")))

    def test_exact_arithmetic(self):
        """Options that let the compiler change results have no effect on kernels."""
        self.write("exact.asc", '#include "device.h"\n'
                   "__global__ __aicore__ void difference(__gm__ float *x)"
                   " { x[3] = (x[0] + x[1]) - x[0]; x[4] = x[0] * x[2] + x[1]; }\n"
                   "int main() { Device device; Memory<float> x({1e8f, 3.0f, 1.0000001f, 7.0f, 7.0f});"
                   "difference<<<1, nullptr, device.stream>>>(x.at); EXPECT(device.wait() == 0);"
                   "const auto back = x.back(); volatile float a = back[0], b = back[1], c = back[2];"
                   "volatile float sum = a + b, product = a * c;"
                   "EXPECT(back[3] == sum - a); EXPECT(back[4] == product + b);"
                   'return finish("exact"); }\n')
        for option in ("-ffast-math", "-ffp-contract=fast"):
            self.passes(self.build(self.path("exact.asc"), option, "-I" + HERE, "-mfma"))

    def test_calls_and_counts(self):
        self.write("calls.asc", '#include "device.h"\n'
                   "__global__ __aicore__ void one(__gm__ int *x) { x[0] = 1; }\n"
                   "int main() { Device device; Memory<int> x({0, 0});"
                   "const int code = (one<<<(1ull << 32) + 2, nullptr, device.stream>>>(x.at));"
                   "EXPECT(code != 0); one(x.at); one<<<1, nullptr, device.stream>>>(x.at);"
                   "EXPECT(device.wait() == 0); EXPECT(x.back()[0] == 1);"
                   'return finish("calls"); }\n')
        got = self.run_program(self.build(self.path("calls.asc"), "-I" + HERE))
        self.assertEqual(got.returncode, 0, got.stdout + got.stderr)
        self.assertRegex(got.stderr, "kernel one: 4294967298 blocks; the maximum is 4294967295")
        self.assertRegex(got.stderr, "kernel one was called without <<<>>>: it has not run")
        self.assertEqual(got.stderr.count("\n"), 2, got.stderr)

    def test_faults(self):
        program = self.build("faults.asc")
        for kind, text in (("0", "are not in UB"), ("1", "not inside an allocation"),
                           ("2", "is not a multiple of 4")):
            got = self.run_program(program, kind)
            self.assertIn(f"code {EXCEPTION}", got.stdout)
            self.assertIn(text, got.stderr)
        self.assertIn(f"code {TRAP}", self.run_program(program, "4").stdout)
        for kind in ("3", "5"):
            self.assertIn(f"code {GOOD}", self.run_program(program, kind).stdout)


def functions_of(path):
    """The functions of an object of kernels."""
    symbols = subprocess.run(["readelf", "-sW", path], capture_output=True, text=True,
                             check=True).stdout
    return {line.split()[7] for line in symbols.splitlines()
            if " FUNC " in line and " GLOBAL " in line}


def line_of(name, text):
    with open(os.path.join(HERE, name), encoding="utf-8") as file:
        found = [number for number, line in enumerate(file, 1)
                 if line.endswith("// " + text + "\n")]
    assert len(found) == 1, text
    return found[0]


class Names(Case):
    SOURCE = ("#include \"device.h\"\n"
              "namespace { template <typename T, int n>\n"
              "__global__ void fill(__gm__ T *x) { x[n] = n; } }\n"
              "int main() { Device device; Memory<int> x(std::vector<int>(8));\n"
              "    fill<int, 99999999><<<1, nullptr, device.stream>>>(x.at);\n"
              "    std::printf(\"code %d\\n\", device.wait()); }\n")

    def test_instance_of_a_template(self):
        """Messages name it as the source does."""
        self.write("named.asc", self.SOURCE)
        got = self.run_program(self.build(self.path("named.asc"), f"-I{HERE}"))
        self.assertIn('kernel "fill<int, 99999999>", block 0: ', got.stderr)
        self.assertIn('kernel "fill<int, 99999999>" had an exception', got.stderr)
        self.assertNotIn("_Z", got.stderr)

    def test_launch(self):
        """Characters that IR writes in another way are in the name."""
        self.write("named.asc", '#include "device.h"\n'
                   "template <char c> __global__ void put(__gm__ char *x) { x[99999999] = c; }\n"
                   "int main() { Device device; Memory<char> x({0});\n"
                   "    put<'\\\\'><<<1, 4, device.stream>>>(x.at);\n"
                   "    put<'\"'><<<1, 5, device.stream>>>(x.at);\n"
                   "    put<'\"'><<<1, 0, device.stream>>>(x.at); device.wait(); }\n")
        got = self.run_program(self.build(self.path("named.asc"), f"-I{HERE}"))
        self.assertIn('kernel "put<\'"\'>", block 0: ', got.stderr)
        self.assertEqual([line.split(";")[0] for line in got.stderr.splitlines()[:2]],
                         ["twinrt: launch of kernel put<'\\\\'>: the second number is 4",
                          "twinrt: launch of kernel put<'\"'>: the second number is 5"])


class Mistakes(Case):
    """Each is reported with its line, without -g among the options."""
    # What each kernel's first message says.
    SAID = {
        "flag_removed": "vadds (V) reads UB bytes 0 to 255 while copy_gm_to_ubuf (MTE2) may still",
        "wrong_buffer": "vadds (V) reads UB bytes 256 to 511 while copy_gm_to_ubuf (MTE2) may",
        "wrong_mask": "vadds reads UB bytes 160 to 255, which the block has not written",
        "too_long": "dst needs 1280 bytes at 195584 in UB, which has 196608",
        "misaligned": "is not a multiple of 4",
        "misaligned_scalar": "is not a multiple of 4",
        "outside": "which are not inside an allocation",
        "in_function": "vadds (V) reads UB bytes 0 to 255",
        "flag_of_cube_removed": "mad (M) reads L0A bytes 0 to 511 while load_cbuf_to_ca (MTE1) may",
        "flag_between_cores_removed": "copy_cbuf_to_gm (MTE3) of another core of the block may",
    }

    def first(self, program, kernel):
        got = self.run_program(program, kernel)
        self.assertEqual(got.returncode, 0, got.stdout + got.stderr)
        found = [line for line in got.stderr.splitlines() if f'kernel "{kernel}", block' in line]
        self.assertTrue(found, got.stderr)
        return found[0]

    def at(self, text):
        source = os.path.join(HERE, "mistakes.asc")
        return f", at {source}:{line_of('mistakes.asc', text)}"

    def check_all(self, program):
        for kernel, said in self.SAID.items():
            with self.subTest(kernel):
                message = self.first(program, kernel)
                self.assertIn(said, message)
                self.assertTrue(message.endswith(self.at("mistake: " + kernel)), message)

    def test_each(self):
        for level in ("-O0", "-O2"):
            with self.subTest(level):
                self.check_all(self.build("mistakes.asc", level))

    def test_header(self):
        """The line of the source, and the one of the header in parentheses."""
        message = self.first(self.build("mistakes.asc"), "in_header")
        line = line_of("mistakes.h", "mistake: in_header")
        self.assertTrue(message.endswith(f'{self.at("call: in_header")} (in mistakes.h:{line})'),
                        message)

    def test_path_of_the_source(self):
        program = self.build(os.path.join("..", os.path.basename(HERE), "mistakes.asc"))
        message = self.first(program, "flag_removed")
        self.assertTrue(message.endswith(self.at("mistake: flag_removed")), message)


class Prints(Case):
    """The text of each block is after that of the one before, and names its core."""
    # As C and the public documents of DumpTensor have it.
    VALUES = ["-3|4000000000|ff|ABC|   42|42   |00042|10",
              "3.141590|3.14|   3.142|3.141590|1.000000e+03|1.500000|-2.500000",
              "-9223372036854775808|18446744073709551615|-1|-7",
              "constant|    ab|cd    |ef|x|0x1234|%", "  y|%|z  ||    0x12|0x3   |0"]
    LAST = ["more 1 %d", "%q"]
    TENSORS = """\
[AIV Block 0] DumpTensor: desc=1, addr=0x40, data_type=int32, position=UB, dump_size=33
[-1, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, \
25, 26, 27, 28, 29,\x20
30, 31]
[AIV Block 0] DumpTensor: desc=2, addr=0x40, data_type=int32, position=UB, dump_size=8
[[[-1,0],
[1,2]],
[[3,4],
[5,6]]]
[AIV Block 0] DumpTensor: desc=3, addr=0x40, data_type=int32, position=UB, dump_size=8
shape is [2, 3], dumpSize is 8, dumpSize is greater than shapeSize.
[[-1,0,1],
[2,3,4]]
[AIV Block 0] DumpTensor: desc=4, addr=0x40, data_type=int32, position=UB, dump_size=7
shape is [3, 3], dumpSize is 7, data is not enough.
[[-1,0,1],
[2,3,4],
[5,-,-]]
code 0
"""

    def print_program(self, *words):
        # Formats that are wrong are what is tested.
        return self.build("prints.asc", "-Wno-format", *words)

    def test_values(self):
        for level in ("-O0", "-O2"):
            got = self.run_program(self.print_program(level), "values")
            self.assertEqual(got.stderr, "")
            wanted = [f"[AIV Block {block}/2] {line}" for block, first in enumerate("BC")
                      for line in [*self.VALUES, f"{first}lock|global", *self.LAST]]
            self.assertEqual(got.stdout.splitlines(), [*wanted, "code 0"])

    def test_cores(self):
        got = self.run_program(self.print_program(), "cores")
        self.assertEqual(got.stdout.splitlines(),
                         [f"[{core}] here" for core in
                          ("AIC Block 0/2", "AIV Block 0/4", "AIV Block 1/4",
                           "AIC Block 1/2", "AIV Block 2/4", "AIV Block 3/4")] + ["code 0"])

    def test_tensors(self):
        got = self.run_program(self.print_program(), "tensors")
        self.assertEqual((got.stdout, got.stderr), (self.TENSORS, ""))

    def test_switched_off(self):
        program = self.print_program("-DASCENDC_DUMP=0")
        self.assertEqual(self.run_program(program, "cores").stdout, "code 0\n")

    def test_assertion(self):
        program = self.print_program()
        self.assertEqual(self.run_program(program, "asserts", "2").stdout, f"code {GOOD}\n")
        got = self.run_program(program, "asserts", "1")
        line = line_of("prints.asc", "assertion")
        what = "`get_block_idx() < limit && \"enough blocks\"' failed"
        printed, code = got.stdout.splitlines()
        self.assertRegex(printed, rf"^\[AIV Block 1/2\] \[ASSERT\] prints\.asc:{line}: "
                                  r"void asserts\(.*\): Assertion ")
        self.assertTrue(printed.endswith(f": Assertion {what}."), printed)
        self.assertEqual(code, f"code {TRAP}")
        self.assertIn(f"block 1: assertion {what}, at {HERE}/prints.asc:{line}\n", got.stderr)

    def test_what_is_no_string(self):
        got = self.run_program(self.print_program(), "no_string")
        self.assertEqual(got.stdout, f"code {EXCEPTION}\n")
        self.assertRegex(got.stderr, "printf: the format, or the value of a %s, is not the address "
                                     "of a string that ends, at .*prints.asc")

    def test_damaged_records(self):
        program = self.print_program()
        self.assertIn("code 0", self.run_program(program, "damaged", "13").stdout)
        got = self.run_program(program, "damaged", "12")
        self.assertEqual(got.stdout, f"code {EXCEPTION}\n")
        self.assertIn("no dcci came after the 104 bytes that it has printed last", got.stderr)
        for how in range(12):
            with self.subTest(how):
                got = self.run_program(program, "damaged", str(how))
                self.assertEqual(got.stdout.splitlines()[-1], f"code {EXCEPTION}")
                self.assertRegex(got.stderr, r"it prints a record of type \d+ that this runtime "
                                             "cannot read")

    def test_outside(self):
        got = self.run_program(self.print_program(), "outside")
        self.assertEqual(got.stdout, f"code {EXCEPTION}\n")
        self.assertIn("which are not inside an allocation", got.stderr)


class Products(Case):
    def test_object_and_library(self):
        """Kernels and their launches in an object, in a shared library, and main elsewhere."""
        with open(self.path("main.cpp"), "w", encoding="utf-8") as file:
            file.write("int launches(); int main() { return launches(); }\n")
        self.build("launches.asc", "-c", "-Dmain=launches", output="launches.o")
        self.passes(self.build(self.path("main.cpp"), self.path("launches.o"), output="static"))
        self.build("launches.asc", "-shared", "-fPIC", "-Dmain=launches", output="liblaunches.so")
        program = self.build(self.path("main.cpp"), self.path("liblaunches.so"),
                             f"-Wl,-rpath,{self.folder}", output="shared")
        self.passes(program)

    def test_objects_alone(self):
        """Without a source twinrt-cc links, as build tools want it."""
        self.build("launches.asc", "-c", output="launches.o")
        self.passes(self.build(self.path("launches.o"), output="linked"))

    def test_kernels_only(self):
        """The object that aclrtBinaryLoadFromFile takes: it has the kernels by their symbols."""
        path = self.build("launches.asc", "--kernels-only", output="kernels.o")
        names = functions_of(path)
        self.assertIn("add", names)
        self.assertEqual(len(names), 5, names)  # two of `parameters`

    def test_debugger(self):
        if not shutil.which("gdb"):
            self.skipTest("gdb is not installed")
        program = self.build("launches.asc", "-g", "-O0")
        with open(os.path.join(HERE, "launches.asc"), encoding="utf-8") as file:
            line = next(number for number, text in enumerate(file, 1) if "block_num" in text)
        # The program has no code of kernels: its first stop is at the function after them.
        got = self.run_program(
            "gdb", "-q", "-batch", "-nx", "-ex", "set debuginfod enabled off", "-ex",
            f"break launches.asc:{line}", "-ex", "run", "-ex", "continue", "-ex", "backtrace 1",
            "-ex", "print byte", "-ex", "info threads", "-ex", "continue", "-ex", "info threads",
            program)
        # The thread has the name of the block and of the kernel.
        self.assertIn('"b0 parameters', got.stdout)
        self.assertIn('"b1 parameters', got.stdout)
        self.assertRegex(got.stdout, rf"(?m)^#0 .*parameters.*launches\.asc:{line}", got.stdout)
        self.assertIn("$1 = -7", got.stdout)


class Errors(Case):
    def refuses(self, text, *words):
        got = self.tool(*words, "-o", self.path("program"))
        self.assertEqual(got.returncode, 1)
        self.assertRegex(got.stderr, text)
        self.assertFalse(os.path.exists(self.path("program")))
        return got.stderr

    def test_number_of_blocks(self):
        self.write("blocks.asc", "__global__ __aicore__ void none() {}\n"
                   "void start(void *s) { none<<<2.9, nullptr, s>>>(); }\n")
        self.refuses("the number of blocks is an integer", self.path("blocks.asc"), "-c")

    def test_missing_instruction(self):
        errors = self.refuses(
            r"missing\.asc:7: instruction set_aipp_spr_0 is not supported", "missing.asc")
        self.assertNotIn("set_aipp_spr_1", errors)

    def test_address_of_missing_instruction(self):
        self.write("table.asc", "typedef void (*Set)(uint64_t);\n"
                   "static Set const all[2] = {set_aipp_spr_0, set_aipp_spr_1};\n"
                   "__global__ void use(__gm__ int *x, int i) { all[i](3); x[0] = 1; }\n")
        self.refuses("use: instruction set_aipp_spr_0, whose address it takes, is not supported",
                     self.path("table.asc"), "-c")

    def test_assembly(self):
        self.write("assembly.asc", "static inline __aicore__ void mask(uint64_t x)\n"
                   "{ asm volatile(\"MOVEMASK MASK[0], %0\\n\" ::\"l\"(x)); }\n"
                   "__global__ void use(uint64_t x) { asm(\"nop\"); asm volatile(\"\"); mask(x); }\n")
        errors = self.refuses(r"assembly\.asc:2: inline assembly is not supported",
                              self.path("assembly.asc"), "-c")
        self.assertEqual(errors.count("inline assembly"), 1, errors)

    def test_parameters_by_address(self):
        """What the host passes by its address would be read when it is gone."""
        for number, (kind, before) in enumerate((
                ("const int &", ""), ("int &&", ""),
                ("Copied", "struct Copied { int v; Copied(const Copied &o) : v(o.v) {} };"))):
            name = f"address{number}.asc"
            self.write(name, f"{before}\n__global__ void use(__gm__ int *x, {kind} y)"
                       " { x[0] = sizeof(y); }\n")
            self.refuses("kernel use: parameter 2 cannot be passed to the device", self.path(name),
                         "-c")

    def test_variables_that_are_computed(self):
        """No constructors run on the device."""
        self.write("computed.asc", "int find();\nstatic int scale = find();\n"
                   "static const int fixed = 3;\nstatic int host_only = find();\n"
                   "struct Part { int a; Part() : a(find()) {} };\n"
                   "[[block_local]] static Part part;\n"
                   "__global__ void use(__gm__ int *x) { x[0] = scale + fixed + part.a; }\n"
                   "int see() { return host_only; }\n")
        errors = self.refuses("use: variable scale begins with what a function computes",
                              self.path("computed.asc"), "-c")
        self.assertIn("use: variable part begins", errors)
        self.assertNotRegex(errors, "fixed|host_only")

    def test_variables_in_buffers(self):
        self.write("buffer.asc", "__ubuf__ static int count;\n"
                   "__global__ void use(__gm__ int *x) { count += 1; x[0] = count; }\n")
        self.refuses("use: variable count is in a buffer of the core", self.path("buffer.asc"),
                     "-c")

    def test_place_of_errors(self):
        errors = self.refuses(r"wrong\.asc:12:5: error: no matching function", "wrong.asc")
        self.assertRegex(errors, r"wrong\.asc:14:14: error")

    def test_given_compiler(self):
        """No other one is taken."""
        for command, start in (("clang++-nosuch", "clang\\+\\+-nosuch"), ("false", "false")):
            self.refuses(f"--cxx={start} cannot be run, or is not clang 17 or newer",
                         "launches.asc", "--cxx=" + command)

    def test_missing_header(self):
        """Without a toolkit the way to name one is said."""
        self.write("header.asc", '#include "kernel_operator.h"\n')
        self.write("good.asc", "int main() {}\n")
        with unittest.mock.patch.dict(os.environ, {"ASCEND_HOME_PATH": BUILD}):
            errors = self.refuses("'kernel_operator.h' file not found", self.path("header.asc"))
            self.assertIn("note: without headers of a toolkit; --toolkit=DIR or", errors)
            self.build(self.path("good.asc"))

    def test_toolkit(self):
        self.refuses("has neither include/kernel_operator.h", "launches.asc", "--toolkit=" + HERE)

    def test_kernels(self):
        with open(self.path("none.asc"), "w", encoding="utf-8") as file:
            file.write("int main() { return 0; }\n")
        self.refuses("has no kernel", self.path("none.asc"), "--kernels-only")
        self.build(self.path("none.asc"))


@unittest.skipUnless(TOOLKIT, "TWINRT_TEST_TOOLKIT does not name the sources of a toolkit")
class Toolkit(Case):
    """The vendor's own examples, unchanged, with the headers of TWINRT_TEST_TOOLKIT."""

    def test_hello_world(self):
        got = self.run_example("00_introduction/00_quickstart/hello_world", {})
        self.assertEqual(got.splitlines(),
                         [f"[AIV Block {block}/8] Hello World!!!" for block in range(8)])

    def matrices(self):
        """Whole numbers, whose products fit: the files that the examples read."""
        a = [[(7 * i + 3 * j) % 9 + 1 for j in range(64)] for i in range(256)]
        b = [[(5 * i + 2 * j) % 9 + 1 for j in range(256)] for i in range(64)]
        files = {f"input/{name}.bin": b"".join(struct.pack(f"<{len(row)}e", *row) for row in rows)
                 for name, rows in (("x1_gm", a), ("x2_gm", b))}
        return a, b, {**files, "output/output.bin": b""}

    def tensors(self, text):
        """Of each DumpTensor: its block, its label, its position, its elements."""
        found = re.findall(r"\[AIC Block (\d)\] DumpTensor: desc=(\d), .*position=(\w+), "
                           r"dump_size=32\n\[([^]]*)\]", text)
        return {(int(block), int(label)): (position, [float(x) for x in elements.split(",")])
                for block, label, position, elements in found}

    def test_dump(self):
        a, b, files = self.matrices()
        found = self.tensors(self.run_example("01_utilities/02_dump/simple_dump", files))
        for block in range(2):
            c = [sum(a[128 * block + i][k] * b[k][j] for k in range(64))
                 for i in range(2) for j in range(16)]
            # L1 and L0C have 16 columns of each row side by side.
            self.assertEqual(found.pop((block, 1)), ("GM", a[128 * block][:32]))
            self.assertEqual(found.pop((block, 2)), ("GM", b[0][:32]))
            self.assertEqual(found.pop((block, 3)),
                             ("L1", a[128 * block][:16] + a[128 * block + 1][:16]))
            self.assertEqual(found.pop((block, 4)), ("L1", b[0][:16] + b[1][:16]))
            self.assertEqual(found.pop((block, 5)), ("L0C", c))
        self.assertEqual(found, {})

    def test_printf(self):
        a, _, files = self.matrices()
        got = self.run_example("01_utilities/00_printf/simple_printf", files).splitlines()
        for block in range(2):
            self.assertRegex(got.pop(0), rf"^\[AIC Block {block}/2\] printf pointer 0x[0-9a-f]+$")
            for line in (f"mIterIdx is {block}, blockIdx is {block}.",
                         f"half {a[128 * block][0]:f}.",
                         "baseM is 128, baseK is 64, baseN is 256.", "M is 100, N is 100."):
                self.assertEqual(got.pop(0), f"[AIC Block {block}/2] printf {line}")
        self.assertEqual(got, [])

    def test_functions_that_print(self):
        """Those of the namespace and those without, with an assertion that fails."""
        program = self.path("program")
        got = self.tool("toolkit.asc", "--toolkit=" + TOOLKIT, "-DASCENDC_TIME_STAMP_ON", "-o",
                        program)
        self.assertEqual(got.returncode, 0, got.stderr)
        wanted = ["[AIV Block 0/1] near 0", "[AIV Block 0/1] far -1 2.031250 text ff",
                  "[AIV Block 0/1] plain 1 0",
                  "[AIV Block 0] DumpTensor: desc=5, addr=0x0, data_type=float16, position=UB, "
                  "dump_size=4", "[[2.000000,2.031250],", "[2.062500,2.093750]]",
                  "[AIV Block 0] DumpTensor: desc=6, addr=0x0, data_type=float16, position=GM, "
                  "dump_size=2", "[2.000000, 2.031250]",
                  "[AIV Block 0] DumpTensor: desc=7, addr=0x40, data_type=float16, position=UB, "
                  "dump_size=2", "[3.000000, 3.031250]"]
        lines = self.run_program(program).stdout.splitlines()
        stamps = [line for line in lines if line.startswith("descId is ")]
        rest = [line for line in lines if line not in stamps]
        self.assertEqual([re.sub(r"addr=0x\w+(.*GM)", r"addr=0x0\1", line) for line in rest],
                         [*wanted, "code 0"])
        self.assertRegex(stamps[-1], r"^descId is 70000, rsv is 0, timeStamp is \d+, pcPtr is 0, "
                                     r"entry is 0\.$")
        got = self.run_program(program, "1").stdout.splitlines()
        line = line_of("toolkit.asc", "assertion")
        self.assertRegex(got[-2], rf"^\[AIV Block 0/1\] \[ASSERT\] toolkit\.asc:{line}: "
                                  r"void all\(.*\): Assertion `fail == 0' failed\. fail is 1$")
        self.assertEqual(got[-1], f"code {TRAP}")

    def test_add(self):
        folder = os.path.join(TOOLKIT, "examples/01_simd_cpp_api/00_introduction/01_add/add")
        got = self.tool(os.path.join(folder, "add.asc"), "--toolkit=" + TOOLKIT, "-o",
                        self.path("program"))
        self.assertEqual(got.returncode, 0, got.stderr)
        got = self.run_program(self.path("program"))
        self.assertEqual(got.returncode, 0, got.stdout + got.stderr)
        self.assertIn("test pass!", got.stdout)


if __name__ == "__main__":
    if sys.argv[1:] == ["Toolkit"] and not TOOLKIT:
        print("skipped: TWINRT_TEST_TOOLKIT does not name the sources of a toolkit")
        sys.exit(77)
    if not find_clang():
        print("skipped: no clang 17 or newer: ./dev setup all installs clang-19")
        sys.exit(77)
    unittest.main(verbosity=2)
