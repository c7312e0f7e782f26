/* SPDX-License-Identifier: Apache-2.0 */
/* Labels. The seam identifies a table of them by its device memory; the vendor has an object for
 * each label and one for the list, all of which are made when a table is first used. The memory
 * itself stays unused here. */
#include <stdlib.h>
#include <utlist.h>

#include "process.h"

#define ENTRY_BYTES 8u

typedef struct label_table {
    struct label_table *next;
    uint64_t address;
    const twin_hw_device *device;
    aclrtContext context; /* one of the device's */
    aclrtLabelList list;
    uint32_t count;
    aclrtLabel labels[];
} label_table;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static label_table *tables; /* guarded by lock */

static void end_table_locked(label_table *table)
{
    if (ascend_use(table->device, table->context) == TWIN_OK) {
        if (table->list)
            vendor.destroy_labels(table->list);
        for (uint32_t i = 0; i < table->count; i++)
            vendor.destroy_label(table->labels[i]);
    }
    free(table);
}

/* Every label of the table, and the list of them. The context is the thread's. */
static twin_status make_table_locked(const twin_queue *queue, uint64_t address,
                                     label_table **out_table)
{
    twin_memory_info info;
    ascend_range_find(address, &info);
    if (info.kind != TWIN_MEMORY_DEVICE || info.base != address)
        return TWIN_E_INVALID;
    uint32_t count = (uint32_t)(info.size_bytes / ENTRY_BYTES);
    label_table *table = calloc(1, sizeof(*table) + count * sizeof(table->labels[0]));
    if (!table)
        return TWIN_E_NOMEM;
    table->address = address;
    table->device = queue->device;
    table->context = queue->group->context;
    twin_status status = TWIN_OK;
    while (status == TWIN_OK && table->count < count) {
        status = ascend_status(vendor.create_label(&table->labels[table->count]));
        table->count += status == TWIN_OK;
    }
    if (status == TWIN_OK)
        status = ascend_status(vendor.create_labels(table->labels, count, &table->list));
    if (status != TWIN_OK) {
        end_table_locked(table);
        return status;
    }
    *out_table = table;
    return TWIN_OK;
}

static twin_status find_table(const twin_queue *queue, uint64_t address, label_table **out_table)
{
    if (!vendor.create_label || !vendor.create_labels || !vendor.destroy_label ||
        !vendor.destroy_labels || !vendor.set_label || !vendor.switch_label)
        return TWIN_E_UNSUPPORTED;
    twin_status status = ascend_use_queue(queue);
    if (status != TWIN_OK)
        return status;
    pthread_mutex_lock(&lock);
    label_table *table;
    LL_SEARCH_SCALAR(tables, table, address, address);
    if (!table) {
        status = make_table_locked(queue, address, &table);
        if (status == TWIN_OK)
            LL_PREPEND(tables, table);
    }
    pthread_mutex_unlock(&lock);
    *out_table = table;
    return status;
}

twin_status ascend_work_label(twin_queue *queue, uint64_t address, uint32_t index)
{
    label_table *table = NULL;
    twin_status status = find_table(queue, address, &table);
    if (status == TWIN_OK && index >= table->count)
        status = TWIN_E_INVALID;
    return status == TWIN_OK ? ascend_status(vendor.set_label(table->labels[index], queue->stream))
                             : status;
}

twin_status ascend_work_jump(twin_queue *queue, uint64_t index, uint64_t address, uint32_t count)
{
    label_table *table = NULL;
    twin_status status = find_table(queue, address, &table);
    if (status != TWIN_OK)
        return status;
    return ascend_status(
        vendor.switch_label(ascend_pointer(index), count, table->list, queue->stream));
}

/* A table ends before the lock is free again: else its context could end in between. */
void ascend_labels_forget(uint64_t address)
{
    pthread_mutex_lock(&lock);
    label_table *gone;
    LL_SEARCH_SCALAR(tables, gone, address, address);
    if (gone) {
        LL_DELETE(tables, gone);
        end_table_locked(gone);
    }
    pthread_mutex_unlock(&lock);
}

void ascend_labels_forget_context(aclrtContext context)
{
    pthread_mutex_lock(&lock);
    label_table *table, *next;
    LL_FOREACH_SAFE(tables, table, next) {
        if (table->context != context)
            continue;
        LL_DELETE(tables, table);
        end_table_locked(table);
    }
    pthread_mutex_unlock(&lock);
}
