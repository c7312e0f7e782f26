/* SPDX-License-Identifier: Apache-2.0 */
/* A treap: the same addresses give the same tree in every run. */
#include "recording/interval_map.h"

static uint32_t priority_of(uint64_t address)
{
    address ^= address >> 33;
    address *= UINT64_C(0xff51afd7ed558ccd);
    address ^= address >> 33;
    address *= UINT64_C(0xc4ceb9fe1a85ec53);
    return (uint32_t)(address >> 32);
}

/* Cuts a tree: what begins below `address`, and the rest. */
static void cut(struct interval *node, uint64_t address, struct interval **out_below,
                struct interval **out_rest)
{
    while (node) {
        if (node->begin < address) {
            *out_below = node;
            out_below = &node->right;
            node = node->right;
        } else {
            *out_rest = node;
            out_rest = &node->left;
            node = node->left;
        }
    }
    *out_below = NULL;
    *out_rest = NULL;
}

void interval_map_add(struct interval_map *map, struct interval *node)
{
    node->priority = priority_of(node->begin);
    struct interval **place = &map->root;
    while (*place && (*place)->priority >= node->priority)
        place = node->begin < (*place)->begin ? &(*place)->left : &(*place)->right;
    cut(*place, node->begin, &node->left, &node->right);
    *place = node;
}

/* Joins two trees, all of `low` before all of `high`. */
static struct interval *join(struct interval *low, struct interval *high)
{
    struct interval *root = NULL;
    struct interval **place = &root;
    while (low && high) {
        if (low->priority >= high->priority) {
            *place = low;
            place = &low->right;
            low = low->right;
        } else {
            *place = high;
            place = &high->left;
            high = high->left;
        }
    }
    *place = low ? low : high;
    return root;
}

void *interval_map_remove(struct interval_map *map, uint64_t begin)
{
    struct interval **place = &map->root;
    while (*place && (*place)->begin != begin)
        place = begin < (*place)->begin ? &(*place)->left : &(*place)->right;
    struct interval *node = *place;
    if (node)
        *place = join(node->left, node->right);
    return node;
}

void *interval_map_from(const struct interval_map *map, uint64_t address)
{
    struct interval *best = NULL;
    for (struct interval *node = map->root; node;) {
        if (node->end > address) {
            best = node;
            node = node->left;
        } else {
            node = node->right;
        }
    }
    return best;
}

void *interval_map_at(const struct interval_map *map, uint64_t address)
{
    struct interval *node = interval_map_from(map, address);
    return node && node->begin <= address ? node : NULL;
}

void *interval_map_take(struct interval_map *map, uint64_t begin, uint64_t end)
{
    struct interval *node = interval_map_from(map, begin);
    return node && node->begin < end ? interval_map_remove(map, node->begin) : NULL;
}
