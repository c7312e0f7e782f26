/* SPDX-License-Identifier: Apache-2.0 */
/* Lists that grow, hash tables and sorting, for the tools. */
#ifndef TWINRT_TOOLS_RECORDING_CONTAINERS_H
#define TWINRT_TOOLS_RECORDING_CONTAINERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

/* uthash ends the process when out of memory, by default. */
#define HASH_NONFATAL_OOM 1
#include <uthash.h>

#define LIST_OF(type)                                                                              \
    struct {                                                                                       \
        type *items;                                                                               \
        size_t count, room;                                                                        \
    }

/* Makes room for one more. False: out of memory. */
bool twin_list_grow(void *items, size_t count, size_t *room, size_t item_bytes);
#define LIST_ROOM(list)                                                                            \
    ((list)->count < (list)->room ||                                                               \
     twin_list_grow(&(list)->items, (list)->count, &(list)->room, sizeof((list)->items[0])))
/* Adds one at the end. False: out of memory. */
#define LIST_ADD(list, ...)                                                                        \
    (LIST_ROOM(list) && ((list)->items[(list)->count++] = (__VA_ARGS__), true))

/* -1, 0 or 1, as qsort() takes it: by the first pair that differs. */
#define ORDER(a, b)               (((a) > (b)) - ((a) < (b)))
#define ORDER_2(a, b, c, d)       ((a) != (b) ? ORDER(a, b) : ORDER(c, d))
#define ORDER_3(a, b, c, d, e, f) ((a) != (b) ? ORDER(a, b) : ORDER_2(c, d, e, f))

/* The first index from 0 up to `count` for which `below`, an expression of the index `at`, does not
 * hold; it holds for all before that and for none after. */
#define PARTITION_POINT(count, at, below)                                                          \
    __extension__({                                                                                \
        size_t low_ = 0;                                                                           \
        size_t high_ = (count);                                                                    \
        while (low_ < high_) {                                                                     \
            const size_t at = low_ + (high_ - low_) / 2;                                           \
            if (below)                                                                             \
                low_ = at + 1;                                                                     \
            else                                                                                   \
                high_ = at;                                                                        \
        }                                                                                          \
        low_;                                                                                      \
    })

/* Sets `item` to the item whose `field` is `key`, which is added with all else 0 if there is none.
 * NULL: out of memory. */
#define HASH_ENSURE(list, field, key, item)                                                        \
    do {                                                                                           \
        __typeof__((item)->field) key_ = (key);                                                    \
        HASH_FIND(hh, (list), &key_, sizeof(key_), (item));                                        \
        if (!(item) && ((item) = calloc(1, sizeof(*(item)))) != NULL) {                            \
            (item)->field = key_;                                                                  \
            HASH_ADD(hh, (list), field, sizeof((item)->field), (item));                            \
            if (!(item)->hh.tbl) {                                                                 \
                free(item);                                                                        \
                (item) = NULL;                                                                     \
            }                                                                                      \
        }                                                                                          \
    } while (0)

/* Frees all items, which own nothing else; `list` becomes NULL. */
#define HASH_FREE_ALL(list)                                                                        \
    do {                                                                                           \
        void *item_ = (list);                                                                      \
        HASH_CLEAR(hh, (list));                                                                    \
        while (item_) {                                                                            \
            __typeof__(list) freed_ = item_;                                                       \
            item_ = freed_->hh.next;                                                               \
            free(freed_);                                                                          \
        }                                                                                          \
    } while (0)

#endif
