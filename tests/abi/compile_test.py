#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compiles the public headers: each alone without a warning, and all against the recorded tables.

usage: compile_test.py headers|tables --include DIR --language c|c++ -- compiler [option...]
       compile_test.py corruption      --include DIR --language c|c++ -- compiler [option...]

corruption spoils one row of the tables at a time and expects the compiler or the run to notice."""
import argparse
import os
import shutil
import subprocess
import sys
import tempfile

import generate
import tables

STRICT = ["-Wall", "-Wextra", "-Wshadow", "-Wundef", "-Wpointer-arith", "-pedantic", "-Werror"]

# table, row's first cell to match (column, value), column to spoil, its new value
SPOILED = (
    ("enums", ("constant", "ACL_MEMCPY_DEVICE_TO_DEVICE"), "value", "4"),
    ("enums", ("constant", "ACL_DT_UNDEFINED"), "enum_repr", "unsigned int"),
    ("enums", ("constant", "ACL_HOST"), "constant", "ACL_HOSTS"),
    ("functions", ("function", "aclrtMemcpy"), "return_type", "uint32_t"),
    ("functions", ("function", "aclrtMemcpy"), "param_types",
     "void *; size_t; const void *; size_t"),
    ("functions", ("function", "aclAppLog"), "param_types",
     "aclLogLevel; const char *; const char *; uint32_t; const char *"),
    ("functions", ("function", "aclrtStreamWaitEvent"), "function", "aclrtStreamWaitsEvent"),
    ("macros", ("name", "ACL_EVENT_SYNC"), "value", "2"),
    ("macros", ("name", "ACL_EVENT_SYNC"), "type", "int"),
    ("macros", ("name", "ACL_SUCCESS"), "kind", "macro"),
    ("macros", ("name", "ACL_ERROR_INVALID_PARAM"), "value", "100001"),
    ("structs", ("field", "pageSize"), "offset", "12"),
    ("structs", ("field", "pageSize"), "field_type", "int32_t"),
    ("structs", ("typedef", "aclrtErrorInfo"), "size", "2568"),
    ("structs", ("typedef", "aclrtUuid"), "align", "4"),
    ("typedefs", ("typedef", "aclFloat16"), "underlying", "int16_t"),
    ("typedefs", ("typedef", "aclrtStreamStateCallback"), "underlying",
     "void (*)(aclrtStream stm)"),
)


class Compiler:
    def __init__(self, command, language, include):
        self.command = command
        self.suffix = ".c" if language == "c" else ".cc"
        self.include = include
        self.folder = tempfile.mkdtemp(prefix="twin-abi-")

    def compile(self, text, options):
        path = os.path.join(self.folder, "check" + self.suffix)
        with open(path, "w", encoding="utf-8") as out:
            out.write(text)
        here = os.path.dirname(os.path.abspath(__file__))
        return subprocess.run(self.command + options + ["-I", here, path], text=True,
                              stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, check=False)

    def check(self, text, options):
        """Compiles, as C also runs; answers what went wrong, or nothing."""
        program = os.path.join(self.folder, "check")
        outcome = ["-o", program] if self.suffix == ".c" else ["-fsyntax-only"]
        result = self.compile(text, options + ["-Wno-deprecated-declarations"] + outcome)
        if result.returncode == 0 and self.suffix == ".c":
            result = subprocess.run([program], text=True, stdout=subprocess.PIPE, check=False)
        return result.stdout if result.returncode != 0 else ""

    def styles(self):
        """Both ways in which programs reach the headers: option and spelling."""
        return ((["-I", self.include], "acl/"), (["-I", os.path.join(self.include, "acl")], ""))


def headers_alone(compiler):
    wrong = 0
    for row in tables.read("headers"):
        for options, prefix in compiler.styles():
            name = row["header"].replace("acl/", prefix, 1)
            text = '#include "%s"\n' % name
            guards = [row["include_guard"]] + [
                other["include_guard"] for other in tables.read("headers")
                if os.path.basename(other["header"]) in map(os.path.basename,
                                                            row["includes"].split())]
            for guard in filter(None, guards):
                text += "#ifndef %s\n#error %s without %s\n#endif\n" % (guard, name, guard)
            result = compiler.compile(text + "extern int not_empty;\n", options + STRICT +
                                      ["-fsyntax-only"])
            if result.returncode != 0:
                print("%s: status %d\n%s" % (name, result.returncode, result.stdout))
                wrong += 1
    return wrong


def against_tables(compiler):
    wrong = 0
    for options, prefix in compiler.styles():
        message = compiler.check(generate.source(prefix), options + ["-Wall", "-Wextra", "-Werror"])
        if message:
            print(message)
            wrong += 1
    return wrong


def spoil(folder, table, where, column, value):
    """Copies the tables and changes one cell of the first row that matches."""
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(tables.FOLDER, folder)
    rows = tables.read(table)
    row = next(row for row in rows if row[where[0]] == where[1])
    if row[column] == value:
        raise ValueError("%s.tsv %s: %s is %s already" % (table, where[1], column, value))
    row[column] = value
    with open(os.path.join(folder, table + ".tsv"), "w", encoding="utf-8") as out:
        out.write("\t".join(rows[0]) + "\n")
        out.writelines("\t".join(row.values()) + "\n" for row in rows)


def corruption(compiler):
    options, prefix = compiler.styles()[0]
    message = compiler.check(generate.source(prefix), options)
    if message:
        print("the tables as recorded fail:\n" + message)
        return 1
    wrong = 0
    for table, where, column, value in SPOILED:
        folder = os.path.join(compiler.folder, "tables")
        spoil(folder, table, where, column, value)
        message = compiler.check(generate.source(prefix, folder), options)
        if where[1] not in message and value not in message:
            print("not noticed: %s.tsv, %s: %s spoiled to %s" % (table, where[1], column, value))
            wrong += 1
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("what", choices=("corruption", "headers", "tables"))
    parser.add_argument("--include", required=True)
    parser.add_argument("--language", choices=("c", "c++"), required=True)
    parser.add_argument("command", nargs="+")
    arguments = parser.parse_args()
    compiler = Compiler(arguments.command, arguments.language, arguments.include)
    try:
        check = {"corruption": corruption, "headers": headers_alone, "tables": against_tables}
        wrong = check[arguments.what](compiler)
    finally:
        shutil.rmtree(compiler.folder)
    if wrong:
        sys.exit("%d checks failed" % wrong)
    print("ok: " + arguments.what)


if __name__ == "__main__":
    main()
