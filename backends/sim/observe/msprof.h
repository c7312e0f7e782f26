/* SPDX-License-Identifier: Apache-2.0 */
/* Profiling records on disk: 64 bytes each, little endian. Types 0 and 1 are laid out as the device's profiler has
 * them; the others are this project's. sim/docs/observation.md says more. */
#ifndef TWINRT_SIM_OBSERVE_MSPROF_H
#define TWINRT_SIM_OBSERVE_MSPROF_H

#define MSPROF_BYTES   64u
#define MSPROF_MAGIC   0x6bd3u
#define MSPROF_VERSION 1u
#define MSPROF_NAME    "twinrt-msprof"

/* Bytes 0 and 1: type in bits 5:0, a running count in 9:6, the SQE's type in 15:10. */
#define MSPROF_TYPE_MASK   63u
#define MSPROF_COUNT_SHIFT 6u
#define MSPROF_SQE_SHIFT   10u

#define MSPROF_TASK_START  0u
#define MSPROF_TASK_END    1u
#define MSPROF_BLOCK_START 2u
#define MSPROF_BLOCK_END   3u
#define MSPROF_HEADER      63u

#endif
