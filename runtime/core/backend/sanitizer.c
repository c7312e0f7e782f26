/* SPDX-License-Identifier: Apache-2.0 */
#include "core/backend/sanitizer.h"

#include <stdatomic.h>

#include "core/base/log.h"
#include "seam/sanitizer.h"

#ifndef TWIN_SANITIZED

/* Those that gcc's and clang's runtimes both export. */
TWIN_WEAK void AnnotateIgnoreReadsBegin(const char *file, int line);
TWIN_WEAK void AnnotateIgnoreReadsEnd(const char *file, int line);
TWIN_WEAK void AnnotateIgnoreWritesBegin(const char *file, int line);
TWIN_WEAK void AnnotateIgnoreWritesEnd(const char *file, int line);
TWIN_WEAK void AnnotateIgnoreSyncBegin(const char *file, int line);
TWIN_WEAK void AnnotateIgnoreSyncEnd(const char *file, int line);
/* __FILE__ would put the folder of the build into the library. */
#define HERE "runtime"
TWIN_WEAK void __lsan_disable(void);
TWIN_WEAK void __lsan_enable(void);

bool twin_sanitized;
/* Its address names the order; no byte of it is used. */
static char order;

__attribute__((constructor(101))) static void find_sanitizers(void)
{
    twin_sanitized = twin_under_thread_sanitizer() || __lsan_disable;
}

void twin_sanitizer_hide(twin_thread *thread)
{
    if (thread->hidden)
        return;
    thread->hidden = true;
    if (__lsan_disable)
        __lsan_disable();
    if (twin_under_thread_sanitizer()) {
        AnnotateIgnoreReadsBegin(HERE, __LINE__);
        AnnotateIgnoreWritesBegin(HERE, __LINE__);
        AnnotateIgnoreSyncBegin(HERE, __LINE__);
    }
}

void twin_sanitizer_show(twin_thread *thread)
{
    if (!thread->hidden)
        return;
    thread->hidden = false;
    if (twin_under_thread_sanitizer()) {
        AnnotateIgnoreSyncEnd(HERE, __LINE__);
        AnnotateIgnoreWritesEnd(HERE, __LINE__);
        AnnotateIgnoreReadsEnd(HERE, __LINE__);
    }
    if (__lsan_enable)
        __lsan_enable();
}

/* Only while the thread is not hidden: then the order is left out too. */
static void announce(bool before)
{
    if (!twin_under_thread_sanitizer())
        return;
    if (before)
        __tsan_release(&order);
    else
        __tsan_acquire(&order);
}

void twin_sanitizer_enter(twin_thread *thread)
{
    /* What only asks gives nothing that another thread can wait for. */
    twin_cost cost = thread->call->cost;
    if (!thread->hidden && cost != TWIN_COST_WAIT && cost != TWIN_COST_POLL)
        announce(true);
    twin_sanitizer_hide(thread);
}

void twin_sanitizer_leave(twin_thread *thread, int32_t code)
{
    twin_sanitizer_show(thread);
    /* Memory and local calls wait for nothing. */
    twin_cost cost = thread->call->cost;
    if (code == 0 && cost != TWIN_COST_LOCAL && cost != TWIN_COST_SUBMIT &&
        cost != TWIN_COST_LAUNCH && cost != TWIN_COST_TRANSFER && cost != TWIN_COST_MEMORY)
        announce(false);
}

void twin_sanitizer_function_begin(twin_thread *thread)
{
    twin_sanitizer_show(thread);
    announce(false);
}

void twin_sanitizer_function_end(twin_thread *thread)
{
    announce(true);
    twin_sanitizer_hide(thread);
}

#endif

void twin_sanitizer_warn(void)
{
    static atomic_bool warned;
    if (twin_under_memory_sanitizer() && !atomic_exchange(&warned, true))
        twin_log(TWIN_LOG_WARNING,
                 "the program is built with -fsanitize=memory, which is not supported: what this "
                 "library writes is reported as uninitialized; use valgrind, or "
                 "-fsanitize=address,undefined");
}
