/* SPDX-License-Identifier: Apache-2.0 */
/* Managed memory, and memory that other devices use. */
#include "replay/state.h"

static twin_status managed_alloc(struct replay_call *call)
{
    const struct twin_record_MANAGED_ALLOC *f = &call->then.MANAGED_ALLOC;
    uint64_t address = 0;
    if (f->bytes == 0)
        return replay_leave_out(call, "it is of 0 bytes");
    const twin_status status = call->ops->managed.alloc(call->device, f->bytes, &address);
    if (call->succeeded && !replay_memory_add(call->replay, f->out_address, f->bytes,
                                              status == TWIN_OK ? address : 0, f->device, false))
        return TWIN_E_NOMEM;
    if (!call->succeeded && status == TWIN_OK)
        (void)call->ops->memory.free(address);
    return status;
}

static bool managed_range(struct replay_call *call, uint64_t recorded, uint64_t bytes,
                          uint64_t *out_now)
{
    const struct replay_range *range = interval_map_at(&call->replay->memory, recorded);
    if (!range || range->now == 0 || bytes > range->node.end - recorded) {
        (void)replay_leave_out(call, "no managed memory is allocated at 0x%llx",
                               (unsigned long long)recorded);
        return false;
    }
    *out_now = range->now + (recorded - range->node.begin);
    return true;
}

static twin_place place_of(uint32_t kind, int32_t id)
{
    return (twin_place){kind <= TWIN_PLACE_NUMA ? (twin_place_kind)kind : TWIN_PLACE_NONE, id};
}

static twin_status managed_advise(struct replay_call *call)
{
    const struct twin_record_MANAGED_ADVISE *f = &call->then.MANAGED_ADVISE;
    uint64_t now;
    if (f->advice >= TWIN_ADVICES)
        return replay_leave_out(call, "there is no advice %u", f->advice);
    return managed_range(call, f->address, f->bytes, &now)
               ? call->ops->managed.advise(now, f->bytes, (twin_advice)f->advice,
                                           place_of(f->place, f->place_id))
               : TWIN_OK;
}

static twin_status managed_query(struct replay_call *call)
{
    struct twin_record_MANAGED_QUERY *f = &call->now.MANAGED_QUERY;
    twin_place places[65] = {{TWIN_PLACE_NONE, 0}};
    const size_t most = sizeof(places) / sizeof(places[0]);
    uint64_t now;
    if (f->fact > TWIN_MANAGED_PREFETCHED || f->room == 0)
        return replay_leave_out(call, "there is no fact %u", f->fact);
    if (!managed_range(call, f->address, f->bytes, &now))
        return TWIN_OK;
    const twin_status status = call->ops->managed.query(now, f->bytes, (twin_managed_fact)f->fact,
                                                        places, f->room < most ? f->room : most);
    if (status == TWIN_OK) {
        f->out_place = (uint32_t)places[0].kind;
        f->out_place_id = places[0].id;
    }
    return status;
}

static twin_status managed_move(struct replay_call *call)
{
    const struct twin_record_MANAGED_MOVE *f = &call->then.MANAGED_MOVE;
    uint64_t now;
    return managed_range(call, f->address, f->bytes, &now)
               ? call->ops->managed.move(call->device, now, f->bytes,
                                         place_of(f->place, f->place_id))
               : TWIN_OK;
}

static twin_status memory_map_peer(struct replay_call *call)
{
    const struct twin_record_MEMORY_MAP_PEER *f = &call->then.MEMORY_MAP_PEER;
    return call->ops->memory.map_peer(replay_address_any(call->replay, f->address), f->bytes,
                                      f->device);
}

const replay_issue replay_managed_ops[TWIN_RECORD_KINDS_END] = {
    [TWIN_RECORD_MEMORY_MAP_PEER] = memory_map_peer, [TWIN_RECORD_MANAGED_ALLOC] = managed_alloc,
    [TWIN_RECORD_MANAGED_ADVISE] = managed_advise,   [TWIN_RECORD_MANAGED_QUERY] = managed_query,
    [TWIN_RECORD_MANAGED_MOVE] = managed_move,
};
