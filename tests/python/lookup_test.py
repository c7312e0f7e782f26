# SPDX-License-Identifier: Apache-2.0
"""Functions of the layer below the interface, looked up with ctypes beside the module."""

import ctypes
import os
import unittest

import acl
from support import D2H, H2D, ModelTest

AICORE, VECTOR_CORE, CORE_NUM = 4, 7, 3
BYTES = 4096


class Lookup(ModelTest):
    def setUp(self):
        super().setUp()
        self.library = ctypes.CDLL(os.path.join(os.environ["TWIN_BUILD"], "lib64", "libruntime.so"))

    def test_they_are_in_every_handle(self):
        for name in ("libascendcl.so", "libacl_rt.so"):
            other = ctypes.CDLL(os.path.join(os.environ["TWIN_BUILD"], "lib64", name))
            self.assertEqual(ctypes.cast(other.rtGetDeviceInfo, ctypes.c_void_p).value,
                             ctypes.cast(self.library.rtGetDeviceInfo, ctypes.c_void_p).value)

    def test_device_information_equals_that_of_the_module(self):
        for module, kind in ((AICORE, 0), (VECTOR_CORE, 1)):
            number = ctypes.c_int64(-1)
            self.ok(self.library.rtGetDeviceInfo(0, module, CORE_NUM, ctypes.byref(number)))
            self.assertEqual(number.value, self.value(acl.get_device_capability(0, kind)))

    def test_a_copy_on_a_stream_of_the_module(self):
        """The direction that is named is wrong each way; the addresses count."""
        copy = self.library.rtMemcpyAsyncWithoutCheckKind
        copy.argtypes = [ctypes.c_void_p, ctypes.c_uint64, ctypes.c_void_p, ctypes.c_uint64,
                         ctypes.c_int, ctypes.c_void_p]
        stream = self.stream()
        device = self.value(acl.rt.malloc(BYTES, 0))
        host = self.value(acl.rt.malloc_host(BYTES))
        pattern = bytes(i % 251 for i in range(BYTES))
        ctypes.memmove(host, pattern, BYTES)
        self.ok(copy(device, BYTES, host, BYTES, D2H, stream))
        self.ok(acl.rt.synchronize_stream(stream))
        ctypes.memset(host, 0, BYTES)
        self.ok(copy(host, BYTES, device, BYTES, H2D, stream))
        self.ok(acl.rt.synchronize_stream(stream))
        self.assertEqual(ctypes.string_at(host, BYTES), pattern)
        self.ok(acl.rt.free_host(host))
        self.ok(acl.rt.free(device))


if __name__ == "__main__":
    unittest.main()
