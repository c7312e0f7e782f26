/* SPDX-License-Identifier: Apache-2.0 */
/* `twinrt info --memory`: the addresses that a device gives, or the memory map of a recording. */
#include "info_memory.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check/report/site.h"
#include "output/json.h"
#include "output/layout.h"
#include "recording/memory_map.h"
#include "recording/utf8.h"
#include "tool.h"

#define MODULE_APP     33u
#define MODULE_RUNTIME 7u

/* ---- what a device gives --------------------------------------------------------------------- */

bool info_memory_is_fact(const char *name)
{
    return strncmp(name, "address.", strlen("address.")) == 0 ||
           strncmp(name, "page.", strlen("page.")) == 0;
}

static void print_fact(void *context, const twin_fact *fact)
{
    unsigned *count = context;
    uint64_t begin, end;
    char label[96];
    char size[LAYOUT_BYTES];
    if (!info_memory_is_fact(fact->name))
        return;
    if (sscanf(fact->value, "%" SCNx64 "-%" SCNx64, &begin, &end) == 2 && begin < end) {
        if ((*count)++ == 0)
            printf("addresses, unless something else of the process is there:\n");
        (void)layout_bytes(end - begin, size);
        (void)snprintf(label, sizeof(label), "  0x%012" PRIx64 " to 0x%012" PRIx64 "  %-9s", begin,
                       end, size);
    } else {
        (void)layout_bytes(strtoull(fact->value, NULL, 10), size);
        (void)snprintf(label, sizeof(label), "page of %-7s  ", size);
    }
    layout_print(stdout, layout_width(stdout), (unsigned)strlen(label), label, fact->source);
}

void info_memory_print(const struct twin_backend *backend)
{
    unsigned count = 0;
    if (backend->diag.facts)
        backend->diag.facts(print_fact, &count);
    if (count == 0)
        printf("addresses: the driver of the device decides\n");
}

/* ---- the map of a recording ------------------------------------------------------------------ */

bool info_memory_moment(const char *text, uint64_t *out)
{
    char *end = NULL;
    errno = 0;
    if (!text || strcmp(text, "max") == 0) {
        *out = TWIN_MEMORY_AT_MOST;
        return true;
    }
    if (strcmp(text, "end") == 0) {
        *out = TWIN_MEMORY_AT_END;
        return true;
    }
    *out = strtoull(text, &end, 10);
    return *text >= '0' && *text <= '9' && *end == '\0' && errno == 0 && *out < TWIN_MEMORY_AT_END;
}

struct map {
    const twin_recording *recording;
    struct check_sites *sites;
    struct symbolizer *symbolizer;
    struct twin_memory_map rows;
};

/* What the columns do not have. */
static const char *detail_text(const struct twin_memory_row *row, char text[96])
{
    text[0] = '\0';
    if (row->kind == TWIN_MEMORY_REGISTERED_ROW && row->detail != 0)
        (void)snprintf(text, 96, "0x%" PRIx64 " for the device; ", row->detail);
    else if (row->kind == TWIN_MEMORY_PHYSICAL_ROW)
        (void)snprintf(text, 96, "physical memory %" PRIu64 "; ", row->detail);
    else if (row->kind == TWIN_MEMORY_MAPPING_ROW)
        (void)snprintf(text, 96, "of physical memory %" PRIu64 "; ", row->detail);
    else if (row->module == MODULE_RUNTIME)
        (void)snprintf(text, 96, "of the runtime; ");
    else if (row->module != MODULE_APP)
        (void)snprintf(text, 96, "of module %" PRIu32 "; ", row->module);
    return text;
}

static void print_row(struct map *map, const struct twin_memory_row *row)
{
    char address[32] = "-";
    char page[LAYOUT_BYTES] = "-";
    char device[16] = "-";
    char stream[16] = "-";
    char detail[96];
    char call[CHECK_SITE_CALL];
    char text[sizeof(detail) + sizeof(call)];
    if (row->address != 0)
        (void)snprintf(address, sizeof(address), "0x%012" PRIx64, row->address);
    if (row->page_bytes != 0)
        (void)layout_bytes(row->page_bytes, page);
    if (row->device != TWIN_MEMORY_NO_DEVICE)
        (void)snprintf(device, sizeof(device), "%" PRIu32, row->device);
    if (row->stream != TWIN_MEMORY_NO_STREAM)
        (void)snprintf(stream, sizeof(stream), "%" PRIu32, row->stream);
    printf("%-14s %14" PRIu64 "  %-6s  %-11s  %6s  %6s\n", address, row->bytes, page,
           twin_memory_row_word(row->kind), device, stream);
    (void)snprintf(text, sizeof(text), "%s%s", detail_text(row, detail),
                   check_sites_call(map->sites, &row->call, call));
    const size_t length = strlen(text);
    if (length > 2 && strcmp(text + length - 2, "; ") == 0) /* no call is known */
        text[length - 2] = '\0';
    if (text[0] != '\0')
        layout_print(stdout, layout_width(stdout), 4, "    ", text);
}

static void print_map(struct map *map, const char *path, uint64_t seq)
{
    const struct twin_memory_map *rows = &map->rows;
    char when[64] = "";
    if (seq == TWIN_MEMORY_AT_MOST)
        (void)snprintf(when, sizeof(when), ", when most device memory was allocated");
    printf("%s: after seq %" PRIu64 " of %" PRIu64 "%s\n", path, rows->seq, rows->last_seq, when);
    printf("device memory: %" PRIu64 " bytes, at the end %" PRIu64 "\n", rows->device_bytes,
           rows->left_bytes);
    if (rows->rows.count == 0) {
        printf("nothing is allocated, registered or reserved\n");
        return;
    }
    printf("%-14s %14s  %-6s  %-11s  %6s  %6s\n", "address", "bytes", "pages", "kind", "device",
           "stream");
    for (size_t i = 0; i < rows->rows.count; i++)
        print_row(map, &rows->rows.items[i]);
}

static cJSON *json_row(struct map *map, const struct twin_memory_row *row)
{
    char address[32];
    char detail[32];
    char name[TWIN_OP_NAME];
    char line[CHECK_SITE_LINE];
    struct check_site site;
    (void)snprintf(address, sizeof(address), "0x%" PRIx64, row->address);
    (void)snprintf(detail, sizeof(detail), "0x%" PRIx64, row->detail);
    cJSON *object = json_object(JSON_NUMBER("bytes", row->bytes),
                                JSON_TEXT("kind", twin_memory_row_word(row->kind)),
                                JSON_NUMBER("module", row->module));
    if (row->address != 0)
        json_add(object, JSON_TEXT("address", address));
    if (row->page_bytes != 0)
        json_add(object, JSON_NUMBER("page_bytes", row->page_bytes));
    if (row->device != TWIN_MEMORY_NO_DEVICE)
        json_add(object, JSON_NUMBER("device", row->device));
    if (row->stream != TWIN_MEMORY_NO_STREAM)
        json_add(object, JSON_NUMBER("stream", row->stream));
    if (row->kind == TWIN_MEMORY_REGISTERED_ROW && row->detail != 0)
        json_add(object, JSON_TEXT("device_address", detail));
    else if (row->detail != 0)
        json_add(object, JSON_NUMBER("memory", row->detail));
    if (row->call.name != TWIN_OP_NONE)
        json_add(object, JSON_TEXT("call", twin_op_name(map->recording, &row->call, name)));
    if (row->call.name != TWIN_OP_NONE && check_sites_look(map->sites, &row->call, &site))
        json_add(object, JSON_TEXT("site", check_site_text(&site, line)));
    return object;
}

static bool print_json(struct map *map, const char *path)
{
    cJSON *list = cJSON_CreateArray();
    for (size_t i = 0; i < map->rows.rows.count; i++)
        json_append(list, json_row(map, &map->rows.rows.items[i]));
    char *shown = strdup(path);
    if (shown)
        utf8_clean(shown);
    const bool good = json_print(
        json_object(JSON_TEXT("recording", shown ? shown : ""), JSON_NUMBER("seq", map->rows.seq),
                    JSON_NUMBER("last_seq", map->rows.last_seq),
                    JSON_NUMBER("device_bytes", map->rows.device_bytes),
                    JSON_NUMBER("left_bytes", map->rows.left_bytes), JSON_ITEM("rows", list)),
        stdout);
    free(shown);
    return good;
}

int info_memory_recording(const char *path, uint64_t seq, bool json)
{
    twin_recording *recording = twin_tool_read_recording(path);
    if (!recording)
        return -1;
    twin_tool_report_damage(recording, path);
    struct map map = {.recording = recording, .symbolizer = symbolizer_new()};
    map.sites = map.symbolizer ? check_sites_new(recording, map.symbolizer) : NULL;
    bool good = map.sites && twin_memory_map_make(recording, seq, &map.rows);
    if (good && json)
        good = print_json(&map, path);
    else if (good)
        print_map(&map, path, seq);
    if (!good)
        (void)twin_tool_error(-1, "%s: out of memory", path);
    twin_memory_map_free(&map.rows);
    check_sites_free(map.sites);
    symbolizer_free(map.symbolizer);
    twin_recording_free(recording);
    return good ? 0 : -1;
}
