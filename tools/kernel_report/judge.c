/* SPDX-License-Identifier: Apache-2.0 */
/* Roofs: what the device can do at most, and how near a kernel comes. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernel_report/kernel_report.h"

#define NEAR 0.3 /* of a roof, that it is what limits a kernel */

const char *const kernel_roof_names[KERNEL_ROOFS] = {
    [KERNEL_HBM] = "HBM", [KERNEL_L2] = "L2", [KERNEL_CUBE] = "cube", [KERNEL_VECTOR] = "vector"};

double kernel_ratio(double part, double whole)
{
    return whole > 0 ? part / whole : 0;
}

static bool is_cube(const struct kernel_operations *operations)
{
    return strcmp(kernel_pipe_names[operations->pipe], "M") == 0;
}

/* Columns and rows that the cube adds up in a cycle, times two operations. */
static double cube_peak(const struct kernel_device *device, const char *type)
{
    const double step = 16.0 * 16 * 2;
    if (strcmp(type, "INT8") == 0)
        return step * device->cube_k_int8;
    if (strcmp(type, "INT4") == 0)
        return step * device->cube_k_int8 * 2;
    if (strcmp(type, "FP32") == 0)
        return step * device->cube_k_fp32;
    if (strcmp(type, "HF32") == 0)
        return step * device->cube_k_fp32 * 2;
    return step * device->cube_k_fp16;
}

/* An operation on each element in a cycle. The number of bits is at the end of the type. */
static double vector_peak(const struct kernel_device *device, const char *type)
{
    const double bits = strtod(type + strcspn(type, "0123456789"), NULL);
    return kernel_ratio(device->vector_bytes * 8, bits);
}

double kernel_peak(const struct kernel_device *device, const struct kernel_operations *operations)
{
    const double hz = device->mhz * 1e6;
    if (is_cube(operations))
        return cube_peak(device, operations->type) * device->aic_cores * hz;
    return vector_peak(device, operations->type) * hz *
           (device->split != 0 ? device->aiv_cores : device->aic_cores);
}

static void find_roofs(const struct kernel_device *device, struct kernel *kernel)
{
    double least_s[KERNEL_ROOFS] = {0}; /* that the work takes at the peak */
    struct kernel_roof *roofs = kernel->roofs;
    for (int vector = 0; vector < 2; vector++) {
        const struct kernel_part *part = &kernel->parts[vector];
        const struct kernel_moves *moves[] = {&part->reads, &part->writes};
        for (int way = 0; way < 2; way++) {
            const double device_bytes = fmax(0, moves[way]->bytes - moves[way]->host_bytes);
            roofs[KERNEL_L2].amount += device_bytes;
            roofs[KERNEL_HBM].amount += fmax(0, device_bytes - moves[way]->l2_bytes);
        }
        for (size_t i = 0; i < part->operation_count; i++) {
            const struct kernel_operations *operations = &part->operations[i];
            const int roof = is_cube(operations) ? KERNEL_CUBE : KERNEL_VECTOR;
            roofs[roof].amount += operations->count;
            least_s[roof] += kernel_ratio(operations->count, kernel_peak(device, operations));
            kernel->operations += operations->count;
        }
    }
    least_s[KERNEL_HBM] = kernel_ratio(roofs[KERNEL_HBM].amount, device->hbm_bytes_per_s);
    least_s[KERNEL_L2] = kernel_ratio(roofs[KERNEL_L2].amount, device->l2_bytes_per_s);
    for (int i = 0; i < KERNEL_ROOFS; i++) {
        roofs[i].rate = kernel_ratio(roofs[i].amount, kernel->span_ns * 1e-9);
        roofs[i].share = kernel_ratio(least_s[i], kernel->span_ns * 1e-9);
        roofs[i].peak = kernel_ratio(roofs[i].amount, least_s[i]);
        if (roofs[i].share >= NEAR &&
            (kernel->limit < 0 || roofs[i].share > roofs[kernel->limit].share))
            kernel->limit = i;
    }
}

static int by_ns(const void *left, const void *right)
{
    const struct kernel_wait *a = left;
    const struct kernel_wait *b = right;
    return a->ns < b->ns ? 1 : a->ns > b->ns ? -1 : a->pipe - b->pipe;
}

static int by_time(const void *left, const void *right)
{
    const struct kernel *a = left;
    const struct kernel *b = right;
    return a->task_ns < b->task_ns ? 1 : a->task_ns > b->task_ns ? -1 : strcmp(a->name, b->name);
}

void kernel_report_judge(struct kernel_report *report)
{
    for (size_t i = 0; i < report->count; i++) {
        struct kernel *kernel = &report->kernels[i];
        for (int vector = 0; vector < 2; vector++)
            if (kernel->parts[vector].wait_count > 1)
                qsort(kernel->parts[vector].waits, kernel->parts[vector].wait_count,
                      sizeof(*kernel->parts[vector].waits), by_ns);
        find_roofs(&report->device, kernel);
        kernel_find_hints(&report->device, kernel);
    }
    if (!report->each && report->count > 1)
        qsort(report->kernels, report->count, sizeof(*report->kernels), by_time);
}
