/* SPDX-License-Identifier: Apache-2.0 */
/* Copies between devices, of rows too: over their own link where the part has one, and else over
 * the PCIe of both (T-LNK-1, T-LNK-3). Reductions: where there is a link. */
#include "seam.h"

#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define BYTES (64ull << 20)

/* Rows with gaps between them. */
#define PITCH (128ull << 10)
#define WIDTH (PITCH / 2)
#define ROWS  (BYTES / WIDTH)

static uint64_t allocate(twin_hw_device *device)
{
    uint64_t address = 0;
    SEAM_OK(seam->memory.alloc(device, &(twin_allocation){.bytes = 2 * BYTES}, &address));
    return address;
}

/* One piece, or rows if there is a pitch. */
typedef struct piece {
    uint64_t dst, src, pitch;
} piece;

static twin_rows rows_of(const piece *copy)
{
    return (twin_rows){.dst = copy->dst,
                       .src = copy->src,
                       .dst_pitch = copy->pitch,
                       .src_pitch = copy->pitch,
                       .width = WIDTH,
                       .height = ROWS};
}

static void enqueue(twin_queue *queue, const piece *copy)
{
    if (copy->pitch == 0) {
        SEAM_OK(seam->work.copy(queue,
                                &(twin_copy){.dst = copy->dst, .src = copy->src, .bytes = BYTES}));
        return;
    }
    const twin_rows rows = rows_of(copy);
    const uint64_t before = seam->diag.newest_task(queue);
    SEAM_OK(seam->work.copy_rows(queue, &rows));
    CU_ASSERT_EQUAL(seam->diag.newest_task(queue), before + 1); /* one task, whatever it takes */
}

/* How long each of some copies takes that begin at about the same time, on queues of one device. */
static void measure(twin_hw_device *device, const piece *copies, unsigned count, uint64_t *out_ns)
{
    twin_signal *signals[2][2];
    twin_queue *queues[2];
    for (unsigned i = 0; i < count; i++) {
        const twin_signal_config timed = {
            .kind = TWIN_SIGNAL_EVENT_REBIND, .name = i, .timed = true};
        queues[i] = seam_queue(device, i + 1);
        SEAM_OK(seam->signal.create(device, &timed, &signals[i][0]));
        SEAM_OK(seam->signal.create(device, &timed, &signals[i][1]));
        SEAM_OK(seam->work.record(queues[i], signals[i][0]));
        enqueue(queues[i], &copies[i]);
        SEAM_OK(seam->work.record(queues[i], signals[i][1]));
    }
    for (unsigned i = 0; i < count; i++) {
        uint64_t from = 0;
        uint64_t to = 0;
        SEAM_OK(seam->queue.drain(queues[i], TWIN_FOREVER));
        SEAM_OK(seam->signal.timestamp(signals[i][0], &from));
        SEAM_OK(seam->signal.timestamp(signals[i][1], &to));
        out_ns[i] = to - from;
    }
}

/* Whether a copy to the other device and one to the host take as long together as one after the
 * other, as two on one link do. */
static bool share(twin_hw_device *device, const piece *to_peer, uint64_t host)
{
    enum { TO_PEER, TO_HOST, BOTH };
    const piece copies[BOTH] = {
        [TO_PEER] = *to_peer,
        [TO_HOST] = {.dst = host, .src = allocate(device)},
    };
    uint64_t alone[BOTH];
    uint64_t together[BOTH];
    measure(device, &copies[TO_PEER], 1, &alone[TO_PEER]);
    measure(device, &copies[TO_HOST], 1, &alone[TO_HOST]);
    measure(device, copies, BOTH, together);
    SEAM_OK(seam->memory.free(copies[TO_HOST].src));
    /* Their shares are not compared, as descriptors of a list move side by side. */
    const double last = (double)(together[0] > together[1] ? together[0] : together[1]);
    const double longer = (double)(alone[0] > alone[1] ? alone[0] : alone[1]);
    const bool shared = last > 0.95 * (double)(alone[0] + alone[1]);
    CU_ASSERT(shared || last < 1.02 * longer);
    return shared;
}

static unsigned char byte_at(twin_hw_device *device, uint64_t address)
{
    unsigned char byte = 0;
    SEAM_OK(seam->memory.copy(device,
                              &(twin_copy){.dst = (uintptr_t)&byte, .src = address, .bytes = 1}));
    return byte;
}

static void fill(twin_hw_device *device, uint64_t address, uint64_t bytes, uint8_t value)
{
    SEAM_OK(
        seam->memory.fill(device, &(twin_fill){.dst = address, .value = value, .bytes = bytes}));
}

/* Copies rows the given way: their bytes arrive, the bytes between them stay. */
static void check_rows(twin_queue *queue, twin_hw_device *device, uint64_t dst, uint64_t src,
                       uint64_t height)
{
    twin_rows rows = rows_of(&(piece){dst, src, PITCH});
    rows.height = height;
    fill(device, dst, (height + 1) * PITCH, 1);
    fill(device, src, (height + 1) * PITCH, 9);
    SEAM_OK(seam->work.copy_rows(queue, &rows));
    SEAM_OK(seam->queue.drain(queue, TWIN_FOREVER));
    CU_ASSERT(byte_at(device, dst) == 9 && byte_at(device, dst + WIDTH - 1) == 9);
    CU_ASSERT(byte_at(device, dst + WIDTH) == 1 && byte_at(device, dst + PITCH - 1) == 1);
    CU_ASSERT(byte_at(device, dst + (height - 1) * PITCH + WIDTH - 1) == 9);
    CU_ASSERT(byte_at(device, dst + (height - 1) * PITCH + WIDTH) == 1);
    CU_ASSERT(byte_at(device, dst + height * PITCH) == 1);
}

/* A reduction with memory of another device, on either side. */
static void check_reduction(twin_queue *queue, twin_hw_device *device, uint64_t dst, uint64_t src,
                            bool refused)
{
    const uint64_t before = seam->diag.newest_task(queue);
    fill(device, dst, 4096, 1);
    fill(device, src, 4096, 9);
    twin_status status = seam->work.reduce(queue, &(twin_reduce){.dst = dst,
                                                                 .src = src,
                                                                 .bytes = 4096,
                                                                 .op = TWIN_REDUCE_ADD,
                                                                 .element = TWIN_ELEMENT_INT8});
    SEAM_STATUS(status, refused ? TWIN_E_UNSUPPORTED : TWIN_OK);
    if (refused)
        CU_ASSERT(
            seam_explained("the PCIe DMA, which copies from one to another, does not reduce"));
    CU_ASSERT_EQUAL(seam->diag.newest_task(queue), before + !refused);
    SEAM_OK(seam->queue.drain(queue, TWIN_FOREVER));
    CU_ASSERT_EQUAL(byte_at(device, dst), refused ? 1 : 10);
}

/* Whether devices meet at the host, derived from the rate that copies share with those to the host;
 * all other facts must agree. */
static bool meet(const char *profile)
{
    void *host = NULL;
    twin_hw_device *others[2] = {NULL, NULL};
    seam_set("TWINRT_PROFILE", profile);
    seam_set("TWINRT_DEVICES", "3");
    twin_hw_device *device = seam_up();
    SEAM_OK(seam->device.open(1, &others[0]));
    SEAM_OK(seam->device.open(2, &others[1]));
    SEAM_OK(seam->memory.host_alloc(&(twin_allocation){.bytes = BYTES}, &host));
    const uint64_t own = allocate(device);
    const uint64_t far[2] = {allocate(others[0]), allocate(others[1])};
    fill(device, own, 2 * BYTES, 7);
    const bool shared = share(device, &(piece){far[0], own, 0}, (uintptr_t)host);
    CU_ASSERT_EQUAL(byte_at(device, far[0] + BYTES - 1), 7);
    CU_ASSERT_EQUAL(share(device, &(piece){far[0], own, PITCH}, (uintptr_t)host), shared);

    twin_queue *queue = seam_queue(device, 9);
    check_rows(queue, device, far[0], own, 40);
    check_rows(queue, device, own, far[0], 40);
    check_rows(queue, device, far[1], far[0], 16); /* from one other device to another */
    check_reduction(queue, device, far[0], own, shared);
    check_reduction(queue, device, own, far[0], shared);
    check_reduction(queue, device, far[1], far[0], shared);
    check_reduction(queue, device, own, own + BYTES, false);
    return shared;
}

/* A process for each part: the model is built once. */
static void check(const char *profile, bool wanted)
{
    int status = -1;
    pid_t child = fork();
    if (child == 0) {
        bool shared = meet(profile);
        for (CU_pFailureRecord one = CU_get_failure_list(); one; one = one->pNext)
            fprintf(stderr, "  line %u: %s\n", one->uiLineNumber, one->strCondition);
        _exit(CU_get_number_of_failures() == 0 ? shared : 2);
    }
    CU_ASSERT_FATAL(child > 0 && waitpid(child, &status, 0) == child);
    CU_ASSERT(WIFEXITED(status) && WEXITSTATUS(status) == wanted);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != wanted)
        fprintf(stderr, "profile %s: status %#x, wanted %d\n", profile, status, wanted);
}

static void test_linked(void)
{
    check("910b3", false);
    check("910_9391", false);
    check("910a", false);
}

static void test_meeting_at_the_host(void)
{
    check("310p3", true);
    check("310b1", true);
}

static const twin_test tests[] = {
    {"devices with a link leave PCIe alone", test_linked},
    {"devices without one share PCIe with the host", test_meeting_at_the_host},
};

int main(int argc, char **argv)
{
    seam_load("sim");
    return twin_run_suite("sim_peer", tests, TWIN_COUNT(tests), argc, argv);
}
