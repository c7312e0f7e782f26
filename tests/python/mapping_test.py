# SPDX-License-Identifier: Apache-2.0
"""Reserved addresses, physical memory, and device memory that another process opens."""

import os
import subprocess
import sys
import unittest

import acl
from support import D2H, H2D, HANDLE, ModelTest

PIECE = 2 << 20
DEVICE, HUGE = 1, 4  # of aclrtMemLocationType, of aclrtMemAttr
PROP = {"handleType": 0, "allocationType": 0, "memAttr": HUGE,
        "location": {"id": 0, "type": DEVICE}, "reserve": 0}
UNCHECKED = 1  # flags of an export: any process opens it

# Another process: opens memory of this one, reads a word, writes another, and gives it back.
OTHER = """
import sys, acl
def value(result):
    assert result[-1] == 0, (result, acl.get_recent_err_msg())
    return result[0]
def ok(code):
    assert code == 0, (code, acl.get_recent_err_msg())
ok(acl.init())
ok(acl.rt.set_device(0))
if sys.argv[1] == "key":
    at = value(acl.rt.ipc_mem_import_by_key(sys.argv[2], 0))
else:
    handle = value(acl.rt.mem_import_from_shareable_handle(int(sys.argv[2]), 0))
    at = value(acl.rt.reserve_mem_address(2 << 20, 0, 0, 0))
    ok(acl.rt.map_mem(at, 2 << 20, 0, handle, 0))
host = value(acl.rt.malloc_host(8))
ok(acl.rt.memcpy(host, 8, at, 8, 2))
print(acl.util.ptr_to_bytes(host, 8).decode())
ok(acl.rt.memcpy(at, 8, acl.util.bytes_to_ptr(b"returned"), 8, 1))
if sys.argv[1] == "key":
    ok(acl.rt.ipc_mem_close(sys.argv[2]))
else:
    ok(acl.rt.unmap_mem(at))
    ok(acl.rt.release_mem_address(at))
    ok(acl.rt.free_physical(handle))
ok(acl.rt.free_host(host))
ok(acl.rt.reset_device(0))
ok(acl.finalize())
"""


def open_elsewhere(kind, what):
    """What another process reads of the memory."""
    return subprocess.run([sys.executable, "-c", OTHER, kind, str(what)], env=os.environ,
                          stdout=subprocess.PIPE, check=True, timeout=120).stdout.strip()


class Mapping(ModelTest):
    def write(self, at, data):
        self.ok(acl.rt.memcpy(at, len(data), acl.util.bytes_to_ptr(data), len(data), H2D))

    def test_memory_is_where_it_is_mapped(self):
        free = self.value(acl.rt.get_mem_info(1))[0]
        self.assertEqual(self.value(acl.rt.mem_get_allocation_granularity(PROP, 0)), PIECE)
        at = self.value(acl.rt.reserve_mem_address(4 * PIECE, 0, 0, 0))
        first, second = (self.value(acl.rt.malloc_physical(PIECE, PROP, 0)) for _ in range(2))
        self.assertEqual(self.value(acl.rt.get_mem_info(1))[0], free - 2 * PIECE)
        self.ok(acl.rt.map_mem(at, PIECE, 0, first, 0))
        self.ok(acl.rt.map_mem(at + PIECE, PIECE, 0, second, 0))
        self.ok(acl.rt.map_mem(at + 3 * PIECE, PIECE, 0, first, 0))
        self.write(at + PIECE - 4, b"neighbor")
        self.assertEqual(self.read(at + PIECE - 4, 8), b"neighbor")
        self.assertEqual(self.read(at + 4 * PIECE - 4, 4), b"neig")
        for number in (0, 1, 3):
            self.ok(acl.rt.unmap_mem(at + number * PIECE))
        host = self.value(acl.rt.malloc_host(8))
        self.assertNotEqual(acl.rt.memcpy(host, 8, at, 8, D2H), 0)
        self.ok(acl.rt.free_host(host))
        for handle in (first, second):
            self.ok(acl.rt.free_physical(handle))
            self.assertEqual(acl.rt.free_physical(handle), HANDLE)
        self.ok(acl.rt.release_mem_address(at))
        self.assertEqual(self.value(acl.rt.get_mem_info(1))[0], free)

    def test_another_process_opens_physical_memory(self):
        at = self.value(acl.rt.reserve_mem_address(PIECE, 0, 0, 0))
        handle = self.value(acl.rt.malloc_physical(PIECE, PROP, 0))
        self.ok(acl.rt.map_mem(at, PIECE, 0, handle, 0))
        self.write(at, b"outgoing")
        number = self.value(acl.rt.mem_export_to_shareable_handle(handle, 0, UNCHECKED))
        self.assertEqual(open_elsewhere("handle", number), b"outgoing")
        self.assertEqual(self.read(at, 8), b"returned")
        self.ok(acl.rt.mem_set_pid_to_shareable_handle(number, [os.getpid()]))
        self.ok(acl.rt.unmap_mem(at))
        self.ok(acl.rt.free_physical(handle))
        self.ok(acl.rt.release_mem_address(at))

    def test_another_process_opens_memory_by_its_key(self):
        at = self.device_memory(PIECE)
        self.write(at, b"outgoing")
        key = self.value(acl.rt.ipc_mem_get_export_key(at, PIECE, 65, UNCHECKED))
        self.assertEqual(open_elsewhere("key", key), b"outgoing")
        self.assertEqual(self.read(at, 8), b"returned")
        self.ok(acl.rt.ipc_mem_set_import_pid(key, [os.getpid()]))
        self.ok(acl.rt.ipc_mem_close(key))


if __name__ == "__main__":
    unittest.main()
