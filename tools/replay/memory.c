/* SPDX-License-Identifier: Apache-2.0 */
/* Memory: what is in the place of what the recording names, and its contents. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "replay/state.h"

#define SCRATCH_ALIGN                                                                              \
    ((uint64_t)2 << 20) /* pages that replace the program's have the same places within huge ones */
#define SCRATCH_MOST ((uint64_t)1 << 40)
#define ERRORS_MOST  65536u
#define PAGE         4096u

/* ---- ranges ---- */

static size_t pages_of(uint64_t address, uint64_t bytes)
{
    return (size_t)((address % PAGE + bytes + PAGE - 1) & ~(uint64_t)(PAGE - 1));
}

/* What was touched of it is free again. */
static void drop(struct replay *replay, struct replay_range *range)
{
    if (range)
        replay->touched -= range->touched;
    if (range && range->owned)
        (void)munmap((void *)(uintptr_t)(range->now & ~(uint64_t)(PAGE - 1)),
                     pages_of(range->now, range->node.end - range->node.begin));
    free(range);
}

bool replay_memory_add(struct replay *replay, uint64_t recorded, uint64_t bytes, uint64_t now,
                       uint32_t device, bool host)
{
    if (bytes == 0 || recorded > UINT64_MAX - bytes)
        return true;
    /* a free that the recording has lost leaves something in the way */
    struct replay_range *range;
    while ((range = interval_map_take(&replay->memory, recorded, recorded + bytes)) != NULL)
        drop(replay, range);
    range = calloc(1, sizeof(*range));
    if (!range)
        return false;
    range->node.begin = recorded;
    range->node.end = recorded + bytes;
    range->now = now;
    range->device = device;
    range->host = host;
    interval_map_add(&replay->memory, &range->node);
    return true;
}

void replay_memory_remove(struct replay *replay, uint64_t recorded)
{
    if (interval_map_at(&replay->memory, recorded))
        drop(replay, interval_map_remove(&replay->memory, recorded));
}

void replay_memory_close(struct replay *replay, uint32_t device)
{
    struct replay_range *range = interval_map_from(&replay->memory, 0);
    while (range) {
        struct replay_range *next = interval_map_from(&replay->memory, range->node.end);
        if (!range->host && range->device == device)
            drop(replay, interval_map_remove(&replay->memory, range->node.begin));
        range = next;
    }
}

uint64_t replay_address_any(struct replay *replay, uint64_t recorded)
{
    const struct replay_range *range = interval_map_at(&replay->memory, recorded);
    return range && range->now ? range->now + (recorded - range->node.begin) : recorded;
}

/* ---- how much of it comes to life ---- */

/* Pages come to life when the device or the replay touches them; a recording may ask for that of
 * more than the machine has. False: there may not be `more`, and nothing was counted. */
static bool touch(struct replay *replay, uint64_t *touched, uint64_t more)
{
    if (more > replay->touched_most - replay->touched)
        return false;
    *touched += more;
    replay->touched += more;
    return true;
}

static bool touch_range(struct replay *replay, struct replay_range *range, uint64_t bytes)
{
    uint64_t left = range->node.end - range->node.begin - range->touched;
    uint64_t pages = bytes < left ? bytes + 2 * (uint64_t)PAGE : left;
    return touch(replay, &range->touched, pages < left ? pages : left);
}

/* It is used from its base on. */
static bool touch_scratch(struct replay *replay, struct replay_scratch *scratch, uint64_t recorded,
                          uint64_t bytes)
{
    uint64_t end = recorded % SCRATCH_ALIGN + bytes;
    return end <= scratch->touched || touch(replay, &scratch->touched, end - scratch->touched);
}

static void leave_out_large(struct replay_call *call, uint64_t bytes)
{
    (void)replay_leave_out(call, "with 0x%llx bytes more than %llu MiB of memory would be in use",
                           (unsigned long long)bytes,
                           (unsigned long long)(call->replay->touched_most >> 20));
}

/* ---- memory of the program ---- */

/* A place of `bytes` with the same offset in its page as the recorded one. Those given before stay
 * as they are: queued copies may still use them. */
static uint64_t scratch_at(struct replay_scratch *scratch, uint64_t recorded, uint64_t bytes)
{
    uint64_t offset = recorded % SCRATCH_ALIGN;
    if (bytes > SCRATCH_MOST)
        return 0;
    uint64_t wanted = offset + bytes;
    if (wanted > scratch->bytes) {
        uint64_t room = scratch->bytes ? scratch->bytes : SCRATCH_ALIGN * 2;
        while (room < wanted)
            room *= 2;
        void *mapped = mmap(NULL, room + SCRATCH_ALIGN, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (mapped == MAP_FAILED)
            return 0;
        uint64_t base = ((uint64_t)(uintptr_t)mapped + SCRATCH_ALIGN - 1) & ~(SCRATCH_ALIGN - 1);
        scratch->base = (char *)(uintptr_t)base;
        scratch->bytes = room;
        scratch->touched = 0; /* what was touched before stays in use */
    }
    return (uint64_t)(uintptr_t)scratch->base + offset;
}

/* Memory that the program had no right to use. */
static uint64_t forbidden_at(uint64_t recorded, uint64_t bytes)
{
    static char *forbidden;
    uint64_t offset = recorded % SCRATCH_ALIGN;
    if (!forbidden) {
        void *mapped = mmap(NULL, SCRATCH_ALIGN * 2, PROT_NONE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        forbidden = mapped == MAP_FAILED ? NULL : mapped;
    }
    return forbidden && bytes < SCRATCH_MOST ? (uint64_t)(uintptr_t)forbidden + offset : 0;
}

/* The range in which the bytes begin, but not a registered one that they leave: those are pageable
 * memory. */
static struct replay_range *range_at(struct replay *replay, uint64_t recorded, uint64_t bytes)
{
    struct replay_range *range = interval_map_at(&replay->memory, recorded);
    return range && range->owned && bytes > range->node.end - recorded ? NULL : range;
}

/* Where it is now in memory that is allocated. */
static bool address_in(struct replay_call *call, struct replay_range *range, uint64_t recorded,
                       uint64_t bytes, uint64_t *out_now)
{
    *out_now = range->now + (recorded - range->node.begin);
    if (range->now == 0)
        (void)replay_leave_out(call, "the memory at 0x%llx is not available",
                               (unsigned long long)recorded);
    /* what the device then took is its to refuse, but contents are put there before */
    else if (call->succeeded && range->host && bytes > range->node.end - recorded)
        (void)replay_leave_out(call, "0x%llx bytes at 0x%llx leave their allocation",
                               (unsigned long long)bytes, (unsigned long long)recorded);
    else if (!touch_range(call->replay, range, bytes))
        leave_out_large(call, bytes);
    else
        return true;
    return false;
}

bool replay_address(struct replay_call *call, uint64_t recorded, uint64_t bytes,
                    enum replay_side side, uint64_t *out_now)
{
    struct replay *replay = call->replay;
    struct replay_scratch *scratch = side == REPLAY_FROM ? &replay->from : &replay->to;
    bool refused = replay_status_of(call) == TWIN_E_INVALID; /* the address, by the device */
    twin_memory_info info = {.kind = TWIN_MEMORY_UNKNOWN};
    if (bytes == 0 || recorded > UINT64_MAX - bytes) {
        (void)replay_leave_out(call, "0x%llx bytes at 0x%llx are not a range",
                               (unsigned long long)bytes, (unsigned long long)recorded);
        return false;
    }
    struct replay_range *range = range_at(replay, recorded, bytes);
    if (range)
        return address_in(call, range, recorded, bytes, out_now);
    /* What a device once gave and took back is refused by it again. */
    if (call->ops->memory.info(recorded, &info) == TWIN_OK && info.kind == TWIN_MEMORY_GONE) {
        *out_now = recorded;
        return true;
    }
    if (side == REPLAY_DEVICE) {
        (void)replay_leave_out(call, "no memory is allocated at 0x%llx",
                               (unsigned long long)recorded);
        return false;
    }
    *out_now = refused ? forbidden_at(recorded, bytes) : scratch_at(scratch, recorded, bytes);
    /* what is only read there is one page of zeros; contents are counted when they are put there */
    if (*out_now == 0)
        (void)replay_leave_out(call, "0x%llx bytes of the program's memory are not available",
                               (unsigned long long)bytes);
    else if (side == REPLAY_TO && !refused && !touch_scratch(replay, scratch, recorded, bytes))
        leave_out_large(call, bytes);
    return !call->left_out;
}

/* ---- contents ---- */

/* Copies packed rows of `width` bytes, from byte `at` of them on, to where rows are `pitch`
 * apart. */
static void unpack(char *to, uint64_t width, uint64_t pitch, uint64_t at, const char *from,
                   uint64_t bytes)
{
    while (bytes > 0) {
        uint64_t inside = at % width;
        uint64_t piece = width - inside < bytes ? width - inside : bytes;
        memcpy(to + at / width * pitch + inside, from, (size_t)piece);
        at += piece;
        from += piece;
        bytes -= piece;
    }
}

/* `now` is where `rows` of `width` bytes are; all of that is memory of this process. */
static bool fill_in(struct replay_call *call, char *now, uint64_t width, uint64_t pitch,
                    uint64_t rows)
{
    const struct replay *replay = call->replay;
    size_t first;
    size_t count = twin_recording_index_find(&replay->contents, call->entry->begin_seq, &first);
    uint64_t at = 0;
    for (size_t i = 0; i < count; i++) {
        struct twin_record_CONTENT f;
        size_t bytes;
        twin_recording_fields(
            twin_recording_at(replay->recording, replay->contents.list[first + i].entry), &f,
            sizeof(f));
        const char *data = twin_recording_data(replay->recording, f.data, &bytes);
        if (!data || bytes != f.bytes || bytes > width * rows - at)
            return false;
        unpack(now, width, pitch, at, data, bytes);
        at += bytes;
    }
    return at == width * rows;
}

/* Whether the bytes come when a task uses them: a copy that leaves its registration reads pageable
 * memory. */
static bool come_later(const struct replay *replay, const struct replay_range *range, uint64_t now,
                       uint64_t bytes)
{
    twin_memory_info info;
    if (!range || !replay_has_touches(replay))
        return false;
    return !range->owned ||
           (replay->ops->memory.info(now, &info) == TWIN_OK &&
            info.kind == TWIN_MEMORY_REGISTERED && bytes <= info.size_bytes - (now - info.base));
}

/* Puts the bytes that the recording has for the source of a copy where it reads them now. */
static void put_contents(struct replay_call *call, uint64_t recorded, uint64_t now, uint64_t width,
                         uint64_t pitch, uint64_t rows)
{
    struct replay *replay = call->replay;
    const uint64_t span = (rows - 1) * pitch + width;
    const struct replay_range *range = range_at(replay, recorded, span);
    twin_memory_info info;
    if (!call->succeeded || (range && !range->host) || width > UINT64_MAX / rows ||
        come_later(replay, range, now, span))
        return;
    if (!range && replay->ops->memory.info(now, &info) == TWIN_OK &&
        info.kind != TWIN_MEMORY_UNKNOWN)
        return;
    if ((!range && !touch_scratch(replay, &replay->from, recorded, span)) ||
        !fill_in(call, (char *)(uintptr_t)now, width, pitch, rows))
        replay->report.no_contents++;
}

void *replay_contents_whole(struct replay_call *call, uint64_t bytes)
{
    char *whole = bytes > 0 && bytes < SCRATCH_MOST ? malloc((size_t)bytes) : NULL;
    if (whole && fill_in(call, whole, bytes, bytes, 1))
        return whole;
    free(whole);
    return NULL;
}

/* ---- ops ---- */

/* What was allocated now, 0 if it could not be, is in the place of what the recording has. */
static twin_status note_allocation(struct replay_call *call, uint64_t recorded, uint64_t bytes,
                                   uint64_t now, twin_status status)
{
    const bool host = call->entry->kind == TWIN_RECORD_MEMORY_HOST_ALLOC;
    const uint32_t device = host ? 0 : call->then.MEMORY_ALLOC.device;
    if (call->succeeded && !replay_memory_add(call->replay, recorded, bytes, now, device, host))
        return TWIN_E_NOMEM;
    if (call->succeeded || status != TWIN_OK)
        return status;
    if (host)
        (void)call->ops->memory.host_free((void *)(uintptr_t)now);
    else
        (void)call->ops->memory.free(now);
    return status;
}

static twin_status memory_alloc(struct replay_call *call)
{
    const struct twin_record_MEMORY_ALLOC *f = &call->then.MEMORY_ALLOC;
    uint64_t address = 0;
    if (f->bytes == 0)
        return replay_leave_out(call, "it is of 0 bytes");
    twin_status status =
        call->ops->memory.alloc(call->device,
                                &(twin_allocation){.bytes = f->bytes,
                                                   .pages = (twin_page_policy)f->pages,
                                                   .module = f->module,
                                                   .flags = f->flags},
                                &address);
    return note_allocation(call, f->out_address, f->bytes, status == TWIN_OK ? address : 0, status);
}

static twin_status memory_host_alloc(struct replay_call *call)
{
    const struct twin_record_MEMORY_HOST_ALLOC *f = &call->then.MEMORY_HOST_ALLOC;
    void *pointer = NULL;
    if (f->bytes == 0)
        return replay_leave_out(call, "it is of 0 bytes");
    twin_status status = call->ops->memory.host_alloc(
        &(twin_allocation){.bytes = f->bytes, .module = f->module, .flags = f->flags}, &pointer);
    return note_allocation(call, f->out_address, f->bytes, (uint64_t)(uintptr_t)pointer, status);
}

static twin_status memory_free(struct replay_call *call)
{
    struct replay *replay = call->replay;
    const bool host = call->entry->kind == TWIN_RECORD_MEMORY_HOST_FREE;
    const uint64_t recorded = call->then.MEMORY_FREE.address;
    const struct replay_range *range = interval_map_at(&replay->memory, recorded);
    /* of what is not the begin of an allocation only the device is to say so */
    const bool whole =
        range && range->node.begin == recorded && range->host == host && range->now != 0;
    const uint64_t now = replay_address_any(replay, recorded);
    call->skipped = (replay->trial && !whole) || (whole && range->foreign && !call->succeeded);
    if (call->skipped)
        return TWIN_OK;
    twin_status status =
        host ? call->ops->memory.host_free((void *)(uintptr_t)now) : call->ops->memory.free(now);
    if (status == TWIN_OK && whole)
        drop(replay, interval_map_remove(&replay->memory, recorded));
    return status;
}

static twin_status memory_space(struct replay_call *call)
{
    struct twin_record_MEMORY_SPACE *now = &call->now.MEMORY_SPACE;
    if (now->page_class > 2)
        return replay_leave_out(call, "there is no page class %u", now->page_class);
    return call->ops->memory.space(call->device, now->page_class, &now->out_free, &now->out_total);
}

bool replay_copy(struct replay_call *call, twin_copy *copy)
{
    uint64_t src = copy->src;
    if (!replay_address(call, copy->dst, copy->bytes, REPLAY_TO, &copy->dst) ||
        !replay_address(call, src, copy->bytes, REPLAY_FROM, &copy->src))
        return false;
    put_contents(call, src, copy->src, copy->bytes, copy->bytes, 1);
    return true;
}

static bool rows_span(struct replay_call *call, const twin_rows *rows, uint64_t pitch,
                      uint64_t *out_span)
{
    uint64_t gap;
    if (rows->width > 0 && rows->height > 0 && pitch >= rows->width &&
        !__builtin_mul_overflow(rows->height - 1, pitch, &gap) &&
        !__builtin_add_overflow(gap, rows->width, out_span))
        return true;
    (void)replay_leave_out(call, "its rows are invalid");
    return false;
}

bool replay_rows(struct replay_call *call, twin_rows *rows)
{
    uint64_t src = rows->src;
    uint64_t dst_span;
    uint64_t src_span;
    if (!rows_span(call, rows, rows->dst_pitch, &dst_span) ||
        !rows_span(call, rows, rows->src_pitch, &src_span) ||
        !replay_address(call, rows->dst, dst_span, REPLAY_TO, &rows->dst) ||
        !replay_address(call, src, src_span, REPLAY_FROM, &rows->src))
        return false;
    put_contents(call, src, rows->src, rows->width, rows->src_pitch, rows->height);
    return true;
}

static twin_status memory_copy(struct replay_call *call)
{
    const struct twin_record_MEMORY_COPY *f = &call->then.MEMORY_COPY;
    twin_copy copy = {.dst = f->dst, .src = f->src, .bytes = f->bytes};
    return replay_copy(call, &copy) ? call->ops->memory.copy(call->device, &copy) : TWIN_OK;
}

static twin_status memory_fill(struct replay_call *call)
{
    const struct twin_record_MEMORY_FILL *f = &call->then.MEMORY_FILL;
    twin_fill fill = {.bytes = f->bytes, .value = f->value, .words = f->words != 0};
    return replay_address(call, f->dst, f->bytes, REPLAY_TO, &fill.dst)
               ? call->ops->memory.fill(call->device, &fill)
               : TWIN_OK;
}

static twin_status memory_copy_rows(struct replay_call *call)
{
    twin_rows rows = REPLAY_ROWS(&call->then.MEMORY_COPY_ROWS);
    return replay_rows(call, &rows) ? call->ops->memory.copy_rows(call->device, &rows) : TWIN_OK;
}

static twin_status memory_errors(struct replay_call *call)
{
    struct twin_record_MEMORY_ERRORS *now = &call->now.MEMORY_ERRORS;
    size_t count = 0;
    size_t room = now->room < ERRORS_MOST ? (size_t)now->room : ERRORS_MOST;
    twin_memory_error *list = calloc(room + 1, sizeof(*list));
    if (!list)
        return TWIN_E_NOMEM;
    twin_status status = call->ops->memory.errors(call->device, list, room, &count);
    if (status == TWIN_OK)
        now->out_count = count;
    free(list);
    return status;
}

static twin_status memory_repair(struct replay_call *call)
{
    const struct twin_record_MEMORY_REPAIR *f = &call->then.MEMORY_REPAIR;
    return call->ops->memory.repair(call->device, replay_address_any(call->replay, f->address),
                                    f->bytes);
}

/* Pages in the place of the program's, for as long as they are registered. 0: none. */
static uint64_t pages_for(struct replay *replay, uint64_t recorded, uint64_t bytes)
{
    const struct replay_pinned all = replay_pinned_at(replay, recorded);
    const uint64_t size = all.end - all.begin;
    if (bytes == 0 || recorded > all.end || bytes > all.end - recorded || size > SCRATCH_MOST)
        return 0;
    void *pages = mmap(NULL, pages_of(all.begin, size), PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (pages == MAP_FAILED)
        return 0;
    const uint64_t now = (uint64_t)(uintptr_t)pages + all.begin % PAGE;
    if (!replay_memory_add(replay, all.begin, size, now, 0, true)) {
        (void)munmap(pages, pages_of(all.begin, size));
        return 0;
    }
    struct replay_range *range = interval_map_at(&replay->memory, recorded);
    range->owned = true;
    return now + (recorded - all.begin);
}

static twin_status memory_pin(struct replay_call *call)
{
    const struct twin_record_MEMORY_PIN *f = &call->then.MEMORY_PIN;
    struct replay *replay = call->replay;
    struct replay_range *range = interval_map_at(&replay->memory, f->host);
    uint64_t address = 0;
    uint64_t now = range && range->now ? range->now + (f->host - range->node.begin)
                                       : pages_for(replay, f->host, f->bytes);
    if (now == 0)
        return replay_leave_out(call, "0x%llx bytes of the program's memory are not available",
                                (unsigned long long)f->bytes);
    const twin_pin pin = {.pointer = (void *)(uintptr_t)now,
                          .bytes = f->bytes,
                          .locked = f->locked != 0,
                          .mapped = f->mapped != 0,
                          .read_only = f->read_only != 0};
    const twin_status status = call->ops->memory.pin(call->device, &pin, &address);
    range = interval_map_at(&replay->memory, f->host);
    if (status != TWIN_OK || !call->succeeded) {
        if (status == TWIN_OK)
            (void)call->ops->memory.unpin(call->device, pin.pointer);
        if (range && range->owned && range->pins == 0)
            drop(replay, interval_map_remove(&replay->memory, range->node.begin));
        return status;
    }
    if (range)
        range->pins++;
    if (f->out_address == 0)
        return status;
    if (!replay_memory_add(replay, f->out_address, f->bytes, address, f->device, false))
        return TWIN_E_NOMEM;
    range = interval_map_at(&replay->memory, f->out_address);
    if (range)
        range->pinned = f->host;
    return status;
}

/* Where the device reached the memory that began at `host`. */
static void drop_address(struct replay *replay, uint64_t host, uint32_t device)
{
    struct replay_range *range = interval_map_from(&replay->memory, 0);
    while (range) {
        struct replay_range *next = interval_map_from(&replay->memory, range->node.end);
        if (range->pinned == host && range->device == device)
            drop(replay, interval_map_remove(&replay->memory, range->node.begin));
        range = next;
    }
}

static twin_status memory_unpin(struct replay_call *call)
{
    struct replay *replay = call->replay;
    const struct twin_record_MEMORY_UNPIN *f = &call->then.MEMORY_UNPIN;
    struct replay_range *range = interval_map_at(&replay->memory, f->address);
    const uint64_t now = replay_address_any(replay, f->address);
    const twin_status status = call->ops->memory.unpin(call->device, (void *)(uintptr_t)now);
    if (status != TWIN_OK || !range)
        return status;
    drop_address(replay, f->address, f->device);
    range = interval_map_at(&replay->memory, f->address); /* where it was pinned itself: dropped */
    if (range && range->pins > 0 && --range->pins == 0 && range->owned)
        drop(replay, interval_map_remove(&replay->memory, range->node.begin));
    return status;
}

static twin_status memory_describe(struct replay_call *call)
{
    const struct twin_record_MEMORY_DESCRIBE *f = &call->then.MEMORY_DESCRIBE;
    const twin_copy copy = {.dst = f->dst != 0 ? replay_address_any(call->replay, f->dst) : 0,
                            .src = replay_address_any(call->replay, f->src),
                            .bytes = f->bytes};
    uint64_t at;
    return replay_address(call, f->at, TWIN_DESCRIPTOR_BYTES, REPLAY_DEVICE, &at)
               ? call->ops->memory.describe(call->device, at, &copy)
               : TWIN_OK;
}

static twin_status memory_maintain(struct replay_call *call)
{
    const struct twin_record_MEMORY_MAINTAIN *f = &call->then.MEMORY_MAINTAIN;
    uint64_t address;
    return replay_address(call, f->address, f->bytes, REPLAY_DEVICE, &address)
               ? call->ops->memory.maintain(call->device, address, f->bytes, f->invalidate != 0)
               : TWIN_OK;
}

static twin_status memory_usage(struct replay_call *call)
{
    struct twin_record_MEMORY_USAGE *now = &call->now.MEMORY_USAGE;
    twin_memory_use list[TWIN_MODULES];
    size_t count = 0;
    const size_t room = now->room < TWIN_MODULES ? (size_t)now->room : TWIN_MODULES;
    twin_status status = call->ops->memory.usage(call->device, list, room, &count);
    if (status == TWIN_OK)
        now->out_count = count;
    return status;
}

const replay_issue replay_memory_ops[TWIN_RECORD_KINDS_END] = {
    [TWIN_RECORD_MEMORY_ALLOC] = memory_alloc,
    [TWIN_RECORD_MEMORY_FREE] = memory_free,
    [TWIN_RECORD_MEMORY_HOST_ALLOC] = memory_host_alloc,
    [TWIN_RECORD_MEMORY_HOST_FREE] = memory_free,
    [TWIN_RECORD_MEMORY_SPACE] = memory_space,
    [TWIN_RECORD_MEMORY_COPY] = memory_copy,
    [TWIN_RECORD_MEMORY_FILL] = memory_fill,
    [TWIN_RECORD_MEMORY_COPY_ROWS] = memory_copy_rows,
    [TWIN_RECORD_MEMORY_ERRORS] = memory_errors,
    [TWIN_RECORD_MEMORY_REPAIR] = memory_repair,
    [TWIN_RECORD_MEMORY_PIN] = memory_pin,
    [TWIN_RECORD_MEMORY_UNPIN] = memory_unpin,
    [TWIN_RECORD_MEMORY_DESCRIBE] = memory_describe,
    [TWIN_RECORD_MEMORY_MAINTAIN] = memory_maintain,
    [TWIN_RECORD_MEMORY_USAGE] = memory_usage,
};
