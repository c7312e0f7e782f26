/* SPDX-License-Identifier: Apache-2.0 */
/* The start of the library, and what the runtime finds in it. */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "cond.h"
#include "objects.h"
#include "seam/sanitizer.h"
#include "threads.h"
#include "turn.h"

static ptrdiff_t offset_of(const bool *flag)
{
    return (const char *)flag - (const char *)__builtin_thread_pointer();
}

/* clang links the runtime of ThreadSanitizer into the program, before this library. It prepares a
 * new thread only after host_thread_run(), and before that the thread cannot allocate memory. gcc's
 * is a library after this one. */
static bool thread_sanitizer_is_first(void)
{
    Dl_info of_create;
    Dl_info of_this;
    const void *create =
        twin_under_thread_sanitizer() ? dlsym(RTLD_DEFAULT, "pthread_create") : NULL;
    return create && dladdr(create, &of_create) != 0 && dladdr(&host_level, &of_this) != 0 &&
           of_create.dli_fbase != of_this.dli_fbase;
}

static int level_wanted(void)
{
    const char *text = getenv("TWINRT_HOST_TIME");
    if (text && strcmp(text, "calls") == 0)
        return HOST_CALLS;
    if ((text && strcmp(text, "sleeps") == 0) || thread_sanitizer_is_first())
        return HOST_SLEEPS;
    return HOST_SYNC;
}

/* In the child: its only thread is the caller. The backend is the parent's until the runtime binds
 * one again. */
static void forked(void)
{
    atomic_store(&host_ops, NULL);
    host_threads_forked();
    host_objects_forked();
    host_conds_forked();
    turn_forked();
}

/* TWINRT_DETERMINISTIC */
static void begin_order(void)
{
    const char *wanted = getenv("TWINRT_DETERMINISTIC");
    const char *seed = getenv("TWINRT_SEED");
    if (wanted && strcmp(wanted, "on") == 0)
        turn_begin(seed ? strtoull(seed, NULL, 0) : 0);
}

__attribute__((constructor)) int host_start(void)
{
    static bool starting; /* there is one thread */
    int level = atomic_load(&host_level);
    if (level != HOST_UNSET)
        return level;
    if (starting)
        return HOST_CALLS;
    starting = true;
    atomic_store(&host_inside_offset, offset_of(&host_self.off));
    host_real_find();
    level = level_wanted();
    if (level >= HOST_SYNC) {
        host_threads_start();
        (void)pthread_atfork(turn_fork_begin, turn_fork_end, forked);
        begin_order();
    }
    atomic_store(&host_level, level);
    return level;
}

static void bind_ops(const struct twin_host_ops *ops, const bool *inside)
{
    atomic_store(&host_inside_offset, offset_of(inside ? inside : &host_self.off));
    atomic_store(&host_ops, ops);
    if (ops)
        (void)host_moment_make();
    turn_bind(ops);
}

HOST_EXPORT const twin_host_time *twinrt_host_time(void);

const twin_host_time *twinrt_host_time(void)
{
    static twin_host_time table = {
        .size = sizeof(table),
        .version = TWIN_HOST_TIME_VERSION,
        .bind = bind_ops,
        .blocked = host_threads_blocked,
        .threads = host_threads_list,
    };
    (void)host_start();
    table.turns = turn_on() ? &turn_ops : NULL;
    return &table;
}
