#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Whether timelines or printed recordings of an earlier build and of this one differ in renamed
   texts only.

usage: renamed_texts.py FOLDER_BEFORE FOLDER_NOW
Compares files of the same name, byte for byte, after the table renamed_texts.tsv was applied to
those before. Exit status: 0 they are the same, 1 they are not, 2 there is nothing to compare."""

import pathlib
import re
import sys

TABLE = pathlib.Path(__file__).with_suffix(".tsv")


def main(before, now):
    rows = [line.split("\t") for line in TABLE.read_text(encoding="utf-8").splitlines()
            if line[0] != "#"][1:]
    texts = {old.encode(): new.encode() for _, old, new in rows}
    pattern = re.compile(
        rb"(?<![\w.])(" + b"|".join(map(re.escape, sorted(texts, key=len, reverse=True))) +
        rb")(?![A-Za-z_])")
    names = sorted(
        {path.name for path in pathlib.Path(before).iterdir()} & {path.name
                                                                  for path in pathlib.Path(
                                                                      now).iterdir()})
    wrong = []
    for name in names:
        found = pattern.sub(lambda match: texts[match.group(0)],
                            (pathlib.Path(before) / name).read_bytes())
        if found != (pathlib.Path(now) / name).read_bytes():
            wrong.append(name)
    print(f"{len(names)} files compared, {len(wrong)} differ", *wrong, sep="\n  ")
    return 2 if not names else 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
