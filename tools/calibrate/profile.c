/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "calibrate/calibrate.h"
#include "calibrate/trial.h"
#include "output/json.h"

/* The object that holds a dotted name, made where it is missing; `out_last` is the name's last
 * part. NULL: out of memory. */
static cJSON *group_of(cJSON *root, const char *name, const char **out_last)
{
    char part[64];
    for (;;) {
        const char *dot = strchr(name, '.');
        *out_last = name;
        if (!dot)
            return root;
        (void)snprintf(part, sizeof(part), "%.*s", (int)(dot - name), name);
        cJSON *group = cJSON_GetObjectItemCaseSensitive(root, part);
        root = group ? group : cJSON_AddObjectToObject(root, part);
        name = dot + 1;
    }
}

static void put(cJSON *root, const struct calibrate_parameter *parameter, double value,
                const char *mark, const char *source)
{
    const char *last;
    cJSON *group = group_of(root, parameter->name, &last);
    const bool text = strcmp(parameter->unit, "text") == 0;
    cJSON *leaf = json_object(
        text ? JSON_TEXT("value", parameter->text) : JSON_NUMBER("value", value),
        JSON_TEXT("unit", parameter->unit), JSON_TEXT("mark", mark), JSON_TEXT("source", source));
    cJSON_DeleteItemFromObjectCaseSensitive(group, last);
    json_add(group, JSON_ITEM(last, leaf));
}

/* Frees `root`. `name` is what an error calls the file. It is readable by its owner alone. */
static bool write_json(const struct calibrate_job *job, cJSON *root, const char *path,
                       const char *name)
{
    int descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    FILE *file = descriptor >= 0 ? fdopen(descriptor, "w") : NULL;
    if (!file && descriptor >= 0)
        (void)close(descriptor);
    if (!file)
        cJSON_Delete(root);
    const bool printed = !file || json_print(root, file);
    bool good = file && printed && ferror(file) == 0;
    if (file && fclose(file) != 0)
        good = false;
    return good || calibrate_fail(job, "%s cannot be written: %s", name,
                                  printed ? strerror(errno) : "out of memory");
}

bool calibrate_profile_for_trial(const struct calibrate_job *job,
                                 const struct calibrate_parameters *parameters,
                                 const double *values, const char *path)
{
    cJSON *root = cJSON_CreateObject();
    for (size_t i = 0; i < parameters->count; i++) {
        const struct calibrate_parameter *parameter = &parameters->items[i];
        double value = parameter->cost >= 0 && !job->program
                           ? (double)REPLAY_PAUSE_STEP((unsigned)parameter->cost)
                           : values[i];
        put(root, parameter, value, parameter->mark, parameter->source);
    }
    return write_json(job, root, path, path);
}

/* ---- the profile that comes out -------------------------------------------------------------- */

static bool is_file(const char *profile)
{
    return strchr(profile, '/') != NULL || strstr(profile, ".json") != NULL;
}

/* What the profile is made of: its own text, or one that builds on a profile of the model's. */
static cJSON *begin_from(const struct calibrate_job *job)
{
    if (!is_file(job->profile))
        return json_object(JSON_TEXT("base", job->profile));
    cJSON *root = json_file_read(job->profile);
    if (!root)
        (void)calibrate_fail(job, "%s cannot be read again", job->profile);
    return root;
}

static void name_recordings(const struct calibrate_result *result, char *text, size_t bytes)
{
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < result->recording_count && used + 1 < bytes; i++) {
        const char *slash = strrchr(result->recordings[i].path, '/');
        int more = snprintf(text + used, bytes - used, "%s%s", i > 0 ? ", " : "",
                            slash ? slash + 1 : result->recordings[i].path);
        used += more > 0 ? (size_t)more : 0;
    }
}

static void put_fitted(cJSON *root, const struct calibrate_result *result,
                       const struct calibrate_parameter *parameter)
{
    char recordings[256];
    char source[1024];
    name_recordings(result, recordings, sizeof(recordings));
    if (parameter->verdict == CALIBRATE_FITTED) {
        (void)snprintf(source, sizeof(source),
                       "twinrt calibrate, fitted to %s: +- %.2g %%, %llu %s", recordings,
                       100 * parameter->error, (unsigned long long)parameter->rows,
                       result->pair_count > 0 ? "rows" : "times");
        put(root, parameter, parameter->value, "measured", source);
    } else if (parameter->verdict == CALIBRATE_TOGETHER && parameter->value != parameter->start) {
        (void)snprintf(
            source, sizeof(source),
            "twinrt calibrate, from %s: measured together with %s alone; how they share is "
            "assumed. Before: %s",
            recordings, parameter->with, parameter->source);
        put(root, parameter, parameter->value, parameter->mark, source);
    }
}

bool calibrate_write(const struct calibrate_job *job, const struct calibrate_result *result,
                     const char *path)
{
    char trial[4096];
    cJSON *root = begin_from(job);
    if (!root)
        return false;
    for (size_t i = 0; i < result->parameters.count; i++)
        put_fitted(root, result, &result->parameters.items[i]);
    /* Beside the place, as its base may be there; moved there when the model takes it, to which a
     * name without a folder is not one of a file. */
    int used = snprintf(trial, sizeof(trial), "%s%s.%d.json", strchr(path, '/') ? "" : "./", path,
                        (int)getpid());
    if (used < 0 || (size_t)used >= sizeof(trial)) {
        cJSON_Delete(root);
        return calibrate_fail(job, "%s is too long a name", path);
    }
    bool good = write_json(job, root, trial, path) && calibrate_backend_start(job, trial, 1);
    if (good && job->backend->process.stop)
        job->backend->process.stop();
    if (good && rename(trial, path) != 0)
        good = calibrate_fail(job, "%s cannot be written: %s", path, strerror(errno));
    if (!good)
        (void)unlink(trial);
    return good;
}
