# SPDX-License-Identifier: Apache-2.0
"""Everyday shapes of threaded programs in Python: each prints the times that its events measured,
   and in which order its threads came.

  turns_shapes.py fork_join|pipeline|pool
"""
import queue
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor, as_completed

import acl

BYTES = 1 << 20
THREADS = 4
journal = []


def ok(result):
    code = result[-1] if isinstance(result, tuple) else result
    if code != 0:
        raise RuntimeError(f"code {code}")
    return result[0] if isinstance(result, tuple) else None


class Lane:
    """A stream with its own memory and two events."""

    def __init__(self):
        ok(acl.rt.set_device(0))
        self.stream = ok(acl.rt.create_stream())
        self.begin = ok(acl.rt.create_event())
        self.end = ok(acl.rt.create_event())
        self.memory = ok(acl.rt.malloc(BYTES, 0))

    def run(self, who, step, times):
        ok(acl.rt.record_event(self.begin, self.stream))
        for _ in range(times):
            ok(acl.rt.memset_async(self.memory, BYTES, 1, 1 +
                                   (who * 7919 + step * 104729 + len(journal)) % BYTES,
                                   self.stream))
        ok(acl.rt.record_event(self.end, self.stream))
        ok(acl.rt.synchronize_stream(self.stream))
        journal.append(f"{who}:{ok(acl.rt.event_elapsed_time(self.begin, self.end)):.5f}")


def fork_join():
    barrier = threading.Barrier(THREADS)

    def work(who):
        lane = Lane()
        for step in range(4):
            lane.run(who, step, 2 + who)
            barrier.wait()

    threads = [threading.Thread(target=work, args=(who,)) for who in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def pipeline():
    queues = [queue.Queue(2) for _ in range(THREADS)]

    def stage(who):
        lane = Lane()
        while True:
            try:
                item = queues[who].get(timeout=5)
            except queue.Empty:
                continue
            if item is not None:
                lane.run(who, item, 1 + item % 4)
            queues[who + 1].put(item)
            if item is None:
                return

    threads = [threading.Thread(target=stage, args=(who,), daemon=who == 0)
               for who in range(THREADS - 1)]
    for thread in threads:
        thread.start()
    for item in [*range(10), None]:
        queues[0].put(item)
        while not queues[-1].empty():
            queues[-1].get()
    while queues[-1].get() is not None:
        pass
    for thread in threads:
        thread.join()


def pool():
    lanes = threading.local()

    def task(who):
        if not hasattr(lanes, "lane"):
            lanes.lane = Lane()
        lanes.lane.run(who, who, 1 + who % 3)
        if who % 4 == 0:
            time.sleep(0.0001)
        return who

    with ThreadPoolExecutor(THREADS) as executor:
        futures = [executor.submit(task, who) for who in range(12)]
        for future in as_completed(futures):
            journal.append(f"done {future.result()}")
        journal.extend(f"map {who}" for who in executor.map(task, range(12, 16)))


if __name__ == "__main__":
    ok(acl.init())
    ok(acl.rt.set_device(0))
    {"fork_join": fork_join, "pipeline": pipeline, "pool": pool}[sys.argv[1]]()
    print(" ".join(journal))
    ok(acl.rt.reset_device(0))
    ok(acl.finalize())
