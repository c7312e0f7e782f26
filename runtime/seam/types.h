/* SPDX-License-Identifier: Apache-2.0 */
/* Descriptors and handles that the core and the backends share. No device knowledge in here. */
#ifndef TWINRT_SEAM_TYPES_H
#define TWINRT_SEAM_TYPES_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "seam/indirect.h"
#include "seam/launch.h"
#include "seam/memory_types.h"
#include "seam/status.h"

/* Owned by the backend, opaque to the core. */
typedef struct twin_hw_device twin_hw_device; /* one opened device */
typedef struct twin_queue twin_queue;         /* one in-order stream of work */
typedef struct twin_signal twin_signal;       /* one event or notify */
typedef struct twin_call_queue
    twin_call_queue; /* where host functions that queues call are taken from */
typedef struct twin_hw_instance twin_hw_instance; /* deferred queues that run together on request */
typedef struct twin_hw_pool twin_hw_pool; /* memory that is allocated and freed in queue order */

#define TWIN_FOREVER UINT64_MAX /* a timeout that never ends a wait */
/* queue.drain and model_instance.drain alone: as TWIN_FOREVER, but TWIN_E_DEADLOCK once the device
 * and the functions that it has called cannot go on by themselves, whatever other threads might do.
 * A device that cannot know takes it for TWIN_FOREVER. */
#define TWIN_UNAIDED (UINT64_MAX - 1)

/* What an API call costs on the host. A backend that models host time charges one of these. */
typedef enum twin_cost {
    TWIN_COST_LOCAL,    /* answered from the process's own memory */
    TWIN_COST_CREATE,   /* makes or ends an object */
    TWIN_COST_SUBMIT,   /* queues one task that is not of a kind below */
    TWIN_COST_POLL,     /* reads a device register once */
    TWIN_COST_WAIT,     /* blocks until the device says so */
    TWIN_COST_COPY,     /* a synchronous copy or fill */
    TWIN_COST_MEMORY,   /* allocates or frees memory */
    TWIN_COST_DEVICE,   /* brings a device up or down */
    TWIN_COST_LAUNCH,   /* queues a kernel */
    TWIN_COST_TRANSFER, /* queues a copy, a fill or a reduction */
    TWIN_COST_COUNT
} twin_cost;

/* What happens in a snapshot of the process, in the order in which it is asked for. */
typedef enum twin_snapshot_step {
    TWIN_SNAPSHOT_LOCK,
    TWIN_SNAPSHOT_BACKUP,
    TWIN_SNAPSHOT_RESTORE,
    TWIN_SNAPSHOT_UNLOCK
} twin_snapshot_step;

/* One public function as traces and reports name it. Static data of the API layer. */
typedef struct twin_call {
    const char *name; /* "aclrtMemcpyAsync" */
    twin_cost cost;
} twin_call;

/* How two devices of a machine are connected, with the public values. */
typedef enum twin_link {
    TWIN_LINK_NONE = 0,
    TWIN_LINK_HCCS = 0x01,
    TWIN_LINK_PIX = 0x02, /* one PCIe switch */
    TWIN_LINK_PHB = 0x08, /* one PCIe host bridge */
    TWIN_LINK_SYS = 0x10, /* across the processors of the host */
    TWIN_LINK_SIO = 0x20, /* two dies of one part */
    TWIN_LINK_HCCS_SWITCH = 0x40
} twin_link;

/* Bytes of a PCI bus id with its end: "dddd:bb:dd.f". */
#define TWIN_PCI_BYTES 13u

/* An AI core, as kernels for it are run and timed: of a device whose kernels the core runs
 * itself. */
typedef struct twin_core_properties {
    uint32_t ub_bytes, l1_bytes, l0a_bytes, l0b_bytes, l0c_bytes;
    bool split;            /* vector units are separate cores, with a UB each */
    uint32_t vector_bytes; /* of operands, that the vector unit works on in a cycle; > 0 */
    uint32_t
        cube_k_fp16; /* in a cycle the cube adds so many products to each of 16 x 16 results; > 0 */
    uint32_t cube_k_int8;      /* > 0 */
    uint32_t cube_k_fp32;      /* 0: it takes no fp32 */
    uint32_t l0a_load_bytes;   /* a cycle, L1 to L0A; > 0 */
    uint32_t l0b_load_bytes;   /* a cycle, L1 to L0B; > 0 */
    uint32_t l0c_read_bytes;   /* a cycle, out of L0C; > 0 */
    uint32_t vector_start;     /* cycles of each instruction beside those of its operands */
    uint32_t cube_start;       /* the same, of the cube */
    uint32_t mte_start;        /* the same, of copies */
    uint32_t scalar_block;     /* cycles of the scalar unit for a basic block of the kernel */
    uint32_t scalar_access;    /* the same, for an element that it reads or writes */
    uint32_t vector_unaligned; /* more cycles for operands that end inside a step of the unit */
    uint32_t vector_load; /* cycles until an operand is in a register; 0: the unit works on UB */
    uint32_t ub_groups;   /* bank groups that interleave every 32 bytes; 0: no conflicts */
    uint32_t ub_banks;    /* of a group, one after the other; > 0 */
    bool places; /* steps say where in global memory they read and write: times depend on it */
} twin_core_properties;

/* Limits and identity of a device; read once, valid until `process.stop`. Strings are the
 * backend's. */
typedef struct twin_device_properties {
    const char *soc_name;    /* "Ascend910B3" */
    uint32_t stream_limit;   /* queues a process may hold on the device */
    uint32_t event_limit;    /* hardware event ids */
    uint32_t notify_limit;   /* hardware notify ids */
    uint32_t priority_count; /* priorities 0 (highest) .. count - 1 */
    uint32_t queue_depth;    /* tasks a queue holds before a sender waits */
    uint64_t memory_bytes;   /* device memory */
    bool on_device;          /* the process runs on the device's own CPU (ACL_DEVICE) */
    uint32_t aic_cores;      /* cube cores */
    uint32_t aiv_cores;      /* vector cores */
    uint32_t ai_cpus;        /* processors of the device that run tasks */
    uint64_t l2_bytes;       /* second-level cache */
    uint32_t arch;           /* instruction set of the cores, as the vendor numbers them: 2201 */
    bool values;             /* queues can write and wait for words of device memory */
    bool software_queues;    /* driver and firmware can move the queue of a captured stream */
    bool bf16;               /* the cores compute in bfloat16 */
    bool inf_nan;            /* they can give infinities and NaN instead of the largest number */
    uint64_t op_unit_ns;     /* granularity of the time limit of an operator; > 0 */
    twin_link peer_link;     /* how it is connected to the other devices of the machine */
    const char *pci_bus_id;  /* "0000:01:00.0", TWIN_PCI_BYTES with its end; NULL: on no PCI bus */
    bool has_uuid;
    uint8_t uuid[16];            /* of this device and no other, the same in every process */
    uint32_t count_notify_limit; /* hardware counting notifies; 0: it has none */
    bool by_part; /* public functions that the SoC's part does not offer are refused above */
    uint32_t machine_index;    /* with TWIN_BACKEND_FILTERS: its number among all of the machine */
    twin_core_properties core; /* all 0: a device that runs device code */
    uint32_t stream_id_limit;  /* stream ids; above stream_limit: queues run out before ids */
    uint32_t host_mapping; /* bit per engine that reaches mapped memory, with the public numbers */
} twin_device_properties;

/* Busy share of a device's engines since it was opened, in percent; -1: it has none of them. */
typedef struct twin_usage {
    int32_t cube;
    int32_t vector;
    int32_t cpu;
} twin_usage;

/* A range of the program's own memory that a device reaches in place. */
typedef struct twin_pin {
    void *pointer;
    uint64_t bytes;   /* > 0; all pages were there when it was registered */
    bool locked;      /* the program has asked for page-locked memory */
    bool mapped;      /* the device has an address for it; pointer is a multiple of 4096 then */
    bool read_only;   /* the device does not write through that address */
    const void *site; /* of the public call, for reports; NULL: not known */
} twin_pin;

typedef struct twin_queue_config {
    uint32_t id;       /* stream id, unique on the device: names it in reports and records */
    uint32_t priority; /* 0 .. priority_count - 1 */
    bool fast_launch;  /* ACL_STREAM_FAST_LAUNCH */
    bool fast_sync;    /* ACL_STREAM_FAST_SYNC: waits poll instead of sleeping */
    bool deferred;     /* tasks stay in the queue and run each time a model instance runs */
    bool is_default;   /* a context's default stream */
    uint32_t group;    /* number of its context on the device: how far a failure reaches */
} twin_queue_config;

/* The kinds differ in what a wait binds to; see the concepts in runtime/docs/events.md. */
typedef enum twin_signal_kind {
    TWIN_SIGNAL_EVENT_REBIND, /* every record replaces the captured work; a wait binds to the
                                 newest */
    TWIN_SIGNAL_EVENT_LEVEL,  /* a hardware flag: set by record, cleared by reset only */
    TWIN_SIGNAL_NOTIFY, /* a hardware flag: set by record, cleared by the one wait it lets pass */
    TWIN_SIGNAL_COUNT   /* a hardware count, for work.count and work.wait_count alone; 0 at first */
} twin_signal_kind;

typedef struct twin_signal_config {
    twin_signal_kind kind;
    uint32_t name; /* number that reports use: "event 3" */
    bool timed;    /* the time of each record is needed */
    bool waitable; /* a queue may wait for it (ACL_EVENT_SYNC); false needs no hardware id */
    bool shared;   /* signal.share will be asked for it */
    bool counted;  /* signal.query will be asked how many waits for it are open */
} twin_signal_config;

/* Characters of the name of a shared signal: lower-case hexadecimal digits, no end. */
#define TWIN_SHARE_NAME 64u

/* What signal.query is asked for beside `recorded` and `complete`. */
#define TWIN_ASK_WAITS       1u
#define TWIN_ASK_HARDWARE_ID 2u

typedef struct twin_signal_state {
    uint32_t ask;         /* in: TWIN_ASK_… */
    bool recorded;        /* a record was submitted */
    bool complete;        /* the newest record is complete, or there was none */
    uint32_t waits_open;  /* waits submitted and not yet passed */
    uint32_t hardware_id; /* valid when has_hardware_id */
    bool has_hardware_id;
} twin_signal_state;

/* Where one side of a piece of work is, as the caller has found it: the whole range is in one
 * allocation. UNKNOWN: the backend looks it up. Another thread may have freed it meanwhile. */
typedef struct twin_side {
    twin_memory_kind kind; /* not GONE */
    uint32_t device;       /* owner, by backend index */
} twin_side;

typedef struct twin_sides {
    twin_side dst;
    twin_side src;
} twin_sides;

typedef struct twin_copy {
    uint64_t dst;
    uint64_t src;
    uint64_t bytes; /* > 0 */
    twin_sides sides;
} twin_copy;

typedef struct twin_fill {
    uint64_t dst;
    uint64_t bytes; /* > 0 */
    uint32_t value;
    bool words; /* value is repeated, lowest byte first; dst and bytes are multiples of 4. false:
                   its lowest byte is */
    twin_side side;
} twin_fill;

/* Rows of `width` bytes: row i goes from src + i * src_pitch to dst + i * dst_pitch. */
typedef struct twin_rows {
    uint64_t dst;
    uint64_t src;
    uint64_t dst_pitch; /* width or more */
    uint64_t src_pitch; /* width or more */
    uint64_t width;     /* > 0 */
    uint64_t height;    /* > 0 */
    twin_sides sides;
} twin_rows;

/* From the first to the last byte of one side of a copy of rows. */
static inline uint64_t twin_rows_span(const twin_rows *rows, uint64_t pitch)
{
    return (rows->height - 1) * pitch + rows->width;
}

/* What a reduction does with element x of the destination and y of the source, and what elements
 * are. */
typedef enum twin_reduce_op { TWIN_REDUCE_ADD, TWIN_REDUCE_MAX, TWIN_REDUCE_MIN } twin_reduce_op;
typedef enum twin_element {
    TWIN_ELEMENT_INT8,
    TWIN_ELEMENT_INT16,
    TWIN_ELEMENT_INT32,
    TWIN_ELEMENT_UINT8,
    TWIN_ELEMENT_UINT16,
    TWIN_ELEMENT_UINT32,
    TWIN_ELEMENT_FP16,
    TWIN_ELEMENT_FP32,
    TWIN_ELEMENT_BF16
} twin_element;

typedef struct twin_reduce {
    uint64_t dst;
    uint64_t src;
    uint64_t bytes; /* > 0; this and both addresses are whole numbers of elements */
    twin_reduce_op op;
    twin_element element;
    twin_sides sides;
} twin_reduce;

/* How a 64-bit word m in device memory is compared with a value v. */
typedef enum twin_relation {
    TWIN_VALUE_GEQ, /* (int64_t)(m - v) >= 0 */
    TWIN_VALUE_EQ,  /* m == v */
    TWIN_VALUE_AND, /* (m & v) != 0 */
    TWIN_VALUE_NOR  /* ~(m | v) != 0 */
} twin_relation;

typedef struct twin_value_wait {
    uint64_t address; /* of the word, 8-byte aligned */
    uint64_t value;
    twin_relation relation;
    twin_side side;
} twin_value_wait;

/* What happens to the count of a TWIN_SIGNAL_COUNT. */
typedef enum twin_count_mode {
    TWIN_COUNT_SET,
    TWIN_COUNT_ADD, /* modulo 2^32 */
    TWIN_COUNT_OR,
    TWIN_COUNT_AND
} twin_count_mode;

typedef struct twin_count_change {
    twin_count_mode mode;
    uint32_t value;
} twin_count_change;

/* How a count is compared with a value, both unsigned. */
typedef enum twin_count_relation {
    TWIN_COUNT_LESS,
    TWIN_COUNT_EQUAL,
    TWIN_COUNT_GREATER,
    TWIN_COUNT_GREATER_OR_EQUAL,
    TWIN_COUNT_MASK /* (count & value) == value */
} twin_count_relation;

typedef struct twin_count_wait {
    twin_count_relation relation;
    uint32_t value;
    bool clear; /* the count becomes 0 when the wait passes */
    uint64_t timeout_ns;
} twin_count_wait;

/* A function of the host that a queue calls. The seam carries it, no backend calls it. */
typedef struct twin_host_call {
    void (*fn)(void *argument);
    void *argument;
    bool block; /* later tasks of the queue wait until it is answered */
} twin_host_call;

/* A call that was taken from a host-call queue and is to be answered. */
typedef struct twin_taken_call {
    twin_host_call call;
    uint64_t ticket; /* names it to call_queue.answer */
} twin_taken_call;

/* One task that failed. */
typedef struct twin_failure {
    twin_status status;
    uint32_t task_id;
    uint32_t thread; /* system thread id of the one that queued it; UINT32_MAX: not known */
    struct twin_launch
        *kernel; /* the kernel that failed (seam/launch.h), kept; NULL: it was none */
} twin_failure;

/* One task that ended, for diag.tasks. */
typedef struct twin_task_end {
    uint64_t number;   /* as diag.newest_task counts */
    uint64_t begin_ns; /* device time when the scheduler turned to it */
    uint64_t end_ns;   /* when it retired or was reported as failed */
    twin_status status;
} twin_task_end;

/* Faults that can be injected on purpose: X(name, word in files). */
#define TWIN_FAULT_LIST(X)                                                                         \
    X(BAD_TASK, "bad_task")               /* the task arrives garbled */                           \
    X(MEMORY, "memory")                   /* a range of device memory has failed */                \
    X(ENGINE_ERROR, "engine_error")       /* the engine ends with an error */                      \
    X(ENGINE_TIMEOUT, "engine_timeout")   /* the engine gives up after duration_ns */              \
    X(ENGINE_SLOW, "engine_slow")         /* it takes factor_permille thousandths of its time */   \
    X(ENGINE_HANG, "engine_hang")         /* the engine never answers */                           \
    X(COMPLETION_LOST, "completion_lost") /* done, but not reported for duration_ns, or ever */    \
    X(REPORT_LOST, "report_lost")         /* the task's entry in the completion queue is lost */   \
    X(REPORTS_FULL, "reports_full")       /* the completion queue counts as full, likewise */      \
    X(RECORD_LOST, "record_lost")         /* a record or reset has no effect on its flag */        \
    X(DOORBELL_LOST, "doorbell_lost")     /* the device sees new tasks with the next doorbell */
typedef enum twin_fault_kind {
#define TWIN_FAULT_ENUM(name, word) TWIN_FAULT_##name,
    TWIN_FAULT_LIST(TWIN_FAULT_ENUM)
#undef TWIN_FAULT_ENUM
        TWIN_FAULT_KINDS
} twin_fault_kind;

/* The target of a fault: X(name, word in files). */
#define TWIN_FAULT_TASK_LIST(X)                                                                    \
    X(ANY, "any") /* each that the kind can hit in a queue */                                      \
    X(SDMA, "sdma")                                                                                \
    X(PCIE_DMA, "pcie_dma")                                                                        \
    X(HOST_DMA, "host_dma") /* synchronous copies and fills, outside all queues */                 \
    X(KERNEL, "kernel")                                                                            \
    X(HOST_CALL, "host_call")                                                                      \
    X(PLACEHOLDER, "placeholder")                                                                  \
    X(EVENT_RECORD, "event_record")                                                                \
    X(EVENT_WAIT, "event_wait")                                                                    \
    X(NOTIFY_RECORD, "notify_record")                                                              \
    X(NOTIFY_WAIT, "notify_wait")                                                                  \
    X(WRITE_VALUE, "write_value")                                                                  \
    X(CONDITION, "condition")
typedef enum twin_fault_task {
#define TWIN_FAULT_TASK_ENUM(name, word) TWIN_FAULT_TASK_##name,
    TWIN_FAULT_TASK_LIST(TWIN_FAULT_TASK_ENUM)
#undef TWIN_FAULT_TASK_ENUM
        TWIN_FAULT_TASKS
} twin_fault_task;

#define TWIN_FAULT_ANY   UINT32_MAX
#define TWIN_FAULT_READ  1u
#define TWIN_FAULT_WRITE 2u
/* ns: sums of times stay such that files can hold them to the ns. */
#define TWIN_FAULT_DURATION_MOST UINT64_C(20000000000000)

typedef struct twin_fault {
    twin_fault_kind kind;
    twin_fault_task task;
    uint32_t device;      /* by backend index, or TWIN_FAULT_ANY */
    uint32_t stream;      /* its id, or TWIN_FAULT_ANY */
    uint32_t id;          /* RECORD_LOST: hardware id of the event or notify, or TWIN_FAULT_ANY */
    uint64_t first;       /* the first to be hit, counted from 1 among those that fit */
    uint64_t times;       /* how many are hit; 0: all from there on */
    uint64_t duration_ns; /* ENGINE_TIMEOUT, COMPLETION_LOST, REPORTS_FULL; else 0 */
    uint32_t factor_permille; /* ENGINE_SLOW; else 0 */
    uint32_t
        access; /* MEMORY: TWIN_FAULT_READ, TWIN_FAULT_WRITE or both; else 0 or TWIN_FAULT_READ */
    uint64_t address; /* MEMORY; else 0 */
    uint64_t bytes;
    uint32_t
        status; /* MEMORY, ENGINE_ERROR, ENGINE_TIMEOUT: of the device's scheduler; 0: the usual
                   one */
} twin_fault;

/* A range of memory that a task or copy found to have failed. */
typedef struct twin_memory_error {
    uint64_t address;
    uint64_t bytes;
    bool link; /* it was the way to it, or the memory is another device's */
} twin_memory_error;

/* How a stream switch compares the two words; with the public values. */
typedef enum twin_condition {
    TWIN_IF_EQUAL,
    TWIN_IF_NOT_EQUAL,
    TWIN_IF_GREATER,
    TWIN_IF_GREATER_OR_EQUAL,
    TWIN_IF_LESS,
    TWIN_IF_LESS_OR_EQUAL
} twin_condition;

typedef struct twin_branch {
    twin_condition condition;
    uint64_t left;  /* device address of the left word */
    uint64_t right; /* device address of the right word */
    bool wide;      /* the words are int64_t, else int32_t */
    twin_queue *to; /* goes on instead when the condition holds */
} twin_branch;

/* What an op finds that only the order says in which threads got somewhere: X(NAME, word). */
#define TWIN_ND_LIST(X)                                                                            \
    X(LOCK, "lock")     /* from here on it has the device to itself */                             \
    X(SIGNAL, "signal") /* it looked which record of a signal is the newest: twin_newest */        \
    X(SET, "set")       /* it made its own that */                                                 \
    X(COMPLETION, "completion") /* twice the number of a task, and 1 more if that was done */      \
    X(FREED, "freed")           /* tasks of queue `which` up to this one were done and released */ \
    X(SWEPT, "swept")           /* the same, of one queue after the other */                       \
    X(ID, "id")                 /* a hardware id that was free */                                  \
    X(WAITS, "waits")           /* waits for a signal that were open */                            \
    X(WOKE, "woke")             /* its wait was over: 0 what it waited for came, else twin_woke */ \
    X(LOOKED, "looked") /* the device had come to the thread's time, or farther; value: to that */ \
    X(THREAD, "thread") /* threads that had attached before */                                     \
    X(CLOCK, "clock") /* its thread was moved up to this time, to which others moved the device */ \
    X(GONE, "gone")   /* the record that it was to wait for had been released */                   \
    X(REFUSED, "refused") /* the queue had stopped; twin_status */                                 \
    X(FAILED, "failed")   /* twin_status of a failure that it reported, or took the note of */     \
    X(LEFT, "left")       /* hardware ids that were left */                                        \
    X(POOL, "pool")       /* 1: the work before the free of piece `which` of a pool was done */    \
    X(POOLS, "pools")     /* from here on it has the pools to itself */
typedef enum twin_nd {
#define TWIN_ND_NAME(name, word) TWIN_ND_##name,
    TWIN_ND_LIST(TWIN_ND_NAME)
#undef TWIN_ND_NAME
        TWIN_ND_COUNT
} twin_nd;
/* Whether an op that does again what a record says waits for the place where it found this. The
 * others come while it holds locks: it begins where the last of those came that stand before all
 * that wait. */
static inline bool twin_nd_waits(twin_nd what)
{
    return what == TWIN_ND_LOCK || what == TWIN_ND_SIGNAL || what == TWIN_ND_COMPLETION ||
           what == TWIN_ND_SWEPT || what == TWIN_ND_WAITS || what == TWIN_ND_WOKE ||
           what == TWIN_ND_LOOKED || what == TWIN_ND_FAILED || what == TWIN_ND_POOLS;
}
/* Of services.seen: what the device has seen of a hardware queue, or what another process has done
 * with a signal that is shared. */
typedef enum twin_seen {
    TWIN_SEEN_WORK,
    TWIN_SEEN_WATCH,
    TWIN_SEEN_EVENT,  /* its record releases the wait for table entry `queue` of the device */
    TWIN_SEEN_NOTIFY, /* `number` records of it reach table entry `queue` of the device */
    TWIN_SEEN_NEWEST, /* `number` counts the records of shared signal `queue` */
    TWIN_SEEN_STATE   /* one of them has the state `number`, as the backend packs it */
} twin_seen;
/* Of a SIGNAL: whether the device had reported when that record was done. UNKNOWN: it is not
 * said. */
typedef enum twin_newest {
    TWIN_NEWEST_UNKNOWN,
    TWIN_NEWEST_UNTIMED,
    TWIN_NEWEST_TIMED
} twin_newest;
typedef enum twin_woke {
    TWIN_WOKE_DONE,
    TWIN_WOKE_TIMEOUT,
    TWIN_WOKE_DEADLOCK,
    TWIN_WOKE_INTERRUPTED
} twin_woke;

/* A point in the time of one thread of the host. */
typedef struct twin_host_moment {
    uint64_t at_ns; /* the thread's clock */
    uint64_t calls; /* public calls that it has begun */
    uint64_t entry; /* newest number that a recording has given to what it did; 0: none */
    uint32_t
        system_id; /* the thread, as gettid() gives it; 0: it has made no call and slept nowhere */
    uint32_t
        recorded; /* number of the thread in the recording; 0: none. This and `entry`: the writer's
                     of the recording */
} twin_host_moment;

/* Where a thread is in the program. */
typedef struct twin_call_place {
    const twin_call *call; /* the public call in progress, or the last one; NULL: none yet */
    const void *site;      /* its return address */
    /* What a binding has passed about the interpreted program that calls (include/twinrt/frames.h):
     * texts, each with its end, function, file and line of each frame. It holds for calls from the
     * binding's own module, in which `frames_from` is. NULL: nothing. */
    const char *frames;
    size_t frames_bytes;
    const void *frames_from;
} twin_call_place;

/* What a task does, or is about to do, with memory that others store to without a call: host memory
 * that devices reach, and device memory that the host or another process reaches. */
typedef enum twin_touch_what {
    TWIN_TOUCH_READ,
    TWIN_TOUCH_WRITE, /* it has written */
    TWIN_TOUCH_HOST   /* a page of managed memory leaves the host; `good`: the host had used it */
} twin_touch_what;
typedef struct twin_touch {
    twin_touch_what what;
    uint64_t address;
    uint64_t bytes;
    void *at;       /* READ: the bytes, or a copy of them */
    bool good;      /* all pages are there, with the right */
    bool shared;    /* others store there; in a replay also false: there they may have */
    uint64_t at_ns; /* the device's time, */
    uint64_t step;  /* and how far it has come at that time: an even number for each event */
    uint32_t use;   /* counts what the event does with memory, from 1; 0: it only looks */
} twin_touch;
/* No event uses the memory; a task that polls it looks whether there is something new. */
#define TWIN_TOUCH_LOOKS(touch) ((touch)->use == 0)

/* What the core offers a backend. Valid from `process.start` to `process.stop`. */
typedef enum twin_write_when {
    TWIN_WRITE_IF_STILL,
    TWIN_WRITE_NOW,
    TWIN_WRITE_ALONE
} twin_write_when;

typedef struct twin_services {
    /* Value of a setting by its name ("TWINRT_PROFILE"), or its default; never NULL.
     * Thread: any. The string lives as long as the process. */
    const char *(*setting)(const char *name);
    /* Adds one line to the log. level: 0 debug, 1 info, 2 warning, 3 error. Thread: any. */
    void (*log)(int level, const char *text);
    /* Adds a text to the calling thread's recent error messages (aclGetRecentErrMsg). Thread:
     * any. */
    void (*explain)(const char *text);
    /* process.start is about to fail: why, in one sentence without an end, which the core puts into
     * its message. Thread: init. */
    void (*because)(const char *text);
    /* The op that runs on the calling thread is about to answer TWIN_E_VENDOR: the public code of
     * it. Thread: any. */
    void (*vendor_code)(int32_t code);
    /* Folder that holds the plug-ins, profiles beneath it; no trailing slash. */
    const char *plugin_folder;
    /* Whether the calling thread's waits may be interrupted. Then a wait that lasts in real time
     * asks `interrupted` now and then, and ends with TWIN_E_INTERRUPTED when the answer is true.
     * The question may run functions of the program, which may make public calls: no lock is held,
     * and the thread does not count as waiting. Thread: any. */
    bool (*interruptible)(void);
    bool (*interrupted)(void);
    /* NULL, unless a tool lets the threads of the process run one at a time (a record that is run
     * again). Then an op that is about to wait calls it, on its own thread, when all that it asks
     * for is known to the device and before it moves the device itself; it holds no lock. Other
     * threads' ops may run until it returns. Threads then never wait for each other in real time:
     * each counts as waiting while another one is inside an op, and none leaves its wait to
     * another. */
    void (*waiting)(void);
    /* NULL unless a tool logs nondeterminism (`nd`, `seen`, `moved`), or hands it out again after
     * host.pace (`nd`, `outlook`).
     * An op found `*value`. Handed out: true, and *value is what it was then; those that
     * twin_nd_waits() return where they came then, so the backend calls them before it takes a
     * lock, the others when it holds what it must. False: the record has no such thing here.
     * Thread: any, inside of an op. */
    bool (*nd)(twin_nd what, uint64_t which, uint64_t *value);
    /* WOKE, before the wait begins: what it will be. */
    bool (*outlook)(uint64_t *value);
    /* The device has seen the work of its hardware queue `queue` up to `number`, counted since that
     * was opened; or, when it acts on that, it has been notified up to which number a thread waits
     * for it (0: none does). Or another process has recorded a signal. */
    void (*seen)(twin_seen what, uint32_t device, uint32_t queue, uint64_t number);
    /* The device has come to at_ns, and so many events at that time. */
    void (*moved)(uint64_t at_ns, uint64_t events);
    /* NULL unless a tool records contents of memory, or puts them there again: then the bytes are
     * there when it returns. Returns touch->good, or what it was then: whether the access succeeds.
     * Thread: one that moves the device. */
    bool (*touched)(const twin_touch *touch);
    /* What is known of host threads from outside the runtime (seam/host_time.h); NULL: nothing
     * is. */
    const struct twin_host_time *host_time;
    /* Threads that wait in the core, within a public call, for another thread of the process, and
     * for which that has not happened. They are not attached meanwhile. *out_stamp as in
     * twin_host_time.blocked. NULL: none do. Thread: any. */
    uint32_t (*blocked)(uint64_t *out_stamp);
    /* The calling thread is one of the backend's own: what it waits for and locks is not the
     * program's. NULL: no matter. Thread: any. */
    void (*own_thread)(void);
    /* Whether public calls have come after the end of the process had begun, when they reach no
     * backend any more: functions of atexit() and static objects may release what was still there.
     * Thread: any. */
    bool (*late)(void);
    /* Asked on one of `own` threads that the backend has made: whether no thread of the program is
     * left, by the kernel's list of threads. Unknown: false. Then the backend ends the process, as
     * the C library does when the last thread ends. Thread: any. */
    bool (*none_left)(unsigned own);
    /* Of the calling thread; the pointer is good until the thread ends, and what it points to
     * changes with its calls. NULL: it is not known. Thread: any. */
    const twin_call_place *(*place)(void);
    /* Whether a signal handler is the core's, which hands faults that are not its own to the
     * handler before it. NULL: none is. Thread: any. */
    bool (*passes_on)(void (*handler)(int number, siginfo_t *info, void *context));
} twin_services;

#endif
