/* SPDX-License-Identifier: Apache-2.0 */
/* Asks the model for the work of a record again, in the same order and with the same pauses between, and notes when each
 * part of it happened. Each thread of the record is a thread here, one of which runs at a time. */
#ifndef TWINRT_CALIBRATE_PLAY_H
#define TWINRT_CALIBRATE_PLAY_H

#include "calibrate/work.h"
#include "seam/backend.h"

/* Host costs that the profile of a model that plays is to have, in the order of twin_cost: sums of them make any pause. */
#define CALIBRATE_PAUSE_STEP(cost) (UINT64_C(1) << (4 * (cost)))

/* The backend was started with such a profile and is at time 0. `times` has one item per op of the work. False: `error`
 * says what could not be done again. Once per process: the model is left as it is. */
bool calibrate_play(const struct twin_backend *backend, const struct calibrate_work *work,
                    struct calibrate_times *times, char *error, size_t error_bytes);

#endif
