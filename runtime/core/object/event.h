/* SPDX-License-Identifier: Apache-2.0 */
/* Events and notifies: marks in streams. Both rest on the seam's signals; runtime/docs/events.md
 * distinguishes the kinds. */
#ifndef TWINRT_CORE_OBJECT_EVENT_H
#define TWINRT_CORE_OBJECT_EVENT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/base/handle.h"
#include "core/object/device.h"

/* Creation flags, with the public values. */
#define TWIN_EVENT_SYNC        0x01u
#define TWIN_EVENT_PROGRESS    0x02u
#define TWIN_EVENT_UNNAMED     0x04u /* not documented; accepted, and means what SYNC means */
#define TWIN_EVENT_TIMELINE    0x08u
#define TWIN_EVENT_DEVICE_ONLY 0x10u
#define TWIN_EVENT_EXTERNAL    0x20u
#define TWIN_EVENT_IPC         0x40u

/* Which call made it. Or-ed with the flags this is the event's form: fixed, but for the marks
 * below. */
#define TWIN_EVENT_PLAIN  0x100u /* aclrtCreateEvent */
#define TWIN_EVENT_FLAG   0x200u /* aclrtCreateEventWithFlag */
#define TWIN_EVENT_EX     0x400u /* aclrtCreateEventExWithFlag */
#define TWIN_EVENT_NOTIFY 0x800u /* aclrtCreateNotify */
#define TWIN_EVENT_COUNT  0x080u /* aclrtCntNotifyCreate */
#define TWIN_EVENT_FORM   0xfffu
/* Marks: what happened to it since. */
/* The flag of the first record and of the first wait that was tried, which decide for all (EVT-74,
 * EVT-79). */
#define TWIN_EVENT_WAITED            0x1000u
#define TWIN_EVENT_WAITED_EXTERNAL   0x2000u
#define TWIN_EVENT_RECORDED          0x4000u
#define TWIN_EVENT_RECORDED_EXTERNAL 0x8000u
/* A capture that has not ended holds its newest record. */
#define TWIN_EVENT_CAPTURED 0x10000u

typedef struct twin_event {
    twin_object object;
    twin_lock lock;        /* held over record, wait and reset of the signal */
    _Atomic uint32_t form; /* relaxed: read before the lock, confirmed by the handle under it */
    /* Fixed from publish to release. */
    twin_device *device;
    twin_signal *signal;
    uint32_t name;
    uint64_t recorded_on; /* handle of the stream of the newest record, 0: none; guarded by lock */
    _Atomic bool
        in_instance; /* the newest record is one of a persistent stream; relaxed, written under
                        lock */
    struct twin_capture_edge *edge;     /* guarded by twin_capture_lock: its record in a capture, or
                                       NULL */
    struct twin_event *next, *previous; /* guarded by device->lock */
} twin_event;

extern twin_handle_table twin_events;
extern twin_handle_table twin_notifies;
extern twin_handle_table twin_counts;

/* An event or notify on the current context's device. 107002, 207001, 207007, 207009. */
int32_t twin_event_create(uint32_t form, uint64_t *out_handle);
/* The event or notify that some process shares under `name`, for the current context's device.
 * 107000: it cannot be opened. 107002, 207001. */
int32_t twin_event_open(uint32_t form, const char *name, uint64_t *out_handle);
/* Shares a pinned event or notify; the name says which it is. With `check_pid` only processes that
 * twin_event_allow named may open it. 207000, 507033. */
int32_t twin_event_share(twin_event *event, bool check_pid, char out_name[TWIN_SHARE_NAME]);
/* 107000: it is not shared, or too many are named. */
int32_t twin_event_allow(twin_event *event, const int32_t *pids, size_t count);
/* Never waits; work in flight still completes. 107017. */
int32_t twin_event_destroy(twin_handle_table *table, uint64_t handle);
/* Makes a pinned event dead and takes it off its device; false when it was dead. The pin stays the
 * caller's. */
bool twin_event_retire(twin_event *event);
void twin_event_unpin(twin_event *event);
TWIN_PINNED_TYPE(event)

/* The live object, not pinned. 107017. */
int32_t twin_event_find(twin_handle_table *table, uint64_t handle, twin_event **out_event);
/* Whether the handle means a live object. 107017. */
static inline int32_t twin_event_guard(twin_handle_table *table, uint64_t handle)
{
    twin_event *event = NULL;
    return twin_event_find(table, handle, &event);
}
/* The live object, pinned. 107017. */
int32_t twin_event_pin(twin_handle_table *table, uint64_t handle, twin_event **out_event);
static inline uint32_t twin_event_form(const twin_event *event)
{
    return atomic_load_explicit(&event->form, memory_order_relaxed);
}
/* Sets a mark of the event's form, or removes it, if the handle still means it. */
void twin_event_mark(twin_event *event, uint64_t handle, uint32_t mark);
void twin_event_unmark(twin_event *event, uint64_t handle, uint32_t mark);
/* "event", "notify" or "counting notify". */
const char *twin_event_noun(const twin_event *event);

/* Of a pinned object; each may answer with the backend's code. Thread: any. */
/* What is asked in `state`. */
int32_t twin_event_query(const twin_event *event, twin_signal_state *state);
/* Number of its hardware entry. 507000: it has none now. */
int32_t twin_event_id(const twin_event *event, uint32_t *out_id);
/* Makes a notify unset. */
int32_t twin_event_clear(const twin_event *event);
/* Waits for the newest record. 107000: a persistent stream records the event. 507046, 107023.
 * Blocks. */
int32_t twin_event_wait(const twin_event *event, uint64_t timeout_ns);
/* Device time of the newest record. 507000: never recorded; 107006: not complete, or not made for
 * timing. */
int32_t twin_event_time(const twin_event *event, uint64_t *out_ns);
/* Nanoseconds between the newest records of two events, whose times differ by `difference_ns`: the
 * device may know it better. */
double twin_event_elapsed(const twin_event *begin, const twin_event *end, double difference_ns);
/* How many more events the device of the current context has room for. 107002. */
int32_t twin_event_available(uint32_t *out_count);

/* Longest wait of aclrtStreamWaitEvent, in ns, from now on (aclrtSetOpWaitTimeout; 0 s: no
 * limit). */
void twin_event_set_wait_limit(uint32_t seconds);
uint64_t twin_event_wait_limit(void);

#endif
