/* SPDX-License-Identifier: Apache-2.0 */
#include "calibrate/calibrate.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calibrate/board.h"
#include "calibrate/fit.h"
#include "calibrate/trial.h"
#include "output/layout.h"

struct run {
    const struct calibrate_job *job;
    struct calibrate_result *out;
    twin_recording **recordings;
    struct calibrate_work *works;
    struct calibrate_rows *rows;
    struct calibrate_bench bench;
};

static bool out_of_memory(const struct run *run)
{
    return calibrate_fail(run->job, "out of memory");
}

/* ---- before ---------------------------------------------------------------------------------- */

static bool read_profile(struct run *run)
{
    const struct calibrate_job *job = run->job;
    struct calibrate_parameters *parameters = &run->out->parameters;
    if (!calibrate_backend_start(job, job->profile, 1))
        return false;
    job->backend->diag.facts(calibrate_parameters_take, parameters);
    job->backend->process.stop();
    if (parameters->short_of_memory)
        return out_of_memory(run);
    calibrate_parameters_choose(parameters);
    return true;
}

/* Whether the name belongs to the group of another, its beginning up to the last dot. */
static bool same_group(const char *name, const char *other)
{
    const char *dot = strrchr(name, '.');
    return dot && strncmp(name, other, (size_t)(dot - name) + 1) == 0;
}

/* "; these can be fitted: ...": parameters, of the group of `name` if some of it can. */
static void list_fittable(const struct calibrate_parameters *parameters, const char *name,
                          char *text, size_t bytes)
{
    size_t used = 0;
    text[0] = '\0';
    for (int group = 1; group >= 0 && used == 0; group--)
        for (size_t i = 0; i < parameters->count && used < bytes; i++) {
            const struct calibrate_parameter *one = &parameters->items[i];
            if (!calibrate_parameter_refuses(one) && (!group || same_group(name, one->name)))
                used += (size_t)snprintf(text + used, bytes - used, "%s%s",
                                         used > 0 ? ", " : "; these can be fitted: ", one->name);
        }
}

static bool choose(struct run *run, const char *name, bool is_free)
{
    struct calibrate_parameter *parameter = calibrate_parameter_find(&run->out->parameters, name);
    const char *refusal = parameter && is_free ? calibrate_parameter_refuses(parameter) : NULL;
    char others[3072] = "";
    if (parameter && !refusal) {
        parameter->is_free = is_free;
        return true;
    }
    if (is_free)
        list_fittable(&run->out->parameters, name, others, sizeof(others));
    if (parameter)
        return calibrate_fail(run->job, "%s: cannot be fitted: %s%s", name, refusal, others);
    return calibrate_fail(run->job,
                          "profile %s has no parameter %s; twinrt info --profile %s lists them%s",
                          run->job->profile, name, run->job->profile, others);
}

static bool choose_all(struct run *run)
{
    const struct calibrate_job *job = run->job;
    struct calibrate_parameters *parameters = &run->out->parameters;
    for (size_t i = 0; job->only_count > 0 && i < parameters->count; i++)
        parameters->items[i].is_free = false;
    for (size_t i = 0; i < job->only_count; i++)
        if (!choose(run, job->only[i], true))
            return false;
    for (size_t i = 0; i < job->freed_count; i++)
        if (!choose(run, job->freed[i], true))
            return false;
    for (size_t i = 0; i < job->fixed_count; i++)
        if (!choose(run, job->fixed[i], false))
            return false;
    return true;
}

/* NULL: the recording does not have it. */
static const char *part_of(const twin_recording *recording)
{
    for (size_t i = 0; i < twin_recording_count(recording); i++) {
        const struct twin_record_entry *entry = twin_recording_at(recording, i);
        if (entry->kind == TWIN_RECORD_PROCESS_DESCRIBE && twin_recording_succeeded(entry) &&
            twin_recording_text(entry, 0)[0] != '\0')
            return twin_recording_text(entry, 0);
    }
    return NULL;
}

/* What another part does says nothing of the parameters of this one. */
static bool is_of_part(struct run *run, const char *path, const twin_recording *recording)
{
    const struct calibrate_parameter *name =
        calibrate_parameter_find(&run->out->parameters, "soc_name");
    const char *part = part_of(recording);
    if (!name || !part || strcmp(name->text, part) == 0)
        return true;
    return calibrate_fail(run->job,
                          "%s: recorded on an %s, but profile %s is of an %s; select the profile "
                          "with --profile",
                          path, part, run->job->profile, name->text);
}

static bool plan_trials(struct run *run, struct calibrate_work *work)
{
    char why[200];
    if (work->count == 0)
        return true;
    work->plan = replay_trial_new(work->recording, work->asked, work->count, why, sizeof(why));
    return work->plan || calibrate_fail(run->job, "%s: %s", work->path, why);
}

static bool read_recording(struct run *run, size_t at)
{
    const char *path = run->job->recordings[at];
    struct calibrate_recording_sum *sum = &run->out->recordings[at];
    const struct calibrate_parameter *counter =
        calibrate_parameter_find(&run->out->parameters, "counter_mhz");
    sum->path = path;
    struct calibrate_error *error = run->job->error;
    if (twin_recording_read(path, &run->recordings[at], error->text, sizeof(error->text)) !=
        TWIN_RECORDING_OK)
        return false;
    if (!is_of_part(run, path, run->recordings[at]))
        return false;
    if (!calibrate_work_load(run->recordings[at], path, &run->works[at]) ||
        !calibrate_rows_make(&run->works[at],
                             counter && counter->start > 0 ? 1000 / counter->start : 1,
                             &run->rows[at]))
        return out_of_memory(run);
    if (!plan_trials(run, &run->works[at]))
        return false;
    sum->ops = run->works[at].count;
    sum->rows = run->rows[at].count;
    sum->left_out = run->works[at].left_out;
    sum->one_clock = run->works[at].one_clock;
    run->bench.row_count += sum->rows;
    return true;
}

static double number_of(const struct run *run, const char *name)
{
    const struct calibrate_parameter *parameter =
        calibrate_parameter_find(&run->out->parameters, name);
    return parameter ? parameter->start : 0;
}

/* Reads tables, and runs the program once to see which of their times the model has. */
static bool read_board(struct run *run)
{
    const double mhz = number_of(run, "counter_mhz");
    run->rows = calloc(1, sizeof(*run->rows));
    run->works = calloc(1, sizeof(*run->works));
    if (!run->rows || !run->works)
        return out_of_memory(run);
    run->works[0].path = run->job->program[0];
    run->bench.works = run->works;
    run->bench.rows = run->rows;
    run->bench.work_count = 1;
    run->bench.board = run->out;
    for (size_t i = 0; i < run->job->recording_count; i++)
        run->out->recordings[i] = (struct calibrate_recording_sum){
            .path = run->job->recordings[i], .one_clock = true, .table = true};
    const bool good =
        calibrate_board_read(run->job, number_of(run, "aicore.clock_mhz"), run->out) &&
        calibrate_bench_measure(&run->bench, &run->out->model) &&
        calibrate_board_choose(run->job, &run->out->model, mhz > 0 ? 1000 / mhz : 1, run->rows,
                               run->out);
    run->bench.row_count = run->rows->count;
    run->out->rows = run->rows->count;
    return good;
}

static bool read_recordings(struct run *run)
{
    size_t count = run->job->recording_count;
    run->recordings = calloc(count + 1, sizeof(*run->recordings));
    run->works = calloc(count + 1, sizeof(*run->works));
    run->rows = calloc(count + 1, sizeof(*run->rows));
    if (!run->recordings || !run->works || !run->rows)
        return out_of_memory(run);
    run->bench.works = run->works;
    run->bench.rows = run->rows;
    run->bench.work_count = count;
    for (size_t i = 0; i < count; i++)
        if (!read_recording(run, i))
            return false;
    run->out->rows = run->bench.row_count;
    for (size_t i = 0; i < count; i++)
        for (size_t r = 0; r < run->rows[i].count; r++)
            if (run->rows[i].items[r].from_op != CALIBRATE_NONE)
                return true;
    return calibrate_fail(run->job,
                          "%s: the recording has no durations of tasks; if the device does not "
                          "report times, record with TWINRT_RECORD_TIMES=events",
                          run->job->recordings[0]);
}

/* ---- public calls ---------------------------------------------------------------------------- */

/* A call takes its cost and nothing else: the median of all of its kind. */
static void fit_cost(struct run *run, struct calibrate_parameter *parameter, double *lengths)
{
    size_t count = 0;
    for (size_t work = 0; work < run->bench.work_count; work++) {
        for (size_t i = 0; i < run->rows[work].count; i++) {
            const struct calibrate_row *row = &run->rows[work].items[i];
            if (row->from_op == CALIBRATE_NONE && row->cost == parameter->cost)
                lengths[count++] = row->measured;
        }
    }
    parameter->rows = count;
    parameter->verdict = CALIBRATE_INFLUENCE_0;
    if (count == 0)
        return;
    if (count == 1) { /* nothing shows how far it can be trusted */
        parameter->verdict = CALIBRATE_WEAK;
        parameter->error = INFINITY;
        parameter->low = parameter->high = NAN;
        return;
    }
    double median = calibrate_median(lengths, count);
    for (size_t i = 0; i < count; i++)
        lengths[i] = fabs(lengths[i] - median);
    double off = calibrate_median(lengths, count);
    parameter->error = median > 0 ? 1.2533 * 1.4826 * off / sqrt((double)count) / median : 0;
    double half = fit_interval(parameter->error, (double)count);
    parameter->low = fmax(median * exp(-half) - 0.5, 0);
    parameter->high = median * exp(half) + 0.5;
    parameter->verdict = half <= CALIBRATE_SURE ? CALIBRATE_FITTED : CALIBRATE_WEAK;
    if (parameter->verdict == CALIBRATE_FITTED)
        parameter->value = round(median);
}

static bool fit_costs(struct run *run)
{
    double *lengths = calloc(run->bench.row_count + 1, sizeof(*lengths));
    if (!lengths)
        return out_of_memory(run);
    for (size_t i = 0; i < run->out->parameters.count; i++) {
        struct calibrate_parameter *parameter = &run->out->parameters.items[i];
        if (parameter->is_free && parameter->cost >= 0)
            fit_cost(run, parameter, lengths);
    }
    free(lengths);
    return true;
}

/* ---- all ------------------------------------------------------------------------------------- */

static void sum_up(const struct fit *fit, struct calibrate_deviation *out)
{
    double *sizes = calloc(fit->row_count + 1, sizeof(*sizes));
    double squares = 0;
    if (!sizes || fit->row_count == 0) {
        free(sizes);
        return;
    }
    for (size_t r = 0; r < fit->row_count; r++) {
        squares += fit->z[r] * fit->z[r];
        sizes[r] = fabs(fit->z[r]) * fit->rows[r]->sigma;
    }
    out->relative = sqrt(squares / (double)fit->row_count);
    out->median = calibrate_median(sizes, fit->row_count);
    out->worst = sizes[fit->row_count - 1];
    free(sizes);
}

/* What competed fits far worse than what was alone: nothing counts as measured. */
static void doubt(struct calibrate_result *out, const struct fit *fit)
{
    out->poor = fit_is_poor(fit);
    for (size_t i = 0; out->poor && i < out->parameters.count; i++) {
        struct calibrate_parameter *parameter = &out->parameters.items[i];
        if (parameter->verdict != CALIBRATE_FITTED && parameter->verdict != CALIBRATE_TOGETHER &&
            parameter->verdict != CALIBRATE_WEAK)
            continue;
        parameter->verdict = CALIBRATE_WEAK;
        parameter->low = parameter->high = NAN;
        parameter->combination[0] = '\0';
    }
}

/* What the recordings do not determine stays as it was. Returns whether the fit has other values
 * for it. */
static bool settle(const struct fit *fit, double *values)
{
    struct calibrate_parameters *parameters = fit->parameters;
    bool differs = false;
    fit_values(fit, SIZE_MAX, 0, values);
    for (size_t i = 0; i < parameters->count; i++) {
        struct calibrate_parameter *parameter = &parameters->items[i];
        if (parameter->is_free && parameter->cost < 0 &&
            (parameter->verdict == CALIBRATE_FITTED || parameter->verdict == CALIBRATE_TOGETHER))
            parameter->value = values[i];
        differs = differs || parameter->value != values[i];
    }
    return differs;
}

/* Deviations with the values of the parameters; NaN where the model does not do the work with
 * them. */
static bool look_at_values(struct fit *fit)
{
    struct fit_batch *batch = fit_batch_new(fit, 1);
    double *values = batch ? fit_batch_add(fit, batch) : NULL;
    for (size_t i = 0; values && i < fit->parameters->count; i++)
        values[i] = fit->parameters->items[i].value;
    const bool good = batch && fit_batch_run(fit, batch);
    for (size_t r = 0; good && r < fit->row_count; r++)
        fit->z[r] = fit_refused(fit, batch->z) ? NAN : batch->z[r];
    free(batch);
    return good;
}

/* Rows of a board are all rows of the fit, in their order. */
static void report_board(const struct run *run, const struct fit *fit)
{
    for (size_t r = 0; r < run->out->pair_count; r++)
        run->out->pairs[r].model_us =
            (fit->rows[r]->measured + fit->z[r] * fit->rows[r]->sigma) / 1000;
}

/* A fit takes minutes, and then reports all. */
static void say_begin(const struct run *run, const struct fit *fit)
{
    const struct calibrate_parameters *parameters = &run->out->parameters;
    size_t count = 0;
    for (size_t i = 0; i < parameters->count; i++)
        count += parameters->items[i].is_free;
    if (run->job->begin)
        fprintf(run->job->begin, "twinrt: fitting %zu parameter%s to %zu duration%s%s\n", count,
                layout_plural(count), fit->row_count, layout_plural(fit->row_count),
                run->job->progress ? "" : "; -v reports each step");
}

static bool fit_all(struct run *run)
{
    struct fit fit;
    struct calibrate_result *out = run->out;
    double *values = calloc(out->parameters.count + 1, sizeof(*values));
    bool good = fit_begin(&fit, &run->bench, &out->parameters);
    if (!values)
        (void)out_of_memory(run);
    good = good && values && fit_look(&fit);
    if (good) {
        say_begin(run, &fit);
        sum_up(&fit, &out->before);
    }
    good = good && fit_join(&fit) &&
           fit_solve(&fit, run->job->iterations_most, &out->iterations, &out->settled) &&
           fit_judge(&fit) && fit_doubt_rates(&fit) && fit_doubt_moved(&fit);
    if (good) {
        sum_up(&fit, &out->fitted);
        for (size_t r = 0; r < fit.row_count; r++)
            out->outliers += fabs(fit.z[r]) > 5 * fmax(fit.scale, 1);
        doubt(out, &fit);
        out->partial = settle(&fit, values);
        good = !out->partial || look_at_values(&fit);
    }
    if (good) {
        sum_up(&fit, &out->after);
        report_board(run, &fit);
    }
    free(values);
    fit_end(&fit);
    return good;
}

bool calibrate_run(const struct calibrate_job *job, struct calibrate_result *out)
{
    struct run run = {.job = job, .out = out, .bench = {.job = job}};
    *out = (struct calibrate_result){0};
    run.bench.parameters = &out->parameters;
    out->recordings = calloc(job->recording_count + 1, sizeof(*out->recordings));
    out->recording_count = job->recording_count;
    bool good = (out->recordings || out_of_memory(&run)) && read_profile(&run) &&
                choose_all(&run) && calibrate_bench_begin(&run.bench) &&
                (job->program ? read_board(&run) : read_recordings(&run)) && fit_all(&run) &&
                fit_costs(&run);
    calibrate_bench_end(&run.bench);
    out->trials = run.bench.trials;
    for (size_t i = 0; i < run.bench.work_count; i++) {
        if (run.rows)
            calibrate_rows_free(&run.rows[i]);
        if (run.works && !job->program)
            calibrate_work_free(&run.works[i]);
        if (run.recordings)
            twin_recording_free(run.recordings[i]);
    }
    free(run.rows);
    free(run.works);
    free(run.recordings);
    return good;
}

void calibrate_result_free(struct calibrate_result *result)
{
    calibrate_parameters_free(&result->parameters);
    free(result->pairs);
    msprof_times_free(&result->board);
    msprof_times_free(&result->model);
    free(result->recordings);
    *result = (struct calibrate_result){0};
}
