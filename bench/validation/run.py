#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares times of the model with published measurements.

  run.py --build FOLDER            the table, on standard output
  run.py --build FOLDER --renew    writes results.tsv, the picture, and the tables in pages
  run.py --build FOLDER --check    status 1 unless these files are what --renew would write
  run.py --build FOLDER ID...      only these figures, with * for several
  run.py --build FOLDER --list     the figures, without times

figures.tsv has the figures, cases.tsv groups of them; README.md explains the columns.
"""
import argparse
import collections
import concurrent.futures
import csv
import difflib
import fnmatch
import json
import os
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import textwrap

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(ROOT, "tools"))

import draw  # pylint: disable=wrong-import-position

RENEW = "./dev validation --renew"
LIST = "./dev validation --list"
GROUPS = {"launch": "launch and synchronise", "host": "copies from and to the host",
          "peer": "copies between devices", "instruction": "single instructions",
          "stream": "streams through global memory", "product": "matrix products"}
USES = {"fit": "for fitting", "check": "predicted"}
# What a page may say of the errors of a case.
PAGE = {"": lambda error: True, "near": lambda error: abs(error) <= 0.2,
        "fast": lambda error: error < 0, "slow": lambda error: error > 0}
RATES = ("GB/s", "GiB/s", "B/cycle")


class Figure:
    """A row of figures.tsv, and what the model has for it."""

    def __init__(self, row):
        self.id, self.use, self.group = row["id"], row["use"], row["group"]
        self.profile, self.what, self.unit = row["profile"], row["what"], row["unit"]
        self.published, self.amount, self.time = row["published"], int(row["amount"]), row["time"]
        self.run, self.source, self.rule, self.note = (
            row[name] for name in ("run", "source", "rule", "note"))
        ends = [float(end) for end in self.published.split("-")]
        self.low, self.high = ends[0], ends[-1]
        self.times = []   # ns of each run
        self.value = None  # in the unit of the published one

    def runs(self):
        """The command lines: one, or two if a value has the form FIRST..SECOND."""
        words = self.run.split()
        if ".." not in self.run:
            return [words]
        return [[re.sub(r"=(\d+)\.\.(\d+)", lambda found, end=end: "=" + found[end], word)
                 for word in words] for end in (1, 2)]

    def evaluate(self, clock_mhz):
        ns = self.times[-1] - (self.times[0] if len(self.times) == 2 else 0)
        cycles = ns * clock_mhz / 1000
        self.value = {"us": ns / 1000 / self.amount, "ns": ns / self.amount,
                      "cycles": cycles / self.amount, "B/cycle": self.amount / cycles,
                      "GB/s": self.amount / ns,
                      "GiB/s": self.amount / ns * 1e9 / (1 << 30)}[self.unit]

    def error(self):
        """Of the time, relative; positive: the model is slower."""
        if self.low <= self.value <= self.high:
            return 0.0
        nearest = self.low if self.value < self.low else self.high
        return nearest / self.value - 1 if self.unit in RATES else self.value / nearest - 1


def read_figures():
    with open(os.path.join(HERE, "figures.tsv"), encoding="utf-8", newline="") as file:
        figures = [Figure(row) for row in csv.DictReader(file, delimiter="\t",
                                                         quoting=csv.QUOTE_NONE)]
    for figure in figures:
        if figure.use not in USES or figure.group not in GROUPS:
            sys.exit(f"figures.tsv: {figure.id}: use or group is invalid")
    return figures


def named(ids, pattern):
    """Those of the ids that the pattern names, with * for several."""
    return [one for one in ids if fnmatch.fnmatchcase(one, pattern)]


def select(figures, ids):
    """Those with these ids. ValueError names the ids that no figure has, and near ones."""
    known = [figure.id for figure in figures]
    missing = [name for name in dict.fromkeys(ids) if not named(known, name)]
    if missing:
        near = dict.fromkeys(found for name in missing
                             for found in difflib.get_close_matches(name, known, 5, 0.5))
        raise ValueError("figures.tsv has no figure " + ", ".join(missing) + "; "
                         + ("near: " + ", ".join(near) + "; " if near else "")
                         + f"`{LIST}` lists all")
    chosen = {found for name in ids for found in named(known, name)}
    return [figure for figure in figures if figure.id in chosen]


class Case:
    """A row of cases.tsv: predicted figures that are alike, or two that are compared, A/B."""

    def __init__(self, row, figures):
        self.group, self.what, self.page = row["group"], row["case"], row["page"]
        self.ids = row["figures"].split()
        known = {figure.id: figure for figure in figures
                 if figure.use == "check" and figure.group == self.group}
        self.compared = "/" in self.ids[0]
        self.figures = []
        for name in self.ids[0].split("/") if self.compared else self.ids:
            found = [known[one] for one in named(known, name)]
            if not found:
                sys.exit(f"cases.tsv: {self.what}: no predicted figure of {self.group} is {name}")
            self.figures += found

    def check_page(self):
        """What the sentences of what-to-believe.md say of it holds."""
        for figure in self.figures:
            if not PAGE[self.page](figure.error()):
                sys.exit(f"{figure.id}: {percent(figure.error())}, but what-to-believe.md says of "
                         f"\"{self.what}\": {self.page}; correct its sentence, and column page of "
                         "cases.tsv")


def read_cases(figures):
    with open(os.path.join(HERE, "cases.tsv"), encoding="utf-8", newline="") as file:
        return [Case(row, figures) for row in csv.DictReader(file, delimiter="\t",
                                                             quoting=csv.QUOTE_NONE)]


def clock_mhz(profile):
    with open(os.path.join(ROOT, "sim", "profiles", profile + ".json"), encoding="utf-8") as file:
        content = json.load(file)
    value = content.get("aicore", {}).get("clock_mhz")
    return value["value"] if value else clock_mhz(content["base"])


# ---- running ------------------------------------------------------------------------------------

def recorded(build, figure, words):
    """The entries of the recording of one run."""
    environment = {name: value for name, value in os.environ.items()
                   if not name.startswith("TWINRT_")}
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "recording")
        environment.update(
            TWINRT_PROFILE=figure.profile, TWINRT_RECORD=path, TWINRT_KERNEL_CHECK="off",
            TWINRT_KERNEL_DATA="off" if words[0] != "scalar" else "on",  # it reads what it adds
            TWINRT_DEVICES="2" if "order=3" in words or "order=4" in words else "1")
        for command in ([os.path.join(build, "bench", "validation", "validation"), *words],
                        [os.path.join(build, "bin", "twinrt"), "record", "--print", path,
                         "--json"]):
            got = subprocess.run(command, env=environment, check=False, capture_output=True,
                                 text=True)
            if got.returncode != 0:
                raise RuntimeError(f"{figure.id}: {' '.join(command)} ended with "
                                   f"{got.returncode}:\n{got.stderr}{got.stdout[-500:]}")
    return json.loads(got.stdout)["entries"]


def time_of(figure, entries):
    """The time in ns that the column `time` asks for."""
    kind, *names = figure.time.split(":")
    if kind in ("call", "calls"):
        calls = [entry for entry in entries if entry["op"] == "host.call"]
        begin, end = ([entry for entry in calls if entry["name"] == name][-1]
                      for name in (names[0], names[-1]))
        return end["end_ns"] - begin["begin_ns"]
    tasks = [entry for entry in entries if entry["op"] == "task" and entry["task_end_ns"]]
    if kind == "task":
        launch = [entry for entry in entries if entry["op"] == "work.launch"][-1]
        task = next(task for task in tasks
                    if task["queue"] == launch["queue"] and task["task"] == launch["first_task"])
        return task["task_end_ns"] - task["task_begin_ns"]
    if kind == "copies":
        return (max(task["task_end_ns"] for task in tasks)
                - min(task["task_begin_ns"] for task in tasks))
    raise RuntimeError(f"{figure.id}: time {figure.time} is invalid")


def measure(build, figure):
    figure.times = [time_of(figure, recorded(build, figure, words)) for words in figure.runs()]
    figure.evaluate(clock_mhz(figure.profile))


def measure_all(build, figures, jobs):
    """The longest first, so that they do not run alone at the end."""
    queue = sorted(figures, key=lambda figure: ("product" not in figure.run, figure.id))
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for _ in pool.map(lambda figure: measure(build, figure), queue):
            pass


# ---- tables -------------------------------------------------------------------------------------

def number(value):
    return f"{value:.4g}" if abs(value) < 1000 else f"{value:.0f}"


def percent(error):
    return f"{100 * error:+.1f} %"


def results(figures):
    lines = ["id\ttimes_ns\tpredicted\tpublished\tunit\terror"]
    for figure in figures:
        lines.append("\t".join(
            [figure.id, "..".join(str(time) for time in figure.times), f"{figure.value:.6g}",
             figure.published, figure.unit, percent(figure.error())]))
    return "\n".join(lines) + "\n"


def summary(figures):
    """A row for each kind of question and each use."""
    lines = ["| Question | Figures | Count | Median error | Within 10 % | Within 25 % | Worst |",
             "|---|---|---|---|---|---|---|"]
    kinds = collections.defaultdict(list)
    for figure in figures:
        kinds[figure.group, figure.use].append(figure)
    for group, name in GROUPS.items():
        for use in reversed(USES):
            rows = kinds.get((group, use))
            if not rows:
                continue
            sizes = [abs(figure.error()) for figure in rows]
            worst = max(rows, key=lambda figure: abs(figure.error()))
            lines.append(f"| {name} | {USES[use]} | {len(rows)} | "
                         f"{100 * statistics.median(sizes):.0f} % | "
                         f"{sum(size <= 0.1 for size in sizes)} | "
                         f"{sum(size <= 0.25 for size in sizes)} | "
                         f"{percent(worst.error())} (`{worst.id}`) |")
    return "\n".join(lines) + "\n"


def parts(figures):
    """How many figures each part has, the most first."""
    counts = collections.Counter(figure.profile for figure in figures)
    return "Figures by part: " + ", ".join(f"{count} of `{part}`"
                                           for part, count in counts.most_common()) + ".\n"


def case_table(cases):
    lines = ["| Question | Case | Figures | Count | Error of the time |", "|---|---|---|---|---|"]
    for case in cases:
        if case.compared:
            continue
        case.check_page()
        errors = [figure.error() for figure in case.figures]
        ends = dict.fromkeys(percent(error) for error in (min(errors), max(errors)))
        lines.append(f"| {GROUPS[case.group]} | {case.what} | "
                     f"{', '.join(f'`{name}`' for name in case.ids)} | {len(case.figures)} | "
                     f"{' to '.join(ends)} |")
    return "\n".join(lines) + "\n"


def ratio_table(cases):
    lines = ["| Question | Time of one against another | Figures | Published | Model |",
             "|---|---|---|---|---|"]
    for case in cases:
        if case.compared:
            one, other = case.figures
            lines.append(f"| {GROUPS[case.group]} | {case.what} | `{one.id}`, `{other.id}` | "
                         f"{one.low / other.low:.2f} | {one.value / other.value:.2f} |")
    return "\n".join(lines) + "\n"


def source_list(figures):
    """Documents, with the figures from each and the place there."""
    documents = collections.defaultdict(lambda: collections.defaultdict(list))
    for figure in figures:
        for source in figure.source.split("; "):
            words = source.split(", ")
            documents[", ".join(words[:2])][", ".join(words[2:])].append(f"`{figure.id}`")
    lines = []
    for document, places in documents.items():
        text = ", ".join(", ".join(ids) + (f" ({place})" if place else "")
                         for place, ids in places.items())
        lines.append(textwrap.fill(f"- {document}: {text}", 118, subsequent_indent="  ",
                                   break_long_words=False, break_on_hyphens=False))
    return lines


def full_table(figures):
    lines = []
    for group, name in GROUPS.items():
        mine = [figure for figure in figures if figure.group == group]
        if not mine:
            continue
        lines += [f"### {name[0].upper()}{name[1:]}", "",
                  "| Figure | What | Part | Published | Model | Error | Rule or parameter |",
                  "|---|---|---|---|---|---|---|"]
        for figure in mine:
            mark = " (for fitting)" if figure.use == "fit" else ""
            lines.append(f"| `{figure.id}`{mark} | {figure.what} | {figure.profile} | "
                         f"{figure.published} {figure.unit} | {number(figure.value)} | "
                         f"{percent(figure.error())} | {figure.rule} |")
        lines += ["", "Sources:", "", *source_list(mine), ""]
    return "\n".join(lines[:-1]) + "\n"


def between(path, **texts):
    """The page with texts between their marks."""
    with open(path, encoding="utf-8") as file:
        page = file.read()
    for kind, text in texts.items():
        begin, end = f"<!-- {kind}: begin -->\n", f"<!-- {kind}: end -->"
        if page.count(begin) != 1 or page.count(end) != 1:
            sys.exit(f"{path}: the marks of {kind} are missing")
        head, rest = page.split(begin)
        page = head + begin + text + end + rest.split(end)[1]
    return page


def files(figures):
    """Path and text of each file that --renew writes."""
    path = {name: os.path.join(ROOT, *name.split("/")) for name in (
        "README.md", "bench/validation/README.md", "sim/docs/what-to-believe.md",
        "bench/validation/results.tsv", "bench/validation/validation.svg")}
    short = summary(figures)
    cases = read_cases(figures)
    believe = path["sim/docs/what-to-believe.md"]
    return {
        path["bench/validation/results.tsv"]: results(figures),
        path["bench/validation/validation.svg"]: draw.picture(figures, GROUPS),
        path["README.md"]: between(path["README.md"], validation=short),
        believe: between(believe, validation=short, parts=parts(figures), cases=case_table(cases),
                         ratios=ratio_table(cases)),
        path["bench/validation/README.md"]: between(path["bench/validation/README.md"],
                                                    validation=full_table(figures))}


def differences(wanted):
    """Lines of a diff from the committed files to the wanted ones."""
    lines = []
    for path, text in wanted.items():
        committed = ""
        if os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                committed = file.read()
        name = os.path.relpath(path, ROOT)
        lines += difflib.unified_diff(committed.splitlines(), text.splitlines(),
                                      f"committed/{name}", f"now/{name}", lineterm="", n=0)
    return lines


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True)
    parser.add_argument("--renew", action="store_true")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("ids", nargs="*", metavar="ID")
    options = parser.parse_args()
    if options.jobs < 1:
        parser.error(f"--jobs {options.jobs}: expected 1 or more")
    figures = read_figures()
    if options.ids and (options.renew or options.check or options.list):
        parser.error("an ID was given with --renew, --check or --list, which take all figures")
    if options.list:
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # `| head` ends it
        print("\n".join(f"{figure.id}\t{figure.profile}\t{figure.what}" for figure in figures))
        return
    try:
        figures = select(figures, options.ids) if options.ids else figures
    except ValueError as error:
        parser.error(str(error))
    try:
        measure_all(os.path.abspath(options.build), figures, options.jobs)
    except RuntimeError as error:
        sys.exit(f"validation: {error}")
    if options.renew:
        for path, text in files(figures).items():
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
    elif options.check:
        lines = differences(files(figures))
        print("\n".join(lines[:200]))
        if lines:
            sys.exit(f"validation: the model's times changed; `{RENEW}` writes the new ones")
    else:
        print(results(figures), end="")
        print(summary(figures), end="")


if __name__ == "__main__":
    main()
