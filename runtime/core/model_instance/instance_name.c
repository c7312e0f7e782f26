/* SPDX-License-Identifier: Apache-2.0 */
/* Model instances: names, numbers, lists, and who is told of their end. */
#include "core/model_instance/model_instance.h"

#include <string.h>

#include "core/backend/error.h"
#include "core/model_instance/instance_parts.h"

/* Names, streams, farewells ----------------------------------------------------------------------- */

int32_t twin_instance_set_name(uint64_t handle, const char *name)
{
    twin_instance *instance = NULL;
    int32_t code = twin_instance_pin_own(handle, &instance);
    if (code != 0)
        return code;
    size_t length = strnlen(name, TWIN_INSTANCE_NAME_BYTES - 1);
    twin_lock_take(&instance->lock);
    memcpy(instance->name, name, length);
    instance->name[length] = '\0';
    twin_lock_drop(&instance->lock);
    twin_instance_unpin(instance);
    return 0;
}

int32_t twin_instance_get_name(uint64_t handle, char *name, uint32_t room)
{
    twin_instance *instance = NULL;
    int32_t code = twin_instance_pin_own(handle, &instance);
    if (code != 0)
        return code;
    twin_lock_take(&instance->lock);
    size_t bytes = strlen(instance->name) + 1;
    bool fits = bytes <= room;
    if (fits)
        memcpy(name, instance->name, bytes);
    twin_lock_drop(&instance->lock);
    if (!fits)
        code = twin_fail(TWIN_ERR_INTERNAL, "the name of model instance %u takes %zu bytes, not %u",
                         instance->id, bytes, room);
    twin_instance_unpin(instance);
    return code;
}

int32_t twin_instance_get_id(uint64_t handle, uint32_t *out_id)
{
    twin_instance *instance = NULL;
    int32_t code = twin_instance_pin_any(handle, &instance);
    if (code != 0)
        return code;
    *out_id = instance->id;
    twin_instance_unpin(instance);
    return 0;
}

int32_t twin_instance_get_streams(uint64_t handle, void **streams, uint32_t *count)
{
    twin_instance *instance = NULL;
    int32_t code = twin_instance_pin_own(handle, &instance);
    if (code != 0)
        return code;
    uint32_t room = *count;
    twin_lock_take(&instance->lock);
    uint32_t bound = instance->bound_count;
    const bool fits = !streams || room >= bound;
    for (uint32_t i = 0; streams && fits && i < bound; i++)
        streams[i] = (void *)(uintptr_t)instance->bound[i].stream->object.handle;
    twin_lock_drop(&instance->lock);
    *count = bound;
    if (!fits)
        code =
            twin_fail(TWIN_ERR_ARRAY_SHORT, "model instance %u has %u streams, the array takes %u",
                      instance->id, bound, room);
    twin_instance_unpin(instance);
    return code;
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
    twin_instance *instance = NULL;
    int32_t code = twin_instance_pin_any(handle, &instance);
    if (code != 0)
        return code;
    twin_lock_take(&instance->lock);
    if (!twin_instance_is_open(instance))
        code = twin_instance_fail_ending(instance);
    else if (find_farewell(instance, call) < instance->farewell_count)
        code = twin_fail(TWIN_ERR_PARAM,
                         "the function is registered with model instance %u already", instance->id);
    else if (!twin_instance_make_room((void **)&instance->farewells, instance->farewell_count,
                                      &instance->farewell_room, sizeof(*instance->farewells)))
        code = twin_fail(TWIN_ERR_NOMEM, "no host memory to register a function");
    else
        instance->farewells[instance->farewell_count++] =
            (twin_farewell){.call = call, .user = user};
    twin_lock_drop(&instance->lock);
    twin_instance_unpin(instance);
    return code;
}

int32_t twin_instance_drop_farewell(uint64_t handle, twin_instance_farewell call)
{
    twin_instance *instance = NULL;
    int32_t code = twin_instance_pin_any(handle, &instance);
    if (code != 0)
        return code;
    twin_lock_take(&instance->lock);
    uint32_t place = find_farewell(instance, call);
    if (place == instance->farewell_count) {
        code = twin_fail(TWIN_ERR_PARAM, "the function is not registered with model instance %u",
                         instance->id);
    } else {
        memmove(&instance->farewells[place], &instance->farewells[place + 1],
                (instance->farewell_count - place - 1) * sizeof(*instance->farewells));
        instance->farewell_count--;
    }
    twin_lock_drop(&instance->lock);
    twin_instance_unpin(instance);
    return code;
}
