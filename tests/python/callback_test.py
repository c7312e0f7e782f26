# SPDX-License-Identifier: Apache-2.0
"""Functions of the program that the runtime calls, and the threads that they run on."""

import ctypes
import os
import sys
import threading
import unittest

import acl
from support import HANDLE, INVALID_PARAM, NOT_SUBSCRIBED, SUCCESS, ModelTest


class Unraisable:
    """Gathers what callbacks raise, in place of standard error."""

    def __enter__(self):
        self.seen = []
        self.before = sys.unraisablehook
        sys.unraisablehook = lambda entry: self.seen.append((entry.exc_type, str(entry.exc_value)))
        return self.seen

    def __exit__(self, *_):
        sys.unraisablehook = self.before


class Reports(ModelTest):
    def report_thread(self, stream):
        """A thread that runs the stream's callbacks until the end of the test."""
        context = self.value(acl.rt.get_context())
        stopped = []

        def loop(args):
            acl.rt.set_context(args[0])
            while not stopped:
                acl.rt.process_report(10)

        tid = self.value(acl.util.start_thread(loop, [context]))

        def stop():
            stopped.append(True)
            self.ok(acl.util.stop_thread(tid))

        self.addCleanup(stop)
        self.ok(acl.rt.subscribe_report(tid, stream))
        return tid

    def test_without_a_subscription_nothing_is_launched(self):
        stream = self.stream()
        data = object()
        before = sys.getrefcount(data)
        self.assertEqual(acl.rt.launch_callback(lambda _: None, data, 1, stream), NOT_SUBSCRIBED)
        self.assertEqual(sys.getrefcount(data), before)

    def test_callbacks_run_in_order_on_the_subscribed_thread(self):
        stream = self.stream()
        tid = self.report_thread(stream)
        data = [object() for _ in range(3)]
        counts = [sys.getrefcount(entry) for entry in data]
        seen = []
        for entry in data:
            self.ok(
                acl.rt.launch_callback(lambda given: seen.append((given, threading.get_ident())),
                                       entry, 1, stream))
        self.ok(acl.rt.synchronize_stream(stream))
        self.assertEqual(seen, [(entry, tid) for entry in data])
        seen.clear()
        del entry
        self.assertEqual([sys.getrefcount(entry) for entry in data], counts)
        self.ok(acl.rt.unsubscribe_report(tid, stream))

    def test_what_a_callback_raises_is_reported_and_the_stream_goes_on(self):
        stream = self.stream()
        self.report_thread(stream)
        seen = []
        with Unraisable() as raised:
            self.ok(acl.rt.launch_callback(lambda _: 1 // 0, None, 1, stream))
            self.ok(acl.rt.launch_callback(seen.append, "next", 1, stream))
            self.ok(acl.rt.synchronize_stream(stream))
        self.assertEqual(seen, ["next"])
        self.assertEqual([kind for kind, _ in raised], [ZeroDivisionError])

    def test_a_thread_of_threading_can_run_callbacks(self):
        stream, context = self.stream(), self.value(acl.rt.get_context())
        ready, seen = threading.Event(), []

        def loop():
            acl.rt.set_context(context)
            ready.wait()
            while not seen:
                acl.rt.process_report(10)

        thread = threading.Thread(target=loop)
        thread.start()
        self.ok(acl.rt.subscribe_report(thread.ident, stream))
        ready.set()
        self.ok(acl.rt.launch_callback(seen.append, 5, 1, stream))
        self.ok(acl.rt.synchronize_stream(stream))
        thread.join()
        self.assertEqual(seen, [5])

    def test_a_full_queue_does_not_keep_python_from_its_callbacks(self):
        # More tasks than a ring holds wait for a callback that needs the interpreter.
        stream, event = self.stream(), self.event()
        self.report_thread(stream)
        seen = []
        self.ok(acl.rt.launch_callback(seen.append, 1, 1, stream))
        for _ in range(5000):
            self.ok(acl.rt.record_event(event, stream))
        self.assertEqual(seen, [1])
        self.ok(acl.rt.synchronize_stream(stream))

    def test_a_callback_may_call_the_runtime(self):
        stream, other = self.stream(), self.stream()
        self.report_thread(stream)
        ptr = self.device_memory(64)
        codes = []

        def function(_):
            codes.append(acl.rt.memset_async(ptr, 64, 9, 64, other))
            codes.append(acl.rt.synchronize_stream(other))

        self.ok(acl.rt.launch_callback(function, None, 1, stream))
        self.ok(acl.rt.synchronize_stream(stream))
        self.assertEqual(codes, [SUCCESS, SUCCESS])
        self.assertEqual(self.read(ptr, 64), b"\x09" * 64)

    def test_arguments(self):
        with self.assertRaisesRegex(TypeError,
                                    "acl.rt.launch_callback args parse failed: fn: expected a "
                                    "function"):
            acl.rt.launch_callback(3, None, 1, 0)


class Exceptions(ModelTest):
    def test_a_failed_task_is_reported_and_can_be_queried(self):
        stream = self.stream()
        notify = self.value(acl.rt.create_notify(0))
        reported = []

        def report(info):
            reported.append(
                (acl.rt.get_stream_id_from_exception_info(info),
                 acl.rt.get_device_id_from_exception_info(info),
                 acl.rt.get_error_code_from_exception_info(info),
                 acl.rt.get_task_id_from_exception_info(info),
                 acl.rt.get_thread_id_from_exception_info(info)))

        before = sys.getrefcount(report)
        self.ok(acl.rt.set_exception_info_callback(report))
        self.ok(acl.rt.wait_and_reset_notify(notify, stream, 1))
        self.assertNotEqual(acl.rt.synchronize_stream(stream), SUCCESS)
        self.assertEqual(len(reported), 1)
        self.assertEqual(reported[0][:2], (self.value(acl.rt.stream_get_id(stream)), 0))
        self.assertNotIn(reported[0][2], (0, 0xFFFFFFFF))
        self.assertEqual(reported[0][4], threading.get_native_id())
        self.ok(acl.rt.set_exception_info_callback(None))
        self.assertEqual(sys.getrefcount(report), before)
        self.ok(acl.rt.wait_and_reset_notify(notify, stream, 1))
        self.assertNotEqual(acl.rt.synchronize_stream(stream), SUCCESS)
        self.assertEqual(len(reported), 1)

    def test_no_info_is_all_ones(self):
        for ask in (acl.rt.get_task_id_from_exception_info,
                    acl.rt.get_stream_id_from_exception_info,
                    acl.rt.get_thread_id_from_exception_info,
                    acl.rt.get_device_id_from_exception_info,
                    acl.rt.get_error_code_from_exception_info):
            self.assertEqual(ask(0), 0xFFFFFFFF)

    def test_what_is_no_function_is_refused(self):
        with self.assertRaisesRegex(TypeError,
                                    "set_exception_info_callback args parse failed: fn: expected "
                                    "a function"):
            acl.rt.set_exception_info_callback(7)


class Allocators(ModelTest):
    def test_a_library_calls_the_functions_of_the_program(self):
        calls = []
        desc = acl.rt.allocator_create_desc()
        self.ok(acl.rt.allocator_set_obj_to_desc(desc, "pool"))
        self.ok(acl.rt.allocator_set_alloc_func_to_desc(
            desc, lambda *given: calls.append(given) or 64))
        self.ok(acl.rt.allocator_set_free_func_to_desc(desc, lambda *given: calls.append(given)))
        self.ok(acl.rt.allocator_set_alloc_advise_func_to_desc(
            desc, lambda *given: calls.append(given) or 96))
        stream = self.stream()
        self.assertEqual(acl.rt.allocator_register(stream, desc), INVALID_PARAM)
        self.ok(acl.rt.allocator_set_get_addr_from_block_func_to_desc(
            desc, lambda block: block + 1))
        self.ok(acl.rt.allocator_register(stream, desc))
        self.ok(acl.rt.allocator_destroy_desc(desc))
        self.assertEqual(acl.rt.allocator_destroy_desc(desc), HANDLE)

        pointer = ctypes.c_void_p
        found = [pointer() for _ in range(6)]
        get = ctypes.CDLL(os.path.join(os.environ["TWIN_BUILD"], "lib64",
                                       "libacl_rt.so")).aclrtAllocatorGetByStream
        self.ok(get(pointer(stream), *(ctypes.byref(one) for one in found)))
        function = ctypes.CFUNCTYPE(pointer, pointer, pointer, pointer)
        alloc, free, advise, address = (function(one.value) for one in found[2:])
        self.assertEqual(alloc(found[1], 512, None), 64)
        self.assertEqual(advise(found[1], 1024, 32), 96)
        self.assertEqual(address(64, None, None), 65)
        free(found[1], 64, None)
        self.assertEqual(calls, [("pool", 512), ("pool", 1024, 32), ("pool", 64)])
        self.ok(acl.rt.allocator_unregister(stream))
        self.ok(acl.rt.destroy_stream(stream))

    def test_a_refused_function_is_not_kept(self):
        def function(*_):
            return 0

        before = sys.getrefcount(function)
        for setter in (acl.rt.allocator_set_obj_to_desc, acl.rt.allocator_set_alloc_func_to_desc,
                       acl.rt.allocator_set_free_func_to_desc,
                       acl.rt.allocator_set_alloc_advise_func_to_desc,
                       acl.rt.allocator_set_get_addr_from_block_func_to_desc):
            self.assertNotEqual(setter(1, function), SUCCESS)
        self.assertEqual(sys.getrefcount(function), before)


class Threads(unittest.TestCase):
    def test_a_thread_runs_its_function_with_and_without_argument(self):
        seen = []
        for function, argument in ((seen.append, 3),
                                   (lambda: seen.append(threading.get_ident()), None)):
            tid, code = acl.util.start_thread(function, argument)
            self.assertEqual(code, SUCCESS)
            self.assertEqual(acl.util.stop_thread(tid), SUCCESS)
        self.assertEqual(seen[0], 3)
        self.assertEqual(seen[1], tid)

    def test_what_it_raises_comes_out_when_it_is_stopped(self):
        def fail(_):
            raise KeyError("lost")

        tid, _ = acl.util.start_thread(fail, 1)
        with self.assertRaisesRegex(RuntimeError, "^exception=KeyError,msg='lost'$"):
            acl.util.stop_thread(tid)
        self.assertEqual(acl.util.stop_thread(tid), INVALID_PARAM)

    def test_a_thread_does_not_stop_itself(self):
        codes = []
        begin = threading.Event()

        def body():
            begin.wait()
            codes.append(acl.util.stop_thread(threading.get_ident()))

        tid, _ = acl.util.start_thread(body, None)
        begin.set()
        self.assertEqual(acl.util.stop_thread(tid), SUCCESS)
        self.assertEqual(codes, [INVALID_PARAM])

    def test_nothing_is_kept_of_a_thread_that_was_stopped(self):
        argument = object()
        before = sys.getrefcount(argument)
        for _ in range(100):
            acl.util.stop_thread(acl.util.start_thread(id, argument)[0])
        self.assertEqual(sys.getrefcount(argument), before)


if __name__ == "__main__":
    unittest.main()
