/* SPDX-License-Identifier: Apache-2.0 */
#include "core/backend/fault_file.h"

#include <cjson/cJSON.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/backend/error.h"
#include "core/base/alloc.h"
#include "core/base/file.h"

#define FILE_BYTES_MOST (1u << 20)
#define NESTING_MOST    8u
/* Numbers of JSON are exact up to here; larger ones are given as text. */
#define EXACT_MOST 9007199254740992.0

static const char *const kind_words[TWIN_FAULT_KINDS] = {
#define TWIN_FAULT_WORD(name, word) [TWIN_FAULT_##name] = word,
    TWIN_FAULT_LIST(TWIN_FAULT_WORD)
#undef TWIN_FAULT_WORD
};
static const char *const task_words[TWIN_FAULT_TASKS] = {
#define TWIN_FAULT_TASK_WORD(name, word) [TWIN_FAULT_TASK_##name] = word,
    TWIN_FAULT_TASK_LIST(TWIN_FAULT_TASK_WORD)
#undef TWIN_FAULT_TASK_WORD
};
static const char *const access_words[] = {"", "read", "write", "both"};

#define OF(name) (1u << TWIN_FAULT_##name)
/* Members that some kinds have a use for, and these kinds; all others serve every kind. */
static const struct {
    const char *member;
    uint32_t kinds;
} uses[] = {
    {"access", OF(MEMORY)},
    {"address", OF(MEMORY)},
    {"bytes", OF(MEMORY)},
    {"duration_ns", OF(ENGINE_TIMEOUT) | OF(COMPLETION_LOST) | OF(REPORTS_FULL)},
    {"factor", OF(ENGINE_SLOW)},
    {"id", OF(RECORD_LOST)},
    {"status", OF(MEMORY) | OF(ENGINE_ERROR) | OF(ENGINE_TIMEOUT)},
};
#undef OF

/* Where the trouble is, and where to say so. */
struct reader {
    char *message;
    size_t room;
    size_t entry; /* number in the list */
};

static bool refuse(const struct reader *reader, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static bool refuse(const struct reader *reader, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(reader->message, reader->room, format, arguments);
    va_end(arguments);
    return false;
}

void twin_fault_defaults(twin_fault *fault, twin_fault_kind kind)
{
    *fault = (twin_fault){.kind = kind,
                          .task = TWIN_FAULT_TASK_ANY,
                          .device = TWIN_FAULT_ANY,
                          .stream = TWIN_FAULT_ANY,
                          .id = TWIN_FAULT_ANY,
                          .first = 1,
                          .times = 1,
                          .access = TWIN_FAULT_READ};
}

/* One of some words, its number to *out. */
static bool read_word(const struct reader *reader, const cJSON *item, const char *const *words,
                      size_t count, uint32_t *out)
{
    char known[256] = "";
    size_t length = 0;
    for (size_t i = 0; i < count; i++) {
        if (cJSON_IsString(item) && words[i][0] != '\0' &&
            strcmp(words[i], item->valuestring) == 0) {
            *out = (uint32_t)i;
            return true;
        }
        if (words[i][0] != '\0' && length < sizeof(known))
            length += (size_t)snprintf(known + length, sizeof(known) - length, "%s%s",
                                       length == 0 ? "" : ", ", words[i]);
    }
    return refuse(reader, "faults[%zu].%s must be one of the words %s", reader->entry, item->string,
                  known);
}

/* A whole number from `least` to `most`; from 2^53 on, or in hexadecimal, as text. */
static bool read_number(const struct reader *reader, const cJSON *item, uint64_t least,
                        uint64_t most, uint64_t *out)
{
    bool good = false;
    if (cJSON_IsNumber(item)) {
        double value = item->valuedouble;
        good = value >= 0 && value <= EXACT_MOST && (double)(uint64_t)value == value;
        if (good)
            *out = (uint64_t)value;
    } else if (cJSON_IsString(item)) {
        const char *text = item->valuestring;
        unsigned base = text[0] == '0' && (text[1] == 'x' || text[1] == 'X') ? 16 : 10;
        const char *at = base == 16 ? text + 2 : text;
        uint64_t value = 0;
        good = *at != '\0';
        for (; good && *at != '\0'; at++) {
            const char *digits = "0123456789abcdef";
            const char *digit = strchr(digits, *at >= 'A' && *at <= 'F' ? *at - 'A' + 'a' : *at);
            uint64_t number = digit ? (uint64_t)(digit - digits) : base;
            good = number < base && value <= (UINT64_MAX - number) / base;
            if (good)
                value = value * base + number;
        }
        *out = value;
    }
    if (good && *out >= least && *out <= most)
        return true;
    return refuse(reader,
                  "faults[%zu].%s must be a whole number from %llu to %llu; one above 2^53 or in "
                  "hexadecimal numbers need quotes",
                  reader->entry, item->string, (unsigned long long)least, (unsigned long long)most);
}

static bool read_small(const struct reader *reader, const cJSON *item, uint64_t most, uint32_t *out)
{
    uint64_t value = 0;
    if (!read_number(reader, item, 0, most, &value))
        return false;
    *out = (uint32_t)value;
    return true;
}

static bool read_factor(const struct reader *reader, const cJSON *item, uint32_t *out)
{
    if (!cJSON_IsNumber(item) || !(item->valuedouble > 1 && item->valuedouble <= 1000))
        return refuse(reader, "faults[%zu].factor must be a number above 1, up to 1000",
                      reader->entry);
    *out = (uint32_t)(item->valuedouble * 1000 + 0.5);
    if (*out <= 1000)
        return refuse(reader, "faults[%zu].factor is too close to 1: thousandths count",
                      reader->entry);
    return true;
}

/* Whether the kind has a use for a member: what it has none for was meant for something. */
static bool is_used(const struct reader *reader, const char *name, twin_fault_kind kind)
{
    uint32_t kinds = UINT32_MAX;
    for (size_t i = 0; i < sizeof(uses) / sizeof(uses[0]); i++)
        if (strcmp(name, uses[i].member) == 0)
            kinds = uses[i].kinds;
    if ((kinds >> kind & 1) != 0)
        return true;
    char known[128] = "";
    size_t length = 0;
    for (unsigned i = 0; i < TWIN_FAULT_KINDS && length < sizeof(known); i++)
        if ((kinds >> i & 1) != 0)
            length += (size_t)snprintf(known + length, sizeof(known) - length, "%s%s",
                                       length == 0 ? "" : ", ", kind_words[i]);
    return refuse(reader, "faults[%zu].%s has no effect on %s; it is for %s", reader->entry, name,
                  kind_words[kind], known);
}

/* One member of a fault but its kind. */
static bool read_member(const struct reader *reader, const cJSON *item, twin_fault *fault)
{
    const char *name = item->string;
    uint32_t word = 0;
    if (!is_used(reader, name, fault->kind))
        return false;
    if (strcmp(name, "task") == 0) {
        if (!read_word(reader, item, task_words, TWIN_FAULT_TASKS, &word))
            return false;
        fault->task = (twin_fault_task)word;
        return true;
    }
    if (strcmp(name, "access") == 0)
        return read_word(reader, item, access_words, 4, &fault->access);
    if (strcmp(name, "device") == 0)
        return read_small(reader, item, 63, &fault->device);
    if (strcmp(name, "stream") == 0)
        return read_small(reader, item, 65535, &fault->stream);
    if (strcmp(name, "id") == 0)
        return read_small(reader, item, 131071, &fault->id);
    if (strcmp(name, "status") == 0)
        return read_small(reader, item, 65535, &fault->status);
    if (strcmp(name, "first") == 0)
        return read_number(reader, item, 1, UINT64_MAX, &fault->first);
    if (strcmp(name, "times") == 0)
        return read_number(reader, item, 0, UINT64_MAX, &fault->times);
    if (strcmp(name, "duration_ns") == 0)
        return read_number(reader, item, 0, TWIN_FAULT_DURATION_MOST, &fault->duration_ns);
    if (strcmp(name, "factor") == 0)
        return read_factor(reader, item, &fault->factor_permille);
    if (strcmp(name, "address") == 0)
        return read_number(reader, item, 0, UINT64_MAX, &fault->address);
    if (strcmp(name, "bytes") == 0)
        return read_number(reader, item, 1, UINT64_MAX, &fault->bytes);
    return refuse(
        reader,
        "faults[%zu].%.40s is not known; known are kind, task, device, stream, id, first, "
        "times, duration_ns, factor, address, bytes, access, status and comment",
        reader->entry, name);
}

static bool read_fault(const struct reader *reader, const cJSON *entry, twin_fault *fault)
{
    if (!cJSON_IsObject(entry))
        return refuse(reader, "faults[%zu] must be an object: {\"kind\": ...}", reader->entry);
    for (const cJSON *item = entry->child; item; item = item->next)
        for (const cJSON *other = item->next; other; other = other->next)
            if (strcmp(item->string, other->string) == 0)
                return refuse(reader, "faults[%zu].%.40s appears twice", reader->entry,
                              item->string);
    const cJSON *kind = cJSON_GetObjectItemCaseSensitive(entry, "kind");
    uint32_t word = 0;
    if (!kind)
        return refuse(reader, "faults[%zu] has no kind", reader->entry);
    if (!read_word(reader, kind, kind_words, TWIN_FAULT_KINDS, &word))
        return false;
    twin_fault_defaults(fault, (twin_fault_kind)word);
    for (const cJSON *item = entry->child; item; item = item->next)
        if (item != kind && strcmp(item->string, "comment") != 0 &&
            !read_member(reader, item, fault))
            return false;
    return true;
}

static bool read_root(struct reader *reader, const cJSON *root, twin_fault *list, size_t *out_count)
{
    const cJSON *faults = cJSON_GetObjectItemCaseSensitive(root, "faults");
    for (const cJSON *item = root->child; item; item = item->next)
        if (item != faults && strcmp(item->string, "comment") != 0)
            return refuse(reader, "\"%.40s\" is not known; the file is {\"faults\": [...]}",
                          item->string);
    if (!cJSON_IsArray(faults))
        return refuse(reader, "\"faults\" must be a list: {\"faults\": [...]}");
    size_t count = 0;
    for (const cJSON *entry = faults->child; entry; entry = entry->next) {
        if (count == TWIN_FAULT_FILE_MOST)
            return refuse(reader, "\"faults\" has more than %u entries", TWIN_FAULT_FILE_MOST);
        reader->entry = count;
        if (!read_fault(reader, entry, &list[count++]))
            return false;
    }
    *out_count = count;
    return true;
}

/* Whether no more brackets are open at once than a good file needs: the parser calls itself for
 * each. */
static bool is_flat(const char *text, size_t bytes)
{
    size_t open = 0;
    for (size_t i = 0; i < bytes; i++) {
        if (text[i] == '{' || text[i] == '[')
            open++;
        else if ((text[i] == '}' || text[i] == ']') && open > 0)
            open--;
        if (open > NESTING_MOST)
            return false;
    }
    return true;
}

twin_fault_file_result twin_fault_file_parse(const char *text, size_t bytes,
                                             twin_fault list[TWIN_FAULT_FILE_MOST],
                                             size_t *out_count, char *message, size_t room)
{
    struct reader reader = {.message = message, .room = room};
    if (memchr(text, '\0', bytes) || !is_flat(text, bytes)) {
        refuse(&reader, "invalid JSON: %s",
               memchr(text, '\0', bytes) ? "it contains a zero byte" : "it nests too deeply");
        return TWIN_FAULT_FILE_BAD;
    }
    const char *end = NULL;
    cJSON *root = cJSON_ParseWithLengthOpts(text, bytes + 1, &end, true);
    if (!root) {
        size_t line = 1;
        for (const char *at = text; end && at < end && at < text + bytes; at++)
            line += *at == '\n';
        refuse(&reader, "line %zu: invalid JSON from here on: \"%.20s\"", line,
               end && end < text + bytes ? end : "");
        return TWIN_FAULT_FILE_BAD;
    }
    bool good = cJSON_IsObject(root) ? read_root(&reader, root, list, out_count)
                                     : refuse(&reader, "the file must be {\"faults\": [...]}");
    cJSON_Delete(root);
    return good ? TWIN_FAULT_FILE_GOOD : TWIN_FAULT_FILE_BAD;
}

twin_fault_file_result twin_fault_file_read(const char *path, twin_fault list[TWIN_FAULT_FILE_MOST],
                                            size_t *out_count, char *message, size_t room)
{
    int prefix = snprintf(message, room, "%.1000s: ", path);
    if (prefix < 0 || (size_t)prefix >= room)
        return TWIN_FAULT_FILE_UNREADABLE;
    const struct reader reader = {.message = message + prefix, .room = room - (size_t)prefix};
    twin_file file;
    if (twin_file_read(path, FILE_BYTES_MOST, &file) != 0) {
        refuse(&reader, "%s", file.why);
        return TWIN_FAULT_FILE_UNREADABLE;
    }
    twin_fault_file_result result =
        twin_fault_file_parse(file.text, file.bytes, list, out_count, reader.message, reader.room);
    twin_free(file.text);
    return result;
}

/* Injects all of them or none. */
static twin_status inject_all(const struct twin_backend *table, const twin_fault *list,
                              size_t count, size_t *out_failed)
{
    uint32_t numbers[TWIN_FAULT_FILE_MOST];
    for (size_t i = 0; i < count; i++) {
        twin_status status = table->fault.inject(&list[i], &numbers[i]);
        if (status == TWIN_OK)
            continue;
        *out_failed = i;
        while (i > 0)
            (void)table->fault.remove(numbers[--i]);
        return status;
    }
    return TWIN_OK;
}

twin_status twin_fault_file_load(const struct twin_backend *table, const char *path, char *message,
                                 size_t room)
{
    twin_fault *list = twin_zalloc(TWIN_FAULT_FILE_MOST * sizeof(*list));
    if (!list) {
        snprintf(message, room, "no host memory for the faults of %s", path);
        return TWIN_E_NOMEM;
    }
    size_t count = 0;
    size_t failed = 0;
    twin_fault_file_result result = twin_fault_file_read(path, list, &count, message, room);
    twin_status status = result == TWIN_FAULT_FILE_GOOD  ? inject_all(table, list, count, &failed)
                         : result == TWIN_FAULT_FILE_BAD ? TWIN_E_INVALID
                                                         : TWIN_E_UNAVAILABLE;
    twin_free(list);
    if (result == TWIN_FAULT_FILE_GOOD && status == TWIN_E_UNSUPPORTED)
        snprintf(message, room, "%.1000s: the backend \"%s\" injects no faults", path, table->name);
    else if (result == TWIN_FAULT_FILE_GOOD && status != TWIN_OK)
        snprintf(message, room,
                 "%.1000s: faults[%zu] cannot be injected; the line above says why (%s)", path,
                 failed, twin_status_text(status));
    return status;
}
