/* SPDX-License-Identifier: Apache-2.0 */
/* What the parts that write the timeline's text share. Private to the timeline files. */
#ifndef TWINRT_SIM_OBSERVE_TIMELINE_PRINT_H
#define TWINRT_SIM_OBSERVE_TIMELINE_PRINT_H

#include <inttypes.h>

#include "observe/timeline_layout.h"

struct printer {
    FILE *file;
    size_t used; /* bytes of the buffer that are to be written to `file` */
    int error;   /* of the first write that failed: a negative errno */
    const struct timeline_layout *layout;
    const twinsim *sim;
    const twinsim_profile *profile;
    uint64_t *uses;       /* of each parameter */
    uint64_t counter_mhz; /* of the counter that event times are read from */
    size_t parameter_count;
    uint32_t cost[TWIN_COST_COUNT]; /* indices of parameters */
    uint32_t wake[SIM_WAKE_COUNT];
    uint32_t doorbell;
    bool first; /* no element of the present list is printed yet */
};

/* Times in microseconds: the conversion for a format, and its arguments. */
#define TIMELINE_US        "%" PRIu64 ".%03u"
#define TIMELINE_US_OF(ns) (ns) / 1000, (unsigned)((ns) % 1000)

/* Knows %s, %u, %03u, %lu, %zu and %d alone: fprintf() is several times slower, and a timeline can
 * have millions of lines. */
void timeline_print(struct printer *printer, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Writes out what is buffered. */
void timeline_flush(struct printer *printer);
/* Prints `before` as it is, which ends with the opening quote, then the rest of the JSON string. */
void timeline_put_text(struct printer *printer, const char *before, const char *text);
/* A slice up to its arguments, of which more follow: an object that is open. Its name is `noun`,
 * escaped as a JSON string, and the number unless that is TIMELINE_NONE. */
void timeline_begin_slice(struct printer *printer, const char *category, const char *noun,
                          uint32_t number, const struct timeline_event *event,
                          struct timeline_place place);
void timeline_next_line(struct printer *printer);
/* The parameter as members of an object that has some already. */
void timeline_put_parameter(struct printer *printer, uint32_t index, bool counted);
/* Names of processes and tracks. */
void timeline_put_rows(struct printer *printer);
/* What was drawn of links and parameters: lists for the end of the file. */
void timeline_put_links(struct printer *printer);
void timeline_put_parameters(struct printer *printer);
const char *timeline_engine_name(uint8_t engine);

/* What host threads do. */
void timeline_find_host_parameters(struct printer *printer);
void timeline_put_call(struct printer *printer, const struct timeline_event *event);
void timeline_put_host_wait(struct printer *printer, const struct timeline_event *event);
void timeline_put_doorbell(struct printer *printer, const struct timeline_event *event);

#endif
