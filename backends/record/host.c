/* SPDX-License-Identifier: Apache-2.0 */
/* Host threads, public calls, devices. */
#define _GNU_SOURCE /* gettid */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ops.h"

#define CALLS_NESTED 16u
#define DEVICES_MOST 64u

/* A public call under way on this thread; NULL: it is not kept. */
static inline struct record_call *call_at(uint32_t depth)
{
    if (__builtin_expect(depth == 0, 1))
        return &record_self.outermost;
    return depth <= CALLS_NESTED && record_self.nested ? &record_self.nested[depth - 1] : NULL;
}

static atomic_bool described[DEVICES_MOST];
static atomic_bool below_traced; /* the ends of calls are reported to the backend too */

void record_host_attach(void)
{
    struct record_call call;
    struct twin_record_HOST_ATTACH *f = RECORD_BEGIN(&call, HOST_ATTACH, 0);
    f->system_id = (uint32_t)gettid();
    record_called(&call);
    record_below.host.attach();
    record_returned(&call, TWIN_OK);
}

void record_host_detach(void)
{
    struct record_call call;
    (void)RECORD_BEGIN(&call, HOST_DETACH, 0);
    record_called(&call);
    record_below.host.detach();
    record_returned(&call, TWIN_OK);
}

#define CALL_BYTES offsetof(struct twin_record_HOST_CALL, cost) /* of the fields in the file */

static __attribute__((noinline)) void enter_any(const twin_call *public_call)
{
    if (!record_joined(&record_self))
        record_join(); /* before the call counts, for depths are of a file */
    if (record_self.inside == 0)
        record_release_left();
    record_look_for_room(public_call->cost == TWIN_COST_WAIT);
    record_look_at_wall();
    const uint32_t name = record_call_site(public_call); /* may write other entries */
    uint32_t depth = record_self.depth++;
    if (depth > 0 && !record_self.nested)
        record_self.nested = calloc(CALLS_NESTED, sizeof(*record_self.nested));
    struct record_call *call = call_at(depth);
    if (call) {
        struct twin_record_HOST_CALL *f =
            record_begin_any(call, TWIN_RECORD_HOST_CALL, CALL_BYTES, 0);
        f->name = name;
        record_called(call);
    }
}

/* Begins a call outside of all others, from a place that this thread knows. False: enter_any() is
 * to begin it. */
static inline bool enter_quickly(const twin_call *public_call)
{
    struct record_thread *self = &record_self;
    const size_t room =
        public_call->cost == TWIN_COST_WAIT ? RECORD_ROOM_TO_WAIT : RECORD_ROOM_LEAST;
    if (!record_is_quick(room) || self->depth != 0 || !self->sites || self->left)
        return false;
    const uintptr_t site = (uintptr_t)self->place->site;
    const struct record_site *known = record_known_site(public_call, site);
    const uint64_t now_ns = self->moment->at_ns;
    const uint64_t since_base_ns = now_ns - self->base_ns;
    if (!known || !record_is_settled(site) ||
        __builtin_expect(since_base_ns > TWIN_RECORD_BRIEF_NS, 0) ||
        __builtin_expect(record_wall() != self->base_wall, 0))
        return false;
    struct twin_record_HOST_CALL *f = record_begin_quick(&self->outermost, TWIN_RECORD_HOST_CALL,
                                                         CALL_BYTES, now_ns, since_base_ns);
    f->name = known->number;
    self->depth = 1;
    record_cover_all();
    return true;
}

void record_host_enter(const twin_call *public_call)
{
    if (__builtin_expect(!enter_quickly(public_call), 0))
        enter_any(public_call);
    record_below.host.enter(public_call);
}

void record_host_leave(const twin_call *public_call, int32_t code)
{
    struct record_thread *self = &record_self;
    if (__builtin_expect(atomic_load_explicit(&below_traced, memory_order_relaxed), 0))
        record_below.host.leave(public_call, code);
    if (self->depth == 0)
        return;
    struct record_call *call = call_at(--self->depth);
    if (__builtin_expect(!call || !call->entry, 0)) /* began without memory */
        return;
    ((struct twin_record_HOST_CALL *)record_fields(call))->out_code = code;
    record_end(call, TWIN_OK);
}

bool record_host_traced(void)
{
    atomic_store(&below_traced, record_below.host.traced());
    return true;
}

uint32_t record_host_last_task(void)
{
    struct record_call call;
    struct twin_record_HOST_LAST_TASK *f = RECORD_BEGIN(&call, HOST_LAST_TASK, 0);
    record_called(&call);
    uint32_t task = record_below.host.last_task();
    f->out_task = task;
    record_returned(&call, TWIN_OK);
    return task;
}

void record_host_advance(uint64_t ns)
{
    struct record_call call;
    struct twin_record_HOST_ADVANCE *f = RECORD_BEGIN(&call, HOST_ADVANCE, 0);
    f->ns = ns;
    record_called(&call);
    record_below.host.advance(ns);
    record_returned(&call, TWIN_OK);
}

void record_host_follow(const twin_host_moment *moment)
{
    if (record_self.busy)
        return;
    if (__builtin_expect(!record_joined(&record_self), 0))
        record_join();
    if (!record_self.moment ||
        (!record_order_adds(moment) && moment->at_ns <= record_global.now())) {
        record_below.host.follow(moment);
        return;
    }
    struct record_call call;
    struct twin_record_HOST_FOLLOW *f = RECORD_BEGIN(&call, HOST_FOLLOW, 0);
    f->releaser = moment->recorded;
    f->of_seq = moment->entry;
    f->released_ns = moment->at_ns;
    record_called(&call);
    record_below.host.follow(moment);
    record_returned(&call, TWIN_OK);
    record_order_followed(record_self.moment->entry);
}

/* ---- devices --------------------------------------------------------------------------------- */

void record_described_forget(void)
{
    for (unsigned i = 0; i < DEVICES_MOST; i++)
        atomic_store(&described[i], false);
}

static void note_properties(uint32_t index, const twin_device_properties *properties)
{
    const char *const texts[] = {properties->soc_name ? properties->soc_name : "",
                                 properties->pci_bus_id ? properties->pci_bus_id : ""};
    size_t bytes = record_texts_bytes(texts, 2);
    struct record_call call;
    struct twin_record_PROCESS_DESCRIBE *f = RECORD_BEGIN_EVENT(&call, PROCESS_DESCRIBE, bytes);
    f->device = index;
    f->stream_limit = properties->stream_limit;
    f->event_limit = properties->event_limit;
    f->notify_limit = properties->notify_limit;
    f->count_notify_limit = properties->count_notify_limit;
    f->priority_count = properties->priority_count;
    f->queue_depth = properties->queue_depth;
    f->aic_cores = properties->aic_cores;
    f->memory_bytes = properties->memory_bytes;
    f->l2_bytes = properties->l2_bytes;
    f->op_unit_ns = properties->op_unit_ns;
    memcpy(&f->uuid_low, properties->uuid, sizeof(f->uuid_low));
    memcpy(&f->uuid_high, properties->uuid + sizeof(f->uuid_low), sizeof(f->uuid_high));
    f->aiv_cores = properties->aiv_cores;
    f->ai_cpus = properties->ai_cpus;
    f->arch = properties->arch;
    f->machine_index = properties->machine_index;
    f->peer_link = (uint32_t)properties->peer_link;
    f->lacks = 0; /* what earlier versions of the seam had there */
    f->has_uuid = properties->has_uuid;
    f->on_device = properties->on_device;
    f->values = properties->values;
    f->bf16 = properties->bf16;
    f->inf_nan = properties->inf_nan;
    f->text_bytes = (uint32_t)bytes;
    if (record_kept(&call))
        record_texts_put((char *)(f + 1), texts, 2);
    record_event(&call);
}

/* Traits stay as they are: once is enough. */
twin_status record_process_describe(uint32_t index, const twin_device_properties **out_properties)
{
    twin_status status = record_below.process.describe(index, out_properties);
    if (status == TWIN_OK && index < DEVICES_MOST && !atomic_load(&described[index]) &&
        !atomic_exchange(&described[index], true))
        note_properties(index, *out_properties);
    return status;
}

twin_status record_device_open(uint32_t index, twin_hw_device **out_device)
{
    twin_hw_device *device = calloc(1, sizeof(*device));
    if (!device)
        return TWIN_E_NOMEM;
    struct record_call call;
    struct twin_record_DEVICE_OPEN *f = RECORD_BEGIN(&call, DEVICE_OPEN, 0);
    f->device = index;
    record_called(&call);
    twin_status status = record_below.device.open(index, &device->inner);
    record_returned(&call, status);
    if (status != TWIN_OK) {
        free(device);
        return status;
    }
    const twin_device_properties *properties; /* limits are exact now */
    (void)record_process_describe(index, &properties);
    device->index = index;
    *out_device = device;
    return TWIN_OK;
}

void record_device_close(twin_hw_device *device)
{
    struct record_call call;
    struct twin_record_DEVICE_CLOSE *f = RECORD_BEGIN(&call, DEVICE_CLOSE, 0);
    f->device = device->index;
    record_called(&call);
    record_below.device.close(device->inner);
    record_returned(&call, TWIN_OK);
    free(device);
}
