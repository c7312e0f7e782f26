/* SPDX-License-Identifier: Apache-2.0 */
/* Device memory that the host may touch (TWINRT_DEVMEM=open): pages that contain the poison pattern
 * until they are written, and are committed only then. They are private pages over a file of
 * poison, the same few bytes for all of them. */
#ifndef TWINRT_SIM_MEMORY_OPEN_PAGES_H
#define TWINRT_SIM_MEMORY_OPEN_PAGES_H

#include <stdbool.h>
#include <stdint.h>

/* Pages are mapped in pieces of this size and alignment, so that a device has few mappings. */
#define SIM_OPEN_PIECE (32u << 20)

/* Makes the pieces around [offset, offset + bytes) of the reservation at `base` readable and
 * writable. `mapped` has a byte per piece. False: the host cannot map them. Without poison they are
 * zero. */
bool sim_open_map(uint64_t base, uint8_t *mapped, uint64_t offset, uint64_t bytes, bool poison);
/* Puts such pages in the place of others. False: the host cannot map them. */
bool sim_open_restore(uint64_t base, uint64_t offset, uint64_t bytes, bool poison);
/* Releases whole pages that were written; they read as before the first write. */
void sim_open_discard(uint64_t base, uint64_t offset, uint64_t bytes);

/* Where the model alone reaches device memory; NULL: there is no address space. Shared: pages are
 * as small as they are touched, and a fork copies none. A memory file counts nowhere as memory that
 * may be used, also where the system does not overcommit. Its descriptor is closed at once: the
 * program may close all descriptors and use the numbers for its own files. Valgrind's search for
 * leaks reads all that is readable, so under it each piece becomes that when it is used first. */
void *sim_view_map(uint64_t bytes);
/* Under valgrind, before the first use of a page of the view. `pieces` has a byte per piece. */
void sim_view_use(char *view, uint8_t *pieces, uint64_t offset);

#endif
