# SPDX-License-Identifier: Apache-2.0
"""The picture of run.py: published times against those of the model.

Left: durations of kernels, both axes logarithmic. Right: the ratio of times for every figure, by
kind of question. Bands show 10 % and 25 %."""
import math

from picture import WIDTH, line, text, whole

HEIGHT, TOP, BOTTOM = 640, 96, 70
COLOURS = {"launch": "#9b6fc4", "host": "#8ab543", "peer": "#2a9d8f", "instruction": "#d1567a",
           "stream": "#3d8bd4", "product": "#e07b39"}
BANDS = ((0.25, 0.16), (0.1, 0.28))  # of the ratio; how dark
LEFT, MIDDLE, RIGHT = 72, 560, WIDTH - 28
WIDEST = 8  # ratio at the ends of the right panel; what is beyond is at the end
LABELS = 3  # named points of a kind


def dot(x, y, figure):
    colour = COLOURS[figure.group]
    inside = "none" if figure.use == "fit" else colour
    title = (f"{figure.id}: published {figure.published} {figure.unit}, model "
             f"{figure.value:.4g} {figure.unit}")
    return (f"<circle cx='{x:.1f}' cy='{y:.1f}' r='3.4' fill='{inside}' stroke='{colour}' "
            f"stroke-width='1.4'><title>{title}</title></circle>")


def band(points, opacity):
    return ("<polygon fill='#8a97a3' fill-opacity='%g' points='%s'/>"
            % (opacity, " ".join(f"{x:.1f},{y:.1f}" for x, y in points)))


def ratio(figure):
    return 1 + figure.error()


def durations(figures):
    """The left panel."""
    rows = [figure for figure in figures if figure.unit == "us"]
    right, bottom = MIDDLE - 60, HEIGHT - BOTTOM
    values = [value for figure in rows for value in (figure.low, figure.value)]
    low, high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))

    def place(published, model):
        return (LEFT + (right - LEFT) * (math.log10(published) - low) / (high - low),
                bottom - (bottom - TOP) * (math.log10(model) - low) / (high - low))

    out = [text(LEFT, TOP - 18, "Time of the model, us, by published time, us", 13, weight="bold")]
    for size, opacity in BANDS:
        first, last = 10 ** low, 10 ** high
        out.append(band([place(first, first), place(first, first * (1 + size)),
                         place(last / (1 + size), last), place(last, last),
                         place(last, last * (1 - size)), place(first / (1 - size), first)],
                        opacity))
    for power in range(low, high + 1):
        (x, y), name = place(10 ** power, 10 ** power), f"{10 ** power:g}"
        out += [line(x, TOP, x, bottom), line(LEFT, y, right, y),
                text(x, bottom + 18, name, 11, "middle", kind="pale"),
                text(LEFT - 7, y + 4, name, 11, "end", kind="pale")]
    out += [dot(*place(figure.low, figure.value), figure) for figure in rows]
    return out


def ratios(figures, groups):
    """The right panel: a strip for each kind of question."""
    left, bottom = MIDDLE + 10, HEIGHT - BOTTOM
    span = math.log2(WIDEST)

    def across(value):
        value = min(max(value, 1 / WIDEST), WIDEST)
        return left + (RIGHT - left) * (math.log2(value) + span) / (2 * span)

    out = [text(left, TOP - 18, "Time of the model / published time", 13, weight="bold")]
    for size, opacity in BANDS:
        out.append(band([(across(1 - size), TOP), (across(1 + size), TOP),
                         (across(1 + size), bottom), (across(1 - size), bottom)], opacity))
    for value, name in ((1 / 8, "1/8"), (1 / 4, "1/4"), (1 / 2, "1/2"), (1, "1"), (2, "2"),
                        (4, "4"), (8, "8")):
        x = across(value)
        out += [line(x, TOP, x, bottom), text(x, bottom + 18, name, 11, "middle", kind="pale")]
    strip = (bottom - TOP) / len(groups)
    for at, (group, name) in enumerate(groups.items()):
        top = TOP + at * strip
        rows = [figure for figure in figures if figure.group == group]
        out += [line(left, top, RIGHT, top),
                text(left + 4, top + 15, name, 12, weight="bold", fill=COLOURS[group])]
        named = sorted(rows, key=lambda figure: -abs(math.log(ratio(figure))))[:LABELS]
        for number, figure in enumerate(rows):
            x = across(ratio(figure))
            place = (number * 0.618) % 1 if len(rows) > 1 else 0.5
            if figure in named:  # names do not overlap
                place = named.index(figure) / (LABELS - 1)
            y = top + 26 + (strip - 34) * place
            out.append(dot(x, y, figure))
            if figure in named and abs(figure.error()) > BANDS[0][0]:
                after = x > (left + RIGHT) / 2
                out.append(text(x - 7 if after else x + 7, y + 4, figure.id, 10,
                                "end" if after else "start"))
    return out


def picture(figures, groups):
    checked = [figure for figure in figures if figure.use == "check"]
    near = {size: sum(abs(figure.error()) <= size for figure in checked) for size, _ in BANDS}
    title = "Published measurements and the model"
    note = (f"{len(checked)} predicted figures (filled): {near[0.1]} within 10 %, {near[0.25]} "
            f"within 25 %. {len(figures) - len(checked)} figures that profiles may be fitted to "
            "(hollow) prove nothing.")
    return whole(HEIGHT, title, note + " Points right of 1, and above the band, are times that "
                 "the model has too long.", [
                     text(24, 34, title, 17, weight="bold"), text(24, 56, note, 12, kind="pale"),
                     *durations(figures), *ratios(figures, groups),
                     text(LEFT, HEIGHT - 16, "Bands: 10 % and 25 %.", 11, kind="pale")])
