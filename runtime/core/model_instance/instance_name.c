/* SPDX-License-Identifier: Apache-2.0 */
/* Model instances: names, numbers, lists, and the functions to call at their end. */
#include "core/model_instance/model_instance.h"

#include <string.h>

#include "core/backend/error.h"
#include "core/model_instance/instance_parts.h"

/* Names, streams, farewells -------------------------------------------------------------------- */

int32_t twin_instance_set_name(uint64_t handle, const char *name)
{
    TWIN_PINNED(instance, instance);
    int32_t code = twin_instance_pin_own(handle, &instance);
    if (code != 0)
        return code;
    size_t length = strnlen(name, TWIN_INSTANCE_NAME_BYTES - 1);
    TWIN_LOCKED(&instance->lock);
    memcpy(instance->name, name, length);
    instance->name[length] = '\0';
    return 0;
}

int32_t twin_instance_get_name(uint64_t handle, char *name, uint32_t room)
{
    TWIN_PINNED(instance, instance);
    int32_t code = twin_instance_pin_own(handle, &instance);
    if (code != 0)
        return code;
    TWIN_LOCKED(&instance->lock);
    size_t bytes = strlen(instance->name) + 1;
    if (bytes > room)
        return twin_fail(TWIN_ERR_INTERNAL, "the name of model instance %u takes %zu bytes, not %u",
                         instance->id, bytes, room);
    memcpy(name, instance->name, bytes);
    return 0;
}

int32_t twin_instance_get_id(uint64_t handle, uint32_t *out_id)
{
    TWIN_PINNED(instance, instance);
    int32_t code = twin_instance_pin_any(handle, &instance);
    if (code == 0)
        *out_id = instance->id;
    return code;
}

int32_t twin_instance_get_streams(uint64_t handle, void **streams, uint32_t *count)
{
    TWIN_PINNED(instance, instance);
    int32_t code = twin_instance_pin_any(handle, &instance);
    if (code == 0)
        code = twin_instance_refuse_graph(instance);
    if (code == 0)
        code = twin_instance_check_own(instance);
    if (code != 0)
        return code;
    const uint32_t room = *count;
    TWIN_LOCKED(&instance->lock);
    *count =
        instance->bound_count < instance->seen_count ? instance->bound_count : instance->seen_count;
    if (streams && room < *count)
        return twin_fail(TWIN_ERR_ARRAY_SHORT,
                         "model instance %u has %u streams, the array takes %u", instance->id,
                         *count, room);
    for (uint32_t i = 0; streams && i < *count; i++)
        streams[i] = (void *)(uintptr_t)instance->bound[i].stream->object.handle;
    return 0;
}

/* Place of a function among the farewells of a locked model instance; their count: not there. */
static uint32_t find_farewell(const twin_instance *instance, twin_instance_farewell call)
{
    uint32_t place = 0;
    while (place < instance->farewell_count && instance->farewells[place].call != call)
        place++;
    return place;
}

int32_t twin_instance_add_farewell(uint64_t handle, twin_instance_farewell call, void *user)
{
    TWIN_PINNED(instance, instance);
    int32_t code = twin_instance_pin_any(handle, &instance);
    if (code == 0)
        code = twin_instance_refuse_graph(instance);
    if (code != 0)
        return code;
    TWIN_LOCKED(&instance->lock);
    if (!twin_instance_is_open(instance))
        return twin_instance_fail_ending(instance);
    if (find_farewell(instance, call) < instance->farewell_count)
        return twin_fail(TWIN_ERR_PARAM,
                         "the function is registered with model instance %u already", instance->id);
    if (!twin_instance_make_room((void **)&instance->farewells, instance->farewell_count,
                                 &instance->farewell_room, sizeof(*instance->farewells)))
        return twin_fail(TWIN_ERR_NOMEM, "no host memory to register a function");
    instance->farewells[instance->farewell_count++] = (twin_farewell){.call = call, .user = user};
    return 0;
}

int32_t twin_instance_drop_farewell(uint64_t handle, twin_instance_farewell call)
{
    TWIN_PINNED(instance, instance);
    int32_t code = twin_instance_pin_any(handle, &instance);
    if (code == 0)
        code = twin_instance_refuse_graph(instance);
    if (code != 0)
        return code;
    TWIN_LOCKED(&instance->lock);
    uint32_t place = find_farewell(instance, call);
    if (place == instance->farewell_count)
        return twin_fail(TWIN_ERR_PARAM, "the function is not registered with model instance %u",
                         instance->id);
    memmove(&instance->farewells[place], &instance->farewells[place + 1],
            (instance->farewell_count - place - 1) * sizeof(*instance->farewells));
    instance->farewell_count--;
    return 0;
}
