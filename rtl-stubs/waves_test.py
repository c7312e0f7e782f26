#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A block's waveforms have each port and each register: waves.py leaves out nothing else than it says.

  waves_test.py VERILATED.cpp FILE.sv ...

VERILATED.cpp is where Verilator declares what it traces. Ports are what a module's head names, registers what "<=" sets; memories,
arrays of words, may be too large. And no next state may be there, or nothing was left out at all.
"""

import pathlib
import re
import sys

DECLARED = re.compile(r'decl(?:Bit|Bus|Quad|Array)\(c\+\d+,"(\w+)"')
HEAD = re.compile(r"^module (\w+).*?^\);", re.M | re.S)
PORT = re.compile(r"^\s*(?:input|output)\b.*?(\w+)\s*(?:,|$)", re.M)
SET = re.compile(r"^\s*(?:(?:else )?if \(.*\) |else )?(\w+)(?:\[.*?\])?\s*<=(?!=)", re.M)
ARRAY = re.compile(r"^\s*\w+[^=\n]*?[\s,](\w+)\s*\[[^\]]*\]\s*[,;]", re.M)


def main():
    traced = set(DECLARED.findall(pathlib.Path(sys.argv[1]).read_text(encoding="utf-8")))
    wanted = []
    for name in sys.argv[2:]:
        text = re.sub(r"//.*", "", pathlib.Path(name).read_text(encoding="utf-8"))
        for head in HEAD.finditer(text):
            wanted += [(name, port) for port in PORT.findall(head.group())]
            large = set(ARRAY.findall(text))
            wanted += [(name, register) for register in SET.findall(text[head.end():]) if register not in large]
    missing = sorted({f"{name}: {signal}" for name, signal in wanted if signal not in traced})
    missing += sorted(f"in waveforms, though it need not be: {signal}" for signal in traced if signal.endswith("_d"))
    if missing or len(wanted) < 20:
        sys.exit("\n".join(["FAIL", *missing]))
    print(f"PASS {len(wanted)} ports and registers")


if __name__ == "__main__":
    main()
