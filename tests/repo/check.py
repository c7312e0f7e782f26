#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks about this repository.

usage: check.py [--root FOLDER] --list | --all | CHECK...
Exit status: 0 nothing is wrong, 1 something is, 2 no such check."""

import os
import sys

import documents  # noqa: F401  each module registers its checks
import includes  # noqa: F401
import names  # noqa: F401
import profiles  # noqa: F401
import readme  # noqa: F401
import rules  # noqa: F401
import text  # noqa: F401
from tree import CHECKS, Tree


def main(arguments):
    root = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
    if arguments[:1] == ["--root"]:
        root = arguments[1]
        arguments = arguments[2:]
    if arguments == ["--list"]:
        print("\n".join(sorted(CHECKS)))
        return 0
    wanted = sorted(CHECKS) if arguments == ["--all"] else arguments
    unknown = [name for name in wanted if name not in CHECKS]
    if unknown or not wanted:
        print(__doc__ if not wanted else "no such check: " + " ".join(unknown), file=sys.stderr)
        return 2
    tree = Tree(root)
    failed = 0
    for name in wanted:
        problems = CHECKS[name](tree)
        for problem in problems:
            print(problem)
        failed += bool(problems)
        print(f"{name}: {len(problems)} problems" if problems else f"{name}: nothing wrong")
    print(f"{len(wanted) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
