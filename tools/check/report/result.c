/* SPDX-License-Identifier: Apache-2.0 */
#include "check/report/result.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "recording/utf8.h"

static bool count_findings(struct check_result *result, struct check_suppressions *suppressions)
{
    result->findings = checker_findings(result->checker, &result->finding_count);
    result->suppressed_by = calloc(result->finding_count + 1, sizeof(*result->suppressed_by));
    if (!result->suppressed_by)
        return false;
    for (size_t i = 0; i < result->finding_count; i++) {
        const struct check_finding *finding = &result->findings[i];
        if (suppressions)
            result->suppressed_by[i] = check_suppressions_match(suppressions, result, finding);
        if (result->suppressed_by[i] != 0)
            result->suppressed++;
        else if (check_rule_texts[finding->rule].of == CHECK_WARNING)
            result->warnings++;
        else
            result->errors++;
    }
    return true;
}

enum check_result_state check_result_load(const char *path, const char *name,
                                          struct symbolizer *symbolizer,
                                          struct check_suppressions *suppressions,
                                          struct check_result *out, char *error, size_t error_bytes)
{
    *out = (struct check_result){0};
    enum twin_recording_result read =
        twin_recording_read(path, &out->recording, error, error_bytes);
    if (read != TWIN_RECORDING_OK)
        return read == TWIN_RECORDING_E_MEMORY ? CHECK_RESULT_E_MEMORY : CHECK_RESULT_E_RECORDING;
    if (twin_recording_count(out->recording) == 0) {
        (void)snprintf(error, error_bytes,
                       "%s: the recording is empty or ends before its first entry", path);
        check_result_free(out);
        return CHECK_RESULT_E_RECORDING;
    }
    if (!twin_recording_computed(out->recording, path, error, error_bytes)) {
        check_result_free(out);
        return CHECK_RESULT_E_RECORDING;
    }
    out->name = strdup(name);
    out->sites = check_sites_new(out->recording, symbolizer);
    if (out->name && out->sites && twin_ops_load(out->recording, &out->ops) &&
        (out->checker = check_ops(&out->ops)) != NULL && count_findings(out, suppressions)) {
        utf8_clean(out->name);
        return CHECK_RESULT_OK;
    }
    (void)snprintf(error, error_bytes, "%s: out of memory", path);
    check_result_free(out);
    return CHECK_RESULT_E_MEMORY;
}

void check_result_free(struct check_result *result)
{
    free(result->suppressed_by);
    twin_ops_free(&result->ops);
    check_sites_free(result->sites);
    checker_free(result->checker);
    twin_recording_free(result->recording);
    free(result->name);
    *result = (struct check_result){0};
}

bool check_result_partial(const struct check_result *result)
{
    return result->ops.partial;
}

uint64_t check_result_found(const struct check_result *result, check_rule rule)
{
    uint64_t found = 0;
    for (size_t i = 0; i < result->finding_count; i++)
        if (result->findings[i].rule == rule)
            found += 1 + result->findings[i].repeats;
    return found;
}

/* ---- words ---- */

/* Appends; what has no room is cut off. */
__attribute__((format(printf, 2, 3))) static void put(char out[CHECK_OP_LINE], const char *format,
                                                      ...)
{
    size_t used = strlen(out);
    va_list values;
    va_start(values, format);
    (void)vsnprintf(out + used, CHECK_OP_LINE - used, format, values);
    va_end(values);
}

const char *check_describe_op(const struct check_result *result, uint32_t index,
                              char out[CHECK_OP_LINE])
{
    const twin_op *op = checker_op(result->checker, index);
    out[0] = '\0';
    if (!op)
        return out;
    /* a task of a model instance: as it was queued */
    const uint32_t run = checker_run_of(result->checker, index);
    const struct twin_record_entry *queued =
        run != CHECK_NONE ? twin_recording_at(result->recording, op->entry) : NULL;
    char name[TWIN_OP_NAME];
    const char *call = twin_op_name(result->recording, op, name);
    put(out, "%s", twin_op_word(op->kind));
    if (*call)
        put(out, ", %s", call);
    put(out, ", thread %" PRIu32, queued ? queued->thread : op->thread);
    if (op->queue != 0)
        put(out, ", stream %" PRIu32, checker_stream_id(result->checker, op->queue));
    if (op->task != CHECK_NONE)
        put(out, " task %" PRIu32, op->task);
    if (queued)
        put(out, " of model instance %" PRIu32, checker_op(result->checker, run)->object);
    if (op->timed && op->task_begin_ns != 0)
        put(out, ", device time %.3f to %.3f us", (double)op->task_begin_ns / 1000,
            (double)op->task_end_ns / 1000);
    else if (op->timed)
        put(out, ", ended at device time %.3f us", (double)op->task_end_ns / 1000);
    else if (op->end_ns != 0)
        put(out, ", host time %.3f us", (double)op->begin_ns / 1000);
    put(out, " (seq %" PRIu64 ")", queued ? queued->begin_seq : op->begin_seq);
    return out;
}

bool check_result_site(const struct check_result *result, uint32_t index, struct check_site *out)
{
    const twin_op *op = checker_op(result->checker, index);
    return op && check_sites_look(result->sites, op, out);
}

size_t check_result_stack(const struct check_result *result, uint32_t index,
                          struct check_site out[TWIN_RECORD_STACK_MOST])
{
    const twin_op *op = checker_op(result->checker, index);
    return op ? check_sites_stack(result->sites, op, out) : 0;
}

const char *check_class_word(check_class of)
{
    static const char *const words[] = {[CHECK_ORDER] = "order",
                                        [CHECK_RACE] = "race",
                                        [CHECK_LIFETIME] = "lifetime",
                                        [CHECK_WARNING] = "warning"};
    return words[of];
}

const char *check_level_word(check_class of)
{
    return of == CHECK_WARNING ? "warning" : "error";
}
