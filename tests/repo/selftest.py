#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Shows that every check accepts a good tree and finds the defects that it is for."""

import os
import re
import sys
import tempfile

import check
import includes
import readme
from tree import CHECKS, Tree

L = "SPDX-License-" + "Identifier: Apache-2.0"
FENCE = "`" * 3

TIMING = "| Rule | What |\n|---|---|\n| T-FE-1 | a |\n| T-FE-2 | b |\n| T-FE-3 | c |\n"
PROFILES = "<!-- profiles -->\n" + "".join("| " + " | ".join(cells) + " |\n" if len(cells) > 1
                                           else cells[0] for cells in [
    ["Profile", "Part", "Cores", "AI CPUs", "L2, memory", "Streams", "Events", "Notifies", "SQ",
     "Slots", "SDMA", "Host DMA", "Counter",
     "Memory rate", "Scheduler"], ["|---" * 15 + "|\n"],
    ["`a`", "A", "? + ?, ? MHz", "?", "? MiB, ? MiB", "7", "?", "?", "?", "?", "?", "?", "? MHz",
     "?", "hardware"],
    ["`b`", "A", "? + ?, ? MHz", "?", "? MiB, ? MiB", "7", "9", "?", "?", "?", "?", "?", "? MHz",
     "?", "hardware"],
]) + "<!-- /profiles -->\n"
README = f"{FENCE}sh run\n./dev demo\n{FENCE}\n{FENCE}text output\n…\n{FENCE}\n{FENCE}sh run\n./dev test\n{FENCE}\n"
DEV = "demo | test)\n    command=$1\n"

# check -> (a good tree, [(what is wrong, files that replace or join it, part of the expected
# problem)])
CASES = {
    "include_rule": ({
        "runtime/core/a.c": '#include "core/a.h"\n#include "seam/s.h"\n#include <stdio.h>\n',
        "runtime/core/a.h": "", "runtime/seam/s.h": "", "sim/core/b.h": "", "runtime/api/x.h": "",
        "sim/core/a.h": "", "sim/core/a.cpp": '#include "core/a.h"\n', "sim/include/t.h": "",
        "backends/null/n.c": "",
        **{target: "" for targets in includes.AGAINST_LAYERS.values() for target in targets},
        **{path: "".join(f'#include "{target}"\n' for target in targets)
           for path, targets in includes.AGAINST_LAYERS.items()},
    }, [
        ("core includes api", {"runtime/core/a.c": '#include "api/x.h"\n'},
         "runtime/core may not include runtime/api/x.h"),
        ("null includes the model", {"backends/null/n.c": '#include "t.h"\n'},
         "may not include sim/include/t.h"),
        ("a name that leads nowhere", {"runtime/core/a.c": '#include "gone.h"\n'},
         '"gone.h" is not a file'),
        ("a layer includes one above it", {"sim/core/base/x.h": '#include "core/scheduler/y.h"\n',
                                           "sim/core/scheduler/y.h": ""},
         "sim/core/base may not include sim/core/scheduler/y.h"),
        ("a layer of the backend includes one above it",
         {"backends/sim/wait/w.c": '#include "queue/queue.h"\n'},
         "backends/sim/wait may not include backends/sim/queue/queue.h"),
        ("a file with one include against the layers gets another",
         {"backends/sim/observe/observe.c": '#include "queue/queue.h"\n'
                                            '#include "queue/kernel.h"\n'},
         "observe.c:2: backends/sim/observe may not include backends/sim/queue/kernel.h"),
        ("a listed include against the layers is gone", {"backends/sim/observe/observe.c": ""},
         "observe.c:1: does not include backends/sim/queue/queue.h"),
        ("a subfolder without a layer", {"backends/sim/other/a.c": ""},
         "other/a.c:1: no rule says"),
        ("SystemC in the plain core", {"sim/core/a.cpp": "#include <systemc>\n"},
         "SystemC belongs into"),
        ("a folder without a rule", {"elsewhere/a.c": ""}, "no rule says"),
    ]),
    "include_cycles": ({
        **{f"sim/core/{name}.h": f'#include "core/{after}.h"\n'
           for name, after in zip("abcd", "bcda")},
    }, [
        ("five in a ring", {"sim/core/d.h": '#include "core/e.h"\n',
                            "sim/core/e.h": '#include "core/a.h"\n'},
         "sim/core: 5 units include each other"),
        ("a source closes the ring", {"sim/core/d.h": "", "sim/core/d.c": '#include "core/e.h"\n',
                                      "sim/core/e.h": '#include "core/a.h"\n'},
         "sim/core: 5 units include each other"),
    ]),
    "thin_api": (
        {"runtime/api/a.c": "code = twin_event_wait(event);\n",
         "runtime/core/a.c": "twin_ops()->signal.wait(s);\n"}, [
        ("a call of an operation", {"runtime/api/a.c": "x();\ntwin_ops()->signal.wait(s);\n"},
         "runtime/api/a.c:2:"),
        ("by the thread's table", {"runtime/api/a.h": "thread->ops->host.enter(call);\n"},
         "runtime/api/a.h:1:"),
        ("the header of the table", {"runtime/api/a.c": '#include "core/backend/ops.h"\n'},
         "runtime/api/a.c:1:"),
    ]),
    "own_header_first": ({"sim/core/a.cpp": '#include "a.h"\n#include <map>\n', "sim/core/a.h": ""},
                         [
        ("a system header before it", {"sim/core/a.cpp": '#include <map>\n#include "a.h"\n'},
         "sim/core/a.h comes first"),
    ]),
    "columns": (
        {"a.c": "/* " + "w " * 47 + "*/\n", "b.md": "w " * 60 + "\n| " + "w " * 99 + "|\n",
         "c.py": f"a = '{'w ' * 60}'\n"}, [
        ("a long comment", {"a.c": "int a;\n/* " + "w " * 49 + "*/\n"},
         "a.c:2: 103 columns, more than 100"),
        ("a long row of a table", {"d.def": 'A(a,\n  "' + "w " * 50 + '")\n'},
         "d.def:2: 105 columns, more than 100"),
        ("a long line of a script without an ending", {"lint": "#!/bin/sh\n" + "w " * 51 + "\n"},
         "lint:2: 102 columns, more than 100"),
        ("a long line of a page", {"b.md": "w " * 61 + "\n"}, "b.md:1: 122 columns, more than 120"),
    ]),
    "license_line": ({"a.c": f"/* {L} */\n", "b.json": "{}\n"}, [
        ("a source without it", {"a.c": "int a;\n"}, "a.c:1: no line"),
        ("it comes too late", {"a.c": "\n" * 9 + L}, "a.c:1: no line"),
    ]),
    "blanks": ({"a.c": "int a;\n", "b.tsv": "a\tb\t\n", "empty": ""}, [
        ("a tab", {"a.c": "\tint a;\n"}, "a.c:1: tab"),
        ("a trailing blank", {"a.c": "int a; \n"}, "a.c:1: blanks"),
        ("a carriage return", {"a.c": "int a;\r\n"}, "a.c:1: carriage return"),
        ("no line end", {"a.c": "int a;"}, "a.c:1: no line end"),
        ("an empty line at the end", {"a.c": "int a;\n\n"}, "empty lines"),
        ("Latin-1", {"a.c": b"/* \xe9 */\n"}, "a.c:1: not UTF-8"),
    ]),
    "outside": ({"a.md": "root/ and docs/root/a and /usr/include\n"}, [
        ("a path of one machine", {"a.md": "see /" + "root/main\n"}, "a.md:1:"),
        ("a folder beside the repository", {"a.md": "see ../" + "shared/x\n"}, "a.md:1:"),
    ]),
    "notes": ({"a.c": "/* not modelled */\n"}, [
        ("a note", {"a.c": "/* TO" + "DO: more */\n"}, "a.c:1:"),
        ("a promise", {"a.c": "/* not " + "implemented */\n"}, "a.c:1:"),
    ]),
    "length": ({"a.c": "\n" * 600, "runtime/include/acl/a.h": "\n" * 2000}, [
        ("a long source", {"a.c": "\n" * 700}, "a.c:1: 700 lines"),
    ]),
    "root_names": ({"README.md": "", ".hidden/a": "", "sim/a": ""}, [
        ("a file", {"notes.txt": ""}, '"notes.txt" does not belong'),
        ("a folder", {"misc/a.c": ""}, '"misc" does not belong'),
    ]),
    "functions": ({
        "runtime/api/functions.def": 'TWIN_API("a", aclA, ALL)\nTWIN_API("a", aclB, '
                                     'ALL)\nTWIN_API("b", rtA, ALL)\n',
        "runtime/include/acl/a.h": '#ifdef __cplusplus\nextern "C" {\n#endif\n'
                                   "typedef void (*aclCallback)(int);\nEXPORT aclError aclA(int "
                                   "a, aclCallback b);\n"
                                   "/* aclNot(); */\nEXPORT int aclB(void);\n#ifdef "
                                   "__cplusplus\n}\n#endif\n"
                                   "static inline int aclInline(int a)\n{\n    return aclA(a, "
                                   "0);\n}\n",
    }, [
        ("not sorted", {
            "runtime/api/functions.def": 'TWIN_API("a", aclB, A2)\nTWIN_API("a", aclA, A2)\n'},
         "aclA must come before aclB"),
        ("an area in two places", {
            "runtime/api/functions.def": 'TWIN_API("a", aclA, A2)\nTWIN_API("b", aclB, '
                                         'A2)\nTWIN_API("a", aclC, A2)\n'},
         'aclC is not with its area, "a"'),
        ("one too few", {"runtime/api/functions.def": 'TWIN_API("a", aclA, A2)\n'},
         "aclB is declared, but has no row"),
        ("one too many", {
            "runtime/api/functions.def": 'TWIN_API("a", aclA, A2)\nTWIN_API("a", aclB, '
                                         'A2)\nTWIN_API("a", aclC, A2)\n'},
         "aclC is in no public header"),
    ]),
    "sources_listed": ({"sim/CMakeLists.txt": "add_library(a core/a.cpp)\n", "sim/core/a.cpp": "",
                        "tests/c/CMakeLists.txt": "twin_add_conformance(event)\n",
                        "tests/c/event_suite.c": ""}, [
        ("a source that is not built", {"sim/core/b.cpp": ""},
         "sim/core/b.cpp:1: no CMakeLists.txt"),
        ("a name inside a longer one", {"sim/CMakeLists.txt": "core/aa.cpp core/ba.cpp\n"},
         "sim/core/a.cpp:1:"),
    ]),
    "links": (
        {"a.md": "[b](d/b.md#one-two) [c](https://x.y/) `[no](no)` [self](#top)\n# Top\n",
         "d/b.md": "## One `two`\n[a](../a.md)\n"}, [
        ("a page that is gone", {"a.md": "[b](gone.md)\n"}, "a.md:1: gone.md leads nowhere"),
        ("a heading that is gone", {"a.md": "[b](d/b.md#three)\n"}, "no heading for #three"),
        ("out of the repository", {"a.md": "[b](../x.md)\n"}, "leads nowhere"),
    ]),
    "settings": (
        {"runtime/core/base/config.h": '#define LIST(X) \\\n X(A, "TWINRT_A", "on", "on|off", '
                                       '"help") \\\n X(B, "ASCEND_B", "", "", "help")\n',
         "README.md": "| `TWINRT_A` | `on` | |\n| `ASCEND_B` | | |\n",
         "CMakeLists.txt": "option(TWINRT_WERROR OFF)\n"}, [
        ("one is missing", {"README.md": "| `TWINRT_A` | `on` |\n"}, "runtime/ has ASCEND_B"),
        ("another default", {"README.md": "| `TWINRT_A` | `off` |\n| `ASCEND_B` | | |\n"},
         "does not name its default"),
        ("one too many", {"runtime/x.md": "set TWINRT_GONE=1\n"},
         "there is no setting TWINRT_GONE"),
        ("the list has moved", {"runtime/core/base/config.h": ""}, "no settings found"),
    ]),
    "rule_ids": ({"sim/docs/timing.md": TIMING, "runtime/docs/host-time.md": "| HOST-1 | a |\n",
                  "tools/check/README.md": "| ORD-01 | judged by times | |\n| RACE-01 | a | |\n",
                  "runtime/docs/contract/a.md": "| ORD-01 | f | x | 0 | - |\n| EVT-02b | f | y | "
                                                "0 | - |\n",
                  "tests/conformance/a.c": "// ORD-01, EVT-02b, RACE-01, HOST-1, T-FE-1 to "
                                           "T-FE-3, T-FE-1..3, UTF-8\n"}, [
        ("an id that is not defined", {"runtime/a.c": "// ORD-02\n"},
         "ORD-02 is not defined in runtime/docs/contract/a.md"),
        ("a number without its zero", {"runtime/a.c": "// RACE-1\n"},
         "RACE-1 is not defined in tools/check/README.md"),
        ("a rule of timing without its prefix", {"b.md": "FE-2\n"},
         "the rule of sim/docs/timing.md is T-FE-2"),
        ("the end of a range", {"rtl-stubs/a.sv": "// T-FE-2 to T-FE-4\n"},
         "T-FE-4 is not defined in sim/docs/timing.md"),
        ("an id twice on a page", {"sim/docs/timing.md": TIMING + "| T-FE-1 | d |\n"},
         "T-FE-1 is defined in"),
        ("an id on two pages", {"runtime/docs/contract/b.md": "| ORD-01 | f | x | 0 | - |\n"},
         "ORD-01 is defined in"),
        ("a family on two pages", {"runtime/docs/contract/b.md": "| ORD-07 | f | x | 0 | - |\n"},
         "has the family ORD"),
        ("a table that has moved", {"runtime/docs/host-time.md": ""},
         "host-time.md:1: no id is defined here"),
    ]),
    "timing_rules": ({"sim/docs/timing.md": TIMING, "tests/sim/a.cpp": "// T-FE-1 to T-FE-2\n",
                      "tests/repo/untested_rules.txt": "# x\nT-FE-3 cannot be seen from outside\n"},
                     [
        ("a rule without a test", {"tests/sim/a.cpp": "// T-FE-1\n"},
         "no test in tests/sim quotes T-FE-2"),
        ("an excuse without a reason", {"tests/repo/untested_rules.txt": "T-FE-3\n"},
         "T-FE-3 without a reason"),
        ("an excuse that is not needed", {"tests/sim/a.cpp": "// T-FE-1..3\n"}, "T-FE-3 is tested"),
        ("an excuse for nothing", {"tests/repo/untested_rules.txt": "T-FE-3 a\nT-FE-7 b\n"},
         "there is no rule T-FE-7"),
    ]),
    "contract_rows": ({"runtime/docs/contract/a.md": "| DEV-01 | f | x | 0 | - |\n",
                       "tests/conformance/coverage.tsv": "row\ttitle\tsuites\treason\nDEV-01\tx\tdevice\t\n"}, [
        ("a row of the list that is not there",
         {"tests/conformance/coverage.tsv": "row\tt\ts\tr\nDEV-09\tx\ta\t\n"}, "has no DEV-09"),
    ]),
    "header_comments": ({
        "runtime/include/acl/acl_rt.h": "/* A. */\nACL_FUNC_VISIBILITY aclError aclA(int a);\n"
                                        "ACL_FUNC_VISIBILITY aclError\naclB(int b);\n"}, [
        ("a function without a comment",
         {"runtime/include/acl/acl_rt.h":
          "/* A. */\n\nACL_FUNC_VISIBILITY aclError aclA(int a);\n"},
         "aclA has no comment"),
    ]),
    "language": (
        {"runtime/a.c": "/* The pool releases what it has. */\n", "b.md": "called `" + "men" +
         "d` before\n"}, [
        ("a phrase in a comment", {"runtime/a.c": "/* It lets " + "go of it. */\n"},
         "write release"),
        ("a phrase in a page", {"b.md": "It is " + "men" + "ded.\n"}, "write fix"),
        ("a person", {"runtime/a.c": "/* a record that no" + "body waits for */\n"},
         "write no thread"),
        ("a phrase in a message", {"runtime/a.c": 'say("memory is ' + 'short");\n'},
         "write out of memory"),
    ]),
    "status_table": (
        {"runtime/seam/status.h": 'X(TWIN_OK, 0, "fine") \\\n X(TWIN_E_A, 107000, "bad, really") '
                                  '\\\n',
         "runtime/docs/errors.md": "| `TWIN_OK` | 0 `ACL_SUCCESS` | fine |\n| `TWIN_E_A` | 107000 "
                                   "| bad, really |\n"}, [
        ("a row too few", {"runtime/docs/errors.md": "| `TWIN_OK` | 0 | fine |\n"},
         "no row for TWIN_E_A"),
        ("a row too many", {"runtime/seam/status.h": 'X(TWIN_OK, 0, "fine")\n'}, "has no TWIN_E_A"),
        ("another code", {
            "runtime/seam/status.h": 'X(TWIN_OK, 0, "fine") X(TWIN_E_A, 107001, "bad, really")\n'},
         "becomes 107001"),
        ("another text", {
            "runtime/seam/status.h": 'X(TWIN_OK, 0, "fine") X(TWIN_E_A, 107000, "bad")\n'},
         "the text of TWIN_E_A"),
        ("a failure that is not listed", {
            "backends/sim/queue/failure.c": "{STARS_STATUS_X, TWIN_E_A},\n"},
         "TWIN_TASK_FAILURES lacks TWIN_E_A"),
        ("the numbers have moved", {"backends/sim/queue/failure.c": "int x;\n"},
         "no error number found"),
    ]),
    "profiles": (
        {"sim/profiles/a.json": '{"soc_name": {"value": "A", "mark": "known"}, "limit": '
                                '{"streams": {"value": 7, "mark": "known"}}}',
         "sim/profiles/b.json": '{"base": "a", "limit": {"events": {"value": 9, "mark": '
                                '"assumed"}}}',
         "sim/CMakeLists.txt": "a.json b.json",
         "runtime/docs/settings.md": "| `TWINRT_PROFILE` | `a` | `a` `b` |\n",
         "sim/README.md": PROFILES}, [
        ("a value that has changed", {
            "sim/profiles/a.json": '{"soc_name": {"value": "A", "mark": "known"}, "limit": '
                                   '{"streams": {"value": 8, "mark": "known"}}}'},
         "is not that of the files"),
        ("a base that has changed", {
            "sim/profiles/b.json": '{"limit": {"events": {"value": 9, "mark": "known"}}}'},
         "is not that of the files"),
        ("a profile that the page of settings does not name",
         {"runtime/docs/settings.md": "| `TWINRT_PROFILE` | `a` | `a` |\n"}, "does not name b"),
        ("a profile that is not installed", {"sim/CMakeLists.txt": "a.json"},
         "b.json is not installed"),
        ("no table", {"sim/README.md": ""}, "no table"),
    ]),
    "commands": (
        {"README.md": README, "dev": DEV, "examples/a.c": "",
         "sim/a.md": "`./dev test -R x`, build/examples/a\n"}, [
        ("a block without a mark", {"README.md": README + f"{FENCE}sh\nls\n{FENCE}\n"},
         "mark the block"),
        ("the demo is not run", {"README.md": README.replace("demo", "test")}, '"./dev demo"'),
        ("a command that is gone", {"sim/a.md": "`./dev gone`\n"}, "./dev has no command gone"),
        ("an example that is gone", {"sim/a.md": "build/examples/b\n"}, "there is no example b"),
    ]),
}

# (what README.md shows, what was printed, whether that fits)
OUTPUTS = [
    ("a\nb\n", "a\nb\n", True),
    ("a\nb\n", "a\nc\n", False),
    ("a\n…\nd\n", "a\nb\nc\nd\n", True),
    ("a\n…\nd\n", "a\nd\n", True),
    ("a\n…\nd\n", "a\nb\n", False),
    ("took … s\n", "took 12 s\n", True),
    ("took … s\n", "took 12 min\n", False),
    ("…\n", "", True),
]


def write(root, files):
    for path, content in files.items():
        full = os.path.join(root, path)
        os.makedirs(os.path.dirname(full), exist_ok=True)
        with open(full, "wb") as file:
            file.write(content if isinstance(content, bytes) else content.encode())


def run(name, files):
    with tempfile.TemporaryDirectory() as root:
        write(root, files)
        return CHECKS[name](Tree(root))


def main():
    results = []

    def expect(title, held, seen=""):
        results.append(held)
        if not held:
            print(f"FAILED: {title}{': ' if seen != '' else ''}{seen}")

    expect("every check has a self-test", set(CASES) == set(CHECKS), set(CASES) ^ set(CHECKS))
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "CMakeLists.txt"),
              encoding="utf-8") as file:
        run_by_ctest = set(re.search(r"TWIN_REPO_CHECKS\s([^)]*)", file.read()).group(1).split())
    expect("every check is run by ctest", run_by_ctest == set(CHECKS), run_by_ctest ^ set(CHECKS))
    for name, (good, bad) in CASES.items():
        problems = run(name, good)
        expect(f"{name} lets a good tree pass", not problems, problems)
        expect(f"{name} has a tree that must fail", bool(bad))
        for title, change, part in bad:
            problems = run(name, {**good, **change})
            expect(f"{name} finds: {title}", any(part in problem for problem in problems), problems)
    for shown, printed, fits in OUTPUTS:
        expect(f"{shown!r} against {printed!r}", readme.matches(shown, printed) == fits)
    expect("an unknown check is refused", check.main(["no_such_check"]) == 2)
    print(f"{sum(results)} passed, {len(results) - sum(results)} failed")
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
