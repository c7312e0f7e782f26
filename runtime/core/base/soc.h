/* SPDX-License-Identifier: Apache-2.0 */
/* The SoCs there are, by name. */
#ifndef TWINRT_CORE_BASE_SOC_H
#define TWINRT_CORE_BASE_SOC_H

#include <stdbool.h>
#include <stdint.h>

/* Number of the instruction set of the SoC's cores; SoCs with one number run each other's kernels. False:
 * no SoC has that name. Thread: any. */
bool twin_soc_arch(const char *name, uint32_t *out_arch);

/* Whether cube and vector unit are cores of their own there. */
bool twin_soc_split(uint32_t arch);

#endif
