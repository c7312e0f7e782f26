/* SPDX-License-Identifier: Apache-2.0 */
/* What the capture suite shares: a device with streams, memory that shows what ran, captures. */
#ifndef TWINRT_CONFORMANCE_CAPTURE_TESTS_H
#define TWINRT_CONFORMANCE_CAPTURE_TESTS_H

#include "suite.h"

#define WORDS 64u

typedef struct capture {
    aclrtStream first, second, third;
    aclrtEvent fork, join; /* that a capture takes */
    int32_t *words;        /* device, 0 */
    int32_t *host;         /* page-locked */
} capture;

void capture_open(capture *s);
void capture_close(capture *s);
/* The device's words, in host memory. */
const int32_t *capture_fetch(capture *s);
/* Queues words[place] = value. */
void capture_set(capture *s, unsigned place, uint8_t value, aclrtStream stream);
/* Queues words[to] = words[from]. */
void capture_copy(capture *s, unsigned to, unsigned from, aclrtStream stream);
/* `to` waits for what `from` has queued. */
void capture_order(aclrtStream from, aclrtEvent event, aclrtStream to);
void capture_begin(aclrtStream stream);
aclmdlRI capture_end(aclrtStream stream);
/* Executes it on the stream and waits. */
void capture_run(aclmdlRI instance, aclrtStream stream);
aclmdlRICaptureStatus capture_status(aclrtStream stream);
/* An event of the kind that a capture takes. */
aclrtEvent capture_event(void);
/* A word whose four bytes are `value`. */
int32_t capture_word(uint8_t value);
/* Whether the newest message of the thread contains each of the texts; NULL ends. */
bool capture_explains(const char *const *texts);

/* capture_external.c */
void test_external_order(void);
void test_external_newest(void);
void test_external_graphs(void);
void test_external_refused(void);
void test_external_middle(void);
void test_external_middle_record(void);
void test_external_device(void);

/* capture_join.c */
void test_join(void);
void test_join_order(void);
void test_join_many(void);
void test_conflict(void);
void test_unjoined(void);
void test_unjoined_unwaited(void);
void test_outside_event(void);
void test_implicit(void);
void test_captured_event(void);
void test_event_kinds(void);
void test_event_again(void);
void test_event_destroyed(void);
void test_event_outside_again(void);
void test_join_other_context(void);

/* capture_limit.c */
void test_limit(void);
void test_limit_streams(void);
void test_limit_events(void);
void test_limit_notifies(void);

/* capture_mode.c */
void test_mode_global(void);
void test_mode_thread_local(void);
void test_mode_relaxed(void);
void test_mode_pageable(void);
void test_mode_exchange_arguments(void);
void test_mode_exchange(void);
void test_mode_exchange_elsewhere(void);
void test_mode_threads(void);
void test_mode_strangers(void);

/* capture_run.c */
void test_run_again(void);
void test_run_arguments(void);
void test_run_other_stream(void);
void test_run_callback(void);
void test_run_subscribed(void);
void test_run_long(void);
void test_run_notify(void);
void test_run_values(void);
void test_run_aborted(void);
void test_destroy(void);
void test_built_only(void);
void test_streams(void);
void test_close(void);

/* capture_task.c */
void test_task_list(void);
void test_task_look(void);
void test_task_events(void);
void test_task_set(void);
void test_task_set_refused(void);
void test_task_disable(void);
void test_task_busy(void);
void test_update_arguments(void);
void test_update_long(void);
void test_update_time_limit(void);
void test_print(void);
void test_update_async(void);

#endif
