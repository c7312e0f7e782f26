/* SPDX-License-Identifier: Apache-2.0 */
/* Who has the streams and events of a device, for refusals. */
#include <stdio.h>

#include "core/object/context.h"
#include "core/object/device.h"

#define OWNERS_NAMED 3

void twin_device_list_owners(twin_device *device, char *text, size_t text_bytes)
{
    struct owner {
        uint32_t name;
        uint32_t streams;
    } owners[OWNERS_NAMED] = {{0, 0}};

    twin_lock_take(&device->lock);
    for (twin_context *context = device->contexts; context; context = context->next) {
        twin_lock_take(&context->lock);
        struct owner one = {.name = context->name, .streams = context->stream_count};
        twin_lock_drop(&context->lock);
        for (int i = 0; i < OWNERS_NAMED; i++) {
            if (one.streams <= owners[i].streams)
                continue;
            const struct owner lesser = owners[i];
            owners[i] = one;
            one = lesser;
        }
    }
    twin_lock_drop(&device->lock);

    size_t used = 0;
    text[0] = '\0';
    for (int i = 0; i < OWNERS_NAMED && owners[i].streams > 0; i++) {
        int length = snprintf(text + used, text_bytes - used, "%s%s %u: %u", i > 0 ? ", " : "",
                              owners[i].name == 0 ? "default context" : "context", owners[i].name,
                              owners[i].streams);
        if (length < 0 || (size_t)length >= text_bytes - used)
            break;
        used += (size_t)length;
    }
}

void twin_device_list_instances(const twin_device *device, char text[static TWIN_INSTANCES_TEXT])
{
    const uint32_t instances = atomic_load_explicit(&device->instances, memory_order_relaxed);
    text[0] = '\0';
    if (instances > 0)
        (void)snprintf(text, TWIN_INSTANCES_TEXT,
                       "; model instances: %u, which hold %u streams and %u events of captures "
                       "until aclmdlRIDestroy",
                       instances,
                       atomic_load_explicit(&device->captured_streams, memory_order_relaxed),
                       atomic_load_explicit(&device->captured_events, memory_order_relaxed));
}
