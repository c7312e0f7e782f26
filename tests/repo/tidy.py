#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs clang-tidy on sources, and not again on one that it found clean before.

usage: tidy.py BUILD JOBS FILE...   exit status 1 when it warns of something

A source was clean before if its preprocessed text with comments, its command, the configuration and
clang-tidy itself are the same: then a file in the cache folder ($XDG_CACHE_HOME or ~/.cache, folder
twinrt-tidy) is named after their hash."""

import concurrent.futures
import hashlib
import json
import os
import re
import shlex
import subprocess
import sys

EXTRA = ["-UNDEBUG", "-Wno-ignored-optimization-argument"]


def run(command, folder=None):
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, errors="replace",
                          check=False)


def preprocessed(entry):
    """What the compiler sees, comments included (they may switch warnings off); None when clang
    cannot read it."""
    words = shlex.split(entry["command"])
    while words and (os.path.basename(words[0]) == "ccache" or "=" in words[0]):
        words.pop(0)
    language = "clang++" if entry["file"].endswith(".cpp") else "clang"
    done = run(
        [language, *EXTRA, "-w", "-E", "-C", "-P",
         *[w for w in drop_output(words[1:]) if w != "-c"]], entry["directory"])
    return done.stdout.replace(os.getcwd(), ".") if done.returncode == 0 else None


def drop_output(words):
    """The command without the names of what it writes, which differ between build folders."""
    kept, skip = [], False
    for word in words:
        if not skip and word not in ("-o", "-MF", "-MT", "-MD", "-MMD"):
            kept.append(word)
        skip = not skip and word in ("-o", "-MF", "-MT")
    return kept


def configuration(path):
    """The text of every .clang-tidy that holds for the file."""
    folder, texts = os.path.dirname(path), []
    while folder.startswith(os.getcwd()):
        name = os.path.join(folder, ".clang-tidy")
        if os.path.exists(name):
            with open(name, encoding="utf-8") as file:
                texts.append(file.read())
        folder = os.path.dirname(folder)
    return "\0".join(texts)


def tidy(path, entry, build, version, cache):
    """The messages of clang-tidy for one file; empty when it is clean."""
    text = preprocessed(entry)
    stamp = None
    if text is not None:
        options = re.sub(r"-I\S+|-isystem \S+", "",
                         " ".join(drop_output(shlex.split(entry["command"])[1:])))
        options = options.replace(entry["directory"], "").replace(os.getcwd(), "")
        stamp = os.path.join(
            cache, hashlib.sha256(
                "\0".join([version, configuration(path), options, text]).encode()).hexdigest())
        if os.path.exists(stamp):
            return ""
    done = run(["clang-tidy", "-p", build, *[f"--extra-arg={word}" for word in EXTRA], "--quiet",
                "--warnings-as-errors=*", entry["file"]])
    if done.returncode != 0:
        errors = "\n".join(line for line in done.stderr.splitlines() if "error" in line)
        return done.stdout + errors + f"\n{entry['file']}: clang-tidy ended with {done.returncode}\n"
    if stamp:
        with open(stamp, "w", encoding="utf-8"):
            pass
    return ""


def main(build, jobs, files):
    with open(os.path.join(build, "compile_commands.json"), encoding="utf-8") as file:
        entries = {os.path.realpath(os.path.join(e["directory"], e["file"])): e
                   for e in json.load(file)}
    wanted = [(path, entries[path]) for path in sorted({os.path.realpath(name) for name in files})
              if path in entries]
    cache = os.path.join(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"),
                         "twinrt-tidy")
    os.makedirs(cache, mode=0o700, exist_ok=True)
    version = run(["clang-tidy", "--version"]).stdout
    bad = 0
    with concurrent.futures.ThreadPoolExecutor(int(jobs)) as pool:
        for said in pool.map(lambda pair: tidy(*pair, build, version, cache), wanted):
            if said:
                bad += 1
                print(said, flush=True)
    print(f"clang-tidy: {len(wanted)} files, {bad} with warnings", file=sys.stderr)
    return 1 if bad else 0


if __name__ == "__main__":
    if len(sys.argv) < 4:
        print(__doc__, file=sys.stderr)
        sys.exit(2)
    sys.exit(main(sys.argv[1], sys.argv[2], sys.argv[3:]))
