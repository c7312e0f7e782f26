/* SPDX-License-Identifier: Apache-2.0 */
/* The profiles that TWINRT_PROFILE may name, and the SoC of a profile. */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "output/json.h"
#include "tool.h"

#define ENDING ".json"
#define BASES  8 /* files, each the base of the one before */

static bool ends_as_profile(const char *name)
{
    size_t bytes = strlen(name);
    return bytes > strlen(ENDING) && strcmp(name + bytes - strlen(ENDING), ENDING) == 0;
}

static int is_profile(const struct dirent *entry)
{
    return ends_as_profile(entry->d_name);
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

/* "; expected 310b1, 310p3, 950": what may be named of a folder. The model has the same text. */
static void names_in(const char *folder, char *text, size_t bytes)
{
    struct dirent **entries = NULL;
    size_t used = 0;
    const int count = scandir(folder, &entries, is_profile, alphasort);
    (void)snprintf(text, bytes, "%s", ", which has no profiles");
    for (int i = 0; i < count; i++) {
        const char *name = entries[i]->d_name;
        if (used < bytes)
            used +=
                (size_t)snprintf(text + used, bytes - used, "%s%.*s", i > 0 ? ", " : "; expected ",
                                 (int)(strlen(name) - strlen(ENDING)), name);
        free(entries[i]);
    }
    free(entries);
}

bool twin_tool_profile_is_there(const char *profile, char *error, size_t error_bytes)
{
    char path[PATH_MAX];
    char folder[PATH_MAX];
    char names[1024];
    struct stat file;
    if (!*profile) {
        (void)snprintf(error, error_bytes, "the profile is empty; expected a name or a file");
        return false;
    }
    (void)snprintf(error, error_bytes, "the profiles cannot be found");
    if (twin_tool_profile_path(profile, path, sizeof(path)) != 0 ||
        twin_tool_library(folder, sizeof(folder), "/twinrt/profiles") != 0)
        return false;
    if (access(path, R_OK) == 0 && stat(path, &file) == 0) {
        if (!S_ISDIR(file.st_mode))
            return true;
        errno = EISDIR;
    }
    if (strchr(profile, '/') || errno != ENOENT) {
        (void)snprintf(error, error_bytes, "profile %s: cannot be read: %s", path, strerror(errno));
        return false;
    }
    names_in(folder, names, sizeof(names));
    (void)snprintf(error, error_bytes,
                   "there is no profile %s in %s%s; a file of your own is named with a \"/\" "
                   "(./%s%s)",
                   profile, folder, names, profile, ends_as_profile(profile) ? "" : ENDING);
    return false;
}

int twin_tool_profile_soc(const char *profile, char *soc, size_t soc_bytes)
{
    char path[PATH_MAX], name[NAME_MAX];
    char error[2 * PATH_MAX];
    soc[0] = '\0';
    if (!twin_tool_profile_is_there(profile, error, sizeof(error)))
        return twin_tool_error(-1, "%s", error);
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
    return twin_tool_error(-1,
                           "profile %s names no SoC that can be read; see twinrt info --profile %s",
                           profile, profile);
}
