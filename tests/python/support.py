# SPDX-License-Identifier: Apache-2.0
"""What the tests of the Python module share: names for numbers, and a device that is up during a
test."""

import os
import re
import sys
import unittest

import acl

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
sys.path.insert(0, os.path.join(ROOT, "runtime", "python"))
import tables  # noqa: E402  the tables that the module is made from

H2H, H2D, D2H, D2D = range(4)
SYNC, TIME_LINE = 0x1, 0x8
GREATER_EQUAL = 0

# Codes, by their names in the C headers.
SUCCESS = 0
INVALID_PARAM = 100000
REPEAT_INITIALIZE = 100002
PARAM_INVALID = 107000
DEVICE_ID = 107001
CONTEXT_NULL = 107002
NOT_SUBSCRIBED = 107015
HANDLE = 107017
STREAM_ABORT = 107023
NOT_SUPPORTED = 207000
WAIT_TIMEOUT = 507046
EVENT_TIMEOUT = 507047


def area(name):
    """The module that the functions of an area lie in."""
    return acl if name == "acl" else getattr(acl, name)


def function(row):
    return getattr(area(row.area), row.name)


def refused_in_c():
    """C functions that the library exports but does not implement."""
    with open(os.path.join(ROOT, "runtime", "api", "functions.def"), encoding="utf-8") as file:
        return set(
            re.findall(r'^TWIN_API\("[^"]*", (\w+), \w+, NOT_BUILT', file.read(),
                       flags=re.MULTILINE))


class ModelTest(unittest.TestCase):
    """A test with device 0 up and its default context current; everything is released after
    it."""

    def setUp(self):
        self.assertEqual(acl.init(), SUCCESS)
        self.addCleanup(lambda: self.assertEqual(acl.finalize(), SUCCESS))
        self.assertEqual(acl.rt.set_device(0), SUCCESS)
        self.addCleanup(lambda: self.assertEqual(acl.rt.reset_device_force(0), SUCCESS))

    def value(self, result):
        """The results of a call besides its code, which must be success."""
        if not isinstance(result, tuple):
            self.assertEqual(result, SUCCESS)
            return None
        self.assertEqual(result[-1], SUCCESS, acl.get_recent_err_msg())
        return result[0] if len(result) == 2 else result[:-1]

    def ok(self, code):
        self.assertEqual(code, SUCCESS, acl.get_recent_err_msg())

    def stream(self):
        return self.value(acl.rt.create_stream())

    def event(self, flag=SYNC | TIME_LINE):
        return self.value(acl.rt.create_event_with_flag(flag))

    def device_memory(self, size):
        ptr = self.value(acl.rt.malloc(size, 0))
        self.addCleanup(lambda: acl.rt.free(ptr))
        return ptr

    def word(self, value=0):
        """A 64-bit word of device memory that streams can wait for."""
        ptr = self.device_memory(64)
        data = value.to_bytes(8, "little")
        self.ok(acl.rt.memcpy(ptr, 64, acl.util.bytes_to_ptr(data), 8, H2D))
        return ptr

    def read(self, ptr, size):
        """Device memory as bytes."""
        host = self.value(acl.rt.malloc_host(size))
        self.ok(acl.rt.memcpy(host, size, ptr, size, D2H))
        data = acl.util.ptr_to_bytes(host, size)
        self.ok(acl.rt.free_host(host))
        return data

    def held(self):
        """A stream that does nothing until resume(), and resume."""
        stream, other, word = self.stream(), self.stream(), self.word()
        self.ok(acl.rt.value_wait(word, 1, GREATER_EQUAL, stream))
        return stream, lambda: self.ok(acl.rt.value_write(word, 1, 0, other))
