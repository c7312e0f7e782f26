/* SPDX-License-Identifier: Apache-2.0 */
/* The simulated NPU as a bus master's driver sees it: registers, memory, time.
 *
 * A system of one or more devices is built once per process (SystemC elaborates once); devices are
 * reset, never rebuilt. Work reaches a device as 64-byte SQEs in a ring, a doorbell announces them,
 * the head register and 16-byte CQEs say what is done. `twinsim/stars.h` is the data sheet.
 *
 * Time. All times are nanoseconds of simulated time since the system was made; the model counts
 * scheduler cycles inside. The model moves only inside twinsim_run(). A doorbell carries the time
 * at which the device sees it; a time in the model's past counts as now.
 *
 * Threads. Calls are tagged:
 *   any     at any time, lock free; doorbells of one queue come from one thread at a time;
 *   model   the caller holds the one lock that serialises all such calls (the caller's own lock).
 * No call throws, none calls back except through `twinsim_bus`, from inside twinsim_run().
 *
 * Errors. 0 is success, else a negative enum twinsim_error; those that take `error` write a text
 * that says what was wrong, where, and what to do. */
#ifndef TWINSIM_H
#define TWINSIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "twinsim/bus.h"
#include "twinsim/kernel.h"
#include "twinsim/stars.h"

#ifdef __cplusplus
extern "C" {
#endif

#define TWINSIM_NEVER UINT64_MAX

typedef struct twinsim twinsim;                 /* the system */
typedef struct twinsim_profile twinsim_profile; /* one SoC's data file, read and checked */

enum twinsim_error {
    TWINSIM_OK = 0,
    TWINSIM_E_FILE = -1,    /* cannot be read */
    TWINSIM_E_PROFILE = -2, /* not a valid profile */
    TWINSIM_E_ARGUMENT = -3,
    TWINSIM_E_STATE = -4, /* not allowed now: second system, register of an enabled queue, ... */
    TWINSIM_E_MEMORY = -5,
    TWINSIM_E_INTERNAL = -6
};

/* ---- profiles ------------------------------------------------------------------------------- */

struct twinsim_parameter {
    const char *name;   /* "dma.pcie.setup_ns", dotted path in the file */
    const char *text;   /* the value as text, strings without quotes */
    uint64_t number;    /* the value when it is a whole number, else 0 */
    double real;        /* the value as a number, 0 for strings */
    const char *unit;   /* "ns", "GB/s", "1", ... */
    const char *mark;   /* "known", "inferred", "assumed", "measured" */
    const char *source; /* where the value comes from */
    const char *base;   /* the profile that it is inherited from, "" for the profile's own */
};

/* Reads and checks a profile; needs no system and starts nothing. A file may name a base in its
 * folder, or else in `folder` (NULL: nowhere else), and gives only what differs. error may be
 * NULL. */
int twinsim_profile_read(const char *path, const char *folder, twinsim_profile **out, char *error,
                         size_t error_bytes);
void twinsim_profile_free(twinsim_profile *profile);
/* NULL when there is no such parameter. Pointers live as long as the profile. */
const struct twinsim_parameter *twinsim_profile_find(const twinsim_profile *profile,
                                                     const char *name);
size_t twinsim_profile_count(const twinsim_profile *profile);
const struct twinsim_parameter *twinsim_profile_at(const twinsim_profile *profile, size_t index);

/* ---- the system ------------------------------------------------------------------------------ */

/* What the blocks of the model are. */
enum twinsim_model {
    TWINSIM_MODEL_CPP,     /* plain C++ */
    TWINSIM_MODEL_RTL,     /* those that have RTL run in it */
    TWINSIM_MODEL_LOCKSTEP /* both at once; the process ends with status 98 at the first
                              difference */
};

struct twinsim_config {
    const twinsim_profile *profile; /* borrowed while the system lives */
    uint32_t devices;               /* 1 .. 64 */
    uint64_t seed;                  /* 0: the plain machine */
    bool trace;                     /* collect trace entries */
    bool stats;                     /* count; see twinsim_stats_device() */
    /* 0: one SystemC activation per event time; else how far the model may run ahead of SystemC's
     * time before the next. Changes no visible order or time. */
    uint64_t quantum_ns;
    enum twinsim_model model;
    const char *rtl_library; /* model-rtl.so, for models other than cpp */
    const char *rtl_trace;   /* how names of files with waveforms of the RTL begin; NULL: none */
    bool bursts;             /* transfers move burst by burst, not as flows (T-BST-1) */
    /* Called when lock step has reported a difference and ends the process, to write output files;
     * NULL: nothing. The thread is in the model and stays there. What takes long or crashes is cut
     * short. */
    void (*before_end)(void);
    struct twinsim_bus bus;
};

/* Makes the system. Once per process; a second call gives TWINSIM_E_STATE. Thread: model. */
int twinsim_create(const struct twinsim_config *config, twinsim **out, char *error,
                   size_t error_bytes);
/* Simulated time reached so far. Thread: model. */
uint64_t twinsim_now(const twinsim *sim);
/* Events that have come to pass at that very time; with it, how far the model has come. Thread:
 * model. */
uint64_t twinsim_events_now(const twinsim *sim);
/* For a callback of twinsim_bus: the instant of the event that makes it. *out_number is the same
 * for all that one event does, more for each later event of this instant, and between two of them
 * for tasks that look at memory again as a run begins. Thread: model. */
uint64_t twinsim_step(const twinsim *sim, uint64_t *out_number);
/* First state again: queues closed, tables clear, engines empty; work in flight is dropped, posted
 * transfers end as failed. Time goes on. Thread: model. */
int twinsim_reset(twinsim *sim, uint32_t device);

/* ---- queues --------------------------------------------------------------------------------- */

/* What the driver hands over when it makes a queue (the mailbox to the scheduler's firmware, which
 * fills the queue's static record). Ring and CQ are bus addresses; both stay valid until close. */
struct twinsim_queue {
    uint64_t ring_address; /* depth * 64 bytes */
    uint64_t cq_address;   /* cq_depth * 16 bytes, zeroed */
    uint32_t depth;        /* power of two, 8 .. 65536; holds depth - 1 SQEs */
    uint32_t cq_depth;     /* power of two, 8 .. 65536 */
    uint16_t stream_id;    /* as in the SQEs */
    uint8_t priority;      /* 0 (highest) .. 7 */
    uint8_t group;         /* model group, 0 .. 63 */
    bool disabled; /* opened disabled: what is rung for runs once a COND program or a register
                     enables it */
};

/* Opens SQ `sq` (0 .. profile's physical queue count - 1), empty. Thread: model. */
int twinsim_queue_open(twinsim *sim, uint32_t device, uint32_t sq,
                       const struct twinsim_queue *queue);
/* Stops and closes it; work in flight is dropped, without CQEs. Thread: model. */
int twinsim_queue_close(twinsim *sim, uint32_t device, uint32_t sq);
/* The doorbell: writes the tail register (entries, modulo depth) so that the device sees it at
 * at_ns. SQEs before `tail` are in the ring already. Thread: any; never runs the model, takes no
 * lock. */
void twinsim_doorbell(twinsim *sim, uint32_t device, uint32_t sq, uint32_t tail, uint64_t at_ns);
/* What a look at a doorbell found: SQEs up to this one, counted from the opening, are known from
 * then on. */
struct twinsim_seen {
    uint32_t device;
    uint32_t sq;
    uint64_t newest;
};
/* From now on doorbells are looked at in the next two calls, and not when a run begins. Thread:
 * model. */
void twinsim_look_apart(twinsim *sim);
/* Looks at every doorbell; `seen` is called for each that was rung, in the order in which they are
 * looked at. Thread: model. */
void twinsim_look(twinsim *sim, void (*seen)(void *context, const struct twinsim_seen *what),
                  void *context);
/* Looks at one, as if nothing had been rung beyond `newest`: so what a look found can be found
 * again. TWINSIM_E_STATE: so much has not been rung. Thread: model. */
int twinsim_look_again(twinsim *sim, const struct twinsim_seen *seen);
/* A hint, without effect on anything but the host's caches: the doorbell of `sq` will be rung soon.
 * Thread: any. */
void twinsim_queue_expect(const twinsim *sim, uint32_t device, uint32_t sq);
/* SQEs retired since the queue was opened (head register without its wrap), acquire order. SQEs
 * dropped by "task terminate" and a failed one that was handled count too. It never falls: a head
 * that is set back counts as going forward through the ring (T-FE-8). Thread: any. */
uint64_t twinsim_queue_retired(const twinsim *sim, uint32_t device, uint32_t sq);
/* Simulated time at which SQE number `retired` (counted from 1) retired, for the newest `depth` of
 * them. Thread: model. */
uint64_t twinsim_queue_retired_at(const twinsim *sim, uint32_t device, uint32_t sq,
                                  uint64_t retired);
/* Makes twinsim_run() stop once `retired` SQEs have retired, at once if they have; 0 takes the
 * watch away. One per queue, and gone once it has stopped a run. True: a watch also changes when
 * the device reports (T-HW-8). Thread: model. */
bool twinsim_queue_watch(twinsim *sim, uint32_t device, uint32_t sq, uint64_t retired);
/* CQ consumed up to entry `head` (modulo cq_depth): the paired CQ's head register. Thread:
 * model. */
void twinsim_queue_cq_head(twinsim *sim, uint32_t device, uint32_t sq, uint32_t head);
/* Next queue whose CQ has got entries since it was last given here; false when there is none.
 * Thread: model. */
bool twinsim_interrupt(twinsim *sim, uint32_t *out_device, uint32_t *out_sq);

/* What a queue does now; for reports. */
enum twinsim_queue_state {
    TWINSIM_QUEUE_CLOSED,
    TWINSIM_QUEUE_IDLE,      /* nothing visible to do */
    TWINSIM_QUEUE_RUNNING,   /* swapping in, fetching or executing */
    TWINSIM_QUEUE_PARKED,    /* its SQE waits for an event or notify, or polls memory */
    TWINSIM_QUEUE_HELD,      /* pre_p / post_p / pause / full CQ */
    TWINSIM_QUEUE_EXCEPTION, /* an SQE failed; waits for "exception handled" */
    TWINSIM_QUEUE_HOST,      /* its SQE called the host and waits for the answer */
    TWINSIM_QUEUE_KERNEL     /* blocks of its kernel run or wait for cores */
};
struct twinsim_queue_info {
    enum twinsim_queue_state state;
    uint8_t sqe_type;      /* of the SQE at the head */
    uint16_t task_id;      /* of the SQE at the head */
    uint32_t wait_id;      /* event or notify id while parked for one, else UINT32_MAX */
    uint64_t wait_address; /* bus address of the first word it polls while parked for memory, else
                         TWINSIM_NEVER */
    bool done;             /* the SQE at the head has had its effect; it is about to retire */
    bool faulted;          /* a fault has triggered for the SQE at the head */
};
/* Thread: model. */
int twinsim_queue_inspect(const twinsim *sim, uint32_t device, uint32_t sq,
                          struct twinsim_queue_info *out);

/* How an SQE ended. */
struct twinsim_task_end {
    uint32_t device;
    uint32_t sq;
    uint64_t
        number; /* counts the SQEs of its queue from 1; goes on when a head is set back (T-FE-8) */
    uint64_t begin_ns; /* the scheduler turned to it */
    uint64_t end_ns;
    uint8_t error;   /* enum stars_error; 0: it did not fail */
    uint16_t status; /* enum stars_status */
};
/* From now on `take` is called for each SQE that retires or is reported as failed, at that instant,
 * from inside twinsim_run(); it makes no call here. NULL: no more. Thread: model. */
void twinsim_report_tasks(twinsim *sim,
                          void (*take)(void *context, const struct twinsim_task_end *task),
                          void *context);

/* ---- registers and tables ------------------------------------------------------------------- */

/* One 32-bit access at the model's present time; addresses are byte offsets in the device's STARS
 * window (twinsim/stars.h). Unknown offsets read 0 and answer TWINSIM_E_ARGUMENT. Thread: model. */
int twinsim_read(twinsim *sim, uint32_t device, uint64_t offset, uint32_t *out_value);
int twinsim_write(twinsim *sim, uint32_t device, uint64_t offset, uint32_t value);

/* ---- calls of the host ---------------------------------------------------------------------- */

/* A message in the host's topic queue: an SQE calls a function of the host. */
struct twinsim_message {
    uint64_t posted_ns; /* since then it is there */
    uint64_t function;  /* words of the SQE */
    uint64_t data;
    uint64_t number;  /* SQE number on its queue, counted from 1 */
    uint16_t sq;      /* its queue */
    uint16_t task_id; /* of the SQE */
    uint16_t group;   /* word of the SQE: whom it is for */
    bool block;       /* the queue waits for twinsim_message_answer() */
};
/* Takes the oldest message; false: there is none. A run stops at each new one. Thread: model. */
bool twinsim_message_take(twinsim *sim, uint32_t *out_device, struct twinsim_message *out);
/* The host answers the call of SQE `number`; the device sees that at at_ns, now when that has
 * passed. Without effect when the queue does not wait for it any more. Thread: model. */
int twinsim_message_answer(twinsim *sim, uint32_t device, uint32_t sq, uint64_t number,
                           uint64_t at_ns);

/* ---- kernels (twinsim/kernel.h) -------------------------------------------------------------- */

/* A kernel whose description the driver has promised (TWINSIM_KERNEL_LATER). */
struct twinsim_kernel_wanted {
    uint64_t number; /* SQE number on its queue, counted from 1 */
    uint32_t device;
    uint32_t sq;
    stars_sqe sqe;
};
/* The oldest of them; false: there is none. It stays until it is given, or its queue ends it.
 * Thread: model. */
bool twinsim_kernel_next(const twinsim *sim, struct twinsim_kernel_wanted *out);
/* The description; the kernel is kick-started at the model's present time. TWINSIM_E_STATE: it is
 * not wanted any more, and what the pointers point to is not kept. Thread: model. */
int twinsim_kernel_give(twinsim *sim, uint32_t device, uint32_t sq, uint64_t number,
                        const struct twinsim_kernel *kernel);

/* ---- the driver's own DMA ------------------------------------------------------------------- */

/* A copy or fill outside all queues, as the kernel driver does for synchronous copies: one of the
 * host's PCIe DMA channels. Either side may be any bus address; `value` fills when src is
 * TWINSIM_NEVER. */
struct twinsim_transfer {
    uint64_t dst;
    uint64_t src;
    uint64_t bytes;
    uint32_t value;    /* of a fill: its lowest byte is repeated */
    bool words;        /* of a fill: all of `value` is, as if at a multiple of 4 from dst */
    uint64_t start_ns; /* in: handed over at this time */
    uint64_t done_ns;  /* out: completion time once `done` */
    bool done;         /* out */
    bool failed;       /* out: an address was a fault, or the engine failed */
    uint64_t number;   /* out: of its trace entries; counted from 1 on each device */
    uint16_t status;   /* out: enum stars_status; STARS_STATUS_NONE: it succeeded */
    uint32_t rows;     /* 0: one range; else so many rows of bytes / rows each */
    uint64_t dst_row;  /* from one row to the next */
    uint64_t src_row;
};
/* The struct stays valid until `done`; twinsim_run() stops when it completes. Thread: model. */
int twinsim_transfer_post(twinsim *sim, uint32_t device, struct twinsim_transfer *transfer);

/* ---- records for other devices --------------------------------------------------------------- */

/* The next record of an event also sets entry `entry` of the event table of device `peer`, when the
 * way there has passed (T-RMT-6 to T-RMT-9); at once if the flag is set already. One at a time for
 * each entry: TWINSIM_E_STATE. Writing 0 to either entry ends it. Thread: model. */
int twinsim_event_forward(twinsim *sim, uint32_t device, uint32_t event, uint32_t peer,
                          uint32_t entry);

/* ---- time ----------------------------------------------------------------------------------- */

enum twinsim_stop {
    TWINSIM_STOP_LIMIT, /* reached until_ns; now == until_ns */
    TWINSIM_STOP_WATCH, /* a watched queue or a transfer got there; now is that instant */
    TWINSIM_STOP_IDLE,  /* nothing will happen before a new doorbell; now stays at the last event */
    TWINSIM_STOP_CHUNK, /* max_events done; call again */
    TWINSIM_STOP_CQ,    /* a queue holds on a full CQ, or has written an error CQE; drain it */
    TWINSIM_STOP_HELD,  /* only of a held run: see there */
    TWINSIM_STOP_CALL,  /* a message for the host is there */
    TWINSIM_STOP_KERNEL /* a kernel's description is wanted; no run goes on before it is there */
};
/* Takes in doorbells and runs until one of the stops. With until_ns in the past it takes in
 * doorbells and does what is due now. Thread: model. */
enum twinsim_stop twinsim_run(twinsim *sim, uint64_t until_ns, uint32_t max_events);
/* The same for a caller that may still get work that changes what comes next: time does not pass
 * idly. Instead of LIMIT it stops with HELD, now left at the last event, when the next event is
 * after until_ns or is the time limit of a parked wait. Thread: model. */
enum twinsim_stop twinsim_run_held(twinsim *sim, uint64_t until_ns, uint32_t max_events);
/* Time of the next event; TWINSIM_NEVER: there is none before a new doorbell. Thread: model. */
uint64_t twinsim_next(const twinsim *sim);

/* ---- fault injection (rules FLT-n) -------------------------------------------------- */

enum twinsim_fault_kind {
    TWINSIM_FAULT_BAD_SQE, /* the SQE is corrupted on its way into the buffer */
    TWINSIM_FAULT_MEMORY,  /* an access to [address, address + bytes) is an uncorrectable error */
    TWINSIM_FAULT_ENGINE_ERROR,   /* the engine ends with an error where it would have completed */
    TWINSIM_FAULT_ENGINE_TIMEOUT, /* the engine gives up duration_ns after it was set up */
    TWINSIM_FAULT_ENGINE_SLOW, /* set-up and bytes take factor_permille thousandths of their time */
    TWINSIM_FAULT_ENGINE_HANG, /* the engine never answers */
    TWINSIM_FAULT_COMPLETION_LOST, /* the SQE has its effect; neither head nor CQE show it, for
                                      duration_ns or ever */
    TWINSIM_FAULT_CQE_LOST,        /* the head moves, the CQE is not written */
    TWINSIM_FAULT_CQ_FULL,         /* for duration_ns, or ever, the CQ counts as full */
    TWINSIM_FAULT_RECORD_LOST,     /* a record or reset does not reach its table; its SQE retires */
    TWINSIM_FAULT_DOORBELL_LOST,   /* the tail is not seen before the next doorbell of the queue */
    TWINSIM_FAULT_KINDS
};
#define TWINSIM_ANY            UINT32_MAX
#define TWINSIM_FAULT_HOST_DMA 64u /* beside the SQE types: copies outside all queues */
#define TWINSIM_FAULT_READ     1u
#define TWINSIM_FAULT_WRITE    2u
/* Longer than the longest time limit of a task on a shipped part; hundreds of them still leave each
 * ns of a time in a file. */
#define TWINSIM_FAULT_DURATION_MOST UINT64_C(20000000000000)

/* What a kind has no use for is 0, an id TWINSIM_ANY. */
struct twinsim_fault {
    uint32_t kind;
    uint32_t device; /* or TWINSIM_ANY */
    uint32_t stream; /* stream id of the queue, or TWINSIM_ANY */
    uint32_t
        task; /* SQE type, TWINSIM_FAULT_HOST_DMA, or TWINSIM_ANY: each that the kind can hit in a
                 queue */
    uint32_t id;              /* RECORD_LOST: event, notify or count, or TWINSIM_ANY */
    uint64_t first;           /* the first to be hit, counted from 1 among those that fit */
    uint64_t times;           /* how many are hit; 0: all from there on */
    uint64_t duration_ns;     /* ENGINE_TIMEOUT, COMPLETION_LOST, CQ_FULL */
    uint32_t factor_permille; /* ENGINE_SLOW: 1001 .. 1000000 */
    uint32_t access;          /* MEMORY: TWINSIM_FAULT_READ, _WRITE or both; else 0 or _READ */
    uint64_t address;         /* MEMORY: bus address */
    uint64_t bytes;
    uint32_t error;  /* ENGINE_ERROR, _TIMEOUT: classes (enum stars_error); 0: those of the kind */
    uint32_t status; /* the same and MEMORY: enum stars_status; 0: that of the kind */
};
/* Whether a fault can be injected; needs no system. Thread: any. */
int twinsim_fault_check(const struct twinsim_fault *fault, char *error, size_t error_bytes);
/* Injects a fault. *out_number, never 0, names it. Thread: model. */
int twinsim_fault_inject(twinsim *sim, const struct twinsim_fault *fault, uint32_t *out_number,
                         char *error, size_t error_bytes);
/* Takes one fault away, or with 0 all. What it has hit stays hit. Thread: model. */
int twinsim_fault_remove(twinsim *sim, uint32_t number);
/* How often it has triggered. Thread: model. */
int twinsim_fault_triggered(const twinsim *sim, uint32_t number, uint64_t *out_times);
/* Whether SQE `number` of the queue, counted from its opening, is a record that such a fault kept
 * from its table entry, and no later one of that entry was. Thread: model. */
bool twinsim_record_lost(const twinsim *sim, uint32_t device, uint32_t sq, uint64_t number);

/* What the memory controller notes of uncorrectable errors that were met. */
struct twinsim_memory_error {
    uint64_t address;
    uint64_t bytes;
    uint16_t status; /* enum stars_status */
};
/* Writes the newest errors of a device's memory, up to `room`, oldest first; returns how many there
 * are. Thread: model. */
size_t twinsim_memory_errors(const twinsim *sim, uint32_t device, struct twinsim_memory_error *out,
                             size_t room);
/* Whether a fault of memory is injected. Thread: model. */
bool twinsim_memory_watched(const twinsim *sim);
/* The driver reads or writes memory of `device` for a kernel: the status (enum stars_status) that
 * this fails with by a injected fault, or 0. Thread: model. */
uint16_t twinsim_memory_touch(twinsim *sim, uint32_t device, uint64_t address, uint64_t bytes,
                              enum twinsim_access access);
/* Takes faulty memory within the range out of use, with others in its place, and forgets the error.
 * Thread: model. TWINSIM_E_ARGUMENT: no error was met there. */
int twinsim_memory_repair(twinsim *sim, uint32_t device, uint64_t address, uint64_t bytes);

/* ---- trace ---------------------------------------------------------------------------------- */

/* What an entry is about. An entry of a phase covers [begin_ns, end_ns) and names the profile
 * parameter that set its length (index for twinsim_profile_at, or UINT32_MAX). Names in timelines
 * and causes of waits: twinsim/phases.def. */
enum twinsim_phase {
    TWINSIM_PHASE_DOORBELL, /* the tail became visible: an instant */
    TWINSIM_PHASE_SWAP_IN,  /* arbitration, static record read, slot enable */
    TWINSIM_PHASE_FETCH,    /* SQE read from the ring */
    TWINSIM_PHASE_DECODE,
    TWINSIM_PHASE_TABLE, /* table access; an instant where that takes no time; enum twinsim_table */
    TWINSIM_PHASE_PARK,  /* waits for the event or notify `id`, or for memory it polls */
    TWINSIM_PHASE_SLOT,  /* waits for a slot or class cap */
    TWINSIM_PHASE_ENGINE,   /* waits for a free channel, for cores, or for the firmware's loop */
    TWINSIM_PHASE_SETUP,    /* engine set-up */
    TWINSIM_PHASE_TRANSFER, /* bytes move on engine `engine` */
    TWINSIM_PHASE_PROGRAM,  /* a COND program runs */
    TWINSIM_PHASE_RETIRE,   /* post-processing, CQE write */
    TWINSIM_PHASE_TASK,     /* the SQE as a whole, fetch to retire */
    TWINSIM_PHASE_MESSAGE,  /* a call is on its way to the host */
    TWINSIM_PHASE_HOST,     /* waits for the host's answer to a call */
    TWINSIM_PHASE_KERNEL,   /* from the issue of its first block to the end of its last */
    TWINSIM_PHASE_BLOCK,    /* a block on core `id`, from its issue to its end */
    TWINSIM_PHASE_START,    /* the same block before its step list begins, in three parts */
    TWINSIM_PHASE_PIPE,     /* an operation of a block */
    TWINSIM_PHASE_REPORT,   /* end of the last block to the end of the report */
    TWINSIM_PHASE_HOLD,     /* is held; `id` says why (enum twinsim_hold) */
    /* the queue has slot `id`, from grant until it is swapped out, written when it leaves;
     * `number` is the last SQE it ran there */
    TWINSIM_PHASE_OCCUPY,
    TWINSIM_PHASE_SHARE,    /* the queue has a share of class `id` (enum twinsim_class) */
    TWINSIM_PHASE_LINK,     /* link `id` moves `bytes` bytes per second; belongs to no queue */
    TWINSIM_PHASE_REPORTED, /* the SQE has ended, and the firmware reports it to the host; others
                               may be under way */
    TWINSIM_PHASE_COUNT
};
enum twinsim_hold {
    TWINSIM_HOLD_BEFORE, /* pre_p */
    TWINSIM_HOLD_AFTER,  /* post_p */
    TWINSIM_HOLD_PAUSE,  /* "task pause" */
    TWINSIM_HOLD_CQ,     /* the CQ is full */
    TWINSIM_HOLD_LOST,   /* an injected fault keeps its completion back */
    TWINSIM_HOLD_COUNT
};
/* Bits of a TABLE entry's `waker_number`. Without: an access to the table that the type of the SQE
 * names, of a write-value to that of the events, which clears the flag. */
enum twinsim_table {
    TWINSIM_TABLE_NOTIFY = 1, /* a write-value's is to a notify */
    TWINSIM_TABLE_COUNT = 2,  /* to a counting notify */
    TWINSIM_TABLE_SETS = 4,   /* a write-value's sets the flag */
    TWINSIM_TABLE_VAIN =
        8, /* without effect: an injected fault hit it, or the entry had to be brought first */
    TWINSIM_TABLE_AWAY = 16 /* the entry is another device's */
};
enum twinsim_class {
    TWINSIM_CLASS_SDMA,
    TWINSIM_CLASS_PCIE_DMA,
    TWINSIM_CLASS_COND,
    TWINSIM_CLASS_CPU_TOPIC,
    TWINSIM_CLASS_AIC, /* kernels, by the cores of their blocks */
    TWINSIM_CLASS_AIV,
    TWINSIM_CLASS_MIXED,
    TWINSIM_CLASS_COUNT
};
/* An entry is written when what it is about ends. */
struct twinsim_trace_entry {
    uint64_t begin_ns;
    uint64_t end_ns;
    uint64_t bytes;     /* of a transfer; PIPE, of a count: its amount */
    uint64_t number;    /* SQE number on its queue, counted from 1; of the driver's DMA:
                   twinsim_transfer.number */
    uint32_t parameter; /* index of the parameter that gives the length, or UINT32_MAX */
    uint32_t id; /* event or notify id; channel for engines; see the phases; UINT32_MAX: none */
    uint16_t sq; /* UINT16_MAX: not from a queue (driver DMA, links) */
    uint16_t task_id;
    uint8_t device;
    uint8_t phase; /* enum twinsim_phase */
    uint8_t sqe_type;
    uint8_t engine;    /* enum twinsim_engine */
    uint32_t waker_sq; /* PARK: the queue whose record ended it, UINT32_MAX: none; PIPE, of a read
                          or write: bytes of a row, 0: it is one row */
    union {
        uint32_t route;        /* TRANSFER: its way, for twinsim_route_at(); UINT32_MAX: none */
        uint32_t waker_device; /* PARK: the device of that queue; UINT32_MAX: none */
        uint32_t l2_bytes;     /* PIPE, of a read or write: that L2 served; UINT32_MAX: or more */
    };
    /* PARK: that record's SQE number. TABLE: bits of enum twinsim_table. BLOCK, START, PIPE: bits
     * 31:0 the block's number; PIPE: what the macros below take from it */
    uint64_t waker_number;
};
/* Of a PIPE entry: twin_pipe, twin_step_kind, and the step's flag; a read or write also has
 * TWINSIM_PIPE_UNALIGNED if its address or its pitch is not a multiple of a sector of L2. An entry
 * of a count (TWIN_STEP_COUNT) is an instant. */
#define TWINSIM_PIPE_OF(entry)      ((uint32_t)((entry)->waker_number >> 32) & 0xffu)
#define TWINSIM_PIPE_KIND_OF(entry) ((uint32_t)((entry)->waker_number >> 40) & 0xffu)
#define TWINSIM_PIPE_FLAG_OF(entry) ((uint32_t)((entry)->waker_number >> 48))
#define TWINSIM_PIPE_UNALIGNED      0x8000u
enum twinsim_engine {
    TWINSIM_ENGINE_NONE,
    TWINSIM_ENGINE_SDMA,
    TWINSIM_ENGINE_PCIE_DMA,
    TWINSIM_ENGINE_HOST_DMA,
    TWINSIM_ENGINE_AIC, /* `id` is the core; cores of a kind count from 0 */
    TWINSIM_ENGINE_AIV
};
/* Entries so far, oldest first; the array is the model's and valid until the next model call. The
 * model keeps them packed and makes the array in here. NULL when there are none or, with a count
 * that is not 0, when out of memory. Thread: model. */
const struct twinsim_trace_entry *twinsim_trace(const twinsim *sim, size_t *out_count);
/* How many those are, without making the array; SIZE_MAX when out of memory. Thread: model. */
size_t twinsim_trace_count(const twinsim *sim);

/* ---- links ---------------------------------------------------------------------------------- */

/* A shared server of bandwidth. */
struct twinsim_link {
    char name[32]; /* "device 0 HBM" */
    uint32_t device;
    uint32_t
        parameter; /* index of the parameter that sets its rate, of several the least certain */
    uint64_t bytes_per_s; /* at most */
};
/* How a transfer loads links. */
struct twinsim_route {
    uint32_t count;
    uint32_t link[4];
    uint32_t weight[4]; /* bytes on that link per byte moved */
};
size_t twinsim_link_count(const twinsim *sim);
/* Both: TWINSIM_E_ARGUMENT when there is none. Thread: any. */
int twinsim_link_at(const twinsim *sim, size_t index, struct twinsim_link *out);
int twinsim_route_at(const twinsim *sim, uint32_t route, struct twinsim_route *out);
/* How long that many bytes take on the route when nothing else moves (T-LNK-7); 0 without such a
 * route. Thread: any. */
uint64_t twinsim_route_alone_ns(const twinsim *sim, uint32_t route, uint64_t bytes);

/* ---- counters ------------------------------------------------------------------------------- */

/* With twinsim_config.stats the model adds up what its trace entries say, whether they are kept or
 * not. What is under way counts once it has ended. */

/* What a queue, or a transfer of the driver's, waited for. A wait of no time is none. */
enum twinsim_cause {
    TWINSIM_CAUSE_SLOT,    /* a slot, or the arbiter */
    TWINSIM_CAUSE_CLASS,   /* a share of its class */
    TWINSIM_CAUSE_CHANNEL, /* a channel of a DMA engine */
    TWINSIM_CAUSE_CORE,    /* AI cores */
    TWINSIM_CAUSE_EVENT,
    TWINSIM_CAUSE_NOTIFY,
    TWINSIM_CAUSE_MEMORY, /* a word in memory that it polls */
    TWINSIM_CAUSE_HOST,   /* the host's answer to a call */
    TWINSIM_CAUSE_CQ,     /* room in its CQ */
    TWINSIM_CAUSE_HOLD,   /* pre_p, post_p, "task pause" */
    TWINSIM_CAUSE_LOOP,   /* the firmware's loop */
    TWINSIM_CAUSE_COUNT
};
struct twinsim_wait_sum {
    uint64_t count;
    uint64_t total_ns;
    uint64_t max_ns;
};
struct twinsim_wait_counts {
    uint64_t count;
    uint64_t total_ns;
    uint64_t max_ns;
    uint64_t p50_ns; /* percentiles by nearest rank, up to 1/32 too high */
    uint64_t p90_ns;
    uint64_t p99_ns;
};
enum twinsim_resource {
    TWINSIM_RESOURCE_SLOT,
    TWINSIM_RESOURCE_CLASS, /* by enum twinsim_class */
    TWINSIM_RESOURCE_SDMA,  /* channels */
    TWINSIM_RESOURCE_PCIE_DMA,
    TWINSIM_RESOURCE_HOST_DMA,
    TWINSIM_RESOURCE_AIC, /* cores */
    TWINSIM_RESOURCE_AIV,
    TWINSIM_RESOURCE_LINK, /* by the number of twinsim_link_at() */
    TWINSIM_RESOURCE_COUNT
};
struct twinsim_use_counts {
    uint64_t uses;       /* times it was taken; of a link: times its rate was another */
    uint64_t busy_ns;    /* of a class: of all shares together */
    uint64_t bytes;      /* of whole transfers; a link: each byte as often as the route loads it */
    uint64_t load_bytes; /* of a link: rate times length, all traffic */
    uint32_t most;       /* in use at once: of all slots, and of each class; else 0 */
};
#define TWINSIM_STATS_TYPES 64
struct twinsim_device_counts {
    uint64_t tasks; /* SQEs that ended */
    uint64_t tasks_of_type[TWINSIM_STATS_TYPES];
    uint64_t begun;       /* SQEs turned to */
    uint64_t fetch_waits; /* of those: whose ring line had not come yet */
    uint64_t fetch_wait_ns;
    uint64_t swap_ins;   /* slots taken and released */
    uint64_t event_hits; /* accesses to events whose word was on the chip, and not */
    uint64_t event_misses;
    uint64_t l2_read_hits; /* bytes of accesses of AI cores that L2 had, and not (T-CORE-22) */
    uint64_t l2_read_misses;
    uint64_t l2_write_hits;
    uint64_t l2_write_misses;
};
/* From a queue's opening to its next. */
struct twinsim_queue_counts {
    uint32_t device;
    uint32_t sq;
    uint32_t stream_id;
    uint64_t tasks;
    uint64_t bytes;
    uint64_t task_ns; /* of its SQEs, waits included */
    uint64_t slot_ns; /* with a slot */
    struct twinsim_wait_sum waits[TWINSIM_CAUSE_COUNT];
};
/* All: TWINSIM_E_STATE without counters, TWINSIM_E_ARGUMENT for something that is not there,
 * TWINSIM_E_MEMORY. Thread: model. */
int twinsim_stats_device(twinsim *sim, uint32_t device, struct twinsim_device_counts *out);
int twinsim_stats_wait(twinsim *sim, uint32_t device, enum twinsim_cause cause,
                       struct twinsim_wait_counts *out);
/* `index` UINT32_MAX: all of that kind together. */
int twinsim_stats_use(twinsim *sim, uint32_t device, enum twinsim_resource resource, uint32_t index,
                      struct twinsim_use_counts *out);
/* Queues in the order of their opening; each opening counts. */
int twinsim_stats_queue(twinsim *sim, size_t index, struct twinsim_queue_counts *out);

#ifdef __cplusplus
}
#endif
#endif
