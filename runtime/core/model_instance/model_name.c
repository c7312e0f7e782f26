/* SPDX-License-Identifier: Apache-2.0 */
/* Model instances: names, numbers, lists, and who is told of their end. */
#include "core/model_instance/model_instance.h"

#include <string.h>

#include "core/backend/error.h"
#include "core/model_instance/model_parts.h"

/* Names, streams, farewells ----------------------------------------------------------------------- */

int32_t twin_model_set_name(uint64_t handle, const char *name)
{
    twin_model *model = NULL;
    int32_t code = twin_model_pin_own(handle, &model);
    if (code != 0)
        return code;
    size_t length = strnlen(name, TWIN_MODEL_NAME_BYTES - 1);
    twin_lock_take(&model->lock);
    memcpy(model->name, name, length);
    model->name[length] = '\0';
    twin_lock_drop(&model->lock);
    twin_model_unpin(model);
    return 0;
}

int32_t twin_model_get_name(uint64_t handle, char *name, uint32_t room)
{
    twin_model *model = NULL;
    int32_t code = twin_model_pin_own(handle, &model);
    if (code != 0)
        return code;
    twin_lock_take(&model->lock);
    size_t bytes = strlen(model->name) + 1;
    bool fits = bytes <= room;
    if (fits)
        memcpy(name, model->name, bytes);
    twin_lock_drop(&model->lock);
    if (!fits)
        code = twin_fail(TWIN_ERR_INTERNAL, "the name of model instance %u takes %zu bytes, not %u",
                         model->id, bytes, room);
    twin_model_unpin(model);
    return code;
}

int32_t twin_model_get_id(uint64_t handle, uint32_t *out_id)
{
    twin_model *model = NULL;
    int32_t code = twin_model_pin_any(handle, &model);
    if (code != 0)
        return code;
    *out_id = model->id;
    twin_model_unpin(model);
    return 0;
}

int32_t twin_model_get_streams(uint64_t handle, void **streams, uint32_t *count)
{
    twin_model *model = NULL;
    int32_t code = twin_model_pin_own(handle, &model);
    if (code != 0)
        return code;
    uint32_t room = *count;
    twin_lock_take(&model->lock);
    uint32_t bound = model->bound_count;
    const bool fits = !streams || room >= bound;
    for (uint32_t i = 0; streams && fits && i < bound; i++)
        streams[i] = (void *)(uintptr_t)model->bound[i].stream->object.handle;
    twin_lock_drop(&model->lock);
    *count = bound;
    if (!fits)
        code =
            twin_fail(TWIN_ERR_ARRAY_SHORT, "model instance %u has %u streams, the array takes %u",
                      model->id, bound, room);
    twin_model_unpin(model);
    return code;
}

/* Place of a function among the farewells of a locked model; their count: not there. */
static uint32_t find_farewell(const twin_model *model, twin_model_farewell call)
{
    uint32_t place = 0;
    while (place < model->farewell_count && model->farewells[place].call != call)
        place++;
    return place;
}

int32_t twin_model_add_farewell(uint64_t handle, twin_model_farewell call, void *user)
{
    twin_model *model = NULL;
    int32_t code = twin_model_pin_any(handle, &model);
    if (code != 0)
        return code;
    twin_lock_take(&model->lock);
    if (!twin_model_is_open(model))
        code = twin_model_fail_ending(model);
    else if (find_farewell(model, call) < model->farewell_count)
        code = twin_fail(TWIN_ERR_PARAM,
                         "the function is registered with model instance %u already", model->id);
    else if (!twin_model_make_room((void **)&model->farewells, model->farewell_count,
                                   &model->farewell_room, sizeof(*model->farewells)))
        code = twin_fail(TWIN_ERR_NOMEM, "no host memory to register a function");
    else
        model->farewells[model->farewell_count++] = (twin_farewell){.call = call, .user = user};
    twin_lock_drop(&model->lock);
    twin_model_unpin(model);
    return code;
}

int32_t twin_model_drop_farewell(uint64_t handle, twin_model_farewell call)
{
    twin_model *model = NULL;
    int32_t code = twin_model_pin_any(handle, &model);
    if (code != 0)
        return code;
    twin_lock_take(&model->lock);
    uint32_t place = find_farewell(model, call);
    if (place == model->farewell_count) {
        code = twin_fail(TWIN_ERR_PARAM, "the function is not registered with model instance %u",
                         model->id);
    } else {
        memmove(&model->farewells[place], &model->farewells[place + 1],
                (model->farewell_count - place - 1) * sizeof(*model->farewells));
        model->farewell_count--;
    }
    twin_lock_drop(&model->lock);
    twin_model_unpin(model);
    return code;
}
