#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""twinrt-cc from outside: options, errors, and what is in its objects. Arguments: the tool, the
build folder."""
import os
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest

BUILD = os.path.abspath(sys.argv.pop())
TOOL = os.path.abspath(sys.argv.pop())
HEADER_PLACE = 64  # runtime/kernel/object.h

GOOD = """
#include <twinrt/kernel.h>
struct arguments { twk_gm to; uint32_t count; };
TWK_VECTOR_KERNEL(good, struct arguments, args) { (void)args; }
TWK_PARAMS(good, TWK_PARAM(struct arguments, to), TWK_PARAM(struct arguments, count));
"""


class Compiler(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)
        self.temporary = os.path.join(self.folder, "tmp")
        os.mkdir(self.temporary)

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)
        return self.path(name)

    def run_tool(self, *words, **environment):
        clean = {key: value for key, value in os.environ.items() if key not in ("CC", "CXX")}
        got = subprocess.run([TOOL, *words], capture_output=True, text=True, timeout=120,
                             check=False,
                             env={**clean, "TMPDIR": self.temporary, **environment})
        self.assertEqual(os.listdir(self.temporary), [], "something was left behind")
        return got

    def builds(self, *words, **environment):
        got = self.run_tool("-o", self.path("out.o"), *words, **environment)
        self.assertEqual((got.returncode, got.stderr), (0, ""), got.stderr)
        with open(self.path("out.o"), "rb") as file:
            return file.read()

    def refuses(self, part, *words, status=1, **environment):
        got = self.run_tool("-o", self.path("out.o"), *words, **environment)
        self.assertEqual(got.returncode, status, got.stderr)
        self.assertIn(part, got.stderr)
        self.assertNotIn("out.o", os.listdir(self.folder))
        self.assertEqual(got.stdout, "")

    def library(self, data):
        """The shared object inside an object, as a file."""
        place, size = struct.unpack_from("<IQ", data, HEADER_PLACE + 20)
        path = self.path("inner.so")
        with open(path, "wb") as file:
            file.write(data[place:place + size])
        return path


class Options(Compiler):
    def test_help_and_version(self):
        self.assertRegex(self.run_tool("--version").stdout, r"^twinrt-cc \d+\.\d+\.\d+\n$")
        shown = self.run_tool("--help").stdout
        for option in ("-o", "-I", "-D", "-O", "-g", "-std", "-c++", "--cc", "--cxx", "-MF"):
            self.assertIn(option, shown)
        self.assertEqual(self.run_tool("--print-prefix").stdout, BUILD + "\n")

    def test_usage(self):
        good = self.write("good.c", GOOD)
        self.refuses("missing argument: SOURCE", status=2)
        self.refuses("unknown option --nosuch", good, "--nosuch", status=2)
        self.refuses("give --cc=COMMAND", good, "--cc", "clang", status=2)
        self.refuses("give --cxx=COMMAND", good, "--cxx", "clang++", status=2)
        self.refuses("missing value of option -I", good, "-I", status=2)
        for option in ("--toolkit=/usr", "-c", "-shared", "--kernels-only", "--npu-arch=dav-2201"):
            self.refuses("only with --ascend-c there is option " + option, good, option, status=2)
        self.refuses("in Ascend C need --ascend-c, unlike", self.write("good.asc", GOOD), status=2)
        self.refuses("unlike", good, self.write("good.txt", GOOD), status=2)
        got = self.run_tool(good)
        self.assertEqual(got.returncode, 2)
        self.assertIn("missing option: -o FILE", got.stderr)

    def test_words_for_the_compilers(self):
        os.mkdir(self.path("inc"))
        self.write("inc/here.h", "#define HERE 1\n")
        text = GOOD + '#include "here.h"\n#if HERE != 1 || WORD != 5 || defined(GONE)\n#error words\n#endif\n'
        source = self.write("good.c", text)
        self.builds("-I", self.path("inc"), "-DWORD=5", "-D", "GONE", "-U", "GONE", "-O1", "-g",
                    "-std=c11", "-Wall", source)
        self.builds("-I" + self.path("inc"), "-D", "WORD=5", source)
        got = self.run_tool("-o", self.path("out.o"), "-I" + self.path("inc"), "-DWORD=6", source)
        self.assertEqual(got.returncode, 1)

    def test_languages(self):
        self.write("one.c", GOOD)
        self.write(
            "two.cpp", GOOD.replace("good", "better").replace("{ (void)args; }",
                                                              "{ auto n = args->count; (void)n; }"))
        data = self.builds("-std=c11", "-std=c++17", self.path("one.c"), self.path("two.cpp"))
        self.assertIn(b".ascend.meta.good", data)
        self.assertIn(b".ascend.meta.better", data)
        self.builds("-c++", self.write("cxx.c", GOOD + "\nstatic_assert(true);\n"))

    def test_compilers(self):
        source = self.write("good.c", GOOD)
        self.refuses("nosuchcc cannot be run", source, CC="nosuchcc")
        self.refuses("nosuchcc cannot be run", source, "--cc=nosuchcc")
        self.builds(source, "--cc=cc -pipe", CC="nosuchcc")
        shown = self.run_tool("-v", "-o", self.path("out.o"), source)
        self.assertRegex(shown.stderr, "-fsanitize-coverage=[^ ]*trace-pc ")
        self.assertIn("-fstack-clash-protection", shown.stderr)

    def test_counting(self):
        """Blocks are counted in loops as they are written, by each compiler that is here."""
        clang = "-fsanitize-coverage=bb,no-prune,trace-pc -fno-unroll-loops -fno-vectorize -fno-slp-vectorize "
        for compiler, words in (("gcc", "-fsanitize-coverage=trace-pc "), ("clang", clang)):
            if not shutil.which(compiler):
                continue
            for name, option in (("good.c", "--cc="), ("good.cpp", "--cxx=")):
                other = {
                    "gcc": "g++", "clang": "clang++"}[compiler] if option == "--cxx=" else compiler
                shown = self.run_tool("-v", "-O3", "-o", self.path("out.o"), option + other,
                                      self.write(name, GOOD))
                self.assertEqual(shown.returncode, 0, shown.stderr)
                self.assertIn(words, shown.stderr)

    def test_counting_of_exceptions(self):
        """Code that catches exceptions is not counted: the count is the same as without."""
        source = self.write("good.cpp", GOOD)
        for compiler in ("g++", "clang++"):
            if not shutil.which(compiler) or not shutil.which("objdump"):
                continue
            counts = []
            for words in ((), ("-fno-exceptions",)):
                inner = self.library(self.builds("-O2", *words, "--cxx=" + compiler, source))
                shown = subprocess.run(["objdump", "-d", inner], capture_output=True, text=True,
                                       check=True)
                counts.append(shown.stdout.count(" <__sanitizer_cov_trace_pc>\n"))
            self.assertGreater(counts[0], 0)
            self.assertEqual(counts[0], counts[1], compiler)

    def test_dependencies(self):
        self.write("more.h", "")
        source = self.write("good.c", '#include "more.h"\n' + GOOD)
        self.builds(source, "-MF", self.path("out.d"))
        with open(self.path("out.d"), encoding="utf-8") as file:
            text = file.read()
        self.assertTrue(text.startswith(self.path("out.o") + ":"))
        for part in ("good.c", "more.h", "twinrt/kernel.h"):
            self.assertIn(part, text)


class Errors(Compiler):
    def test_sources(self):
        self.refuses("cc failed", self.write("bad.c", "this is no C\n"))
        self.refuses(
            "linking: cc failed", self.write("open.c",
                                             GOOD.replace("(void)args;",
                                                          "extern void gone(void); gone();")))
        self.refuses("define no kernel", self.write("none.c", "int nothing;\n"))
        self.refuses("cannot be part of a name",
                     self.write("name.c", GOOD.replace("good", "good_mix_aic")))
        self.refuses("missing.c", self.path("missing.c"))

    def test_arguments_of_one_byte(self):
        text = GOOD.replace("twk_gm to; uint32_t count;",
                            "uint8_t count;").replace(", TWK_PARAM(struct arguments, to)", "")
        text = text.replace("TWK_PARAM(struct arguments, to), ", "")
        for name in ("small.c", "small.cpp"):
            self.refuses("arguments of one byte", self.write(name, text))
        none = text.replace("struct arguments { uint8_t count; };",
                            "typedef twk_none none;").replace("struct arguments", "none")
        none = none[:none.index("TWK_PARAMS")]
        for name in ("none.c", "none.cpp"):
            self.builds("-Wall", "-Wextra", "-Werror", self.write(name, none))

    def test_constructors_that_crash(self):
        text = GOOD + "\n#include <signal.h>\n__attribute__((constructor)) static void now(void) { raise(SIGABRT); }\n"
        self.refuses("ended with signal 6", self.write("bad.c", text))

    def test_parameters_outside(self):
        text = GOOD.replace("TWK_PARAMS", "struct large { twk_gm a[9]; };\nTWK_PARAMS").replace(
            "TWK_PARAM(struct arguments, count)", "TWK_PARAM(struct large, a)")
        self.refuses("exceeds its", self.write("bad.c", text))

    def test_output(self):
        source = self.write("good.c", GOOD)
        got = self.run_tool("-o", self.path("no/folder/out.o"), source)
        self.assertEqual(got.returncode, 1)
        self.assertIn("cannot be written", got.stderr)
        before = self.builds(source)
        self.run_tool("-o", self.path("out.o"), self.write("bad.c", "no C"))
        with open(self.path("out.o"), "rb") as file:
            self.assertEqual(file.read(), before, "a failure has changed the object")


class Objects(Compiler):
    def test_same_bytes(self):
        source = self.write("good.c", GOOD)
        self.assertEqual(self.builds(source), self.builds(source))

    def test_one_symbol_is_seen(self):
        data = self.builds(self.write("good.c", GOOD + "\nint seen;\nvoid also(void) {}\n"))
        names = subprocess.run(["nm", "-D", "--defined-only", self.library(data)],
                               capture_output=True, text=True, check=True)
        self.assertEqual([line.split()[-1] for line in names.stdout.splitlines()], ["twk_image"])

    def test_sections(self):
        self.builds(self.write("good.c", GOOD))
        shown = subprocess.run(["readelf", "-SW", self.path("out.o")], capture_output=True,
                               text=True, check=True).stdout
        for name in (".text", ".ascend.meta.good", ".twinrt.native", ".symtab"):
            self.assertIn(f" {name} ", shown)


if __name__ == "__main__":
    unittest.main()
