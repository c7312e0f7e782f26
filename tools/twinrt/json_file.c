/* SPDX-License-Identifier: Apache-2.0 */
#include "json_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

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
