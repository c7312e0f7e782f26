/* SPDX-License-Identifier: Apache-2.0 */
/* Random copies of blocks and batches, and reductions. */
#include <string.h>

#include "random_arguments.h"

/* Blocks --------------------------------------------------------------------------------------- */

static bool is_own(random_worker *worker, const void *place)
{
    if (place == worker->pageable)
        return true;
    for (uint32_t i = 0; i < RANDOM_HOST_BUFFERS; i++)
        if (place && place == worker->pinned[i])
            return true;
    return false;
}

typedef struct block {
    side to, from;
    size_t to_pitch, from_pitch, width, height;
} block;

/* Rows that fit mostly; with the host on a side always, for it would be the test that writes past
 * its memory. */
static block any_block(random_worker *worker)
{
    block made = {.to = any_side(worker), .from = any_side(worker)};
    uint64_t room = made.to.bytes < made.from.bytes ? made.to.bytes : made.from.bytes;
    if (room > RANDOM_HOST_BYTES)
        room = RANDOM_HOST_BYTES;
    bool host = is_own(worker, made.to.place) || is_own(worker, made.from.place);
    made.height = below(worker, 9);
    size_t most = made.height != 0 ? (size_t)room / made.height : 64;
    made.width = most != 0 ? below(worker, (uint32_t)most + 1) : 0;
    size_t slack = most - (made.width < most ? made.width : most);
    made.to_pitch = made.width + (slack != 0 ? below(worker, (uint32_t)slack) : 0);
    made.from_pitch = made.width + (slack != 0 ? below(worker, (uint32_t)slack) : 0);
    if (host || !chance(worker, 10))
        return made;
    size_t *odd[] = {&made.to_pitch, &made.from_pitch, &made.width, &made.height};
    *odd[below(worker, 4)] = any_bytes(worker, 0);
    return made;
}

static aclError call_block(random_worker *worker)
{
    block b = any_block(worker);
    if (chance(worker, 40))
        return aclrtMemcpy2d(b.to.place, b.to_pitch, b.from.place, b.from_pitch, b.width, b.height,
                             any_kind(worker));
    aclrtMemcpyKind kind = chance(worker, 70) ? ACL_MEMCPY_DEFAULT : any_kind(worker);
    return aclrtMemcpy2dAsync(b.to.place, b.to_pitch, b.from.place, b.from_pitch, b.width, b.height,
                              kind, any_stream(worker));
}

/* Batches -------------------------------------------------------------------------------------- */

#define ITEMS 4u

typedef struct items {
    void *to[ITEMS], *from[ITEMS];
    size_t room[ITEMS], bytes[ITEMS], indexes[ITEMS];
    aclrtMemcpyBatchAttr attrs[ITEMS];
    size_t count, attr_count;
} items;

static aclrtMemLocation location_of(random_worker *worker, const void *place)
{
    aclrtMemLocation said = {0};
    if (chance(worker, 5)) {
        said.type = (aclrtMemLocationType)any_number(worker);
        said.id = any_number(worker);
        return said;
    }
    bool host = !place || is_own(worker, place);
    said.type = host ? ACL_MEM_LOCATION_TYPE_HOST : ACL_MEM_LOCATION_TYPE_DEVICE;
    said.id = below(worker, 2);
    return said;
}

/* From the host to the device or back, each item with attributes of its own. */
static void fill_items(random_worker *worker, items *made)
{
    memset(made, 0, sizeof(*made));
    made->count = 1 + below(worker, ITEMS);
    made->attr_count = made->count;
    for (uint32_t i = 0; i < made->count; i++) {
        side device = any_side(worker);
        side host = {worker->pageable, RANDOM_HOST_BYTES};
        if (chance(worker, 50))
            host.place = worker->pinned[below(worker, RANDOM_HOST_BUFFERS)];
        bool up = chance(worker, 50);
        side to = up ? device : host, from = up ? host : device;
        size_t bytes = transfer_bytes(worker, to, from);
        if (bytes > RANDOM_HOST_BYTES)
            bytes = RANDOM_HOST_BYTES;
        made->to[i] = to.place;
        made->from[i] = from.place;
        made->bytes[i] = bytes;
        made->room[i] = chance(worker, 97) ? bytes : any_number(worker);
        made->indexes[i] = chance(worker, 98) ? i : any_number(worker);
        made->attrs[i].dstLoc = location_of(worker, to.place);
        made->attrs[i].srcLoc = location_of(worker, from.place);
        made->attrs[i].rsv[below(worker, 16)] = chance(worker, 1);
    }
    if (chance(worker, 3))
        made->attr_count = any_number(worker);
}

static aclError call_batch(random_worker *worker)
{
    items b;
    size_t failed = 0;
    fill_items(worker, &b);
    size_t attrs = b.attr_count; /* more than items: refused before they are looked at */
    size_t count = chance(worker, 98) ? b.count : 0;
    void **to = chance(worker, 98) ? b.to : NULL;
    void *stream = any_stream(worker);
    switch (below(worker, 4)) {
    case 0:
        return aclrtMemcpyBatch(to, b.room, b.from, b.bytes, count, b.attrs, b.indexes, attrs,
                                OUT(worker, failed));
    case 1:
        return aclrtMemcpyBatchV2(to, b.room, b.from, b.bytes, count, b.attrs, b.indexes, attrs);
    case 2:
        return aclrtMemcpyBatchAsync(to, b.room, b.from, b.bytes, count, b.attrs, b.indexes, attrs,
                                     OUT(worker, failed), stream);
    default:
        return aclrtMemcpyBatchAsyncV2(to, b.room, b.from, b.bytes, count, b.attrs, b.indexes,
                                       attrs, stream);
    }
}

/* Reductions ----------------------------------------------------------------------------------- */

static aclError call_reduce(random_worker *worker)
{
    static const aclDataType types[] = {ACL_FLOAT, ACL_FLOAT16, ACL_INT16, ACL_INT4,
                                        ACL_INT8,  ACL_INT32,   ACL_BF16,  ACL_UINT8};
    side to = any_side(worker), from = any_side(worker);
    uint64_t count = chance(worker, 90) ? 4ull * below(worker, 1024) : any_bytes(worker, 0);
    aclrtReduceKind kind =
        (aclrtReduceKind)(chance(worker, 95) ? 10 + below(worker, 4) : any_number(worker));
    aclDataType type =
        chance(worker, 95) ? types[below(worker, 8)] : (aclDataType)any_number(worker);
    return aclrtReduceAsync(to.place, from.place, count, kind, type, any_stream(worker),
                            chance(worker, 99) ? NULL : &to);
}

/* All of it ------------------------------------------------------------------------------------ */

const random_row random_block_rows[] = {
    {"aclrtMemcpy2d...", call_block, 25, {SUBMISSION, NO_MEMORY}, false},
    {"aclrtMemcpyBatch...", call_batch, 15, {SUBMISSION, NO_MEMORY}, false},
    {"aclrtReduceAsync", call_reduce, 25, {SUBMISSION, NOT_ALIGNED}, false},
};
const uint32_t random_block_row_count = sizeof(random_block_rows) / sizeof(random_block_rows[0]);
