/* SPDX-License-Identifier: Apache-2.0 */
/* Places of reservations in the address space of the process. The lock of vmm.c is held. */
#ifndef TWINRT_SIM_VMM_PLACE_H
#define TWINRT_SIM_VMM_PLACE_H

#include "process/process.h"

struct sim_reservation;

/* A place for so many bytes, at `expected` unless that is 0; fills in base, bytes (whole granules)
 * and in_span. TWIN_E_INVALID, explained: not there. TWIN_E_NOMEM. */
twin_status sim_place_take(uint64_t bytes, uint64_t expected, struct sim_reservation *one);
/* Gives the host nothing in a part of a reservation. */
void sim_place_hide(uint64_t address, uint64_t bytes);
void sim_place_release(const struct sim_reservation *one);

#endif
