#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""twinrt-cc by the names of the vendor's compilers. Arguments: the build folder. Skipped (77)
without clang 17 or newer."""
import os
import signal
import subprocess
import sys
import unittest

from ascendc_test import BUILD, HERE, Case, find_clang, functions_of


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
        for words in (["-c"], []):
            self.drive(*words, "-O2", "-xcce", "--cce-aicore-only",
                       "--cce-aicore-arch=dav-c220-vec", self.source, "-o", "device.o", name="ccec")
            self.assertIn("add", functions_of(self.path("device.o")))
            os.remove(self.path("device.o"))

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

    KERNEL = ("#include <cstdint>\n__global__ void one(__gm__ int *x) { x[0] = 1; }\n"
              "int add(int); int main() { return add(3) - 4; }\n")

    def write_library(self):
        self.write("kernel.asc", self.KERNEL)
        self.write("add.cpp", "int add(int x) { return x + 1; }\n")
        self.drive("-c", "add.cpp")
        subprocess.run(["ar", "rcs", "libadd.a", "add.o"], check=True, cwd=self.folder)

    def test_static_library(self):
        """It is linked after the kernels' source that calls it."""
        self.write_library()
        self.drive("kernel.asc", "libadd.a", "-o", "by_path")
        self.drive("kernel.asc", "-L.", "-ladd", "-o", "by_name")
        for name in ("by_path", "by_name"):
            self.assertEqual(self.run_program(self.path(name)).returncode, 0)

    def test_archive(self):
        """It has what the command names, and nothing of an older one."""
        self.write_library()
        self.write("old.asc", "__global__ void old(__gm__ int *x) { x[0] = 1; }\n"
                   "int old_too() { return 1; }\n")
        self.drive("-lib", "kernel.asc", "old.asc", "-o", "libboth.a")
        self.drive("-lib", "kernel.asc", "-o", "libboth.a")
        self.assertEqual(subprocess.run(["ar", "t", "libboth.a"], cwd=self.folder, text=True,
                                        capture_output=True, check=True).stdout.count("\n"), 1)

    def test_options_of_llvm(self):
        """Those of the host reach clang."""
        self.write_library()
        self.assertIn("-nosuch", self.run_driver("-mllvm", "-nosuch", "-c", "add.cpp").stderr)

    def test_options_of_one_side(self):
        self.write("sides.asc", "#if defined(ON_HOST) == defined(ON_CORE)\n#error both, or none\n"
                   "#endif\n#if defined(__NPU_HOST__) != defined(ON_HOST)\n#error wrong side\n"
                   "#endif\n__global__ void one(__gm__ int *x) { x[0] = 1; }\n")
        self.write("host.cpp", "#if !defined(ON_HOST) || defined(ON_CORE) || !defined(BOTH)\n"
                   "#error wrong side\n#endif\nint main() {}\n")
        self.drive("-Xhost-start", "-DON_HOST", "-Xhost-end", "-Xaicore-start", "-D", "ON_CORE",
                   "-Xaicore-end", "-DBOTH", "sides.asc", "host.cpp", "-o", "sides")

    def test_values_of_options(self):
        """They are not sources."""
        self.write_library()
        for words in (["-u", "one"], ["-target", "x86_64-linux-gnu"], ["--sysroot", "/"],
                      ["-iquote", "include"], ["-e", "main"], ["-Xlinker", "-s"],
                      ["-MD", "-MF", "k.d"], ["-x", "asc"], ["--param", "ssp-buffer-size=4"]):
            with self.subTest(words):
                self.drive(*words, "-c", "kernel.asc", "-o", "kernel.o")
                os.remove(self.path("kernel.o"))

    def test_sources_in_c(self):
        """Options that make errors of warnings are for them, too."""
        self.write("c.c", "int of_c(void) { int new = 0; return new; }\n")
        self.write("cxx.cpp", "extern \"C\" int of_c(); int main() { return of_c(); }\n")
        self.drive("-Werror", "-Wall", "-c", "c.c", "cxx.cpp")
        self.drive("-Werror", "-Wall", "c.c", "cxx.cpp", "-o", "c_first")
        self.drive("-Werror", "-Wall", "cxx.cpp", "c.c", "-o", "c_last")

    def test_dependencies(self):
        """-MD alone: they are beside the object."""
        self.write_library()
        os.mkdir(self.path("in.folder"))
        self.write("kernel.asc", '#include "part.h"\n' + self.KERNEL)
        self.write("part.h", "")
        for words, name in ((["-o", "in.folder/kernel"], "in.folder/kernel.d"),
                            (["-o", "named.obj"], "named.d"), ([], "kernel.d")):
            self.drive("-c", "kernel.asc", "-MMD", *words)
            with open(self.path(name), encoding="utf-8") as file:
                self.assertIn("part.h", file.read())

    def test_instrumentation(self):
        """It is for the host: kernels have neither its runtime nor the files on the way."""
        self.write_library()
        for option in ("-flto", "-fsanitize=address"):
            self.drive(option, "-c", "kernel.asc", "-o", "kernel.o")
            self.drive("kernel.o", "add.o", "-o", "program",
                       *([] if option == "-flto" else [option]))
            self.assertEqual(self.run_program(self.path("program")).returncode, 0)

    def test_questions(self):
        """What build tools ask a compiler."""
        for words in (["-print-prog-name=ar"], ["--help"], ["-###"], ["-dumpmachine"], ["-v"]):
            self.assertEqual(self.run_driver(*words).returncode, 0, words)

    def test_refused(self):
        self.assertIn("give a file", self.run_driver("-xcce", "-").stderr)
        self.assertIn("leave out others", self.run_driver("--cce-aicore-only", self.source,
                                                          "main.cpp").stderr)
        for words, text in ((["--npu-arch=dav-3510"], "only --npu-arch=dav-2201"),
                            (["--cce-auto-sync"], "no flags or barriers are added"),
                            (["--enable-simt"], "run on the 950 alone"),
                            (["-dc"], "device code of two sources is not linked"),
                            (["--cce-unheard-of"], "is not known"),
                            (["-E", "-c"], "kernels are compiled to objects"),
                            (["-c", "main.cpp"], "takes one source with -o, and there are 2")):
            got = self.run_driver(self.source, "-o", "program", *words)
            self.assertEqual(got.returncode, 1)
            self.assertIn(text, got.stderr)
            self.assertFalse(os.path.exists(self.path("program")))
        self.assertIn("missing argument: SOURCE", self.run_driver("-o", "x").stderr)

    def test_response_file(self):
        """@FILE: its words, with quotes, backslashes and files in it."""
        self.write_library()
        os.mkdir(self.path("a folder"))
        self.write("a folder/value.h", "#define VALUE 1\n")
        self.write("kernel.asc", '#include "value.h"\n' + self.KERNEL.replace("= 1", "= VALUE"))
        self.write("inner", "kernel.asc\n\n'add.cpp' ")
        self.write("outer", "-o 'a folder'/program @inner \"-Ia folder\"\t-DA\\ B")
        self.write("loop", "@loop")
        self.drive("@outer")
        self.assertEqual(self.run_program(self.path("a folder/program")).returncode, 0)
        self.assertIn("@loop: files of arguments name each other",
                      self.run_driver("@loop").stderr)
        self.assertIn("@missing", self.run_driver("@missing").stderr)

    def test_signal(self):
        """The compiler ends, and nothing is left of what was made."""
        self.write_library()
        os.mkdir(self.path("made"))
        os.mkfifo(self.path("fifo.h"))  # whose reader waits
        with subprocess.Popen([os.path.join(BUILD, "bin", "bisheng"), "-c", "kernel.asc",
                               "-include", "fifo.h"], cwd=self.folder, stderr=subprocess.DEVNULL,
                              env={**os.environ, "TMPDIR": self.path("made")}) as run:
            opened = os.open(self.path("fifo.h"), os.O_WRONLY)  # when clang reads it
            self.assertNotEqual(os.listdir(self.path("made")), [])
            run.send_signal(signal.SIGTERM)
            self.assertEqual(run.wait(60), -signal.SIGTERM)
            os.close(opened)
        self.assertEqual(os.listdir(self.path("made")), [])


if __name__ == "__main__":
    if not find_clang():
        print("skipped: no clang 17 or newer: ./dev setup all installs clang-19")
        sys.exit(77)
    unittest.main(verbosity=2)
