/* SPDX-License-Identifier: Apache-2.0 */
/* The picture of a comparison: each task a point, its time in A across and in B upwards, both in
 * powers of ten. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compare/compare.h"
#include "output/picture.h"

#define WIDTH  760
#define HEIGHT 660
#define LEFT   78.0
#define RIGHT  580.0
#define TOP    84.0
#define BOTTOM 586.0

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
        picture_line(out, across(axes, ns), TOP, across(axes, ns), BOTTOM, PICTURE_GRID, "");
        picture_line(out, LEFT, upwards(axes, ns), RIGHT, upwards(axes, ns), PICTURE_GRID, "");
        name_power(power, name, sizeof(name));
        picture_text(out, across(axes, ns), BOTTOM + 18, 11, "middle", PICTURE_PALE, name);
        picture_text(out, LEFT - 8, upwards(axes, ns) + 4, 11, "end", PICTURE_PALE, name);
    }
    picture_line(out, LEFT, BOTTOM, RIGHT, TOP, PICTURE_PALE, " stroke-dasharray='5 4'");
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
    (void)snprintf(text, sizeof(text),
                   "A point for each of %zu pairs of tasks: its time in A across, in B upwards, on "
                   "logarithmic axes.",
                   result->timed.count);
    picture_begin(out, WIDTH, HEIGHT, "twinrt compare: time of each task on the device", text);
    compare_device_name(&result->side[0], device[0], sizeof(device[0]));
    compare_device_name(&result->side[1], device[1], sizeof(device[1]));
    picture_text(out, 24, 32, 17, "start", PICTURE_INK,
                 "twinrt compare: time of each task on the device");
    (void)snprintf(text, sizeof(text),
                   "%zu pairs of tasks; on the dashed line both times are equal",
                   result->timed.count);
    picture_text(out, 24, 54, 12, "start", PICTURE_PALE, text);
    draw_axes(&axes, out);
    (void)snprintf(text, sizeof(text), "A: %s", device[0]);
    picture_text(out, (LEFT + RIGHT) / 2, BOTTOM + 44, 13, "middle", PICTURE_INK, text);
    fprintf(out, "<g transform='rotate(-90 18 %.1f)'>\n", (TOP + BOTTOM) / 2);
    (void)snprintf(text, sizeof(text), "B: %s", device[1]);
    picture_text(out, 18, (TOP + BOTTOM) / 2, 13, "middle", PICTURE_INK, text);
    fputs("</g>\n", out);
    double y = TOP + 12;
    for (size_t i = 0; i < result->kind_count; i++) {
        const struct compare_kind *kind = &result->kinds[i];
        const char *colour = picture_colours[i % PICTURE_COLOURS];
        draw_points(result, &axes, kind->kind, colour, out);
        fprintf(out, "<circle cx='%.1f' cy='%.1f' r='4' fill='%s'/>\n", RIGHT + 20, y - 4, colour);
        picture_text(out, RIGHT + 30, y, 12, "start", PICTURE_INK, twin_op_word(kind->kind));
        (void)snprintf(text, sizeof(text), "%llu, median B/A %.3g", (unsigned long long)kind->count,
                       kind->median);
        picture_text(out, RIGHT + 30, y + 15, 10, "start", PICTURE_PALE, text);
        y += 40;
    }
    fputs("</svg>\n", out);
}
