#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The picture of a timeline is well formed and shows what the timeline holds.

  svg_test.py TIMELINE_SVG.PY TRACE.json EXAMPLE.svg

The example is the picture in the documentation: a run that was looked at.
"""
import json
import os
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as tree

SVG = "{http://www.w3.org/2000/svg}"


def draw(script, trace, *options):
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "out.svg")
        got = subprocess.run([sys.executable, script, trace, out, *options], check=False,
                             stderr=subprocess.PIPE, text=True)
        return got, tree.parse(out).getroot() if os.path.exists(out) else None


def main():
    script, trace, picture = sys.argv[1:]
    example = {t.text for t in tree.parse(picture).getroot().iter(SVG + "text")}
    failed = []

    got, root = draw(script, trace)
    texts = [t.text for t in root.iter(SVG + "text")]
    for wanted in ("stream 3", "stream 3 (2)", "PCIe DMA channel 2", "thread 1", "All tasks",
                   "The end of the longest wait"):
        if wanted not in texts:
            failed.append("no text: " + wanted)
    titles = [t.text for t in root.iter(SVG + "title")]
    with open(trace, encoding="utf-8") as file:
        tasks = [e for e in json.load(file)["traceEvents"] if e.get("cat") == "task"]
    for task in tasks:
        shown = "%s: %.3f to %.3f us" % (task["name"], task["ts"], task["ts"] + task["dur"])
        if not any(t.startswith(shown) for t in titles):
            failed.append("no box: " + shown)
    for wanted in ("slot 0", "HBM", "PCIe to device", "slots in use", "waits for work", "swap in",
                   "SDMA channel 0"):
        if wanted not in example:
            failed.append("the example's picture has no " + wanted)
    if not any(p.get("marker-end") == "url(#wake)" for p in root.iter(SVG + "path")):
        failed.append("no arrow from the record to the wait")

    got, root = draw(script, trace, "--from", "5", "--to", "4")
    if got.returncode == 0 or root is not None:
        failed.append("a range that ends before it begins was taken")
    with tempfile.TemporaryDirectory() as folder:
        empty = os.path.join(folder, "empty.json")
        with open(empty, "w", encoding="utf-8") as file:
            file.write('{"traceEvents":[]}')
        got, root = draw(script, empty)
        if got.returncode == 0 or "no task" not in got.stderr:
            failed.append("an empty timeline is not refused: " + got.stderr)

    for text in failed:
        print(text)
    print("%d differences" % len(failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
