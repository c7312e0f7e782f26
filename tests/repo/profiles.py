#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The table of profiles in sim/README.md, made from the files in sim/profiles.

usage: profiles.py --update [ROOT]   write the table into sim/README.md"""

import json
import os
import re
import sys

from tree import Tree, check

PAGE = "sim/README.md"
SETTINGS = "runtime/docs/settings.md"
FOLDER = "sim/profiles/"
TABLE = re.compile(r"(<!-- profiles -->\n)(.*?)(<!-- /profiles -->)", re.DOTALL)
# column -> how a cell is made from the parameters of a profile
COLUMNS = {
    "Part": "{soc_name}",
    "Cores": "{limit.aic_cores} + {limit.aiv_cores}, {aicore.clock_mhz} MHz",
    "AI CPUs": "{limit.ai_cpus}",
    "L2, memory": "{limit.l2_mib} MiB, {limit.memory_mib} MiB",
    "Streams": "{limit.streams}",
    "Events": "{limit.events}",
    "Notifies": "{limit.notifies}",
    "SQ": "{limit.sq_depth}",
    "Slots": "{swap_in.slots}",
    "SDMA": "{dma.sdma.channels}",
    "Host DMA": "{dma.host.channels}",
    "Counter": "{counter_mhz} MHz",
    "Memory rate": "{link.hbm.peak_mb_s}",
}


def merged(tree, name, seen=()):
    """The parameters of a profile, dotted name -> value, with those of its bases."""
    tops = json.loads(tree.text(f"{FOLDER}{name}.json"))
    base = tops.pop("base", None)
    values = merged(tree, base, seen + (name,)) if base and base not in seen else {}

    def walk(node, prefix):
        for key, child in node.items():
            if "value" in child:
                values[prefix + key] = child["value"]
            else:
                walk(child, prefix + key + ".")
    walk(tops, "")
    return values


def names(tree):
    return sorted(path[len(FOLDER):-5] for path in tree.files(".json") if path.startswith(FOLDER))


def table(tree):
    head = ["Profile", *COLUMNS, "Scheduler"]
    lines = ["| " + " | ".join(head) + " |", "|---" * len(head) + "|"]
    for name in names(tree):
        values = merged(tree, name)
        cells = [re.sub(r"{([\w.]+)}", lambda match: str(values.get(match.group(1), "?")), form)
                 for form in COLUMNS.values()]
        loop = "firmware" if values.get("firmware.loop") else "hardware"
        lines.append("| " + " | ".join([f"`{name}`", *cells, loop]) + " |")
    return "\n".join(lines) + "\n"


@check
def profiles(tree):
    """The table of profiles agrees with the files, and the page of settings and CMake name every
    file."""
    match = TABLE.search(tree.text(PAGE))
    problems = []
    if not match:
        return [f"{PAGE}:1: no table between <!-- profiles --> and <!-- /profiles -->"]
    if match.group(2) != table(tree):
        line = tree.text(PAGE).count("\n", 0, match.start()) + 1
        problems.append(f"{PAGE}:{line}: the table is not that of the files; "
                        "run tests/repo/profiles.py --update")
    setting = re.search(r"^\| `TWINRT_PROFILE` .*$", tree.text(SETTINGS), re.MULTILINE)
    for name in names(tree):
        if not setting or f"`{name}`" not in setting.group(0):
            problems.append(f"{SETTINGS}:1: TWINRT_PROFILE does not name {name}")
        if f"{name}.json" not in tree.text("sim/CMakeLists.txt"):
            problems.append(f"sim/CMakeLists.txt:1: {name}.json is not installed")
    return problems


def main(arguments):
    if arguments[:1] != ["--update"]:
        print(__doc__, file=sys.stderr)
        return 2
    root = arguments[1] if len(arguments) > 1 else os.path.join(
        os.path.dirname(os.path.abspath(__file__)), "..", "..")
    tree = Tree(root)
    page = TABLE.sub(lambda match: match.group(1) + table(tree) + match.group(3), tree.text(PAGE))
    with open(os.path.join(tree.root, PAGE), "w", encoding="utf-8", newline="") as file:
        file.write(page)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
