# SPDX-License-Identifier: Apache-2.0
"""Two streams: the second copies on what the first has copied in, held by an event until it is
there."""

import acl

SIZE = 4 << 20
ACL_EVENT_TIME_LINE = 0x8
ACL_EVENT_SYNC = 0x1
ACL_MEMCPY_HOST_TO_DEVICE, ACL_MEMCPY_DEVICE_TO_HOST, ACL_MEMCPY_DEVICE_TO_DEVICE = 1, 2, 3


def check(answer):
    *values, code = answer if isinstance(answer, tuple) else (answer,)
    if code != 0:
        raise SystemExit(f"code {code}: {acl.get_recent_err_msg()}")
    return values[0] if values else None


def main():
    check(acl.init())
    check(acl.rt.set_device(0))
    first, second = check(acl.rt.create_stream()), check(acl.rt.create_stream())
    begun, copied, done = (
        check(acl.rt.create_event_with_flag(ACL_EVENT_SYNC | ACL_EVENT_TIME_LINE))
        for _ in range(3))
    here, back = check(acl.rt.malloc_host(SIZE)), check(acl.rt.malloc_host(SIZE))
    there, further = check(acl.rt.malloc(SIZE, 0)), check(acl.rt.malloc(SIZE, 0))
    data = bytes(range(256)) * (SIZE // 256)
    check(acl.rt.memcpy(here, SIZE, acl.util.bytes_to_ptr(data), SIZE, 0))

    check(acl.rt.record_event(begun, first))
    check(acl.rt.memcpy_async(there, SIZE, here, SIZE, ACL_MEMCPY_HOST_TO_DEVICE, first))
    check(acl.rt.record_event(copied, first))
    check(acl.rt.stream_wait_event(second, copied))
    check(acl.rt.memcpy_async(further, SIZE, there, SIZE, ACL_MEMCPY_DEVICE_TO_DEVICE, second))
    check(acl.rt.memcpy_async(back, SIZE, further, SIZE, ACL_MEMCPY_DEVICE_TO_HOST, second))
    check(acl.rt.record_event(done, second))

    check(acl.rt.synchronize_event(copied))
    print(
        f"first stream: has copied in; second stream: "
        f"{'done' if check(acl.rt.query_event_status(done)) else 'still at it'}")
    check(acl.rt.synchronize_stream(second))
    if acl.util.ptr_to_bytes(back, SIZE) != data:
        raise SystemExit("other bytes came back")
    in_ms, out_ms = (check(acl.rt.event_elapsed_time(*pair))
                     for pair in ((begun, copied), (copied, done)))
    print(f"second stream: done, {SIZE} bytes verified")
    print(f"device time: {in_ms * 1000:.2f} us until the event, {out_ms * 1000:.2f} us after it")

    for event in (begun, copied, done):
        check(acl.rt.destroy_event(event))
    for stream in (first, second):
        check(acl.rt.destroy_stream(stream))
    for memory in (there, further):
        check(acl.rt.free(memory))
    for memory in (here, back):
        check(acl.rt.free_host(memory))
    check(acl.rt.reset_device(0))
    check(acl.finalize())


if __name__ == "__main__":
    main()
