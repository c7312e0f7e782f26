/* SPDX-License-Identifier: Apache-2.0 */
#include "run_family.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "recording/containers.h"

#define NS_PER_S UINT64_C(1000000000)
/* More than this many parents above each other are a circle of processes that end meanwhile. */
#define DEPTH_MOST 10000u

struct facts {
    int32_t id;
    int32_t parent;
    bool ended;       /* and not waited for */
    bool member;      /* of the run */
    uint64_t used_ns; /* of the processor, with children that it has waited for */
    uint64_t began;
};

typedef LIST_OF(struct facts) list;

/* False: there is no such process, or no /proc. */
static bool read_facts(const char *id, struct facts *out)
{
    char path[64];
    char text[1024];
    (void)snprintf(path, sizeof(path), "/proc/%.16s/stat", id);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t length = file >= 0 ? read(file, text, sizeof(text) - 1) : -1;
    if (file >= 0)
        (void)close(file);
    if (length <= 0)
        return false;
    text[length] = '\0';
    /* "id (name) state parent …": the name may hold anything. */
    const char *at = strrchr(text, ')');
    char state;
    uint64_t user, system, user_children, system_children;
    if (!at || sscanf(at + 1,
                      " %c %" SCNd32 " %*d %*d %*d %*d %*u %*u %*u %*u %*u %" SCNu64 " %" SCNu64
                      " %" SCNu64 " %" SCNu64 " %*d %*d %*d %*d %" SCNu64,
                      &state, &out->parent, &user, &system, &user_children, &system_children,
                      &out->began) != 7)
        return false;
    out->id = (int32_t)strtol(id, NULL, 10);
    out->ended = state == 'Z' || state == 'X';
    out->member = false;
    out->used_ns = (user + system + user_children + system_children) *
                   (NS_PER_S / (uint64_t)sysconf(_SC_CLK_TCK));
    return true;
}

static bool read_facts_of(int32_t id, struct facts *out)
{
    char name[16];
    (void)snprintf(name, sizeof(name), "%" PRId32, id);
    return read_facts(name, out);
}

/* Time in which the threads of a process could have run and others did. */
static uint64_t kept_waiting_ns(int32_t id)
{
    char path[64];
    uint64_t sum = 0;
    (void)snprintf(path, sizeof(path), "/proc/%" PRId32 "/task", id);
    DIR *tasks = opendir(path);
    const struct dirent *entry;
    while (tasks && (entry = readdir(tasks))) {
        char name[128];
        uint64_t waited = 0;
        (void)snprintf(name, sizeof(name), "%s/%.16s/schedstat", path, entry->d_name);
        FILE *file = isdigit((unsigned char)entry->d_name[0]) ? fopen(name, "re") : NULL;
        if (file && fscanf(file, "%*u %" SCNu64, &waited) == 1)
            sum += waited;
        if (file)
            (void)fclose(file);
    }
    if (tasks)
        (void)closedir(tasks);
    return sum;
}

static int by_id(const void *left, const void *right)
{
    const int32_t a = ((const struct facts *)left)->id;
    const int32_t b = ((const struct facts *)right)->id;
    return (a > b) - (a < b);
}

static bool has_member(const list *all, int32_t id)
{
    const struct facts key = {.id = id};
    const struct facts *found = bsearch(&key, all->items, all->count, sizeof(key), by_id);
    return found && found->member;
}

/* All processes; those are marked that descend from the tool, but for `own`. */
static list find(int32_t own)
{
    list all = {0};
    struct facts facts;
    const int32_t self = (int32_t)getpid();
    DIR *folder = opendir("/proc");
    const struct dirent *entry;
    while (folder && (entry = readdir(folder)) && LIST_ROOM(&all))
        if (isdigit((unsigned char)entry->d_name[0]) && read_facts(entry->d_name, &facts))
            all.items[all.count++] = facts;
    if (folder)
        (void)closedir(folder);
    if (all.count != 0)
        qsort(all.items, all.count, sizeof(facts), by_id);
    for (bool more = true; more;) {
        more = false;
        for (size_t i = 0; i < all.count; i++) {
            struct facts *one = &all.items[i];
            if (one->member || one->id == own ||
                (one->parent != self && !has_member(&all, one->parent)))
                continue;
            one->member = more = true;
        }
    }
    return all;
}

enum run_kin run_family_kin(int32_t id, uint64_t *out_began)
{
    const int32_t self = (int32_t)getpid();
    struct facts facts;
    if (!read_facts_of(id, &facts))
        return RUN_GONE;
    *out_began = facts.began;
    for (unsigned depth = 0; facts.parent != self; depth++)
        if (depth == DEPTH_MOST || facts.parent <= 1 || !read_facts_of(facts.parent, &facts))
            return RUN_STRANGER;
    return RUN_MEMBER;
}

void run_family_signal(int32_t id, uint64_t began, int number)
{
    struct facts facts;
    int handle = (int)syscall(SYS_pidfd_open, id, 0);
    if (handle >= 0 && read_facts_of(id, &facts) && facts.began == began)
        (void)syscall(SYS_pidfd_send_signal, handle, number, NULL, 0);
    if (handle >= 0)
        (void)close(handle);
}

unsigned run_family_signal_all(int32_t own, int number)
{
    list all = find(own);
    unsigned count = 0;
    for (size_t i = 0; i < all.count; i++) {
        const struct facts *one = &all.items[i];
        if (!one->member || one->ended)
            continue;
        run_family_signal(one->id, one->began, number);
        count++;
    }
    free(all.items);
    return count;
}

uint64_t run_family_used_ns(int32_t own)
{
    list all = find(own);
    uint64_t sum = 0;
    for (size_t i = 0; i < all.count; i++)
        if (all.items[i].member)
            sum += all.items[i].used_ns + kept_waiting_ns(all.items[i].id);
    free(all.items);
    return sum;
}
