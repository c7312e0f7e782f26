#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`twinrt run` as the parent of a program: --stall-after, and what it passes on. Arguments: the
tool, stall_program."""
import concurrent.futures
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest

PROGRAM = os.path.abspath(sys.argv.pop())
TOOL = os.path.abspath(sys.argv.pop())
STALLED = 97
TIMED_OUT = 124
DONE = 5  # what the program ends with
HEADER_BYTES = 65536  # of a recording
LINE = r"\ntwinrt: thread \d+ called from %s \(\S*stall_program\.c:\d+\)\n"


def run(*arguments, **options):
    # Where the tool itself is built with AddressSanitizer, a test preloads before it.
    sanitizer = "verify_asan_link_order=0:" + os.environ.get("ASAN_OPTIONS", "")
    environment = {**os.environ, "TWINRT_BACKEND": "sim", "ASAN_OPTIONS": sanitizer,
                   **options.pop("env", {})}
    return subprocess.run([TOOL, "run", *arguments], capture_output=True, text=True, timeout=60,
                          check=False, env=environment, **options)


class Stall(unittest.TestCase):
    """The main thread's join is not known to the runtime (--host-time calls), or it would prove a
    deadlock."""

    def test_a_program_in_which_nothing_moves_is_ended_with_the_report(self):
        got = run("--stall-after", "1", "--host-time", "calls", "--", PROGRAM, "never")
        self.assertEqual(got.returncode, STALLED, got.stderr)
        self.assertIn("waits for notify 0", got.stderr)
        self.assertIn("made no progress for 1 s (--stall-after)", got.stderr)
        self.assertRegex(got.stderr, LINE % "wait_endlessly")

    def test_also_when_files_are_asked_for(self):
        got = run("--stall-after", "1", "--host-time", "calls", "--stats", "--", PROGRAM, "never")
        self.assertEqual(got.returncode, STALLED, got.stderr)

    def test_a_process_below_the_program_is_ended(self):
        got = run("--stall-after", "1", "--host-time", "calls", "--", "sh", "-c",
                  '"$0" never; echo "it ended with $?"', PROGRAM)
        self.assertEqual((got.returncode, got.stdout),
                         (STALLED, f"it ended with {128 + signal.SIGTERM}\n"), got.stderr)

    def test_one_that_ignores_the_request_to_end_is_killed(self):
        got = run("--stall-after", "1", "--host-time", "calls", "--", "sh", "-c",
                  "trap '' TERM; exec \"$0\" never", PROGRAM)
        self.assertEqual(got.returncode, STALLED, got.stderr)

    def test_a_join_that_is_known_proves_a_deadlock(self):
        got = run("--stall-after", "30", "--", PROGRAM, "never")
        self.assertEqual(got.returncode, 1, got.stderr)
        self.assertIn("deadlock", got.stderr)

    def test_who_does_something_is_not_ended(self):
        for what in ("2500-calls", "2500-child", "2500-compute", "idle", "limit"):
            with self.subTest(what):
                got = run("--stall-after", "1", "--", PROGRAM, what)
                self.assertEqual(got.returncode, DONE, got.stderr)
                self.assertNotIn("made no progress for", got.stderr)

    def test_a_stopped_process_does_not_stand_still(self):
        script = '"$0" 400-calls & sleep 0.3; kill -STOP $!; sleep 2; kill -CONT $!; wait $!'
        got = run("--stall-after", "1", "--", "sh", "-c", script, PROGRAM)
        self.assertEqual(got.returncode, DONE, got.stderr)

    def test_bad_numbers(self):
        for bad in ("", "-1", "x", "1000001"):
            got = run("--stall-after", bad, "--", "true")
            self.assertEqual(got.returncode, 125, bad)
            self.assertIn("expected a number from 0 to", got.stderr)


class Timeout(unittest.TestCase):
    def test_a_program_that_takes_too_long_is_ended_with_the_report(self):
        for stall in ("0", "300"):
            got = run("--timeout", "1", "--stall-after", stall, "--host-time", "calls", "--",
                      PROGRAM, "never")
            self.assertEqual(got.returncode, TIMED_OUT, got.stderr)
            self.assertIn("has not ended within 1 s (--timeout)", got.stderr)
            self.assertIn("waits for notify 0", got.stderr)
            self.assertRegex(got.stderr, r"thread \d+ .*: in aclrtSynchronizeStream, called at ")
            self.assertRegex(got.stderr, LINE % "wait_endlessly")

    def test_a_deadlock_of_the_host_alone_is_reported(self):
        """Two threads wait for each other's mutex; the device is idle, and no work was ever
        submitted."""
        got = run("--timeout", "1", "--", PROGRAM, "locks")
        self.assertEqual(got.returncode, TIMED_OUT, got.stderr)
        lines = re.findall(r"thread (\d+) .*in pthread_mutex_lock, called at .*, for thread (\d+)",
                           got.stderr)
        self.assertEqual(len(lines), 2, got.stderr)
        self.assertEqual(lines[0], lines[1][::-1], got.stderr)
        for function in ("deadlock_by_locks", "lock_in_other_order"):
            self.assertRegex(got.stderr, LINE % function)
        self.assertIn("no stream has work", got.stderr)
        for said in re.findall(r"^  thread.*", got.stderr, re.MULTILINE):
            self.assertEqual(got.stderr.count(said), 1, got.stderr)

    def test_a_report_does_not_need_progress_without_a_caller(self):
        got = run("--timeout", "1", "--", PROGRAM, "locks", env={"TWINRT_PROGRESS": "off"})
        self.assertEqual(got.returncode, TIMED_OUT, got.stderr)
        self.assertEqual(len(re.findall(r"in pthread_mutex_lock, called at ", got.stderr)), 2,
                         got.stderr)
        self.assertNotIn("did not report", got.stderr)

    def test_work_that_no_call_has_let_begin_is_reported_so(self):
        """Device time moves in calls that wait or ask: the stream is not idle, and the model has
        not seen its task."""
        got = run("--timeout", "1", "--", PROGRAM, "unasked")
        self.assertEqual(got.returncode, TIMED_OUT, got.stderr)
        self.assertIn("tasks pending: 1, the first has not begun", got.stderr)
        self.assertNotIn("idle", got.stderr)

    def test_what_it_did_is_judged(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "kept.rec")
            got = run("--timeout", "1", "--check", "--record", path, "--host-time", "calls", "--",
                      PROGRAM, "limit")
            self.assertEqual(got.returncode, TIMED_OUT, got.stderr)
            # a wait with a limit is reported too
            self.assertIn("aclrtSynchronizeStreamWithTimeout", got.stderr)
            self.assertIn("warning[LIFE-12]", got.stderr)  # what was missing may have come later
            self.assertNotIn("error[", got.stderr)
            self.assertEqual(os.listdir(folder), ["kept.rec"])

    def test_a_process_below_and_one_that_ignores_the_request(self):
        script = '"$0" never & trap "" TERM; while :; do sleep 0.1; done'
        got = run("--timeout", "1", "--host-time", "calls", "--", "sh", "-c", script, PROGRAM)
        self.assertEqual(got.returncode, TIMED_OUT, got.stderr)
        self.assertIn("waits for notify 0", got.stderr)

    def test_what_the_program_leaves_behind_is_ended_too(self):
        """Processes that never call the runtime, keep the output open, and have no parent in the
        run any more."""
        for trap in ("", "trap '' TERM; "):
            script = f"(setsid sh -c \"{trap}while :; do sleep 1; done\" & echo $! >&2) & wait; sleep 100"
            got = run("--timeout", "1", "--", "sh", "-c", script)
            self.assertEqual(got.returncode, TIMED_OUT, got.stderr)
            orphan = int(re.search(r"^(\d+)$", got.stderr, re.MULTILINE).group(1))
            with self.assertRaises(ProcessLookupError):
                os.kill(orphan, 0)

    def test_processes_that_keep_ending_do_not_hold_the_limit_up(self):
        """Each that has lost its parent is a signal for the tool; so is each SIGUSR1 of another
        process."""
        script = "while :; do (sleep 0.02 &); sleep 0.1; done"
        got = run("--timeout", "1", "--", "sh", "-c", script)
        self.assertEqual(got.returncode, TIMED_OUT, got.stderr)

    def test_a_slot_of_a_process_that_is_gone_is_free_again(self):
        """All are taken by processes that were gone before the tool looked."""
        script = '"$0" stranger 999999999 gone; sleep 1; exec "$0" never'
        got = run("--timeout", "4", "--host-time", "calls", "--", "sh", "-c", script, PROGRAM)
        self.assertEqual(got.returncode, TIMED_OUT, got.stderr)
        self.assertIn("waits for notify 0", got.stderr)

    def test_a_process_that_is_not_of_the_run_is_left_alone(self):
        """As when the number in the shared memory is one of a container's own."""
        for option in ("--timeout", "--stall-after"):
            with subprocess.Popen(["sleep", "100"]) as stranger:
                try:
                    got = run(option, "1", "--timeout", "3", "--", PROGRAM, "stranger",
                              str(stranger.pid))
                    self.assertEqual(got.returncode, TIMED_OUT, got.stderr)
                    self.assertNotIn(str(stranger.pid), got.stderr)
                    self.assertIsNone(stranger.poll())
                finally:
                    stranger.kill()

    def test_without_a_device(self):
        got = run("--timeout", "1", "--", "sleep", "20")
        self.assertEqual(got.returncode, TIMED_OUT, got.stderr)
        self.assertIn("no process of it uses a device", got.stderr)

    def test_who_ends_in_time_is_left_alone(self):
        got = run("--timeout", "50", "--", PROGRAM, "100-calls")
        self.assertEqual((got.returncode, got.stderr), (DONE, ""))

    def test_bad_numbers(self):
        got = run("--timeout", "soon", "--", "true")
        self.assertEqual(got.returncode, 125)
        self.assertIn("--timeout is \"soon\"; expected a number from 0 to", got.stderr)


def bytes_of(path):
    try:
        return os.path.getsize(path)
    except FileNotFoundError: # it was renamed
        return 0


class Killed(unittest.TestCase):
    def test_the_recording_of_a_killed_run_has_its_name(self):
        """SIGKILL to the tool or to the program."""
        for whom in ("tool", "program"):
            with tempfile.TemporaryDirectory() as folder:
                path = os.path.join(folder, "kept.rec")
                command = ["sh", "-c", "echo $$; exec \"$0\" never", PROGRAM]
                with subprocess.Popen(
                    [TOOL, "run", "--record", path, "--host-time", "calls", "--", *command],
                    stdout=subprocess.PIPE,
                    stderr=subprocess.DEVNULL, text=True,
                    env={**os.environ, "TWINRT_BACKEND": "sim", "TMPDIR": folder}) as tool:
                    program = int(tool.stdout.readline())
                    # Larger than its header: it has the name under which the tool looks for it.
                    while not any(bytes_of(os.path.join(folder, name)) > HEADER_BYTES
                                  for name in os.listdir(folder)):
                        time.sleep(0.01)
                    os.kill(tool.pid if whom == "tool" else program, signal.SIGKILL)
                    self.assertEqual(tool.wait(timeout=30), -signal.SIGKILL if whom == "tool"
                                     else 128 + signal.SIGKILL)
                end = time.monotonic() + 30
                while os.listdir(folder) != ["kept.rec"] and time.monotonic() < end:
                    time.sleep(0.01)
                self.assertEqual(os.listdir(folder), ["kept.rec"], whom)
                got = subprocess.run([TOOL, "record", "--print", path], capture_output=True,
                                     text=True, check=False)
                self.assertEqual(got.returncode, 0, got.stderr)


class Parent(unittest.TestCase):
    """Watched or not: the same from outside."""
    WATCHES = ("0", "300")

    def test_status_and_signal(self):
        for watch in self.WATCHES:
            for script, wanted in (("exit 7", 7), ("kill -TERM $$", -signal.SIGTERM),
                                   ("kill -SEGV $$", -signal.SIGSEGV)):
                got = run("--stall-after", watch, "--", "sh", "-c", script)
                self.assertEqual((got.returncode, got.stderr), (wanted, ""), (watch, script))

    def test_signals_to_the_tool_reach_the_program(self):
        script = "trap 'echo signalled; exit 6' {0}; echo ready; while :; do sleep 0.05; done"
        for watch in self.WATCHES:
            for name in ("HUP", "INT", "QUIT", "TERM", "USR1", "USR2"):
                with subprocess.Popen(
                    [TOOL, "run", "--stall-after", watch, "--", "sh", "-c", script.format(name)],
                    stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as tool:
                    self.assertEqual(tool.stdout.readline(), "ready\n")
                    tool.send_signal(getattr(signal, "SIG" + name))
                    self.assertEqual(tool.stdout.readline(), "signalled\n", (watch, name))
                    self.assertEqual(tool.wait(timeout=30), 6)

    def test_killed_it_takes_the_program_with_it(self):
        for watch in self.WATCHES:
            with subprocess.Popen(
                [TOOL, "run", "--stall-after", watch, "--", "sh", "-c",
                 "echo ready; exec sleep 50"],
                stdout=subprocess.PIPE, text=True) as tool:
                self.assertEqual(tool.stdout.readline(), "ready\n")
                tool.kill()
                self.assertEqual(tool.stdout.read(), "")  # the last writer is gone
                self.assertEqual(tool.wait(timeout=30), -signal.SIGKILL)

    def test_input_and_output_are_those_of_the_tool(self):
        for watch in self.WATCHES:
            got = run("--stall-after", watch, "--", "sh", "-c",
                      "read line; echo $line; echo err >&2", input="given\n")
            self.assertEqual((got.stdout, got.stderr), ("given\n", "err\n"))

    def test_the_terminal_is_the_program_s(self):
        for watch in self.WATCHES:
            main, other = os.openpty()
            with subprocess.Popen([TOOL, "run", "--stall-after", watch, "--", "sh", "-c",
                                   "test -t 0 && echo here; read line </dev/tty; echo $line"],
                                  stdin=other, stdout=subprocess.PIPE,
                                  start_new_session=True, text=True,
                                  preexec_fn=lambda fd=other: __import__("fcntl").ioctl(
                                      fd, __import__("termios").TIOCSCTTY, 0)) as tool:
                os.write(main, b"typed\n")
                self.assertEqual(tool.communicate(timeout=30)[0], "here\ntyped\n")
            os.close(main)
            os.close(other)

    def test_nothing_is_left_behind(self):
        with tempfile.TemporaryDirectory() as folder:
            got = run("--", PROGRAM, "1-calls", env={"TMPDIR": folder})
            self.assertEqual((got.returncode, os.listdir(folder)), (DONE, []))


class Settings(unittest.TestCase):
    def test_options_become_settings(self):
        got = run("--deterministic", "--host-time", "sleeps", "--", "sh", "-c",
                  "echo $TWINRT_DETERMINISTIC $TWINRT_HOST_TIME")
        self.assertEqual(got.stdout, "on sleeps\n")
        got = run("--seed", "7", "--log", "error", "--fail-ops", "work.copy:1=TWIN_E_NOMEM", "--",
                  "sh", "-c",
                  "echo $TWINRT_SEED $TWINRT_LOG $TWINRT_FAIL_OPS")
        self.assertEqual(got.stdout, "7 error work.copy:1=TWIN_E_NOMEM\n")
        for options, environment, reason in (
            (["--host-time", "sleeps", "--deterministic"], {}, 'TWINRT_HOST_TIME is "sleeps"'),
            (["--host-time", "calls"], {"TWINRT_DETERMINISTIC": "on"},
             'TWINRT_HOST_TIME is "calls"')):
            got = run(*options, "--", PROGRAM, "1-calls", env=environment)
            self.assertEqual(got.returncode, 1, got.stderr)
            self.assertIn(f"TWINRT_DETERMINISTIC is on, but {reason}; unset it, or set it to sync",
                          got.stderr)
        alone = subprocess.run([PROGRAM, "1-calls"], capture_output=True, text=True, check=False,
                               env={**os.environ, "TWINRT_BACKEND": "sim",
                                    "TWINRT_DETERMINISTIC": "on"})
        self.assertEqual(alone.returncode, 1, alone.stderr)
        self.assertIn("libtwinrt-host.so is not loaded", alone.stderr)
        got = run("--host-time", "none", "--", "true")
        self.assertEqual(got.returncode, 125)
        self.assertIn("calls, sleeps, sync", got.stderr.replace("|", ", "))

    def test_the_host_library_is_loaded_unless_calls_alone_count(self):
        library = os.path.join(os.path.dirname(os.path.dirname(os.path.realpath(TOOL))), "lib64",
                               "libtwinrt-host.so")
        show = ("sh", "-c", "echo $LD_PRELOAD")
        self.assertEqual(run("--host-time", "calls", "--", *show).stdout, "\n")
        self.assertEqual(run("--", *show, env={"TWINRT_HOST_TIME": "calls"}).stdout, "\n")
        wanted = library if os.path.exists(library) else ""
        self.assertEqual(run("--", *show).stdout, wanted + "\n")
        if wanted:
            self.assertEqual(run("--", *show, env={"LD_PRELOAD": "libm.so.6"}).stdout, wanted +
                             ":libm.so.6\n")


def load_tests(loader, tests, pattern):
    """The tests as one that runs them side by side: nearly all only wait for a limit."""
    del loader, pattern
    cases = [case for suite in tests for case in suite]
    # With a preexec_fn, which can deadlock in a process that has threads.
    alone = [case for case in cases if case.id().endswith("the_terminal_is_the_program_s")]
    cases = [case for case in cases if case not in alone]

    class SideBySide(unittest.TestCase):
        def test(self):
            with concurrent.futures.ThreadPoolExecutor(8) as pool:
                results = list(pool.map(lambda case: case.run(unittest.TestResult()), cases))
            self.assertGreater(sum(result.testsRun for result in results), 0)
            for result in results:
                for case, problem in result.failures + result.errors:
                    with self.subTest(str(case)):
                        self.fail(problem)

    return unittest.TestSuite([*alone, SideBySide("test")])


if __name__ == "__main__":
    unittest.main()
