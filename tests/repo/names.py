# SPDX-License-Identifier: Apache-2.0
"""Which files there are, and which names they give to the world."""

import posixpath
import re

from tree import check

AT_ROOT = {"CMakeLists.txt", "README.md", "runtime", "sim", "rtl-stubs", "backends", "tests",
           "bench", "dev", "LICENSE",
           "CHANGELOG.md", "CONTRIBUTING.md", "examples", "tools"}
FUNCTIONS = "runtime/api/functions.def"

# Sources that no CMakeLists.txt names one by one: pattern -> how they get built.
NOT_LISTED = {r"^runtime/libraries/.*\.c\.in$": "a template of libraries.cmake",
              r"^tests/conformance/expect/\w+\.c$": "one for each backend that "
                                                    "backends/CMakeLists.txt lists"}


@check
def root_names(tree):
    """Only the agreed names are at the root; hidden files are free."""
    return [f"{path}:1: \"{path.split('/')[0]}\" does not belong at the root"
            for path in tree.files() if path.split("/")[0] not in AT_ROOT
            and not path.startswith(".")]


def without_comments(source):
    source = re.sub(r"/\*.*?\*/", " ", source, flags=re.DOTALL)
    return re.sub(r"//[^\n]*", " ", source)


def declared_functions(header):
    """C functions that a public header declares: a name and parentheses, then a semicolon, outside
    of any body."""
    source = re.sub(r"(\\\n|^\s*#[^\n]*(\\\n[^\n]*)*$)", " ", without_comments(header),
                    flags=re.MULTILINE)
    source = re.sub(r'extern\s+"C"\s*\{', " ", source)
    outside, depth = [], 0
    for character in source:
        depth += (character == "{") - (character == "}" and depth > 0)
        outside.append(character if depth == 0 and character != "}"
                       else ("\x01" if character == "{" else " "))
    names = []
    for statement in "".join(outside).replace("\x01", ";{;").split(";"):
        # A definition ends at its brace: only a statement with its own semicolon is a declaration.
        names.append(statement)
    found = []
    for at, statement in enumerate(names):
        if at + 1 < len(names) and names[at + 1].strip() == "{":
            continue
        match = re.search(r"\b(acl\w+)\s*\(", statement)
        if match and not re.match(r"\s*typedef\b", statement) and "inline" not in statement:
            found.append(match.group(1))
    return found


@check
def functions(tree):
    """The table of functions names exactly the functions of the public headers; areas are
    contiguous, sorted inside."""
    rows = re.findall(r'^TWIN_API\("([^"]*)", (acl\w+),', tree.text(FUNCTIONS), flags=re.MULTILINE)
    problems, seen = [], set()
    for (area_before, before), (area, name) in zip([("", "")] + rows, rows):
        if area == area_before and before >= name:
            problems.append(f"{FUNCTIONS}:1: {name} must come before {before}")
        if area != area_before and area in seen:
            problems.append(f"{FUNCTIONS}:1: {name} is not with its area, \"{area}\"")
        seen.add(area)
    listed = {name for _, name in rows}
    declared = {name: path for path in tree.files(".h") if path.startswith("runtime/include/")
                for name in declared_functions(tree.text(path))}
    problems += [f"{declared[name]}:1: {name} is declared, but has no row"
                 for name in sorted(set(declared) - listed)]
    problems += [f"{FUNCTIONS}:1: {name} is in no public header"
                 for name in sorted(listed - set(declared))]
    return problems


@check
def sources_listed(tree):
    """Every source is named by a build file of its folder or one above: no source is unbuilt."""
    problems = []
    build_files = [path for path in tree.files() if path.endswith((".cmake", "CMakeLists.txt"))]
    for path in tree.files(".c", ".cpp", ".c.in"):
        if any(re.match(pattern, path) for pattern in NOT_LISTED):
            continue
        name = posixpath.basename(path)
        stem = name.split(".")[0]
        words = {name, stem, re.sub(r"_(suite|test)$", "", stem)}
        above = [file for file in build_files if path.startswith(posixpath.dirname(file) + "/")
                 and posixpath.dirname(file)]
        if not any(re.search(rf"(?<![\w.-]){re.escape(word)}(?![\w-])", tree.text(file))
                   for file in above for word in words):
            problems.append(f"{path}:1: no CMakeLists.txt names it")
    return problems
