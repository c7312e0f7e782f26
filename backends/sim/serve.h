/* SPDX-License-Identifier: Apache-2.0 */
/* The wait of a thread of the runtime for its next host function. It leaves the model to others. Only when none of them has moved
 * it or submitted anything for a while, it moves it itself: the program may wait for its function without calling the runtime. */
#ifndef TWINRT_SIM_SERVE_H
#define TWINRT_SIM_SERVE_H

#include "drive.h"

/* Returns when the wait is finished. It is on the list; no lock is held. */
void sim_serve(struct sim_wait *wait);
/* From now on none moves the model, and from now on one may. No lock held. */
void sim_serve_end(void);
void sim_serve_begin(void);

#endif
