#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Programs in Ascend C, compiled by twinrt-cc and run on the model. Arguments: the build folder.
Skipped (77) without clang 16 or newer."""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
BUILD = os.path.abspath(sys.argv.pop(1))
TOOL = os.path.join(BUILD, "bin", "twinrt-cc")
TOOLKIT = os.environ.get("TWINRT_TEST_TOOLKIT", "")
# The codes of kernels that run on vector cores: an exception, a trap, and success.
EXCEPTION, TRAP, GOOD = 507035, 507036, 0


def find_clang():
    """The command of a clang++ that is new enough; None: there is none."""
    for name in [*(f"clang++-{version}" for version in range(30, 15, -1)), "clang++"]:
        if not shutil.which(name):
            continue
        macros = subprocess.run([name, "-dM", "-E", "-x", "c++", os.devnull], capture_output=True,
                                text=True, check=False).stdout
        version = re.search(r"__clang_major__ (\d+)", macros)
        if version and int(version.group(1)) >= 16:
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

    def run_program(self, *words, **environment):
        library = {"LD_LIBRARY_PATH": os.path.join(BUILD, "lib64"), "TWINRT_BACKEND": "sim"}
        return subprocess.run([*words], capture_output=True, text=True, timeout=120, check=False,
                              stdin=subprocess.DEVNULL,
                              env={**os.environ, **library, **environment})

    def passes(self, *words):
        got = self.run_program(*words, TWINRT_KERNEL_CHECK="error")
        self.assertEqual(got.returncode, 0, got.stdout + got.stderr)
        self.assertRegex(got.stdout, r"(?m)^\w+: ok$")
        self.assertEqual(got.stderr, "")


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
        self.assertRegex(got.stderr, "kernel .*one.*: 4294967298 blocks; the maximum is 4294967295")
        self.assertRegex(got.stderr, "kernel .*one.* was called without <<<>>>: it has not run")
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


def line_of(name, text):
    with open(os.path.join(HERE, name), encoding="utf-8") as file:
        found = [number for number, line in enumerate(file, 1)
                 if line.endswith("// " + text + "\n")]
    assert len(found) == 1, text
    return found[0]


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

    def test_prints_of_the_toolkit(self):
        """Its printf is declared here as its headers do."""
        with open(self.path("print.asc"), "w", encoding="utf-8") as file:
            file.write("namespace __asc_aicore {\n"
                       "static void printf(__gm__ const char *, ...) {}\n}\n"
                       "__global__ __aicore__ void say() { __asc_aicore::printf(nullptr); }\n")
        got = self.tool(self.path("print.asc"), "-c", "-o", self.path("print.o"))
        self.assertEqual(got.returncode, 0)
        self.assertRegex(got.stderr, "warning: .*print.asc: printf and DumpTensor of AscendC print "
                                     "nothing on the model")

    def test_objects_alone(self):
        """Without a source twinrt-cc links, as build tools want it."""
        self.build("launches.asc", "-c", output="launches.o")
        self.passes(self.build(self.path("launches.o"), output="linked"))

    def test_kernels_only(self):
        """The object that aclrtBinaryLoadFromFile takes: it has the kernels by their symbols."""
        path = self.build("launches.asc", "--kernels-only", output="kernels.o")
        symbols = subprocess.run(["readelf", "-sW", path], capture_output=True, text=True,
                                 check=True).stdout
        names = [line.split()[7] for line in symbols.splitlines()
                 if " FUNC " in line and " GLOBAL " in line]
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
            "-ex", "print byte", program)
        self.assertRegex(got.stdout, rf"(?m)^#0 .*parameters.*launches\.asc:{line}", got.stdout)
        self.assertIn("$1 = -7", got.stdout)


class Driver(Case):
    """The vendor's compilers by their names, as build files call them."""

    CORES = ("#include \"device.h\"\n"
             "#if !defined(__DAV_{0}__) || !defined(__DAV_C220_{0}__)\n#error wrong pass\n#endif\n"
             "extern \"C\" __global__ [aicore] void end() {{ trap(); }}\n"
             "int main() {{ Device device; end<<<1, nullptr, device.stream>>>();\n"
             "    std::printf(\"code %d\\n\", device.wait()); }}\n")

    def run_driver(self, *words, name="bisheng"):
        return subprocess.run([os.path.join(BUILD, "bin", name), *words], capture_output=True,
                              text=True, timeout=300, check=False, cwd=self.folder)

    def drive(self, *words, name="bisheng"):
        got = self.run_driver(*words, name=name)
        self.assertEqual((got.returncode, got.stderr), (0, ""), got.stderr)

    def setUp(self):
        super().setUp()
        self.source = os.path.join(HERE, "launches.asc")
        self.write("main.cpp", "int launches(); int main() { return launches(); }\n")

    def test_program(self):
        self.drive(self.source, "-o", "program", "--npu-arch=dav-2201", "-O3", "-g")
        self.passes(self.path("program"))

    def test_sources_of_both_kinds(self):
        """Kernels in a file that ends like one of C++, with the options of build files."""
        self.write("kernels.cpp", f'#define main launches\n#include "{self.source}"\n')
        self.drive("-x", "cce", "kernels.cpp", "-x", "c++", "main.cpp", f"-I{HERE}",
                   "-Xhost-start", "-Xhost-end", "-mllvm",
                   "-cce-aicore-stack-size=0x8000", "--cce-aicore-arch=dav-c220",
                   "--cce-fatobj-link", "-o", "both")
        self.assertEqual(self.run_program(self.path("both")).returncode, 0)

    def test_objects_and_libraries(self):
        self.drive("-c", self.source, "-Dmain=launches", "-MD", "-MT", "x.o", "-MF", "x.d")
        with open(self.path("x.d"), encoding="utf-8") as file:
            self.assertIn("device.h", file.read())
        self.drive("-c", "main.cpp")
        self.drive("main.o", "launches.o", "-o", "linked")
        self.passes(self.path("linked"))
        self.drive("-shared", "-fPIC", self.source, "-Dmain=launches", "-o", "libshared.so")
        self.drive("main.cpp", "-L.", "-lshared", f"-Wl,-rpath,{self.folder}", "-o", "shared")
        self.passes(self.path("shared"))
        self.drive("-lib", self.source, "-Dmain=launches", "-o", "libstatic.a")
        self.drive("main.cpp", "libstatic.a", "-o", "static")
        self.passes(self.path("static"))

    def test_object_of_the_device(self):
        self.drive("-c", "-O2", "-xcce", "--cce-aicore-only", "--cce-aicore-arch=dav-c220-vec",
                   self.source, "-o", "device.o", name="ccec")
        symbols = subprocess.run(["readelf", "-sW", self.path("device.o")], capture_output=True,
                                 text=True, check=True).stdout
        self.assertRegex(symbols, r"FUNC +GLOBAL .* add\b")

    def test_host_alone(self):
        self.write("hello.c", "#include <acl/acl.h>\nint main(void) { char *new = 0;\n"
                   "return aclInit(new); }\n")
        self.drive("hello.c", "-o", "hello")
        self.assertEqual(self.run_program(self.path("hello")).returncode, 0)
        self.assertIn("clang", self.run_driver("--version").stdout)

    def test_kind_of_core(self):
        """The options say it where no instruction does."""
        for option, kind, code in (("vec", "VEC", 507036), ("cube", "CUBE", 507016)):
            self.write("cores.cpp", self.CORES.format(kind))
            self.drive("-xcce", f"--cce-aicore-arch=dav-c220-{option}", f"-I{HERE}", "cores.cpp",
                       "-o", option)
            self.assertIn(f"code {code}\n", self.run_program(self.path(option)).stdout)

    def test_refused(self):
        for words, text in ((["--npu-arch=dav-3510"], "only --npu-arch=dav-2201"),
                            (["--cce-auto-sync"], "no flags or barriers are added"),
                            (["--enable-simt"], "run on the 950 alone"),
                            (["-dc"], "device code of two sources is not linked"),
                            (["--cce-unheard-of"], "is not known"),
                            (["-E"], "kernels are compiled to objects"),
                            (["-c", "main.cpp"], "takes one source with -o, and there are 2")):
            got = self.run_driver(self.source, "-o", "program", *words)
            self.assertEqual(got.returncode, 1)
            self.assertIn(text, got.stderr)
            self.assertFalse(os.path.exists(self.path("program")))
        self.assertIn("missing argument: SOURCE", self.run_driver("-o", "x").stderr)


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
            r"missing\.asc:13: instruction set_aipp_spr_0 is not supported", "missing.asc")
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
        errors = self.refuses(r"assembly\.asc:3: inline assembly is not supported",
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
        print("skipped: no clang 16 or newer: ./dev setup all installs clang-19")
        sys.exit(77)
    unittest.main(verbosity=2)
