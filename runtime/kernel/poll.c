/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel/poll.h"

#include <stdio.h>
#include <string.h>

#include "kernel/core.h"

#define PATIENCE_MOST ((uint32_t)1 << 30)

/* ---- what is new ----------------------------------------------------------------------------- */

/* Never 0. */
static uint64_t hash_of(const unsigned char *at, uint32_t bytes)
{
    uint64_t hash = bytes;
    while (bytes > 0) {
        uint64_t word = 0;
        const uint32_t part = bytes < 8 ? bytes : 8;
        memcpy(&word, at, part);
        hash = (hash ^ word) * 0x9e3779b97f4a7c15ull;
        hash ^= hash >> 32;
        at += part;
        bytes -= part;
    }
    return hash | 1;
}

static void forget(native_poll *poll)
{
    poll->count = 0;
    if (++poll->generation > 0)
        return;
    memset(poll->ranges, 0, sizeof(poll->ranges)); /* 0 is that of ranges never used */
    poll->generation = 1;
}

static void meet_new(native_poll *poll)
{
    poll->repeats = 0;
    poll->patience = NATIVE_POLLS;
    poll->waited = false;
}

/* NULL: it is new, and noted. */
static native_polled *find(native_poll *poll, uint64_t address, uint32_t bytes, bool write)
{
    const uint32_t room = 2 * NATIVE_POLL_RANGES;
    const uint64_t key = (address ^ (uint64_t)bytes << 48 ^ write) * 0x9e3779b97f4a7c15ull;
    if (poll->count == NATIVE_POLL_RANGES)
        forget(poll);
    uint32_t at = (uint32_t)(key >> 40) % room;
    for (; poll->ranges[at].generation == poll->generation; at = (at + 1) % room) {
        native_polled *range = &poll->ranges[at];
        if (range->address == address && range->bytes == bytes && range->write == write)
            return range;
    }
    poll->ranges[at] = (native_polled){
        .address = address, .bytes = bytes, .generation = poll->generation, .write = write};
    poll->count++;
    meet_new(poll);
    return NULL;
}

/* Whether the read found what it found before. */
static bool repeats(native_poll *poll, uint64_t address, uint32_t bytes, const unsigned char *found)
{
    native_polled *range = find(poll, address, bytes, false);
    if (!range)
        return false;
    const uint64_t hash = hash_of(found, bytes), before = range->hash;
    range->hash = hash;
    if (hash == before)
        return true;
    if (before != 0)
        meet_new(poll);
    return false;
}

/* ---- waits ----------------------------------------------------------------------------------- */

/* A launch of one core has no other that it could wait for. */
static bool is_alone(const native_core *core)
{
    return core->run->call.blocks == 1 && core->run->core_count == 1;
}

static void begin_wait(native_core *core, uint64_t address)
{
    native_poll *poll = &core->poll;
    twin_native_run *run = core->run;
    run->met = run->polled = true;
    poll->waits = poll->waited = true;
    poll->address = address;
    poll->launch = run->memory.launch.count + core->block->writes.count;
    poll->releases = run->poll_releases;
    twin_native_fiber_leave(&run->host_fiber, &core->fiber);
}

bool twin_native_poll_waits(native_core *core, uint64_t address, uint32_t bytes,
                            const unsigned char *found)
{
    native_poll *poll = &core->poll;
    twin_native_run *run = core->run;
    if (bytes > NATIVE_POLL_BYTES || is_alone(core))
        return false;
    if (!poll->waits) {
        if (!repeats(poll, address, bytes, found) || ++poll->repeats < poll->patience)
            return false;
        begin_wait(core, address);
        return true;
    }
    const bool released = poll->releases != run->poll_releases;
    if (!released && poll->launch == run->memory.launch.count) {
        twin_native_fiber_leave(&run->host_fiber, &core->fiber);
        return true;
    }
    poll->waits = false;
    poll->repeats = 0;
    if (released && poll->patience < PATIENCE_MOST)
        poll->patience *= 2;
    (void)repeats(poll, address, bytes, found);
    return false;
}

/* ---- the interface --------------------------------------------------------------------------- */

void twin_native_poll_begin(native_core *core)
{
    native_poll *poll = &core->poll;
    forget(poll);
    meet_new(poll);
    poll->waits = false;
}

void twin_native_poll_wrote(native_core *core, uint64_t address, uint32_t bytes)
{
    if (!is_alone(core))
        (void)find(&core->poll, address, bytes, true);
}

bool twin_native_poll_release(twin_native_run *run)
{
    for (size_t i = 0; i < run->begun_count; i++)
        for (uint32_t j = 0; j < run->core_count; j++) {
            const native_core *core = &run->begun[i]->cores[j];
            if (core->done || !core->poll.waits)
                continue;
            run->poll_releases++;
            return true;
        }
    return false;
}

native_poll_text twin_native_poll_text(const native_core *core)
{
    native_poll_text text = {{0}};
    const twin_native_run *run = core->run;
    if (!core->poll.waited)
        return text;
    const int length = snprintf(text.text, sizeof(text.text),
                                "; it polls global memory at 0x%llx, where nothing more changes",
                                (unsigned long long)core->poll.address);
    if (run->next_block < run->end_block)
        snprintf(text.text + length, sizeof(text.text) - (size_t)length,
                 ", and block %u does not begin, as the device has cores for %u blocks",
                 run->next_block, run->call.blocks_at_once);
    return text;
}
