#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws what `twinrt bench --json FILE` wrote as an SVG picture, with nothing but Python.

  bench_svg.py BENCH.json OUT.svg [--clock virtual|host]

Left: the ways to synchronise. Right: bandwidth of copies by size. Simulated times, or the host's.
"""
import argparse
import collections
import json
import math
import re

from picture import WIDTH, line, text, whole

HEIGHT, TOP, BOTTOM = 460, 78, 64
BAR = "#7fb2d9"
LINES = ["#3d8bd4", "#e07b39", "#2a9d8f", "#9b6fc4", "#d1567a", "#8ab543"]
UNITS = {"KiB": 1 << 10, "MiB": 1 << 20}
TITLES = {"virtual": "simulated time", "host": "host time of this machine"}


def marks_of(row):
    counts = collections.Counter(row.get("parameters", {}).values())
    return ", ".join(
        f"{counts[mark]} {mark}" for mark in ("known", "measured", "inferred", "assumed")
        if counts[mark])


def nice_step(most, steps=5):
    rough = most / steps
    scale = 10 ** math.floor(math.log10(rough))
    return next(scale * factor for factor in (1, 2, 5, 10) if scale * factor >= rough)


def draw_sync(rows, left, right):
    """Bars, the longest as wide as the panel."""
    out = [
        text(left, TOP - 14, "From the first call to the return of the wait, us", 13,
             weight="bold")]
    if not rows:
        return out + [text(left, TOP + 20, "not measured", kind="pale")]
    names = 130
    most = max(row["median"] for row in rows)
    step = nice_step(most)
    scale = (right - left - names - 50) / most
    base = left + names
    place = TOP
    height = (HEIGHT - TOP - BOTTOM) / len(rows)
    for k in range(int(most / step) + 1):
        x = base + k * step * scale
        out += [line(x, TOP, x, HEIGHT - BOTTOM),
                text(x, HEIGHT - BOTTOM + 18, f"{k * step:g}", 11, "middle", kind="pale")]
    for row in rows:
        middle = place + height / 2
        width = row["median"] * scale
        out += [text(base - 8, middle + 4, row["name"], 12, "end"),
                f"<rect x='{base:.1f}' y='{middle - height * 0.32:.1f}' width='{width:.1f}' "
                f"height='{height * 0.64:.1f}' fill='{BAR}'/>",
                text(base + width + 5, middle + 4, f"{row['median']:.4g}", 12)]
        marks = marks_of(row)
        if marks and width > 7 * len(marks):
            out.append(text(base + 6, middle + 4, marks, 10, kind="label"))
        place += height
    return out


def draw_copies(rows, left, right):
    """One line for each way; ways that never differ share one."""
    out = [text(left, TOP - 14, "Bandwidth of one copy and its wait, GB/s", 13, weight="bold")]
    ways = collections.defaultdict(dict)
    for row in rows:
        found = re.fullmatch(r"(.*) (\d+) (KiB|MiB)", row["name"])
        if found and row["median"] > 0:
            ways[found[1]][int(found[2]) * UNITS[found[3]]] = row["bytes"] / row["median"] / 1e3
    if not ways:
        return out + [text(left, TOP + 20, "not measured", kind="pale")]
    same = collections.defaultdict(list)
    for way, points in ways.items():
        same[tuple(sorted(points.items()))].append(way)
    sizes = sorted({size for points in ways.values() for size in points})
    rates = [rate for points in ways.values() for rate in points.values()]
    low, high = math.floor(math.log10(min(rates))), math.ceil(math.log10(max(rates)))
    bottom, base, legend = HEIGHT - BOTTOM, left + 46, 128
    span = math.log2(sizes[-1] / sizes[0]) or 1

    def at(size, rate):
        return (base + (right - base - legend) * math.log2(size / sizes[0]) / span,
                bottom - (bottom - TOP) * (math.log10(rate) - low) / (high - low))

    for power in range(low, high + 1):
        y = at(sizes[0], 10 ** power)[1]
        out += [line(base, y, right - legend, y),
                text(base - 6, y + 4, f"{10 ** power:g}", 11, "end", kind="pale")]
    for size in sizes:
        x = at(size, 10 ** low)[0]
        name = f"{size >> 20} MiB" if size >= 1 << 20 else f"{size >> 10} KiB"
        out += [line(x, TOP, x, bottom), text(x, bottom + 18, name, 10, "middle", kind="pale")]
    ends = []
    for colour, (points, names) in zip(LINES, same.items()):
        places = [at(size, rate) for size, rate in points]
        out.append(f"<polyline fill='none' stroke='{colour}' stroke-width='2' points='"
                   + " ".join(f"{x:.1f},{y:.1f}" for x, y in places) + "'/>")
        out += [f"<circle cx='{x:.1f}' cy='{y:.1f}' r='2.6' fill='{colour}'/>" for x, y in places]
        ends.append((places[-1][1], " and ".join(names), colour, places[-1][0]))
    free = 0.0
    for y, name, colour, x in sorted(ends):
        for part in name.split(" and "):
            free = max(free + 15, y + 4)
            out.append(text(x + 10, free, part, 11, fill=colour))
    return out


def draw(report, clock):
    rows = [row for row in report["rows"] if row["clock"] == clock]
    title = f"twinrt bench: {TITLES[clock]}, profile {report['profile']}"
    note = (
        "The numbers in the bars count the parameters of the profile that a time depends on, by "
        "mark. No board was measured."
        if clock == "virtual" else "Medians; this machine's, and noisy.")
    sync = [row for row in rows if row["group"] == "sync"]
    description = ("Bars, time from the first call to the return of the wait: "
                   + ", ".join(f"{row['name']} {row['median']:.4g} us" for row in sync)
                   + ". Lines: bandwidth of copies by size, for each direction. " + note)
    return whole(HEIGHT, title, description, [
        text(24, 32, title, 17, weight="bold"), *draw_sync(sync, 24, 560),
        *draw_copies([row for row in rows if row["group"] == "copy"], 610, WIDTH - 16),
        text(24, HEIGHT - 14, note, 11, kind="pale")])


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("report")
    parser.add_argument("picture")
    parser.add_argument("--clock", choices=sorted(TITLES), default="virtual")
    options = parser.parse_args()
    with open(options.report, encoding="utf-8") as file:
        report = json.load(file)
    with open(options.picture, "w", encoding="utf-8") as file:
        file.write(draw(report, options.clock))


if __name__ == "__main__":
    main()
