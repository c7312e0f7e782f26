# SPDX-License-Identifier: Apache-2.0
"""Documents against the code they speak of."""

import re

from tree import check

SETTINGS = "runtime/core/base/config.h"
STATUS = "runtime/seam/status.h"
NUMBERS = "backends/sim/queue/failure.c"
ERRORS = "runtime/docs/errors.md"

HEADER = "runtime/include/acl/acl_rt.h"

LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)(?:\s+\"[^\"]*\")?\)")


def prose(tree, path):
    """(number, line) of a Markdown file without fenced blocks and inline code."""
    fenced = False
    for number, line in tree.lines(path):
        if line.lstrip().startswith("```"):
            fenced = not fenced
        elif not fenced:
            yield number, re.sub(r"`[^`]*`", "``", line)


def anchors(tree, path):
    """The anchors of a page's headings, made as forges make them."""
    found = set()
    for _, line in tree.lines(path):
        match = re.match(r"#{1,6}\s+(.*?)\s*#*$", line)
        if match:
            title = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", match.group(1)).lower()
            found.add(re.sub(r"[^\w\- ]", "", title).replace(" ", "-"))
    return found


@check
def links(tree):
    """Links in Markdown lead to files, and to headings, that exist."""
    problems = []
    for path in tree.files(".md"):
        for number, line in prose(tree, path):
            for target in LINK.findall(line):
                if re.match(r"[a-z]+:", target):
                    continue
                file, _, anchor = target.partition("#")
                page = tree.beside(path, file) if file else path
                if page.startswith("../") or not tree.has(page):
                    problems.append(f"{path}:{number}: {target} leads nowhere")
                elif anchor and page.endswith(".md") and anchor not in anchors(tree, page):
                    problems.append(f"{path}:{number}: {page} has no heading for #{anchor}")
    return problems


@check
def settings(tree):
    """Every setting of the runtime is in a table of the documents, with its default; no page names
    one that is not."""
    rows = re.findall(r'X\(\w+,\s*"([A-Z_0-9]+)",\s*"([^"]*)"',
                      tree.text(SETTINGS).replace("\\\n", " "))
    pages = [path for path in tree.files(".md") if path == "README.md"
             or path.startswith("runtime/")]
    table_rows = [line for path in pages for _, line in tree.lines(path) if line.startswith("|")]
    problems = []
    for name, default in rows:
        fits = [line for line in table_rows if f"`{name}`" in line]
        if not fits:
            problems.append(f"{SETTINGS}:1: no table of README.md or runtime/ has {name}")
        elif default and not any(f"`{default}`" in line for line in fits):
            problems.append(
                f"{SETTINGS}:1: the row of {name} does not name its default `{default}`")
    if not rows:
        problems.append(f"{SETTINGS}:1: no settings found: has the list another shape?")
    known = {name for name, _ in rows}
    for path in tree.files(".md"):
        if path == "CHANGELOG.md":
            continue
        for number, line in tree.lines(path):
            for name in re.findall(r"(?<![-\w])TWINRT_[A-Z_]*[A-Z](?!\w|=ON|=OFF)", line):
                if name not in known and not is_other_name(tree, name):
                    problems.append(f"{path}:{number}: there is no setting {name}")
    return problems


def is_other_name(tree, name):
    """An option of the build, or a variable that a test reads."""
    if name.startswith("TWINRT_TEST_"):
        return any(f'"{name}"' in tree.text(path) for path in tree.files(".py")
                   if path.startswith("tests/"))
    return re.search(rf"^(option|set)\({name}\b", tree.text("CMakeLists.txt"),
                     re.MULTILINE) is not None


@check
def status_table(tree):
    """The table in errors.md has the rows of status.h: name, public code, text. TWIN_TASK_FAILURES
    has the statuses that the model's driver makes of error numbers."""
    source = tree.text(STATUS).replace("\\\n", " ")
    wanted = [
        (name, code, text) for name, code, text in re.findall(
            r'X\((TWIN_\w+),\s*(\d+),\s*"([^"]*)"\)', source)]
    if not tree.has(ERRORS):
        return [f"{ERRORS}:1: is missing"]
    rows = {}
    for number, line in tree.lines(ERRORS):
        match = re.match(r"\|\s*`(TWIN_\w+)`\s*\|(.*)\|\s*$", line)
        if match:
            rows[match.group(1)] = (number, [cell.strip() for cell in match.group(2).split("|")])
    problems = []
    for name, code, words in wanted:
        if name not in rows:
            problems.append(f"{ERRORS}:1: no row for {name}")
            continue
        number, cells = rows[name]
        if not any(re.search(rf"\b{code}\b", cell) for cell in cells):
            problems.append(f"{ERRORS}:{number}: {name} becomes {code} in {STATUS}")
        if words not in cells:
            problems.append(f"{ERRORS}:{number}: the text of {name} is \"{words}\" in {STATUS}")
    problems += [f"{ERRORS}:{number}: {STATUS} has no {name}" for name, (number, _) in rows.items()
                 if name not in [row[0] for row in wanted]]
    if not wanted:
        problems.append(f"{STATUS}:1: no status found: has the list another shape?")
    return problems + unlisted_failures(tree, source)


def unlisted_failures(tree, source):
    """Statuses that are made of error numbers and are not failures of tasks by status.h."""
    if not tree.has(NUMBERS):
        return []
    listed = set(re.findall(r"X\((TWIN_\w+)\)", source))
    made = set(re.findall(r"\{STARS_STATUS_\w+, (TWIN_\w+)\}", tree.text(NUMBERS)))
    return [f"{STATUS}:1: TWIN_TASK_FAILURES lacks {name}, which {NUMBERS} makes of an error number"
            for name in sorted(made - listed)] + \
           ([] if made else [f"{NUMBERS}:1: no error number found: has the table another shape?"])


@check
def header_comments(tree):
    """In acl_rt.h each group of functions, lines without a blank one, begins with a comment."""
    problems, explained = [], False
    for number, line in tree.lines(HEADER):
        function = re.match(r"(?:ACL_FUNC_VISIBILITY .*?)?\b(acl\w+)\(", line)
        if not line.strip():
            explained = False
        elif line.startswith("/*"):
            explained = True
        elif function and not explained:
            explained = True
            problems.append(f"{HEADER}:{number}: {function.group(1)} has no comment")
    return problems
