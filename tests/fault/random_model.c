/* SPDX-License-Identifier: Apache-2.0 */
/* One thread makes random calls whose answers are all predicted: reference counts of devices,
 * contexts, streams, events, notifies, and every byte of the memory it copies and fills. Here:
 * devices, contexts and streams. */
#include "random_model.h"

#include <stdio.h>

#define WATCHDOG_S 600

random_model model = {.current = NO_PLACE};

static random_options options = {.seed = 1, .calls = 200000, .threads = 1};

bool model_expect(aclError code, aclError predicted)
{
    if (code == predicted)
        return true;
    const char *message = aclGetRecentErrMsg();
    random_failure("call %llu, %s: answered %d, predicted %d; %s", (unsigned long long)model.number,
                   model.call_name, code, predicted, message ? message : "no message");
    return false;
}

void model_expect_true(bool holds, const char *what)
{
    if (!holds)
        random_failure("call %llu, %s: %s", (unsigned long long)model.number, model.call_name,
                       what);
}

int model_usable(void)
{
    return model.current != NO_PLACE && model.contexts[model.current].lives ? model.current
                                                                            : NO_PLACE;
}

/* Device --------------------------------------------------------------------------------------- */

static void see_up(int device)
{
    if (model.is_up[device] && model.contexts[CONTEXTS + device].lives)
        return;
    model.is_up[device] = true;
    model.contexts[CONTEXTS + device].device = device;
    model.contexts[CONTEXTS + device].lives = true;
    /* Its handle is learnt when it is current; see learn(). */
    model.contexts[CONTEXTS + device].handle = NULL;
    model.contexts[CONTEXTS + device].default_stream = NULL;
}

static void end_context(int context)
{
    model.contexts[context].lives = false;
    for (int i = 0; i < STREAMS; i++)
        if (model.streams[i].context == context)
            model.streams[i].lives = false;
}

static void see_down(int device)
{
    model.is_up[device] = false;
    model.set_count[device] = 0;
    for (int i = 0; i < CONTEXTS + DEVICES; i++)
        if (model.contexts[i].device == device && model.contexts[i].lives)
            end_context(i);
    for (int i = 0; i < EVENTS; i++)
        if (model.events[i].device == device)
            model.events[i].lives = false;
    for (int i = 0; i < NOTIFIES; i++)
        if (model.notifies[i].device == device)
            model.notifies[i].lives = false;
    for (int i = 0; i < MEMORIES; i++)
        if (model.memories[i].device == device)
            model.memories[i].lives = false;
}

/* A device that only explicit contexts held goes down with the last of them. */
static void settle(int device)
{
    for (int i = 0; i < CONTEXTS; i++)
        if (model.contexts[i].lives && model.contexts[i].device == device)
            return;
    if (model.is_up[device] && model.set_count[device] == 0)
        see_down(device);
}

/* The current context's handles, for later. */
static void learn(void)
{
    aclrtContext handle = NULL;
    aclrtStream stream = NULL;
    if (!model_expect(aclrtGetCurrentContext(&handle), ACL_SUCCESS) ||
        !model_expect(aclrtCtxGetCurrentDefaultStream(&stream), ACL_SUCCESS))
        return;
    context_model *context = &model.contexts[model.current];
    if (context->handle) {
        model_expect_true(context->handle == handle, "another context is current");
        if (context->default_stream)
            model_expect_true(context->default_stream == stream,
                              "another stream is the default one");
    }
    context->handle = handle;
    context->default_stream = stream;
}

static void call_set_device(void)
{
    int device = (int)below(DEVICES + 1) - (below(20) == 0);
    bool good = device >= 0 && device < DEVICES;
    if (!model_expect(aclrtSetDevice(device), good ? ACL_SUCCESS : NO_DEVICE) || !good)
        return;
    see_up(device);
    model.set_count[device]++;
    model.current = CONTEXTS + device;
    learn();
}

static void call_reset_device(void)
{
    int device = (int)below(DEVICES + 1);
    bool force = below(4) == 0;
    aclError code = force ? aclrtResetDeviceForce(device) : aclrtResetDevice(device);
    if (device >= DEVICES) {
        model_expect(code, NO_DEVICE);
        return;
    }
    if (!model_expect(code, model.set_count[device] > 0 ? ACL_SUCCESS : NOT_SET) ||
        model.set_count[device] == 0)
        return;
    model.set_count[device] = force ? 0 : model.set_count[device] - 1;
    if (model.set_count[device] != 0)
        return;
    if (force) {
        see_down(device);
    } else {
        end_context(CONTEXTS + device);
        settle(device);
    }
}

static void call_get_device(void)
{
    int32_t device = -1, active = -1;
    aclError code = aclrtGetDevice(&device);
    if (model_expect(code, model_usable() == NO_PLACE ? NO_CONTEXT : ACL_SUCCESS) &&
        code == ACL_SUCCESS)
        model_expect_true(device == model.contexts[model.current].device, "it is another device");
    int asked = (int)below(DEVICES);
    model_expect(aclrtGetPrimaryCtxState(asked, NULL, &active), ACL_SUCCESS);
    model_expect_true(active == (model.set_count[asked] > 0),
                      "the default context's state is wrong");
}

/* Context -------------------------------------------------------------------------------------- */

static void call_create_context(void)
{
    int place = (int)below(CONTEXTS);
    if (model.contexts[place].lives)
        return;
    int device = (int)below(DEVICES + 1);
    aclrtContext handle = NULL;
    aclError code = aclrtCreateContext(&handle, device);
    if (!model_expect(code, device < DEVICES ? ACL_SUCCESS : NO_DEVICE) || device >= DEVICES)
        return;
    see_up(device);
    model.contexts[place] = (context_model){.handle = handle, .device = device, .lives = true};
    model.current = place;
    learn();
}

static void call_destroy_context(void)
{
    int place = (int)below(CONTEXTS + DEVICES);
    context_model *context = &model.contexts[place];
    bool good = place < CONTEXTS && context->lives;
    aclError refused = context->handle ? NO_CONTEXT : NULL_ARGUMENT;
    if (!model_expect(aclrtDestroyContext(context->handle), good ? ACL_SUCCESS : refused) || !good)
        return;
    end_context(place);
    if (model.current == place)
        model.current = NO_PLACE;
    settle(context->device);
}

static void call_set_context(void)
{
    int place = (int)below(CONTEXTS + DEVICES);
    context_model *context = &model.contexts[place];
    aclError refused = context->handle ? BAD_VALUE : NULL_ARGUMENT;
    bool good = context->lives && context->handle;
    if (model_expect(aclrtSetCurrentContext(context->handle), good ? ACL_SUCCESS : refused) &&
        good) {
        model.current = place;
        learn();
    }
}

/* Stream --------------------------------------------------------------------------------------- */

static void call_create_stream(void)
{
    int place = (int)below(STREAMS);
    if (model.streams[place].lives)
        return;
    uint32_t priority = below(10);
    aclrtStream handle = NULL;
    aclError code =
        aclrtCreateStreamWithConfig(&handle, priority, below(2) ? ACL_STREAM_FAST_SYNC : 0);
    if (model_expect(code, model_usable() == NO_PLACE ? NO_CONTEXT : ACL_SUCCESS) &&
        code == ACL_SUCCESS)
        model.streams[place] = (stream_model){.handle = handle,
                                              .context = model.current,
                                              .priority = priority < 7 ? priority : 7,
                                              .lives = true};
}

aclError model_stream_code(const stream_model *stream)
{
    if (stream && !stream->lives)
        return DEAD_HANDLE;
    if (model_usable() == NO_PLACE)
        return NO_CONTEXT;
    return stream && stream->context != model.current ? OTHER_CONTEXT : ACL_SUCCESS;
}

bool model_drain_all(void)
{
    int back = model_usable();
    for (int i = 0; i < CONTEXTS + DEVICES; i++) {
        if (!model.contexts[i].lives || !model.contexts[i].handle)
            continue;
        if (!model_expect(aclrtSetCurrentContext(model.contexts[i].handle), ACL_SUCCESS))
            return false;
        model.current = i;
        if (!model_expect(aclrtSynchronizeDevice(), ACL_SUCCESS))
            return false;
    }
    if (back != NO_PLACE)
        model.current = back;
    return back == NO_PLACE ||
           model_expect(aclrtSetCurrentContext(model.contexts[back].handle), ACL_SUCCESS);
}

stream_model *model_pick_stream(void)
{
    stream_model *stream = &model.streams[below(STREAMS)];
    /* Mostly one that can be used. */
    for (int i = 0; i < 6 && model_stream_code(stream) != ACL_SUCCESS; i++)
        stream = &model.streams[below(STREAMS)];
    return below(5) == 0 || !stream->handle ? NULL : stream;
}

aclrtStream model_stream_handle(const stream_model *stream)
{
    return stream ? stream->handle : NULL;
}

static void call_destroy_stream(void)
{
    bool force = below(2) == 0;
    if (force && !model_drain_all()) /* else its work would be lost, and the bytes unknown */
        return;
    stream_model *stream = model_pick_stream();
    aclError predicted = stream ? model_stream_code(stream) : NULL_ARGUMENT;
    aclError code = force ? aclrtDestroyStreamForce(model_stream_handle(stream))
                          : aclrtDestroyStream(model_stream_handle(stream));
    if (model_expect(code, predicted) && code == ACL_SUCCESS)
        stream->lives = false;
    if (model_usable() != NO_PLACE && model.contexts[model.current].default_stream)
        model_expect(aclrtDestroyStream(model.contexts[model.current].default_stream), BAD_VALUE);
}

static void call_stream_facts(void)
{
    const stream_model *stream = model_pick_stream();
    aclError predicted = stream && !stream->lives     ? DEAD_HANDLE
                         : model_usable() == NO_PLACE ? NO_CONTEXT
                                                      : ACL_SUCCESS;
    uint32_t priority = 99;
    if (model_expect(aclrtStreamGetPriority(model_stream_handle(stream), &priority), predicted) &&
        predicted == ACL_SUCCESS)
        model_expect_true(priority == (stream ? stream->priority : 0), "the priority is wrong");
}

static void call_synchronize(void)
{
    const stream_model *stream = model_pick_stream();
    aclrtStreamStatus status = ACL_STREAM_STATUS_RESERVED;
    aclError predicted = stream && !stream->lives     ? DEAD_HANDLE
                         : model_usable() == NO_PLACE ? NO_CONTEXT
                                                      : ACL_SUCCESS;
    if (below(4) == 0) {
        model_expect(aclrtSynchronizeDevice(),
                     model_usable() == NO_PLACE ? NO_CONTEXT : ACL_SUCCESS);
        return;
    }
    model_expect(aclrtSynchronizeStream(model_stream_handle(stream)), predicted);
    if (model_expect(aclrtStreamQuery(model_stream_handle(stream), &status), predicted) &&
        predicted == ACL_SUCCESS)
        model_expect_true(status == ACL_STREAM_STATUS_COMPLETE, "a drained stream is not complete");
}

/* All of it ------------------------------------------------------------------------------------ */

static const model_call object_calls[] = {
    {"aclrtSetDevice", call_set_device, 6},
    {"aclrtResetDevice...", call_reset_device, 1},
    {"aclrtGetDevice", call_get_device, 3},
    {"aclrtCreateContext", call_create_context, 3},
    {"aclrtDestroyContext", call_destroy_context, 2},
    {"aclrtSetCurrentContext", call_set_context, 6},
    {"aclrtCreateStreamWithConfig", call_create_stream, 10},
    {"aclrtDestroyStream...", call_destroy_stream, 4},
    {"aclrtStreamGetPriority", call_stream_facts, 3},
    {"aclrtSynchronizeStream...", call_synchronize, 6},
    {NULL, NULL, 0},
};

/* The call that a number below the sum of all weights stands for; NULL, and the sum, for a larger
 * one. */
static const model_call *choose(uint32_t left, uint32_t *out_total)
{
    const model_call *tables[] = {object_calls, model_work_calls};
    *out_total = 0;
    for (int i = 0; i < 2; i++)
        for (const model_call *call = tables[i]; call->name; call++) {
            *out_total += call->weight;
            if (left < *out_total)
                return call;
        }
    return NULL;
}

int main(int argc, char **argv)
{
    if (!random_options_parse(&options, argc, argv))
        return 2;
    random_watchdog(WATCHDOG_S);
    random_seed(&model.dice, options.seed, 0);
    uint32_t total = 0, unused = 0;
    choose(UINT32_MAX, &total);
    for (; model.number < options.calls && random_failures() == 0; model.number++) {
        const model_call *call = choose(below(total), &unused);
        model.call_name = call->name;
        random_at(0, call->name, model.number);
        call->run();
    }
    for (int device = 0; device < DEVICES; device++)
        model_expect(aclrtResetDeviceForce(device),
                     model.set_count[device] > 0 ? ACL_SUCCESS : NOT_SET);
    printf("seed %llu: %llu calls, all as predicted: %s\n", (unsigned long long)options.seed,
           (unsigned long long)model.number, random_failures() == 0 ? "yes" : "no");
    return random_failures() == 0 ? 0 : 1;
}
