# SPDX-License-Identifier: Apache-2.0
"""What the tests of reports of `twinrt check` and `twinrt run --check` have in common."""
import os
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
TWINRT, GOOD, RACING = (os.path.abspath(path) for path in sys.argv[1:4])
ORDERED, ABORTS = (os.path.join(os.path.dirname(GOOD), name)
                   for name in ("order_program", "abort_program"))

# Frees what was never allocated.
FREED = (
    "import ctypes; acl = ctypes.CDLL('libascendcl.so'); acl.aclInit(None); acl.aclrtSetDevice(0); "
    "acl.aclrtFree(ctypes.c_void_p(4096)); acl.aclrtResetDevice(0); acl.aclFinalize()")


class ReportCase(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def run_tool(self, *arguments, **environment):
        return subprocess.run([TWINRT, *arguments], capture_output=True, text=True, timeout=60,
                              check=False, cwd=self.folder,
                              env={**os.environ, "TWINRT_BACKEND": "sim", **environment})

    def check(self, *arguments, program=(RACING, "3"), **environment):
        return self.run_tool("run", "--check", *arguments, "--", *program, **environment)

    def write(self, name, text):
        with open(os.path.join(self.folder, name), "wb") as file:
            file.write(text if isinstance(text, bytes) else text.encode())
        return name

    def read(self, name):
        with open(os.path.join(self.folder, name), encoding="utf-8") as file:
            return file.read()
