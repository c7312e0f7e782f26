/* SPDX-License-Identifier: Apache-2.0 */
/* What `twinrt run --stats` prints of a file of counters. */
#include "tool.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#define STREAMS_SHOWN 16
#define BYTES_MOST    ((size_t)1 << 30)

static double number(const cJSON *object, const char *key)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);
    return cJSON_IsNumber(item) ? item->valuedouble : 0.0;
}

static const char *text(const cJSON *object, const char *key)
{
    const char *found = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, key));
    return found ? found : "";
}

static const cJSON *member(const cJSON *object, const char *key)
{
    return cJSON_GetObjectItemCaseSensitive(object, key);
}

static void print_waits(const char *title, const cJSON *waits)
{
    const cJSON *wait;
    bool any = false;
    cJSON_ArrayForEach(wait, waits)
    {
        if (number(wait, "count") <= 0)
            continue;
        if (!any)
            printf("  %-14s %10s %14s %12s %12s %12s %12s\n", title, "count", "total us", "median",
                   "p90", "p99", "longest");
        any = true;
        printf("   %-13s %10.0f %14.3f %12.3f %12.3f %12.3f %12.3f\n", wait->string,
               number(wait, "count"), number(wait, "total_ns") / 1e3, number(wait, "p50_ns") / 1e3,
               number(wait, "p90_ns") / 1e3, number(wait, "p99_ns") / 1e3,
               number(wait, "max_ns") / 1e3);
    }
    if (!any)
        printf("  %s: none\n", title);
}

static void print_units(const cJSON *device, const char *key, const char *name)
{
    const cJSON *kind = member(device, key);
    if (number(kind, "uses") <= 0)
        return;
    printf("   %-22s %9.3f %%  %.0f of %.0f used, %.0f times\n", name,
           100.0 * number(kind, "utilisation"), (double)cJSON_GetArraySize(member(kind, "each")),
           number(kind, "units"), number(kind, "uses"));
}

static void print_device(const cJSON *device)
{
    const cJSON *each;
    const cJSON *slots = member(device, "slots");
    const cJSON *prefetch = member(device, "prefetch");
    printf(" device %.0f: %.0f tasks, %.0f swap-ins, ring lines prefetched %.0f times, waited for "
           "%.0f times\n",
           number(device, "device"), number(device, "tasks"), number(device, "swap_ins"),
           number(prefetch, "hits"), number(prefetch, "misses"));
    print_waits("queues wait", member(device, "waits"));
    printf("  use            (part of the time)\n");
    printf("   %-22s %9.3f %%  %.3f in use on average, %.0f at most\n", "slots",
           100.0 * number(slots, "utilisation"), number(slots, "mean"), number(slots, "most"));
    cJSON_ArrayForEach(each, member(member(device, "classes"), "each"))
    {
        printf("   shares of %-12s %9.3f %%  %.3f in use on average, %.0f at most, of %.0f\n",
               text(each, "name"), 100.0 * number(each, "utilisation"), number(each, "mean"),
               number(each, "most"), number(each, "shares"));
    }
    print_units(device, "sdma", "SDMA channels");
    print_units(device, "pcie_dma", "PCIe DMA channels");
    print_units(device, "host_dma", "host DMA channels");
    print_units(device, "aic", "AI cores (AIC)");
    print_units(device, "aiv", "AI cores (AIV)");
    cJSON_ArrayForEach(each, member(member(device, "links"), "each"))
    {
        printf("   %-22s %9.3f %%  %.0f bytes, at most %.1f GB/s\n", text(each, "name"),
               100.0 * number(each, "utilisation"), number(each, "bytes"),
               number(each, "bytes_per_s") / 1e9);
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
        if (number(stream, "tasks") <= 0)
            continue;
        if (shown++ >= STREAMS_SHOWN)
            continue;
        const cJSON *most = NULL;
        const cJSON *wait;
        cJSON_ArrayForEach(wait, member(stream, "waits"))
        {
            if (!most || number(wait, "total_ns") > number(most, "total_ns"))
                most = wait;
        }
        printf("  %2.0f on device %-3.0f %8.0f %14.0f %14.3f %14.3f", number(stream, "stream"),
               number(stream, "device"), number(stream, "tasks"), number(stream, "bytes"),
               number(stream, "task_ns") / 1e3, number(stream, "slot_ns") / 1e3);
        if (most)
            printf("  %s, %.3f us", most->string, number(most, "total_ns") / 1e3);
        fputc('\n', stdout);
    }
    if (shown > STREAMS_SHOWN)
        printf("  and %d more\n", shown - STREAMS_SHOWN);
}

static char *read_all(const char *path)
{
    FILE *file = fopen(path, "re");
    char *all = NULL;
    size_t bytes = 0;
    size_t room = 0;
    while (file && bytes == room && room < BYTES_MOST) {
        room = room ? room * 2 : 1 << 16;
        char *larger = realloc(all, room + 1);
        if (!larger)
            break;
        all = larger;
        bytes += fread(all + bytes, 1, room - bytes, file);
    }
    if (file)
        (void)fclose(file);
    if (all)
        all[bytes] = '\0';
    return all;
}

int twin_tool_stats(const char *path)
{
    char *all = read_all(path);
    cJSON *document = all ? cJSON_Parse(all) : NULL;
    free(all);
    if (!document || strcmp(text(document, "format"), "twinrt-stats") != 0 ||
        number(document, "version") != 1.0) {
        fprintf(stderr, "twinrt: %s: no counters of version 1\n", path);
        cJSON_Delete(document);
        return -1;
    }
    const cJSON *device;
    printf("Counters over %.3f us of device time\n", number(document, "span_ns") / 1e3);
    print_waits("threads wait", member(document, "host_waits"));
    cJSON_ArrayForEach(device, member(document, "devices"))
    {
        if (number(device, "tasks") > 0 || number(member(device, "links"), "uses") > 0)
            print_device(device);
    }
    print_streams(member(document, "streams"));
    cJSON_Delete(document);
    return 0;
}
