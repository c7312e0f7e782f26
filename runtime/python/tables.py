# SPDX-License-Identifier: Apache-2.0
"""Reads the tables in functions/ and writes what follows from them: the C functions that Python
   calls, functions.md and the type stubs.

usage: tables.py --check           whether functions.md is up to date
       tables.py --write           makes it so
       tables.py --stubs FOLDER    writes the type stubs
       tables.py --module FILE     writes the C functions and the lists of them

A row of a table is a C function as Python calls it:

  CALL(area, name, c_function, gil, "text", type name, out type name, ...)
      the C function returns a code; the parameters are in its order. Python gives those without
      `out` and gets a tuple of the `out` ones and the code, or the code alone.
  VALUE(area, name, c_function, gil, type, "text", type name, ...)
      the C function returns a value, and so does the Python one.
  HAND(area, name, c_function, ", parameter, parameter, /", "their types", "result", "text")
      twin_py_hand_<area>_<name> does it: callbacks, other orders of results, what has no
      counterpart in C.

gil: RELEASE lets other threads run Python meanwhile: whatever may wait for the device, a full queue
     included. KEEP is for results from the memory of the process.
Before a type: out; out_as for a C type that is given as an int (enumerations); both for a length
that Python gives and a text that comes back; limit for how many elements of the list `type` count."""

import ast
import json
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

# Each type of a row, twin_py_<type> in C: what Python sees, what is passed to C for the variable $,
# how a result becomes an object, what releases an argument.
TYPES = {
    "dims": ("list[int]", "(int)$.count, $.items", None, "PyMem_Free($.items);"),
    "f32": ("float", "$", "PyFloat_FromDouble((double)$)", ""),
    "handle": ("int", "$", "twin_py_give_handle($)", ""),
    "handles": ("list[int]", "$.items, $.count", None, "PyMem_Free($.items);"),
    "i32": ("int", "$", "PyLong_FromLong($)", ""),
    "i64": ("int", "$", "PyLong_FromLongLong($)", ""),
    "key_buffer": ("int", "$.text, $.bytes", "twin_py_give_text($.text)", "PyMem_Free($.text);"),
    "launch_cfg": ("list[dict[str, int]]", "$.cfg.numAttrs > 0 ? &$.cfg : NULL", None,
                   "PyMem_Free($.cfg.attrs);"),
    "load_options": ("list[dict[str, int]]", "$.cfg.numOpt > 0 ? &$.cfg : NULL", None,
                     "PyMem_Free($.cfg.options);"),
    "malloc_cfg": ("dict[str, Any]", "$.given ? &$.cfg : NULL", None, "PyMem_Free($.cfg.attrs);"),
    "memory_prop": ("dict[str, Any]", "&$", None, ""),
    "name_buffer": ("int", "$.bytes, $.text", "twin_py_give_text($.text)", "PyMem_Free($.text);"),
    "package_version": ("dict[str, str]", None, "twin_py_give_package_version(&$)", ""),
    "pids": ("list[int]", "$.items, $.count", None, "PyMem_Free($.items);"),
    "place_holders": ("list[dict[str, int]]", "$.items", None, "PyMem_Free($.items);"),
    "pointer_attr": ("dict[str, Any]", None, "twin_py_give_pointer_attr(&$)", ""),
    "ranges": ("list[list[int]]", "$.count, $.items", None, "PyMem_Free($.items);"),
    "size": ("int", "$", "PyLong_FromSize_t($)", ""),
    "stream_value": ("dict[str, Any]", "&$", "twin_py_give_stream_value(&$)", ""),
    "tensor": ("int", None, "twin_py_give_handle($)", ""),
    "text": ("str", "$.text", "twin_py_give_text($)", "twin_py_drop_text(&$);"),
    "u16": ("int", "$", "PyLong_FromUnsignedLong($)", ""),
    "u32": ("int", "$", "PyLong_FromUnsignedLong($)", ""),
    "u64": ("int", "$", "PyLong_FromUnsignedLongLong($)", ""),
    "uce_infos": ("list[dict[str, Any]]", "$.items, $.count", None, "PyMem_Free($.items);"),
    "utilization": ("dict[str, int]", None, "twin_py_give_utilization(&$)", ""),
    "uuid": ("dict[str, list[int]]", None, "twin_py_give_uuid(&$)", "")}


class Parameter:
    """One parameter of a C function."""

    def __init__(self, field):
        *way, self.type, self.name = field.split()
        self.way = way[0] if way else "in"
        self.given = self.way in ("in", "both", "limit")
        self.returned = self.way in ("out", "out_as", "both")
        self.variable = "v_" + self.name

    def of_type(self, column):
        return TYPES[self.type][column].replace("$", self.variable)

    def python_type(self):
        if self.way == "in":
            return TYPES[self.type][0]
        return TYPES[self.type][0] if self.way == "out" else "str" if self.way == "both" else "int"


class Row:
    """One function: area, name, c_name, gil, parameters, signature [(name, type)], returned (a
    type), text."""

    def __init__(self, kind, fields):
        self.kind = kind
        self.area, self.name, self.c_name = fields[:3]
        self.parameters = []
        if kind == "HAND":
            self.written, types, self.returned, self.text = [ast.literal_eval(field)
                                                             for field in fields[3:]]
            self.gil = "by hand"
            self.signature = hand_signature(self.written, types)
        else:
            self.gil = fields[3]
            rest = fields[4:]
            self.value = rest.pop(0) if kind == "VALUE" else None
            self.text = ast.literal_eval(rest.pop(0))
            self.parameters = [Parameter(field) for field in rest]
            self.signature = [
                (one.name, "int" if one.way != "in" else one.python_type()) for one in
                self.parameters if one.given]
            outs = [one.python_type() for one in self.parameters if one.returned]
            self.returned = f"tuple[{', '.join(outs + ['int'])}]" if outs else "int"
            if kind == "VALUE":
                self.returned = "Optional[str]" if self.value == "text" else TYPES[self.value][0]
            self.written = "".join(f", {name}" for name, _ in self.signature) + ", /"
        self.arguments = [name for name, _ in self.signature]

    @property
    def full_name(self):
        return ("acl." if self.area == "acl" else f"acl.{self.area}.") + self.name


def hand_signature(names, types):
    names = [name for name in names.split(", ") if name and name != "/"]
    return list(zip(names, split(types)))


def split(text):
    """Parts between the commas that are in no bracket."""
    parts, depth, start = [], 0, 0
    for at, character in enumerate(text):
        depth += (character in "([") - (character in ")]")
        if character == "," and depth == 0:
            parts.append(text[start:at])
            start = at + 1
    parts.append(text[start:])
    return [part.strip() for part in parts if part.strip()]


def rows():
    """Every row of every table, in their order."""
    string = r'"(?:[^"\\]|\\.)*"'
    found = []
    for table in TABLES:
        with open(os.path.join(HERE, "functions", table + ".def"), encoding="utf-8") as file:
            text = re.sub(r"/\*.*?\*/", "", file.read(), flags=re.DOTALL)
        for kind, inner in re.findall(rf"^(CALL|VALUE|HAND)\(((?:[^\")]|{string})*)\)", text,
                                      flags=re.MULTILINE):
            fields = [field.strip() for field in re.findall(rf'(?:[^",]|{string})+', inner)]
            found.append(Row(kind, [" ".join(re.findall(string, field)) or field
                                    for field in fields]))
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


def c_body(row):
    """The lines that read the arguments, call the C function and make the answer."""
    taken = [f"!twin_py_take_limit(&args, \"{one.name}\", v_{one.type}.count, &{one.variable})"
             if one.way == "limit" else
             f"!twin_py_take_{one.type}(&args, \"{one.name}\", &{one.variable})"
             for one in row.parameters if one.given]
    passed = ", ".join(one.variable if one.way == "limit" else one.of_type(1) if one.given
                       else "&" + one.variable for one in row.parameters)
    if row.kind == "CALL":
        call = f"code = TWIN_PY_IF_THERE({row.c_name}, ({passed}))"
    else:
        call = f"value = ({row.c_name}) ? {row.c_name}({passed}) : 0"
    lines = [f"if ({' || '.join([f'!twin_py_begin(&args, {len(taken)})'] + taken)})", "    break;",
             "aclError code;" if row.kind == "CALL" else
             f"__typeof__({row.c_name}({passed})) value = 0;"]
    # the exception of a signal that ended the wait goes before any result
    lines += [f"TWIN_PY_RELEASED({call});", "if (PyErr_Occurred())", "    break;"] \
        if row.gil == "RELEASE" else [call + ";"]
    results = [f"PyLong_FromLong((long){one.variable})" if one.way == "out_as" else one.of_type(2)
               for one in row.parameters if one.returned]
    if row.kind == "VALUE":
        lines.append(f"answer = {TYPES[row.value][2].replace('$', 'value')};")
    elif not results:
        lines.append("answer = PyLong_FromLong(code);")
    else:
        lines.append(f"struct twin_py_result result = {{PyTuple_New({len(results) + 1}), 0}};")
        lines += [f"twin_py_put(&result, {one});" for one in results + ["PyLong_FromLong(code)"]]
        lines.append("answer = result.tuple;")
    return lines


def c_function(row):
    lines = [f"static PyObject *twin_py_{row.area}_{row.name}(PyObject *module, PyObject *given)",
             "{", "    (void)module;",
             f"    struct twin_py_args args = {{\"{row.full_name}\", given, 0}};"]
    if row.kind == "HAND":
        return lines + [f"    return twin_py_hand_{row.area}_{row.name}(&args);", "}"]
    lines.append("    PyObject *answer = NULL;")
    for one in row.parameters:
        kind = {"out_as": one.type, "limit": "size_t"}.get(one.way, "twin_py_" + one.type)
        lines.append(f"    {kind} {one.variable} = {'0' if kind == one.type else '{0}'};")
    lines += ["    do {"] + ["        " + line for line in c_body(row)] + ["    } while (0);"]
    lines += ["    " + one.of_type(3) for one in row.parameters
              if one.way in ("in", "both") and one.of_type(3)]
    return [f"#pragma weak {row.c_name}"] + lines + ["    return answer;", "}"]


def c_method(row):
    """Its entry in a list of methods. The first line is what inspect.signature() reads."""
    returned = row.returned if row.kind == "HAND" else "the value, no code"
    if row.kind == "CALL":
        returned = "".join(("text" if one.way == "both" else one.name) + ", "
                           for one in row.parameters if one.returned) + "ret"
    text = f"{row.name}($module{row.written})\n--\n\n{row.text}\n\nReturns: {returned}\n" \
           f"C function: {row.c_name}"
    return f"    {{\"{row.name}\", twin_py_{row.area}_{row.name}, METH_VARARGS, {json.dumps(text)}}},"


def module(all_rows):
    lines = [f"/* {SPDX} */", "/* Made by runtime/python/tables.py. */"]
    for row in all_rows:
        lines += c_function(row)
    for area in AREAS:
        lines += [f"static PyMethodDef {area}_methods[] = {{"]
        lines += [c_method(row) for row in all_rows if row.area == area]
        lines += ["    {NULL, NULL, 0, NULL}};"]
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
    elif len(arguments) == 2 and arguments[0] == "--module":
        write(arguments[1], module(all_rows))
    elif len(arguments) == 2 and arguments[0] == "--stubs":
        os.makedirs(arguments[1], exist_ok=True)
        for area, (_, name) in AREAS.items():
            write(os.path.join(arguments[1], name + ".pyi"),
                  stubs(area, [row for row in all_rows if row.area == area]))
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main(sys.argv[1:])
