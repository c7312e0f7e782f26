/* SPDX-License-Identifier: Apache-2.0 */
/* A program made of a seed: streams that copy, record and wait, and a host that waits for them in
 * every way. What it did is looked at from outside, in the files that it leaves behind. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "acl/acl.h"

#define STREAMS 40
#define EVENTS  16
#define BUFFERS 8
#define BYTES   ((size_t)4 << 20)
#define STEPS   600

static uint64_t state;

static uint32_t draw(uint32_t below)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)(state >> 33) % below;
}

static void check(aclError error, const char *what)
{
    if (error == ACL_SUCCESS)
        return;
    fprintf(stderr, "random_program: %s: %d\n", what, error);
    exit(1);
}

#define CHECK(call) check(call, #call)

static aclrtStream streams[STREAMS];
static aclrtEvent events[EVENTS];
static int recorded[EVENTS];
static void *device_side[BUFFERS];
static void *host_side[BUFFERS];

static void copy(aclrtStream stream, int wait)
{
    static const aclrtMemcpyKind kinds[] = {ACL_MEMCPY_HOST_TO_DEVICE, ACL_MEMCPY_DEVICE_TO_HOST,
                                            ACL_MEMCPY_DEVICE_TO_DEVICE};
    uint32_t kind = draw(3);
    size_t bytes = 1 + draw(1u << (4 + draw(19)));
    void *to = kind == 1 ? host_side[draw(BUFFERS)] : device_side[draw(BUFFERS / 2)];
    void *from =
        kind == 0 ? host_side[draw(BUFFERS)] : device_side[BUFFERS / 2 + draw(BUFFERS / 2)];
    if (wait)
        CHECK(aclrtMemcpy(to, BYTES, from, bytes, kinds[kind]));
    else
        CHECK(aclrtMemcpyAsync(to, BYTES, from, bytes, kinds[kind], stream));
}

static void step(void)
{
    aclrtStream stream = streams[draw(STREAMS)];
    uint32_t event = draw(EVENTS);
    switch (draw(16)) {
    case 0:
        CHECK(aclrtRecordEvent(events[event], stream));
        recorded[event] = 1;
        break;
    case 1:
        if (recorded[event])
            CHECK(aclrtStreamWaitEvent(stream, events[event]));
        break;
    case 2:
        copy(stream, 0);
        CHECK(aclrtRecordEvent(events[event], stream));
        recorded[event] = 1;
        CHECK(aclrtStreamWaitEvent(streams[draw(STREAMS)], events[event]));
        break;
    case 3:
        CHECK(aclrtMemsetAsync(device_side[draw(BUFFERS)], BYTES, 7, 1 + draw(BYTES), stream));
        break;
    case 4:
        copy(NULL, 1);
        break;
    case 5:
        if (draw(4) == 0)
            CHECK(aclrtSynchronizeStream(stream));
        break;
    case 6:
        if (recorded[event] && draw(4) == 0)
            CHECK(aclrtSynchronizeEvent(events[event]));
        break;
    case 7:
        if (draw(16) == 0)
            CHECK(aclrtSynchronizeDevice());
        break;
    default:
        copy(stream, 0);
        break;
    }
}

int main(int argc, char **argv)
{
    state = argc > 1 ? strtoull(argv[1], NULL, 10) * UINT64_C(0x9e3779b97f4a7c15) + 1 : 1;
    CHECK(aclInit(NULL));
    CHECK(aclrtSetDevice(0));
    for (int i = 0; i < STREAMS; i++)
        CHECK(aclrtCreateStream(&streams[i]));
    for (int i = 0; i < EVENTS; i++)
        CHECK(aclrtCreateEvent(&events[i]));
    for (int i = 0; i < BUFFERS; i++) {
        CHECK(aclrtMalloc(&device_side[i], BYTES, ACL_MEM_MALLOC_HUGE_FIRST));
        CHECK(aclrtMallocHost(&host_side[i], BYTES));
    }
    for (int i = 0; i < STEPS; i++)
        step();
    CHECK(aclrtSynchronizeDevice());
    for (int i = 0; i < BUFFERS; i++) {
        CHECK(aclrtFree(device_side[i]));
        CHECK(aclrtFreeHost(host_side[i]));
    }
    CHECK(aclrtResetDevice(0));
    CHECK(aclFinalize());
    return 0;
}
