#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every public function about memory is called in a suite that is recorded and replayed exactly.
Arguments: runtime/api/functions.def, the recordings of these suites."""
import os
import re
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tools"))
from recordings import entries, fields  # pylint: disable=wrong-import-position

AREAS = {"allocator", "copy", "memory", "memory pool", "snapshot", "symbol", "virtual memory"}
CALL_SITE = 1  # its fields: 24 bytes, of which the second word is the length of the text
EXCEPTIONS = {}


def functions(path):
    with open(path, encoding="utf-8") as file:
        rows = re.findall(r'^TWIN_API\("([^"]+)", (\w+),', file.read(), re.MULTILINE)
    return {name for area, name in rows if area in AREAS}


def called(path):
    with open(path, "rb") as file:
        data = file.read()
    found = set()
    for at, kind, _ in entries(data):
        if kind == CALL_SITE:
            text = fields(data, at) + 24
            length, = struct.unpack_from("<I", data, fields(data, at) + 4)
            found.add(data[text:text + length].rstrip(b"\0").decode())
    return found


def main():
    wanted = functions(sys.argv[1])
    found = set().union(*map(called, sys.argv[2:]))
    problems = [f"{name} is called in no suite that is replayed"
                for name in sorted(wanted - found - set(EXCEPTIONS))]
    problems += [f"{name} is an exception, and is called"
                 for name in sorted(found & set(EXCEPTIONS))]
    problems += [f"{name} is an exception, and is no function about memory"
                 for name in sorted(set(EXCEPTIONS) - wanted)]
    if len(wanted) < 100:
        problems.append(f"{sys.argv[1]} has only {len(wanted)} functions about memory")
    for problem in problems:
        print(problem)
    print(f"{len(wanted & found)} of {len(wanted)} functions about memory are replayed")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
