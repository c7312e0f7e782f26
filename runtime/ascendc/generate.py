#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Reads the table of instructions and writes what follows from it.

usage: generate.py --check           whether kernel_instructions.h is up to date
       generate.py --write           makes it so
       generate.py --runtime FILE    writes the forms and decoders, for the runtime
       generate.py --language FILE   writes the functions that kernels call, in C++

A row of instructions.tsv is a form of an instruction: several forms of one name have one number,
and numbers never change. Columns:

  returns, parameters  as in C++; `__ubuf__ T *(&src)[4]` passes the four addresses one by one
  types                what T and other letters are: `T: half,float`, `T,U: half,half/float,half`;
                       `-`: no letters
  state                built: the runtime has a decoder for it; missing: it has none, and using it
                       is an error when a kernel is compiled; header: the language header does it
  semantics, cost      where these are known from
  mark                 of the cost: K known, I inferred, A assumed"""

import collections
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
TABLE = os.path.join(HERE, "instructions.tsv")
NUMBERS = os.path.join(HERE, "..", "include", "twinrt", "kernel_instructions.h")
COLUMNS = ["number", "name", "returns", "parameters", "types", "group", "pipe", "state",
           "semantics", "cost", "mark", "test"]
STATES = ("built", "header", "missing")
# Parameters that choose a way: their C++ type takes any number or enumerator.
CHOICES = ("mode", "pattern_mode", "quant")
PIPES = ("S", "V", "M", "MTE1", "MTE2", "MTE3", "FIX")
MARKS = ("-", "K", "I", "A")
SPDX = "/* SPDX-License-" + "Identifier: Apache-2.0 */"

# Element types that an instruction's record names: the number in twk_instruction.types.
TYPES = {"int8_t": "TWK_INT8", "int16_t": "TWK_INT16", "int32_t": "TWK_INT32",
         "uint8_t": "TWK_UINT8", "uint16_t": "TWK_UINT16", "uint32_t": "TWK_UINT32",
         "half": "TWK_FP16", "float": "TWK_FP32", "bfloat16_t": "TWK_BF16",
         "int64_t": "TWK_INT64", "uint64_t": "TWK_UINT64", "void": "TWK_NO_TYPE"}
# Of which all but the scalar unit's are instructions of cube cores.
CUBE_GROUPS = ("copy_l1", "fill", "fixpipe", "load2d", "load3d", "mad", "tables")
FLOATS = ("half", "float", "bfloat16_t")
ARGUMENTS_MOST = 20
TYPES_MOST = 4

POINTER = re.compile(r"(?:const )?(?:(__\w+__) )?(\w+) \*(?:\(&(\w+)\)\[(\d+)\]|(\w+))")
ARRAY = re.compile(r"(\w+) \(&(\w+)\)\[(\d+)\]")
SCALAR = re.compile(r"(\w+) (\w+)")

Parameter = collections.namedtuple("Parameter", "text kind type name count")
Row = collections.namedtuple("Row", [*COLUMNS, "line"])


class Wrong(Exception):
    """The table is wrong."""


def parameter(text):
    """A parameter: of kind pointer, pointers, integers (an array of them) or scalar."""
    match = POINTER.fullmatch(text)
    if match and match.group(3):
        return Parameter(text, "pointers", match.group(2), match.group(3), int(match.group(4)))
    if match:
        return Parameter(text, "pointer", match.group(2), match.group(5), 1)
    match = ARRAY.fullmatch(text)
    if match:
        return Parameter(text, "integers", match.group(1), match.group(2), int(match.group(3)))
    match = SCALAR.fullmatch(text)
    if not match:
        raise Wrong(f"parameter \"{text}\" is not understood")
    return Parameter(text, "scalar", match.group(1), match.group(2), 1)


def parameters(row):
    return [] if row.parameters == "-" else [parameter(text)
                                             for text in row.parameters.split(", ")]


def combinations(row):
    """The values of a row's letters: a list of {letter: type}."""
    if row.types == "-":
        return [{}]
    letters, _, values = row.types.partition(": ")
    letters = letters.split(",")
    groups = values.split("/") if len(letters) > 1 else values.split(",")
    return [dict(zip(letters, group.split(","))) for group in groups]


def element_types(row, combination):
    """The types that the record of an instruction has, filled up to four."""
    found = []
    for item in parameters(row):
        kind = combination.get(item.type, item.type)
        if item.kind in ("pointer", "pointers") or (item.kind == "scalar" and kind in FLOATS):
            found.append(TYPES[kind])
    if len(found) > TYPES_MOST:
        raise Wrong(f"{row.name}: more than {TYPES_MOST} types")
    return found + ["TWK_NO_TYPE"] * (TYPES_MOST - len(found))


def argument_count(row):
    return sum(item.count for item in parameters(row))


def read():
    rows = []
    with open(TABLE, encoding="utf-8") as file:
        lines = file.read().split("\n")
    if lines[0].split("\t") != COLUMNS:
        raise Wrong("line 1: the columns are not " + " ".join(COLUMNS))
    for number, line in enumerate(lines[1:], 2):
        if line:
            fields = line.split("\t")
            if len(fields) != len(COLUMNS):
                raise Wrong(f"line {number}: {len(fields)} columns, expected {len(COLUMNS)}")
            rows.append(Row(*fields, line=number))
    check_rows(rows)
    return rows


def check_rows(rows):
    names = {}
    forms = {}
    for row in rows:
        where = f"line {row.line}, {row.name}"
        if names.setdefault(row.name, row.number) != row.number:
            raise Wrong(f"{where}: number {row.number}, and {names[row.name]} before")
        if row.state not in STATES or row.pipe not in PIPES or row.mark not in MARKS:
            raise Wrong(f"{where}: state, pipe or mark is not one of the table's")
        if argument_count(row) > ARGUMENTS_MOST:
            raise Wrong(f"{where}: more than {ARGUMENTS_MOST} arguments")
        for combination in combinations(row):
            form = (row.number, argument_count(row), *element_types(row, combination))
            if form in forms and row.state != "header":
                raise Wrong(f"{where}: the runtime cannot tell this form from that of line "
                            f"{forms[form]}")
            forms[form] = row.line
    numbers = sorted({int(row.number) for row in rows})
    if numbers != list(range(1, len(names) + 1)):
        raise Wrong("the numbers are not 1, 2, 3, ... each for one name")


def names_of(rows):
    """Name by number, in the order of numbers."""
    return {number: name for number, name in sorted({(int(row.number), row.name) for row in rows})}


def numbers_header(rows):
    names = names_of(rows)
    lines = [SPDX, "/* Numbers of instructions, as kernels pass them to the runtime. Made by",
             " * runtime/ascendc/generate.py from instructions.tsv. Never renumbered. */",
             "#ifndef TWINRT_KERNEL_INSTRUCTIONS_H", "#define TWINRT_KERNEL_INSTRUCTIONS_H", "",
             "enum {"]
    width = max(len(f"TWK_INSTRUCTION_{name}") for name in names.values())
    lines += [f"    {f'TWK_INSTRUCTION_{name.upper()}':{width}} = {number},"
              for number, name in names.items()]
    lines += [f"    {'TWK_INSTRUCTIONS':{width}} = {len(names) + 1} /* one more than the last */",
              "};", "", "#endif", ""]
    return "\n".join(lines)


def runtime_file(rows):
    """X macros: TWIN_INSTRUCTION(number, name, its first form, how many) and TWIN_DECODER(number,
    name) if the runtime decodes it; TWIN_FORM(count, built, types...), in the order of numbers."""
    forms = collections.defaultdict(list)
    for row in rows:
        if row.state != "header":
            forms[row.name] += [
                f"TWIN_FORM({argument_count(row)}, {int(row.state == 'built')}, "
                + ", ".join(element_types(row, combination)) + ")"
                for combination in combinations(row)]
    built = {row.name for row in rows if row.state == "built"}
    instructions, decoders, all_forms = [], [], []
    for number, name in names_of(rows).items():
        instructions.append(f"TWIN_INSTRUCTION({number}, {name}, {len(all_forms)}, "
                            f"{len(forms[name])})")
        decoders += [f"TWIN_DECODER({number}, {name})"] * (name in built)
        all_forms += forms[name]
    return "\n".join([SPDX, "#ifdef TWIN_INSTRUCTION", *instructions, "#endif",
                      "#ifdef TWIN_DECODER", *decoders, "#endif",
                      "#ifdef TWIN_FORM", *all_forms, "#endif", ""])


def substituted(text, combination):
    for letter, kind in combination.items():
        text = re.sub(rf"\b{letter}\b", kind, text)
    return text


def as_pointer(item):
    """The parameter of the C++ function: arrays are pointers to their first element."""
    if item.kind == "pointers":
        return re.sub(r"\*\(&(\w+)\)\[\d+\]", r"**\1", item.text)
    if item.kind == "integers":
        return f"const {item.type} *{item.name}"
    if item.name in CHOICES:
        return f"twk_choice_ {item.name}"
    return item.text


def argument(item, kind):
    """Statements that put a parameter into the record."""
    if item.kind in ("pointers", "integers"):
        return [f"    for (int i = 0; i < {item.count}; i++)",
                f"        twk_argument_(record, (uint64_t){item.name}[i]);"]
    if item.kind == "pointer":
        return [f"    twk_argument_(record, (uint64_t){item.name});"]
    if kind in FLOATS:
        return [f"    twk_argument_(record, twk_bits_({item.name}));"]
    return [f"    twk_argument_(record, (uint64_t){item.name});"]


def core_of(row):
    """The kind of core that has the instruction: any, cube or vector."""
    if row.pipe == "S":
        return "any"
    return "cube" if row.group in CUBE_GROUPS else "vector"


def function(row, combination):
    """The C++ function of a form."""
    items = parameters(row)
    text = substituted(", ".join(as_pointer(item) for item in items), combination)
    head = f"{row.returns} {row.name}({text})"
    if row.state == "missing":
        return [f"TWK_MISSING_({row.name}, {head})"]
    types = ", ".join(kind for kind in element_types(row, combination) if kind != "TWK_NO_TYPE")
    if "TWK_NO_TYPE" in element_types(row, combination)[:types.count(",") + 1]:
        types = ", ".join(element_types(row, combination))
    # Sources may declare a function of the host with that name and no parameters, for other builds.
    own = "" if items else "TWK_PREFERRED_ "
    lines = [f"TWK_INTRINSIC_ {own}{head}", "{",
             f"    twk_record_ record(TWK_INSTRUCTION_{row.name.upper()}"
             + (f", {types});" if types else ");")]
    for item in items:
        lines += argument(item, combination.get(item.type, item.type))
    call = f"twk_instruct_{core_of(row)}_(&record)"
    lines.append(f"    (void){call};" if row.returns == "void" else
                 f"    return ({row.returns}){call};")
    return [*lines, "}"]


def language_file(rows):
    lines = [SPDX, "/* The instructions as kernels call them. Made by runtime/ascendc/generate.py. */"]
    for row in rows:
        if row.state != "header":
            for combination in combinations(row):
                lines += function(row, combination)
    return "\n".join([*lines, ""])


def write(path, content):
    with open(path, "w", encoding="utf-8") as file:
        file.write(content)


def main(arguments):
    try:
        rows = read()
        kept = {NUMBERS: numbers_header(rows)}
        if arguments == ["--write"]:
            for path, content in kept.items():
                write(path, content)
        elif arguments == ["--check"]:
            for path, content in kept.items():
                with open(path, encoding="utf-8") as file:
                    if file.read() != content:
                        raise Wrong(f"{os.path.relpath(path)} is not what follows from the table; "
                                    "run runtime/ascendc/generate.py --write")
        elif len(arguments) == 2 and arguments[0] == "--runtime":
            write(arguments[1], runtime_file(rows))
        elif len(arguments) == 2 and arguments[0] == "--language":
            write(arguments[1], language_file(rows))
        else:
            print(__doc__, file=sys.stderr)
            return 2
    except (Wrong, OSError) as error:
        print(f"{os.path.relpath(TABLE)}: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
