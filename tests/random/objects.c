/* SPDX-License-Identifier: Apache-2.0 */
/* Contexts, streams, events and memory of random programs. */
#include <stdlib.h>
#include <string.h>

#include "program.h"

void go_to(const program *p, uint32_t place)
{
    static _Thread_local aclrtContext current;
    if (current != p->places[place].context)
        OK(aclrtSetCurrentContext(current = p->places[place].context));
}

static void *device_memory(size_t bytes)
{
    void *memory = NULL;
    OK(aclrtMalloc(&memory, bytes, ACL_MEM_MALLOC_HUGE_FIRST));
    return memory;
}

static void *host_memory(size_t bytes)
{
    void *memory = NULL;
    OK(aclrtMallocHost(&memory, bytes));
    if (!memory)
        abort();
    memset(memory, 0, bytes);
    return memory;
}

void make_event(program *p, uint32_t number)
{
    struct event *one = &p->events[number];
    const uint32_t flag = ACL_EVENT_SYNC | ACL_EVENT_TIME_LINE, places = p->style->places;
    one->place = number % places;
    one->recorded = NONE;
    /* Of the old kind, which reports its waits: all or the last of a place. */
    one->is_old = !p->style->judged ||
                  (p->style->old_events && number / places == p->style->events / places - 1);
    go_to(p, one->place);
    if (!one->is_old)
        OK(aclrtCreateEventExWithFlag(&one->handle, flag));
    else if (number % 2 == 0)
        OK(aclrtCreateEventWithFlag(&one->handle, flag));
    else
        OK(aclrtCreateEvent(&one->handle));
}

void make_shared(const struct style *style)
{
    static const int32_t devices[PLACES_MOST] = {0, 1, 0};
    const size_t bytes = (size_t)1 << style->bulk_bits;
    OK(aclInit(NULL));
    for (uint32_t i = 0; i < style->places; i++) {
        struct place *one = &run.places[i];
        one->device = devices[i];
        OK(aclrtSetDevice(one->device));
        if (i == 2)
            OK(aclrtCreateContext(&one->context, one->device));
        else
            OK(aclrtGetCurrentContext(&one->context));
        if (style->places > 1 && i < 2)
            OK(aclrtDeviceEnablePeerAccess(1 - one->device, 0));
        for (uint32_t j = 0; j < BULK; j++)
            one->bulk[j] = device_memory(bytes);
    }
    for (uint32_t i = 0; i < BULK; i++)
        run.host[i] = host_memory(bytes);
    pthread_mutex_init(&run.counting, NULL);
}

static void make_lane(struct lane *one, uint32_t place, bool create)
{
    one->place = place;
    one->last = NONE;
    one->created = create;
    if (create)
        OK(aclrtCreateStream(&one->stream));
}

static void make_notifies(struct place *one)
{
    for (uint32_t i = 0; i < NOTIFIES; i++)
        OK(aclrtCreateNotify(&one->notifies[i].notify, 0));
    for (uint32_t i = 0; i < HOLDS; i++)
        OK(aclrtCreateNotify(&one->holds[i].notify, 0));
}

/* Between two of its graphs: nothing is known of what came before. */
void forget(program *p)
{
    const size_t cells = (size_t)CELLS * CELL_BYTES, words = ORDER_TASKS_MOST * sizeof(uint64_t);
    p->graph->count = p->closings = 0;
    memset(&p->graph->known, 0, sizeof(p->graph->known));
    for (uint32_t i = 0; i < p->lane_count; i++)
        p->lanes[i].last = NONE;
    for (uint32_t i = 0; i < p->style->events; i++)
        p->events[i].recorded = NONE;
    for (uint32_t i = 0; i < p->style->places; i++) {
        struct place *one = &p->places[i];
        go_to(p, i);
        OK(aclrtMemset(one->cells, cells, (int32_t)(CELL_INITIAL & 0xff), cells));
        OK(aclrtMemset(one->words, words, 0, words));
        for (uint32_t j = 0; j < NOTIFIES; j++)
            one->notifies[j].wait = NONE;
        for (uint32_t j = 0; j < HOLDS; j++)
            one->holds[j].wait = NONE;
    }
}

static void make_graph(program *p)
{
    const size_t all = (size_t)ORDER_TASKS_MOST * CELL_BYTES;
    p->graph = calloc(1, sizeof(*p->graph));
    if (!p->graph)
        abort();
    p->source = host_memory(all);
    p->log = host_memory(all);
    for (uint32_t i = 0; i < ORDER_TASKS_MOST; i++) {
        uint64_t pattern = random_next(&p->random);
        for (uint32_t word = 0; word < CELL_WORDS; word++)
            p->source[i * CELL_WORDS + word] = pattern;
    }
    for (uint32_t i = 0; i < p->style->places; i++) {
        struct place *one = &p->places[i];
        go_to(p, i);
        one->cells = device_memory((size_t)CELLS * CELL_BYTES);
        one->sources = device_memory(all);
        one->logs = device_memory(all);
        one->words = device_memory(ORDER_TASKS_MOST * sizeof(uint64_t));
        OK(aclrtMemcpy(one->sources, all, p->source, all, ACL_MEMCPY_HOST_TO_DEVICE));
    }
    forget(p);
    go_to(p, 0);
    aclError code = aclrtValueWait(p->places[0].words, 0, ACL_STREAM_WAIT_VALUE_EQ, NULL);
    p->has_values = code == ACL_SUCCESS;
    if (code != ACL_SUCCESS)
        MUST(code, ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
}

void make_program(program *p, const struct style *style, uint32_t index)
{
    p->style = style;
    p->index = index;
    p->own = p->subscribed = NONE;
    random_seed(&p->random, run.options.seed, index);
    memcpy(p->places, run.places, sizeof(p->places));
    for (uint32_t i = 0; i < style->places; i++) {
        go_to(p, i);
        for (uint32_t j = 0; j <= style->streams; j++)
            make_lane(&p->lanes[p->lane_count++], i, j != 0 || style->threads == OWN);
        if (style->threads != SHARED)
            make_notifies(&p->places[i]);
    }
    for (uint32_t i = 0; i < style->events; i++)
        make_event(p, i);
    if (style->threads == STRICT && run.options.threads > 1) {
        p->subscribed = p->lane_count++;
        go_to(p, 0);
        make_lane(&p->lanes[p->subscribed], 0, true);
    }
    go_to(p, 0);
    if (style->judged)
        make_graph(p);
    else
        for (uint32_t i = 0; i < style->events; i++) /* a stream may wait for any of them */
            OK(aclrtRecordEvent(p->events[i].handle, p->lanes[0].stream));
}

void copy_program(program *p, uint32_t index)
{
    memcpy(p, &run.programs[0], sizeof(*p));
    p->index = index;
    random_seed(&p->random, run.options.seed, index);
}

void make_own(program *p)
{
    p->own = p->lane_count++;
    go_to(p, 0);
    make_lane(&p->lanes[p->own], 0, true);
    make_notifies(&p->places[0]);
}

static void destroy_notifies(struct place *one)
{
    for (uint32_t i = 0; i < NOTIFIES; i++)
        OK(aclrtDestroyNotify(one->notifies[i].notify));
    for (uint32_t i = 0; i < HOLDS; i++)
        OK(aclrtDestroyNotify(one->holds[i].notify));
}

void destroy_program(program *p)
{
    if (p->own != NONE) { /* the rest is the first one's */
        OK(aclrtDestroyStream(p->lanes[p->own].stream));
        destroy_notifies(&p->places[0]);
        if (p != &run.programs[0])
            return;
    }
    for (uint32_t i = 0; i < p->style->events; i++)
        OK(aclrtDestroyEvent(p->events[i].handle));
    for (uint32_t i = 0; i < p->lane_count; i++)
        if (p->lanes[i].created && i != p->own)
            OK(aclrtDestroyStream(p->lanes[i].stream));
    for (uint32_t i = 0; i < p->style->places; i++) {
        if (p->own == NONE)
            destroy_notifies(&p->places[i]);
        if (!p->graph)
            continue;
        OK(aclrtFree(p->places[i].cells));
        OK(aclrtFree(p->places[i].sources));
        OK(aclrtFree(p->places[i].logs));
        OK(aclrtFree(p->places[i].words));
    }
    if (p->graph) {
        OK(aclrtFreeHost(p->source));
        OK(aclrtFreeHost(p->log));
        free(p->graph);
    }
}

void destroy_shared(const struct style *style)
{
    for (uint32_t i = 0; !style->stays && i < BULK; i++) {
        for (uint32_t j = 0; j < style->places; j++)
            OK(aclrtFree(run.places[j].bulk[i]));
        OK(aclrtFreeHost(run.host[i]));
    }
    for (uint32_t i = style->places; i-- > 0;)
        if (i == 2)
            OK(aclrtDestroyContext(run.places[i].context));
        else if (style->stays)
            OK(aclrtResetDeviceForce(run.places[i].device));
        else
            OK(aclrtResetDevice(run.places[i].device));
    OK(aclFinalize());
}
