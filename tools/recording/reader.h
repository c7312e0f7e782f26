/* SPDX-License-Identifier: Apache-2.0 */
/* Reads what TWINRT_RECORD wrote (seam/record_file.h says what that is).
 *
 * A file may be cut off, damaged or made up: every size, offset and count is checked when it is
 * read. What cannot be used is left out and listed as damage; what is handed out is whole: an entry
 * is in memory up to its `bytes`, its tail is as long as its fields say, and texts have their ends
 * and are UTF-8: what no character is made of is "?". Numbers of objects may still name none, and
 * answers may be nonsense.
 *
 * The file is read into memory, so it may be one that is still being written. Everything handed out
 * lives until twin_recording_free(). After reading nothing changes: several threads may look. */
#ifndef TWINRT_TOOLS_RECORDING_READER_H
#define TWINRT_TOOLS_RECORDING_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "recording/interval_map.h"
#include "seam/record_file.h"
#include "seam/record_kinds.h"

typedef struct twin_recording twin_recording;

#define TWIN_RECORDING_NONE SIZE_MAX /* no such entry */

enum twin_recording_result {
    TWIN_RECORDING_OK,
    TWIN_RECORDING_E_FILE,   /* cannot be read */
    TWIN_RECORDING_E_FORMAT, /* no recording, or of another version */
    TWIN_RECORDING_E_MEMORY
};

/* On failure `error` says what is wrong. A damaged recording is read as far as it goes. */
enum twin_recording_result twin_recording_read(const char *path, twin_recording **out, char *error,
                                               size_t error_bytes);
/* The same of bytes in memory, which are copied; `name` is for messages. */
enum twin_recording_result twin_recording_read_bytes(const void *bytes, size_t size,
                                                     const char *name, twin_recording **out,
                                                     char *error, size_t error_bytes);
void twin_recording_free(twin_recording *recording);

const struct twin_record_header *twin_recording_header(const twin_recording *recording);

struct twin_recording_damage {
    uint64_t offset; /* in the file */
    char text[120];
};
/* How many places could not be used; the first of them, up to a hundred, can be looked at. */
size_t twin_recording_damage_count(const twin_recording *recording);
const struct twin_recording_damage *twin_recording_damage_at(const twin_recording *recording,
                                                             size_t index);

/* ---- entries, in the order of begin_seq ------------------------------------------------------ */

size_t twin_recording_count(const twin_recording *recording);
/* index < count. */
const struct twin_record_entry *twin_recording_at(const twin_recording *recording, size_t index);
/* Where in the file it is. */
uint64_t twin_recording_offset(const twin_recording *recording, size_t index);
/* The entry with this begin_seq, or TWIN_RECORDING_NONE. */
size_t twin_recording_find(const twin_recording *recording, uint64_t begin_seq);

/* Whether the call came back, and came back well. */
static inline bool twin_recording_ended(const struct twin_record_entry *entry)
{
    return entry->end_seq != 0;
}
static inline bool twin_recording_succeeded(const struct twin_record_entry *entry)
{
    return entry->end_seq != 0 && entry->status == 0;
}

/* Copies an entry's fields; what the entry lacks is 0, what `bytes` does not hold is left out. */
void twin_recording_fields(const struct twin_record_entry *entry, void *out, size_t bytes);
/* struct twin_record_WORK_COPY copy; if (TWIN_RECORDING_GET(entry, WORK_COPY, &copy)) ...: false
 * for another kind. */
#define TWIN_RECORDING_GET(entry, NAME, out)                                                       \
    ((entry)->kind == TWIN_RECORD_##NAME &&                                                        \
     (twin_recording_fields((entry), (struct twin_record_##NAME *){(out)},                         \
                            sizeof(struct twin_record_##NAME)),                                    \
      true))
/* Fields of any kind. */
union twin_recording_any {
#define TWIN_RECORDING_MEMBER(number, NAME, text, fields, tail) struct twin_record_##NAME NAME;
    TWIN_RECORD_KIND_LIST(TWIN_RECORDING_MEMBER)
#undef TWIN_RECORDING_MEMBER
    char bytes[256];
};
/* All work ops begin alike. False: it is none. */
bool twin_recording_work(const struct twin_record_entry *entry, struct twin_record_WORK_END *out);

/* The tail without its padding. NULL and 0: it has none. */
const void *twin_recording_tail(const struct twin_record_entry *entry, size_t *out_bytes);
/* Whether the results of all its kernels were computed. False: `error` says which were not, why
 * that matters and what to do. */
bool twin_recording_computed(const twin_recording *recording, const char *path, char *error,
                             size_t error_bytes);
/* Text number `which` of a tail of texts, from 0; "" when there are fewer. */
const char *twin_recording_text(const struct twin_record_entry *entry, unsigned which);

/* ---- kinds (kinds.c) ------------------------------------------------------------------------- */

struct twin_recording_field {
    const char *name;
    uint16_t offset;
    uint8_t bytes; /* 4 or 8 */
    uint8_t role;  /* enum twin_record_role */
};
struct twin_recording_kind {
    uint16_t number; /* enum twin_record_kind */
    uint16_t bytes;  /* of its fields */
    uint16_t field_count;
    uint8_t tail; /* enum twin_record_tail */
    const char *name;
    const struct twin_recording_field *fields;
};
/* NULL: this reader does not know it. */
const struct twin_recording_kind *twin_recording_kind(unsigned number);
/* Value of a field; sign-extended for CODE. A field that the entry lacks is 0. */
uint64_t twin_recording_value(const struct twin_record_entry *entry,
                              const struct twin_recording_field *field);
/* The word for a value of a role that is an enum of the seam, or NULL. */
const char *twin_recording_word(enum twin_record_role role, uint64_t value);
/* "queue", "address", ... */
const char *twin_recording_role_name(enum twin_record_role role);

/* ---- what entries name (lookup.c) ------------------------------------------------------------ */

/* "aclrtMemcpyAsync"; "?" when the file does not have it. */
const char *twin_recording_string(const twin_recording *recording, uint32_t string);
/* "TWIN_E_BUSY"; "?" when the file does not have it. */
const char *twin_recording_status(const twin_recording *recording, unsigned status);
/* This build's status of that name; TWIN_STATUS_COUNT: it has none, or the file does not have the
 * name. */
uint32_t twin_recording_own_status(const twin_recording *recording, unsigned status);
/* Name of a status of this build; "?" for others. */
const char *twin_recording_own_status_name(uint32_t status);
/* Value of a setting, or of a fact of the last session; NULL: it is not in the file. */
const char *twin_recording_setting(const twin_recording *recording, const char *name);
const char *twin_recording_fact(const twin_recording *recording, const char *name);

struct twin_recording_steps {
    const struct twin_record_step_list *lists; /* each within the steps */
    const struct twin_record_step *steps;
    uint64_t list_count;
    uint64_t step_count;
};
/* False: there is no such list. */
bool twin_recording_steps(const twin_recording *recording, uint32_t list,
                          struct twin_recording_steps *out);
/* The parts of an entry CODE. False: it is none, or they do not fit. */
struct twin_recording_code {
    const struct twin_record_place *places;
    uint64_t place_count;
    const void *args;
    uint64_t args_bytes;
    const char *function;
};
bool twin_recording_code(const struct twin_record_entry *entry, struct twin_recording_code *out);
/* NULL: there is no such data. */
const void *twin_recording_data(const twin_recording *recording, uint32_t data, size_t *out_bytes);

/* Something with a number: `role` is QUEUE, SIGNAL, CALL_QUEUE, MODEL_INSTANCE, KERNEL, IMAGE,
 * STEPS, DATA or STRING. */
struct twin_recording_object {
    uint32_t number;
    uint32_t role;
    size_t made; /* entry */
    size_t gone; /* entry, or TWIN_RECORDING_NONE */
};
size_t twin_recording_object_count(const twin_recording *recording);
/* Sorted by role, then number. */
const struct twin_recording_object *twin_recording_object_at(const twin_recording *recording,
                                                             size_t index);
/* NULL: nothing that has this number was made. */
const struct twin_recording_object *
twin_recording_object(const twin_recording *recording, enum twin_record_role role, uint32_t number);

/* How many entries TASK there are of `count` tasks from `first` on. */
size_t twin_recording_tasks_among(const twin_recording *recording, uint32_t queue, uint64_t first,
                                  uint32_t count);

/* When the work of an op ran on the device: from the first of its tasks to begin to the last to
 * end. */
struct twin_recording_times {
    bool begun; /* begin_ns is known */
    bool ended; /* end_ns and status are known: all its tasks have ended */
    uint32_t status;
    uint64_t begin_ns;
    uint64_t end_ns;
};
/* From entries TASK, in the first run if there are several, else from a STAMP, which has the end
 * alone. */
void twin_recording_times(const twin_recording *recording, size_t index,
                          struct twin_recording_times *out);

/* ---- memory as the run goes on (memory.c) ---------------------------------------------------- */

/* What is allocated at one place of the recording: give it the entries in order. */
typedef struct twin_recording_memory twin_recording_memory;
struct twin_recording_range {
    struct interval at;
    size_t made;     /* entry: memory.alloc or memory.host_alloc */
    uint32_t number; /* of the allocation in the recording, from 1 */
    uint32_t pins;   /* of the program's memory: devices it is registered with */
    bool host;
};
/* NULL: no host memory. */
twin_recording_memory *twin_recording_memory_new(const twin_recording *recording);
void twin_recording_memory_free(twin_recording_memory *memory);
/* Takes what entries up to and with `index` say. Indexes never fall. False: no host memory. */
bool twin_recording_memory_go(twin_recording_memory *memory, size_t index);
/* The allocation that holds the address; NULL: none of those that are recorded. Valid until the
 * next go. */
const struct twin_recording_range *twin_recording_memory_at(const twin_recording_memory *memory,
                                                            uint64_t address);

#endif
