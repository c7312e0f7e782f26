#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Recordings that are run again: the same device gives the same timeline, byte for byte;
differences are found; damaged recordings do no harm. Arguments: the tool, the folder of the examples, the folder of the test programs."""
import glob
import json
import os
import random
import struct
import subprocess
import sys
import tempfile
import unittest

from recordings import HEADER, begins, cut_ends, entries, fields, hide, set_status

PROGRAMS = os.path.abspath(sys.argv.pop())
RANDOM = os.path.join(PROGRAMS, "random_program")
EXAMPLES = os.path.abspath(sys.argv.pop())
TOOL = os.path.abspath(sys.argv.pop())
WORK_FILL, QUEUE_QUERY, TASK, SEEN, MOVED, ND, WATCHED = 97, 75, 5, 14, 15, 16, 21
SHARED = 25
HOST_ADVANCE, HOST_FOLLOW = 44, 45
ND_FROM = 72  # in the header
SIGNAL, FREED, ID = 1, 4, 6  # twin_nd
VALUE = 24  # where an entry of such has what was found


def run(*arguments, seconds=240, **environment):
    return subprocess.run(arguments, capture_output=True, text=True, errors="replace",
                          timeout=seconds, check=False,
                          env={**os.environ, "TWINRT_BACKEND": "sim", **environment})


def races(seed, steps, threads=None):
    """A program of threads that race; as many as the seed says if `threads` is None."""
    count = [] if threads is None else [f"--threads={threads}"]
    return RANDOM, "races", f"--seed={seed}", f"--calls={steps}", *count


def content(path):
    with open(path, "rb") as file:
        return file.read()


class Folder(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory(prefix="twinrt-replay.")
        self.addCleanup(place.cleanup)
        self.folder = place.name

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, data):
        with open(self.path(name), "wb") as file:
            file.write(data)
        return self.path(name)

    def record(self, *program, data=True, **environment):
        path = self.path("run.rec")
        done = run(*program, TWINRT_RECORD=path, TWINRT_RECORD_DATA="on" if data else "off",
                   TWINRT_TRACE=self.path("run.json"), **environment)
        self.assertEqual(done.returncode, 0, done.stderr)
        return path

    def replay(self, path, *options, seconds=240, **environment):
        environment.setdefault("TWINRT_BACKEND", "sim")
        done = run(TOOL, "replay", path, *options, seconds=seconds, **environment)
        self.assertIn(done.returncode, (0, 1, 2, 125), done.stderr)
        return done

    def same(self, *program, **environment):
        """Replays a program's record: same answers, same timeline, and a record of the replay like
        the first."""
        path = self.record(*program, **environment)
        done = self.replay(path, "--trace", self.path("again.json"), "--record",
                           self.path("again.rec"))
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("the recorded one", done.stdout)
        self.assertTrue(content(self.path("run.json")) == content(self.path("again.json")), program)
        compared = run(TOOL, "compare", path, self.path("again.rec"))
        self.assertEqual(compared.returncode, 0, compared.stdout)
        for line in compared.stdout.split("largest differences")[0].splitlines():
            if line.startswith("  ") and line.split()[-1].replace(".", "").isdigit():
                self.assertEqual(set(line.split()[-5:]), {"1"}, compared.stdout)
        return done


class Same(Folder):
    def test_the_examples(self):
        programs = [path for path in sorted(glob.glob(os.path.join(EXAMPLES, "*")))
                    if os.path.isfile(path) and os.access(path, os.X_OK)]
        self.assertGreaterEqual(len(programs), 7)
        for path in programs:
            if os.path.basename(path) == "shared_memory":
                continue  # two processes, with a recording each
            with self.subTest(os.path.basename(path)):
                self.same(path)

    def test_two_processes_that_share(self):
        """Each process has a recording, which is run again without the other process: what that one
        recorded, and where it did, is in it."""
        place = self.path("shared")
        done = run(os.path.join(EXAMPLES, "shared_memory"), TWINRT_RECORD=place + ".%p.rec",
                   TWINRT_RECORD_DATA="on")
        self.assertEqual(done.returncode, 0, done.stderr)
        records = sorted(glob.glob(place + ".*.rec"))
        self.assertEqual(len(records), 2)
        for path in records:
            with self.subTest(path):
                done = self.replay(path, "--record", self.path("again.rec"))
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
                self.assertIn("the same answers at the same times", done.stdout)
        kinds = [[kind for _, kind, _ in entries(content(path))].count(SHARED) for path in records]
        self.assertGreater(max(kinds), 0)
        whole = records[kinds.index(max(kinds))]
        data = bytearray(content(whole))
        for at, kind, _ in list(entries(data)):
            if kind == SHARED:
                hide(data, at)
        done = self.replay(self.write("alone.rec", bytes(data)))
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)

    def test_programs_by_seeds(self):
        for seed in range(1, 7):
            with self.subTest(seed):
                self.same(RANDOM, "wide", f"--seed={seed}",
                          TWINRT_SEED=str(seed % 3))

    def test_programs_of_two_devices_and_host_functions(self):
        for seed in range(1, 11):
            place = self.path("order")
            with self.subTest(seed):
                done = run(RANDOM, "order", f"--seed={seed}", "--calls=1",
                           TWINRT_RECORD=place + ".%p.rec", TWINRT_RECORD_DATA="on",
                           TWINRT_DEVICES="2",
                           TWINRT_TRACE=self.path("run.json"))
                self.assertEqual(done.returncode, 0, done.stderr)
                records = glob.glob(place + ".*.rec")
                self.assertEqual(len(records), 1)
                done = self.replay(records[0], "--trace", self.path("again.json"))
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
                self.assertTrue(content(self.path("run.json")) == content(self.path("again.json")),
                                seed)
                os.unlink(records[0])

    def test_threads_that_race(self):
        """Two to eight threads share streams and events; no two runs are alike, and a replay gives
           the answers and the times of
        tasks of its run. More seeds than these: random_program races."""
        for seed in range(1, 9):
            with self.subTest(seed):
                path = self.record(*races(seed, 40), TWINRT_SEED=str(seed % 3))
                done = self.replay(path)
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
                self.assertIn("the same answers at the same times", done.stdout)

    def test_threads_that_race_where_waits_count(self):
        """On a part with firmware a report comes sooner while a thread waits for it."""
        for seed in range(1, 7):
            with self.subTest(seed):
                path = self.record(*races(seed, 40), TWINRT_PROFILE="310p3")
                self.assertTrue(any(kind == WATCHED for _, kind, _ in entries(content(path))))
                done = self.replay(path)
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
                self.assertIn("the same answers at the same times", done.stdout)

    def test_threads_that_race_when_streams_stop(self):
        """Half-way a task fails, and all streams stop, with threads on their way to them."""
        for seed in range(1, 7):
            with self.subTest(seed):
                path = self.record(*races(seed, 40, 6), "--stop")
                done = self.replay(path)
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
                self.assertIn("the same answers at the same times", done.stdout)

    def test_sleeps_and_threads_that_hand_on(self):
        """Sleeps come again, and a thread's clock is at least that of the one that it follows; also
           where the replay itself has
        the library loaded that reports its threads."""
        for mode, sleeps, edges in (("sleep", 4, 0), ("join", 0, 2), ("relay", 0, 4),
                                    ("cond", 5, 2)):
            with self.subTest(mode):
                path, program = self.path("run.rec"), os.path.join(PROGRAMS, "order_program")
                done = run(TOOL, "record", "-o", path, "--", program, mode,
                           TWINRT_TRACE=self.path("run.json"))
                self.assertEqual(done.returncode, 0, done.stderr)
                kinds = [kind for _, kind, _ in entries(content(path))]
                self.assertEqual(kinds.count(HOST_ADVANCE), sleeps)
                self.assertGreaterEqual(kinds.count(HOST_FOLLOW), edges)
                with open(self.path("run.json"), encoding="utf-8") as file:
                    rows = [row for row in json.load(file)["traceEvents"]
                            if row.get("name") == "sleep"]
                self.assertEqual(len(rows), sleeps)
                self.assertEqual({row["cat"] for row in rows}, {"call"} if sleeps else set())
                if mode == "sleep":
                    self.assertEqual([row["dur"] for row in rows],
                                     [700 * i for i in range(1, sleeps + 1)])
                done = run(TOOL, "run", "--", TOOL, "replay", path, "--trace",
                           self.path("again.json"), "--record",
                           self.path("again.rec"))
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
                self.assertIn("the same answers at the same times", done.stdout)
                self.assertTrue(content(self.path("run.json")) == content(self.path("again.json")),
                                mode)
                again = [kind for _, kind, _ in entries(content(self.path("again.rec")))]
                for kind in (HOST_ADVANCE, HOST_FOLLOW):
                    self.assertEqual(kinds.count(kind), again.count(kind))

    def test_a_run_in_real_time(self):
        """Clocks are in the recording; the timeline of a replay has them too."""
        for program in ("stream_wait_event", "device_synchronize"):
            done = self.same(os.path.join(EXAMPLES, program), TWINRT_CLOCK="wall")
            self.assertIn("the same answers at the same times", done.stdout)

    def test_real_time_here_does_not_matter(self):
        path = self.record(os.path.join(EXAMPLES, "stream_wait_event"))
        self.assertEqual(self.replay(path, TWINRT_CLOCK="wall").returncode, 0)

    def test_sleeps_on_another_device(self):
        """They take as long there."""
        path = self.path("run.rec")
        done = run(TOOL, "record", "-o", path, "--", os.path.join(PROGRAMS, "order_program"),
                   "sleep")
        self.assertEqual(done.returncode, 0, done.stderr)
        data = content(path)
        slept = sum(struct.unpack_from("<Q", data, fields(data, at))[0]
                    for at, kind, _ in entries(data) if kind == HOST_ADVANCE)
        self.assertEqual(slept, 700000 * (1 + 2 + 3 + 4))
        done = self.replay(path, "--profile", "950", "--record", self.path("again.rec"))
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        shown = run(TOOL, "record", "--print", self.path("again.rec"), "--json")
        last = max(entry["end_ns"] for entry in json.loads(shown.stdout)["entries"])
        self.assertGreater(last, slept)

    def test_id_released_later(self):
        """One thread, and a recording that does not say when it released ids: each that it took
        again counts as free, as if another thread had released it during a later call."""
        path = self.record(*races(4, 1500, 1), "--asked")
        data = bytearray(content(path))
        freed = [at for at, kind, _ in entries(data) if kind == ND
                 and struct.unpack_from("<I", data, fields(data, at))[0] == FREED]
        taken = [struct.unpack_from("<Q", data, fields(data, at) + VALUE)[0]
                 for at, kind, size in entries(data)
                 if kind == ND and size > VALUE + 8
                 and struct.unpack_from("<I", data, fields(data, at))[0] == ID]
        self.assertGreater(len(freed), 3)
        self.assertLess(len(set(taken)), len(taken))  # some came again
        for at in freed:
            hide(data, at)
        done = self.replay(self.write("held.rec", bytes(data)))
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("the same answers at the same times", done.stdout)

    def test_what_one_thread_met_is_dropped(self):
        """Until a second thread calls, a recording has no entries of nondeterminism, and a replay is
        the same without. From there on it has all, of the call in progress too."""
        one, three = races(4, 300, 1), races(4, 300, 3)
        for arguments, backend, dropped in ((one, "sim", True), (one, "auto", True),
                                            ((*one, "--asked"), "sim", False),
                                            (three, "sim", False)):
            with self.subTest(arguments, backend=backend):
                path = self.record(*arguments, TWINRT_BACKEND=backend)
                data = content(path)
                start, = struct.unpack_from("<Q", data, ND_FROM)
                begun = begins(data)
                placed = [begun[at] for at, kind, _ in entries(data) if kind in (SEEN, MOVED, ND)]
                self.assertEqual(start == 0, dropped)
                before = sum(1 for seq in placed if seq < start) if start else len(placed)
                self.assertLess(before, 20)  # of calls in which the room ended stays what they met
                self.assertEqual(len(placed) - before > 300, not dropped)
                if arguments != three:
                    self.same(*arguments, TWINRT_BACKEND=backend)
                else:  # rows of a host's waits may end elsewhere
                    done = self.replay(path)
                    self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
                    self.assertIn("the same answers at the same times", done.stdout)

    def test_a_time_that_was_not_there_yet(self):
        """What a thread found of the newest record of an event is answered as recorded: the device
        reported its time just after that."""
        path = self.record(*races(4, 400, 1), "--asked")
        data = bytearray(content(path))
        found = [at for at, kind, _ in entries(data) if kind == ND
                 and struct.unpack_from("<I", data, fields(data, at))[0] == SIGNAL]
        self.assertGreater(len(found), 3)
        for at in found:
            struct.pack_into("<Q", data, fields(data, at) + VALUE, 1)  # TWIN_NEWEST_UNTIMED
        done = self.replay(self.write("untimed.rec", bytes(data)))
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertIn(
            "signal.timestamp of thread 1: TWIN_OK in the recording, TWIN_E_NOT_READY here",
            done.stdout)

    def test_threads_that_race_little(self):
        for seed in (1, 2, 3):
            with self.subTest(seed):
                self.same(os.path.join(PROGRAMS, "check_program"), str(seed))

    def test_a_record_of_an_older_version(self):
        """Without the entries for the order of racing threads, it is run as well as possible, and
        a message says so."""
        path = self.record(*races(1, 20, 3))
        data = bytearray(content(path))
        struct.pack_into("<I", data, 12, 1)
        for at, kind, _ in list(entries(data)):
            if kind in (SEEN, MOVED, ND):
                hide(data, at)
        done = self.replay(self.write("old.rec", bytes(data)))
        self.assertIn("lacks the order of racing threads", done.stdout)
        self.assertNotIn("left out", done.stdout)
        done = self.replay(path)
        self.assertNotIn("lacks the order of racing threads", done.stdout)

    def test_the_model_in_systemverilog(self):
        """The blocks as SystemVerilog, alone and in lock step, repeat a recording of the C++ to the
        cycle."""
        programs = ((os.path.join(EXAMPLES, "stream_wait_event"),),
                    (RANDOM, "wide", "--seed=2"),
                    races(1, 8, 3))
        for program in programs:
            path = self.record(*program)
            for model in ("rtl", "lockstep"):
                with self.subTest(program[0], model=model):
                    done = self.replay(path, "--model", model, "--trace", self.path("again.json"))
                    if done.returncode == 125 and "RTL" in done.stderr:
                        self.skipTest("the model in SystemVerilog was not built")
                    self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
                    self.assertIn("the recorded one", done.stdout)
                    self.assertTrue(
                        content(self.path("run.json")) == content(self.path("again.json")))

    def test_kernels_that_were_only_timed(self):
        """They are only timed again, and the report says once how many: here and on another device,
           and of the recording of the replay."""
        program = os.path.join(PROGRAMS, "kernel_rates")
        line = "{} only timed here: times are compared, results of kernels are not"
        for count, text in (("1", "1 kernel was only timed in the recording and is"),
                            ("2", "2 kernels were only timed in the recording and are")):
            with self.subTest(count):
                path = self.record(program, count, TWINRT_KERNEL_DATA="off")
                again = self.path("again.rec")
                for options, verdict in (
                        (("--trace", self.path("again.json"), "--record", again),
                         "the same answers at the same times"),
                        (("--profile", "910b4"), "the same answers\n")):
                    done = self.replay(path, *options)
                    self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
                    self.assertIn(verdict, done.stdout)
                    self.assertEqual(" ".join(done.stdout.split()).count(line.format(text)), 1,
                                     done.stdout)
                self.assertTrue(content(self.path("run.json")) == content(self.path("again.json")))
                self.assertIn(text, " ".join(self.replay(again).stdout.split()))
        done = self.replay(self.record(program, "2", TWINRT_KERNEL_DATA="on"),
                           TWINRT_KERNEL_DATA="off")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertNotIn("only timed", done.stdout)

    def test_another_seed_is_another_device(self):
        path = self.record(os.path.join(EXAMPLES, "stream_wait_event"))
        done = self.replay(path, TWINRT_SEED="5")
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertIn("another: TWINRT_SEED is 5 here, 0 in the recording", done.stdout)

    def test_another_part_takes_its_own_time(self):
        program = os.path.join(EXAMPLES, "stream_wait_event")
        path = self.record(program)
        done = self.replay(path, "--profile", "910b4", "--record", self.path("there.rec"))
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertIn("another: ", done.stdout)
        own = self.path("own.rec")
        self.assertEqual(run(program, TWINRT_RECORD=own, TWINRT_PROFILE="910b4").returncode, 0)
        compared = run(TOOL, "compare", own, self.path("there.rec"))
        self.assertEqual(compared.returncode, 0, compared.stdout)

    def test_every_part_takes_the_work(self):
        path = self.record(RANDOM, "wide", "--seed=3")
        for profile in ("310p3", "310b1", "910a", "910_9391", "950"):
            with self.subTest(profile):
                done = self.replay(path, "--profile", profile)
                self.assertNotIn("did not survive", done.stderr)
                self.assertIn(done.returncode, (0, 1))

    def test_a_board(self):
        """The loop replaces it: no clock to compare, and no thread waits in the turn of the thread
        that would wake it."""
        board = {
            "TWINRT_BACKEND": "ascend", "TWINRT_ASCEND_HOME": os.path.join(
                os.path.dirname(EXAMPLES), "loop")}
        for name in ("event_synchronize", "host_function", "stream_wait_event"):
            for times in ("device", "events"):
                with self.subTest(name, times=times):
                    path = self.record(os.path.join(EXAMPLES, name), TWINRT_RECORD_TIMES=times,
                                       **board)
                    done = self.replay(path, **board)
                    self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
                    self.assertIn("no two runs of a board take the same time", done.stdout)
                    self.assertIn("\nthe same answers\n", done.stdout)

    def test_a_backend_without_devices(self):
        done = self.replay(self.record(os.path.join(EXAMPLES, "host_function")), "--backend",
                           "null")
        self.assertEqual(done.returncode, 125, done.stdout)
        self.assertIn("no device to replay on", done.stderr)


class Otherwise(Folder):
    def change(self, kind, offset, layout, change):
        """Changes a field of the first entry of a kind."""
        data = bytearray(content(self.record(os.path.join(EXAMPLES, "stream_wait_event"))))
        at = fields(data, next(at for at, found, _ in entries(data) if found == kind)) + offset
        old, = struct.unpack_from(layout, data, at)
        struct.pack_into(layout, data, at, change(old))
        return self.write("changed.rec", data)

    def test_less_work_takes_less_time(self):
        done = self.replay(self.change(WORK_FILL, 24, "<Q", lambda n: n // 2))
        self.assertEqual(done.returncode, 1)
        self.assertIn("tasks at different times", done.stdout)

    def test_another_time_of_a_task_is_reported(self):
        done = self.replay(self.change(TASK, 12, "<I", lambda n: n + 1))
        self.assertEqual(done.returncode, 1)
        self.assertIn("tasks at different times: 1\n", done.stdout)

    def test_another_status_is_reported(self):
        data = bytearray(content(self.record(os.path.join(EXAMPLES, "stream_wait_event"))))
        at = next(at for at, kind, _ in entries(data) if kind == QUEUE_QUERY or kind == 74)
        set_status(data, at, 1)
        done = self.replay(self.write("changed.rec", data))
        self.assertEqual(done.returncode, 1)
        self.assertIn("answered differently: 1\n", done.stdout)
        self.assertIn("TWIN_OK here (seq ", done.stdout)

    def test_what_means_nothing_is_left_out(self):
        done = self.replay(self.change(56, 4, "<I", lambda n: 77))
        self.assertEqual(done.returncode, 1)
        self.assertIn("its pages is 77, which means nothing", done.stdout)

    def test_what_no_device_has(self):
        path = self.record(os.path.join(EXAMPLES, "stream_wait_event"))
        done = self.replay(path, "--profile", "no_such_part")
        self.assertEqual(done.returncode, 125)
        self.assertIn("no device to replay on", done.stderr)
        # the model in SystemVerilog is there when it was built; else that is said, and nothing else
        done = self.replay(path, "--model", "rtl")
        self.assertIn(done.returncode, (0, 125))
        self.assertTrue(done.returncode == 0 or "RTL" in done.stderr, done.stderr)


class Damaged(Folder):
    def survives(self, path):
        done = self.replay(path, seconds=30, TWINRT_LOG="error")
        self.assertNotIn("did not survive", done.stderr)
        return done

    def test_no_record(self):
        self.assertEqual(self.replay(self.path("nothing")).returncode, 2)
        self.assertEqual(self.replay(self.write("empty", b"")).returncode, 2)
        self.assertEqual(self.replay(self.write("text", b"no record\n" * 1000)).returncode, 2)

    def test_cut_off_anywhere(self):
        data = content(self.record(os.path.join(EXAMPLES, "host_function"), data=False))
        places = [at for at, _, _ in entries(data)]
        for size in [100, HEADER - 1, HEADER, HEADER + 10, *places[::7],
                     *(at + 30 for at in places[::11])]:
            with self.subTest(size):
                done = self.survives(self.write("cut.rec", data[:size]))
                if size <= HEADER + 10:
                    self.assertEqual(done.returncode, 2)

    def test_a_process_that_died(self):
        """Entries up to some place, and none after it: the calls under way then have no end."""
        data = bytearray(
            content(self.record(os.path.join(EXAMPLES, "stream_wait_event"), data=False)))
        for at, _, _ in list(entries(data))[::-5][:8]:
            cut_ends(data, begins(data)[at])
            self.survives(self.write("died.rec", bytes(data)))

    def test_damage_by_seeds(self):
        for name, rounds in (("host_function", 40), ("vector_add", 30), ("stream_wait_event", 30)):
            whole = content(self.record(os.path.join(EXAMPLES, name), data=False))
            places = [(at, size) for at, kind, size in entries(whole) if kind not in (2, 3, 4)]
            for seed in range(rounds):
                dice = random.Random(f"{name} {seed}")
                data = bytearray(whole)
                for _ in range(dice.choice((1, 2, 5, 20))):
                    at, size = dice.choice(places)
                    at += dice.randrange(8, size)
                    data[at] = dice.choice(
                        (0, 1, 2, 255, dice.randrange(256), data[at] ^ 1 << dice.randrange(8)))
                with self.subTest(name, seed=seed):
                    self.survives(self.write("damaged.rec", bytes(data)))


    def test_sleeps_and_edges_by_seeds(self):
        """Any length of a sleep, any thread and place that one follows: a replay and a check come
        to an end."""
        path = self.path("run.rec")
        done = run(TOOL, "record", "-o", path, "--", os.path.join(PROGRAMS, "order_program"),
                   "cond")
        self.assertEqual(done.returncode, 0, done.stderr)
        whole = content(path)
        places = [fields(whole, at) + 8 * field for at, kind, size in entries(whole)
                  if kind in (HOST_ADVANCE, HOST_FOLLOW)
                  for field in range((at + size - fields(whole, at)) // 8)]
        self.assertGreater(len(places), 10)
        for seed in range(40):
            dice = random.Random(f"order {seed}")
            data = bytearray(whole)
            for _ in range(dice.choice((1, 2, 5))):
                struct.pack_into("<Q", data, dice.choice(places),
                                 dice.choice(
                                     (0, 1, 2, 3, 1 << 20, 1 << 62, (1 << 64) - 1,
                                      dice.randrange(2000))))
            with self.subTest(seed=seed):
                changed = self.write("damaged.rec", bytes(data))
                self.survives(changed)
                self.assertIn(run(TOOL, "check", changed).returncode, (0, 1, 3))


class Hostile(Folder):
    """Records that no writer makes, for everything that reads them."""
    def test_texts_that_are_none(self):
        data = bytearray(
            content(self.record(os.path.join(EXAMPLES, "stream_wait_event"), data=False)))
        for at, kind, size in list(entries(data)):
            if kind == 1:  # a call site, which has a name
                data[fields(data, at) + 24] = 0xff
        path = self.write("bytes.rec", bytes(data))
        for command in (("record", "--print", path, "--json"),
                        ("compare", "--json", path, self.path("run.rec")),
                        ("check", "--json", path)):
            done = subprocess.run([TOOL, *command], capture_output=True, timeout=60, check=False)
            json.loads(done.stdout.decode("utf-8", "strict"))

    def claim(self, kind, offset, layout, value, program="stream_wait_event"):
        """All entries of a kind claim something."""
        data = bytearray(content(self.record(os.path.join(EXAMPLES, program), data=False)))
        for at, found, _ in list(entries(data)):
            if found == kind:
                struct.pack_into(layout, data, fields(data, at) + offset, value)
        return self.write("claim.rec", bytes(data))

    def bounded(self, path, *options):
        """The replay comes to its end, and neither it nor a reader ever had more than 1 GiB."""
        for command in (("replay", path, *options), ("check", path), ("record", "--print", path)):
            script = (
                "import resource, subprocess, sys; done = subprocess.run(sys.argv[1:], "
                "capture_output=True, timeout=60); "
                "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, done.returncode); "
                "sys.stdout.write(done.stdout[:20000].decode(errors='replace'))")
            done = subprocess.run([sys.executable, "-c", script, TOOL, *command],
                                  capture_output=True, text=True, timeout=90, check=True,
                                  env={**os.environ, "TWINRT_BACKEND": "sim",
                                       "TWINRT_LOG": "error"})
            most, code = done.stdout.splitlines()[0].split()
            self.assertLess(int(most), 1 << 20, command)
            self.assertIn(int(code), (0, 1, 2, 3), done.stdout)
            if command[0] == "replay":
                output = done.stdout
        return output

    def test_huge_work_is_left_out(self):
        """Fills of 16 GiB in allocations that hold them, and no more than 256 MiB for all."""
        data = bytearray(
            content(self.record(os.path.join(EXAMPLES, "stream_wait_event"), data=False)))
        for at, kind, _ in list(entries(data)):
            if kind == 56:  # memory.alloc
                struct.pack_into("<Q", data, fields(data, at) + 8, 16 << 30)
            elif kind == WORK_FILL:
                struct.pack_into("<Q", data, fields(data, at) + 24, 16 << 30)
        output = self.bounded(self.write("fill.rec", bytes(data)), "--memory", "256")
        self.assertIn("with 0x400000000 bytes more than 256 MiB of memory would be in use", output)

    def test_huge_claims(self):
        for name, kind, offset, layout, value in (("an allocation", 56, 8, "<Q", 1 << 62),
                                                  ("pinned memory", 58, 8, "<Q", 1 << 45),
                                                  ("a copy", 96, 32, "<Q", 1 << 39),
                                                  ("a copy at once", 61, 24, "<Q", 1 << 39),
                                                  ("a fill", WORK_FILL, 24, "<Q", 1 << 39),
                                                  ("a time", MOVED, 0, "<Q", 1 << 61),
                                                  ("many events", MOVED, 8, "<Q", 1 << 63),
                                                  ("many tasks", SEEN, 8, "<Q", 1 << 63)):
            with self.subTest(name):
                self.bounded(
                    self.claim(kind, offset, layout, value, "vector_add" if kind == 61
                               else "stream_wait_event"),
                    "--memory", "256")

    def test_a_file_of_holes(self):
        """A file that says to be a terabyte long and has nothing in it but its beginning."""
        path = self.record(os.path.join(EXAMPLES, "stream_wait_event"), data=False)
        os.truncate(path, 1 << 40)
        self.bounded(path)

    def test_an_op_of_many_tasks_takes_no_longer(self):
        data = bytearray(
            content(self.record(os.path.join(EXAMPLES, "stream_wait_event"), data=False)))
        for at, kind, _ in list(entries(data)):
            if 96 <= kind <= 114:
                struct.pack_into("<I", data, fields(data, at) + 4, 0xffffffff)
        path = self.write("tasks.rec", bytes(data))
        for command in ("check", "replay"):  # looking for each of them would take minutes
            self.assertIn(run(TOOL, command, path, seconds=20).returncode, (0, 1, 2, 3))


if __name__ == "__main__":
    unittest.main()
