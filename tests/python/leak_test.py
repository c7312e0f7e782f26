# SPDX-License-Identifier: Apache-2.0
"""Calls leak nothing: no references, no memory of Python."""

import sys
import tracemalloc
import unittest

import acl
from arguments_test import NOT_SHAPED, harmless
from support import D2D, ModelTest, function, tables

# What may be left of a number of calls: caches of the interpreter, not something per call.
SLACK_BYTES = 1000


class Leaks(ModelTest):
    def growth(self, body, times):
        """Bytes that `times` runs leak: the minimum of two attempts, as a table of the interpreter
        that grows once is not a leak."""
        for _ in range(20):
            body()
        least = None
        for _ in range(2):
            left = self.growth_once(body, times)
            least = left if least is None else min(least, left)
            if least < SLACK_BYTES:
                break
        return least

    def growth_once(self, body, times):
        tracemalloc.start()
        self.addCleanup(tracemalloc.stop)
        body()
        before = tracemalloc.get_traced_memory()[0]
        for _ in range(times):
            body()
        after = tracemalloc.get_traced_memory()[0]
        tracemalloc.stop()
        return after - before

    def test_every_function_in_its_simplest_call(self):
        for row in tables.rows():
            if row.area == "util" or row.name in NOT_SHAPED or row.name.startswith(
                ("finalize", "reset_device")):
                continue
            call, arguments = function(row), harmless(row)
            with self.subTest(row.full_name):
                self.assertLess(self.growth(lambda: call(*arguments), 1000), SLACK_BYTES)

    def test_refused_arguments(self):
        def attempt(call, *arguments):
            try:
                call(*arguments)
            except TypeError:
                return
            self.fail(f"{call} took {arguments}")

        cases = [(acl.rt.malloc, "x", 0), (acl.rt.malloc, 2**64, 0), (acl.rt.malloc,),
                 (acl.rt.notify_set_import_pid, 0, [1, 2, "x"]),
                 (acl.rt.notify_get_export_key, 0, 65, "x"),
                 (acl.rt.malloc_with_cfg, 1, 0,
                  {"attrs": [{"attr": 1, "value": {"moduleId": "x"}}]}),
                 (acl.rt.binary_load_from_file, "path", [{"type": 1, "value": "x"}]),
                 (acl.create_tensor_desc, 0, [1, "x"], 0),
                 (acl.set_tensor_shape_range, 0, [[1, 2], [3]]),
                 (acl.rt.launch_callback, print, [], "x", 0),
                 (acl.rt.ipc_mem_set_import_pid, "key", [None]),
                 (acl.rt.register_cpu_func, 0, "name", "\0"), (acl.util.start_thread, 1, 2)]
        for case in cases:
            with self.subTest(f"{case}"):
                self.assertLess(self.growth(lambda: attempt(*case), 1000), SLACK_BYTES)

    def test_a_hundred_thousand_calls(self):
        stream, event = self.stream(), self.event()
        a, b = self.device_memory(64), self.device_memory(64)

        def one_round():
            acl.rt.record_event(event, stream)
            acl.rt.memcpy_async(b, 64, a, 64, D2D, stream)
            acl.rt.stream_query(stream)
            acl.rt.query_event_status(event)

        self.assertLess(self.growth(one_round, 25_000), SLACK_BYTES)
        self.ok(acl.rt.synchronize_stream(stream))

    def test_an_attribute_is_looked_up_by_one_string(self):
        """CPython keeps strings that it looked up: new ones for each call fill its cache in the
        first calls of the process, and replace each other later."""
        self.assertLess(self.growth_once(lambda: acl.app_log(0, "text"), 1000), 3000)

    def test_arguments_keep_their_references(self):
        pids, key, path, cfg = [1, 2, 3], "some key that is none", {"attrs": [{"attr": 1}]}, [
            {"id": 1, "value": 2}]
        data, number = b"some bytes", 10**15
        held = (pids, key, path, cfg, data, number)
        before = [sys.getrefcount(entry) for entry in held]
        for _ in range(1000):
            acl.rt.ipc_mem_set_import_pid(key, pids)
            acl.rt.malloc_with_cfg(64, 0, path)
            acl.rt.launch_kernel_with_config(0, 1, 0, cfg, 0, 0)
            acl.util.bytes_to_ptr(data)
            acl.rt.stream_get_id(number)
        self.assertEqual([sys.getrefcount(entry) for entry in held], before)

    def test_callbacks(self):
        stream, context, stopped = self.stream(), self.value(acl.rt.get_context()), []

        def loop(_):
            acl.rt.set_context(context)
            while not stopped:
                acl.rt.process_report(10)

        tid = self.value(acl.util.start_thread(loop, 0))
        self.ok(acl.rt.subscribe_report(tid, stream))

        def one_round():
            self.ok(acl.rt.launch_callback(len, (), 1, stream))
            self.ok(acl.rt.synchronize_stream(stream))

        growth = self.growth(one_round, 500)
        stopped.append(True)
        self.ok(acl.util.stop_thread(tid))
        self.assertLess(growth, SLACK_BYTES)


if __name__ == "__main__":
    unittest.main()
