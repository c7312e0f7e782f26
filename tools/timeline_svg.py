#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws a timeline file as an SVG picture, with nothing but Python.

  timeline_svg.py TRACE.json OUT.svg [--from US --to US] [--range US:US:TITLE]... [--rows PATTERN] [--title TEXT] [--all]

Without a range there are two panels: all tasks, and the end of the longest wait between streams. --range may be repeated: each
is a panel. --rows leaves the rows whose whole name fits the pattern, such as "AIC 0.*|stream 1". Doorbells and shares of classes
are left out unless --all asks for them.
"""
import argparse
import collections
import html
import json
import re
import sys

WIDTH, LEFT, RIGHT, TOP = 1200, 168, 16, 64
TASK, PHASE, GAP, AXIS, CURVE = 22, 18, 8, 34, 34
FONT = "font-family='DejaVu Sans,Helvetica,Arial,sans-serif'"
LETTER = 6.3  # width of one at 11 px
CALL, TASK_FILL, WAIT_FILL = "#cdbfe6", "#a9cbe6", "#e3e6ea"
MARKS = {"known": "#2a9d8f", "measured": "#2a9d8f", "inferred": "#e9c46a", "assumed": "#f0997d"}
STREAM_FILLS = ("#a9cbe6", "#bfe0b4", "#f2d4a2", "#d9c2ea", "#f4b9b9", "#b5e0dc", "#e3dba0", "#c9ced6")
CURVE_FILL = "#7fa8c9"
INK, PALE = "#22303c", "#8a97a3"
LEFT_OUT = (" doorbells", " class shares")

Slice = collections.namedtuple("Slice", "row begin end name cat args depth")
Arrow = collections.namedtuple("Arrow", "kind from_row from_us to_row to_us")
Curve = collections.namedtuple("Curve", "process name unit most points")


def read(path, everything=True, wanted=None):
    """What the file holds; `wanted`: a pattern for the names of rows."""
    with open(path, encoding="utf-8") as file:
        document = json.load(file)
    events = document["traceEvents"]
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


def panels(slices):
    """The ranges to draw: everything the streams did, and where the longest park ended."""
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
        found.append(("The end of the longest wait", park.end - 0.5 * length, until + 0.15 * length))
    return found


class Panel:
    def __init__(self, title, begin, end, top, data):
        self.title, self.begin, self.end, self.top = title, begin, end, top
        self.processes, rows, slices, arrows, curves = data
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
        self.arrows = [a for a in arrows if a.from_row in self.rows and a.to_row in self.rows
                       and begin <= a.to_us <= end and begin <= a.from_us <= end]

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
        path.append("L%.1f %.1f L%.1f %d Z" % (self.x(self.end), y + CURVE * (1 - last / curve.most),
                                               self.x(self.end), y + CURVE))
        yield ("<rect x='%.1f' y='%d' width='%.1f' height='%d' fill='#f4f6f8'/>"
               "<path d='%s' fill='%s'><title>%s, %s</title></path>"
               % (LEFT, y, WIDTH - LEFT - RIGHT, CURVE, " ".join(path), CURVE_FILL,
                  html.escape(curve.name), curve.unit))

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
            yield ("<line x1='%.1f' y1='%d' x2='%.1f' y2='%d' stroke='#e6eaee'/>"
                   "<text x='%.1f' y='%d' font-size='11' fill='%s' text-anchor='%s'>%s</text>"
                   % (x, self.top + 34, x, self.bottom, x, self.bottom + 14, PALE, anchor,
                      "%.*f us" % (digits, at)))
            at += step

    def box(self, s):
        x1, x2 = self.x(s.begin), self.x(s.end)
        y = self.rows[s.row] + (TASK if s.depth else 0)
        height = PHASE if s.depth else TASK
        mark = s.args.get("mark")
        fill = (CALL if s.cat == "call" else TASK_FILL if s.cat == "task" else
                WAIT_FILL if s.cat == "host wait" else
                STREAM_FILLS[s.args.get("stream", 0) % len(STREAM_FILLS)]
                if s.cat in ("slot", "share") else MARKS.get(mark, WAIT_FILL))
        tip = "%s: %.3f to %.3f us, %.3f us" % (s.name, s.begin, s.end, s.end - s.begin)
        if "parameter" in s.args:
            tip += "; %s = %s %s [%s]" % tuple(s.args.get(k, "") for k in
                                               ("parameter", "value", "unit", "mark"))
        yield ("<rect x='%.1f' y='%d' width='%.1f' height='%d' fill='%s' stroke='white' "
               "stroke-width='0.6'><title>%s</title></rect>"
               % (x1, y, max(x2 - x1, 0.8), height, fill, html.escape(tip, quote=True)))
        room = int((x2 - x1 - 6) / LETTER)
        label = "" if s.name == "pipe" else s.name  # the row tells which
        if len(label) > room:
            label = label[:room - 1] + "\u2026" if room >= 4 else ""
        if label:
            yield ("<text x='%.1f' y='%d' font-size='11' fill='%s'>%s</text>"
                   % (x1 + 3, y + height - 6, INK, html.escape(label)))

    def arrow(self, a):
        x1, x2 = self.x(a.from_us), self.x(a.to_us)
        y1 = self.rows[a.from_row] + (TASK + PHASE if a.kind == "wake" else TASK)
        y2 = self.rows[a.to_row]
        if y2 < y1:
            y1, y2 = self.rows[a.from_row], self.rows[a.to_row] + TASK + PHASE
        colour = "#c1121f" if a.kind == "wake" else PALE
        bend = (y2 - y1) / 2
        yield ("<path d='M%.1f %d C%.1f %d %.1f %d %.1f %d' fill='none' stroke='%s' "
               "stroke-width='%s' stroke-opacity='%s' marker-end='url(#%s)'/>"
               % (x1, y1, x1, y1 + bend, x2, y2 - bend, x2, y2, colour,
                  *(("1.6", "1") if a.kind == "wake" else ("0.8", "0.6")),
                  "wake" if a.kind == "wake" else "submit"))

    def draw(self):
        yield ("<text x='16' y='%d' font-size='14' font-weight='bold' fill='%s'>%s</text>"
               % (self.top + 16, INK, html.escape(self.title)))
        yield from self.grid()
        for y, text, strong in self.names:
            yield ("<text x='%d' y='%d' font-size='%d' fill='%s'>%s</text>"
                   % (16 if strong else 28, y, 11 if strong else 12, PALE if strong else INK,
                      html.escape(text)))
        for y, curve in self.curves:
            yield from self.area(y, curve)
        for s in sorted(self.slices, key=lambda s: (s.depth, s.begin)):
            yield from self.box(s)
        for a in self.arrows:
            yield from self.arrow(a)


def legend():
    x = LEFT
    entries = [("host call", CALL), ("task", TASK_FILL), ("waiting", WAIT_FILL)]
    entries += [("length %s" % m, MARKS[m]) for m in ("known", "inferred", "assumed")]
    for text, colour in entries:
        yield ("<rect x='%d' y='34' width='14' height='12' fill='%s'/>"
               "<text x='%d' y='44' font-size='11' fill='%s'>%s</text>"
               % (x, colour, x + 18, INK, text))
        x += 34 + int(len(text) * LETTER)
    yield ("<line x1='%d' y1='40' x2='%d' y2='40' stroke='#c1121f' stroke-width='1.6' "
           "marker-end='url(#wake)'/><text x='%d' y='44' font-size='11' fill='%s'>"
           "record lets a wait go</text>" % (x, x + 22, x + 30, INK))
    x += 190
    yield ("<line x1='%d' y1='40' x2='%d' y2='40' stroke='%s' stroke-width='0.8' "
           "marker-end='url(#submit)'/><text x='%d' y='44' font-size='11' fill='%s'>"
           "call submits</text>" % (x, x + 22, PALE, x + 30, INK))


def picture(title, drawn):
    height = drawn[-1].top + drawn[-1].height
    yield ("<svg xmlns='http://www.w3.org/2000/svg' width='%d' height='%d' viewBox='0 0 %d %d' %s>"
           % (WIDTH, height, WIDTH, height, FONT))
    yield "<!-- SPDX-License-Identifier: Apache-2.0 -->"
    yield "<defs>"
    for kind, colour in (("wake", "#c1121f"), ("submit", PALE)):
        yield ("<marker id='%s' viewBox='0 0 8 8' refX='7' refY='4' markerWidth='6' "
               "markerHeight='6' orient='auto-start-reverse'><path d='M0 0 L8 4 L0 8 z' "
               "fill='%s'/></marker>" % (kind, colour))
    yield "</defs>"
    yield "<rect width='100%' height='100%' fill='white'/>"
    yield ("<text x='16' y='24' font-size='16' font-weight='bold' fill='%s'>%s</text>"
           % (INK, html.escape(title)))
    yield from legend()
    for panel in drawn:
        yield from panel.draw()
    yield "</svg>"


def panel_range(text):
    begin, end, title = text.split(":", 2)
    if float(end) <= float(begin):
        raise ValueError(text)
    return title, float(begin), float(end)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("trace")
    parser.add_argument("out")
    parser.add_argument("--from", dest="begin", type=float)
    parser.add_argument("--to", dest="end", type=float)
    parser.add_argument("--range", dest="ranges", type=panel_range, action="append", metavar="US:US:TITLE")
    parser.add_argument("--rows", metavar="PATTERN")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--title", default="Timeline, simulated device time")
    options = parser.parse_args()
    if (options.begin is None) != (options.end is None) or (
            options.begin is not None and options.end <= options.begin):
        parser.error("a range needs --from and a later --to")
    data = read(options.trace, options.all, options.rows)
    ranges = options.ranges or ([("", options.begin, options.end)] if options.begin is not None
                                else panels(data[2]))
    drawn, top = [], TOP
    for title, begin, end in ranges:
        drawn.append(Panel(title, begin, end, top, data))
        top += drawn[-1].height + 12
    with open(options.out, "w", encoding="utf-8") as file:
        file.write("\n".join(picture(options.title, drawn)) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
