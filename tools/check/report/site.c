/* SPDX-License-Identifier: Apache-2.0 */
#include "check/report/site.h"

#include <fnmatch.h>
#include <ctype.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "recording/utf8.h"
#include "recording/index.h"

#define BUILD_ID_BYTES 64u

struct module {
    uint64_t seq; /* of its entry */
    uint64_t begin, end, base;
    const char *path;
    char *shown; /* the path in UTF-8 */
    unsigned char build_id[BUILD_ID_BYTES];
    size_t build_id_bytes;
};

struct check_sites {
    struct symbolizer *symbolizer;
    LIST_OF(struct module) modules; /* in the order of their entries */
    const twin_recording *recording;
    struct twin_recording_index stacks, script_stacks; /* by number */
};

static size_t bytes_of_hex(const char *text, unsigned char *out, size_t room)
{
    size_t bytes = 0;
    for (; bytes < room && isxdigit((unsigned char)text[0]) && isxdigit((unsigned char)text[1]);
         text += 2) {
        const char pair[3] = {text[0], text[1], '\0'};
        out[bytes++] = (unsigned char)strtoul(pair, NULL, 16);
    }
    return bytes;
}

static bool add_module(struct check_sites *sites, const struct twin_record_entry *entry)
{
    struct twin_record_MODULE f;
    twin_recording_fields(entry, &f, sizeof(f));
    struct module module = {.seq = entry->begin_seq,
                            .begin = f.begin,
                            .end = f.end,
                            .base = f.base,
                            .path = twin_recording_text(entry, 0)};
    module.build_id_bytes =
        bytes_of_hex(twin_recording_text(entry, 1), module.build_id, BUILD_ID_BYTES);
    module.shown = LIST_ROOM(&sites->modules) ? strdup(module.path) : NULL;
    if (!module.shown)
        return false;
    utf8_clean(module.shown);
    return LIST_ADD(&sites->modules, module);
}

struct check_sites *check_sites_new(const twin_recording *recording, struct symbolizer *symbolizer)
{
    struct check_sites *sites = calloc(1, sizeof(*sites));
    size_t count = twin_recording_count(recording);
    if (!sites)
        return NULL;
    sites->symbolizer = symbolizer;
    sites->recording = recording;
    bool good = twin_recording_index_make(recording, TWIN_RECORD_STACK, "stack", 0, count,
                                          &sites->stacks) &&
                twin_recording_index_make(recording, TWIN_RECORD_SCRIPT_STACK, "stack", 0, count,
                                          &sites->script_stacks);
    for (size_t i = 0; good && i < count; i++)
        if (twin_recording_at(recording, i)->kind == TWIN_RECORD_MODULE)
            good = add_module(sites, twin_recording_at(recording, i));
    if (good)
        return sites;
    check_sites_free(sites);
    return NULL;
}

void check_sites_free(struct check_sites *sites)
{
    if (!sites)
        return;
    free(sites->stacks.list);
    free(sites->script_stacks.list);
    for (size_t i = 0; i < sites->modules.count; i++)
        free(sites->modules.items[i].shown);
    free(sites->modules.items);
    free(sites);
}

/* A module that takes the place of one that was closed has its entry later. */
static const struct module *module_of(const struct check_sites *sites, uint64_t address,
                                      uint64_t before_seq)
{
    for (size_t i = sites->modules.count; i-- > 0;) {
        const struct module *module = &sites->modules.items[i];
        if (address >= module->begin && address < module->end && module->seq < before_seq)
            return module;
    }
    return NULL;
}

/* "libx.so", "libx.so.1", "x.cpython-311-x86_64-linux-gnu.so" */
static bool is_library(const char *name)
{
    const char *end = strstr(name, ".so");
    return end && (end[3] == '\0' || end[3] == '.');
}

static bool is_python_module(const char *name)
{
    return fnmatch("_acl.*.so", name, 0) == 0;
}

/* Where a call of op that returns to `site` was made. */
static void look(struct check_sites *sites, const twin_op *op, uint64_t site,
                 struct check_site *out)
{
    /* the call is before where it returns to */
    *out = (struct check_site){.address = site - 1, .module = "", .module_name = ""};
    const struct module *module = module_of(sites, out->address, op->begin_seq);
    if (!module)
        return;
    const char *slash = strrchr(module->shown, '/');
    out->module = module->shown;
    out->module_name = slash ? slash + 1 : module->shown;
    out->offset = out->address - module->base;
    symbolizer_look(sites->symbolizer, module->path, module->build_id, module->build_id_bytes,
                    out->offset, &out->symbol);
    utf8_clean(out->symbol.function);
    utf8_clean(out->symbol.file);
    out->is_wrapper = is_python_module(out->module_name) ||
                      (is_library(out->module_name) && out->symbol.line == 0);
}

static bool is_c_library(const struct check_site *site)
{
    return strcmp(site->module_name, "libc.so.6") == 0;
}

/* Threads begin in the library that sees them start: ours, or that of a sanitizer of gcc. */
static bool is_thread_start(const struct check_site *site)
{
    static const char *const libraries[] = {"libtwinrt-host.so", "libasan.so.", "liblsan.so.",
                                            "libtsan.so."};
    for (size_t i = 0; i < sizeof(libraries) / sizeof(libraries[0]); i++)
        if (strncmp(site->module_name, libraries[i], strlen(libraries[i])) == 0)
            return true;
    return is_c_library(site);
}

/* Without the frames that start main or a thread, and _start. */
static size_t without_start(const struct check_site *frames, size_t count)
{
    if (count > 2 && count < TWIN_RECORD_STACK_MOST && is_c_library(&frames[count - 2]))
        count--;
    while (count > 1 && is_thread_start(&frames[count - 1]))
        count--;
    return count;
}

static size_t native_stack(struct check_sites *sites, const twin_op *op,
                           const struct twin_record_entry *entry,
                           struct check_site out[TWIN_RECORD_STACK_MOST])
{
    size_t bytes;
    const char *at = twin_recording_tail(entry, &bytes);
    const size_t count = bytes / sizeof(uint64_t);
    for (size_t i = 0; i < count; i++) {
        uint64_t frame;
        memcpy(&frame, at + i * sizeof(frame), sizeof(frame));
        if (i == 0 && frame != op->site)
            return 0; /* of another call: the recording is damaged */
        look(sites, op, frame, &out[i]);
    }
    return without_start(out, count);
}

static size_t script_stack(const struct twin_record_entry *entry,
                           struct check_site out[TWIN_RECORD_STACK_MOST])
{
    size_t bytes;
    const char *at = twin_recording_tail(entry, &bytes);
    const char *const end = at + bytes;
    size_t count = 0;
    while (at < end) {
        struct check_site *site = &out[count++];
        *site = (struct check_site){.module = "", .module_name = ""};
        (void)snprintf(site->symbol.function, sizeof(site->symbol.function), "%s", at);
        at += strlen(at) + 1;
        (void)snprintf(site->symbol.file, sizeof(site->symbol.file), "%s", at);
        at += strlen(at) + 1;
        site->symbol.line = (uint32_t)strtoul(at, NULL, 10);
        at += strlen(at) + 1;
        utf8_clean(site->symbol.function);
        utf8_clean(site->symbol.file);
    }
    return count;
}

size_t check_sites_stack(struct check_sites *sites, const twin_op *op,
                         struct check_site out[TWIN_RECORD_STACK_MOST])
{
    size_t first;
    if (op->site == 0 || op->stack == 0)
        return 0;
    if (twin_recording_index_find(&sites->stacks, op->stack, &first) > 0)
        return native_stack(
            sites, op, twin_recording_at(sites->recording, sites->stacks.list[first].entry), out);
    if (twin_recording_index_find(&sites->script_stacks, op->stack, &first) > 0)
        return script_stack(
            twin_recording_at(sites->recording, sites->script_stacks.list[first].entry), out);
    return 0;
}

bool check_sites_look(struct check_sites *sites, const twin_op *op, struct check_site *out)
{
    struct check_site frames[TWIN_RECORD_STACK_MOST];
    if (op->site == 0)
        return false;
    const size_t count = check_sites_stack(sites, op, frames);
    size_t own = 0;
    while (own < count && frames[own].is_wrapper)
        own++;
    if (count == 0)
        look(sites, op, op->site, out);
    else
        *out = frames[own < count ? own : 0];
    out->is_alone = count == 0;
    return true;
}

const char *check_site_file(const struct check_site *site)
{
    char folder[PATH_MAX];
    const char *file = site->symbol.file;
    const size_t length = getcwd(folder, sizeof(folder)) ? strlen(folder) : 0;
    return length > 1 && strncmp(file, folder, length) == 0 && file[length] == '/'
               ? file + length + 1
               : file;
}

const char *check_site_hint(const struct check_site *site)
{
    if (!site->is_wrapper || !site->is_alone)
        return "";
    return is_python_module(site->module_name)
               ? "the Python module: its caller is not known (twinrt run --stacks records it)"
               : "a library without debug information: its caller is not known (twinrt run "
                 "--stacks "
                 "records it)";
}

const char *check_site_text(const struct check_site *site, char out[CHECK_SITE_LINE])
{
    char place[SYMBOL_FILE_BYTES + 32];
    if (site->symbol.line != 0)
        (void)snprintf(place, sizeof(place), "%s:%" PRIu32, check_site_file(site),
                       site->symbol.line);
    else if (site->module[0])
        (void)snprintf(place, sizeof(place), "%.900s+0x%" PRIx64, site->module_name, site->offset);
    else if (site->symbol.file[0])
        (void)snprintf(place, sizeof(place), "%s", check_site_file(site));
    else
        (void)snprintf(place, sizeof(place), "0x%" PRIx64, site->address);
    const char *hint = check_site_hint(site);
    (void)snprintf(out, CHECK_SITE_LINE, site->symbol.function[0] ? "%s (%s)%s%s" : "%s%s%s%s",
                   site->symbol.function, place, *hint ? ", " : "", hint);
    return out;
}

const char *check_sites_call(struct check_sites *sites, const twin_op *op,
                             char out[CHECK_SITE_CALL])
{
    char name[TWIN_OP_NAME];
    char line[CHECK_SITE_LINE];
    struct check_site site;
    out[0] = '\0';
    if (op->name == TWIN_OP_NONE)
        return out;
    const bool known = check_sites_look(sites, op, &site);
    (void)snprintf(out, CHECK_SITE_CALL, "%s%s%s", twin_op_name(sites->recording, op, name),
                   known ? " at " : "", known ? check_site_text(&site, line) : "");
    return out;
}
