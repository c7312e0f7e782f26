/* SPDX-License-Identifier: Apache-2.0 */
#include "memory/memory_map.h"

#include <stdio.h>
#include <stdlib.h>

#include "device/device.h"
#include "memory/arena.h"
#include "memory/managed.h"
#include "memory/memory.h"
#include "memory/registered.h"
#include "memory/vmm_records.h"
#include "process/pool_hooks.h"
#include "process/site.h"
#include "process/text.h"
#include "vmm/physical.h"
#include "vmm/vmm.h"

#define NO_DEVICE    UINT32_MAX
#define OWNERS_NAMED 10u

/* Places of the program that count as owners; memory of further ones counts as of one. A power of
 * two. */
#define PLACES 4096u

/* ---- rows ----------------------------------------------------------------------------------- */

struct walk {
    sim_map_visit *visit;
    void *context;
    enum sim_map_kind kind;
    uint32_t device;
};

static void visit_block(void *context, const struct sim_block *block)
{
    const struct walk *walk = context;
    if (atomic_load_explicit(&block->hidden, memory_order_relaxed))
        return; /* a row of physical memory */
    const struct sim_map_row row = {.kind = walk->kind,
                                    .device = walk->device,
                                    .page_bytes = block->page_bytes,
                                    .address = block->base,
                                    .bytes = block->bytes,
                                    .room = block->room,
                                    .number = block->serial,
                                    .owner = block->owner};
    walk->visit(walk->context, &row);
}

static void each_of_device(twin_hw_device *device, sim_map_visit *visit, void *context)
{
    struct walk walk = {visit, context, SIM_MAP_DEVICE, device->index};
    sim_arena_each(&device->memory, visit_block, &walk);
}

static void each_of_host(sim_map_visit *visit, void *context)
{
    struct walk walk = {visit, context, SIM_MAP_PAGE_LOCKED, NO_DEVICE};
    sim_arena_each(sim_memory_host_arena(), visit_block, &walk);
}

static void visit_physical(void *context, const struct sim_physical *memory)
{
    const struct walk *walk = context;
    const struct sim_map_row row = {.kind = memory->foreign ? SIM_MAP_IMPORTED : SIM_MAP_PHYSICAL,
                                    .device = memory->user,
                                    .page_bytes = (uint32_t)memory->granule,
                                    .address = memory->mappings ? memory->mappings->base : 0,
                                    .bytes = memory->config.memory.bytes,
                                    .room = memory->room,
                                    .number = memory->serial,
                                    .detail = memory->origin.process,
                                    .owner = memory->owner};
    walk->visit(walk->context, &row);
}

/* A part of an allocation that another process has exported is placed in a reservation for it. */
static void visit_reservation(const struct walk *walk, const struct sim_reservation *one)
{
    const struct sim_mapping *first = sim_mapping_at(one->base);
    if (first && first->foreign) {
        visit_physical((void *)walk, first->memory);
        return;
    }
    const struct sim_map_row row = {.kind = SIM_MAP_RESERVED,
                                    .device = NO_DEVICE,
                                    .address = one->base,
                                    .bytes = one->bytes,
                                    .room = one->bytes,
                                    .number = one->serial,
                                    .detail = one->mappings,
                                    .owner = one->owner};
    walk->visit(walk->context, &row);
}

static void each_mapped(sim_map_visit *visit, void *context)
{
    struct walk walk = {.visit = visit, .context = context};
    sim_vmm_take_lock();
    sim_physical_each(visit_physical, &walk);
    for (uint32_t number = 1; number <= sim_reservations.used; number++) {
        const struct sim_reservation *one = sim_record_at(&sim_reservations, number);
        if (one->base != 0)
            visit_reservation(&walk, one);
    }
    sim_vmm_drop_lock();
}

/* ---- text ----------------------------------------------------------------------------------- */

static void add_pages(struct text *text, uint32_t bytes)
{
    if (bytes >= SIM_GIANT_PAGE)
        sim_text_add(text, ", pages of 1 GiB");
    else if (bytes >= SIM_HUGE_PAGE)
        sim_text_add(text, ", pages of %u MiB", bytes >> 20);
    else if (bytes != 0)
        sim_text_add(text, ", pages of %u KiB", bytes >> 10);
}

static void add_kind(struct text *text, const struct sim_map_row *row)
{
    const unsigned long long detail = row->detail;
    switch (row->kind) {
    case SIM_MAP_PHYSICAL:
        sim_text_add(text, " (physical memory %llu%s)", (unsigned long long)row->number,
                     row->address == 0 ? ", not mapped" : "");
        break;
    case SIM_MAP_REGISTERED:
        if (detail != 0)
            sim_text_add(text, " (registered, 0x%llx for device %u)", detail, row->device);
        else
            sim_text_add(text, " (registered with device %u)", row->device);
        break;
    case SIM_MAP_MANAGED:
        sim_text_add(text, " (managed, device %u)", row->device);
        break;
    case SIM_MAP_IMPORTED:
        sim_text_add(text, " (imported from process %llu)", detail);
        break;
    case SIM_MAP_RESERVED:
        sim_text_add(text, " (reserved, %llu mapping%s)", detail, detail == 1 ? "" : "s");
        break;
    default:
        if (row->owner.what)
            sim_text_add(text, " (%s)", row->owner.what);
    }
}

/* Adds ", pages of 4 KiB, APP, allocated by aclrtMalloc, called at program+0x1234". */
static void add_owner(struct text *text, const struct sim_map_row *row)
{
    static const char *const verbs[SIM_MAP_KINDS] = {
        [SIM_MAP_DEVICE] = "allocated",      [SIM_MAP_PHYSICAL] = "allocated",
        [SIM_MAP_PAGE_LOCKED] = "allocated", [SIM_MAP_REGISTERED] = "registered",
        [SIM_MAP_MANAGED] = "allocated",     [SIM_MAP_IMPORTED] = "imported",
        [SIM_MAP_RESERVED] = "reserved"};
    const struct sim_owner *owner = &row->owner;
    char name[128];
    uintptr_t offset;
    sim_module_name(owner->module, name, sizeof(name));
    add_pages(text, row->page_bytes);
    sim_text_add(text, ", %s", name);
    add_kind(text, row);
    if (owner->stream != SIM_NO_STREAM)
        sim_text_add(text, ", stream %u", owner->stream);
    if (owner->call)
        sim_text_add(text, ", %s by %s", verbs[row->kind], owner->call);
    sim_site_text(owner->site, name, sizeof(name), &offset);
    if (owner->call && name[0] != '\0')
        sim_text_add(text, ", called at %s", name);
}

/* ---- the largest owners ---------------------------------------------------------------------- */

/* What one place of the program has. */
struct place {
    uint64_t bytes;
    uint64_t count; /* 0: the entry is free */
    struct sim_map_row largest;
};

struct survey {
    struct place places[PLACES + 1]; /* a hash table; the last is for all that it has no room for */
    uint32_t used;
    uint32_t kinds;  /* bit per kind that counts */
    uint32_t device; /* whose memory counts; NO_DEVICE: physical memory of the host */
    uint64_t bytes;  /* of all rows that count */
};

static struct place *place_of(struct survey *survey, const struct sim_map_row *row)
{
    const struct sim_owner *owner = &row->owner;
    const uint64_t mixed = ((uint64_t)(uintptr_t)owner->site + (uintptr_t)owner->what +
                            (uintptr_t)owner->call + owner->module + row->kind) *
                           UINT64_C(0x9e3779b97f4a7c15);
    for (uint32_t i = 0; i < PLACES; i++) {
        struct place *place = &survey->places[((mixed >> 32) + i) & (PLACES - 1)];
        const struct sim_owner *other = &place->largest.owner;
        if (place->count == 0) {
            if (survey->used >= PLACES / 2)
                break;
            survey->used++;
            return place;
        }
        if (place->largest.kind == row->kind && other->site == owner->site &&
            other->what == owner->what && other->call == owner->call &&
            other->module == owner->module)
            return place;
    }
    return &survey->places[PLACES];
}

static void count_row(void *context, const struct sim_map_row *row)
{
    struct survey *survey = context;
    if ((survey->kinds >> row->kind & 1) == 0 ||
        (row->kind <= SIM_MAP_PHYSICAL && row->device != survey->device))
        return;
    struct place *place = place_of(survey, row);
    const bool one_stream = place->count == 0 || place->largest.owner.stream == row->owner.stream;
    survey->bytes += row->room;
    place->bytes += row->room;
    if (place->count++ == 0 || row->room > place->largest.room)
        place->largest = *row;
    if (!one_stream)
        place->largest.owner.stream = SIM_NO_STREAM;
}

/* Addresses without memory come last. */
static bool is_larger(const struct place *a, const struct place *b)
{
    const bool reserved = a->largest.kind == SIM_MAP_RESERVED;
    if (reserved != (b->largest.kind == SIM_MAP_RESERVED))
        return !reserved;
    if (a->bytes != b->bytes)
        return a->bytes > b->bytes;
    return a->largest.address < b->largest.address;
}

static void add_place(struct text *text, const struct place *place, bool others)
{
    const struct sim_map_row *row = &place->largest;
    if (row->address != 0)
        sim_text_add(text, "\n    0x%llx: ", (unsigned long long)row->address);
    else
        sim_text_add(text, "\n    no address: ");
    sim_text_add(text, "%llu bytes", (unsigned long long)place->bytes);
    if (place->count > 1)
        sim_text_add(text, " in %llu %s of up to %llu", (unsigned long long)place->count,
                     row->kind == SIM_MAP_RESERVED ? "reservations" : "allocations",
                     (unsigned long long)row->room);
    if (others)
        sim_text_add(text, ", of other places");
    else
        add_owner(text, row);
}

static void add_largest(struct text *text, struct survey *survey)
{
    for (unsigned named = 0; named < OWNERS_NAMED; named++) {
        struct place *best = NULL;
        for (uint32_t i = 0; i <= PLACES; i++) {
            struct place *place = &survey->places[i];
            if (place->count > 0 && (!best || is_larger(place, best)))
                best = place;
        }
        if (!best)
            return;
        add_place(text, best, best == &survey->places[PLACES]);
        best->count = 0;
    }
}

/* NULL: the host is out of memory. */
static struct survey *new_survey(uint32_t kinds, uint32_t device)
{
    struct survey *survey = calloc(1, sizeof(*survey));
    if (survey) {
        survey->kinds = kinds;
        survey->device = device;
    }
    return survey;
}

void sim_text_add_device_owners(struct text *text, uint32_t device)
{
    twin_hw_device *of = atomic_load_explicit(&sim_process.devices[device], memory_order_relaxed);
    struct survey *survey =
        of ? new_survey(1u << SIM_MAP_DEVICE | 1u << SIM_MAP_PHYSICAL, device) : NULL;
    if (!survey)
        return;
    uint64_t left = 0;
    uint64_t total = 0;
    each_of_device(of, count_row, survey);
    each_mapped(count_row, survey);
    sim_arena_space(&of->memory, 0, &left, &total);
    const uint64_t found = survey->bytes;
    add_largest(text, survey);
    if (sim_pool_exists() && total - left > found)
        sim_text_add(text, "\n    %llu bytes were freed and are kept by memory pools",
                     (unsigned long long)(total - left - found));
    free(survey);
}

void sim_text_add_host_owners(struct text *text)
{
    struct survey *survey = new_survey(1u << SIM_MAP_PAGE_LOCKED, NO_DEVICE);
    if (!survey)
        return;
    each_of_host(count_row, survey);
    add_largest(text, survey);
    free(survey);
}

/* Whether any of it is allocated; adds the line above the owners. */
static bool add_head(struct text *text, struct sim_arena *arena, const char *what)
{
    uint64_t left = 0;
    uint64_t total = 0;
    sim_arena_space(arena, 0, &left, &total);
    if (left != total)
        sim_text_add(text, "\n  %s: %llu of %llu bytes are allocated; the largest owners:", what,
                     (unsigned long long)(total - left), (unsigned long long)total);
    return left != total;
}

/* What is in no arena. */
static void add_others(struct text *text)
{
    struct survey *survey =
        new_survey(1u << SIM_MAP_REGISTERED | 1u << SIM_MAP_MANAGED | 1u << SIM_MAP_IMPORTED |
                       1u << SIM_MAP_RESERVED | 1u << SIM_MAP_PHYSICAL,
                   NO_DEVICE);
    if (!survey)
        return;
    sim_registered_each(count_row, survey);
    sim_managed_each(count_row, survey);
    each_mapped(count_row, survey);
    if (survey->used != 0)
        sim_text_add(text, "\n  other memory, and reserved addresses:");
    add_largest(text, survey);
    free(survey);
}

void sim_text_add_memory(struct text *text)
{
    for (uint32_t i = 0; i < sim_process.device_count; i++) {
        twin_hw_device *device =
            atomic_load_explicit(&sim_process.devices[i], memory_order_relaxed);
        char what[32];
        (void)snprintf(what, sizeof(what), "memory of device %u", i);
        if (device && add_head(text, &device->memory, what))
            sim_text_add_device_owners(text, i);
    }
    if (add_head(text, sim_memory_host_arena(), "page-locked memory"))
        sim_text_add_host_owners(text);
    add_others(text);
}

/* ---- what is left ---------------------------------------------------------------------------- */

struct left {
    uint32_t device;
    const char *what; /* of the kind that is reported */
    enum sim_map_kind kind;
    unsigned count;
};

static void report_row(void *context, const struct sim_map_row *row)
{
    struct left *left = context;
    if (row->kind != left->kind || row->device != left->device || ++left->count > SIM_LINES_NAMED)
        return;
    char buffer[512] = "";
    struct text text = {.buffer = buffer, .room = sizeof(buffer)};
    const bool with_padding = row->kind == SIM_MAP_DEVICE || row->kind == SIM_MAP_PAGE_LOCKED;
    if (with_padding)
        sim_text_add(&text, "allocation %llu, %llu bytes with padding",
                     (unsigned long long)row->number, (unsigned long long)row->bytes);
    else
        sim_text_add(&text, "%llu bytes", (unsigned long long)row->bytes);
    if (row->address != 0)
        sim_text_add(&text, "%s at 0x%llx", with_padding ? "," : "",
                     (unsigned long long)row->address);
    add_owner(&text, row);
    sim_log(2, "%s: %s", left->what, buffer);
}

static void report_count(const struct left *left)
{
    if (left->count > SIM_LINES_NAMED)
        sim_log(2, "%s: %u allocations in all; the first %u are listed above", left->what,
                left->count, SIM_LINES_NAMED);
}

void sim_map_report_device(uint32_t device)
{
    static const char *const whats[SIM_MAP_KINDS] = {
        [SIM_MAP_DEVICE] = "memory was not freed",
        [SIM_MAP_PHYSICAL] = "physical memory was not freed",
        [SIM_MAP_REGISTERED] = "host memory was not unregistered",
        [SIM_MAP_MANAGED] = "managed memory was not freed",
        [SIM_MAP_IMPORTED] = "memory of another process was not closed"};
    twin_hw_device *of = atomic_load_explicit(&sim_process.devices[device], memory_order_relaxed);
    for (unsigned kind = 0; of && kind < SIM_MAP_KINDS; kind++) {
        char what[96];
        struct left left = {.device = device, .what = what, .kind = (enum sim_map_kind)kind};
        if (!whats[kind])
            continue;
        (void)snprintf(what, sizeof(what), "device %u: %s", device, whats[kind]);
        each_of_device(of, report_row, &left);
        sim_registered_each(report_row, &left);
        sim_managed_each(report_row, &left);
        each_mapped(report_row, &left);
        report_count(&left);
    }
}

void sim_map_report_host(void)
{
    struct left left = {.device = NO_DEVICE,
                        .what = "page-locked host memory was not freed",
                        .kind = SIM_MAP_PAGE_LOCKED};
    each_of_host(report_row, &left);
    report_count(&left);
}
