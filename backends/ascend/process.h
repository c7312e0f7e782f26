/* SPDX-License-Identifier: Apache-2.0 */
/* What the whole process shares, and the objects of the seam's handles. */
#ifndef TWINRT_ASCEND_PROCESS_H
#define TWINRT_ASCEND_PROCESS_H

#include <pthread.h>
#include <stdatomic.h>
#include <sys/types.h>

#include "loader.h"
#include "seam/backend.h"

#define ASCEND_DEVICES_MOST  64u
#define ASCEND_FAILURES_KEPT 16u

typedef struct ascend_group ascend_group;
typedef struct ascend_run ascend_run;

/* Opened devices. */
struct twin_hw_device {
    uint32_t index;
    aclrtContext context; /* the device's own */
    aclrtEvent origin;    /* recorded at the open, where events have no timestamps; else NULL */
    pthread_mutex_t lock;
    ascend_group *groups; /* guarded by lock */
    uint32_t holds;       /* calls that use it though the core does not keep it; device.c's lock */
};

/* One of the vendor's contexts, for the queues of one group. */
struct ascend_group {
    ascend_group *next;
    uint32_t number;
    uint32_t queues; /* guarded by the device's lock */
    aclrtContext context;
};

struct twin_queue {
    twin_hw_device *device;
    ascend_group *group;
    aclrtStream stream;
    bool owned; /* not a context's default stream */
    bool deferred;
    bool ended; /* a deferred queue's last task is the end of its model instance */
    uint32_t vendor_id;
    bool has_vendor_id;
    uint32_t
        fences; /* threads about to record an event after its tasks; guarded by memory.c's lock */
    twin_call_queue *call_queue;    /* whose thread is subscribed to the stream; ops of the queue */
    twin_hw_instance *instance;     /* that it is bound to; ops of the queue */
    struct twin_queue *next, *prev; /* all queues; guarded by the list's lock */
    /* Failures that were not taken yet, oldest first; guarded by the list's lock. */
    twin_failure failures[ASCEND_FAILURES_KEPT];
    int32_t codes[ASCEND_FAILURES_KEPT];
    uint32_t failure_count;
};

struct twin_signal {
    twin_hw_device *device;
    twin_signal_kind kind;
    bool timed;
    bool shared;
    bool counted;
    void *object;          /* the vendor's event, notify or counting notify */
    _Atomic bool recorded; /* relaxed: a record was submitted */
};

struct ascend_process {
    const twin_services *services;
    bool started;
    bool is_ours; /* this backend has started the vendor's runtime, not other code of the process */
    _Atomic bool over; /* it has ended, or ends with the process: no call is made for cleanup */
    pid_t process;
};
extern struct ascend_process ascend;

/* The operations of the seam, ascend_<group>_<op>, with the contracts of seam/backend.h. */
#define OP(group, op, type, lacking, parameters, arguments) type ascend_##group##_##op parameters;
#include "seam/ops.def"

/* Makes `context`, one of the device's, the calling thread's, for the vendor; a call below only
 * when it is another. The core or the caller keeps the context. Thread: any. */
twin_status ascend_use(const twin_hw_device *device, aclrtContext context);
static inline twin_status ascend_use_device(const twin_hw_device *device)
{
    return ascend_use(device, device->context);
}
static inline twin_status ascend_use_queue(const twin_queue *queue)
{
    return ascend_use(queue->device, queue->group->context);
}
/* The same for a call that needs an optional function of the vendor's: TWIN_E_UNSUPPORTED unless it
 * is there. */
static inline twin_status ascend_use_device_for(const twin_hw_device *device, bool is_there)
{
    return is_there ? ascend_use_device(device) : TWIN_E_UNSUPPORTED;
}
static inline twin_status ascend_use_queue_for(const twin_queue *queue, bool is_there)
{
    return is_there ? ascend_use_queue(queue) : TWIN_E_UNSUPPORTED;
}
/* The thread's is `context` now, since a call below has made it so. */
void ascend_used(const twin_hw_device *device, aclrtContext context);
/* A context is about to be destroyed, and no thread uses it: no thread's choice is valid any
 * more. */
void ascend_unuse(void);
/* For calls that name no device, so that the core keeps none: until ascend_release_device the
 * device stays open. Its context becomes the thread's. Thread: any. */
/* TWIN_E_INVALID: it is not open. */
twin_status ascend_retain_device(uint32_t index, twin_hw_device **out_device);
/* Some opened device. TWIN_E_UNSUPPORTED: none is open. */
twin_status ascend_retain_any(twin_hw_device **out_device);
void ascend_release_device(twin_hw_device *device);

/* Whole seconds or milliseconds of a limit, rounded up; of seconds at least 1. */
uint32_t ascend_seconds(uint64_t ns);
int32_t ascend_milliseconds(uint64_t ns);

static inline void *ascend_pointer(uint64_t address)
{
    return (void *)(uintptr_t)address;
}

/* An event of the backend's own. Those that have no id of the hardware do not run out, and not
 * every device has them. */
static inline int32_t ascend_create_event(uint32_t flag, aclrtEvent *out_event)
{
    int32_t code = vendor.create_event_ex ? vendor.create_event_ex(out_event, flag)
                                          : ACL_ERROR_RT_FEATURE_NOT_SUPPORT;
    return code == 0 ? 0 : vendor.create_event_flag(out_event, flag);
}

/* device.c: whether some device is open. */
bool ascend_any_open(void);

/* Ends the vendor's runtime, once. */
void ascend_end(void);
/* The same when the process ends, before the static objects of the vendor's runtime are destroyed;
 * unless a device is open then. */
void ascend_end_later(void);

/* Reads the properties that only an open device has. Its context is the thread's. */
void ascend_device_properties_complete(uint32_t index);
void ascend_device_properties_clear(void);

/* status.c: the status of a code of the vendor's runtime. What the vendor reports about it is added
 * to the thread's messages; a code without a status becomes TWIN_E_VENDOR, and the caller gets the
 * code. Thread: any. */
twin_status ascend_status(int32_t code);
/* Makes a context the thread's (`use`, an ascend_use...()), then a call below that needs it. The
 * status of `use` if that is not TWIN_OK: the call is not made then. Else of the code of the
 * call. */
#define ASCEND_CALL(use, call)                                                                     \
    __extension__({                                                                                \
        const twin_status used_ = (use);                                                           \
        __builtin_expect(used_ == TWIN_OK, 1) ? ascend_status(call) : used_;                       \
    })
/* The same of a call that names no device, where the vendor's library has it. */
#define ASCEND_ANYWHERE(there, call)                                                               \
    __extension__({                                                                                \
        twin_hw_device *any_ = NULL;                                                               \
        twin_status status_ = (there) ? ascend_retain_any(&any_) : TWIN_E_UNSUPPORTED;             \
        if (status_ == TWIN_OK) {                                                                  \
            status_ = ascend_status(call);                                                         \
            ascend_release_device(any_);                                                           \
        }                                                                                          \
        status_;                                                                                   \
    })
/* The same of a wait: its timeouts. `forever`: it had no limit, so it was given up. */
twin_status ascend_wait_status(int32_t code, bool forever);
/* The same without the vendor's messages: of what failed elsewhere. */
twin_status ascend_status_of(int32_t code);

/* ranges.c: which addresses are memory of the vendor's runtime: what the process has allocated
 * through this backend. Thread: any. */
/* False: out of host memory. */
bool ascend_range_add(const twin_memory_info *info);
/* Removes an allocation; device memory is GONE then, until another allocation has its addresses.
 * False: `base` begins none of that kind. */
bool ascend_range_remove(uint64_t base, twin_memory_kind kind, twin_memory_info *out_info);
/* Classifies an address. Takes no lock. */
void ascend_range_find(uint64_t address, twin_memory_info *out_info);
/* Removes all of a device that closes: how many allocations it had left. */
uint32_t ascend_ranges_forget(uint32_t device, uint64_t *out_bytes);
/* Removes everything. Thread: init. */
void ascend_ranges_clear(void);

/* Removes what is known of a range. */
void ascend_range_drop(uint64_t base, uint64_t bytes);

/* shared_memory.c: a device that closes ends what keys have given on it. */
void ascend_imports_forget(uint32_t device);

/* vmm.c: a device that closes ends its physical memory, and what is mapped to it. */
void ascend_vmm_forget(uint32_t device);
/* Forgets everything. Thread: init. */
void ascend_vmm_clear(void);

/* memory.c: pinned memory that queued copies use. */
void ascend_pinned_use(uint64_t address, twin_queue *queue);
void ascend_pinned_forget_queue(twin_queue *queue);
/* The device's queues are gone, and its events are about to go. The device's context is the
 * thread's. */
void ascend_pinned_close_device(const twin_hw_device *device);
void ascend_pinned_clear(void);
aclrtMemcpyKind ascend_copy_kind(uint64_t dst, uint64_t src, const twin_sides *sides);

/* failure.c */
void ascend_failures_listen(bool on);
void ascend_failures_add_queue(twin_queue *queue);
void ascend_failures_drop_queue(twin_queue *queue);
void ascend_failures_forget(twin_queue *queue);
void ascend_failures_forget_device(const twin_hw_device *device);

/* call_queue.c */
void ascend_call_queue_leave(twin_queue *queue);
/* Drops the calls that the queue still has. */
void ascend_calls_forget(const twin_queue *queue);

/* pool.c: memory that may be of a pool is released by aclrtFree. */
void ascend_pool_forget(uint64_t address);

/* model_instance.c, label.c */
void ascend_instance_forget_queue(twin_queue *queue);
/* The memory of a table of labels is released. */
void ascend_labels_forget(uint64_t table);
/* One of the vendor's contexts is about to go, and its labels with it. */
void ascend_labels_forget_context(aclrtContext context);

#endif
