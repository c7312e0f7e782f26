#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Shapes of Python programs around the module `acl`: shapes.py --list | FAMILY SEED. As shapes, the
C++ program of the same name."""
import asyncio
import concurrent.futures
import ctypes
import multiprocessing
import queue
import random
import sys
import threading
import time

TIMES = {}  # by lane
KIND_TO_DEVICE, KIND_TO_HOST = 1, 2
COMPLETE = 1


def check(answer):
    *values, code = answer if isinstance(answer, tuple) else (answer,)
    if code != 0:
        raise SystemExit(
            f"failed={sys._getframe(1).f_lineno} code={code}: {acl.get_recent_err_msg()}")
    return values[0] if values else None


def pause(numbers):
    what = numbers.randrange(5)
    seconds = numbers.uniform(0, 0.003)
    if what == 0:
        time.sleep(seconds)
    elif what == 1:
        threading.Event().wait(seconds)
    elif what == 2:
        end = time.monotonic() + seconds / 3
        while time.monotonic() < end:
            pass


class Lane:
    """A thread's own stream, event and memory."""

    def __init__(self, number, seed):
        self.number, self.numbers = number, random.Random(seed * 1000 + number)
        self.bytes = self.numbers.randrange(1, 1 << 14)
        check(acl.rt.set_device(0))
        self.stream = check(acl.rt.create_stream())
        self.event = check(acl.rt.create_event_with_flag(9))  # ACL_EVENT_TIME_LINE | ACL_EVENT_SYNC
        self.device = check(acl.rt.malloc(self.bytes, 0))
        self.there, self.back = check(acl.rt.malloc_host(self.bytes)), check(
            acl.rt.malloc_host(self.bytes))

    def item(self, item):
        pattern = bytes((i * 7 + item * 13 + self.number) & 255 for i in range(self.bytes))
        ctypes.memmove(self.there, pattern, self.bytes)
        check(
            acl.rt.memcpy_async(self.device, self.bytes, self.there, self.bytes, KIND_TO_DEVICE,
                                self.stream))
        check(
            acl.rt.memcpy_async(self.back, self.bytes, self.device, self.bytes, KIND_TO_HOST,
                                self.stream))
        check(acl.rt.record_event(self.event, self.stream))
        how = self.numbers.randrange(3)
        if how == 0:
            check(acl.rt.synchronize_stream(self.stream))
        elif how == 1:
            check(acl.rt.synchronize_event(self.event))
        else:
            while check(acl.rt.query_event_status(self.event)) != COMPLETE:
                time.sleep(self.numbers.uniform(0, 0.0005))
        if ctypes.string_at(self.back, self.bytes) != pattern:
            raise SystemExit("failed=bytes of an item")
        TIMES.setdefault(self.number, []).append(check(acl.rt.event_get_timestamp(self.event)))
        return item

    def close(self):
        check(acl.rt.synchronize_stream(self.stream))
        check(acl.rt.destroy_event(self.event))
        check(acl.rt.destroy_stream(self.stream))
        check(acl.rt.free(self.device))
        check(acl.rt.free_host(self.there))
        check(acl.rt.free_host(self.back))


def one_item(number, seed):
    lane = Lane(number, seed)
    pause(lane.numbers)
    lane.item(number)
    lane.close()
    return number


def pool(numbers, seed):
    jobs, done = queue.Queue(numbers.randrange(1, 5)), queue.Queue()

    def work(number):
        lane = None
        while (job := jobs.get()) is not None:
            lane = lane or Lane(number, seed)
            done.put(lane.item(job))
        if lane:
            lane.close()

    threads = [threading.Thread(target=work, args=(i,)) for i in range(numbers.randrange(1, 4))]
    for thread in threads:
        thread.start()
    count = numbers.randrange(2, 12)
    for job in range(count):
        pause(numbers)
        jobs.put(job)
    for _ in threads:
        jobs.put(None)
    assert sorted(done.get() for _ in range(count)) == list(range(count))
    for thread in threads:
        thread.join()


def fork_join(numbers, seed):
    team = numbers.randrange(2, 5)
    barrier = threading.Barrier(team)

    def work(number, steps):
        lane = Lane(number, seed)
        for step in range(steps):
            pause(lane.numbers)
            lane.item(step)
            barrier.wait()
        lane.close()

    steps = numbers.randrange(1, 5)
    threads = [threading.Thread(target=work, args=(i, steps)) for i in range(team)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def executor(numbers, seed):
    with concurrent.futures.ThreadPoolExecutor(numbers.randrange(1, 5)) as runner:
        pending = [runner.submit(one_item, i, seed) for i in range(numbers.randrange(2, 9))]
        assert [future.result() for future in pending] == list(range(len(pending)))


def timers(numbers, seed):
    """Threads of threading.Timer call first while main waits for the device without a limit."""
    check(acl.rt.set_device(0))
    stream, notify = check(acl.rt.create_stream()), check(acl.rt.create_notify(0))
    check(acl.rt.wait_and_reset_notify(notify, stream, 0))

    def ring():
        one_item(0, seed)
        check(acl.rt.record_notify(notify, 0))

    timer = threading.Timer(numbers.uniform(0.05, 0.9), ring)
    timer.start()
    check(acl.rt.synchronize_stream(stream))
    timer.join()
    check(acl.rt.destroy_stream(stream))


def conditions(numbers, seed):
    """A consumer that waits with limits for what a slow producer makes."""
    changed, items = threading.Condition(), []
    count = numbers.randrange(1, 6)

    def produce():
        for item in range(count):
            time.sleep(numbers.uniform(0, 0.05))
            with changed:
                items.append(item)
                changed.notify()

    thread = threading.Thread(target=produce)
    thread.start()
    lane = Lane(0, seed)
    for item in range(count):
        with changed:
            while not items:
                changed.wait(0.01)
            assert items.pop(0) == item
        lane.item(item)
    lane.close()
    thread.join()


def loop(numbers, seed):
    """asyncio: tasks poll between sleeps, or wait in threads of an executor."""
    async def polled(number):
        lane = Lane(number, seed)
        await asyncio.sleep(lane.numbers.uniform(0, 0.01))
        check(acl.rt.record_event(lane.event, lane.stream))
        while check(acl.rt.query_event_status(lane.event)) != COMPLETE:
            await asyncio.sleep(0.001)
        lane.item(number)
        lane.close()
        return number

    async def main():
        runner = asyncio.get_running_loop()
        tasks = [polled(i) if i % 2 else runner.run_in_executor(None, one_item, i, seed)
                 for i in range(numbers.randrange(1, 7))]
        assert await asyncio.wait_for(asyncio.gather(*tasks), 25) == list(range(len(tasks)))

    asyncio.run(main())


def in_child(number, seed):
    global acl
    import acl as module
    acl = module
    check(acl.init())
    one_item(number, seed)
    check(acl.rt.reset_device(0))
    check(acl.finalize())
    return number


def processes(how):
    def run(numbers, seed):
        context = multiprocessing.get_context(how)
        with context.Pool(numbers.randrange(1, 3)) as workers:
            count = numbers.randrange(1, 5)
            assert workers.starmap(in_child, [(i, seed) for i in range(count)],
                                   chunksize=1) == list(range(count))
    return run


def process_executor(numbers, seed):
    with concurrent.futures.ProcessPoolExecutor(2,
                                                mp_context=multiprocessing.get_context(
                                                    "spawn")) as runner:
        pending = [runner.submit(in_child, i, seed) for i in range(numbers.randrange(1, 4))]
        assert [future.result() for future in pending] == list(range(len(pending)))


# Name, function, whether the process itself uses the device, whether the deterministic mode gives
# the same times.
FAMILIES = (("py_pool", pool, True, True), ("py_fork_join", fork_join, True, True),
            ("py_executor", executor, True, False),
            ("py_timers", timers, True, False), ("py_conditions", conditions, True, False),
            ("py_asyncio", loop, True, False),
            ("py_fork", processes("fork"), False, False),
            ("py_spawn", processes("spawn"), False, False),
            ("py_process_executor", process_executor, False, False))


def main(arguments):
    global acl
    if arguments == ["--list"]:
        print("\n".join(f"{name} {int(ordered)}" for name, _, _, ordered in FAMILIES))
        return 0
    _, run, uses_device, _ = next(family for family in FAMILIES if family[0] == arguments[0])
    seed = int(arguments[1])
    if uses_device:
        import acl as module
        acl = module
        check(acl.init())
        check(acl.rt.set_device(0))
    run(random.Random(seed), seed)
    for lane, times in sorted(TIMES.items()):
        for number, value in enumerate(times):
            print(f"t{lane}.{number}={value}")
    if uses_device:
        check(acl.rt.reset_device(0))
        check(acl.finalize())
    print("done=1")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
