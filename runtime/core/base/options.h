/* SPDX-License-Identifier: Apache-2.0 */
/* System options: numbers that launches of kernels read, for the process or for one context. */
#ifndef TWINRT_CORE_BASE_OPTIONS_H
#define TWINRT_CORE_BASE_OPTIONS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* Options, with the public values. */
#define TWIN_OPTION_PROCESS_COUNT 4u
#define TWIN_OPTION_CONTEXT_COUNT 3u /* the fourth, kernel early start, is the process's alone */

/* The options of one context. Relaxed: plain numbers, but `given` is set after its value. */
typedef struct twin_options {
    _Atomic int64_t values[TWIN_OPTION_CONTEXT_COUNT];
    _Atomic uint32_t given; /* bit per option that was ever set */
} twin_options;

void twin_options_reset(twin_options *options);

/* Of the process; an option that was never set is 0. `option` is below PROCESS_COUNT. Thread:
 * any. */
void twin_option_set_process(uint32_t option, int64_t value);
int64_t twin_option_of_process(uint32_t option);
/* Of a context; `option` is below CONTEXT_COUNT. False: it was never set. Thread: any. */
void twin_options_set(twin_options *options, uint32_t option, int64_t value);
bool twin_options_get(const twin_options *options, uint32_t option, int64_t *out_value);

#endif
