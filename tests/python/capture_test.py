# SPDX-License-Identifier: Apache-2.0
"""Captures by a program in Python. The vendor's module has no functions for model instances, so the
program calls those of C, with the handles of the module."""

import ctypes
import unittest

import acl

from support import D2D, H2D, ModelTest

GLOBAL = 0  # aclmdlRICaptureMode
BYTES = 64
STREAM_CAPTURED = 107027
CAPTURE_FORBIDS = 107030
c = ctypes.CDLL("libascendcl.so")


def pointer(handle):
    return ctypes.c_void_p(handle)


class CaptureTest(ModelTest):
    """A copy from self.source to self.target is captured on self.first."""

    def setUp(self):
        super().setUp()
        self.first = self.stream()
        self.source = self.device_memory(BYTES)
        self.target = self.device_memory(BYTES)

    def fill(self, ptr, value):
        data = bytes([value]) * BYTES
        self.ok(acl.rt.memcpy(ptr, BYTES, acl.util.bytes_to_ptr(data), BYTES, H2D))

    def begin(self):
        self.ok(c.aclmdlRICaptureBegin(pointer(self.first), GLOBAL))

    def end(self):
        instance = ctypes.c_void_p()
        self.ok(c.aclmdlRICaptureEnd(pointer(self.first), ctypes.byref(instance)))
        self.addCleanup(lambda: self.ok(c.aclmdlRIDestroy(instance)))
        return instance

    def run_once(self, instance):
        self.ok(c.aclmdlRIExecuteAsync(instance, pointer(self.first)))
        self.ok(acl.rt.synchronize_stream(self.first))

    def copy(self):
        self.ok(acl.rt.memcpy_async(self.target, BYTES, self.source, BYTES, D2D, self.first))

    def test_an_instance_runs_as_often_as_it_is_executed(self):
        self.fill(self.target, 0)
        self.begin()
        self.copy()
        instance = self.end()
        self.ok(acl.rt.synchronize_stream(self.first))
        self.assertEqual(self.read(self.target, BYTES), bytes(BYTES))
        for value in (5, 6):
            self.fill(self.source, value)
            self.run_once(instance)
            self.assertEqual(self.read(self.target, BYTES), bytes([value]) * BYTES)

    def test_another_stream_joins_over_events_of_the_module(self):
        second = self.stream()
        fork, join = (self.value(acl.rt.create_event_ex_with_flag(1)) for _ in range(2))
        self.fill(self.source, 8)
        self.begin()
        self.ok(acl.rt.record_event(fork, self.first))
        self.ok(acl.rt.stream_wait_event(second, fork))
        self.ok(acl.rt.memcpy_async(self.target, BYTES, self.source, BYTES, D2D, second))
        self.ok(acl.rt.record_event(join, second))
        self.ok(acl.rt.stream_wait_event(self.first, join))
        self.run_once(self.end())
        self.assertEqual(self.read(self.target, BYTES), bytes([8]) * BYTES)

    def test_functions_of_the_module_are_refused_as_in_c(self):
        self.begin()
        self.assertEqual(acl.rt.synchronize_stream(self.first), STREAM_CAPTURED)
        self.assertIn("capture", acl.get_recent_err_msg())
        data = bytes(BYTES)
        self.assertEqual(
            acl.rt.memcpy(self.source, BYTES, acl.util.bytes_to_ptr(data), BYTES, H2D),
            CAPTURE_FORBIDS)
        self.copy()
        self.run_once(self.end())


if __name__ == "__main__":
    unittest.main()
