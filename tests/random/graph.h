/* SPDX-License-Identifier: Apache-2.0 */
/* Programs of graph.c: lists of steps in several streams that have no race, or in one. */
#ifndef TWINRT_TESTS_RANDOM_GRAPH_H
#define TWINRT_TESTS_RANDOM_GRAPH_H

#include "acl/acl.h"
#include "fault/random_support.h"

enum {
    STREAMS_MOST = 4,
    CELLS = 12, /* on the device, and as many on the host */
    CELL_BYTES = 64,
    FLAGS = 24, /* words that streams wait for */
    STEPS_MOST = 48,
    NOTIFIES = 4,
    EVENTS = 4
};
#define CELLS_BYTES ((size_t)CELLS * CELL_BYTES)
#define FLAG_BYTES  ((size_t)8 * FLAGS)

/* Up to CALL: work on cells. */
enum step_kind {
    FILL,
    COPY,
    UPLOAD,
    DOWNLOAD,
    ADD,
    MIX,
    CALL,
    RECORD,
    WAIT,
    RING,
    AWAIT,
    PUT,
    GET
};

struct step {
    enum step_kind kind;
    uint8_t stream;
    uint8_t from, to; /* cells; an event, a notify, a flag */
    uint8_t value;
};

struct host_call {
    uint8_t *to;
    const uint8_t *from;
};

struct program {
    uint32_t streams, count;
    struct step steps[STEPS_MOST];
    struct host_call calls[STEPS_MOST]; /* what functions of the host are given */
};

/* What programs work on. */
struct scene {
    uint32_t thread;
    uint64_t programs; /* still to come */
    aclrtStream streams[STREAMS_MOST];
    aclrtEvent events[EVENTS];
    aclrtNotify notifies[NOTIFIES];
    aclrtBinHandle kernels;
    aclrtFuncHandle mix;
    uint8_t *device, *host; /* cells; flags after those of the device */
    uint8_t model_device[CELLS_BYTES], model_host[CELLS_BYTES];
};

#define OK(scene, call)                                                                            \
    do {                                                                                           \
        random_at((scene)->thread, #call, (scene)->programs);                                      \
        const aclError code_ = (call);                                                             \
        if (code_ != ACL_SUCCESS)                                                                  \
            graph_failed(#call, code_);                                                            \
    } while (0)

void graph_failed(const char *what, aclError code);

/* A program of several streams; one of up to `most` steps in one stream. */
void graph_plan(const struct scene *scene, random_state *random, struct program *program);
void graph_plan_single(const struct scene *scene, random_state *random, struct program *program,
                       uint32_t most);
/* The steps one after the other, on the bytes of the model. */
void graph_model(struct scene *scene, const struct program *program);
/* Queues the program. `single`: the stream of a program that has one; NULL: those of the scene. */
void graph_submit(struct scene *scene, struct program *program, aclrtStream single);

#endif
