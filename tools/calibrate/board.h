/* SPDX-License-Identifier: Apache-2.0 */
/* What a calibration by tables of a profiler compares: times of kernels of a board, and those of
 * the model when it runs the same program. */
#ifndef TWINRT_CALIBRATE_BOARD_H
#define TWINRT_CALIBRATE_BOARD_H

#include "calibrate/calibrate.h"
#include "calibrate/rows.h"

/* Reads the tables of the job. `mhz`: the clock of the profile's cores. */
bool calibrate_board_read(const struct calibrate_job *job, double mhz,
                          struct calibrate_result *out);
/* Chooses the times that the model has too, from tables of its first run: a pair and a row each. */
bool calibrate_board_choose(const struct calibrate_job *job, const struct msprof_times *model,
                            double tick_ns, struct calibrate_rows *rows,
                            struct calibrate_result *out);
/* Reads what a run of the model wrote. */
bool calibrate_board_take(const struct calibrate_job *job, const char *folder, size_t trial,
                          struct msprof_times *out);
/* ns, by row; NaN: the run does not have it. */
void calibrate_board_values(const struct calibrate_result *board, const struct msprof_times *model,
                            double *rows);
/* Becomes a run of the program on the model, whose tables and lines of text go into the folder. */
void __attribute__((noreturn))
calibrate_board_run(const struct calibrate_job *job, const char *folder, size_t trial,
                    const char *profile);
/* The last line of text that a run printed. */
void calibrate_board_said(const char *folder, size_t trial, char *text, size_t bytes);
void calibrate_board_remove(const char *folder, size_t trial);
#endif
