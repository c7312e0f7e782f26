/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel_report/kernel_report.h"
#include "output/json.h"

static cJSON *moves_json(const struct kernel_moves *moves)
{
    cJSON *rows = cJSON_CreateArray();
    for (size_t i = 0; i < moves->row_count; i++)
        rows = json_append(rows, json_object(JSON_NUMBER("least", moves->rows[i].least),
                                             JSON_NUMBER("most", moves->rows[i].most),
                                             JSON_NUMBER("rows", moves->rows[i].rows),
                                             JSON_NUMBER("bytes", moves->rows[i].bytes),
                                             JSON_NUMBER("ns", moves->rows[i].ns)));
    return json_object(
        JSON_NUMBER("count", moves->count), JSON_NUMBER("bytes", moves->bytes),
        JSON_NUMBER("l2_bytes", moves->l2_bytes), JSON_NUMBER("host_bytes", moves->host_bytes),
        JSON_NUMBER("unaligned_bytes", moves->unaligned_bytes), JSON_ITEM("rows", rows));
}

static cJSON *waits_json(const struct kernel_part *part)
{
    cJSON *waits = cJSON_CreateArray();
    for (size_t i = 0; i < part->wait_count; i++) {
        const struct kernel_wait *wait = &part->waits[i];
        cJSON *item = json_object(JSON_TEXT("pipe", kernel_pipe_names[wait->pipe]),
                                  JSON_TEXT("for", wait->kind));
        if (wait->from >= 0)
            item = json_add(item, JSON_TEXT("from", kernel_pipe_names[wait->from]),
                            JSON_TEXT("to", kernel_pipe_names[wait->to]));
        waits = json_append(waits,
                            json_add(item, JSON_NUMBER("flag", wait->flag),
                                     JSON_NUMBER("count", wait->count), JSON_NUMBER("ns", wait->ns),
                                     JSON_NUMBER("share", kernel_ratio(wait->ns, part->list_ns))));
    }
    return waits;
}

static cJSON *part_json(const struct kernel_report *report, const struct kernel_part *part,
                        bool vector)
{
    cJSON *pipes = cJSON_CreateObject();
    cJSON *operations = cJSON_CreateArray();
    for (int pipe = 0; pipe < KERNEL_PIPES; pipe++)
        pipes = json_add(
            pipes, JSON_ITEM(kernel_pipe_names[pipe],
                             json_object(JSON_NUMBER("ns", part->pipe_ns[pipe]),
                                         JSON_NUMBER("share", kernel_ratio(part->pipe_ns[pipe],
                                                                           part->list_ns)))));
    for (size_t i = 0; i < part->operation_count; i++)
        operations = json_append(
            operations,
            json_object(JSON_TEXT("pipe", kernel_pipe_names[part->operations[i].pipe]),
                        JSON_TEXT("type", part->operations[i].type),
                        JSON_NUMBER("count", part->operations[i].count),
                        JSON_NUMBER("peak", kernel_peak(&report->device, &part->operations[i]))));
    return json_object(
        JSON_TEXT("kind", vector ? "aiv" : "aic"), JSON_NUMBER("blocks", part->blocks),
        JSON_NUMBER("start_ns", part->start_ns), JSON_NUMBER("work_ns", part->list_ns),
        JSON_NUMBER("busy_ns", part->busy_ns),
        JSON_ITEM("idle",
                  json_object(JSON_NUMBER("scalar_ns", part->idle_ns[KERNEL_IDLE_SCALAR]),
                              JSON_NUMBER("cross_core_ns", part->idle_ns[KERNEL_IDLE_CORES]),
                              JSON_NUMBER("data_ns", part->idle_ns[KERNEL_IDLE_DATA]))),
        JSON_NUMBER("median_ns", part->median_ns), JSON_NUMBER("longest_ns", part->longest_ns),
        JSON_NUMBER("longest_block", part->longest_block), JSON_ITEM("pipes", pipes),
        JSON_ITEM("waits", waits_json(part)), JSON_ITEM("reads", moves_json(&part->reads)),
        JSON_ITEM("writes", moves_json(&part->writes)), JSON_BOOL("counted", part->counted),
        JSON_NUMBER("bank_cycles", part->bank_cycles), JSON_ITEM("operations", operations));
}

static cJSON *kernel_json(const struct kernel_report *report, const struct kernel *kernel)
{
    cJSON *parts = cJSON_CreateArray();
    cJSON *roofs = cJSON_CreateObject();
    cJSON *hints = cJSON_CreateArray();
    for (int vector = 0; vector < 2; vector++)
        if (kernel->parts[vector].there)
            parts = json_append(parts, part_json(report, &kernel->parts[vector], vector != 0));
    for (int i = 0; i < KERNEL_ROOFS; i++)
        if (kernel->roofs[i].amount > 0)
            roofs = json_add(roofs,
                             JSON_ITEM(kernel_roof_names[i],
                                       json_object(JSON_NUMBER("amount", kernel->roofs[i].amount),
                                                   JSON_NUMBER("per_s", kernel->roofs[i].rate),
                                                   JSON_NUMBER("peak_per_s", kernel->roofs[i].peak),
                                                   JSON_NUMBER("share", kernel->roofs[i].share))));
    for (size_t i = 0; i < kernel->hint_count; i++)
        hints = json_append(hints,
                            json_object(JSON_TEXT("kind", kernel_hint_names[kernel->hints[i].kind]),
                                        JSON_TEXT("text", kernel->hints[i].text)));
    return json_object(
        JSON_TEXT("name", kernel->name), JSON_TEXT("cores", kernel->cores),
        JSON_NUMBER("blocks", kernel->blocks), JSON_NUMBER("launches", kernel->launches),
        JSON_NUMBER("duration_ns", kernel->task_ns),
        JSON_NUMBER("shortest_ns", kernel->shortest_ns),
        JSON_NUMBER("longest_ns", kernel->longest_ns), JSON_NUMBER("span_ns", kernel->span_ns),
        JSON_ITEM("parts", parts), JSON_NUMBER("operations", kernel->operations),
        JSON_ITEM("roofs", roofs),
        JSON_TEXT("limit", kernel->limit < 0 ? "" : kernel_roof_names[kernel->limit]),
        JSON_ITEM("hints", hints));
}

bool kernel_report_json(const struct kernel_report *report, FILE *out)
{
    cJSON *kernels = cJSON_CreateArray();
    for (size_t i = 0; i < report->count; i++)
        kernels = json_append(kernels, kernel_json(report, &report->kernels[i]));
    return json_print(json_object(JSON_TEXT("format", "twinrt-kernel-report"),
                                  JSON_NUMBER("version", 1), JSON_TEXT("soc", report->device.soc),
                                  JSON_ITEM("kernels", kernels)),
                      out);
}
