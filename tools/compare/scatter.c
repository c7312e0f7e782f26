/* SPDX-License-Identifier: Apache-2.0 */
/* The picture of a comparison: each task a point, its time in A across and in B upwards, both in
 * powers of ten. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compare/compare.h"

#define WIDTH  760
#define HEIGHT 660
#define LEFT   78.0
#define RIGHT  580.0
#define TOP    84.0
#define BOTTOM 586.0
#define FONT   "font-family='DejaVu Sans,Helvetica,Arial,sans-serif'"
/* Classes of STYLE. */
#define INK  "ink"
#define PALE "pale"
#define GRID "grid"
#define STYLE                                                                                      \
    "<style>.page{fill:#ffffff}.ink{fill:#22303c}.pale{fill:#68757f}"                              \
    "line.pale{stroke:#68757f}.grid{stroke:#e3e6ea}\n"                                             \
    "@media (prefers-color-scheme:dark){.page{fill:#0d1117}.ink{fill:#e6edf3}.pale{fill:#9aa6b2}"  \
    "line.pale{stroke:#9aa6b2}.grid{stroke:#2b3440}}</style>\n"

static const char *const colours[] = {"#3d8bd4", "#e07b39", "#2a9d8f", "#9b6fc4",
                                      "#d1567a", "#8ab543", "#b8860b", "#6f7fd8"};
#define COLOURS (sizeof(colours) / sizeof(colours[0]))

/* The same powers of ten on both axes, so that equal times are on the diagonal. */
struct axes {
    double low, high; /* powers of ten of ns */
};

static double across(const struct axes *axes, double ns)
{
    return LEFT + (RIGHT - LEFT) * (log10(ns) - axes->low) / (axes->high - axes->low);
}

static double upwards(const struct axes *axes, double ns)
{
    return BOTTOM - (BOTTOM - TOP) * (log10(ns) - axes->low) / (axes->high - axes->low);
}

static void put_text(FILE *out, double x, double y, int size, const char *anchor, const char *kind,
                     const char *text)
{
    fprintf(out, "<text x='%.1f' y='%.1f' " FONT " font-size='%d' text-anchor='%s' class='%s'>", x,
            y, size, anchor, kind);
    for (; *text; text++) {
        if (*text == '<')
            fputs("&lt;", out);
        else if (*text == '&')
            fputs("&amp;", out);
        else if ((unsigned char)*text >= ' ')
            fputc(*text, out);
    }
    fputs("</text>\n", out);
}

static void put_line(FILE *out, double x1, double y1, double x2, double y2, const char *kind,
                     const char *more)
{
    fprintf(out, "<line x1='%.1f' y1='%.1f' x2='%.1f' y2='%.1f' class='%s'%s/>\n", x1, y1, x2, y2,
            kind, more);
}

static bool point(const struct compare_result *result, size_t at, uint32_t *out_kind,
                  uint64_t *out_a, uint64_t *out_b)
{
    const twin_op *a = compare_op(result, 0, result->timed.items[at]);
    *out_kind = a->kind;
    *out_a = compare_length(a);
    *out_b = compare_length(compare_op(result, 1, result->timed.items[at]));
    return *out_a > 0 && *out_b > 0;
}

static struct axes find_axes(const struct compare_result *result)
{
    double least = INFINITY;
    double most = 0;
    uint32_t kind = 0;
    uint64_t a = 0;
    uint64_t b = 0;
    for (size_t i = 0; i < result->timed.count; i++) {
        if (!point(result, i, &kind, &a, &b))
            continue;
        least = fmin(least, (double)(a < b ? a : b));
        most = fmax(most, (double)(a > b ? a : b));
    }
    if (most == 0)
        return (struct axes){.low = 2, .high = 6};
    struct axes axes = {.low = floor(log10(least)), .high = ceil(log10(most))};
    if (axes.high < axes.low + 1)
        axes.high = axes.low + 1;
    return axes;
}

static void name_power(int power, char *text, size_t bytes)
{
    static const char *const units[] = {"ns", "us", "ms", "s"};
    int unit = power / 3 < 3 ? power / 3 : 3;
    double value = pow(10, power - 3 * unit);
    (void)snprintf(text, bytes, "%g %s", value, units[unit]);
}

static void draw_axes(const struct axes *axes, FILE *out)
{
    char name[32];
    for (int power = (int)axes->low; power <= (int)axes->high; power++) {
        double ns = pow(10, power);
        put_line(out, across(axes, ns), TOP, across(axes, ns), BOTTOM, GRID, "");
        put_line(out, LEFT, upwards(axes, ns), RIGHT, upwards(axes, ns), GRID, "");
        name_power(power, name, sizeof(name));
        put_text(out, across(axes, ns), BOTTOM + 18, 11, "middle", PALE, name);
        put_text(out, LEFT - 8, upwards(axes, ns) + 4, 11, "end", PALE, name);
    }
    put_line(out, LEFT, BOTTOM, RIGHT, TOP, PALE, " stroke-dasharray='5 4'");
}

/* Points that fall on each other are drawn once: a picture of a million tasks stays small. */
static void draw_points(const struct compare_result *result, const struct axes *axes,
                        uint32_t wanted, const char *colour, FILE *out)
{
    enum { CELLS = 256 };
    static bool taken[CELLS][CELLS];
    uint32_t kind = 0;
    uint64_t a = 0;
    uint64_t b = 0;
    memset(taken, 0, sizeof(taken));
    for (size_t i = 0; i < result->timed.count; i++) {
        if (!point(result, i, &kind, &a, &b) || kind != wanted)
            continue;
        double x = across(axes, (double)a);
        double y = upwards(axes, (double)b);
        size_t column = (size_t)((x - LEFT) / (RIGHT - LEFT) * (CELLS - 1));
        size_t row = (size_t)((y - TOP) / (BOTTOM - TOP) * (CELLS - 1));
        if (column < CELLS && row < CELLS && taken[column][row])
            continue;
        if (column < CELLS && row < CELLS)
            taken[column][row] = true;
        fprintf(out, "<circle cx='%.1f' cy='%.1f' r='3' fill='%s' fill-opacity='0.55'/>\n", x, y,
                colour);
    }
}

void compare_draw(const struct compare_result *result, FILE *out)
{
    char text[512];
    char device[2][128];
    struct axes axes = find_axes(result);
    fprintf(out,
            "<svg xmlns='http://www.w3.org/2000/svg' width='%d' height='%d' viewBox='0 0 %d %d' "
            "role='img' aria-labelledby='title description'>\n"
            "<!-- SPDX-License-Identifier: Apache-2.0 -->\n"
            "<title id='title'>twinrt compare: time of each task on the device</title>\n"
            "<desc id='description'>A point for each of %zu pairs of tasks: its time in A across, "
            "in B upwards, on logarithmic axes.</desc>\n" STYLE
            "<rect width='100%%' height='100%%' class='page'/>\n",
            WIDTH, HEIGHT, WIDTH, HEIGHT, result->timed.count);
    compare_device_name(&result->side[0], device[0], sizeof(device[0]));
    compare_device_name(&result->side[1], device[1], sizeof(device[1]));
    put_text(out, 24, 32, 17, "start", INK, "twinrt compare: time of each task on the device");
    (void)snprintf(text, sizeof(text),
                   "%zu pairs of tasks; on the dashed line both times are equal",
                   result->timed.count);
    put_text(out, 24, 54, 12, "start", PALE, text);
    draw_axes(&axes, out);
    (void)snprintf(text, sizeof(text), "A: %s", device[0]);
    put_text(out, (LEFT + RIGHT) / 2, BOTTOM + 44, 13, "middle", INK, text);
    fprintf(out, "<g transform='rotate(-90 18 %.1f)'>\n", (TOP + BOTTOM) / 2);
    (void)snprintf(text, sizeof(text), "B: %s", device[1]);
    put_text(out, 18, (TOP + BOTTOM) / 2, 13, "middle", INK, text);
    fputs("</g>\n", out);
    double y = TOP + 12;
    for (size_t i = 0; i < result->kind_count; i++) {
        const struct compare_kind *kind = &result->kinds[i];
        const char *colour = colours[i % COLOURS];
        draw_points(result, &axes, kind->kind, colour, out);
        fprintf(out, "<circle cx='%.1f' cy='%.1f' r='4' fill='%s'/>\n", RIGHT + 20, y - 4, colour);
        put_text(out, RIGHT + 30, y, 12, "start", INK, twin_op_word(kind->kind));
        (void)snprintf(text, sizeof(text), "%llu, median B/A %.3g", (unsigned long long)kind->count,
                       kind->median);
        put_text(out, RIGHT + 30, y + 15, 10, "start", PALE, text);
        y += 40;
    }
    fputs("</svg>\n", out);
}
