/* SPDX-License-Identifier: Apache-2.0 */
/* The parameters of a profile, and which of them a calibration may change. */
#ifndef TWINRT_CALIBRATE_PARAMETER_H
#define TWINRT_CALIBRATE_PARAMETER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "recording/containers.h"
#include "seam/backend.h"

enum calibrate_verdict {
    CALIBRATE_FIXED,      /* it was not to change */
    CALIBRATE_FITTED,     /* the recordings determine it */
    CALIBRATE_TOGETHER,   /* they determine it only together with others */
    CALIBRATE_WEAK,       /* they say too little of it */
    CALIBRATE_INFLUENCE_0 /* nothing in them depends on it */
};

struct calibrate_parameter {
    char *name, *text, *unit, *mark, *source; /* `text`: the value as the profile has it */
    bool is_free;
    int cost;      /* twin_cost that it is the length of; -1: none */
    double start;  /* the profile's value; 0 for texts */
    double value;  /* now */
    double error;  /* relative standard error, of a fitted one */
    uint64_t rows; /* how many times of the recordings depend on it */
    enum calibrate_verdict verdict;
    double low, high;      /* where the true value is, whatever the verdict; NaN: not known */
    char with[160];        /* TOGETHER: names of the others */
    char combination[240]; /* and what of all of them is known */
    double sum, sum_low, sum_high; /* that */
};

struct calibrate_parameters {
    LIST_OF(struct calibrate_parameter);
    bool short_of_memory;
};

/* For diag.facts: takes each that is a parameter. */
void calibrate_parameters_take(void *parameters, const twin_fact *fact);
void calibrate_parameters_free(struct calibrate_parameters *parameters);
struct calibrate_parameter *calibrate_parameter_find(const struct calibrate_parameters *parameters,
                                                     const char *name);
/* Frees what is assumed, a time or a rate, and not 0: what the model has no such step for stays
 * so. */
void calibrate_parameters_choose(struct calibrate_parameters *parameters);
/* Why a parameter cannot be free, or NULL. */
const char *calibrate_parameter_refuses(const struct calibrate_parameter *parameter);

#endif
