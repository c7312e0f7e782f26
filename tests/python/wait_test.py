# SPDX-License-Identifier: Apache-2.0
"""Waits of several threads, and waits that signals interrupt. Nothing here measures time: a failure
hangs."""

import os
import signal
import subprocess
import sys
import threading
import unittest

import acl
from support import SUCCESS, ModelTest

# A wait of the main thread during which the other thread sends argv[1] signals, one after the
# handler of the one before; then the wait is released. Prints the device time at which it was.
WITH_SIGNALS = """
import os, signal, sys, threading
import acl
assert acl.init() == 0 and acl.rt.set_device(0) == 0
context, idle = acl.rt.get_context()[0], acl.rt.create_stream()[0]
held, other, event = acl.rt.create_stream()[0], acl.rt.create_stream()[0], acl.rt.create_event()[0]
word = acl.rt.malloc(64, 0)[0]
assert acl.rt.memset(word, 64, 0, 64) == 0
handled, entering = threading.Semaphore(0), threading.Event()

def handler(*_):
    # Calls of the runtime inside a wait of the runtime, a wait among them.
    assert acl.rt.get_device() == (0, 0) and acl.rt.synchronize_stream(idle) == 0
    handled.release()

def resume():
    acl.rt.set_context(context)
    for _ in range(1000):  # ahead of the other thread: so what it writes has one time, however the threads meet
        acl.rt.free_host(acl.rt.malloc_host(64)[0])
    entering.set()
    for _ in range(int(sys.argv[1])):
        os.kill(os.getpid(), signal.SIGUSR1)
        handled.acquire()
    assert acl.rt.value_write(word, 1, 0, other) == 0

signal.signal(signal.SIGUSR1, handler)
assert acl.rt.value_wait(word, 1, 0, held) == 0 and acl.rt.record_event(event, held) == 0
thread = threading.Thread(target=resume)
thread.start()
entering.wait()
assert acl.rt.synchronize_stream(held) == 0
thread.join()
print(acl.rt.event_get_timestamp(event))
"""


class Parallel(ModelTest):
    def run_all(self, *bodies):
        """Runs each body in a separate thread, in this context; passes failures on."""
        context = self.value(acl.rt.get_context())
        failures = []

        def run(body):
            try:
                self.ok(acl.rt.set_context(context))
                body()
            except BaseException as failure:  # pylint: disable=broad-except
                failures.append(failure)

        threads = [threading.Thread(target=run, args=(body,)) for body in bodies]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for failure in failures:
            raise failure

    def test_a_thread_that_waits_leaves_python_to_others(self):
        # Another thread ends each wait after it has begun: a wait that kept the GIL would hang.
        for wait in (acl.rt.synchronize_stream,
                     lambda s: acl.rt.synchronize_stream_with_timeout(s, -1),
                     lambda _: acl.rt.synchronize_device(),
                     lambda _: acl.rt.synchronize_device_with_timeout(-1)):
            stream, resume = self.held()
            begun, steps = threading.Event(), []

            def waits():
                begun.set()
                self.ok(wait(stream))
                self.assertEqual(len(steps), 1000)

            def works():
                begun.wait()
                for step in range(1000):
                    steps.append(step)
                resume()

            self.run_all(waits, works)

    def test_events_copies_and_reports_wait_without_the_gil(self):
        stream, resume = self.held()
        event, ptr = self.event(), self.device_memory(64)
        self.ok(acl.rt.record_event(event, stream))
        begun = threading.Event()

        def waits():
            begun.set()
            self.ok(acl.rt.synchronize_event(event))
            self.ok(acl.rt.memset(ptr, 64, 1, 64))

        def works():
            begun.wait()
            resume()

        self.run_all(waits, works)

    def test_two_waits_go_on_at_once(self):
        # The second thread ends the first wait after its own wait.
        first, resume_first = self.held()
        second, resume_second = self.held()
        begun = threading.Barrier(3)
        order = []

        def one():
            begun.wait()
            self.ok(acl.rt.synchronize_stream(first))
            order.append("first")

        def two():
            begun.wait()
            self.ok(acl.rt.synchronize_stream(second))
            order.append("second")
            resume_first()

        def three():
            begun.wait()
            order.append("go")
            resume_second()

        self.run_all(one, two, three)
        self.assertEqual(order, ["go", "second", "first"])


class Interrupts(ModelTest):
    def interrupt(self, wait, stream, resume):
        """Lets the main thread wait; signals come one by one, the last is SIGINT. Then the wait is
        repeated."""
        context = self.value(acl.rt.get_context())
        handled, entering, raised = threading.Semaphore(0), threading.Event(), threading.Event()
        before = signal.signal(signal.SIGUSR1, lambda *_: handled.release())
        self.addCleanup(signal.signal, signal.SIGUSR1, before)

        def sender():
            acl.rt.set_context(context)
            acl.rt.get_device()
            entering.wait()
            # The third handler can only run inside the wait: the main thread does nothing else.
            for _ in range(3):
                os.kill(os.getpid(), signal.SIGUSR1)
                handled.acquire()
            os.kill(os.getpid(), signal.SIGINT)
            raised.wait()
            resume()

        thread = threading.Thread(target=sender)
        thread.start()
        try:
            entering.set()
            with self.assertRaises(KeyboardInterrupt):
                wait(stream)
        finally:
            raised.set()
            thread.join()
        self.ok(acl.rt.synchronize_stream(stream))

    def test_ctrl_c_ends_a_wait_and_the_work_stays(self):
        stream, resume = self.held()
        self.interrupt(acl.rt.synchronize_stream, stream, resume)

    def test_ctrl_c_ends_a_wait_with_a_long_limit(self):
        stream, resume = self.held()
        self.interrupt(lambda s: acl.rt.synchronize_stream_with_timeout(s, 1_000_000), stream,
                       resume)

    def test_ctrl_c_ends_a_wait_for_the_device_and_for_an_event(self):
        stream, resume = self.held()
        self.interrupt(lambda _: acl.rt.synchronize_device(), stream, resume)
        stream, resume = self.held()
        event = self.event()
        self.ok(acl.rt.record_event(event, stream))
        self.interrupt(lambda _: acl.rt.synchronize_event(event), stream, resume)

    def test_ctrl_c_ends_a_wait_while_another_thread_waits_too(self):
        stream, resume = self.held()
        context = self.value(acl.rt.get_context())
        codes, begun = [], threading.Event()

        def waits():
            acl.rt.set_context(context)
            begun.set()
            codes.append(acl.rt.synchronize_stream(stream))

        thread = threading.Thread(target=waits)
        thread.start()
        begun.wait()
        self.interrupt(acl.rt.synchronize_stream, stream, resume)
        thread.join()
        self.assertEqual(codes, [SUCCESS])

    def test_ctrl_c_ends_a_call_that_a_full_queue_holds(self):
        stream, resume = self.held()
        event = self.event()

        def fill(held):
            while acl.rt.record_event(event, held) == SUCCESS:
                pass

        self.interrupt(fill, stream, resume)

    def test_ctrl_c_ends_the_wait_for_a_thread(self):
        end = threading.Event()
        tid, _ = acl.util.start_thread(end.wait, 1000)
        handled, entering = threading.Semaphore(0), threading.Event()
        before = signal.signal(signal.SIGUSR1, lambda *_: handled.release())
        self.addCleanup(signal.signal, signal.SIGUSR1, before)

        def sender():
            entering.wait()
            for _ in range(3):
                os.kill(os.getpid(), signal.SIGUSR1)
                handled.acquire()
            os.kill(os.getpid(), signal.SIGINT)

        thread = threading.Thread(target=sender)
        thread.start()
        with self.assertRaises(KeyboardInterrupt):
            entering.set()
            acl.util.stop_thread(tid)
        thread.join()
        end.set()
        self.assertEqual(acl.util.stop_thread(tid), SUCCESS)

    def test_handlers_that_do_not_raise_change_no_time(self):
        times = {
            signals: subprocess.run([sys.executable, "-c", WITH_SIGNALS, str(signals)], check=True,
                                    stdout=subprocess.PIPE).stdout for signals in (0, 1, 5)}
        self.assertEqual(times[1], times[0])
        self.assertEqual(times[5], times[0])
        self.assertRegex(times[0], rb"^\(\d+, 0\)\n$")


if __name__ == "__main__":
    unittest.main()
