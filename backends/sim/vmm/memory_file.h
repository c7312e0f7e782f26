/* SPDX-License-Identifier: Apache-2.0 */
/* Memory that processes share: a memory file with a head, which has no name in any folder. Another
 * process opens it through /proc/PID/fd of the one that made it, with a secret. It lives as long as
 * a process has it mapped; a process that ends leaves nothing.
 *
 * What is in the file may have been written by anything that runs as the same user: each number is
 * read once, and checked. */
#ifndef TWINRT_SIM_VMM_MEMORY_FILE_H
#define TWINRT_SIM_VMM_MEMORY_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "process/process.h"
#include "seam/own_file.h"

#define SIM_MEMFILE_HEAD    65536u
#define SIM_MEMFILE_EXPORTS 60u  /* of one file at a time */
#define SIM_MEMFILE_PIDS    240u /* that may open one export */
#define SIM_MEMFILE_SECRET  3u   /* words */

struct sim_memfile_head;

/* A file as one process uses it. */
struct sim_memfile {
    twin_own_file own; /* of the one that made it */
    struct sim_memfile_head *head;
    uint64_t bytes;  /* of memory, after the head */
    uint32_t device; /* owner */
    twin_page_policy pages;
};

/* One part that others may open, named by the place of the file and a secret. */
struct sim_export {
    uint32_t process;
    uint32_t descriptor;
    uint64_t secret[SIM_MEMFILE_SECRET]; /* of physical memory the first word alone */
    uint64_t offset, bytes;
};

/* A new file. TWIN_E_NOMEM, explained: also without a descriptor for it. */
twin_status sim_memfile_make(struct sim_memfile *out, uint32_t device, twin_page_policy pages,
                             uint64_t bytes);
/* Maps the memory, at `place` or anywhere. NULL: errno says why. */
void *sim_memfile_map(const struct sim_memfile *shared, int descriptor, void *place);
/* Adds an export; `secret_bits`: of the first word, the others are 0 then. TWIN_E_INVALID,
 * explained: there are too many. */
twin_status sim_memfile_export(struct sim_memfile *shared, uint64_t offset, uint64_t bytes,
                               bool check_pid, unsigned secret_bits, struct sim_export *out);
bool sim_memfile_has(const struct sim_memfile *shared, const struct sim_export *export);
/* From now on no process may open it. */
void sim_memfile_end(const struct sim_memfile *shared, const struct sim_export *export);
/* Whether the same part is exported already; then `out` is that, with the newest rule. */
bool sim_memfile_find(struct sim_memfile *shared, uint64_t offset, uint64_t bytes, bool check_pid,
                      struct sim_export *out);
twin_status sim_memfile_allow(const struct sim_memfile *shared, const struct sim_export *export,
                              const int32_t *pids, size_t count);
/* Ends all exports. The memory stays with those who have it mapped. */
void sim_memfile_close(struct sim_memfile *shared);

/* What another process has exported: `export` has process, descriptor and secret, and gets the
 * rest. *out_memory: its memory, mapped. TWIN_E_INVALID, explained. */
twin_status sim_memfile_open(struct sim_export *export, struct sim_memfile *out, void **out_memory);

/* The name of an export, and back. False: it is none. */
void sim_export_name(const struct sim_export *export, char out_name[TWIN_SHARE_NAME]);
bool sim_export_read(const char *name, struct sim_export *out);
/* The same as a number. Descriptors have 16 bits there, processes 22. */
#define SIM_EXPORT_SECRET_BITS 26u
bool sim_export_number(const struct sim_export *export, uint64_t *out_number);
void sim_export_read_number(uint64_t number, struct sim_export *out);

#endif
