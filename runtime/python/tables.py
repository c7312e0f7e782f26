# SPDX-License-Identifier: Apache-2.0
"""Reads the tables in functions/ and writes what follows from them: functions.md and the type
   stubs.

usage: tables.py --check           whether functions.md is up to date
       tables.py --write           makes it so
       tables.py --stubs FOLDER    writes the type stubs"""

import ast
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
TABLES = ("main", "tensor", "device", "stream", "memory", "kernel", "media", "util")
PAGE = os.path.join(HERE, "functions.md")
# Area of a row: its module, and the name of its stub file.
AREAS = {"acl": ("acl", "__init__"), "media": ("acl.media", "media"), "rt": ("acl.rt", "rt"),
         "util": ("acl.util", "util")}
SPDX = "SPDX-License-" + "Identifier: Apache-2.0"

# What Python sees of each type of a row.
PYTHON_TYPES = {
    "dims": "list[int]", "f32": "float", "handles": "list[int]",
    "launch_cfg": "list[dict[str, int]]",
    "load_options": "list[dict[str, int]]", "malloc_cfg": "dict[str, Any]",
    "memory_prop": "dict[str, Any]",
    "package_version": "dict[str, str]", "pids": "list[int]",
    "place_holders": "list[dict[str, int]]",
    "pointer_attr": "dict[str, Any]", "ranges": "list[list[int]]", "stream_value": "dict[str, Any]",
    "text": "str",
    "uce_infos": "list[dict[str, Any]]", "utilization": "dict[str, int]",
    "uuid": "dict[str, list[int]]"}


class Row:
    """One function: area, name, c_name, gil, parameters [(name, type)], returned (a type), text."""

    def __init__(self, kind, fields):
        self.kind = kind
        self.area, self.name, self.c_name = fields[:3]
        if kind == "HAND":
            names, types, self.returned, self.text = [ast.literal_eval(field)
                                                      for field in fields[3:]]
            self.gil = "by hand"
            self.signature = hand_signature(names, types)
            self.arguments = [name for name, _ in self.signature]
            return
        self.gil = fields[3]
        rest = fields[4:]
        value = rest.pop(0) if kind == "VALUE" else None
        self.text = ast.literal_eval(rest.pop(0))
        ways = [[part.strip() for part in field.strip("()").split(",")] for field in rest]
        self.signature = [(name, python_type(kind_)) for way, kind_, name in ways
                          if way in ("in", "both", "limit")]
        self.signature = [(name, "int" if way != "in" else type_) for (name, type_), way in
                          zip(self.signature, [way for way, _, _ in ways
                                               if way in ("in", "both", "limit")])]
        self.arguments = [name for name, _ in self.signature]
        outs = [("str" if way == "both" else "int" if way == "out_as" else python_type(kind_))
                for way, kind_, _ in ways if way in ("out", "out_as", "both")]
        if kind == "VALUE":
            self.returned = "Optional[str]" if value == "text" else python_type(value)
        else:
            self.returned = f"tuple[{', '.join(outs + ['int'])}]" if outs else "int"

    @property
    def full_name(self):
        return ("acl." if self.area == "acl" else f"acl.{self.area}.") + self.name


def python_type(kind):
    return PYTHON_TYPES.get(kind, "int")


def hand_signature(names, types):
    names = [name for name in names.split(", ") if name and name != "/"]
    return list(zip(names, split(types)))


def split(text):
    """Parts between the commas that are in no bracket and no string."""
    parts, depth, start, quoted = [], 0, 0, False
    for at, character in enumerate(text):
        if character == '"' and text[at - 1] != "\\":
            quoted = not quoted
        elif quoted:
            continue
        elif character in "([":
            depth += 1
        elif character in ")]":
            depth -= 1
        elif character == "," and depth == 0:
            parts.append(text[start:at])
            start = at + 1
    parts.append(text[start:])
    return [part.strip() for part in parts if part.strip()]


def body(text, start):
    """The text between the bracket before `start` and the one that closes it."""
    depth, quoted = 1, False
    for at in range(start, len(text)):
        character = text[at]
        if character == '"' and text[at - 1] != "\\":
            quoted = not quoted
        elif not quoted:
            depth += (character == "(") - (character == ")")
            if depth == 0:
                return text[start:at]
    raise ValueError("a row has no end")


def rows():
    """Every row of every table, in their order."""
    found = []
    for table in TABLES:
        with open(os.path.join(HERE, "functions", table + ".def"), encoding="utf-8") as file:
            text = re.sub(r"/\*.*?\*/", "", file.read(), flags=re.DOTALL)
        for match in re.finditer(r"^(CALL|VALUE|HAND)\(", text, flags=re.MULTILINE):
            fields = split(body(text, match.end()))
            fields = [" ".join(re.findall(r'"(?:[^"\\]|\\.)*"', field)) if field.startswith('"')
                      else field
                      for field in fields]
            found.append(Row(match.group(1), fields))
    return found


def stub_line(row):
    parts = []
    for name, type_ in row.signature:
        if name.startswith("*"):
            parts += ["/", f"{name}: {type_}"]
        elif "=None" in name:
            parts.append(f"{name.split('=')[0]}: Optional[{type_}] = None")
        else:
            parts.append(f"{name}: {type_}")
    if parts and "/" not in parts:
        parts.append("/")
    if parts[:1] == ["/"]:
        parts = parts[1:]
    return f"def {row.name}({', '.join(parts)}) -> {row.returned}: ..."


def stubs(area, area_rows):
    lines = [
        f"# {SPDX}",
        "# Made by runtime/python/tables.py; what each function does: help(acl.rt.malloc).",
        "from typing import Any, Callable, Optional", ""]
    if area == "acl":
        lines += [f"from . import {name} as {name}" for name in AREAS if name != "acl"] + [""]
    lines += [stub_line(row) for row in area_rows]
    return "\n".join(lines) + "\n"


def functions_page(all_rows):
    lines = [f"<!-- {SPDX} -->", "# The functions of the module", "",
             "Made by `tables.py`. GIL: whether other threads run Python during the call.\n"
             "What each does, with units and codes: "
             "`help(acl.rt.malloc)`."]
    for area, (title, _) in AREAS.items():
        lines += ["", f"## {title}", "", "| Python | C | GIL |", "|---|---|---|"]
        for row in sorted((row for row in all_rows if row.area == area), key=lambda row: row.name):
            c_name = "none" if row.c_name == "none" else f"`{row.c_name}`"
            gil = {"RELEASE": "released", "KEEP": "kept"}.get(row.gil, row.gil)
            lines.append(
                f"| `{row.name}({', '.join(row.arguments)})` -> `{row.returned}` | {c_name} | "
                f"{gil} |")
    return "\n".join(lines) + "\n"


def write(path, content):
    with open(path, "w", encoding="utf-8") as file:
        file.write(content)


def main(arguments):
    all_rows = rows()
    if arguments == ["--write"]:
        write(PAGE, functions_page(all_rows))
    elif arguments == ["--check"]:
        with open(PAGE, encoding="utf-8") as file:
            if file.read() != functions_page(all_rows):
                sys.exit(
                    "functions.md is not what the tables say: run runtime/python/tables.py --write")
    elif len(arguments) == 2 and arguments[0] == "--stubs":
        os.makedirs(arguments[1], exist_ok=True)
        for area, (_, name) in AREAS.items():
            write(os.path.join(arguments[1], name + ".pyi"),
                  stubs(area, [row for row in all_rows if row.area == area]))
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main(sys.argv[1:])
