#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The commands that README.md and the pages in PAGES show, and their outputs.

There a fence "```sh run" holds commands that continuous integration executes, "```sh norun" some
that it does not. A fence "```text output" right after one holds its output: a line "…"
stands for any lines, "…" inside a line for any text.

usage: readme.py --run [BLOCK]     run every block, compare the outputs; exit status 1 when one
fails or differs. A
                                   block of exactly the text BLOCK has been run already and is left
                                   out
       readme.py --update [TEXT]   run the blocks that hold TEXT and write their outputs into the
       pages"""

import os
import re
import subprocess
import sys

from tree import check

PAGES = ("README.md", "runtime/docs/memory.md")
FENCE = re.compile(r"^```(sh|text) (run|norun|output)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(page):
    """[(kind, content, start, end of content)] in order; kind is run, norun or output."""
    return [(match.group(2), match.group(3), match.start(3), match.end(3))
            for match in FENCE.finditer(page)]


def pairs(page):
    """(commands, output block or None) of every block that is run."""
    found = blocks(page)
    result = []
    for at, (kind, content, _, _) in enumerate(found):
        if kind == "run":
            follows = found[at + 1] if at + 1 < len(found) and found[at +
                                                                     1][0] == "output" else None
            result.append((content, follows))
    return result


def matches(expected, actual):
    pattern = ""
    for line in expected.splitlines():
        if line.strip() == "…":
            pattern += r"(?:.*\n)*?"
        else:
            pattern += ".*".join(re.escape(part) for part in line.rstrip().split("…")) + r"[ ]*\n"
    return re.fullmatch(pattern, actual if actual.endswith("\n") or not actual else actual +
                        "\n") is not None


def execute(commands, root):
    print("\n".join("$ " + line for line in commands.splitlines()), flush=True)
    done = subprocess.run(["bash", "-euo", "pipefail", "-c", commands], cwd=root,
                          stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, check=False)
    output = done.stdout.decode(errors="replace")
    print(output, end="", flush=True)
    return done.returncode, output


def run(root, done):
    failed = 0
    wanted = []
    for path in PAGES:
        with open(os.path.join(root, path), encoding="utf-8") as file:
            wanted += [(path, *pair) for pair in pairs(file.read()) if pair[0].strip() != done]
    for path, commands, follows in wanted:
        status, output = execute(commands, root)
        problem = ""
        if status != 0:
            problem = f"ended with status {status}"
        elif follows and not matches(follows[1], output):
            problem = f"printed something else than {path} shows"
        if problem:
            failed += 1
            print(f"readme: {problem}: {commands.strip()}", flush=True)
    print(f"{len(wanted) - failed} passed, {failed} failed")
    return 1 if failed else 0


def update(root, wanted):
    return max(update_page(root, os.path.join(root, path), wanted) for path in PAGES)


def update_page(root, path, wanted):
    with open(path, encoding="utf-8") as file:
        page = file.read()
    for commands, follows in reversed(pairs(page)):
        if not follows or (wanted and wanted not in commands):
            continue
        status, output = execute(commands, root)
        if status != 0:
            print(f"readme: ended with status {status}, not written: {commands.strip()}")
            return 1
        lines = "".join(line.rstrip() + "\n" for line in output.splitlines())
        page = page[:follows[2]] + lines + page[follows[3]:]
    with open(path, "w", encoding="utf-8") as file:
        file.write(page)
    return 0


def dev_commands(tree):
    match = re.search(r"^([a-z| -]+)\)\n\s+command=\$1", tree.text("dev"), flags=re.MULTILINE)
    return {word.strip() for word in match.group(1).split("|")} if match else set()


@check
def commands(tree):
    """README.md and the pages in PAGES mark each of their shell blocks; ./dev commands, tools and examples named in
    Markdown exist."""
    problems = []
    page = tree.text("README.md")
    for path in PAGES:
        for number, line in tree.lines(path) if tree.has(path) else ():
            if re.match(r"```(sh|bash|shell|console)\b",
                        line) and not re.fullmatch(r"```sh (run|norun)", line):
                problems.append(f"{path}:{number}: mark the block \"sh run\" or \"sh norun\"")
    for wanted in ("./dev demo", "./dev test"):
        if not any(wanted in content.splitlines() for kind, content, _, _ in blocks(page)
                   if kind == "run"):
            problems.append(f"README.md:1: no block that is run has the line \"{wanted}\"")
    known = dev_commands(tree)
    for path in tree.files(".md"):
        for number, line in tree.lines(path):
            for word in re.findall(r"(?<![\w/])\./dev ([a-z-]+)", line):
                if word not in known:
                    problems.append(f"{path}:{number}: ./dev has no command {word}")
            for word in re.findall(r"\bbuild/examples/([a-z]\w*)", line):
                if not (tree.has(f"examples/{word}.c") or tree.has(f"examples/{word}/{word}.c")):
                    problems.append(f"{path}:{number}: there is no example {word}")
    return problems


if __name__ == "__main__":
    ROOT = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
    if sys.argv[1:2] == ["--run"] and len(sys.argv) <= 3:
        sys.exit(run(ROOT, sys.argv[2] if len(sys.argv) == 3 else None))
    if sys.argv[1:2] == ["--update"] and len(sys.argv) <= 3:
        sys.exit(update(ROOT, sys.argv[2] if len(sys.argv) == 3 else ""))
    sys.exit(__doc__)
