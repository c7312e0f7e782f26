# SPDX-License-Identifier: Apache-2.0
"""Memory, copies, and memory as Python objects."""

import ctypes
import mmap
import unittest
import warnings

import acl
from support import (D2D, D2H, GREATER_EQUAL, H2D, HANDLE, INVALID_PARAM, PARAM_INVALID, SUCCESS,
                     ModelTest, refused_in_c)

SUM, INT32 = 10, 3  # of aclrtReduceKind, of aclDataType

try:
    import numpy
except ImportError:
    numpy = None


class Memory(ModelTest):
    def test_every_way_to_get_device_memory(self):
        free = self.value(acl.rt.get_mem_info(1))[0]
        cfg = {"numAttrs": 1, "attrs": [{"attr": 1, "value": {"moduleId": 7}}]}
        pointers = [self.value(call) for call in (
            acl.rt.malloc(1000, 0), acl.rt.malloc_align32(64, 2))]
        refused = refused_in_c()
        for name, call in (("aclrtMallocWithCfg", lambda: acl.rt.malloc_with_cfg(64, 0, {})),
                           ("aclrtMallocWithCfg", lambda: acl.rt.malloc_with_cfg(64, 0, cfg)),
                           ("aclrtMallocCached", lambda: acl.rt.malloc_cached(64, 0)),
                           ("aclrtMallocForTaskScheduler",
                            lambda: acl.rt.malloc_for_task_scheduler(64, 0, {}))):
            if name not in refused:
                pointers.append(self.value(call()))
        self.assertEqual(len(set(pointers)), len(pointers))
        self.assertLess(self.value(acl.rt.get_mem_info(1))[0], free)
        for pointer in pointers:
            self.ok(acl.rt.free(pointer))
        self.assertEqual(acl.rt.get_mem_info(1)[0], free)

    def test_attributes_of_addresses(self):
        if "aclrtPointerGetAttributes" in refused_in_c():
            self.skipTest("the library does not answer it")
        cfg = {"numAttrs": 2, "attrs": [{"attr": 1, "value": {"moduleId": 45}},
                                        {"attr": 2, "value": {"deviceId": 0}}]}
        pointer = self.value(acl.rt.malloc_with_cfg(100, 1, cfg))
        host = self.value(acl.rt.malloc_host_with_cfg(100, {}))
        local = acl.util.bytes_to_ptr(b"local")
        places = [(value["location"]["type"], value["page_size"]) for value in (
            self.value(acl.rt.pointer_get_attributes(one)) for one in (pointer, host, local))]
        self.assertEqual(places, [(1, 2 << 20), (0, 4096), (2, 0)])
        wrong = {"numAttrs": 1, "attrs": [{"attr": 2, "value": {"deviceId": 99}}]}
        self.assertEqual(acl.rt.malloc_with_cfg(100, 1, wrong), (0, PARAM_INVALID))
        self.ok(acl.rt.free_host(host))
        self.ok(acl.rt.free(pointer))

    def test_memory_for_media(self):
        # The public manual: 128-byte aligned, the size rounded up to 32 and 32 more.
        data = bytes(range(100))
        pointers = [self.value(acl.media.dvpp_malloc(size)) for size in (100, 0, 1 << 20)]
        self.assertEqual([pointer % 128 for pointer in pointers], [0, 0, 0])
        self.ok(acl.rt.memcpy(pointers[0], 160, acl.util.bytes_to_ptr(data), 100, H2D))
        self.assertEqual(self.read(pointers[0], 100), data)
        self.ok(acl.rt.memset(pointers[1], 32, 7, 32))
        self.assertEqual(self.read(pointers[1], 32), bytes([7]) * 32)
        for pointer in pointers:
            self.ok(acl.media.dvpp_free(pointer))
        self.assertEqual(acl.media.dvpp_free(0), INVALID_PARAM)
        self.assertEqual(acl.media.dvpp_malloc(2**64 - 1), (0, INVALID_PARAM))
        pointer, code = acl.media.dvpp_malloc(1 << 50)
        self.assertEqual((pointer, code), acl.rt.malloc(1 << 50, 0))
        self.assertNotEqual(code, SUCCESS)

    def test_copies_by_descriptor_and_cache_maintenance(self):
        stream = self.stream()
        memory = self.device_memory(4096)
        at = self.device_memory(64)
        self.ok(acl.rt.memset(memory, 4096, 5, 2048))
        self.assertEqual(acl.rt.get_memcpy_desc_size(6), (32, SUCCESS))
        self.assertEqual(acl.rt.set_memcpy_desc(at, 6, memory, memory + 2048, 2048, 0),
                         (at, SUCCESS))
        self.ok(acl.rt.memcpy_async_with_desc(at, 6, stream))
        for kind in range(4):
            self.ok(acl.rt.cmo_async(memory, 4096, kind, stream))
        self.ok(acl.rt.synchronize_stream(stream))
        self.assertEqual(self.read(memory, 4096), bytes([5]) * 4096)
        self.ok(acl.rt.mem_flush(memory, 4096))
        self.ok(acl.rt.mem_invalidate(memory, 4096))
        self.assertEqual(acl.rt.mem_flush(memory, 0), INVALID_PARAM)

    def test_copies_in_all_directions(self):
        size = 4096
        data = bytes(range(256)) * 16
        a, b = self.device_memory(size), self.device_memory(size)
        stream = self.stream()
        pinned = self.value(acl.rt.malloc_host(size))
        back = self.value(acl.rt.malloc_host(size))
        self.ok(acl.rt.memcpy(pinned, size, acl.util.bytes_to_ptr(data), size, 0))
        self.ok(acl.rt.memcpy_async(a, size, pinned, size, H2D, stream))
        self.ok(acl.rt.memcpy_async(b, size, a, size, D2D, stream))
        self.ok(acl.rt.memcpy_async(back, size, b, size, D2H, stream))
        self.ok(acl.rt.synchronize_stream(stream))
        self.assertEqual(acl.util.ptr_to_bytes(back, size), data)
        self.assertEqual(acl.rt.memcpy(a, 10, pinned, 11, H2D),
                         acl.rt.memcpy(a, 20, pinned, 21, H2D))
        self.assertNotEqual(acl.rt.memcpy(a, 10, pinned, 11, H2D), SUCCESS)
        self.ok(acl.rt.free_host(back))
        self.ok(acl.rt.free_host(pinned))
        self.assertEqual(acl.rt.free_host(pinned), PARAM_INVALID)

    def test_an_immutable_object_can_be_copied_into(self):
        ptr = self.device_memory(64)
        self.ok(acl.rt.memset(ptr, 64, 7, 64))
        target = bytes(64)
        self.ok(acl.rt.memcpy(acl.util.bytes_to_ptr(target), 64, ptr, 64, D2H))
        self.assertEqual(target, b"\x07" * 64)

    def test_fills(self):
        ptr = self.device_memory(256)
        stream = self.stream()
        self.ok(acl.rt.memset(ptr, 256, 0x1FF, 128))
        self.ok(acl.rt.memset_async(ptr + 128, 128, 3, 128, stream))
        self.ok(acl.rt.synchronize_stream(stream))
        self.assertEqual(self.read(ptr, 256), b"\xff" * 128 + b"\x03" * 128)

    def test_registered_memory(self):
        if "aclrtHostRegister" in refused_in_c():
            self.skipTest("the library does not register host memory")
        pages = mmap.mmap(-1, 8192)
        ptr = ctypes.addressof(ctypes.c_char.from_buffer(pages))
        device = self.value(acl.rt.host_register(ptr, 8192, 0))
        self.assertEqual(acl.rt.host_get_device_pointer(ptr, 0), (device, SUCCESS))
        stream = self.stream()
        self.ok(acl.rt.value_write(device + 8, 7, 0, stream))
        self.ok(acl.rt.synchronize_stream(stream))
        self.assertEqual(pages[8:16], (7).to_bytes(8, "little"))
        self.assertEqual(acl.rt.host_register_v2(ptr, 8192, 0x10000000), 507910)
        self.ok(acl.rt.host_unregister(ptr))
        self.assertEqual(acl.rt.host_unregister(ptr), 507911)
        self.ok(acl.rt.host_register_v2(ptr, 8192, 0x10000000))
        self.assertEqual(acl.rt.host_get_device_pointer(ptr, 0), (0, PARAM_INVALID))
        self.ok(acl.rt.host_unregister(ptr))

    def test_rows_of_an_image(self):
        if {"aclrtMemcpy2d", "aclrtMemcpy2dAsync"} & refused_in_c():
            self.skipTest("the library does not copy rows")
        host = self.value(acl.rt.malloc_host(64))
        self.addCleanup(acl.rt.free_host, host)
        ptr = self.device_memory(64)
        self.ok(acl.rt.memset(ptr, 64, 0, 64))
        self.ok(acl.rt.memcpy(host, 64, acl.util.bytes_to_ptr(bytes(range(64))), 64, 0))
        self.ok(acl.rt.memcpy2d(ptr, 16, host, 8, 4, 2, H2D))
        self.ok(acl.rt.memcpy2d_async(ptr + 32, 16, host, 8, 4, 2, H2D, 0))
        self.ok(acl.rt.synchronize_stream(0))
        rows = bytes(range(4)) + bytes(12) + bytes(range(8, 12)) + bytes(12)
        self.assertEqual(self.read(ptr, 64), rows * 2)

    def test_a_reduction_adds_on_the_device(self):
        if "aclrtReduceAsync" in refused_in_c():
            self.skipTest("the library does not reduce")
        a, b = self.device_memory(64), self.device_memory(64)
        for ptr, values in ((a, range(16)), (b, range(100, 116))):
            data = b"".join(value.to_bytes(4, "little") for value in values)
            self.ok(acl.rt.memcpy(ptr, 64, acl.util.bytes_to_ptr(data), 64, H2D))
        self.ok(acl.rt.reduce_async(a, b, 64, SUM, INT32, 0, 0))
        self.ok(acl.rt.synchronize_stream(0))
        self.assertEqual(
            self.read(a, 64), b"".join((100 + 2 * i).to_bytes(4, "little") for i in range(16)))

    def test_words_that_streams_write_and_wait_for(self):
        word, first, second = self.word(), self.stream(), self.stream()
        self.ok(acl.rt.value_wait(word, 5, GREATER_EQUAL, first))
        self.ok(acl.rt.value_write(word, 2**63 + 5, 0, second))
        self.ok(acl.rt.synchronize_stream(second))
        self.assertEqual(int.from_bytes(self.read(word, 8), "little"), 2**63 + 5)
        self.ok(acl.rt.value_write(word, 6, 0, second))
        self.ok(acl.rt.synchronize_stream(first))

    def test_free_of_what_is_no_memory(self):
        self.assertEqual(acl.rt.stream_get_id(4096)[1], HANDLE)
        self.assertIsInstance(acl.rt.free(4096), int)


class Bytes(unittest.TestCase):
    def test_bytes_there_and_back(self):
        data = b"there\0and back"
        self.assertEqual(acl.util.ptr_to_bytes(acl.util.bytes_to_ptr(data), len(data)), data)
        self.assertEqual(acl.util.ptr_to_bytes(0, 0), b"")
        with self.assertRaisesRegex(ValueError, "bytes_to_ptr.*expected bytes"):
            acl.util.bytes_to_ptr(bytearray(4))
        with self.assertRaisesRegex(ValueError, "ptr: must not be 0"):
            acl.util.ptr_to_bytes(0, 1)

    def test_without_numpy_nothing_is_an_array(self):
        for call in (acl.util.numpy_to_ptr, acl.util.numpy_contiguous_to_ptr):
            with self.assertRaisesRegex(ValueError, "expected a numpy array"):
                call([1, 2, 3])


@unittest.skipUnless(numpy, "numpy is not installed for this Python")
class Arrays(ModelTest):
    def test_an_array_to_the_device_and_back(self):
        array = numpy.arange(1000, dtype=numpy.float32)
        device = self.device_memory(array.nbytes)
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always")
            ptr = acl.util.numpy_to_ptr(array)
        self.assertEqual([entry.category for entry in seen], [DeprecationWarning])
        self.assertEqual(ptr, array.ctypes.data)
        self.ok(acl.rt.memcpy(device, array.nbytes, ptr, array.nbytes, H2D))
        host = self.value(acl.rt.malloc_host(array.nbytes))
        self.ok(acl.rt.memcpy(host, array.nbytes, device, array.nbytes, D2H))
        view = acl.util.ptr_to_numpy(host, (10, 100), 11)
        self.assertEqual((view.shape, view.dtype), ((10, 100), numpy.float32))
        self.assertTrue((view.ravel() == array).all())
        view[0, 0] = 42
        self.assertEqual(acl.util.ptr_to_bytes(host, 4), numpy.float32(42).tobytes())
        self.assertFalse(view.flags.owndata)
        del view
        self.ok(acl.rt.free_host(host))

    def test_rows_with_gaps(self):
        array = numpy.arange(12, dtype=numpy.int64).reshape(3, 4)[:, ::2]
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always")
            acl.util.numpy_to_ptr(array)
        self.assertEqual([entry.category for entry in seen], [DeprecationWarning, RuntimeWarning])
        ptr, whole = acl.util.numpy_contiguous_to_ptr(array)
        self.assertEqual(acl.util.ptr_to_bytes(ptr, whole.nbytes), array.tobytes())
        whole = numpy.zeros(3)
        self.assertIs(acl.util.numpy_contiguous_to_ptr(whole)[1], whole)
        self.assertEqual(acl.util.numpy_contiguous_to_ptr(whole)[0], whole.ctypes.data)

    def test_all_types_of_numbers(self):
        memory = bytes(64)
        ptr = acl.util.bytes_to_ptr(memory)
        for number, name in ((0, "bool"), (1, "int8"), (2, "uint8"), (3, "int16"), (4, "uint16"),
                             (5, "int32"),
                             (6, "uint32"), (7, "int64"), (8, "uint64"), (11, "float32"),
                             (12, "float64"),
                             (23, "float16")):
            self.assertEqual(acl.util.ptr_to_numpy(ptr, (2,), number).dtype, numpy.dtype(name))
            self.assertEqual(numpy.dtype(name).num, number)
        self.assertEqual(acl.util.ptr_to_numpy(ptr, (), 7).shape, ())
        self.assertEqual(acl.util.ptr_to_numpy(0, (0, 3), 7).shape, (0, 3))

    def test_what_is_refused(self):
        for arguments in ((64, (2,), 17), (64, (2,), -1), (64, [2], 7), (64, (-1,), 7),
                          (64, (2**62, 4), 7)):
            with self.assertRaisesRegex(TypeError, "acl.util.ptr_to_numpy args parse failed: "):
                acl.util.ptr_to_numpy(*arguments)
        with self.assertRaisesRegex(ValueError, "ptr: must not be 0"):
            acl.util.ptr_to_numpy(0, (2,), 7)


if __name__ == "__main__":
    unittest.main()
