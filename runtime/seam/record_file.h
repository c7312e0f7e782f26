/* SPDX-License-Identifier: Apache-2.0 */
/* The file of TWINRT_RECORD: what a run asked of its device, when, and what came back. Version 5.
 *
 * Layout. Little endian; every number but those of 3 bytes is aligned to its size.
 *
 *   0          header        TWIN_RECORD_HEADER_BYTES, struct twin_record_header
 *   65536      chunk 0       chunk_bytes: struct twin_record_chunk, then entries one after the
 *              other
 *   + i * n    chunk i       a chunk has one writing thread; entries of one thread lie in many
 *   chunks
 *
 * An entry is struct twin_record_entry, its fixed fields (seam/record_kinds.h), and for some kinds
 * a tail: bytes of a length that the fields give, padded with zeros to a multiple of 8. No entry
 * crosses the end of its chunk; one that is too long for a chunk has a separate chunk that covers
 * `span` places. A chunk whose magic is 0 was not written: there may be any number of them, at the
 * end above all, where the file is made longer ahead of need.
 *
 * What is there when the writer dies. The file is written through memory, so what is stored is kept
 * whatever ends the process. A chunk's `used` covers an entry once its header, fields and tail are
 * complete. A call is entered when it begins; its end, status and answers are filled in later,
 * `end_seq` last: while that is 0 the call had not come back, and fields that hold answers mean
 * nothing. Fields whose names begin with `out_` hold answers, and so do `tasks` and `first_task`;
 * they are valid when the status is TWIN_OK. A full chunk in which no call is under way is copied
 * to the next free place, and filled anew once the copy is complete: a process that dies in between
 * leaves the same entries in both. A chunk whose `follows` is beyond the end of the file came after
 * what is missing.
 *
 * Order. `begin_seq` and `end_seq` come from one counter of the whole process, from 1 on. Call A
 * came back before call B began if A.end_seq < B.begin_seq; else they overlapped, or B came first.
 * Work ops of one queue never overlap: their order is that of begin_seq. Entries that are not calls
 * have begin_seq == end_seq. The order of entries in the file means nothing, but that brief calls
 * and marks count from the base before them in their chunk. Numbers may be missing.
 *
 * Forms. The low three bits of an entry's first two bytes are its form (enum twin_record_form); the
 * other bits are its bytes. Most calls of a model are brief calls: struct twin_record_brief, then
 * fields. Marks, of which only the place in the order matters, are struct twin_record_mark, then
 * fields. An entry TASK whose values are small is a struct twin_record_ended. Their thread, and
 * where their numbers and times count from, are the last base's (struct twin_record_base). An entry
 * RETURNED has the end of a brief call that is too far from its begin.
 *
 * Time. `begin_ns` and `end_ns` are the calling thread's clock (host.now): virtual time where there
 * is such a thing, else 0. Wall-clock time is the monotonic clock's, counted from `wall_origin_ns`:
 * exact where host.now returns no time, else to a tick of the system's coarse clock (1 to 10 ms).
 * It has separate fields (`begin_wall_ns`, `end_wall_ns`), so that a comparison of two runs can
 * leave it out. Besides it only fields of the roles ADDRESS, POINTER and SYSTEM differ between two
 * runs of one single-threaded program on a model.
 *
 * Numbers. Threads, queues, signals, host-call queues, model instances, kernels, lists of steps,
 * data and strings are numbered from 1, each for itself, in the order in which they came up; a
 * number is never used twice in a file. 0 is none. Devices have the backend's index. Statuses are
 * the writer's: entries STATUS have their names and public codes.
 *
 * Sessions. Each process.start begins one and each process.stop ends it; both are entries. All
 * sessions of a process go into one file, and numbers and sequence go on. Facts, settings, statuses
 * and properties follow the start they belong to.
 *
 * Versions. A reader refuses any other `version`. `revision` counts additions: new kinds, which a
 * reader that does not know them skips by `bytes`, and new fields after a kind's old ones: what a
 * shorter one lacks is 0. Numbers of kinds, of fields' values and roles never change their meaning.
 *
 * A reader trusts nothing: sizes, offsets and counts may be anything (tools/recording/reader.h
 * checks them all). */
#ifndef TWINRT_SEAM_RECORD_FILE_H
#define TWINRT_SEAM_RECORD_FILE_H

#include <assert.h>
#include <stddef.h>
#include <stdint.h>

#define TWIN_RECORD_MAGIC    "TWINREC" /* with its end: 8 bytes */
#define TWIN_RECORD_VERSION  6u
#define TWIN_RECORD_REVISION 0u
/* A multiple of 64 KiB, so that chunks lie in as few large pages of the file system as can be. */
#define TWIN_RECORD_HEADER_BYTES 65536u
#define TWIN_RECORD_CHUNK_MAGIC  0x4b4e4843u /* "CHNK" */
#define TWIN_RECORD_CHUNK_BYTES  262144u     /* as this version writes; readers take the header's */
#define TWIN_RECORD_CHUNK_LEAST  4096u       /* chunk_bytes is a power of two in this range */
#define TWIN_RECORD_CHUNK_MOST   (1u << 26)

/* How the writing went; `state` of the header. */
enum twin_record_state {
    TWIN_RECORD_OPEN = 1, /* still written, or the process died */
    TWIN_RECORD_CLOSED,   /* ended in order; nothing is missing */
    TWIN_RECORD_CUT       /* the recording stopped (no space); the program went on */
};

/* At offset 0. The rest of `header_bytes` is 0. */
struct twin_record_header {
    char magic[8];
    uint32_t version;
    uint32_t revision;
    uint32_t header_bytes; /* where chunk 0 begins */
    uint32_t entry_bytes;  /* sizeof(struct twin_record_entry) as the writer has it: 64 */
    uint32_t chunk_bytes;
    uint32_t state;          /* enum twin_record_state */
    uint64_t chunks;         /* places given out so far; a hint, the file may have fewer */
    uint64_t lost;           /* entries that found no place */
    uint64_t wall_origin_ns; /* monotonic clock at the first start */
    uint64_t start_time_ns;  /* the same instant, since 1970 */
    uint32_t process;        /* system id of the process */
    uint32_t seam_version;   /* TWIN_SEAM_VERSION of the writer */
    /* From this number on all SEEN, WATCHED, MOVED and ND are there, and all of the call of the
     * device that was in progress then. Before, or if it is 0, one thread alone has called a device
     * whose answers depend on its calls alone, and most of them are left out. */
    uint64_t nd_from;
    char program[256]; /* argv[0] of the process, with its end; "": not known */
};
static_assert(sizeof(struct twin_record_header) == 336, "layout");

/* At the beginning of each chunk. */
struct twin_record_chunk {
    uint32_t magic; /* TWIN_RECORD_CHUNK_MAGIC; 0: not written */
    uint32_t span;  /* places it covers: 1, or more for one long entry */
    uint64_t index; /* its own place */
    uint64_t used;  /* bytes of complete entries after this header */
    uint64_t
        follows; /* where its earlier entries are: in chunk follows - 1; 0: it has had no others */
};
static_assert(sizeof(struct twin_record_chunk) == 32, "layout");

#define TWIN_RECORD_NO_STATUS 0xffffu /* the call has not come back */

struct twin_record_entry {
    uint32_t bytes;       /* all of it: header, fields, tail; a multiple of 8 */
    uint16_t kind;        /* enum twin_record_kind */
    uint16_t fixed_bytes; /* of the fields; a multiple of 8 */
    uint32_t thread;      /* who called */
    uint16_t
        status; /* twin_status as entries STATUS name it; TWIN_OK for ops that return nothing */
    uint16_t spare;
    uint64_t begin_seq;
    uint64_t end_seq; /* 0: the call has not come back */
    uint64_t begin_ns;
    uint64_t end_ns;
    uint64_t begin_wall_ns;
    uint64_t end_wall_ns;
};
static_assert(sizeof(struct twin_record_entry) == 64, "layout");

/* In the low three bits of an entry's first two bytes. */
enum twin_record_form {
    TWIN_RECORD_WHOLE, /* struct twin_record_entry */
    TWIN_RECORD_MARK,  /* struct twin_record_mark */
    TWIN_RECORD_BRIEF, /* struct twin_record_brief */
    TWIN_RECORD_BASE,  /* struct twin_record_base */
    TWIN_RECORD_ENDED  /* struct twin_record_ended */
};
#define TWIN_RECORD_FORM_BITS 7u

/* What the marks, brief calls and ended tasks after it in its chunk have in common. */
struct twin_record_base {
    uint16_t bytes; /* with the form; so in the next three */
    uint16_t spare;
    uint32_t thread;
    uint64_t seq; /* their begin_seq counts from here, */
    uint64_t ns;  /* and begin_ns from here */
    uint64_t wall_ns;
};
static_assert(sizeof(struct twin_record_base) == 32, "layout");

struct twin_record_mark {
    uint16_t bytes;
    uint8_t kind;
    uint8_t seq_high;
    uint32_t seq; /* the low 32 bits */
};
static_assert(sizeof(struct twin_record_mark) == 8, "layout");

/* A call without a tail. */
struct twin_record_brief {
    uint16_t bytes;
    uint8_t kind;
    uint8_t status;
    uint32_t seq;
    uint8_t begin_ns[3];
    uint8_t length_ns[3];
    uint16_t end_after; /* end_seq less begin_seq; 0: the call has not come back */
};
static_assert(sizeof(struct twin_record_brief) == 16, "layout");
#define TWIN_RECORD_BRIEF_NS ((1u << 24) - 1)
#define TWIN_RECORD_LATE     UINT16_MAX /* as `end_after`: an entry RETURNED has it, and end_ns */

/* An entry TASK. */
struct twin_record_ended {
    uint16_t bytes;
    uint8_t spare;
    uint8_t result;
    uint32_t seq;
    uint32_t queue;
    uint32_t task;
    int32_t begin_ns; /* may be before the base's */
    uint32_t length_ns;
};
static_assert(sizeof(struct twin_record_ended) == 24, "layout");

/* Tail of STEPS: `lists` of these, then `steps` times struct twin_record_step. */
struct twin_record_step_list {
    uint64_t first; /* of its steps, from 0 */
    uint64_t count;
};
static_assert(sizeof(struct twin_record_step_list) == 16, "layout");

/* As twin_step (sim/include/twinsim/step.h). */
struct twin_record_step {
    uint8_t pipe;
    uint8_t kind;
    uint16_t flag;
    uint16_t hit_permille;
    uint16_t reserved;
    uint64_t amount;
    uint64_t address;
    uint32_t row_bytes;
    uint32_t pitch;
};
static_assert(sizeof(struct twin_record_step) == 32, "layout");

/* Frames of a STACK or a SCRIPT_STACK. */
#define TWIN_RECORD_STACK_MOST 16u

/* In the tail of CODE: as twin_code_place. */
struct twin_record_place {
    uint32_t place;
    uint32_t data;
};
static_assert(sizeof(struct twin_record_place) == 8, "layout");

/* Tail of memory.errors: one of these for each range that was reported. */
struct twin_record_range {
    uint64_t address;
    uint64_t bytes;
    uint64_t link; /* 0 or 1 */
};
static_assert(sizeof(struct twin_record_range) == 24, "layout");

#endif
