#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Names of the public interface, compared with the recorded functions.

usage: symbols_test.py partition RUNTIME_DIR   the table of functions and the definitions in api/
       symbols_test.py exported LIB_DIR        dynamic symbols and entries of every library
       symbols_test.py listed LIB_DIR          ldd and the dynamic linker read every library
       symbols_test.py needed PROGRAM LIBRARY  a program linked with a name records that name"""
import glob
import os
import re
import subprocess
import sys

import tables

# Recorded per function is the vendor's library; a sibling offers those names, these two offer all.
WHOLE = ("libacl_rt.so", "libascendcl.so")
# Libraries of the vendor that we do not have: a library of ours would hide the rest of theirs.
NOT_OURS = ("c-variant-only", "libacl_mdl.so")
# Functions of our own (include/twinrt), which no library of the vendor has: in the runtime, and in
# one to link with.
EXTENSIONS = ["twinrt_be_inner", "twinrt_set_frames", "twinrt_set_interrupt", "twinrt_fault_load",
              "twinrt_fault_inject",
              "twinrt_fault_remove", "twinrt_fault_triggered", "twinrt_register_variable",
              "twinrt_set_kernel_data"]
# Of the vendor's runtime layer, which loaders look up in the handle of a library of ours;
# libruntime.so is a link to it.
LOWER = [row["function"] for row in tables.read("rt_names")]
OURS = {"libacl_rt.so": EXTENSIONS + LOWER, "libascendcl.so": LOWER, "libtwinrt.so": EXTENSIONS}
# The dynamic linker of this interpreter, which is of the platform that is built for.
LOADER = re.search(
    r"interpreter: (\S+?)\]", subprocess.run(["readelf", "-l", os.path.realpath(sys.executable)],
                                             text=True, check=True,
                                              stdout=subprocess.PIPE).stdout).group(1)
SAME_NAMES = {"libacl_prof.so": "libmsprofiler.so"}  # a second file name for the same functions


def compare(title, found, expected):
    """Prints the differences of two lists of names; answers their number."""
    wrong = 0
    for text, names in (("missing", set(expected) - set(found)),
                        ("not recorded", set(found) - set(expected)),
                        ("twice", {name for name in found if found.count(name) > 1})):
        for name in sorted(names):
            print("%s: %s: %s" % (title, text, name))
            wrong += 1
    return wrong


def read(*path):
    with open(os.path.join(*path), encoding="utf-8") as source:
        return source.read()


def defined_in(folder):
    """Public functions with a body in the C files of a folder: clang-format puts them at column
    0."""
    names = []
    for file in sorted(os.listdir(folder)):
        if file.endswith(".c"):
            names += re.findall(r"^[A-Za-z_][\w \t*]*?\b((?:acl|rt[A-Z])\w+)\([^;{}]*\)\s*\{",
                                read(folder, file),
                                re.MULTILINE)
    return names


def partition(runtime):
    """The table of functions has the recorded ones, and each that is built, and no other, has a
    body in api/."""
    expected = [row["function"] for row in tables.exported()]
    rows = re.findall(r'^TWIN_API\("[^"]*", (\w+), \w+, (\w+), \w+\)$',
                      read(runtime, "api", "functions.def"), re.MULTILINE)
    names = [name for name, _ in rows]
    refused = [name for name, state in rows if state.startswith("NOT_BUILT")]
    alone = [name for name, state in rows if state == "LINK_ONLY"]
    wrong = compare("functions.def", names, expected + LOWER)
    wrong += compare("functions.def: LINK_ONLY", alone,
                     [row["function"] for row in tables.exported()
                      if row["library"] == "c-variant-only"])
    ours = re.findall(r"^TWIN_EXTENSION\((\w+)\)$", read(runtime, "api", "functions.def"),
                      re.MULTILINE)
    wrong += compare("functions.def", ours, EXTENSIONS)
    for row in tables.read("rt_names"):
        if (row["function"] in refused) != (row["like"] in refused):
            print("functions.def: one of %(function)s and %(like)s is built, one is not" % row)
            wrong += 1
    return wrong + compare("api/*.c", defined_in(os.path.join(runtime, "api")),
                           [name for name in names if name not in refused + alone])


def output(*command):
    return subprocess.run(command, text=True, stdout=subprocess.PIPE, check=True).stdout


def dynamic_entries(path):
    return re.findall(r"\((\w+)\).*\[(.*)\]", output("readelf", "-d", path))


def needed(program, library):
    if ("NEEDED", library) in dynamic_entries(program):
        return 0
    print("%s does not need %s" % (program, library))
    return 1


def without_filters(folder):
    """No library is a filter over another (-f, -F): ldd of glibc 2.36 aborts on a filter over a
    library with TLS."""
    wrong = 0
    paths = sorted(glob.glob(os.path.join(folder, "*.so*")) +
                   glob.glob(os.path.join(folder, "twinrt", "*.so*")))
    for path in paths:
        for tag, name in dynamic_entries(path):
            if tag in ("FILTER", "AUXILIARY"):
                print("%s: has a dynamic entry %s %s, which no library may have" %
                      (path, tag, name))
                wrong += 1
    return wrong


def exported(folder):
    rows = tables.exported()
    libraries = {name: [row["function"] for row in rows] for name in WHOLE}
    for row in rows:
        if row["library"] not in WHOLE + NOT_OURS:
            libraries.setdefault(row["library"], []).append(row["function"])
    libraries["libtwinrt.so"] = []
    for name, like in SAME_NAMES.items():
        libraries[name] = libraries[like]

    wrong = without_filters(folder)
    for name in sorted(libraries):
        path = os.path.join(folder, name)
        symbols = [line.split()[2].split("@")[0]
                   for line in output("nm", "-D", "--defined-only", path).splitlines()]
        wrong += compare(name, symbols, libraries[name] + OURS.get(name, []))
        dynamic = dynamic_entries(path)
        wanted = [("SONAME", name)]
        if name != "libacl_rt.so":
            wanted += [("NEEDED", "libacl_rt.so"), ("RUNPATH", "$ORIGIN")]
        for entry in wanted:
            if entry not in dynamic:
                print("%s: no dynamic entry %s %s" % ((name,) + entry))
                wrong += 1
    return wrong


def listed(folder):
    """Tools that list dependencies can read every library that is installed."""
    wrong = 0
    paths = sorted(glob.glob(os.path.join(folder, "*.so")) +
                   glob.glob(os.path.join(folder, "twinrt", "*.so")))
    if len(paths) < len(WHOLE):
        print("%s: no libraries" % folder)
        return 1
    for path in paths:
        for command in (["ldd", path], [LOADER, "--verify", path]):
            done = subprocess.run(command, text=True, stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, check=False)
            # --verify: 2 says that the file is a library and no program
            if done.returncode not in ((0,) if command[0] == "ldd"
                                       else (0, 2)) or "not found" in done.stdout:
                print("%s ended with %d:\n%s" % (" ".join(command), done.returncode, done.stdout))
                wrong += 1
    return wrong


def main():
    checks = {"exported": (exported, 1), "listed": (listed, 1), "needed": (needed, 2),
              "partition": (partition, 1)}
    check, count = checks.get(sys.argv[1] if len(sys.argv) > 1 else "", (None, 0))
    if not check or len(sys.argv) != 2 + count:
        sys.exit(__doc__)
    wrong = check(*sys.argv[2:])
    if wrong:
        sys.exit("%d names are wrong" % wrong)
    print("ok: " + sys.argv[1])


if __name__ == "__main__":
    main()
