/* SPDX-License-Identifier: Apache-2.0 */
/* Where the program called, as reports name it. */
#ifndef TWINRT_SIM_PROCESS_SITE_H
#define TWINRT_SIM_PROCESS_SITE_H

#include <stddef.h>
#include <stdint.h>

/* Writes "program+0x1234", or the address alone where no module has it; "" for NULL. *out_offset:
 * in its module, 0: in none. Takes no lock of the loader: a thread that has it may be waiting for
 * the model. */
void sim_site_text(const void *site, char *text, size_t bytes, uintptr_t *out_offset);

#endif
