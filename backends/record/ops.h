/* SPDX-License-Identifier: Apache-2.0 */
/* The ops of the wrapper and what they share. Each writes an entry and asks the backend below. */
#ifndef TWINRT_RECORD_OPS_H
#define TWINRT_RECORD_OPS_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "file.h"
#include "seam/backend.h"

struct record_stamps; /* stamp.c */

struct twin_hw_device {
    twin_hw_device *inner;
    uint32_t index;
};
struct twin_queue {
    twin_queue *inner;
    uint32_t number;
    struct record_stamps *stamps; /* NULL: none are made */
    bool reports_tasks;           /* the backend reports when tasks end */
    /* Receives those reports too; set before there is work. */
    void (*take)(void *context, const twin_task_end *task);
    void *context;
};
struct twin_signal {
    twin_signal *inner;
    uint32_t number;
};
struct twin_call_queue {
    twin_call_queue *inner;
    uint32_t number;
};
struct twin_hw_instance {
    twin_hw_instance *inner;
    uint32_t number;
};

struct twin_hw_pool {
    twin_hw_pool *inner;
    uint32_t number;
};

struct twin_loaded_image {
    twin_loaded_image *inner;
    uint32_t number;
};

/* The backend below; complete. Fixed from twin_wrapper_entry() on. */
extern struct twin_backend record_below;
/* Fixed from process.start on. */
extern const twin_services *record_services;
extern bool record_stamps_wanted;
extern bool record_data_wanted;
extern bool record_stacks_wanted;

/* Numbers given out so far. */
struct record_numbers {
    atomic_uint queues, signals, call_queues, instances, pools, kernels, images, steps, data, sites,
        stacks;
    uint32_t sessions;
};
extern struct record_numbers record_numbers;

static inline uint32_t record_number(atomic_uint *newest)
{
    return atomic_fetch_add_explicit(newest, 1, memory_order_relaxed) + 1;
}

/* ---- texts (text.c) -------------------------------------------------------------------------- */

/* Entries STATUS, SETTING and FACT. Thread: init. */
void record_session_texts(void);
/* Bytes of texts with their ends, and their copy into a tail. */
size_t record_texts_bytes(const char *const *texts, size_t count);
void record_texts_put(char *to, const char *const *texts, size_t count);

/* ---- where calls come from (module.c) -------------------------------------------------------- */

/* An entry MODULE for the file that the code at `address` is of, unless it has the newest of that
 * place. Returns how many modules have taken the place of others. Thread: any, in no call of the
 * recording. */
unsigned record_module(uintptr_t address);
/* The same for a call from `site`; calls of the program itself come here once a thread. With stacks
 * each call comes here, and gets entries STACK or SCRIPT_STACK, and CALL_STACK (stack.c). */
void record_new_site(uintptr_t site);
void record_stack(uintptr_t site);
/* Whether two places in code are of one file. */
bool record_same_module(uintptr_t a, uintptr_t b);
void record_modules_forget(void);

/* Whether the recording has the file that code is of. */
static inline bool record_is_settled(uintptr_t site)
{
    return __builtin_expect(site - record_self.program_begin < record_self.settled_bytes, 1);
}

/* The number of the place that a public call comes from; an entry CALL_SITE says what it is, once.
 * Thread: any. */
uint32_t record_call_site(const twin_call *call);
/* The same where this thread has it from an earlier call outside of all others; NULL: it does
 * not. */
static inline const struct record_site *record_known_site(const twin_call *call, uint64_t site)
{
    const struct record_thread *self = &record_self;
    const struct record_site *known = self->sites ? &self->sites[RECORD_SITE_SLOT(site)] : NULL;
    const bool same = known && known->site == site && known->name == call->name &&
                      known->cost == (uint32_t)call->cost;
    return __builtin_expect(same, 1) ? known : NULL;
}

/* ---- what was written already (seen.c) ------------------------------------------------------- */

/* Made of contents; two contents with one key are taken for the same. */
struct record_key {
    uint64_t low, high;
};
void record_key_start(struct record_key *key);
void record_key_add(struct record_key *key, const void *bytes, size_t count);
struct record_seen;
extern struct record_seen record_seen_data, record_seen_sites, record_seen_stacks,
    record_seen_steps;
/* The number of what has this key. False: nothing has. Thread: any. */
bool record_seen_find(struct record_seen *seen, const struct record_key *key, uint32_t *out_number);
/* The number of what has this key. True: it is a new one, which the caller is to write. Thread:
 * any. */
bool record_seen_new(struct record_seen *seen, const struct record_key *key, atomic_uint *newest,
                     uint32_t *out_number);
void record_seen_forget(void);

/* ---- memory contents (data.c, touch.c) ------------------------------------------------------- */

#define RECORD_DATA_MOST ((uint64_t)64 << 20)
/* The number of an entry DATA with these bytes, at most RECORD_DATA_MOST; it is written if there is
 * none. Thread: any. */
uint32_t record_data(const void *from, uint64_t bytes);

/* Writes the contents of `rows` of `width` bytes each, `pitch` apart, for the call that began at
 * `seq`, if they are in host memory. */
void record_contents(uint64_t seq, uint64_t address, uint64_t width, uint64_t pitch, uint64_t rows);
/* For twin_services: writes what a task finds, unless the entries before say that already. */
bool record_touched(const twin_touch *touch);
/* Memory is new where other memory may have been. Thread: any. */
void record_touch_forget(void);

/* ---- kernels (launch.c) ---------------------------------------------------------------------- */

/* The core's kernel for one that the backend has kept and returns; who has it releases it.
 * *out_number names it. */
twin_launch *record_launch_inner(twin_launch *kernel, uint32_t *out_number);

/* ---- what processes share (share.c) ---------------------------------------------------------- */

/* A name opens what is shared, so it does not go into the file. `name` holds at most
 * TWIN_SHARE_NAME characters. */
uint64_t record_name_hash(const char *name);

/* ---- time stamps (stamp.c) ------------------------------------------------------------------- */

struct record_stamps *record_stamps_new(twin_hw_device *device, uint32_t queue);
/* The queue is gone. */
void record_stamps_free(struct record_stamps *stamps);
/* Queues an event record of the wrapper after the work of entry `of_seq`. Thread: queue. */
void record_stamp(twin_queue *queue, uint64_t of_seq);
/* Writes an entry for each that has come to pass. Thread: any. */
void record_stamps_look(struct record_stamps *stamps);
/* The same for all queues but those that work is being queued on just now. */
void record_stamps_look_all(void);

/* ---- order of host threads (order.c) --------------------------------------------------------- */

/* Whether following `moment` adds order that this thread, which has a number, does not have yet;
 * notes it as followed. The end_seq of the entry that says so comes next. Thread: any. */
bool record_order_adds(const twin_host_moment *moment);
void record_order_followed(uint64_t end_seq);
void record_order_forget(void);
/* In a forked child: threads that are not in it may have held the lock, and left the table half
 * changed. */
void record_order_forked(void);

/* ---- ops ------------------------------------------------------------------------------------- */

#define OP(group, op, type, lacking, parameters, arguments) type record_##group##_##op parameters;
#include "seam/ops.def"

void record_described_forget(void);
/* The tasks that came of an op, those above `before`, then its end. */
static inline twin_status record_work_ended(twin_queue *queue, struct record_call *call, void *f,
                                            uint64_t before, twin_status status)
{
    struct twin_record_WORK_END *work = f;
    uint64_t newest = record_below.diag.newest_task(queue->inner);
    if (newest > before) {
        work->first_task = before + 1;
        work->tasks = (uint32_t)(newest - before);
    }
    uint64_t seq = call->seq;
    record_returned(call, status);
    if (__builtin_expect(queue->stamps != NULL, 0) && status == TWIN_OK)
        record_stamp(queue, seq);
    return status;
}
/* Begins a work op of `queue`; `f` points to its fields, the queue filled in. */
#define RECORD_WORK_BEGIN(NAME)                                                                    \
    uint64_t before = record_below.diag.newest_task(queue->inner);                                 \
    struct record_call call;                                                                       \
    struct twin_record_##NAME *f = RECORD_BEGIN(&call, NAME, 0);                                   \
    f->queue = queue->number

#endif
