/* SPDX-License-Identifier: Apache-2.0 */
/* Two graphs side by side: lanes in their order, their tasks by the cheapest edit script, and the
 * edges between tasks that have a counterpart. What starts a capture follows from the rest and is
 * left out. */
#include <inttypes.h>
#include <string.h>

#include "graph/parts.h"
#include "output/layout.h"
#include "recording/utf8.h"

#define CELLS_MOST (UINT64_C(1) << 26) /* of a table; longer lanes are paired one by one */

/* Costs: an addition or a removal is cheaper than two of them, and dearer than a small change. */
enum cost { OTHER_EDGES = 1, OTHER_SIZE = 2, ADDED = 3, OTHER_NAME = 3, OTHER_KIND = 4 };

struct lane_tasks {
    LIST_OF(size_t);
};

static uint32_t cost_of(const struct graph_task *a, const struct graph_task *b)
{
    if (graph_is_same_task(a, b))
        return a->has_edge != b->has_edge ? OTHER_EDGES : 0;
    return a->kind != b->kind              ? OTHER_KIND
           : strcmp(a->name, b->name) != 0 ? OTHER_NAME
                                           : OTHER_SIZE;
}

static const struct graph_task *task_at(const struct graph_diff *diff, int side, size_t task)
{
    return &diff->graph[side]->tasks.items[task];
}

/* ---- tasks ----------------------------------------------------------------------------------- */

/* The tasks of the lane with this number among those that are compared. False: out of memory. */
static bool list_lane(const struct graph *graph, size_t which, struct lane_tasks *out)
{
    for (size_t i = 0; i < graph->lanes.count; i++) {
        const struct graph_lane *lane = &graph->lanes.items[i];
        if (lane->is_start || which-- > 0)
            continue;
        for (size_t k = 0; k < lane->count; k++)
            if (!graph->tasks.items[lane->first + k].continues && !LIST_ADD(out, lane->first + k))
                return false;
        return true;
    }
    return true;
}

static size_t lane_count(const struct graph *graph)
{
    size_t count = 0;
    for (size_t i = 0; i < graph->lanes.count; i++)
        count += !graph->lanes.items[i].is_start;
    return count;
}

static bool add_pair(struct graph_diff *diff, size_t a, size_t b)
{
    return LIST_ADD(&diff->tasks, (struct graph_pair){.a = a, .b = b});
}

/* What is cheapest up to each pair of places, from which the script is read backwards. */
enum step { PAIR, REMOVE, ADD };

static void fill_table(const struct graph_diff *diff, const size_t *a, size_t a_count,
                       const size_t *b, size_t b_count, uint32_t *row, unsigned char *steps)
{
    for (size_t k = 0; k <= b_count; k++)
        row[k] = (uint32_t)k * ADDED, steps[k] = ADD;
    for (size_t i = 1; i <= a_count; i++) {
        uint32_t corner = row[0];
        row[0] = (uint32_t)i * ADDED;
        steps[i * (b_count + 1)] = REMOVE;
        for (size_t k = 1; k <= b_count; k++) {
            const uint32_t pair =
                corner + cost_of(task_at(diff, 0, a[i - 1]), task_at(diff, 1, b[k - 1]));
            const uint32_t removed = row[k] + ADDED;
            const uint32_t added = row[k - 1] + ADDED;
            corner = row[k];
            row[k] = pair;
            unsigned char step = PAIR;
            if (removed < row[k])
                row[k] = removed, step = REMOVE;
            if (added < row[k])
                row[k] = added, step = ADD;
            steps[i * (b_count + 1) + k] = step;
        }
    }
}

static bool pair_middle(struct graph_diff *diff, const size_t *a, size_t a_count, const size_t *b,
                        size_t b_count)
{
    const bool small = (uint64_t)(a_count + 1) * (b_count + 1) <= CELLS_MOST;
    unsigned char *steps = small ? malloc((a_count + 1) * (b_count + 1)) : NULL;
    uint32_t *row = small ? calloc(b_count + 1, sizeof(*row)) : NULL;
    const size_t begin = diff->tasks.count;
    bool good = !small || (steps && row);
    if (small && good)
        fill_table(diff, a, a_count, b, b_count, row, steps);
    for (size_t i = a_count, k = b_count; good && (i > 0 || k > 0);) {
        const unsigned char step = small   ? steps[i * (b_count + 1) + k]
                                   : i > k ? REMOVE
                                   : k > i ? ADD
                                           : PAIR;
        i -= step != ADD;
        k -= step != REMOVE;
        good = add_pair(diff, step != ADD ? a[i] : GRAPH_NONE, step != REMOVE ? b[k] : GRAPH_NONE);
    }
    for (size_t low = begin, high = diff->tasks.count; good && low + 1 < high; low++) {
        const struct graph_pair last = diff->tasks.items[--high];
        diff->tasks.items[high] = diff->tasks.items[low];
        diff->tasks.items[low] = last;
    }
    free(steps);
    free(row);
    return good;
}

/* What both begin and end with alike needs no table. */
static bool pair_lane(struct graph_diff *diff, const struct lane_tasks *a,
                      const struct lane_tasks *b)
{
    const size_t least = a->count < b->count ? a->count : b->count;
    size_t head = 0;
    size_t tail = 0;
    while (head < least &&
           cost_of(task_at(diff, 0, a->items[head]), task_at(diff, 1, b->items[head])) == 0)
        head++;
    while (head + tail < least && cost_of(task_at(diff, 0, a->items[a->count - 1 - tail]),
                                          task_at(diff, 1, b->items[b->count - 1 - tail])) == 0)
        tail++;
    bool good = true;
    for (size_t i = 0; good && i < head; i++)
        good = add_pair(diff, a->items[i], b->items[i]);
    if (good && (a->count > head + tail || b->count > head + tail))
        good = pair_middle(diff, a->items + head, a->count - head - tail, b->items + head,
                           b->count - head - tail);
    for (size_t i = 0; good && i < tail; i++)
        good = add_pair(diff, a->items[a->count - tail + i], b->items[b->count - tail + i]);
    return good;
}

static bool pair_lanes(struct graph_diff *diff)
{
    const size_t counts[2] = {lane_count(diff->graph[0]), lane_count(diff->graph[1])};
    const size_t count = counts[0] > counts[1] ? counts[0] : counts[1];
    bool good = true;
    for (size_t i = 0; good && i < count; i++) {
        static size_t none; /* lists of no tasks point somewhere */
        struct lane_tasks lanes[2];
        memset(lanes, 0, sizeof(lanes));
        good = list_lane(diff->graph[0], i, &lanes[0]) && list_lane(diff->graph[1], i, &lanes[1]);
        for (int side = 0; side < 2; side++)
            if (!lanes[side].items)
                lanes[side].items = &none;
        good = good && pair_lane(diff, &lanes[0], &lanes[1]);
        for (int side = 0; side < 2; side++)
            if (lanes[side].items != &none)
                free(lanes[side].items);
    }
    return good;
}

/* ---- edges ----------------------------------------------------------------------------------- */

static bool is_compared(const struct graph *graph, const struct graph_edge *edge)
{
    return !graph->lanes.items[graph->tasks.items[edge->from].lane].is_start;
}

static size_t find_edge(const struct graph *graph, size_t from, size_t to)
{
    const size_t at = PARTITION_POINT(
        graph->edges.count, i,
        ORDER_2(graph->edges.items[i].to, to, graph->edges.items[i].from, from) < 0);
    return at < graph->edges.count && graph->edges.items[at].to == to &&
                   graph->edges.items[at].from == from
               ? at
               : GRAPH_NONE;
}

static bool pair_edges(struct graph_diff *diff)
{
    const struct graph *const a = diff->graph[0];
    const struct graph *const b = diff->graph[1];
    size_t *other = calloc(a->tasks.count + 1, sizeof(*other));
    bool *found = calloc(b->edges.count + 1, sizeof(*found));
    bool good = other && found;
    for (size_t i = 0; good && i < a->tasks.count; i++)
        other[i] = GRAPH_NONE;
    for (size_t i = 0; good && i < diff->tasks.count; i++)
        if (diff->tasks.items[i].a != GRAPH_NONE)
            other[diff->tasks.items[i].a] = diff->tasks.items[i].b;
    for (size_t i = 0; good && i < a->edges.count; i++) {
        const struct graph_edge *edge = &a->edges.items[i];
        if (!is_compared(a, edge))
            continue;
        const size_t with = find_edge(b, other[edge->from], other[edge->to]);
        if (with != GRAPH_NONE)
            found[with] = true;
        good = LIST_ADD(&diff->edges, (struct graph_pair){.a = i, .b = with});
    }
    for (size_t i = 0; good && i < b->edges.count; i++)
        if (!found[i] && is_compared(b, &b->edges.items[i]))
            good = LIST_ADD(&diff->edges, (struct graph_pair){.a = GRAPH_NONE, .b = i});
    free(other);
    free(found);
    return good;
}

bool graph_compare(struct graph_diff *diff)
{
    return pair_lanes(diff) && pair_edges(diff);
}

void graph_diff_free(struct graph_diff *diff)
{
    free(diff->tasks.items);
    free(diff->edges.items);
    *diff = (struct graph_diff){0};
}

static bool is_changed(const struct graph_diff *diff, const struct graph_pair *pair)
{
    return pair->a != GRAPH_NONE && pair->b != GRAPH_NONE &&
           !graph_is_same_task(task_at(diff, 0, pair->a), task_at(diff, 1, pair->b));
}

/* How many pairs are the same, changed, only in A, only in B. */
struct sums {
    size_t same, changed, only[2];
};

static void add_up(const struct graph_pair *pair, bool changed, struct sums *sums)
{
    if (pair->a == GRAPH_NONE || pair->b == GRAPH_NONE)
        sums->only[pair->a == GRAPH_NONE]++;
    else if (changed)
        sums->changed++;
    else
        sums->same++;
}

static void sum(const struct graph_diff *diff, struct sums *tasks, struct sums *edges)
{
    *tasks = *edges = (struct sums){0};
    for (size_t i = 0; i < diff->tasks.count; i++)
        add_up(&diff->tasks.items[i], is_changed(diff, &diff->tasks.items[i]), tasks);
    for (size_t i = 0; i < diff->edges.count; i++)
        add_up(&diff->edges.items[i], false, edges);
}

bool graph_is_same(const struct graph_diff *diff)
{
    struct sums tasks;
    struct sums edges;
    sum(diff, &tasks, &edges);
    return tasks.changed + tasks.only[0] + tasks.only[1] + edges.only[0] + edges.only[1] == 0;
}

/* ---- reports --------------------------------------------------------------------------------- */

#define PLACE_TEXT 64u
/* "stream 3 task 7": its number in the stream. */
static const char *place_text(const struct graph *graph, size_t index, char text[PLACE_TEXT])
{
    const struct graph_stream *stream = &graph->streams.items[graph->tasks.items[index].stream];
    (void)snprintf(text, PLACE_TEXT, "stream %" PRIu32 " task %zu", stream->id,
                   index - stream->first + 1);
    return text;
}

/* What a change of its size does not show. */
static void args_text(const struct graph_task *task, const struct graph_task *other, char *text,
                      size_t room)
{
    if (task->args_known && other->args_known && task->args_bytes != other->args_bytes)
        (void)snprintf(text, room, ", arguments of %" PRIu64 " bytes", task->args_bytes);
    else
        text[0] = '\0';
}

static void print_task(const struct graph_diff *diff, const struct graph_pair *pair, FILE *out)
{
    char places[2][PLACE_TEXT];
    char texts[2][GRAPH_TASK_TEXT];
    char args[2][48];
    char line[2 * (PLACE_TEXT + GRAPH_TASK_TEXT + 48) + 32];
    if (pair->a != GRAPH_NONE && pair->b != GRAPH_NONE) {
        const size_t at[2] = {pair->a, pair->b};
        for (int side = 0; side < 2; side++) {
            (void)place_text(diff->graph[side], at[side], places[side]);
            (void)graph_task_text(diff->graph[side], task_at(diff, side, at[side]), texts[side]);
            args_text(task_at(diff, side, at[side]), task_at(diff, !side, at[!side]), args[side],
                      sizeof(args[side]));
        }
        (void)snprintf(line, sizeof(line), "%s: %s%s; B %s: %s%s", places[0], texts[0], args[0],
                       places[1], texts[1], args[1]);
        layout_print(out, GRAPH_COLUMNS, 12, "  changed   ", line);
        return;
    }
    const int side = pair->a == GRAPH_NONE;
    const size_t at = side ? pair->b : pair->a;
    (void)snprintf(line, sizeof(line), "%s: %s", place_text(diff->graph[side], at, places[0]),
                   graph_task_text(diff->graph[side], task_at(diff, side, at), texts[0]));
    layout_print(out, GRAPH_COLUMNS, 12, side ? "  only in B " : "  only in A ", line);
}

static void print_edge(const struct graph_diff *diff, const struct graph_pair *pair, FILE *out)
{
    char places[2][PLACE_TEXT];
    char line[2 * PLACE_TEXT + 64];
    const int side = pair->a == GRAPH_NONE;
    const struct graph *graph = diff->graph[side];
    const struct graph_edge *edge = &graph->edges.items[side ? pair->b : pair->a];
    (void)snprintf(line, sizeof(line), "edge from %s to %s%s",
                   place_text(graph, edge->from, places[0]), place_text(graph, edge->to, places[1]),
                   edge->activates ? ", activation" : "");
    layout_print(out, GRAPH_COLUMNS, 12, side ? "  only in B " : "  only in A ", line);
}

void graph_diff_text(const struct graph_diff *diff, FILE *out)
{
    struct sums tasks;
    struct sums edges;
    sum(diff, &tasks, &edges);
    for (int side = 0; side < 2; side++)
        fprintf(out, "%c: %s, model instance %" PRIu32 ", %zu tasks\n", "AB"[side],
                diff -> of[side] -> path, diff -> graph[side] -> number,
                diff -> graph[side] -> tasks.count);
    for (size_t i = 0; i < diff->tasks.count; i++)
        if (diff->tasks.items[i].a == GRAPH_NONE || diff->tasks.items[i].b == GRAPH_NONE ||
            is_changed(diff, &diff->tasks.items[i]))
            print_task(diff, &diff->tasks.items[i], out);
    for (size_t i = 0; i < diff->edges.count; i++)
        if (diff->edges.items[i].a == GRAPH_NONE || diff->edges.items[i].b == GRAPH_NONE)
            print_edge(diff, &diff->edges.items[i], out);
    fprintf(out, "tasks: %zu the same, %zu changed, %zu only in A, %zu only in B\n", tasks.same,
            tasks.changed, tasks.only[0], tasks.only[1]);
    fprintf(out, "edges: %zu the same, %zu only in A, %zu only in B\n", edges.same, edges.only[0],
            edges.only[1]);
    fprintf(out, graph_is_same(diff) ? "the same graph\n" : "different graphs\n");
}

static cJSON *json_side(const struct graph_diff *diff, int side)
{
    char *shown = strdup(diff->of[side]->path);
    if (shown)
        utf8_clean(shown);
    cJSON *object = json_object(JSON_TEXT("recording", shown ? shown : ""),
                                JSON_NUMBER("instance", diff->graph[side]->number),
                                JSON_NUMBER("tasks", diff->graph[side]->tasks.count));
    free(shown);
    return object;
}

bool graph_diff_json(const struct graph_diff *diff, FILE *out)
{
    cJSON *changed = cJSON_CreateArray();
    cJSON *only[2] = {cJSON_CreateArray(), cJSON_CreateArray()};
    cJSON *edges[2] = {cJSON_CreateArray(), cJSON_CreateArray()};
    for (size_t i = 0; i < diff->tasks.count; i++) {
        const struct graph_pair *pair = &diff->tasks.items[i];
        const int side = pair->a == GRAPH_NONE;
        if (is_changed(diff, pair))
            json_append(changed,
                        json_object(JSON_ITEM("a", graph_json_task(diff->graph[0], pair->a)),
                                    JSON_ITEM("b", graph_json_task(diff->graph[1], pair->b))));
        else if (pair->a == GRAPH_NONE || pair->b == GRAPH_NONE)
            json_append(only[side], graph_json_task(diff->graph[side], side ? pair->b : pair->a));
    }
    for (size_t i = 0; i < diff->edges.count; i++) {
        const struct graph_pair *pair = &diff->edges.items[i];
        const int side = pair->a == GRAPH_NONE;
        if (pair->a == GRAPH_NONE || pair->b == GRAPH_NONE)
            json_append(edges[side],
                        graph_json_edge(&diff->graph[side]->edges.items[side ? pair->b : pair->a]));
    }
    return json_print(
        json_object(JSON_BOOL("same", graph_is_same(diff)), JSON_ITEM("a", json_side(diff, 0)),
                    JSON_ITEM("b", json_side(diff, 1)), JSON_ITEM("changed", changed),
                    JSON_ITEM("only_a", only[0]), JSON_ITEM("only_b", only[1]),
                    JSON_ITEM("edges_only_a", edges[0]), JSON_ITEM("edges_only_b", edges[1])),
        out);
}
