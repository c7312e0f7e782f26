/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/config.h"

#include <errno.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/log.h"

#define NEAREST_NAME_BYTES 64
#define NEAREST_DISTANCE   6
#define OUR_PREFIX         "TWINRT_"
#define TESTS_PREFIX       "TWINRT_TEST_" /* for the tests of twinrt, whose programs run it too */

/* Where relative names of files are looked for and made. Written by the constructor alone; "":
 * unknown. */
static char start_folder[PATH_MAX];

__attribute__((constructor)) static void note_start_folder(void)
{
    if (!getcwd(start_folder, sizeof(start_folder)))
        start_folder[0] = '\0';
}

const twin_setting_info twin_setting_table[TWIN_SETTING_COUNT] = {
#define TWIN_SETTING_ROW(symbol, name, value, allowed, traits, help)                               \
    {name, value, allowed, traits, help},
    TWIN_SETTING_LIST(TWIN_SETTING_ROW)
#undef TWIN_SETTING_ROW
};

/* Each is read once. The copy is never freed: pointers to it are handed out. Release/acquire: the
 * bytes of the copy are written before its pointer is seen. */
static _Atomic(const char *) setting_values[TWIN_SETTING_COUNT];

/* Written before the first setting is read; NULL: this is not an inner runtime. */
static const char *inner_prefix;

void twin_settings_be_inner(const char *prefix)
{
    inner_prefix = prefix;
}

/* What the environment says, or NULL. */
static const char *given_value(twin_setting_id id)
{
    const char *name = twin_setting_table[id].name;
    if (!inner_prefix || strncmp(name, OUR_PREFIX, strlen(OUR_PREFIX)) != 0)
        return getenv(name);
    char own[2 * NEAREST_NAME_BYTES];
    snprintf(own, sizeof(own), "%s%s", inner_prefix, name + strlen(OUR_PREFIX));
    const char *value = getenv(own);
    if (!value && id == TWIN_SETTING_BACKEND)
        value = "sim"; /* never what is above */
    return value || !(twin_setting_table[id].traits & TWIN_FOR_INNER) ? value : getenv(name);
}

static bool is_relative(twin_setting_id id, const char *value)
{
    return (twin_setting_table[id].traits & TWIN_IS_PATH) && value[0] != '\0' && value[0] != '/' &&
           start_folder[0] != '\0' && (id != TWIN_SETTING_PROFILE || strchr(value, '/'));
}

/* NULL: out of memory. */
static char *copy_value(twin_setting_id id, const char *given)
{
    if (!is_relative(id, given))
        return strdup(given);
    size_t bytes = strlen(start_folder) + strlen(given) + 2;
    char *copy = malloc(bytes);
    if (copy)
        snprintf(copy, bytes, "%s/%s", start_folder, given);
    return copy;
}

const char *twin_setting(twin_setting_id id)
{
    const char *value = atomic_load_explicit(&setting_values[id], memory_order_acquire);
    if (value)
        return value;
    const char *given = given_value(id);
    const char *copy = given ? copy_value(id, given) : twin_setting_table[id].value;
    if (!copy)
        return twin_setting_table[id].value;
    if (!atomic_compare_exchange_strong_explicit(&setting_values[id], &value, copy,
                                                 memory_order_acq_rel, memory_order_acquire)) {
        if (given)
            free((char *)copy);
        return value;
    }
    return copy;
}

bool twin_setting_given(twin_setting_id id)
{
    return twin_setting(id) != twin_setting_table[id].value;
}

const char *twin_setting_named(const char *name)
{
    for (int id = 0; id < TWIN_SETTING_COUNT; id++)
        if (strcmp(twin_setting_table[id].name, name) == 0)
            return twin_setting((twin_setting_id)id);
    return "";
}

static bool parse_u64(const char *text, const char **out_end, uint64_t *out_value)
{
    if (*text < '0' || *text > '9')
        return false;
    char *end = NULL;
    errno = 0;
    *out_value = strtoull(text, &end, 10);
    *out_end = end;
    return errno == 0;
}

static bool choice_allows(const char *allowed, const char *value)
{
    size_t length = strlen(value);
    while (*allowed) {
        size_t part = strcspn(allowed, "|");
        if (part == length && strncmp(allowed, value, length) == 0)
            return true;
        allowed += part;
        allowed += *allowed == '|';
    }
    return false;
}

bool twin_setting_check(twin_setting_id id, const char *value, char *text, size_t text_bytes)
{
    const twin_setting_info *info = &twin_setting_table[id];
    if (info->allowed[0] == '\0')
        return true;

    const char *dots = strstr(info->allowed, "..");
    bool good;
    if (!dots) {
        good = choice_allows(info->allowed, value);
    } else {
        uint64_t low = 0, high = 0, number = 0;
        const char *end = NULL;
        parse_u64(info->allowed, &end, &low);
        parse_u64(dots + 2, &end, &high);
        good = parse_u64(value, &end, &number) && *end == '\0' && number >= low && number <= high;
    }
    if (!good)
        snprintf(text, text_bytes, "%s is \"%s\", but must be one of: %s", info->name, value,
                 info->allowed);
    return good;
}

bool twin_settings_check(char *text, size_t text_bytes)
{
    for (int id = 0; id < TWIN_SETTING_COUNT; id++)
        if (twin_setting_given((twin_setting_id)id) &&
            !twin_setting_check((twin_setting_id)id, twin_setting((twin_setting_id)id), text,
                                text_bytes))
            return false;
    return true;
}

/* Insertions, deletions and replacements that turn one name into the other. */
static unsigned edit_distance(const char *a, const char *b)
{
    unsigned row[NEAREST_NAME_BYTES + 1];
    size_t length = strlen(b);
    if (length > NEAREST_NAME_BYTES)
        return UINT32_MAX;
    for (size_t j = 0; j <= length; j++)
        row[j] = (unsigned)j;
    for (unsigned i = 1; *a; i++, a++) {
        unsigned diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= length; j++) {
            unsigned best = diagonal + (*a != b[j - 1]);
            diagonal = row[j];
            if (row[j] + 1 < best)
                best = row[j] + 1;
            if (row[j - 1] + 1 < best)
                best = row[j - 1] + 1;
            row[j] = best;
        }
    }
    return row[length];
}

const char *twin_setting_nearest(const char *name)
{
    const char *nearest = NULL;
    const size_t length = strlen(name);
    unsigned least = NEAREST_DISTANCE + 1;
    for (int id = 0; id < TWIN_SETTING_COUNT; id++) {
        const char *setting = twin_setting_table[id].name;
        if (strncmp(setting, name, length) == 0 && setting[length] == '_')
            return setting;
        unsigned distance = edit_distance(name, setting);
        if (distance < least) {
            least = distance;
            nearest = setting;
        }
    }
    return nearest;
}

void twin_settings_warn_unknown(void)
{
    for (char **entry = environ; entry && *entry; entry++) {
        if (strncmp(*entry, OUR_PREFIX, strlen(OUR_PREFIX)) != 0 ||
            strncmp(*entry, TWIN_INNER_PREFIX, strlen(TWIN_INNER_PREFIX)) == 0 ||
            strncmp(*entry, TESTS_PREFIX, strlen(TESTS_PREFIX)) == 0 || inner_prefix)
            continue;
        char name[NEAREST_NAME_BYTES];
        size_t length = strcspn(*entry, "=");
        if (length >= sizeof(name))
            length = sizeof(name) - 1;
        memcpy(name, *entry, length);
        name[length] = '\0';

        bool known = false;
        for (int id = 0; id < TWIN_SETTING_COUNT; id++)
            known = known || strcmp(twin_setting_table[id].name, name) == 0;
        if (known)
            continue;
        const char *nearest = twin_setting_nearest(name);
        if (nearest)
            twin_log(TWIN_LOG_WARNING, "%s is not a setting and has no effect; did you mean %s?",
                     name, nearest);
        else
            twin_log(TWIN_LOG_WARNING, "%s is not a setting and has no effect", name);
    }
}

void twin_settings_apply_log(void)
{
    const char *name = twin_setting(TWIN_SETTING_LOG);
    if (strcmp(name, "debug") == 0)
        twin_log_set_threshold(TWIN_LOG_DEBUG);
    else if (strcmp(name, "info") == 0)
        twin_log_set_threshold(TWIN_LOG_INFO);
    else if (strcmp(name, "error") == 0)
        twin_log_set_threshold(TWIN_LOG_ERROR);
    else
        twin_log_set_threshold(TWIN_LOG_WARNING);
}

void twin_settings_forget(void)
{
    for (int id = 0; id < TWIN_SETTING_COUNT; id++) {
        const char *value =
            atomic_exchange_explicit(&setting_values[id], NULL, memory_order_acq_rel);
        if (value && value != twin_setting_table[id].value)
            free((char *)value);
    }
}

bool twin_device_list_parse(const char *text, uint32_t count, uint32_t *out_list,
                            uint32_t *out_used)
{
    uint32_t used = 0;
    for (;;) {
        uint64_t number = 0;
        if (!parse_u64(text, &text, &number) || number >= count || used >= count)
            return false;
        for (uint32_t i = 0; i < used; i++)
            if (out_list[i] == number)
                return false;
        out_list[used++] = (uint32_t)number;
        if (*text == '\0')
            break;
        if (*text++ != ',')
            return false;
    }
    *out_used = used;
    return true;
}
