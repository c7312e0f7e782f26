/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a recording again: asks a device for what the recording says that its device was asked for,
 * and compares the answers.
 *
 * Each thread of the recording has one here; the one that started the backend then is the caller.
 * They run one at a time, in the order of the recording: an op begins where it began there, and one
 * that waits goes on where it came back. What the recording names by number or address is found
 * again by what was made in its place. The host's time is charged as it was.
 *
 * The device is the same when its backend, settings and parameters are: then every answer and every
 * time is compared, and threads are moved up to the times that others had moved them to. On another
 * device times are that device's.
 *
 * A recording may hold anything: what no core would ask for is left out and reported. */
#ifndef TWINRT_TOOLS_REPLAY_H
#define TWINRT_TOOLS_REPLAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "recording/reader.h"
#include "seam/backend.h"

/* Something that came out otherwise, or was left out. */
struct replay_note {
    size_t entry; /* of the record, or TWIN_RECORDING_NONE */
    char text[160];
};
#define REPLAY_NOTES_MOST 1000u

struct replay_notes {
    struct replay_note *list; /* the first of them */
    size_t kept;
    uint64_t count;
};

/* Device times of the tasks of one side. */
struct replay_span {
    uint64_t tasks;
    uint64_t first_ns, last_ns; /* first begin, last end; of no task 0 */
};

struct replay_report {
    char backend[32]; /* where it ran */
    char part[64];    /* its first device */
    bool same;        /* the device is the recorded one */
    bool paced;       /* and moves as it did, from a place in the recording on */
    char why[200];    /* what is not the same */
    bool refused;     /* its first device could not be opened: nothing else was asked for */
    bool timed;       /* the recording has the times of tasks */
    uint32_t threads;
    uint32_t sessions; /* in the recording; the first is run */
    uint64_t asked;    /* calls of the device that were made again */
    uint64_t open;     /* calls of the recording that had not come back, not made */
    struct replay_notes differences;
    struct replay_notes left_out;
    struct replay_notes times; /* tasks of other times; only of the same device */
    uint64_t polls;  /* of another device: other answers of questions that depend on time or size */
    uint64_t raised; /* clocks that had been moved up by other threads */
    uint64_t clocks; /* calls after which the host's clock is another; only of the same device */
    uint64_t unknown_kernels; /* launches whose steps the recording does not have */
    uint64_t effects;         /* launches whose effect on memory is not in the recording */
    uint64_t timed_only;      /* kernels that are not computed, in the recording and here */
    uint64_t no_contents;     /* copies from the host whose bytes are not in the recording */
    uint64_t values;          /* ops that go by what is in device memory */
    uint64_t waited;          /* times that a queue was full which had room */
    struct replay_span recorded, replayed;
    uint64_t same_tasks; /* those with the same times and result */
};

/* What a process needs before the backend starts. */
struct replay;

/* Called once. NULL: `error` says why the recording cannot be run. Both stay until the end of the
 * process. */
struct replay *replay_new(const twin_recording *recording, char *error, size_t error_bytes);
/* How much memory ops may bring to life, of devices and of what replaces the program's: what needs
 * more is left out. Without, half of the machine's. */
void replay_memory_most(struct replay *replay, uint64_t bytes);
/* Name of the backend that was recorded. */
const char *replay_backend(const struct replay *replay);
/* Calls `take` with each setting of the recording that says what the device is. */
void replay_settings(const struct replay *replay,
                     void (*take)(const char *name, const char *value));
/* For twin_backend_conduct(). */
void replay_waiting(void);
bool replay_nd(twin_nd what, uint64_t which, uint64_t *value);
bool replay_outlook(uint64_t *value);
bool replay_touched(const twin_touch *touch);
/* Runs it on `ops`, which has started with replay_waiting; stops nothing. `traced` is its answer to
 * host.traced, `setting` returns values of settings. Called once. False: no thread can be
 * created. */
bool replay_run(struct replay *replay, const struct twin_backend *ops, bool traced,
                const char *(*setting)(const char *name));
const struct replay_report *replay_result(const struct replay *replay);
/* Whether the answers were the recorded ones, and with the same device the times. */
bool replay_is_same(const struct replay_report *report);
/* `name` is the recording's; at most `most` of each kind of difference are reported. */
void replay_report_text(const struct replay *replay, const char *name, size_t most, FILE *to);

/* ---- trials: the same work on models of other times, for `twinrt calibrate` ---- */

/* Instants of one op, in ns; REPLAY_UNKNOWN: not known. */
#define REPLAY_UNKNOWN UINT64_MAX
enum replay_instant {
    REPLAY_CALL_BEGIN, /* of the op, on the caller's clock */
    REPLAY_CALL_END,
    REPLAY_TASK_BEGIN, /* of its first task, on the device */
    REPLAY_TASK_END,   /* of its last */
    REPLAY_INSTANTS
};
struct replay_times {
    uint64_t at[REPLAY_INSTANTS];
};

/* What a trial does again. */
struct replay_trial_op {
    size_t entry;                 /* of the recording */
    struct replay_times recorded; /* both of the call are known */
    bool blocks;                  /* the caller sleeps until the device is done */
    bool stamped;                 /* its end is that of a timed event after it */
};

/* Host costs that the profile of a model in a trial must have, in the order of twin_cost: sums of
 * them make any pause. */
#define REPLAY_PAUSE_STEP(cost) (UINT64_C(1) << (3 * (cost)))

/* A plan for any number of trials, each in a separate process: of the other ops of the recording
 * none is repeated, and no answer is compared. `ops` stay until the plan is freed. NULL: `error`
 * says why. */
struct replay *replay_trial_new(const twin_recording *recording, const struct replay_trial_op *ops,
                                size_t count, char *error, size_t error_bytes);
/* Runs it on `ops`, which has started at time 0 with such a profile and is not conducted. Each
 * thread pauses between its ops as in the recording, and only the one whose turn it is, is
 * attached. `times` has one item per op. False: `error` says what could not be repeated. Once per
 * process: the model is left as it is. */
bool replay_trial_run(struct replay *replay, const struct twin_backend *ops,
                      struct replay_times *times, char *error, size_t error_bytes);
void replay_trial_free(struct replay *replay);

/* What the process ends with when the device runs on and on, which nothing but the end of the
 * process can end. */
#define REPLAY_ENDLESS 3

/* Where the replay is, for a process that watches: the begin_seq of the newest entry. */
extern volatile uint64_t *replay_place;

#endif
