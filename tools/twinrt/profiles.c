/* SPDX-License-Identifier: Apache-2.0 */
/* The profiles that TWINRT_PROFILE may name, and the SoC of a profile. */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "output/json.h"
#include "tool.h"

#define ENDING ".json"
#define BASES  8 /* files, each the base of the one before */

static int is_profile(const struct dirent *entry)
{
    size_t bytes = strlen(entry->d_name);
    return bytes > strlen(ENDING) && strcmp(entry->d_name + bytes - strlen(ENDING), ENDING) == 0;
}

static const char *soc_of(const cJSON *root)
{
    return json_text(cJSON_GetObjectItemCaseSensitive(root, "soc_name"), "value");
}

/* The part and the base that a file names; its other values are not checked. */
static void print_profile(const char *folder, const char *file_name)
{
    char path[PATH_MAX + 256];
    (void)snprintf(path, sizeof(path), "%s/%s", folder, file_name);
    cJSON *root = json_file_read(path);
    const char *base = json_text(root, "base");
    int bytes = (int)(strlen(file_name) - strlen(ENDING));
    printf("  %-12.*s %s%s%s\n", bytes, file_name, *soc_of(root) ? soc_of(root) : "cannot be read",
           *base ? ", on the base of " : "", base);
    cJSON_Delete(root);
}

int twin_tool_profiles(const char *folder)
{
    struct dirent **entries = NULL;
    int count = scandir(folder, &entries, is_profile, alphasort);
    if (count < 0)
        return twin_tool_error(-1, "there are no profiles at %s: %s", folder, strerror(errno));
    printf("profiles in %s:\n", folder);
    for (int i = 0; i < count; i++) {
        print_profile(folder, entries[i]->d_name);
        free(entries[i]);
    }
    free(entries);
    return 0;
}

int twin_tool_profile_path(const char *profile, char *out_path, size_t path_bytes)
{
    if (!strchr(profile, '/'))
        return twin_tool_library(out_path, path_bytes, "/twinrt/profiles/%s" ENDING, profile);
    (void)snprintf(out_path, path_bytes, "%s", profile);
    return 0;
}

int twin_tool_profile_soc(const char *profile, char *soc, size_t soc_bytes)
{
    char path[PATH_MAX], name[NAME_MAX];
    soc[0] = '\0';
    if (twin_tool_profile_path(profile, path, sizeof(path)) != 0)
        return -1;
    for (int files = 0; soc[0] == '\0' && files < BASES; files++) {
        cJSON *root = json_file_read(path);
        (void)snprintf(soc, soc_bytes, "%s", soc_of(root));
        (void)snprintf(name, sizeof(name), "%s", json_text(root, "base"));
        cJSON_Delete(root);
        if (name[0] == '\0' ||
            twin_tool_library(path, sizeof(path), "/twinrt/profiles/%s" ENDING, name) != 0)
            break;
    }
    if (soc[0] != '\0')
        return 0;
    return twin_tool_error(
        -1, "the profile %s cannot be read or names no SoC; see twinrt info --profiles", profile);
}
