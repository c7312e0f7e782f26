/* SPDX-License-Identifier: Apache-2.0 */
#include "random_calls.h"

#include "random_arguments.h"

/* A thread without a usable context gets nowhere: it mostly looks for one. */
#define LOST_PERCENT 60

static const struct {
    const random_row *rows;
    const uint32_t *count;
} tables[] = {
    {random_object_rows, &random_object_row_count},
    {random_memory_rows, &random_memory_row_count},
    {random_control_rows, &random_control_row_count},
    {random_host_rows, &random_host_row_count},
    {random_block_rows, &random_block_row_count},
    {random_fault_rows, &random_fault_row_count},
    {random_kernel_rows, &random_kernel_row_count},
};
#define TABLES (sizeof(tables) / sizeof(tables[0]))

uint32_t random_call_count(void)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < TABLES; i++)
        count += *tables[i].count;
    return count;
}

static const random_row *row_of(uint32_t call)
{
    uint32_t table = 0;
    while (call >= *tables[table].count)
        call -= *tables[table++].count;
    return &tables[table].rows[call];
}

const char *random_call_name(uint32_t call)
{
    return row_of(call)->name;
}

static uint32_t choose(random_worker *worker)
{
    uint32_t total = 0;
    for (uint32_t i = 0; i < random_call_count(); i++)
        total += row_of(i)->weight;
    uint32_t left = below(worker, total);
    uint32_t call = 0;
    while (left >= row_of(call)->weight)
        left -= row_of(call++)->weight;
    return call;
}

static bool is_allowed(const random_row *row, aclError code)
{
    if (code == ACL_SUCCESS)
        return !row->never_works;
    for (uint32_t i = 0; i < RANDOM_CODES_MOST && row->allowed[i] != 0; i++)
        if (row->allowed[i] == code)
            return random_fault_explains(code);
    return false;
}

void random_call(random_worker *worker)
{
    uint32_t call = choose(worker);
    if (worker->lost && chance(worker, LOST_PERCENT))
        call = 0; /* aclrtSetDevice */
    const random_row *row = row_of(call);
    random_at(worker->index, row->name, worker->number);
    aclError code = row->call(worker);
    if (!is_allowed(row, code)) {
        const char *message = aclGetRecentErrMsg();
        random_failure("thread %u, call %llu, %s: code %d is not documented for it, or no fault "
                       "that causes it was injected; %s",
                       worker->index, (unsigned long long)worker->number, row->name, code,
                       message ? message : "no message");
    }
    worker->lost = code == NO_CONTEXT;
    worker->counts[2 * call + (code != ACL_SUCCESS)]++;
    worker->number++;
}

void random_worker_end(random_worker *worker)
{
    random_at(worker->index, "the end", worker->number);
    for (uint32_t i = 0; i < RANDOM_HOST_BUFFERS; i++)
        if (worker->pinned[i] && aclrtFreeHost(worker->pinned[i]) != ACL_SUCCESS)
            random_failure("page-locked memory of thread %u cannot be freed", worker->index);
}
