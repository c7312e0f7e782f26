/* SPDX-License-Identifier: Apache-2.0 */
#include "cores.h"

#include <stdio.h>
#include <string.h>

#include "ir_supported.h"
#include "say.h"

/* Whether it is said in the source what the kernel runs on. */
static bool is_declared(const struct ir_kernel *kernel)
{
    return kernel->vector_only || kernel->cube_only || kernel->cubes + kernel->vectors > 0;
}

/* Whether only its instructions say what the kernel runs on, and they say: all cores. */
static bool seems_mixed(const struct unit *unit, const struct ir_kernel *kernel)
{
    const struct ir_kernel *cube = ir_kernel_named(&unit->kernels[PASS_CUBE], kernel->name);
    const struct ir_kernel *vector = ir_kernel_named(&unit->kernels[PASS_VECTOR], kernel->name);
    return cube && vector && !is_declared(cube) && !is_declared(vector) && cube->uses_cube &&
           vector->uses_vector;
}

/* Whether cube cores run the toolkit's server for requests of vector cores. */
static bool has_server(const struct unit *unit)
{
    const struct ir_module *cube = &unit->modules[PASS_CUBE];
    return memmem(cube->text, cube->length, "N7AscendC9KfcServer", 19);
}

static bool any_seems_mixed(const struct unit *unit)
{
    for (size_t i = 0; i < unit->kernels[PASS_HOST].count; i++)
        if (seems_mixed(unit, &unit->kernels[PASS_HOST].list[i]))
            return true;
    return false;
}

/* Whether the sources are optimised otherwise than by default. */
static bool has_other_level(const struct cc_build *build)
{
    const char *level = "-O2";
    for (size_t i = 0; i < build->compile.count; i++)
        if (strncmp(build->compile.words[i], "-O", 2) == 0)
            level = build->compile.words[i];
    return strcmp(level, "-O2") != 0;
}

/* `places`: the passes that have the instructions. */
static void warn_of_mixed(const struct unit *unit, struct unit *const *places)
{
    static const char *const functions[] = {[PASS_CUBE] = IR_CUBE, [PASS_VECTOR] = IR_VECTOR};
    for (size_t i = 0; i < unit->kernels[PASS_HOST].count; i++) {
        const struct ir_kernel *kernel = &unit->kernels[PASS_HOST].list[i];
        char where[PASS_HOST][512];
        if (!seems_mixed(unit, kernel))
            continue;
        for (int pass = 0; pass < PASS_HOST; pass++)
            ir_place_of_call(&places[pass]->modules[pass],
                             ir_kernel_named(&places[pass]->kernels[pass], kernel->name),
                             functions[pass], where[pass], sizeof(where[pass]));
        fprintf(stderr,
                "twinrt-cc: warning: %s: kernel %.*s uses instructions of cube cores (%s) and of "
                "vector cores (%s), so each of its blocks has 1 cube core and 2 vector cores; "
                "declare it __mix__(1, 2), __cube__ or __vector__\n",
                unit->source, (int)kernel->source_name.length, kernel->source_name.at,
                where[PASS_CUBE], where[PASS_VECTOR]);
    }
}

/* Which instructions kernels use must not depend on the level of optimisation. And what functions
 * of cube cores do on vector cores, by the headers, is a request to a server on a cube core: it
 * does not count without one. The vendor's tools decide so, with the same macro. Kernels with a
 * server are mixed ones, as their authors know. */
int cc_look_again(struct unit *unit)
{
    const bool server = any_seems_mixed(unit) && has_server(unit);
    const bool other_level = has_other_level(unit->build);
    struct unit again = {.build = unit->build,
                         .ascend = unit->ascend,
                         .folder = unit->folder,
                         .source = unit->source,
                         .number = unit->number,
                         .more = server ? "-O2" : "-O2 -D__NO_KFC_SERVER__"};
    struct unit *places[PASS_HOST];
    int result = 0;
    if (!any_seems_mixed(unit))
        return 0;
    for (int pass = 0; pass < PASS_HOST && result == 0; pass++) {
        struct ir_kernels *kernels = &unit->kernels[pass];
        const bool differs = other_level || (pass == PASS_VECTOR && !server);
        places[pass] = differs ? &again : unit;
        if (differs)
            result = cc_to_ir(&again, (enum pass)pass);
        for (size_t i = 0; i < kernels->count && differs && result == 0; i++) {
            const struct ir_kernel *kernel =
                ir_kernel_named(&again.kernels[pass], kernels->list[i].name);
            kernels->list[i].uses_cube = kernel && kernel->uses_cube;
            kernels->list[i].uses_vector = kernel && kernel->uses_vector;
        }
    }
    if (result == 0 && !server)
        warn_of_mixed(unit, places);
    cc_free_unit(&again);
    return result;
}

static struct cc_placed place(const struct ir_kernel *any, const struct ir_kernel *cube,
                              const struct ir_kernel *vector)
{
    struct cc_placed placed = {.cubes = 1, .vectors = 2};
    if (any->cubes + any->vectors > 0) {
        placed.cubes = any->cubes;
        placed.vectors = any->vectors;
        placed.cube = placed.cubes > 0;
        placed.vector = placed.vectors > 0;
    } else if (any->vector_only || any->cube_only) {
        placed.vector = any->vector_only;
        placed.cube = !placed.vector;
    } else {
        placed.cube = cube && (cube->uses_cube || !vector);
        placed.vector = (vector && vector->uses_vector) || !placed.cube;
    }
    return placed;
}

int cc_match(const struct unit *unit, size_t i, struct cc_sides *out)
{
    const struct ir_kernel *host = &unit->kernels[PASS_HOST].list[i];
    const struct ir_kernel *any = NULL;
    for (int pass = 0; pass < PASSES; pass++)
        out->kernel[pass] = ir_kernel_named(&unit->kernels[pass], host->name);
    if (!out->kernel[PASS_CUBE] && !out->kernel[PASS_VECTOR])
        return cc_error("%s: kernel %.*s is there for the host alone", unit->source,
                        (int)host->source_name.length, host->source_name.at);
    any = out->kernel[PASS_VECTOR] ? out->kernel[PASS_VECTOR] : out->kernel[PASS_CUBE];
    if (any->vector_only + any->cube_only + (any->cubes + any->vectors > 0) > 1)
        return cc_error("%s: kernel %.*s is declared in two ways; expected one of __cube__, "
                        "__vector__, __mix__(1, 2) and KERNEL_TASK_TYPE_DEFAULT",
                        unit->source, (int)host->source_name.length, host->source_name.at);
    out->placed = place(any, out->kernel[PASS_CUBE], out->kernel[PASS_VECTOR]);
    if ((out->placed.cube && !out->kernel[PASS_CUBE]) ||
        (out->placed.vector && !out->kernel[PASS_VECTOR]))
        return cc_error("%s: kernel %.*s is declared for cores for which it is not there",
                        unit->source, (int)host->source_name.length, host->source_name.at);
    return 0;
}
