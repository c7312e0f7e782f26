#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A block's waveforms have each port and each register: waves.py leaves out nothing else than it
   says.

  waves_test.py TOP VERILATED.cpp FILE.sv ...

VERILATED.cpp is where Verilator declares what it traces of module TOP and those in it. Ports are
what a module's head names, registers what "<=" sets; memories, arrays of words, may be too large.
And no next state may be there, or nothing was left out at all.
"""

import pathlib
import re
import sys

DECLARED = re.compile(r'decl(?:Bit|Bus|Quad|Array)\(c\+\d+,"(\w+)"')
HEAD = re.compile(r"^module (\w+).*?^\);", re.M | re.S)
PORT = re.compile(r"^\s*(?:input|output)\b.*?(\w+)\s*(?:,|$)", re.M)
SET = re.compile(r"^\s*(?:(?:else )?if \(.*\) |else )?(\w+)(?:\[.*?\])?\s*<=(?!=)", re.M)
ARRAY = re.compile(r"^\s*\w+[^=\n]*?[\s,](\w+)\s*\[[^\]]*\]\s*[,;]", re.M)


def below(top, texts):
    """Names of the modules that are in `top`, itself among them."""
    found, todo = set(), [top]
    while todo:
        name = todo.pop()
        if name not in found:
            found.add(name)
            todo += [other for other in texts if re.search(rf"\b{other}\b", texts[name][1])]
    return found


def main():
    top = sys.argv[1]
    traced = set(DECLARED.findall(pathlib.Path(sys.argv[2]).read_text(encoding="utf-8")))
    texts, files, wanted = {}, {}, []
    for name in sys.argv[3:]:
        text = re.sub(r"//.*", "", pathlib.Path(name).read_text(encoding="utf-8"))
        for head in HEAD.finditer(text):
            texts[head.group(1)] = head.group(), text[head.end():text.index("endmodule",
                                                                            head.end())]
            files[head.group(1)] = name
    for module in below(top, texts):
        head, body = texts[module]
        wanted += [(files[module], port) for port in PORT.findall(head)]
        large = set(ARRAY.findall(body))
        wanted += [(files[module], register) for register in SET.findall(body)
                   if register not in large]
    missing = sorted({f"{name}: {signal}" for name, signal in wanted if signal not in traced})
    missing += sorted(f"in waveforms, though it need not be: {signal}" for signal in traced
                      if signal.endswith("_d"))
    if missing or len(wanted) < 20:
        sys.exit("\n".join(["FAIL", *missing]))
    print(f"PASS {len(wanted)} ports and registers")


if __name__ == "__main__":
    main()
