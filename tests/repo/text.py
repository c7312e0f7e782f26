# SPDX-License-Identifier: Apache-2.0
"""Form and words of single files."""

import re
import subprocess

from tree import check

LICENSE_LINE = "SPDX-License-" + "Identifier: Apache-2.0"

# Formats without comments, and the licence itself.
NO_LICENSE_LINE = (".json", ".tsv", ".vcd", ".png", "LICENSE")
# Columns are separated by tabs there.
TABS_ALLOWED = (".tsv",)
BINARY = (".png", ".o", ".bin")
LONGEST = 650

SCRIPTS = (".py", ".sh", ".bash", ".fish", ".zsh")
CODE_FILES = (".c", ".cpp", ".h", ".sv", ".svh", ".def", ".cmake", "CMakeLists.txt", ".map", ".job",
              ".info", ".clang-tidy", *SCRIPTS)
# One word, such as an address, cannot be broken.
BREAKABLE = re.compile(r"\S\s+\S")

# Places of the people who write this, which mean nothing to those who read it.
OUTSIDE = re.compile(
    "|".join([r"(?<![\w.])/" + "work/", r"\.\./" + "shared", r"(?<![\w.])/" + "root/",
              "/tmp/" + "build-", "/home/" + r"\w+/"]))
NOTES = re.compile(r"\b(" + "|".join(["TO" + "DO", "FIX" + "ME", "XX" + "X", "HA" + "CK"]) + r")\b")
LATER = re.compile(r"\bnot (yet )?" + "implemented\\b|\\bfor " + "now\\b", re.IGNORECASE)

# Private English, and the words to use instead. Only phrases that are never right elsewhere; each
# in two parts, so that this file passes.
PHRASES = {"men" + "d(s|ed|ing)?": "fix, repair", "to be " +
           "had": "available, free; not available, cannot create", "new" + "comers?": "what it is",
           "lets? go" + "( of)?(?! on)": "release", "tells? " + "of": "report, return, name",
           "gives? " + "back": "release, return",
           "memory (is|was) " + "short": "out of memory", "mid" + "st": "middle, while",
           "(comes?|came) " + "upon": "find, reach", "gives? " + "way": "yield", "least " +
           "level": "lowest level", "asl" + "eep": "sleeping, idle", "a" +
           "broad": "on another device", "no" + "body": "no thread, no caller, nothing",
           "(some|any|every)" + "body": "a thread, any process, all queues", "who" +
           "ever": "the thread that, any caller",
           "(is|are|was|were|be|been|being) " + "told": "is reported, is notified, gets",
           "told " + "apart": "distinguished", "li" + "es": "is, is located"}
PHRASE = re.compile(r"\b(" + "|".join(PHRASES) + r")\b", re.IGNORECASE)
CODE = re.compile(r"`[^`]*`")
# Subjects of commits from here on; earlier ones cannot be changed.
SUBJECTS_SINCE = "2026-11-26T00:00:00+0000"


def readable(tree):
    return [path for path in tree.files() if not path.endswith(BINARY)]


@check
def license_line(tree):
    """Every file that can hold a comment names its licence in its first lines."""
    return [f"{path}:1: no line \"{LICENSE_LINE}\"" for path in readable(tree)
            if not path.endswith(NO_LICENSE_LINE)
            and LICENSE_LINE not in "\n".join(tree.text(path).split("\n")[:4])]


@check
def blanks(tree):
    """No tabs, no blanks at line ends, no carriage returns; UTF-8; a line end at the end of the
    file."""
    problems = []
    for path in readable(tree):
        content = tree.text(path)
        if content and not content.endswith("\n"):
            problems.append(
                f"{path}:{content.count(chr(10)) + 1}: no line end at the end of the file")
        if content.endswith("\n\n"):
            problems.append(f"{path}:{content.count(chr(10))}: empty lines at the end of the file")
        for number, line in tree.lines(path):
            if "\t" in line and not path.endswith(TABS_ALLOWED):
                problems.append(f"{path}:{number}: tab")
            if line.endswith("\r"):
                problems.append(f"{path}:{number}: carriage return")
            elif line != line.rstrip() and not path.endswith(TABS_ALLOWED):
                problems.append(f"{path}:{number}: blanks at the end of the line")
            if "\ufffd" in line:
                problems.append(f"{path}:{number}: not UTF-8")
    return problems


@check
def outside(tree):
    """Nothing leads out of the repository to one machine or one workplace."""
    return [f"{path}:{number}: \"{OUTSIDE.search(line).group(0)}\" is a place outside this "
            f"repository"
            for path in readable(tree) for number, line in tree.lines(path) if OUTSIDE.search(line)]


@check
def notes(tree):
    """Work left to do is a line in a list of limits, not a note in the text."""
    problems = []
    for path in readable(tree):
        if path.endswith((".tsv", "LICENSE")):
            continue
        for number, line in tree.lines(path):
            match = NOTES.search(line) or LATER.search(line)
            if match:
                problems.append(
                    f"{path}:{number}: \"{match.group(0)}\": do it, or say \"not modelled\" and "
                    f"list it")
    return problems


@check
def length(tree):
    """One subject per file: longer ones miss a name. The public headers follow the interface."""
    return [f"{path}:1: {tree.text(path).count(chr(10))} lines, more than {LONGEST}"
            for path in tree.files(".c", ".cpp", ".h", ".py", ".sh", ".sv")
            if not path.startswith("runtime/include/") and tree.text(path).count("\n") > LONGEST]


@check
def columns(tree):
    """Lines of code have at most 100 columns, lines of pages 120."""
    return [f"{path}:{number}: {len(line)} columns, more than {limit}"
            for path in readable(tree) for limit, lines in [measured(tree, path)]
            for number, line in lines if len(line) > limit and BREAKABLE.search(line.strip())]


def measured(tree, path):
    """The limit of a file and the lines that it holds for: no rows of tables, fenced lines, links,
    or texts in quotes, which a table of texts wraps."""
    if path.endswith(".md"):
        return 120, prose(tree, path)
    if path.endswith(CODE_FILES) or tree.text(path).startswith("#!"):
        return 100, code(tree, path)
    return 0, ()


def prose(tree, path):
    fenced = False
    for number, line in tree.lines(path):
        fenced ^= line.lstrip().startswith("```")
        if not fenced and not line.lstrip().startswith("|") and "](" not in line:
            yield number, line


def code(tree, path):
    quotes = "\"'" if path.endswith(SCRIPTS) or not path.endswith(CODE_FILES) else "\""
    if path.endswith(".def"):
        quotes = ""
    quoted = False  # Python: in a text of several lines
    for number, line in tree.lines(path):
        before, quoted = quoted, quoted ^ (path.endswith(".py") and line.count('"' * 3) % 2 == 1)
        text = re.sub(r"\\.", "  ", line[:100])
        if not before and all(text.count(quote) % 2 == 0 for quote in quotes):
            yield number, line


@check
def language(tree):
    """No phrase that engineers do not use, in sources, pages and subjects of commits."""
    places = [(f"{path}:{number}", CODE.sub("", line) if path.endswith(".md") else line)
              for path in readable(tree) if not path.endswith(".tsv")
              for number, line in tree.lines(path)]
    places += [(f"commit {subject[:9]}", subject) for subject in subjects(tree)]
    return [f"{place}: \"{match.group(0)}\": write {meant(match.group(0))}"
            for place, line in places for match in PHRASE.finditer(line)]


def meant(found):
    return next(better for phrase, better in PHRASES.items()
                if re.fullmatch(phrase, found, re.IGNORECASE))


def subjects(tree):
    """Subjects of commits after their short names; none outside of a clone."""
    command = ["git", "-C", tree.root, "log", "--format=%h %s", f"--since={SUBJECTS_SINCE}"]
    try:
        return subprocess.run(command, check=True, stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL).stdout.decode().splitlines()
    except (OSError, subprocess.CalledProcessError):
        return []
