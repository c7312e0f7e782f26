/* SPDX-License-Identifier: Apache-2.0 */
#include "profile.h"

#include <cjson/cJSON.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/functions.h"
#include "suite.h"

static cJSON *load_file(const char *path)
{
    FILE *file = fopen(path, "r");
    if (!file) {
        fprintf(stderr, "cannot read the profile %s\n", path);
        return NULL;
    }
    char *text = NULL;
    size_t size = 0;
    ssize_t length = getdelim(&text, &size, 0, file);
    fclose(file);
    cJSON *root = length > 0 ? cJSON_Parse(text) : NULL;
    free(text);
    return root;
}

/* Moves the members that `into` does not have from `from`; parameters are moved whole. */
static void inherit(cJSON *into, cJSON *from)
{
    for (cJSON *item = from->child, *next; item; item = next) {
        next = item->next;
        cJSON *own = cJSON_GetObjectItemCaseSensitive(into, item->string);
        if (!own)
            cJSON_AddItemToObject(into, item->string, cJSON_DetachItemViaPointer(from, item));
        else if (cJSON_IsObject(own) && !cJSON_HasObjectItem(own, "value"))
            inherit(own, item);
    }
}

/* The profile as a whole: with all that it inherits from its base, if it has one. */
static cJSON *load(void)
{
    char path[PATH_MAX + 64];
    const char *name = getenv("TWINRT_PROFILE");
    if (name && strchr(name, '/'))
        snprintf(path, sizeof(path), "%s", name);
    else
        snprintf(path, sizeof(path), "%s/twinrt/profiles/%s.json", twin_library_folder(),
                 name && *name ? name : "910b3");
    cJSON *root = load_file(path);
    for (int files = 1; root && files < 8; files++) {
        cJSON *base = cJSON_DetachItemFromObjectCaseSensitive(root, "base");
        if (!base)
            break;
        snprintf(path, sizeof(path), "%s/twinrt/profiles/%s.json", twin_library_folder(),
                 cJSON_IsString(base) ? base->valuestring : "");
        cJSON *below = load_file(path);
        cJSON_Delete(base);
        if (below)
            inherit(root, below);
        cJSON_Delete(below);
    }
    return root;
}

/* The object that holds "value" under a dotted name, or NULL. */
static cJSON *find(cJSON *root, const char *name)
{
    cJSON *node = root;
    char part[64];
    const char *rest = name;
    while (node && *rest) {
        size_t length = strcspn(rest, ".");
        snprintf(part, sizeof(part), "%.*s", (int)length, rest);
        node = cJSON_GetObjectItemCaseSensitive(node, part);
        rest += length;
        rest += *rest == '.';
    }
    return node;
}

uint64_t twin_profile_value(const char *name)
{
    cJSON *root = load();
    const cJSON *value = cJSON_GetObjectItemCaseSensitive(find(root, name), "value");
    uint64_t number = 0;
    if (cJSON_IsNumber(value)) {
        number = (uint64_t)value->valuedouble;
    } else {
        char text[128];
        snprintf(text, sizeof(text), "the profile has no number %s", name);
        twin_check_true(false, text, __FILE__, __LINE__);
    }
    cJSON_Delete(root);
    return number;
}

bool twin_profile_says(const char *name, const char *text)
{
    cJSON *root = load();
    const cJSON *value = cJSON_GetObjectItemCaseSensitive(find(root, name), "value");
    bool same = cJSON_IsString(value) && strcmp(value->valuestring, text) == 0;
    if (!cJSON_IsString(value)) {
        char said[128];
        snprintf(said, sizeof(said), "the profile has no text %s", name);
        twin_check_true(false, said, __FILE__, __LINE__);
    }
    cJSON_Delete(root);
    return same;
}

/* Series of SoCs by the beginnings of their names, as documents of products list them; the longest
 * one wins. */
static uint32_t part_of(const char *soc)
{
    static const struct {
        const char *begins;
        uint32_t part;
    } series[] = {
        {"Ascend310B", TWIN_PART_310B},    {"Ascend310P", TWIN_PART_310P},
        {"Ascend910A", TWIN_PART_910},     {"Ascend910B", TWIN_PART_A2},
        {"Ascend910_93", TWIN_PART_A3},    {"Ascend950DT_", TWIN_PART_950DT},
        {"Ascend950PR_", TWIN_PART_950PR},
    };
    for (size_t i = 0; i < sizeof(series) / sizeof(series[0]); i++)
        if (strncmp(soc, series[i].begins, strlen(series[i].begins)) == 0)
            return series[i].part;
    return 0;
}

bool twin_profile_is_of(uint32_t parts)
{
    cJSON *root = load();
    const cJSON *soc = cJSON_GetObjectItemCaseSensitive(find(root, "soc_name"), "value");
    const uint32_t part = cJSON_IsString(soc) ? part_of(soc->valuestring) : 0;
    cJSON_Delete(root);
    if (part == 0)
        twin_check_true(false, "the profile's SoC is of no known part", __FILE__, __LINE__);
    return (parts & part) != 0;
}

bool twin_profile_offers(const char *function)
{
    static const twin_api_function rows[] = {
#define TWIN_API TWIN_API_ROW
#include "api/functions.def"
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        if (strcmp(rows[i].name, function) == 0)
            return twin_profile_is_of(rows[i].parts);
    return false;
}

bool twin_profile_variant(char *file, const char *name, uint64_t value)
{
    cJSON *root = load();
    cJSON *item = cJSON_GetObjectItemCaseSensitive(find(root, name), "value");
    char *text = item ? (cJSON_SetNumberValue(item, (double)value), cJSON_Print(root)) : NULL;
    int made = text ? mkstemp(file) : -1;
    FILE *out = made >= 0 ? fdopen(made, "w") : NULL;
    bool written = out && fputs(text, out) >= 0;
    if (out)
        written = fclose(out) == 0 && written;
    cJSON_free(text);
    cJSON_Delete(root);
    return written;
}
