# SPDX-License-Identifier: Apache-2.0
"""Streams, events, notifies, limits of tasks."""

import subprocess
import sys
import os
import unittest

import acl
from support import (D2D, EVENT_TIMEOUT, HANDLE, NOT_SUPPORTED, SUCCESS, SYNC, TIME_LINE,
                     WAIT_TIMEOUT, ModelTest)


class Streams(ModelTest):
    def test_the_number_of_free_streams_counts_down_and_up(self):
        free = self.value(acl.rt.get_stream_available_num())
        streams = [self.stream() for _ in range(5)]
        self.assertEqual(acl.rt.get_stream_available_num(), (free - 5, SUCCESS))
        for stream in streams:
            self.ok(acl.rt.destroy_stream(stream))
        self.assertEqual(acl.rt.get_stream_available_num(), (free, SUCCESS))

    def test_a_stream_made_with_a_priority(self):
        stream = self.value(acl.rt.create_stream_with_config(1, 0x1 | 0x2))
        self.assertGreaterEqual(self.value(acl.rt.stream_get_id(stream)), 0)
        self.ok(acl.rt.destroy_stream(stream))
        self.assertEqual(acl.rt.destroy_stream(stream), HANDLE)

    def test_waits_with_and_without_a_limit(self):
        stream, resume = self.held()
        self.assertEqual(acl.rt.stream_query(stream), (1, SUCCESS))
        self.assertEqual(acl.rt.synchronize_stream_with_timeout(stream, 5), WAIT_TIMEOUT)
        self.assertEqual(acl.rt.synchronize_device_with_timeout(5), WAIT_TIMEOUT)
        resume()
        self.ok(acl.rt.synchronize_stream(stream))
        self.ok(acl.rt.synchronize_stream_with_timeout(stream, -1))
        self.ok(acl.rt.synchronize_device())
        self.ok(acl.rt.synchronize_device_with_timeout(-1))
        self.assertEqual(acl.rt.stream_query(stream), (0, SUCCESS))

    def test_a_wait_that_nothing_can_end_is_a_code(self):
        stream, resume = self.held()
        self.assertEqual(acl.rt.synchronize_stream(stream), WAIT_TIMEOUT)
        self.assertEqual(acl.rt.destroy_stream(stream), WAIT_TIMEOUT)
        resume()
        self.ok(acl.rt.destroy_stream(stream))

    def test_abort_and_force_drop_work(self):
        stream, _ = self.held()
        self.ok(acl.rt.stream_abort(stream))
        self.ok(acl.rt.synchronize_stream(stream))
        other, _ = self.held()
        self.ok(acl.rt.destroy_stream_force(other))
        third, _ = self.held()
        self.ok(acl.rt.device_task_abort(0, 1000))
        self.ok(acl.rt.synchronize_stream(third))

    def test_attributes(self):
        stream = self.stream()
        self.ok(acl.rt.set_stream_failure_mode(stream, 1))
        self.assertEqual(self.value(acl.rt.get_stream_attribute(stream, 1))["failureMode"], 1)
        self.ok(acl.rt.set_stream_attribute(stream, 3, {"userCustomTag": 77}))
        value = self.value(acl.rt.get_stream_attribute(stream, 3))
        self.assertEqual((value["userCustomTag"], value["reserved"][0]), (77, 77))
        self.ok(acl.rt.set_stream_overflow_switch(stream, 1))
        self.assertEqual(acl.rt.get_stream_overflow_switch(stream), (1, SUCCESS))

    def test_shares_of_cores(self):
        stream = self.stream()
        cores = self.value(acl.rt.get_stream_res_limit(stream, 0))
        self.ok(acl.rt.set_stream_res_limit(stream, 0, 2))
        self.assertEqual(acl.rt.get_stream_res_limit(stream, 0), (2, SUCCESS))
        self.ok(acl.rt.use_stream_res_in_current_thread(stream))
        self.assertEqual(acl.rt.get_res_in_current_thread(0), (2, SUCCESS))
        self.ok(acl.rt.unuse_stream_res_in_current_thread(stream))
        self.ok(acl.rt.reset_stream_res_limit(stream))
        self.assertEqual(acl.rt.get_stream_res_limit(stream, 0), (cores, SUCCESS))

    def test_overflow_flags(self):
        status = self.device_memory(64)
        self.ok(acl.rt.memset(status, 64, 255, 64))
        self.ok(acl.rt.get_overflow_status(status, 64, 0))
        self.ok(acl.rt.reset_overflow_status(0))
        self.ok(acl.rt.synchronize_stream(0))
        self.assertEqual(self.read(status, 64), bytes(64))


class Events(ModelTest):
    def test_order_and_time_between_streams(self):
        first, resume = self.held()
        second, size = self.stream(), 1 << 20
        one, two = self.event(), self.event()
        a, b, c = (self.device_memory(size) for _ in range(3))
        self.ok(acl.rt.memset(a, size, 0x5A, size))
        self.ok(acl.rt.memcpy_async(b, size, a, size, D2D, first))
        self.ok(acl.rt.record_event(one, first))
        self.ok(acl.rt.stream_wait_event(second, one))
        self.ok(acl.rt.memcpy_async(c, size, b, size, D2D, second))
        self.ok(acl.rt.record_event(two, second))
        self.assertEqual(acl.rt.query_event_status(two), (0, SUCCESS))
        self.assertEqual(acl.rt.query_event(two), (1, SUCCESS))
        self.assertEqual(acl.rt.query_event_wait_status(one), (1, SUCCESS))
        resume()
        self.ok(acl.rt.synchronize_event(two))
        self.assertEqual(acl.rt.query_event_status(two), (1, SUCCESS))
        self.assertEqual(acl.rt.query_event(two), (0, SUCCESS))
        self.assertEqual(acl.rt.query_event_wait_status(one), (0, SUCCESS))
        self.assertEqual(self.read(c, size), b"\x5a" * size)
        ms = self.value(acl.rt.event_elapsed_time(one, two))
        self.assertIsInstance(ms, float)
        stamps = [self.value(acl.rt.event_get_timestamp(event)) for event in (one, two)]
        self.assertGreater(ms, 0)
        self.assertAlmostEqual(ms, (stamps[1] - stamps[0]) / 1000, delta=0.002)

    def test_waits_for_an_event(self):
        stream, resume = self.held()
        event = self.event()
        self.ok(acl.rt.record_event(event, stream))
        self.assertEqual(acl.rt.synchronize_event_with_timeout(event, 5), EVENT_TIMEOUT)
        resume()
        self.ok(acl.rt.synchronize_event_with_timeout(event, -1))
        self.ok(acl.rt.destroy_event(event))
        self.assertEqual(acl.rt.destroy_event(event), HANDLE)

    def test_a_wait_after_a_reset_is_for_the_next_record(self):
        first, second, event = self.stream(), self.stream(), self.event(SYNC)
        self.ok(acl.rt.record_event(event, first))
        self.ok(acl.rt.reset_event(event, first))
        self.ok(acl.rt.synchronize_stream(first))
        self.ok(acl.rt.stream_wait_event(second, event))
        self.assertEqual(acl.rt.synchronize_stream_with_timeout(second, 5), WAIT_TIMEOUT)
        self.ok(acl.rt.record_event(event, first))
        self.ok(acl.rt.synchronize_stream(second))

    def test_all_ways_to_make_one(self):
        free = self.value(acl.rt.get_event_avail_num())
        made = [self.value(acl.rt.create_event()), self.event(SYNC), self.event(TIME_LINE),
                self.value(acl.rt.create_event_ex_with_flag(TIME_LINE))]
        self.assertLess(self.value(acl.rt.get_event_avail_num()), free)
        self.value(acl.rt.get_event_id(made[1]))
        for event in made:
            self.ok(acl.rt.destroy_event(event))
        self.assertEqual(acl.rt.get_event_avail_num(), (free, SUCCESS))

    def test_limits_of_tasks(self):
        self.ok(acl.rt.set_op_wait_timeout(0))
        self.assertGreater(self.value(acl.rt.get_op_timeout_interval()), 0)
        self.ok(acl.rt.set_op_execute_time_out(30))
        self.assertGreater(self.value(acl.rt.get_op_execute_timeout()), 0)
        self.assertGreaterEqual(self.value(acl.rt.set_op_execute_timeout_v2(20_000_000)),
                                20_000_000)
        stream = self.stream()
        self.ok(acl.rt.record_event(self.event(), stream))
        self.assertIsInstance(self.value(acl.rt.get_thread_last_task_id()), int)


class Notifies(ModelTest):
    def test_a_wait_is_for_one_record(self):
        first, second = self.stream(), self.stream()
        notify = self.value(acl.rt.create_notify(0))
        self.value(acl.rt.get_notify_id(notify))
        self.ok(acl.rt.wait_and_reset_notify(notify, second, 0))
        self.assertEqual(acl.rt.synchronize_stream_with_timeout(second, 5), WAIT_TIMEOUT)
        self.ok(acl.rt.record_notify(notify, first))
        self.ok(acl.rt.synchronize_stream(second))
        self.ok(acl.rt.record_notify(notify, first))
        self.ok(acl.rt.synchronize_stream(first))
        self.ok(acl.rt.notify_batch_reset([notify]))
        self.ok(acl.rt.wait_and_reset_notify(notify, second, 0))
        self.assertEqual(acl.rt.synchronize_stream_with_timeout(second, 5), WAIT_TIMEOUT)
        self.ok(acl.rt.record_notify(notify, first))
        self.ok(acl.rt.synchronize_stream(second))
        self.ok(acl.rt.destroy_notify(notify))

    def test_the_timeout_of_a_wait_is_in_seconds(self):
        stream = self.stream()
        notify = self.value(acl.rt.create_notify(0))
        self.ok(acl.rt.wait_and_reset_notify(notify, stream, 2))
        self.assertEqual(acl.rt.synchronize_stream_with_timeout(stream, 1000), WAIT_TIMEOUT)
        code = acl.rt.synchronize_stream_with_timeout(stream, 3000)
        self.assertNotIn(code, (SUCCESS, WAIT_TIMEOUT))

    def test_another_process_opens_one(self):
        notify = self.value(acl.rt.create_notify(0))
        key = self.value(acl.rt.notify_get_export_key(notify, 65, 0x2))
        self.assertGreater(len(key), 0)
        self.assertIn(acl.rt.notify_set_import_pid(notify, [os.getpid()]), (SUCCESS, NOT_SUPPORTED))
        script = ("import acl, sys\nassert acl.init() == 0 and acl.rt.set_device(0) == 0\n"
                  "n, ret = acl.rt.notify_import_by_key(sys.argv[1], 0)\nassert ret == 0 and n, "
                  "(n, ret)\n"
                  "assert acl.rt.record_notify(n, 0) == 0 and acl.rt.synchronize_stream(0) == 0\n")
        subprocess.run([sys.executable, "-c", script, key], check=True)
        stream = self.stream()
        self.ok(acl.rt.wait_and_reset_notify(notify, stream, 0))
        self.ok(acl.rt.synchronize_stream(stream))


if __name__ == "__main__":
    unittest.main()
