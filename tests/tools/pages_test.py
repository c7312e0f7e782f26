#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Man pages and completion say what the programs' help says.

usage: pages_test.py BIN SHARE"""
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
SHARE = os.path.abspath(sys.argv.pop())
BIN = os.path.abspath(sys.argv.pop())
MAN = os.path.join(SHARE, "man", "man1")
COMPLETION = os.path.join(SHARE, "bash-completion", "completions", "twinrt")


def help_of(*command):
    return subprocess.run([os.path.join(BIN, command[0]), *command[1:], "--help"],
                          capture_output=True, text=True, check=True).stdout


def commands():
    return re.findall(r"^  ([a-z-]+)  ", help_of("twinrt").split("Commands:")[1], re.MULTILINE)


class Pages(unittest.TestCase):
    def shown(self, name):
        """The page as a terminal of 80 columns shows it; a warning of the formatter is a
        failure."""
        env = dict(os.environ, MANWIDTH="80", LC_ALL="C.UTF-8", MANROFFSEQ="")
        done = subprocess.run(["man", "--warnings", "-l", os.path.join(MAN, name + ".1")], env=env,
                              capture_output=True, text=True,
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
            self.assertIn("\n".join(text.split("\n", 2)[:1]).split("(")[0],
                          "-".join(command).upper())
            self.assertRegex(text, r"NAME\n +" + "-".join(command) + r" +- +\w")

    def test_statuses_and_settings(self):
        self.assertRegex(self.shown("twinrt-run"), r"EXIT STATUS\n +97: ")
        text = self.shown("twinrt")
        for name, value in (("TWINRT_BACKEND", "auto"), ("TWINRT_PROFILE", "910b3"),
                            ("TWINRT_SEED", "0")):
            self.assertRegex(text, rf"\n +{name}\n +\({value}\) +\w")
        for command in commands():
            self.assertIn(f"twinrt-{command}(1)",
                          text.replace("\u2010\n       ", "").replace("\u2010", "-"))


    def test_pages_do_not_depend_on_what_else_is_built(self):
        """A parallel build makes them before or after the model: with the null device alone they
        are the same."""
        with tempfile.TemporaryDirectory() as folder:
            shutil.copytree(BIN, os.path.join(folder, "bin"), ignore=lambda _, names: set(names) -
                            {"twinrt", "twinrt-cc"})
            plugins = os.path.join(folder, "lib64", "twinrt")
            os.makedirs(plugins)
            libraries = os.path.join(os.path.dirname(BIN), "lib64")
            for name in os.listdir(libraries):
                if ".so" in name:
                    os.symlink(os.path.join(libraries, name), os.path.join(folder, "lib64", name))
            shutil.copy(os.path.join(libraries, "twinrt", "backend-null.so"), plugins)
            subprocess.run(
                [os.path.join(SOURCE, "tools", "man", "make.sh"), os.path.join(folder, "bin"),
                 os.path.join(folder, "man")],
                check=True)
            for name in os.listdir(MAN):
                with open(os.path.join(MAN, name), encoding="utf-8") as built, \
                        open(os.path.join(folder, "man", name), encoding="utf-8") as alone:
                    # the heading has the month
                    self.assertEqual(re.sub(r"(?m)^\.TH .*", "", alone.read()),
                                     re.sub(r"(?m)^\.TH .*", "", built.read()), name)


class Completion(unittest.TestCase):
    def offered(self, line):
        """What the function offers at the end of the line; bash takes "=" as a separate word."""
        words = re.findall(r"=|[^\s=]+", line) + ([""] if line.endswith((" ", "=")) else [])
        script = f"compopt() {{ :; }}; . {COMPLETION}; COMP_CWORD={len(words) - 1}; COMP_WORDS=({' '.join(map(repr, words))}); " \
                 f"_twinrt {words[0]}; printf '%s\\n' \"${{COMPREPLY[@]}}\""
        env = dict(os.environ, PATH=BIN + ":" + os.environ["PATH"])
        done = subprocess.run(["bash", "--norc", "-c", script], env=env, capture_output=True,
                              text=True, check=True)
        self.assertEqual(done.stderr, "")
        return set(done.stdout.split())

    def test_commands(self):
        self.assertEqual(self.offered("twinrt "), set(commands()))
        self.assertEqual(self.offered("twinrt re"), {"record", "replay"})

    def test_options(self):
        for command in commands():
            wanted = set(
                re.findall(r"^ +(?:-\S, )?(--[a-z-]+)", help_of("twinrt", command), re.MULTILINE))
            self.assertEqual(
                {option.rstrip("=") for option in self.offered(f"twinrt {command} --")}, wanted)
        self.assertEqual(self.offered("twinrt-cc --pr"), {"--print-prefix"})

    def test_values(self):
        self.assertEqual(self.offered("twinrt run --model="), {"cpp", "rtl", "lockstep"})
        self.assertEqual(self.offered("twinrt run --backend=a"), {"auto", "ascend"})
        self.assertEqual(self.offered("twinrt record -o a.rec -- ./program --"), set())

    def test_tab(self):
        """In an interactive shell, as a person types it."""
        child, terminal = pty.fork()
        if child == 0:
            os.environ.update(PATH=BIN + ":" + os.environ["PATH"], PS1="> ", TERM="dumb",
                              HISTFILE="/dev/null", INPUTRC="/dev/null")
            os.execlp("bash", "bash", "--norc", "--noprofile", "-i")
        for keys, expected in ((f". {COMPLETION}; echo rea''dy\n", "ready"),
                               ("twinrt compar\t--js\t", "twinrt compare --json"),
                               ("\x15twinrt run --model=lock\t", "--model=lockstep"),
                               ("\x15exit\n", "exit")):
            os.write(terminal, keys.encode())
            seen = ""
            while expected not in seen:
                self.assertTrue(select.select([terminal], [], [], 60)[0],
                                f"no {expected!r} in {seen!r}")
                seen += os.read(terminal, 4096).decode()
        os.close(terminal)
        os.waitpid(child, 0)


# A line, and all that zsh and fish may make of its last word.
LINES = {
    "twinrt comp": {"compare"},
    "twinrt re": {"record", "replay"},
    "twinrt --vers": {"--version"},
    "twinrt run --check --expl": {"--explain"},
    "twinrt check --err": {"--error-exitcode="},
    "twinrt run --log=": {"--log=error", "--log=warning", "--log=info", "--log=debug"},
    "twinrt run --profile=910a": {"--profile=910a"},
    "twinrt check only_fi": {"only_file"},
    "twinrt run --suppressions=only_fi": {"--suppressions=only_file"},
    "twinrt run --check -- only_prog": {"only_program"},
    "twinrt run --check -- twinrt compa": {"compare"},
    "twinrt-cc --cx": {"--cxx="},
}
# Every completion of zsh ends in compadd.
ZSH = r"""
PS1='> ' LISTMAX=0
autoload -Uz compinit && compinit -u -D
. %s/set_env.sh
compadd() {
    local -a hits
    [[ -n ${(M)@:#-[OAD]} ]] || { builtin compadd -O hits "$@"; print -rl -- $IPREFIX$^hits >>offered }
    builtin compadd "$@"
}
finish() { zle kill-buffer; : >>done }
zle -N finish
bindkey '^I' complete-word '^X' finish
"""


class OtherShells(unittest.TestCase):
    def setUp(self):
        work = tempfile.TemporaryDirectory()
        self.addCleanup(work.cleanup)
        self.folder = work.name
        for name, mode in (("only_file", 0o644), ("only_program", 0o755)):
            os.close(os.open(os.path.join(self.folder, name), os.O_CREAT, mode))
        self.env = {"PATH": f"{BIN}:{self.folder}:/usr/bin:/bin", "HOME": self.folder,
                    "LC_ALL": "C.UTF-8", "TERM": "dumb"}

    def test_fish(self):
        if not shutil.which("fish"):
            self.skipTest("no fish")
        for line, wanted in LINES.items():
            with self.subTest(line):
                script = f"set -p fish_complete_path {SHARE}/fish/vendor_completions.d; complete -C '{line}'"
                done = subprocess.run(["fish", "--no-config", "-c", script], cwd=self.folder,
                                      env=self.env, capture_output=True, text=True,
                                      check=True)
                self.assertEqual(done.stderr, "")
                self.assertEqual({one.split("\t")[0] for one in done.stdout.splitlines()}, wanted)

    def test_zsh(self):
        if not shutil.which("zsh"):
            self.skipTest("no zsh")
        with open(os.path.join(self.folder, ".zshrc"), "w", encoding="utf-8") as file:
            file.write(ZSH % os.path.dirname(SHARE))
        child, terminal = pty.fork()
        if child == 0:
            os.chdir(self.folder)
            os.execvpe("zsh", ["zsh", "-d", "-i"], self.env)
        offered, ready = os.path.join(self.folder, "offered"), os.path.join(self.folder, "done")
        for line, wanted in LINES.items():
            with self.subTest(line):
                os.write(terminal, line.encode() + b"\t\x18")
                seen = ""
                while not os.path.exists(ready):
                    self.assertTrue(select.select([terminal], [], [], 60)[0], seen)
                    seen += os.read(terminal, 4096).decode()
                os.remove(ready)
                with open(offered, encoding="utf-8") as file:
                    self.assertEqual(set(file.read().split()), wanted, seen)
                os.remove(offered)
        os.write(terminal, b"exit\n")
        os.waitpid(child, 0)
        os.close(terminal)


if __name__ == "__main__":
    unittest.main()
