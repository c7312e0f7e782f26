/* SPDX-License-Identifier: Apache-2.0 */
/* Ranges of addresses that do not overlap, in order. Nodes are the caller's and lie inside what it keeps. */
#ifndef TWINRT_CHECK_RANGE_TREE_H
#define TWINRT_CHECK_RANGE_TREE_H

#include <stddef.h>
#include <stdint.h>

struct range_node {
    uint64_t begin; /* first address */
    uint64_t end;   /* one behind the last; above begin */
    struct range_node *left, *right;
    uint32_t priority; /* of the heap: a hash of `begin` as it was put in */
};

struct range_tree {
    struct range_node *root;
};

/* Puts a node in; its begin and end are set and overlap no other. The end may be changed later as long as that stays so. */
void range_tree_add(struct range_tree *tree, struct range_node *node);
/* Takes out the node that begins there, or NULL. */
struct range_node *range_tree_remove(struct range_tree *tree, uint64_t begin);
/* The first node that ends behind `address`: it holds the address or lies behind it. NULL: none. */
struct range_node *range_tree_from(const struct range_tree *tree, uint64_t address);

#endif
