# SPDX-License-Identifier: Apache-2.0
"""Kernel images, lists of arguments and launches: the kernels of examples/vector_add, and what they
compute."""

import array
import os
import struct
import unittest

import acl
from support import D2D, H2D, HANDLE, PARAM_INVALID, SUCCESS, ModelTest

KERNELS = os.path.join(os.environ["TWIN_BUILD"], "examples", "vector_add_kernels.o")
COUNT = 20000
BYTES = 4 * COUNT


class Kernels(ModelTest):
    def setUp(self):
        super().setUp()
        self.binary = self.value(acl.rt.binary_load_from_file(KERNELS, []))
        self.addCleanup(lambda: acl.rt.binary_unload(self.binary))
        self.kernel = self.value(acl.rt.binary_get_function(self.binary, "vector_add"))
        self.queue = self.stream()
        self.first = array.array("f", (0.5 * i for i in range(COUNT)))
        self.second = array.array("f", (3.0 * (COUNT - i) for i in range(COUNT)))
        self.sums = [a + b for a, b in zip(self.first, self.second)]
        self.x, self.y, self.z = (self.device_memory(BYTES) for _ in range(3))
        for ptr, numbers in ((self.x, self.first), (self.y, self.second)):
            data = numbers.tobytes()
            self.ok(acl.rt.memcpy(ptr, BYTES, acl.util.bytes_to_ptr(data), BYTES, H2D))
        self.ok(acl.rt.memset(self.z, BYTES, 0, BYTES))

    def arguments(self):
        """As struct add_args has them."""
        return struct.pack("<QQQI4x", self.x, self.y, self.z, COUNT)

    def check(self):
        self.ok(acl.rt.synchronize_stream(self.queue))
        result = array.array("f")
        result.frombytes(self.read(self.z, BYTES))
        self.assertEqual(list(result), self.sums)
        self.ok(acl.rt.memset(self.z, BYTES, 0, BYTES))

    def test_arguments_on_the_host(self):
        data = self.arguments()
        ptr = acl.util.bytes_to_ptr(data)
        self.ok(
            acl.rt.launch_kernel_with_host_args(self.kernel, 3, self.queue, [], ptr, len(data), [],
                                                0))
        self.check()

    def test_arguments_on_the_device(self):
        data = self.arguments()
        place = self.device_memory(len(data))
        self.ok(acl.rt.memcpy(place, len(data), acl.util.bytes_to_ptr(data), len(data), H2D))
        self.ok(acl.rt.launch_kernel(self.kernel, 1, place, len(data), self.queue))
        self.check()

    def test_a_list_of_arguments(self):
        words = self.arguments()
        args = self.value(acl.rt.kernel_args_init(self.kernel))
        for at in range(0, len(words), 8):
            word = words[at:at + 8]
            self.value(acl.rt.kernel_args_append(args, acl.util.bytes_to_ptr(word), 8))
        self.ok(acl.rt.kernel_args_finalize(args))
        for blocks in (1, 40):
            self.ok(acl.rt.launch_kernel_with_config(self.kernel, blocks, self.queue, [], args, 0))
            self.check()

    def test_an_image_from_memory(self):
        with open(KERNELS, "rb") as file:
            image = file.read()
        second = self.value(
            acl.rt.binary_load_from_data(acl.util.bytes_to_ptr(image), len(image), []))
        self.assertNotEqual(second, self.binary)
        self.kernel = self.value(acl.rt.binary_get_function(second, "vector_add"))
        self.assertEqual(acl.rt.get_function_name(self.kernel, 64), ("vector_add", SUCCESS))
        self.test_arguments_on_the_host()
        self.ok(acl.rt.binary_unload(second))
        data = self.arguments()
        ptr = acl.util.bytes_to_ptr(data)
        self.assertEqual(
            acl.rt.launch_kernel_with_host_args(self.kernel, 1, self.queue, [], ptr, 32, [], 0),
            HANDLE)
        damaged = image[:-1] + bytes([image[-1] ^ 1])
        self.assertEqual(
            acl.rt.binary_load_from_data(acl.util.bytes_to_ptr(damaged), len(damaged), [])[-1],
            PARAM_INVALID)

    def test_order_among_streams(self):
        """z + x after z = x + y, on another stream that waits."""
        other, event = self.stream(), self.event()
        data = self.arguments()
        ptr = acl.util.bytes_to_ptr(data)
        self.ok(
            acl.rt.launch_kernel_with_host_args(self.kernel, 40, self.queue, [], ptr, 32, [], 0))
        self.ok(acl.rt.record_event(event, self.queue))
        self.ok(acl.rt.stream_wait_event(other, event))
        copy = self.device_memory(BYTES)
        self.ok(acl.rt.memcpy_async(copy, BYTES, self.z, BYTES, D2D, other))
        self.ok(acl.rt.synchronize_stream(other))
        self.z = copy
        self.check()


if __name__ == "__main__":
    unittest.main()
