/* SPDX-License-Identifier: Apache-2.0 */
#include "core/backend/blocked.h"

#include <stdatomic.h>

#include "core/backend/ops.h"

/* Low half: threads that are blocked. High half: changes so far. One word, so that both are read at
 * one instant. */
static _Atomic uint64_t blocked;
#define ONE_CHANGE (UINT64_C(1) << 32)

void twin_cond_init(twin_cond *condition)
{
    pthread_cond_init(&condition->changed, NULL);
    condition->waiting = 0;
    condition->rounds = 0;
}

void twin_cond_wait(twin_cond *condition, twin_lock *lock)
{
    const struct twin_backend *ops = twin_ops();
    const unsigned round = condition->rounds;
    condition->waiting++;
    twin_blocked_begin();
    ops->host.detach();
    while (condition->rounds == round)
        twin_lock_wait(lock, &condition->changed);
    ops->host.attach();
}

void twin_cond_broadcast(twin_cond *condition)
{
    atomic_fetch_add(&blocked, ONE_CHANGE - condition->waiting);
    condition->waiting = 0;
    condition->rounds++;
    pthread_cond_broadcast(&condition->changed);
}

void twin_blocked_begin(void)
{
    atomic_fetch_add(&blocked, ONE_CHANGE + 1);
}

void twin_blocked_end(void)
{
    atomic_fetch_add(&blocked, ONE_CHANGE - 1);
}

uint32_t twin_blocked_count(uint64_t *out_stamp)
{
    *out_stamp = atomic_load(&blocked);
    const int32_t count = (int32_t)(uint32_t)*out_stamp;
    return count > 0 ? (uint32_t)count : 0; /* below 0: a wait was ended before it was counted */
}

void twin_blocked_forked(void)
{
    atomic_store(&blocked, 0);
}
