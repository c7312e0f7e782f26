/* SPDX-License-Identifier: Apache-2.0 */
/* Which happens-before edges between host threads add order: a vector clock for each thread that
 * follows others.
 *
 * A thread knows another one up to an entry when recorded edges lead from there to it, and then it
 * knows too what that one knew there. Its clock may say less than it knows, which costs an entry of
 * the file. Edges themselves do not count in clocks: who only follows what is known passes on
 * nothing new, so threads that hand a lock round without calling add a few entries and then
 * none. */
#include <stdlib.h>
#include <string.h>

#include "ops.h"

#define KNOWN_MOST 1024u /* others that one thread keeps in mind */

struct known {
    uint32_t thread; /* 0: free */
    uint64_t entry;
};

/* Of a thread that has followed another one. Kept when the thread ends, for those who follow it
 * later. */
struct order {
    struct known *known; /* by thread, open addressing */
    size_t room;         /* a power of two, or 0 */
    size_t count;
    uint64_t newest; /* its newest edge; UINT64_MAX: that is being written */
    uint64_t before; /* the newest entry before that which is not an edge */
    bool forgot;     /* it knows more than `known` says */
};

/* Guards the rest. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct order **orders; /* by number of the thread */
static size_t order_room;

static struct known *find(struct known *known, size_t room, uint32_t thread)
{
    for (size_t i = thread & (room - 1);; i = (i + 1) & (room - 1))
        if (known[i].thread == 0 || known[i].thread == thread)
            return &known[i];
}

static uint64_t known_of(const struct order *order, uint32_t thread)
{
    return order->room > 0 ? find(order->known, order->room, thread)->entry : 0;
}

static bool grow(struct order *order)
{
    size_t room = order->room ? order->room * 2 : 8;
    struct known *known = calloc(room, sizeof(*known));
    if (!known)
        return false;
    for (size_t i = 0; i < order->room; i++)
        if (order->known[i].thread != 0)
            *find(known, room, order->known[i].thread) = order->known[i];
    free(order->known);
    order->known = known;
    order->room = room;
    return true;
}

static void learn(struct order *order, uint32_t thread, uint64_t entry)
{
    if (order->count == KNOWN_MOST) {
        memset(order->known, 0, order->room * sizeof(*order->known));
        order->count = 0;
        order->forgot = true;
    }
    if (order->count * 2 >= order->room && !grow(order)) {
        order->forgot = true;
        return;
    }
    struct known *at = find(order->known, order->room, thread);
    order->count += at->thread == 0;
    at->thread = thread;
    if (at->entry < entry)
        at->entry = entry;
}

static struct order *order_of(uint32_t thread)
{
    return thread < order_room ? orders[thread] : NULL;
}

static struct order *own_order(void)
{
    uint32_t thread = record_self.number;
    if (thread >= order_room) {
        size_t room = order_room ? order_room : 16;
        while (room <= thread)
            room *= 2;
        struct order **larger = realloc(orders, room * sizeof(struct order *));
        if (!larger)
            return NULL;
        memset(larger + order_room, 0, (room - order_room) * sizeof(struct order *));
        orders = larger;
        order_room = room;
    }
    if (!orders[thread])
        orders[thread] = calloc(1, sizeof(struct order));
    return orders[thread];
}

/* Whether `own` knows all that `other` knows. */
static bool covers(const struct order *own, const struct order *other)
{
    if (other->forgot)
        return false;
    for (size_t i = 0; i < other->room; i++) {
        const struct known *at = &other->known[i];
        if (at->thread != 0 && at->thread != record_self.number &&
            known_of(own, at->thread) < at->entry)
            return false;
    }
    return true;
}

static bool adds_locked(const twin_host_moment *moment)
{
    struct order *own = own_order();
    if (!own)
        return true;
    const uint64_t known = known_of(own, moment->recorded);
    const struct order *other = order_of(moment->recorded);
    const bool is_edge = other && other->newest == moment->entry;
    const uint64_t called = is_edge ? other->before : moment->entry; /* or later, by edges alone */
    if (moment->entry <= known || (is_edge && called <= known && covers(own, other)))
        return false;
    /* what it knows now it knew then, unless it has followed others since */
    if (other && other->newest <= moment->entry) {
        own->forgot |= other->forgot;
        for (size_t i = 0; i < other->room; i++)
            if (other->known[i].thread != 0)
                learn(own, other->known[i].thread, other->known[i].entry);
    }
    learn(own, moment->recorded, called);
    if (own->newest == 0 || own->newest != record_self.moment->entry)
        own->before = record_self.moment->entry;
    own->newest = UINT64_MAX;
    return true;
}

bool record_order_adds(const twin_host_moment *moment)
{
    if (moment->recorded == record_self.number ||
        (moment->recorded == record_self.followed && moment->entry <= record_self.followed_entry) ||
        moment->entry == 0 ||
        moment->entry > atomic_load_explicit(&record_global.sequence, memory_order_relaxed))
        return false;
    pthread_mutex_lock(&lock);
    bool adds = adds_locked(moment);
    pthread_mutex_unlock(&lock);
    record_self.followed = moment->recorded;
    record_self.followed_entry = moment->entry;
    return adds;
}

void record_order_followed(uint64_t end_seq)
{
    pthread_mutex_lock(&lock);
    struct order *own = order_of(record_self.number);
    if (own && own->newest == UINT64_MAX)
        own->newest = end_seq;
    pthread_mutex_unlock(&lock);
}

void record_order_forked(void)
{
    pthread_mutex_init(&lock, NULL);
    orders = NULL;
    order_room = 0;
}

void record_order_forget(void)
{
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < order_room; i++) {
        if (orders[i])
            free(orders[i]->known);
        free(orders[i]);
    }
    free(orders);
    orders = NULL;
    order_room = 0;
    pthread_mutex_unlock(&lock);
}
