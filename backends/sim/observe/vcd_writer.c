/* SPDX-License-Identifier: Apache-2.0 */
/* The file of TWINRT_VCD: signals over time as a value change dump. sim/docs/observation.md lists
 * the signals. */
#include "observe/observe.h"

#include <errno.h>
#include <inttypes.h>

#include "observe/sq_owner.h"
#include "process/process.h"
#include "twinsim/stars.h"

/* In the order of the file. */
enum kind {
    KIND_SLOTS,    /* slots in use */
    KIND_GRANT,    /* the SQ that the arbiter chose last */
    KIND_QUEUE,    /* number: the queue's life */
    KIND_EVENT,    /* the flag */
    KIND_NOTIFY,   /* pulses at each access */
    KIND_COUNTING, /* likewise, a counting one */
    KIND_CHANNEL,  /* number: engine << 16 | channel */
    KIND_LINK,
    KIND_CORE, /* number: engine << 16 | core */
    KIND_COUNT
};

static const struct {
    const char *group;
    unsigned bits; /* 0: a pulse */
} kinds[KIND_COUNT] = {
    [KIND_SLOTS] = {"slots", 16},     [KIND_GRANT] = {"slots", 12},
    [KIND_QUEUE] = {"queues", 5},     [KIND_EVENT] = {"events", 1},
    [KIND_NOTIFY] = {"events", 0},    [KIND_COUNTING] = {"events", 0},
    [KIND_CHANNEL] = {"channels", 1}, [KIND_LINK] = {"links", 64},
    [KIND_CORE] = {"cores", 1},
};

struct change {
    uint64_t ns;
    uint64_t key; /* device << 56 | kind << 48 | number */
    uint64_t value;
    size_t order;
    uint8_t rank; /* of one instant: what ends, then what begins */
    int8_t delta; /* not 0: added to the value instead */
};

struct changes {
    struct change *list;
    size_t count;
    const char *signals;
};

/* Whether a list with commas contains the name. */
static bool in_list(const char *list, const char *name, size_t length)
{
    for (; *list; list += *list == ',') {
        size_t part = strcspn(list, ",");
        if (part == length && strncmp(list, name, length) == 0)
            return true;
        list += part;
    }
    return false;
}

bool sim_vcd_knows(const char *signals)
{
    static const char known[] = "all,queues,slots,events,channels,links,cores";
    for (const char *list = signals; list; list = strchr(list, ',')) {
        list += *list == ',';
        size_t part = strcspn(list, ",");
        if (!in_list(known, list, part))
            return false;
    }
    return true;
}

static void add(struct changes *changes, uint32_t device, enum kind kind, uint64_t number,
                uint64_t ns, uint64_t value, int rank, int delta)
{
    const char *group = kinds[kind].group;
    if (!in_list(changes->signals, "all", 3) && !in_list(changes->signals, group, strlen(group)))
        return;
    changes->list[changes->count] =
        (struct change){.ns = ns,
                        .key = (uint64_t)device << 56 | (uint64_t)kind << 48 | number,
                        .value = value,
                        .order = changes->count,
                        .rank = (uint8_t)rank,
                        .delta = (int8_t)delta};
    changes->count++;
}

/* Holds `value` from begin to end, 0 afterwards. */
static void hold(struct changes *changes, const struct twinsim_trace_entry *entry, enum kind kind,
                 uint64_t number, uint64_t value)
{
    add(changes, entry->device, kind, number, entry->begin_ns, value, 1, 0);
    add(changes, entry->device, kind, number, entry->end_ns, 0, 0, 0);
}

/* Accesses from another device are not drawn in the table that they reach. */
static void add_table(struct changes *changes, const struct twinsim_trace_entry *entry)
{
    const uint64_t bits = entry->waker_number;
    bool store = entry->sqe_type == STARS_SQE_WRITE_VALUE;
    enum kind kind = KIND_EVENT;
    uint64_t value = entry->sqe_type == STARS_SQE_EVENT_RECORD || (bits & TWINSIM_TABLE_SETS) != 0;
    if (entry->id == UINT32_MAX || (bits & (TWINSIM_TABLE_VAIN | TWINSIM_TABLE_AWAY)) != 0)
        return;
    if ((bits & TWINSIM_TABLE_COUNT) != 0)
        kind = KIND_COUNTING;
    else if ((bits & TWINSIM_TABLE_NOTIFY) != 0 || entry->sqe_type == STARS_SQE_NOTIFY_RECORD ||
             entry->sqe_type == STARS_SQE_NOTIFY_WAIT)
        kind = KIND_NOTIFY;
    if (kind != KIND_EVENT)
        value = 1;
    else if (!store && entry->sqe_type != STARS_SQE_EVENT_RECORD)
        return; /* a wait changes nothing */
    add(changes, entry->device, kind, entry->id, entry->end_ns, value, 1, 0);
}

static void add_entry(struct changes *changes, const struct twinsim_trace_entry *entry,
                      uint32_t life)
{
    uint64_t unit = (uint64_t)entry->engine << 16 | (entry->id & 0xffffu);
    switch (entry->phase) {
    case TWINSIM_PHASE_DOORBELL:
    case TWINSIM_PHASE_TASK:
    case TWINSIM_PHASE_SHARE:
    case TWINSIM_PHASE_START:
    case TWINSIM_PHASE_PIPE:
    case TWINSIM_PHASE_REPORTED:
        return;
    case TWINSIM_PHASE_OCCUPY:
        add(changes, entry->device, KIND_SLOTS, 0, entry->begin_ns, 0, 1, 1);
        add(changes, entry->device, KIND_SLOTS, 0, entry->end_ns, 0, 0, -1);
        add(changes, entry->device, KIND_GRANT, 0, entry->begin_ns, entry->sq, 1, 0);
        return;
    case TWINSIM_PHASE_LINK:
        hold(changes, entry, KIND_LINK, entry->id, entry->bytes);
        return;
    case TWINSIM_PHASE_BLOCK:
        hold(changes, entry, KIND_CORE, unit, 1);
        return;
    default:
        break;
    }
    if ((entry->phase == TWINSIM_PHASE_SETUP || entry->phase == TWINSIM_PHASE_TRANSFER) &&
        entry->engine != TWINSIM_ENGINE_NONE && entry->engine < TWINSIM_ENGINE_AIC &&
        entry->id != UINT32_MAX)
        hold(changes, entry, KIND_CHANNEL, unit, 1);
    if (entry->phase == TWINSIM_PHASE_TABLE)
        add_table(changes, entry);
    if (life != UINT32_MAX && entry->begin_ns != entry->end_ns)
        hold(changes, entry, KIND_QUEUE, life, 1u + entry->phase);
}

static int compare_changes(const void *left, const void *right)
{
    const struct change *a = left;
    const struct change *b = right;
    int order = sim_order(a->ns, b->ns);
    order = order ? order : sim_order(a->key, b->key);
    order = order ? order : sim_order(a->rank, b->rank);
    return order ? order : sim_order(a->order, b->order);
}

static int compare_keys(const void *left, const void *right)
{
    return sim_order(*(const uint64_t *)left, *(const uint64_t *)right);
}

static void put_code(FILE *file, size_t index)
{
    do {
        fputc((int)('!' + index % 94), file);
        index /= 94;
    } while (index > 0);
}

static void put_name(FILE *file, const twinsim *sim, const struct sq_owner *map, enum kind kind,
                     uint64_t number)
{
    static const char *const engines[] = {"none", "sdma", "pcie_dma", "host_dma", "aic", "aiv"};
    struct twinsim_link link;
    switch (kind) {
    case KIND_SLOTS:
        fputs("slots_in_use", file);
        return;
    case KIND_GRANT:
        fputs("granted_sq", file);
        return;
    case KIND_QUEUE:
        fprintf(file, "stream_%" PRIu32 "_queue_%" PRIu64, map->queues[number].stream_id, number);
        return;
    case KIND_EVENT:
    case KIND_NOTIFY:
    case KIND_COUNTING:
        fprintf(file, "%s_%" PRIu64,
                kind == KIND_EVENT    ? "event"
                : kind == KIND_NOTIFY ? "notify"
                                      : "count",
                number);
        return;
    case KIND_CHANNEL:
    case KIND_CORE:
        fprintf(file, "%s_%u", engines[number >> 16], (unsigned)(number & 0xffffu));
        return;
    case KIND_LINK:
        if (twinsim_link_at(sim, number, &link) != TWINSIM_OK)
            return;
        for (char *p = link.name; *p; p++)
            fputc(*p == ' ' ? '_' : *p, file);
        fputs("_bytes_per_s", file);
        return;
    case KIND_COUNT:
        return;
    }
}

static void put_value(FILE *file, unsigned bits, uint64_t value, size_t code)
{
    if (bits <= 1) {
        fputc(value ? '1' : '0', file);
    } else {
        bool leading = true;
        fputc('b', file);
        for (unsigned bit = bits; bit-- > 0;) {
            bool set = (value >> bit & 1) != 0;
            leading = leading && !set && bit > 0;
            if (!leading)
                fputc(set ? '1' : '0', file);
        }
        fputc(' ', file);
    }
    put_code(file, code);
    fputc('\n', file);
}

static void put_head(FILE *file, const twinsim *sim, const struct sq_owner *map,
                     const uint64_t *keys, size_t key_count)
{
    fputs("$version twinrt-vcd 1 $end\n$timescale 1 ns $end\n", file);
    uint64_t device = UINT64_MAX;
    for (size_t i = 0; i < key_count; i++) {
        enum kind kind = (enum kind)(keys[i] >> 48 & 0xffu);
        if (keys[i] >> 56 != device) {
            if (device != UINT64_MAX)
                fputs("$upscope $end\n", file);
            device = keys[i] >> 56;
            fprintf(file, "$scope module device_%" PRIu64 " $end\n", device);
        }
        unsigned bits = kinds[kind].bits;
        fprintf(file, "$var %s %u ", bits == 0 ? "event" : "wire", bits == 0 ? 1 : bits);
        put_code(file, i);
        fputc(' ', file);
        put_name(file, sim, map, kind, keys[i] & 0xffffffffffffu);
        if (bits > 1)
            fprintf(file, " [%u:0]", bits - 1);
        fputs(" $end\n", file);
    }
    if (device != UINT64_MAX)
        fputs("$upscope $end\n", file);
    fputs("$enddefinitions $end\n#0\n$dumpvars\n", file);
    for (size_t i = 0; i < key_count; i++) {
        unsigned bits = kinds[keys[i] >> 48 & 0xffu].bits;
        if (bits > 0)
            put_value(file, bits, 0, i);
    }
    fputs("$end\n", file);
}

static void put_changes(FILE *file, const struct changes *changes, const uint64_t *keys,
                        size_t key_count, uint64_t *values)
{
    uint64_t now = 0;
    for (size_t i = 0; i < changes->count;) {
        const struct change *first = &changes->list[i];
        size_t code = (size_t)((const uint64_t *)bsearch(&first->key, keys, key_count,
                                                         sizeof(*keys), compare_keys) -
                               keys);
        uint64_t value = values[code];
        /* of one instant the last counts */
        for (; i < changes->count && changes->list[i].ns == first->ns &&
               changes->list[i].key == first->key;
             i++)
            value = changes->list[i].delta != 0 ? value + (uint64_t)(int64_t)changes->list[i].delta
                                                : changes->list[i].value;
        unsigned bits = kinds[first->key >> 48 & 0xffu].bits;
        if (bits > 0 && value == values[code])
            continue;
        values[code] = bits > 0 ? value : 0;
        if (first->ns != now) {
            now = first->ns;
            fprintf(file, "#%" PRIu64 "\n", now);
        }
        put_value(file, bits, value, code);
    }
}

int sim_vcd_draw(FILE *file, const twinsim *sim, const char *signals)
{
    int error = -ENOMEM;
    size_t count = 0;
    const struct twinsim_trace_entry *entries = twinsim_trace(sim, &count);
    if (!entries && count > 0)
        return -ENOMEM;
    struct changes changes = {.signals = signals};
    struct sq_owner map;
    size_t queue_count;
    const struct timeline_queue *queues = sim_timeline_queues(&queue_count);
    uint64_t *keys = NULL;
    uint64_t *values = NULL;
    changes.list = calloc(6 * count + 1, sizeof(*changes.list));
    if (!sq_owner_make(&map, queues, queue_count, sim_process.device_count) || !changes.list)
        goto free_all;
    for (size_t i = 0; i < count; i++)
        add_entry(&changes, &entries[i], sq_owner_of(&map, i, &entries[i]));
    keys = calloc(changes.count + 1, sizeof(*keys));
    values = calloc(changes.count + 1, sizeof(*values));
    if (!keys || !values)
        goto free_all;
    for (size_t i = 0; i < changes.count; i++)
        keys[i] = changes.list[i].key;
    qsort(keys, changes.count, sizeof(*keys), compare_keys);
    size_t key_count = 0;
    for (size_t i = 0; i < changes.count; i++)
        if (key_count == 0 || keys[key_count - 1] != keys[i])
            keys[key_count++] = keys[i];
    qsort(changes.list, changes.count, sizeof(*changes.list), compare_changes);
    put_head(file, sim, &map, keys, key_count);
    put_changes(file, &changes, keys, key_count, values);
    /* A slot may be released after the model's last event (T-SCH-19). */
    uint64_t end = twinsim_now(sim);
    if (changes.count > 0 && changes.list[changes.count - 1].ns > end)
        end = changes.list[changes.count - 1].ns;
    fprintf(file, "#%" PRIu64 "\n", end + 1);
    error = ferror(file) ? -EIO : 0;

free_all:
    free(values);
    free(keys);
    free(map.life);
    free(changes.list);
    return error;
}
