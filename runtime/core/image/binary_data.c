/* SPDX-License-Identifier: Apache-2.0 */
#include "core/image/binary.h"

#include "core/backend/error.h"
#include "core/base/handle.h"

typedef struct binary_data {
    twin_object object;
    /* Fixed from publish to release. */
    const void *data;
    size_t bytes;
} binary_data;

static twin_handle_table table;

static void release(void *object)
{
    twin_handle_free(&table, object);
}

static twin_handle_table table = TWIN_HANDLE_TABLE_INITIALIZER(
    "description of a kernel image", TWIN_HANDLE_BINARY_DATA, binary_data, NULL, release);

static int32_t pin(uint64_t handle, binary_data **out)
{
    *out = twin_handle_pin(&table, handle);
    return *out ? 0 : twin_fail_handle(table.kind_name, handle);
}

int32_t twin_binary_data_create(const void *data, size_t bytes, uint64_t *out_handle)
{
    binary_data *made = twin_handle_alloc(&table);
    if (!made)
        return twin_fail(TWIN_ERR_NOMEM, "no host memory for the description of a kernel image");
    made->data = data;
    made->bytes = bytes;
    *out_handle = twin_handle_publish(made);
    return 0;
}

int32_t twin_binary_data_destroy(uint64_t handle)
{
    binary_data *found = NULL;
    const int32_t code = pin(handle, &found);
    if (code != 0)
        return code;
    twin_handle_retire(found);
    twin_handle_unpin(&table, found);
    return 0;
}

int32_t twin_binary_data_read(uint64_t handle, const void **out_data, size_t *out_bytes)
{
    binary_data *found = NULL;
    const int32_t code = pin(handle, &found);
    if (code != 0)
        return code;
    *out_data = found->data;
    *out_bytes = found->bytes;
    twin_handle_unpin(&table, found);
    return 0;
}
