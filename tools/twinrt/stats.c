/* SPDX-License-Identifier: Apache-2.0 */
/* What `twinrt run --stats` prints of a file of counters. */
#include "tool.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "output/json.h"
#include "output/layout.h"

#define STREAMS_SHOWN 16

static const cJSON *member(const cJSON *object, const char *key)
{
    return cJSON_GetObjectItemCaseSensitive(object, key);
}

static const char *plural(const cJSON *object, const char *key)
{
    return layout_plural((uint64_t)json_number(object, key));
}

static void print_waits(const char *title, const cJSON *waits)
{
    const cJSON *wait;
    bool any = false;
    cJSON_ArrayForEach(wait, waits)
    {
        if (json_number(wait, "count") <= 0)
            continue;
        if (!any)
            printf("  %-14s %10s %14s %12s %12s %12s %12s\n", title, "count", "total us", "median",
                   "p90", "p99", "longest");
        any = true;
        printf("   %-13s %10.0f %14.3f %12.3f %12.3f %12.3f %12.3f\n", wait->string,
               json_number(wait, "count"), json_number(wait, "total_ns") / 1e3,
               json_number(wait, "p50_ns") / 1e3, json_number(wait, "p90_ns") / 1e3,
               json_number(wait, "p99_ns") / 1e3, json_number(wait, "max_ns") / 1e3);
    }
    if (!any)
        printf("  %s: none\n", title);
}

static void print_units(const cJSON *device, const char *key, const char *name)
{
    const cJSON *kind = member(device, key);
    if (json_number(kind, "uses") <= 0)
        return;
    printf("   %-22s %9.3f %%  %.0f of %.0f used, %.0f time%s\n", name,
           100.0 * json_number(kind, "utilisation"),
           (double)cJSON_GetArraySize(member(kind, "each")), json_number(kind, "units"),
           json_number(kind, "uses"), plural(kind, "uses"));
}

static void print_device(const cJSON *device)
{
    const cJSON *each;
    const cJSON *slots = member(device, "slots");
    const cJSON *prefetch = member(device, "prefetch");
    printf(
        " device %.0f: %.0f task%s, %.0f swap-in%s, ring lines prefetched %.0f time%s, waited for "
        "%.0f time%s\n",
        json_number(device, "device"), json_number(device, "tasks"), plural(device, "tasks"),
        json_number(device, "swap_ins"), plural(device, "swap_ins"), json_number(prefetch, "hits"),
        plural(prefetch, "hits"), json_number(prefetch, "misses"), plural(prefetch, "misses"));
    print_waits("queues wait", member(device, "waits"));
    printf("  use            (part of the time)\n");
    printf("   %-22s %9.3f %%  %.3f in use on average, %.0f at most\n", "slots",
           100.0 * json_number(slots, "utilisation"), json_number(slots, "mean"),
           json_number(slots, "most"));
    cJSON_ArrayForEach(each, member(member(device, "classes"), "each"))
    {
        printf("   shares of %-12s %9.3f %%  %.3f in use on average, %.0f at most, of %.0f\n",
               json_text(each, "name"), 100.0 * json_number(each, "utilisation"),
               json_number(each, "mean"), json_number(each, "most"), json_number(each, "shares"));
    }
    print_units(device, "sdma", "SDMA channels");
    print_units(device, "pcie_dma", "PCIe DMA channels");
    print_units(device, "host_dma", "host DMA channels");
    print_units(device, "aic", "AI cores (AIC)");
    print_units(device, "aiv", "AI cores (AIV)");
    cJSON_ArrayForEach(each, member(member(device, "links"), "each"))
    {
        printf("   %-22s %9.3f %%  %.0f byte%s, at most %.1f GB/s\n", json_text(each, "name"),
               100.0 * json_number(each, "utilisation"), json_number(each, "bytes"),
               plural(each, "bytes"), json_number(each, "bytes_per_s") / 1e9);
    }
}

static void print_streams(const cJSON *streams)
{
    int shown = 0;
    const cJSON *stream;
    printf(" %-16s %8s %14s %14s %14s  longest wait in all\n", "stream", "tasks", "bytes",
           "in tasks us", "in slots us");
    cJSON_ArrayForEach(stream, streams)
    {
        if (json_number(stream, "tasks") <= 0)
            continue;
        if (shown++ >= STREAMS_SHOWN)
            continue;
        const cJSON *most = NULL;
        const cJSON *wait;
        cJSON_ArrayForEach(wait, member(stream, "waits"))
        {
            if (!most || json_number(wait, "total_ns") > json_number(most, "total_ns"))
                most = wait;
        }
        printf("  %2.0f on device %-3.0f %8.0f %14.0f %14.3f %14.3f", json_number(stream, "stream"),
               json_number(stream, "device"), json_number(stream, "tasks"),
               json_number(stream, "bytes"), json_number(stream, "task_ns") / 1e3,
               json_number(stream, "slot_ns") / 1e3);
        if (most)
            printf("  %s, %.3f us", most->string, json_number(most, "total_ns") / 1e3);
        fputc('\n', stdout);
    }
    if (shown > STREAMS_SHOWN)
        printf("  and %d more\n", shown - STREAMS_SHOWN);
}

int twin_tool_stats(const char *path)
{
    cJSON *document = json_file_read(path);
    if (!document || strcmp(json_text(document, "format"), "twinrt-stats") != 0 ||
        json_number(document, "version") != 1.0) {
        fprintf(stderr, "twinrt: %s: no counters of version 1\n", path);
        cJSON_Delete(document);
        return -1;
    }
    const cJSON *device;
    printf("Counters over %.3f us of device time\n", json_number(document, "span_ns") / 1e3);
    print_waits("threads wait", member(document, "host_waits"));
    cJSON_ArrayForEach(device, member(document, "devices"))
    {
        if (json_number(device, "tasks") > 0 || json_number(member(device, "links"), "uses") > 0)
            print_device(device);
    }
    print_streams(member(document, "streams"));
    cJSON_Delete(document);
    return 0;
}
