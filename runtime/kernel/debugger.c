/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel/debugger.h"

#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#define LOOK_EVERY_NS 100000000 /* a debugger may come at any time, and looking costs 15 us */

static bool is_traced(void)
{
    static const char field[] = "\nTracerPid:\t";
    char text[4096];
    const int file = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return false;
    const ssize_t length = read(file, text, sizeof(text) - 1);
    close(file);
    text[length < 0 ? 0 : length] = '\0';
    const char *found = strstr(text, field);
    return found && atoi(found + strlen(field)) != 0;
}

static bool was_traced(void)
{
    static _Atomic(int64_t) looked_ns;
    static atomic_bool traced;
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
    const int64_t now_ns = (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
    const int64_t before_ns = atomic_load_explicit(&looked_ns, memory_order_relaxed);
    if (before_ns == 0 || now_ns - before_ns >= LOOK_EVERY_NS) {
        atomic_store_explicit(&traced, is_traced(), memory_order_relaxed);
        atomic_store_explicit(&looked_ns, now_ns, memory_order_relaxed);
    }
    return atomic_load_explicit(&traced, memory_order_relaxed);
}

void twin_native_debugger_begin(twin_native_run *run)
{
    run->named = was_traced() && prctl(PR_GET_NAME, run->thread_name) == 0;
}

void twin_native_debugger_end(twin_native_run *run)
{
    if (run->named)
        (void)prctl(PR_SET_NAME, run->thread_name);
    run->named = false;
}

void twin_native_debugger_name(const native_core *core)
{
    static const char *const names[] = {"c ", "v0 ", "v1 ", "v2 "};
    char name[64]; /* of which 15 bytes are kept */
    snprintf(name, sizeof(name), "b%u %s%.32s", core->block->number,
             core->run->core_count > 1 ? names[core->index] : "",
             twk_title_of(core->run->call.kernel));
    (void)prctl(PR_SET_NAME, name);
}
