/* SPDX-License-Identifier: Apache-2.0 */
#include "support/host_latch.h"

#include <stdatomic.h>
#include <stdint.h>

#include "seam/host_time.h"

/* Low half: threads that wait. High half: changes so far. */
static _Atomic uint64_t blocked;
#define ONE_CHANGE (UINT64_C(1) << 32)

static uint32_t count_blocked(uint64_t *out_stamp)
{
    *out_stamp = atomic_load(&blocked);
    return (uint32_t)*out_stamp;
}

static void bind_nothing(const struct twin_host_ops *host, const bool *inside)
{
    (void)host;
    (void)inside;
}

static void no_threads(void (*take)(void *context, const twin_host_thread *thread), void *context)
{
    (void)take;
    (void)context;
}

/* Found by the runtime (TWIN_HOST_TIME_ENTRY). */
const twin_host_time *twinrt_host_time(void);
__attribute__((visibility("default"))) const twin_host_time *twinrt_host_time(void)
{
    static const twin_host_time table = {.size = sizeof(table),
                                         .version = TWIN_HOST_TIME_VERSION,
                                         .bind = bind_nothing,
                                         .blocked = count_blocked,
                                         .threads = no_threads};
    return &table;
}

void host_latch_init(host_latch *latch, unsigned count)
{
    *latch = (host_latch){.left = count};
    pthread_mutex_init(&latch->lock, NULL);
    pthread_cond_init(&latch->opened, NULL);
}

void host_latch_count_down(host_latch *latch)
{
    pthread_mutex_lock(&latch->lock);
    if (--latch->left == 0) {
        atomic_fetch_add(&blocked, ONE_CHANGE - latch->waiting);
        latch->waiting = 0;
        pthread_cond_broadcast(&latch->opened);
    }
    pthread_mutex_unlock(&latch->lock);
}

void host_latch_wait(host_latch *latch)
{
    pthread_mutex_lock(&latch->lock);
    if (latch->left != 0) {
        latch->waiting++;
        atomic_fetch_add(&blocked, ONE_CHANGE + 1);
    }
    while (latch->left != 0)
        pthread_cond_wait(&latch->opened, &latch->lock);
    pthread_mutex_unlock(&latch->lock);
}
