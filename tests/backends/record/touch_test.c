/* SPDX-License-Identifier: Apache-2.0 */
/* What tasks find in memory to which others store: which of it a recording has. */
#include <string.h>
#include <unistd.h>

#include "fake_device.h"
#include "recording/reader.h"
#include "seam/wrapper.h"
#include "support/cunit_main.h"

const struct twin_backend *twin_wrapper_entry(const struct twin_backend *below);

static char path[64];
static const struct twin_backend *table;
static twin_services services;

static void start(const char *data)
{
    (void)snprintf(path, sizeof(path), "record_touch.%ld.rec", (long)getpid());
    table = twin_wrapper_entry(&fake_backend);
    fake_set("TWINRT_RECORD", path);
    fake_set("TWINRT_RECORD_DATA", data);
    fake_status = TWIN_OK;
    CU_ASSERT_EQUAL_FATAL(table->process.start(&services), TWIN_OK);
}

static twin_recording *stop(void)
{
    char error[256];
    twin_recording *recording = NULL;
    table->process.stop();
    CU_ASSERT_EQUAL_FATAL(twin_recording_read(path, &recording, error, sizeof(error)),
                          TWIN_RECORDING_OK);
    CU_ASSERT_EQUAL(twin_recording_damage_count(recording), 0);
    (void)unlink(path);
    return recording;
}

/* The entry that is number `which`, from 0. False: there are fewer. */
static bool entry_at(const twin_recording *recording, unsigned which,
                     struct twin_record_TOUCHED *out)
{
    for (size_t i = 0; i < twin_recording_count(recording); i++)
        if (TWIN_RECORDING_GET(twin_recording_at(recording, i), TOUCHED, out) && which-- == 0)
            return true;
    return false;
}

static unsigned entries_of(const twin_recording *recording)
{
    struct twin_record_TOUCHED entry;
    unsigned count = 0;
    while (entry_at(recording, count, &entry))
        count++;
    return count;
}

static char bytes[16];

/* An event uses bytes that others store to. */
static twin_touch use(twin_touch_what what, uint64_t step)
{
    return (twin_touch){.what = what,
                        .address = 0x1000,
                        .bytes = sizeof(bytes),
                        .at = bytes,
                        .good = true,
                        .shared = true,
                        .at_ns = 77,
                        .step = step,
                        .use = 1};
}

static void touch(twin_touch_what what, uint64_t step)
{
    const twin_touch one = use(what, step);
    CU_ASSERT(fake_touch(&one));
}

static void look(uint64_t step)
{
    twin_touch one = use(TWIN_TOUCH_READ, step);
    one.use = 0;
    CU_ASSERT(fake_touch(&one));
}

static void test_contents(void)
{
    struct twin_record_TOUCHED entry;
    size_t size = 0;
    start("on");
    memcpy(bytes, "first.........!", sizeof(bytes));
    touch(TWIN_TOUCH_READ, 4);
    memcpy(bytes, "second........!", sizeof(bytes));
    touch(TWIN_TOUCH_READ, 6);
    twin_recording *recording = stop();
    CU_ASSERT_EQUAL(entries_of(recording), 2);
    CU_ASSERT_FATAL(entry_at(recording, 1, &entry));
    CU_ASSERT_EQUAL(entry.what, TWIN_TOUCH_READ);
    CU_ASSERT_EQUAL(entry.address, 0x1000);
    CU_ASSERT_EQUAL(entry.bytes, sizeof(bytes));
    CU_ASSERT_EQUAL(entry.at_ns, 77);
    CU_ASSERT_EQUAL(entry.step, 6);
    CU_ASSERT_EQUAL(entry.use, 1);
    CU_ASSERT_EQUAL(entry.good, 1);
    const char *data = twin_recording_data(recording, entry.data, &size);
    CU_ASSERT_PTR_NOT_NULL_FATAL(data);
    CU_ASSERT_EQUAL_FATAL(size, sizeof(bytes));
    CU_ASSERT_EQUAL(memcmp(data, bytes, size), 0);
    twin_recording_free(recording);
}

/* What a replay has there already is not written. */
static void test_what_is_known(void)
{
    void *memory = NULL;
    start("on");
    touch(TWIN_TOUCH_READ, 2);
    touch(TWIN_TOUCH_READ, 4);
    look(5);
    touch(TWIN_TOUCH_WRITE, 6);
    touch(TWIN_TOUCH_READ, 8); /* the task has written */
    CU_ASSERT_EQUAL(table->memory.host_alloc(&(twin_allocation){.bytes = 64}, &memory), TWIN_OK);
    touch(TWIN_TOUCH_READ, 10); /* it may be other memory */
    touch(TWIN_TOUCH_READ, 12);
    twin_recording *recording = stop();
    CU_ASSERT_EQUAL(entries_of(recording), 3);
    twin_recording_free(recording);
}

/* A replay looks less often: what a look has found an event finds again. */
static void test_looks(void)
{
    start("on");
    look(3);
    look(5);
    touch(TWIN_TOUCH_READ, 6);
    look(7);
    twin_recording *recording = stop();
    CU_ASSERT_EQUAL(entries_of(recording), 2);
    twin_recording_free(recording);
}

static void test_missing_pages(void)
{
    struct twin_record_TOUCHED entry;
    start("on");
    twin_touch one = use(TWIN_TOUCH_READ, 2);
    one.good = false;
    one.at = NULL;
    CU_ASSERT(!fake_touch(&one));
    twin_recording *recording = stop();
    CU_ASSERT_EQUAL(entries_of(recording), 1);
    CU_ASSERT_FATAL(entry_at(recording, 0, &entry));
    CU_ASSERT_EQUAL(entry.good, 0);
    CU_ASSERT_EQUAL(entry.data, 0);
    twin_recording_free(recording);
}

static void test_memory_of_tasks_alone(void)
{
    start("on");
    twin_touch one = use(TWIN_TOUCH_READ, 2);
    one.shared = false;
    CU_ASSERT(fake_touch(&one));
    twin_recording *recording = stop();
    CU_ASSERT_EQUAL(entries_of(recording), 0);
    twin_recording_free(recording);
}

/* Of pages of managed memory only those that the host has used. */
static void test_pages_of_the_host(void)
{
    struct twin_record_TOUCHED entry;
    start("on");
    twin_touch one = use(TWIN_TOUCH_HOST, 2);
    one.use = 0;
    one.at = NULL;
    CU_ASSERT(fake_touch(&one));
    one.good = false;
    CU_ASSERT(!fake_touch(&one));
    twin_recording *recording = stop();
    CU_ASSERT_EQUAL(entries_of(recording), 1);
    CU_ASSERT_FATAL(entry_at(recording, 0, &entry));
    CU_ASSERT_EQUAL(entry.what, TWIN_TOUCH_HOST);
    CU_ASSERT_EQUAL(entry.good, 1);
    CU_ASSERT_EQUAL(entry.data, 0);
    twin_recording_free(recording);
}

static const twin_touch *asked;

static bool hand_out(const twin_touch *touch)
{
    asked = touch;
    memcpy(touch->at, "of a recording!", sizeof(bytes));
    return true;
}

/* A recording of a replay has what the replay has put there. */
static void test_replay(void)
{
    struct twin_record_TOUCHED entry;
    size_t size;
    services.touched = hand_out;
    start("on");
    memset(bytes, 0, sizeof(bytes));
    touch(TWIN_TOUCH_READ, 2);
    CU_ASSERT_PTR_NOT_NULL(asked);
    services.touched = NULL;
    twin_recording *recording = stop();
    CU_ASSERT_FATAL(entry_at(recording, 0, &entry));
    const char *data = twin_recording_data(recording, entry.data, &size);
    CU_ASSERT_PTR_NOT_NULL_FATAL(data);
    CU_ASSERT_EQUAL(memcmp(data, "of a recording!", sizeof(bytes)), 0);
    twin_recording_free(recording);
}

static const twin_test tests[] = {
    {"what a task finds is in the recording", test_contents},
    {"not again while nothing can have changed it", test_what_is_known},
    {"what only a look has found, an event finds again", test_looks},
    {"pages that are missing", test_missing_pages},
    {"pages of managed memory that the host has used", test_pages_of_the_host},
    {"memory of tasks alone is left out", test_memory_of_tasks_alone},
    {"a recording of a replay has what was handed out", test_replay},
};

int main(int argc, char **argv)
{
    services = fake_services;
    return twin_run_suite("record_touch", tests, TWIN_COUNT(tests), argc, argv);
}
