/* SPDX-License-Identifier: Apache-2.0 */
/* The file of TWINRT_STATS; sim/docs/observation.md describes it. */
#include "observe/observe.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "observe/timeline.h"

#define STATS_VERSION 1

static const char *const cause_names[TWINSIM_CAUSE_COUNT] = {
    [TWINSIM_CAUSE_SLOT] = "slot",       [TWINSIM_CAUSE_CLASS] = "class",
    [TWINSIM_CAUSE_CHANNEL] = "channel", [TWINSIM_CAUSE_CORE] = "core",
    [TWINSIM_CAUSE_EVENT] = "event",     [TWINSIM_CAUSE_NOTIFY] = "notify",
    [TWINSIM_CAUSE_MEMORY] = "memory",   [TWINSIM_CAUSE_HOST] = "host",
    [TWINSIM_CAUSE_CQ] = "full_cq",      [TWINSIM_CAUSE_HOLD] = "hold",
    [TWINSIM_CAUSE_LOOP] = "firmware",
};
static const char *const kind_names[TWINSIM_RESOURCE_COUNT] = {
    [TWINSIM_RESOURCE_SLOT] = "slots",        [TWINSIM_RESOURCE_CLASS] = "classes",
    [TWINSIM_RESOURCE_SDMA] = "sdma",         [TWINSIM_RESOURCE_PCIE_DMA] = "pcie_dma",
    [TWINSIM_RESOURCE_HOST_DMA] = "host_dma", [TWINSIM_RESOURCE_AIC] = "aic",
    [TWINSIM_RESOURCE_AIV] = "aiv",           [TWINSIM_RESOURCE_LINK] = "links",
};

/* Millionths, in whole numbers: no rounding depends on the machine. */
static void put_share(FILE *file, const char *key, uint64_t part, uint64_t whole)
{
    uint64_t ppm = whole ? (uint64_t)((unsigned __int128)part * 1000000u / whole) : 0;
    fprintf(file, ",\"%s\":%" PRIu64 ".%06" PRIu64, key, ppm / 1000000, ppm % 1000000);
}

static void put_wait(FILE *file, const char *name, const struct twinsim_wait_counts *wait,
                     bool first)
{
    fprintf(file,
            "%s\n    \"%s\":{\"count\":%" PRIu64 ",\"total_ns\":%" PRIu64 ",\"max_ns\":%" PRIu64
            ",\"p50_ns\":%" PRIu64 ",\"p90_ns\":%" PRIu64 ",\"p99_ns\":%" PRIu64 "}",
            first ? "" : ",", name, wait->count, wait->total_ns, wait->max_ns, wait->p50_ns,
            wait->p90_ns, wait->p99_ns);
}

static int compare(const void *left, const void *right)
{
    return sim_order(*(const uint64_t *)left, *(const uint64_t *)right);
}

static void put_host(FILE *file, struct sim_host_waits waits[SIM_HOST_CAUSES])
{
    fputs("  \"host_waits\":{", file);
    for (int i = 0; i < SIM_HOST_CAUSES; i++) {
        struct sim_host_waits *list = &waits[i];
        struct twinsim_wait_counts out = {.count = list->count, .total_ns = list->total_ns};
        if (list->count > 0) {
            qsort(list->lengths, list->count, sizeof(*list->lengths), compare);
            out.max_ns = list->lengths[list->count - 1];
            out.p50_ns = list->lengths[(list->count * 50 + 99) / 100 - 1];
            out.p90_ns = list->lengths[(list->count * 90 + 99) / 100 - 1];
            out.p99_ns = list->lengths[(list->count * 99 + 99) / 100 - 1];
        }
        put_wait(file, sim_host_cause_names[i], &out, i == 0);
    }
    fputs("},\n", file);
}

/* A number of the profile; 0: it has none of that name. */
static uint64_t number_of(const twinsim_profile *profile, const char *name)
{
    const struct twinsim_parameter *parameter = name ? twinsim_profile_find(profile, name) : NULL;
    return parameter ? parameter->number : 0;
}

/* Parameters with the number of units of a kind, which are a utilisation of 1.0 together. */
static const char *const unit_counts[TWINSIM_RESOURCE_COUNT] = {
#define UNITS(resource, parameter) [TWINSIM_RESOURCE_##resource] = (parameter),
#include "twinsim/resources.def"
};
/* Parameters with the shares of a class. */
static const char *const share_caps[TWINSIM_CLASS_COUNT] = {
#define SHARES(share, parameter) [TWINSIM_CLASS_##share] = (parameter),
#include "twinsim/resources.def"
};

static void put_link(FILE *file, const struct twinsim_link *link,
                     const struct twinsim_use_counts *use, uint64_t span_ns)
{
    uint64_t most =
        (uint64_t)((unsigned __int128)link->bytes_per_s * span_ns / UINT64_C(1000000000));
    fprintf(file,
            "\"name\":\"%s\",\"bytes_per_s\":%" PRIu64 ",\"bytes\":%" PRIu64
            ",\"load_bytes\":%" PRIu64 ",\"busy_ns\":%" PRIu64,
            link->name, link->bytes_per_s, use->bytes, use->load_bytes, use->busy_ns);
    put_share(file, "utilisation", use->load_bytes, most);
}

static void put_use(FILE *file, twinsim *sim, const twinsim_profile *profile, uint32_t device,
                    enum twinsim_resource kind, uint64_t span_ns)
{
    struct twinsim_use_counts use;
    struct twinsim_link link;
    bool first = true;
    (void)twinsim_stats_use(sim, device, kind, UINT32_MAX, &use);
    fprintf(file, "    \"%s\":{\"uses\":%" PRIu64 ",\"busy_ns\":%" PRIu64, kind_names[kind],
            use.uses, use.busy_ns);
    uint64_t count = number_of(profile, unit_counts[kind]);
    if (count > 0) {
        fprintf(file, ",\"units\":%" PRIu64, count);
        put_share(file, "utilisation", use.busy_ns, count * span_ns);
    }
    if (kind == TWINSIM_RESOURCE_SLOT) {
        fprintf(file, ",\"most\":%" PRIu32, use.most);
        put_share(file, "mean", use.busy_ns, span_ns);
    }
    fputs(",\"each\":[", file);
    for (uint32_t i = 0; twinsim_stats_use(sim, device, kind, i, &use) == TWINSIM_OK; i++) {
        bool is_link = kind == TWINSIM_RESOURCE_LINK;
        if (use.uses == 0 && use.bytes == 0 && use.busy_ns == 0)
            continue;
        fprintf(file, "%s\n     {\"index\":%" PRIu32 ",", first ? "" : ",", i);
        first = false;
        if (is_link && twinsim_link_at(sim, i, &link) == TWINSIM_OK) {
            put_link(file, &link, &use, span_ns);
        } else {
            uint64_t each = kind == TWINSIM_RESOURCE_CLASS ? number_of(profile, share_caps[i]) : 1;
            fprintf(file, "\"uses\":%" PRIu64 ",\"busy_ns\":%" PRIu64, use.uses, use.busy_ns);
            if (use.bytes > 0)
                fprintf(file, ",\"bytes\":%" PRIu64, use.bytes);
            put_share(file, "utilisation", use.busy_ns, each * span_ns);
            if (kind == TWINSIM_RESOURCE_CLASS) {
                fprintf(file, ",\"name\":\"%s\",\"shares\":%" PRIu64 ",\"most\":%" PRIu32,
                        sim_class_names[i], each, use.most);
                put_share(file, "mean", use.busy_ns, span_ns);
            }
        }
        fputc('}', file);
    }
    fputs("]}", file);
}

static void put_device(FILE *file, twinsim *sim, const twinsim_profile *profile, uint32_t device,
                       uint64_t span_ns)
{
    struct twinsim_device_counts sums;
    (void)twinsim_stats_device(sim, device, &sums);
    fprintf(file,
            "\n   {\"device\":%" PRIu32 ",\"tasks\":%" PRIu64 ",\"swap_ins\":%" PRIu64
            ",\"prefetch\":{\"hits\":%" PRIu64 ",\"misses\":%" PRIu64 ",\"wait_ns\":%" PRIu64
            "},\"event_cache\":{\"hits\":%" PRIu64 ",\"misses\":%" PRIu64
            "},\n    \"l2\":{\"read_hit_bytes\":%" PRIu64 ",\"read_miss_bytes\":%" PRIu64
            ",\"write_hit_bytes\":%" PRIu64 ",\"write_miss_bytes\":%" PRIu64
            "},\n    \"tasks_of_type\":{",
            device, sums.tasks, sums.swap_ins, sums.begun - sums.fetch_waits, sums.fetch_waits,
            sums.fetch_wait_ns, sums.event_hits, sums.event_misses, sums.l2_read_hits,
            sums.l2_read_misses, sums.l2_write_hits, sums.l2_write_misses);
    bool first = true;
    for (unsigned i = 0; i < TWINSIM_STATS_TYPES; i++) {
        if (sums.tasks_of_type[i] == 0)
            continue;
        fprintf(file, "%s\"%u\":%" PRIu64, first ? "" : ",", i, sums.tasks_of_type[i]);
        first = false;
    }
    fputs("},\n    \"waits\":{", file);
    for (int i = 0; i < TWINSIM_CAUSE_COUNT; i++) {
        struct twinsim_wait_counts wait;
        (void)twinsim_stats_wait(sim, device, (enum twinsim_cause)i, &wait);
        put_wait(file, cause_names[i], &wait, i == 0);
    }
    fputs("}", file);
    for (int i = 0; i < TWINSIM_RESOURCE_COUNT; i++) {
        fputs(",\n", file);
        put_use(file, sim, profile, device, (enum twinsim_resource)i, span_ns);
    }
    fputs("}", file);
}

static void put_queue(FILE *file, const struct twinsim_queue_counts *queue)
{
    bool first = true;
    fprintf(file,
            "\n   {\"device\":%" PRIu32 ",\"stream\":%" PRIu32 ",\"sq\":%" PRIu32
            ",\"tasks\":%" PRIu64 ",\"bytes\":%" PRIu64 ",\"task_ns\":%" PRIu64
            ",\"slot_ns\":%" PRIu64 ",\"waits\":{",
            queue->device, queue->stream_id, queue->sq, queue->tasks, queue->bytes, queue->task_ns,
            queue->slot_ns);
    for (int i = 0; i < TWINSIM_CAUSE_COUNT; i++) {
        const struct twinsim_wait_sum *sum = &queue->waits[i];
        if (sum->count == 0)
            continue;
        fprintf(file,
                "%s\"%s\":{\"count\":%" PRIu64 ",\"total_ns\":%" PRIu64 ",\"max_ns\":%" PRIu64 "}",
                first ? "" : ",", cause_names[i], sum->count, sum->total_ns, sum->max_ns);
        first = false;
    }
    fputs("}}", file);
}

int sim_stats_draw(FILE *file, twinsim *sim, const twinsim_profile *profile, uint32_t devices,
                   struct sim_host_waits waits[SIM_HOST_CAUSES])
{
    uint64_t span_ns = twinsim_now(sim);
    struct twinsim_device_counts sums;
    int code = twinsim_stats_device(sim, 0, &sums);
    if (code != TWINSIM_OK)
        return code == TWINSIM_E_MEMORY ? -ENOMEM : -EINVAL;
    fprintf(file,
            "{\"format\":\"twinrt-stats\",\"version\":%d,\"clock\":\"simulated device time\","
            "\"span_ns\":%" PRIu64 ",\n",
            STATS_VERSION, span_ns);
    put_host(file, waits);
    fputs("  \"devices\":[", file);
    for (uint32_t i = 0; i < devices; i++) {
        if (i > 0)
            fputc(',', file);
        put_device(file, sim, profile, i, span_ns);
    }
    fputs("],\n  \"streams\":[", file);
    struct twinsim_queue_counts queue;
    for (size_t i = 0; twinsim_stats_queue(sim, i, &queue) == TWINSIM_OK; i++) {
        if (i > 0)
            fputc(',', file);
        put_queue(file, &queue);
    }
    fputs("]}\n", file);
    return 0;
}
