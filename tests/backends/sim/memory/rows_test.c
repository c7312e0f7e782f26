/* SPDX-License-Identifier: Apache-2.0 */
/* Copies of rows between host and device, through the seam: their time, and the memory of the lists
 * that describe them to the device. The process may not reserve much address space, so that it has
 * memory for few lists. */
#include "seam.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* Over what the program has at its start. */
#define ROOM (3ull << 30)

/* Rows of 4 bytes that lie 8 apart; their list takes 1600000 bytes. */
#define MANY  50000u
#define PITCH 8u
#define WIDTH 4u

static twin_hw_device *device;
static twin_queue *queue;
static twin_signal *gate;
static uint64_t target;
static unsigned char *source;

static void *reserve(size_t bytes)
{
    return mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
}

/* 8 MiB are left to reserve, and little more. */
static void starve(void)
{
    const size_t left = (size_t)8 << 20;
    void *kept = reserve(left);
    for (size_t bytes = (size_t)1 << 30; bytes >= (size_t)1 << 20; bytes /= 2)
        while (reserve(bytes) != MAP_FAILED)
            continue;
    CU_ASSERT_FATAL(kept != MAP_FAILED && munmap(kept, left) == 0);
}

static void begin(void)
{
    device = seam_up();
    queue = seam_queue(device, 1);
    gate = seam_signal(device, TWIN_SIGNAL_NOTIFY, 1);
    SEAM_OK(
        seam->memory.alloc(device, &(twin_allocation){.bytes = (uint64_t)MANY * PITCH}, &target));
    void *host = NULL;
    SEAM_OK(seam->memory.host_alloc(&(twin_allocation){.bytes = (uint64_t)MANY * PITCH}, &host));
    source = host;
}

static void end(void)
{
    seam_drop_queue(queue);
    seam->signal.destroy(gate);
    SEAM_OK(seam->memory.host_free(source));
    SEAM_OK(seam->memory.free(target));
    seam_down(device);
}

static twin_status copy_rows(uint64_t height)
{
    return seam->work.copy_rows(queue, &(twin_rows){.dst = target,
                                                    .src = (uintptr_t)source,
                                                    .dst_pitch = PITCH,
                                                    .src_pitch = PITCH,
                                                    .width = WIDTH,
                                                    .height = height});
}

static void open_gate(void)
{
    twin_queue *other = seam_queue(device, 2);
    SEAM_OK(seam->work.record(other, gate));
    SEAM_OK(seam->queue.drain(queue, TWIN_FOREVER));
    seam_drop_queue(other);
}

/* Bytes of the device's rows that are not `in`, and between them not `out`. */
static unsigned wrong_bytes(unsigned char in, unsigned char out)
{
    static unsigned char back[MANY * PITCH];
    unsigned wrong = 0;
    SEAM_OK(seam->memory.copy(
        device, &(twin_copy){.dst = (uintptr_t)back, .src = target, .bytes = sizeof(back)}));
    for (size_t i = 0; i < sizeof(back); i++)
        wrong += back[i] != (i % PITCH < WIDTH ? in : out);
    return wrong;
}

/* As many as there is memory for, then none, and none of that one is queued. */
static void test_no_memory(void)
{
    enum { MOST = 12 };
    begin();
    starve();
    SEAM_OK(seam->work.fill(queue, &(twin_fill){.dst = target, .bytes = MANY * PITCH, .value = 3}));
    SEAM_OK(seam->work.wait(queue, gate, TWIN_FOREVER));
    unsigned queued = 0;
    uint64_t newest = 0;
    twin_status status = TWIN_OK;
    while (status == TWIN_OK && queued < MOST) {
        newest = seam->diag.newest_task(queue);
        status = copy_rows(MANY);
        queued += status == TWIN_OK;
    }
    CU_ASSERT(queued > 0);
    SEAM_STATUS(status, TWIN_E_NOMEM);
    CU_ASSERT(seam_explained("no memory for a list"));
    CU_ASSERT(seam->diag.newest_task(queue) == newest);
    memset(source, 7, MANY * PITCH);
    open_gate();
    CU_ASSERT(wrong_bytes(7, 3) == 0);
    SEAM_OK(copy_rows(MANY)); /* what the others had is free again */
    SEAM_OK(seam->queue.drain(queue, TWIN_FOREVER));
    end();
}

/* More in all than there is memory for at once. */
static void test_memory_comes_back(void)
{
    begin();
    for (unsigned i = 0; i < 500; i++) {
        SEAM_OK(copy_rows(2000));
        if (i % 50 == 49)
            SEAM_OK(seam->queue.drain(queue, TWIN_FOREVER));
    }
    /* and where no thread waits for the queue itself, or another queue needs the memory */
    for (unsigned i = 0; i < 20; i++) {
        twin_queue *own = queue;
        twin_queue *other = seam_queue(device, 2);
        SEAM_OK(copy_rows(MANY));
        SEAM_OK(seam->work.record(own, gate));
        SEAM_OK(seam->work.wait(other, gate, TWIN_FOREVER));
        queue = other;
        SEAM_OK(copy_rows(MANY));
        queue = own;
        SEAM_OK(seam->queue.drain(other, TWIN_FOREVER));
        seam_drop_queue(other);
    }
    end();
}

static void test_dropped(void)
{
    begin();
    for (unsigned i = 0; i < 40; i++) {
        SEAM_OK(
            seam->work.fill(queue, &(twin_fill){.dst = target, .bytes = MANY * PITCH, .value = 3}));
        SEAM_OK(seam->queue.drain(queue, TWIN_FOREVER));
        SEAM_OK(seam->work.wait(queue, gate, TWIN_FOREVER));
        SEAM_OK(copy_rows(MANY));
        if (i % 2 == 0) {
            SEAM_OK(seam->queue.abort(queue));
        } else {
            seam_drop_queue(queue);
            queue = seam_queue(device, 1);
        }
        memset(source, 7, MANY * PITCH);
        CU_ASSERT(wrong_bytes(3, 3) == 0);
    }
    end();
}

/* ---- time ----------------------------------------------------------------------------------- */

static uint64_t found;
static void find_fact(void *context, const twin_fact *fact)
{
    const char *const *wanted = context;
    if (strcmp(fact->name, *wanted) == 0)
        found = strtoull(fact->value, NULL, 10);
}

static uint64_t parameter(const char *name)
{
    found = UINT64_MAX;
    seam->diag.facts(find_fact, &name);
    CU_ASSERT_FATAL(found != UINT64_MAX);
    return found;
}

static uint64_t time_of(const twin_rows *rows)
{
    twin_signal *first = seam_signal(device, TWIN_SIGNAL_EVENT_LEVEL, 1);
    twin_signal *last = seam_signal(device, TWIN_SIGNAL_EVENT_LEVEL, 2);
    uint64_t at[2] = {0, 0};
    SEAM_OK(seam->work.record(queue, first));
    SEAM_OK(seam->work.copy_rows(queue, rows));
    SEAM_OK(seam->work.record(queue, last));
    SEAM_OK(seam->queue.drain(queue, TWIN_FOREVER));
    SEAM_OK(seam->signal.timestamp(first, &at[0]));
    SEAM_OK(seam->signal.timestamp(last, &at[1]));
    seam->signal.destroy(first);
    seam->signal.destroy(last);
    return at[1] - at[0];
}

/* The time of the bytes as one copy, plus the times of T-DMA-41 and T-DMA-42 for lines and
 * descriptors. */
static void test_time(void)
{
    static const struct {
        uint64_t width, height;
    } cases[] = {{777, 1000}, {64, 4000}, {20000, 30}, {200000, 4}, {5, 3}};
    begin();
    const uint64_t room = 1 << 20;
    uint64_t device_side = 0;
    void *host_side = NULL;
    SEAM_OK(seam->memory.alloc(device, &(twin_allocation){.bytes = room}, &device_side));
    SEAM_OK(seam->memory.host_alloc(&(twin_allocation){.bytes = room}, &host_side));
    const uint64_t window = parameter("dma.pcie.list.window");
    const uint64_t read_ns = parameter("dma.pcie.list.read_ns");
    const uint64_t start_ns = parameter("dma.pcie.list.start_ns");
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        for (unsigned down = 0; down < 2; down++) {
            const uint64_t host = (uintptr_t)host_side;
            twin_rows rows = {.dst = down ? device_side : host,
                              .src = down ? host : device_side,
                              .dst_pitch = cases[i].width + 8,
                              .src_pitch = cases[i].width,
                              .width = cases[i].width,
                              .height = cases[i].height};
            const uint64_t time = time_of(&rows);
            rows.dst_pitch = rows.width; /* now it is a plain copy */
            const uint64_t plain = time_of(&rows);
            const uint64_t lines = (rows.height + window - 1) / window;
            const uint64_t step = 2 * 1000 / parameter("counter_mhz"); /* of two time stamps */
            CU_ASSERT(time <= plain + lines * read_ns + rows.height * start_ns + step);
            CU_ASSERT(time + step >= plain + read_ns);
            CU_ASSERT(time + step >= lines * read_ns);
        }
    SEAM_OK(seam->memory.host_free(host_side));
    SEAM_OK(seam->memory.free(device_side));
    end();
}

static const twin_test tests[] = {
    {"where memory for a list is missing nothing of the copy is queued", test_no_memory},
    {"lists that are over give their memory back", test_memory_comes_back},
    {"and those of an aborted or destroyed queue", test_dropped},
    {"rows take the time of their bytes and of their descriptors", test_time},
};

int main(int argc, char **argv)
{
    seam_load("sim");
    if (!seam_limit_address_space(ROOM)) {
        fprintf(stderr, "the address space cannot be limited\n");
        return TWIN_EXIT_FAILED;
    }
    return twin_run_suite("backend.sim_rows", tests, TWIN_COUNT(tests), argc, argv);
}
