# SPDX-License-Identifier: Apache-2.0
"""What a program holds while it uses a device, taken in order and released in the reverse:
runtime, device, context, stream."""

import acl

DEVICE = 0
ACL_MEM_MALLOC_HUGE_FIRST = 0
ACL_MEMCPY_HOST_TO_DEVICE, ACL_MEMCPY_DEVICE_TO_HOST = 1, 2


def check(what, answer):
    """Takes the code off an answer; anything but 0 ends the program."""
    *values, code = answer if isinstance(answer, tuple) else (answer,)
    if code != 0:
        raise SystemExit(f"{what} answered {code}: {acl.get_recent_err_msg()}")
    return values[0] if len(values) == 1 else values


def copy_there_and_back(stream):
    data = bytes(range(256)) * 256
    size = len(data)
    device = check("malloc", acl.rt.malloc(size, ACL_MEM_MALLOC_HUGE_FIRST))
    host = check("malloc_host", acl.rt.malloc_host(size))
    check(
        "memcpy", acl.rt.memcpy(device, size, acl.util.bytes_to_ptr(data), size,
                                ACL_MEMCPY_HOST_TO_DEVICE))
    check(
        "memcpy_async", acl.rt.memcpy_async(host, size, device, size, ACL_MEMCPY_DEVICE_TO_HOST,
                                            stream))
    check("synchronize_stream", acl.rt.synchronize_stream(stream))
    if acl.util.ptr_to_bytes(host, size) != data:
        raise SystemExit("other bytes came back")
    check("free_host", acl.rt.free_host(host))
    check("free", acl.rt.free(device))
    return size


def main():
    check("init", acl.init())
    print(
        f"runtime: ready, {check('get_device_count', acl.rt.get_device_count())} device of type "
        f"{acl.get_soc_name()}")
    check("set_device", acl.rt.set_device(DEVICE))
    context = check("create_context", acl.rt.create_context(DEVICE))
    stream = check("create_stream", acl.rt.create_stream())
    print("device, context, stream: allocated")

    print(f"copied there and back: {copy_there_and_back(stream)} bytes")

    check("destroy_stream", acl.rt.destroy_stream(stream))
    check("destroy_context", acl.rt.destroy_context(context))
    check("reset_device", acl.rt.reset_device(DEVICE))
    check("finalize", acl.finalize())
    print("stream, context, device: released")


if __name__ == "__main__":
    main()
