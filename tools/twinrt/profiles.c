/* SPDX-License-Identifier: Apache-2.0 */
/* What TWINRT_PROFILE may name, for `twinrt info --profiles`, and the part that a profile is of. */
#include <cjson/cJSON.h>
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tool.h"

#define ENDING ".json"
#define BASES  8 /* files on each other */

static int is_profile(const struct dirent *entry)
{
    size_t bytes = strlen(entry->d_name);
    return bytes > strlen(ENDING) && strcmp(entry->d_name + bytes - strlen(ENDING), ENDING) == 0;
}

static cJSON *read_profile(const char *path)
{
    char *text = NULL;
    size_t room = 0;
    FILE *file = fopen(path, "r");
    ssize_t length = file ? getdelim(&text, &room, 0, file) : -1;
    if (file)
        (void)fclose(file);
    cJSON *root = length > 0 ? cJSON_Parse(text) : NULL;
    free(text);
    return root;
}

/* The part and the base that a file names; whether its values are good is not looked at. */
static void print_profile(const char *folder, const char *file_name)
{
    char path[PATH_MAX + 256];
    (void)snprintf(path, sizeof(path), "%s/%s", folder, file_name);
    cJSON *root = read_profile(path);
    const cJSON *soc = cJSON_GetObjectItemCaseSensitive(root, "soc_name");
    const cJSON *name = cJSON_GetObjectItemCaseSensitive(soc, "value");
    const cJSON *base = cJSON_GetObjectItemCaseSensitive(root, "base");
    int bytes = (int)(strlen(file_name) - strlen(ENDING));
    printf("  %-12.*s %s%s%s\n", bytes, file_name,
           cJSON_IsString(name) ? name->valuestring : "cannot be read",
           cJSON_IsString(base) ? ", on the base of " : "",
           cJSON_IsString(base) ? base->valuestring : "");
    cJSON_Delete(root);
}

int twin_tool_profiles(const char *folder)
{
    struct dirent **entries = NULL;
    int count = scandir(folder, &entries, is_profile, alphasort);
    if (count < 0) {
        fprintf(stderr, "twinrt: there are no profiles at %s: %s\n", folder, strerror(errno));
        return -1;
    }
    printf("profiles in %s:\n", folder);
    for (int i = 0; i < count; i++) {
        print_profile(folder, entries[i]->d_name);
        free(entries[i]);
    }
    free(entries);
    return 0;
}

int twin_tool_profile_soc(const char *profile, char *soc, size_t soc_bytes)
{
    char folder[PATH_MAX], path[2 * PATH_MAX], name[NAME_MAX];
    if (twin_tool_library_folder(folder, sizeof(folder)) != 0)
        return -1;
    soc[0] = '\0';
    (void)snprintf(path, sizeof(path), "%s", profile);
    if (!strchr(profile, '/'))
        (void)snprintf(path, sizeof(path), "%s/twinrt/profiles/%s" ENDING, folder, profile);
    for (int files = 0; soc[0] == '\0' && files < BASES; files++) {
        cJSON *root = read_profile(path);
        const cJSON *base = cJSON_GetObjectItemCaseSensitive(root, "base");
        const cJSON *text = cJSON_GetObjectItemCaseSensitive(
            cJSON_GetObjectItemCaseSensitive(root, "soc_name"), "value");
        if (cJSON_IsString(text))
            (void)snprintf(soc, soc_bytes, "%s", text->valuestring);
        (void)snprintf(name, sizeof(name), "%s", cJSON_IsString(base) ? base->valuestring : "");
        cJSON_Delete(root);
        if (name[0] == '\0')
            break;
        (void)snprintf(path, sizeof(path), "%s/twinrt/profiles/%s" ENDING, folder, name);
    }
    if (soc[0] != '\0')
        return 0;
    fprintf(stderr,
            "twinrt: the profile %s cannot be read or names no SoC; see twinrt info --profiles\n",
            profile);
    return -1;
}
