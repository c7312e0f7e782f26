/* SPDX-License-Identifier: Apache-2.0 */
/* Random programs of several streams, executed at once and captured.
 *
 *   random_graph [--seed=N] [--calls=N] [--threads=N]
 *
 * --calls: programs. A program is a tree: its leaves are lists of steps in 2 to 4 streams that have
 * no race (fills, copies in all directions, reductions, kernels, values in memory, functions of the
 * host, and events, notifies and waits for values between the streams), its other nodes conditional
 * tasks with work before and after them. Copies compute the words of the conditions: each node has
 * a shift register of words, from which it takes the next one. The program is run at once, the host
 * deciding what the conditions decide, then captured, and the model instance is run up to three
 * times. Each time all bytes must be those that the steps give one after the other. */
#include "graph.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    LEVELS_MOST = 3, /* of conditional tasks */
    GRAPHS_MOST = 3,
    NODES_MOST = 12,
    AROUND_MOST = 4, /* steps before and after a conditional task */
    WORDS = 8,       /* of a shift register */
    WATCH_SECONDS = 240
};
#define REGISTER_BYTES ((size_t)WORDS * 8)

struct node {
    bool leaf;
    struct program program;       /* of a leaf */
    struct program before, after; /* of others, in one stream */
    aclmdlRICondTaskType type;
    uint32_t size;
    struct node *children[GRAPHS_MOST];
    bool assigns; /* the word is `initial` at the begin of a run, and not taken at first */
    uint32_t initial;
    uint64_t start[WORDS]; /* of the register */
    uint64_t *registers;   /* device: the register, and room to shift it */
    uint64_t *word;        /* device */
    uint64_t model_word, model_words[WORDS];
};

struct worker {
    struct scene scene;
    random_state random;
    bool relaxed;
    aclrtStream outer[LEVELS_MOST]; /* have the conditional tasks */
    uint64_t *registers;            /* device */
    uint8_t start_device[CELLS_BYTES], start_host[CELLS_BYTES];
    uint32_t count;
    struct node nodes[NODES_MOST]; /* nodes[0]: the root */
};

/* ---- trees ----------------------------------------------------------------------------------- */

/* A word of a condition of that type; those of SWITCH and of others that are above 32 bits tell
 * whether all eight bytes are compared. */
static uint64_t draw_word(random_state *random, const struct node *node)
{
    static const uint64_t wide[] = {UINT64_C(1) << 32, UINT64_C(1) << 63, UINT64_MAX};
    if (random_percent(random, 15))
        return wide[random_below(random, sizeof(wide) / sizeof(wide[0]))];
    return random_below(random, node->type == ACL_MODEL_RI_COND_TYPE_SWITCH ? node->size + 1 : 2);
}

static void make_condition(struct worker *worker, struct node *node, uint32_t children)
{
    random_state *random = &worker->random;
    node->type = (aclmdlRICondTaskType)random_below(random, 3);
    const uint32_t most = node->type == ACL_MODEL_RI_COND_TYPE_WHILE ? 1
                          : node->type == ACL_MODEL_RI_COND_TYPE_IF  ? 2
                                                                     : GRAPHS_MOST;
    node->size = 1 + random_below(random, most < children ? most : children);
    node->assigns = random_percent(random, 30);
    node->initial = (uint32_t)draw_word(random, node);
    for (uint32_t i = 0; i < WORDS; i++)
        node->start[i] = draw_word(random, node);
    if (node->type == ACL_MODEL_RI_COND_TYPE_WHILE)
        node->start[WORDS - 1] = 0; /* the last one stays: each loop ends */
    graph_plan_single(&worker->scene, random, &node->before, AROUND_MOST);
    graph_plan_single(&worker->scene, random, &node->after, AROUND_MOST);
}

static void make_node(struct worker *worker, struct node *node, uint32_t level)
{
    const uint32_t left = NODES_MOST - worker->count;
    node->leaf = level == LEVELS_MOST || left == 0 || random_percent(&worker->random, 30);
    if (node->leaf) {
        graph_plan(&worker->scene, &worker->random, &node->program);
        return;
    }
    make_condition(worker, node, left);
    for (uint32_t i = 0; i < node->size; i++)
        node->children[i] = &worker->nodes[worker->count++];
    for (uint32_t i = 0; i < node->size; i++)
        make_node(worker, node->children[i], level + 1);
}

/* ---- what a run does ------------------------------------------------------------------------- */

static void take(struct node *node)
{
    node->model_word = node->model_words[0];
    memmove(node->model_words, node->model_words + 1, REGISTER_BYTES - 8);
}

static struct node *chosen(const struct node *node)
{
    const uint64_t word = node->model_word;
    const uint64_t place = node->type == ACL_MODEL_RI_COND_TYPE_SWITCH ? word : word == 0;
    return place < node->size ? node->children[place] : NULL;
}

typedef void visitor(struct scene *scene, struct program *program, bool single);

/* Visits the programs that a run has, in their order. */
static void walk(struct worker *worker, struct node *node, visitor *visit)
{
    if (node->leaf) {
        visit(&worker->scene, &node->program, false);
        return;
    }
    visit(&worker->scene, &node->before, true);
    if (!node->assigns)
        take(node);
    const bool loops = node->type == ACL_MODEL_RI_COND_TYPE_WHILE;
    for (struct node *child = chosen(node); child; child = loops ? chosen(node) : NULL) {
        walk(worker, child, visit);
        if (loops)
            take(node);
    }
    visit(&worker->scene, &node->after, true);
}

static void begin_walk(struct worker *worker)
{
    for (uint32_t i = 0; i < worker->count; i++) {
        struct node *node = &worker->nodes[i];
        node->model_word = node->initial;
        memcpy(node->model_words, node->start, REGISTER_BYTES);
    }
}

static void visit_model(struct scene *scene, struct program *program, bool single)
{
    (void)single;
    graph_model(scene, program);
}

static void visit_submit(struct scene *scene, struct program *program, bool single)
{
    graph_submit(scene, program, single ? scene->streams[0] : NULL);
}

/* ---- captures -------------------------------------------------------------------------------- */

static void copy(struct worker *worker, void *to, const void *from, size_t bytes,
                 aclrtStream stream)
{
    OK(&worker->scene,
       aclrtMemcpyAsync(to, bytes, from, bytes, ACL_MEMCPY_DEVICE_TO_DEVICE, stream));
}

static void capture_take(struct worker *worker, const struct node *node, aclrtStream stream)
{
    uint64_t *words = node->registers, *room = words + WORDS;
    copy(worker, node->word, words, 8, stream);
    copy(worker, room, words + 1, REGISTER_BYTES - 8, stream);
    copy(worker, words, room, REGISTER_BYTES - 8, stream);
}

static void capture_node(struct worker *worker, struct node *node, uint32_t level);

static void capture_graph(struct worker *worker, const struct node *parent, uint32_t child,
                          aclmdlRI graph, uint32_t level)
{
    struct scene *scene = &worker->scene;
    struct node *node = parent->children[child];
    const aclrtStream stream = node->leaf ? scene->streams[0] : worker->outer[level];
    OK(scene,
       aclmdlRICaptureToModelRIBegin(stream, graph,
                                     worker->relaxed ? ACL_MODEL_RI_CAPTURE_MODE_RELAXED
                                                     : ACL_MODEL_RI_CAPTURE_MODE_THREAD_LOCAL));
    capture_node(worker, node, level);
    if (parent->type == ACL_MODEL_RI_COND_TYPE_WHILE)
        capture_take(worker, parent, stream);
    OK(scene, aclmdlRICaptureEnd(stream, NULL));
}

/* Queues what the node does in the capture of its stream. */
static void capture_node(struct worker *worker, struct node *node, uint32_t level)
{
    struct scene *scene = &worker->scene;
    if (node->leaf) {
        graph_submit(scene, &node->program, NULL);
        return;
    }
    const aclrtStream stream = worker->outer[level];
    aclmdlRI graphs[GRAPHS_MOST] = {NULL}, instance = NULL;
    aclmdlRICondTaskParams params = {NULL, node->type, node->size, graphs};
    const aclmdlRICondHandleFlag flag =
        node->assigns ? ACL_MODEL_RI_COND_HANDLE_ASSIGN_DEFAULT : (aclmdlRICondHandleFlag)0;
    graph_submit(scene, &node->before, stream);
    OK(scene, aclmdlRICaptureGetInfo(stream, NULL, &instance));
    OK(scene, aclmdlRICondHandleCreate(instance, node->initial, flag, &params.handle));
    OK(scene, aclmdlRICondHandleGetCondPtr(params.handle, &node->word));
    if (!node->assigns)
        capture_take(worker, node, stream);
    OK(scene, aclmdlRIAddCondTask(params, stream, 0));
    for (uint32_t i = 0; i < node->size; i++)
        capture_graph(worker, node, i, graphs[i], level + 1);
    graph_submit(scene, &node->after, stream);
}

static aclmdlRI capture(struct worker *worker)
{
    struct scene *scene = &worker->scene;
    struct node *root = &worker->nodes[0];
    aclmdlRI instance = NULL;
    const aclrtStream stream = root->leaf ? scene->streams[0] : worker->outer[0];
    const uint32_t mode =
        worker->relaxed ? ACL_MODEL_RI_CAPTURE_MODE_RELAXED : random_below(&worker->random, 3);
    OK(scene, aclmdlRICaptureBegin(stream, (aclmdlRICaptureMode)mode));
    capture_node(worker, root, 0);
    OK(scene, aclmdlRICaptureEnd(stream, &instance));
    return instance;
}

/* ---- programs -------------------------------------------------------------------------------- */

static void load(struct worker *worker)
{
    struct scene *scene = &worker->scene;
    memcpy(scene->host, worker->start_host, CELLS_BYTES);
    OK(scene, aclrtMemcpy(scene->device, CELLS_BYTES, worker->start_device, CELLS_BYTES,
                          ACL_MEMCPY_HOST_TO_DEVICE));
    for (uint32_t i = 0; i < worker->count; i++)
        if (!worker->nodes[i].leaf)
            OK(scene,
               aclrtMemcpy(worker->nodes[i].registers, REGISTER_BYTES, worker->nodes[i].start,
                           REGISTER_BYTES, ACL_MEMCPY_HOST_TO_DEVICE));
}

static void compare_cells(const struct scene *scene, const char *when, const char *where,
                          const uint8_t *found, const uint8_t *wanted)
{
    for (uint32_t i = 0; i < CELLS; i++) {
        const size_t at = (size_t)i * CELL_BYTES;
        if (memcmp(found + at, wanted + at, CELL_BYTES) != 0)
            random_failure("program %llu, %s: cell %u of the %s is %02x.., not %02x..",
                           (unsigned long long)scene->programs, when, i, where, found[at],
                           wanted[at]);
    }
}

static void compare(struct scene *scene, const char *when)
{
    uint8_t found[CELLS_BYTES];
    OK(scene, aclrtSynchronizeStreamWithTimeout(scene->streams[0], 60000));
    OK(scene,
       aclrtMemcpy(found, CELLS_BYTES, scene->device, CELLS_BYTES, ACL_MEMCPY_DEVICE_TO_HOST));
    compare_cells(scene, when, "device", found, scene->model_device);
    compare_cells(scene, when, "host", scene->host, scene->model_host);
}

static void run_program(struct worker *worker)
{
    struct scene *scene = &worker->scene;
    struct node *root = &worker->nodes[0];
    worker->count = 1;
    make_node(worker, root, 0);
    for (size_t i = 0; i < CELLS_BYTES; i++) {
        worker->start_device[i] = (uint8_t)random_next(&worker->random);
        worker->start_host[i] = (uint8_t)random_next(&worker->random);
    }
    memcpy(scene->model_device, worker->start_device, CELLS_BYTES);
    memcpy(scene->model_host, worker->start_host, CELLS_BYTES);
    begin_walk(worker);
    walk(worker, root, visit_model);

    load(worker);
    begin_walk(worker);
    walk(worker, root, visit_submit);
    compare(scene, "at once");

    const aclmdlRI instance = capture(worker);
    const uint32_t runs = 1 + random_below(&worker->random, 3);
    for (uint32_t run = 0; instance && run < runs; run++) {
        load(worker);
        OK(scene, aclmdlRIExecuteAsync(instance, scene->streams[0]));
        compare(scene, root->leaf ? "captured" : "captured with conditions");
    }
    if (instance)
        OK(scene, aclmdlRIDestroy(instance));
}

/* ---- threads --------------------------------------------------------------------------------- */

static void open_scene(struct scene *scene)
{
    const size_t bytes = CELLS_BYTES + FLAG_BYTES;
    for (uint32_t i = 0; i < STREAMS_MOST; i++)
        OK(scene, aclrtCreateStream(&scene->streams[i]));
    for (uint32_t i = 0; i < EVENTS; i++)
        OK(scene, aclrtCreateEventExWithFlag(&scene->events[i], ACL_EVENT_SYNC));
    for (uint32_t i = 0; i < NOTIFIES; i++)
        OK(scene, aclrtCreateNotify(&scene->notifies[i], 0));
    OK(scene, aclrtMalloc((void **)&scene->device, bytes, ACL_MEM_MALLOC_HUGE_FIRST));
    OK(scene, aclrtMallocHost((void **)&scene->host, CELLS_BYTES));
    OK(scene, aclrtMemset(scene->device, bytes, 0, bytes));
    OK(scene, aclrtBinaryLoadFromFile(GRAPH_KERNELS, NULL, &scene->kernels));
    OK(scene, aclrtBinaryGetFunction(scene->kernels, "mix", &scene->mix));
}

static void close_scene(struct scene *scene)
{
    for (uint32_t i = 0; i < NOTIFIES; i++)
        OK(scene, aclrtDestroyNotify(scene->notifies[i]));
    for (uint32_t i = 0; i < EVENTS; i++)
        OK(scene, aclrtDestroyEvent(scene->events[i]));
    for (uint32_t i = 0; i < STREAMS_MOST; i++)
        OK(scene, aclrtDestroyStream(scene->streams[i]));
    OK(scene, aclrtFreeHost(scene->host));
    OK(scene, aclrtFree(scene->device));
    OK(scene, aclrtBinaryUnLoad(scene->kernels));
}

static void *work(void *argument)
{
    struct worker *worker = argument;
    struct scene *scene = &worker->scene;
    OK(scene, aclrtSetDevice(0));
    open_scene(scene);
    for (uint32_t i = 0; i < LEVELS_MOST; i++)
        OK(scene, aclrtCreateStream(&worker->outer[i]));
    OK(scene, aclrtMalloc((void **)&worker->registers, NODES_MOST * 2 * REGISTER_BYTES,
                          ACL_MEM_MALLOC_HUGE_FIRST));
    for (uint32_t i = 0; i < NODES_MOST; i++)
        worker->nodes[i].registers = worker->registers + (size_t)i * 2 * WORDS;
    for (; scene->programs > 0 && random_failures() == 0; scene->programs--)
        run_program(worker);
    OK(scene, aclrtFree(worker->registers));
    for (uint32_t i = 0; i < LEVELS_MOST; i++)
        OK(scene, aclrtDestroyStream(worker->outer[i]));
    close_scene(scene);
    OK(scene, aclrtResetDevice(0));
    return NULL;
}

int main(int argc, char **argv)
{
    random_options options = {.seed = random_new_seed(), .calls = 2000, .threads = 1};
    if (!random_options_parse(&options, argc, argv))
        return 2;
    random_failures_of(&options);
    random_watchdog(WATCH_SECONDS);
    if (aclInit(NULL) != ACL_SUCCESS)
        return 1;
    static struct worker workers[RANDOM_THREADS_MOST];
    pthread_t threads[RANDOM_THREADS_MOST];
    for (uint32_t i = 0; i < options.threads; i++) {
        workers[i].scene.thread = i;
        workers[i].scene.programs = options.calls / options.threads;
        workers[i].relaxed = options.threads > 1;
        random_seed(&workers[i].random, options.seed, i + 1);
        if (pthread_create(&threads[i], NULL, work, &workers[i]) != 0)
            abort();
    }
    for (uint32_t i = 0; i < options.threads; i++)
        pthread_join(threads[i], NULL);
    (void)aclFinalize();
    const bool good = random_failures() == 0;
    printf("random_graph: seed %llu, %llu programs at once and captured, %u threads: %s\n",
           (unsigned long long)options.seed, (unsigned long long)options.calls, options.threads,
           good ? "all right" : "FAILED");
    return good ? 0 : 1;
}
