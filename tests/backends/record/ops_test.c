/* SPDX-License-Identifier: Apache-2.0 */
/* Every op of the seam through the record wrapper, and back out of the file. */
#define _GNU_SOURCE /* open_memstream */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fake_device.h"
#include "ops_entries.h"
#include "ops_calls.h"
#include "recording/print.h"
#include "recording/reader.h"
#include "seam/wrapper.h"
#include "support/cunit_main.h"

const struct twin_backend *twin_wrapper_entry(const struct twin_backend *below);

static char path[64];

static const struct twin_backend *start(void)
{
    const struct twin_backend *table = twin_wrapper_entry(&fake_backend);
    (void)snprintf(path, sizeof(path), "record_ops.%ld.rec", (long)getpid());
    fake_set("TWINRT_RECORD", path);
    fake_status = TWIN_OK;
    fake_reports_tasks = true;
    CU_ASSERT_EQUAL_FATAL(table->process.start(&fake_services), TWIN_OK);
    return table;
}

static twin_recording *read_back(void)
{
    char error[256];
    twin_recording *recording = NULL;
    CU_ASSERT_EQUAL_FATAL(twin_recording_read(path, &recording, error, sizeof(error)),
                          TWIN_RECORDING_OK);
    CU_ASSERT_EQUAL(twin_recording_damage_count(recording), 0);
    (void)unlink(path);
    return recording;
}

/* ---- no op is forgotten ---------------------------------------------------------------------- */

static const struct {
    const char *name;
    size_t offset;
} ops[] = {
#define OP(group, op, ...) {#group "." #op, offsetof(struct twin_backend, group.op)},
#include "seam/ops.def"
};

/* Ops without an entry, and why. */
static const struct {
    const char *name;
    const char *reason;
} unrecorded[] = {
    {"process.write", "it is process.stop, or another process writes"},
    {"process.forked", "the file is the parent's"},
    {"host.enter", "with leave it is host.call"},
    {"host.leave", "with enter it is host.call"},
    {"host.traced", "the core's question, once, about leave"},
    {"host.now", "every entry has it"},
    {"host.reach", "used by replay"},
    {"host.pace", "used by replay"},
    {"host.see", "used by replay: the entries are seen and watched"},
    {"host.move", "used by replay: the entry is moved"},
    {"host.self", "every entry has the time"},
    {"host.changed", "makes a wait look again"},
    {"memory.info", "follows from what is allocated"},
    {"vmm.granularity", "a fact of the device"},
    {"vmm.mapping", "follows from what is mapped"},
    {"vmm.get_access", "follows from what is mapped"},
    {"diag.tasks", "the wrapper is the observer"},
    {"diag.newest_task", "part of each work entry"},
};

static const char *why_unrecorded(const char *name)
{
    for (size_t i = 0; i < TWIN_COUNT(unrecorded); i++)
        if (strcmp(unrecorded[i].name, name) == 0)
            return unrecorded[i].reason;
    return NULL;
}

static bool is_kind(const char *name)
{
    for (unsigned i = 0; i < TWIN_RECORD_KINDS_END; i++)
        if (twin_recording_kind(i) && strcmp(twin_recording_kind(i)->name, name) == 0)
            return true;
    return false;
}

static void test_every_op_has_a_kind(void)
{
    for (size_t i = 0; i < TWIN_COUNT(ops); i++) {
        bool has_kind = is_kind(ops[i].name);
        bool excused = why_unrecorded(ops[i].name) != NULL;
        if (has_kind == excused)
            fprintf(stderr, "%s: kind %d, excuse %d\n", ops[i].name, has_kind, excused);
        CU_ASSERT_NOT_EQUAL(has_kind, excused);
    }
}

static void test_every_slot_is_the_wrappers(void)
{
    struct twin_backend below;
    memset(&below, 0x5a, sizeof(below)); /* no valid functions */
    below.name = "none";
    const struct twin_backend *table = twin_wrapper_entry(&below);
    for (size_t i = 0; i < TWIN_COUNT(ops); i++) {
        void *slot;
        void *beneath;
        memcpy(&slot, (const char *)table + ops[i].offset, sizeof(slot));
        memcpy(&beneath, (const char *)&below + ops[i].offset, sizeof(beneath));
        bool through =
            strcmp(ops[i].name, "host.now") == 0 || strcmp(ops[i].name, "host.reach") == 0 ||
            strcmp(ops[i].name, "host.pace") == 0 || strcmp(ops[i].name, "host.see") == 0 ||
            strcmp(ops[i].name, "host.move") == 0 || strcmp(ops[i].name, "host.self") == 0 ||
            strcmp(ops[i].name, "host.changed") == 0 || strcmp(ops[i].name, "memory.info") == 0 ||
            strcmp(ops[i].name, "vmm.granularity") == 0 ||
            strcmp(ops[i].name, "vmm.mapping") == 0 || strcmp(ops[i].name, "vmm.get_access") == 0;
        if (!slot || (slot == beneath) != through)
            fprintf(stderr, "%s is not wrapped\n", ops[i].name);
        CU_ASSERT_PTR_NOT_NULL(slot);
        CU_ASSERT_EQUAL(slot == beneath, through);
    }
}

/* ---- a round trip of all of them ------------------------------------------------------------- */

static void run(void *argument)
{
    (void)argument;
}

static const twin_step steps[] = {{.pipe = TWIN_PIPE_VECTOR, .kind = TWIN_STEP_WORK, .amount = 5},
                                  {.pipe = TWIN_PIPE_MTE3, .kind = TWIN_STEP_WRITE, .amount = 64}};
static const twin_steps lists[] = {{steps, 2}, {steps + 1, 1}, {steps, 2}};
static unsigned kept;
static unsigned released;

static twin_status describe(twin_launch *kernel, const twin_reach *reach, twin_launch_work *out)
{
    (void)kernel;
    CU_ASSERT(reach->move(reach, 0x10030, NULL, 7, true));
    CU_ASSERT(!reach->move(reach, 0, NULL, 8, false));
    *out = (twin_launch_work){lists, 3};
    return TWIN_OK;
}
static void keep(twin_launch *kernel)
{
    (void)kernel;
    kept++;
}
static void release(twin_launch *kernel)
{
    (void)kernel;
    released++;
}

static void call_work(const struct twin_backend *t, twin_hw_device *device, twin_queue *q,
                      twin_queue *other, twin_signal *signal, twin_call_queue *call_queue,
                      twin_hw_instance *instance)
{
    static const twin_code_place places[] = {{8, 16}, {24, 32}};
    static const twin_image_source source = {.bytes = path, .size = 4, .magic = 0x41};
    static twin_launch_code code = {.function = "add_half",
                                    .blocks = 3,
                                    .host_args = "argument",
                                    .args_bytes = 8,
                                    .places = places,
                                    .place_count = 2,
                                    .timeout_given = true,
                                    .timeout_us = 11};
    static twin_launch kernel = {.name = "add",
                                 .cores = TWIN_CORES_VECTOR,
                                 .blocks = 3,
                                 .batch = true,
                                 .weight = 4,
                                 .timed_only = true,
                                 .guarded = true,
                                 .timeout_ns = 900,
                                 .code = &code,
                                 .describe = describe,
                                 .keep = keep,
                                 .release = release};
    uint64_t address = 0;
    t->image.load(device, &source, &code.image, &address);
    t->work.copy(q, &(twin_copy){.dst = 0x10001, .src = 0x10002, .bytes = 3});
    t->work.fill(q, &(twin_fill){.dst = 0x10004, .bytes = 5, .value = 6});
    t->work.record(q, signal);
    t->work.wait(q, signal, TWIN_FOREVER);
    t->work.reset(q, signal);
    t->work.write_value(q, 0x10008, 9, (twin_side){.kind = TWIN_MEMORY_UNKNOWN});
    t->work.wait_value(
        q, &(twin_value_wait){.address = 0x10010, .value = 11, .relation = TWIN_VALUE_AND});
    t->work.call(q, call_queue, &(twin_host_call){.fn = run, .argument = path, .block = true});
    t->work.run(q, instance);
    t->work.end(q);
    t->work.activate(q, other);
    t->work.branch(q, &(twin_branch){TWIN_IF_LESS, 0x10012, 0x10014, true, other});
    t->work.label(q, 0x10020, 2);
    t->work.jump(q, 0x10021, 0x10022, 4);
    t->work.count(q, signal, &(twin_count_change){TWIN_COUNT_OR, 8});
    t->work.wait_count(
        q, signal,
        &(twin_count_wait){
            .relation = TWIN_COUNT_MASK, .value = 3, .clear = true, .timeout_ns = 4});
    t->work.reduce(q, &(twin_reduce){.dst = 0x10031,
                                     .src = 0x10032,
                                     .bytes = 64,
                                     .op = TWIN_REDUCE_MAX,
                                     .element = TWIN_ELEMENT_BF16});
    t->work.copy_rows(q, &(twin_rows){.dst = 0x10041,
                                      .src = 0x10042,
                                      .dst_pitch = 43,
                                      .src_pitch = 44,
                                      .width = 42,
                                      .height = 2});
    const twin_replaced replaced = {.queue = q, .place = 7};
    kernel.replaces = &replaced;
    t->work.launch(q, &kernel);
    kernel.replaces = NULL;
    t->image.unload(code.image);
}

static void call_rest(const struct twin_backend *t, twin_hw_device *device, twin_queue *q,
                      twin_signal *signal, twin_call_queue *call_queue, twin_hw_instance *instance)
{
    static const int32_t pids[] = {91, 92, 93};
    static const twin_signal_config config = {
        .kind = TWIN_SIGNAL_NOTIFY, .name = 6, .shared = true};
    char name[TWIN_SHARE_NAME];
    uint64_t number = 0;
    uint32_t small = 0;
    double length = 0;
    bool idle = false;
    twin_failure failure = {0};
    twin_signal *opened = NULL;
    twin_signal_state state = {.ask = TWIN_ASK_WAITS};
    twin_taken_call taken;
    twin_usage usage;
    t->queue.drain(q, 70);
    t->queue.query(q, &idle);
    t->queue.room(q);
    t->queue.abort(q);
    t->queue.stop(q);
    t->queue.set_priority(q, 5);
    t->queue.stop_on_failure(q);
    t->queue.take_failure(q, &failure);
    CU_ASSERT_PTR_NOT_NULL_FATAL(failure.kernel);
    if (!failure.kernel)
        return; /* what the analyser does not know */
    CU_ASSERT_STRING_EQUAL(failure.kernel->name, "add");
    failure.kernel->release(failure.kernel);
    t->signal.query(signal, &state);
    t->signal.wait(signal, 75);
    t->signal.timestamp(signal, &number);
    CU_ASSERT_EQUAL(number, 4242);
    t->signal.elapsed(signal, signal, &length);
    t->signal.available(device, TWIN_SIGNAL_NOTIFY, &small);
    t->signal.clear(signal);
    t->signal.share(signal, true, name);
    t->signal.allow(signal, pids, 3);
    t->signal.open(device, name, &config, &opened);
    t->signal.destroy(opened);
    t->call_queue.take(call_queue, 76, &taken);
    t->call_queue.answer(call_queue, taken.ticket);
    t->call_queue.close(call_queue);
    t->model_instance.bind(instance, q, true);
    t->model_instance.unbind(instance, q);
    t->model_instance.seal(instance);
    t->model_instance.clean(q);
    t->model_instance.abort(instance);
    t->model_instance.drain(instance, 77);
    t->diag.usage(1, &usage);
    t->fault.inject(&(twin_fault){.kind = TWIN_FAULT_MEMORY, .first = 2, .bytes = 12}, &small);
    t->fault.remove(small);
    t->fault.triggered(small, &number);
}

static void ignore_fact(void *context, const twin_fact *fact)
{
    (void)context;
    (void)fact;
}

static void call_all(const struct twin_backend *t)
{
    static const twin_call public_call = {"aclrtSomething", TWIN_COST_SUBMIT};
    uint32_t small = 0;
    uint64_t address = 0;
    uint64_t total = 0;
    twin_place place = {TWIN_PLACE_NONE, 0};
    size_t found = 0;
    void *pointer = NULL;
    const twin_device_properties *properties = NULL;
    twin_hw_device *device = NULL;
    twin_queue *q = NULL;
    twin_queue *other = NULL;
    twin_signal *signal = NULL;
    twin_call_queue *call_queue = NULL;
    twin_hw_instance *instance = NULL;
    twin_hw_pool *pool = NULL;
    twin_memory_error failed;
    t->host.attach();
    CU_ASSERT_TRUE(t->host.traced());
    t->host.enter(&public_call);
    t->process.count(&small);
    t->process.describe(1, &properties);
    t->host.last_task();
    t->host.advance(6);
    t->host.follow(&(twin_host_moment){.at_ns = 100000});
    t->device.open(1, &device);
    t->device.abort(device);
    t->process.snapshot(TWIN_SNAPSHOT_RESTORE);
    t->device.peer(device, 2, true);
    t->memory.alloc(device,
                    &(twin_allocation){.bytes = 16,
                                       .pages = TWIN_PAGES_HUGE_ONLY,
                                       .module = TWIN_MODULE_APP,
                                       .flags = TWIN_ALLOC_PEER},
                    &address);
    t->memory.host_alloc(&(twin_allocation){.bytes = 17, .module = TWIN_MODULE_RUNTIME}, &pointer);
    t->memory.space(device, 2, &address, &total);
    t->memory.copy(device, &(twin_copy){.dst = 0x10000, .src = 0x10008, .bytes = 8});
    t->memory.fill(device, &(twin_fill){.dst = 0x10000, .bytes = 9, .value = 7});
    t->memory.copy_rows(device, &(twin_rows){.dst = 0x10000,
                                             .src = 0x10001,
                                             .dst_pitch = 3,
                                             .src_pitch = 4,
                                             .width = 2,
                                             .height = 5});
    t->memory.errors(device, &failed, 1, &found);
    t->memory.repair(device, 0x10010, 64);
    t->memory.pin(device, &(twin_pin){.pointer = (void *)0x50000, .bytes = 32, .mapped = true},
                  &total);
    t->memory.fill(device, &(twin_fill){.dst = 0x30008, .bytes = 4, .value = 6});
    t->memory.unpin(device, (void *)0x50000);
    t->memory.map_peer(0x10010, 64, 2);
    t->managed.alloc(device, 0x200000, &total);
    t->managed.advise(0x200000, 0x200000, TWIN_ADVICE_PREFERRED, (twin_place){TWIN_PLACE_HOST, 0});
    t->managed.query(0x200000, 8, TWIN_MANAGED_PREFERRED, &place, 1);
    t->managed.move(device, 0x200000, 0x200000, (twin_place){TWIN_PLACE_HOST, 0});
    t->memory.usage(device, &(twin_memory_use){.bytes = 0}, 1, &found);
    t->queue.create(device, &(twin_queue_config){.id = 1, .priority = 3, .fast_sync = true}, &q);
    t->queue.create(device, &(twin_queue_config){.id = 2, .deferred = true}, &other);
    t->signal.create(device, &(twin_signal_config){.kind = TWIN_SIGNAL_COUNT, .name = 5}, &signal);
    t->call_queue.create(device, true, &call_queue);
    t->model_instance.create(device, &instance);
    call_work(t, device, q, other, signal, call_queue, instance);
    fake_task_ends(
        &(twin_task_end){.number = 2, .begin_ns = 100, .end_ns = 200, .status = TWIN_E_COPY});
    call_rest(t, device, q, signal, call_queue, instance);
    call_vmm(t, device);
    t->diag.facts(ignore_fact, NULL);
    t->pool.create(device, 0x400000, &pool);
    t->pool.set(pool, TWIN_POOL_THRESHOLD, 92);
    t->pool.get(pool, TWIN_POOL_USED, &address);
    t->work.alloc(q, pool, 0x200000, &address);
    t->work.free(q, address);
    t->pool.trim(pool, 93);
    t->pool.destroy(pool);
    call_indirect(t, device, q);
    t->model_instance.destroy(instance);
    t->call_queue.destroy(call_queue);
    t->signal.destroy(signal);
    t->queue.destroy(other);
    t->queue.destroy(q);
    t->memory.host_free(pointer);
    t->memory.free(0x10000);
    t->device.close(device);
    t->host.leave(&public_call, 107000);
    t->host.detach();
    t->process.stop();
}

/* The line of each expected entry comes after that of the one before. */
static void compare_lines(const char *text)
{
    const char *from = text;
    for (size_t i = 0; i < TWIN_COUNT(expected); i++) {
        const char *found = strstr(from, expected[i]);
        if (!found)
            fprintf(stderr, "missing or out of order: %s\n", expected[i]);
        CU_ASSERT_PTR_NOT_NULL(found);
        if (found)
            from = found + strlen(expected[i]);
    }
}

/* Pointers are not printed where records are compared. */
static void check_ticket(const twin_recording *recording)
{
    unsigned found = 0;
    for (size_t i = 0; i < twin_recording_count(recording); i++) {
        const struct twin_record_entry *entry = twin_recording_at(recording, i);
        struct twin_record_CALL_QUEUE_TAKE take;
        struct twin_record_CALL_QUEUE_ANSWER answer;
        if (TWIN_RECORDING_GET(entry, CALL_QUEUE_TAKE, &take) && take.out_ticket == 0x3e)
            found |= 1;
        if (TWIN_RECORDING_GET(entry, CALL_QUEUE_ANSWER, &answer) && answer.ticket == 0x3e)
            found |= 2;
    }
    CU_ASSERT_EQUAL(found, 3);
}

static void check_code(const twin_recording *recording)
{
    struct twin_recording_code code;
    bool found = false;
    for (size_t i = 0; i < twin_recording_count(recording); i++) {
        if (!twin_recording_code(twin_recording_at(recording, i), &code))
            continue;
        found = true;
        CU_ASSERT_EQUAL_FATAL(code.place_count, 2);
        CU_ASSERT(code.places[1].place == 24 && code.places[1].data == 32);
        CU_ASSERT_EQUAL_FATAL(code.args_bytes, 8);
        CU_ASSERT_EQUAL(memcmp(code.args, "argument", 8), 0);
        CU_ASSERT_STRING_EQUAL(code.function, "add_half");
    }
    CU_ASSERT_TRUE(found);
}

static void check_steps(const twin_recording *recording)
{
    struct twin_recording_steps list;
    CU_ASSERT_TRUE_FATAL(twin_recording_steps(recording, 1, &list));
    CU_ASSERT_EQUAL_FATAL(list.list_count, 3);
    CU_ASSERT_EQUAL_FATAL(list.step_count, 3); /* the third program is the first one again */
    CU_ASSERT_EQUAL(list.lists[2].first, list.lists[0].first);
    CU_ASSERT_EQUAL(list.lists[0].count, 2);
    CU_ASSERT_EQUAL(memcmp(list.steps, steps, sizeof(steps)), 0);
    CU_ASSERT_EQUAL(memcmp(list.steps + list.lists[1].first, steps + 1, sizeof(steps[0])), 0);
    CU_ASSERT_FALSE(twin_recording_steps(recording, 2, &list));
}

static void test_round_trip(void)
{
    fake_stamped = true;
    kept = released = 0;
    call_all(start());
    CU_ASSERT_EQUAL(kept, 1);
    CU_ASSERT_EQUAL(released, 2);
    twin_recording *recording = read_back();
    char *text = NULL;
    size_t bytes = 0;
    FILE *file = open_memstream(&text, &bytes);
    CU_ASSERT_PTR_NOT_NULL_FATAL(file);
    CU_ASSERT_TRUE(
        twin_recording_print(recording, &(struct twin_recording_print){.stable = true}, file));
    fclose(file);
    compare_lines(text);
    free(text);
    /* and each kind that there is */
    bool seen[TWIN_RECORD_KINDS_END] = {false};
    for (size_t i = 0; i < twin_recording_count(recording); i++)
        seen[twin_recording_at(recording, i)->kind] = true;
    for (unsigned kind = 0; kind < TWIN_RECORD_KINDS_END; kind++) {
        /* this program calls ops, no public functions, so there are no call sites */
        bool by_setting = kind == TWIN_RECORD_RETURNED || kind == TWIN_RECORD_STAMP ||
                          kind == TWIN_RECORD_DATA || kind == TWIN_RECORD_CONTENT ||
                          kind == TWIN_RECORD_TOUCHED || kind == TWIN_RECORD_MODULE ||
                          kind == TWIN_RECORD_STACK || kind == TWIN_RECORD_SCRIPT_STACK ||
                          kind == TWIN_RECORD_CALL_STACK;
        if (twin_recording_kind(kind) && !by_setting && !seen[kind])
            fprintf(stderr, "no entry %s\n", twin_recording_kind(kind)->name);
        CU_ASSERT_TRUE(!twin_recording_kind(kind) || by_setting || seen[kind]);
    }
    check_steps(recording);
    check_ticket(recording);
    check_code(recording);
    twin_recording_free(recording);
}

/* ---- invalid answers ------------------------------------------------------------------------- */

static void test_failures_have_no_answers(void)
{
    const struct twin_backend *t = start();
    twin_hw_device *device = NULL;
    twin_queue *q = NULL;
    t->device.open(0, &device);
    fake_status = TWIN_E_NO_QUEUE;
    CU_ASSERT_EQUAL(t->queue.create(device, &(twin_queue_config){.id = 1}, &q), TWIN_E_NO_QUEUE);
    CU_ASSERT_PTR_NULL(q);
    fake_status = TWIN_OK;
    t->queue.create(device, &(twin_queue_config){.id = 1}, &q);
    fake_status = TWIN_E_BUSY;
    CU_ASSERT_EQUAL(t->work.copy(q, &(twin_copy){.dst = 1, .src = 2, .bytes = 3}), TWIN_E_BUSY);
    fake_status = TWIN_OK;
    t->queue.destroy(q);
    t->device.close(device);
    t->process.stop();
    twin_recording *recording = read_back();
    const struct twin_recording_object *object =
        twin_recording_object(recording, TWIN_RECORD_ROLE_QUEUE, 1);
    CU_ASSERT_PTR_NOT_NULL_FATAL(object); /* the one that was made has the number */
    if (!object)
        return; /* what the analyser does not know */
    CU_ASSERT_EQUAL(twin_recording_at(recording, object->made)->kind, TWIN_RECORD_QUEUE_CREATE);
    CU_ASSERT_EQUAL(twin_recording_at(recording, object->gone)->kind, TWIN_RECORD_QUEUE_DESTROY);
    CU_ASSERT_PTR_NULL(twin_recording_object(recording, TWIN_RECORD_ROLE_QUEUE, 2));
    unsigned refused = 0;
    for (size_t i = 0; i < twin_recording_count(recording); i++) {
        const struct twin_record_entry *entry = twin_recording_at(recording, i);
        if (entry->kind == TWIN_RECORD_WORK_COPY &&
            strcmp(twin_recording_status(recording, entry->status), "TWIN_E_BUSY") == 0)
            refused++;
    }
    CU_ASSERT_EQUAL(refused, 1);
    twin_recording_free(recording);
}

static const twin_test tests[] = {
    {"every op has a kind of entry, or a reason for none", test_every_op_has_a_kind},
    {"every slot of the table is the wrapper's own", test_every_slot_is_the_wrappers},
    {"every op comes back out of the file as it went in", test_round_trip},
    {"a call that fails makes nothing", test_failures_have_no_answers},
};

int main(int argc, char **argv)
{
    return twin_run_suite("record_ops", tests, TWIN_COUNT(tests), argc, argv);
}
