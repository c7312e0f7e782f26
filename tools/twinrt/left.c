/* SPDX-License-Identifier: Apache-2.0 */
#include "left.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define A_NUMBER "[0-9]*"

static bool is_process(const char *text)
{
    return text[0] == '%' && text[1] == 'p';
}

/* Whether `path` is what `name` becomes in some process. A glob's "*" takes more than digits. */
static bool is_named(const char *name, const char *path)
{
    for (; *name && !is_process(name); name++, path++)
        if (*name != *path)
            return false;
    if (!*name) {
        if (*path == '.' && path[1])
            path += 1 + strspn(path + 1, "0123456789");
        return !*path;
    }
    while (isdigit((unsigned char)*path))
        if (is_named(name + 2, ++path))
            return true;
    return false;
}

/* NULL: memory is short. */
static char *glob_of(const char *name, const char *suffix)
{
    char *pattern = malloc(strlen(A_NUMBER) * strlen(name) + strlen(suffix) + 1);
    char *at = pattern;
    if (!pattern)
        return NULL;
    while (*name) {
        if (is_process(name)) {
            at = stpcpy(at, A_NUMBER);
            name += 2;
            continue;
        }
        if (strchr("*?[\\", *name))
            *at++ = '\\';
        *at++ = *name++;
    }
    (void)stpcpy(at, suffix);
    return pattern;
}

static bool add(struct left_files *files, const char *path)
{
    struct stat status;
    if (stat(path, &status) != 0 || !S_ISREG(status.st_mode))
        return true;
    for (size_t i = 0; i < files->count; i++)
        if (strcmp(files->items[i].path, path) == 0)
            return true;
    struct left_file *items = realloc(files->items, (files->count + 1) * sizeof(*items));
    if (!items)
        return false;
    files->items = items;
    items[files->count] = (struct left_file){.path = strdup(path), .status = status};
    return items[files->count].path && ++files->count > 0;
}

static bool add_all(const char *name, const char *suffix, struct left_files *files)
{
    glob_t found = {0};
    char *pattern = glob_of(name, suffix);
    bool good = pattern != NULL;
    int result = good ? glob(pattern, 0, NULL, &found) : 0;
    if (result == GLOB_NOSPACE)
        good = false;
    for (size_t i = 0; good && result == 0 && i < found.gl_pathc; i++)
        if (is_named(name, found.gl_pathv[i]))
            good = add(files, found.gl_pathv[i]);
    globfree(&found);
    free(pattern);
    return good;
}

bool left_find(const char *name, struct left_files *out)
{
    *out = (struct left_files){0};
    if (add_all(name, "", out) && add_all(name, "." A_NUMBER, out))
        return true;
    left_free(out);
    return false;
}

static bool is_same(const struct left_file *a, const struct left_file *b)
{
    return strcmp(a->path, b->path) == 0 && a->status.st_ino == b->status.st_ino &&
           a->status.st_dev == b->status.st_dev &&
           a->status.st_ctim.tv_sec == b->status.st_ctim.tv_sec &&
           a->status.st_ctim.tv_nsec == b->status.st_ctim.tv_nsec;
}

void left_keep_new(struct left_files *now, const struct left_files *before)
{
    size_t kept = 0;
    for (size_t i = 0; i < now->count; i++) {
        bool old = false;
        for (size_t k = 0; !old && k < before->count; k++)
            old = is_same(&now->items[i], &before->items[k]);
        if (old)
            free(now->items[i].path);
        else
            now->items[kept++] = now->items[i];
    }
    now->count = kept;
}

void left_free(struct left_files *files)
{
    for (size_t i = 0; i < files->count; i++)
        free(files->items[i].path);
    free(files->items);
    *files = (struct left_files){0};
}

void left_remove(const char *folder)
{
    DIR *list = opendir(folder);
    const struct dirent *entry;
    while (list && (entry = readdir(list)))
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            (void)unlinkat(dirfd(list), entry->d_name, 0);
    if (list)
        (void)closedir(list);
    (void)rmdir(folder);
}
