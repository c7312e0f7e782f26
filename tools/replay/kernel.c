/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels. What their blocks did, step by step, is in the recording of a device whose kernels the
 * core runs; what they left in memory is not, and their code is gone with the program. For a device
 * that runs device code the recording has image, function and arguments. */
#include <stdlib.h>
#include <string.h>

#include "replay/state.h"

/* More steps in one launch than this are no program's. */
#define STEPS_MOST ((uint64_t)1 << 32)

static_assert(sizeof(twin_step) == sizeof(struct twin_record_step), "steps are read as they are");
static_assert(offsetof(twin_step, amount) == offsetof(struct twin_record_step, amount), "layout");
static_assert(offsetof(twin_step, pitch) == offsetof(struct twin_record_step, pitch), "layout");
static_assert(sizeof(twin_code_place) == sizeof(struct twin_record_place),
              "places are read as they are");

/* A list of steps as a launch takes it. */
struct replay_steps {
    twin_launch_work work;
    twin_steps lists[];
};

struct replay_kernel {
    twin_launch launch; /* what the device has; first */
    struct replay *replay;
    uint32_t number; /* in the recording */
    uint32_t device;
    size_t described; /* how often */
    atomic_uint holds;
};

/* ---- steps ---- */

/* Whether the rows that it names, if any, are rows. */
static bool has_rows(const struct twin_record_step *step)
{
    if (step->row_bytes == 0 || step->address == 0)
        return step->row_bytes == 0 && step->pitch == 0;
    return step->amount % step->row_bytes == 0 && step->pitch >= step->row_bytes;
}

static bool is_step(const struct twin_record_step *step)
{
    if (step->pipe >= TWIN_PIPE_COUNT || step->kind > TWIN_STEP_COUNT ||
        step->amount > TWIN_STEP_MOST ||
        (step->hit_permille > 1000 && step->hit_permille != TWIN_HIT_DEFAULT))
        return false;
    switch (step->kind) {
    case TWIN_STEP_READ:
    case TWIN_STEP_WRITE:
        return step->flag <= TWIN_STEP_BITS && has_rows(step);
    case TWIN_STEP_SET:
    case TWIN_STEP_WAIT:
        return step->flag < TWIN_STEP_FLAGS;
    case TWIN_STEP_CROSS_CORE_SET:
    case TWIN_STEP_CROSS_CORE_WAIT:
        return step->flag < TWIN_STEP_CROSS_CORE_FLAGS;
    case TWIN_STEP_BARRIER:
        return step->pipe == TWIN_PIPE_SCALAR;
    case TWIN_STEP_FAULT:
        return step->amount >= 1 && step->amount <= 3;
    case TWIN_STEP_COUNT:
        return step->flag < TWIN_COUNT_KINDS;
    default:
        return true;
    }
}

static const struct replay_steps *make_steps(const struct twin_recording_steps *recorded)
{
    uint64_t total = 0;
    for (uint64_t i = 0; i < recorded->step_count; i++)
        if (!is_step(&recorded->steps[i]))
            return NULL;
    struct replay_steps *steps =
        calloc(1, sizeof(*steps) + (size_t)recorded->list_count * sizeof(twin_steps));
    if (!steps)
        return NULL;
    steps->work = (twin_launch_work){.lists = steps->lists, .count = recorded->list_count};
    for (uint64_t i = 0; i < recorded->list_count; i++) {
        const struct twin_record_step_list *list = &recorded->lists[i];
        steps->lists[i] =
            (twin_steps){.steps = (const twin_step *)(const void *)(recorded->steps + list->first),
                         .count = list->count};
        total += list->count;
    }
    if (total <= STEPS_MOST)
        return steps;
    free(steps);
    return NULL;
}

/* The list as recorded, if it fits the blocks and the device's cores; NULL: nothing is known of the
 * blocks. */
static const twin_launch_work *find_work(struct replay *replay, uint32_t list,
                                         const twin_launch *launch, uint32_t device)
{
    static const struct replay_steps unusable;
    struct replay_object *object = replay_object_quiet(replay, TWIN_RECORD_ROLE_STEPS, list);
    const twin_device_properties *properties = NULL;
    struct twin_recording_steps recorded;
    if (!object || !twin_recording_steps(replay->recording, list, &recorded))
        return NULL;
    if (!object->extra)
        object->extra = make_steps(&recorded);
    if (!object->extra)
        object->extra = &unusable;
    const struct replay_steps *steps = object->extra;
    if (steps == &unusable || replay->ops->process.describe(device, &properties) != TWIN_OK)
        return NULL;
    uint64_t each = launch->cores == TWIN_CORES_MIXED && properties->aic_cores > 0
                        ? 1 + properties->aiv_cores / properties->aic_cores
                        : 1;
    return steps->work.count == each || steps->work.count == each * launch->blocks ? &steps->work
                                                                                   : NULL;
}

/* ---- what the device asks ---- */

static bool is_of(const struct twin_record_USED *use, const struct replay_kernel *kernel,
                  bool effect)
{
    return (use->effect != 0) == effect && use->run == kernel->described;
}

/* Uses memory as the kernel did: pages of managed memory move, and memory that fails is noted.
 * False: some could not be used. */
static bool use_memory(const struct replay_kernel *kernel, const twin_reach *reach, bool effect)
{
    struct replay *replay = kernel->replay;
    size_t first;
    size_t count = twin_recording_index_find(&replay->uses, kernel->number, &first);
    bool good = true;
    for (size_t i = first; i < first + count && reach->move; i++) {
        struct twin_record_USED f;
        twin_recording_fields(twin_recording_at(replay->recording, replay->uses.list[i].entry), &f,
                              sizeof(f));
        if (is_of(&f, kernel, effect))
            good = reach->move(reach, replay_address_any(replay, f.address), NULL, f.bytes,
                               f.write != 0) &&
                   good && f.good != 0;
    }
    return good;
}

static twin_status effect(twin_launch *launch, const twin_reach *reach)
{
    const struct replay_kernel *kernel = (const struct replay_kernel *)(const void *)launch;
    return use_memory(kernel, reach, true) ? TWIN_OK : TWIN_E_KERNEL_EXCEPTION;
}

static twin_status describe(twin_launch *launch, const twin_reach *reach,
                            twin_launch_work *out_work)
{
    struct replay_kernel *kernel = (struct replay_kernel *)(void *)launch;
    struct replay *replay = kernel->replay;
    size_t first;
    size_t count = twin_recording_index_find(&replay->described, kernel->number, &first);
    *out_work = (twin_launch_work){0};
    size_t which = kernel->described++;
    const struct twin_record_entry *entry = NULL;
    struct twin_record_DESCRIBED f;
    if (count > 0)
        entry = twin_recording_at(
            replay->recording,
            replay->described.list[first + (which < count ? which : count - 1)].entry);
    if (!entry || !twin_recording_ended(entry)) {
        replay->report.unknown_kernels++;
        return TWIN_OK;
    }
    replay->described_at = entry->end_seq;
    (void)use_memory(kernel, reach, false);
    replay->described_at = 0;
    twin_recording_fields(entry, &f, sizeof(f));
    uint32_t status = twin_recording_own_status(replay->recording, entry->status);
    if (status != TWIN_OK)
        return status < TWIN_STATUS_COUNT ? (twin_status)status : TWIN_E_KERNEL_EXCEPTION;
    const twin_launch_work *work =
        f.out_list != 0 ? find_work(replay, f.out_list, launch, kernel->device) : NULL;
    if (work)
        *out_work = *work;
    else if (f.out_list != 0)
        replay->report.unknown_kernels++;
    return TWIN_OK;
}

static void keep(twin_launch *launch)
{
    atomic_fetch_add(&((struct replay_kernel *)(void *)launch)->holds, 1);
}

static void release(twin_launch *launch)
{
    struct replay_kernel *kernel = (struct replay_kernel *)(void *)launch;
    if (atomic_fetch_sub(&kernel->holds, 1) == 1)
        free(kernel);
}

/* ---- device code ---- */

/* Words of the arguments that were addresses of device memory are those of now: nothing says which
 * they are, and other numbers hardly ever look like one. */
static void move_addresses(const struct replay *replay, char *args, uint64_t bytes)
{
    for (uint64_t at = 0; at + sizeof(uint64_t) <= bytes; at += sizeof(uint64_t)) {
        uint64_t word;
        memcpy(&word, args + at, sizeof(word));
        const struct replay_range *range = interval_map_at(&replay->memory, word);
        if (!range || range->host || range->now == 0)
            continue;
        word = range->now + (word - range->node.begin);
        memcpy(args + at, &word, sizeof(word));
    }
}

static twin_status launch_code(struct replay_call *call, struct replay_kernel *kernel)
{
    struct replay *replay = call->replay;
    struct twin_record_CODE f;
    struct twin_recording_code parts;
    size_t first;
    size_t count = twin_recording_index_find(&replay->codes, kernel->number, &first);
    const struct twin_record_entry *entry =
        count > 0 ? twin_recording_at(replay->recording, replay->codes.list[first].entry) : NULL;
    if (!entry || !TWIN_RECORDING_GET(entry, CODE, &f) || !twin_recording_code(entry, &parts))
        return replay_leave_out(
            call, "its code was the recorded program's own; this device runs its own");
    struct replay_object *image = replay_object(call, TWIN_RECORD_ROLE_IMAGE, f.image);
    if (!image)
        return TWIN_OK;
    char *args = malloc((size_t)parts.args_bytes + 1);
    if (!args)
        return TWIN_E_NOMEM;
    if (parts.args_bytes > 0)
        memcpy(args, parts.args, (size_t)parts.args_bytes);
    move_addresses(replay, args, parts.args_bytes);
    bool fits = true;
    for (uint64_t i = 0; i < parts.place_count; i++)
        fits = fits && (uint64_t)parts.places[i].place + sizeof(uint64_t) <= parts.args_bytes &&
               parts.places[i].data <= parts.args_bytes;
    const twin_launch_code code = {
        .image = image->handle,
        .function = parts.function,
        .blocks = f.blocks,
        .device_args = f.device_args ? replay_address_any(replay, f.device_args) : 0,
        .host_args = parts.args_bytes > 0 ? args : NULL,
        .args_bytes = parts.args_bytes,
        .places = (const twin_code_place *)(const void *)parts.places,
        .place_count = fits ? parts.place_count : 0,
        .schedule_given = f.schedule_given != 0,
        .batch = f.batch != 0,
        .timeout_given = f.timeout_given != 0,
        .timeout_us = f.timeout_us};
    kernel->launch.code = &code;
    twin_status status = fits ? call->ops->work.launch(call->object->handle, &kernel->launch)
                              : replay_leave_out(call, "its arguments are damaged");
    free(args);
    return status;
}

twin_status replay_issue_launch(struct replay_call *call)
{
    struct replay *replay = call->replay;
    const struct replay_object *queue = call->object;
    const struct twin_record_WORK_LAUNCH *f = &call->then.WORK_LAUNCH;
    const char *name = twin_recording_text(call->entry, 0);
    size_t first;
    if (f->blocks == 0 || f->weight < 1 || f->weight > 15)
        return replay_leave_out(call, "%u blocks of weight %u are not a kernel", f->blocks,
                                f->weight);
    struct replay_kernel *kernel = calloc(1, sizeof(*kernel));
    if (!kernel)
        return TWIN_E_NOMEM;
    kernel->replay = replay;
    kernel->number = f->kernel;
    kernel->device = queue->device;
    atomic_init(&kernel->holds, 1);
    kernel->launch = (twin_launch){.name = name[0] != '\0' ? name : NULL,
                                   .cores = (twin_launch_cores)f->cores,
                                   .blocks = f->blocks,
                                   .batch = f->batch != 0,
                                   .guarded = f->guarded != 0,
                                   .weight = (uint8_t)f->weight,
                                   .timed_only = f->timed_only != 0,
                                   .timeout_ns = f->timeout_ns,
                                   .describe = describe,
                                   .keep = keep,
                                   .release = release};
    if (twin_recording_index_find(&replay->uses, kernel->number, &first) > 0)
        kernel->launch.effect = effect;
    twin_replaced replaced = {.place = f->place};
    if (f->replaced != 0) {
        const struct replay_object *target =
            replay_object(call, TWIN_RECORD_ROLE_QUEUE, f->replaced);
        if (!target || target->bound == 0) {
            free(kernel);
            return target ? replay_leave_out(call, "queue %u is not of a program", f->replaced)
                          : TWIN_OK;
        }
        replaced.queue = target->handle;
        kernel->launch.replaces = &replaced;
    }
    twin_status status;
    if (replay->ops->flags & TWIN_BACKEND_CODE) {
        status = launch_code(call, kernel);
    } else {
        static const twin_launch_work no_steps;
        bool has_describes = twin_recording_index_find(&replay->described, f->kernel, &first) > 0;
        bool has_code = twin_recording_index_find(&replay->codes, f->kernel, &first) > 0;
        if (f->list != 0)
            kernel->launch.work = find_work(replay, f->list, &kernel->launch, queue->device);
        if (f->list != 0 && !kernel->launch.work)
            replay->report.unknown_kernels++;
        if (!kernel->launch.work && !has_describes && has_code)
            replay->report.unknown_kernels++;
        if (!kernel->launch.work && (!has_describes || f->list != 0))
            kernel->launch.work = &no_steps;
        status = replay->ops->work.launch(queue->handle, &kernel->launch);
    }
    if (status != TWIN_OK || call->left_out) {
        free(kernel); /* one that was accepted may be gone already */
    } else {
        replay->report.effects += f->has_effect != 0;
        replay->report.timed_only += f->timed_only != 0;
    }
    return status;
}
