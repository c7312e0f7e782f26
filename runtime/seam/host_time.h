/* SPDX-License-Identifier: Apache-2.0 */
/* Between the runtime and libtwinrt-host.so, the optional library that interposes on sleeps, thread
 * creation and the synchronization of host threads (level (b) of host time).
 *
 * The runtime finds the library by the symbol TWIN_HOST_TIME_ENTRY in the global scope when its
 * backend starts, and binds it to the host ops of the running backend. Without the library
 * everything works; less is known about the host's threads. */
#ifndef TWINRT_SEAM_HOST_TIME_H
#define TWINRT_SEAM_HOST_TIME_H

#include <pthread.h>

#include "seam/backend.h"

#define TWIN_HOST_TIME_VERSION 1u

/* A thread of the process, for reports. Strings live until the call that passes the struct
 * returns. */
typedef struct twin_host_thread {
    uint32_t system_id;     /* as gettid() gives it */
    const char *blocked_in; /* "pthread_cond_wait"; NULL: not in an interposed wait */
    const void *object;     /* what it waits for; NULL: nothing that has an address */
    const void *call_site;  /* return address of that call */
    uint32_t waits_for;     /* system id of the thread that holds it or is joined; 0: unknown */
    bool endless; /* without a time limit, and only another thread of this process can end it */
} twin_host_thread;

typedef struct twin_host_time {
    uint32_t size;    /* sizeof(twin_host_time) as the library knew it */
    uint32_t version; /* TWIN_HOST_TIME_VERSION as the library knew it */
    /* The host ops of the backend that has started; NULL: it has ended. Thread: init.
     * `inside`: the calling thread's flag that it runs code of the runtime. What it calls meanwhile
     * is not looked at: neither do locks of the runtime carry clocks, nor do its waits count as
     * blocked. The flag is at the same distance from the thread pointer in each thread
     * (initial-exec). */
    void (*bind)(const struct twin_host_ops *host, const bool *inside);
    /* Threads that are at this moment blocked without a time limit in an interposed wait that only
     * another thread of this process can end, and for which that has not happened: a thread that
     * has been woken and does not run yet does not count. *out_stamp: another number whenever a
     * thread enters or leaves such a wait. Two calls that give the same number and the same stamp
     * bracket a time in which these threads could not run, if all other threads of the process
     * waited in the runtime all that time. Takes no lock. Thread: any. */
    uint32_t (*blocked)(uint64_t *out_stamp);
    /* Calls `take` for each thread that the library knows. Thread: any; `take` makes no interposed
     * call that blocks. */
    void (*threads)(void (*take)(void *context, const twin_host_thread *thread), void *context);
    /* NULL, or services.waiting of a run in which threads take turns in the order of their clocks
     * (TWINRT_DETERMINISTIC). */
    const struct twin_turn_ops *turns;
} twin_host_time;

/* One wait of the backend in the order of threads, from its beginning to its end. */
typedef struct twin_turn {
    /* In. */
    uint64_t reached_ns; /* the device has come to this time and has no more to do before it */
    bool serves; /* a thread of the runtime: it moves the device only when no other thread waits or
                   can run */
    bool stuck;  /* of such a thread: the device does not move before some thread has run */
    /* Out. */
    uint64_t
        until_ns; /* the earliest clock at which another thread runs; TWIN_FOREVER: none does */
    bool ready;   /* one of them does not only wait for its time-out */
} twin_turn;

/* Deterministic mode: one thread runs at a time; the others wait for their turn. Thread, of all:
 * any, with no lock held that another thread may need, except where noted. */
typedef struct twin_turn_ops {
    /* Whether the order holds: it ends for good when a thread blocks that takes no turns. */
    bool (*on)(void);
    /* A public call begins on this thread: returns when no thread that can run has an earlier clock
     * (ties: the thread that was created first). */
    void (*call)(void);
    /* This thread's wait in the backend begins or goes on: it gives its turn away. Returns when
     * this thread is to move the device up to until_ns and no further, when its wait has been ended
     * by another thread, or when the order has ended. */
    void (*wait)(twin_turn *turn);
    /* This thread's wait is over. */
    void (*done)(void);
    /* The wait of thread `system_id` has been ended: it can run, at clock `at_ns`. With the model
     * lock held. */
    void (*ended)(uint32_t system_id, uint64_t at_ns);
    /* Threads of the process that are in the order: none can act while this one moves the device.
     * With the model lock held. */
    uint32_t (*threads)(void);
    /* As pthread_create(), of a thread of the runtime that has no place in the order. While the
     * order holds it takes only locks that are never held for longer than a moment. */
    int (*create)(pthread_t *out_thread, const pthread_attr_t *attributes,
                  void *(*function)(void *), void *argument);
    /* A number that stays the same while no thread of the order runs code of the program. */
    uint64_t (*points)(void);
    /* Ends the order, for a reason that is written to stderr: a sentence's end. */
    void (*end)(const char *reason);
} twin_turn_ops;

/* Name and type of the function that libtwinrt-host.so exports. */
#define TWIN_HOST_TIME_ENTRY "twinrt_host_time"
typedef const twin_host_time *(*twin_host_time_entry_fn)(void);

#endif
