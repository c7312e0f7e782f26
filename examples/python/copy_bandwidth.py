# SPDX-License-Identifier: Apache-2.0
"""Bandwidth of asynchronous copies by direction and size, in device time between two events.

usage: copy_bandwidth.py [BYTES...]    default: 64 KiB, 1 MiB, 16 MiB"""

import sys

import acl

DIRECTIONS = (("host to device", 1), ("device to device", 3), ("device to host", 2))
REPEATS = 8


def check(answer):
    *values, code = answer if isinstance(answer, tuple) else (answer,)
    if code != 0:
        raise SystemExit(f"code {code}: {acl.get_recent_err_msg()}")
    return values[0] if values else None


def gigabytes_per_second(kind, size, stream):
    """The mean of REPEATS copies that follow each other on one stream."""
    host, devices = check(acl.rt.malloc_host(size)), [check(acl.rt.malloc(size, 0))
                                                      for _ in range(2)]
    begin, end = check(acl.rt.create_event()), check(acl.rt.create_event())
    source = host if kind == 1 else devices[0]
    target = host if kind == 2 else devices[1]
    check(acl.rt.record_event(begin, stream))
    for _ in range(REPEATS):
        check(acl.rt.memcpy_async(target, size, source, size, kind, stream))
    check(acl.rt.record_event(end, stream))
    check(acl.rt.synchronize_stream(stream))
    seconds = check(acl.rt.event_elapsed_time(begin, end)) / 1000
    for event in (begin, end):
        check(acl.rt.destroy_event(event))
    for device in devices:
        check(acl.rt.free(device))
    check(acl.rt.free_host(host))
    return REPEATS * size / seconds / 1e9


def main(sizes):
    check(acl.init())
    check(acl.rt.set_device(0))
    stream = check(acl.rt.create_stream())
    print(f"{acl.get_soc_name()}, {REPEATS} copies on one stream, GB/s of device time")
    print(f"{'bytes':>12}" + "".join(f"{name:>20}" for name, _ in DIRECTIONS))
    for size in sizes:
        print(
            f"{size:>12}" + "".join(f"{gigabytes_per_second(kind, size, stream):>20.2f}"
                                    for _, kind in DIRECTIONS))
    check(acl.rt.destroy_stream(stream))
    check(acl.rt.reset_device(0))
    check(acl.finalize())


if __name__ == "__main__":
    main([int(argument) for argument in sys.argv[1:]] or [64 << 10, 1 << 20, 16 << 20])
