/* SPDX-License-Identifier: Apache-2.0 */
/* The scalar unit's operations: where it runs, flags, messages. And the table of all. */
#include "kernel/sync.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/access.h"
#include "kernel/cross_core.h"
#include "kernel/number.h"
#include "kernel/poll.h"
#include "kernel/print.h"
#include "twinrt/kernel.h"

static const twk_place *place(void)
{
    return &native_self()->place;
}

static uint32_t buffer_bytes(uint32_t buffer)
{
    return buffer <= TWK_L0C ? native_self()->size[buffer] : 0;
}

/* ---- flags ----------------------------------------------------------------------------------- */

static uint32_t check_flag(native_core *core, uint32_t from, uint32_t to, uint32_t flag)
{
    if (from >= NATIVE_PIPES || to >= NATIVE_PIPES || from == to || flag >= NATIVE_IDS)
        twin_native_refuse(core, TWIN_NATIVE_OPERATION,
                           "flag %u from pipe %s to %s; expected a flag from 0 to 7, and two pipes",
                           flag, twin_native_pipe_name(from), twin_native_pipe_name(to));
    return (from * NATIVE_PIPES + to) * NATIVE_IDS + flag;
}

/* "set_flag(PIPE_V, PIPE_S, 0)" and the like. */
typedef struct call_text {
    char text[64];
} call_text;

static call_text text_of(native_op op, const char *name, uint32_t from, uint32_t to, uint32_t flag)
{
    const char *pipe = twin_native_words(op)->pipe;
    call_text call;
    snprintf(call.text, sizeof(call.text), "%s(%s%s, %s%s, %u)", name, pipe,
             twin_native_pipe_name(from), pipe, twin_native_pipe_name(to), flag);
    return call;
}

enum { SET_TWICE = 16, SET_LATE };

static void NATIVE_COLD report_set(native_core *core, native_op op, uint32_t number)
{
    const native_words *words = twin_native_words(op);
    const uint32_t from = number / (NATIVE_PIPES * NATIVE_IDS);
    const uint32_t to = number / NATIVE_IDS % NATIVE_PIPES, flag = number % NATIVE_IDS;
    const int16_t count = core->hazards.flags[number];
    if (count == INT16_MAX)
        twin_native_fail(core, TWIN_NATIVE_OPERATION, NULL, "%s: it is set too often",
                         text_of(op, words->set, from, to, flag).text);
    if (count == 1)
        twin_native_report(core, (uint64_t)SET_TWICE << 40 | number,
                           "%s while the flag is set: a board loses one of the two; wait for it "
                           "first, or use another of the 8",
                           text_of(op, words->set, from, to, flag).text);
    if (count < 0)
        twin_native_report(core, (uint64_t)SET_LATE << 40 | number,
                           "%s came before its %s: what waits has worked with data of before",
                           text_of(op, words->wait, from, to, flag).text, words->set);
}

void twin_native_flag_set(native_op op, uint32_t from, uint32_t to, uint32_t flag)
{
    native_core *core = twin_native_operation(from, op);
    const uint32_t number = check_flag(core, from, to, flag);
    native_hazards *hazards = &core->hazards;
    if (!hazards->flag_clock) {
        hazards->flag_clock = malloc(NATIVE_PAIRS * NATIVE_IDS * sizeof(*hazards->flag_clock));
        if (!hazards->flag_clock)
            twin_native_fail(core, TWIN_NATIVE_NOMEM, NULL, "no host memory");
    }
    if (__builtin_expect(hazards->flags[number] != 0, 0))
        report_set(core, op, number);
    hazards->pairs_used |= (uint64_t)1 << number / NATIVE_IDS;
    hazards->flags[number]++;
    hazards->flag_clock[number] = twin_native_hazard_release(core, from);
    twin_native_step(core, from, TWIN_STEP_SET, number, 0);
}

/* Where the first wait is that nothing has set a flag for: of interest if nothing ever does. */
static void NATIVE_COLD note_open_wait(native_core *core, uint32_t number)
{
    native_hazards *hazards = &core->hazards;
    if (hazards->flags[hazards->open_wait] < 0)
        return;
    hazards->open_wait = number;
    twin_native_place_take(core, &hazards->open_place);
}

void twin_native_flag_wait(native_op op, uint32_t from, uint32_t to, uint32_t flag)
{
    native_core *core = twin_native_operation(to, op);
    const uint32_t number = check_flag(core, from, to, flag);
    native_hazards *hazards = &core->hazards;
    const bool set = hazards->flags[number] > 0;
    /* A step that waits for ever would keep the device from the failure. */
    if (!set && (to == TWIN_PIPE_SCALAR || hazards->flags[number] == INT16_MIN))
        twin_native_fail(core, TWIN_NATIVE_STUCK, NULL, "%s waits for ever: nothing has set it",
                         text_of(op, twin_native_words(op)->wait, from, to, flag).text);
    twin_native_step(core, to, TWIN_STEP_WAIT, number, 0);
    if (set)
        twin_native_hazard_join(core, to, &hazards->flag_clock[number]);
    else
        note_open_wait(core, number);
    hazards->pairs_used |= (uint64_t)1 << number / NATIVE_IDS;
    hazards->flags[number]--;
}

void twin_native_pipe_barrier(native_op op, uint32_t pipe)
{
    native_core *core =
        twin_native_operation(pipe == TWK_ALL ? (uint32_t)TWIN_PIPE_SCALAR : pipe, op);
    if (pipe != TWK_ALL && pipe != TWK_S)
        return; /* in order anyway */
    twin_native_hazard_barrier(core);
    twin_native_step(core, TWIN_PIPE_SCALAR, TWIN_STEP_BARRIER, 0, 0);
}

static void set_flag(uint32_t from, uint32_t to, uint32_t flag)
{
    twin_native_flag_set(NATIVE_OP_SET_FLAG, from, to, flag);
}

static void wait_flag(uint32_t from, uint32_t to, uint32_t flag)
{
    twin_native_flag_wait(NATIVE_OP_WAIT_FLAG, from, to, flag);
}

static void barrier(uint32_t pipe)
{
    twin_native_pipe_barrier(NATIVE_OP_BARRIER, pipe);
}

/* ---- messages -------------------------------------------------------------------------------- */

static void trap(const char *text)
{
    native_core *core = native_caller(NATIVE_OP_STOP);
    twin_native_scalar_time(core);
    twin_native_fail(core, TWIN_NATIVE_TRAP, NULL, "%s", text ? text : "trap");
}

static void spent(void)
{
    native_core *core = native_caller(native_self()->op);
    twin_native_scalar_time(core);
    twin_native_fail(core, TWIN_NATIVE_TIME, NULL, "it has run for %llu cycles and is not done%s",
                     (unsigned long long)core->run->call.cycles_most,
                     twin_native_poll_text(core).text);
}

static twk_ops table = {
    .size = sizeof(twk_ops),
    .version = TWK_VERSION,
    .place = place,
    .buffer_bytes = buffer_bytes,
    .copy = twin_native_copy,
    .feed = twin_native_feed,
    .multiply = twin_native_multiply,
    .result = twin_native_result,
    .vector = twin_native_vector,
    .get = twin_native_get,
    .put = twin_native_put,
    .get_word = twin_native_get_word,
    .put_word = twin_native_put_word,
    .set_flag = set_flag,
    .wait_flag = wait_flag,
    .barrier = barrier,
    .cross_core_set_flag = twin_native_cross_core_set,
    .cross_core_wait_flag = twin_native_cross_core_wait,
    .print = twin_native_print,
    .trap = trap,
    .spent = spent,
    .cross_core_set_flag_mode = twin_native_cross_core_set_mode,
    .sync_all = twin_native_sync_all,
    .cache_clean = twin_native_cache_clean,
    .instruct = twin_native_instruct,
    .load = twin_native_load,
    .store = twin_native_store_bytes,
    .core_variables = twin_native_core_variables,
    .print_values = twin_native_print_values,
};

static void find_stacks(void)
{
    table.stacks = twin_native_fiber_region(&table.stacks_bytes);
}

const twk_ops *twin_native_ops(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, find_stacks);
    return table.stacks_bytes > 0 ? &table : NULL;
}
