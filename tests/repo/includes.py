# SPDX-License-Identifier: Apache-2.0
"""Who may include whom."""

import posixpath
import re

from tree import check


def layers(folder, outside, below):
    """The areas of a folder that is built in layers: each subfolder includes itself, those below it, and `outside`."""
    return {f"{folder}/{name}": [f"{folder}/{name}", *(f"{folder}/{under}" for under in unders), *outside]
            for name, unders in below.items()}


# Area -> the areas it may include. An area is the longest of these names that a path begins with.
MAY_INCLUDE = {
    "backends/ascend": ["backends/ascend", "runtime/include", "runtime/seam"],
    "backends/null": ["backends/null", "runtime/seam"],
    "backends/fault": ["backends/fault", "runtime/seam"],
    "backends/record": ["backends/record", "runtime/seam"],
    "backends/sim": ["backends/sim", "runtime/seam", "sim/include"],
    "bench": ["bench", "runtime/include", "runtime/seam", "sim/include"],
    "examples": ["examples", "runtime/include"],
    "rtl-stubs": ["rtl-stubs"],
    "rtl-stubs/arbiter/bench": ["rtl-stubs/common/bench", "sim/core"],
    "rtl-stubs/burst/bench": ["rtl-stubs/common/bench", "sim/core"],
    "rtl-stubs/dma/bench": ["rtl-stubs/common/bench", "sim/core"],
    "rtl-stubs/dma_ops/bench": ["rtl-stubs/common/bench", "sim/core"],
    "rtl-stubs/dma_pool/bench": ["rtl-stubs/common/bench", "sim/core"],
    "rtl-stubs/event_table/bench": ["rtl-stubs/common/bench", "sim/core"],
    "rtl-stubs/front_end/bench": ["rtl-stubs/common/bench", "sim/core", "sim/include"],
    "rtl-stubs/link/bench": ["rtl-stubs/common/bench", "sim/core"],
    "rtl-stubs/notify_table/bench": ["rtl-stubs/common/bench", "sim/core"],
    "rtl-stubs/slots/bench": ["rtl-stubs/common/bench", "sim/core"],
    "rtl-stubs/sqe/bench": ["rtl-stubs/common/bench", "sim/core", "sim/include"],
    "runtime/api": ["runtime/api", "runtime/core", "runtime/include", "runtime/seam"],
    "runtime/core": ["runtime/core", "runtime/include/twinrt/kernel_image.h", "runtime/kernel/object.h",
                     "runtime/kernel/run.h", "runtime/seam"],
    "runtime/host": ["runtime/host", "runtime/seam"],
    "runtime/include": ["runtime/include"],
    "runtime/kernel": ["runtime/include/twinrt", "runtime/kernel", "runtime/seam"],
    "runtime/kernel/linked": ["runtime/include/twinrt"],
    "runtime/libraries": ["runtime/include"],
    "runtime/python": ["runtime/include", "runtime/python"],
    "runtime/seam": ["runtime/seam"],
    "sim/capi": ["sim/capi", "sim/core", "sim/include", "sim/tlm"],
    "sim/core": ["sim/core", "sim/include"],
    **layers("sim/core", ["sim/include"], {
        "base": [],
        "profile": ["base"],
        "link": ["base", "profile"],
        "trace": ["base", "profile", "link"],
        "tables": ["base"],
        "queue": ["base", "profile"],
        "engine": ["base", "profile", "link", "trace", "queue"],
        "scheduler": ["base", "profile", "link", "trace", "tables", "queue", "engine"],
    }),
    "sim/include": ["sim/include"],
    "sim/rtl": ["sim/core", "sim/include", "sim/rtl"],
    "sim/tlm": ["sim/core", "sim/include", "sim/tlm"],
    "tests": ["backends", "bench", "examples", "runtime", "sim", "tests", "tools"],
    "tools": ["runtime/api/areas.def", "runtime/api/not_offered.def", "runtime/api/unsupported.def", "runtime/core",
              "runtime/include", "runtime/kernel/object.h", "runtime/seam", "sim/include", "tools"],
}

# Where include paths point: a name is looked for beside the file, then here.
ROOTS = ["backends/ascend", "backends/fault", "backends/null", "backends/record", "backends/sim", "bench", "examples", "rtl-stubs",
         "runtime", "runtime/host", "runtime/include", "runtime/include/acl", "sim", "sim/include", "tests", "tests/sim", "tests/support", "tools",
         "tools/twinrt", "tools/twinrt-cc", ""]

# Written into the build folder, so not in the tree: name -> why that is all right.
GENERATED = {"exported_names.inc": "tools/twinrt makes it from runtime/exports.map"}

# Only the shell around the model knows SystemC.
SYSTEMC_AREAS = ("sim/capi", "sim/tlm", "sim/rtl", "tests/sim")

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')
SOURCES = (".c", ".h", ".cpp", ".c.in", ".def", ".inc", ".sv", ".svh")


def area_of(path):
    fits = [area for area in MAY_INCLUDE if path == area or path.startswith(area + "/")]
    return max(fits, key=len) if fits else None


def included(tree, path):
    """(line number, quote, name) of every include of a file."""
    for number, line in tree.lines(path):
        match = INCLUDE.match(line)
        if match:
            yield number, match.group(1), match.group(2)


def resolve(tree, known, path, name):
    """The file of ours that a name leads to, or None."""
    top = path.split("/")[0]
    near_first = sorted(ROOTS, key=lambda root: root.split("/")[0] != top)
    candidates = [tree.beside(path, name)] + [posixpath.normpath(posixpath.join(root, name)) for root in near_first]
    for candidate in candidates:
        if candidate in known:
            return candidate
    return None


@check
def include_rule(tree):
    """Every include stays inside the areas that its file may use."""
    problems = []
    known = set(tree.files())
    for path in tree.files(*SOURCES):
        area = area_of(path)
        if area is None:
            problems.append(f"{path}:1: no rule says what this folder may include: add it to {__name__}.py")
            continue
        for number, quote, name in included(tree, path):
            where = f"{path}:{number}: "
            target = resolve(tree, known, path, name)
            if name in ("systemc", "systemc.h", "tlm.h", "tlm") and not path.startswith(SYSTEMC_AREAS):
                problems.append(where + f"SystemC belongs into {', '.join(SYSTEMC_AREAS)}")
            elif quote == '"' and name in GENERATED:
                continue
            elif quote == '"' and target is None:
                problems.append(where + f'"{name}" is no file of this tree')
            elif target and not any((target + "/").startswith(place + "/") for place in MAY_INCLUDE[area]):
                problems.append(where + f"{area} may not include {target}")
    return problems


@check
def own_header_first(tree):
    """A source that has a header of its own includes it before all else: so the header is complete."""
    problems = []
    known = set(tree.files())
    for path in tree.files(".c", ".cpp"):
        header = re.sub(r"\.(c|cpp)$", ".h", path)
        if header not in known:
            continue
        for number, _, name in included(tree, path):
            if resolve(tree, known, path, name) != header:
                problems.append(f"{path}:{number}: {header} comes first")
            break
    return problems
