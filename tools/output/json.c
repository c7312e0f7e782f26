/* SPDX-License-Identifier: Apache-2.0 */
#include "output/json.h"

#include <errno.h>
#include <stdlib.h>

static bool lost; /* a builder was out of memory: members may be missing from now on */

cJSON *json_file_read(const char *path)
{
    char *text = NULL;
    size_t room = 0;
    errno = 0;
    FILE *file = fopen(path, "re");
    const ssize_t length = file ? getdelim(&text, &room, '\0', file) : -1;
    const int error = length < 0 ? errno : 0;
    if (file)
        (void)fclose(file);
    cJSON *root = length > 0 ? cJSON_Parse(text) : NULL;
    free(text);
    errno = error;
    return root;
}

double json_number(const cJSON *object, const char *key)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);
    return cJSON_IsNumber(item) ? item->valuedouble : 0.0;
}

const char *json_text(const cJSON *object, const char *key)
{
    const char *text = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, key));
    return text ? text : "";
}

/* What was to be added; what could not be is freed. */
static void note(bool added, cJSON *item)
{
    lost = lost || !added;
    if (!added)
        cJSON_Delete(item);
}

cJSON *json_add_members(cJSON *object, const struct json_member *members)
{
    for (; members->name; members++)
        note(cJSON_AddItemToObject(object, members->name, members->value), members->value);
    return object;
}

cJSON *json_append(cJSON *list, cJSON *item)
{
    note(cJSON_AddItemToArray(list, item), item);
    return list;
}

cJSON *json_list_of(cJSON *item)
{
    return json_append(cJSON_CreateArray(), item);
}

bool json_print(cJSON *root, FILE *out)
{
    char *text = lost ? NULL : cJSON_Print(root);
    cJSON_Delete(root);
    if (text)
        fprintf(out, "%s\n", text);
    cJSON_free(text);
    return text != NULL;
}
