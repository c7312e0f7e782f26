/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TWINRT_TOOLS_RUN_SITES_H
#define TWINRT_TOOLS_RUN_SITES_H

#include "seam/run_page.h"

/* Prints function, file and line of the places that the report of a process names. The process still runs. */
void run_sites_print(const twin_run_slot *slot);

#endif
