/* SPDX-License-Identifier: Apache-2.0 */
/* Ops made up by tests, one after the other, as if one thread had made them. */
#ifndef TWINRT_TESTS_CHECK_SCRIPT_H
#define TWINRT_TESTS_CHECK_SCRIPT_H

#include "check/checker.h"

#define SCRIPT_ROOM   4096u
#define SCRIPT_MEMORY UINT64_C(0x100000) /* of the stage, 1 MiB */

struct script {
    twin_op ops[SCRIPT_ROOM];
    uint32_t count;
    uint64_t seq;
    uint64_t now_ns;   /* the thread's clock; 0: it has none */
    bool expect_times; /* nothing is missing: a task that has no times did not run */
};

void script_begin(struct script *script);
/* Begins with an open device, queue 1 the default stream, queues 2 to 4 others, signals 1 and 2
 * events, 3 a notify, 4 an event with a flag, and memory. */
void script_stage(struct script *script);
/* Appends an op: fills in its place in the sequence and the clock. Returns its index. */
uint32_t script_add(struct script *script, twin_op op);

uint32_t script_open(struct script *script, uint32_t device);
uint32_t script_queue(struct script *script, uint32_t queue, bool is_default);
/* A queue whose tasks run with a model instance. */
uint32_t script_lane(struct script *script, uint32_t queue);
/* MODEL_INSTANCE_CREATE, _UNBIND, _ABORT, _DRAIN, _DESTROY; RUN; with instance 0 END, _CLEAN. */
uint32_t script_on_instance(struct script *script, twin_op_kind kind, uint32_t instance,
                            uint32_t queue);
uint32_t script_bind(struct script *script, uint32_t instance, uint32_t queue, bool head);
uint32_t script_activate(struct script *script, uint32_t queue, uint32_t other);
uint32_t script_signal(struct script *script, uint32_t signal, twin_signal_kind kind);
uint32_t script_alloc(struct script *script, uint64_t address, uint64_t bytes);
uint32_t script_copy(struct script *script, uint32_t queue, uint64_t dst, uint64_t src,
                     uint64_t bytes);
uint32_t script_fill(struct script *script, uint32_t queue, uint64_t dst, uint64_t bytes);
uint32_t script_word(struct script *script, twin_op_kind kind, uint32_t queue, uint64_t address,
                     uint64_t value);
/* RECORD, WAIT, RESET of a queue and a signal. */
uint32_t script_sync(struct script *script, twin_op_kind kind, uint32_t queue, uint32_t signal);
/* COUNT with a twin_count_mode; WAIT_COUNT with a twin_count_relation. */
uint32_t script_count(struct script *script, uint32_t queue, uint32_t signal, uint32_t mode,
                      uint32_t value);
uint32_t script_wait_count(struct script *script, uint32_t queue, uint32_t signal,
                           uint32_t relation, uint32_t value, bool clear);
/* DRAIN, QUEUE_DESTROY, QUEUE_ABORT. */
uint32_t script_on_queue(struct script *script, twin_op_kind kind, uint32_t queue,
                         twin_status status);
/* SIGNAL_WAIT, SIGNAL_DESTROY, SIGNAL_CLEAR. */
uint32_t script_on_signal(struct script *script, twin_op_kind kind, uint32_t signal,
                          twin_status status);
uint32_t script_query(struct script *script, uint32_t signal, bool complete);
/* FREE, HOST_FREE, NOW_COPY, NOW_FILL. */
uint32_t script_now(struct script *script, twin_op_kind kind, uint64_t dst, uint64_t src,
                    uint64_t bytes);
/* Gives a task its times. */
void script_time(struct script *script, uint32_t op, uint64_t begin_ns, uint64_t end_ns);

/* Feeds all in the checker's order. Ends the test program when out of memory. */
struct checker *script_check(const struct script *script);
/* Whether the one finding is of that rule and, where they are not CHECK_NONE, of those ops of the
 * script, or of their repetitions in a run. */
bool script_found(const struct script *script, const struct checker *checker, check_rule rule,
                  uint32_t first, uint32_t second);
/* Whether the script breaks no rule, or that one alone, as above. Prints other findings. */
bool script_clean(const struct script *script);
bool script_breaks(const struct script *script, check_rule rule, uint32_t first, uint32_t second);
/* Prints the findings, for a test that failed. */
void script_print(const struct checker *checker);

#endif
