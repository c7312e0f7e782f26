/* SPDX-License-Identifier: Apache-2.0 */
/* `twinrt run` looks whether this process moves, and may ask what its threads wait for; process/run_watch.c. */
#ifndef TWINRT_SIM_WAIT_RUN_WATCH_H
#define TWINRT_SIM_WAIT_RUN_WATCH_H

#include <stdbool.h>
#include <stdint.h>

/* Whether the tool may ask while no thread waits for the device (--timeout). Thread: init. */
bool sim_watch_needs_thread(void);
/* Reports if the tool has asked for it. Takes the model lock then. Thread: that of progress. */
void sim_watch_answer(void);

/* When a driver that is to sleep until `wake_ns`, real time, has to look. wake_ns: nobody watches. */
uint64_t sim_watch_until(uint64_t wake_ns);
/* The driver has slept until then and nobody woke it. With the model lock. */
void sim_watch_look(void);

#endif
