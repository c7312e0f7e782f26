/* SPDX-License-Identifier: Apache-2.0 */
/* Threads of the process that have made no call yet, and may be about to make their first. */
#ifndef TWINRT_SIM_NEWCOMERS_H
#define TWINRT_SIM_NEWCOMERS_H

#include <stdint.h>

/* Asked when every attached thread waits and nothing is left to simulate, at the real time now_ns (monotonic). 0: nobody
 * is expected. Else the real time at which to ask again, unless somebody calls before. A thread that runs is expected for
 * some seconds, one that sleeps for half a second; who did not come is not waited for again until threads come or go.
 * Thread: model. */
uint64_t sim_newcomers_until(uint64_t now_ns);

#endif
