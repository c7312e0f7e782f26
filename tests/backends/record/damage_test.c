/* SPDX-License-Identifier: Apache-2.0 */
/* What a reader makes of records that were cut off, damaged or made by others. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fake_device.h"
#include "recording/print.h"
#include "recording/reader.h"
#include "seam/wrapper.h"
#include "support/cunit_main.h"

const struct twin_backend *twin_wrapper_entry(const struct twin_backend *below);

/* A small recording and its bytes. With `brief` it is of a model, whose calls have short heads. */
static unsigned char *sample_of(bool brief, size_t *out_size)
{
    static const twin_call call = {"aclrtMemcpyAsync", TWIN_COST_SUBMIT};
    static struct twin_backend below;
    char path[64];
    twin_hw_device *device = NULL;
    twin_queue *queue = NULL;
    below = fake_backend;
    below.flags |= brief ? TWIN_BACKEND_CONDUCTED : 0;
    const struct twin_backend *table = twin_wrapper_entry(&below);
    (void)snprintf(path, sizeof(path), "record_damage.%ld.rec", (long)getpid());
    fake_set("TWINRT_RECORD", path);
    CU_ASSERT_EQUAL_FATAL(table->process.start(&fake_services), TWIN_OK);
    table->device.open(0, &device);
    table->queue.create(device, &(twin_queue_config){.id = 1}, &queue);
    for (uint64_t i = 0; i < 5; i++) {
        if (brief)
            table->host.enter(&call);
        table->work.copy(queue, &(twin_copy){.dst = 0x10000, .src = i, .bytes = 8});
        table->host.advance(i == 3 ? 1u << 25
                                   : 1000); /* one call is longer than a short head holds */
        if (brief)
            table->host.leave(&call, 0);
    }
    table->queue.destroy(queue);
    table->device.close(device);
    table->process.stop();
    int file = open(path, O_RDONLY);
    struct stat status;
    CU_ASSERT_EQUAL_FATAL(fstat(file, &status), 0);
    unsigned char *bytes = malloc((size_t)status.st_size);
    CU_ASSERT_PTR_NOT_NULL_FATAL(bytes);
    CU_ASSERT_EQUAL_FATAL(read(file, bytes, (size_t)status.st_size), status.st_size);
    (void)close(file);
    (void)unlink(path);
    *out_size = (size_t)status.st_size;
    return bytes;
}

static unsigned char *sample(size_t *out_size)
{
    return sample_of(false, out_size);
}

/* Reads all that a reader offers. Returns the entries; TWIN_RECORDING_NONE: it is refused. */
static size_t look_at(const unsigned char *bytes, size_t size, FILE *sink)
{
    char error[256] = "";
    twin_recording *recording = NULL;
    if (twin_recording_read_bytes(bytes, size, "damaged", &recording, error, sizeof(error)) !=
        TWIN_RECORDING_OK) {
        CU_ASSERT(error[0] != '\0');
        return TWIN_RECORDING_NONE;
    }
    size_t count = twin_recording_count(recording);
    for (size_t i = 0; i < count; i++) {
        struct twin_recording_times times;
        twin_recording_times(recording, i, &times);
    }
    struct twin_recording_steps list;
    (void)twin_recording_steps(recording, 1, &list);
    (void)twin_recording_fact(recording, "dma.fake_ns");
    CU_ASSERT_TRUE(
        twin_recording_print(recording, &(struct twin_recording_print){.json = true}, sink));
    twin_recording_free(recording);
    return count;
}

static void truncate_everywhere(bool brief)
{
    size_t size;
    unsigned char *bytes = sample_of(brief, &size);
    FILE *sink = fopen("/dev/null", "w");
    size_t before = 0;
    size_t whole = look_at(bytes, size, sink);
    /* the entries end long before the chunk does */
    for (size_t length = 0; length <= TWIN_RECORD_HEADER_BYTES + 16384 && length <= size;
         length += length < 200 || length >= TWIN_RECORD_HEADER_BYTES - 40 ? 1 : 64) {
        /* a copy of just these bytes, so that a look beyond is seen */
        unsigned char *cut = malloc(length + 1);
        if (!cut)
            abort();
        memcpy(cut, bytes, length);
        size_t count = look_at(cut, length, sink);
        free(cut);
        if (count == TWIN_RECORDING_NONE) {
            CU_ASSERT(length < sizeof(struct twin_record_header));
            continue;
        }
        CU_ASSERT(length >= sizeof(struct twin_record_header));
        CU_ASSERT(count >= before);
        before = count;
    }
    CU_ASSERT_EQUAL(before, whole);
    fclose(sink);
    free(bytes);
}

static void test_every_truncation_is_read_as_far_as_it_goes(void)
{
    truncate_everywhere(false);
    truncate_everywhere(true);
}

static void test_damage_is_reported_and_left_out(void)
{
    enum { USED = TWIN_RECORD_HEADER_BYTES + 16384 };
    size_t size, brief_size;
    unsigned char *bytes = sample(&size);
    unsigned char *brief = sample_of(true, &brief_size);
    FILE *sink = fopen("/dev/null", "w");
    uint64_t random = 1;
    unsigned refused = 0;
    CU_ASSERT_FATAL(size >= USED && brief_size >= USED);
    for (unsigned round = 0; round < 20000; round++) {
        unsigned char *damaged = malloc(USED);
        if (!damaged)
            abort();
        memcpy(damaged, round % 2 ? brief : bytes, USED);
        for (unsigned i = 0; i <= round % 6; i++) {
            random = random * 6364136223846793005u + 1442695040888963407u;
            size_t at = (size_t)(random >> 33) % 14000;
            if (at >= sizeof(struct twin_record_header))
                at += TWIN_RECORD_HEADER_BYTES; /* the rest of it is not used */
            unsigned char value = (unsigned char)(random >> 25);
            damaged[at] = round % 3 == 0   ? 0xff
                          : round % 3 == 1 ? value
                                           : damaged[at] ^ (1 << (value & 7));
        }
        refused += look_at(damaged, USED, sink) == TWIN_RECORDING_NONE;
        free(damaged);
    }
    CU_ASSERT(refused > 0);
    CU_ASSERT(refused < 20000);
    /* one field of one entry: that entry alone is lost, and said to be */
    char error[256];
    twin_recording *recording = NULL;
    CU_ASSERT_EQUAL_FATAL(
        twin_recording_read_bytes(bytes, size, "good", &recording, error, sizeof(error)),
        TWIN_RECORDING_OK);
    size_t whole = twin_recording_count(recording);
    uint64_t at = twin_recording_offset(recording, whole / 2);
    twin_recording_free(recording);
    memset(bytes + at + offsetof(struct twin_record_entry, begin_seq), 0, sizeof(uint64_t));
    CU_ASSERT_EQUAL_FATAL(
        twin_recording_read_bytes(bytes, size, "bad", &recording, error, sizeof(error)),
        TWIN_RECORDING_OK);
    CU_ASSERT_EQUAL(twin_recording_count(recording), whole - 1);
    CU_ASSERT_EQUAL(twin_recording_damage_count(recording), 1);
    CU_ASSERT_EQUAL(twin_recording_damage_at(recording, 0)->offset, at);
    twin_recording_free(recording);
    fclose(sink);
    free(brief);
    free(bytes);
}

static twin_recording *read_bytes(const unsigned char *bytes, size_t size)
{
    char error[256];
    twin_recording *recording = NULL;
    CU_ASSERT_EQUAL_FATAL(
        twin_recording_read_bytes(bytes, size, "bytes", &recording, error, sizeof(error)),
        TWIN_RECORDING_OK);
    return recording;
}

/* Appends an entry to the first chunk. */
static void append(unsigned char *bytes, const void *entry, size_t count)
{
    struct twin_record_chunk *chunk = (void *)(bytes + TWIN_RECORD_HEADER_BYTES);
    memcpy((char *)(chunk + 1) + chunk->used, entry, count);
    chunk->used += count;
}

/* Reads a base, and a mark or a brief call after it. Returns the entry; NULL: it is damage. */
static const struct twin_record_entry *read_after_base(const void *entry, size_t count,
                                                       twin_recording **out)
{
    const struct twin_record_base base = {.bytes = sizeof(base) | TWIN_RECORD_BASE,
                                          .thread = 3,
                                          .seq = (uint64_t)1 << 40,
                                          .ns = 1000,
                                          .wall_ns = 77};
    size_t size;
    unsigned char *bytes = sample(&size);
    *out = read_bytes(bytes, size);
    const size_t whole = twin_recording_count(*out);
    twin_recording_free(*out);
    append(bytes, &base, sizeof(base));
    append(bytes, entry, count);
    *out = read_bytes(bytes, size);
    free(bytes);
    const size_t read = twin_recording_count(*out) - whole;
    CU_ASSERT_EQUAL(twin_recording_damage_count(*out) + read, 1);
    return read == 1 ? twin_recording_at(*out, whole) : NULL;
}

static void test_marks_and_brief_calls(void)
{
    twin_recording *recording;
    struct {
        struct twin_record_mark head;
        struct twin_record_MOVED fields;
    } mark = {{.bytes = sizeof(mark) | TWIN_RECORD_MARK,
               .kind = TWIN_RECORD_MOVED,
               .seq_high = 2,
               .seq = 9},
              {.at_ns = 5, .events = 6}};
    struct {
        struct twin_record_brief head;
        struct twin_record_QUEUE_ROOM fields;
    } call = {{.bytes = sizeof(call) | TWIN_RECORD_BRIEF,
               .kind = TWIN_RECORD_QUEUE_ROOM,
               .status = 4,
               .seq = 0x80000009,
               .begin_ns = {20, 0, 1},
               .length_ns = {30, 1, 0},
               .end_after = 5},
              {.queue = 8}};
    struct twin_record_MOVED moved;
    struct twin_record_QUEUE_ROOM room;
    const struct twin_record_entry *read = read_after_base(&mark, sizeof(mark), &recording);
    CU_ASSERT_PTR_NOT_NULL_FATAL(read);
    CU_ASSERT_EQUAL(read->begin_seq, ((uint64_t)1 << 40) + ((uint64_t)2 << 32) + 9);
    CU_ASSERT_EQUAL(read->end_seq, read->begin_seq);
    CU_ASSERT_EQUAL(read->thread, 3);
    CU_ASSERT_EQUAL(read->status, TWIN_OK);
    CU_ASSERT_EQUAL(read->end_wall_ns, 0);
    CU_ASSERT(TWIN_RECORDING_GET(read, MOVED, &moved) && moved.at_ns == 5 && moved.events == 6);
    twin_recording_free(recording);
    read = read_after_base(&call, sizeof(call), &recording);
    CU_ASSERT_PTR_NOT_NULL_FATAL(read);
    CU_ASSERT_EQUAL(read->begin_seq, ((uint64_t)1 << 40) + 0x80000009);
    CU_ASSERT_EQUAL(read->end_seq, read->begin_seq + 5);
    CU_ASSERT_EQUAL(read->thread, 3);
    CU_ASSERT_EQUAL(read->status, 4);
    CU_ASSERT_EQUAL(read->begin_ns, 1020 + 0x10000);
    CU_ASSERT_EQUAL(read->end_ns, 1050 + 0x10100);
    CU_ASSERT_EQUAL(read->begin_wall_ns, 77);
    CU_ASSERT(TWIN_RECORDING_GET(read, QUEUE_ROOM, &room) && room.queue == 8);
    twin_recording_free(recording);
    call.head.end_after = 0; /* it has not returned */
    read = read_after_base(&call, sizeof(call), &recording);
    CU_ASSERT(read && read->end_seq == 0 && read->end_ns == 0);
    CU_ASSERT(read && read->status == TWIN_RECORD_NO_STATUS);
    twin_recording_free(recording);
    call.head.bytes = 8 | TWIN_RECORD_BRIEF; /* less than its head */
    CU_ASSERT_PTR_NULL(read_after_base(&call, sizeof(call), &recording));
    twin_recording_free(recording);
    mark.head.bytes = sizeof(mark) | 7; /* an unknown form */
    CU_ASSERT_PTR_NULL(read_after_base(&mark, sizeof(mark), &recording));
    twin_recording_free(recording);
}

static void test_ended_tasks(void)
{
    twin_recording *recording;
    struct twin_record_TASK task;
    struct twin_record_ended ended = {.bytes = sizeof(ended) | TWIN_RECORD_ENDED,
                                      .result = 6,
                                      .seq = UINT32_MAX,
                                      .queue = 2,
                                      .task = UINT32_MAX,
                                      .begin_ns = -300,
                                      .length_ns = UINT32_MAX};
    const struct twin_record_entry *read = read_after_base(&ended, sizeof(ended), &recording);
    CU_ASSERT_FATAL(read && TWIN_RECORDING_GET(read, TASK, &task));
    CU_ASSERT_EQUAL(read->begin_seq, ((uint64_t)1 << 40) + UINT32_MAX);
    CU_ASSERT_EQUAL(read->end_seq, read->begin_seq);
    CU_ASSERT_EQUAL(read->thread, 3);
    CU_ASSERT(task.queue == 2 && task.result == 6 && task.task == UINT32_MAX);
    CU_ASSERT_EQUAL(task.task_begin_ns, 700);
    CU_ASSERT_EQUAL(task.task_end_ns, 700 + (uint64_t)UINT32_MAX);
    twin_recording_free(recording);
    ended.bytes = 16 | TWIN_RECORD_ENDED; /* less than it has */
    CU_ASSERT_PTR_NULL(read_after_base(&ended, sizeof(ended), &recording));
    twin_recording_free(recording);
}

/* A public call has what it has in common with others from its CALL_SITE, which may be missing. */
static void test_public_calls(void)
{
    struct {
        struct twin_record_entry head;
        struct twin_record_CALL_SITE fields;
        char name[8];
        struct twin_record_base base;
    } all = {.head = {.bytes = sizeof(all.head) + sizeof(all.fields) + sizeof(all.name),
                      .kind = TWIN_RECORD_CALL_SITE,
                      .fixed_bytes = sizeof(all.fields),
                      .thread = 1,
                      .begin_seq = 1000000,
                      .end_seq = 1000000},
             .fields = {.number = 9, .text_bytes = 4, .cost = 2, .depth = 1, .site = 77},
             .name = "abc",
             .base = {.bytes = sizeof(all.base) | TWIN_RECORD_BASE, .thread = 1, .seq = 1000000}};
    const struct {
        uint32_t name;
        int32_t code;
    } fields[] = {{9, -3}, {10, 4}};
    size_t size;
    unsigned char *bytes = sample(&size);
    append(bytes, &all, sizeof(all));
    for (uint32_t i = 0; i < 2; i++) {
        const struct twin_record_brief head = {.bytes = (sizeof(head) + 8) | TWIN_RECORD_BRIEF,
                                               .kind = TWIN_RECORD_HOST_CALL,
                                               .seq = i * 2 + 1,
                                               .end_after = 1};
        append(bytes, &head, sizeof(head));
        append(bytes, &fields[i], sizeof(fields[i]));
    }
    twin_recording *recording = read_bytes(bytes, size);
    struct twin_record_HOST_CALL call;
    const size_t first = twin_recording_find(recording, 1000001);
    const size_t second = twin_recording_find(recording, 1000003);
    CU_ASSERT_FATAL(first != TWIN_RECORDING_NONE && second != TWIN_RECORDING_NONE);
    CU_ASSERT_FATAL(TWIN_RECORDING_GET(twin_recording_at(recording, first), HOST_CALL, &call));
    CU_ASSERT_STRING_EQUAL(twin_recording_string(recording, call.name), "abc");
    CU_ASSERT(call.out_code == -3 && call.cost == 2 && call.depth == 1 && call.site == 77);
    CU_ASSERT_FATAL(TWIN_RECORDING_GET(twin_recording_at(recording, second), HOST_CALL, &call));
    CU_ASSERT_STRING_EQUAL(twin_recording_string(recording, call.name), "?");
    CU_ASSERT(call.out_code == 4 && call.cost == 0 && call.depth == 0 && call.site == 0);
    CU_ASSERT_EQUAL(twin_recording_damage_count(recording), 0);
    twin_recording_free(recording);
    free(bytes);
}

/* The end of a call that is too far from its begin is an entry; one that names no such call is left
 * out. */
static void test_late_ends(void)
{
    struct {
        struct twin_record_base base;
        struct twin_record_brief head;
        struct twin_record_QUEUE_ROOM fields;
        struct twin_record_mark late_head;
        struct twin_record_RETURNED late;
        struct twin_record_mark other_head;
        struct twin_record_RETURNED other;
    } all = {
        .base = {.bytes = sizeof(all.base) | TWIN_RECORD_BASE,
                 .thread = 1,
                 .seq = 1000000,
                 .ns = 7},
        .head = {.bytes = (sizeof(all.head) + sizeof(all.fields)) | TWIN_RECORD_BRIEF,
                 .kind = TWIN_RECORD_QUEUE_ROOM,
                 .seq = 1,
                 .end_after = TWIN_RECORD_LATE},
        .late_head = {.bytes = (sizeof(all.late_head) + sizeof(all.late)) | TWIN_RECORD_MARK,
                      .kind = TWIN_RECORD_RETURNED,
                      .seq = 3},
        .late = {.of_seq = 1000001, .end_seq = 1000002, .end_ns = (uint64_t)1 << 40},
        .other_head = {.bytes = (sizeof(all.other_head) + sizeof(all.other)) | TWIN_RECORD_MARK,
                       .kind = TWIN_RECORD_RETURNED,
                       .seq = 4},
        .other = {.of_seq = 2000000, .end_seq = 2000001}};
    size_t size;
    unsigned char *bytes = sample(&size);
    append(bytes, &all, sizeof(all));
    twin_recording *recording = read_bytes(bytes, size);
    const size_t index = twin_recording_find(recording, 1000001);
    CU_ASSERT_NOT_EQUAL_FATAL(index, TWIN_RECORDING_NONE);
    CU_ASSERT_EQUAL(index, twin_recording_count(recording) - 1);
    CU_ASSERT_EQUAL(twin_recording_at(recording, index)->end_seq, 1000002);
    CU_ASSERT_EQUAL(twin_recording_at(recording, index)->end_ns, (uint64_t)1 << 40);
    CU_ASSERT_EQUAL(twin_recording_damage_count(recording), 0);
    twin_recording_free(recording);
    free(bytes);
    /* the writer died after the end was announced, before its status was written */
    all.head.end_after = 0;
    bytes = sample(&size);
    append(bytes, &all, sizeof(all));
    recording = read_bytes(bytes, size);
    const size_t open = twin_recording_find(recording, 1000001);
    CU_ASSERT_NOT_EQUAL_FATAL(open, TWIN_RECORDING_NONE);
    CU_ASSERT_EQUAL(twin_recording_at(recording, open)->end_seq, 0);
    CU_ASSERT_EQUAL(twin_recording_at(recording, open)->status, TWIN_RECORD_NO_STATUS);
    twin_recording_free(recording);
    free(bytes);
}

/* Appends an entry of fields and a tail. Whether it is handed out; else it is damage. */
static bool is_read(enum twin_record_kind kind, const void *fields, size_t fixed_bytes,
                    const void *tail, size_t tail_bytes)
{
    size_t size;
    unsigned char *bytes = sample(&size);
    twin_recording *recording = read_bytes(bytes, size);
    const size_t whole = twin_recording_count(recording);
    twin_recording_free(recording);
    struct twin_record_chunk *chunk = (void *)(bytes + TWIN_RECORD_HEADER_BYTES);
    struct twin_record_entry *entry = (void *)((char *)(chunk + 1) + chunk->used);
    entry->bytes = (uint32_t)(sizeof(*entry) + fixed_bytes + ((tail_bytes + 7) & ~(size_t)7));
    entry->kind = (uint16_t)kind;
    entry->fixed_bytes = (uint16_t)fixed_bytes;
    entry->thread = 1;
    entry->begin_seq = entry->end_seq = 1000000;
    memcpy(entry + 1, fields, fixed_bytes);
    memcpy((char *)(entry + 1) + fixed_bytes, tail, tail_bytes);
    chunk->used += entry->bytes;
    recording = read_bytes(bytes, size);
    const size_t left = twin_recording_count(recording);
    CU_ASSERT_EQUAL(left + twin_recording_damage_count(recording), whole + 1);
    twin_recording_free(recording);
    free(bytes);
    return left == whole + 1;
}

static bool stack_is_read(uint32_t number, uint32_t count, size_t present)
{
    static const uint64_t frames[32];
    const struct twin_record_STACK stack = {.stack = number, .count = count};
    return is_read(TWIN_RECORD_STACK, &stack, sizeof(stack), frames, present * sizeof(frames[0]));
}

static bool script_is_read(uint32_t number, const char *texts, size_t bytes)
{
    const struct twin_record_SCRIPT_STACK stack = {.stack = number, .text_bytes = (uint32_t)bytes};
    return is_read(TWIN_RECORD_SCRIPT_STACK, &stack, sizeof(stack), texts, bytes);
}

/* A stack has a number and 1 to 16 frames, which are there; of a script three texts each. */
static void test_stacks(void)
{
    static const char texts[] = "f\0a.py\0001\0g\0a.py\0002"; /* and the end of the last */
    static const char many[3 * (TWIN_RECORD_STACK_MOST + 1)];
    CU_ASSERT(stack_is_read(1, 1, 1));
    CU_ASSERT(stack_is_read(UINT32_MAX, 16, 16));
    CU_ASSERT_FALSE(stack_is_read(0, 1, 1));
    CU_ASSERT_FALSE(stack_is_read(1, 0, 0));
    CU_ASSERT_FALSE(stack_is_read(1, 17, 17));
    CU_ASSERT_FALSE(stack_is_read(1, 16, 15));
    CU_ASSERT_FALSE(stack_is_read(1, UINT32_MAX, 16));
    CU_ASSERT(script_is_read(1, texts, sizeof(texts)));
    CU_ASSERT(script_is_read(1, many, sizeof(many) - 3));
    CU_ASSERT_FALSE(script_is_read(0, texts, sizeof(texts)));
    CU_ASSERT_FALSE(script_is_read(1, texts, 0));
    CU_ASSERT_FALSE(script_is_read(1, texts, sizeof(texts) - 1)); /* without its end */
    CU_ASSERT_FALSE(script_is_read(1, texts, sizeof(texts) - 2)); /* without a line */
    CU_ASSERT_FALSE(script_is_read(1, many, sizeof(many)));
}

static void test_other_versions(void)
{
    size_t size;
    unsigned char *bytes = sample(&size);
    struct twin_record_header *header = (struct twin_record_header *)(void *)bytes;
    char error[256] = "";
    twin_recording *recording = NULL;
    /* an unknown kind is handed out unchanged */
    CU_ASSERT_EQUAL_FATAL(
        twin_recording_read_bytes(bytes, size, "good", &recording, error, sizeof(error)),
        TWIN_RECORDING_OK);
    uint64_t at = twin_recording_offset(recording, 3);
    size_t whole = twin_recording_count(recording);
    twin_recording_free(recording);
    const uint16_t unknown = 0x7fff;
    memcpy(bytes + at + offsetof(struct twin_record_entry, kind), &unknown, sizeof(unknown));
    CU_ASSERT_EQUAL_FATAL(
        twin_recording_read_bytes(bytes, size, "newer", &recording, error, sizeof(error)),
        TWIN_RECORDING_OK);
    CU_ASSERT_EQUAL(twin_recording_count(recording), whole);
    CU_ASSERT_EQUAL(twin_recording_damage_count(recording), 0);
    CU_ASSERT_EQUAL(twin_recording_at(recording, 3)->kind, unknown);
    CU_ASSERT_PTR_NULL(twin_recording_kind(unknown));
    twin_recording_free(recording);
    header->version = TWIN_RECORD_VERSION - 1;
    CU_ASSERT_EQUAL(
        twin_recording_read_bytes(bytes, size, "older", &recording, error, sizeof(error)),
        TWIN_RECORDING_E_FORMAT);
    CU_ASSERT_PTR_NOT_NULL(strstr(error, "version"));
    header->version = TWIN_RECORD_VERSION + 1;
    CU_ASSERT_EQUAL(
        twin_recording_read_bytes(bytes, size, "newer", &recording, error, sizeof(error)),
        TWIN_RECORDING_E_FORMAT);
    CU_ASSERT_PTR_NOT_NULL(strstr(error, "version"));
    free(bytes);
}

/* One value in an entry of a kind: that entry alone is left out. */
static void expect_left_out(enum twin_record_kind kind, bool in_tail, size_t offset, uint64_t value,
                            size_t value_bytes)
{
    size_t size;
    unsigned char *bytes = sample(&size);
    twin_recording *recording = read_bytes(bytes, size);
    size_t whole = twin_recording_count(recording);
    uint64_t at = 0;
    size_t tail = 0;
    for (size_t i = 0; i < whole && at == 0; i++) {
        const struct twin_record_entry *entry = twin_recording_at(recording, i);
        if (entry->kind != kind)
            continue;
        at = twin_recording_offset(recording, i);
        (void)twin_recording_tail(entry, &tail);
        offset += in_tail ? sizeof(*entry) + entry->fixed_bytes + tail - 1 : 0;
    }
    twin_recording_free(recording);
    CU_ASSERT_NOT_EQUAL_FATAL(at, 0);
    memcpy(bytes + at + offset, &value, value_bytes);
    recording = read_bytes(bytes, size);
    CU_ASSERT_EQUAL(twin_recording_count(recording), whole - 1);
    CU_ASSERT_EQUAL(twin_recording_damage_count(recording), 1);
    CU_ASSERT_EQUAL(twin_recording_damage_at(recording, 0)->offset, at);
    twin_recording_free(recording);
    free(bytes);
}

static void test_each_thing_that_is_checked(void)
{
    const size_t fields = sizeof(struct twin_record_entry);
    /* a text without its end, longer than the entry; fields beyond it; an end before its
     * beginning */
    expect_left_out(TWIN_RECORD_SETTING, true, 0, 'x', 1);
    expect_left_out(TWIN_RECORD_SETTING, false,
                    fields + offsetof(struct twin_record_SETTING, text_bytes), 100000, 4);
    expect_left_out(TWIN_RECORD_WORK_COPY, false, offsetof(struct twin_record_entry, fixed_bytes),
                    0x4000, 2);
    expect_left_out(TWIN_RECORD_WORK_COPY, false, offsetof(struct twin_record_entry, fixed_bytes),
                    20, 2);
    expect_left_out(TWIN_RECORD_WORK_COPY, false, offsetof(struct twin_record_entry, end_seq), 1,
                    8);
    expect_left_out(TWIN_RECORD_WORK_COPY, false, offsetof(struct twin_record_entry, begin_seq), 0,
                    8);
}

static const twin_test tests[] = {
    {"a file that was cut anywhere is read as far as it goes",
     test_every_truncation_is_read_as_far_as_it_goes},
    {"damage is reported and left out", test_damage_is_reported_and_left_out},
    {"each thing that is checked is left out alone", test_each_thing_that_is_checked},
    {"marks and brief calls are handed out with whole heads", test_marks_and_brief_calls},
    {"ends that are reported late", test_late_ends},
    {"ended tasks are handed out with whole heads", test_ended_tasks},
    {"public calls are handed out with the fields of their site", test_public_calls},
    {"stacks that cannot be are left out", test_stacks},
    {"later kinds are handed out, other versions refused", test_other_versions},
};

int main(int argc, char **argv)
{
    return twin_run_suite("record_damage", tests, TWIN_COUNT(tests), argc, argv);
}
