#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Cycles of instructions of the vector unit in the model, beside fits that are published.

usage: instructions.py --build FOLDER [--check | --renew]

Without an option it prints the table. --check: whether runtime/docs/instruction-costs.md has it;
--renew writes it there. Each form of runtime/ascendc/instructions.tsv runs with 1, 8 and 64 repeats,
on a profile in which a cycle is a nanosecond. Operands begin at multiples of 512 bytes, as those of
the fits."""
import argparse
import collections
import csv
import fnmatch
import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(ROOT, "runtime", "ascendc"))
import generate # pylint: disable=C0413

PAGE = os.path.join(ROOT, "runtime", "docs", "instruction-costs.md")
BEGIN, END = "<!-- costs: begin -->\n", "<!-- costs: end -->\n"
REPEATS = (1, 8, 64)
# The order of twk_type and what follows it; the value 1 as bits.
TYPES = ["TWK_INT8", "TWK_INT16", "TWK_INT32", "TWK_UINT8", "TWK_UINT16", "TWK_UINT32", "TWK_FP16",
         "TWK_FP32", "TWK_BF16", "TWK_INT64", "TWK_UINT64"]
NO_TYPE = 255
ONE = {"half": 0x3c00, "float": 0x3f800000, "bfloat16_t": 0x3f80}
PLACES = {"dst": 0, "src": 65536, "src0": 65536, "src1": 131072, "offsets": 131072, "index": 131072}
LIST_BYTES, LIST_LENGTH = 256, 32 # of the lists that vmrgsort4 merges
VALUES = {"burst_count": 1, "pattern_mode": 1, "distance": 1, "valid": 15,
          "length0": LIST_LENGTH, "length1": LIST_LENGTH, "length2": LIST_LENGTH,
          "length3": LIST_LENGTH, "lengths": sum(LIST_LENGTH << 16 * i for i in range(4))}

Form = collections.namedtuple("Form", "row combination")
Fit = collections.namedtuple("Fit", "names head slope tail kind note why")


def fits():
    with open(os.path.join(HERE, "fits.tsv"), encoding="utf-8", newline="") as file:
        rows = [Fit(**row) for row in csv.DictReader(file, delimiter="\t")]
    for row in rows:
        assert row.kind in ("measured", "stated", "default"), row
    return rows


def fit_of(rows, name):
    """The first row with the name."""
    return next((row for row in rows
                 if any(fnmatch.fnmatchcase(name, each) for each in row.names.split())), None)


def cycles_of(fit, repeats):
    return int(fit.head) + int(fit.slope) * repeats + int(fit.tail)


def forms():
    """What repeats: forms of one name and cost are a line each."""
    return [Form(row, combination) for row in generate.read()
            if row.pipe == "V" and row.state == "built"
            and any(item.name in ("repeat", "config", "burst_length")
                    for item in generate.parameters(row))
            and not any(item.type == "ub_addr8_t" for item in generate.parameters(row))
            for combination in generate.combinations(row)]


def argument_of(item, kind, repeats):
    if item.kind == "pointers":
        return [PLACES[item.name] + i * LIST_BYTES for i in range(item.count)]
    if item.kind == "pointer":
        return [PLACES[item.name]]
    if item.name == "repeat":
        return [repeats]
    if item.name == "config": # of vmrgsort4: repeats, and which lists there are
        return [repeats | 15 << 8]
    if item.name == "burst_length":
        return [8 * repeats]
    if item.name.endswith("_block_stride"):
        return [1]
    if item.name.endswith("_repeat_stride"):
        return [8]
    return [ONE.get(kind, 1) if item.name == "value" else VALUES.get(item.name, 0)]


def line_of(form, repeats):
    types = [TYPES.index(one) if one in TYPES else NO_TYPE
             for one in generate.element_types(form.row, form.combination)]
    arguments = [number for item in generate.parameters(form.row)
                 for number in argument_of(item, form.combination.get(item.type, item.type),
                                           repeats)]
    return " ".join(map(str, [form.row.number, *types, *arguments]))


def run(build, lines):
    """Cycles of the vector unit for each line."""
    with tempfile.TemporaryDirectory() as folder:
        profile = os.path.join(folder, "profile.json")
        with open(profile, "w", encoding="utf-8") as file:
            json.dump({"base": "910b3", "aicore": {"clock_mhz": {
                "value": 1000, "unit": "MHz", "mark": "assumed", "source": "a cycle is 1 ns"}}},
                      file)
        settings = {name: value for name, value in os.environ.items()
                    if not name.startswith("TWINRT_")}
        done = subprocess.run(
            [os.path.join(build, "bin", "twinrt"), "kernel-report", "--json", "--each",
             "--profile", profile, "--",
             os.path.join(build, "bench", "validation", "validation_instructions"),
             os.path.join(build, "bench", "validation", "instruction_kernel.o")],
            input="".join(line + "\n" for line in lines), text=True, capture_output=True,
            check=False, timeout=600, env={**settings, "TWINRT_KERNEL_CHECK": "off"})
    if done.returncode != 0:
        sys.exit(done.stdout[-2000:] + done.stderr[-2000:])
    kernels = json.loads(done.stdout)["kernels"]
    assert len(kernels) == len(lines), (len(kernels), len(lines))
    return [round(kernel["parts"][0]["pipes"]["V"]["ns"]) for kernel in kernels]


def types_of(form):
    return "/".join(dict.fromkeys(form.combination.values())) or "-"


def table(build):
    """Lines of the page, and what is wrong: a difference without a reason."""
    all_forms, known = forms(), fits()
    cycles = run(build, [line_of(form, repeats) for form in all_forms for repeats in REPEATS])
    groups, wrong = collections.defaultdict(lambda: collections.defaultdict(list)), []
    for number, form in enumerate(all_forms):
        model = tuple(cycles[len(REPEATS) * number:len(REPEATS) * (number + 1)])
        fit = fit_of(known, form.row.name)
        published = fit and tuple(cycles_of(fit, repeats) for repeats in REPEATS)
        if fit and published != model and not fit.why:
            wrong.append(f"{form.row.name} ({types_of(form)}): {model} cycles, the fit has "
                         f"{published}: fits.tsv lacks the reason")
        types = groups[model, fit, published][form.row.name]
        types += [types_of(form)] * (types_of(form) not in types)
    followed = ["| Instruction | Types | Fit | Kind | Cycles: 1, 8, 64 repeats |",
                "|---|---|---|---|---|"]
    other = ["| Instruction | Types | Model: 1, 8, 64 repeats | Fit | Kind | Error | Why |",
             "|---|---|---|---|---|---|---|"]
    without = ["| Instruction | Types | Model: 1, 8, 64 repeats |", "|---|---|---|"]
    for (model, fit, published), names in groups.items():
        by_types = collections.defaultdict(list)
        for name, types in names.items():
            by_types[", ".join(types)].append(f"`{name}`")
        for types, one in by_types.items():
            start = f"| {', '.join(one)} | {types} | "
            numbers = ", ".join(map(str, model))
            if not fit:
                without.append(start + numbers + " |")
                continue
            formula = f"{fit.head} + {fit.slope} r + {fit.tail}"
            kind = fit.kind + (f": {fit.note}" if fit.note else "")
            if model == published:
                followed.append(start + f"{formula} | {kind} | {numbers} |")
                continue
            error = ", ".join(f"{100 * (mine / theirs - 1):+.0f} %"
                              for mine, theirs in zip(model, published))
            other.append(start + f"{numbers} | {formula}: {', '.join(map(str, published))} | {kind}"
                         f" | {error} | {fit.why} |")
    lines = ["## Fits that the model follows", "", *followed, "", "## Other sources are followed",
             "", *other, "", "## Without a fit", "", *without]
    return "\n".join(lines) + "\n", wrong


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", required=True)
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--check", action="store_true")
    what.add_argument("--renew", action="store_true")
    options = parser.parse_args()
    text, wrong = table(os.path.abspath(options.build))
    for line in wrong:
        print(line)
    if not options.check and not options.renew:
        print(text)
        return int(bool(wrong))
    with open(PAGE, encoding="utf-8") as file:
        page = file.read()
    before, rest = page.split(BEGIN)
    new = before + BEGIN + text + END + rest.split(END)[1]
    if options.renew:
        with open(PAGE, "w", encoding="utf-8") as file:
            file.write(new)
    elif new != page:
        print("instruction-costs.md is not up to date: ./dev validation instructions --renew")
        return 1
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
