/* SPDX-License-Identifier: Apache-2.0 */
/* The SoCs there are, by name, and the parts that the reference of functions knows. */
#ifndef TWINRT_CORE_BASE_SOC_H
#define TWINRT_CORE_BASE_SOC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The products that the reference names for each function, by their SoCs. Bits, for sets of
 * them. */
enum twin_part {
    TWIN_PART_910 = 1 << 0,  /* Atlas training series */
    TWIN_PART_310P = 1 << 1, /* Atlas inference series */
    TWIN_PART_310B = 1 << 2, /* Atlas 200I/500 A2 */
    TWIN_PART_A2 = 1 << 3,   /* Atlas A2: 910B1 to 910B4 */
    TWIN_PART_A3 = 1 << 4,   /* Atlas A3: 910_93.. */
    TWIN_PART_950PR = 1 << 5,
    TWIN_PART_950DT = 1 << 6,
    TWIN_PART_950 = TWIN_PART_950PR | TWIN_PART_950DT,
    TWIN_PART_IPV350 = 1 << 7
};

/* Room for a list of all parts. */
#define TWIN_PARTS_BYTES 256u

/* Number of the instruction set of the SoC's cores; SoCs with one number run each other's kernels.
 * False: no SoC has that name. Thread: any. */
bool twin_soc_arch(const char *name, uint32_t *out_arch);

/* Whether cube and vector unit are separate cores there. */
bool twin_soc_split(uint32_t arch);

/* The part that a SoC is of, 0: the reference does not name it. Thread: any. */
uint32_t twin_soc_part(const char *name);

/* Writes "A2 (TWINRT_PROFILE=910b3), 950DT" for a set of parts: each with a profile of it, if there
 * is one. */
void twin_soc_list_parts(uint32_t parts, char text[TWIN_PARTS_BYTES]);

#endif
