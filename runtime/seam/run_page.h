/* SPDX-License-Identifier: Apache-2.0 */
/* Memory that `twinrt run` shares with the processes of a run, to see whether any uses the runtime
 * and whether anything moves.
 *
 * The tool makes it and names it in TWINRT_RUN_PAGE. The runtime counts each start of a backend. A
 * backend takes a slot when it starts, counts in it while an endless wait makes no progress, and
 * reports when it is asked to. Only the tool ends a process. */
#ifndef TWINRT_SEAM_RUN_PAGE_H
#define TWINRT_SEAM_RUN_PAGE_H

#include <fcntl.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define TWIN_RUN_SLOTS 64u
#define TWIN_RUN_MAGIC UINT64_C(0x656761706e697774) /* "twinpage" */
/* In `asked`: report whatever the threads wait for, and answer with the same number. */
#define TWIN_RUN_ASK_ANY UINT32_MAX
#define TWIN_RUN_SITES   32u
/* Real time between two looks of a wait that makes no progress. */
#define TWIN_RUN_LOOK_NS 100000000u

/* Where a thread called from, for the tool to find the line. */
typedef struct twin_run_site {
    uint64_t address; /* where the call returns to */
    uint64_t offset;  /* the same, in the file that is mapped there */
    uint32_t thread;  /* system id */
    uint32_t spare;
} twin_run_site;

typedef struct twin_run_slot {
    _Atomic int32_t process; /* getpid(); 0: free */
    /* Grows while every wait that can end by itself is over and an endless one makes no
     * progress. */
    _Atomic uint32_t looks;
    /* Grows when one of those looks finds that a call began or the device moved. */
    _Atomic uint32_t moves;
    /* By the tool: `moves` + 1 as it knows them; 0: nothing is asked; TWIN_RUN_ASK_ANY. */
    _Atomic uint32_t asked;
    /* The same number when the report is out and nothing had moved; else as it was. */
    _Atomic uint32_t answered;
    uint32_t site_count; /* of the report; written before `answered` */
    twin_run_site sites[TWIN_RUN_SITES];
} twin_run_slot;

typedef struct twin_run_page {
    uint64_t magic;
    uint32_t answers; /* not 0: processes are to be able to report without a wait for the device */
    _Atomic uint32_t starts; /* of backends, successful or not, in all processes of the run */
    twin_run_slot slots[TWIN_RUN_SLOTS];
} twin_run_page;

/* Maps the page for the rest of the process. NULL: `path` is not a page of this user. */
static inline twin_run_page *twin_run_page_map(const char *path)
{
    struct stat status;
    int file = open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK);
    if (file < 0)
        return NULL;
    void *mapped = MAP_FAILED;
    if (fstat(file, &status) == 0 && S_ISREG(status.st_mode) &&
        status.st_size == (off_t)sizeof(twin_run_page) && status.st_uid == geteuid())
        mapped = mmap(NULL, sizeof(twin_run_page), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    (void)close(file);
    if (mapped == MAP_FAILED)
        return NULL;
    twin_run_page *page = mapped;
    if (page->magic == TWIN_RUN_MAGIC)
        return page;
    (void)munmap(mapped, sizeof(twin_run_page));
    return NULL;
}

#endif
