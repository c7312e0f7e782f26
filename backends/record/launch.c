/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels. The backend gets a launch of the wrapper's own, so that what it asks of the kernel is
 * seen. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "ops.h"

#define MANAGED_PAGE (UINT64_C(2) << 20)
#define USES         256u /* pages that one run can distinguish */

struct record_launch {
    twin_launch launch; /* what the backend has; first */
    twin_launch *inner; /* the core's */
    uint32_t number;
    uint32_t runs;     /* descriptions so far */
    atomic_uint holds; /* releases to come */
};

static_assert(sizeof(twin_step) == sizeof(struct twin_record_step),
              "steps go into the file as they are");

/* ---- lists of steps -------------------------------------------------------------------------- */

/* Programs of a list, each with its place among the steps that are written: those of one content
 * once. */
struct laid_out {
    struct twin_record_step_list *lists;
    const twin_step *
        *first_of; /* for each, whose steps stand there; NULL: they stand there already */
    uint64_t steps;
    struct record_key key;
};

/* Finds out which lists are alike. False: no host memory. */
static bool lay_out(const twin_launch_work *work, struct laid_out *out)
{
    size_t room = 16;
    while (room < work->count * 2)
        room *= 2;
    struct {
        struct record_key key;
        uint64_t list; /* counted from 1; 0: free */
    } *slots = calloc(room, sizeof(*slots));
    out->lists = calloc(work->count, sizeof(*out->lists));
    out->first_of = calloc(work->count, sizeof(const twin_step *));
    if (!slots || !out->lists || !out->first_of) {
        free(slots);
        free(out->lists);
        free(out->first_of);
        return false;
    }
    record_key_start(&out->key);
    for (uint64_t i = 0; i < work->count; i++) {
        const twin_steps *list = &work->lists[i];
        struct record_key key;
        record_key_start(&key);
        record_key_add(&key, list->steps, (size_t)list->count * sizeof(twin_step));
        record_key_add(&out->key, &key, sizeof(key));
        size_t at = key.low & (room - 1);
        while (slots[at].list != 0 &&
               (slots[at].key.low != key.low || slots[at].key.high != key.high))
            at = (at + 1) & (room - 1);
        out->lists[i].count = list->count;
        if (slots[at].list != 0) {
            out->lists[i].first = out->lists[slots[at].list - 1].first;
            continue;
        }
        slots[at].key = key;
        slots[at].list = i + 1;
        out->lists[i].first = out->steps;
        out->first_of[i] = list->steps;
        out->steps += list->count;
    }
    free(slots);
    return true;
}

/* The number of the list; 0: there are no steps, or they cannot be kept. */
static uint32_t note_steps(const twin_launch_work *work)
{
    if (!work || work->count == 0)
        return 0;
    struct laid_out out = {0};
    if (!lay_out(work, &out))
        return 0;
    uint32_t number = 0;
    if (record_seen_new(&record_seen_steps, &out.key, &record_numbers.steps, &number)) {
        size_t head = (size_t)work->count * sizeof(struct twin_record_step_list);
        struct record_call call;
        struct twin_record_STEPS *f =
            RECORD_BEGIN_EVENT(&call, STEPS, head + (size_t)out.steps * sizeof(twin_step));
        f->list = number;
        f->lists = work->count;
        f->steps = out.steps;
        if (record_kept(&call)) {
            char *tail = (char *)(f + 1);
            memcpy(tail, out.lists, head);
            for (uint64_t i = 0; i < work->count; i++)
                if (out.first_of[i])
                    memcpy(tail + head + out.lists[i].first * sizeof(twin_step), out.first_of[i],
                           (size_t)out.lists[i].count * sizeof(twin_step));
        }
        record_event(&call);
    }
    free(out.lists);
    free(out.first_of);
    return number;
}

/* ---- accesses of kernels that change more than bytes ----------------------------------------- */

/* The kernel that reaches for memory: a backend has one at a time do that. */
static struct {
    const struct record_launch *launch;
    bool effect;
    void *(*at)(const twin_reach *reach, uint64_t address, uint64_t bytes, bool write);
    bool (*move)(const twin_reach *reach, uint64_t address, void *local, uint64_t bytes,
                 bool write);
    pthread_mutex_t lock;
    uint64_t pages[USES]; /* managed ones that have an entry, and bit 0: written; 0: none */
} use = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void note_use(uint64_t address, uint64_t bytes, bool write, bool good)
{
    struct record_call call;
    struct twin_record_USED *f = RECORD_BEGIN_EVENT(&call, USED, 0);
    f->kernel = use.launch->number;
    f->run = use.launch->runs;
    f->effect = use.effect;
    f->write = write;
    f->good = good;
    f->address = address;
    f->bytes = bytes;
    record_event(&call);
}

/* Whether a page has no entry of this run yet. */
static bool is_new(uint64_t page, bool write)
{
    uint64_t *slot = &use.pages[page / MANAGED_PAGE % USES];
    if ((*slot & ~(uint64_t)1) == page && (*slot & 1) >= write)
        return false;
    *slot = page | write;
    return true;
}

/* Whether pages may move that have no entry of this run. */
static bool moves_pages(uint64_t address, uint64_t bytes, bool write)
{
    twin_memory_info info;
    bool any = false;
    if (record_below.memory.info(address, &info) != TWIN_OK || info.kind != TWIN_MEMORY_MANAGED ||
        bytes > info.size_bytes - (address - info.base))
        return false;
    pthread_mutex_lock(&use.lock);
    for (uint64_t page = address & ~(MANAGED_PAGE - 1); page < address + bytes;
         page += MANAGED_PAGE)
        any = is_new(page, write) || any;
    pthread_mutex_unlock(&use.lock);
    return any;
}

/* Memory that fails is noted by the device, and what fails ends the kernel. */
static bool move(const twin_reach *reach, uint64_t address, void *local, uint64_t bytes, bool write)
{
    const bool moves = moves_pages(address, bytes, write);
    const bool moved = use.move(reach, address, local, bytes, write);
    if (moves || reach->exact || !moved)
        note_use(address, bytes, write, moved);
    return moved;
}

static void *find(const twin_reach *reach, uint64_t address, uint64_t bytes, bool write)
{
    note_use(address, bytes, write, true);
    return use.at(reach, address, bytes, write);
}

/* What the kernel reaches memory with from now on. */
static twin_reach watch(const struct record_launch *launch, const twin_reach *reach, bool effect)
{
    twin_reach watched = *reach;
    memset(use.pages, 0, sizeof(use.pages));
    use.launch = launch;
    use.effect = effect;
    use.at = reach->at;
    use.move = reach->move;
    if (reach->move)
        watched.move = move;
    if (reach->exact)
        watched.at = find;
    return watched;
}

/* ---- what the backend asks ------------------------------------------------------------------- */

static twin_status describe(twin_launch *kernel, const twin_reach *reach,
                            twin_launch_work *out_work)
{
    struct record_launch *launch = (struct record_launch *)(void *)kernel;
    struct record_call call;
    struct twin_record_DESCRIBED *f = RECORD_BEGIN(&call, DESCRIBED, 0);
    f->kernel = launch->number;
    record_called(&call);
    launch->runs++;
    const twin_reach watched = watch(launch, reach, false);
    twin_status status = launch->inner->describe(launch->inner, &watched, out_work);
    if (status == TWIN_OK)
        f->out_list = note_steps(out_work);
    record_returned(&call, status);
    return status;
}

static twin_status effect(twin_launch *kernel, const twin_reach *reach)
{
    const struct record_launch *launch = (const struct record_launch *)(const void *)kernel;
    const twin_reach watched = watch(launch, reach, true);
    return launch->inner->effect(launch->inner, &watched);
}

static void keep(twin_launch *kernel)
{
    struct record_launch *launch = (struct record_launch *)(void *)kernel;
    atomic_fetch_add(&launch->holds, 1);
    launch->inner->keep(launch->inner);
}

/* One release fewer to come. */
static void drop_hold(struct record_launch *launch)
{
    uint32_t number = launch->number;
    if (atomic_fetch_sub(&launch->holds, 1) != 1)
        return;
    free(launch);
    struct record_call call;
    struct twin_record_RELEASED *f = RECORD_BEGIN_EVENT(&call, RELEASED, 0);
    f->kernel = number;
    record_event(&call);
}

static void release(twin_launch *kernel)
{
    struct record_launch *launch = (struct record_launch *)(void *)kernel;
    launch->inner->release(launch->inner);
    drop_hold(launch);
}

twin_launch *record_launch_inner(twin_launch *kernel, uint32_t *out_number)
{
    struct record_launch *launch = (struct record_launch *)(void *)kernel;
    twin_launch *inner = launch->inner;
    *out_number = launch->number;
    drop_hold(launch);
    return inner;
}

/* ---- device code ----------------------------------------------------------------------------- */

/* Bytes of the allocation that begins there; 0: none does. */
static uint64_t bytes_at(uint64_t address)
{
    twin_memory_info info;
    if (address == 0 || record_below.memory.info(address, &info) != TWIN_OK ||
        info.kind != TWIN_MEMORY_DEVICE || info.base != address)
        return 0;
    return info.size_bytes;
}

twin_status record_image_load(twin_hw_device *device, const twin_image_source *source,
                              twin_loaded_image **out_image, uint64_t *out_address)
{
    twin_loaded_image *image = calloc(1, sizeof(*image));
    if (!image)
        return TWIN_E_NOMEM;
    struct record_call call;
    struct twin_record_IMAGE_LOAD *f = RECORD_BEGIN(&call, IMAGE_LOAD, 0);
    f->device = device->index;
    f->magic = source->magic;
    f->bytes = source->size;
    record_called(&call);
    uint64_t seq = call.seq;
    twin_status status = record_below.image.load(device->inner, source, &image->inner, out_address);
    if (status == TWIN_OK) {
        f->out_image = image->number = record_number(&record_numbers.images);
        f->out_address = *out_address;
        f->out_device_bytes = bytes_at(*out_address);
    }
    record_returned(&call, status);
    if (status != TWIN_OK) {
        free(image);
        return status;
    }
    if (record_data_wanted)
        record_contents(seq, (uint64_t)(uintptr_t)source->bytes, source->size, source->size, 1);
    *out_image = image;
    return TWIN_OK;
}

void record_image_unload(twin_loaded_image *image)
{
    struct record_call call;
    struct twin_record_IMAGE_UNLOAD *f = RECORD_BEGIN(&call, IMAGE_UNLOAD, 0);
    f->image = image->number;
    record_called(&call);
    record_below.image.unload(image->inner);
    record_returned(&call, TWIN_OK);
    free(image);
}

static_assert(sizeof(twin_code_place) == sizeof(struct twin_record_place),
              "places go into the file as they are");

static void note_code(uint32_t kernel, const twin_launch_code *code)
{
    const char *const function = code->function ? code->function : "";
    size_t places = (size_t)code->place_count * sizeof(twin_code_place);
    size_t args = code->host_args ? (size_t)code->args_bytes : 0;
    size_t name = strlen(function) + 1;
    struct record_call call;
    struct twin_record_CODE *f = RECORD_BEGIN_EVENT(&call, CODE, places + args + name);
    f->kernel = kernel;
    f->image = code->image ? code->image->number : 0;
    f->blocks = code->blocks;
    f->schedule_given = code->schedule_given;
    f->batch = code->batch;
    f->timeout_given = code->timeout_given;
    f->timeout_us = code->timeout_us;
    f->device_args = code->device_args;
    f->places = code->place_count;
    f->args_bytes = args;
    f->bytes = places + args + name;
    if (record_kept(&call)) {
        char *tail = (char *)(f + 1);
        if (places > 0)
            memcpy(tail, code->places, places);
        if (args > 0)
            memcpy(tail + places, code->host_args, args);
        memcpy(tail + places + args, function, name);
    }
    record_event(&call);
}

twin_status record_work_launch(twin_queue *queue, twin_launch *kernel)
{
    struct record_launch *launch = malloc(sizeof(*launch));
    if (!launch)
        return TWIN_E_NOMEM;
    launch->launch = *kernel;
    launch->inner = kernel;
    launch->number = record_number(&record_numbers.kernels);
    launch->runs = 0;
    atomic_init(&launch->holds, 1);
    launch->launch.describe = kernel->describe ? describe : NULL;
    launch->launch.effect = kernel->effect ? effect : NULL;
    launch->launch.keep = kernel->keep ? keep : NULL;
    launch->launch.release = release;

    twin_replaced replaced;
    if (kernel->replaces) {
        replaced = (twin_replaced){.queue = kernel->replaces->queue->inner,
                                   .place = kernel->replaces->place};
        launch->launch.replaces = &replaced;
    }
    twin_launch_code code;
    if (kernel->code) {
        note_code(launch->number, kernel->code);
        code = *kernel->code;
        code.image = code.image ? code.image->inner : NULL;
        launch->launch.code = &code; /* stays until work.launch returns */
    }
    uint32_t list = note_steps(kernel->work);
    const char *const name = kernel->name ? kernel->name : "";
    size_t bytes = strlen(name) + 1;
    uint64_t before = record_below.diag.newest_task(queue->inner);
    struct record_call call;
    struct twin_record_WORK_LAUNCH *f = RECORD_BEGIN(&call, WORK_LAUNCH, bytes);
    f->queue = queue->number;
    f->kernel = launch->number;
    f->list = list;
    f->cores = (uint32_t)kernel->cores;
    f->blocks = kernel->blocks;
    f->batch = kernel->batch;
    f->guarded = kernel->guarded;
    f->weight = kernel->weight;
    f->timeout_ns = kernel->timeout_ns;
    f->has_effect = kernel->effect != NULL;
    f->text_bytes = (uint32_t)bytes;
    f->replaced = kernel->replaces ? kernel->replaces->queue->number : 0;
    f->place = kernel->replaces ? kernel->replaces->place : 0;
    f->timed_only = kernel->timed_only;
    if (record_kept(&call))
        memcpy(f + 1, name, bytes);
    record_called(&call);
    twin_status status = record_below.work.launch(queue->inner, &launch->launch);
    if (status != TWIN_OK)
        free(launch); /* one that was accepted may be gone already */
    return record_work_ended(queue, &call, f, before, status);
}
