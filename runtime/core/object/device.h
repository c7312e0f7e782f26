/* SPDX-License-Identifier: Apache-2.0 */
/* Devices as the process sees them: visible numbers, reference counts, what lives on each. */
#ifndef TWINRT_CORE_OBJECT_DEVICE_H
#define TWINRT_CORE_OBJECT_DEVICE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/backend/blocked.h"
#include "core/base/kernel_settings.h"
#include "core/base/lock.h"
#include "seam/backend.h"

#define TWIN_MAX_DEVICES 64u

/* Kinds of core, with the public values. */
typedef enum twin_core_kind { TWIN_CORE_CUBE, TWIN_CORE_VECTOR, TWIN_CORE_KINDS } twin_core_kind;

/* Not set: as many as the next wider share allows. */
#define TWIN_CORES_ALL UINT32_MAX

/* The share of a device's cores that a device or a stream has; resource_limit.h sets and reads it.
 * Relaxed: plain numbers. */
typedef struct twin_core_share {
    _Atomic uint32_t cores[TWIN_CORE_KINDS];
} twin_core_share;

static inline void twin_core_share_reset(twin_core_share *share)
{
    for (int kind = 0; kind < TWIN_CORE_KINDS; kind++)
        atomic_store_explicit(&share->cores[kind], TWIN_CORES_ALL, memory_order_relaxed);
}

struct twin_context;
struct twin_event;
struct twin_thread;

typedef enum twin_device_state {
    TWIN_DEVICE_DOWN,
    TWIN_DEVICE_OPENING, /* one thread brings it up, without the lock; others wait on `changed` */
    TWIN_DEVICE_UP,
    TWIN_DEVICE_CLOSING /* likewise, down */
} twin_device_state;

typedef struct twin_device {
    uint32_t id;       /* as the user counts; fixed once devices were counted */
    uint32_t hw_index; /* as the backend counts */
    twin_lock lock;
    twin_cond changed; /* with lock: state, lists or object_count changed */

    /* All guarded by lock, except that what open made stays as it is while an object exists. */
    twin_device_state state;
    const struct twin_thread *changer; /* who is opening or closing it */
    uint64_t set_count;                /* aclrtSetDevice less aclrtResetDevice */
    uint32_t explicit_contexts;        /* made by aclrtCreateContext, in the list of contexts */
    uint32_t hold_count;               /* aclrtCreateContext calls in progress */
    bool forced;           /* closed by aclrtResetDeviceForce; read by the closing thread */
    uint64_t object_count; /* contexts, streams, events and notifies not yet released */
    struct twin_context *contexts;
    struct twin_event *events;
    uint64_t primary;     /* handle of the default context; 0: it has none now */
    bool changing;        /* the default context is made or ended while the device is up */
    uint64_t *stream_ids; /* bit set: in use */
    uint32_t stream_count;
    uint32_t context_names, event_names, notify_names,
        count_names; /* numbers given to reports so far */
    twin_hw_device *hw;
    const twin_device_properties
        *properties;              /* the same at each initialization; stays when it is released */
    twin_core_memory core_memory; /* of each core, since it was opened */

    /* Relaxed: model instances of the backend, and what captured ones hold. */
    _Atomic uint32_t instances, captured_streams, captured_events;

    twin_core_share share;  /* of cores, as launches may use them */
    _Atomic uint64_t peers; /* relaxed: bit per backend index whose memory it may reach */
    _Atomic bool faulted;   /* relaxed: an op has answered TWIN_E_DEVICE */
    _Atomic bool aborting;  /* aclrtDeviceTaskAbort runs; written under lock, relaxed without */
    /* Address of its overflow flags, 0: not made. Release/acquire: they are cleared before they are
     * seen. */
    _Atomic uint64_t overflow;
    _Atomic uint64_t sync; /* likewise: where cores that wait for each other meet */
} twin_device;

/* Number of devices the user sees. Starts the backend. 207004: a bad list of visible devices, or
 * none. */
int32_t twin_device_count(uint32_t *out_count);
/* The device of a user's number. Starts the backend. 107001. */
int32_t twin_device_find(int32_t id, twin_device **out_device);
/* The device the backend knows by that number, or NULL. */
twin_device *twin_device_of_hardware(uint32_t hw_index);
/* A device's number among all of the machine. */
int32_t twin_device_machine_id(twin_device *device, int32_t *out_id);
/* How busy the device is. The backend's answer. */
int32_t twin_device_usage(const twin_device *device, twin_usage *out_usage);
/* Number by which the user knows the device of that number in the machine. 107001: not visible. */
int32_t twin_device_user_id(int32_t machine_id, int32_t *out_id);
/* Identity of a device, up or not. */
int32_t twin_device_properties_of(const twin_device *device,
                                  const twin_device_properties **out_properties);
/* The same by the user's number. Starts the backend. 107001. */
int32_t twin_device_find_properties(int32_t id, const twin_device_properties **out_properties);

/* aclrtSetDevice: adds one reference, brings the device up, and makes its default context current
 * on the calling thread. Blocks while another thread brings it up or down. */
int32_t twin_device_set(int32_t id);
/* aclrtResetDevice and aclrtResetDeviceForce: takes one reference, or all. With the last one, waits
 * for the device's work and releases everything on it. A wait that can never end is given up: the
 * device is released all the same, and the call answers that wait's code. Blocks. */
int32_t twin_device_reset(int32_t id, bool force);
/* Whether the reference count is above 0. */
int32_t twin_device_active(int32_t id, bool *out_active);

/* For aclrtCreateContext: brings the device up and keeps it up until twin_device_release().
 * Blocks. */
int32_t twin_device_retain(twin_device *device);
int32_t twin_device_release(twin_device *device);
/* How long the end of the device or of a context of it waits for its work: TWIN_UNAIDED in a forced
 * reset. */
uint64_t twin_device_patience(twin_device *device);
/* Takes the device down when no reference and no explicit context is left. Blocks. */
int32_t twin_device_settle(twin_device *device);

/* As find, for calls that take a device that does not exist for a bad parameter (DEV-63).
 * 107000. */
int32_t twin_device_find_argument(int32_t id, twin_device **out_device);
/* One more object on the device. False: it is not up. `primary`: the default context or its stream,
 * which are made while the device is opening. */
bool twin_device_add_object(twin_device *device, bool primary);
void twin_device_drop_object(twin_device *device);
/* 107022 while an abort of the device runs: the device "cannot create a stream" now. */
int32_t twin_device_refuse_aborting(const twin_device *device, const char *what);
/* 207000: driver or firmware of the device lacks the software queues that `what` need. */
int32_t twin_device_check_software_queues(const twin_device *device, const char *what);
/* As add_object, with the lowest free stream number. 107002, 107022 (an abort runs), 207005 or
 * 207008 (name the largest owners). */
int32_t twin_device_take_stream_id(twin_device *device, bool primary, uint32_t *out_id);
void twin_device_drop_stream_id(twin_device *device, uint32_t id);
/* Streams that may still be made on the device. */
uint32_t twin_device_streams_left(twin_device *device);
/* Writes "context 1: 1983 streams, context 2: 1" for the largest owners. */
void twin_device_list_owners(twin_device *device, char *text, size_t text_bytes);
/* Writes what model instances hold, as the end of a refusal; nothing if there are none. */
#define TWIN_INSTANCES_TEXT 128u
void twin_device_list_instances(const twin_device *device, char text[static TWIN_INSTANCES_TEXT]);

/* Notes a device fault when `status` is one; returns `status`. */
static inline twin_status twin_device_note(twin_device *device, twin_status status)
{
    if (status == TWIN_E_DEVICE)
        atomic_store_explicit(&device->faulted, true, memory_order_relaxed);
    return status;
}

#endif
