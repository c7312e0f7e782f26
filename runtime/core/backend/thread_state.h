/* SPDX-License-Identifier: Apache-2.0 */
/* What belongs to one host thread: its current context, its last error, its error messages, and
 * its place among the threads that the backend reckons with. */
#ifndef TWINRT_CORE_BACKEND_THREAD_STATE_H
#define TWINRT_CORE_BACKEND_THREAD_STATE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "seam/backend.h"

/* Messages kept for a reader, newest first; older ones are dropped. */
#define TWIN_MESSAGES_KEPT 64u

/* Whether native kernels are computed, or only timed: as the setting says, or by launch. */
enum { TWIN_KERNEL_DATA_SETTING, TWIN_KERNEL_DATA_ON, TWIN_KERNEL_DATA_OFF };

typedef struct twin_message {
    struct twin_message *next; /* older */
    char text[];
} twin_message;

typedef struct twin_message_list {
    twin_message *newest;
    unsigned count;
} twin_message_list;

typedef struct twin_thread {
    const struct twin_backend
        *ops; /* table this thread is attached to; NULL before its first call */
    union {
        twin_call_place place;
        struct {                   /* the same fields */
            const twin_call *call; /* the public call in progress, or the last one */
            const void *call_site; /* its return address */
            const char *frames;    /* as of twinrt_set_frames() */
            size_t frames_bytes;
            const void *frames_from;
        };
    };
    uint64_t context;        /* handle of the current context, 0 none; may be stale */
    uint64_t share_stream;   /* handle of the stream whose share of cores is in use, 0 none; may be
                         stale */
    uint64_t snapshot_round; /* the last twin_snapshot_round that this thread began, 0 none */
    uint32_t system_id;      /* as gettid() gives it; 0: not asked yet */
    uint8_t kernel_data;     /* of the kernels that it launches: TWIN_KERNEL_DATA_... */
    uint8_t capture_mode;    /* twin_capture_mode that aclmdlRICaptureThreadExchangeMode set */
    int32_t last_error;
    int32_t vendor_code; /* of the last TWIN_E_VENDOR of an op on this thread */
    /* While this thread runs a function that a stream called: the device, and for a host function
     * the context, that must not end meanwhile. NULL and 0: it does not. */
    const struct twin_device *serves_device;
    uint64_t serves_context;
    /* Relaxed stores by the thread; read by the one that ends the process's use of the backend. */
    _Atomic bool in_call;
    /* Functions of the program that calls of this thread run at the moment; in_call is false in
     * them. As in_call. */
    _Atomic unsigned functions;
    /* It has called since the process began to end, and so is inside no op of the backend any
     * more. */
    _Atomic bool late;
    /* This thread runs code of the runtime: inside a public call, not in a function of the program
     * that it calls, or on a thread of the runtime. Read by libtwinrt-host.so on the same
     * thread. */
    bool inside;
    bool hidden; /* from sanitizers of the program, see seam/sanitizer.h */
    bool listed;
    struct twin_thread *next, *previous; /* guarded by the thread list's lock */
    twin_message_list messages;
    char *shown; /* what the last aclGetRecentErrMsg gave */
} twin_thread;

/* Initial-exec: small enough for the loader's surplus, and each call needs it. */
extern _Thread_local twin_thread twin_self __attribute__((tls_model("initial-exec")));

/* Brings the thread up to the present backend table: lists it, attaches it. Called when
 * `twin_self.ops` is not the present table. False in a process forked from the one that runs the
 * backend. */
bool twin_thread_attach(void);
/* The calling thread is the runtime's, or its backend's: `inside` holds outside calls too. */
void twin_thread_own(void);

/* services.place */
const twin_call_place *twin_thread_place(void);

/* Around a call of a function of the program, which may call public functions itself: begin gives
 * what end puts back. No lock of the core is held. */
const twin_call *twin_outcall_begin(void);
void twin_outcall_end(const twin_call *call);

/* After the table of ops has changed: threads that are not inside a call by now use the new one. */
void twin_threads_fence(void);
/* Counts threads that the runtime has made. */
void twin_threads_of_runtime(int step);
/* As twin_services.none_left. */
bool twin_threads_none_left(unsigned own);
/* Whether a thread has called since the process began to end. Thread: any. */
bool twin_threads_came_late(void);
/* How many other threads are inside public calls. *out_functions: how many run a function of the
 * program for one. */
unsigned twin_threads_inside(unsigned *out_functions);

/* Adds a line to the messages of the thread, or of the process (twin_messages_set_process). */
void twin_message_add(const char *text);
/* Takes all messages, newest first, one a line, as one text that stays valid until the next call on
 * this thread; NULL when there are none. */
const char *twin_messages_take(void);
/* Whether all threads share one list (err_msg_mode "1"). */
void twin_messages_set_process(bool process);
/* In a forked child: of the threads only the caller is left, and no lock of this file is held.
 * False: another was inside a call. */
bool twin_threads_forked(void);
/* registry.c: in a forked child, before fork() returns. */
void twin_backend_in_child(void);

#endif
