#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws a timeline file as an SVG picture, with nothing but Python.

  timeline_svg.py TRACE.json OUT.svg [--from US --to US] [--range US:US:TITLE]... [--rows PATTERN]
  [--zero] [--title TEXT] [--all]

Without a range there are two panels: all tasks, and the end of the longest wait between streams.
--range may be repeated: each is a panel. --rows leaves the rows whose whole name fits the pattern,
such as "AIC 0.*|stream 1". --zero counts time from the first task, also in ranges. Doorbells and
shares of classes are left out unless --all asks for them.
"""
import argparse
import collections
import json
import re
import sys

from picture import LETTER, WIDTH, escaped, line, text, whole

LEFT, RIGHT, TOP, LEGEND = 168, 16, 64, 18
TASK, PHASE, GAP, AXIS, CURVE = 22, 18, 8, 34, 34
ARROWS_MOST = 80  # of a kind, in a panel
# A colour for each meaning, in the order of the legend; "waiting" is grey (class "wait"), and
# nothing else is.
COLOURS = {"host call": "#cdbfe6", "task": "#a9cbe6", "kernel": "#c5d7a4", "waiting": None,
           "length known": "#2a9d8f", "length measured": "#74c69d", "length inferred": "#e9c46a",
           "length assumed": "#f0997d",
           "scalar": "#8e7cc3", "MTE1": "#6fa8dc", "MTE2": "#3d78b5", "MTE3": "#4bb3c4",
           "cube": "#e07b39", "vector": "#d1567a",
           "FIX": "#8ab543"}
PIPES = ("scalar", "MTE1", "MTE2", "MTE3", "cube", "vector", "FIX")
STREAM_FILLS = ("#9aa9e0", "#bfe0b4", "#f2d4a2", "#d9c2ea", "#f4b9b9", "#b5e0dc", "#e3dba0",
                "#a6c48a")
CURVE_FILL = "#7fa8c9"
ARROWS = {"wake": "record releases a wait", "submit": "call submits"}
LEFT_OUT = (" doorbells", " class shares")

Slice = collections.namedtuple("Slice", "row begin end name cat args depth")
Arrow = collections.namedtuple("Arrow", "kind from_row from_us to_row to_us")
Curve = collections.namedtuple("Curve", "process name unit most points")


def read(path, everything=True, wanted=None, zero=False):
    """What the file holds; `wanted`: a pattern for the names of rows; `zero`: times count from the
    first task."""
    with open(path, encoding="utf-8") as file:
        document = json.load(file)
    events = document["traceEvents"]
    if zero:
        first = min(
            (event["ts"] for event in events if event.get("cat") == "task" and event["ph"] == "X"),
            default=0)
        events = [{**event, "ts": event["ts"] - first} if "ts" in event else event
                  for event in events]
    processes, rows, slices, starts, arrows, points = {}, {}, [], {}, [], {}
    for event in events:
        row = (event["pid"], event["tid"])
        if event["ph"] == "M" and event["name"] == "process_name":
            processes[event["pid"]] = event["args"]["name"]
        elif event["ph"] == "M" and event["name"] == "thread_name":
            rows[row] = event["args"]["name"]
        elif event["ph"] == "X":
            depth = 1 if event["cat"] in ("phase", "wait", "host wait") else 0
            slices.append(Slice(row, event["ts"], event["ts"] + event["dur"], event["name"],
                                event["cat"], event.get("args", {}), depth))
        elif event["ph"] == "s":
            starts[event["id"]] = (row, event["ts"])
        elif event["ph"] == "f" and event["id"] in starts:
            begin = starts[event["id"]]
            arrows.append(Arrow(event["cat"], begin[0], begin[1], row, event["ts"]))
        elif event["ph"] == "C":
            points.setdefault((event["pid"], event["name"]), []).append(
                (event["ts"], next(iter(event["args"].values()))))
    hidden = {pid for pid, name in processes.items() if name.endswith(LEFT_OUT) and not everything}
    if wanted:
        fits = {row for row, name in rows.items() if re.fullmatch(wanted, name)}
        slices = [s for s in slices if s.row in fits]
        arrows = [a for a in arrows if a.from_row in fits and a.to_row in fits]
        points = {}
    slices = [s for s in slices if s.row[0] not in hidden]
    arrows = [a for a in arrows if a.from_row[0] not in hidden and a.to_row[0] not in hidden]
    rates = {("device %d links" % k["device"], k["name"]): k["bytes_per_s"]
             for k in document.get("otherData", {}).get("links", [])}
    curves = []
    for (pid, name), found in points.items():
        rate = rates.get((processes.get(pid), name))
        most = rate or max(value for _, value in found)
        unit = "full: %.1f GB/s" % (rate / 1e9) if rate else "most: %d" % most
        curves.append(Curve(pid, name, unit, most, found))
    return processes, rows, slices, arrows, curves


def usual_ranges(slices):
    """The ranges to draw: all tasks, and the end of the longest wait between streams."""
    tasks = [s for s in slices if s.cat == "task"]
    if not tasks:
        raise SystemExit("timeline_svg.py: no task in this timeline")
    begin, end = min(s.begin for s in tasks), max(s.end for s in tasks)
    margin = (end - begin) * 0.02
    found = [("All tasks", begin - margin, end + margin)]
    parks = [s for s in slices if s.cat == "wait" and "waker_track" in s.args
             and s.args["waker_track"] != s.args["track"]]
    if parks:
        park = max(parks, key=lambda s: (s.end - s.begin, -s.begin))
        after = [s for s in slices if s.cat in ("phase", "wait") and s.begin >= park.end
                 and s.args.get("track") == park.args["track"] and s.name == "transfer"]
        until = after[0].begin if after else park.end + 1.0
        length = max(until - park.end, 0.5)
        found.append(
            ("The end of the longest wait", park.end - 0.5 * length, until + 0.15 * length))
    return found


def fill_of(stream):
    return STREAM_FILLS[stream % len(STREAM_FILLS)]


class Panel:
    def __init__(self, title, begin, end, top, data):
        self.title, self.begin, self.end, self.top = title, begin, end, top
        self.processes, rows, slices, arrows, curves = data
        self.all_rows = rows
        self.slices = [s for s in slices if s.end >= begin and s.begin <= end]
        used = {s.row for s in self.slices}
        self.rows, y = {}, top + 30
        self.names = []
        process = None
        for row in sorted(used):
            if row[0] != process:
                process = row[0]
                y += GAP
                self.names.append((y + 10, self.processes.get(process, ""), True))
                y += 16
            self.rows[row] = y
            deep = any(s.depth for s in self.slices if s.row == row)
            self.names.append((y + 15, rows.get(row, ""), False))
            y += TASK + (PHASE if deep else 0) + GAP
        self.curves = []
        for curve in sorted(curves, key=lambda c: (c.process, c.name)):
            if not any(value for at, value in curve.points if begin <= at <= end) and not \
                    self.level(curve, begin):
                continue
            if curve.process != process:
                process = curve.process
                y += GAP
                self.names.append((y + 10, self.processes.get(process, ""), True))
                y += 16
            self.curves.append((y, curve))
            self.names.append((y + 14, curve.name, False))
            self.names.append((y + 28, curve.unit, True))
            y += CURVE + GAP
        self.bottom = y
        self.height = y + AXIS - top
        self.arrows, self.cut = [], {}
        for kind in ARROWS:
            fit = [a for a in arrows if a.kind == kind and a.from_row in self.rows
                   and a.to_row in self.rows
                   and begin <= a.to_us <= end and begin <= a.from_us <= end]
            step = -(-len(fit) // ARROWS_MOST) or 1
            self.arrows += fit[::step]
            if step > 1:
                self.cut[kind] = (len(fit[::step]), len(fit))
        self.meanings = [meaning for meaning in map(self.meaning, self.slices)
                         if meaning in COLOURS]
        # Boxes of slots and shares have the colour of their stream.
        self.streams = {s.args["stream"] for s in self.slices
                        if s.cat in ("slot", "share") and "stream" in s.args}

    def meaning(self, s):
        """What the colour of a box says: a key of COLOURS, or the colour of a stream."""
        pipe = self.all_rows.get(s.row, "").split(" ")[-1]
        if s.cat in ("slot", "share"):
            return fill_of(s.args.get("stream", 0))
        if s.cat in ("call", "task"):
            return {"call": "host call", "task": "task"}[s.cat]
        if s.cat == "core" and pipe in PIPES:
            return pipe if "mark" in s.args else "waiting"
        if "mark" not in s.args and (s.cat == "core" or s.name == "kernel"):
            return "kernel"
        return "length " + s.args["mark"] if "mark" in s.args and s.cat != "host wait" else "waiting"

    def x(self, us):
        us = min(max(us, self.begin), self.end)
        return LEFT + (us - self.begin) / (self.end - self.begin) * (WIDTH - LEFT - RIGHT)

    @staticmethod
    def level(curve, at):
        before = [value for when, value in curve.points if when <= at]
        return before[-1] if before else 0

    def area(self, y, curve):
        """The curve as a filled step line, from nothing to what the link can carry."""
        path, last = ["M%.1f %d" % (self.x(self.begin), y + CURVE)], self.level(curve, self.begin)
        for at, value in [(self.begin, last)] + [p for p in curve.points
                                                if self.begin < p[0] < self.end]:
            path.append("L%.1f %.1f L%.1f %.1f" % (
                self.x(at), y + CURVE * (1 - last / curve.most),
                self.x(at), y + CURVE * (1 - value / curve.most)))
            last = value
        path.append(
            "L%.1f %.1f L%.1f %d Z" % (self.x(self.end), y + CURVE * (1 - last / curve.most),
                                       self.x(self.end), y + CURVE))
        yield ("<rect x='%.1f' y='%d' width='%.1f' height='%d' class='area'/>"
               "<path d='%s' fill='%s'><title>%s, %s</title></path>"
               % (LEFT, y, WIDTH - LEFT - RIGHT, CURVE, " ".join(path), CURVE_FILL,
                  escaped(curve.name), curve.unit))

    def grid(self):
        step = 1e-3
        for step in (m * 10.0 ** e for e in range(-3, 9) for m in (1, 2, 5)):
            if (self.end - self.begin) / step <= 10:
                break
        at = -(-self.begin // step) * step
        digits = 0 if step >= 1 else 3
        while at <= self.end:
            x = self.x(at)
            anchor = "end" if x > WIDTH - RIGHT - 40 else "middle"
            yield line(x, self.top + 34, x, self.bottom)
            yield text(x, self.bottom + 14, "%.*f us" % (digits, at), 11, anchor, kind="pale")
            at += step

    def box(self, s):
        x1, x2 = self.x(s.begin), self.x(s.end)
        y = self.rows[s.row] + (TASK if s.depth else 0)
        height = PHASE if s.depth else TASK
        meaning = self.meaning(s)
        colour = "fill='%s'" % COLOURS.get(meaning, meaning) if meaning != "waiting" else ""
        edge = "box" if x2 - x1 > 3 else "" # the edges would hide narrow boxes
        kind = (edge + " wait").strip() if meaning == "waiting" else edge
        tip = "%s: %.3f to %.3f us, %.3f us" % (s.name, s.begin, s.end, s.end - s.begin)
        if "parameter" in s.args:
            tip += "; %s = %s %s [%s]" % tuple(s.args.get(k, "") for k in
                                               ("parameter", "value", "unit", "mark"))
        yield (
            "<rect x='%.1f' y='%d' width='%.1f' height='%d' class='%s' stroke-width='0.6' "
            "%s><title>%s</title></rect>"
            % (x1, y, max(x2 - x1, 0.8), height, kind, colour, escaped(tip)))
        room = int((x2 - x1 - 6) / LETTER)
        label = "" if s.name == "pipe" else s.name  # the row names it
        if len(label) > room:
            label = label[:room - 1] + "\u2026" if room >= 4 else ""
        if label:
            yield text(x1 + 3, y + height - 6, label, 11, kind="ink" if meaning == "waiting"
                       else "label")

    def arrow(self, a):
        x1, x2 = self.x(a.from_us), self.x(a.to_us)
        y1 = self.rows[a.from_row] + (TASK + PHASE if a.kind == "wake" else TASK)
        y2 = self.rows[a.to_row]
        if y2 < y1:
            y1, y2 = self.rows[a.from_row], self.rows[a.to_row] + TASK + PHASE
        bend = (y2 - y1) / 2
        width, opacity = ("1.6", "1") if a.kind == "wake" else ("0.8", "0.7")
        yield (
            "<path d='M%.1f %d C%.1f %d %.1f %d %.1f %d' fill='none' class='%s' stroke-width='%s' "
            "stroke-opacity='%s' "
            "marker-end='url(#%s)'/>" % (x1, y1, x1, y1 + bend, x2, y2 - bend, x2, y2, a.kind,
                                         width, opacity, a.kind))

    def draw(self):
        yield text(16, self.top + 16, self.title, 14, weight="bold")
        yield from self.grid()
        for y, name, strong in self.names:
            yield text(16 if strong else 28, y, name, 11 if strong else 12, kind="pale" if strong
                       else "ink")
        for y, curve in self.curves:
            yield from self.area(y, curve)
        for s in sorted(self.slices, key=lambda s: (s.depth, s.begin)):
            yield from self.box(s)
        for a in self.arrows:
            yield from self.arrow(a)


def legend(drawn):
    """(elements, lines): the meanings of the colours and arrows that the panels have."""
    fills = [(meaning, colour) for meaning, colour in COLOURS.items()
             if any(meaning in panel.meanings for panel in drawn)]
    of_fill = {}
    for stream in sorted(set().union(*(panel.streams for panel in drawn))):
        of_fill.setdefault(fill_of(stream), []).append("%d" % stream)
    fills += [("stream " + numbers[0] if len(numbers) == 1 else
               "streams " + ", ".join(numbers[:3] + ["\u2026"] * (len(numbers) > 3)), fill)
              for fill, numbers in of_fill.items()]
    entries = [
        (meaning, 18, lambda x, y, colour=colour: "<rect x='%d' y='%d' width='14' height='12' %s/>"
         % (x, y - 10, "fill='%s'" % colour if colour else "class='wait'"))
        for meaning, colour in fills]
    for kind, meaning in ARROWS.items():
        if not any(a.kind == kind for panel in drawn for a in panel.arrows):
            continue
        cut = [panel.cut[kind] for panel in drawn if kind in panel.cut]
        if cut:
            meaning += " (%d of %d)" % tuple(sum(column) for column in zip(*cut))
        more = " stroke-width='%s' marker-end='url(#%s)'" % ("1.6" if kind == "wake" else "0.8",
                                                             kind)
        entries.append(
            (meaning, 30, lambda x, y, kind=kind,
             more=more: line(x, y - 4, x + 22, y - 4, kind, more)))
    found, x, y = [], LEFT, 44
    for meaning, indent, draw in entries:
        width = indent + 16 + int(len(meaning) * LETTER)
        if x + width > WIDTH:
            x, y = LEFT, y + LEGEND
        found += [draw(x, y), text(x + indent, y, meaning, 11)]
        x += width
    return found, (y - 44) // LEGEND + 1


def description(drawn):
    """A sentence for each panel."""
    found = []
    for panel in drawn:
        names = [name for _, name, strong in panel.names if not strong]
        found.append("%s: %.3f to %.3f us, rows %s." %
                     (panel.title or "Panel", panel.begin, panel.end, ", ".join(names)))
    return " ".join(found)


def panels_from(top, ranges, data):
    drawn = []
    for title, begin, end in ranges:
        drawn.append(Panel(title, begin, end, top, data))
        top += drawn[-1].height + 12
    return drawn


def picture(title, ranges, data):
    elements, lines = legend(panels_from(TOP, ranges, data))
    drawn = panels_from(TOP + LEGEND * (lines - 1), ranges, data)
    body = ["<defs>"]
    body += [
        "<marker id='%s' viewBox='0 0 8 8' refX='7' refY='4' markerWidth='6' markerHeight='6' "
        "orient='auto-start-reverse'>"
        "<path d='M0 0 L8 4 L0 8 z' class='%s-end'/></marker>" % (kind, kind) for kind in ARROWS]
    body += ["</defs>", text(16, 24, title, 16, weight="bold"), *elements]
    for panel in drawn:
        body += panel.draw()
    return whole(drawn[-1].top + drawn[-1].height, title, description(drawn), body)


def panel_range(given):
    begin, end, title = given.split(":", 2)
    if float(end) <= float(begin):
        raise ValueError(given)
    return title, float(begin), float(end)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("trace")
    parser.add_argument("out")
    parser.add_argument("--from", dest="begin", type=float)
    parser.add_argument("--to", dest="end", type=float)
    parser.add_argument("--range", dest="ranges", type=panel_range, action="append",
                        metavar="US:US:TITLE")
    parser.add_argument("--rows", metavar="PATTERN")
    parser.add_argument("--zero", action="store_true", help="count time from the first task")
    parser.add_argument("--all", action="store_true",
                        help="draw doorbells and shares of classes too")
    parser.add_argument("--title", default="Timeline, simulated device time")
    options = parser.parse_args()
    if (options.begin is None) != (options.end is None) or (
            options.begin is not None and options.end <= options.begin):
        parser.error("a range needs --from and a later --to")
    data = read(options.trace, options.all, options.rows, options.zero)
    ranges = options.ranges or ([("", options.begin, options.end)] if options.begin is not None
                                else usual_ranges(data[2]))
    with open(options.out, "w", encoding="utf-8") as file:
        file.write(picture(options.title, ranges, data))
    return 0


if __name__ == "__main__":
    sys.exit(main())
