/* SPDX-License-Identifier: Apache-2.0 */
/* How a run fails: why, where, and the step at which the device finds it. */
#include <stdarg.h>
#include <stdio.h>

#include "kernel/core.h"
#include "kernel/names.h"

static void __attribute__((format(printf, 5, 0)))
write_failure(twin_native_run *run, const native_core *core, twin_native_fault fault,
              const uint64_t *address, const char *format, va_list args)
{
    const size_t room = sizeof(run->failure_text);
    char *text = run->failure_text;
    const uint32_t block = core ? core->block->number : 0;
    int length =
        core ? snprintf(text, room, "kernel \"%s\", block %u%s: ", twk_title_of(run->call.kernel),
                        block, twin_native_core_name(core))
             : snprintf(text, room, "kernel \"%s\": ", twk_title_of(run->call.kernel));
    if (length > 0 && (size_t)length < room)
        vsnprintf(text + length, room - (size_t)length, format, args);
    for (char *at = text; *at != '\0'; at++)
        if (*at == '\n')
            *at = ' ';
    if (core && run->running == core)
        twin_native_place_take(core, &run->failure_place);
    run->failure = (twin_native_failure){.fault = fault,
                                         .block = block,
                                         .core = core ? core->index : 0,
                                         .has_address = address != NULL,
                                         .address = address ? *address : 0,
                                         .text = text};
}

uint64_t twin_native_fault_step(twin_native_fault fault)
{
    return fault == TWIN_NATIVE_TRAP                                 ? 2
           : fault == TWIN_NATIVE_STUCK || fault == TWIN_NATIVE_TIME ? 3
                                                                     : 1;
}

/* Longer than any limit, and what is added to it stays a step. */
#define FOR_EVER (TWIN_STEP_MOST >> 6)

static void add_fault(native_core *core, twin_native_fault fault)
{
    const bool endless = fault == TWIN_NATIVE_STUCK || fault == TWIN_NATIVE_TIME;
    if (endless && core->run->call.limited)
        (void)twin_native_steps_end(&core->steps, TWIN_PIPE_SCALAR, TWIN_STEP_WORK, 0, FOR_EVER);
    if (!twin_native_steps_end(&core->steps, TWIN_PIPE_SCALAR, TWIN_STEP_FAULT, 0,
                               twin_native_fault_step(fault)))
        core->run->failure.fault = TWIN_NATIVE_NOMEM;
}

void twin_native_fail_core(native_core *core, twin_native_fault fault, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    write_failure(core->run, core, fault, NULL, format, args);
    va_end(args);
    add_fault(core, fault);
}

void twin_native_fail(native_core *core, twin_native_fault fault, const uint64_t *address,
                      const char *format, ...)
{
    twin_native_run *run = core->run;
    va_list args;
    va_start(args, format);
    write_failure(run, core, fault, address, format, args);
    va_end(args);
    add_fault(core, fault);
    for (;;)
        twin_native_fiber_leave(&run->host_fiber, &core->fiber);
}

void twin_native_refuse(native_core *core, twin_native_fault fault, const char *format, ...)
{
    char text[sizeof(core->run->failure_text)];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    twin_native_fail(core, fault, NULL, "%s: %s", twin_native_op_name(core->op), text);
}

void twin_native_fail_run(twin_native_run *run, twin_native_fault fault, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    write_failure(run, NULL, fault, NULL, format, args);
    va_end(args);
}

void twin_native_fail_full(native_core *core, native_op op)
{
    core->op = op;
    core->full = true;
    for (;;)
        twin_native_fiber_leave(&core->run->host_fiber, &core->fiber);
}
