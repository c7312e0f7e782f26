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

#define STRINGS_ROOM 4096u /* a power of two, well above the number of public functions */

extern char **environ;

/* Names by address: they are static. A slot's number is stored before its address; both stay. */
static struct {
    _Atomic(const char *) text;
    uint32_t number;
} strings[STRINGS_ROOM];
static unsigned strings_used; /* guarded by strings_lock */
static pthread_mutex_t strings_lock = PTHREAD_MUTEX_INITIALIZER;

static void put_texts(struct record_call *call, void *tail, const char *const *texts, size_t count)
{
    if (record_kept(call))
        record_texts_put(tail, texts, count);
    record_event(call);
}

static size_t slot_of(const char *text)
{
    uint64_t mixed = (uint64_t)(uintptr_t)text * 0x9e3779b97f4a7c15u;
    return (size_t)(mixed >> 40) & (STRINGS_ROOM - 1);
}

static uint32_t new_string_locked(const char *text)
{
    size_t bytes = strlen(text) + 1;
    struct record_call call;
    struct twin_record_STRING *f = RECORD_BEGIN_EVENT(&call, STRING, bytes);
    f->string = record_number(&record_numbers.strings);
    f->text_bytes = (uint32_t)bytes;
    uint32_t number = f->string;
    put_texts(&call, f + 1, &text, 1);
    return number;
}

/* The first call of that name. */
static uint32_t add_string(const char *text)
{
    uint32_t number = 0;
    pthread_mutex_lock(&strings_lock);
    size_t at = slot_of(text);
    const char *there;
    while ((there = atomic_load_explicit(&strings[at].text, memory_order_relaxed)) && there != text)
        at = (at + 1) & (STRINGS_ROOM - 1);
    if (there) {
        number = strings[at].number;
    } else if (strings_used < STRINGS_ROOM / 2) {
        strings_used++;
        number = new_string_locked(text);
        strings[at].number = number;
        atomic_store_explicit(&strings[at].text, text, memory_order_release);
    }
    pthread_mutex_unlock(&strings_lock);
    return number;
}

uint32_t record_string(const char *text)
{
    for (size_t at = slot_of(text);; at = (at + 1) & (STRINGS_ROOM - 1)) {
        const char *there = atomic_load_explicit(&strings[at].text, memory_order_acquire);
        if (__builtin_expect(there == text, 1))
            return strings[at].number;
        if (!there)
            return add_string(text);
    }
}

void record_strings_forget(void)
{
    pthread_mutex_lock(&strings_lock);
    for (size_t i = 0; i < STRINGS_ROOM; i++)
        atomic_store_explicit(&strings[i].text, NULL, memory_order_relaxed);
    strings_used = 0;
    pthread_mutex_unlock(&strings_lock);
}

/* ---- what a session runs on ----------------------------------------------------------------------- */

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

/* Whether a variable is one of ours that says more than who asked for the record and where it goes. */
static bool is_told(const char *variable)
{
    static const char *const always[] = {
        "TWINRT_BACKEND=", "TWINRT_DEVICES=", "TWINRT_DMA=", "TWINRT_PROFILE=", "TWINRT_SEED="};
    for (size_t i = 0; i < sizeof(always) / sizeof(always[0]); i++)
        if (strncmp(variable, always[i], strlen(always[i])) == 0)
            return false; /* told anyway */
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
        count += is_told(*entry);
    char **found = calloc(count + 1, sizeof(*found));
    if (!found)
        return;
    size_t used = 0;
    for (char **entry = environ; entry && *entry && used < count; entry++)
        if (is_told(*entry))
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
