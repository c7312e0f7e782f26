#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Man pages and completion say what the programs' help says.

usage: pages_test.py BIN MAN COMPLETION"""
import os
import pty
import re
import select
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
COMPLETION = os.path.abspath(sys.argv.pop())
MAN = os.path.abspath(sys.argv.pop())
BIN = os.path.abspath(sys.argv.pop())


def help_of(*command):
    return subprocess.run([os.path.join(BIN, command[0]), *command[1:], "--help"], capture_output=True, text=True, check=True).stdout


def commands():
    return re.findall(r"^  ([a-z]+)  ", help_of("twinrt").split("Commands:")[1], re.MULTILINE)


class Pages(unittest.TestCase):
    def shown(self, name):
        """The page as a terminal of 80 columns shows it; a warning of the formatter is a failure."""
        env = dict(os.environ, MANWIDTH="80", LC_ALL="C.UTF-8", MANROFFSEQ="")
        done = subprocess.run(["man", "--warnings", "-l", os.path.join(MAN, name + ".1")], env=env, capture_output=True, text=True,
                              check=True)
        self.assertEqual(done.stderr, "")
        for line in done.stdout.splitlines():
            self.assertLessEqual(len(line), 80, line)
        return done.stdout

    def test_there_is_a_page_for_each_command(self):
        wanted = {"twinrt.1", "twinrt-cc.1"} | {f"twinrt-{command}.1" for command in commands()}
        self.assertGreater(len(wanted), 10)
        self.assertEqual(set(os.listdir(MAN)), wanted)

    def test_options(self):
        for command in [("twinrt",), ("twinrt-cc",)] + [("twinrt", name) for name in commands()]:
            text = self.shown("-".join(command))
            text = re.sub("\u2010\n +", "", text).replace("\u2010", "-")
            for option in re.findall(r"^ +(?:-\S, )?(--[a-z-]+)", help_of(*command), re.MULTILINE):
                self.assertRegex(text, re.escape(option) + r"\b", command)
            self.assertIn("\n".join(text.split("\n", 2)[:1]).split("(")[0], "-".join(command).upper())
            self.assertRegex(text, r"NAME\n +" + "-".join(command) + r" +- +\w")

    def test_statuses_and_settings(self):
        self.assertRegex(self.shown("twinrt-run"), r"EXIT STATUS\n +97: ")
        text = self.shown("twinrt")
        for name, value in (("TWINRT_BACKEND", "auto"), ("TWINRT_PROFILE", "910b3"), ("TWINRT_SEED", "0")):
            self.assertRegex(text, rf"\n +{name}\n +\({value}\) +\w")
        for command in commands():
            self.assertIn(f"twinrt-{command}(1)", text.replace("\u2010\n       ", "").replace("\u2010", "-"))


    def test_pages_do_not_depend_on_what_else_is_built(self):
        """A parallel build makes them before or after the model: with the null device alone they are the same."""
        with tempfile.TemporaryDirectory() as folder:
            shutil.copytree(BIN, os.path.join(folder, "bin"), ignore=lambda _, names: set(names) - {"twinrt", "twinrt-cc"})
            plugins = os.path.join(folder, "lib64", "twinrt")
            os.makedirs(plugins)
            libraries = os.path.join(os.path.dirname(BIN), "lib64")
            for name in os.listdir(libraries):
                if ".so" in name:
                    os.symlink(os.path.join(libraries, name), os.path.join(folder, "lib64", name))
            shutil.copy(os.path.join(libraries, "twinrt", "backend-null.so"), plugins)
            subprocess.run([os.path.join(SOURCE, "tools", "man", "make.sh"), os.path.join(folder, "bin"), os.path.join(folder, "man")],
                           check=True)
            for name in os.listdir(MAN):
                with open(os.path.join(MAN, name), encoding="utf-8") as built, \
                        open(os.path.join(folder, "man", name), encoding="utf-8") as alone:
                    # the heading has the month
                    self.assertEqual(re.sub(r"(?m)^\.TH .*", "", alone.read()), re.sub(r"(?m)^\.TH .*", "", built.read()), name)


class Completion(unittest.TestCase):
    def offered(self, line):
        """What the function offers at the end of the line; bash takes "=" as a word of its own."""
        words = re.findall(r"=|[^\s=]+", line) + ([""] if line.endswith((" ", "=")) else [])
        script = f"compopt() {{ :; }}; . {COMPLETION}; COMP_CWORD={len(words) - 1}; COMP_WORDS=({' '.join(map(repr, words))}); " \
                 f"_twinrt {words[0]}; printf '%s\\n' \"${{COMPREPLY[@]}}\""
        env = dict(os.environ, PATH=BIN + ":" + os.environ["PATH"])
        done = subprocess.run(["bash", "--norc", "-c", script], env=env, capture_output=True, text=True, check=True)
        self.assertEqual(done.stderr, "")
        return set(done.stdout.split())

    def test_commands(self):
        self.assertEqual(self.offered("twinrt "), set(commands()))
        self.assertEqual(self.offered("twinrt re"), {"record", "replay"})

    def test_options(self):
        for command in commands():
            wanted = set(re.findall(r"^ +(?:-\S, )?(--[a-z-]+)", help_of("twinrt", command), re.MULTILINE))
            self.assertEqual({option.rstrip("=") for option in self.offered(f"twinrt {command} --")}, wanted)
        self.assertEqual(self.offered("twinrt-cc --pr"), {"--print-prefix"})

    def test_values(self):
        self.assertEqual(self.offered("twinrt run --model="), {"tlm", "rtl", "lockstep"})
        self.assertEqual(self.offered("twinrt run --backend=a"), {"auto", "ascend"})
        self.assertEqual(self.offered("twinrt record -o a.rec -- ./program --"), set())

    def test_tab(self):
        """In an interactive shell, as a person types it."""
        child, terminal = pty.fork()
        if child == 0:
            os.environ.update(PATH=BIN + ":" + os.environ["PATH"], PS1="> ", TERM="dumb", HISTFILE="/dev/null", INPUTRC="/dev/null")
            os.execlp("bash", "bash", "--norc", "--noprofile", "-i")
        for keys, expected in ((f". {COMPLETION}; echo rea''dy\n", "ready"), ("twinrt compar\t--js\t", "twinrt compare --json"),
                               ("\x15twinrt run --model=lock\t", "--model=lockstep"), ("\x15exit\n", "exit")):
            os.write(terminal, keys.encode())
            seen = ""
            while expected not in seen:
                self.assertTrue(select.select([terminal], [], [], 60)[0], f"no {expected!r} in {seen!r}")
                seen += os.read(terminal, 4096).decode()
        os.close(terminal)
        os.waitpid(child, 0)


if __name__ == "__main__":
    unittest.main()
