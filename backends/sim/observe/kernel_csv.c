/* SPDX-License-Identifier: Apache-2.0 */
/* The files of TWINRT_OP_SUMMARY and TWINRT_PIPE_UTILIZATION: times of kernels in the columns of
 * the vendor's profilers, with their names and units. The columns are those of
 *   op_summary_*.csv: https://gitcode.com/Ascend/msprof,
 *     docs/en/user_guide/profile_data_file_references.md
 *   PipeUtilization.csv: https://www.hiascend.com/document/detail/en/canncommercial/850/devaids/
 *     optool/atlasopdev_16_0099.html
 * sim/docs/observation.md says what the model has for each. */
#include "observe/observe.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "observe/kernel_notes.h"
#include "observe/timeline.h"
#include "process/process.h"

#define NO_ROW SIM_NO_KERNEL

/* A block on one core. */
struct row {
    uint32_t note, block, unit; /* unit: of its kind, in the block */
    bool vector, ended;
    uint64_t begin_ns, end_ns; /* of its step list */
    uint64_t pipe_ns[TWIN_PIPE_COUNT];
};

struct table {
    struct row *rows;
    size_t count, room;
    uint32_t *open; /* by seat: the row under way, or NO_ROW */
    struct kernel_cores cores;
};

/* Those of kernel_notes.c. */
static struct kernel_note *notes;
static size_t note_count;

/* The columns of one kind of core: the pipe, and its names in both files; NULL: not there. */
static const struct column {
    twin_pipe pipe;
    bool vector;
    const char *summary, *utilization;
} columns[] = {
    {TWIN_PIPE_CUBE, false, "mac", "cube"},       {TWIN_PIPE_SCALAR, false, "scalar", "scalar"},
    {TWIN_PIPE_MTE1, false, "mte1", "mte1"},      {TWIN_PIPE_MTE2, false, "mte2", "mte2"},
    {TWIN_PIPE_FIX, false, "fixpipe", "fixpipe"}, {TWIN_PIPE_VECTOR, true, "vec", "vec"},
    {TWIN_PIPE_SCALAR, true, "scalar", "scalar"}, {TWIN_PIPE_MTE2, true, "mte2", "mte2"},
    {TWIN_PIPE_MTE3, true, "mte3", "mte3"},
};
#define COLUMNS (sizeof(columns) / sizeof(columns[0]))

/* ---- what the trace says of it --------------------------------------------------------------- */

/* The row of the block that the entry is of; NULL: out of memory. */
static struct row *row_of(struct table *table, const struct twinsim_trace_entry *entry,
                          uint32_t note, uint32_t seat)
{
    uint32_t *at = &table->open[seat];
    const uint32_t block = (uint32_t)entry->waker_number;
    if (*at != NO_ROW && table->rows[*at].note == note && table->rows[*at].block == block)
        return &table->rows[*at];
    if (!sim_grow(&table->rows, sizeof(*table->rows), table->count, &table->room))
        return NULL;
    const bool vector = entry->engine == TWINSIM_ENGINE_AIV;
    const struct kernel_cores *cores = &table->cores;
    const uint32_t each = cores->aic > 0 ? cores->aiv / cores->aic : 0;
    const bool mixed = notes[note].cores == TWIN_CORES_MIXED;
    *at = (uint32_t)table->count;
    table->rows[table->count] =
        (struct row){.note = note,
                     .block = block,
                     .unit = mixed && vector && each > 0 ? entry->id % each : 0,
                     .vector = vector,
                     .begin_ns = entry->begin_ns};
    return &table->rows[table->count++];
}

static bool add_entry(void *context, const struct twinsim_trace_entry *entry, uint32_t note,
                      uint32_t seat)
{
    struct table *table = context;
    struct row *row = row_of(table, entry, note, seat);
    if (!row)
        return false;
    const uint32_t pipe = TWINSIM_PIPE_OF(entry);
    switch (entry->phase) {
    case TWINSIM_PHASE_START:
        row->begin_ns = entry->end_ns;
        return true;
    case TWINSIM_PHASE_PIPE: /* without a parameter it waited for a flag */
        if (entry->parameter != UINT32_MAX && pipe < TWIN_PIPE_COUNT)
            row->pipe_ns[pipe] += entry->end_ns - entry->begin_ns;
        return true;
    default:
        row->end_ns = entry->end_ns;
        row->ended = true;
        table->open[seat] = NO_ROW;
        return true;
    }
}

static int read_trace(struct table *table, const twinsim *sim, const twinsim_profile *profile)
{
    table->cores = sim_kernel_cores(profile);
    const size_t seats = sim_kernel_seats(&table->cores);
    table->open = malloc((seats + 1) * sizeof(*table->open));
    if (!table->open)
        return -ENOMEM;
    memset(table->open, 0xff, (seats + 1) * sizeof(*table->open));
    notes = sim_kernel_notes(&note_count);
    return sim_kernel_notes_read(sim, &table->cores, add_entry, table);
}

/* ---- cells ----------------------------------------------------------------------------------- */

static void put_text(FILE *file, const char *text)
{
    if (!strpbrk(text, ",\"\r\n")) {
        fputs(text, file);
        return;
    }
    fputc('"', file);
    for (; *text; text++)
        fprintf(file, *text == '"' ? "\"\"" : "%c", *text);
    fputc('"', file);
}

static double cycles_of(const struct table *table, uint64_t ns)
{
    return (double)ns * table->cores.mhz / 1000;
}

/* us, and the ratio to all cycles. */
static void put_share(FILE *file, double us, uint64_t part, uint64_t whole)
{
    fprintf(file, ",%.3f,%.4f", us, whole > 0 ? (double)part / (double)whole : 0.0);
}

static const char *prefix_of(const struct table *table, bool vector)
{
    return !table->cores.split ? "" : vector ? "aiv_" : "aic_";
}

/* Whether a column is of this kind of core. On a part whose cores have all units the scalar unit
 * and MTE2 are there once. */
static bool is_shown(const struct table *table, const struct column *column, bool vector)
{
    if (table->cores.split)
        return column->vector == vector;
    return !vector && !(column->vector &&
                        (column->pipe == TWIN_PIPE_SCALAR || column->pipe == TWIN_PIPE_MTE2));
}

/* ---- op_summary ------------------------------------------------------------------------------ */

struct sums {
    uint64_t blocks, total_ns, pipe_ns[TWIN_PIPE_COUNT];
};

static void put_summary_head(FILE *file, const struct table *table)
{
    fputs("Device_id,Model ID,Task ID,Stream ID,Op Name,OP Type,OP State,Task Type,"
          "Task Start Time(us),Task Duration(us),Task Wait Time(us),Block Dim,Mix Block Dim,"
          "HF32 Eligible,Input Shapes,Input Data Types,Input Formats,Output Shapes,"
          "Output Data Types,Output Formats,Context ID",
          file);
    for (int vector = 0; vector < (table->cores.split ? 2 : 1); vector++) {
        const char *prefix = prefix_of(table, vector != 0);
        fprintf(file, ",%s_time(us),%stotal_cycles", vector ? "aiv" : "aicore", prefix);
        for (size_t i = 0; i < COLUMNS; i++)
            if (is_shown(table, &columns[i], vector != 0))
                fprintf(file, ",%s%s_time(us),%s%s_ratio", prefix, columns[i].summary, prefix,
                        columns[i].summary);
        fprintf(file, ",%sicache_miss_rate", prefix);
    }
    fputs(",cube_utilization(%)\n", file);
}

/* The profiler has the time of the blocks as if each of them took the same and all of a wave began
 * at once: cycles of all blocks, by the blocks, times the waves. */
static void put_summary_core(FILE *file, const struct table *table, const struct sums *sums,
                             bool vector)
{
    const uint32_t cores = vector ? table->cores.aiv : table->cores.aic;
    if (sums->blocks == 0) {
        fputs(",0,0", file);
        for (size_t i = 0; i < COLUMNS; i++)
            if (is_shown(table, &columns[i], vector))
                fputs(",0,0", file);
        fputs(",N/A", file);
        return;
    }
    const uint64_t waves = cores > 0 ? (sums->blocks + cores - 1) / cores : 1;
    const double share = (double)waves / (double)sums->blocks / 1000;
    fprintf(file, ",%.3f,%.0f", (double)sums->total_ns * share, cycles_of(table, sums->total_ns));
    for (size_t i = 0; i < COLUMNS; i++)
        if (is_shown(table, &columns[i], vector))
            put_share(file, (double)sums->pipe_ns[columns[i].pipe] * share,
                      sums->pipe_ns[columns[i].pipe], sums->total_ns);
    fputs(",N/A", file);
}

static const char *type_of(const struct kernel_note *note)
{
    return note->cores == TWIN_CORES_MIXED    ? "MIX_AIC"
           : note->cores == TWIN_CORES_VECTOR ? "AI_VECTOR_CORE"
                                              : "AI_CORE";
}

static void put_summary_row(FILE *file, const struct table *table, const struct kernel_note *note,
                            const struct kernel_note *before, const struct sums sums[2])
{
    const uint64_t wait =
        before && before->device == note->device && before->end_ns < note->begin_ns
            ? note->begin_ns - before->end_ns
            : 0;
    fprintf(file, "%" PRIu32 ",N/A,%" PRIu16 ",%" PRIu32 ",", note->device, note->task_id,
            note->stream);
    put_text(file, note->name);
    fprintf(file, ",N/A,N/A,%s,%.3f,%.3f,%.3f,%" PRIu32 ",", type_of(note),
            (double)note->begin_ns / 1000, (double)(note->end_ns - note->begin_ns) / 1000,
            (double)wait / 1000, note->blocks);
    if (note->cores == TWIN_CORES_MIXED && table->cores.aic > 0)
        fprintf(file, "%" PRIu32, note->blocks * (table->cores.aiv / table->cores.aic));
    else
        fputs("N/A", file);
    fputs(",N/A,N/A,N/A,N/A,N/A,N/A,N/A,N/A", file);
    for (int vector = 0; vector < (table->cores.split ? 2 : 1); vector++)
        put_summary_core(file, table, &sums[vector], vector != 0);
    const uint64_t length = note->end_ns - note->begin_ns;
    if (sums[0].blocks > 0 && table->cores.aic > 0 && length > 0)
        fprintf(file, ",%.4f\n",
                100 * (double)sums[0].total_ns / ((double)table->cores.aic * (double)length));
    else
        fputs(",0\n", file);
}

static void put_summary(FILE *file, const struct table *table, const uint32_t *order,
                        struct sums (*sums)[2])
{
    const struct kernel_note *before = NULL;
    put_summary_head(file, table);
    for (size_t i = 0; i < table->count; i++) {
        const struct row *row = &table->rows[i];
        struct sums *to = &sums[row->note][row->vector && table->cores.split];
        if (!row->ended)
            continue;
        to->blocks++;
        to->total_ns += row->end_ns - row->begin_ns;
        for (unsigned pipe = 0; pipe < TWIN_PIPE_COUNT; pipe++)
            to->pipe_ns[pipe] += row->pipe_ns[pipe];
    }
    for (size_t i = 0; i < note_count; i++) {
        const struct kernel_note *note = &notes[order[i]];
        if (!note->retired)
            continue;
        put_summary_row(file, table, note, before, sums[order[i]]);
        before = note;
    }
}

/* ---- PipeUtilization ------------------------------------------------------------------------- */

static const char *prefix_in_blocks(const struct table *table, const struct column *column)
{
    return table->cores.split && column->vector ? "aiv" : "aic";
}

static bool is_in_blocks(const struct table *table, const struct column *column)
{
    return table->cores.split || is_shown(table, column, false);
}

static void put_utilization_head(FILE *file, const struct table *table)
{
    fputs("Device_id,Stream ID,Task ID,Op Name,Task Start Time(us),Block Dim,block_id,sub_block_id,"
          "aic_time(us),aic_total_cycles,aiv_time(us),aiv_total_cycles",
          file);
    for (size_t i = 0; i < COLUMNS; i++) {
        const char *prefix = prefix_in_blocks(table, &columns[i]);
        if (is_in_blocks(table, &columns[i]))
            fprintf(file, ",%s_%s_time(us),%s_%s_ratio", prefix, columns[i].utilization, prefix,
                    columns[i].utilization);
    }
    fputc('\n', file);
}

static void put_utilization_row(FILE *file, const struct table *table, const struct row *row)
{
    const struct kernel_note *note = &notes[row->note];
    const uint64_t total = row->end_ns - row->begin_ns;
    fprintf(file, "%" PRIu32 ",%" PRIu32 ",%" PRIu16 ",", note->device, note->stream,
            note->task_id);
    put_text(file, note->name);
    fprintf(file, ",%.3f,%" PRIu32 ",%" PRIu32 ",%s%" PRIu32, (double)note->begin_ns / 1000,
            note->blocks, row->block, row->vector ? "vector" : "cube", row->unit);
    for (int vector = 0; vector < 2; vector++)
        if (row->vector == (vector != 0))
            fprintf(file, ",%.3f,%.0f", (double)total / 1000, cycles_of(table, total));
        else
            fputs(",NA,NA", file);
    for (size_t i = 0; i < COLUMNS; i++)
        if (!is_in_blocks(table, &columns[i]))
            continue;
        else if (!table->cores.split || columns[i].vector == row->vector)
            put_share(file, (double)row->pipe_ns[columns[i].pipe] / 1000,
                      row->pipe_ns[columns[i].pipe], total);
        else
            fputs(",NA,NA", file);
    fputc('\n', file);
}

static int by_block(const void *left, const void *right)
{
    const struct row *a = left;
    const struct row *b = right;
    int order = sim_order(notes[a->note].rank, notes[b->note].rank);
    order = order ? order : sim_order(a->block, b->block);
    order = order ? order : sim_order(a->vector, b->vector);
    return order ? order : sim_order(a->unit, b->unit);
}

static void put_utilization(FILE *file, struct table *table)
{
    put_utilization_head(file, table);
    if (table->count > 0)
        qsort(table->rows, table->count, sizeof(*table->rows), by_block);
    for (size_t i = 0; i < table->count; i++)
        if (table->rows[i].ended && notes[table->rows[i].note].retired)
            put_utilization_row(file, table, &table->rows[i]);
}

/* ---- both ------------------------------------------------------------------------------------ */

static int draw(FILE *file, const twinsim *sim, const twinsim_profile *profile, bool blocks)
{
    struct table table = {0};
    int error = read_trace(&table, sim, profile);
    uint32_t *order = sim_kernel_notes_order();
    struct sums(*sums)[2] = calloc(note_count + 1, sizeof(*sums));
    if (error == 0 && (!order || !sums))
        error = -ENOMEM;
    if (error == 0) {
        if (blocks)
            put_utilization(file, &table);
        else
            put_summary(file, &table, order, sums);
    }
    free(sums);
    free(order);
    free(table.open);
    free(table.rows);
    return error ? error : ferror(file) ? -EIO : 0;
}

int sim_op_summary_draw(FILE *file, const twinsim *sim, const twinsim_profile *profile)
{
    return draw(file, sim, profile, false);
}

int sim_pipe_utilization_draw(FILE *file, const twinsim *sim, const twinsim_profile *profile)
{
    return draw(file, sim, profile, true);
}
