/* SPDX-License-Identifier: Apache-2.0 */
/* Random calls with predicted answers: events, notifies and memory. */
#include <string.h>

#include "random_model.h"

/* Event ---------------------------------------------------------------------------------------- */

static void call_create_event(void)
{
    event_model *event = &model.events[below(EVENTS)];
    if (event->lives)
        return;
    enum form wanted = (enum form)below(4);
    aclrtEvent handle = NULL;
    aclError code;
    if (wanted == FORM_PLAIN)
        code = aclrtCreateEvent(&handle);
    else if (wanted == FORM_LEVEL)
        code = aclrtCreateEventWithFlag(&handle, ACL_EVENT_SYNC);
    else
        code = aclrtCreateEventExWithFlag(
            &handle, ACL_EVENT_SYNC | (wanted == FORM_TIMED_EX ? ACL_EVENT_TIME_LINE : 0));
    if (model_expect(code, model_usable() == NO_PLACE ? NO_CONTEXT : ACL_SUCCESS) &&
        code == ACL_SUCCESS)
        *event = (event_model){.handle = handle,
                               .form = wanted,
                               .device = model.contexts[model.current].device,
                               .lives = true};
}

static event_model *pick_event(void)
{
    event_model *event = &model.events[below(EVENTS)];
    for (int i = 0; i < 3 && !event->lives; i++)
        event = &model.events[below(EVENTS)];
    return event;
}

static aclError event_code(const event_model *event)
{
    return !event->handle ? NULL_ARGUMENT : event->lives ? ACL_SUCCESS : DEAD_HANDLE;
}

static void call_destroy_event(void)
{
    event_model *event = pick_event();
    aclError code = aclrtDestroyEvent(event->handle);
    if (model_expect(code, event_code(event)))
        event->lives = false;
}

/* First the handles, then the context, then where they belong. */
static aclError both_code(const event_model *event, const stream_model *stream)
{
    aclError code = event_code(event);
    if (code == ACL_SUCCESS)
        code = model_stream_code(stream);
    if (code == ACL_SUCCESS && event->device != model.contexts[model.current].device)
        code = OTHER_CONTEXT;
    return code;
}

static void call_record(void)
{
    event_model *event = pick_event();
    const stream_model *stream = model_pick_stream();
    /* A level event keeps to default streams of one device, so that records and resets are in
     * order. */
    if (event->form == FORM_LEVEL)
        stream = NULL;
    if (event->form == FORM_LEVEL && model_usable() != NO_PLACE && model.current < CONTEXTS)
        return;
    aclError code = aclrtRecordEvent(event->handle, model_stream_handle(stream));
    if (model_expect(code, both_code(event, stream)) && code == ACL_SUCCESS)
        event->recorded = event->level_set = true;
}

static void call_wait(void)
{
    const event_model *event = pick_event();
    const stream_model *stream = model_pick_stream();
    /* Never one that blocks, and none of another device: that may be refused or not. */
    bool crosses =
        model_usable() != NO_PLACE && event->device != model.contexts[model.current].device;
    if (event->lives && (crosses || (event->form == FORM_LEVEL &&
                                     (!event->level_set || stream || model.current < CONTEXTS))))
        return;
    aclError predicted = event_code(event);
    if (predicted == ACL_SUCCESS)
        predicted = model_stream_code(stream);
    if (predicted == ACL_SUCCESS && event->form == FORM_PLAIN && !event->recorded)
        predicted = BAD_VALUE;
    model_expect(aclrtStreamWaitEvent(model_stream_handle(stream), event->handle), predicted);
}

static void call_reset_event(void)
{
    event_model *event = pick_event();
    if (event->lives && event->form == FORM_LEVEL && model_usable() != NO_PLACE &&
        model.current < CONTEXTS)
        return;
    aclError predicted = event_code(event);
    bool accepted = event->form == FORM_LEVEL || event->form == FORM_PLAIN;
    if (predicted == ACL_SUCCESS && !accepted)
        predicted = UNSUPPORTED;
    if (predicted == ACL_SUCCESS)
        predicted = model_stream_code(NULL);
    /* An event of another device is refused; with which code the catalogue leaves open. */
    bool crosses =
        predicted == ACL_SUCCESS && event->device != model.contexts[model.current].device;
    aclError code = aclrtResetEvent(event->handle, NULL);
    if (crosses)
        model_expect_true(code != ACL_SUCCESS, "a stream resets an event of another device");
    else if (model_expect(code, predicted) && code == ACL_SUCCESS)
        event->level_set = false;
}

static void call_event_facts(void)
{
    const event_model *event = pick_event();
    aclrtEventRecordedStatus status = ACL_EVENT_RECORDED_STATUS_NOT_READY;
    uint64_t time = 0;
    aclError predicted = event_code(event);
    model_expect(aclrtSynchronizeEvent(event->handle), predicted);
    if (!model_expect(aclrtQueryEventStatus(event->handle, &status), predicted) ||
        predicted != ACL_SUCCESS)
        return;
    bool is_ex = event->form == FORM_EX || event->form == FORM_TIMED_EX;
    model_expect_true((status == ACL_EVENT_RECORDED_STATUS_COMPLETE) == (event->recorded || is_ex),
                      "the event's status is wrong");
    bool timed = event->form == FORM_PLAIN || event->form == FORM_TIMED_EX;
    if (timed)
        model_expect(aclrtEventGetTimestamp(event->handle, &time),
                     event->recorded ? ACL_SUCCESS : NOTHING);
}

/* Notify --------------------------------------------------------------------------------------- */

static void call_create_notify(void)
{
    notify_model *notify = &model.notifies[below(NOTIFIES)];
    if (notify->lives)
        return;
    aclrtNotify handle = NULL;
    aclError code = aclrtCreateNotify(&handle, 0);
    if (model_expect(code, model_usable() == NO_PLACE ? NO_CONTEXT : ACL_SUCCESS) &&
        code == ACL_SUCCESS)
        *notify = (notify_model){
            .handle = handle, .device = model.contexts[model.current].device, .lives = true};
}

/* On default streams of default contexts alone, and in turn, so that no wait blocks. */
static void call_use_notify(void)
{
    notify_model *notify = &model.notifies[below(NOTIFIES)];
    if (notify->lives && (model_usable() == NO_PLACE || model.current < CONTEXTS ||
                          notify->device != model.contexts[model.current].device))
        return;
    aclError predicted = !notify->handle ? NULL_ARGUMENT
                         : notify->lives ? ACL_SUCCESS
                                         : DEAD_HANDLE;
    bool set = notify->set;
    aclError code = set ? aclrtWaitAndResetNotify(notify->handle, NULL, 0)
                        : aclrtRecordNotify(notify->handle, NULL);
    if (model_expect(code, predicted) && code == ACL_SUCCESS)
        notify->set = !set;
}

static void call_destroy_notify(void)
{
    notify_model *notify = &model.notifies[below(NOTIFIES)];
    aclError predicted = !notify->handle              ? NULL_ARGUMENT
                         : !notify->lives             ? DEAD_HANDLE
                         : model_usable() == NO_PLACE ? NO_CONTEXT
                                                      : ACL_SUCCESS;
    if (model_expect(aclrtDestroyNotify(notify->handle), predicted) && predicted == ACL_SUCCESS)
        notify->lives = false;
}

/* Memory --------------------------------------------------------------------------------------- */

static void call_malloc(void)
{
    memory_model *memory = &model.memories[below(MEMORIES)];
    if (memory->lives)
        return;
    void *place = NULL;
    aclError code = aclrtMalloc(&place, BYTES, ACL_MEM_MALLOC_HUGE_FIRST);
    if (!model_expect(code, model_usable() == NO_PLACE ? NO_CONTEXT : ACL_SUCCESS) ||
        code != ACL_SUCCESS)
        return;
    *memory = (memory_model){
        .place = place, .device = model.contexts[model.current].device, .lives = true};
    for (const memory_model *other = model.memories; other < model.memories + MEMORIES; other++)
        if (other != memory && other->lives)
            model_expect_true(other->place + BYTES <= memory->place ||
                                  memory->place + BYTES <= other->place,
                              "two allocations overlap");
    model_expect(aclrtMemset(place, BYTES, 0x5A, BYTES), ACL_SUCCESS);
    memset(memory->holds, 0x5A, BYTES);
}

static bool is_reused(const memory_model *dead)
{
    for (const memory_model *other = model.memories; other < model.memories + MEMORIES; other++)
        if (other->lives && dead->place < other->place + BYTES + 64 &&
            other->place < dead->place + BYTES + 64)
            return true;
    return false;
}

static void call_free(void)
{
    memory_model *memory = &model.memories[below(MEMORIES)];
    if (!memory->lives && is_reused(memory))
        return;
    aclError predicted = !memory->place ? NULL_ARGUMENT : memory->lives ? ACL_SUCCESS : BAD_VALUE;
    /* A task may still be using it: that is allowed, and its bytes do not matter any more. */
    if (model_expect(aclrtFree(memory->place), predicted))
        memory->lives = false;
}

static void call_copy(void)
{
    memory_model *to = &model.memories[below(MEMORIES)], *from = &model.memories[below(MEMORIES)];
    if ((!to->lives && is_reused(to)) || (!from->lives && is_reused(from)) || to == from)
        return;
    if (!to->place || !from->place || !model_drain_all())
        return;
    uint32_t bytes = 1 + below(BYTES), at = below(BYTES - bytes + 1),
             off = below(BYTES - bytes + 1);
    bool fits = below(20) != 0;
    bool lives = to->lives && from->lives;
    const stream_model *stream = model_pick_stream();
    bool is_async = below(2) == 0;
    aclError predicted = ACL_SUCCESS;
    /* The order of the checks is what is predicted. NOLINTBEGIN(bugprone-branch-clone) */
    if (is_async && stream && !stream->lives)
        predicted = DEAD_HANDLE;
    else if (!fits || (is_async && !lives))
        predicted = BAD_VALUE;
    else if (model_usable() == NO_PLACE)
        predicted = NO_CONTEXT;
    else if (is_async && stream && stream->context != model.current)
        predicted = OTHER_CONTEXT;
    else if (!lives || to->device != from->device ||
             (is_async && to->device != model.contexts[model.current].device))
        predicted = BAD_VALUE;
    /* NOLINTEND(bugprone-branch-clone) */
    aclError code =
        is_async ? aclrtMemcpyAsync(to->place + at, fits ? bytes : bytes - 1, from->place + off,
                                    bytes, ACL_MEMCPY_DEVICE_TO_DEVICE, model_stream_handle(stream))
                 : aclrtMemcpy(to->place + at, fits ? bytes : bytes - 1, from->place + off, bytes,
                               ACL_MEMCPY_DEVICE_TO_DEVICE);
    if (model_expect(code, predicted) && code == ACL_SUCCESS)
        memcpy(to->holds + at, from->holds + off, bytes);
}

static void call_fill(void)
{
    memory_model *to = &model.memories[below(MEMORIES)];
    if (!to->place || (!to->lives && is_reused(to)) || !model_drain_all())
        return;
    uint32_t bytes = 1 + below(BYTES), at = below(BYTES - bytes + 1);
    int32_t value = (int32_t)random_next(&model.dice);
    const stream_model *stream = model_pick_stream();
    aclError predicted = model_stream_code(stream);
    if (predicted == ACL_SUCCESS &&
        (!to->lives || to->device != model.contexts[model.current].device))
        predicted = BAD_VALUE;
    aclError code =
        aclrtMemsetAsync(to->place + at, bytes, value, bytes, model_stream_handle(stream));
    if (model_expect(code, predicted) && code == ACL_SUCCESS)
        memset(to->holds + at, value & 0xFF, bytes);
}

/* Through the host and back again, and every byte is compared. */
static void call_compare(void)
{
    memory_model *memory = &model.memories[below(MEMORIES)];
    unsigned char pageable[BYTES];
    if (!memory->lives || !model_drain_all())
        return;
    aclError predicted = model_usable() == NO_PLACE ? NO_CONTEXT : ACL_SUCCESS;
    if (model.host && below(2) == 0 && model_usable() != NO_PLACE &&
        model.contexts[model.current].device == memory->device) {
        model_expect(aclrtMemcpyAsync(model.host, BYTES, memory->place, BYTES,
                                      ACL_MEMCPY_DEVICE_TO_HOST, NULL),
                     ACL_SUCCESS);
        model_expect_true(memcmp(model.host, model.host_holds, BYTES) == 0,
                          "the copy ran before it was waited for");
        model_expect(aclrtSynchronizeStream(NULL), ACL_SUCCESS);
        memcpy(model.host_holds, memory->holds, BYTES);
        model_expect_true(memcmp(model.host, memory->holds, BYTES) == 0,
                          "page-locked bytes differ");
        return;
    }
    if (model_expect(aclrtMemcpy(pageable, BYTES, memory->place, BYTES, ACL_MEMCPY_DEVICE_TO_HOST),
                     predicted) &&
        predicted == ACL_SUCCESS)
        model_expect_true(memcmp(pageable, memory->holds, BYTES) == 0, "the bytes differ");
    else
        return;
    for (uint32_t i = 0; i < BYTES; i++)
        pageable[i] = (unsigned char)random_next(&model.dice);
    if (model_expect(aclrtMemcpy(memory->place, BYTES, pageable, BYTES, ACL_MEMCPY_HOST_TO_DEVICE),
                     ACL_SUCCESS))
        memcpy(memory->holds, pageable, BYTES);
}

static void call_host(void)
{
    if (!model.host) {
        void *place = NULL;
        aclError code = aclrtMallocHost(&place, BYTES);
        if (model_expect(code, model_usable() == NO_PLACE ? NO_CONTEXT : ACL_SUCCESS) &&
            code == ACL_SUCCESS) {
            model.host = place;
            memset(model.host, 0, BYTES);
            memset(model.host_holds, 0, BYTES);
        }
        return;
    }
    if (below(10) != 0)
        return;
    model_expect(aclrtFreeHost(model.host), ACL_SUCCESS);
    model_expect(aclrtFreeHost(model.host), BAD_VALUE);
    model.host = NULL;
}

const model_call model_work_calls[] = {
    {"aclrtCreateEvent...", call_create_event, 10},
    {"aclrtDestroyEvent", call_destroy_event, 3},
    {"aclrtRecordEvent", call_record, 20},
    {"aclrtStreamWaitEvent", call_wait, 20},
    {"aclrtResetEvent", call_reset_event, 5},
    {"aclrtSynchronizeEvent...", call_event_facts, 6},
    {"aclrtCreateNotify", call_create_notify, 4},
    {"aclrtRecordNotify, aclrtWaitAndResetNotify", call_use_notify, 8},
    {"aclrtDestroyNotify", call_destroy_notify, 1},
    {"aclrtMalloc", call_malloc, 10},
    {"aclrtFree", call_free, 2},
    {"aclrtMemcpy...", call_copy, 16},
    {"aclrtMemsetAsync", call_fill, 8},
    {"aclrtMemcpy through the host", call_compare, 8},
    {"aclrtMallocHost, aclrtFreeHost", call_host, 2},
    {NULL, NULL, 0},
};
