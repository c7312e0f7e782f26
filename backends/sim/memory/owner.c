/* SPDX-License-Identifier: Apache-2.0 */
#include "memory/owner.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memory/arena.h"
#include "process/site.h"
#include "process/text.h"
#include "wait/clock.h"

/* Places of the program that count as owners; memory of further ones counts as of one. A power of
 * two. */
#define PLACES 4096u

void sim_owner_take(struct sim_owner *owner, const twin_allocation *allocation)
{
    const twin_call_place *place = sim_clock.place;
    const bool known = place && place->call;
    *owner = (struct sim_owner){.module = allocation->module < TWIN_MODULES ? allocation->module
                                                                            : TWIN_MODULE_APP,
                                .thread = sim_clock.system_id,
                                .what = allocation->what,
                                .call = known ? place->call->name : NULL,
                                .site = known ? place->site : NULL};
}

/* Modules of the vendor's software, by number; those without a name are in no public header. */
static const char *const module_names[] = {
    [0] = "SLOG",
    [1] = "IDEDD",
    [2] = "SCC",
    [3] = "HCCL",
    [4] = "FMK",
    [5] = "CCU",
    [6] = "DVPP",
    [7] = "RUNTIME",
    [8] = "CCE",
    [9] = "HDC",
    [10] = "DRV",
    [11] = "NET",
    [12] = "HIXL",
    [22] = "DEVMM",
    [23] = "KERNEL",
    [24] = "LIBMEDIA",
    [25] = "CCECPU",
    [27] = "ROS",
    [28] = "HCCP",
    [29] = "ROCE",
    [30] = "TEFUSION",
    [31] = "PROFILING",
    [32] = "DP",
    [33] = "APP",
    [34] = "TS",
    [35] = "TSDUMP",
    [36] = "AICPU",
    [37] = "LP",
    [38] = "TDT",
    [39] = "FE",
    [40] = "MD",
    [41] = "MB",
    [42] = "ME",
    [43] = "IMU",
    [44] = "IMP",
    [45] = "GE",
    [47] = "CAMERA",
    [48] = "ASCENDCL",
    [49] = "TEEOS",
    [50] = "ISP",
    [51] = "SIS",
    [52] = "HSM",
    [53] = "DSS",
    [54] = "PROCMGR",
    [55] = "BBOX",
    [56] = "AIVECTOR",
    [57] = "TBE",
    [58] = "FV",
    [59] = "PYPTO",
    [60] = "TUNE",
    [61] = "HSS",
    [62] = "FFTS",
    [63] = "OP",
    [64] = "UDF",
    [65] = "HICAID",
    [66] = "TSYNC",
    [67] = "AUDIO",
    [68] = "TPRT",
    [69] = "ASCENDCKERNEL",
    [70] = "ASYS",
    [71] = "ATRACE",
    [72] = "RTC",
    [73] = "SYSMONITOR",
    [74] = "AML",
    [75] = "ADETECT",
};

void sim_module_name(uint32_t module, char *name, size_t bytes)
{
    const char *known =
        module < sizeof(module_names) / sizeof(module_names[0]) ? module_names[module] : NULL;
    if (known)
        (void)snprintf(name, bytes, "%s", known);
    else
        (void)snprintf(name, bytes, "module %u", module);
}

void sim_text_add_owner(struct text *text, const struct sim_owner *owner, uint32_t page_bytes)
{
    char name[32];
    sim_module_name(owner->module, name, sizeof(name));
    const bool small = page_bytes < SIM_HUGE_PAGE;
    const bool giant = page_bytes >= SIM_GIANT_PAGE;
    sim_text_add(text, ", pages of %u %s, %s",
                 giant   ? 1
                 : small ? page_bytes >> 10
                         : page_bytes >> 20,
                 giant   ? "GiB"
                 : small ? "KiB"
                         : "MiB",
                 name);
    if (owner->what)
        sim_text_add(text, " (%s)", owner->what);
    if (!owner->call)
        return;
    sim_text_add(text, ", allocated by %s", owner->call);
    char place[128];
    uintptr_t offset;
    sim_site_text(owner->site, place, sizeof(place), &offset);
    if (place[0] != '\0')
        sim_text_add(text, ", called at %s", place);
}

/* What one place of the program has allocated. */
struct place {
    uint64_t bytes;
    uint64_t count; /* 0: the entry is free */
    uint64_t largest, largest_base;
    uint32_t page_bytes;
    struct sim_owner owner;
};

struct survey {
    struct place places[PLACES + 1]; /* a hash table; the last is for all that it has no room for */
    uint32_t used;
};

static struct place *place_of(struct survey *survey, const struct sim_block *block)
{
    const struct sim_owner *owner = &block->owner;
    const uint64_t mixed = ((uint64_t)(uintptr_t)owner->site + (uintptr_t)owner->what +
                            (uintptr_t)owner->call + owner->module) *
                           UINT64_C(0x9e3779b97f4a7c15);
    for (uint32_t i = 0; i < PLACES; i++) {
        struct place *place = &survey->places[((mixed >> 32) + i) & (PLACES - 1)];
        if (place->count == 0) {
            if (survey->used >= PLACES / 2)
                break;
            survey->used++;
            place->owner = *owner;
            return place;
        }
        if (place->owner.site == owner->site && place->owner.what == owner->what &&
            place->owner.call == owner->call && place->owner.module == owner->module)
            return place;
    }
    return &survey->places[PLACES];
}

static void count_block(void *context, const struct sim_block *block)
{
    struct place *place = place_of(context, block);
    place->count++;
    place->bytes += block->room;
    if (block->room <= place->largest)
        return;
    place->largest = block->room;
    place->largest_base = block->base;
    place->page_bytes = block->page_bytes;
}

static struct place *largest_of(struct survey *survey)
{
    struct place *best = NULL;
    for (uint32_t i = 0; i <= PLACES; i++) {
        struct place *place = &survey->places[i];
        if (place->count > 0 &&
            (!best || place->bytes > best->bytes ||
             (place->bytes == best->bytes && place->largest_base < best->largest_base)))
            best = place;
    }
    return best;
}

void sim_text_add_owners(struct text *text, struct sim_arena *arena)
{
    struct survey *survey = calloc(1, sizeof(*survey));
    if (!survey)
        return;
    sim_arena_each(arena, count_block, survey);
    struct place *place;
    for (unsigned i = 0; i < SIM_OWNERS_NAMED && (place = largest_of(survey)); i++) {
        sim_text_add(text, "\n    0x%llx: %llu bytes", (unsigned long long)place->largest_base,
                     (unsigned long long)place->bytes);
        if (place->count > 1)
            sim_text_add(text, " in %llu allocations of up to %llu",
                         (unsigned long long)place->count, (unsigned long long)place->largest);
        if (place == &survey->places[PLACES])
            sim_text_add(text, ", of other places");
        else
            sim_text_add_owner(text, &place->owner, place->page_bytes);
        place->count = 0;
    }
    free(survey);
}
