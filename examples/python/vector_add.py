#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A kernel from Python: the sum of two vectors, by the kernel of examples/vector_add.

  . build/set_env.sh
  python3 examples/python/vector_add.py [KERNELS.o]

The kernels are what `twinrt-cc -o KERNELS.o examples/vector_add/kernels.c` makes; a build has them
already."""
import array
import os
import struct
import sys

import acl

COUNT = 100000
BYTES = 4 * COUNT
HOST_TO_DEVICE, DEVICE_TO_HOST = 1, 2


def must(result):
    """What a call gives besides its code; ends the program unless the code is 0."""
    code = result[-1] if isinstance(result, tuple) else result
    if code != 0:
        sys.exit(f"failed with {code}: {acl.get_recent_err_msg()}")
    return result[0] if isinstance(result, tuple) else None


def to_device(numbers):
    data = numbers.tobytes()
    ptr = must(acl.rt.malloc(len(data), 0))
    must(acl.rt.memcpy(ptr, len(data), acl.util.bytes_to_ptr(data), len(data), HOST_TO_DEVICE))
    return ptr


def main():
    beside = os.path.join(os.environ.get("ASCEND_HOME_PATH", "build"), "examples",
                          "vector_add_kernels.o")
    path = sys.argv[1] if len(sys.argv) > 1 else beside
    x = array.array("f", (0.5 * i for i in range(COUNT)))
    y = array.array("f", (float(COUNT - i) for i in range(COUNT)))
    must(acl.init())
    must(acl.rt.set_device(0))
    stream = must(acl.rt.create_stream())
    binary = must(acl.rt.binary_load_from_file(path, []))
    kernel = must(acl.rt.binary_get_function(binary, "vector_add"))
    device = [to_device(x), to_device(y), to_device(array.array("f", bytes(BYTES)))]

    arguments = struct.pack("<QQQI4x", *device, COUNT)  # struct add_args
    must(
        acl.rt.launch_kernel_with_host_args(kernel, 8, stream, [], acl.util.bytes_to_ptr(arguments),
                                            len(arguments), [], 0))
    must(acl.rt.synchronize_stream(stream))

    host = must(acl.rt.malloc_host(BYTES))
    must(acl.rt.memcpy(host, BYTES, device[2], BYTES, DEVICE_TO_HOST))
    z = array.array("f")
    z.frombytes(acl.util.ptr_to_bytes(host, BYTES))
    right = sum(c == a + b for a, b, c in zip(x, y, z))
    must(acl.rt.free_host(host))
    for ptr in device:
        must(acl.rt.free(ptr))
    must(acl.rt.binary_unload(binary))
    must(acl.rt.destroy_stream(stream))
    must(acl.rt.reset_device(0))
    must(acl.finalize())
    print(f"{right} of {COUNT} sums are right")
    return 0 if right == COUNT else 1


if __name__ == "__main__":
    sys.exit(main())
