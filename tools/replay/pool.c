/* SPDX-License-Identifier: Apache-2.0 */
/* Pools of memory. */
#include "replay/state.h"

static twin_status pool_create(struct replay_call *call)
{
    const struct twin_record_POOL_CREATE *f = &call->then.POOL_CREATE;
    twin_hw_pool *pool = NULL;
    if (f->bytes == 0 || f->bytes % TWIN_POOL_GRANULE != 0)
        return replay_leave_out(call, "no pool has a size of %llu bytes",
                                (unsigned long long)f->bytes);
    twin_status status = call->ops->pool.create(call->device, f->bytes, &pool);
    if (status == TWIN_OK && !replay_made(call, TWIN_RECORD_ROLE_POOL, f->out_pool, pool))
        call->ops->pool.destroy(pool);
    return status;
}

static twin_status pool_destroy(struct replay_call *call)
{
    call->ops->pool.destroy(call->object->handle);
    replay_forget_object(call->object);
    return TWIN_OK;
}

static twin_status pool_set(struct replay_call *call)
{
    const struct twin_record_POOL_SET *f = &call->then.POOL_SET;
    return call->ops->pool.set(call->object->handle, (twin_pool_attr)f->attr, f->value);
}

static twin_status pool_get(struct replay_call *call)
{
    return call->ops->pool.get(call->object->handle, (twin_pool_attr)call->then.POOL_GET.attr,
                               &call->now.POOL_GET.out_value);
}

static twin_status pool_trim(struct replay_call *call)
{
    return call->ops->pool.trim(call->object->handle, call->then.POOL_TRIM.bytes);
}

const replay_issue replay_pool_ops[TWIN_RECORD_KINDS_END] = {
    [TWIN_RECORD_POOL_CREATE] = pool_create, [TWIN_RECORD_POOL_DESTROY] = pool_destroy,
    [TWIN_RECORD_POOL_SET] = pool_set,       [TWIN_RECORD_POOL_GET] = pool_get,
    [TWIN_RECORD_POOL_TRIM] = pool_trim,
};
