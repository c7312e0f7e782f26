/* SPDX-License-Identifier: Apache-2.0 */
#include "calibrate/play.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "calibrate/player.h"

#define PAUSE_MOST (UINT64_C(1) << 45) /* ten hours: what is longer is damage */

static const char *status_name(twin_status status)
{
#define STATUS_NAME(name, code, text)                                                              \
    if (status == (name))                                                                          \
        return #name;
    TWIN_STATUS_LIST(STATUS_NAME)
#undef STATUS_NAME
    return "?";
}

static bool fail(struct player *player, const struct calibrate_op *op, const char *what)
{
    const struct twin_recording_kind *kind = twin_recording_kind(op->entry->kind);
    (void)snprintf(player->error, player->error_bytes,
                   "%s: %s (seq %llu) cannot be asked for again: %s", player->work->path,
                   kind ? kind->name : "an op", (unsigned long long)op->entry->begin_seq, what);
    return false;
}

/* ---- time ------------------------------------------------------------------------------------ */

static void pause_until(const struct player *player, uint64_t then)
{
    const struct twin_host_ops *host = &player->backend->host;
    uint64_t now = host->now();
    for (int cost = TWIN_COST_COUNT; cost-- > 0;) {
        const twin_call call = {.name = "pause", .cost = (twin_cost)cost};
        while (now < then && then - now >= CALIBRATE_PAUSE_STEP(cost)) {
            host->enter(&call);
            now = host->now();
        }
    }
}

/* When this thread is to ask for the op: as long behind its last one as in the record. */
static uint64_t when(struct player *player, const struct calibrate_op *op)
{
    struct play_thread *thread = player->running;
    uint64_t begin = op->times.at[CALIBRATE_CALL_BEGIN];
    uint64_t recorded = thread->met ? thread->recorded_end : player->recorded_last;
    uint64_t played = thread->met ? thread->played_end : player->played_last;
    uint64_t pause = begin > recorded ? begin - recorded : 0;
    return played + (pause < PAUSE_MOST ? pause : PAUSE_MOST);
}

/* ---- threads --------------------------------------------------------------------------------- */

static bool play_op(struct player *player, size_t index)
{
    const struct calibrate_op *op = &player->work->ops[index];
    const struct twin_host_ops *host = &player->backend->host;
    uint64_t *at = player->times[index].at;
    struct play_thread *thread = player->running;
    for (int i = 0; i < CALIBRATE_INSTANTS; i++)
        at[i] = CALIBRATE_UNKNOWN;
    if (!play_is_there(player, op))
        return fail(player, op, "what it names is not there");
    pause_until(player, when(player, op));
    at[CALIBRATE_CALL_BEGIN] = host->now();
    twin_status status = play_ask(player, op, index);
    if (status != TWIN_OK)
        return fail(player, op, status_name(status));
    if (!op->blocks) { /* it costs the host what it cost */
        uint64_t took = op->times.at[CALIBRATE_CALL_END] - op->times.at[CALIBRATE_CALL_BEGIN];
        pause_until(player, at[CALIBRATE_CALL_BEGIN] + (took < PAUSE_MOST ? took : 0));
    }
    at[CALIBRATE_CALL_END] = host->now();
    thread->met = true;
    thread->recorded_end = player->recorded_last = op->times.at[CALIBRATE_CALL_END];
    thread->played_end = player->played_last = at[CALIBRATE_CALL_END];
    return true;
}

static void *run_thread(void *context)
{
    struct play_thread *self = context;
    struct player *player = self->player;
    const struct calibrate_work *work = player->work;
    pthread_mutex_lock(&player->lock);
    for (;;) {
        while (!player->failed && player->turn < work->count &&
               work->ops[player->turn].entry->thread != self->number)
            pthread_cond_wait(&player->turned, &player->lock);
        if (player->failed || player->turn >= work->count)
            break;
        /* Who does not run is detached, so the model reckons with one thread at a time. */
        size_t at = player->turn;
        player->running = self;
        pthread_mutex_unlock(&player->lock);
        player->backend->host.attach();
        bool good = true;
        while (good && at < work->count && work->ops[at].entry->thread == self->number)
            good = play_op(player, at++);
        player->backend->host.detach();
        pthread_mutex_lock(&player->lock);
        player->turn = at;
        player->failed = !good;
        pthread_cond_broadcast(&player->turned);
    }
    pthread_mutex_unlock(&player->lock);
    return NULL;
}

static bool prepare(struct player *player)
{
    const struct calibrate_work *work = player->work;
    player->queues = calloc((size_t)work->queues + 1, sizeof(*player->queues));
    player->signals = calloc((size_t)work->signals + 1, sizeof(*player->signals));
    player->channels = calloc((size_t)work->channels + 1, sizeof(*player->channels));
    player->tickets = calloc((size_t)work->channels + 1, sizeof(*player->tickets));
    player->threads = calloc((size_t)work->threads + 1, sizeof(*player->threads));
    player->scratch = mmap(NULL, work->scratch_bytes + 1, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (!player->queues || !player->signals || !player->channels || !player->tickets ||
        !player->threads || player->scratch == MAP_FAILED)
        return false;
    for (uint32_t i = 0; i <= work->queues; i++) {
        player->queues[i].player = player;
        player->queues[i].tasks = 1; /* they count from 1 */
    }
    return true;
}

/* What is still queued happens too. */
static void finish(struct player *player)
{
    player->backend->host.attach();
    for (uint32_t i = 0; i <= player->work->queues; i++)
        if (player->queues[i].queue)
            (void)player->backend->queue.drain(player->queues[i].queue, TWIN_FOREVER);
    player->backend->host.detach();
}

bool calibrate_play(const struct twin_backend *backend, const struct calibrate_work *work,
                    struct calibrate_times *times, char *error, size_t error_bytes)
{
    /* Stays until the process ends, and so does what it holds: the device may call back until then. */
    static struct player player;
    player = (struct player){.backend = backend,
                             .work = work,
                             .times = times,
                             .error = error,
                             .error_bytes = error_bytes,
                             .lock = PTHREAD_MUTEX_INITIALIZER,
                             .turned = PTHREAD_COND_INITIALIZER};
    (void)snprintf(error, error_bytes, "%s: out of memory", work->path);
    if (!prepare(&player))
        return false;
    uint32_t begun = 0;
    pthread_t *threads = calloc((size_t)work->threads + 1, sizeof(*threads));
    if (!threads)
        return false;
    for (; begun < work->threads; begun++) {
        player.threads[begun] = (struct play_thread){.player = &player, .number = begun + 1};
        if (pthread_create(&threads[begun], NULL, run_thread, &player.threads[begun]) != 0)
            break;
    }
    pthread_mutex_lock(&player.lock);
    player.failed = player.failed || begun < work->threads;
    pthread_cond_broadcast(&player.turned);
    pthread_mutex_unlock(&player.lock);
    for (uint32_t i = 0; i < begun; i++)
        (void)pthread_join(threads[i], NULL);
    free(threads);
    if (player.failed)
        return false;
    finish(&player);
    return true;
}
