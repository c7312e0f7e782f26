/* SPDX-License-Identifier: Apache-2.0 */
/* Address space for far more than is ever touched. */
#ifndef TWINRT_SIM_MEMORY_RESERVE_H
#define TWINRT_SIM_MEMORY_RESERVE_H

#include <stddef.h>
#include <sys/mman.h>

/* Zeros that become memory page by page when they are touched; release with munmap. Core dumps
 * leave it out: writing one would take zeros for all that was never touched. NULL: there is no
 * address space left. */
static inline void *sim_reserve(size_t bytes)
{
    void *place = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (place == MAP_FAILED)
        return NULL;
    (void)madvise(place, bytes, MADV_DONTDUMP);
    return place;
}

#endif
