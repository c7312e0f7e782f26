/* SPDX-License-Identifier: Apache-2.0 */
/* What to change, and why. A hint needs a cause that takes a good part of the time. */
#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "kernel_report/kernel_report.h"

/* Parts of the time of the step lists, unless it says otherwise. */
#define WAITS       0.2  /* of a pipe for a flag, of the scalar unit for barriers */
#define WAITS_BACK  0.2  /* of the other pipe for this one */
#define TAKES_PART  0.1  /* a pipe that works this long */
#define OVERLAP     0.15 /* of the time with work; less: pipes take turns */
#define IDLE        0.2
#define MOVES       0.1  /* copies that are worth a look */
#define ROWS_OF_HBM 0.5  /* of what HBM moves for rows, that they use */
#define UNALIGNED   0.1  /* of the bytes */
#define BANKS       0.05 /* of the time of the vector unit */
#define UNEVEN      1.3  /* the slowest block to the median */
#define WAVE        0.75 /* of the cores are used in all waves */
#define START       0.5  /* of the time of blocks */

const char *const kernel_hint_names[HINT_KINDS] = {
    [HINT_ONE_BUFFER] = "one-buffer", [HINT_BARRIERS] = "barriers",
    [HINT_SHORT_ROWS] = "short-rows", [HINT_UNALIGNED] = "unaligned",
    [HINT_BANKS] = "bank-conflicts",  [HINT_DATA] = "latency",
    [HINT_SCALAR] = "scalar",         [HINT_CROSS_CORE] = "cross-core",
    [HINT_UNEVEN] = "uneven-blocks",  [HINT_FEW_BLOCKS] = "few-blocks",
    [HINT_LAST_WAVE] = "last-wave",   [HINT_START] = "start"};

const char *const kernel_hint_rules[HINT_KINDS] = {
    [HINT_ONE_BUFFER] = "copies and computation overlap",
    [HINT_BARRIERS] = "pipes do not take turns at barriers",
    [HINT_SHORT_ROWS] = "rows are long enough for HBM",
    [HINT_UNALIGNED] = "addresses are aligned",
    [HINT_BANKS] = "operands do not meet in banks of UB",
    [HINT_DATA] = "the latency of global memory is hidden",
    [HINT_SCALAR] = "the scalar unit does not hold the pipes up",
    [HINT_CROSS_CORE] = "cores do not wait for each other",
    [HINT_UNEVEN] = "blocks take about the same time",
    [HINT_FEW_BLOCKS] = "there are blocks for all cores",
    [HINT_LAST_WAVE] = "the last wave of blocks fills the cores",
    [HINT_START] = "blocks work longer than they take to start"};

struct judged {
    const struct kernel_device *device;
    struct kernel *kernel;
    const struct kernel_part *part;
    bool vector;
};

__attribute__((format(printf, 3, 4))) static void
add(const struct judged *of, enum kernel_hint_kind kind, const char *format, ...)
{
    struct kernel_hint *hint = &of->kernel->hints[of->kernel->hint_count++];
    const bool mixed = of->kernel->parts[0].there && of->kernel->parts[1].there;
    const char *of_part = !mixed ? "" : of->vector ? "vector cores: " : "cube cores: ";
    const size_t used = strlen(of_part);
    va_list values;
    va_start(values, format);
    hint->kind = kind;
    memcpy(hint->text, of_part, used + 1);
    (void)vsnprintf(hint->text + used, sizeof(hint->text) - used, format, values);
    va_end(values);
}

static double share(const struct judged *of, double ns)
{
    return kernel_ratio(ns, of->part->list_ns);
}

/* ---- waits ----------------------------------------------------------------------------------- */

/* Time in which two pipes work at once, of that in which one does. */
static double overlap_of(const struct kernel_part *part, int *out_pipes)
{
    double sum = 0;
    *out_pipes = 0;
    for (int pipe = 1; pipe < KERNEL_PIPES; pipe++) { /* without the scalar unit */
        sum += part->pipe_ns[pipe];
        *out_pipes += kernel_ratio(part->pipe_ns[pipe], part->list_ns) >= TAKES_PART;
    }
    return part->busy_ns > 0 ? sum / part->busy_ns - 1 : 0;
}

/* What pipe `pipe` waits for flags from `from`. */
static double waits_for(const struct kernel_part *part, int pipe, int from)
{
    double ns = 0;
    for (size_t i = 0; i < part->wait_count; i++)
        if (part->waits[i].pipe == pipe && part->waits[i].from == from)
            ns += part->waits[i].ns;
    return ns;
}

/* Where a pipe is on the way of the data. */
static const int stages[KERNEL_PIPES] = {-1, 2, 2, 1, 0, 3, 3};

/* Pipes pass one buffer to and fro: the one that fills it waits until it is empty, and the one that
 * empties it until it is full. */
static void find_one_buffer(const struct judged *of)
{
    const struct kernel_part *part = of->part;
    int pipes = 0;
    const bool turns = overlap_of(part, &pipes) < OVERLAP && pipes > 1;
    for (size_t i = 0; i < part->wait_count; i++) {
        const struct kernel_wait *wait = &part->waits[i];
        if (wait->from < 0 || wait->pipe == 0 || stages[wait->from] <= stages[wait->pipe])
            continue; /* the hint is about the one that brings the data */
        const double forth = share(of, waits_for(part, wait->pipe, wait->from));
        const double back = share(of, waits_for(part, wait->from, wait->pipe));
        if (forth < WAITS || !(back >= WAITS_BACK || turns))
            continue;
        const char *pipe = kernel_pipe_names[wait->pipe], *from = kernel_pipe_names[wait->from];
        if (back >= WAITS_BACK)
            add(of, HINT_ONE_BUFFER,
                "%s waits %.0f %% of the time for flag %s to %s %.0f, and %s %.0f %% for flags of "
                "%s: only one buffer goes to and fro; use two, each with its own flags",
                pipe, 100 * forth, from, kernel_pipe_names[wait->to], wait->flag, from, 100 * back,
                pipe);
        else
            add(of, HINT_ONE_BUFFER,
                "%s waits %.0f %% of the time for flag %s to %s %.0f, and pipes work one after the "
                "other: only one buffer; use two, each with its own flags",
                pipe, 100 * forth, from, kernel_pipe_names[wait->to], wait->flag);
        return;
    }
}

static void find_barriers(const struct judged *of)
{
    double ns = 0;
    double count = 0;
    int pipes = 0;
    for (size_t i = 0; i < of->part->wait_count; i++)
        if (strcmp(of->part->waits[i].kind, "barrier") == 0) {
            ns += of->part->waits[i].ns;
            count += of->part->waits[i].count;
        }
    if (share(of, ns) >= WAITS && overlap_of(of->part, &pipes) < OVERLAP && pipes > 1)
        add(of, HINT_BARRIERS,
            "pipes work one after the other: the scalar unit waits %.0f %% of the time at %.0f "
            "barriers a block; order pipes by flags, and give each buffer its own",
            100 * share(of, ns), ceil(kernel_ratio(count, of->part->blocks)));
}

static void find_idle(const struct judged *of)
{
    const double *idle = of->part->idle_ns;
    if (share(of, idle[KERNEL_IDLE_DATA]) >= IDLE)
        add(of, HINT_DATA,
            "%.0f %% of the time all pipes wait for data that are on their way from global memory: "
            "request them earlier, or more of them at once",
            100 * share(of, idle[KERNEL_IDLE_DATA]));
    if (share(of, idle[KERNEL_IDLE_SCALAR]) >= IDLE)
        add(of, HINT_SCALAR,
            "%.0f %% of the time only the scalar unit works: move code out of loops, and use fewer "
            "and longer operations",
            100 * share(of, idle[KERNEL_IDLE_SCALAR]));
    if (share(of, idle[KERNEL_IDLE_CORES]) >= IDLE)
        add(of, HINT_CROSS_CORE,
            "%.0f %% of the time a core waits for flags of others: give them equal work, or "
            "exchange data less often",
            100 * share(of, idle[KERNEL_IDLE_CORES]));
}

/* ---- memory ---------------------------------------------------------------------------------- */

/* What HBM moves for a row of that length: whole sectors if it is read, and a part for the row. */
static double row_efficiency(const struct kernel_device *device, double bytes, bool write)
{
    const double sectors = device->sector_bytes > 0 && !write
                               ? ceil(bytes / device->sector_bytes) * device->sector_bytes
                               : bytes;
    return kernel_ratio(bytes, sectors + device->row_bytes);
}

static void find_short_rows(const struct judged *of, const struct kernel_moves *moves, bool write)
{
    double bytes = 0, rows = 0, ns = 0, least = INFINITY, most = 0;
    for (size_t i = 0; i < moves->row_count; i++) {
        const struct kernel_rows *one = &moves->rows[i];
        const double mean = kernel_ratio(one->bytes, one->rows);
        if (row_efficiency(of->device, mean, write) >= ROWS_OF_HBM)
            continue;
        bytes += one->bytes;
        rows += one->rows;
        ns += one->ns;
        least = fmin(least, one->least);
        most = fmax(most, one->most);
    }
    const double missed = kernel_ratio(moves->bytes - moves->l2_bytes, moves->bytes);
    if (rows <= 0 || share(of, ns) < MOVES || missed < MOVES)
        return;
    char lengths[64];
    if (least == most)
        (void)snprintf(lengths, sizeof(lengths), "%.0f bytes", least);
    else
        (void)snprintf(lengths, sizeof(lengths), "%.0f to %.0f bytes", least, most);
    add(of, HINT_SHORT_ROWS,
        "%s in rows of %s reach %.0f %% of HBM, which moves sectors of %.0f bytes: make rows "
        "longer, or put them next to each other",
        write ? "writes" : "reads", lengths, 100 * row_efficiency(of->device, bytes / rows, write),
        of->device->sector_bytes);
}

static void find_unaligned(const struct judged *of)
{
    const struct kernel_moves *reads = &of->part->reads, *writes = &of->part->writes;
    const double unaligned = kernel_ratio(reads->unaligned_bytes + writes->unaligned_bytes,
                                          reads->bytes + writes->bytes);
    double ns = 0;
    for (size_t i = 0; i < reads->row_count; i++)
        ns += reads->rows[i].ns;
    for (size_t i = 0; i < writes->row_count; i++)
        ns += writes->rows[i].ns;
    /* rows that are shorter than a sector are a matter of their own */
    if (unaligned < UNALIGNED || share(of, ns) < MOVES ||
        kernel_ratio(reads->bytes + writes->bytes, reads->count + writes->count) <
            of->device->sector_bytes)
        return;
    add(of, HINT_UNALIGNED,
        "%.0f %% of the bytes are at GM addresses, or have a distance of rows, that is not a "
        "multiple of %.0f bytes: align them",
        100 * unaligned, of->device->sector_bytes);
}

static void find_banks(const struct judged *of)
{
    const double ns = kernel_ratio(of->part->bank_cycles * 1000, of->device->mhz);
    if (kernel_ratio(ns, of->part->pipe_ns[1]) < BANKS || share(of, of->part->pipe_ns[1]) < MOVES)
        return;
    add(of, HINT_BANKS,
        "bank conflicts of operands in UB cost %.0f cycles, %.0f %% of the time of the vector "
        "unit: move an operand by 256 bytes (modulo 512)",
        of->part->bank_cycles, 100 * kernel_ratio(ns, of->part->pipe_ns[1]));
}

/* ---- blocks ---------------------------------------------------------------------------------- */

static void find_blocks(const struct judged *of)
{
    const struct kernel *kernel = of->kernel;
    const struct kernel_part *part = of->part;
    const double all = of->vector && strcmp(kernel->cores, "mixed") != 0 ? of->device->aiv_cores
                                                                         : of->device->aic_cores;
    const double start = kernel_ratio(part->start_ns, part->blocks);
    const double work = kernel_ratio(part->list_ns, part->blocks);
    const double waves = all > 0 ? ceil(kernel->blocks / all) : 1;
    if (part->longest_ns >= UNEVEN * part->median_ns && kernel->blocks > 1 &&
        part->longest_ns - part->median_ns >= start / 2)
        add(of, HINT_UNEVEN,
            "blocks differ: the slowest, block %.0f, takes %.1f times the median; divide the work "
            "evenly",
            part->longest_block, kernel_ratio(part->longest_ns, fmax(part->median_ns, 1)));
    /* twice as many blocks of half the work are worth their start */
    if (kernel->blocks < all && work > 2 * start)
        add(of, HINT_FEW_BLOCKS,
            "fewer blocks than cores: %.0f of %.0f cores work; use more blocks", kernel->blocks,
            all);
    if (waves > 1 && kernel_ratio(kernel->blocks, waves * all) < WAVE)
        add(of, HINT_LAST_WAVE,
            "%.0f blocks on %.0f cores are %.0f waves, the last of %.0f: use as many blocks as "
            "cores",
            kernel->blocks, all, waves, kernel->blocks - (waves - 1) * all);
    if (start >= START * (start + work))
        add(of, HINT_START,
            "the start of blocks takes %.0f %% of their time: give each launch more work, or fewer "
            "blocks",
            100 * kernel_ratio(start, start + work));
}

void kernel_find_hints(const struct kernel_device *device, struct kernel *kernel)
{
    bool blocks = false; /* those of one kind of cores are enough */
    for (int vector = 0; vector < 2; vector++) {
        const struct judged of = {.device = device,
                                  .kernel = kernel,
                                  .part = &kernel->parts[vector],
                                  .vector = vector != 0};
        if (!of.part->there)
            continue;
        /* a core of a mixed block may have nothing to do */
        if (!blocks && of.part->busy_ns + of.part->idle_ns[KERNEL_IDLE_SCALAR] > 0) {
            find_blocks(&of);
            blocks = true;
        }
        if (of.part->start_ns >= START * (of.part->start_ns + of.part->list_ns))
            continue; /* what they do is short beside their start */
        find_one_buffer(&of);
        find_barriers(&of);
        find_short_rows(&of, &of.part->reads, false);
        find_short_rows(&of, &of.part->writes, true);
        find_unaligned(&of);
        find_banks(&of);
        find_idle(&of);
    }
}
