/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the reader share. */
#ifndef TWINRT_TOOLS_RECORDING_READING_H
#define TWINRT_TOOLS_RECORDING_READING_H

#include "recording/containers.h"
#include "recording/index.h"
#include "recording/ops.h"
#include "recording/reader.h"

#define DAMAGE_KEPT   100u
#define STATUSES_MOST 256u

struct twin_recording_place {
    uint64_t seq;
    uint64_t offset; /* in the file */
    struct twin_record_entry *entry;
};

/* Room for entries that have no whole heads in the file: they are handed out with whole ones. */
struct twin_recording_room {
    struct twin_recording_room *next;
    size_t used;
    uint64_t bytes[];
};

/* An entry TASK. */
struct twin_recording_task {
    uint32_t queue;
    uint32_t entry;
    uint64_t task;
};

struct twin_recording {
    unsigned char *bytes; /* the file */
    size_t size;
    struct twin_record_header header;
    LIST_OF(struct twin_recording_place); /* entries, by begin_seq */
    struct twin_recording_room *rooms;
    struct twin_recording_damage damage[DAMAGE_KEPT];
    size_t damage_count;
    /* lookup.c */
    LIST_OF(struct twin_recording_object) objects; /* by role and number */
    LIST_OF(struct twin_recording_task) tasks;     /* by queue, task and place */
    struct twin_recording_index stamps;            /* by of_seq */
    struct twin_recording_index statuses;          /* by value */
    uint16_t own_statuses[STATUSES_MOST]; /* this build's, by value; TWIN_STATUS_COUNT: not known */
};

/* What is read of a chunk: forms.c. */
struct twin_recording_forms {
    struct twin_record_base base; /* the last one */
    bool has_base;
};
/* Bytes of the entry that begins at `at`; 0: none does that ends by `end`, its head within it. */
uint64_t twin_recording_entry_fits(const twin_recording *recording,
                                   const struct twin_recording_forms *forms, uint64_t at,
                                   uint64_t end);
/* That entry, with a whole head. NULL: no host memory. */
struct twin_record_entry *twin_recording_whole_entry(twin_recording *recording,
                                                     const struct twin_recording_forms *forms,
                                                     uint64_t at);

/* Makes the tables of lookup.c. False: out of memory. */
bool twin_recording_make_tables(twin_recording *recording);

/* Parts of twin_ops_load(). False: out of memory. How far the device had come at each op, from the
 * entries that have it, in the order in which ops came back: */
bool twin_ops_add_device_times(const twin_recording *recording, struct twin_ops *out);
/* Which signals are shared and opened in this recording alone: */
bool twin_ops_add_shares(const twin_recording *recording, struct twin_ops *out);
/* What orders host threads, if the recording has all of it that could be seen: */
bool twin_ops_add_edges(const twin_recording *recording, struct twin_ops *out);

#endif
