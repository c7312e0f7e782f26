/* SPDX-License-Identifier: Apache-2.0 */
#include "recording/print.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

struct printing {
    const twin_recording *recording;
    const struct twin_recording_print *how;
    const twin_recording_memory *memory;
    FILE *to;
};

static void put_quoted(FILE *to, const char *text)
{
    fputc('"', to);
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        if (c == '"' || c == '\\')
            fprintf(to, "\\%c", c);
        else if (c < 0x20 || c == 0x7f)
            fprintf(to, "\\u%04x", c);
        else
            fputc(c, to);
    }
    fputc('"', to);
}

/* One word, with nothing that a terminal would act on. */
static bool is_word(const char *text)
{
    const char *at = text;
    while ((unsigned char)*at > ' ' && *at != 0x7f && *at != '"' && *at != '\\')
        at++;
    return at != text && *at == '\0';
}

/* In JSON texts are quoted; in lines only those that are not one word. */
static void put_text(const struct printing *p, const char *text)
{
    if (p->how->json || !is_word(text))
        put_quoted(p->to, text);
    else
        fputs(text, p->to);
}

static void put_name(const struct printing *p, const char *name)
{
    if (p->how->json)
        fprintf(p->to, ", \"%s\": ", name);
    else
        fprintf(p->to, " %s=", name);
}

static void put_address(const struct printing *p, uint64_t address)
{
    char text[64];
    const struct twin_recording_range *range =
        p->memory ? twin_recording_memory_at(p->memory, address) : NULL;
    if (!p->how->stable)
        (void)snprintf(text, sizeof(text), "0x%" PRIx64, address);
    else if (address == 0)
        (void)snprintf(text, sizeof(text), "0");
    else if (range)
        (void)snprintf(text, sizeof(text), "%s%" PRIu32 "+%" PRIu64,
                       range->host ? "host" : "memory", range->number, address - range->at.begin);
    else
        (void)snprintf(text, sizeof(text), "elsewhere");
    put_text(p, text);
}

static bool is_left_out(const struct printing *p, const struct twin_recording_field *field)
{
    return field->role == TWIN_RECORD_ROLE_SPARE ||
           (p->how->stable &&
            (field->role == TWIN_RECORD_ROLE_SYSTEM || field->role == TWIN_RECORD_ROLE_POINTER)) ||
           strcmp(field->name, "text_bytes") == 0;
}

static void put_value(const struct printing *p, const struct twin_recording_field *field,
                      uint64_t value)
{
    const char *word = twin_recording_word((enum twin_record_role)field->role, value);
    char text[32];
    switch (field->role) {
    case TWIN_RECORD_ROLE_ADDRESS:
        put_address(p, value);
        return;
    case TWIN_RECORD_ROLE_HEX:
    case TWIN_RECORD_ROLE_POINTER:
        (void)snprintf(text, sizeof(text), "0x%" PRIx64, value);
        put_text(p, text);
        return;
    case TWIN_RECORD_ROLE_STRING:
        put_text(p, twin_recording_string(p->recording, (uint32_t)value));
        return;
    case TWIN_RECORD_ROLE_STATUS:
        put_text(p, twin_recording_status(p->recording, (unsigned)value));
        return;
    case TWIN_RECORD_ROLE_REAL: {
        double real;
        memcpy(&real, &value, sizeof(real));
        fprintf(p->to, isfinite(real) ? "%.17g" : "\"%g\"", real);
        return;
    }
    case TWIN_RECORD_ROLE_CODE:
        fprintf(p->to, "%" PRId64, (int64_t)value);
        return;
    case TWIN_RECORD_ROLE_NS:
        if (value == UINT64_MAX)
            put_text(p, "forever");
        else
            fprintf(p->to, "%" PRIu64, value);
        return;
    default:
        if (word)
            put_text(p, word);
        else
            fprintf(p->to, "%" PRIu64, value);
    }
}

static void put_texts(const struct printing *p, const struct twin_record_entry *entry)
{
    size_t bytes;
    const char *at = twin_recording_tail(entry, &bytes);
    if (!at)
        return;
    put_name(p, "texts");
    fputc('[', p->to);
    bool first = true;
    for (const char *end = at + bytes; at < end; at += strlen(at) + 1, first = false) {
        if (!first)
            fputs(", ", p->to);
        put_quoted(p->to, at);
    }
    fputc(']', p->to);
}

/* The items of a tail, which are of `bytes` bytes each. */
static void put_list(const struct printing *p, const struct twin_record_entry *entry,
                     const char *name, size_t bytes,
                     void (*put)(const struct printing *p, const void *item))
{
    size_t size;
    const char *at = twin_recording_tail(entry, &size);
    put_name(p, name);
    fputc('[', p->to);
    for (size_t i = 0; i < size / bytes; i++) {
        fputs(i ? ", " : "", p->to);
        put(p, at + i * bytes);
    }
    fputc(']', p->to);
}

static void put_id(const struct printing *p, const void *item)
{
    int32_t id;
    memcpy(&id, item, sizeof(id));
    fprintf(p->to, "%" PRId32, id);
}

static void put_frame(const struct printing *p, const void *item)
{
    uint64_t frame;
    memcpy(&frame, item, sizeof(frame));
    fprintf(p->to, "\"0x%" PRIx64 "\"", frame);
}

static void put_range(const struct printing *p, const void *item)
{
    struct twin_record_range range;
    memcpy(&range, item, sizeof(range));
    fputc('[', p->to);
    put_address(p, range.address);
    fprintf(p->to, ", %" PRIu64 ", %" PRIu64 "]", range.bytes, range.link);
}

static void put_tail(const struct printing *p, const struct twin_record_entry *entry,
                     enum twin_record_tail tail)
{
    struct twin_recording_code code;
    /* ids are of processes and frames addresses of code: both differ between runs */
    if (tail == TWIN_RECORD_TAIL_TEXTS)
        put_texts(p, entry);
    else if (tail == TWIN_RECORD_TAIL_IDS && !p->how->stable)
        put_list(p, entry, "ids", sizeof(int32_t), put_id);
    else if (tail == TWIN_RECORD_TAIL_FRAMES && !p->how->stable)
        put_list(p, entry, "frames", sizeof(uint64_t), put_frame);
    else if (tail == TWIN_RECORD_TAIL_RANGES)
        put_list(p, entry, "ranges", sizeof(struct twin_record_range), put_range);
    else if (twin_recording_code(entry, &code)) {
        put_name(p, "function");
        put_text(p, code.function);
    }
}

static void put_fields(const struct printing *p, const struct twin_record_entry *entry)
{
    const struct twin_recording_kind *kind = twin_recording_kind(entry->kind);
    if (!kind)
        return;
    for (unsigned i = 0; i < kind->field_count; i++) {
        const struct twin_recording_field *field = &kind->fields[i];
        bool answer = strncmp(field->name, "out_", 4) == 0;
        if (is_left_out(p, field) || (answer && !twin_recording_succeeded(entry)))
            continue;
        put_name(p, answer ? field->name + 4 : field->name);
        put_value(p, field, twin_recording_value(entry, field));
    }
    put_tail(p, entry, (enum twin_record_tail)kind->tail);
}

static const char *kind_name(const struct twin_record_entry *entry)
{
    const struct twin_recording_kind *kind = twin_recording_kind(entry->kind);
    return kind ? kind->name : "unknown";
}

/* What the call answered; NULL: it did not return. */
static const char *result_of(const struct printing *p, const struct twin_record_entry *entry)
{
    return twin_recording_ended(entry) ? twin_recording_status(p->recording, entry->status) : NULL;
}

static void put_line(const struct printing *p, const struct twin_record_entry *entry)
{
    const char *result = result_of(p, entry);
    fprintf(p->to, "%8" PRIu64 " t%-2" PRIu32 " %12" PRIu64 " ", entry->begin_seq, entry->thread,
            entry->begin_ns);
    if (result && entry->end_seq != entry->begin_seq)
        fprintf(p->to, "%+10" PRId64 " ", (int64_t)(entry->end_ns - entry->begin_ns));
    else
        fprintf(p->to, "%10s ", result ? "" : "...");
    if (!p->how->stable)
        fprintf(p->to, "[%" PRIu64 "%+" PRId64 "] ", entry->begin_wall_ns,
                result ? (int64_t)(entry->end_wall_ns - entry->begin_wall_ns) : 0);
    fputs(kind_name(entry), p->to);
    put_fields(p, entry);
    if (!result)
        fputs(" -> has not come back", p->to);
    else if (entry->status != 0) {
        fputs(" -> ", p->to);
        put_text(p, result);
    }
    fputc('\n', p->to);
}

static void put_object(const struct printing *p, const struct twin_record_entry *entry)
{
    const char *result = result_of(p, entry);
    fprintf(p->to,
            "{\"seq\": %" PRIu64 ", \"end_seq\": %" PRIu64 ", \"thread\": %" PRIu32
            ", \"op\": \"%s\", \"kind\": %u, \"begin_ns\": %" PRIu64 ", \"end_ns\": %" PRIu64,
            entry->begin_seq, entry->end_seq, entry->thread, kind_name(entry), entry->kind,
            entry->begin_ns, entry->end_ns);
    if (!p->how->stable)
        fprintf(p->to, ", \"begin_wall_ns\": %" PRIu64 ", \"end_wall_ns\": %" PRIu64,
                entry->begin_wall_ns, entry->end_wall_ns);
    fputs(", \"status\": ", p->to);
    if (result)
        put_quoted(p->to, result);
    else
        fputs("null", p->to);
    put_fields(p, entry);
    fputc('}', p->to);
}

static const char *state_of(const struct twin_record_header *header)
{
    static const char *const words[] = {
        [TWIN_RECORD_OPEN] = "open", [TWIN_RECORD_CLOSED] = "closed", [TWIN_RECORD_CUT] = "cut"};
    return header->state < sizeof(words) / sizeof(words[0]) && words[header->state]
               ? words[header->state]
               : "?";
}

static void put_head(const struct printing *p)
{
    const struct twin_record_header *header = twin_recording_header(p->recording);
    size_t damage = twin_recording_damage_count(p->recording);
    if (p->how->json) {
        fprintf(p->to, "{\"version\": %u, \"revision\": %u, \"state\": \"%s\", \"lost\": %" PRIu64,
                header->version, header->revision, state_of(header), header->lost);
        if (!p->how->stable) {
            fprintf(p->to, ", \"process\": %u, \"start_time_ns\": %" PRIu64, header->process,
                    header->start_time_ns);
            put_name(p, "program");
            put_text(p, header->program);
        }
        fputs(",\n\"damage\": [", p->to);
    } else {
        fprintf(p->to,
                "# recording version %u.%u, %s, %zu entries, %" PRIu64
                " lost, %zu damaged places\n",
                header->version, header->revision, state_of(header),
                twin_recording_count(p->recording), header->lost, damage);
    }
    for (size_t i = 0; i < damage; i++) {
        const struct twin_recording_damage *place = twin_recording_damage_at(p->recording, i);
        if (!place)
            break;
        if (!p->how->json) {
            fprintf(p->to, "# damaged at %" PRIu64 ": %s\n", place->offset, place->text);
            continue;
        }
        fprintf(p->to, "%s{\"offset\": %" PRIu64 ", \"text\": ", i ? ",\n" : "", place->offset);
        put_quoted(p->to, place->text);
        fputc('}', p->to);
    }
    if (p->how->json)
        fputs("],\n\"entries\": [\n", p->to);
    else
        fprintf(p->to, "#    seq thread    time ns       took %sop\n",
                p->how->stable ? "" : "[wall ns] ");
}

bool twin_recording_print(const twin_recording *recording, const struct twin_recording_print *how,
                          FILE *to)
{
    twin_recording_memory *memory = twin_recording_memory_new(recording);
    if (!memory)
        return false;
    const struct printing p = {.recording = recording, .how = how, .memory = memory, .to = to};
    bool good = true;
    put_head(&p);
    size_t count = twin_recording_count(recording);
    for (size_t i = 0; i < count && good; i++) {
        const struct twin_record_entry *entry = twin_recording_at(recording, i);
        /* what a free names is there until then */
        bool frees =
            entry->kind == TWIN_RECORD_MEMORY_FREE || entry->kind == TWIN_RECORD_MEMORY_HOST_FREE ||
            entry->kind == TWIN_RECORD_MEMORY_UNPIN || entry->kind == TWIN_RECORD_MEMORY_CLOSE ||
            entry->kind == TWIN_RECORD_VMM_RELEASE || entry->kind == TWIN_RECORD_WORK_FREE;
        good = frees ? i == 0 || twin_recording_memory_go(memory, i - 1)
                     : twin_recording_memory_go(memory, i);
        if (!how->json) {
            put_line(&p, entry);
            continue;
        }
        put_object(&p, entry);
        fputs(i + 1 < count ? ",\n" : "\n", to);
    }
    if (how->json)
        fputs("]}\n", to);
    twin_recording_memory_free(memory);
    return good && !ferror(to);
}
