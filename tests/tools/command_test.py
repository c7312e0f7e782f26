#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The tool's commands without a device: options, status, environment. Argument: the tool."""
import fcntl
import json
import os
import pty
import re
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import unittest

# Areas that have no function which is not built.
COMPLETE = ("context", "cores", "data", "error", "init", "log", "peer", "tensor", "version")

TOOL = os.path.abspath(sys.argv.pop(1))


NO_CALL = "twinrt: the program made no ACL call that uses a device: no file was written\n"


def run(*arguments, **options):
    return subprocess.run([TOOL, *arguments], capture_output=True, text=True, timeout=30,
                          check=False, **options)


class Tool(unittest.TestCase):
    def test_version_and_help(self):
        self.assertRegex(run("--version").stdout, r"^twinrt \d+\.\d+\.\d+\n$")
        shown = run("--help")
        self.assertEqual(shown.returncode, 0)
        for command in ("api", "bench", "info", "record", "run"):
            self.assertIn(command, shown.stdout)
            self.assertEqual(run(command, "--help").returncode, 0)

    def test_unknown_command_lists_those_there_are(self):
        got = run("relay")
        self.assertEqual(got.returncode, 2)
        self.assertIn("no such command: relay", got.stderr)
        self.assertIn("There are: api bench calibrate check compare", got.stderr)
        self.assertEqual(run().returncode, 2)


class Api(unittest.TestCase):
    def rows(self, *options):
        """The lines of the list, without line ends inside a reason. None exceeds 100 columns."""
        shown = run("api", *options).stdout
        self.assertLessEqual(max(map(len, shown.splitlines())), 100)
        return re.sub(r"\n +", " ", shown).splitlines()

    def test_counts_and_reasons(self):
        every = self.rows("--all")
        missing = self.rows("--unsupported")
        self.assertEqual(every[-1], missing[-1])
        total, built, absent, elsewhere = (int(word)
                                           for word in every[-1].replace(",", "").replace(":", "")
                                .split() if word.isdigit())
        self.assertEqual(total, built + absent + elsewhere)
        self.assertEqual(len(every) - 1, total)
        self.assertEqual(len(missing) - 1, absent + elsewhere)
        for line in missing[:-1]:
            self.assertRegex(line, r"^(acl|rt[A-Z])\w+ +not (built|offered): \S")
        self.assertEqual(every[:-1], sorted(every[:-1], key=lambda line: line.split()[0]))

    def test_json_has_every_function_in_one_area(self):
        report = json.loads(run("api", "--json").stdout)
        lines = [line.split(None, 1) for line in self.rows("--all")[:-1]]
        self.assertEqual([row["name"] for row in report["functions"]], [name for name, _ in lines])
        counts = {}
        for row, (_, line) in zip(report["functions"], lines):
            state, _, reason = line.partition(": ")
            self.assertEqual((row["state"], row.get("reason", "")), (state, reason))
            self.assertIn(row["area"], report["areas"], row["name"])
            area = counts.setdefault(row["area"],
                                     dict.fromkeys(("built", "not built", "not offered"), 0))
            area[row["state"]] += 1
        # Counted from the table of areas, in which a name may be twice or not be exported at all.
        self.assertEqual(report["areas"], counts)
        for state, number in report["counts"].items():
            self.assertEqual(number, sum(area[state] for area in counts.values()))

    def test_parts_differ_as_the_reference_says(self):
        def states(*options, **environment):
            shown = run("api", "--json", *options, env={**os.environ, **environment})
            self.assertEqual(shown.returncode, 0, shown.stderr)
            report = json.loads(shown.stdout)
            return report["soc"], {row["name"]: row["state"] for row in report["functions"]}

        soc, inference = states("--profile", "310p3")
        self.assertEqual(soc, "Ascend310P3")
        for name, state in (("aclrtStreamAbort", "not offered"),
                            ("aclrtCntNotifyCreate", "not offered"),
                            ("aclrtSetGroup", "not built"), ("aclrtRecordEvent", "built")):
            self.assertEqual(inference[name], state, name)
        self.assertEqual(states(TWINRT_PROFILE="310p3"), (soc, inference))
        training = states()[1]
        for name, state in (("aclrtStreamAbort", "built"), ("aclrtCntNotifyCreate", "not offered"),
                            ("aclrtSetGroup", "not offered")):
            self.assertEqual(training[name], state, name)
        self.assertEqual(states("--profile=950")[1]["aclrtCntNotifyCreate"], "built")
        for name in ("aclrtCreateStreamV2", "aclrtProcessHostFunc"):
            self.assertEqual({part[name] for part in (inference, training)}, {"not offered"})
        wrong = run("api", "--profile=none")
        self.assertEqual(wrong.returncode, 1)
        self.assertIn("there is no profile none", wrong.stderr)

    def test_what_is_complete_stays_complete(self):
        report = json.loads(run("api", "--json").stdout)
        missing = [row["name"] for row in report["functions"]
                   if row["state"] == "not built" and row["area"] in COMPLETE]
        self.assertEqual(missing, [])


class Info(unittest.TestCase):
    def test_every_fact_that_is_counted_has_a_mark(self):
        shown = run("info", "--backend", "sim").stdout
        counts = [
            int(word) for word in shown.splitlines()[-1].partition(";")[0].replace(",", " ").split()
            if word.isdigit()]
        self.assertGreater(counts[0], 10)
        self.assertEqual(counts[0], sum(counts[1:]))

    def test_settings_stay_within_the_columns_of_a_terminal(self):
        """Broken at blanks; of 100 columns, if there is no terminal."""
        def settings(text):
            return [line for line in text.partition("settings:")[2].splitlines()
                    if line.startswith("  ")]
        piped = settings(run("info", "--backend", "sim").stdout)
        self.assertLessEqual(max(map(len, piped)), 100)
        leader, follower = pty.openpty()
        fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        shown = b""
        with subprocess.Popen([TOOL, "info", "--backend", "sim"], stdout=follower) as process:
            os.close(follower)
            try:
                while data := os.read(leader, 65536):
                    shown += data
            except OSError: # the other end is closed
                pass
        os.close(leader)
        self.assertEqual(process.returncode, 0)
        lines = settings(shown.decode())
        self.assertLessEqual(max(map(len, lines)), 80)
        self.assertGreater(len(lines), len(piped))
        self.assertEqual("".join("".join(lines).split()), "".join("".join(piped).split()))

    def test_a_profile_with_neither_folder_nor_bare_name_gets_a_hint(self):
        got = run("info", "--backend", "sim", "--profile", "910b3.json")
        self.assertNotEqual(got.returncode, 0)
        self.assertIn("./910b3.json", got.stderr)


    def test_the_profiles_that_are_there(self):
        shown = run("info", "--profiles")
        self.assertEqual(shown.returncode, 0)
        folder = os.path.join(os.path.dirname(os.path.dirname(os.path.realpath(TOOL))),
                              "lib64/twinrt/profiles")
        there = sorted(name[:-5] for name in os.listdir(folder))
        self.assertIn("910b3", there)
        self.assertEqual([line.split()[0] for line in shown.stdout.splitlines()[1:]], there)
        self.assertRegex(shown.stdout, "310p3 +Ascend310P3, on the base of 910b3\n")
        # each of them is whole, and its parameters say where they come from
        for name in there:
            got = run("info", "--backend", "sim", "--profile", name, "--json")
            self.assertEqual(got.returncode, 0, got.stderr)
            report = json.loads(got.stdout)
            with open(os.path.join(folder, name + ".json"), encoding="utf-8") as file:
                own = json.load(file)
            self.assertEqual(report["devices"][0]["soc_name"], own["soc_name"]["value"])
            self.assertGreater(len(report["parameters"]), 60)
            for row in report["parameters"]:
                self.assertIn(row["mark"], ("known", "inferred", "assumed"))
                self.assertTrue(row["source"] and row["unit"])
                node = own
                for part in row["name"].split("."):
                    node = node.get(part, {})
                if node:
                    self.assertNotIn("inherited_from", row)
                    self.assertEqual((row["value"], row["mark"], row["source"]),
                                     (node["value"], node["mark"], node["source"]))
                else:
                    self.assertEqual(row["inherited_from"], "910b3", row["name"])
            # its short description of the device agrees with the profile
            value = {row["name"]: row["value"] for row in report["parameters"]}
            limit = {key[len("limit."):]: number for key, number in value.items()
                     if key.startswith("limit.")}
            device = dict(report["devices"][0])
            self.assertEqual(device.pop("soc_name"), value["soc_name"])
            self.assertEqual(device.pop("memory_bytes"), limit["memory_mib"] << 20)
            self.assertEqual(device.pop("tasks_in_flight"), limit["sq_depth"] -
                             (limit["sq_reserve"] or 1))
            self.assertEqual(device, {key: limit[key] for key in device}, name)

    def test_a_named_profile_is_shown_in_full(self):
        shown = run("info", "--backend", "sim", "--profile", "310p3").stdout
        self.assertRegex(shown, r"firmware\.loop +1 1 +\[known\] CANN")
        self.assertRegex(shown, r"host\.doorbell_ns +500 ns +\[assumed\] inherited from 910b3: ")
        self.assertNotIn("[known]", run("info", "--backend", "sim").stdout)

    def test_a_profile_of_ones_own(self):
        with tempfile.TemporaryDirectory() as folder:
            def own(text):
                with open(os.path.join(folder, "own.json"), "w", encoding="utf-8") as file:
                    file.write(text)
                return run("info", "--backend", "sim", "--profile", "./own.json", cwd=folder)
            got = own('{"base": "310b1", "host": {"doorbell_ns": {"value": 123, "unit": "ns", '
                      '"mark": "assumed", "source": "mine"}}}')
            self.assertEqual(got.returncode, 0, got.stderr)
            self.assertIn("device 0: Ascend310B1, ", got.stdout)
            self.assertRegex(got.stdout, r"host\.doorbell_ns +123 ns +\[assumed\] mine")
            for text, parts in (
                    ('{"base": "910x"}', ("./own.json", "910x", "there is no")),
                    ('{"base": "310b1", "fetsh": {}}', ("./own.json", "fetsh", "not a parameter")),
                    ('{"base": "310b1", "fetch": {"window": {"value": 4}}}',
                     ("fetch.window.unit", "missing")),
                    ('{"base": "310b1"', ("./own.json", "not valid JSON", "line 1"))):
                got = own(text)
                self.assertEqual(got.returncode, 1, text)
                for part in parts:
                    self.assertIn(part, got.stderr, text)


class Run(unittest.TestCase):
    def test_status_of_the_program(self):
        self.assertEqual(run("run", "--", "sh", "-c", "exit 7").returncode, 7)
        self.assertEqual(run("run", "true").returncode, 0)
        self.assertEqual(run("run", "--explain", "--", "sh", "-c", "exit 7").returncode, 7)

    def test_signals(self):
        self.assertEqual(run("run", "--", "sh", "-c", "kill -9 $$").returncode, -signal.SIGKILL)
        got = run("run", "--explain", "--", "sh", "-c", "kill -9 $$")
        self.assertEqual(got.returncode, 128 + signal.SIGKILL)
        self.assertIn("signal 9", got.stderr)

    def test_a_signal_to_the_tool_reaches_the_program(self):
        script = "trap 'echo signalled; exit 5' TERM; echo ready; while :; do sleep 0.05; done"
        with subprocess.Popen([TOOL, "run", "--explain", "--", "sh", "-c", script],
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                              text=True) as tool:
            self.assertEqual(tool.stdout.readline(), "ready\n")
            tool.terminate()
            self.assertEqual(tool.stdout.readline(), "signalled\n")
            self.assertEqual(tool.wait(timeout=30), 5)

    def test_programs_that_cannot_run(self):
        self.assertEqual(run("run", "/no/such/program").returncode, 127)
        self.assertEqual(run("run", "--explain", "/no/such/program").returncode, 127)
        self.assertEqual(run("run", "/etc/passwd").returncode, 126)
        self.assertEqual(run("run").returncode, 125)
        self.assertEqual(run("run", "--no-such-option", "true").returncode, 125)

    def test_arguments_of_the_program_are_its_own(self):
        got = run("run", "--", "printf", "%s,", "--help", "--trace", "-x")
        self.assertEqual(got.stdout, "--help,--trace,-x,")
        got = run("run", "printf", "%s,", "--help")
        self.assertEqual(got.stdout, "--help,")

    def test_settings(self):
        show = 'echo "$TWINRT_BACKEND $TWINRT_PROFILE $TWINRT_DEVICES"'
        got = run("run", "--backend", "null", "--profile", "910b3", "--devices=3", "--", "sh",
                  "-c", show)
        self.assertEqual(got.stdout, "null 910b3 3\n")
        for bad in (("--devices", "0"), ("--devices", "65"), ("--devices", "two"),
                    ("--backend", "nvidia"), ("--trace", "")):
            got = run("run", *bad, "true")
            self.assertEqual(got.returncode, 125, bad)
            self.assertTrue(got.stderr)

    def test_a_rule_of_failures_is_refused_before_the_program_starts(self):
        for rule in ("typo", "work.copy:0=TWIN_E_NOMEM", "work.copy:1=ENOMEM",
                     "work.cpy:1=TWIN_E_NOMEM"):
            got = run("run", f"--fail-ops={rule}", "--", "echo", "ran")
            self.assertEqual((got.returncode, got.stdout), (125, ""), rule)
            self.assertEqual(got.stderr.count(rule), 1, got.stderr)
            self.assertTrue(got.stderr.startswith(f'twinrt run: --fail-ops: "{rule}" '), got.stderr)

    def test_a_profile_that_is_not_there(self):
        with tempfile.TemporaryDirectory() as folder:
            own = os.path.join(folder, "own.json")
            for name in ("nope", "own.json", "./own.json", own, ""):
                got = run("run", "--profile", name, "--", "echo", "ran", cwd=folder)
                self.assertEqual((got.returncode, got.stdout), (125, ""), name)
                self.assertIn("profile", got.stderr)
            with open(own, "w", encoding="utf-8") as file:
                file.write("{}")
            for name in ("910b3", "950", "./own.json", own):
                got = run("run", "--profile", name, "--", "echo", "ran", cwd=folder)
                self.assertEqual((got.returncode, got.stdout), (0, "ran\n"), name)

    def test_a_name_that_is_not_there(self):
        """Each command that looks for a profile says where, and what is there."""
        folder = os.path.join(os.path.dirname(os.path.dirname(os.path.realpath(TOOL))),
                              "lib64/twinrt/profiles")
        names = ", ".join(sorted(name[:-5] for name in os.listdir(folder)))
        wanted = (f'there is no profile 910b33 in {folder}; expected {names}; a file of your own '
                  'is named with a "/" (./910b33.json)')
        for command in (("run", "--profile", "910b33", "--", "true"), ("api", "--profile=910b33"),
                        ("info", "--backend=sim", "--profile=910b33"),
                        ("calibrate", "--profile=910b33", "any.rec")):
            got = run(*command)
            self.assertNotEqual(got.returncode, 0)
            self.assertIn(wanted + "\n", got.stderr, command)
        for command in (("run", "--profile=./", "--", "true"), ("api", "--profile=/")):
            self.assertIn("/: cannot be read: Is a directory\n", run(*command).stderr)
        self.assertIn("the profile is empty; expected a name or a file",
                      run("api", "--profile=").stderr)
        bare = run("run", "--profile", "910b3.json", "--", "true")
        self.assertIn("(./910b3.json)", bare.stderr)

    def test_info_of_a_profile(self):
        for name, soc, counts in (("910b3", "Ascend910B3", False),
                                  ("950", "Ascend950PR_9599", True)):
            shown = run("info", env={**os.environ, "TWINRT_PROFILE": name}).stdout
            if "backend: sim" in shown:
                self.assertIn(f"device 0: {soc}, ", shown)
                self.assertEqual(" counting notifies, " in shown, counts)

    def test_trace_path_is_absolute(self):
        with tempfile.TemporaryDirectory() as folder:
            got = run("run", "--trace", "t.json", "--", "sh", "-c", "echo $TWINRT_TRACE",
                      cwd=folder)
            self.assertRegex(got.stdout, "^" +
                             re.escape(os.path.join(os.path.realpath(folder), "t.json"))
                             + r"\.[0-9a-f-]+\.%p\n$")

    def test_two_runs_at_once_keep_their_files_apart(self):
        # Each writes half of its file, waits until the other has too, and then the rest.
        program = 'f=$(echo "$TWINRT_MSPROF" | sed "s/%p/$$/"); echo $1 >$f; touch here.$1;' \
                  ' while [ ! -e here.$2 ]; do sleep 0.01; done; echo $1 >>$f'
        for name, left in (("f", 1), ("f.%p", 2), ("f%p.bin", 2)):
            with tempfile.TemporaryDirectory() as folder:
                runs = [
                    subprocess.Popen(
                        [TOOL, "run", "--msprof", name, "--", "sh", "-c", program, "sh", own,
                         other],
                        cwd=folder, stderr=subprocess.PIPE, text=True)
                    for own, other in ("ab", "ba")]
                said = [run.communicate(timeout=40)[1] for run in runs]
                self.assertEqual([run.returncode for run in runs], [0, 0], said)
                self.assertEqual(said, ["", ""])
                files = [entry for entry in os.listdir(folder) if not entry.startswith("here.")]
                self.assertEqual(len(files), left, files)
                texts = set()
                for entry in files:
                    self.assertRegex(entry, "^" + re.escape(name).replace("%p", "[0-9]+") + "$")
                    with open(os.path.join(folder, entry), encoding="utf-8") as file:
                        texts.add(file.read())
                self.assertTrue(texts <= {"a\na\n", "b\nb\n"}, texts)
                self.assertEqual(len(texts), left)

    def test_each_output_has_a_file(self):
        with tempfile.TemporaryDirectory() as folder:
            os.mkdir(os.path.join(folder, "sub"))
            os.symlink("sub", os.path.join(folder, "link"))
            for first, second in (("--trace=f", "--vcd=f"), ("--stats=f", "--record=./f"),
                                  ("--trace=sub/f", "--msprof=link/f"),
                                  ("--vcd=f%p", f"--record={folder}/f%p")):
                got = run("run", first, second, "--", "echo", "ran", cwd=folder)
                self.assertEqual((got.returncode, got.stdout), (125, ""), (first, second))
                self.assertIn("give each a file", got.stderr)

    def test_faults_are_read_before_the_program(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "f.json")
            with open(path, "w", encoding="utf-8") as file:
                file.write('{"faults": [{"kind": "bad_task"}]}')
            got = run("run", "--faults", "f.json", "--", "sh", "-c", "echo $TWINRT_FAULTS",
                      cwd=folder)
            self.assertEqual(got.stdout, os.path.realpath(path) + "\n")
            with open(path, "w", encoding="utf-8") as file:
                file.write('{"faults": [{"kind": "bad"}]}')
            got = run("run", "--faults", "f.json", "--", "echo", "ran", cwd=folder)
            self.assertEqual((got.returncode, got.stdout), (125, ""))
            self.assertIn("f.json: faults[0].kind must be one of the words", got.stderr)

    def test_libraries_come_from_beside_the_tool(self):
        environment = dict(os.environ, LD_LIBRARY_PATH="/elsewhere")
        got = run("run", "--", "sh", "-c", "echo $LD_LIBRARY_PATH", env=environment)
        root = os.path.dirname(os.path.dirname(os.path.realpath(TOOL)))
        self.assertEqual(got.stdout, root + "/lib64:/elsewhere\n")

    def test_no_timeline_is_said(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "old.json")
            with open(path, "w", encoding="utf-8") as file:
                file.write("from an earlier run")
            got = run("run", "--explain", "--trace", path, "true")
            self.assertEqual(got.returncode, 0)
            self.assertEqual(got.stderr, NO_CALL)
            left = os.listdir(folder)
            got = run("run", "--explain", "true", env=dict(os.environ, TMPDIR=folder))
            self.assertEqual(got.returncode, 0)
            self.assertEqual(os.listdir(folder), left)

    def test_a_wrong_value_is_named_as_it_was_given(self):
        for command in ("run", "info", "bench"):
            for option, value, allowed in (("devices", "99", "1..64"),
                                           ("backend", "board", "auto|sim|null|ascend")):
                if (command, option) == ("bench", "devices"):
                    continue
                got = run(command, f"--{option}", value,
                          *(["--", "true"] if command == "run" else []))
                self.assertEqual(got.returncode, 125 if command == "run" else 2,
                                 (command, got.stderr))
                self.assertIn(f"--{option}={value} is invalid; expected {allowed}\n", got.stderr)
                self.assertNotIn("TWINRT_", got.stderr)

    def test_calls_can_be_required(self):
        for options in (["--require-calls"], ["--require-calls", "--check"],
                        ["--require-calls", "--stall-after", "0"]):
            got = run("run", *options, "--", "true")
            self.assertEqual((got.returncode, got.stdout), (125, ""), options)
            self.assertIn("made no ACL call that uses a device (--require-calls)", got.stderr)
            got = run("run", *options, "--", "sh", "-c", "exit 7")
            self.assertEqual(got.returncode, 7, options)

    def test_a_file_that_was_asked_for_is_there_or_missed(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "old")
            with open(path, "w", encoding="utf-8") as file:
                file.write("from an earlier run")
            for option in ("--trace", "--stats", "--msprof", "--vcd", "--record"):
                for given in (path, os.path.join(folder, "new")):
                    got = run("run", f"{option}={given}", "--", "true")
                    self.assertEqual((got.returncode, got.stderr), (0, NO_CALL), option)
                    got = run("run", f"{option}={given}", "--", "sh", "-c", "exit 7")
                    self.assertEqual(got.returncode, 7, option)
                got = run("run", f"{option}={path}", "--", "/no/such/program")
                self.assertEqual(got.returncode, 127)
                self.assertNotIn("ACL call", got.stderr)
            self.assertEqual(os.listdir(folder), ["old"])

    def test_help_names_every_backend(self):
        shown = run("run", "--help").stdout
        for name in ("auto", "sim", "ascend", "null"):
            self.assertRegex(shown, rf"--backend=NAME +The device: .*\b{name}\b")


if __name__ == "__main__":
    unittest.main()
