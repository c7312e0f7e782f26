/* SPDX-License-Identifier: Apache-2.0 */
/* Words of device memory that streams write and wait for. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "profile.h"
#include "suite.h"

enum { GEQ, EQ, AND, NOR };

#define MANY 24

static uint64_t *new_word(uint64_t value)
{
    void *word = NULL;
    CHECK_OK(aclrtMalloc(&word, sizeof(uint64_t), ACL_MEM_MALLOC_HUGE_FIRST));
    CHECK_OK(aclrtMemcpy(word, sizeof(value), &value, sizeof(value), ACL_MEMCPY_HOST_TO_DEVICE));
    return word;
}

static uint64_t read_word(const uint64_t *word)
{
    uint64_t value = 0;
    CHECK_OK(aclrtMemcpy(&value, sizeof(value), word, sizeof(value), ACL_MEMCPY_DEVICE_TO_HOST));
    return value;
}

static void set_word(uint64_t *word, uint64_t value)
{
    CHECK_OK(aclrtMemcpy(word, sizeof(value), &value, sizeof(value), ACL_MEMCPY_HOST_TO_DEVICE));
}

static void check_held(aclrtStream stream)
{
    CHECK_CODE(aclrtSynchronizeStreamWithTimeout(stream, SHORT_MS),
               ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
}

static void check_done(aclrtStream stream)
{
    CHECK_OK(aclrtSynchronizeStreamWithTimeout(stream, SOON_MS));
}

/* ---- writes --------------------------------------------------------------------------------- */

/* The copies before and after it see the old and the new word. */
static void test_write_in_order(void)
{
    uint64_t *seen = NULL;
    CHECK_OK(aclrtSetDevice(0));
    CHECK_OK(aclrtMallocHost((void **)&seen, 3 * sizeof(*seen)));
    aclrtStream stream = twin_stream();
    uint64_t *word = new_word(1);
    const aclrtMemcpyKind out = ACL_MEMCPY_DEVICE_TO_HOST;
    CHECK_OK(aclrtMemcpyAsync(&seen[0], 8, word, 8, out, stream));
    CHECK_OK(aclrtValueWrite(word, 0xfedcba9876543210, 0, stream));
    CHECK_OK(aclrtMemcpyAsync(&seen[1], 8, word, 8, out, stream));
    CHECK_OK(aclrtValueWrite(word, 2, 0, stream));
    CHECK_OK(aclrtMemcpyAsync(&seen[2], 8, word, 8, out, stream));
    CHECK_OK(aclrtSynchronizeStream(stream));
    CHECK_EQUAL(seen[0], 1);
    CHECK_EQUAL(seen[1], 0xfedcba9876543210);
    CHECK_EQUAL(seen[2], 2);
    CHECK_OK(aclrtFree(word));
    CHECK_OK(aclrtFreeHost(seen));
    CHECK_OK(aclrtDestroyStream(stream));
    CHECK_OK(aclrtResetDevice(0));
}

/* It touches its eight bytes alone, and only when the stream gets there. */
static void test_write_is_a_task(void)
{
    twin_hold hold;
    twin_buffer data;
    CHECK_OK(aclrtSetDevice(0));
    aclrtStream stream = twin_stream();
    aclrtStream opener = twin_stream();
    twin_buffer_make(&data, 24, 0x11);
    twin_hold_begin(&hold, stream);
    CHECK_OK(aclrtValueWrite(data.device + 8, 0, 0, stream));
    twin_buffer_read(&data);
    CHECK_BYTES(data.host, 0x11, 24);
    twin_hold_end(&hold, opener);
    twin_buffer_read(&data);
    CHECK_BYTES(data.host, 0x11, 8);
    CHECK_BYTES(data.host + 8, 0, 8);
    CHECK_BYTES(data.host + 16, 0x11, 8);
    twin_buffer_free(&data);
    CHECK_OK(aclrtDestroyStream(opener));
    CHECK_OK(aclrtDestroyStream(stream));
    CHECK_OK(aclrtResetDevice(0));
}

/* ---- waits ---------------------------------------------------------------------------------- */

static void write_by_value(uint64_t *word, aclrtStream by)
{
    CHECK_OK(aclrtValueWrite(word, 5, 0, by));
}

static void write_by_copy_within(uint64_t *word, aclrtStream by)
{
    uint64_t *from = new_word(5);
    CHECK_OK(aclrtMemcpyAsync(word, 8, from, 8, ACL_MEMCPY_DEVICE_TO_DEVICE, by));
    CHECK_OK(aclrtSynchronizeStreamWithTimeout(by, SOON_MS));
    CHECK_OK(aclrtFree(from));
}

static void write_by_copy_in(uint64_t *word, aclrtStream by)
{
    uint64_t *from = NULL;
    CHECK_OK(aclrtMallocHost((void **)&from, 8));
    *from = 5;
    CHECK_OK(aclrtMemcpyAsync(word, 8, from, 8, ACL_MEMCPY_HOST_TO_DEVICE, by));
    CHECK_OK(aclrtSynchronizeStreamWithTimeout(by, SOON_MS));
    CHECK_OK(aclrtFreeHost(from));
}

static void write_by_copy_now(uint64_t *word, aclrtStream by)
{
    (void)by;
    set_word(word, 5);
}

static void write_by_fill(uint64_t *word, aclrtStream by)
{
    CHECK_OK(aclrtMemsetAsync(word, 1, 5, 1, by)); /* its lowest byte */
}

static void write_by_fill_now(uint64_t *word, aclrtStream by)
{
    (void)by;
    CHECK_OK(aclrtMemset(word, 1, 5, 1));
}

/* The work after the wait sees the work before the write, and the wait does not change the word. */
static void test_every_writer_ends_a_wait(void)
{
    static void (*const writers[])(uint64_t *, aclrtStream) = {
        write_by_value,    write_by_copy_within, write_by_copy_in,
        write_by_copy_now, write_by_fill,        write_by_fill_now};
    CHECK_OK(aclrtSetDevice(0));
    aclrtStream waiter = twin_stream();
    aclrtStream writer = twin_stream();
    for (unsigned i = 0; i < sizeof(writers) / sizeof(writers[0]); i++) {
        twin_buffer data;
        twin_buffer_make(&data, 64, 1);
        uint64_t *word = new_word(0);
        CHECK_OK(aclrtValueWait(word, 5, EQ, waiter));
        CHECK_OK(
            aclrtMemcpyAsync(data.host, 64, data.device, 64, ACL_MEMCPY_DEVICE_TO_HOST, waiter));
        check_held(waiter);
        CHECK_OK(aclrtMemsetAsync(data.device, 64, 2, 64, writer));
        CHECK_OK(aclrtSynchronizeStreamWithTimeout(writer, SOON_MS));
        CHECK_BYTES(data.host, 1, 64);
        writers[i](word, writer);
        check_done(waiter);
        CHECK_BYTES(data.host, 2, 64);
        CHECK_EQUAL(read_word(word), 5);
        CHECK_OK(aclrtFree(word));
        twin_buffer_free(&data);
    }
    CHECK_OK(aclrtDestroyStream(writer));
    CHECK_OK(aclrtDestroyStream(waiter));
    CHECK_OK(aclrtResetDevice(0));
}

/* Streams pass a token round by numbers in one word. */
static void test_many_waiters_on_one_word(void)
{
    aclrtStream streams[MANY];
    twin_buffer log;
    CHECK_OK(aclrtSetDevice(0));
    uint64_t *word = new_word(0);
    twin_buffer_make(&log, MANY, 0);
    for (unsigned i = 0; i < MANY; i++) {
        streams[i] = twin_stream();
        CHECK_OK(aclrtValueWait(word, i + 1, EQ, streams[i]));
        CHECK_OK(aclrtMemsetAsync(log.device + i, 1, (int)i + 1, 1, streams[i]));
        CHECK_OK(aclrtValueWrite(word, i + 2, 0, streams[i]));
    }
    for (unsigned i = 0; i < MANY; i++)
        CHECK(!twin_idle(streams[i]));
    set_word(word, 1);
    check_done(streams[MANY - 1]);
    CHECK_EQUAL(read_word(word), MANY + 1);
    twin_buffer_read(&log);
    for (unsigned i = 0; i < MANY; i++) {
        CHECK_EQUAL(log.host[i], i + 1);
        CHECK_OK(aclrtDestroyStream(streams[i]));
    }
    /* and one write releases all */
    for (unsigned i = 0; i < MANY; i++) {
        streams[i] = twin_stream();
        CHECK_OK(aclrtValueWait(word, 1000, GEQ, streams[i]));
    }
    set_word(word, 1000 + MANY);
    for (unsigned i = 0; i < MANY; i++) {
        check_done(streams[i]);
        CHECK_OK(aclrtDestroyStream(streams[i]));
    }
    twin_buffer_free(&log);
    CHECK_OK(aclrtFree(word));
    CHECK_OK(aclrtResetDevice(0));
}

/* A level: satisfied at the call, satisfied before the stream gets there, and gone again before it
 * does. */
static void test_level_condition(void)
{
    twin_hold hold;
    CHECK_OK(aclrtSetDevice(0));
    aclrtStream stream = twin_stream();
    aclrtStream opener = twin_stream();
    uint64_t *word = new_word(7);
    CHECK_OK(aclrtValueWait(word, 7, EQ, stream));
    CHECK_OK(aclrtValueWait(word, 7, EQ, stream));
    check_done(stream);
    CHECK_EQUAL(read_word(word), 7);

    twin_hold_begin(&hold, stream);
    CHECK_OK(aclrtValueWait(word, 9, EQ, stream));
    set_word(word, 9);
    twin_hold_end(&hold, opener);
    check_done(stream);

    twin_hold_begin(&hold, stream);
    CHECK_OK(aclrtValueWait(word, 9, EQ, stream)); /* true now, not then */
    set_word(word, 10);
    twin_hold_release(&hold, opener);
    check_held(stream);
    CHECK_EQUAL(read_word(word), 10);
    set_word(word, 9);
    check_done(stream);
    CHECK_OK(aclrtDestroyNotify(hold.notify));
    CHECK_OK(aclrtFree(word));
    CHECK_OK(aclrtDestroyStream(opener));
    CHECK_OK(aclrtDestroyStream(stream));
    CHECK_OK(aclrtResetDevice(0));
}

/* By the definitions of the interface, written another way than the device computes them. */
static bool fits(uint32_t relation, uint64_t memory, uint64_t value)
{
    switch (relation) {
    case GEQ:
        return memory - value < (uint64_t)1 << 63;
    case EQ:
        return memory == value;
    case AND:
        return (memory & value) != 0;
    default:
        return (memory | value) != UINT64_MAX;
    }
}

static void test_relations(void)
{
    static const uint64_t values[] = {0,
                                      1,
                                      5,
                                      0x00000000ffffffff,
                                      0x7fffffffffffffff,
                                      0x8000000000000000,
                                      0x8000000000000001,
                                      0xffff0000ffff0000,
                                      0xfffffffffffffffe,
                                      0xffffffffffffffff};
    const unsigned count = sizeof(values) / sizeof(values[0]);
    CHECK_OK(aclrtSetDevice(0));
    aclrtStream setter = twin_stream();
    uint64_t *word = new_word(0);
    for (uint32_t relation = GEQ; relation <= NOR; relation++)
        for (unsigned m = 0; m < count; m++) {
            CHECK_OK(aclrtValueWrite(word, values[m], 0, setter));
            CHECK_OK(aclrtSynchronizeStream(setter));
            for (unsigned v = 0; v < count; v++) {
                aclrtStream stream = twin_stream();
                CHECK_OK(aclrtValueWait(word, values[v], relation, stream));
                bool passes = fits(relation, values[m], values[v]);
                CHECK_CODE(aclrtSynchronizeStreamWithTimeout(stream, SHORT_MS),
                           passes ? ACL_SUCCESS : ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
                CHECK_OK(aclrtDestroyStreamForce(stream));
            }
        }
    CHECK_OK(aclrtFree(word));
    CHECK_OK(aclrtDestroyStream(setter));
    CHECK_OK(aclrtResetDevice(0));
}

/* ---- arguments ------------------------------------------------------------------------------ */

static void test_arguments(void)
{
    void *pinned = NULL;
    uint64_t local = 0;
    CHECK_OK(aclrtSetDevice(0));
    uint64_t *word = new_word(0);
    CHECK_CODE(aclrtValueWrite(NULL, 1, 0, NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtValueWait(NULL, 1, 0, NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtValueWrite(NULL, 1, 9, NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtValueWrite(word, 1, 1, NULL), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclrtValueWrite(word, 1, UINT32_MAX, NULL), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclrtValueWait(word, 1, 4, NULL), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclrtValueWait(word, 1, UINT32_MAX, NULL), ACL_ERROR_RT_PARAM_INVALID);

    CHECK_OK(aclrtMallocHost(&pinned, 64));
    CHECK_CODE(aclrtValueWrite(pinned, 1, 0, NULL), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclrtValueWait(pinned, 1, EQ, NULL), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclrtValueWrite(&local, 1, 0, NULL), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclrtValueWait(&local, 1, EQ, NULL), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclrtValueWait((void *)64, 1, EQ, NULL), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_OK(aclrtFreeHost(pinned));
    CHECK_OK(aclrtFree(word));
    CHECK_CODE(aclrtValueWrite(word, 1, 0, NULL), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_OK(aclrtSynchronizeDevice());
    CHECK_EQUAL(local, 0);
    CHECK_OK(aclrtResetDevice(0));
}

/* The last whole word of an allocation is good, half a word is not. */
static void test_alignment(void)
{
    void *bytes = NULL;
    CHECK_OK(aclrtSetDevice(0));
    CHECK_OK(aclrtMallocAlign32(&bytes, 64, ACL_MEM_MALLOC_HUGE_FIRST));
    uint8_t *at = bytes;
    for (unsigned offset = 0; offset <= 56; offset += 8)
        CHECK_OK(aclrtValueWrite(at + offset, offset, 0, NULL));
    CHECK_OK(aclrtValueWait(at + 56, 56, EQ, NULL));
    CHECK_OK(aclrtSynchronizeStreamWithTimeout(NULL, SOON_MS));
    CHECK_CODE(aclrtValueWrite(at + 64, 1, 0, NULL), ACL_ERROR_RT_PARAM_INVALID);
    for (unsigned offset = 1; offset < 8; offset++) {
        CHECK_CODE(aclrtValueWrite(at + offset, 1, 0, NULL), ACL_ERROR_RT_PARAM_INVALID);
        CHECK_CODE(aclrtValueWait(at + offset, 1, EQ, NULL), ACL_ERROR_RT_PARAM_INVALID);
    }
    CHECK_OK(aclrtFree(bytes));
    CHECK_OK(aclrtResetDevice(0));
}

static void use_without_context(void *word)
{
    CHECK_CODE(aclrtValueWrite(word, 1, 0, NULL), ACL_ERROR_RT_CONTEXT_NULL);
    CHECK_CODE(aclrtValueWait(word, 1, EQ, NULL), ACL_ERROR_RT_CONTEXT_NULL);
}

static void test_streams(void)
{
    aclrtContext context = NULL;
    CHECK_OK(aclrtSetDevice(0));
    uint64_t *word = new_word(0);
    aclrtStream stream = twin_stream();
    CHECK_OK(aclrtValueWait(word, 3, EQ, NULL));
    CHECK_OK(aclrtValueWrite(word, 3, 0, stream));
    CHECK_OK(aclrtSynchronizeStreamWithTimeout(NULL, SOON_MS));
    CHECK_OK(aclrtValueWrite(word, 4, 0, NULL));
    CHECK_OK(aclrtSynchronizeStream(NULL));
    CHECK_EQUAL(read_word(word), 4);

    CHECK_OK(aclrtCreateContext(&context, 0));
    CHECK_CODE(aclrtValueWrite(word, 1, 0, stream), ACL_ERROR_RT_STREAM_CONTEXT);
    CHECK_CODE(aclrtValueWait(word, 1, EQ, stream), ACL_ERROR_RT_STREAM_CONTEXT);
    CHECK_OK(aclrtDestroyContext(context));
    CHECK_OK(aclrtSetDevice(0)); /* a context again, and a second reset is due */
    twin_on_thread(use_without_context, word);
    CHECK_OK(aclrtDestroyStream(stream));
    CHECK_CODE(aclrtValueWrite(word, 1, 0, stream), ACL_ERROR_RT_INVALID_HANDLE);
    CHECK_CODE(aclrtValueWait(word, 1, EQ, stream), ACL_ERROR_RT_INVALID_HANDLE);
    CHECK_EQUAL(read_word(word), 4);
    CHECK_OK(aclrtFree(word));
    CHECK_OK(aclrtResetDevice(0));
    CHECK_OK(aclrtResetDevice(0));
}

/* ---- devices without ------------------------------------------------------------------------ */

static void child_older_device(void)
{
    CHECK_OK(aclInit(NULL));
    CHECK_OK(aclrtSetDevice(0));
    uint64_t *word = new_word(6);
    CHECK_CODE(aclrtValueWrite(NULL, 1, 0, NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtValueWrite(word, 1, 0, NULL), ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    CHECK_CODE(aclrtValueWait(word, 1, EQ, NULL), ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    CHECK_OK(aclrtSynchronizeDevice());
    CHECK_EQUAL(read_word(word), 6);
    CHECK_OK(aclrtFree(word));
    CHECK_OK(aclrtResetDevice(0));
    CHECK_OK(aclFinalize());
}

static void test_older_device(void)
{
    char file[] = "/tmp/twinrt-profile-XXXXXX";
    CHECK(twin_profile_variant(file, "cond.value_wait", 0));
    char setting[64];
    snprintf(setting, sizeof(setting), "TWINRT_PROFILE=%s", file);
    twin_run_child("older_device", (const char *const[]){setting, NULL});
    unlink(file);
}

/* ---- no write ------------------------------------------------------------------------------- */

/* A wait that nothing ends is detected at once when all threads wait, and the report names its
 * object. */
static void test_deadlock(void)
{
    CHECK_OK(aclrtSetDevice(0));
    uint64_t *word = new_word(0);
    aclrtStream stream = twin_stream();
    CHECK_OK(aclrtValueWait(word, 5, GEQ, stream));
    (void)aclGetRecentErrMsg();
    CHECK(aclrtSynchronizeStream(stream) != ACL_SUCCESS);
    const char *message = aclGetRecentErrMsg();
    char wanted[64];
    snprintf(wanted, sizeof(wanted), "the word at 0x%llx >= 5",
             (unsigned long long)(uintptr_t)word);
    CHECK(message && strstr(message, wanted));
    CHECK_OK(aclrtValueWrite(word, 5, 0, NULL)); /* and can still be helped */
    check_done(stream);
    CHECK_OK(aclrtDestroyStream(stream));
    CHECK_OK(aclrtFree(word));
    CHECK_OK(aclrtResetDevice(0));
}

/* A stream that waits can be ended; the word is then its own again. */
static void test_destroyed_while_waiting(void)
{
    CHECK_OK(aclrtSetDevice(0));
    uint64_t *word = new_word(0);
    for (int i = 0; i < 3; i++) {
        aclrtStream stream = twin_stream();
        CHECK_OK(aclrtValueWait(word, 5, EQ, stream));
        CHECK(!twin_idle(stream));
        CHECK_OK(aclrtDestroyStreamForce(stream));
        set_word(word, 5);
        set_word(word, 0);
    }
    CHECK_OK(aclrtFree(word));
    CHECK_OK(aclrtResetDevice(0));
}

/* Freed while a stream waits for it: the memory stays until the wait is over. */
static void test_freed_in_flight(void)
{
    CHECK_OK(aclrtSetDevice(0));
    uint64_t *word = new_word(0);
    aclrtStream stream = twin_stream();
    aclrtStream writer = twin_stream();
    twin_hold hold;
    twin_hold_begin(&hold, writer);
    CHECK_OK(aclrtValueWait(word, 5, EQ, stream));
    CHECK_OK(aclrtValueWrite(word, 5, 0, writer));
    CHECK_OK(aclrtFree(word));
    uint64_t *other = new_word(0); /* takes no room that is still in use */
    twin_hold_end(&hold, NULL);
    check_done(stream);
    CHECK_EQUAL(read_word(other), 0);
    CHECK_OK(aclrtFree(other));
    CHECK_OK(aclrtDestroyStream(writer));
    CHECK_OK(aclrtDestroyStream(stream));
    CHECK_OK(aclrtResetDevice(0));
}

static const twin_child children[] = {
    {"older_device", child_older_device},
};

static const twin_test tests[] = {
    {"VAL-01, SMO-03: a written value is there for later tasks", test_write_in_order},
    {"VAL-01: a write is a task of its stream and touches eight bytes", test_write_is_a_task},
    {"VAL-02, SMO-07: a stream waits until a word fits, written in any way",
     test_every_writer_ends_a_wait},
    {"VAL-02: many streams wait for one word", test_many_waiters_on_one_word},
    {"VAL-03, SMO-08: a word that fits already is passed at once and not changed",
     test_level_condition},
    {"VAL-04, SMO-05, SMO-06: the four relations, with signed wrap", test_relations},
    {"VAL-05, SMO-01, SMO-02, SMO-04: NULL, unknown flags and other memory are refused",
     test_arguments},
    {"VAL-06, SMO-09: aligned addresses are accepted, others refused", test_alignment},
    {"VAL-07: default stream, foreign stream, no context", test_streams},
    {"VAL-08: older devices have no value operations", test_older_device},
    {"values: a wait that nothing ends is a deadlock with a reason", test_deadlock},
    {"values: a stream that waits can be destroyed", test_destroyed_while_waiting},
    {"values: a word that is freed lives as long as the wait for it", test_freed_in_flight},
};

int main(int argc, char **argv)
{
    const twin_suite suite = {
        .name = "value",
        .tests = tests,
        .test_count = TWIN_COUNT(tests),
        .children = children,
        .child_count = TWIN_COUNT(children),
        .initialise = true,
    };
    return twin_suite_main(&suite, argc, argv);
}
