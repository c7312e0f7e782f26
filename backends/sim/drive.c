/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* sem_clockwait */
#include "drive.h"

#include <assert.h>
#include <errno.h>
#include <string.h>
#include <time.h>

#include "bridge.h"
#include "clock.h"
#include "device.h"
#include "failure.h"
#include "newcomers.h"
#include "report.h"
#include "shared.h"

/* Events per chunk: short when others may want in, long for a thread that is alone. */
#define CHUNK_SHARED  2048u
#define CHUNK_ALONE   65536u
#define WARN_AFTER_NS 5000000000ull
/* Steps in which a driver that stands still looks for what other processes did: a part of the time it stands. */
#define LOOK_SHARE    4u
#define LOOK_LEAST_NS 50000u
#define LOOK_MOST_NS  5000000u

enum { WAITING, LEADING, FINISHED };

static pthread_mutex_t model_lock = PTHREAD_MUTEX_INITIALIZER;
/* Threads that ask for the model lock or hold it, the driver aside. */
static atomic_uint lock_wanted;
static pthread_cond_t lock_given = PTHREAD_COND_INITIALIZER;

/* Guarded by model_lock. */
static struct sim_wait *first_wait;
static struct sim_wait **last_link = &first_wait;
static unsigned wait_count;
static struct sim_wait *driver; /* who leads, or was told to and is not there yet */
static bool driver_there;
static unsigned driver_yields;  /* sleeps on lock_given until so many others had the lock */
static uint64_t stall_began_ns; /* real; 0: the model is not stalled */
static bool stall_reported;
static uint64_t limit_ns; /* virtual: the time limit of a parked wait that time is not to jump to */
static uint64_t limit_real_ns; /* when it passes in real time */
static uint64_t grace_end_ns;  /* real: when to ask again for threads that have not called yet */

/* Nonzero while a thread runs the model and reads CQEs. */
static atomic_int running;
/* The driver sleeps on park_sem until somebody submits. */
static atomic_int parked;
static sem_t park_sem;
static pthread_once_t park_once = PTHREAD_ONCE_INIT;

static void park_init(void)
{
    sem_init(&park_sem, 0, 0);
}

static uint64_t real_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static uint64_t sum(uint64_t a, uint64_t b)
{
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

void sim_model_lock(void)
{
    atomic_fetch_add(&lock_wanted, 1);
    pthread_mutex_lock(&model_lock);
}

void sim_model_unlock(void)
{
    atomic_fetch_sub(&lock_wanted, 1);
    if (driver_yields != 0 && --driver_yields == 0)
        pthread_cond_signal(&lock_given);
    pthread_mutex_unlock(&model_lock);
}

/* The driver gives way to those who want the lock now: each of them takes it and gives it back. */
static void yield_locked(void)
{
    driver_yields = atomic_load(&lock_wanted);
    if (driver_yields == 0)
        return;
    pthread_cond_wait(&lock_given, &model_lock); /* woken early is as good */
    driver_yields = 0;
}

static void wake_parked(void)
{
    if (atomic_exchange(&parked, 0) != 0)
        sem_post(&park_sem);
}

#if defined(__SANITIZE_THREAD__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wtsan" /* only atomics are ordered by the fences here */
#endif

void sim_drive_submitted(void)
{
    /* Pairs with the fence in park(): either the driver sees the doorbell, or we see that it parks. */
    atomic_thread_fence(memory_order_seq_cst);
    if (atomic_load_explicit(&parked, memory_order_relaxed) != 0)
        wake_parked();
}

void sim_drive_reconsider(void)
{
    sim_model_lock();
    wake_parked();
    sim_model_unlock();
}

bool sim_drive_settled(void)
{
    /* Whoever saw a counter that a chunk raised sees here that the chunk runs, or what it left behind. */
    return atomic_load_explicit(&running, memory_order_acquire) == 0;
}

bool sim_drive_window_open(uint64_t address, uint64_t bytes)
{
    for (const struct sim_wait *wait = first_wait; wait; wait = wait->next) {
        if (wait->kind != SIM_WAIT_TRANSFER)
            continue;
        for (unsigned i = 0; i < 2; i++) {
            const struct sim_window *window = &wait->windows[i];
            if (address - window->address < window->bytes &&
                bytes <= window->bytes - (address - window->address))
                return true;
        }
    }
    return false;
}

/* ---- the list of waits ---------------------------------------------------------------------- */

static void pass_role(void)
{
    driver_there = false;
    driver = first_wait;
    if (!driver)
        return;
    atomic_store_explicit(&driver->state, LEADING, memory_order_release);
    sem_post(&driver->sem);
}

/* Sets the watch of a queue to the nearest target that somebody waits for: a mark, or an entry that may give a
 * hardware event id back. */
static void watch_queue(twin_queue *queue)
{
    uint64_t nearest = 0;
    bool id_wanted = false;
    for (const struct sim_wait *wait = first_wait; wait; wait = wait->next) {
        if (wait->kind == SIM_WAIT_MARK && wait->mark.queue == queue &&
            (nearest == 0 || wait->mark.number < nearest))
            nearest = wait->mark.number;
        id_wanted = id_wanted || (wait->kind == SIM_WAIT_EVENT_ID && wait->device == queue->device);
    }
    if (id_wanted) {
        uint64_t due = sim_queue_next_id(queue);
        nearest = nearest == 0 || (due != 0 && due < nearest) ? due : nearest;
    }
    uint64_t bridge = sim_bridge_next(queue);
    if (bridge != 0 && (nearest == 0 || bridge < nearest))
        nearest = bridge;
    if (queue->open && (nearest != 0 || queue->watched))
        twinsim_queue_watch(sim_process.board, queue->device->index, queue->sq, nearest);
    queue->watched = nearest != 0;
}

static void watch_ids(twin_hw_device *device)
{
    unsigned slots = atomic_load_explicit(&device->queue_slots, memory_order_acquire);
    for (unsigned sq = 0; sq < slots; sq++)
        watch_queue(atomic_load_explicit(&device->queues[sq], memory_order_acquire));
}

static void watch_for(const struct sim_wait *wait)
{
    if (wait->kind == SIM_WAIT_MARK)
        watch_queue(wait->mark.queue);
    else if (wait->kind == SIM_WAIT_EVENT_ID)
        watch_ids(wait->device);
}

void sim_drive_watch_locked(twin_queue *queue)
{
    watch_queue(queue);
    wake_parked();
}

static void finish(struct sim_wait *wait, twin_status status, uint64_t done_ns)
{
    *wait->link = wait->next;
    if (wait->next)
        wait->next->link = wait->link;
    else
        last_link = wait->link;
    wait_count--;
    wait->status = status;
    wait->done_ns = done_ns;
    watch_for(wait);

    if (wait == driver) {
        atomic_store_explicit(&wait->state, FINISHED, memory_order_release);
        if (driver_there)
            wake_parked();
        else
            pass_role(); /* it was posted when it was told to lead; it sees FINISHED then */
        return;
    }
    /* release: the waiter reads status and time; after the post it may be gone */
    atomic_store_explicit(&wait->state, FINISHED, memory_order_release);
    sem_post(&wait->sem);
}

static void check(struct sim_wait *wait)
{
    twinsim *board = sim_process.board;
    const struct sim_mark *mark = &wait->mark;
    switch (wait->kind) {
    case SIM_WAIT_MARK:
        switch (sim_mark_fate_locked(mark)) {
        case SIM_PENDING:
            return;
        case SIM_DROPPED:
            finish(wait, sim_mark_reason_locked(mark), twinsim_now(board));
            return;
        case SIM_DONE:
            finish(wait, TWIN_OK,
                   mark->epoch == atomic_load_explicit(&mark->queue->epoch, memory_order_relaxed)
                       ? twinsim_queue_retired_at(board, mark->queue->device->index,
                                                  mark->queue->sq, mark->number)
                       : twinsim_now(board));
            return;
        }
        return;
    case SIM_WAIT_TRANSFER:
        if (wait->transfer.done)
            finish(wait, wait->transfer.failed ? TWIN_E_ADDRESS : TWIN_OK, wait->transfer.done_ns);
        return;
    case SIM_WAIT_SHARED:
        switch (sim_shared_fate(wait->shared, wait->number)) {
        case SIM_PENDING:
            return;
        case SIM_DROPPED:
            finish(wait, TWIN_E_ABORTED, twinsim_now(board));
            return;
        case SIM_DONE:
            finish(wait, TWIN_OK, twinsim_now(board));
            return;
        }
        return;
    case SIM_WAIT_EVENT_ID:
        sim_queue_reclaim_all(wait->device);
        sim_ids_clean(&wait->device->events, board, wait->device->index);
        if (atomic_load_explicit(&wait->device->events.free_count, memory_order_relaxed) > 0 ||
            mark->epoch != atomic_load_explicit(&mark->queue->epoch, memory_order_relaxed))
            finish(wait, TWIN_OK, twinsim_now(board));
        else
            watch_ids(wait->device); /* what was watched has retired, and it was not enough */
        return;
    }
}

/* After the model moved: CQEs, ids, waiters. Returns whether there was anything to do. */
static bool settle(void)
{
    twinsim *board = sim_process.board;
    uint32_t device;
    uint32_t sq;
    bool any = false;
    while (twinsim_interrupt(board, &device, &sq)) {
        any = true;
        if (device < SIM_DEVICES_MOST && sim_process.devices[device])
            sim_queue_read_cq(sim_process.devices[device], sq);
    }
    sim_failure_stop_groups();
    for (uint32_t i = 0; i < sim_process.device_count; i++)
        if (sim_process.devices[i])
            sim_ids_clean(&sim_process.devices[i]->events, board, i);
    if (atomic_load_explicit(&sim_shared_count, memory_order_relaxed) != 0)
        any = sim_shared_settle() || any;
    any = sim_bridge_settle() || any;
    unsigned before = wait_count;
    for (struct sim_wait *wait = first_wait; wait;) {
        struct sim_wait *next = wait->next;
        check(wait);
        wait = next;
    }
    return any || wait_count != before;
}

/* Threads are moved up to this time at their next call (TIME-4). It is never taken back. */
static void publish(uint64_t time_ns)
{
    if (time_ns > atomic_load_explicit(&sim_model_now, memory_order_relaxed))
        atomic_store_explicit(&sim_model_now, time_ns, memory_order_release);
}

/* One chunk; then counters and CQEs agree again. Held: some thread runs, so time does not jump (TIME-5).
 * *out_any: something came of it. */
static enum twinsim_stop step(uint64_t until_ns, bool held, bool *out_any)
{
    uint64_t before = twinsim_now(sim_process.board);
    uint32_t chunk = atomic_load_explicit(&sim_attached_count, memory_order_relaxed) > 1
                         ? CHUNK_SHARED
                         : CHUNK_ALONE;
    /* Counters that the chunk raises are released after this store. */
    atomic_store_explicit(&running, 1, memory_order_seq_cst);
    enum twinsim_stop stop = held ? twinsim_run_held(sim_process.board, until_ns, chunk)
                                  : twinsim_run(sim_process.board, until_ns, chunk);
    bool any = settle();
    atomic_store_explicit(&running, 0, memory_order_release);
    uint64_t now = twinsim_now(sim_process.board);
    publish(now);
    if (any || now != before) {
        stall_began_ns = 0;
        stall_reported = false;
    }
    *out_any = any;
    return stop;
}

void sim_drive_check_locked(void)
{
    if (sim_process.board)
        (void)settle();
    wake_parked();
}

/* ---- nothing left to simulate --------------------------------------------------------------- */

static uint64_t nearest_deadline(void)
{
    uint64_t nearest = TWIN_FOREVER;
    for (const struct sim_wait *wait = first_wait; wait; wait = wait->next)
        if (wait->deadline_ns < nearest)
            nearest = wait->deadline_ns;
    return nearest;
}

static void time_out(struct sim_wait *wait)
{
    publish(wait->deadline_ns);
    finish(wait, TWIN_E_TIMEOUT, wait->deadline_ns);
}

/* Times out whoever's virtual deadline has come. */
static void expire(uint64_t now_ns)
{
    for (struct sim_wait *wait = first_wait; wait;) {
        struct sim_wait *next = wait->next;
        if (wait->deadline_ns <= now_ns)
            time_out(wait);
        wait = next;
    }
}

static void expire_real(uint64_t real_ns)
{
    for (struct sim_wait *wait = first_wait; wait;) {
        struct sim_wait *next = wait->next;
        if (wait->real_deadline_ns != 0 && wait->real_deadline_ns <= real_ns)
            time_out(wait);
        wait = next;
    }
}

/* Sets the instants in real time at which waits time out that time does not jump to. A wait never lasts longer than on
 * a board, and shorter where the model has moved on. Returns the first, UINT64_MAX: there is none. */
static uint64_t set_real_deadlines(uint64_t real_ns)
{
    uint64_t now = twinsim_now(sim_process.board);
    uint64_t first = UINT64_MAX;
    uint64_t nearest = TWIN_FOREVER;
    for (struct sim_wait *wait = first_wait; wait; wait = wait->next) {
        if (wait->deadline_ns == TWIN_FOREVER)
            continue;
        uint64_t reached = now > wait->begin_ns ? now : wait->begin_ns;
        uint64_t left = wait->deadline_ns > reached ? wait->deadline_ns - reached : 0;
        uint64_t at = sum(real_ns, left);
        if (wait->real_deadline_ns == 0 || at < wait->real_deadline_ns)
            wait->real_deadline_ns = at;
        first = wait->real_deadline_ns < first ? wait->real_deadline_ns : first;
        nearest = wait->deadline_ns < nearest ? wait->deadline_ns : nearest;
    }
    /* What holds the model before the nearest deadline is the time limit of a parked wait. */
    uint64_t next = twinsim_next(sim_process.board);
    if (next == TWINSIM_NEVER || next > nearest) {
        limit_ns = 0;
        return first;
    }
    uint64_t at = sum(real_ns, next > now ? next - now : 0);
    if (limit_ns != next || at < limit_real_ns)
        limit_real_ns = at;
    limit_ns = next;
    return limit_real_ns < first ? limit_real_ns : first;
}

/* Sleeps on park_sem until wake_at, real time, unless somebody has cleared `parked` by then; leaves neither behind. */
static void sleep_parked(uint64_t wake_at)
{
    pthread_mutex_unlock(&model_lock);
    struct timespec until = {.tv_sec = (time_t)(wake_at / 1000000000u),
                             .tv_nsec = (long)(wake_at % 1000000000u)};
    int woken;
    do {
        woken = wake_at == UINT64_MAX ? sem_wait(&park_sem)
                                      : sem_clockwait(&park_sem, CLOCK_MONOTONIC, &until);
    } while (woken != 0 && errno == EINTR);
    pthread_mutex_lock(&model_lock);
    if (atomic_exchange(&parked, 0) == 0 && woken != 0)
        while (sem_wait(&park_sem) != 0) /* the post that came just then */
            continue;
}

/* When to look again for what other processes did. */
static uint64_t next_look(uint64_t real_ns)
{
    if (sim_shared_outlook(first_wait) == SIM_OUTLOOK_NONE)
        return UINT64_MAX;
    uint64_t step_ns = (real_ns - stall_began_ns) / LOOK_SHARE;
    return real_ns + (step_ns < LOOK_LEAST_NS  ? LOOK_LEAST_NS
                      : step_ns > LOOK_MOST_NS ? LOOK_MOST_NS
                                               : step_ns);
}

/* Whether another process may still end a wait. When none is left that could, one may come for a while. */
static bool others_expected(void)
{
    switch (sim_shared_outlook(first_wait)) {
    case SIM_OUTLOOK_NONE:
        return false;
    case SIM_OUTLOOK_GOOD:
        return true;
    case SIM_OUTLOOK_BAD:
        return stall_began_ns == 0 || real_now() < stall_began_ns + WARN_AFTER_NS;
    }
    return false;
}

/* Waits in real time until somebody submits, comes or goes, or for the first deadline. */
static void park(void)
{
    bool endless = false;
    for (const struct sim_wait *wait = first_wait; wait; wait = wait->next)
        endless = endless || wait->deadline_ns == TWIN_FOREVER;

    atomic_store_explicit(&parked, 1, memory_order_relaxed);
    atomic_thread_fence(memory_order_seq_cst); /* pairs with sim_drive_submitted() */
    bool any;
    enum twinsim_stop stop = step(nearest_deadline(), true, &any);
    uint64_t now = real_now();
    if (stall_began_ns == 0)
        stall_began_ns = now;
    uint64_t warn_at = endless && !stall_reported ? stall_began_ns + WARN_AFTER_NS : UINT64_MAX;
    if ((stop == TWINSIM_STOP_IDLE || stop == TWINSIM_STOP_HELD) && !any) {
        uint64_t wake_at = set_real_deadlines(now);
        wake_at = warn_at < wake_at ? warn_at : wake_at;
        uint64_t look_at = next_look(now);
        wake_at = look_at < wake_at ? look_at : wake_at;
        sleep_parked(grace_end_ns > now && grace_end_ns < wake_at ? grace_end_ns : wake_at);
    } else if (atomic_exchange(&parked, 0) == 0) {
        while (sem_wait(&park_sem) != 0)
            continue;
        return;
    } else {
        return;
    }

    now = real_now();
    expire_real(now);
    if (limit_ns != 0 && limit_real_ns <= now)
        step(limit_ns < nearest_deadline() ? limit_ns : nearest_deadline(), false, &any);
    if (now >= warn_at && stall_began_ns != 0 && first_wait) {
        stall_reported = true;
        sim_report_stall(false, first_wait);
    }
}

/* Every attached thread waits and the model is idle: time jumps, or it is a deadlock. */
static void resolve(void)
{
    uint64_t deadline = nearest_deadline();
    if (deadline != TWIN_FOREVER) {
        expire(deadline);
        return;
    }
    sim_report_stall(true, first_wait);
    uint64_t now = twinsim_now(sim_process.board);
    while (first_wait)
        finish(first_wait, TWIN_E_DEADLOCK, now);
}

static bool all_wait(void)
{
    return wait_count >= atomic_load(&sim_attached_count);
}

/* Whether a thread that exists and has made no call yet may be about to make its first. */
static bool newcomer_expected(void)
{
    grace_end_ns = sim_newcomers_until(real_now());
    return grace_end_ns != 0;
}

/* Called with the model lock, as the driver; returns when `self` is finished. */
static void drive(struct sim_wait *self)
{
    while (atomic_load_explicit(&self->state, memory_order_relaxed) != FINISHED) {
        unsigned attachings = sim_clock_attachings();
        bool any;
        enum twinsim_stop stop = step(nearest_deadline(), true, &any);
        bool stalled = (stop == TWINSIM_STOP_IDLE || stop == TWINSIM_STOP_HELD) && !any;
        if (stalled && (!all_wait() || newcomer_expected() || others_expected())) {
            park();
        } else if (stalled && stop == TWINSIM_STOP_HELD) {
            stop = step(nearest_deadline(), false, &any);
        } else if (stalled && attachings == sim_clock_attachings()) {
            resolve(); /* nobody has come since the model was last asked */
        }
        if (stop == TWINSIM_STOP_LIMIT)
            expire(twinsim_now(sim_process.board));
        if (atomic_load_explicit(&self->state, memory_order_relaxed) != FINISHED)
            yield_locked();
    }
}

/* The caller's clock is a time that has come: waits whose deadline lies before it have timed out. */
void sim_drive_poll(void)
{
    sim_model_lock();
    for (;;) {
        uint64_t deadline = nearest_deadline();
        uint64_t until = deadline < sim_clock.now_ns ? deadline : sim_clock.now_ns;
        bool any;
        enum twinsim_stop stop = step(until, false, &any);
        if (stop != TWINSIM_STOP_LIMIT && (stop != TWINSIM_STOP_IDLE || any))
            continue;
        if (deadline > sim_clock.now_ns)
            break;
        expire(deadline);
    }
    sim_model_unlock();
}

/* ---- one wait ------------------------------------------------------------------------------- */

static void enlist(struct sim_wait *wait)
{
    wait->next = NULL;
    wait->link = last_link;
    *last_link = wait;
    last_link = &wait->next;
    wait_count++;
    watch_for(wait);
}

static twin_status post(struct sim_wait *wait)
{
    if (wait->kind != SIM_WAIT_TRANSFER)
        return TWIN_OK;
    wait->transfer.start_ns = sim_clock.now_ns;
    if (twinsim_transfer_post(sim_process.board, wait->device->index, &wait->transfer) ==
        TWINSIM_OK)
        return TWIN_OK;
    sim_fail("device %u does not take a transfer", wait->device->index);
    return TWIN_E_DEVICE;
}

/* Sets the clock to what the waiter lived through. */
static void settle_clock(const struct sim_wait *wait)
{
    if (wait->status == TWIN_E_DEADLOCK || wait->status == TWIN_E_ABORTED ||
        wait->status == TWIN_E_DEVICE_ABORTED) {
        sim_clock_raise(wait->done_ns);
        return;
    }
    /* Work that was done at the call is seen without sleeping. */
    if (wait->done_ns > sim_clock.now_ns)
        sim_clock.now_ns = wait->done_ns + sim_process.limits.wake_ns[wait->wake];
}

twin_status sim_drive_wait(struct sim_wait *wait)
{
    pthread_once(&park_once, park_init);
    wait->begin_ns = sim_clock.now_ns;
    wait->deadline_ns = sum(sim_clock.now_ns, wait->timeout_ns);
    wait->real_deadline_ns = 0;
    wait->status = TWIN_OK;
    atomic_init(&wait->state, WAITING);
    sem_init(&wait->sem, 0, 0);

    sim_model_lock();
    twin_status status = post(wait);
    if (status != TWIN_OK) {
        sim_model_unlock();
        sem_destroy(&wait->sem);
        return status;
    }
    enlist(wait);
    check(wait);
    if (atomic_load_explicit(&wait->state, memory_order_relaxed) == FINISHED) {
        sim_model_unlock();
    } else if (!driver) {
        driver = wait;
        driver_there = true;
        atomic_fetch_sub(&lock_wanted, 1); /* from here on as the driver, who gives way */
        drive(wait);
        pass_role();
        pthread_mutex_unlock(&model_lock);
    } else {
        wake_parked(); /* perhaps everybody waits now */
        sim_model_unlock();
        while (sem_wait(&wait->sem) != 0 && errno == EINTR)
            continue;
        if (atomic_load_explicit(&wait->state, memory_order_acquire) == LEADING) {
            pthread_mutex_lock(&model_lock);
            if (driver == wait) {
                driver_there = true;
                drive(wait);
                pass_role();
            }
            pthread_mutex_unlock(&model_lock);
        }
    }
    sem_destroy(&wait->sem);
    settle_clock(wait);
    if (wait->status == TWIN_E_DEADLOCK)
        sim_report_explain();
    return wait->status;
}
