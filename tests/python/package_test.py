# SPDX-License-Identifier: Apache-2.0
"""The wheel, the module in a prefix, and the examples: each as its user meets it.

TWIN_BUILD names the build folder, TWIN_VERSION the version."""

import base64
import hashlib
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import zipfile

from support import ROOT

BUILD = os.environ.get("TWIN_BUILD", os.path.join(ROOT, "build"))
VERSION = os.environ.get("TWIN_VERSION", "0.1.0")
EXAMPLES = os.path.join(ROOT, "examples", "python")
PROGRAM = ("import acl\nassert acl.init() == 0 and acl.rt.set_device(0) == 0\np = acl.rt.malloc(64, 0)[0]\n"
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
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False, text=True, **options)
    if done.returncode != 0:
        raise AssertionError(f"{command} ended with {done.returncode}:\n{done.stdout}")
    return done.stdout


class Wheel(unittest.TestCase):
    def make(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        script = os.path.join(ROOT, "runtime", "python", "wheel.py")
        path = output([sys.executable, "-B", script, BUILD, "--version", VERSION, "--license", os.path.join(ROOT, "LICENSE"),
                       "--out", folder.name]).strip()
        return folder.name, path

    def test_its_form(self):
        _, path = self.make()
        tag = r"cp39-abi3-linux_\w+"
        self.assertRegex(os.path.basename(path), rf"^twinrt-{re.escape(VERSION)}-{tag}\.whl$")
        with zipfile.ZipFile(path) as wheel:
            names = wheel.namelist()
            info = f"twinrt-{VERSION}.dist-info"
            self.assertRegex(wheel.read(f"{info}/WHEEL").decode(), rf"Root-Is-Purelib: false\nTag: {tag}\n")
            rows = [line.split(",") for line in wheel.read(f"{info}/RECORD").decode().splitlines()]
            self.assertEqual([row[0] for row in rows], names)
            for name, digest, size in rows[:-1]:
                data = wheel.read(name)
                wanted = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
                self.assertEqual((digest, size), ("sha256=" + wanted, str(len(data))), name)
        for name in ("acl.abi3.so", "acl-stubs/rt.pyi", "twinrt.libs/lib64/libacl_rt.so", "twinrt.libs/lib64/libascendcl.so",
                     "twinrt.libs/lib64/twinrt/backend-sim.so", "twinrt.libs/lib64/twinrt/profiles/910b3.json"):
            self.assertIn(name, names)

    def test_equal_builds_make_equal_wheels(self):
        wheels = []
        for _ in range(2):
            with open(self.make()[1], "rb") as file:
                wheels.append(file.read())
        self.assertEqual(wheels[0], wheels[1])

    def test_pip_installs_it_and_it_needs_nothing_else(self):
        if not importlib.util.find_spec("pip"):
            self.skipTest("this Python has no pip")
        folder, path = self.make()
        target = os.path.join(folder, "target")
        output([sys.executable, "-m", "pip", "install", "--no-index", "--no-deps", "--disable-pip-version-check", "--target",
                target, path], env=stranger(LD_PRELOAD=""))
        told = output([sys.executable, "-B", "-c", PROGRAM], env=stranger(PYTHONPATH=target), cwd=folder)
        self.assertEqual(told.split(), [os.path.join(target, "acl.abi3.so"), "5a5a"])


class Module(unittest.TestCase):
    def test_set_env_of_the_build_folder_is_enough(self):
        told = output(["bash", "-euc", f". '{BUILD}/set_env.sh'; '{sys.executable}' -c "
                       "'import acl; print(acl.rt.get_device_count())'"], env=stranger())
        self.assertEqual(told, "(1, 0)\n")

    def test_a_library_of_another_version_serves_with_what_it_has(self):
        compiler = shutil.which("cc")
        if not compiler:
            self.skipTest("no C compiler")
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "other.c"), "w", encoding="utf-8") as file:
                file.write('int aclInit(const char *path) { return path ? 8 : 7; }\n'
                           'const char *aclrtGetSocName(void) { return "another"; }\n')
            output([compiler, "-shared", "-fPIC", "-o", os.path.join(folder, "libascendcl.so"), "other.c"], cwd=folder)
            script = ("import acl; print(acl.init(), acl.init('x'), acl.get_soc_name(), acl.rt.set_device(0), "
                      "acl.rt.malloc(1, 0), acl.rt.launch_callback(print, 0, 0, 0), acl.create_data_buffer(0, 0), "
                      "acl.get_recent_err_msg(), acl.app_log(0, 'x'))")
            packages = os.path.join(BUILD, "python", "site-packages")
            told = output([sys.executable, "-c", script], env=stranger(PYTHONPATH=packages, LD_LIBRARY_PATH=folder))
        self.assertEqual(told, "7 8 another 207000 (0, 207000) 207000 0 None None\n")

    def test_it_keeps_to_the_stable_interface(self):
        # Names of Python that only one version promises begin with an underscore.
        names = output(["nm", "-D", "--undefined-only", os.path.join(BUILD, "python", "site-packages", "acl.abi3.so")])
        used = re.findall(r" (_?Py\w+)", names)
        self.assertGreater(len(used), 40)
        self.assertEqual([name for name in used if name.startswith("_Py") and name != "_Py_NoneStruct"
                          and name not in ("_Py_Dealloc", "_Py_TrueStruct", "_Py_FalseStruct")
                          and not name.endswith("_SizeT")], [])


class Examples(unittest.TestCase):
    def lines(self, name, *arguments):
        return output([sys.executable, "-B", os.path.join(EXAMPLES, name), *arguments]).splitlines()

    def test_resources(self):
        lines = self.lines("resources.py")
        self.assertRegex(lines[0], r"^runtime: ready, 1 device of type Ascend\w+$")
        self.assertEqual(lines[1:], ["device, context, stream: allocated", "copied there and back: 65536 bytes",
                                     "stream, context, device: released"])

    def test_two_streams(self):
        lines = self.lines("two_streams.py")
        self.assertEqual(lines[0], "first stream: has copied in; second stream: still at it")
        self.assertEqual(lines[1], "second stream: done, 4194304 bytes verified")
        self.assertRegex(lines[2], r"^device time: \d+\.\d\d us until the event, \d+\.\d\d us after it$")
        self.assertEqual(lines, self.lines("two_streams.py"), "device time is the same on every run")

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
