/* SPDX-License-Identifier: Apache-2.0 */
/* Profiles as files. */
#ifndef TWINRT_CALIBRATE_PROFILE_H
#define TWINRT_CALIBRATE_PROFILE_H

#include "calibrate/calibrate.h"

/* Writes all parameters with these values, but for the costs of host calls, which are the steps of pauses, REPLAY_PAUSE_STEP. */
bool calibrate_profile_for_trial(const struct calibrate_job *job,
                                 const struct calibrate_parameters *parameters,
                                 const double *values, const char *path);

#endif
