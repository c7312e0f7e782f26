/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the reader share. */
#ifndef TWINRT_TOOLS_RECORDING_READING_H
#define TWINRT_TOOLS_RECORDING_READING_H

#include "recording/reader.h"

#define DAMAGE_KEPT 100u

struct twin_recording_place {
    uint64_t seq;
    uint64_t offset; /* in the file */
    const struct twin_record_entry *entry;
};

/* Room for entries whose heads are short in the file: they are handed out with whole ones. */
struct twin_recording_room {
    struct twin_recording_room *next;
    size_t used;
    uint64_t bytes[];
};

struct twin_recording {
    unsigned char *bytes; /* the file */
    size_t size;
    struct twin_record_header header;
    struct twin_recording_place *entries; /* by begin_seq */
    size_t count, room;
    struct twin_recording_room *rooms;
    struct twin_recording_damage damage[DAMAGE_KEPT];
    size_t damage_count;
    /* lookup.c */
    struct twin_recording_object *objects; /* by role and number */
    size_t object_count;
    size_t *tasks; /* entries TASK, by queue, task and place */
    size_t task_count;
    struct {
        uint64_t of_seq;
        size_t entry;
    } * stamps; /* by of_seq */
    size_t stamp_count;
    size_t *statuses; /* entries STATUS, by value and place */
    size_t status_count;
};

/* Makes the tables of lookup.c. False: no host memory. */
bool twin_recording_index(twin_recording *recording);

#endif
