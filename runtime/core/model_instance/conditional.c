/* SPDX-License-Identifier: Apache-2.0 */
#include "core/model_instance/conditional.h"

#include <utlist.h>

#include "core/backend/error.h"
#include "core/backend/ops.h"
#include "core/base/alloc.h"
#include "core/model_instance/instance_parts.h"
#include "core/object/device_area.h"

static void release(void *object)
{
    twin_handle_free(&twin_conditionals, object);
}

twin_handle_table twin_conditionals = TWIN_HANDLE_TABLE_INITIALIZER(
    "condition handle", TWIN_HANDLE_CONDITIONAL, twin_conditional, NULL, release);

void twin_conditional_unpin(twin_conditional *conditional)
{
    twin_handle_unpin(&twin_conditionals, conditional);
}

int32_t twin_conditional_numbers(twin_device *device, uint32_t count, uint64_t *out_address)
{
    const uint64_t bytes = (uint64_t)count * sizeof(uint64_t);
    uint64_t *numbers = twin_zalloc(bytes);
    if (!numbers)
        return twin_fail(TWIN_ERR_NOMEM, "no host memory for a condition");
    for (uint32_t i = 0; i < count; i++)
        numbers[i] = i;
    twin_status status = twin_device_alloc(device, bytes, "conditions", out_address);
    if (status == TWIN_OK) {
        const twin_copy copy = {
            .dst = *out_address, .src = (uint64_t)(uintptr_t)numbers, .bytes = bytes};
        twin_assert_unlocked("memory.copy with a lock held");
        status = twin_ops()->memory.copy(device->hw, &copy);
        if (status != TWIN_OK)
            twin_ops()->memory.free(*out_address);
    }
    twin_free(numbers);
    return twin_fail_status(twin_device_note(device, status), TWIN_CODE_STREAM_TIMEOUT,
                            "device %u, the word of a condition", device->id);
}

int32_t twin_conditional_create(twin_instance *instance, uint64_t word, uint64_t initial,
                                bool assigns, uint64_t *out_handle)
{
    twin_conditional *conditional = twin_handle_alloc(&twin_conditionals);
    if (!conditional)
        return twin_fail(TWIN_ERR_NOMEM, "no host memory for a condition handle");
    conditional->device = instance->device;
    conditional->instance = instance->object.handle;
    conditional->instance_id = instance->id;
    conditional->word = word;
    conditional->initial = initial;
    conditional->assigns = assigns;
    conditional->graphs = NULL;
    conditional->count = 0;
    conditional->numbers = 0;
    conditional->chooser = conditional->after = NULL;
    twin_handle_publish_pinned(conditional);
    LL_PREPEND(twin_conditional_root(instance)->conditionals, conditional);
    *out_handle = conditional->object.handle;
    return 0;
}

int32_t twin_conditional_guard(uint64_t handle)
{
    return twin_handle_find(&twin_conditionals, handle)
               ? 0
               : twin_fail_handle(twin_conditionals.kind_name, handle);
}

int32_t twin_conditional_word(uint64_t handle, uint64_t *out_address)
{
    TWIN_PINNED(conditional, conditional);
    conditional = twin_handle_pin(&twin_conditionals, handle);
    if (!conditional)
        return twin_fail_handle(twin_conditionals.kind_name, handle);
    twin_context *context = NULL;
    const int32_t code = twin_context_current(&context);
    if (code == 0)
        *out_address = conditional->word;
    return code;
}

int32_t twin_conditional_make_graphs(twin_conditional *conditional, twin_instance *root,
                                     twin_conditional_type type, uint32_t count)
{
    conditional->graphs = twin_zalloc(count * sizeof(*conditional->graphs));
    if (!conditional->graphs)
        return twin_fail(TWIN_ERR_NOMEM, "no host memory for a conditional task");
    conditional->type = type;
    int32_t code = 0;
    while (conditional->count < count && code == 0) {
        code =
            twin_instance_create_graph(root, conditional, &conditional->graphs[conditional->count]);
        conditional->count += code == 0;
    }
    if (code != 0)
        twin_conditional_drop_graphs(conditional);
    return code;
}

void twin_conditional_drop_graphs(twin_conditional *conditional)
{
    for (uint32_t i = 0; i < conditional->count; i++) {
        twin_instance_discard(conditional->graphs[i]);
        twin_instance_unpin(conditional->graphs[i]);
    }
    twin_free(conditional->graphs);
    conditional->graphs = NULL;
    conditional->count = 0;
}

void twin_conditionals_end(twin_instance *root)
{
    twin_conditional *conditional, *next;
    LL_FOREACH_SAFE(root->conditionals, conditional, next) {
        twin_conditional_drop_graphs(conditional);
        if (conditional->numbers != 0)
            twin_ops()->memory.free(conditional->numbers);
        twin_ops()->memory.free(conditional->word);
        (void)twin_handle_retire(conditional);
        twin_conditional_unpin(conditional);
    }
    root->conditionals = NULL;
}
