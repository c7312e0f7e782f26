/* SPDX-License-Identifier: Apache-2.0 */
/* The file of TWINRT_KERNEL_COUNTS, which `twinrt kernel-report` reads: of each launch the times of
 * its blocks and pipes, what pipes waited for, what moved, what was computed.
 * tools/kernel_report/README.md describes it. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "observe/json_escape.h"
#include "observe/kernel_notes.h"
#include "observe/timeline.h"
#include "process/process.h"

#define COUNTS_VERSION 1
#define CLASSES        12u /* of lengths of rows: below 32 bytes, below 64, ... */
#define SHORTEST_SHIFT 5u  /* 2^5 bytes */

struct wait {
    uint8_t pipe, kind;
    uint16_t flag;
    uint64_t count, ns;
};

/* Rows of lengths that are alike. */
struct row_class {
    uint64_t least, most, rows, bytes, ns;
};

struct moves {
    uint64_t count, bytes, l2_bytes, host_bytes, unaligned_bytes;
    struct row_class classes[CLASSES];
};

/* While no pipe but perhaps the scalar unit works, in the order in which one comes first. */
enum idle { IDLE_SCALAR, IDLE_CORES, IDLE_DATA, IDLE_CAUSES };

/* All blocks of a launch on one kind of core. */
struct part {
    uint64_t issue_ns, end_ns; /* of the first, of the last */
    uint64_t start_ns, busy_ns, idle_ns[IDLE_CAUSES], pipe_ns[TWIN_PIPE_COUNT];
    uint64_t *lists_ns; /* of each block, its step list */
    size_t block_count, block_room;
    uint64_t longest_ns;
    uint32_t longest; /* its block */
    struct wait *waits;
    size_t wait_count, wait_room;
    struct moves reads, writes;
    uint64_t counts[TWIN_PIPE_COUNT][TWIN_COUNT_KINDS];
    bool counted;
};

/* Something changes in a block: what begins or ends. */
enum subject { WORKS, SCALAR_WORKS, WAITS_FOR_CORES, SUBJECTS };
struct change {
    uint64_t at_ns;
    int8_t by;
    uint8_t subject;
};

/* The block that is on a core. */
struct seat {
    uint64_t begin_ns; /* of its step list */
    struct change *changes;
    size_t count, room;
};

struct counts {
    struct kernel_cores cores;
    struct seat *seats;
    size_t seat_count;
    struct part *(*parts)[2]; /* by kernel and kind of core; NULL: none has ended yet */
    struct kernel_note *notes;
    size_t note_count;
};

/* ---- reading --------------------------------------------------------------------------------- */

static struct part *part_of(struct counts *counts, uint32_t note, bool vector)
{
    struct part **at = &counts->parts[note][vector];
    if (!*at)
        *at = calloc(1, sizeof(**at));
    return *at;
}

static bool add_change(struct seat *seat, uint64_t begin_ns, uint64_t end_ns, enum subject subject)
{
    for (int side = 0; side < 2; side++) {
        if (!sim_grow(&seat->changes, sizeof(*seat->changes), seat->count, &seat->room))
            return false;
        seat->changes[seat->count++] = (struct change){
            .at_ns = side ? end_ns : begin_ns, .by = side ? -1 : 1, .subject = (uint8_t)subject};
    }
    return true;
}

static bool add_wait(struct part *part, uint32_t pipe, uint32_t kind, uint32_t flag, uint64_t ns)
{
    size_t at = 0;
    while (at < part->wait_count && (part->waits[at].pipe != pipe || part->waits[at].kind != kind ||
                                     part->waits[at].flag != flag))
        at++;
    if (at == part->wait_count) {
        if (!sim_grow(&part->waits, sizeof(*part->waits), part->wait_count, &part->wait_room))
            return false;
        part->waits[part->wait_count++] =
            (struct wait){.pipe = (uint8_t)pipe, .kind = (uint8_t)kind, .flag = (uint16_t)flag};
    }
    part->waits[at].count++;
    part->waits[at].ns += ns;
    return true;
}

static void add_move(struct moves *moves, const struct twinsim_trace_entry *entry)
{
    const uint32_t flag = TWINSIM_PIPE_FLAG_OF(entry);
    const uint64_t row = entry->waker_sq != 0 ? entry->waker_sq : entry->bytes;
    uint32_t class = 0;
    while (class + 1 < CLASSES && row >> (class + SHORTEST_SHIFT) != 0)
        class ++;
    struct row_class *rows = &moves->classes[class];
    moves->count++;
    moves->bytes += entry->bytes;
    moves->l2_bytes += entry->l2_bytes;
    moves->host_bytes += flag & TWIN_STEP_IN_HOST ? entry->bytes : 0;
    moves->unaligned_bytes += flag & TWINSIM_PIPE_UNALIGNED ? entry->bytes : 0;
    if (rows->rows == 0 || row < rows->least)
        rows->least = row;
    if (row > rows->most)
        rows->most = row;
    rows->rows += entry->bytes / row;
    rows->bytes += entry->bytes;
    rows->ns += entry->end_ns - entry->begin_ns;
}

static bool add_step(struct part *part, struct seat *seat, const struct twinsim_trace_entry *entry)
{
    const uint32_t pipe = TWINSIM_PIPE_OF(entry);
    const uint32_t kind = TWINSIM_PIPE_KIND_OF(entry);
    const uint32_t flag = TWINSIM_PIPE_FLAG_OF(entry);
    const uint64_t ns = entry->end_ns - entry->begin_ns;
    if (pipe >= TWIN_PIPE_COUNT)
        return true;
    switch (kind) {
    case TWIN_STEP_COUNT:
        part->counted = true;
        if (flag < TWIN_COUNT_KINDS)
            part->counts[pipe][flag] += entry->bytes;
        return true;
    case TWIN_STEP_READ:
    case TWIN_STEP_WRITE:
        if (entry->bytes > 0)
            add_move(kind == TWIN_STEP_READ ? &part->reads : &part->writes, entry);
        break;
    case TWIN_STEP_WORK:
        break;
    default:
        return add_wait(part, pipe, kind, kind == TWIN_STEP_BARRIER ? 0 : flag, ns) &&
               (kind != TWIN_STEP_CROSS_CORE_WAIT ||
                add_change(seat, entry->begin_ns, entry->end_ns, WAITS_FOR_CORES));
    }
    part->pipe_ns[pipe] += ns;
    return add_change(seat, entry->begin_ns, entry->end_ns,
                      pipe == TWIN_PIPE_SCALAR ? SCALAR_WORKS : WORKS);
}

static int by_time(const void *left, const void *right)
{
    const struct change *a = left;
    const struct change *b = right;
    return sim_order(a->at_ns, b->at_ns);
}

/* From one change to the next the same holds. */
static void add_times(struct part *part, const struct seat *seat, uint64_t end_ns)
{
    int now[SUBJECTS] = {0};
    uint64_t at_ns = seat->begin_ns;
    for (size_t i = 0; i <= seat->count; i++) {
        const uint64_t next_ns = i < seat->count ? seat->changes[i].at_ns : end_ns;
        const uint64_t ns = next_ns > at_ns ? next_ns - at_ns : 0;
        if (now[WORKS] > 0)
            part->busy_ns += ns;
        else
            part->idle_ns[now[SCALAR_WORKS] > 0      ? IDLE_SCALAR
                          : now[WAITS_FOR_CORES] > 0 ? IDLE_CORES
                                                     : IDLE_DATA] += ns;
        at_ns += ns;
        if (i < seat->count)
            now[seat->changes[i].subject] += seat->changes[i].by;
    }
}

static bool end_block(struct part *part, struct seat *seat, const struct twinsim_trace_entry *entry)
{
    /* a block that was stopped before its step list began has none */
    const uint64_t begin_ns = seat->begin_ns >= entry->begin_ns && seat->begin_ns <= entry->end_ns
                                  ? seat->begin_ns
                                  : entry->end_ns;
    const uint64_t list_ns = entry->end_ns - begin_ns;
    if (!sim_grow(&part->lists_ns, sizeof(*part->lists_ns), part->block_count, &part->block_room))
        return false;
    if (part->block_count == 0 || entry->begin_ns < part->issue_ns)
        part->issue_ns = entry->begin_ns;
    if (entry->end_ns > part->end_ns)
        part->end_ns = entry->end_ns;
    if (list_ns > part->longest_ns) {
        part->longest_ns = list_ns;
        part->longest = (uint32_t)entry->waker_number;
    }
    part->lists_ns[part->block_count++] = list_ns;
    part->start_ns += begin_ns - entry->begin_ns;
    seat->begin_ns = begin_ns;
    if (seat->count > 0)
        qsort(seat->changes, seat->count, sizeof(*seat->changes), by_time);
    add_times(part, seat, entry->end_ns);
    seat->count = 0;
    seat->begin_ns = 0;
    return true;
}

static bool add_entry(void *context, const struct twinsim_trace_entry *entry, uint32_t note,
                      uint32_t number)
{
    struct counts *counts = context;
    struct seat *seat = &counts->seats[number];
    struct part *part = part_of(counts, note, entry->engine == TWINSIM_ENGINE_AIV);
    if (!part)
        return false;
    if (entry->phase == TWINSIM_PHASE_PIPE)
        return add_step(part, seat, entry);
    if (entry->phase == TWINSIM_PHASE_BLOCK)
        return end_block(part, seat, entry);
    seat->begin_ns = entry->end_ns;
    return true;
}

/* ---- writing --------------------------------------------------------------------------------- */

static const char *const pipe_names[TWIN_PIPE_COUNT] = {
    [TWIN_PIPE_SCALAR] = "S",  [TWIN_PIPE_VECTOR] = "V",  [TWIN_PIPE_CUBE] = "M",
    [TWIN_PIPE_MTE1] = "MTE1", [TWIN_PIPE_MTE2] = "MTE2", [TWIN_PIPE_MTE3] = "MTE3",
    [TWIN_PIPE_FIX] = "FIX"};

static const char *const count_names[TWIN_COUNT_KINDS] = {
    [TWIN_COUNT_INT8] = "INT8",     [TWIN_COUNT_INT16] = "INT16",
    [TWIN_COUNT_INT32] = "INT32",   [TWIN_COUNT_UINT8] = "UINT8",
    [TWIN_COUNT_UINT16] = "UINT16", [TWIN_COUNT_UINT32] = "UINT32",
    [TWIN_COUNT_FP16] = "FP16",     [TWIN_COUNT_FP32] = "FP32",
    [TWIN_COUNT_BF16] = "BF16",     [TWIN_COUNT_INT64] = "INT64",
    [TWIN_COUNT_UINT64] = "UINT64", [TWIN_COUNT_INT4] = "INT4",
    [TWIN_COUNT_HF32] = "HF32",     [TWIN_COUNT_BANK_CYCLES] = "bank_cycles"};

/* That the roofs follow from. */
static const char *const parameters[] = {"limit.aic_cores",      "limit.aiv_cores",
                                         "aicore.clock_mhz",     "aicore.split",
                                         "aicore.vector_bytes",  "aicore.cube_k_fp16",
                                         "aicore.cube_k_fp32",   "aicore.cube_k_int8",
                                         "link.hbm.peak_mb_s",   "link.hbm.row_bytes",
                                         "link.l2.peak_mb_s",    "link.l2.sector_bytes",
                                         "link.l2.by_address",   "aicore.gm_bytes",
                                         "aicore.l2_read_bytes", "link.hbm.effective_permille"};

static void put_text(FILE *file, const char *text)
{
    fputc('"', file);
    for (; *text; text++) {
        char escape[8];
        if (sim_json_plain(*text))
            fputc(*text, file);
        else
            fwrite(escape, 1, sim_json_escape(*text, escape), file);
    }
    fputc('"', file);
}

static int by_length(const void *left, const void *right)
{
    return sim_order(*(const uint64_t *)left, *(const uint64_t *)right);
}

static void put_waits(FILE *file, const struct part *part)
{
    static const char *const kinds[] = {[TWIN_STEP_WAIT] = "flag",
                                        [TWIN_STEP_BARRIER] = "barrier",
                                        [TWIN_STEP_CROSS_CORE_WAIT] = "cross_core"};
    bool first = true;
    fputs(",\n   \"waits\":[", file);
    for (size_t i = 0; i < part->wait_count; i++) {
        const struct wait *wait = &part->waits[i];
        const char *kind = wait->kind < sizeof(kinds) / sizeof(kinds[0]) ? kinds[wait->kind] : NULL;
        if (!kind)
            continue;
        const uint32_t from = wait->flag / (TWIN_STEP_FLAG_IDS * TWIN_PIPE_COUNT);
        fprintf(file, "%s\n    {\"pipe\":\"%s\",\"for\":\"%s\"", first ? "" : ",",
                pipe_names[wait->pipe], kind);
        if (wait->kind == TWIN_STEP_WAIT && from < TWIN_PIPE_COUNT)
            fprintf(file, ",\"from\":\"%s\",\"to\":\"%s\",\"flag\":%" PRIu32, pipe_names[from],
                    pipe_names[wait->flag / TWIN_STEP_FLAG_IDS % TWIN_PIPE_COUNT],
                    wait->flag % TWIN_STEP_FLAG_IDS);
        else if (wait->kind != TWIN_STEP_BARRIER)
            fprintf(file, ",\"flag\":%u", (unsigned)wait->flag);
        fprintf(file, ",\"count\":%" PRIu64 ",\"ns\":%" PRIu64 "}", wait->count, wait->ns);
        first = false;
    }
    fputs("]", file);
}

static void put_moves(FILE *file, const char *key, const struct moves *moves)
{
    bool first = true;
    fprintf(file,
            ",\n   \"%s\":{\"count\":%" PRIu64 ",\"bytes\":%" PRIu64 ",\"l2_bytes\":%" PRIu64
            ",\"host_bytes\":%" PRIu64 ",\"unaligned_bytes\":%" PRIu64 ",\"rows\":[",
            key, moves->count, moves->bytes, moves->l2_bytes, moves->host_bytes,
            moves->unaligned_bytes);
    for (uint32_t i = 0; i < CLASSES; i++) {
        const struct row_class *rows = &moves->classes[i];
        if (rows->rows == 0)
            continue;
        fprintf(file,
                "%s{\"least\":%" PRIu64 ",\"most\":%" PRIu64 ",\"rows\":%" PRIu64
                ",\"bytes\":%" PRIu64 ",\"ns\":%" PRIu64 "}",
                first ? "" : ",", rows->least, rows->most, rows->rows, rows->bytes, rows->ns);
        first = false;
    }
    fputs("]}", file);
}

static void put_operations(FILE *file, const struct part *part)
{
    bool first = true;
    fprintf(file, ",\n   \"counted\":%s,\"bank_cycles\":%" PRIu64 ",\"operations\":[",
            part->counted ? "true" : "false",
            part->counts[TWIN_PIPE_VECTOR][TWIN_COUNT_BANK_CYCLES]);
    for (uint32_t pipe = 0; pipe < TWIN_PIPE_COUNT; pipe++)
        for (uint32_t what = 0; what < TWIN_COUNT_BANK_CYCLES; what++) {
            if (part->counts[pipe][what] == 0)
                continue;
            fprintf(file, "%s{\"pipe\":\"%s\",\"type\":\"%s\",\"count\":%" PRIu64 "}",
                    first ? "" : ",", pipe_names[pipe], count_names[what],
                    part->counts[pipe][what]);
            first = false;
        }
    fputs("]", file);
}

static void put_part(FILE *file, const struct part *part, bool vector)
{
    uint64_t list_ns = 0;
    qsort(part->lists_ns, part->block_count, sizeof(*part->lists_ns), by_length);
    for (size_t i = 0; i < part->block_count; i++)
        list_ns += part->lists_ns[i];
    fprintf(file,
            "\n  {\"kind\":\"%s\",\"blocks\":%zu,\"issue_ns\":%" PRIu64 ",\"end_ns\":%" PRIu64
            ",\"start_ns\":%" PRIu64 ",\"list_ns\":%" PRIu64 ",\"shortest_ns\":%" PRIu64
            ",\"median_ns\":%" PRIu64 ",\"longest_ns\":%" PRIu64 ",\"longest_block\":%" PRIu32
            ",\n   \"pipes\":{",
            vector ? "aiv" : "aic", part->block_count, part->issue_ns, part->end_ns, part->start_ns,
            list_ns, part->lists_ns[0], part->lists_ns[part->block_count / 2], part->longest_ns,
            part->longest);
    for (uint32_t pipe = 0; pipe < TWIN_PIPE_COUNT; pipe++)
        fprintf(file, "%s\"%s\":%" PRIu64, pipe ? "," : "", pipe_names[pipe], part->pipe_ns[pipe]);
    fprintf(file,
            "},\"busy_ns\":%" PRIu64 ",\"idle\":{\"scalar_ns\":%" PRIu64
            ",\"cross_core_ns\":%" PRIu64 ",\"data_ns\":%" PRIu64 "}",
            part->busy_ns, part->idle_ns[IDLE_SCALAR], part->idle_ns[IDLE_CORES],
            part->idle_ns[IDLE_DATA]);
    put_waits(file, part);
    put_moves(file, "reads", &part->reads);
    put_moves(file, "writes", &part->writes);
    put_operations(file, part);
    fputs("}", file);
}

static void put_kernel(FILE *file, const struct kernel_note *note, struct part *const parts[2])
{
    static const char *const kinds[] = {
        [TWIN_CORES_CUBE] = "cube", [TWIN_CORES_VECTOR] = "vector", [TWIN_CORES_MIXED] = "mixed"};
    bool first = true;
    fputs(" {\"name\":", file);
    put_text(file, note->name);
    fprintf(file,
            ",\"cores\":\"%s\",\"blocks\":%" PRIu32 ",\"device\":%" PRIu32 ",\"stream\":%" PRIu32
            ",\"task\":%u,\"begin_ns\":%" PRIu64 ",\"end_ns\":%" PRIu64 ",\"parts\":[",
            kinds[note->cores], note->blocks, note->device, note->stream, (unsigned)note->task_id,
            note->begin_ns, note->end_ns);
    for (int vector = 0; vector < 2; vector++) {
        if (!parts[vector] || parts[vector]->block_count == 0)
            continue;
        fputs(first ? "" : ",", file);
        put_part(file, parts[vector], vector != 0);
        first = false;
    }
    fputs("]}", file);
}

static void put_all(FILE *file, const twinsim_profile *profile, const struct counts *counts,
                    const uint32_t *order)
{
    const struct twinsim_parameter *soc = twinsim_profile_find(profile, "soc_name");
    bool first = true;
    fprintf(file, "{\"format\":\"twinrt-kernel-counts\",\"version\":%d,\"soc\":", COUNTS_VERSION);
    put_text(file, soc ? soc->text : "");
    fputs(",\n\"parameters\":{", file);
    for (size_t i = 0; i < sizeof(parameters) / sizeof(parameters[0]); i++)
        fprintf(file, "%s\"%s\":%" PRIu64, i ? "," : "", parameters[i],
                sim_kernel_number(profile, parameters[i]));
    fputs("},\n\"kernels\":[", file);
    for (size_t i = 0; i < counts->note_count; i++) {
        const struct kernel_note *note = &counts->notes[order[i]];
        if (!note->retired)
            continue;
        fputs(first ? "\n" : ",\n", file);
        put_kernel(file, note, counts->parts[order[i]]);
        first = false;
    }
    fputs("]}\n", file);
}

/* ---- the whole ------------------------------------------------------------------------------- */

static void free_part(struct part *part)
{
    if (!part)
        return;
    free(part->lists_ns);
    free(part->waits);
    free(part);
}

int sim_kernel_counts_draw(FILE *file, const twinsim *sim, const twinsim_profile *profile)
{
    struct counts counts = {.cores = sim_kernel_cores(profile)};
    counts.notes = sim_kernel_notes(&counts.note_count);
    counts.seat_count = sim_kernel_seats(&counts.cores);
    counts.seats = calloc(counts.seat_count + 1, sizeof(*counts.seats));
    counts.parts = calloc(counts.note_count + 1, sizeof(*counts.parts));
    uint32_t *order = NULL;
    int error = counts.seats && counts.parts
                    ? sim_kernel_notes_read(sim, &counts.cores, add_entry, &counts)
                    : -ENOMEM;
    if (error == 0 && !(order = sim_kernel_notes_order()))
        error = -ENOMEM;
    if (error == 0)
        put_all(file, profile, &counts, order);
    free(order);
    for (size_t i = 0; counts.seats && i < counts.seat_count; i++)
        free(counts.seats[i].changes);
    for (size_t i = 0; counts.parts && i < counts.note_count; i++)
        for (int vector = 0; vector < 2; vector++)
            free_part(counts.parts[i][vector]);
    free(counts.parts);
    free(counts.seats);
    return error ? error : ferror(file) ? -EIO : 0;
}
