/* SPDX-License-Identifier: Apache-2.0 */
/* What every conformance program shares: its main, child processes, threads in step, held streams,
 * buffers. The suites use the public interface alone and run on any backend.
 *
 * A test leaves the process as it found it: no device set, no object alive. Device-side waits are
 * bounded by timeouts in device time, which cost nothing on the model. */
#ifndef TWINRT_CONFORMANCE_SUITE_H
#define TWINRT_CONFORMANCE_SUITE_H

#include "check.h"
#include "support/cunit_main.h"

/* Bound of a wait that is expected to end, in ms of device time. */
#define SOON_MS 1000
/* Too long to pass for real: a test that waited so would be ended. */
#define HOUR_MS 3600000
/* Bound of a wait that is expected to expire, in ms of device time. */
#define SHORT_MS 20

/* ---- the program ---------------------------------------------------------------------------- */

/* One program that a test runs as a separate child process, for what exists once per process. */
typedef struct twin_child {
    const char *name;
    void (*run)(void);
} twin_child;

typedef struct twin_suite {
    const char *name;
    const twin_test *tests;
    size_t test_count;
    const twin_child *children;
    size_t child_count;
    bool initialise; /* aclInit(NULL) before the first test, aclFinalize after the last */
} twin_suite;

/* Runs the suite: `[--backend=NAME] [...]`, or one child: `--child=NAME`. Tests that the backend's
 * list in expect/ names are skipped with the reason printed; all skipped gives 77. */
int twin_suite_main(const twin_suite *suite, int argc, char **argv);

/* Runs child `name` of this suite in a new process, with `settings` ("NAME=value", NULL ends) added
 * to its environment, and checks that it ends by itself, without a failed check. */
void twin_run_child(const char *name, const char *const *settings);
/* As above, and answers its exit status (128 + signal for a killed one) without judging it. What it
 * wrote on stdout goes to `output`, cut to fit; NULL: not wanted. */
int twin_child_status(const char *name, const char *const *settings, char *output, size_t bytes);

/* Number of devices in the process; suites that need two ask for them by TWINRT_DEVICES. */
uint32_t twin_device_count(void);
/* Folder of the library under test, without a trailing slash. */
const char *twin_library_folder(void);
/* Wall-clock seconds since some fixed point. */
double twin_wall_seconds(void);

/* ---- threads -------------------------------------------------------------------------------- */

/* Runs fn(argument) on a new thread and waits for its end. */
void twin_on_thread(void (*fn)(void *), void *argument);

typedef struct twin_threads twin_threads;
/* Runs fn(argument, index) on `count` new threads at once, past a common start line. */
twin_threads *twin_threads_start(unsigned count, void (*fn)(void *, unsigned), void *argument);
void twin_threads_join(twin_threads *threads);
/* Both in one. */
void twin_threads_run(unsigned count, void (*fn)(void *, unsigned), void *argument);

/* ---- device work ---------------------------------------------------------------------------- */

/* A notify on which a stream is parked until twin_hold_release. */
typedef struct twin_hold {
    aclrtNotify notify;
    aclrtStream held;
} twin_hold;

/* Parks `stream` (NULL: the default stream) for later work. */
void twin_hold_begin(twin_hold *hold, aclrtStream stream);
/* Lets it go on by a record on `by`; returns at once. */
void twin_hold_release(twin_hold *hold, aclrtStream by);
/* Releases, waits until the parked stream is done, and ends the notify. */
void twin_hold_end(twin_hold *hold, aclrtStream by);

/* Device memory with a pinned host buffer of the same size; the device side is filled with 0. */
typedef struct twin_buffer {
    uint8_t *device;
    uint8_t *host;
    size_t bytes;
} twin_buffer;
/* Both sides hold `value` afterwards. */
void twin_buffer_make(twin_buffer *buffer, size_t bytes, uint8_t value);
void twin_buffer_free(twin_buffer *buffer);
/* Reads the device side into the host side, synchronously. */
void twin_buffer_read(twin_buffer *buffer);

/* Creates a stream; fails the test when that does not work. */
aclrtStream twin_stream(void);
/* Whether everything submitted to the stream is done. */
bool twin_idle(aclrtStream stream);
/* Whether the newest record of the event is complete, by aclrtQueryEventStatus. */
bool twin_recorded(aclrtEvent event);
/* The kinds of event that a stream can wait for. */
typedef enum twin_event_kind { EVENT_PLAIN, EVENT_FLAG, EVENT_EX, EVENT_KINDS } twin_event_kind;
aclrtEvent twin_event(twin_event_kind kind);
/* As above with the flags given; for EVENT_PLAIN they are ignored. */
aclrtEvent twin_event_flags(twin_event_kind kind, uint32_t flags);

#endif
