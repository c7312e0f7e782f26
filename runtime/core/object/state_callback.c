/* SPDX-License-Identifier: Apache-2.0 */
#include "core/object/state_callback.h"

#include <stdbool.h>
#include <string.h>

#include "core/backend/error.h"
#include "core/backend/thread_state.h"
#include "core/base/alloc.h"
#include "core/base/lock.h"

/* One registration; it has one of the functions. */
typedef struct listener {
    struct listener *next; /* registered later */
    uint64_t serial;       /* rises along the list */
    char *name;
    twin_device_listener on_device;
    twin_stream_listener on_stream;
    twin_abort_listener on_abort;
    void *user;
} listener;

static twin_lock listeners_lock = TWIN_LOCK_INITIALIZER(TWIN_RANK_CALLBACKS);
static listener *device_listeners; /* the lists and the serial: guarded by listeners_lock */
static listener *stream_listeners;
static listener *abort_listeners;
static uint64_t last_serial;

static void free_listener(listener *item)
{
    if (item)
        twin_free(item->name);
    twin_free(item);
}

/* The place of a name in a list, or the list's end. */
static listener **find_locked(listener **list, const char *name)
{
    while (*list && strcmp((*list)->name, name) != 0)
        list = &(*list)->next;
    return list;
}

static int32_t remove_name(listener **list, const char *name)
{
    twin_lock_take(&listeners_lock);
    listener **link = find_locked(list, name);
    listener *item = *link;
    if (item)
        *link = item->next;
    twin_lock_drop(&listeners_lock);
    free_listener(item);
    return 0;
}

/* Registers `wanted`, or removes the name if that has no function. */
static int32_t change(listener **list, const char *name, const listener *wanted)
{
    if (!wanted->on_device && !wanted->on_stream && !wanted->on_abort)
        return remove_name(list, name);
    listener *item = twin_zalloc(sizeof(*item));
    char *copy = twin_strdup(name);
    if (!item || !copy) {
        twin_free(item);
        twin_free(copy);
        return twin_fail(TWIN_ERR_NOMEM, "no host memory for a callback");
    }
    *item = *wanted;
    item->name = copy;
    twin_lock_take(&listeners_lock);
    listener **link = find_locked(list, name);
    bool taken = *link != NULL;
    if (!taken) {
        item->serial = ++last_serial;
        *link = item;
    }
    twin_lock_drop(&listeners_lock);
    if (!taken)
        return 0;
    free_listener(item);
    return twin_fail(TWIN_ERR_PARAM, "regName is \"%s\", which is registered already", name);
}

int32_t twin_listen_devices(const char *name, twin_device_listener function, void *user)
{
    return change(&device_listeners, name, &(listener){.on_device = function, .user = user});
}

int32_t twin_listen_streams(const char *name, twin_stream_listener function, void *user)
{
    return change(&stream_listeners, name, &(listener){.on_stream = function, .user = user});
}

int32_t twin_listen_aborts(const char *name, twin_abort_listener function, void *user)
{
    return change(&abort_listeners, name, &(listener){.on_abort = function, .user = user});
}

/* A copy of the first one registered after `serial`. */
static bool next_after(listener *const *list, uint64_t serial, listener *out_item)
{
    TWIN_LOCKED(&listeners_lock);
    const listener *item = *list;
    while (item && item->serial <= serial)
        item = item->next;
    if (item)
        *out_item = *item;
    return item != NULL;
}

void twin_announce_device(uint32_t device, twin_device_news news)
{
    listener item = {.serial = 0};
    while (next_after(&device_listeners, item.serial, &item)) {
        const twin_call *call = twin_outcall_begin();
        item.on_device((int32_t)device, news, item.user);
        twin_outcall_end(call);
    }
}

void twin_announce_stream(uint64_t stream, twin_stream_news news)
{
    listener item = {.serial = 0};
    while (next_after(&stream_listeners, item.serial, &item)) {
        const twin_call *call = twin_outcall_begin();
        item.on_stream((void *)(uintptr_t)stream, news, item.user);
        twin_outcall_end(call);
    }
}

int32_t twin_announce_abort(uint32_t device, twin_abort_news news, uint32_t left_ms)
{
    listener item = {.serial = 0};
    while (next_after(&abort_listeners, item.serial, &item)) {
        const twin_call *call = twin_outcall_begin();
        int32_t answer = item.on_abort((int32_t)device, news, left_ms, item.user);
        twin_outcall_end(call);
        if (answer != 0)
            return answer;
    }
    return 0;
}
