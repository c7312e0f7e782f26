/* SPDX-License-Identifier: Apache-2.0 */
#include "calibrate/parameter.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* In the order of twin_cost. */
static const char *const cost_names[TWIN_COST_COUNT] = {
    "host.local_ns", "host.create_ns", "host.submit_ns", "host.poll_ns",   "host.wait_ns",
    "host.copy_ns",  "host.memory_ns", "host.device_ns", "host.launch_ns", "host.transfer_ns",
};

/* Lengths, speeds and shares change smoothly; counts and switches do not. */
static const char *const smooth_units[] = {"ns", "cycles", "MB/s", "permille", "B/cycle"};

void calibrate_parameters_take(void *context, const twin_fact *fact)
{
    struct calibrate_parameters *all = context;
    if (*fact->mark == '\0')
        return;
    if (!LIST_ROOM(all)) {
        all->short_of_memory = true;
        return;
    }
    struct calibrate_parameter *parameter = &all->items[all->count++];
    *parameter = (struct calibrate_parameter){.name = strdup(fact->name),
                                              .text = strdup(fact->value),
                                              .unit = strdup(fact->unit),
                                              .mark = strdup(fact->mark),
                                              .source = strdup(fact->source),
                                              .cost = -1,
                                              .low = NAN,
                                              .high = NAN};
    if (!parameter->name || !parameter->text || !parameter->unit || !parameter->mark ||
        !parameter->source) {
        all->short_of_memory = true;
        return;
    }
    parameter->start = parameter->value =
        strcmp(fact->unit, "text") == 0 ? 0 : strtod(fact->value, NULL);
    for (int cost = 0; cost < TWIN_COST_COUNT; cost++)
        if (strcmp(fact->name, cost_names[cost]) == 0)
            parameter->cost = cost;
}

void calibrate_parameters_free(struct calibrate_parameters *parameters)
{
    for (size_t i = 0; i < parameters->count; i++) {
        struct calibrate_parameter *parameter = &parameters->items[i];
        free(parameter->name);
        free(parameter->text);
        free(parameter->unit);
        free(parameter->mark);
        free(parameter->source);
    }
    free(parameters->items);
    *parameters = (struct calibrate_parameters){0};
}

struct calibrate_parameter *calibrate_parameter_find(const struct calibrate_parameters *parameters,
                                                     const char *name)
{
    for (size_t i = 0; i < parameters->count; i++)
        if (strcmp(parameters->items[i].name, name) == 0)
            return &parameters->items[i];
    return NULL;
}

const char *calibrate_parameter_refuses(const struct calibrate_parameter *parameter)
{
    bool smooth = false;
    for (size_t i = 0; i < sizeof(smooth_units) / sizeof(smooth_units[0]); i++)
        smooth = smooth || strcmp(parameter->unit, smooth_units[i]) == 0;
    if (!smooth)
        return "not a time, rate or share";
    if (parameter->start <= 0)
        return "it is 0: the model has no such step";
    return NULL;
}

void calibrate_parameters_choose(struct calibrate_parameters *parameters)
{
    for (size_t i = 0; i < parameters->count; i++) {
        struct calibrate_parameter *parameter = &parameters->items[i];
        parameter->is_free =
            strcmp(parameter->mark, "assumed") == 0 && !calibrate_parameter_refuses(parameter);
    }
}
