/* SPDX-License-Identifier: Apache-2.0 */
#include "recording/reader.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "recording/containers.h"
#include "recording/reading.h"
#include "recording/utf8.h"

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "recordings are little endian, and read as they are"
#endif

#define READ_STEP ((size_t)1 << 20)
#define SIZE_KEPT_MOST                                                                             \
    ((uint64_t)1 << 36) /* a longer file is not a recording that a tool could read */

__attribute__((format(printf, 3, 4))) static void damaged(twin_recording *recording,
                                                          uint64_t offset, const char *format, ...)
{
    if (recording->damage_count < DAMAGE_KEPT) {
        struct twin_recording_damage *damage = &recording->damage[recording->damage_count];
        va_list arguments;
        va_start(arguments, format);
        (void)vsnprintf(damage->text, sizeof(damage->text), format, arguments);
        va_end(arguments);
        damage->offset = offset;
    }
    recording->damage_count++;
}

/* ---- one entry ------------------------------------------------------------------------------- */

/* Bytes of a tail, as the fields have them. False: they are impossible. */
static bool tail_bytes(const struct twin_record_entry *entry,
                       const struct twin_recording_kind *kind, uint64_t *out_bytes)
{
    uint64_t room = entry->bytes - sizeof(*entry) - entry->fixed_bytes;
    uint64_t count = 0;
    *out_bytes = 0;
    if (kind->tail == TWIN_RECORD_TAIL_STEPS) {
        struct twin_record_STEPS steps;
        twin_recording_fields(entry, &steps, sizeof(steps));
        if (steps.lists > room / sizeof(struct twin_record_step_list) ||
            steps.steps > room / sizeof(struct twin_record_step))
            return false;
        *out_bytes = steps.lists * sizeof(struct twin_record_step_list) +
                     steps.steps * sizeof(struct twin_record_step);
        return *out_bytes <= room;
    }
    static const struct {
        const char *field;
        uint64_t size;
    } counted[TWIN_RECORD_TAILS] = {
        [TWIN_RECORD_TAIL_TEXTS] = {"text_bytes", 1},
        [TWIN_RECORD_TAIL_BYTES] = {"bytes", 1},
        [TWIN_RECORD_TAIL_RANGES] = {"returned", sizeof(struct twin_record_range)},
        [TWIN_RECORD_TAIL_IDS] = {"count", sizeof(int32_t)},
        [TWIN_RECORD_TAIL_FRAMES] = {"count", sizeof(uint64_t)},
    };
    if (!counted[kind->tail].field)
        return true;
    for (unsigned i = 0; i < kind->field_count; i++)
        if (strcmp(kind->fields[i].name, counted[kind->tail].field) == 0)
            count = twin_recording_value(entry, &kind->fields[i]);
    if (count > room / counted[kind->tail].size)
        return false;
    *out_bytes = count * counted[kind->tail].size;
    return true;
}

/* Whether all programs are within the steps. */
static bool steps_fit(const struct twin_record_entry *entry)
{
    struct twin_record_STEPS steps;
    twin_recording_fields(entry, &steps, sizeof(steps));
    const char *at = (const char *)(entry + 1) + entry->fixed_bytes;
    for (uint64_t i = 0; i < steps.lists; i++) {
        struct twin_record_step_list list;
        memcpy(&list, at + i * sizeof(list), sizeof(list));
        if (list.first > steps.steps || list.count > steps.steps - list.first)
            return false;
    }
    return true;
}

/* A number, and as many frames as a stack may have. */
static bool stack_fits(const struct twin_record_entry *entry)
{
    struct twin_record_STACK stack; /* SCRIPT_STACK begins with the number too */
    uint64_t texts = 0;
    size_t bytes;
    twin_recording_fields(entry, &stack, sizeof(stack));
    if (stack.stack == 0)
        return false;
    if (entry->kind == TWIN_RECORD_STACK)
        return stack.count > 0 && stack.count <= TWIN_RECORD_STACK_MOST;
    const char *tail = twin_recording_tail(entry, &bytes);
    for (size_t i = 0; i < bytes; i++)
        texts += tail[i] == '\0';
    return texts > 0 && texts % 3 == 0 && texts / 3 <= TWIN_RECORD_STACK_MOST;
}

/* NULL, or why the entry cannot be used. Its `bytes` are checked already. */
static const char *entry_fault(const struct twin_record_entry *entry)
{
    if (entry->fixed_bytes % 8 != 0 || entry->fixed_bytes > entry->bytes - sizeof(*entry))
        return "the fields are longer than the entry";
    if (entry->begin_seq == 0)
        return "it has no place in the order";
    if (entry->end_seq != 0 && entry->end_seq < entry->begin_seq)
        return "it ends before it begins";
    const struct twin_recording_kind *kind = twin_recording_kind(entry->kind);
    uint64_t bytes;
    if (!kind)
        return NULL; /* of a later version: readers see the kind */
    if (!tail_bytes(entry, kind, &bytes))
        return "what follows the fields is longer than the entry";
    const char *tail = (const char *)(entry + 1) + entry->fixed_bytes;
    if (kind->tail == TWIN_RECORD_TAIL_TEXTS && bytes > 0 && tail[bytes - 1] != '\0')
        return "a text has no end";
    if (kind->tail == TWIN_RECORD_TAIL_STEPS && !steps_fit(entry))
        return "a list of steps leaves the steps";
    if ((entry->kind == TWIN_RECORD_STACK || entry->kind == TWIN_RECORD_SCRIPT_STACK) &&
        !stack_fits(entry))
        return "a stack has no number, or not 1 to 16 frames";
    return NULL;
}

void twin_recording_fields(const struct twin_record_entry *entry, void *out, size_t bytes)
{
    size_t present = entry->fixed_bytes < bytes ? entry->fixed_bytes : bytes;
    memcpy(out, entry + 1, present);
    memset((char *)out + present, 0, bytes - present);
}

bool twin_recording_work(const struct twin_record_entry *entry, struct twin_record_WORK_END *out)
{
    const struct twin_recording_kind *kind = twin_recording_kind(entry->kind);
    if (!kind || strncmp(kind->name, "work.", 5) != 0)
        return false;
    twin_recording_fields(entry, out, sizeof(*out));
    return true;
}

const void *twin_recording_tail(const struct twin_record_entry *entry, size_t *out_bytes)
{
    const struct twin_recording_kind *kind = twin_recording_kind(entry->kind);
    uint64_t bytes = 0;
    *out_bytes = 0;
    if (!kind || kind->tail == TWIN_RECORD_TAIL_NONE || !tail_bytes(entry, kind, &bytes))
        return NULL;
    *out_bytes = (size_t)bytes;
    return (const char *)(entry + 1) + entry->fixed_bytes;
}

const char *twin_recording_text(const struct twin_record_entry *entry, unsigned which)
{
    const struct twin_recording_kind *kind = twin_recording_kind(entry->kind);
    size_t bytes;
    const char *at = twin_recording_tail(entry, &bytes);
    if (!at || kind->tail != TWIN_RECORD_TAIL_TEXTS)
        return "";
    for (const char *end = at + bytes; at < end; at += strlen(at) + 1)
        if (which-- == 0)
            return at;
    return "";
}

/* ---- chunks ---------------------------------------------------------------------------------- */

/* What is printed, as JSON too, are characters. The bytes are a copy of the file's. */
static void clean_texts(struct twin_record_entry *entry)
{
    const struct twin_recording_kind *kind = twin_recording_kind(entry->kind);
    size_t count;
    if (!kind || kind->tail != TWIN_RECORD_TAIL_TEXTS || !twin_recording_tail(entry, &count))
        return;
    unsigned char *at = (unsigned char *)(entry + 1) + entry->fixed_bytes;
    const unsigned char *end = at + count;
    while (at < end) {
        size_t bytes = utf8_character(at, end);
        if (bytes == 0)
            *at = '?';
        at += bytes ? bytes : 1;
    }
}

static bool read_entries(twin_recording *recording, uint64_t at, uint64_t end)
{
    struct twin_recording_forms forms = {.has_base = false};
    uint64_t bytes;
    for (; at < end; at += bytes) {
        bytes = twin_recording_entry_fits(recording, &forms, at, end);
        if (bytes == 0) {
            damaged(recording, at, "an entry does not fit; %llu bytes are left out",
                    (unsigned long long)(end - at));
            return true;
        }
        if ((recording->bytes[at] & TWIN_RECORD_FORM_BITS) == TWIN_RECORD_BASE) {
            memcpy(&forms.base, recording->bytes + at, sizeof(forms.base));
            forms.has_base = true;
            continue;
        }
        struct twin_record_entry *entry = twin_recording_whole_entry(recording, &forms, at);
        if (!entry)
            return false;
        const char *fault = entry_fault(entry);
        if (fault)
            damaged(recording, at, "an entry of kind %u: %s", entry->kind, fault);
        else if (!LIST_ADD(recording, (struct twin_recording_place){
                                          .seq = entry->begin_seq, .offset = at, .entry = entry}))
            return false;
        else
            clean_texts(entry);
    }
    return true;
}

static bool read_chunks(twin_recording *recording)
{
    const uint64_t size = recording->size;
    const uint64_t step = recording->header.chunk_bytes;
    uint64_t at = recording->header.header_bytes;
    uint64_t index = 0;
    const uint64_t places_present = size > at ? (size - at + step - 1) / step : 0;
    while (at < size) {
        struct twin_record_chunk chunk = {0};
        uint64_t places = 1;
        uint64_t present = size - at;
        memcpy(&chunk, recording->bytes + at,
               present < sizeof(chunk) ? (size_t)present : sizeof(chunk));
        if (chunk.magic == TWIN_RECORD_CHUNK_MAGIC && present >= sizeof(chunk)) {
            uint64_t room = chunk.span * step - sizeof(chunk);
            uint64_t used = chunk.used;
            if (chunk.span == 0 || chunk.index != index || used > room || used % 8 != 0) {
                damaged(recording, at, "the head of a chunk is invalid; the chunk is left out");
                used = 0;
            } else if (chunk.follows > places_present) {
                damaged(
                    recording, at,
                    "the file ends before chunk %llu, which chunk %llu follows; what came after "
                    "it is left out",
                    (unsigned long long)chunk.follows - 1, (unsigned long long)index);
                used = 0;
            } else {
                places = chunk.span;
            }
            if (used > present - sizeof(chunk)) {
                damaged(recording, size, "the file ends within a chunk; %llu bytes are missing",
                        (unsigned long long)(used - (present - sizeof(chunk))));
                used = (present - sizeof(chunk)) & ~(uint64_t)7;
            }
            if (!read_entries(recording, at + sizeof(chunk), at + sizeof(chunk) + used))
                return false;
        } else if (chunk.magic != 0) {
            damaged(recording, at, "no chunk begins here; the chunk is left out");
        }
        if (places > (size - at + step - 1) / step)
            break;
        at += places * step;
        index += places;
    }
    return true;
}

static int compare(const void *left, const void *right)
{
    const struct twin_recording_place *a = left;
    const struct twin_recording_place *b = right;
    return ORDER_2(a->seq, b->seq, a->offset, b->offset);
}

static void sort_entries(twin_recording *recording)
{
    for (size_t i = 1; i < recording->count; i++)
        if (compare(&recording->items[i - 1], &recording->items[i]) > 0) {
            qsort(recording->items, recording->count, sizeof(*recording->items), compare);
            return;
        }
}

/* The entry with this begin_seq among the first `count`. */
static size_t find(const twin_recording *recording, size_t count, uint64_t begin_seq)
{
    const size_t low = PARTITION_POINT(count, i, recording->items[i].seq < begin_seq);
    return low < count && recording->items[low].seq == begin_seq ? low : TWIN_RECORDING_NONE;
}

/* Puts ends of calls where they belong. Entries are sorted. */
static void take_returned(twin_recording *recording)
{
    size_t kept = 0;
    for (size_t i = 0; i < recording->count; i++) {
        struct twin_record_RETURNED late;
        if (!TWIN_RECORDING_GET(recording->items[i].entry, RETURNED, &late)) {
            recording->items[kept++] = recording->items[i];
            continue;
        }
        /* what precedes is kept, in order, and the call is among it */
        const size_t at = find(recording, kept, late.of_seq);
        struct twin_record_entry *call =
            at == TWIN_RECORDING_NONE ? NULL : recording->items[at].entry;
        /* a writer that died before it wrote the status has not ended the call */
        if (!call || call->end_seq != 0 || late.end_seq < call->begin_seq ||
            call->status == TWIN_RECORD_NO_STATUS)
            continue;
        call->end_seq = late.end_seq;
        call->end_ns = late.end_ns;
        call->end_wall_ns = call->begin_wall_ns;
    }
    recording->count = kept;
}

/* A writer that died while it copied a chunk left its entries in both places. They are sorted. */
static void drop_copies(twin_recording *recording)
{
    size_t kept = 0;
    for (size_t i = 0; i < recording->count; i++) {
        const struct twin_record_entry *entry = recording->items[i].entry;
        const struct twin_record_entry *last = kept > 0 ? recording->items[kept - 1].entry : NULL;
        if (!last || last->begin_seq != entry->begin_seq || last->bytes != entry->bytes ||
            memcmp(last, entry, entry->bytes) != 0)
            recording->items[kept++] = recording->items[i];
    }
    recording->count = kept;
}

/* ---- the file -------------------------------------------------------------------------------- */

static enum twin_recording_result check_header(const twin_recording *recording, const char *name,
                                               char *error, size_t error_bytes)
{
    const struct twin_record_header *header = &recording->header;
    if (recording->size < sizeof(*header) ||
        memcmp(header->magic, TWIN_RECORD_MAGIC, sizeof(header->magic)) != 0) {
        (void)snprintf(error, error_bytes, "%s is not a recording of twinrt", name);
        return TWIN_RECORDING_E_FORMAT;
    }
    if (header->version != TWIN_RECORD_VERSION) {
        (void)snprintf(error, error_bytes,
                       "%s is a recording of version %u; expected %u: use the twinrt that "
                       "recorded it, or record again",
                       name, header->version, TWIN_RECORD_VERSION);
        return TWIN_RECORDING_E_FORMAT;
    }
    uint32_t chunk = header->chunk_bytes;
    if (header->header_bytes != TWIN_RECORD_HEADER_BYTES ||
        header->entry_bytes != sizeof(struct twin_record_entry) ||
        chunk < TWIN_RECORD_CHUNK_LEAST || chunk > TWIN_RECORD_CHUNK_MOST ||
        (chunk & (chunk - 1)) != 0) {
        (void)snprintf(error, error_bytes, "%s: the head of the recording is damaged", name);
        return TWIN_RECORDING_E_FORMAT;
    }
    return TWIN_RECORDING_OK;
}

/* Takes recording->bytes. */
static enum twin_recording_result make(twin_recording *recording, const char *name,
                                       twin_recording **out, char *error, size_t error_bytes)
{
    memcpy(&recording->header, recording->bytes,
           recording->size < sizeof(recording->header) ? recording->size
                                                       : sizeof(recording->header));
    recording->header.program[sizeof(recording->header.program) - 1] = '\0';
    utf8_clean(recording->header.program);
    enum twin_recording_result result = check_header(recording, name, error, error_bytes);
    if (result == TWIN_RECORDING_OK &&
        (!read_chunks(recording) ||
         (sort_entries(recording), drop_copies(recording), take_returned(recording),
          !twin_recording_make_tables(recording)))) {
        (void)snprintf(error, error_bytes, "%s: out of memory", name);
        result = TWIN_RECORDING_E_MEMORY;
    }
    if (result == TWIN_RECORDING_OK)
        *out = recording;
    else
        twin_recording_free(recording);
    return result;
}

/* Room for the bytes of a file, all 0, which takes memory as it is filled in. */
static bool make_room(twin_recording *recording, uint64_t size)
{
    void *place = mmap(NULL, (size_t)size + 1, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (place == MAP_FAILED)
        return false;
    recording->bytes = place;
    recording->size = (size_t)size;
    return true;
}

/* The next part of the file that is not a hole. False: there is none. */
static bool next_part(int file, uint64_t size, uint64_t *at, uint64_t *out_end)
{
    off_t begin = lseek(file, (off_t)*at, SEEK_DATA);
    if (begin < 0 && errno == ENXIO)
        return false;
    if (begin < 0) /* nothing is known of holes */
        begin = (off_t)*at;
    off_t end = lseek(file, begin, SEEK_HOLE);
    *at = (uint64_t)begin;
    *out_end = end < 0 || (uint64_t)end > size ? size : (uint64_t)end;
    return *at < *out_end;
}

/* One part; what is not there any more stays 0. */
static bool read_part(int file, unsigned char *bytes, uint64_t at, uint64_t end)
{
    while (at < end) {
        size_t step = end - at < READ_STEP ? (size_t)(end - at) : READ_STEP;
        ssize_t got = pread(file, bytes + at, step, (off_t)at);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return got == 0;
        at += (uint64_t)got;
    }
    return true;
}

/* A file is as long as it says, however little is in it: holes are not read, and the one at its end
 * is left out, except what may belong to a chunk. */
static bool read_all(int file, uint64_t size, twin_recording *recording)
{
    uint64_t at = 0;
    uint64_t end = 0;
    uint64_t last = 0;
    for (; next_part(file, size, &at, &end); at = end)
        last = end;
    uint64_t kept = size - last < TWIN_RECORD_CHUNK_MOST ? size : last + TWIN_RECORD_CHUNK_MOST;
    if (kept > SIZE_KEPT_MOST) {
        errno = EFBIG;
        return false;
    }
    if (!make_room(recording, kept))
        return false;
    for (at = 0; next_part(file, kept, &at, &end); at = end)
        if (!read_part(file, recording->bytes, at, end))
            return false;
    return true;
}

enum twin_recording_result twin_recording_read(const char *path, twin_recording **out, char *error,
                                               size_t error_bytes)
{
    struct stat status;
    enum twin_recording_result result = TWIN_RECORDING_E_FILE;
    twin_recording *recording = NULL;
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (file < 0 || fstat(file, &status) != 0) {
        (void)snprintf(error, error_bytes, "%s: %s", path, strerror(errno));
    } else if (!S_ISREG(status.st_mode)) {
        (void)snprintf(error, error_bytes, "%s is not a regular file", path);
    } else if (!(recording = calloc(1, sizeof(*recording))) ||
               !read_all(file, (uint64_t)status.st_size, recording)) {
        if (errno == ENOMEM)
            result = TWIN_RECORDING_E_MEMORY;
        (void)snprintf(error, error_bytes, "%s: %s", path, strerror(errno));
        twin_recording_free(recording);
    } else {
        result = make(recording, path, out, error, error_bytes);
    }
    if (file >= 0)
        (void)close(file);
    return result;
}

enum twin_recording_result twin_recording_read_bytes(const void *bytes, size_t size,
                                                     const char *name, twin_recording **out,
                                                     char *error, size_t error_bytes)
{
    twin_recording *recording = calloc(1, sizeof(*recording));
    if (!recording || !make_room(recording, size)) {
        (void)snprintf(error, error_bytes, "%s: out of memory", name);
        free(recording);
        return TWIN_RECORDING_E_MEMORY;
    }
    memcpy(recording->bytes, bytes, size);
    return make(recording, name, out, error, error_bytes);
}

void twin_recording_free(twin_recording *recording)
{
    if (!recording)
        return;
    free(recording->statuses.list);
    free(recording->stamps.list);
    free(recording->tasks.items);
    free(recording->objects.items);
    free(recording->items);
    while (recording->rooms) {
        struct twin_recording_room *next = recording->rooms->next;
        free(recording->rooms);
        recording->rooms = next;
    }
    if (recording->bytes)
        (void)munmap(recording->bytes, recording->size + 1);
    free(recording);
}

const struct twin_record_header *twin_recording_header(const twin_recording *recording)
{
    return &recording->header;
}

size_t twin_recording_damage_count(const twin_recording *recording)
{
    return recording->damage_count;
}

const struct twin_recording_damage *twin_recording_damage_at(const twin_recording *recording,
                                                             size_t index)
{
    return index < recording->damage_count && index < DAMAGE_KEPT ? &recording->damage[index]
                                                                  : NULL;
}

size_t twin_recording_count(const twin_recording *recording)
{
    return recording->count;
}

const struct twin_record_entry *twin_recording_at(const twin_recording *recording, size_t index)
{
    return recording->items[index].entry;
}

uint64_t twin_recording_offset(const twin_recording *recording, size_t index)
{
    return recording->items[index].offset;
}

size_t twin_recording_find(const twin_recording *recording, uint64_t begin_seq)
{
    return find(recording, recording->count, begin_seq);
}
