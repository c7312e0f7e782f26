/* SPDX-License-Identifier: Apache-2.0 */
/* Every status that crosses the seam: name, text, and the public code the API layer turns it into.
 * The public code is a plain number here: the seam does not include the public headers. */
#ifndef TWINRT_SEAM_STATUS_H
#define TWINRT_SEAM_STATUS_H

/* X(name, public code, text). Kept sorted by name after OK. */
#define TWIN_STATUS_LIST(X)                                                                        \
    X(TWIN_OK, 0, "success")                                                                       \
    X(TWIN_E_ABORTED, 107023, "the work was dropped by an abort of its stream")                    \
    X(TWIN_E_ADDRESS, 507899, "the device cannot reach the address")                               \
    X(TWIN_E_AICPU_EXCEPTION, 507018, "a kernel of the AI CPU raised an exception")                \
    X(TWIN_E_AICPU_TIMEOUT, 507017, "a kernel of the AI CPU exceeded its time limit")              \
    X(TWIN_E_BUSY, 207005, "the queue is full")                                                    \
    X(TWIN_E_CLOSED, 507000, "the host-call queue was closed")                                     \
    X(TWIN_E_COPY, 507013, "a copy failed on its engine")                                          \
    X(TWIN_E_DEADLOCK, 507046, "nothing can end the wait")                                         \
    X(TWIN_E_DEVICE, 507899, "the device has faulted")                                             \
    X(TWIN_E_DEVICE_ABORTED, 107022, "the work was dropped by an abort of its device")             \
    X(TWIN_E_DEVICE_ID, 107001, "invalid device id")                                               \
    X(TWIN_E_DEVICE_MEMORY, 207001, "device memory is exhausted")                                  \
    X(TWIN_E_FFTS_EXCEPTION, 507049, "a fused task raised an exception")                           \
    X(TWIN_E_FFTS_TIMEOUT, 507048, "a fused task exceeded its time limit")                         \
    X(TWIN_E_FFTS_TRAP, 507050, "a fused task was trapped")                                        \
    X(TWIN_E_INTERNAL, 507000, "internal error")                                                   \
    X(TWIN_E_INTERRUPTED, 507046, "the wait was interrupted")                                      \
    X(TWIN_E_INVALID, 107000, "invalid argument")                                                  \
    X(TWIN_E_KERNEL_EXCEPTION, 507015, "a kernel raised an exception")                             \
    X(TWIN_E_KERNEL_OVERFLOW, 207003, "a kernel overflowed")                                       \
    X(TWIN_E_KERNEL_TIMEOUT, 507014, "a kernel exceeded its time limit")                           \
    X(TWIN_E_KERNEL_TRAP, 507016, "a kernel was trapped")                                          \
    X(TWIN_E_KERNEL_TRAP_READ, 507042, "a kernel was trapped reading out of bounds")               \
    X(TWIN_E_KERNEL_TRAP_WRITE, 507043, "a kernel was trapped writing out of bounds")              \
    X(TWIN_E_LINK, 507057, "memory of another device, or the link to it, has failed")              \
    X(TWIN_E_NETWORK, 507056, "the device's network has failed")                                   \
    X(TWIN_E_NEVER_RECORDED, 507000, "the event was never recorded")                               \
    X(TWIN_E_NOMEM, 207001, "host memory is exhausted")                                            \
    X(TWIN_E_NOT_READY, 107006, "the record is not complete yet")                                  \
    X(TWIN_E_NO_DEVICE, 207004, "no usable device")                                                \
    X(TWIN_E_NO_EVENT, 207007, "no hardware event is free")                                        \
    X(TWIN_E_NO_LINK, 207021, "the device has no link of that kind")                               \
    X(TWIN_E_NO_NOTIFY, 207009, "no hardware notify is free")                                      \
    X(TWIN_E_NO_QUEUE, 207008, "no hardware queue is free")                                        \
    X(TWIN_E_OVERFLOW, 207017, "a copy or a kernel of the AI CPU overflowed")                      \
    X(TWIN_E_POISON, 507053, "the task accessed device memory that has failed")                    \
    X(TWIN_E_POOL, 507000, "the memory pool cannot do that")                                       \
    X(TWIN_E_RUN_ABORTED, 507023, "the run of a model instance was aborted")                       \
    X(TWIN_E_SETUP, 507033, "the device failed to initialize")                                     \
    X(TWIN_E_SUSPECT_MEMORY, 507055, "device memory is suspected to have failed")                  \
    X(TWIN_E_TASK, 507001, "the device failed to execute a task")                                  \
    X(TWIN_E_TASK_TIMEOUT, 107020, "a task on the queue exceeded its time limit")                  \
    X(TWIN_E_TIMEOUT, 507046, "the wait ended by its timeout")                                     \
    X(TWIN_E_UNAVAILABLE, 507033, "the backend cannot run here")                                   \
    X(TWIN_E_UNSUPPORTED, 207000, "the backend does not support the operation")                    \
    X(TWIN_E_VECTOR_EXCEPTION, 507035, "a kernel of vector cores raised an exception")             \
    X(TWIN_E_VECTOR_OVERFLOW, 207016, "a kernel of vector cores overflowed")                       \
    X(TWIN_E_VECTOR_TIMEOUT, 507034, "a kernel of vector cores exceeded its time limit")           \
    X(TWIN_E_VECTOR_TRAP, 507036, "a kernel of vector cores was trapped")                          \
    X(TWIN_E_VECTOR_TRAP_READ, 507044, "a vector kernel was trapped reading out of bounds")        \
    X(TWIN_E_VECTOR_TRAP_WRITE, 507045, "a vector kernel was trapped writing out of bounds")       \
    X(TWIN_E_VENDOR, 507899, "the vendor's library returned a code that has no status")

typedef enum twin_status {
#define TWIN_STATUS_ENUM(name, code, text) name,
    TWIN_STATUS_LIST(TWIN_STATUS_ENUM)
#undef TWIN_STATUS_ENUM
        TWIN_STATUS_COUNT
} twin_status;

/* X(name): those with which a device reports a failed task. Sorted by name. What a backend makes of
 * the error numbers of its device is among them; a test of the repository compares. */
#define TWIN_TASK_FAILURES(X)                                                                      \
    X(TWIN_E_ADDRESS)                                                                              \
    X(TWIN_E_AICPU_EXCEPTION)                                                                      \
    X(TWIN_E_AICPU_TIMEOUT)                                                                        \
    X(TWIN_E_COPY)                                                                                 \
    X(TWIN_E_FFTS_EXCEPTION)                                                                       \
    X(TWIN_E_FFTS_TIMEOUT)                                                                         \
    X(TWIN_E_FFTS_TRAP)                                                                            \
    X(TWIN_E_KERNEL_EXCEPTION)                                                                     \
    X(TWIN_E_KERNEL_OVERFLOW)                                                                      \
    X(TWIN_E_KERNEL_TIMEOUT)                                                                       \
    X(TWIN_E_KERNEL_TRAP)                                                                          \
    X(TWIN_E_KERNEL_TRAP_READ)                                                                     \
    X(TWIN_E_KERNEL_TRAP_WRITE)                                                                    \
    X(TWIN_E_LINK)                                                                                 \
    X(TWIN_E_NETWORK)                                                                              \
    X(TWIN_E_OVERFLOW)                                                                             \
    X(TWIN_E_POISON)                                                                               \
    X(TWIN_E_RUN_ABORTED)                                                                          \
    X(TWIN_E_SUSPECT_MEMORY)                                                                       \
    X(TWIN_E_TASK)                                                                                 \
    X(TWIN_E_TASK_TIMEOUT)                                                                         \
    X(TWIN_E_VECTOR_EXCEPTION)                                                                     \
    X(TWIN_E_VECTOR_OVERFLOW)                                                                      \
    X(TWIN_E_VECTOR_TIMEOUT)                                                                       \
    X(TWIN_E_VECTOR_TRAP)                                                                          \
    X(TWIN_E_VECTOR_TRAP_READ)                                                                     \
    X(TWIN_E_VECTOR_TRAP_WRITE)

/* Whether a wait without a time limit ended before what it waits for: nothing can end it, or its
 * thread was interrupted. */
static inline int twin_wait_given_up(twin_status status)
{
    return status == TWIN_E_DEADLOCK || status == TWIN_E_INTERRUPTED;
}

#endif
