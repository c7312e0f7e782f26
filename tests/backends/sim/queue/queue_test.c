/* SPDX-License-Identifier: Apache-2.0 */
/* Queues, memory and settings of the sim backend, through the seam. */
#define _DEFAULT_SOURCE /* usleep, fork */
#include "seam.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define KIB 1024u

static twin_hw_device *device;

static uint64_t memory(uint64_t bytes)
{
    uint64_t address = 0;
    SEAM_OK(seam->memory.alloc(device, &(twin_allocation){.bytes = bytes}, &address));
    return address;
}

static unsigned char *pinned(uint64_t bytes)
{
    void *pointer = NULL;
    SEAM_OK(seam->memory.host_alloc(&(twin_allocation){.bytes = bytes}, &pointer));
    return pointer;
}

static uint64_t number(const void *pointer)
{
    return (uintptr_t)pointer;
}

static bool all(const unsigned char *bytes, size_t count, unsigned char value)
{
    for (size_t i = 0; i < count; i++)
        if (bytes[i] != value)
            return false;
    return true;
}

static void queue_copy(twin_queue *queue, uint64_t dst, uint64_t src, uint64_t bytes)
{
    const twin_copy copy = {.dst = dst, .src = src, .bytes = bytes};
    SEAM_OK(seam->work.copy(queue, &copy));
}

static void queue_fill(twin_queue *queue, uint64_t dst, uint8_t value, uint64_t bytes)
{
    const twin_fill fill = {.dst = dst, .value = value, .bytes = bytes};
    SEAM_OK(seam->work.fill(queue, &fill));
}

static void test_order(void)
{
    enum { STEPS = 100 };
    device = seam_up();
    twin_queue *queue = seam_queue(device, 1);
    uint64_t cell = memory(64);
    uint64_t log = memory(STEPS * 64);
    unsigned char *host = pinned(STEPS * 64);
    for (unsigned i = 0; i < STEPS; i++) {
        queue_fill(queue, cell, (uint8_t)i, 64);
        queue_copy(queue, log + 64 * i, cell, 64);
    }
    queue_copy(queue, number(host), log, STEPS * 64);
    SEAM_OK(seam->queue.drain(queue, TWIN_FOREVER));
    for (unsigned i = 0; i < STEPS; i++)
        CU_ASSERT(all(host + 64 * i, 64, (unsigned char)i));
    seam->queue.destroy(queue);
    seam_down(device);
}

static void test_nothing_happens_unasked(void)
{
    device = seam_up();
    twin_queue *queue = seam_queue(device, 1);
    uint64_t cell = memory(KIB);
    unsigned char *host = pinned(KIB);
    memset(host, 1, KIB);
    queue_fill(queue, cell, 7, KIB);
    queue_copy(queue, number(host), cell, KIB);
    usleep(20000);
    CU_ASSERT(all(host, KIB, 1));
    SEAM_OK(seam->queue.drain(queue, TWIN_FOREVER));
    CU_ASSERT(all(host, KIB, 7));
    seam->queue.destroy(queue);
    seam_down(device);
}

static void test_full_ring(void)
{
    device = seam_up();
    const twin_device_properties *properties;
    SEAM_OK(seam->process.describe(0, &properties));
    twin_queue *full = seam_queue(device, 1);
    twin_queue *other = seam_queue(device, 2);
    uint64_t cells = memory(64 * KIB);
    unsigned char *host = pinned(64 * KIB);
    unsigned sent = 0;
    twin_fill fill = {.dst = cells, .bytes = 8};
    twin_status status = TWIN_OK;
    while (sent < 10000 && (status = seam->work.fill(full, &fill)) == TWIN_OK) {
        sent++;
        fill.dst = cells + 8 * sent;
        fill.value = (uint8_t)sent;
    }
    SEAM_STATUS(status, TWIN_E_BUSY);
    CU_ASSERT(sent == properties->queue_depth);
    SEAM_OK(seam->queue.drain(other, 0));
    queue_fill(other, cells + 60 * KIB, 9, KIB);
    for (; sent < 5000; sent++) {
        fill.dst = cells + 8 * sent;
        fill.value = (uint8_t)sent;
        while ((status = seam->work.fill(full, &fill)) == TWIN_E_BUSY)
            SEAM_OK(seam->queue.room(full));
        SEAM_OK(status);
    }
    queue_copy(other, number(host + 60 * KIB), cells + 60 * KIB, KIB);
    SEAM_OK(seam->queue.drain(other, TWIN_FOREVER));
    CU_ASSERT(all(host + 60 * KIB, KIB, 9));
    while (seam->work.copy(full, &(twin_copy){.dst = number(host), .src = cells, .bytes = 40000}) ==
           TWIN_E_BUSY)
        SEAM_OK(seam->queue.room(full));
    SEAM_OK(seam->queue.drain(full, TWIN_FOREVER));
    for (unsigned i = 0; i < 5000; i++)
        CU_ASSERT(all(host + 8 * i, 8, (unsigned char)i));
    seam->queue.destroy(full);
    seam->queue.destroy(other);
    seam_down(device);
}

static void test_room_for_pieces(void)
{
    enum { MIB256 = 256 << 20 };
    device = seam_up();
    const twin_device_properties *properties;
    SEAM_OK(seam->process.describe(0, &properties));
    twin_queue *queue = seam_queue(device, 1);
    uint64_t big = memory(MIB256);
    uint64_t cell = memory(64);
    void *host = pinned(MIB256);
    twin_fill fill = {.dst = cell, .bytes = 8};
    for (unsigned i = 0; i + 2 < properties->queue_depth; i++)
        SEAM_OK(seam->work.fill(queue, &fill));
    /* Two places are left, four are needed: nothing is queued. */
    const twin_copy copy = {.dst = number(host), .src = big, .bytes = MIB256};
    SEAM_STATUS(seam->work.copy(queue, &copy), TWIN_E_BUSY);
    SEAM_OK(seam->queue.room(queue));
    SEAM_OK(seam->work.copy(queue, &copy));
    SEAM_STATUS(seam->work.fill(queue, &fill), TWIN_E_BUSY);
    SEAM_OK(seam->queue.abort(queue));
    seam->queue.destroy(queue);
    seam_down(device);
}

static void test_query_ends(void)
{
    device = seam_up();
    twin_queue *queue = seam_queue(device, 1);
    uint64_t cell = memory(1 << 20);
    queue_fill(queue, cell, 1, 1 << 20);
    bool idle = true;
    SEAM_OK(seam->queue.query(queue, &idle));
    CU_ASSERT(!idle);
    unsigned polls = 0;
    while (!idle && polls++ < 10000) {
        seam_call(TWIN_COST_POLL);
        SEAM_OK(seam->queue.query(queue, &idle));
    }
    CU_ASSERT(idle && polls > 1);
    seam->queue.destroy(queue);
    seam_down(device);
}

static void test_clock(void)
{
    device = seam_up();
    twin_queue *queue = seam_queue(device, 1);
    uint64_t cell = memory(KIB);
    uint64_t before = seam->host.now();
    seam_call(TWIN_COST_SUBMIT);
    CU_ASSERT(seam->host.now() == before + 3000);
    before = seam->host.now();
    queue_fill(queue, cell, 1, KIB);
    CU_ASSERT(seam->host.now() == before);
    SEAM_OK(seam->queue.drain(queue, TWIN_FOREVER));
    /* doorbell, swap-in, SDMA set-up and the wake-up of a sleeping thread at least */
    CU_ASSERT(seam->host.now() > before + 500 + 1000 + 15000);
    before = seam->host.now();
    SEAM_OK(seam->queue.drain(queue, TWIN_FOREVER));
    CU_ASSERT(seam->host.now() == before);
    seam->queue.destroy(queue);
    seam_down(device);
}

static void test_fast_sync(void)
{
    device = seam_up();
    uint64_t cell = memory(KIB);
    uint64_t taken[2];
    for (unsigned fast = 0; fast < 2; fast++) {
        const twin_queue_config config = {.id = fast, .fast_sync = fast};
        twin_queue *queue = NULL;
        SEAM_OK(seam->queue.create(device, &config, &queue));
        uint64_t before = seam->host.now();
        queue_fill(queue, cell, 1, KIB);
        SEAM_OK(seam->queue.drain(queue, TWIN_FOREVER));
        taken[fast] = seam->host.now() - before;
        seam->queue.destroy(queue);
    }
    CU_ASSERT(taken[0] - taken[1] == 14000); /* host.wake.stream_ns less host.wake.poll_ns */
    seam_down(device);
}

static void test_bad_ranges(void)
{
    device = seam_up();
    twin_queue *queue = seam_queue(device, 1);
    uint64_t cell = memory(KIB);
    unsigned char stack[16] = {0};
    SEAM_STATUS(seam->work.fill(queue, &(twin_fill){.dst = cell + 1, .bytes = KIB}),
                TWIN_E_INVALID);
    SEAM_STATUS(seam->work.fill(queue, &(twin_fill){.dst = cell + 64 * KIB, .bytes = 1}),
                TWIN_E_INVALID);
    SEAM_STATUS(
        seam->work.copy(queue, &(twin_copy){.dst = cell, .src = number(stack), .bytes = 16}),
        TWIN_E_INVALID);
    SEAM_STATUS(seam->memory.copy(
                    device, &(twin_copy){.dst = cell, .src = number(stack), .bytes = 1 << 20}),
                TWIN_E_INVALID);
    SEAM_STATUS(seam->memory.copy(device, &(twin_copy){.dst = cell, .src = 0x1000, .bytes = 16}),
                TWIN_E_INVALID);
    CU_ASSERT(seam_explained("not mapped"));
    SEAM_OK(seam->memory.free(cell));
    SEAM_STATUS(seam->work.fill(queue, &(twin_fill){.dst = cell, .bytes = 1}), TWIN_E_INVALID);
    SEAM_STATUS(seam->memory.free(cell), TWIN_E_INVALID);
    SEAM_STATUS(seam->memory.free(number(stack)), TWIN_E_INVALID);
    seam->queue.destroy(queue);
    seam_down(device);
}

/* Freed after the caller has found it: the work fails, and nothing else. */
static void test_freed_meanwhile(void)
{
    device = seam_up();
    twin_queue *queue = seam_queue(device, 1);
    const uint64_t cell = memory(KIB);
    unsigned char *host = pinned(16);
    const twin_side found = {.kind = TWIN_MEMORY_DEVICE, .device = 0};
    const twin_side locked = {.kind = TWIN_MEMORY_HOST_PINNED};
    const twin_fill fill = {.dst = cell, .bytes = 16, .value = 7, .side = found};
    const twin_copy copy = {
        .dst = number(host), .src = cell, .bytes = 16, .sides = {.dst = locked, .src = found}};
    SEAM_OK(seam->work.fill(queue, &fill));
    SEAM_OK(seam->work.copy(queue, &copy));
    SEAM_OK(seam->queue.drain(queue, TWIN_FOREVER));
    CU_ASSERT(all(host, 16, 7));
    SEAM_OK(seam->memory.free(cell));
    SEAM_STATUS(seam->memory.copy(device, &copy), TWIN_E_INVALID);
    CU_ASSERT(seam_explained("freed meanwhile"));
    SEAM_STATUS(seam->memory.fill(device, &fill), TWIN_E_INVALID);
    SEAM_OK(seam->work.copy(queue, &copy));
    CU_ASSERT(seam->queue.drain(queue, TWIN_FOREVER) != TWIN_OK);
    seam->queue.destroy(queue);
    seam_down(device);
}

/* Mapped without the right to read or write: refused at any place of the range. */
static void test_host_rights(void)
{
    static const char constant[64] = "the host may not write this";
    enum { BYTES = 64 << 20 };
    device = seam_up();
    uint64_t cell = memory(BYTES);
    char *host = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CU_ASSERT_FATAL(host != MAP_FAILED);
    twin_copy in = {.dst = cell, .src = number(host), .bytes = BYTES};
    twin_copy out = {.dst = number(host), .src = cell, .bytes = BYTES};
    SEAM_OK(seam->memory.copy(device, &in));
    CU_ASSERT(mprotect(host + BYTES / 2, 4096, PROT_NONE) == 0);
    SEAM_STATUS(seam->memory.copy(device, &in), TWIN_E_INVALID);
    CU_ASSERT(seam_explained("readable"));
    SEAM_STATUS(seam->memory.copy(device, &out), TWIN_E_INVALID);
    CU_ASSERT(mprotect(host + BYTES / 2, 4096, PROT_READ) == 0);
    SEAM_OK(seam->memory.copy(device, &in));
    SEAM_STATUS(seam->memory.copy(device, &out), TWIN_E_INVALID);
    CU_ASSERT(seam_explained("writable"));
    out = (twin_copy){.dst = number(constant), .src = cell, .bytes = sizeof(constant)};
    SEAM_STATUS(seam->memory.copy(device, &out), TWIN_E_INVALID);
    SEAM_STATUS(
        seam->memory.fill(device, &(twin_fill){.dst = number(constant), .bytes = sizeof(constant)}),
        TWIN_E_INVALID);
    munmap(host, BYTES);
    SEAM_OK(seam->memory.free(cell));
    seam_down(device);
}

static void test_synchronous(void)
{
    enum { BYTES = 3 << 20 };
    device = seam_up();
    uint64_t a = memory(BYTES);
    uint64_t b = memory(BYTES);
    unsigned char *pageable = malloc(BYTES);
    unsigned char *locked = pinned(BYTES);
    for (unsigned i = 0; i < BYTES; i++)
        pageable[i] = (unsigned char)(i * 7 + i / 256);
    uint64_t before = seam->host.now();
    SEAM_OK(
        seam->memory.copy(device, &(twin_copy){.dst = a, .src = number(pageable), .bytes = BYTES}));
    CU_ASSERT(seam->host.now() > before + BYTES / 25);
    SEAM_OK(seam->memory.copy(device, &(twin_copy){.dst = b, .src = a, .bytes = BYTES}));
    SEAM_OK(
        seam->memory.copy(device, &(twin_copy){.dst = number(locked), .src = b, .bytes = BYTES}));
    CU_ASSERT(memcmp(pageable, locked, BYTES) == 0);
    SEAM_OK(seam->memory.fill(device, &(twin_fill){.dst = a, .value = 3, .bytes = 100}));
    SEAM_OK(seam->memory.copy(device, &(twin_copy){.dst = number(locked), .src = a, .bytes = 101}));
    CU_ASSERT(all(locked, 100, 3) && locked[100] == pageable[100]);
    /* Both sides on the host: moved all the same, and not for nothing. */
    before = seam->host.now();
    SEAM_OK(seam->memory.fill(device, &(twin_fill){.dst = number(locked), .value = 4, .bytes = 9}));
    SEAM_OK(seam->memory.copy(
        device,
        &(twin_copy){.dst = number(locked) + 9, .src = number(pageable), .bytes = BYTES - 9}));
    CU_ASSERT(all(locked, 9, 4) && memcmp(locked + 9, pageable, BYTES - 9) == 0);
    CU_ASSERT(seam->host.now() > before + BYTES / 25);
    free(pageable);
    seam_down(device);
}

static void test_classify(void)
{
    device = seam_up();
    uint64_t cell = memory(KIB);
    void *host = pinned(KIB);
    twin_memory_info info;
    SEAM_OK(seam->memory.info(cell + 5, &info));
    CU_ASSERT(info.kind == TWIN_MEMORY_DEVICE && info.base == cell && info.size_bytes == KIB);
    SEAM_OK(seam->memory.info(number(host), &info));
    CU_ASSERT(info.kind == TWIN_MEMORY_HOST_PINNED);
    SEAM_OK(seam->memory.info(number(&info), &info));
    CU_ASSERT(info.kind == TWIN_MEMORY_UNKNOWN && info.base == 0);
    SEAM_OK(seam->memory.host_free(host));
    SEAM_OK(seam->memory.info(number(host), &info));
    CU_ASSERT(info.kind == TWIN_MEMORY_GONE && info.base == 0);
    SEAM_STATUS(seam->memory.host_free(host), TWIN_E_INVALID);
    seam_down(device);
}

static void test_freed_in_flight(void)
{
    device = seam_up();
    twin_queue *queue = seam_queue(device, 1);
    uint64_t cell = memory(KIB);
    uint64_t copy = memory(KIB);
    unsigned char *host = pinned(KIB);
    queue_fill(queue, cell, 5, KIB);
    queue_copy(queue, copy, cell, KIB);
    queue_copy(queue, number(host), copy, KIB);
    SEAM_OK(seam->memory.free(cell));
    CU_ASSERT(memory(KIB) != cell);
    SEAM_OK(seam->queue.drain(queue, TWIN_FOREVER));
    CU_ASSERT(all(host, KIB, 5));
    CU_ASSERT(seam_logged_times("after its memory was freed") == 1);
    CU_ASSERT(memory(KIB) == cell);
    seam->queue.destroy(queue);
    seam_down(device);
}

/* One queue frees a block of a pool; another one, which is not ordered with it, uses it later. */
static void test_freed_in_order(void)
{
    device = seam_up();
    twin_queue *owner = seam_queue(device, 1);
    twin_queue *other = seam_queue(device, 2);
    twin_signal *gate = seam_signal(device, TWIN_SIGNAL_NOTIFY, 1);
    twin_hw_pool *pool = NULL;
    uint64_t block = 0;
    SEAM_OK(seam->pool.create(device, TWIN_POOL_GRANULE, &pool));
    SEAM_OK(seam->work.alloc(owner, pool, TWIN_POOL_GRANULE, &block));
    queue_fill(owner, block, 5, KIB);
    SEAM_OK(seam->work.wait(other, gate, TWIN_FOREVER));
    queue_fill(other, block, 6, KIB);
    SEAM_OK(seam->work.free(owner, block));
    SEAM_OK(seam->queue.drain(owner, TWIN_FOREVER));
    CU_ASSERT(seam_logged_times("after its memory was freed") == 0);
    SEAM_OK(seam->work.record(owner, gate));
    SEAM_OK(seam->queue.drain(other, TWIN_FOREVER));
    CU_ASSERT(seam_logged_times("after its memory was freed") == 1);
    CU_ASSERT(seam_logged("it was freed in the order of a stream"));
    seam->pool.destroy(pool);
    seam->signal.destroy(gate);
    seam->queue.destroy(other);
    seam->queue.destroy(owner);
    seam_down(device);
}

static void test_leaks(void)
{
    device = seam_up();
    memory(1000);
    seam_signal(device, TWIN_SIGNAL_EVENT_LEVEL, 17);
    seam_down(device);
    CU_ASSERT(seam_logged("memory was not freed"));
    CU_ASSERT(seam_logged("1000 bytes"));
    CU_ASSERT(seam_logged("event 17 was not destroyed"));
}

#define MANY 25 /* more than are named */

static void test_leaks_are_counted(void)
{
    device = seam_up();
    for (int i = 0; i < MANY; i++)
        memory(1000 + (uint64_t)i);
    seam_down(device);
    CU_ASSERT(seam_logged_times("device 0: memory was not freed: allocation ") == 20);
    CU_ASSERT(seam_logged("memory was not freed: 25 allocations in all"));
    CU_ASSERT(seam_logged("1019 bytes") && !seam_logged("1020 bytes"));
}

static void test_late_uses_are_counted(void)
{
    uint64_t cells[MANY];
    device = seam_up();
    twin_queue *queue = seam_queue(device, 1);
    for (int i = 0; i < MANY; i++) {
        cells[i] = memory(KIB);
        queue_fill(queue, cells[i], 5, KIB);
    }
    for (int i = 0; i < MANY; i++)
        SEAM_OK(seam->memory.free(cells[i]));
    SEAM_OK(seam->queue.drain(queue, TWIN_FOREVER));
    seam->queue.destroy(queue);
    CU_ASSERT(seam_logged_times("after its memory was freed") == 20);
    seam_down(device);
    CU_ASSERT(seam_logged("tasks used 25 allocations after they were freed"));
}

static void test_abort(void)
{
    device = seam_up();
    twin_queue *queue = seam_queue(device, 1);
    twin_signal *never = seam_signal(device, TWIN_SIGNAL_NOTIFY, 1);
    twin_signal *after = seam_signal(device, TWIN_SIGNAL_EVENT_REBIND, 2);
    uint64_t cell = memory(KIB);
    SEAM_OK(seam->work.wait(queue, never, TWIN_FOREVER));
    queue_fill(queue, cell, 1, KIB);
    SEAM_OK(seam->work.record(queue, after));
    SEAM_OK(seam->queue.abort(queue));
    twin_signal_state state;
    SEAM_OK(seam->signal.query(after, &state));
    CU_ASSERT(state.recorded && !state.complete);
    SEAM_STATUS(seam->signal.wait(after, TWIN_FOREVER), TWIN_E_ABORTED);
    queue_fill(queue, cell, 2, KIB);
    SEAM_OK(seam->work.record(queue, after));
    SEAM_OK(seam->queue.drain(queue, TWIN_FOREVER));
    SEAM_OK(seam->signal.query(after, &state));
    CU_ASSERT(state.complete);
    seam->signal.destroy(never);
    seam->signal.destroy(after);
    seam->queue.destroy(queue);
    seam_down(device);
}

static void test_queue_limit(void)
{
    device = seam_up();
    const twin_device_properties *properties;
    SEAM_OK(seam->process.describe(0, &properties));
    twin_queue **queues = calloc(properties->stream_limit, sizeof(*queues));
    for (uint32_t i = 0; i < properties->stream_limit; i++)
        queues[i] = seam_queue(device, i);
    twin_queue *more;
    SEAM_STATUS(seam->queue.create(device, &(twin_queue_config){.id = 5000}, &more),
                TWIN_E_NO_QUEUE);
    seam->queue.destroy(queues[77]);
    SEAM_OK(seam->queue.create(device, &(twin_queue_config){.id = 5000}, &queues[77]));
    for (uint32_t i = 0; i < properties->stream_limit; i++)
        seam->queue.destroy(queues[i]);
    free(queues);
    seam_down(device);
}

static void test_settings(void)
{
    static const struct {
        const char *name;
        const char *value;
    } bad[] = {
        {"TWINRT_DEVICES", "0"},    {"TWINRT_DEVICES", "65"},     {"TWINRT_DEVICES", "two"},
        {"TWINRT_POISON", "maybe"}, {"TWINRT_DEVMEM", "x"},       {"TWINRT_DMA", "bursts"},
        {"TWINRT_SEED", "-1"},      {"TWINRT_PROFILE", "nosuch"}, {"TWINRT_PROFILE", "/dev/null"},
        {"TWINRT_MODEL", "vhdl"},   {"TWINRT_PROGRESS", "0"}};
    for (unsigned i = 0; i < TWIN_COUNT(bad); i++) {
        seam_forget();
        seam_set(bad[i].name, bad[i].value);
        SEAM_STATUS(seam_start(), TWIN_E_INVALID);
        CU_ASSERT(seam_logged(bad[i].value));
        seam_set(bad[i].name, NULL);
    }
    CU_ASSERT(seam_logged("86400000 or off"));
}

static void test_describe_without_model(void)
{
    uint32_t count = 0;
    const twin_device_properties *properties = NULL;
    SEAM_OK(seam_start());
    SEAM_OK(seam->process.count(&count));
    CU_ASSERT(count == 1);
    SEAM_OK(seam->process.describe(0, &properties));
    CU_ASSERT_STRING_EQUAL(properties->soc_name, "Ascend910B3");
    CU_ASSERT(properties->memory_bytes == 64ull << 30);
    SEAM_STATUS(seam->process.describe(1, &properties), TWIN_E_DEVICE_ID);
    seam->process.stop();
}

static void test_again_and_again(void)
{
    uint64_t first = 0;
    for (unsigned i = 0; i < 20; i++) {
        device = seam_up();
        twin_queue *queue = seam_queue(device, 1);
        uint64_t cell = memory(KIB);
        first = i == 0 ? cell : first;
        CU_ASSERT(cell == first);
        unsigned char host[16];
        SEAM_OK(
            seam->memory.copy(device, &(twin_copy){.dst = number(host), .src = cell, .bytes = 16}));
        CU_ASSERT(all(host, 16, 0xa5));
        queue_fill(queue, cell, 1, KIB);
        SEAM_OK(seam->queue.drain(queue, TWIN_FOREVER));
        seam->queue.destroy(queue);
        seam_down(device);
    }
}

/* A child touches guarded memory; its last words are read. */
static void test_guard(void)
{
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    TWIN_SKIP("the sanitizer handles the fault");
#else
    device = seam_up();
    uint64_t cell = memory(KIB);
    int ends[2];
    char text[512] = "";
    CU_ASSERT_FATAL(pipe(ends) == 0);
    pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], STDERR_FILENO);
        *(volatile char *)(uintptr_t)(cell + 3) = 1;
        _exit(0);
    }
    close(ends[1]);
    ssize_t length = read(ends[0], text, sizeof(text) - 1);
    int status = 0;
    waitpid(child, &status, 0);
    close(ends[0]);
    CU_ASSERT(length > 0);
    CU_ASSERT(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV);
    CU_ASSERT(strstr(text, "device memory") && strstr(text, "1024 bytes"));
    seam_down(device);
#endif
}

/* The place of a record with a lost report is free again: the ring has the room that it reports. */
static void test_room_after_a_lost_report(void)
{
    enum { RECORDS = 3000 }; /* more than a ring holds */
    const twin_fault fault = {.kind = TWIN_FAULT_REPORT_LOST,
                              .task = TWIN_FAULT_TASK_ANY,
                              .device = TWIN_FAULT_ANY,
                              .stream = TWIN_FAULT_ANY,
                              .id = TWIN_FAULT_ANY,
                              .first = 1,
                              .times = 1};
    uint32_t number = 0;
    device = seam_up();
    twin_queue *queue = seam_queue(device, 1);
    twin_signal *signal = NULL;
    const twin_signal_config timed = {.kind = TWIN_SIGNAL_EVENT_REBIND, .timed = true};
    SEAM_OK(seam->signal.create(device, &timed, &signal));
    SEAM_OK(seam->fault.inject(&fault, &number));
    for (unsigned i = 0; i < RECORDS; i++) {
        twin_status status = seam->work.record(queue, signal);
        if (status == TWIN_E_BUSY) {
            SEAM_OK(seam->queue.room(queue));
            status = seam->work.record(queue, signal);
        }
        SEAM_OK(status);
        if (status != TWIN_OK)
            break;
    }
    SEAM_OK(seam->queue.drain(queue, TWIN_FOREVER));
    CU_ASSERT(seam_logged("was not reported; its time is lost"));
    uint64_t time_ns = 0;
    SEAM_OK(seam->signal.timestamp(signal, &time_ns)); /* of the last */
    SEAM_OK(seam->fault.remove(number));
    seam->signal.destroy(signal);
    seam->queue.destroy(queue);
    seam_down(device);
}

static const twin_test tests[] = {
    {"a bad setting or profile is refused and named", test_settings},
    {"name and limits are known without a model", test_describe_without_model},
    {"host memory without the rights is refused", test_host_rights},
    {"work of one queue runs in order", test_order},
    {"nothing moves before a thread waits", test_nothing_happens_unasked},
    {"a full ring holds its sender and no other thread", test_full_ring},
    {"a copy of several entries is queued whole or not at all", test_room_for_pieces},
    {"a record with a lost report releases its place", test_room_after_a_lost_report},
    {"polling ends", test_query_ends},
    {"calls take the times of the profile, a wait ends after its work", test_clock},
    {"a fast-sync queue wakes by polling", test_fast_sync},
    {"ranges that leave their allocation are refused", test_bad_ranges},
    {"work with memory that was freed meanwhile fails, no more", test_freed_meanwhile},
    {"synchronous copies and fills reach all kinds of memory", test_synchronous},
    {"addresses are classified", test_classify},
    {"memory freed in flight stays until its tasks retire, with a warning", test_freed_in_flight},
    {"a task that another queue's free does not wait for is reported", test_freed_in_order},
    {"objects left at close are reported", test_leaks},
    {"of many leaks the first are named and all counted", test_leaks_are_counted},
    {"of many late uses the first are named and all counted", test_late_uses_are_counted},
    {"abort drops queued work and the queue goes on", test_abort},
    {"the queue after the last is refused", test_queue_limit},
    {"a device opens any number of times, at the same addresses", test_again_and_again},
    {"a report of host code that touches device memory names the place", test_guard},
};

int main(int argc, char **argv)
{
    seam_load("sim");
    return twin_run_suite("sim_queue", tests, TWIN_COUNT(tests), argc, argv);
}
