/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a read found what the order of tasks allows. */
#include "order.h"

#include <stdio.h>

/* Whether some write of the cell comes after `write` (UINT32_MAX: after the beginning) and before
 * `read`. */
static bool overwritten(const order_graph *graph, uint32_t write, uint32_t read, uint32_t *out_by)
{
    for (uint32_t i = 0; i < graph->count; i++) {
        const order_task *other = &graph->tasks[i];
        if (other->kind == ORDER_WRITE && other->cell == graph->tasks[read].cell &&
            order_has(&graph->tasks[read].before, i) &&
            (write == UINT32_MAX || order_has(&other->before, write))) {
            *out_by = i;
            return true;
        }
    }
    return false;
}

bool order_read_fits(const order_graph *graph, uint32_t read, uint64_t pattern, uint64_t initial,
                     char *why, size_t bytes)
{
    const order_task *task = &graph->tasks[read];
    uint32_t write = UINT32_MAX;
    uint32_t by = 0;
    for (uint32_t i = 0; i < graph->count; i++)
        if (graph->tasks[i].kind == ORDER_WRITE && graph->tasks[i].cell == task->cell &&
            graph->tasks[i].pattern == pattern)
            write = i;
    if (write == UINT32_MAX && pattern != initial)
        snprintf(why, bytes, "task %u found 0x%llx in cell %u, which no task wrote there", read,
                 (unsigned long long)pattern, task->cell);
    else if (write != UINT32_MAX && order_has(&graph->tasks[write].before, read))
        snprintf(why, bytes, "task %u found what task %u wrote, which comes after it", read, write);
    else if (!overwritten(graph, write, read, &by))
        return true;
    else if (write == UINT32_MAX)
        snprintf(why, bytes, "task %u did not find what task %u wrote before it", read, by);
    else
        snprintf(why, bytes, "task %u found what task %u wrote, and task %u overwrote before it",
                 read, write, by);
    return false;
}
