/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/lock.h"

#include <stdio.h>
#include <stdlib.h>

/* Ranks held by this thread, rising; a rank occurs once at most. */
static _Thread_local unsigned char held_ranks[TWIN_RANK_COUNT];
static _Thread_local unsigned held_count;

void twin_lock_init(twin_lock *lock, twin_rank rank)
{
    pthread_mutex_init(&lock->mutex, NULL);
    lock->rank = rank;
}

bool twin_rank_push(twin_rank rank)
{
    if (held_count > 0 && held_ranks[held_count - 1] >= (unsigned char)rank)
        return false;
    held_ranks[held_count++] = (unsigned char)rank;
    return true;
}

bool twin_rank_pop(twin_rank rank)
{
    for (unsigned i = held_count; i > 0; i--) {
        if (held_ranks[i - 1] != (unsigned char)rank)
            continue;
        for (unsigned j = i; j < held_count; j++)
            held_ranks[j - 1] = held_ranks[j];
        held_count--;
        return true;
    }
    return false;
}

bool twin_rank_none(void)
{
    return held_count == 0;
}

void twin_rank_violation(const char *what, twin_rank rank)
{
    fprintf(stderr, "twinrt: lock of rank %d: %s; held:", (int)rank, what);
    for (unsigned i = 0; i < held_count; i++)
        fprintf(stderr, " %d", (int)held_ranks[i]);
    fputc('\n', stderr);
    abort();
}
