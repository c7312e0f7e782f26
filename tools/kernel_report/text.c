/* SPDX-License-Identifier: Apache-2.0 */
/* The report as text, in 80 columns. */
#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "kernel_report/kernel_report.h"
#include "output/layout.h"

#define WIDTH       80u
#define INDENT      14u
#define BAR         40
#define WAITS_SHOWN 4
#define WAIT_LEAST  0.01 /* of the time */

const char *kernel_number(double value, const char *unit, char text[KERNEL_NUMBER])
{
    static const char *const prefixes[] = {"", "k", "M", "G", "T", "P"};
    unsigned at = 0;
    for (; at + 1 < sizeof(prefixes) / sizeof(prefixes[0]) && value >= 999.5; at++)
        value /= 1000;
    (void)snprintf(text, KERNEL_NUMBER, "%.*f %s%s",
                   at == 0 && value == floor(value) ? 0
                   : value < 9.995                  ? 2
                   : value < 99.95                  ? 1
                                                    : 0,
                   value, prefixes[at], unit);
    return text;
}

/* A label, then text that wraps. */
__attribute__((format(printf, 3, 4))) static void put(FILE *out, const char *name,
                                                      const char *format, ...)
{
    char label[32];
    char text[1024];
    va_list values;
    va_start(values, format);
    (void)vsnprintf(text, sizeof(text), format, values);
    va_end(values);
    (void)snprintf(label, sizeof(label), "  %s", name);
    layout_print(out, WIDTH, INDENT, label, text);
}

static void put_bar(FILE *out, const char *name, const char *what, double share)
{
    char bar[BAR + 1];
    const int length = (int)lround(fmin(share, 1) * BAR);
    memset(bar, '#', (size_t)length);
    bar[length] = '\0';
    fprintf(out, "  %-11s %-8s%5.1f %%%s%s\n", name, what, 100 * share, length ? "  " : "", bar);
}

/* Pipes that this kind of core has. */
static bool is_shown(const struct kernel_report *report, int pipe, bool vector)
{
    const bool both = report->device.split == 0;
    if (pipe == 0 || pipe == 4) /* S, MTE2 */
        return true;
    return pipe == 1 || pipe == 5 ? vector || both : !vector;
}

static void put_pipes(const struct kernel_report *report, const struct kernel_part *part,
                      bool vector, FILE *out)
{
    static const int order[KERNEL_PIPES] = {2, 1, 0, 3, 4, 5, 6};
    const char *name = "pipes";
    for (int i = 0; i < KERNEL_PIPES; i++) {
        if (!is_shown(report, order[i], vector))
            continue;
        put_bar(out, name, kernel_pipe_names[order[i]],
                kernel_ratio(part->pipe_ns[order[i]], part->list_ns));
        name = "";
    }
}

/* The scalar unit is ahead of the pipes: that it waits means something if they take turns. */
static bool has_barriers(const struct kernel *kernel)
{
    for (size_t i = 0; i < kernel->hint_count; i++)
        if (kernel->hints[i].kind == HINT_BARRIERS)
            return true;
    return false;
}

static void put_waits(const struct kernel *kernel, const struct kernel_part *part, FILE *out)
{
    const char *name = "waits";
    int shown = 0;
    for (size_t i = 0; i < part->wait_count && shown < WAITS_SHOWN; i++) {
        const struct kernel_wait *wait = &part->waits[i];
        const double share = kernel_ratio(wait->ns, part->list_ns);
        if (share < WAIT_LEAST)
            break;
        if (wait->pipe == 0 && !has_barriers(kernel))
            continue;
        shown++;
        char what[64];
        if (wait->from >= 0)
            (void)snprintf(what, sizeof(what), "flag %s to %s %.0f", kernel_pipe_names[wait->from],
                           kernel_pipe_names[wait->to], wait->flag);
        else if (strcmp(wait->kind, "barrier") == 0)
            (void)snprintf(what, sizeof(what), "barrier of all pipes");
        else
            (void)snprintf(what, sizeof(what), "%s %.0f of other cores",
                           strcmp(wait->kind, "flag") == 0 ? "flag number" : "flag", wait->flag);
        fprintf(out, "  %-11s %-8s%5.1f %%  for %s, %.0f time%s\n", name,
                kernel_pipe_names[wait->pipe], 100 * share, what, wait->count,
                wait->count == 1 ? "" : "s");
        name = "";
    }
}

static void put_moves(const struct kernel_moves *moves, const char *name, double ns, FILE *out)
{
    char bytes[KERNEL_NUMBER], rate[KERNEL_NUMBER], host[KERNEL_NUMBER + 32] = "";
    if (moves->bytes <= 0)
        return;
    if (moves->host_bytes > 0)
        (void)snprintf(host, sizeof(host), ", %.0f %% in memory of the host",
                       100 * kernel_ratio(moves->host_bytes, moves->bytes));
    put(out, name, "%s in %.0f copies, %.1f %% served by L2%s: %s",
        kernel_number(moves->bytes, "B", bytes), moves->count,
        100 * kernel_ratio(moves->l2_bytes, moves->bytes), host,
        kernel_number(kernel_ratio(moves->bytes, ns * 1e-9), "B/s", rate));
}

static void put_part(const struct kernel_report *report, const struct kernel *kernel, bool vector,
                     FILE *out)
{
    const struct kernel_part *part = &kernel->parts[vector];
    const double all = part->start_ns + part->list_ns;
    if (!part->there)
        return;
    if (kernel->parts[0].there && kernel->parts[1].there)
        fprintf(out, " %s cores\n", vector ? "vector" : "cube");
    put(out, "time goes",
        "%.1f %% at least one pipe works; start %.1f, only the scalar unit %.1f, waits for other "
        "cores %.1f, for data from global memory %.1f",
        100 * kernel_ratio(part->busy_ns, all), 100 * kernel_ratio(part->start_ns, all),
        100 * kernel_ratio(part->idle_ns[KERNEL_IDLE_SCALAR], all),
        100 * kernel_ratio(part->idle_ns[KERNEL_IDLE_CORES], all),
        100 * kernel_ratio(part->idle_ns[KERNEL_IDLE_DATA], all));
    put(out, "a block",
        "start %.2f us, work %.2f us (100 %% of pipes and waits); the slowest is %.2f times the "
        "median",
        kernel_ratio(part->start_ns, part->blocks) / 1e3,
        kernel_ratio(part->list_ns, part->blocks) / 1e3,
        part->median_ns > 0 ? part->longest_ns / part->median_ns : 1.0);
    put_pipes(report, part, vector, out);
    put_waits(kernel, part, out);
    put_moves(&part->reads, "reads", kernel->span_ns, out);
    put_moves(&part->writes, "writes", kernel->span_ns, out);
    for (size_t i = 0; i < part->operation_count; i++) {
        const struct kernel_operations *operations = &part->operations[i];
        char count[KERNEL_NUMBER], rate[KERNEL_NUMBER], peak[KERNEL_NUMBER];
        put(out, i == 0 ? "computes" : "", "%s %s on %s: %s of %s",
            kernel_number(operations->count, "OP", count), operations->type,
            kernel_pipe_names[operations->pipe],
            kernel_number(kernel_ratio(operations->count, kernel->span_ns * 1e-9), "OP/s", rate),
            kernel_number(kernel_peak(&report->device, operations), "OP/s", peak));
    }
    if (!part->counted)
        put(out, "computes", "unknown: the recording does not count operations");
}

static void put_roofs(const struct kernel_report *report, const struct kernel *kernel, FILE *out)
{
    const char *name = "roofs";
    const double peaks[2] = {report->device.hbm_bytes_per_s, report->device.l2_bytes_per_s};
    for (int i = 0; i < KERNEL_ROOFS; i++) {
        const struct kernel_roof *roof = &kernel->roofs[i];
        if (roof->amount <= 0)
            continue;
        const char *unit = i <= KERNEL_L2 ? "B/s" : "OP/s";
        char rate[KERNEL_NUMBER], peak[KERNEL_NUMBER];
        fprintf(out, "  %-11s %-8s%5.1f %%  %s of %s\n", name, kernel_roof_names[i],
                100 * roof->share, kernel_number(roof->rate, unit, rate),
                kernel_number(i <= KERNEL_L2 ? peaks[i] : roof->peak, unit, peak));
        name = "";
    }
    if (kernel->operations > 0 && kernel->roofs[KERNEL_HBM].amount > 0)
        put(out, "intensity", "%.3g operations for each byte of HBM, %.3g for each byte of L2",
            kernel->operations / kernel->roofs[KERNEL_HBM].amount,
            kernel_ratio(kernel->operations, kernel->roofs[KERNEL_L2].amount));
    if (kernel->limit >= 0)
        put(out, "limit", "%s, at %.0f %% of its roof", kernel_roof_names[kernel->limit],
            100 * kernel->roofs[kernel->limit].share);
    else
        put(out, "limit", "no roof is near: starts, waits and latency take the time");
}

void kernel_report_text(const struct kernel_report *report, FILE *out)
{
    double all_ns = 0;
    for (size_t i = 0; i < report->count; i++)
        all_ns += report->kernels[i].task_ns;
    fprintf(out, "Kernels on %s: %.0f cube and %.0f vector cores, %.0f MHz\n", report->device.soc,
            report->device.aic_cores, report->device.aiv_cores, report->device.mhz);
    for (size_t i = 0; i < report->count; i++) {
        const struct kernel *kernel = &report->kernels[i];
        fprintf(out, "\n%zu. %s: %s cores, %.0f block%s, %.0f launch%s\n", i + 1, kernel->name,
                kernel->cores, kernel->blocks, kernel->blocks == 1 ? "" : "s", kernel->launches,
                kernel->launches == 1 ? "" : "es");
        if (kernel->launches > 1)
            put(out, "duration", "%.2f us on average, %.2f to %.2f; %.1f %% of all kernels",
                kernel->task_ns / kernel->launches / 1e3, kernel->shortest_ns / 1e3,
                kernel->longest_ns / 1e3, 100 * kernel_ratio(kernel->task_ns, all_ns));
        else
            put(out, "duration", "%.2f us; %.1f %% of all kernels", kernel->task_ns / 1e3,
                100 * kernel_ratio(kernel->task_ns, all_ns));
        for (int vector = 0; vector < 2; vector++)
            put_part(report, kernel, vector != 0, out);
        put_roofs(report, kernel, out);
        for (size_t hint = 0; hint < kernel->hint_count; hint++)
            put(out, hint == 0 ? "hints" : "", "%s", kernel->hints[hint].text);
    }
}
