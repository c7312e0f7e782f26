/* SPDX-License-Identifier: Apache-2.0 */
#include "profile.h"

#include <cjson/cJSON.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "suite.h"

static cJSON *load(void)
{
    char path[PATH_MAX + 64];
    const char *name = getenv("TWINRT_PROFILE");
    if (name && strchr(name, '/'))
        snprintf(path, sizeof(path), "%s", name);
    else
        snprintf(path, sizeof(path), "%s/twinrt/profiles/%s.json", twin_library_folder(),
                 name && *name ? name : "910b3");
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

uint64_t twin_profile_value(const char *name)
{
    cJSON *root = load();
    const cJSON *node = root;
    char part[64];
    const char *rest = name;
    while (node && *rest) {
        size_t length = strcspn(rest, ".");
        snprintf(part, sizeof(part), "%.*s", (int)length, rest);
        node = cJSON_GetObjectItemCaseSensitive(node, part);
        rest += length;
        rest += *rest == '.';
    }
    const cJSON *value = cJSON_GetObjectItemCaseSensitive(node, "value");
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
