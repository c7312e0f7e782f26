/* SPDX-License-Identifier: Apache-2.0 */
/* What a pool gives again, in the same stream and in others. */
#include "pool_tests.h"

#include <string.h>

void test_reuse_in_stream(void)
{
    CHECK_OK(aclrtSetDevice(0));
    aclrtMemPool pool = make_pool(8 * MIB);
    aclrtStream stream = twin_stream();
    twin_hold hold;
    twin_hold_begin(&hold, stream);
    void *first = take(pool, 8 * MIB, stream);
    CHECK_OK(aclrtMemsetAsync(first, MIB, 1, MIB, stream));
    CHECK_OK(aclrtMemPoolFreeAsync(first, stream));
    void *second = take(pool, 8 * MIB, stream); /* the pool is full, and the free has not passed */
    CHECK(second == first);
    CHECK_OK(aclrtMemPoolFreeAsync(second, stream));
    uint8_t *parts[4];
    for (unsigned i = 0; i < 4; i++)
        parts[i] = take(pool, 2 * MIB, stream);
    CHECK_EQUAL(reserved(pool), 8 * MIB);
    for (unsigned i = 0; i < 4; i++) {
        CHECK_OK(aclrtMemsetAsync(parts[i], MIB, (int)i, MIB, stream));
        CHECK_OK(aclrtMemPoolFreeAsync(parts[i], stream));
    }
    void *whole = take(pool, 8 * MIB, stream); /* of the parts */
    CHECK_EQUAL(reserved(pool), 8 * MIB);
    CHECK_OK(aclrtMemPoolFreeAsync(whole, stream));
    twin_hold_end(&hold, NULL);
    CHECK_OK(aclrtMemPoolDestroy(pool));
    CHECK_OK(aclrtDestroyStream(stream));
    CHECK_OK(aclrtResetDevice(0));
}

/* A full pool, all of it freed in a stream that waits. */
typedef struct setting {
    aclrtMemPool pool;
    aclrtStream from, to;
    twin_hold hold;
    void *memory;
} setting;

static void begin(setting *all, aclrtMemPoolAttr attr)
{
    CHECK_OK(aclrtSetDevice(0));
    all->pool = make_pool(4 * MIB);
    all->from = twin_stream();
    all->to = twin_stream();
    set_switch(all->pool, attr, 1);
    set_threshold(all->pool, 4 * MIB);
    twin_hold_begin(&all->hold, all->from);
    all->memory = take(all->pool, 4 * MIB, all->from);
    CHECK_OK(aclrtMemsetAsync(all->memory, MIB, 1, MIB, all->from));
    CHECK_OK(aclrtMemPoolFreeAsync(all->memory, all->from));
}

static void check_none(const setting *all)
{
    void *pointer = NULL;
    CHECK_CODE(aclrtMemPoolMallocAsync(&pointer, 1, all->pool, all->to),
               ACL_ERROR_RT_INTERNAL_ERROR);
    CHECK(pointer == NULL);
}

static void end(setting *all)
{
    CHECK_OK(aclrtMemPoolDestroy(all->pool));
    CHECK_OK(aclrtDestroyStream(all->from));
    CHECK_OK(aclrtDestroyStream(all->to));
    CHECK_OK(aclrtResetDevice(0));
}

void test_reuse_after_event(void)
{
    setting all;
    begin(&all, ACL_RT_MEM_POOL_REUSE_FOLLOW_EVENT_DEPENDENCIES);
    aclrtEvent event = twin_event(EVENT_EX);
    check_none(&all);
    CHECK_OK(aclrtRecordEvent(event, all.from));
    check_none(&all);
    CHECK_OK(aclrtStreamWaitEvent(all.to, event));
    CHECK(take(all.pool, 4 * MIB, all.to) == all.memory);
    CHECK_OK(aclrtMemPoolFreeAsync(all.memory, all.to));
    CHECK(take(all.pool, 4 * MIB, all.to) == all.memory);
    CHECK_OK(aclrtMemPoolFreeAsync(all.memory, all.to));
    twin_hold_end(&all.hold, NULL);
    CHECK_OK(aclrtSynchronizeStream(all.to));
    CHECK_OK(aclrtDestroyEvent(event));
    end(&all);
}

void test_reuse_when_done(void)
{
    setting all;
    begin(&all, ACL_RT_MEM_POOL_REUSE_ALLOW_OPPORTUNISTIC);
    check_none(&all);
    twin_hold_end(&all.hold, NULL);
    CHECK_OK(aclrtSynchronizeStream(all.from));
    CHECK(take(all.pool, 4 * MIB, all.to) == all.memory);
    CHECK_OK(aclrtMemPoolFreeAsync(all.memory, all.to));
    set_switch(all.pool, ACL_RT_MEM_POOL_REUSE_ALLOW_OPPORTUNISTIC, 0);
    CHECK_OK(aclrtSynchronizeStream(all.to));
    CHECK(take(all.pool, 4 * MIB, all.to) == all.memory);
    CHECK_OK(aclrtMemPoolFreeAsync(all.memory, all.from));
    CHECK_OK(aclrtSynchronizeStream(all.from));
    check_none(&all); /* although the free has passed */
    end(&all);
}

void test_reuse_behind_wait(void)
{
    setting all;
    twin_buffer data;
    begin(&all, ACL_RT_MEM_POOL_REUSE_ALLOW_INTERNAL_DEPENDENCIES);
    twin_buffer_make(&data, 4096, 0);
    uint8_t *memory = take(all.pool, 4 * MIB, all.to); /* at once, and its tasks wait */
    CHECK_OK(aclrtMemsetAsync(memory, MIB, 2, MIB, all.to));
    CHECK_OK(aclrtMemcpyAsync(data.host, 4096, memory, 4096, ACL_MEMCPY_DEVICE_TO_HOST, all.to));
    CHECK(!twin_idle(all.to));
    twin_hold_end(&all.hold, NULL);
    CHECK_OK(aclrtSynchronizeStream(all.to));
    CHECK_BYTES(data.host, 2, 4096);
    CHECK_OK(aclrtMemPoolFreeAsync(memory, all.to));
    twin_buffer_free(&data);
    end(&all);
}

/* ---- all of it ------------------------------------------------------------------------------ */

/* Contents stay right while blocks change hands between streams in all the allowed ways. */
void test_many(void)
{
    enum { STREAMS = 4, LIVE = 8, ROUNDS = 400 };
    struct {
        uint8_t *memory;
        size_t bytes;
        uint8_t value;
        unsigned stream;
    } live[LIVE];
    aclrtStream streams[STREAMS];
    twin_buffer data;
    uint32_t random = 1;
    memset(live, 0, sizeof(live));
    CHECK_OK(aclrtSetDevice(0));
    aclrtMemPool pool = make_pool(24 * MIB);
    set_switch(pool, ACL_RT_MEM_POOL_REUSE_FOLLOW_EVENT_DEPENDENCIES, 1);
    set_switch(pool, ACL_RT_MEM_POOL_REUSE_ALLOW_OPPORTUNISTIC, 1);
    set_switch(pool, ACL_RT_MEM_POOL_REUSE_ALLOW_INTERNAL_DEPENDENCIES, 1);
    set_threshold(pool, 12 * MIB);
    twin_buffer_make(&data, 4096, 0);
    for (unsigned i = 0; i < STREAMS; i++)
        streams[i] = twin_stream();
    uint64_t held = 0;
    for (unsigned round = 0; round < ROUNDS; round++) {
        random = random * 1664525 + 1013904223;
        const unsigned slot = random >> 8 & (LIVE - 1);
        const unsigned stream = random >> 16 & (STREAMS - 1);
        if (live[slot].memory) {
            aclrtStream own = streams[live[slot].stream];
            CHECK_OK(aclrtMemcpyAsync(data.host, 4096, live[slot].memory + live[slot].bytes - 4096,
                                      4096, ACL_MEMCPY_DEVICE_TO_HOST, own));
            CHECK_OK(aclrtMemPoolFreeAsync(live[slot].memory, own));
            CHECK_OK(aclrtSynchronizeStream(own));
            CHECK_BYTES(data.host, live[slot].value, 4096);
            held -= live[slot].bytes;
            live[slot].memory = NULL;
            continue;
        }
        const size_t bytes = (1 + (random >> 24) % 3) * GRANULE;
        if (held + bytes > 24 * MIB)
            continue;
        live[slot].memory = take(pool, bytes, streams[stream]);
        live[slot].bytes = bytes;
        live[slot].value = (uint8_t)round;
        live[slot].stream = stream;
        held += bytes;
        CHECK_OK(
            aclrtMemsetAsync(live[slot].memory, bytes, live[slot].value, bytes, streams[stream]));
        CHECK_EQUAL(used(pool), held);
    }
    CHECK_OK(aclrtSynchronizeDevice());
    CHECK_OK(aclrtMemPoolDestroy(pool));
    twin_buffer_free(&data);
    for (unsigned i = 0; i < STREAMS; i++)
        CHECK_OK(aclrtDestroyStream(streams[i]));
    CHECK_OK(aclrtResetDevice(0));
}
