/* SPDX-License-Identifier: Apache-2.0 */
/* Rooflines: operations a second over operations for each byte, both in powers of ten. A kernel is
 * a point over its bytes of HBM, and a circle over those of L2. */
#include <math.h>
#include <string.h>

#include "kernel_report/kernel_report.h"
#include "output/picture.h"

#define WIDTH  960
#define HEIGHT 600
#define LEFT   84.0
#define RIGHT  700.0
#define TOP    84.0
#define BOTTOM 526.0
#define SHOWN  16u /* kernels, those with most time */
#define LINES  8

struct axes {
    double left, right, low, high; /* powers of ten */
};

/* A peak of some kernel, once. */
struct ceiling {
    int pipe;
    char type[8];
    double peak;
};

struct ceilings {
    struct ceiling items[LINES];
    size_t count;
};

static double across(const struct axes *axes, double intensity)
{
    return LEFT + (RIGHT - LEFT) * (log10(intensity) - axes->left) / (axes->right - axes->left);
}

static double upwards(const struct axes *axes, double rate)
{
    return BOTTOM - (BOTTOM - TOP) * (log10(rate) - axes->low) / (axes->high - axes->low);
}

static double rate_of(const struct kernel *kernel)
{
    return kernel_ratio(kernel->operations, kernel->span_ns * 1e-9);
}

/* Operations for each byte of HBM or of L2; 0: no such bytes. */
static double intensity_of(const struct kernel *kernel, int roof)
{
    return kernel_ratio(kernel->operations, kernel->roofs[roof].amount);
}

static bool is_drawn(const struct kernel *kernel)
{
    return rate_of(kernel) > 0 && intensity_of(kernel, KERNEL_L2) > 0;
}

static void find_ceilings(const struct kernel_report *report, struct ceilings *out)
{
    for (size_t i = 0; i < report->count; i++)
        for (int vector = 0; vector < 2; vector++) {
            const struct kernel_part *part = &report->kernels[i].parts[vector];
            for (size_t j = 0; j < part->operation_count && out->count < LINES; j++) {
                const struct kernel_operations *of = &part->operations[j];
                size_t at = 0;
                while (at < out->count && (out->items[at].pipe != of->pipe ||
                                           strcmp(out->items[at].type, of->type) != 0))
                    at++;
                const double peak = kernel_peak(&report->device, of);
                if (at < out->count || peak <= 0)
                    continue;
                out->items[at] = (struct ceiling){.pipe = of->pipe, .peak = peak};
                memcpy(out->items[at].type, of->type, sizeof(of->type));
                out->count++;
            }
        }
}

static void include(double value, double *least, double *most)
{
    if (value <= 0)
        return;
    *least = fmin(*least, value);
    *most = fmax(*most, value);
}

static struct axes find_axes(const struct kernel_report *report, const struct ceilings *ceilings)
{
    double least[2] = {1, 1e12}, most[2] = {100, 1e13};
    for (size_t i = 0; i < report->count; i++) {
        if (!is_drawn(&report->kernels[i]))
            continue;
        include(intensity_of(&report->kernels[i], KERNEL_HBM), &least[0], &most[0]);
        include(intensity_of(&report->kernels[i], KERNEL_L2), &least[0], &most[0]);
        include(rate_of(&report->kernels[i]), &least[1], &most[1]);
    }
    for (size_t i = 0; i < ceilings->count; i++)
        include(ceilings->items[i].peak, &least[1], &most[1]);
    return (struct axes){floor(log10(least[0])), ceil(log10(most[0])), floor(log10(least[1])),
                         ceil(log10(most[1] * 1.2))};
}

static void draw_axes(const struct axes *axes, FILE *out)
{
    char name[KERNEL_NUMBER];
    for (int power = (int)axes->left; power <= (int)axes->right; power++) {
        const double x = across(axes, pow(10, power));
        picture_line(out, x, TOP, x, BOTTOM, PICTURE_GRID, "");
        (void)snprintf(name, sizeof(name), "%g", pow(10, power));
        picture_text(out, x, BOTTOM + 18, 11, "middle", PICTURE_PALE, name);
    }
    for (int power = (int)axes->low; power <= (int)axes->high; power++) {
        const double y = upwards(axes, pow(10, power));
        picture_line(out, LEFT, y, RIGHT, y, PICTURE_GRID, "");
        picture_text(out, LEFT - 8, y + 4, 11, "end", PICTURE_PALE,
                     kernel_number(pow(10, power), "OP/s", name));
    }
    picture_text(out, (LEFT + RIGHT) / 2, BOTTOM + 44, 13, "middle", PICTURE_INK,
                 "operations for each byte");
}

/* A line of a rate of bytes, from edge to edge of the picture, named at its end. */
static void draw_slope(const struct axes *axes, const char *name, double bytes_per_s, double top,
                       bool below, FILE *out)
{
    const double from = fmax(pow(10, axes->left), pow(10, axes->low) / bytes_per_s);
    const double to = fmin(pow(10, axes->right), top / bytes_per_s);
    char text[64], number[KERNEL_NUMBER];
    if (bytes_per_s <= 0 || to <= from)
        return;
    picture_line(out, across(axes, from), upwards(axes, from * bytes_per_s), across(axes, to),
                 upwards(axes, to * bytes_per_s), PICTURE_PALE, " stroke-width='1.6'");
    (void)snprintf(text, sizeof(text), "%s %s", name, kernel_number(bytes_per_s, "B/s", number));
    const double middle = sqrt(from * to);
    picture_text(out, across(axes, middle) + (below ? 10 : -10),
                 upwards(axes, middle * bytes_per_s) + (below ? 14 : -6), 11,
                 below ? "start" : "end", PICTURE_INK, text);
}

static void draw_roofs(const struct kernel_report *report, const struct ceilings *ceilings,
                       const struct axes *axes, FILE *out)
{
    double top = 0;
    char text[64], number[KERNEL_NUMBER];
    for (size_t i = 0; i < ceilings->count; i++) {
        const struct ceiling *one = &ceilings->items[i];
        const double y = upwards(axes, one->peak);
        top = fmax(top, one->peak);
        picture_line(out, LEFT, y, RIGHT, y, PICTURE_PALE, " stroke-dasharray='5 4'");
        (void)snprintf(text, sizeof(text), "%s %s %s", kernel_pipe_names[one->pipe], one->type,
                       kernel_number(one->peak, "OP/s", number));
        picture_text(out, RIGHT - 6, y - 5, 11, "end", PICTURE_INK, text);
    }
    if (top <= 0)
        top = pow(10, axes->high);
    draw_slope(axes, "HBM", report->device.hbm_bytes_per_s, top, true, out);
    draw_slope(axes, "L2", report->device.l2_bytes_per_s, top, false, out);
}

static void draw_kernel(const struct kernel *kernel, const struct axes *axes, size_t number,
                        FILE *out)
{
    const char *colour = picture_colours[number % PICTURE_COLOURS];
    const double y = upwards(axes, rate_of(kernel));
    const double of_hbm = intensity_of(kernel, KERNEL_HBM);
    const double x = across(axes, intensity_of(kernel, KERNEL_L2));
    char text[24];
    if (of_hbm > 0) {
        fprintf(out, "<line x1='%.1f' y1='%.1f' x2='%.1f' y2='%.1f' stroke='%s'/>\n", x, y,
                across(axes, of_hbm), y, colour);
        fprintf(out, "<circle cx='%.1f' cy='%.1f' r='5' fill='%s'/>\n", across(axes, of_hbm), y,
                colour);
    }
    fprintf(out, "<circle cx='%.1f' cy='%.1f' r='5' fill='none' stroke='%s' stroke-width='1.8'/>\n",
            x, y, colour);
    (void)snprintf(text, sizeof(text), "%zu", number + 1);
    picture_text(out, across(axes, of_hbm > 0 ? of_hbm : intensity_of(kernel, KERNEL_L2)) + 8,
                 y + 15, 11, "start", PICTURE_INK, text);
}

static void draw_legend(const struct kernel *kernel, size_t number, double y, FILE *out)
{
    char name[64], text[128], rate[KERNEL_NUMBER];
    fprintf(out, "<circle cx='%.1f' cy='%.1f' r='5' fill='%s'/>\n", RIGHT + 20, y - 4,
            picture_colours[number % PICTURE_COLOURS]);
    size_t cut = strlen(kernel->name);
    if (cut > 26)
        for (cut = 26; cut > 0 && ((unsigned char)kernel->name[cut] & 0xc0) == 0x80;)
            cut--;
    (void)snprintf(name, sizeof(name), "%zu. %.*s", number + 1, (int)cut, kernel->name);
    picture_text(out, RIGHT + 32, y, 12, "start", PICTURE_INK, name);
    if (is_drawn(kernel))
        (void)snprintf(text, sizeof(text), "%s, limit: %s",
                       kernel_number(rate_of(kernel), "OP/s", rate),
                       kernel->limit < 0 ? "none is near" : kernel_roof_names[kernel->limit]);
    else
        (void)snprintf(text, sizeof(text), "not drawn: no operations%s",
                       kernel->operations > 0 ? " for its bytes" : "");
    picture_text(out, RIGHT + 32, y + 15, 10, "start", PICTURE_PALE, text);
}

void kernel_report_svg(const struct kernel_report *report, FILE *out)
{
    struct ceilings ceilings = {.count = 0};
    char text[128];
    find_ceilings(report, &ceilings);
    const struct axes axes = find_axes(report, &ceilings);
    picture_begin(out, WIDTH, HEIGHT, "twinrt kernel-report: rooflines",
                  "Operations a second of each kernel over its operations for each byte, on "
                  "logarithmic axes, below the lines of what the device can do.");
    (void)snprintf(text, sizeof(text), "Kernels on %s and its roofs", report->device.soc);
    picture_text(out, 24, 32, 17, "start", PICTURE_INK, text);
    picture_text(out, 24, 54, 12, "start", PICTURE_PALE,
                 "points: bytes of HBM; circles: bytes that L2 passes");
    draw_axes(&axes, out);
    draw_roofs(report, &ceilings, &axes, out);
    double y = TOP + 12;
    for (size_t i = 0; i < report->count && i < SHOWN; i++, y += 34) {
        if (is_drawn(&report->kernels[i]))
            draw_kernel(&report->kernels[i], &axes, i, out);
        draw_legend(&report->kernels[i], i, y, out);
    }
    fputs("</svg>\n", out);
}
