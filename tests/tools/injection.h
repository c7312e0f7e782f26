/* SPDX-License-Identifier: Apache-2.0 */
/* The content of a recording, for the injection of breaches into it: found op by op, without the
 * checker's tables. */
#ifndef TWINRT_TESTS_INJECTION_H
#define TWINRT_TESTS_INJECTION_H

#include "check/checker.h"

#define NOWHERE SIZE_MAX

extern twin_op *ops; /* as injected */
extern size_t count;
extern size_t *bound;    /* of a wait: its record */
extern size_t *previous; /* work before it in its queue */
extern bool *is_default_queue;
extern uint32_t *signal_kinds;
extern uint32_t *signals; /* of a number: which it is, where it was opened by name */

/* Takes a copy of the ops; the one before goes. */
void look_at(const struct twin_ops *loaded);
void look_no_more(void);

bool accepted(const twin_op *op);
bool timed(size_t at);
/* The host learns something. */
bool observes(const twin_op *op);
bool is_event_wait(size_t at);
/* The one wait for a notify that has no record yet when op `at` ends. NOWHERE: none, or several. */
size_t blocked_at(size_t at);
/* Threads overlap: an op with a lower index has begun before another, and may end after it. */
bool ended_before(size_t first, size_t second);
/* The newest work of the stream that op `at` is about. NOWHERE: none, or another thread submits it
 * meanwhile, so that it is unknown whether it is meant. */
size_t last_work(size_t at);
/* Before op `at` began, a wait for the stream of `work` had shown the host that it is done. */
bool drained(size_t work, size_t at);
bool observed_between(size_t after, size_t before);
/* Some stream has a wait for a count that the host has not seen passed: until then no op is blamed
 * for blocking on it. */
bool count_open(size_t at);
/* Waits of streams that hold a record before op `at` ends. */
unsigned waiters(size_t record, size_t at);

#endif
