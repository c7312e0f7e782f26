/* SPDX-License-Identifier: Apache-2.0 */
#include "recording/memory_map.h"

#include <string.h>

#include "seam/memory_types.h"

#define NORMAL_PAGE UINT64_C(4096)
#define HUGE_PAGE   (UINT64_C(2) << 20)
#define GIANT_PAGE  (UINT64_C(1) << 30)
#define HUGE_ABOVE  (UINT64_C(1) << 20) /* larger allocations have huge pages */
#define CALLS_DEEP  8u

/* Rows of different spaces may have the same number. */
enum space { MEMORY, PIN, PHYSICAL, MAPPING, RESERVATION };

struct key {
    uint64_t number; /* an address, or the number of physical memory */
    uint64_t space;
};

struct live {
    UT_hash_handle hh;
    struct key key;
    struct twin_memory_row row;
};

struct thread {
    UT_hash_handle hh;
    uint32_t number;
    uint32_t next_stack;
    twin_op calls[CALLS_DEEP]; /* that are open, the outermost first */
    unsigned depth;
};

/* What rows add up to; the first is the most important one. */
enum sum { DEVICE_BYTES, OTHER_BYTES, ADDRESSES, SUMS };

struct walk {
    const twin_recording *recording;
    struct live *live;
    struct thread *threads;
    uint64_t sums[SUMS];
    uint64_t physicals; /* so far */
    const struct twin_record_entry *entry;
    struct thread *thread; /* of the entry */
};

const char *twin_memory_row_word(uint32_t kind)
{
    static const char *const words[TWIN_MEMORY_ROW_KINDS] = {
#define TWIN_MEMORY_ROW_WORD(name, word) word,
        TWIN_MEMORY_ROWS(TWIN_MEMORY_ROW_WORD)
#undef TWIN_MEMORY_ROW_WORD
    };
    return kind < TWIN_MEMORY_ROW_KINDS ? words[kind] : "unknown";
}

/* ---- public calls ---------------------------------------------------------------------------- */

static void leave_calls(struct thread *thread, uint64_t seq)
{
    for (; thread->depth > 0; thread->depth--) {
        const uint64_t end = thread->calls[thread->depth - 1].end_seq;
        if (end == 0 || end > seq)
            return;
    }
}

static void enter_call(struct thread *thread, const struct twin_record_entry *entry,
                       const struct twin_record_HOST_CALL *call)
{
    leave_calls(thread, entry->begin_seq);
    if (thread->depth < CALLS_DEEP)
        thread->calls[thread->depth++] = (twin_op){.begin_seq = entry->begin_seq,
                                                   .end_seq = entry->end_seq,
                                                   .name = call->name,
                                                   .site = call->site,
                                                   .stack = thread->next_stack};
    thread->next_stack = 0;
}

/* ---- rows ------------------------------------------------------------------------------------ */

static enum sum sum_of(const struct twin_memory_row *row)
{
    switch (row->kind) {
    case TWIN_MEMORY_DEVICE_ROW:
    case TWIN_MEMORY_POOL_ROW:
        return DEVICE_BYTES;
    case TWIN_MEMORY_PHYSICAL_ROW:
        return row->device != TWIN_MEMORY_NO_DEVICE ? DEVICE_BYTES : OTHER_BYTES;
    case TWIN_MEMORY_RESERVED_ROW:
    case TWIN_MEMORY_MAPPING_ROW:
        return ADDRESSES;
    default:
        return OTHER_BYTES;
    }
}

static struct live *find(struct walk *walk, enum space space, uint64_t number)
{
    const struct key key = {.number = number, .space = space};
    struct live *live;
    /* All of it is set. NOLINTNEXTLINE(clang-analyzer-core.UndefinedBinaryOperatorResult) */
    HASH_FIND(hh, walk->live, &key, sizeof(key), live);
    return live;
}

static void remove_live(struct walk *walk, struct live *live)
{
    walk->sums[sum_of(&live->row)] -= live->row.bytes;
    HASH_DELETE(hh, walk->live, live);
    free(live);
}

static void drop(struct walk *walk, enum space space, uint64_t number)
{
    struct live *live = find(walk, space, number);
    if (live)
        remove_live(walk, live);
}

/* What was there before has been released unseen. False: out of memory. */
static bool add(struct walk *walk, enum space space, uint64_t number, struct twin_memory_row row)
{
    struct live *live = NULL;
    const struct key key = {.number = number, .space = space};
    if (row.bytes == 0)
        return true;
    drop(walk, space, number);
    /* All of it is set. NOLINTNEXTLINE(clang-analyzer-core.UndefinedBinaryOperatorResult) */
    HASH_ENSURE(walk->live, key, key, live);
    if (!live)
        return false;
    leave_calls(walk->thread, walk->entry->begin_seq);
    row.call = walk->thread->depth > 0 ? walk->thread->calls[walk->thread->depth - 1]
                                       : (twin_op){.name = TWIN_OP_NONE};
    live->row = row;
    walk->sums[sum_of(&row)] += row.bytes;
    return true;
}

static uint64_t page_of(uint32_t policy, uint64_t bytes)
{
    if (policy == TWIN_PAGES_HUGE_1G)
        return GIANT_PAGE;
    return policy == TWIN_PAGES_HUGE_ONLY || (policy == TWIN_PAGES_DEFAULT && bytes > HUGE_ABOVE)
               ? HUGE_PAGE
               : NORMAL_PAGE;
}

/* Memory that ends with its device. */
static void drop_device(struct walk *walk, uint32_t device)
{
    struct live *live = walk->live;
    while (live) {
        struct live *next = live->hh.next;
        if (live->row.device == device)
            remove_live(walk, live);
        live = next;
    }
}

/* The stream of a queue, and its device. */
static void note_queue(const struct walk *walk, uint32_t queue, struct twin_memory_row *row)
{
    const struct twin_recording_object *object =
        twin_recording_object(walk->recording, TWIN_RECORD_ROLE_QUEUE, queue);
    struct twin_record_QUEUE_CREATE made;
    if (!object ||
        !TWIN_RECORDING_GET(twin_recording_at(walk->recording, object->made), QUEUE_CREATE, &made))
        return;
    row->stream = made.stream;
    row->device = made.device;
}

static bool add_pool(struct walk *walk, const struct twin_record_WORK_ALLOC *f)
{
    struct twin_memory_row row = {.kind = TWIN_MEMORY_POOL_ROW,
                                  .address = f->out_address,
                                  .bytes = f->bytes,
                                  .page_bytes = HUGE_PAGE,
                                  .device = TWIN_MEMORY_NO_DEVICE,
                                  .stream = TWIN_MEMORY_NO_STREAM,
                                  .module = TWIN_MODULE_APP};
    note_queue(walk, f->queue, &row);
    return add(walk, MEMORY, f->out_address, row);
}

static bool add_physical(struct walk *walk, uint64_t physical, uint32_t kind, uint32_t device,
                         uint32_t pages, uint64_t bytes)
{
    const uint64_t page = pages == TWIN_PAGES_HUGE_1G ? GIANT_PAGE : HUGE_PAGE;
    return add(walk, PHYSICAL, physical,
               (struct twin_memory_row){.kind = kind,
                                        .bytes = bytes,
                                        .page_bytes = page,
                                        .detail = ++walk->physicals,
                                        .device = device,
                                        .stream = TWIN_MEMORY_NO_STREAM,
                                        .module = TWIN_MODULE_APP});
}

static bool add_mapping(struct walk *walk, const struct twin_record_VMM_MAP *f)
{
    const struct live *of = find(walk, PHYSICAL, f->physical);
    return add(walk, MAPPING, f->address,
               (struct twin_memory_row){.kind = TWIN_MEMORY_MAPPING_ROW,
                                        .address = f->address,
                                        .bytes = f->bytes,
                                        .page_bytes = of ? of->row.page_bytes : HUGE_PAGE,
                                        .detail = of ? of->row.detail : 0,
                                        .device = of ? of->row.device : TWIN_MEMORY_NO_DEVICE,
                                        .stream = TWIN_MEMORY_NO_STREAM,
                                        .module = TWIN_MODULE_APP});
}

/* Each device has its own registration of an address, which is below 2^57. */
static uint64_t pin_of(uint64_t host, uint32_t device)
{
    return host ^ (uint64_t)device << 57;
}

/* A row without a stream. */
#define ROW(row_kind, at, size, page, of_device, of_module, ...)                                   \
    ((struct twin_memory_row){.kind = TWIN_MEMORY_##row_kind##_ROW,                                \
                              .address = (at),                                                     \
                              .bytes = (size),                                                     \
                              .page_bytes = (page),                                                \
                              .device = (of_device),                                               \
                              .module = (of_module),                                               \
                              .stream = TWIN_MEMORY_NO_STREAM,                                     \
                              __VA_ARGS__})

#define ON(NAME, ...)                                                                              \
    case TWIN_RECORD_##NAME: {                                                                     \
        const struct twin_record_##NAME *const f = &any.NAME;                                      \
        __VA_ARGS__;                                                                               \
    }

/* False: out of memory. */
static bool take_memory(struct walk *walk)
{
    union twin_recording_any any;
    const struct twin_record_entry *entry = walk->entry;
    twin_recording_fields(entry, &any, sizeof(any));
    switch (entry->kind) {
        ON(MEMORY_ALLOC, return add(walk, MEMORY, f->out_address,
                                    ROW(DEVICE, f->out_address, f->bytes,
                                        page_of(f->pages, f->bytes), f->device, f->module)))
        ON(MEMORY_HOST_ALLOC, return add(walk, MEMORY, f->out_address,
                                         ROW(PAGE_LOCKED, f->out_address, f->bytes, NORMAL_PAGE,
                                             TWIN_MEMORY_NO_DEVICE, f->module)))
        ON(MANAGED_ALLOC, return add(walk, MEMORY, f->out_address,
                                     ROW(MANAGED, f->out_address, f->bytes, HUGE_PAGE, f->device,
                                         TWIN_MODULE_APP)))
        ON(MEMORY_PIN, return add(walk, PIN, pin_of(f->host, f->device),
                                  ROW(REGISTERED, f->host, f->bytes, NORMAL_PAGE, f->device,
                                      TWIN_MODULE_APP, .detail = f->out_address)))
        ON(MEMORY_OPEN, return add(walk, MEMORY, f->out_address,
                                   ROW(IMPORTED, f->out_address, f->bytes, HUGE_PAGE, f->device,
                                       TWIN_MODULE_APP, .detail = ++walk->physicals)))
        ON(VMM_RESERVE, return add(walk, RESERVATION, f->out_address,
                                   ROW(RESERVED, f->out_address, f->bytes, 0, TWIN_MEMORY_NO_DEVICE,
                                       TWIN_MODULE_APP)))
        ON(VMM_CREATE,
           return add_physical(walk, f->physical, TWIN_MEMORY_PHYSICAL_ROW,
                               f->host ? TWIN_MEMORY_NO_DEVICE : f->device, f->pages, f->bytes))
        ON(VMM_OPEN, return add_physical(walk, f->physical, TWIN_MEMORY_IMPORTED_ROW, f->device,
                                         f->pages, f->bytes))
        ON(VMM_MAP, return add_mapping(walk, f))
        ON(WORK_ALLOC, return add_pool(walk, f))
        ON(MEMORY_FREE, drop(walk, MEMORY, f->address); break)
        ON(MEMORY_HOST_FREE, drop(walk, MEMORY, f->address); break)
        ON(MEMORY_CLOSE, drop(walk, MEMORY, f->address); break)
        ON(WORK_FREE, drop(walk, MEMORY, f->address); break)
        ON(MEMORY_UNPIN, drop(walk, PIN, pin_of(f->address, f->device)); break)
        ON(VMM_RELEASE, drop(walk, RESERVATION, f->address); break)
        ON(VMM_DESTROY, drop(walk, PHYSICAL, f->physical); break)
        ON(VMM_UNMAP, drop(walk, MAPPING, f->address); break)
        ON(DEVICE_CLOSE, drop_device(walk, f->device); break)
    default:
        break;
    }
    return true;
}
#undef ON
#undef ROW

/* ---- the walk -------------------------------------------------------------------------------- */

/* False: out of memory. */
static bool take_entry(struct walk *walk, size_t index)
{
    const struct twin_record_entry *entry = twin_recording_at(walk->recording, index);
    struct twin_record_HOST_CALL call;
    struct twin_record_CALL_STACK stack;
    if (!walk->thread || walk->thread->number != entry->thread)
        HASH_ENSURE(walk->threads, number, entry->thread, walk->thread);
    if (!walk->thread)
        return false;
    walk->entry = entry;
    if (TWIN_RECORDING_GET(entry, CALL_STACK, &stack))
        walk->thread->next_stack = stack.stack;
    else if (TWIN_RECORDING_GET(entry, HOST_CALL, &call))
        enter_call(walk->thread, entry, &call);
    else if (twin_recording_succeeded(entry))
        return take_memory(walk);
    return true;
}

static void end_walk(struct walk *walk)
{
    HASH_FREE_ALL(walk->live);
    HASH_FREE_ALL(walk->threads);
}

static bool is_less(const uint64_t a[SUMS], const uint64_t b[SUMS])
{
    return ORDER_3(a[0], b[0], a[1], b[1], a[2], b[2]) < 0;
}

/* Walks over all entries. *out_most: when most was allocated on devices, of these moments when
 * there was most other memory, then most addresses, and of these the last. */
static bool find_most(const twin_recording *recording, uint64_t *out_most, uint64_t *out_left)
{
    struct walk walk = {.recording = recording};
    const size_t count = twin_recording_count(recording);
    uint64_t most[SUMS] = {0};
    bool good = true;
    for (size_t i = 0; good && i < count; i++) {
        good = take_entry(&walk, i);
        if (!is_less(walk.sums, most)) {
            memcpy(most, walk.sums, sizeof(most));
            *out_most = walk.entry->begin_seq;
        }
    }
    *out_left = walk.sums[DEVICE_BYTES];
    end_walk(&walk);
    return good;
}

static int by_address(const void *left, const void *right)
{
    const struct twin_memory_row *a = left;
    const struct twin_memory_row *b = right;
    /* 0 is the largest */
    return ORDER_3(a->address - 1, b->address - 1, b->bytes, a->bytes, a->detail, b->detail);
}

bool twin_memory_map_make(const twin_recording *recording, uint64_t seq,
                          struct twin_memory_map *out)
{
    struct walk walk = {.recording = recording};
    const size_t count = twin_recording_count(recording);
    uint64_t most = 0;
    *out = (struct twin_memory_map){
        .last_seq = count > 0 ? twin_recording_at(recording, count - 1)->begin_seq : 0};
    bool good = find_most(recording, &most, &out->left_bytes);
    out->seq = seq == TWIN_MEMORY_AT_MOST ? most : seq < out->last_seq ? seq : out->last_seq;
    for (size_t i = 0; good && i < count; i++) {
        if (twin_recording_at(recording, i)->begin_seq > out->seq)
            break;
        good = take_entry(&walk, i);
    }
    out->device_bytes = walk.sums[DEVICE_BYTES];
    for (struct live *live = walk.live; good && live; live = live->hh.next)
        good = LIST_ADD(&out->rows, live->row);
    end_walk(&walk);
    if (!good)
        twin_memory_map_free(out);
    else if (out->rows.count > 0)
        qsort(out->rows.items, out->rows.count, sizeof(out->rows.items[0]), by_address);
    return good;
}

void twin_memory_map_free(struct twin_memory_map *map)
{
    free(map->rows.items);
    *map = (struct twin_memory_map){0};
}
