/* SPDX-License-Identifier: Apache-2.0 */
/* Texts: names of public calls, and what a session runs on. */
#include <stdlib.h>
#include <string.h>

#include "ops.h"

size_t record_texts_bytes(const char *const *texts, size_t count)
{
    size_t bytes = 0;
    for (size_t i = 0; i < count; i++)
        bytes += strlen(texts[i]) + 1;
    return bytes;
}

void record_texts_put(char *to, const char *const *texts, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        size_t bytes = strlen(texts[i]) + 1;
        memcpy(to, texts[i], bytes);
        to += bytes;
    }
}

extern char **environ;

static void put_texts(struct record_call *call, void *tail, const char *const *texts, size_t count)
{
    if (record_kept(call))
        record_texts_put(tail, texts, count);
    record_event(call);
}

static uint32_t new_call_site(const twin_call *call, uint64_t site)
{
    static pthread_mutex_t lock =
        PTHREAD_MUTEX_INITIALIZER; /* a number that is found has its entry */
    const uint32_t depth = record_self.depth;
    const uintptr_t name = (uintptr_t)call->name; /* which is static */
    const uint64_t words[] = {name, site, record_pair((uint32_t)call->cost, depth)};
    struct record_key key;
    uint32_t number;
    record_key_start(&key);
    record_key_add(&key, words, sizeof(words));
    pthread_mutex_lock(&lock);
    if (record_seen_new(&record_seen_sites, &key, &record_numbers.sites, &number)) {
        const size_t bytes = strlen(call->name) + 1;
        struct record_call event;
        struct twin_record_CALL_SITE *f = RECORD_BEGIN_EVENT(&event, CALL_SITE, bytes);
        f->number = number;
        f->text_bytes = (uint32_t)bytes;
        f->cost = (uint32_t)call->cost;
        f->depth = depth;
        f->site = site;
        put_texts(&event, f + 1, &call->name, 1);
    }
    pthread_mutex_unlock(&lock);
    return number;
}

/* The return address of the public call that this thread has begun, whose file the recording has;
 * 0: not known. */
static uint64_t site_of_call(void)
{
    struct record_thread *self = &record_self;
    if (!self->place && record_services->place)
        self->place = record_services->place();
    const uintptr_t site = self->place ? (uintptr_t)self->place->site : 0;
    if (self->place && !record_is_settled(site))
        record_new_site(site);
    return site;
}

uint32_t record_call_site(const twin_call *call)
{
    struct record_thread *self = &record_self;
    const uint64_t site = site_of_call();
    const struct record_site *known = self->depth == 0 ? record_known_site(call, site) : NULL;
    if (known)
        return known->number;
    const uint32_t number = new_call_site(call, site);
    if (!self->sites && self->place)
        self->sites = calloc(RECORD_SITES, sizeof(*self->sites));
    if (self->sites && self->depth == 0)
        self->sites[RECORD_SITE_SLOT(site)] = (struct record_site){
            .name = call->name, .site = site, .cost = (uint32_t)call->cost, .number = number};
    return number;
}

/* ---- what a session runs on ------------------------------------------------------------------ */

static void note_statuses(void)
{
    static const struct {
        const char *name;
        int32_t code;
    } statuses[] = {
#define STATUS_ROW(name, code, text) {#name, code},
        TWIN_STATUS_LIST(STATUS_ROW)
#undef STATUS_ROW
    };
    for (uint32_t i = 0; i < TWIN_STATUS_COUNT; i++) {
        size_t bytes = strlen(statuses[i].name) + 1;
        struct record_call call;
        struct twin_record_STATUS *f = RECORD_BEGIN_EVENT(&call, STATUS, bytes);
        f->value = i;
        f->code = statuses[i].code;
        f->text_bytes = (uint32_t)bytes;
        put_texts(&call, f + 1, &statuses[i].name, 1);
    }
}

static void note_setting(uint32_t number, const char *name, const char *value)
{
    const char *const texts[] = {name, value};
    size_t bytes = record_texts_bytes(texts, 2);
    struct record_call call;
    struct twin_record_SETTING *f = RECORD_BEGIN_EVENT(&call, SETTING, bytes);
    f->number = number;
    f->text_bytes = (uint32_t)bytes;
    put_texts(&call, f + 1, texts, 2);
}

static int compare(const void *left, const void *right)
{
    return strcmp(*(char *const *)left, *(char *const *)right);
}

/* Whether a variable is a setting of the runtime other than the name of the recording. */
static bool is_extra_setting(const char *variable)
{
    static const char *const always[] = {
        "TWINRT_BACKEND=", "TWINRT_DEVICES=", "TWINRT_DMA=", "TWINRT_PROFILE=", "TWINRT_SEED="};
    for (size_t i = 0; i < sizeof(always) / sizeof(always[0]); i++)
        if (strncmp(variable, always[i], strlen(always[i])) == 0)
            return false; /* written anyway */
    return strncmp(variable, "ASCEND_RT_VISIBLE_DEVICES=", 26) == 0 ||
           (strncmp(variable, "TWINRT_", 7) == 0 && strncmp(variable, "TWINRT_RECORD=", 14) != 0 &&
            strncmp(variable, "TWINRT_RUN_PAGE=", 16) != 0);
}

/* Those that the environment gives, and those that every run has, by name. */
static void note_settings(void)
{
    static const char *const always[] = {"TWINRT_BACKEND", "TWINRT_DEVICES", "TWINRT_DMA",
                                         "TWINRT_PROFILE", "TWINRT_SEED"};
    uint32_t number = 0;
    for (size_t i = 0; i < sizeof(always) / sizeof(always[0]); i++)
        note_setting(number++, always[i], record_services->setting(always[i]));
    size_t count = 0;
    for (char **entry = environ; entry && *entry; entry++)
        count += is_extra_setting(*entry);
    char **found = calloc(count + 1, sizeof(*found));
    if (!found)
        return;
    size_t used = 0;
    for (char **entry = environ; entry && *entry && used < count; entry++)
        if (is_extra_setting(*entry))
            found[used++] = *entry;
    qsort(found, used, sizeof(*found), compare);
    for (size_t i = 0; i < used; i++) {
        char name[64];
        size_t length = strcspn(found[i], "=");
        if (length >= sizeof(name))
            continue;
        memcpy(name, found[i], length);
        name[length] = '\0';
        note_setting(number++, name, found[i] + length + 1);
    }
    free(found);
}

static void note_fact(void *context, const twin_fact *fact)
{
    uint32_t *number = context;
    const char *const texts[] = {fact->name, fact->value,  fact->unit,
                                 fact->mark, fact->source, fact->base};
    size_t bytes = record_texts_bytes(texts, 6);
    struct record_call call;
    struct twin_record_FACT *f = RECORD_BEGIN_EVENT(&call, FACT, bytes);
    f->number = (*number)++;
    f->text_bytes = (uint32_t)bytes;
    put_texts(&call, f + 1, texts, 6);
}

void record_session_texts(void)
{
    uint32_t facts = 0;
    note_statuses();
    note_settings();
    record_below.diag.facts(note_fact, &facts);
}
