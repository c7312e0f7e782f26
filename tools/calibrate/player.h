/* SPDX-License-Identifier: Apache-2.0 */
/* Inside play.h: what a player has, and its two halves: when ops are asked for (play.c), and how (ask.c, ask_work.c). */
#ifndef TWINRT_CALIBRATE_PLAYER_H
#define TWINRT_CALIBRATE_PLAYER_H

#include <pthread.h>

#include "calibrate/play.h"

#define PLAY_DEVICES 64u
#define PLAY_STAMP   (UINT64_C(1) << 63)

struct play_range {
    uint64_t base, bytes; /* in the record */
    uint64_t here;
};

struct player;

struct play_queue {
    struct player *player;
    twin_queue *queue;
    twin_hw_device *device;
    uint64_t *op_of_task; /* by number; with PLAY_STAMP: the event behind the op's own tasks */
    uint64_t tasks, room;
    twin_signal *stamp;
};

struct play_thread {
    struct player *player;
    uint32_t number;
    bool met;
    uint64_t recorded_end, played_end; /* of the op before */
};

struct player {
    const struct twin_backend *backend;
    const struct calibrate_work *work;
    struct calibrate_times *times;
    char *error;
    size_t error_bytes;
    twin_hw_device *devices[PLAY_DEVICES];
    struct play_queue *queues; /* by number, as the next two */
    twin_signal **signals;
    twin_channel **channels;
    uint64_t *tickets; /* by channel: of the call taken last */
    struct play_range *ranges;
    size_t range_count, range_room;
    void *scratch;
    struct play_thread *threads;
    struct play_thread *running;
    uint64_t recorded_last, played_last; /* of the op before, whoever asked for it */
    pthread_mutex_t lock;
    pthread_cond_t turned;
    size_t turn; /* op; guarded by lock */
    bool failed; /* guarded by lock */
};

/* ask.c: asks for an op at this instant of the running thread. */
twin_status play_ask(struct player *player, const struct calibrate_op *op, size_t index);
/* Whether what the op names is there. A record that was cut or put together may name anything. */
bool play_is_there(const struct player *player, const struct calibrate_op *op);
/* Where an address of the record lies here. */
uint64_t play_address(const struct player *player, uint64_t address);

/* ask_work.c: queues work, and waits for room if there is none. */
twin_status play_work(struct player *player, const struct calibrate_op *op, uint64_t index);
/* For diag.tasks, of a struct play_queue. */
void play_take_task(void *queue, const twin_task_end *task);

#endif
