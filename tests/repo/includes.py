# SPDX-License-Identifier: Apache-2.0
"""Which units may include which."""

import os
import posixpath
import re
import sys

from tree import Tree, check


def layers(folder, outside, below):
    """The areas of a folder that is built in layers: each subfolder includes itself, those below
    it, and `outside`."""
    return {
        f"{folder}/{name}": [f"{folder}/{name}", *(f"{folder}/{under}" for under in unders),
                             *outside]
        for name, unders in below.items()}


# Area -> the areas it may include. An area is the longest of these names that a path begins with; a
# folder of backends/ that is not here is one, and may include itself and the seam.
MAY_INCLUDE = {
    "backends/ascend": ["backends/ascend", "runtime/include", "runtime/seam"],
    "backends/sim": ["backends/sim", "runtime/seam", "sim/include"],
    **layers("backends/sim", ["runtime/seam", "sim/include"], {
        "process": [],
        "wait": ["process"],
        "memory": ["process", "wait"],
        "device": ["process", "memory"],
        "observe": ["process", "wait", "device"],
        "queue": ["process", "wait", "memory", "device", "observe"],
        "hostcall": ["process", "wait", "device", "queue"],
        "inject": ["process", "wait", "device"],
        "signal": ["process", "wait", "device", "queue"],
        "graph": ["process", "wait", "memory", "device", "queue"],
        "pool": ["process", "wait", "memory", "device", "queue", "signal"],
        "replay": ["process", "wait", "device", "queue", "hostcall"],
        "report": ["process", "wait", "memory", "device", "queue", "hostcall", "signal", "vmm"],
        "vmm": ["process", "wait", "memory", "device", "queue"],
    }),
    "bench": ["bench", "runtime/include", "runtime/seam", "sim/include"],
    "examples": ["examples", "runtime/include"],
    "rtl-stubs": ["rtl-stubs"],
    "rtl-stubs/arbiter/bench": ["rtl-stubs/common/bench", "sim/core"],
    "rtl-stubs/burst/bench": ["rtl-stubs/common/bench", "sim/core"],
    "rtl-stubs/common/bench": ["rtl-stubs/common/bench", "sim/core"],
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
    "runtime/ascendc": ["runtime/include"],
    "runtime/core": ["runtime/core", "runtime/include/twinrt/kernel_image.h",
                     "runtime/kernel/object.h",
                     "runtime/kernel/run.h", "runtime/seam"],
    **layers(
        "runtime/core", ["runtime/include/twinrt/kernel_image.h", "runtime/kernel/object.h",
                         "runtime/kernel/run.h",
                         "runtime/seam"], {
        "base": [],
        "backend": ["base"],
        "object": ["base", "backend"],
        "image": ["base", "backend", "object"],
        "work": ["base", "backend", "object", "image"],
        "model_instance": ["base", "backend", "object", "work"],
        "callback": ["base", "backend", "object", "work"],
        "capture": ["base", "backend", "object", "work", "callback", "model_instance"],
        "inject": ["base", "backend", "object"],
    }),
    "runtime/host": ["runtime/host", "runtime/seam"],
    "runtime/include": ["runtime/include"],
    "runtime/kernel": ["runtime/include/twinrt", "runtime/kernel", "runtime/seam"],
    "runtime/kernel/linked": ["runtime/include/twinrt"],
    "runtime/libraries": ["runtime/include"],
    "runtime/python": ["runtime/include", "runtime/python"],
    "runtime/seam": ["runtime/seam", "sim/include/twinsim/step.h"],
    "sim/capi": ["sim/capi", "sim/core", "sim/include", "sim/systemc"],
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
    "sim/systemc": ["sim/core", "sim/include", "sim/systemc"],
    "tests": ["backends", "bench", "examples", "runtime", "sim", "tests", "tools"],
    **layers("tools", ["runtime/seam"], {
        "output": [],
        "recording": [],
        "symbolize": ["recording"],
        "check": ["output", "recording", "symbolize"],
        "compare": ["output", "recording"],
        "graph": ["check", "output", "recording", "symbolize"],
        "kernel_report": ["output", "recording"],
        "replay": ["output", "recording"],
        "msprof": ["output", "recording"],
        "calibrate": ["msprof", "output", "recording", "replay"],
    }),
    "tools": ["backends/op_failure/rules.h", "runtime/api/functions.def", "runtime/api/functions.h",
              "runtime/core", "runtime/include",
              "runtime/kernel/object.h", "runtime/seam", "sim/include", "tools"],
}

# Folders whose subfolders are all layers: a new one needs a place above.
ALL_IN_LAYERS = ("backends/sim", "runtime/core", "sim/core")

# Includes against the layers: file -> what it includes. An entry whose include is gone is removed.
AGAINST_LAYERS = {
    # Memory operations and the access guard look an address up in all devices; a failed transfer
    # gets the code of a failed task; freed host memory stays while a kernel is being described.
    "backends/sim/memory/access_guard.c": ["backends/sim/device/device.h"],
    "backends/sim/memory/memory.c": ["backends/sim/device/device.h",
                                     "backends/sim/queue/failure.h",
                                     "backends/sim/queue/kernel.h"],
    "backends/sim/memory/managed.c": ["backends/sim/device/device.h"],
    "backends/sim/memory/registered.c": ["backends/sim/device/device.h"],
    # A wait is drawn on the track of its queue.
    "backends/sim/observe/observe.c": ["backends/sim/queue/queue.h"],
}

# Where include paths point: a name is looked for beside the file, in the folder of its backend,
# then here.
ROOTS = ["backends/sim", "bench", "examples", "rtl-stubs",
         "runtime", "runtime/host", "runtime/include", "runtime/include/acl", "sim", "sim/include",
         "tests", "tests/backends", "tests/sim", "tests/support", "tests/unit", "tools",
         "tools/twinrt", "tools/twinrt-cc", ""]

# Written into the build folder, so not in the tree: name -> why that is all right.
GENERATED = {"functions.inc": "runtime/python/tables.py makes it from runtime/python/functions",
             "instructions.inc": "runtime/ascendc/generate.py makes it from instructions.tsv",
             "twinrt_ascendc_instructions.h":
                 "runtime/ascendc/generate.py makes it from instructions.tsv",
             "rt_names.inc": "runtime/libraries.cmake makes it from runtime/api/functions.def"}

# Only the shell around the model knows SystemC.
SYSTEMC_AREAS = ("sim/capi", "sim/systemc", "sim/rtl", "tests/sim")

# How the table of operations is reached.
OPS = re.compile(r"\btwin_ops\w*|\bops\s*(->|\.)|core/backend/ops\.h")

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')
SOURCES = (".c", ".h", ".cpp", ".c.in", ".def", ".inc", ".sv", ".svh")


def area_of(path):
    fits = [area for area in [*MAY_INCLUDE, *backend_of(path)] if path == area
            or path.startswith(area + "/")]
    return max(fits, key=len) if fits else None


def has_rule(path):
    """Whether a rule says what the file may include."""
    area = area_of(path)
    return area is not None and not (area in ALL_IN_LAYERS and "/" in path[len(area) + 1:])


def backend_of(path):
    """The folder of the backend that a file belongs to, in a list; else an empty list."""
    parts = path.split("/")
    return ["/".join(parts[:2])] if parts[0] == "backends" and len(parts) > 2 else []


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
    candidates = [tree.beside(path, name)]
    candidates += [posixpath.normpath(posixpath.join(root, name)) for root in backend_of(path) +
                   near_first]
    for candidate in candidates:
        if candidate in known:
            return candidate
    return None


@check
def include_rule(tree):
    """Every include stays inside the areas that its file may use."""
    problems = []
    known = set(tree.files())
    gone = {(path, target) for path, targets in AGAINST_LAYERS.items() for target in targets}
    for path in tree.files(*SOURCES):
        area = area_of(path)
        if not has_rule(path):
            problems.append(
                f"{path}:1: no rule says what this folder may include: add it to {__name__}.py")
            continue
        for number, quote, name in included(tree, path):
            where = f"{path}:{number}: "
            target = resolve(tree, known, path, name)
            if name in ("systemc", "systemc.h", "tlm.h",
                        "tlm") and not path.startswith(SYSTEMC_AREAS):
                problems.append(where + f"SystemC belongs into {', '.join(SYSTEMC_AREAS)}")
            elif quote == '"' and name in GENERATED:
                continue
            elif quote == '"' and target is None:
                problems.append(where + f'"{name}" is not a file of this tree')
            elif target and not any((target + "/").startswith(place + "/")
                                    for place in MAY_INCLUDE.get(area, [area, "runtime/seam"])):
                if target not in AGAINST_LAYERS.get(path, ()):
                    problems.append(where + f"{area} may not include {target}")
                gone.discard((path, target))
    return problems + [f"{path}:1: does not include {target}: remove that from AGAINST_LAYERS in "
                       f"{__name__}.py" for path, target in sorted(gone)]


@check
def thin_api(tree):
    """A public function calls the core; the operations of a backend are called by the core
    alone."""
    return [f"{path}:{number}: \"{match.group(0)}\": give this question a function of the core, "
            f"and call that"
            for path in tree.files(".c", ".h") if path.startswith("runtime/api/")
            for number, line in tree.lines(path) for match in OPS.finditer(line)]


@check
def own_header_first(tree):
    """A source includes its own header before all else: so the header is complete."""
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


# Units that may include each other in a cycle.
CYCLE_MOST = 4


def unit_of(path):
    """A source and its header are one unit."""
    return re.sub(r"\.(c|h|cpp|sv|svh)$", "", path)


def cycles(tree):
    """Folder -> (number of units, its largest include cycle as a sorted list of units). Subfolders
    count to their folder."""
    known = set(tree.files())
    edges = {}
    for path in tree.files(".c", ".h", ".cpp"):
        if path.startswith(("runtime/", "backends/", "sim/", "tools/")):
            targets = (resolve(tree, known, path, name) for _, quote, name in included(tree, path)
                       if quote == '"')
            edges.setdefault(unit_of(path), set()).update(unit_of(target) for target in targets
                                                          if target)
    folders = {}
    for unit in edges:
        folders.setdefault("/".join(unit.split("/")[:2]), set()).add(unit)
    return {
        folder: (len(units), largest_cycle({unit: edges[unit] & units - {unit} for unit in units}))
        for folder, units in sorted(folders.items())}


def largest_cycle(edges):
    """The largest set of units that all reach each other: Tarjan's strongly connected components,
    without recursion."""
    index, low, on_stack, stack, best = {}, {}, set(), [], []
    for root in sorted(edges):
        if root in index:
            continue
        work = [(root, iter(sorted(edges[root])))]
        index[root] = low[root] = len(index)
        stack.append(root)
        on_stack.add(root)
        while work:
            unit, targets = work[-1]
            below = next(targets, None)
            if below is None:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[unit])
                if low[unit] == index[unit]:
                    component = []
                    while not component or component[-1] != unit:
                        component.append(stack.pop())
                        on_stack.discard(component[-1])
                    best = max(best, component, key=len)
            elif below not in index:
                index[below] = low[below] = len(index)
                stack.append(below)
                on_stack.add(below)
                work.append((below, iter(sorted(edges[below]))))
            elif below in on_stack:
                low[unit] = min(low[unit], index[below])
    return sorted(best)


@check
def include_cycles(tree):
    """No folder has an include cycle of more than CYCLE_MOST units."""
    problems = []
    for folder, (_, largest) in cycles(tree).items():
        if len(largest) > CYCLE_MOST:
            problems.append(
                f"{folder}: {len(largest)} units include each other in a cycle; at most "
                f"{CYCLE_MOST} may: "
                + ", ".join(unit[len(folder) + 1:] for unit in largest))
    return problems


def main():
    tree = Tree(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
    print(f"{'folder':<22}{'units':>7}{'largest cycle':>15}")
    for folder, (units, largest) in cycles(tree).items():
        names = ", ".join(unit[len(folder) + 1:] for unit in largest) if len(largest) > 1 else ""
        print(f"{folder:<22}{units:>7}{len(largest):>15}  {names}".rstrip())


if __name__ == "__main__":
    sys.exit(main())
