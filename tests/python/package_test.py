# SPDX-License-Identifier: Apache-2.0
"""The wheel, the module in a prefix, and the examples: each as its user meets it.

TWIN_BUILD names the build folder, TWIN_VERSION the version."""

import base64
import email
import hashlib
import io
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import zipfile

import twinrt
from support import ROOT

BUILD = os.environ.get("TWIN_BUILD", os.path.join(ROOT, "build"))
VERSION = os.environ.get("TWIN_VERSION", "0.1.0")
EXAMPLES = os.path.join(ROOT, "examples", "python")
SANITIZED = "san" in os.environ.get("LD_PRELOAD", "")
# The policy manylinux_2_35 of auditwheel (its manylinux-policy.json): libraries that are
# everywhere, and their newest symbols.
POLICY_LIBRARIES = {"ld-linux-x86-64.so.2", "libc.so.6", "libgcc_s.so.1", "libm.so.6",
                    "libstdc++.so.6", "libz.so.1"}
POLICY_VERSIONS = {"CXXABI": "1.3.13", "GCC": "12.0.0", "GLIBC": "2.35", "GLIBCXX": "3.4.30",
                   "ZLIB": "1.2.9"}
PROGRAM = (
    "import acl\nassert acl.init() == 0 and acl.rt.set_device(0) == 0\np = acl.rt.malloc(64, "
    "0)[0]\n"
    "assert acl.rt.memset(p, 64, 0x5A, 64) == 0\nb = bytes(64)\n"
    "assert acl.rt.memcpy(acl.util.bytes_to_ptr(b), 64, p, 64, 2) == 0\n"
    "assert acl.rt.free(p) == 0 and acl.rt.reset_device(0) == 0 and acl.finalize() == 0\n"
    "print(acl.__file__, b.hex()[:4])\n")


def stranger(**more):
    """An environment in which nothing of ours is set, but what the machine needs."""
    keep = {name: value for name, value in os.environ.items()
            if not name.startswith(("PYTHON", "TWIN", "LD_LIBRARY", "ASCEND"))}
    return dict(keep, **more)


def output(command, **options):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
                          text=True, **options)
    if done.returncode != 0:
        raise AssertionError(f"{command} ended with {done.returncode}:\n{done.stdout}")
    return done.stdout


def make(folder, build=BUILD, **environment):
    """Makes a wheel in a folder; gives its path."""
    script = os.path.join(ROOT, "runtime", "python", "wheel.py")
    clean = {name: value for name, value in os.environ.items()
             if name not in ("LD_PRELOAD", "SOURCE_DATE_EPOCH")}
    return output([sys.executable, "-B", script, build, "--version", VERSION, "--out", folder],
                  env=dict(clean, **environment)).strip()


def files_below(folder):
    return [os.path.join(place, name) for place, folders, names in os.walk(folder)
            for name in names + folders]


def numbers(version):
    return [int(part) for part in version.split(".")]


class Wheel(unittest.TestCase):
    """The file itself."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def unpacked(self):
        target = os.path.join(self.folder, "unpacked")
        with zipfile.ZipFile(make(self.folder)) as wheel:
            wheel.extractall(target)
        return [os.path.join(place, name) for place, _, names in os.walk(target) for name in names]

    def elf_files(self):
        for path in self.unpacked():
            with open(path, "rb") as file:
                if file.read(4) == b"\x7fELF":
                    yield path

    def test_its_form(self):
        path = make(self.folder)
        tag = r"cp39-abi3-linux_\w+"
        self.assertRegex(os.path.basename(path), rf"^twinrt-{re.escape(VERSION)}-{tag}\.whl$")
        with zipfile.ZipFile(path) as wheel:
            names = wheel.namelist()
            info = f"twinrt-{VERSION}.dist-info"
            self.assertRegex(wheel.read(f"{info}/WHEEL").decode(),
                             rf"Root-Is-Purelib: false\nTag: {tag}\n")
            rows = [line.split(",") for line in wheel.read(f"{info}/RECORD").decode().splitlines()]
            self.assertEqual([row[0] for row in rows], names)
            for name, digest, size in rows[:-1]:
                data = wheel.read(name)
                wanted = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(
                    b"=").decode()
                self.assertEqual((digest, size), ("sha256=" + wanted, str(len(data))), name)
                runs = wheel.getinfo(name).external_attr >> 16 & 0o111
                self.assertEqual(bool(runs), data.startswith(b"\x7fELF"), name)
            fields = email.message_from_bytes(wheel.read(f"{info}/METADATA"))
        self.assertEqual((fields["Metadata-Version"], fields["Name"], fields["Version"]),
                         ("2.1", "twinrt", VERSION))
        self.assertEqual((fields["License"], fields["Requires-Python"]), ("Apache-2.0", ">=3.9"))
        self.assertEqual(fields["Description-Content-Type"], "text/markdown")
        self.assertIn("# The Python module `acl`", fields.get_payload())
        self.assertEqual(fields.defects, [])

    def test_it_holds_what_its_users_need_and_no_more(self):
        with zipfile.ZipFile(make(self.folder)) as wheel:
            names = wheel.namelist()
        for name in ("acl/__init__.py", "acl/_acl.abi3.so", "acl-stubs/rt.pyi",
                     "twinrt.libs/bin/twinrt-cc",
                     "twinrt.libs/include/acl/error_codes/rt_error_codes.h",
                     "twinrt.libs/include/twinrt/kernel.h",
                     "twinrt.libs/lib64/libacl_rt.so", "twinrt.libs/lib64/libascendcl.so",
                     "twinrt.libs/lib64/libtwinrt-host.so",
                     "twinrt.libs/lib64/libtwinrt_kernel.a",
                     "twinrt.libs/lib64/twinrt/backend-sim.so",
                     "twinrt.libs/lib64/twinrt/profiles/910b3.json"):
            self.assertIn(name, names)
        kinds = (r"acl/(__init__\.py|_acl\.abi3\.so)", r"acl-stubs/\w+\.pyi", r"twinrt\.py",
                 r"twinrt\.libs/(LICENSE|bin/twinrt(-cc)?)",
                 r"twinrt\.libs/include/(acl|twinrt)/[\w/]+\.h",
                 r"twinrt\.libs/lib64/lib[\w-]+\.(so|a)",
                 r"twinrt\.libs/lib64/twinrt/(backend|model)-\w+\.so",
                 r"twinrt\.libs/lib64/twinrt/profiles/\w+\.json",
                 rf"twinrt-{re.escape(VERSION)}\.dist-info/[\w.]+")
        self.assertEqual([name for name in names if not re.fullmatch("|".join(kinds), name)], [])

    def test_files_of_an_earlier_build_are_not_in_it(self):
        build = os.path.join(self.folder, "build")
        os.makedirs(os.path.join(build, "lib64", "twinrt"))
        for folder in (".", "lib64", "lib64/twinrt"):
            for name in os.listdir(os.path.join(BUILD, folder)):
                path = os.path.join(build, folder, name)
                if os.path.exists(path):
                    continue
                if folder == "lib64" and os.path.isfile(os.path.join(BUILD, folder, name)):
                    shutil.copy(os.path.join(BUILD, folder, name), path, follow_symlinks=False)
                else:
                    os.symlink(os.path.join(BUILD, folder, name), path)
        for name in ("libstale.so", "twinrt/backend-stale.so", "twinrt/model-stale.so"):
            with open(os.path.join(build, "lib64", name), "w", encoding="utf-8"):
                pass
        with zipfile.ZipFile(make(os.path.join(self.folder, "clean"))) as wheel:
            names = wheel.namelist()
        with zipfile.ZipFile(make(os.path.join(self.folder, "stale"), build)) as wheel:
            self.assertEqual(wheel.namelist(), names)

    def test_equal_builds_make_equal_wheels(self):
        # Another place of the build folder, another time of day, other times of files.
        other = os.path.join(self.folder, "another place")
        os.symlink(BUILD, other)
        contents = []
        for out, build, epoch in (("a", BUILD, "1700000000"), ("b", other, "1700000000"),
                                  ("c", BUILD, "")):
            with open(
                make(os.path.join(self.folder, out), build,
                     **({"SOURCE_DATE_EPOCH": epoch} if epoch else {})), "rb") as file:
                contents.append(file.read())
        self.assertEqual(contents[0], contents[1])
        self.assertNotEqual(contents[0], contents[2])
        times = [{entry.date_time for entry in zipfile.ZipFile(io.BytesIO(data)).infolist()}
                 for data in contents]
        self.assertEqual(
            times, [{(2023, 11, 14, 22, 13, 20)}, {(2023, 11, 14, 22, 13, 20)},
                    {(1980, 1, 1, 0, 0, 0)}])

    @unittest.skipIf(SANITIZED, "assertions are compiled in, which name their files")
    def test_it_names_no_folder_of_the_build(self):
        # Objects of a compiler's cache name the folder where they were compiled first, or one
        # relative to the build folder.
        sources = re.compile(
            rb"/(?:runtime|sim|backends|tools|rtl-stubs)/[\w./-]+\.(?:c|h|cpp|sv)\b")
        folders = [os.path.realpath(folder).encode() for folder in (ROOT, BUILD)]
        for path in self.unpacked():
            with open(path, "rb") as file:
                data = file.read()
            self.assertEqual([folder for folder in folders if folder in data], [], path)
            self.assertIsNone(sources.search(data), path)

    def test_its_files_are_stripped(self):
        for path in self.elf_files():
            sections = set(re.findall(r"\] (\.[\w.-]+)", output(["readelf", "-SW", path])))
            self.assertEqual({name for name in sections if name.startswith(".debug")} |
                             sections & {".symtab", ".comment"}, set(), path)

    @unittest.skipIf(SANITIZED, "a sanitizer's libraries belong to no policy")
    def test_its_libraries_keep_to_the_policy(self):
        """The rules of auditwheel (manylinux_2_35), except for the system libraries that twinrt.py
        names."""
        seen = set()
        files = list(self.elf_files())
        ours = {os.path.basename(path) for path in files}
        for path in files:
            dynamic = output(["readelf", "-dW", path])
            needed = set(re.findall(r"\(NEEDED\).*\[(.*)\]", dynamic))
            self.assertEqual(needed - ours - POLICY_LIBRARIES - set(twinrt.PACKAGES), set(), path)
            seen |= needed
            for folders in re.findall(r"\((?:RPATH|RUNPATH)\).*\[(.*)\]", dynamic):
                self.assertTrue(all(folder.startswith("$ORIGIN") for folder in folders.split(":")),
                                f"{path}: {folders}")
            self.assertNotIn("TEXTREL", dynamic, path)
            for kind, version in re.findall(r"Name: ([A-Z]+)_([\d.]+) ",
                                            output(["readelf", "-VW", path])):
                if kind in POLICY_VERSIONS:
                    self.assertLessEqual(numbers(version), numbers(POLICY_VERSIONS[kind]),
                                         f"{path}: {kind}_{version}")
            self.assertRegex(output(["readelf", "-lW", path]), r"GNU_STACK .* RW ", path)
            self.assertNotRegex(output(["readelf", "-nW", path]), r"x86 ISA needed:.*v[234]", path)
        self.assertEqual(set(twinrt.PACKAGES) - seen, set(), "packages that nothing needs")

    def test_packages_have_the_libraries(self):
        if not shutil.which("dpkg-query"):
            self.skipTest("no Debian")
        for library, package in twinrt.PACKAGES.items():
            self.assertRegex(output(["dpkg-query", "--search", f"*/{library}"]),
                             rf"(?m)^{re.escape(package)}(:\w+)?: ")


@unittest.skipIf(SANITIZED, "a wheel is made of a build without sanitizers")
class Venv(unittest.TestCase):
    """The wheel in a virtual environment, with nothing else of twinrt."""

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = folder.name
        cls.venv = os.path.join(cls.folder, "venv")
        output([sys.executable, "-m", "venv", "--without-pip", cls.venv])
        cls.bare = set(files_below(cls.venv))
        cls.pip("install", "--no-index", "--no-deps", "--quiet", make(cls.folder))
        cls.site, = [os.path.dirname(path) for path in files_below(cls.venv)
                     if path.endswith("/twinrt.py")]

    @classmethod
    def pip(cls, *arguments):
        return output(
            [sys.executable, "-m", "pip", "--disable-pip-version-check", "--python",
             os.path.join(cls.venv, "bin", "python"),
             *arguments], env=stranger())

    def run_here(self, line, **more):
        path = os.path.join(self.venv, "bin") + os.pathsep + os.environ["PATH"]
        return output(
            ["bash", "-euc", line], env=stranger(PATH=path, PYTHONDONTWRITEBYTECODE="1", **more),
            cwd=self.folder)

    def test_the_module(self):
        with open(os.path.join(self.folder, "program.py"), "w", encoding="utf-8") as file:
            file.write(PROGRAM)
        self.assertEqual(self.run_here("python program.py").split(),
                         [os.path.join(self.site, "acl", "__init__.py"), "5a5a"])
        self.assertIn("No broken requirements", self.pip("check"))

    def test_kernels(self):
        line = (f"twinrt-cc -o kernels.o '{ROOT}/examples/vector_add/kernels.c'; "
                f"twinrt run --check -- python '{EXAMPLES}/vector_add.py' kernels.o 2>errors; cat "
                f"errors")
        printed = self.run_here(line)
        self.assertRegex(
            printed, r"^100000 of 100000 sums are right\ntwinrt check: .*: \d+ ops, 0 errors.*\n$")

    def test_programs_in_c(self):
        line = (
            f"place=$(twinrt-cc --print-prefix); cc '{ROOT}/examples/stream_wait_event.c' "
            f"-I\"$place/include\" "
            "-L\"$place/lib64\" -Wl,-rpath,\"$place/lib64\" -lascendcl -o program; twinrt run -- "
            "./program | tail -n 1")
        self.assertEqual(self.run_here(line), "stream_wait_event: ok\n")

    def test_a_wrong_option_has_the_status_of_the_tool(self):
        self.assertEqual(self.run_here("twinrt-cc --nothing 2>/dev/null || echo $?"), "2\n")

    def absent(self, path, library):
        """A copy of the installation in which a library has an unknown name; returns its folder and
        the name."""
        copy = os.path.join(tempfile.mkdtemp(dir=self.folder), f"without {library}")
        shutil.copytree(self.site, copy, ignore=shutil.ignore_patterns("__pycache__"))
        other = library.replace("lib", "lob")
        for name in (path, "twinrt.py"):
            with open(os.path.join(copy, name), "r+b") as file:
                data = file.read().replace(library.encode(), other.encode())
                file.seek(0)
                file.write(data)
        return copy, other

    def test_an_import_names_the_package_of_a_missing_library(self):
        for path, library, package in (
            ("twinrt.libs/lib64/libacl_rt.so", "libcjson.so.1", "libcjson1"),
            ("twinrt.libs/lib64/libacl_rt.so", "libelf.so.1", "libelf1"),
            ("twinrt.libs/lib64/twinrt/backend-sim.so", twinrt.MODEL, "libsystemc")):
            folder, other = self.absent(path, library)
            wanted = f"ImportError: missing system libraries: {other}; on Debian, run: apt-get install {package}\n"
            line = f"'{sys.executable}' -c 'import acl' 2>&1 || true"
            self.assertTrue(self.run_here(line, PYTHONPATH=folder).endswith(wanted), library)
            if library == twinrt.MODEL:  # a board does not need the model
                self.assertEqual(self.run_here(line, PYTHONPATH=folder, TWINRT_BACKEND="ascend"),
                                 "")

    def test_a_program_in_c_names_the_package_of_the_model(self):
        folder, other = self.absent("twinrt.libs/lib64/twinrt/backend-sim.so", twinrt.MODEL)
        place = os.path.join(folder, "twinrt.libs")
        printed = self.run_here(
            f"cc '{ROOT}/examples/stream_wait_event.c' -I'{place}/include' -L'{place}/lib64' "
            f"-Wl,-rpath,'{place}/lib64' -lascendcl -o program; ./program 2>&1 || true")
        self.assertRegex(
            printed,
            rf"does not load: {other}: cannot open .*; install SystemC \(Debian package "
            rf"libsystemc\)")

    def test_a_command_names_the_package_of_a_missing_library(self):
        folder, other = self.absent("twinrt.libs/bin/twinrt", "libdw.so.1")
        printed = self.run_here(
            f"'{sys.executable}' -c 'import twinrt; twinrt.twinrt()' 2>&1 || echo $?",
            PYTHONPATH=folder)
        self.assertEqual(
            printed,
            f"twinrt: missing system libraries: {other}; on Debian, run: apt-get install "
            f"libdw1\n127\n")

    def test_z_uninstalled_it_leaves_nothing(self):
        self.pip("uninstall", "--yes", "twinrt")
        self.assertEqual(sorted(set(files_below(self.venv)) - self.bare), [])


class Module(unittest.TestCase):
    def test_set_env_of_the_build_folder_is_enough(self):
        printed = output(["bash", "-euc", f". '{BUILD}/set_env.sh'; '{sys.executable}' -c "
                          "'import acl; print(acl.rt.get_device_count())'"], env=stranger())
        self.assertEqual(printed, "(1, 0)\n")

    def test_an_import_before_the_build_says_so(self):
        # What a configured folder has at once, as after `./dev demo`.
        with tempfile.TemporaryDirectory() as folder:
            packages = os.path.join(BUILD, "python", "site-packages")
            shutil.copytree(packages, os.path.join(folder, "package"),
                            ignore=shutil.ignore_patterns("*.so", "__pycache__"))
            printed = output(["bash", "-c", f"'{sys.executable}' -c 'import acl' 2>&1 | tail -n 1"],
                             env=stranger(PYTHONPATH=os.path.join(folder, "package")))
        self.assertRegex(
            printed,
            r"^ImportError: /\S+/acl/_acl\.abi3\.so is missing: the module was not built; build "
            r"all of twinrt "
                  r"\(\./dev build\)")

    def test_it_needs_little_of_python(self):
        # Debian's python3-minimal has the parts of Python that these are, and few others.
        program = (
            "import sys\nfor name in ('ctypes', 'numpy', 'subprocess'): sys.modules[name] = "
            "None\nimport acl\n"
            "print(acl.rt.get_device_count())")
        printed = output([sys.executable, "-c", program],
                         env=stranger(PYTHONPATH=os.path.join(BUILD, "python", "site-packages")))
        self.assertEqual(printed, "(1, 0)\n")

    def test_an_import_that_finds_no_runtime_says_what_to_read(self):
        with tempfile.TemporaryDirectory() as folder:
            packages = os.path.join(BUILD, "python", "site-packages")
            shutil.copytree(packages, os.path.join(folder, "a", "b", "c"))
            printed = output(["bash", "-c", f"'{sys.executable}' -c 'import acl' 2>&1 | tail -n 1"],
                             env=stranger(PYTHONPATH=os.path.join(folder, "a", "b", "c")))
        self.assertRegex(
            printed,
            r"^ImportError: libascendcl\.so: cannot open .*; read the set_env\.sh of the folder")

    def test_a_library_of_another_version_serves_with_what_it_has(self):
        compiler = shutil.which("cc")
        if not compiler:
            self.skipTest("no C compiler")
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "other.c"), "w", encoding="utf-8") as file:
                file.write('int aclInit(const char *path) { return path ? 8 : 7; }\n'
                           'const char *aclrtGetSocName(void) { return "another"; }\n')
            output(
                [compiler, "-shared", "-fPIC", "-o", os.path.join(folder, "libascendcl.so"),
                 "other.c"], cwd=folder)
            script = (
                "import acl; print(acl.init(), acl.init('x'), acl.get_soc_name(), "
                "acl.rt.set_device(0), "
                "acl.rt.malloc(1, 0), acl.rt.launch_callback(print, 0, 0, 0), "
                "acl.create_data_buffer(0, 0), "
                "acl.get_recent_err_msg(), acl.app_log(0, 'x'))")
            packages = os.path.join(BUILD, "python", "site-packages")
            printed = output([sys.executable, "-c", script],
                             env=stranger(PYTHONPATH=packages, LD_LIBRARY_PATH=folder))
        self.assertEqual(printed, "7 8 another 207000 (0, 207000) 207000 0 None None\n")

    def test_it_keeps_to_the_stable_interface(self):
        # Names of Python that only one version promises begin with an underscore.
        names = output(
            ["nm", "-D", "--undefined-only", os.path.join(BUILD, "python", "site-packages", "acl",
                                                          "_acl.abi3.so")])
        used = re.findall(r" (_?Py\w+)", names)
        self.assertGreater(len(used), 40)
        self.assertEqual(
            [name for name in used if name.startswith("_Py") and name != "_Py_NoneStruct"
             and name not in ("_Py_Dealloc", "_Py_TrueStruct", "_Py_FalseStruct")
             and not name.endswith("_SizeT")], [])


class Examples(unittest.TestCase):
    def lines(self, name, *arguments):
        return output([sys.executable, "-B", os.path.join(EXAMPLES, name), *arguments]).splitlines()

    def test_resources(self):
        lines = self.lines("resources.py")
        self.assertRegex(lines[0], r"^runtime: ready, 1 device of type Ascend\w+$")
        self.assertEqual(
            lines[1:], ["device, context, stream: allocated", "copied there and back: 65536 bytes",
                        "stream, context, device: released"])

    def test_two_streams(self):
        lines = self.lines("two_streams.py")
        self.assertEqual(lines[0], "first stream: has copied in; second stream: still at it")
        self.assertEqual(lines[1], "second stream: done, 4194304 bytes verified")
        self.assertRegex(
            lines[2], r"^device time: \d+\.\d\d us until the event, \d+\.\d\d us after it$")
        self.assertEqual(lines, self.lines("two_streams.py"),
                         "device time is the same on every run")

    def test_copy_bandwidth(self):
        lines = self.lines("copy_bandwidth.py", "65536", "16777216")
        small, large = [[float(word) for word in line.split()[1:]] for line in lines[2:]]
        self.assertEqual(len(small), 3)
        for slow, fast in zip(small, large):
            self.assertGreater(slow, 0)
            self.assertGreater(fast, slow)

    def test_vector_add(self):
        kernels = os.path.join(os.environ["TWIN_BUILD"], "examples", "vector_add_kernels.o")
        self.assertEqual(self.lines("vector_add.py", kernels), ["100000 of 100000 sums are right"])

    def test_each_example_has_a_test(self):
        tested = {"resources.py", "two_streams.py", "copy_bandwidth.py", "vector_add.py"}
        self.assertEqual({name for name in os.listdir(EXAMPLES) if name.endswith(".py")}, tested)


if __name__ == "__main__":
    unittest.main()
