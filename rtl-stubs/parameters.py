#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A block is made with each parameter within the range that its page gives, and refused with any
   other.

  parameters.py --verilator PROGRAM [--yosys PROGRAM] PAGE MODULE FILE.sv ...

PAGE has the table "Parameter, Default, Range, Effect". All parameters at their least must be
accepted (their defaults are linted anyway); below, above and, where it must be one, at no power of
two Verilator must say what is wrong with each, and Yosys too.
"""

import argparse
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROW = re.compile(r"^\| `(\w+)` \| (\d+) \| (\d+) to (\d+|`\w+`)(, a power of two)? \|", re.M)


class Parameter:
    def __init__(self, found, defaults):
        self.name, self.default, self.least = found[1], int(found[2]), int(found[3])
        self.most = defaults[found[4].strip("`")] if found[4].startswith("`") else int(found[4])
        self.message = f"{self.name} must be {found[3]} to {found[4].strip('`')}{found[5] or ''}"
        self.is_power = bool(found[5])
        self.wrong = {"below": self.least // 2 if self.is_power else self.least - 1,
                      "above": self.most * 2 if self.is_power else self.most + 1}
        if self.is_power and self.least * 3 < self.most:
            self.wrong["between"] = self.least * 3


def run(command):
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


def verilate(arguments, values):
    return run(
        [arguments.verilator, "--lint-only", "--timing", "-Wno-fatal", "-Werror-USERERROR",
         "--top-module", arguments.module,
         f"-I{HERE}/common/rtl", *(f"-G{name}={value}" for name, value in values.items()),
         *arguments.sources])


def synthesise(arguments, name, value):
    return run([arguments.yosys, "-Q", "-T", "-p",
                f"read_verilog -sv -DSYNTHESIS -I{HERE}/common/rtl {' '.join(arguments.sources)}; "
                f"chparam -set {name} {value} {arguments.module}; hierarchy -check -top "
                f"{arguments.module}"])


def failures(arguments, parameters):
    least = {p.name: p.least for p in parameters}
    status, text = verilate(arguments, least)
    if status != 0:
        yield f"refused at its least, {least}:\n{text[-1500:]}"
    for kind in ("below", "above", "between"):
        wrong = {p: p.wrong[kind] for p in parameters if kind in p.wrong}
        for parameter, value in wrong.items():
            status, text = verilate(arguments, {parameter.name: value})
            if status == 0 or parameter.message not in text:
                yield f"{parameter.name}={value}: not refused with \"{parameter.message}\":\n{text[-1500:]}"
    for parameter in parameters if arguments.yosys else ():
        value = parameter.wrong.get("between", parameter.wrong["above"])
        status, text = synthesise(arguments, parameter.name, value)
        if status == 0 or parameter.message not in text:
            yield f"Yosys, {parameter.name}={value}: not refused with \"{parameter.message}\":\n{text[-1500:]}"


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--verilator", required=True)
    parser.add_argument("--yosys")
    parser.add_argument("page", type=pathlib.Path)
    parser.add_argument("module")
    parser.add_argument("sources", nargs="+")
    arguments = parser.parse_args()
    rows = list(ROW.finditer(arguments.page.read_text(encoding="utf-8")))
    defaults = {row[1]: int(row[2]) for row in rows}
    parameters = [Parameter(row, defaults) for row in rows]
    if not parameters:
        sys.exit(f"FAIL: {arguments.page} has no table of parameters")
    wrong = list(failures(arguments, parameters))
    if wrong:
        sys.exit("\n".join(f"FAIL: {arguments.module}: {text}" for text in wrong))
    print(
        f"parameters: {arguments.module}: {', '.join(p.name for p in parameters)}: refused "
        f"outside their ranges")


if __name__ == "__main__":
    main()
