/* SPDX-License-Identifier: Apache-2.0 */
/* The threads of the process that the library knows: those that pthread_create made, and others
 * from their first blocking call on. What each is blocked in, and whether that proves that it
 * cannot run.
 *
 * Why a thread that host_threads_blocked() counts cannot run. A wait is marked (host_enter) by the
 * thread itself right before the real function is called, after everything that the call does for
 * other threads (a wait on a condition variable has released its mutex by then), and unmarked first
 * thing after it. So a marked thread wakes no other. It is counted only while what ends its wait
 * has not been done, which is read from a place that the thread which does it changes first:
 *
 *   mutex, rwlock  the object names a holder in glibc's owner field, and that is another thread. An
 *                  object that is free, or is being handed over, names none
 *   condition      no signal or broadcast has taken the waiter from the queue (cond.c keeps it)
 *   semaphore      posts and the initial value less completed waits are 0 (sem.c counts them); a
 *                  post counts before the real one, a wait after it
 *   barrier        fewer threads than its count have arrived in the waiter's round
 *   join           the thread to be joined has not come to its last destructor
 *
 * Only objects of this process alone are counted: a process-shared, robust or priority-inheriting
 * mutex, a process-shared semaphore or a named one can be ended from elsewhere. Let T1 be counted
 * at the begin and at the end of a time in which neither the number nor the stamp changed. Marking
 * and unmarking change the stamp, so the same threads were marked all the time. If these and the
 * threads inside the runtime's waits are all threads of the process, no thread was left that could
 * have done what ends T1's wait, before or during that time, without its being seen. Handlers of
 * signals, timers and other processes are the caller's to exclude.
 *
 * What an object's memory says is read while host_leave() waits for the reader, so the object is
 * alive. */
#ifndef TWINRT_HOST_THREADS_H
#define TWINRT_HOST_THREADS_H

#include "host.h"

enum host_wait_kind {
    HOST_WAIT_NONE,
    HOST_WAIT_OTHER, /* something else than another thread of this process can end it */
    HOST_WAIT_MUTEX,
    HOST_WAIT_READ,  /* rwlock */
    HOST_WAIT_WRITE, /* rwlock */
    HOST_WAIT_COND,
    HOST_WAIT_SEM,
    HOST_WAIT_BARRIER,
    HOST_WAIT_JOIN
};

/* What a wait is, for reports and for the proof. */
struct host_wait {
    enum host_wait_kind kind;
    const char *name; /* of the interposed function */
    const void *object;
    const void *call_site;
    const void *proof; /* COND: atomic_bool, woken; SEM, BARRIER: struct host_object; JOIN: struct
                  host_thread */
    uint64_t number;   /* BARRIER: the round; JOIN: number of the thread */
};

enum host_thread_state { HOST_THREAD_FREE, HOST_THREAD_MADE, HOST_THREAD_LIVE, HOST_THREAD_ENDED };

struct host_thread {
    atomic_int state; /* enum host_thread_state */
    atomic_int wait;  /* enum host_wait_kind of `waits_in`; written by the thread itself */
    struct host_wait waits_in;
    _Atomic uint64_t number; /* in the order of creation, from 0; never twice */
    _Atomic uint32_t system_id;
    pthread_t handle;
    bool has_handle; /* guarded by the lock of threads.c, as all below */
    bool detached;
    bool being_made; /* pthread_create has not returned */
    void *(*function)(void *);
    void *argument;
    struct turn_thread *turn; /* its place in the order of threads; NULL: there is no order */
    twin_host_moment begin;   /* of the creator, at pthread_create; system_id 0: none */
    twin_host_moment end;     /* at the thread's end */
    struct host_thread *next_free;
};

void host_threads_start(void);
/* In a forked child: the calling thread is alone. */
void host_threads_forked(void);

/* The calling thread's record. NULL: out of memory. */
struct host_thread *host_thread_self(void);
/* Around a real pthread_create: a record in state MADE, NULL: out of memory; and what became of it
 * (error: it is freed). */
struct host_thread *host_thread_make(bool detached, void *(*function)(void *), void *argument);
void host_thread_made(struct host_thread *thread, pthread_t handle, int error);
/* First and last thing that a thread does; `host_thread_run` is its start routine, with the record
 * as argument. */
void *host_thread_run(void *record);
/* The thread with this handle that can be joined; NULL: not known. */
struct host_thread *host_thread_find(pthread_t handle);
/* It has been joined: *out_end is where its time was at its end. */
void host_thread_joined(struct host_thread *thread, uint64_t number, twin_host_moment *out_end);
void host_thread_detached(pthread_t handle);

/* A wait that is marked until the scope ends, also by cancellation:
 *     HOST_SCOPE(scope);
 *     host_enter(&scope, &wait);
 *     ... the real function
 *     host_leave(&scope); */
struct host_scope {
    struct host_thread *thread; /* NULL: not marked */
};
#define HOST_SCOPE(name) struct host_scope name __attribute__((cleanup(host_leave))) = {NULL}
void host_enter(struct host_scope *scope, const struct host_wait *wait);
void host_leave(struct host_scope *scope);
/* A wait that is not endless, or that something else can end. */
static inline void host_enter_other(struct host_scope *scope, const char *name, const void *object,
                                    const void *call_site)
{
    const struct host_wait wait = {
        .kind = HOST_WAIT_OTHER, .name = name, .object = object, .call_site = call_site};
    host_enter(scope, &wait);
}

/* Something was done that may end a wait. */
void host_stamp(void);

/* twin_host_time.blocked, .threads */
uint32_t host_threads_blocked(uint64_t *out_stamp);
void host_threads_list(void (*take)(void *context, const twin_host_thread *thread), void *context);

#endif
