/* SPDX-License-Identifier: Apache-2.0 */
/* Copies between devices: over their own link where the part has one, and else over the PCIe of both (LNK-1, LNK-3). */
#include "seam.h"

#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define BYTES (64ull << 20)

static uint64_t allocate(twin_hw_device *device)
{
    uint64_t address = 0;
    SEAM_OK(seam->memory.alloc(device, BYTES, TWIN_PAGES_DEFAULT, &address));
    return address;
}

/* How long each of some copies takes that begin at about the same time, on queues of one device. */
static void measure(twin_hw_device *device, const twin_copy *copies, unsigned count,
                    uint64_t *out_ns)
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
        SEAM_OK(seam->work.copy(queues[i], &copies[i]));
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

/* Whether a copy to the other device and one to the host slow each other down, as two on one link do. */
static bool share(const char *profile)
{
    enum { TO_PEER, TO_HOST, BOTH };
    void *host = NULL;
    twin_hw_device *other = NULL;
    seam_set("TWINRT_PROFILE", profile);
    seam_set("TWINRT_DEVICES", "2");
    twin_hw_device *device = seam_up();
    SEAM_OK(seam->device.open(1, &other));
    SEAM_OK(seam->memory.host_alloc(BYTES, &host));
    const twin_copy copies[BOTH] = {
        [TO_PEER] = {.dst = allocate(other), .src = allocate(device), .bytes = BYTES},
        [TO_HOST] = {.dst = (uint64_t)(uintptr_t)host, .src = allocate(device), .bytes = BYTES},
    };
    uint64_t alone[BOTH];
    uint64_t together[BOTH];
    SEAM_OK(seam->memory.fill(
        device, &(twin_fill){.dst = copies[TO_PEER].src, .value = 7, .bytes = BYTES}));
    measure(device, &copies[TO_PEER], 1, &alone[TO_PEER]);
    measure(device, &copies[TO_HOST], 1, &alone[TO_HOST]);
    measure(device, copies, BOTH, together);
    unsigned char last = 0;
    SEAM_OK(seam->memory.copy(device, &(twin_copy){.dst = (uint64_t)(uintptr_t)&last,
                                                   .src = copies[TO_PEER].dst + BYTES - 1,
                                                   .bytes = 1}));
    CU_ASSERT_EQUAL(last, 7);
    bool slower[BOTH];
    for (int i = 0; i < BOTH; i++) {
        double ratio = (double)together[i] / (double)alone[i];
        slower[i] = ratio > 1.9 && ratio < 2.1;
        CU_ASSERT(slower[i] || ratio < 1.01);
    }
    CU_ASSERT_EQUAL(slower[TO_PEER], slower[TO_HOST]);
    return slower[TO_PEER];
}

/* A process for each part: the model is built once. */
static void check(const char *profile, bool wanted)
{
    int status = -1;
    pid_t child = fork();
    if (child == 0) {
        bool shared = share(profile);
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
    seam_load(SEAM_PLUGIN);
    return twin_run_suite("sim_peer", tests, TWIN_COUNT(tests), argc, argv);
}
