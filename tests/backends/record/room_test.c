/* SPDX-License-Identifier: Apache-2.0 */
/* A recording whose file cannot be made, or gets no more room. */
#include <signal.h>
#include <stdatomic.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fake_device.h"
#include "recording/reader.h"
#include "seam/wrapper.h"
#include "support/cunit_main.h"

const struct twin_backend *twin_wrapper_entry(const struct twin_backend *below);

static const struct twin_backend *table;
static twin_hw_device *device;
static twin_queue *queue;

/* In place of the C library's: the recorder asks this around what it does to the file. */
static atomic_uint pending_asked;

int sigpending(sigset_t *set)
{
    atomic_fetch_add(&pending_asked, 1);
    return sigemptyset(set);
}

static void start(const char *where)
{
    table = twin_wrapper_entry(&fake_backend);
    fake_set("TWINRT_RECORD", where);
    fake_forget();
    fake_status = TWIN_OK;
    CU_ASSERT_EQUAL_FATAL(table->process.start(&fake_services), TWIN_OK);
    table->device.open(0, &device);
    table->queue.create(device, &(twin_queue_config){.id = 1}, &queue);
}

static void stop(void)
{
    table->queue.destroy(queue);
    table->device.close(device);
    table->process.stop();
}

/* Each inside a public call: a chunk that is nearly full when one begins is emptied. */
static void copies(uint64_t count)
{
    static const twin_call call = {"aclrtMemcpyAsync", TWIN_COST_SUBMIT};
    for (uint64_t i = 0; i < count; i++) {
        table->host.enter(&call);
        table->work.copy(queue, &(twin_copy){.dst = 0x10000, .src = i, .bytes = 8});
        table->host.leave(&call, 0);
    }
}

static bool limit_files(rlim_t bytes)
{
    return setrlimit(RLIMIT_FSIZE, &(struct rlimit){.rlim_cur = bytes, .rlim_max = bytes}) == 0;
}

/* What a child records whose `run` returns 0. */
static twin_recording *recording_of(const char *folder, int (*run)(void))
{
    char path[64];
    char error[256] = "";
    int status = 0;
    twin_recording *recording = NULL;
    pid_t child = fork();
    if (child == 0)
        _exit(run());
    (void)waitpid(child, &status, 0);
    (void)snprintf(path, sizeof(path), "%srecord_room.%ld.rec", folder, (long)child);
    const enum twin_recording_result result =
        twin_recording_read(path, &recording, error, sizeof(error));
    (void)unlink(path);
    CU_ASSERT_FATAL(WIFEXITED(status));
    CU_ASSERT_EQUAL(WEXITSTATUS(status), 0);
    CU_ASSERT_EQUAL_FATAL(result, TWIN_RECORDING_OK);
    CU_ASSERT_EQUAL(twin_recording_damage_count(recording), 0);
    return recording;
}

static uint64_t count_copies(const twin_recording *recording)
{
    uint64_t count = 0;
    for (size_t i = 0; i < twin_recording_count(recording); i++)
        count += twin_recording_at(recording, i)->kind == TWIN_RECORD_WORK_COPY;
    return count;
}

static int record_in_little_room(void)
{
    if (!limit_files(3u << 20))
        return 1;
    start("record_room.%p.rec");
    unsigned before = fake_calls;
    copies(60000);
    if (fake_calls != before + 60000 || !fake_logged("the recording in"))
        return 2;
    fake_forget();
    copies(1);
    stop();
    return fake_logged("the recording in") ? 3 : 0; /* it is said once */
}

static void test_no_room_stops_the_recording_alone(void)
{
    twin_recording *recording = recording_of("", record_in_little_room);
    const struct twin_record_header *header = twin_recording_header(recording);
    CU_ASSERT_EQUAL(header->state, TWIN_RECORD_CUT);
    CU_ASSERT(count_copies(recording) > 10000);
    CU_ASSERT(count_copies(recording) + header->lost >= 60001);
    twin_recording_free(recording);
}

/* In memory, where no zeros are written first, the limit is lowered into the place of the first
 * copy of a chunk. */
static int record_with_a_copy_that_breaks_off(void)
{
    start("/dev/shm/record_room.%p.rec");
    if (!limit_files(TWIN_RECORD_HEADER_BYTES + TWIN_RECORD_CHUNK_BYTES + 4096))
        return 1;
    copies(3000);
    stop();
    return 0;
}

static void test_a_copy_that_breaks_off_leaves_nothing(void)
{
    if (access("/dev/shm", W_OK) != 0)
        TWIN_SKIP("no /dev/shm");
    twin_recording *recording = recording_of("/dev/shm/", record_with_a_copy_that_breaks_off);
    CU_ASSERT_EQUAL(count_copies(recording), 3000);
    twin_recording_free(recording);
}

static void test_what_is_not_kept_makes_no_system_calls(void)
{
    start("record_room.none/x");
    copies(1);
    unsigned before = atomic_load(&pending_asked);
    copies(100);
    CU_ASSERT_EQUAL(atomic_load(&pending_asked), before);
    stop();
}

static const twin_test tests[] = {
    {"without room the recording stops, the program does not",
     test_no_room_stops_the_recording_alone},
    {"a copy of a chunk that breaks off leaves no file",
     test_a_copy_that_breaks_off_leaves_nothing},
    {"entries that are not kept make no system calls", test_what_is_not_kept_makes_no_system_calls},
};

int main(int argc, char **argv)
{
    return twin_run_suite("record_room", tests, TWIN_COUNT(tests), argc, argv);
}
