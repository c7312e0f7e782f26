/* SPDX-License-Identifier: Apache-2.0 */
/* The layout of recordings, printed from the table that they are written and read by. */
#include <stddef.h>
#include <string.h>

#include "recording/print.h"

struct row {
    const char *field;
    size_t offset, bytes;
};

static void put_table(FILE *to, const char *title, const struct row *rows, size_t count)
{
    fprintf(to, "### %s\n\n| Offset | Bytes | Field |\n|---|---|---|\n", title);
    for (size_t i = 0; i < count; i++)
        fprintf(to, "| %zu | %zu | `%s` |\n", rows[i].offset, rows[i].bytes, rows[i].field);
    fputc('\n', to);
}

#define PUT(to, title, rows) put_table(to, title, rows, sizeof(rows) / sizeof((rows)[0]))
#define ROW(type, member)                                                                          \
    {                                                                                              \
#member, offsetof(struct twin_record_##type, member),                                      \
            sizeof(((struct twin_record_##type *)0)->member)                                       \
    }

static void put_heads(FILE *to)
{
    static const struct row header[] = {
        ROW(header, magic),          ROW(header, version),       ROW(header, revision),
        ROW(header, header_bytes),   ROW(header, entry_bytes),   ROW(header, chunk_bytes),
        ROW(header, state),          ROW(header, chunks),        ROW(header, lost),
        ROW(header, wall_origin_ns), ROW(header, start_time_ns), ROW(header, process),
        ROW(header, seam_version),   ROW(header, nd_from),       ROW(header, program)};
    static const struct row chunk[] = {ROW(chunk, magic), ROW(chunk, span), ROW(chunk, index),
                                       ROW(chunk, used), ROW(chunk, follows)};
    static const struct row entry[] = {
        ROW(entry, bytes),         ROW(entry, kind),       ROW(entry, fixed_bytes),
        ROW(entry, thread),        ROW(entry, status),     ROW(entry, begin_seq),
        ROW(entry, end_seq),       ROW(entry, begin_ns),   ROW(entry, end_ns),
        ROW(entry, begin_wall_ns), ROW(entry, end_wall_ns)};
    static const struct row base[] = {ROW(base, bytes), ROW(base, thread), ROW(base, seq),
                                      ROW(base, ns), ROW(base, wall_ns)};
    static const struct row mark[] = {ROW(mark, bytes), ROW(mark, kind), ROW(mark, seq_high),
                                      ROW(mark, seq)};
    static const struct row brief[] = {
        ROW(brief, bytes),    ROW(brief, kind),      ROW(brief, status),   ROW(brief, seq),
        ROW(brief, begin_ns), ROW(brief, length_ns), ROW(brief, end_after)};
    static const struct row ended[] = {
        ROW(ended, bytes), ROW(ended, result),   ROW(ended, seq),      ROW(ended, queue),
        ROW(ended, task),  ROW(ended, begin_ns), ROW(ended, length_ns)};
    PUT(to, "Header, at 0", header);
    PUT(to, "Head of a chunk", chunk);
    PUT(to, "Head of a whole entry: form 0", entry);
    PUT(to, "Base: form 3", base);
    PUT(to, "Head of a mark: form 1", mark);
    PUT(to, "Head of a brief call: form 2", brief);
    PUT(to, "Ended task: form 4", ended);
}

void twin_recording_print_layout(FILE *to)
{
    static const char *const tails[] = {
#define TAIL_NAME(name) [TWIN_RECORD_TAIL_##name] = #name,
        TWIN_RECORD_TAIL_LIST(TAIL_NAME)
#undef TAIL_NAME
    };
    put_heads(to);
    fputs("### Kinds of entries\n\n"
          "Fields with their offsets after the head, bytes and roles.\n\n"
          "| Kind | Entry | Fields | Tail |\n|---|---|---|---|\n",
          to);
    for (unsigned number = 0; number < TWIN_RECORD_KINDS_END; number++) {
        const struct twin_recording_kind *kind = twin_recording_kind(number);
        if (!kind)
            continue;
        fprintf(to, "| %u | `%s` | ", number, kind->name);
        for (unsigned i = 0; i < kind->field_count; i++) {
            const struct twin_recording_field *field = &kind->fields[i];
            fprintf(to, "%s%u+%u `%s` %s", i ? ", " : "", field->offset, field->bytes, field->name,
                    twin_recording_role_name((enum twin_record_role)field->role));
        }
        fprintf(to, " | %s |\n", kind->tail == TWIN_RECORD_TAIL_NONE ? "" : tails[kind->tail]);
    }
}
