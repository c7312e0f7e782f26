/* SPDX-License-Identifier: Apache-2.0 */
#include "output_files.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
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

/* NULL: out of memory. */
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

/* The last `mark` in it goes. NULL: out of memory. */
static char *without(const char *path, const char *mark)
{
    char *out = strdup(path);
    char *at = NULL;
    for (char *next = out; next && *mark && (next = strstr(next, mark)); next++)
        at = next;
    if (at)
        memmove(at, at + strlen(mark), strlen(at + strlen(mark)) + 1);
    return out;
}

static bool add(struct output_files *files, const char *path, const char *mark)
{
    struct stat status;
    if (stat(path, &status) != 0 || !S_ISREG(status.st_mode))
        return true;
    for (size_t i = 0; i < files->count; i++)
        if (strcmp(files->items[i].path, path) == 0)
            return true;
    struct output_file *items = realloc(files->items, (files->count + 1) * sizeof(*items));
    if (!items)
        return false;
    files->items = items;
    items[files->count] = (struct output_file){.path = strdup(path), .name = without(path, mark)};
    files->count++; /* what there is of it is freed with the others */
    return items[files->count - 1].path && items[files->count - 1].name;
}

static bool add_all(const char *name, const char *suffix, const char *mark,
                    struct output_files *files)
{
    glob_t found = {0};
    char *pattern = glob_of(name, suffix);
    bool good = pattern != NULL;
    int result = good ? glob(pattern, 0, NULL, &found) : 0;
    if (result == GLOB_NOSPACE)
        good = false;
    for (size_t i = 0; good && result == 0 && i < found.gl_pathc; i++)
        if (is_named(name, found.gl_pathv[i]))
            good = add(files, found.gl_pathv[i], mark);
    globfree(&found);
    free(pattern);
    return good;
}

bool output_files_find(const char *name, const char *mark, struct output_files *out)
{
    *out = (struct output_files){0};
    if (add_all(name, "", mark, out) && add_all(name, "." A_NUMBER, mark, out))
        return true;
    output_files_free(out);
    return false;
}

void output_files_free(struct output_files *files)
{
    for (size_t i = 0; i < files->count; i++) {
        free(files->items[i].path);
        free(files->items[i].name);
    }
    free(files->items);
    *files = (struct output_files){0};
}

void output_files_remove(const char *folder)
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
