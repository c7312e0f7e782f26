/* SPDX-License-Identifier: Apache-2.0 */
#include "core/package.h"

#include <ctype.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/backend/error.h"
#include "core/base/config.h"

#define MAJOR_WEIGHT 10000000
#define MINOR_WEIGHT 100000
#define PATCH_WEIGHT 1000
#define PART_MOST    9999 /* of any number in a version */

/* ---- files ----------------------------------------------------------------------------------- */

/* Takes the text after `key` in a line, without the blanks around it. False: another line, or too
 * long. */
static bool take_value(const char *line, const char *key, char *out_text)
{
    line += strspn(line, " \t");
    size_t length = strlen(key);
    if (strncmp(line, key, length) != 0)
        return false;
    line += length;
    line += strspn(line, " \t");
    size_t end = strlen(line);
    while (end > 0 && isspace((unsigned char)line[end - 1]))
        end--;
    if (end == 0 || end >= TWIN_VERSION_BYTES)
        return false;
    memcpy(out_text, line, end);
    out_text[end] = '\0';
    return true;
}

static bool read_version(const char *home, const char *name, char *out_text)
{
    char path[PATH_MAX];
    char line[512];
    int length = snprintf(path, sizeof(path), "%s/share/info/%s/version.info", home, name);
    if (length < 0 || (size_t)length >= sizeof(path))
        return false;
    FILE *file = fopen(path, "re");
    if (!file)
        return false;
    bool found = false;
    while (!found && fgets(line, sizeof(line), file))
        found = take_value(line, "Version=", out_text);
    (void)fclose(file);
    return found;
}

/* Exchanges '-' for '_', or the other way round. */
static void exchange(char *name)
{
    char from = strchr(name, '-') ? '-' : '_';
    for (; *name; name++)
        if (*name == from)
            *name = from == '-' ? '_' : '-';
}

int32_t twin_package_version(const char *name, char out_text[TWIN_VERSION_BYTES])
{
    char other[NAME_MAX + 1];
    size_t length = strlen(name);
    if (length == 0 || length > NAME_MAX || name[0] == '.' || strchr(name, '/'))
        return twin_fail(TWIN_ERR_INVALID_FILE, "\"%.64s\" is not the name of a package", name);
    if (strcmp(name, "driver") == 0 || strcmp(name, "firmware") == 0)
        return twin_fail(TWIN_ERR_INVALID_FILE,
                         "%s is missing below this runtime, so it has no version", name);
    const char *home = twin_setting(TWIN_SETTING_HOME);
    if (home[0] == '\0')
        return twin_fail(TWIN_ERR_INVALID_FILE,
                         "the version of the package %s is not known; set ASCEND_HOME_PATH to a "
                         "folder that has share/info/%s/version.info with a line like "
                         "Version=8.5.0",
                         name, name);
    memcpy(other, name, length + 1);
    exchange(other);
    if (read_version(home, name, out_text) || read_version(home, other, out_text))
        return 0;
    return twin_fail(TWIN_ERR_INVALID_FILE,
                     "%s/share/info/%s/version.info is not there, or has no line like "
                     "Version=8.5.0",
                     home, name);
}

/* ---- numbers --------------------------------------------------------------------------------- */

/* Reads a whole number and moves on past it. */
static bool take_number(const char **text, int32_t *out_number)
{
    if (!isdigit((unsigned char)**text))
        return false;
    char *end = NULL;
    unsigned long number = strtoul(*text, &end, 10);
    *text = end;
    *out_number = (int32_t)number;
    return number <= PART_MOST;
}

static bool take_separator(const char **text, const char *allowed)
{
    if (**text == '\0' || !strchr(allowed, **text))
        return false;
    ++*text;
    return true;
}

/* Reads "-alpha.1", "rc2" and the like to the end; adds its worth. */
static bool take_stage(const char *text, int32_t *number)
{
    static const struct {
        const char *name;
        int32_t worth;
    } stages[] = {{"alpha", 300}, {"beta", 200}, {"rc", 100}};
    int32_t count = 0;
    if (!isalnum((unsigned char)*text))
        text++;
    for (size_t i = 0; i < sizeof(stages) / sizeof(stages[0]); i++) {
        size_t length = strlen(stages[i].name);
        if (strncasecmp(text, stages[i].name, length) != 0)
            continue;
        text += length;
        if (*text != '\0') {
            (void)take_separator(&text, ".-");
            if (!take_number(&text, &count) || *text != '\0')
                return false;
        }
        *number += count - stages[i].worth;
        return true;
    }
    return false;
}

int32_t twin_version_number(const char *text, int32_t *out_number)
{
    const char *rest = text;
    int32_t major = 0, minor = 0, patch = 0;
    bool good = take_number(&rest, &major) && major <= INT32_MAX / MAJOR_WEIGHT - 1 &&
                take_separator(&rest, ".") && take_number(&rest, &minor) && minor < 100 &&
                take_separator(&rest, ".") && take_number(&rest, &patch) && patch < 100;
    int32_t number = major * MAJOR_WEIGHT + minor * MINOR_WEIGHT + patch * PATCH_WEIGHT;
    if (good && *rest != '\0')
        good = take_stage(rest, &number);
    if (!good)
        return twin_fail(TWIN_ERR_VERSION,
                         "\"%s\" is not a version like 8.5.0 or 8.5.0-beta.1, so it has no number",
                         text);
    *out_number = number;
    return 0;
}
