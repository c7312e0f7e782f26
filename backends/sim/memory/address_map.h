/* SPDX-License-Identifier: Apache-2.0 */
/* Where memory of each kind is: the same addresses on every run, far above those of the host's
 * allocator. If something else of the process is there, or a limit or a tool leaves less, the
 * memory is somewhere else. runtime/docs/memory.md has a picture. */
#ifndef TWINRT_SIM_MEMORY_ADDRESS_MAP_H
#define TWINRT_SIM_MEMORY_ADDRESS_MAP_H

#include <stdint.h>

/* The documented window of managed memory. */
#define SIM_MANAGED_BASE  UINT64_C(0x90000000000)
#define SIM_MANAGED_BYTES (UINT64_C(3) << 40)

/* Where a program may ask for reserved addresses (VMM-04), and where others are given. */
#define SIM_EXPECT_BASE   (UINT64_C(16) << 40)
#define SIM_EXPECT_BYTES  (UINT64_C(8) << 40)
#define SIM_RESERVE_BASE  (UINT64_C(25) << 40)
#define SIM_RESERVE_BYTES (UINT64_C(8) << 40)

/* Page-locked memory: at most SIM_HOST_BYTES of it, in twice the addresses. */
#define SIM_HOST_BASE  UINT64_C(0x114000000000)
#define SIM_HOST_BYTES (UINT64_C(256) << 30)

/* Memory of device 0, in twice the addresses of its capacity; the next device follows after the
 * stride. */
#define SIM_DEVICE_BASE   UINT64_C(0x124000000000)
#define SIM_DEVICE_STRIDE (UINT64_C(512) << 30)

/* Addresses of devices for registered memory. */
#define SIM_REGISTERED_BASE  UINT64_C(0x340000000000)
#define SIM_REGISTERED_BYTES (UINT64_C(1) << 40)

#endif
