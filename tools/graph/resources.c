/* SPDX-License-Identifier: Apache-2.0 */
/* Streams, events and notifies: what a graph holds when it is complete, who holds others then, and
 * how many more graphs like it fit. */
#include <inttypes.h>
#include <string.h>

#include "check/report/site.h"
#include "graph/parts.h"
#include "output/layout.h"

enum resource { STREAMS, EVENTS, NOTIFIES, COUNTS, RESOURCES };

static const char *const plurals[RESOURCES] = {"streams", "events", "notifies",
                                               "counting notifies"};
static const char *const singulars[RESOURCES] = {"stream", "event", "notify", "counting notify"};
static const char *const keys[RESOURCES] = {"streams", "events", "notifies", "count_notifies"};

/* A stream or a signal; signals have this bit. */
#define SIGNAL (UINT64_C(1) << 32)
#define SHARED UINT32_MAX /* not of one graph alone */

struct object {
    UT_hash_handle hh;
    uint64_t key;
    const twin_op *made; /* NULL: it is not there */
    uint32_t owner;      /* number of a graph; 0: of none; SHARED */
    enum resource kind;
};

/* Objects that other graphs, or one call, made. */
struct holder {
    uint64_t counts[RESOURCES];
    const twin_op *made; /* of the first */
    uint32_t graph;      /* number; 0: the program */
    char text[CHECK_SITE_CALL];
};

struct usage {
    const struct graphs *graphs;
    const struct graph *graph;
    struct check_sites *sites;
    struct object *objects;
    bool limited; /* limits are known */
    uint64_t seq;
    uint64_t limits[RESOURCES];
    uint64_t held[RESOURCES];   /* by the graph */
    uint64_t others[RESOURCES]; /* by all else */
    LIST_OF(struct holder) holders;
    uint64_t more;          /* graphs that fit */
    enum resource runs_out; /* of which there is least then; RESOURCES: of none */
};

static uint64_t free_of(const struct usage *usage, enum resource kind)
{
    const uint64_t used = usage->held[kind] + usage->others[kind];
    return used < usage->limits[kind] ? usage->limits[kind] - used : 0;
}

/* ---- owners ---------------------------------------------------------------------------------- */

static struct object *ensure(struct usage *usage, uint64_t key)
{
    struct object *object = NULL;
    HASH_ENSURE(usage->objects, key, key, object);
    return object;
}

static struct object *find(const struct usage *usage, uint64_t key)
{
    struct object *object;
    HASH_FIND(hh, usage->objects, &key, sizeof(key), object);
    return object;
}

static bool uses_signal(uint32_t kind)
{
    return kind == TWIN_OP_RECORD || kind == TWIN_OP_WAIT || kind == TWIN_OP_RESET ||
           kind == TWIN_OP_COUNT || kind == TWIN_OP_WAIT_COUNT;
}

/* Streams are of the graph that they are bound to, signals of the one whose tasks alone use them.
 */
static bool note_owners(struct usage *usage)
{
    const struct graphs *graphs = usage->graphs;
    for (size_t i = 0; i < graphs->list.count; i++)
        for (size_t k = 0; k < graphs->list.items[i].streams.count; k++) {
            struct object *stream = ensure(usage, graphs->list.items[i].streams.items[k].queue);
            if (!stream)
                return false;
            stream->owner = graphs->list.items[i].number;
        }
    for (size_t i = 0; i < graphs->ops.count; i++) {
        const twin_op *op = &graphs->ops.list[i];
        if (!uses_signal(op->kind) || !twin_op_succeeded(op))
            continue;
        const struct object *stream = find(usage, op->queue);
        const uint32_t owner = stream && stream->owner != 0 ? stream->owner : SHARED;
        struct object *signal = ensure(usage, op->object | SIGNAL);
        if (!signal)
            return false;
        signal->owner = signal->owner == 0 || signal->owner == owner ? owner : SHARED;
    }
    return true;
}

/* ---- what is there --------------------------------------------------------------------------- */

static enum resource kind_of(const twin_op *op)
{
    return op->config.signal_kind == TWIN_SIGNAL_NOTIFY  ? NOTIFIES
           : op->config.signal_kind == TWIN_SIGNAL_COUNT ? COUNTS
                                                         : EVENTS;
}

/* An event that no stream waits for needs nothing of the device. */
static bool needs_id(const struct usage *usage, const twin_op *op)
{
    struct twin_record_SIGNAL_CREATE made;
    return !TWIN_RECORDING_GET(twin_recording_at(usage->graphs->recording, op->entry),
                               SIGNAL_CREATE, &made) ||
           made.waitable != 0 || kind_of(op) != EVENTS;
}

static bool take(struct usage *usage, const twin_op *op)
{
    struct object *object = NULL;
    switch (op->kind) {
    case TWIN_OP_QUEUE_CREATE:
    case TWIN_OP_SIGNAL_CREATE:
    case TWIN_OP_SIGNAL_OPEN:
        if (op->kind != TWIN_OP_QUEUE_CREATE && !needs_id(usage, op))
            return true;
        object = ensure(usage, op->kind == TWIN_OP_QUEUE_CREATE ? op->queue : op->object | SIGNAL);
        if (!object)
            return false;
        object->made = op;
        object->kind = op->kind == TWIN_OP_QUEUE_CREATE ? STREAMS : kind_of(op);
        return true;
    case TWIN_OP_QUEUE_DESTROY:
    case TWIN_OP_SIGNAL_DESTROY:
        object = find(usage, op->kind == TWIN_OP_QUEUE_DESTROY ? op->queue : op->object | SIGNAL);
        if (object)
            object->made = NULL;
        return true;
    case TWIN_OP_DEVICE_CLOSE:
        for (object = usage->objects; object; object = object->hh.next)
            if (object->made && object->made->device == op->device)
                object->made = NULL;
        return true;
    default:
        return true;
    }
}

static bool add_holder(struct usage *usage, const struct object *object)
{
    struct holder holder = {.made = object->made,
                            .graph = object->owner != SHARED ? object->owner : 0};
    if (holder.graph != 0)
        (void)snprintf(holder.text, sizeof(holder.text), "model instance %" PRIu32, holder.graph);
    else
        (void)check_sites_call(usage->sites, object->made, holder.text);
    for (size_t i = 0; i < usage->holders.count; i++)
        if (strcmp(usage->holders.items[i].text, holder.text) == 0) {
            usage->holders.items[i].counts[object->kind]++;
            return true;
        }
    holder.counts[object->kind] = 1;
    return LIST_ADD(&usage->holders, holder);
}

static bool count_all(struct usage *usage)
{
    for (const struct object *object = usage->objects; object; object = object->hh.next) {
        if (!object->made || object->made->device != usage->graph->device)
            continue;
        if (object->owner == usage->graph->number) {
            usage->held[object->kind]++;
            continue;
        }
        usage->others[object->kind]++;
        if (!add_holder(usage, object))
            return false;
    }
    return true;
}

static void find_limits(struct usage *usage)
{
    const twin_recording *recording = usage->graphs->recording;
    for (size_t i = 0; i < twin_recording_count(recording); i++) {
        const struct twin_record_entry *entry = twin_recording_at(recording, i);
        struct twin_record_PROCESS_DESCRIBE f;
        if (!TWIN_RECORDING_GET(entry, PROCESS_DESCRIBE, &f) || f.device != usage->graph->device ||
            !twin_recording_succeeded(entry))
            continue;
        usage->limits[STREAMS] = f.stream_limit;
        usage->limits[EVENTS] = f.event_limit;
        usage->limits[NOTIFIES] = f.notify_limit;
        usage->limits[COUNTS] = f.count_notify_limit;
        usage->limited = true;
    }
}

static void find_more(struct usage *usage)
{
    usage->more = UINT64_MAX;
    usage->runs_out = RESOURCES;
    for (enum resource kind = STREAMS; kind < RESOURCES; kind++) {
        if (usage->held[kind] == 0 || free_of(usage, kind) / usage->held[kind] >= usage->more)
            continue;
        usage->more = free_of(usage, kind) / usage->held[kind];
        usage->runs_out = kind;
    }
}

static int by_first(const void *left, const void *right)
{
    const struct holder *a = left;
    const struct holder *b = right;
    return ORDER(a->made->begin_seq, b->made->begin_seq);
}

/* False: out of memory. */
static bool usage_make(struct usage *usage)
{
    const struct graph *graph = usage->graph;
    usage->seq = graph->sealed_seq != 0 ? graph->sealed_seq : graph->made->begin_seq;
    for (size_t i = 0; graph->sealed_seq == 0 && i < graph->tasks.count; i++)
        if (graph->tasks.items[i].op->begin_seq > usage->seq)
            usage->seq = graph->tasks.items[i].op->begin_seq;
    bool good = note_owners(usage);
    for (size_t i = 0; good && i < usage->graphs->ops.count; i++) {
        const twin_op *op = &usage->graphs->ops.list[i];
        if (op->begin_seq > usage->seq)
            break;
        good = !twin_op_succeeded(op) || take(usage, op);
    }
    good = good && count_all(usage);
    if (good && usage->holders.count > 0)
        qsort(usage->holders.items, usage->holders.count, sizeof(struct holder), by_first);
    find_limits(usage);
    find_more(usage);
    return good;
}

static void usage_free(struct usage *usage)
{
    HASH_FREE_ALL(usage->objects);
    free(usage->holders.items);
}

/* ---- reports --------------------------------------------------------------------------------- */

/* The columns: counting notifies only where there are any. */
static bool is_shown(const struct usage *usage, enum resource kind)
{
    return kind != COUNTS || usage->limits[kind] + usage->held[kind] + usage->others[kind] > 0;
}

static void print_counts(const struct usage *usage, const char *label, const uint64_t *counts,
                         FILE *out)
{
    fprintf(out, "  %-18s", label);
    for (enum resource kind = STREAMS; kind < RESOURCES; kind++)
        if (is_shown(usage, kind))
            fprintf(out, "  %*" PRIu64, kind == COUNTS ? 17 : 8, counts[kind]);
    fputc('\n', out);
}

static void print_holder(const struct holder *holder, FILE *out)
{
    char label[96] = "   ";
    for (enum resource kind = STREAMS; kind < RESOURCES; kind++)
        if (holder->counts[kind] > 0) {
            const size_t used = strlen(label);
            (void)snprintf(label + used, sizeof(label) - used, "%s %" PRIu64 " %s",
                           used > 3 ? "," : "", holder->counts[kind],
                           holder->counts[kind] == 1 ? singulars[kind] : plurals[kind]);
        }
    (void)strncat(label, ": ", sizeof(label) - strlen(label) - 1);
    layout_print(out, GRAPH_COLUMNS, 6, label, *holder->text ? holder->text : "unknown call");
}

static void print_usage(const struct usage *usage, FILE *out)
{
    const struct graph *graph = usage->graph;
    const char *part = graph_part(usage->graphs, graph->device);
    uint64_t left[RESOURCES];
    fprintf(out, "\nmodel instance %" PRIu32 ", at seq %" PRIu64 ", device %" PRIu32 "%s%s%s\n",
            graph->number, usage->seq, graph->device, *part ? " (" : "", part, *part ? ")" : "");
    fprintf(out, "  %-18s", "");
    for (enum resource kind = STREAMS; kind < RESOURCES; kind++)
        if (is_shown(usage, kind))
            fprintf(out, "  %*s", kind == COUNTS ? 17 : 8, plurals[kind]);
    fputc('\n', out);
    print_counts(usage, "held by it", usage->held, out);
    print_counts(usage, "held by others", usage->others, out);
    for (enum resource kind = STREAMS; kind < RESOURCES; kind++)
        left[kind] = free_of(usage, kind);
    if (usage->limited) {
        print_counts(usage, "free", left, out);
        print_counts(usage, "limit of a process", usage->limits, out);
    }
    if (!usage->limited)
        fprintf(out, "  the recording does not have the limits of the device\n");
    else if (usage->runs_out != RESOURCES)
        fprintf(out, "  %" PRIu64 " more such graph%s fit%s; %s run out first\n", usage->more,
                layout_plural(usage->more), usage->more == 1 ? "s" : "", plurals[usage->runs_out]);
    if (usage->holders.count > 0)
        fprintf(out, "  others:\n");
    for (size_t i = 0; i < usage->holders.count; i++)
        print_holder(&usage->holders.items[i], out);
}

static cJSON *json_counts(const uint64_t *counts)
{
    cJSON *object = cJSON_CreateObject();
    for (enum resource kind = STREAMS; kind < RESOURCES; kind++)
        json_add(object, JSON_NUMBER(keys[kind], counts[kind]));
    return object;
}

static cJSON *json_usage(const struct usage *usage)
{
    cJSON *holders = cJSON_CreateArray();
    for (size_t i = 0; i < usage->holders.count; i++) {
        const struct holder *holder = &usage->holders.items[i];
        cJSON *object = json_counts(holder->counts);
        if (holder->graph != 0)
            json_add(object, JSON_NUMBER("instance", holder->graph));
        else
            graph_json_call(object, usage->sites, usage->graphs->recording, holder->made);
        json_append(holders, object);
    }
    cJSON *object = json_object(
        JSON_NUMBER("instance", usage->graph->number), JSON_NUMBER("device", usage->graph->device),
        JSON_TEXT("part", graph_part(usage->graphs, usage->graph->device)),
        JSON_NUMBER("seq", usage->seq), JSON_ITEM("held", json_counts(usage->held)),
        JSON_ITEM("others", json_counts(usage->others)), JSON_ITEM("holders", holders));
    if (usage->limited)
        json_add(object, JSON_ITEM("limits", json_counts(usage->limits)));
    if (usage->limited && usage->runs_out != RESOURCES)
        json_add(object, JSON_NUMBER("more", usage->more),
                 JSON_TEXT("runs_out", keys[usage->runs_out]));
    return object;
}

/* Each graph that is asked for, as text or into the list. */
static bool for_each(const struct graphs *graphs, const struct graph_request *request, FILE *out,
                     cJSON *list)
{
    bool good = true;
    for (size_t i = 0; good && i < graphs->list.count; i++) {
        struct usage usage = {
            .graphs = graphs, .graph = &graphs->list.items[i], .sites = request->sites};
        if (request->only && request->only != usage.graph)
            continue;
        good = usage_make(&usage);
        if (good && list)
            json_append(list, json_usage(&usage));
        else if (good)
            print_usage(&usage, out);
        usage_free(&usage);
    }
    return good;
}

bool graph_resources_text(const struct graphs *graphs, const struct graph_request *request,
                          FILE *out)
{
    fprintf(out, "%s: streams, events and notifies when each graph became complete\n",
            graphs->path);
    return for_each(graphs, request, out, NULL);
}

bool graph_resources_json(const struct graphs *graphs, const struct graph_request *request,
                          FILE *out)
{
    cJSON *list = cJSON_CreateArray();
    if (for_each(graphs, request, out, list))
        return graph_json_print(graphs, "resources", list, out);
    cJSON_Delete(list);
    return false;
}
