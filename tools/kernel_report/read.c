/* SPDX-License-Identifier: Apache-2.0 */
/* The file of counts. Nothing in it is trusted. */
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "kernel_report/kernel_report.h"
#include "output/json.h"
#include "recording/utf8.h"

#define MOST 9007199254740992.0 /* 2^53: up to there a number in JSON is exact */

const char *const kernel_pipe_names[KERNEL_PIPES] = {"S", "V", "M", "MTE1", "MTE2", "MTE3", "FIX"};

/* Where the reader is, and what is wrong there. */
struct reading {
    const char *path;
    size_t kernel; /* from 1; 0: not in one */
    char *error;
    size_t error_bytes;
    bool failed;
};

__attribute__((format(printf, 2, 3))) static void fail(struct reading *reading, const char *format,
                                                       ...)
{
    char what[256];
    char where[32] = "";
    va_list values;
    va_start(values, format);
    (void)vsnprintf(what, sizeof(what), format, values);
    va_end(values);
    if (reading->failed)
        return;
    reading->failed = true;
    if (reading->kernel > 0)
        (void)snprintf(where, sizeof(where), "launch %zu: ", reading->kernel);
    (void)snprintf(reading->error, reading->error_bytes, "%s: %s%s", reading->path, where, what);
}

static const cJSON *member(const cJSON *object, const char *key)
{
    return cJSON_GetObjectItemCaseSensitive(object, key);
}

static double number(struct reading *reading, const cJSON *object, const char *key)
{
    const cJSON *found = member(object, key);
    if (cJSON_IsNumber(found) && found->valuedouble >= 0 && found->valuedouble <= MOST)
        return found->valuedouble;
    fail(reading, "\"%s\" is %s; expected a number from 0 to 2^53", key,
         found ? "invalid" : "missing");
    return 0;
}

static void text(struct reading *reading, const cJSON *object, const char *key, char *out,
                 size_t bytes)
{
    const cJSON *found = member(object, key);
    if (!cJSON_IsString(found) || strlen(found->valuestring) >= bytes)
        fail(reading, "\"%s\" is %s; expected a text of at most %zu bytes", key,
             found ? "invalid" : "missing", bytes - 1);
    else
        (void)snprintf(out, bytes, "%s", found->valuestring);
}

static int pipe_of(struct reading *reading, const cJSON *object, const char *key)
{
    char name[8] = "";
    text(reading, object, key, name, sizeof(name));
    for (int pipe = 0; pipe < KERNEL_PIPES; pipe++)
        if (strcmp(kernel_pipe_names[pipe], name) == 0)
            return pipe;
    fail(reading, "\"%s\" is not a pipe", key);
    return 0;
}

static const cJSON *list_of(struct reading *reading, const cJSON *object, const char *key)
{
    const cJSON *found = member(object, key);
    if (!cJSON_IsArray(found))
        fail(reading, "\"%s\" is %s; expected a list", key, found ? "invalid" : "missing");
    return cJSON_IsArray(found) ? found : NULL;
}

/* ---- sums ------------------------------------------------------------------------------------ */

static void *grown(struct reading *reading, void *array, size_t count, size_t bytes)
{
    void *larger = realloc(array, (count + 1) * bytes);
    if (!larger)
        fail(reading, "out of memory");
    return larger;
}

static void add_wait(struct reading *reading, struct kernel_part *part, const cJSON *item)
{
    struct kernel_wait wait = {.from = -1, .to = -1};
    text(reading, item, "for", wait.kind, sizeof(wait.kind));
    wait.pipe = pipe_of(reading, item, "pipe");
    wait.count = number(reading, item, "count");
    wait.ns = number(reading, item, "ns");
    if (strcmp(wait.kind, "barrier") != 0)
        wait.flag = number(reading, item, "flag");
    if (member(item, "from")) {
        wait.from = pipe_of(reading, item, "from");
        wait.to = pipe_of(reading, item, "to");
    }
    for (size_t i = 0; i < part->wait_count; i++) {
        struct kernel_wait *at = &part->waits[i];
        if (strcmp(at->kind, wait.kind) != 0 || at->pipe != wait.pipe || at->from != wait.from ||
            at->to != wait.to || at->flag != wait.flag)
            continue;
        at->count += wait.count;
        at->ns += wait.ns;
        return;
    }
    void *larger = grown(reading, part->waits, part->wait_count, sizeof(wait));
    if (!larger)
        return;
    part->waits = larger;
    part->waits[part->wait_count++] = wait;
}

static void add_operations(struct reading *reading, struct kernel_part *part, const cJSON *item)
{
    struct kernel_operations operations = {.pipe = pipe_of(reading, item, "pipe")};
    text(reading, item, "type", operations.type, sizeof(operations.type));
    operations.count = number(reading, item, "count");
    for (size_t i = 0; i < part->operation_count; i++) {
        struct kernel_operations *at = &part->operations[i];
        if (at->pipe != operations.pipe || strcmp(at->type, operations.type) != 0)
            continue;
        at->count += operations.count;
        return;
    }
    void *larger = grown(reading, part->operations, part->operation_count, sizeof(operations));
    if (!larger)
        return;
    part->operations = larger;
    part->operations[part->operation_count++] = operations;
}

/* Classes of different launches are the same if they begin within the same power of two. */
static bool is_same_class(double a, double b)
{
    return a >= 1 && b >= 1 && floor(log2(a)) == floor(log2(b));
}

static void add_rows(struct reading *reading, struct kernel_moves *moves, const cJSON *item)
{
    const struct kernel_rows rows = {
        .least = number(reading, item, "least"),
        .most = number(reading, item, "most"),
        .rows = number(reading, item, "rows"),
        .bytes = number(reading, item, "bytes"),
        .ns = number(reading, item, "ns"),
    };
    size_t at = 0;
    while (at < moves->row_count && !is_same_class(moves->rows[at].least, rows.least))
        at++;
    if (at == KERNEL_CLASSES) {
        fail(reading, "\"rows\" has more than %d lengths", KERNEL_CLASSES);
        return;
    }
    struct kernel_rows *to = &moves->rows[at];
    if (at == moves->row_count) {
        moves->rows[moves->row_count++] = rows;
        return;
    }
    to->least = fmin(to->least, rows.least);
    to->most = fmax(to->most, rows.most);
    to->rows += rows.rows;
    to->bytes += rows.bytes;
    to->ns += rows.ns;
}

static void add_moves(struct reading *reading, struct kernel_moves *moves, const cJSON *part,
                      const char *key)
{
    const cJSON *from = member(part, key);
    const cJSON *item;
    moves->count += number(reading, from, "count");
    moves->bytes += number(reading, from, "bytes");
    moves->l2_bytes += number(reading, from, "l2_bytes");
    moves->host_bytes += number(reading, from, "host_bytes");
    moves->unaligned_bytes += number(reading, from, "unaligned_bytes");
    cJSON_ArrayForEach(item, list_of(reading, from, "rows")) add_rows(reading, moves, item);
}

static void add_part(struct reading *reading, struct kernel_part *part, const cJSON *from)
{
    static const char *const idle[KERNEL_IDLE_CAUSES] = {"scalar_ns", "cross_core_ns", "data_ns"};
    const double median = number(reading, from, "median_ns");
    const double longest = number(reading, from, "longest_ns");
    const cJSON *pipes = member(from, "pipes");
    const cJSON *item;
    if (!part->there ||
        kernel_ratio(longest, median) > kernel_ratio(part->longest_ns, part->median_ns)) {
        part->median_ns = median;
        part->longest_ns = longest;
        part->longest_block = number(reading, from, "longest_block");
    }
    part->counted = (!part->there || part->counted) && cJSON_IsTrue(member(from, "counted"));
    part->there = true;
    part->blocks += number(reading, from, "blocks");
    part->start_ns += number(reading, from, "start_ns");
    part->list_ns += number(reading, from, "list_ns");
    part->busy_ns += number(reading, from, "busy_ns");
    part->bank_cycles += number(reading, from, "bank_cycles");
    for (int pipe = 0; pipe < KERNEL_PIPES; pipe++)
        part->pipe_ns[pipe] += number(reading, pipes, kernel_pipe_names[pipe]);
    for (int cause = 0; cause < KERNEL_IDLE_CAUSES; cause++)
        part->idle_ns[cause] += number(reading, member(from, "idle"), idle[cause]);
    cJSON_ArrayForEach(item, list_of(reading, from, "waits")) add_wait(reading, part, item);
    add_moves(reading, &part->reads, from, "reads");
    add_moves(reading, &part->writes, from, "writes");
    cJSON_ArrayForEach(item, list_of(reading, from, "operations"))
        add_operations(reading, part, item);
}

/* ---- launches -------------------------------------------------------------------------------- */

static struct kernel *kernel_of(struct reading *reading, struct kernel_report *report, char *name,
                                const char *cores, double blocks)
{
    for (size_t i = 0; i < report->count && !report->each; i++) {
        struct kernel *kernel = &report->kernels[i];
        if (strcmp(kernel->name, name) == 0 && strcmp(kernel->cores, cores) == 0 &&
            kernel->blocks == blocks)
            return kernel;
    }
    void *larger = grown(reading, report->kernels, report->count, sizeof(*report->kernels));
    char *copy = larger ? strdup(name) : NULL;
    if (larger)
        report->kernels = larger;
    if (!copy) {
        fail(reading, "out of memory");
        return NULL;
    }
    struct kernel *kernel = &report->kernels[report->count++];
    *kernel = (struct kernel){.name = copy, .blocks = blocks, .limit = -1};
    (void)snprintf(kernel->cores, sizeof(kernel->cores), "%s", cores);
    return kernel;
}

static void add_launch(struct reading *reading, struct kernel_report *report, const cJSON *launch)
{
    char cores[8] = "";
    const cJSON *name = member(launch, "name");
    const cJSON *item;
    text(reading, launch, "cores", cores, sizeof(cores));
    const double blocks = number(reading, launch, "blocks");
    const double begin = number(reading, launch, "begin_ns");
    const double end = number(reading, launch, "end_ns");
    if (!cJSON_IsString(name))
        fail(reading, "\"name\" is missing or no text");
    if (strcmp(cores, "cube") != 0 && strcmp(cores, "vector") != 0 && strcmp(cores, "mixed") != 0)
        fail(reading, "\"cores\" is \"%s\"; expected cube, vector or mixed", cores);
    if (end < begin)
        fail(reading, "\"end_ns\" is before \"begin_ns\"");
    if (reading->failed)
        return;
    utf8_clean(name->valuestring);
    if (report->only && strcmp(report->only, name->valuestring) != 0)
        return;
    struct kernel *kernel = kernel_of(reading, report, name->valuestring, cores, blocks);
    if (!kernel)
        return;
    double first = INFINITY;
    double last = 0;
    cJSON_ArrayForEach(item, list_of(reading, launch, "parts"))
    {
        char kind[8] = "";
        text(reading, item, "kind", kind, sizeof(kind));
        if (strcmp(kind, "aic") != 0 && strcmp(kind, "aiv") != 0)
            fail(reading, "\"kind\" is \"%s\"; expected aic or aiv", kind);
        add_part(reading, &kernel->parts[strcmp(kind, "aiv") == 0], item);
        first = fmin(first, number(reading, item, "issue_ns"));
        last = fmax(last, number(reading, item, "end_ns"));
    }
    if (last > first)
        kernel->span_ns += last - first;
    kernel->shortest_ns =
        kernel->launches > 0 ? fmin(kernel->shortest_ns, end - begin) : end - begin;
    kernel->longest_ns = fmax(kernel->longest_ns, end - begin);
    kernel->task_ns += end - begin;
    kernel->launches++;
}

static void read_device(struct reading *reading, struct kernel_device *device, const cJSON *root)
{
    const cJSON *from = member(root, "parameters");
    text(reading, root, "soc", device->soc, sizeof(device->soc));
    utf8_clean(device->soc);
    device->aic_cores = number(reading, from, "limit.aic_cores");
    device->aiv_cores = number(reading, from, "limit.aiv_cores");
    device->split = number(reading, from, "aicore.split");
    device->mhz = number(reading, from, "aicore.clock_mhz");
    device->vector_bytes = number(reading, from, "aicore.vector_bytes");
    device->cube_k_fp16 = number(reading, from, "aicore.cube_k_fp16");
    device->cube_k_fp32 = number(reading, from, "aicore.cube_k_fp32");
    device->cube_k_int8 = number(reading, from, "aicore.cube_k_int8");
    device->hbm_bytes_per_s = number(reading, from, "link.hbm.peak_mb_s") *
                              number(reading, from, "link.hbm.effective_permille") * 1e3;
    device->l2_bytes_per_s = number(reading, from, "link.l2.peak_mb_s") * 1e6;
    device->row_bytes = number(reading, from, "link.hbm.row_bytes");
    device->sector_bytes = number(reading, from, "link.l2.sector_bytes");
}

bool kernel_report_add(struct kernel_report *report, const char *path, char *error,
                       size_t error_bytes)
{
    struct reading reading = {.path = path, .error = error, .error_bytes = error_bytes};
    cJSON *root = json_file_read(path);
    const int why = errno;
    const cJSON *launch;
    if (!root && why != 0)
        fail(&reading, "%s", strerror(why));
    else if (!root || strcmp(json_text(root, "format"), "twinrt-kernel-counts") != 0 ||
             json_number(root, "version") != 1.0)
        fail(&reading, "is not a file of counts of kernels, version 1, that twinrt run "
                       "--kernel-counts wrote, nor a recording; a program follows --");
    if (!reading.failed)
        read_device(&reading, &report->device, root);
    const cJSON *launches = reading.failed ? NULL : list_of(&reading, root, "kernels");
    cJSON_ArrayForEach(launch, launches)
    {
        reading.kernel++;
        add_launch(&reading, report, launch);
        if (reading.failed)
            break;
    }
    cJSON_Delete(root);
    return !reading.failed;
}

void kernel_report_free(struct kernel_report *report)
{
    for (size_t i = 0; i < report->count; i++) {
        for (int vector = 0; vector < 2; vector++) {
            free(report->kernels[i].parts[vector].waits);
            free(report->kernels[i].parts[vector].operations);
        }
        free(report->kernels[i].name);
    }
    free(report->kernels);
    *report = (struct kernel_report){.count = 0};
}
