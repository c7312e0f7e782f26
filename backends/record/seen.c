/* SPDX-License-Identifier: Apache-2.0 */
/* Which contents are in the file already. */
#include <stdlib.h>
#include <string.h>

#include "ops.h"

struct slot {
    struct record_key key;
    uint32_t number; /* 0: free */
};
struct record_seen {
    pthread_mutex_t lock;
    struct slot *slots;
    size_t room; /* a power of two */
    size_t count;
};
struct record_seen record_seen_data = {.lock = PTHREAD_MUTEX_INITIALIZER};
struct record_seen record_seen_stacks = {.lock = PTHREAD_MUTEX_INITIALIZER};
struct record_seen record_seen_sites = {.lock = PTHREAD_MUTEX_INITIALIZER};
struct record_seen record_seen_steps = {.lock = PTHREAD_MUTEX_INITIALIZER};

void record_key_start(struct record_key *key)
{
    *key = (struct record_key){0x9ae16a3b2f90404fu, 0xc949d7c7509e6557u};
}

static void mix(struct record_key *key, uint64_t word)
{
    key->low = (key->low ^ word) * 0x9e3779b97f4a7c15u;
    key->low ^= key->low >> 32;
    key->high = (key->high + word) * 0xd6e8feb86659fd93u;
    key->high ^= key->high >> 29;
}

void record_key_add(struct record_key *key, const void *bytes, size_t count)
{
    const char *at = bytes;
    mix(key, count);
    for (; count >= sizeof(uint64_t); count -= sizeof(uint64_t), at += sizeof(uint64_t)) {
        uint64_t word;
        memcpy(&word, at, sizeof(word));
        mix(key, word);
    }
    uint64_t rest = 0;
    if (count > 0) /* else `bytes` may be NULL */
        memcpy(&rest, at, count);
    mix(key, rest);
}

static struct slot *find(struct slot *slots, size_t room, const struct record_key *key)
{
    for (size_t i = key->low & (room - 1);; i = (i + 1) & (room - 1))
        if (slots[i].number == 0 ||
            (slots[i].key.low == key->low && slots[i].key.high == key->high))
            return &slots[i];
}

static bool grow(struct record_seen *seen)
{
    size_t room = seen->room ? seen->room * 2 : 256;
    struct slot *slots = calloc(room, sizeof(*slots));
    if (!slots)
        return false;
    for (size_t i = 0; i < seen->room; i++)
        if (seen->slots[i].number != 0)
            *find(slots, room, &seen->slots[i].key) = seen->slots[i];
    free(seen->slots);
    seen->slots = slots;
    seen->room = room;
    return true;
}

bool record_seen_find(struct record_seen *seen, const struct record_key *key, uint32_t *out_number)
{
    pthread_mutex_lock(&seen->lock);
    uint32_t number = seen->room > 0 ? find(seen->slots, seen->room, key)->number : 0;
    pthread_mutex_unlock(&seen->lock);
    if (number != 0)
        *out_number = number;
    return number != 0;
}

bool record_seen_new(struct record_seen *seen, const struct record_key *key, atomic_uint *newest,
                     uint32_t *out_number)
{
    bool is_new = true;
    pthread_mutex_lock(&seen->lock);
    /* without memory to remember it, it is written again each time */
    if (seen->count * 2 < seen->room || grow(seen) || seen->count + 1 < seen->room) {
        struct slot *slot = find(seen->slots, seen->room, key);
        is_new = slot->number == 0;
        if (is_new) {
            *slot = (struct slot){.key = *key, .number = record_number(newest)};
            seen->count++;
        }
        *out_number = slot->number;
    } else {
        *out_number = record_number(newest);
    }
    pthread_mutex_unlock(&seen->lock);
    return is_new;
}

static void forget(struct record_seen *seen)
{
    pthread_mutex_lock(&seen->lock);
    free(seen->slots);
    seen->slots = NULL;
    seen->room = seen->count = 0;
    pthread_mutex_unlock(&seen->lock);
}

void record_seen_forget(void)
{
    forget(&record_seen_data);
    forget(&record_seen_sites);
    forget(&record_seen_stacks);
    forget(&record_seen_steps);
}
