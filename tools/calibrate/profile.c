/* SPDX-License-Identifier: Apache-2.0 */
#include <cjson/cJSON.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "calibrate/calibrate.h"
#include "calibrate/trial.h"

/* The object that holds a dotted name, made where it is missing; `out_last` is the name's last
 * part. NULL: out of memory. */
static cJSON *group_of(cJSON *root, const char *name, const char **out_last)
{
    char part[64];
    for (;;) {
        const char *dot = strchr(name, '.');
        *out_last = name;
        if (!dot || !root)
            return root;
        (void)snprintf(part, sizeof(part), "%.*s", (int)(dot - name), name);
        cJSON *group = cJSON_GetObjectItemCaseSensitive(root, part);
        root = group ? group : cJSON_AddObjectToObject(root, part);
        name = dot + 1;
    }
}

static bool put(cJSON *root, const struct calibrate_parameter *parameter, double value,
                const char *mark, const char *source)
{
    const char *last;
    cJSON *group = group_of(root, parameter->name, &last);
    cJSON *leaf = group ? cJSON_CreateObject() : NULL;
    if (!leaf)
        return false;
    bool text = strcmp(parameter->unit, "text") == 0;
    bool good = (text ? cJSON_AddStringToObject(leaf, "value", parameter->text)
                      : cJSON_AddNumberToObject(leaf, "value", value)) &&
                cJSON_AddStringToObject(leaf, "unit", parameter->unit) &&
                cJSON_AddStringToObject(leaf, "mark", mark) &&
                cJSON_AddStringToObject(leaf, "source", source);
    cJSON_DeleteItemFromObjectCaseSensitive(group, last);
    if (cJSON_AddItemToObject(group, last, leaf))
        return good;
    cJSON_Delete(leaf);
    return false;
}

/* `name` is what an error calls the file. It is readable by its owner alone. */
static bool write_json(const struct calibrate_job *job, const cJSON *root, const char *path,
                       const char *name)
{
    char *text = cJSON_Print(root);
    int descriptor = text ? open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600) : -1;
    FILE *file = descriptor >= 0 ? fdopen(descriptor, "w") : NULL;
    if (!file && descriptor >= 0)
        (void)close(descriptor);
    bool good = file && fputs(text, file) >= 0 && fputc('\n', file) >= 0;
    if (file && fclose(file) != 0)
        good = false;
    if (!good)
        (void)calibrate_fail(job, "%s cannot be written: %s", name,
                             text ? strerror(errno) : "out of memory");
    cJSON_free(text);
    return good;
}

bool calibrate_profile_for_trial(const struct calibrate_job *job,
                                 const struct calibrate_parameters *parameters,
                                 const double *values, const char *path)
{
    cJSON *root = cJSON_CreateObject();
    bool good = root != NULL;
    for (size_t i = 0; good && i < parameters->count; i++) {
        const struct calibrate_parameter *parameter = &parameters->items[i];
        double value =
            parameter->cost >= 0 ? (double)REPLAY_PAUSE_STEP((unsigned)parameter->cost) : values[i];
        good = put(root, parameter, value, parameter->mark, parameter->source);
    }
    good = good ? write_json(job, root, path, path) : calibrate_fail(job, "out of memory");
    cJSON_Delete(root);
    return good;
}

/* ---- the profile that comes out -------------------------------------------------------------- */

static bool is_file(const char *profile)
{
    return strchr(profile, '/') != NULL || strstr(profile, ".json") != NULL;
}

/* What the profile is made of: its own text, or one that builds on a profile of the model's. */
static cJSON *begin_from(const struct calibrate_job *job)
{
    cJSON *root = NULL;
    if (!is_file(job->profile)) {
        root = cJSON_CreateObject();
        if (root && !cJSON_AddStringToObject(root, "base", job->profile)) {
            cJSON_Delete(root);
            root = NULL;
        }
        return root;
    }
    FILE *file = fopen(job->profile, "rb");
    char *text = file ? calloc(1, (1u << 20) + 1) : NULL;
    if (text && fread(text, 1, 1u << 20, file) > 0)
        root = cJSON_Parse(text);
    if (!root)
        (void)calibrate_fail(job, "%s cannot be read again", job->profile);
    free(text);
    if (file)
        (void)fclose(file);
    return root;
}

static void name_records(const struct calibrate_result *result, char *text, size_t bytes)
{
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < result->record_count && used + 1 < bytes; i++) {
        const char *slash = strrchr(result->records[i].path, '/');
        int more = snprintf(text + used, bytes - used, "%s%s", i > 0 ? ", " : "",
                            slash ? slash + 1 : result->records[i].path);
        used += more > 0 ? (size_t)more : 0;
    }
}

static bool put_fitted(cJSON *root, const struct calibrate_result *result,
                       const struct calibrate_parameter *parameter)
{
    char records[256];
    char source[1024];
    name_records(result, records, sizeof(records));
    if (parameter->verdict == CALIBRATE_FITTED) {
        (void)snprintf(source, sizeof(source), "twinrt calibrate, from %s: +- %.2g %%, %llu times",
                       records, 100 * parameter->error, (unsigned long long)parameter->rows);
        return put(root, parameter, parameter->value, "measured", source);
    }
    if (parameter->verdict != CALIBRATE_TOGETHER || parameter->value == parameter->start)
        return true;
    (void)snprintf(source, sizeof(source),
                   "twinrt calibrate, from %s: measured together with %s alone; how they share is "
                   "assumed. Before: %s",
                   records, parameter->with, parameter->source);
    return put(root, parameter, parameter->value, parameter->mark, source);
}

bool calibrate_write(const struct calibrate_job *job, const struct calibrate_result *result,
                     const char *path)
{
    char trial[4096];
    (void)calibrate_fail(job, "out of memory");
    cJSON *root = begin_from(job);
    bool good = root != NULL;
    for (size_t i = 0; good && i < result->parameters.count; i++)
        good = put_fitted(root, result, &result->parameters.items[i]);
    /* Beside the place, as its base may be there; moved there when the model takes it, to which a
     * name without a folder is not one of a file. */
    int used = snprintf(trial, sizeof(trial), "%s%s.%d.json", strchr(path, '/') ? "" : "./", path,
                        (int)getpid());
    if (good && (used < 0 || (size_t)used >= sizeof(trial)))
        good = calibrate_fail(job, "%s is too long a name", path);
    const bool named = good;
    good = good && write_json(job, root, trial, path) && calibrate_backend_start(job, trial, 1);
    cJSON_Delete(root);
    if (good && job->backend->process.stop)
        job->backend->process.stop();
    if (good && rename(trial, path) != 0)
        good = calibrate_fail(job, "%s cannot be written: %s", path, strerror(errno));
    if (named && !good)
        (void)unlink(trial);
    return good;
}
