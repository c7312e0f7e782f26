/* SPDX-License-Identifier: Apache-2.0 */
/* Fault injection: what does a program do when a copy fails, an engine hangs, memory goes bad?
 *
 * An extension of this runtime, not of the public interface it implements: no other runtime has it.
 * Link with -ltwinrt, or look the functions up with dlsym and do without. The real device below,
 * when there is one, answers 207000 (not supported).
 *
 *     twinrt_fault fault = TWINRT_FAULT_INIT(TWINRT_FAULT_ENGINE_HANG);
 *     fault.task = TWINRT_FAULT_TASK_SDMA;
 *     fault.first = 3;                      the third copy within a device from now on
 *     int32_t code = twinrt_fault_inject(&fault, NULL);
 *
 * All return 0 or a public code (aclError), with a text for aclGetRecentErrMsg. Any thread may call
 * them at any time, also before aclInit. A fault stays, also over resets of its device, until it is
 * removed or the process ends. */
#ifndef TWINRT_FAULT_H
#define TWINRT_FAULT_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum twinrt_fault_kind {
    TWINRT_FAULT_BAD_TASK,        /* the task arrives garbled; the scheduler refuses it */
    TWINRT_FAULT_MEMORY,          /* `bytes` at `address` have failed: who reads them fails */
    TWINRT_FAULT_ENGINE_ERROR,    /* the engine ends with an error where it would have completed */
    TWINRT_FAULT_ENGINE_TIMEOUT,  /* the engine gives up after duration_ns */
    TWINRT_FAULT_ENGINE_SLOW,     /* the engine takes factor_permille thousandths of its time */
    TWINRT_FAULT_ENGINE_HANG,     /* the engine never answers */
    TWINRT_FAULT_COMPLETION_LOST, /* the task has its effect, but is not reported for duration_ns;
                                     0: ever */
    TWINRT_FAULT_REPORT_LOST,     /* the entry that a timed event or a failure writes is lost */
    TWINRT_FAULT_REPORTS_FULL, /* the queue of those entries counts as full for duration_ns; 0: for
                                  ever */
    TWINRT_FAULT_RECORD_LOST,  /* a record or reset of an event or notify does not reach it */
    TWINRT_FAULT_DOORBELL_LOST /* the device sees new tasks only with the next one after them */
} twinrt_fault_kind;

/* Its target. */
typedef enum twinrt_fault_task {
    TWINRT_FAULT_TASK_ANY, /* every task in a stream that the kind can hit */
    TWINRT_FAULT_TASK_SDMA,
    TWINRT_FAULT_TASK_PCIE_DMA,
    TWINRT_FAULT_TASK_HOST_DMA, /* synchronous copies and fills; ENGINE_ERROR alone */
    TWINRT_FAULT_TASK_KERNEL,
    TWINRT_FAULT_TASK_HOST_CALL,
    TWINRT_FAULT_TASK_PLACEHOLDER,
    TWINRT_FAULT_TASK_EVENT_RECORD,
    TWINRT_FAULT_TASK_EVENT_WAIT,
    TWINRT_FAULT_TASK_NOTIFY_RECORD,
    TWINRT_FAULT_TASK_NOTIFY_WAIT,
    TWINRT_FAULT_TASK_WRITE_VALUE,
    TWINRT_FAULT_TASK_CONDITION /* value waits, runs of model instances, switches */
} twinrt_fault_task;

#define TWINRT_FAULT_READ  1u
#define TWINRT_FAULT_WRITE 2u

/* Members that a kind is not named at stay as TWINRT_FAULT_INIT leaves them. */
typedef struct twinrt_fault {
    uint32_t size;  /* sizeof(twinrt_fault) */
    uint32_t kind;  /* twinrt_fault_kind */
    uint32_t task;  /* twinrt_fault_task */
    int32_t device; /* as aclrtSetDevice takes it; -1: any */
    int32_t stream; /* as aclrtStreamGetId gives it; -1: any */
    int32_t id;     /* RECORD_LOST: as aclrtGetEventId and aclrtGetNotifyId give it; -1: any */
    uint64_t first; /* the first to be hit, counted from 1 among those that fit from now on */
    uint64_t times; /* how many are hit; 0: all from there on */
    /* ENGINE_TIMEOUT, COMPLETION_LOST, REPORTS_FULL: simulated time, up to 2 * 10^13 */
    uint64_t duration_ns;
    uint32_t factor_permille; /* ENGINE_SLOW: 1001 to 1000000 */
    uint32_t access;          /* MEMORY: TWINRT_FAULT_READ, TWINRT_FAULT_WRITE, or both */
    uint64_t address;         /* MEMORY */
    uint64_t bytes;           /* MEMORY */
    uint32_t status;   /* MEMORY, ENGINE_ERROR, ENGINE_TIMEOUT: error number of the task scheduler;
                          0: the usual one */
    uint32_t reserved; /* 0 */
} twinrt_fault;

#define TWINRT_FAULT_INIT(the_kind)                                                                \
    {                                                                                              \
        (uint32_t)sizeof(twinrt_fault), (uint32_t)(the_kind), TWINRT_FAULT_TASK_ANY, -1, -1, -1,   \
            1, 1, 0, 0, TWINRT_FAULT_READ, 0, 0, 0, 0                                              \
    }

/* Injects a fault. *number, never 0, names it; number may be NULL.
 * 100000: fault is NULL, or of another size. 107000: it could hit nothing, a value is out of range,
 * or the kind has no use for it.
 * 107001: no such device. 207000: the device below injects none. */
int32_t twinrt_fault_inject(const twinrt_fault *fault, uint32_t *number);
/* Takes a fault away, or with 0 all. What it has hit stays hit. 107000: there is no such fault. */
int32_t twinrt_fault_remove(uint32_t number);
/* How often it has triggered. 100000: times is NULL. 107000: there is no such fault. */
int32_t twinrt_fault_triggered(uint32_t number, uint64_t *times);
/* Injects what a file describes, all of it or nothing. 100000: path is NULL. 100003: it cannot be
 * read. 107000. 207000. */
int32_t twinrt_fault_load(const char *path);

#ifdef __cplusplus
}
#endif
#endif
