#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What of a module is in a waveform: ports, registers, memories, clocks. Not what follows from them
   within a clock.

  waves.py FOLDER FILE.sv ...

Writes copies of the sources to FOLDER in which Verilator leaves out each signal that a module
declares inside itself, but for the names in KEPT. Lines keep their numbers. A declaration that is
not read as one stays in.
"""

import pathlib
import re
import sys

# Registers, memories, clocks, and what was read of a memory, which is mostly all that a waveform
# has of it: as the sources name them.
KEPT = re.compile(
    r"(_q|mem|_r?data|clk|^(?:row|place|asked|used|hand|state|step|wait_id|waits_for_notify))$")
DECLARATION = re.compile(
    r"\s*(?:logic|\w+_[et]|npu_\w+::\w+)\b(?:\s*\[[^\]]*\])*(?=\s+[a-z]\w*\s*(?:[,;\[]|$))")
NAME = re.compile(r"[a-z]\w*")
OFF, ON = "/*verilator tracing_off*/", "/*verilator tracing_on*/"


def without_ranges(text):
    """Ranges and comments as blanks, so that what is left are names and what stands between
    them."""
    return re.sub(r"\[[^\]]*\]|//.*", lambda found: " " * len(found.group()), text)


def leave_out(text):
    """A line of names of a declaration."""
    plain = without_ranges(text)
    for found in reversed(
        [found for found in NAME.finditer(plain) if not KEPT.search(found.group())]):
        text = text[:found.start()] + OFF + found.group() + ON + text[found.end():]
    return text


def quiet(text):
    lines, inside, function, declaring = [], False, False, False
    for line in text.split("\n"):
        if line.startswith(");"):
            inside = True  # after the ports
        elif line.startswith("endmodule"):
            inside = False
        elif line.lstrip().startswith(("function", "endfunction")):
            function = line.lstrip().startswith("function")
        begin = 0
        if inside and not function and not declaring:
            found = DECLARATION.match(line)
            declaring, begin = bool(found), found.end() if found else 0
        if declaring:
            lines.append(line[:begin] + leave_out(line[begin:]))
            declaring = ";" not in without_ranges(line)
        else:
            lines.append(line)
    return "\n".join(lines)


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for name in sys.argv[2:]:
        path = pathlib.Path(name)
        (folder / path.name).write_text(quiet(path.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
