/* SPDX-License-Identifier: Apache-2.0 */
/* Polls that get the same answer again and again. After SIM_POLLS_EQUAL answers "not yet" in a row
 * to one question the caller's clock advances to the next task that begins or ends: a loop that
 * sleeps or computes between its polls, which takes the host no device time, ends after few of
 * them.
 *
 * The number: a loop of up to 16 polls has the times of the costs of its calls, as a short spin on
 * a board; a longer one waits for something that is far away beside the cost of a poll. */
#ifndef TWINRT_SIM_WAIT_REPEATED_POLLS_H
#define TWINRT_SIM_WAIT_REPEATED_POLLS_H

#include <stdbool.h>

#include "wait/queue_point.h"

#define SIM_POLLS_EQUAL 16u

/* The calling thread got the answer "not yet" to a question about `object`: whether the work of the
 * point is done, or, if not `done`, another one. It is another question when the point is another
 * one. Thread: any, no lock. True: its clock has been advanced, and the answer may be another one.
 * It is never advanced to or past a time limit of a wait or of the device, unless it is proven that
 * no other thread can act before. */
bool sim_poll_repeated(const void *object, const struct sim_queue_point *point, bool done);

#endif
