#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Programs with libtwinrt-host.so in LD_PRELOAD.

usage: programs_test.py STEP LIBRARY [PROGRAM...]
steps:
  exports REAL_H      the library's names are those of its table of real functions, and its entry
  calls CALLS_PROGRAM a program that waits for host functions by itself goes on at once, at the same
                      times in each run
  deep DEEP_PROGRAM   a thread that a library opened with RTLD_DEEPBIND wakes is neither lost nor
                      called blocked
  poll POLL_PROGRAM   a program that sleeps between two questions needs as many as fit the device's
                      time
  threads PROGRAM...  threaded programs, built with and without sanitizers, print what they print
                      without the library
  others              programs that know nothing of the runtime: shell, Python's threads, children,
                      another interposer"""
import os
import re
import shutil
import subprocess
import sys

NO_HOST = {"TWINRT_HOST_TIME": "calls"}


def run(command, library=None, expected=0, **variables):
    env = dict(os.environ, **variables)
    if library:
        env["LD_PRELOAD"] = library
        env["ASAN_OPTIONS"] = "verify_asan_link_order=0:" + env.get("ASAN_OPTIONS", "")
    done = subprocess.run(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True, timeout=120, check=False)
    if done.returncode != expected:
        sys.exit(
            f"{command} with {variables} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    return done


def expect(condition, text):
    if not condition:
        sys.exit(text)


def exports(library, real_h):
    with open(real_h, encoding="utf-8") as file:
        wanted = re.findall(r"^    (?:NAME|COND)\((\w+)\)", file.read(), re.MULTILINE)
    wanted = set(wanted) - {"sem_getvalue"} | {"twinrt_host_time"}
    listed = subprocess.run(["nm", "-D", "--defined-only", library], stdout=subprocess.PIPE,
                            text=True, check=True).stdout
    found = {line.split()[2].split("@")[0] for line in listed.splitlines()
             if line.split()[1] != "A"}
    expect(
        found == wanted, f"missing: {sorted(wanted - found)}; too many: {sorted(found - wanted)}")


def ask(program, library, how, interval_us, mib, **variables):
    """polls, whether it was complete, and the copy's time on the device in ns"""
    polls, complete, ns = run([program, how, str(interval_us), str(mib)], library,
                              **variables).stdout.split()
    return int(polls), complete == "1", int(ns)


def poll(library, program):
    # Without sleeps in device time each question costs a microsecond of it or less: so long is the
    # copy.
    _, _, length_ns = ask(program, library, "once", 0, 64)
    expect(length_ns > 2_000_000, f"the copy took {length_ns} ns, too short for this test")
    for how in ("poll", "deadline", "thread"):
        for interval_us in (1000, 10000):
            polls, complete, ns = ask(program, library, how, interval_us, 64)
            needed = -(-length_ns // (interval_us * 1000))
            # The clock is past the submission when the first sleep begins, and the copy begins a
            # little after it.
            expect(needed - 1 <= polls <= needed + 1,
                   f"{how}, {interval_us} us: {polls} polls for {length_ns} ns")
            expect(complete and ns == length_ns,
                   f"{how}, {interval_us} us: complete {complete}, {ns} ns; {length_ns} by itself")
    polls, complete, ns = ask(program, library, "once", 50000, 64)
    expect(complete and ns == length_ns, "a copy of 3 ms is not complete after a sleep of 50 ms")
    polls, complete, _ = ask(program, library, "once", 50000, 64, **NO_HOST)
    expect(not complete, "TWINRT_HOST_TIME=calls: a sleep takes device time")


def calls(library, program):
    # An hour without a call: longer than the test may take.
    runs = [run([program], library, TWINRT_PROGRESS="3600000") for _ in range(5)]
    expect(runs[0].stdout.count(" ") == 48, f"{program}: {runs[0].stdout}")
    for got in runs:
        expect(
            got.stdout == runs[0].stdout,
            f"{program}: {got.stdout}; the first run: {runs[0].stdout}")
        expect(got.stderr == "", f"{program}: {got.stderr}")


def threads(library, *programs):
    plain = run([programs[0]]).stdout
    for program in programs:
        for variables in ({}, {"TWINRT_HOST_TIME": "sleeps"}, NO_HOST):
            got = run([program], library, **variables)
            expect(got.stdout == plain, f"{program} {variables}: {got.stdout}; expected {plain}")
            expect(got.stderr == "", f"{program} {variables}: {got.stderr}")


PYTHON = """
import queue, subprocess, threading, time, multiprocessing, os
q = queue.Queue(); out = []
def work():
    while (item := q.get()) is not None: out.append(item)
threads = [threading.Thread(target=work) for _ in range(4)]
for thread in threads: thread.start()
for i in range(1000): q.put(i)
for _ in threads: q.put(None)
for thread in threads: thread.join()
event = threading.Event(); late = event.wait(0.01)
timer = threading.Timer(0.01, event.set); timer.start(); event.wait()
pid = os.fork()
if pid == 0:
    inner = threading.Thread(target=time.sleep, args=(0.001,)); inner.start(); inner.join(); os._exit(0)
print(sum(out), late, os.waitpid(pid, 0)[1], subprocess.run(["true"]).returncode)
with multiprocessing.get_context("fork").Pool(2) as pool: print(pool.map(abs, [-1, 2]))
"""

def deep(library, program):
    for when in ("before", "after"):
        for _ in range(20):
            expect(run([program, when], library).stdout == "done\n", when)
        done = run([program, when], library, TWINRT_DETERMINISTIC="on")
        expect(done.stdout == "done\n" and done.stderr.count("RTLD_DEEPBIND") == 1, done.stderr)


EARLY = r"""
#include <pthread.h>
#include <stdlib.h>
/* An allocator that locks, which the dynamic linker calls before anything else, and an interposer of the same function. */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_malloc(size_t);
void *calloc(size_t count, size_t bytes) {
    pthread_mutex_lock(&mutex); void *memory = __libc_calloc(count, bytes); pthread_mutex_unlock(&mutex); return memory;
}
void *malloc(size_t bytes) {
    pthread_mutex_lock(&mutex); void *memory = __libc_malloc(bytes); pthread_mutex_unlock(&mutex); return memory;
}
"""


def others(library):
    commands = [
        ["bash", "-c",
         "ls / | head -3; sleep 0.01; (exit 3) || echo $?; "
         "read -t 0.01 x < <(sleep 1) || echo late"],
        [sys.executable, "-c", PYTHON]]
    folder = os.getcwd()
    before = [library]
    if shutil.which("cc"):
        source = os.path.join(folder, "early.c")
        with open(source, "w", encoding="utf-8") as file:
            file.write(EARLY)
        early = os.path.join(folder, "libearly.so")
        subprocess.run(["cc", "-shared", "-fPIC", "-o", early, source], check=True)
        before += [f"{early} {library}", f"{library} {early}"]
    for command in commands:
        plain = run(command)
        for preload in before:
            for variables in ({}, NO_HOST):
                got = run(command, preload, **variables)
                expect((got.stdout, got.stderr) == (plain.stdout, plain.stderr),
                       f"{command} with {preload} "
                       f"{variables}:\n{got.stdout}{got.stderr}\nexpected\n{plain.stdout}{plain.stderr}")


if __name__ == "__main__":
    {"calls": calls, "deep": deep, "exports": exports, "poll": poll, "threads": threads,
     "others": others}[sys.argv[1]](*sys.argv[2:])
