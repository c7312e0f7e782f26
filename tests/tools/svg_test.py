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


def cores(script):
    """A kernel on three pipes, submitted with 200 tasks: a colour for each pipe, grey for waits
    alone, a limit of arrows."""
    events = [{"ph": "M", "pid": 1, "tid": tid, "name": "thread_name", "args": {"name": name}}
              for tid, name in enumerate(
                  ("stream 1", "AIC 0", "AIC 0 MTE2", "AIC 0 cube", "AIC 0 FIX"))]
    for name, tid, cat, args in (("AI core", 0, "task", {}), ("kernel", 0, "phase", {}),
                                 ("block 0", 1, "core", {}),
                                 ("pipe", 2, "core", {"mark": "known"}),
                                 ("pipe", 3, "core", {"mark": "known"}), ("pipe", 4, "core", {})):
        events.append(
            {"ph": "X", "pid": 1, "tid": tid, "name": name, "cat": cat, "ts": 1, "dur": 99,
             "args": args})
    for at in range(200):
        events += [{"ph": phase, "id": at, "cat": "submit", "pid": 1, "tid": tid, "ts": 2}
                   for phase, tid in (("s", 1), ("f", 0))]
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "cores.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump({"traceEvents": events}, file)
        _, root = draw(script, path)
    failed = []
    boxes = {box.find(SVG + "title").text.split(":")[0] + str(box.get("y")): box
             for box in root.iter(SVG + "rect")
             if box.find(SVG + "title") is not None}
    waits = [name for name, box in boxes.items() if "wait" in box.get("class", "")]
    if len(boxes) != 6 or len(waits) != 1 or not waits[0].startswith("pipe"):
        failed.append("grey is not for the wait of a pipe alone: %s" % waits)
    if len({box.get("fill") for name, box in boxes.items() if name.startswith("pipe")}) != 3:
        failed.append("two pipes have one colour")
    arrows = [path for path in root.iter(SVG + "path") if path.get("marker-end")]
    texts = [t.text for t in root.iter(SVG + "text")]
    if len(arrows) > 80 or "call submits (%d of 200)" % len(arrows) not in texts:
        failed.append("%d arrows, and the legend has %s" %
                      (len(arrows), [t for t in texts if "submits" in t]))
    return failed


def slots(script):
    """Slots have the colours of their streams, and the legend says so."""
    events = [{"ph": "X", "pid": 1, "tid": 0, "name": "AI core", "cat": "task", "ts": 1, "dur": 9}]
    events += [{"ph": "X", "pid": 2, "tid": stream, "name": "slot of %d" % stream, "cat": "slot",
                "ts": 1, "dur": 9, "args": {"stream": stream}} for stream in range(9)]
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "slots.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump({"traceEvents": events}, file)
        _, root = draw(script, path)
    parts = [part for part in root if part.tag in (SVG + "rect", SVG + "text")]
    legend = {text.text: box.get("fill") for box, text in zip(parts, parts[1:])
              if box.tag == SVG + "rect" and text.tag == SVG + "text"}
    failed = []
    for box in root.iter(SVG + "rect"):
        title = box.find(SVG + "title")
        stream = title.text.split(":")[0].rpartition(" of ")[2] if title is not None else ""
        shown = legend.get("streams 0, 8" if stream in ("0", "8") else "stream " + stream)
        if stream.isdigit() and shown != box.get("fill"):
            failed.append("stream %s: the legend has %s" % (stream, shown))
    fills = [fill for name, fill in legend.items() if name == "task" or name.startswith("stream")]
    if len(set(fills)) < len(fills):
        failed.append("two entries of the legend have one colour: %s" % legend)
    return failed


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

    heads = [root.find(SVG + name) for name in ("title", "desc")]
    if any(head is None or not head.text for head in heads):
        failed.append("no title or description")
    style = root.find(SVG + "style")
    if style is None or "prefers-color-scheme:dark" not in style.text:
        failed.append("no colours for dark pages")
    if "scalar" in texts or "length measured" in texts:
        failed.append("the legend has what does not occur")
    failed += cores(script) + slots(script)

    _, root = draw(script, trace, "--zero")
    first = min(task["ts"] for task in tasks)
    shown = "%s: 0.000 to " % next(task["name"] for task in tasks if task["ts"] == first)
    if not any(t.text.startswith(shown) for t in root.iter(SVG + "title")):
        failed.append("--zero: no task begins at 0")

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
