/* SPDX-License-Identifier: Apache-2.0 */
/* What entries name: objects by their numbers, tasks by their queues, texts. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "recording/containers.h"
#include "recording/reading.h"

#define TASKS_MOST 65536u /* of one op; no queue holds more */

/* ---- what makes and ends objects ------------------------------------------------------------- */

/* Of an object, by the role of a field that names a new one, and by the kind of an entry that ends
 * one: the role of the fields that name it. 0: none. */
static const unsigned made_roles[TWIN_RECORD_ROLES] = {
    [TWIN_RECORD_ROLE_NEW_QUEUE] = TWIN_RECORD_ROLE_QUEUE,
    [TWIN_RECORD_ROLE_NEW_SIGNAL] = TWIN_RECORD_ROLE_SIGNAL,
    [TWIN_RECORD_ROLE_NEW_CALL_QUEUE] = TWIN_RECORD_ROLE_CALL_QUEUE,
    [TWIN_RECORD_ROLE_NEW_MODEL_INSTANCE] = TWIN_RECORD_ROLE_MODEL_INSTANCE,
    [TWIN_RECORD_ROLE_NEW_KERNEL] = TWIN_RECORD_ROLE_KERNEL,
    [TWIN_RECORD_ROLE_NEW_IMAGE] = TWIN_RECORD_ROLE_IMAGE,
    [TWIN_RECORD_ROLE_NEW_STEPS] = TWIN_RECORD_ROLE_STEPS,
    [TWIN_RECORD_ROLE_NEW_DATA] = TWIN_RECORD_ROLE_DATA,
    [TWIN_RECORD_ROLE_NEW_POOL] = TWIN_RECORD_ROLE_POOL,
    [TWIN_RECORD_ROLE_NEW_STRING] = TWIN_RECORD_ROLE_STRING,
};
static const unsigned ended_roles[TWIN_RECORD_KINDS_END] = {
    [TWIN_RECORD_QUEUE_DESTROY] = TWIN_RECORD_ROLE_QUEUE,
    [TWIN_RECORD_SIGNAL_DESTROY] = TWIN_RECORD_ROLE_SIGNAL,
    [TWIN_RECORD_CALL_QUEUE_DESTROY] = TWIN_RECORD_ROLE_CALL_QUEUE,
    [TWIN_RECORD_MODEL_INSTANCE_DESTROY] = TWIN_RECORD_ROLE_MODEL_INSTANCE,
    [TWIN_RECORD_POOL_DESTROY] = TWIN_RECORD_ROLE_POOL,
    [TWIN_RECORD_IMAGE_UNLOAD] = TWIN_RECORD_ROLE_IMAGE,
    [TWIN_RECORD_RELEASED] = TWIN_RECORD_ROLE_KERNEL,
};

static int compare_objects(const void *left, const void *right)
{
    const struct twin_recording_object *a = left;
    const struct twin_recording_object *b = right;
    return ORDER_3(a->role, b->role, a->number, b->number, a->made, b->made);
}

/* The number of what the entry made; 0: nothing. A kernel that was refused was never the
 * backend's. */
static uint32_t made_number(const struct twin_record_entry *entry, unsigned *out_role)
{
    const struct twin_recording_kind *kind = twin_recording_kind(entry->kind);
    for (unsigned i = 0; kind && i < kind->field_count && twin_recording_succeeded(entry); i++) {
        *out_role = made_roles[kind->fields[i].role];
        if (*out_role != 0)
            return (uint32_t)twin_recording_value(entry, &kind->fields[i]);
    }
    return 0;
}

static bool index_objects(twin_recording *recording)
{
    unsigned role = 0;
    for (size_t i = 0; i < recording->count; i++) {
        const uint32_t number = made_number(recording->items[i].entry, &role);
        const struct twin_recording_object object = {
            .number = number, .role = role, .made = i, .gone = TWIN_RECORDING_NONE};
        if (number != 0 && !LIST_ADD(&recording->objects, object))
            return false;
    }
    if (recording->objects.count > 0)
        qsort(recording->objects.items, recording->objects.count,
              sizeof(struct twin_recording_object), compare_objects);
    for (size_t i = 0; i < recording->count; i++) {
        const struct twin_record_entry *entry = recording->items[i].entry;
        role = entry->kind < TWIN_RECORD_KINDS_END ? ended_roles[entry->kind] : 0;
        if (role == 0)
            continue;
        struct twin_record_QUEUE_DESTROY ended; /* all of them begin with the number */
        twin_recording_fields(entry, &ended, sizeof(ended));
        struct twin_recording_object *object =
            (struct twin_recording_object *)twin_recording_object(
                recording, (enum twin_record_role)role, ended.queue);
        if (object && object->gone == TWIN_RECORDING_NONE)
            object->gone = i;
    }
    return true;
}

size_t twin_recording_object_count(const twin_recording *recording)
{
    return recording->objects.count;
}

const struct twin_recording_object *twin_recording_object_at(const twin_recording *recording,
                                                             size_t index)
{
    return index < recording->objects.count ? &recording->objects.items[index] : NULL;
}

const struct twin_recording_object *
twin_recording_object(const twin_recording *recording, enum twin_record_role role, uint32_t number)
{
    const struct twin_recording_object *objects = recording->objects.items;
    size_t low =
        PARTITION_POINT(recording->objects.count, at,
                        objects[at].role < (unsigned)role ||
                            (objects[at].role == (unsigned)role && objects[at].number < number));
    return low < recording->objects.count && objects[low].role == (unsigned)role &&
                   objects[low].number == number
               ? &objects[low]
               : NULL;
}

static const struct twin_record_entry *made_by(const twin_recording *recording,
                                               enum twin_record_role role, uint32_t number)
{
    const struct twin_recording_object *object = twin_recording_object(recording, role, number);
    return object ? recording->items[object->made].entry : NULL;
}

/* ---- texts, steps, data ---------------------------------------------------------------------- */

const char *twin_recording_string(const twin_recording *recording, uint32_t string)
{
    const struct twin_record_entry *entry = made_by(recording, TWIN_RECORD_ROLE_STRING, string);
    return entry && entry->kind == TWIN_RECORD_CALL_SITE ? twin_recording_text(entry, 0) : "?";
}

const char *twin_recording_status(const twin_recording *recording, unsigned status)
{
    const struct twin_recording_index *rows = &recording->statuses;
    size_t first;
    return twin_recording_index_find(rows, status, &first) > 0
               ? twin_recording_text(recording->items[rows->list[first].entry].entry, 0)
               : "?";
}

const char *twin_recording_own_status_name(uint32_t status)
{
    static const char *const names[] = {
#define STATUS_NAME(name, code, text) #name,
        TWIN_STATUS_LIST(STATUS_NAME)
#undef STATUS_NAME
    };
    return status < TWIN_STATUS_COUNT ? names[status] : "?";
}

uint32_t twin_recording_own_status(const twin_recording *recording, unsigned status)
{
    return status < STATUSES_MOST ? recording->own_statuses[status] : TWIN_STATUS_COUNT;
}

static bool index_statuses(twin_recording *recording)
{
    struct twin_recording_index *rows = &recording->statuses;
    if (!twin_recording_index_make(recording, TWIN_RECORD_STATUS, "value", 0, recording->count,
                                   rows))
        return false;
    for (unsigned i = 1; i < STATUSES_MOST; i++)
        recording->own_statuses[i] = TWIN_STATUS_COUNT;
    for (size_t i = rows->count; i-- > 0;) { /* the first of a value counts */
        uint64_t value = rows->list[i].key;
        uint16_t own = 0;
        const char *name = twin_recording_text(recording->items[rows->list[i].entry].entry, 0);
        if (value == 0 || value >= STATUSES_MOST)
            continue;
        while (own < TWIN_STATUS_COUNT && strcmp(name, twin_recording_own_status_name(own)) != 0)
            own++;
        recording->own_statuses[value] = own;
    }
    return true;
}

/* The newest entry of a kind whose first text is `name`: its second. */
static const char *newest_text(const twin_recording *recording, unsigned kind, const char *name)
{
    for (size_t i = recording->count; i > 0; i--) {
        const struct twin_record_entry *entry = recording->items[i - 1].entry;
        if (entry->kind == kind && strcmp(twin_recording_text(entry, 0), name) == 0)
            return twin_recording_text(entry, 1);
    }
    return NULL;
}

const char *twin_recording_setting(const twin_recording *recording, const char *name)
{
    return newest_text(recording, TWIN_RECORD_SETTING, name);
}

const char *twin_recording_fact(const twin_recording *recording, const char *name)
{
    return newest_text(recording, TWIN_RECORD_FACT, name);
}

bool twin_recording_steps(const twin_recording *recording, uint32_t list,
                          struct twin_recording_steps *out)
{
    struct twin_record_STEPS fields;
    const struct twin_record_entry *entry = made_by(recording, TWIN_RECORD_ROLE_STEPS, list);
    size_t bytes;
    if (!entry || !TWIN_RECORDING_GET(entry, STEPS, &fields))
        return false;
    const struct twin_record_step_list *lists = twin_recording_tail(entry, &bytes);
    *out = (struct twin_recording_steps){
        .lists = lists,
        .steps = (const void *)(lists + fields.lists),
        .list_count = fields.lists,
        .step_count = fields.steps,
    };
    return true;
}

bool twin_recording_code(const struct twin_record_entry *entry, struct twin_recording_code *out)
{
    struct twin_record_CODE f;
    size_t bytes;
    const char *at = twin_recording_tail(entry, &bytes);
    if (!TWIN_RECORDING_GET(entry, CODE, &f) || !at ||
        f.places > bytes / sizeof(struct twin_record_place))
        return false;
    size_t places = (size_t)f.places * sizeof(struct twin_record_place);
    /* the name has one byte at least, which ends it */
    if (f.args_bytes >= bytes - places || at[bytes - 1] != '\0')
        return false;
    *out = (struct twin_recording_code){.places = (const void *)at,
                                        .place_count = f.places,
                                        .args = at + places,
                                        .args_bytes = f.args_bytes,
                                        .function = at + places + f.args_bytes};
    return true;
}

const void *twin_recording_data(const twin_recording *recording, uint32_t data, size_t *out_bytes)
{
    const struct twin_record_entry *entry = made_by(recording, TWIN_RECORD_ROLE_DATA, data);
    *out_bytes = 0;
    return entry && entry->kind == TWIN_RECORD_DATA ? twin_recording_tail(entry, out_bytes) : NULL;
}

/* ---- tasks ----------------------------------------------------------------------------------- */

static int compare_tasks(const void *left, const void *right)
{
    const struct twin_recording_task *a = left;
    const struct twin_recording_task *b = right;
    return ORDER_3(a->queue, b->queue, a->task, b->task, a->entry, b->entry);
}

static bool index_tasks(twin_recording *recording)
{
    bool sorted = true;
    for (size_t i = 0; i < recording->count; i++) {
        struct twin_record_TASK f;
        if (!TWIN_RECORDING_GET(recording->items[i].entry, TASK, &f))
            continue;
        const struct twin_recording_task task = {
            .queue = f.queue, .task = f.task, .entry = (uint32_t)i};
        if (!LIST_ADD(&recording->tasks, task))
            return false;
        const struct twin_recording_task *last =
            &recording->tasks.items[recording->tasks.count - 1];
        sorted = sorted && (recording->tasks.count == 1 || compare_tasks(last - 1, last) < 0);
    }
    if (!sorted)
        qsort(recording->tasks.items, recording->tasks.count, sizeof(struct twin_recording_task),
              compare_tasks);
    return true;
}

/* Where the first entry of that task, or of one after it, is. */
static size_t first_task(const twin_recording *recording, uint32_t queue, uint64_t task)
{
    const struct twin_recording_task key = {.queue = queue, .task = task};
    return PARTITION_POINT(recording->tasks.count, i,
                           compare_tasks(&recording->tasks.items[i], &key) < 0);
}

/* Where the last one of the queue's tasks up to and with that one ends. */
static size_t end_of_tasks(const twin_recording *recording, uint32_t queue, uint64_t task)
{
    if (task < UINT64_MAX)
        return first_task(recording, queue, task + 1);
    return queue < UINT32_MAX ? first_task(recording, queue + 1, 0) : recording->tasks.count;
}

size_t twin_recording_tasks_among(const twin_recording *recording, uint32_t queue, uint64_t first,
                                  uint32_t count)
{
    if (count == 0)
        return 0;
    uint64_t last = first > UINT64_MAX - (count - 1) ? UINT64_MAX : first + (count - 1);
    return end_of_tasks(recording, queue, last) - first_task(recording, queue, first);
}

static void times_of_stamp(const twin_recording *recording, uint64_t seq,
                           struct twin_recording_times *out)
{
    size_t first;
    struct twin_record_STAMP stamp;
    if (twin_recording_index_find(&recording->stamps, seq, &first) == 0)
        return;
    twin_recording_fields(recording->items[recording->stamps.list[first].entry].entry, &stamp,
                          sizeof(stamp));
    out->ended = true;
    out->status = stamp.result;
    out->end_ns = stamp.task_end_ns;
}

void twin_recording_times(const twin_recording *recording, size_t index,
                          struct twin_recording_times *out)
{
    const struct twin_record_entry *entry = recording->items[index].entry;
    struct twin_record_WORK_END work;
    *out = (struct twin_recording_times){0};
    if (!twin_recording_work(entry, &work) || !twin_recording_succeeded(entry) ||
        work.tasks > TASKS_MOST)
        return;
    if (work.first_task == 0) {
        times_of_stamp(recording, entry->begin_seq, out);
        return;
    }
    uint32_t ended = 0;
    for (uint32_t i = 0; i < work.tasks; i++) {
        size_t first = first_task(recording, work.queue, work.first_task + i);
        if (first == recording->tasks.count)
            break; /* later ones have not ended either */
        const struct twin_recording_task *of = &recording->tasks.items[first];
        if (of->queue != work.queue || of->task != work.first_task + i)
            break;
        struct twin_record_TASK task;
        twin_recording_fields(recording->items[of->entry].entry, &task, sizeof(task));
        if (!out->begun || task.task_begin_ns < out->begin_ns)
            out->begin_ns = task.task_begin_ns;
        out->begun = true;
        if (task.task_end_ns > out->end_ns)
            out->end_ns = task.task_end_ns;
        if (out->status == 0)
            out->status = task.result;
        ended++;
    }
    out->ended = work.tasks > 0 && ended == work.tasks;
}

/* What public calls have in common with others from the same place. */
static void fill_in_calls(twin_recording *recording)
{
    for (size_t i = 0; i < recording->count; i++) {
        struct twin_record_entry *entry = recording->items[i].entry;
        struct twin_record_HOST_CALL call;
        struct twin_record_CALL_SITE site;
        if (!TWIN_RECORDING_GET(entry, HOST_CALL, &call))
            continue;
        const struct twin_record_entry *from =
            made_by(recording, TWIN_RECORD_ROLE_STRING, call.name);
        if (!from || !TWIN_RECORDING_GET(from, CALL_SITE, &site))
            continue;
        call.cost = site.cost;
        call.depth = site.depth;
        call.site = site.site;
        memcpy(entry + 1, &call, sizeof(call));
    }
}

bool twin_recording_make_tables(twin_recording *recording)
{
    if (!index_objects(recording))
        return false;
    fill_in_calls(recording);
    return index_tasks(recording) && index_statuses(recording) &&
           twin_recording_index_make(recording, TWIN_RECORD_STAMP, "of_seq", 0, recording->count,
                                     &recording->stamps);
}

/* ---- kernels that were only timed ------------------------------------------------------------ */

bool twin_recording_computed(const twin_recording *recording, const char *path, char *error,
                             size_t error_bytes)
{
    const struct twin_record_entry *first = NULL;
    size_t count = 0;
    for (size_t i = 0; i < recording->count; i++) {
        const struct twin_record_entry *entry = twin_recording_at(recording, i);
        struct twin_record_WORK_LAUNCH launch;
        if (!TWIN_RECORDING_GET(entry, WORK_LAUNCH, &launch) || !launch.timed_only)
            continue;
        if (count++ == 0)
            first = entry;
    }
    if (first)
        (void)snprintf(error, error_bytes,
                       "%s: %zu launch%s only timed, not computed; the first: kernel \"%s\" (seq "
                       "%llu). Expected: a run with data in memory, as there is no verdict on "
                       "results that do not exist. Record it again with TWINRT_KERNEL_DATA=on and "
                       "without twinrt_set_kernel_data(TWINRT_KERNEL_DATA_OFF)",
                       path, count, count == 1 ? " was" : "es were", twin_recording_text(first, 0),
                       (unsigned long long)first->begin_seq);
    return !first;
}
