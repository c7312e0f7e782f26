/* SPDX-License-Identifier: Apache-2.0 */
/* Random memory: threads allocate, map, copy, fill and free all kinds of memory of one device, and
 * a plain copy of every byte says what each read must find.
 *
 *   random_memory [--seed=N] [--calls=N] [--threads=N]
 *
 * --calls: steps of all threads together. Each thread has its own memory, reservation, pool and
 * stream; the device, its capacity and the map of addresses are shared. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "acl/acl.h"
#include "acl/acl_rt_memory_soma.h"
#include "fault/random_support.h"

enum {
    BODIES = 24, /* pieces of memory of a thread */
    SLOTS = 12,  /* of a reservation, a granule each */
    SMALL_BYTES = 192 << 10,
    RANGE_BYTES = 96 << 10,
    SECONDS = 1800
};
#define GRANULE    ((size_t)2 << 20)
#define POOL_BYTES ((size_t)32 << 20)

enum kind { NOTHING, DEVICE, PINNED, PAGEABLE, REGISTERED, MANAGED, POOLED, PHYSICAL, KINDS };

/* One piece of memory and what it must contain. */
struct body {
    enum kind kind;
    unsigned char *shadow;
    size_t bytes;
    char *address; /* but of PHYSICAL */
    aclrtDrvMemHandle handle;
    uint32_t mappings;
    bool released; /* its handle is; its mappings keep it */
};

struct worker {
    random_state random;
    uint32_t index;
    uint64_t calls;
    struct body bodies[BODIES];
    char *reservation;
    struct body *slots[SLOTS]; /* what is mapped there, in each granule of it */
    uint32_t slot_part[SLOTS]; /* which granule of it */
    aclrtStream stream;
    aclrtMemPool pool;
    bool pending; /* tasks of the stream may not be done */
    unsigned char *scratch;
    unsigned char *expected;
};

/* Bytes at consecutive addresses, which can be of several bodies. */
struct range {
    char *address;
    size_t bytes;
    struct part {
        struct body *body;
        size_t at, bytes;
    } parts[3];
    uint32_t count;
};

static aclrtContext context;

static uint32_t below(struct worker *w, uint32_t limit)
{
    return random_below(&w->random, limit);
}

static bool good(struct worker *w, const char *call, aclError code)
{
    random_at(w->index, call, ++w->calls);
    if (code == ACL_SUCCESS)
        return true;
    random_failure("%s answers %d: %s", call, (int)code, aclGetRecentErrMsg());
    return false;
}
#define GOOD(w, call) good(w, #call, call)

static void settle(struct worker *w)
{
    if (w->pending)
        GOOD(w, aclrtSynchronizeStream(w->stream));
    w->pending = false;
}

/* ---- bodies ---------------------------------------------------------------------------------- */

static struct body *find_body(struct worker *w, bool wanted)
{
    const uint32_t first = below(w, BODIES);
    for (uint32_t i = 0; i < BODIES; i++) {
        struct body *body = &w->bodies[(first + i) % BODIES];
        if ((body->kind != NOTHING) == wanted)
            return body;
    }
    return NULL;
}

static aclrtPhysicalMemProp physical(void)
{
    return (aclrtPhysicalMemProp){.handleType = ACL_MEM_HANDLE_TYPE_NONE,
                                  .allocationType = ACL_MEM_ALLOCATION_TYPE_PINNED,
                                  .memAttr = ACL_HBM_MEM_HUGE,
                                  .location = {.id = 0, .type = ACL_MEM_LOCATION_TYPE_DEVICE}};
}

static bool take_memory(struct worker *w, struct body *body, enum kind kind)
{
    void *address = NULL;
    const aclrtPhysicalMemProp prop = physical();
    bool taken = false;
    switch (kind) {
    case DEVICE:
        taken = below(w, 2) == 0
                    ? GOOD(w, aclrtMalloc(&address, body->bytes, (aclrtMemMallocPolicy)below(w, 3)))
                    : GOOD(w, aclrtMallocWithCfg(&address, body->bytes, ACL_MEM_MALLOC_HUGE_FIRST,
                                                 NULL));
        break;
    case PINNED:
        taken = GOOD(w, aclrtMallocHost(&address, body->bytes));
        break;
    case PAGEABLE:
    case REGISTERED:
        address = aligned_alloc(4096, (body->bytes + 4095) / 4096 * 4096);
        taken = address != NULL;
        if (taken && kind == REGISTERED)
            taken = GOOD(w, aclrtHostRegisterV2(address, body->bytes,
                                                ACL_HOST_REG_MAPPED | ACL_HOST_REG_PINNED));
        break;
    case MANAGED:
        taken = GOOD(w, aclrtMemAllocManaged(&address, body->bytes, 1));
        break;
    case POOLED:
        taken = GOOD(w, aclrtMemPoolMallocAsync(&address, body->bytes, w->pool, w->stream));
        break;
    default:
        body->bytes = GRANULE * (1 + below(w, 2));
        taken = GOOD(w, aclrtMallocPhysical(&body->handle, body->bytes, &prop, 0));
        break;
    }
    body->address = address;
    return taken;
}

/* Unlike the last owner's bytes, whatever those were. */
static void fill_all(struct worker *w, struct body *body)
{
    memset(body->shadow, (int)below(w, 256), body->bytes);
    if (body->kind == PHYSICAL)
        return; /* when it is mapped */
    GOOD(w, aclrtMemset(body->address, body->bytes, body->shadow[0], body->bytes));
}

static void make(struct worker *w)
{
    struct body *body = find_body(w, false);
    if (!body)
        return;
    const enum kind kind = (enum kind)(1 + below(w, KINDS - 1));
    *body = (struct body){.bytes = 1 + below(w, below(w, 4) == 0 ? SMALL_BYTES : 6000)};
    if (!take_memory(w, body, kind))
        return;
    body->kind = kind;
    body->shadow = malloc(body->bytes);
    if (!body->shadow)
        abort();
    settle(w); /* memory of a pool is there in the order of the stream */
    fill_all(w, body);
}

static void release_body(struct worker *w, struct body *body)
{
    settle(w);
    switch (body->kind) {
    case DEVICE:
    case MANAGED:
        GOOD(w, aclrtFree(body->address));
        break;
    case PINNED:
        GOOD(w, aclrtFreeHost(body->address));
        break;
    case REGISTERED:
        GOOD(w, aclrtHostUnregister(body->address));
        free(body->address);
        break;
    case PAGEABLE:
        free(body->address);
        break;
    case POOLED:
        GOOD(w, aclrtMemPoolFreeAsync(body->address, w->stream));
        break;
    default:
        if (!body->released)
            GOOD(w, aclrtFreePhysical(body->handle));
        body->released = true;
        if (body->mappings != 0)
            return;
        break;
    }
    free(body->shadow);
    *body = (struct body){0};
}

static void release(struct worker *w)
{
    struct body *body = find_body(w, true);
    if (body)
        release_body(w, body);
}

/* ---- mappings -------------------------------------------------------------------------------- */

static void map(struct worker *w)
{
    struct body *body = find_body(w, true);
    if (!body || body->kind != PHYSICAL || body->released)
        return;
    const uint32_t parts = (uint32_t)(body->bytes / GRANULE);
    const uint32_t slot = below(w, SLOTS + 1 - parts);
    for (uint32_t i = 0; i < parts; i++)
        if (w->slots[slot + i])
            return;
    char *address = w->reservation + slot * GRANULE;
    if (!GOOD(w, aclrtMapMem(address, body->bytes, 0, body->handle, 0)))
        return;
    for (uint32_t i = 0; i < parts; i++) {
        w->slots[slot + i] = body;
        w->slot_part[slot + i] = i;
    }
    if (body->mappings++ == 0)
        GOOD(w, aclrtMemcpy(address, body->bytes, body->shadow, body->bytes, ACL_MEMCPY_DEFAULT));
}

static void unmap_slot(struct worker *w, uint32_t slot)
{
    struct body *body = w->slots[slot];
    const uint32_t first = slot - w->slot_part[slot];
    settle(w);
    if (!GOOD(w, aclrtUnmapMem(w->reservation + first * GRANULE)))
        return;
    for (uint32_t i = 0; i < body->bytes / GRANULE; i++)
        w->slots[first + i] = NULL;
    body->mappings--;
    if (body->mappings == 0 && body->released) {
        free(body->shadow);
        *body = (struct body){0};
    }
}

static void unmap(struct worker *w)
{
    const uint32_t slot = below(w, SLOTS);
    if (w->slots[slot])
        unmap_slot(w, slot);
}

/* The handle of a mapping, once more. */
static void retain(struct worker *w)
{
    const uint32_t slot = below(w, SLOTS);
    aclrtDrvMemHandle handle = NULL;
    const struct body *body = w->slots[slot];
    if (!body)
        return;
    char *address = w->reservation + (slot - w->slot_part[slot]) * GRANULE;
    if (!GOOD(w, aclrtMemRetainAllocationHandle(address, &handle)))
        return;
    if (!body->released && handle != body->handle)
        random_failure("the handle of %p is %p, mapped was %p", (void *)address, handle,
                       body->handle);
    GOOD(w, aclrtFreePhysical(handle));
}

/* ---- ranges ---------------------------------------------------------------------------------- */

static bool range_of_slots(struct worker *w, struct range *out)
{
    const uint32_t slot = below(w, SLOTS);
    if (!w->slots[slot])
        return false;
    /* Often near the end of a granule, so that the range goes into the next one. */
    size_t at = below(w, 2) == 0 ? below(w, GRANULE) : GRANULE - 1 - below(w, RANGE_BYTES);
    size_t left = 1 + below(w, RANGE_BYTES);
    *out = (struct range){.address = w->reservation + slot * GRANULE + at};
    for (uint32_t s = slot; s < SLOTS && w->slots[s] && left > 0; s++) {
        const size_t here = GRANULE - at < left ? GRANULE - at : left;
        out->parts[out->count++] = (struct part){w->slots[s], w->slot_part[s] * GRANULE + at, here};
        out->bytes += here;
        left -= here;
        at = 0;
    }
    return true;
}

static bool any_range(struct worker *w, struct range *out)
{
    if (below(w, 3) == 0)
        return range_of_slots(w, out);
    struct body *body = find_body(w, true);
    if (!body || body->kind == PHYSICAL)
        return false;
    const size_t at = below(w, (uint32_t)body->bytes);
    const size_t most = body->bytes - at < RANGE_BYTES ? body->bytes - at : RANGE_BYTES;
    const size_t bytes = 1 + below(w, (uint32_t)most);
    *out = (struct range){
        .address = body->address + at, .bytes = bytes, .parts = {{body, at, bytes}}, .count = 1};
    return true;
}

static void shorten(struct range *range, size_t bytes)
{
    range->bytes = bytes;
    for (uint32_t i = 0; i < range->count; i++) {
        struct part *part = &range->parts[i];
        part->bytes = part->bytes < bytes ? part->bytes : bytes;
        bytes -= part->bytes;
    }
}

static void shadow_read(const struct range *range, unsigned char *out)
{
    for (uint32_t i = 0; i < range->count; i++) {
        const struct part *part = &range->parts[i];
        memcpy(out, part->body->shadow + part->at, part->bytes);
        out += part->bytes;
    }
}

static void shadow_write(const struct range *range, const unsigned char *from)
{
    for (uint32_t i = 0; i < range->count; i++) {
        const struct part *part = &range->parts[i];
        memcpy(part->body->shadow + part->at, from, part->bytes);
        from += part->bytes;
    }
}

static bool on_device(const struct range *range)
{
    const enum kind kind = range->parts[0].body->kind;
    return kind == DEVICE || kind == POOLED || kind == PHYSICAL;
}

static bool share_memory(const struct range *a, const struct range *b)
{
    for (uint32_t i = 0; i < a->count; i++)
        for (uint32_t j = 0; j < b->count; j++)
            if (a->parts[i].body == b->parts[j].body)
                return true;
    return false;
}

/* ---- steps on contents ----------------------------------------------------------------------- */

static void copy(struct worker *w)
{
    struct range to;
    struct range from;
    if (!any_range(w, &to) || !any_range(w, &from) || share_memory(&to, &from))
        return;
    const size_t bytes = to.bytes < from.bytes ? to.bytes : from.bytes;
    shorten(&to, bytes);
    shorten(&from, bytes);
    shadow_read(&from, w->expected);
    if (below(w, 2) == 0 && (on_device(&to) || on_device(&from))) {
        GOOD(w, aclrtMemcpyAsync(to.address, bytes, from.address, bytes, ACL_MEMCPY_DEFAULT,
                                 w->stream));
        w->pending = true;
    } else {
        settle(w);
        GOOD(w, aclrtMemcpy(to.address, bytes, from.address, bytes, ACL_MEMCPY_DEFAULT));
    }
    shadow_write(&to, w->expected);
}

static void fill(struct worker *w)
{
    struct range to;
    if (!any_range(w, &to))
        return;
    const int value = (int)below(w, 256);
    memset(w->expected, value, to.bytes);
    if (below(w, 2) == 0 && on_device(&to)) {
        GOOD(w, aclrtMemsetAsync(to.address, to.bytes, value, to.bytes, w->stream));
        w->pending = true;
    } else {
        settle(w);
        GOOD(w, aclrtMemset(to.address, to.bytes, value, to.bytes));
    }
    shadow_write(&to, w->expected);
}

static void fill_words(struct worker *w)
{
    struct range to;
    const uint32_t value = (uint32_t)random_next(&w->random);
    if (!any_range(w, &to) || !on_device(&to) || ((uintptr_t)to.address & 3) != 0 || to.bytes < 4)
        return;
    shorten(&to, to.bytes / 4 * 4);
    for (size_t i = 0; i < to.bytes; i += 4)
        memcpy(w->expected + i, &value, 4);
    GOOD(w, aclrtMemsetD32Async(to.address, to.bytes, value, to.bytes / 4, w->stream));
    w->pending = true;
    shadow_write(&to, w->expected);
}

static void check_contents(struct worker *w)
{
    struct range from;
    if (!any_range(w, &from))
        return;
    settle(w);
    shadow_read(&from, w->expected);
    memset(w->scratch, 0, from.bytes);
    GOOD(w, aclrtMemcpy(w->scratch, from.bytes, from.address, from.bytes, ACL_MEMCPY_DEFAULT));
    for (size_t i = 0; i < from.bytes; i++)
        if (w->scratch[i] != w->expected[i]) {
            random_failure("byte %zu of %zu at %p (kind %d) is %#x, not %#x", i, from.bytes,
                           (void *)from.address, (int)from.parts[0].body->kind, w->scratch[i],
                           w->expected[i]);
            return;
        }
}

static void check_attributes(struct worker *w)
{
    static const aclrtMemLocationType types[KINDS] = {
        [DEVICE] = ACL_MEM_LOCATION_TYPE_DEVICE,         [PINNED] = ACL_MEM_LOCATION_TYPE_HOST,
        [PAGEABLE] = ACL_MEM_LOCATION_TYPE_UNREGISTERED, [REGISTERED] = ACL_MEM_LOCATION_TYPE_HOST,
        [MANAGED] = ACL_MEM_LOCATION_TYPE_MANAGED,       [POOLED] = ACL_MEM_LOCATION_TYPE_DEVICE,
        [PHYSICAL] = ACL_MEM_LOCATION_TYPE_DEVICE,
    };
    struct range range;
    aclrtPtrAttributes attributes;
    if (!any_range(w, &range))
        return;
    const struct body *body = range.parts[0].body;
    if (GOOD(w, aclrtPointerGetAttributes(range.address, &attributes)) &&
        attributes.location.type != types[body->kind])
        random_failure("%p (kind %d) is of location type %d", (void *)range.address,
                       (int)body->kind, (int)attributes.location.type);
    if (body->kind != DEVICE && body->kind != PINNED)
        return;
    void *base = NULL;
    size_t bytes = 0;
    if (GOOD(w, aclrtMemGetAddressRange(range.address, &base, &bytes)) &&
        (base != body->address || bytes < body->bytes))
        random_failure("%p is in %zu bytes at %p; allocated are %zu at %p", (void *)range.address,
                       bytes, base, body->bytes, (void *)body->address);
}

/* ---- threads --------------------------------------------------------------------------------- */

static void begin(struct worker *w)
{
    const aclrtMemPoolProps props = {.allocType = ACL_MEM_ALLOCATION_TYPE_PINNED,
                                     .handleType = ACL_MEM_HANDLE_TYPE_NONE,
                                     .location = {.id = 0, .type = ACL_MEM_LOCATION_TYPE_DEVICE},
                                     .maxSize = POOL_BYTES};
    void *reservation = NULL;
    GOOD(w, aclrtSetCurrentContext(context));
    GOOD(w, aclrtCreateStream(&w->stream));
    GOOD(w, aclrtMemPoolCreate(&w->pool, &props));
    GOOD(w, aclrtReserveMemAddress(&reservation, SLOTS * GRANULE, 0, NULL, 0));
    w->reservation = reservation;
    w->scratch = malloc(RANGE_BYTES);
    w->expected = malloc(RANGE_BYTES);
    if (random_failures() != 0 || !w->scratch || !w->expected)
        abort();
}

static void end(struct worker *w)
{
    for (uint32_t slot = 0; slot < SLOTS; slot++)
        if (w->slots[slot])
            unmap_slot(w, slot);
    for (uint32_t i = 0; i < BODIES; i++)
        if (w->bodies[i].kind != NOTHING)
            release_body(w, &w->bodies[i]);
    settle(w);
    GOOD(w, aclrtSynchronizeStream(w->stream));
    GOOD(w, aclrtMemPoolDestroy(w->pool));
    GOOD(w, aclrtReleaseMemAddress(w->reservation));
    GOOD(w, aclrtDestroyStream(w->stream));
    free(w->scratch);
    free(w->expected);
}

static void *run(void *argument)
{
    static const struct {
        void (*take)(struct worker *w);
        uint32_t weight;
    } steps[] = {{make, 16},           {release, 12},        {map, 10}, {unmap, 6},
                 {retain, 2},          {copy, 24},           {fill, 8}, {fill_words, 4},
                 {check_contents, 14}, {check_attributes, 4}};
    struct worker *w = argument;
    const uint64_t calls = w->calls;
    w->calls = 0;
    begin(w);
    while (w->calls < calls && random_failures() == 0) {
        uint32_t drawn = below(w, 100);
        uint32_t step = 0;
        while (drawn >= steps[step].weight)
            drawn -= steps[step++].weight;
        steps[step].take(w);
    }
    end(w);
    return NULL;
}

static size_t free_bytes(void)
{
    size_t bytes = 0;
    size_t total = 0;
    if (aclrtGetMemInfo(ACL_HBM_MEM, &bytes, &total) != ACL_SUCCESS)
        random_failure("aclrtGetMemInfo fails");
    return bytes;
}

int main(int argc, char **argv)
{
    static struct worker workers[RANDOM_THREADS_MOST];
    pthread_t threads[RANDOM_THREADS_MOST];
    random_options options = {.seed = random_new_seed(), .calls = 20000, .threads = 8};
    if (!random_options_parse(&options, argc, argv))
        return 2;
    random_watchdog(SECONDS);
    if (aclInit(NULL) != ACL_SUCCESS || aclrtSetDevice(0) != ACL_SUCCESS ||
        aclrtGetCurrentContext(&context) != ACL_SUCCESS)
        return 1;
    const size_t before = free_bytes();
    for (uint32_t i = 0; i < options.threads; i++) {
        workers[i] = (struct worker){.index = i, .calls = options.calls / options.threads};
        random_seed(&workers[i].random, options.seed, i);
        if (pthread_create(&threads[i], NULL, run, &workers[i]) != 0)
            return 1;
    }
    uint64_t calls = 0;
    for (uint32_t i = 0; i < options.threads; i++) {
        pthread_join(threads[i], NULL);
        calls += workers[i].calls;
    }
    if (free_bytes() != before)
        random_failure("%zu bytes of device memory are free, before there were %zu", free_bytes(),
                       before);
    if (aclrtResetDevice(0) != ACL_SUCCESS || aclFinalize() != ACL_SUCCESS)
        random_failure("the device cannot be reset");
    printf("random_memory: seed %llu, %llu calls of %u threads, %u failures\n",
           (unsigned long long)options.seed, (unsigned long long)calls, options.threads,
           random_failures());
    return random_failures() == 0 ? 0 : 1;
}
