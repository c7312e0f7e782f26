/* SPDX-License-Identifier: Apache-2.0 */
#include "fake.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "linked.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define OPEN_FLAGS (RTLD_NOW | RTLD_LOCAL)
#else
#define OPEN_FLAGS (RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND)
#endif

static _Atomic unsigned long calls[FAKE_MOST];
static pthread_once_t once = PTHREAD_ONCE_INIT;
static void *copy;

static void open_copy(void)
{
    const char *path = getenv("FAKE_VENDOR_BELOW");
    copy = path ? dlopen(path, OPEN_FLAGS) : NULL;
    void *mark = copy ? dlsym(copy, "twinrt_be_inner") : NULL;
    int (*be_inner)(void);
    memcpy(&be_inner, &mark, sizeof(be_inner));
    if (!mark || be_inner() != 0) {
        fprintf(stderr, "fake vendor: FAKE_VENDOR_BELOW is not a copy of the runtime: %s\n",
                path ? path : "not set");
        _exit(90);
    }
}

void *fake_below(const char *name)
{
    pthread_once(&once, open_copy);
    void *function = dlsym(copy, name);
    if (!function) {
        fprintf(stderr, "fake vendor: the copy has no %s\n", name);
        _exit(91);
    }
    return function;
}

/* The part of the script that begins with `name` and then `mark`; NULL: there is none. */
static const char *part_of(const char *script, const char *name, char mark)
{
    size_t length = strlen(name);
    for (const char *part = script; part; part = strchr(part, ';') ? strchr(part, ';') + 1 : NULL)
        if (strncmp(part, name, length) == 0 && part[length] == mark)
            return part + length + 1;
    return NULL;
}

static void trace(const char *name)
{
    const char *path = getenv("FAKE_VENDOR_TRACE");
    FILE *file = path ? fopen(path, "ae") : NULL;
    if (!file)
        return;
    fprintf(file, "%s\n", name);
    fclose(file);
}

#ifdef FAKE_LINKED
/* The start in the other libraries of the toolkit. */
static void begin_linked(void)
{
    uint32_t count = 0;
    if (linked_runtime_begin() != LINKED_PLATFORM || aclrtGetDeviceCount(&count) != ACL_SUCCESS ||
        linked_dump_devices() != (int)count || linked_dump_physical() != LINKED_PHYSICAL) {
        fprintf(stderr, "fake vendor: its libraries do not find each other\n");
        _exit(92);
    }
}
#endif

/* Like the vendor's own objects: destroyed before those that existed when its first device was
 * opened. */
static _Atomic bool over;
static void end(void)
{
    over = true;
}
static pthread_once_t end_once = PTHREAD_ONCE_INIT;
static void register_end(void)
{
    (void)atexit(end);
}

bool fake_stops(unsigned index, const char *name, long *out_code)
{
    const char *script = getenv("FAKE_VENDOR");
    unsigned long call = atomic_fetch_add(&calls[index], 1) + 1;
    trace(name);
    if (over) {
        fprintf(stderr, "fake vendor: %s is called after the end\n", name);
        _exit(93);
    }
    if (strcmp(name, "aclrtSetDevice") == 0)
        pthread_once(&end_once, register_end);
#ifdef FAKE_LINKED
    if (strcmp(name, "aclInit") == 0)
        begin_linked();
#endif
    if (!script)
        return false;
    const char *part = part_of(script, name, '~');
    if (part)
        usleep((useconds_t)strtoul(part, NULL, 10));
    part = part_of(script, name, '=');
    if (!part) {
        char *end = NULL;
        part = part_of(script, name, '#');
        if (!part || strtoul(part, &end, 10) != call || *end != '=')
            return false;
        part = end + 1;
    }
    *out_code = strtol(part, NULL, 10);
    return true;
}

/* ---- what scripts say of the library itself -------------------------------------------------- */

__attribute__((visibility("default"))) aclError aclrtGetVersion(int32_t *a, int32_t *b, int32_t *c)
{
    long code = 0;
    if (fake_stops(FAKE_MOST - 1, "aclrtGetVersion", &code))
        return (aclError)code;
    const char *script = getenv("FAKE_VENDOR");
    const char *part = script ? part_of(script, "version", '=') : NULL;
    __typeof__(aclrtGetVersion) *below = (__typeof__(below))fake_below("aclrtGetVersion");
    if (!part)
        return below(a, b, c);
    return sscanf(part, "%d.%d.%d", a, b, c) == 3 ? ACL_SUCCESS : ACL_ERROR_FAILURE;
}

__attribute__((visibility("default"))) aclError aclrtGetDeviceCount(uint32_t *count)
{
    long code = 0;
    if (fake_stops(FAKE_MOST - 2, "aclrtGetDeviceCount", &code))
        return (aclError)code;
    const char *script = getenv("FAKE_VENDOR");
    const char *part = script ? part_of(script, "devices", '=') : NULL;
    __typeof__(aclrtGetDeviceCount) *below = (__typeof__(below))fake_below("aclrtGetDeviceCount");
    if (!part)
        return below(count);
    *count = (uint32_t)strtoul(part, NULL, 10);
    return ACL_SUCCESS;
}
