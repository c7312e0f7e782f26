/* SPDX-License-Identifier: Apache-2.0 */
/* A treap: the same addresses give the same tree in every run. */
#include "check/range_tree.h"

static uint32_t priority_of(uint64_t address)
{
    address ^= address >> 33;
    address *= UINT64_C(0xff51afd7ed558ccd);
    address ^= address >> 33;
    address *= UINT64_C(0xc4ceb9fe1a85ec53);
    return (uint32_t)(address >> 32);
}

/* Cuts a tree: what begins below `address`, and the rest. */
static void cut(struct range_node *node, uint64_t address, struct range_node **out_below,
                struct range_node **out_rest)
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

void range_tree_add(struct range_tree *tree, struct range_node *node)
{
    node->priority = priority_of(node->begin);
    struct range_node **place = &tree->root;
    while (*place && (*place)->priority >= node->priority)
        place = node->begin < (*place)->begin ? &(*place)->left : &(*place)->right;
    cut(*place, node->begin, &node->left, &node->right);
    *place = node;
}

/* Joins two trees, all of `low` before all of `high`. */
static struct range_node *join(struct range_node *low, struct range_node *high)
{
    struct range_node *root = NULL;
    struct range_node **place = &root;
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

struct range_node *range_tree_remove(struct range_tree *tree, uint64_t begin)
{
    struct range_node **place = &tree->root;
    while (*place && (*place)->begin != begin)
        place = begin < (*place)->begin ? &(*place)->left : &(*place)->right;
    struct range_node *node = *place;
    if (node)
        *place = join(node->left, node->right);
    return node;
}

struct range_node *range_tree_from(const struct range_tree *tree, uint64_t address)
{
    struct range_node *best = NULL;
    for (struct range_node *node = tree->root; node;) {
        if (node->end > address) {
            best = node;
            node = node->left;
        } else {
            node = node->right;
        }
    }
    return best;
}
