/* SPDX-License-Identifier: Apache-2.0 */
/* The layout of records, printed from the table that they are written and read by. */
#include <stddef.h>
#include <string.h>

#include "recording/print.h"

static void put_head(FILE *to, const char *title)
{
    fprintf(to, "### %s\n\n| Offset | Bytes | Field |\n|---|---|---|\n", title);
}

#define ROW(to, type, field)                                                                       \
    fprintf(to, "| %zu | %zu | `%s` |\n", offsetof(type, field), sizeof(((type *)0)->field), #field)

static void put_heads(FILE *to)
{
    put_head(to, "Header, at 0");
    ROW(to, struct twin_record_header, magic);
    ROW(to, struct twin_record_header, version);
    ROW(to, struct twin_record_header, revision);
    ROW(to, struct twin_record_header, header_bytes);
    ROW(to, struct twin_record_header, entry_bytes);
    ROW(to, struct twin_record_header, chunk_bytes);
    ROW(to, struct twin_record_header, state);
    ROW(to, struct twin_record_header, chunks);
    ROW(to, struct twin_record_header, lost);
    ROW(to, struct twin_record_header, wall_origin_ns);
    ROW(to, struct twin_record_header, start_time_ns);
    ROW(to, struct twin_record_header, process);
    ROW(to, struct twin_record_header, seam_version);
    ROW(to, struct twin_record_header, nd_from);
    fputc('\n', to);
    put_head(to, "Head of a chunk");
    ROW(to, struct twin_record_chunk, magic);
    ROW(to, struct twin_record_chunk, span);
    ROW(to, struct twin_record_chunk, index);
    ROW(to, struct twin_record_chunk, used);
    ROW(to, struct twin_record_chunk, follows);
    fputc('\n', to);
    put_head(to, "Head of a whole entry: form 0");
    ROW(to, struct twin_record_entry, bytes);
    ROW(to, struct twin_record_entry, kind);
    ROW(to, struct twin_record_entry, fixed_bytes);
    ROW(to, struct twin_record_entry, thread);
    ROW(to, struct twin_record_entry, status);
    ROW(to, struct twin_record_entry, begin_seq);
    ROW(to, struct twin_record_entry, end_seq);
    ROW(to, struct twin_record_entry, begin_ns);
    ROW(to, struct twin_record_entry, end_ns);
    ROW(to, struct twin_record_entry, begin_wall_ns);
    ROW(to, struct twin_record_entry, end_wall_ns);
    fputc('\n', to);
    put_head(to, "Base: form 3");
    ROW(to, struct twin_record_base, bytes);
    ROW(to, struct twin_record_base, thread);
    ROW(to, struct twin_record_base, seq);
    ROW(to, struct twin_record_base, ns);
    ROW(to, struct twin_record_base, wall_ns);
    fputc('\n', to);
    put_head(to, "Head of a mark: form 1");
    ROW(to, struct twin_record_mark, bytes);
    ROW(to, struct twin_record_mark, kind);
    ROW(to, struct twin_record_mark, seq_high);
    ROW(to, struct twin_record_mark, seq);
    fputc('\n', to);
    put_head(to, "Head of a brief call: form 2");
    ROW(to, struct twin_record_brief, bytes);
    ROW(to, struct twin_record_brief, kind);
    ROW(to, struct twin_record_brief, fixed_words);
    ROW(to, struct twin_record_brief, seq);
    ROW(to, struct twin_record_brief, end_after);
    ROW(to, struct twin_record_brief, begin_ns);
    ROW(to, struct twin_record_brief, length_ns);
    ROW(to, struct twin_record_brief, status);
    ROW(to, struct twin_record_brief, seq_high);
    fputc('\n', to);
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
          "Fields with their offsets behind the head, bytes and roles.\n\n"
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
