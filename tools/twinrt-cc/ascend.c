/* SPDX-License-Identifier: Apache-2.0 */
#include "ascend.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cores.h"
#include "describe.h"
#include "ir_supported.h"
#include "launches.h"
#include "object.h"
#include "process.h"
#include "say.h"
#include "unit.h"

static const char *const pass_names[PASSES] = {"cube", "vector", "host"};
/* What the device's compiler defines there. */
static const char *const pass_defines[PASSES] = {
    "-DTWK_DEVICE_ -D__NPU_DEVICE__ -D__CCE_IS_AICORE__ -D__DAV_CUBE__ -D__DAV_C220_CUBE__",
    "-DTWK_DEVICE_ -D__NPU_DEVICE__ -D__CCE_IS_AICORE__ -D__DAV_VEC__ -D__DAV_C220_VEC__",
    "-D__NPU_HOST__"};
/* The host takes the branches of one kind of core. */
static const char host_of_vector[] = "-D__DAV_VEC__ -D__DAV_C220_VEC__";
static const char host_of_cube[] = "-D__DAV_CUBE__ -D__DAV_C220_CUBE__";
static const char common[] =
    "-D__NPU_ARCH__=2201 -D__CCE_AICORE__=220 -D__DAV_C220__ -Xclang -ffake-address-space-map "
    "-Xclang -ffloat16-excess-precision=none -Xclang -fbfloat16-excess-precision=none";
/* After what the user gives: kernels have no runtime of sanitizers, */
static const char not_instrumented[] = "-fno-sanitize=all";
/* and results are those that the source says. */
static const char exact[] = "-fno-fast-math -ffp-contract=off";

void cc_free_unit(struct unit *unit)
{
    for (int pass = 0; pass < PASSES; pass++) {
        ir_kernels_free(&unit->kernels[pass]);
        ir_free(&unit->modules[pass]);
    }
}

bool cc_is_ascend_source(const char *name)
{
    static const char *const ends[] = {".asc", ".cce", ".cpp", ".cc", ".cxx"};
    for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++)
        if (cc_ends_with(name, ends[i]))
            return true;
    return false;
}

/* ---- the compiler ---------------------------------------------------------------------------- */

/* The oldest clang that computes with __bf16. */
static const char is_new_enough[] = "-E -x c++ -include /dev/null -Werror -o /dev/null";

static bool fits(const char *folder, const struct cc_list *compiler)
{
    struct cc_list command = {0};
    struct cc_list probe = {0};
    cc_add_made(&probe, "%s/probe.cpp", folder);
    FILE *file = fopen(probe.words[0], "we");
    bool good = false;
    if (file &&
        fputs("#if !defined(__clang_major__) || __clang_major__ < 17\n#error\n#endif\n", file) >=
            0 &&
        fclose(file) == 0) {
        cc_add_list(&command, compiler);
        cc_add_split(&command, is_new_enough);
        cc_add(&command, probe.words[0]);
        good = cc_succeeds(&command);
    }
    cc_list_free(&command);
    cc_list_free(&probe);
    return good;
}

/* The compiler that was given, else the newest clang. */
int cc_find_clang(struct cc_build *build, const char *folder)
{
    if (fits(folder, &build->cxx))
        return 0;
    if (build->cxx_given)
        return cc_error("--cxx=%s cannot be run, or is not clang 17 or newer, which Ascend C needs",
                        build->cxx.words[0]);
    for (int version = 30; version >= 16; version--) {
        cc_list_free(&build->cxx);
        cc_add_made(&build->cxx, version > 16 ? "clang++-%d" : "clang++", version);
        if (fits(folder, &build->cxx))
            return 0;
    }
    return cc_error("Ascend C needs clang 17 or newer, which is not installed or not in PATH: "
                    "install clang-19, or give --cxx=COMMAND");
}

/* What is between the folder of a toolkit and its headers: installed, or as its sources have them;
 * NULL: it has none. */
static const char *below_toolkit(const char *toolkit)
{
    static const char *const between[] = {"", "/asc"};
    char path[4096];
    for (size_t i = 0; i < 2; i++) {
        snprintf(path, sizeof(path), "%s%s/include/kernel_operator.h", toolkit, between[i]);
        if (access(path, R_OK) == 0)
            return between[i];
    }
    return NULL;
}

/* The folder of the toolkit; NULL: there is none. set_env.sh moves the toolkit's folder from the
 * first variable to the second. */
static const char *toolkit_of(const struct cc_ascend *ascend)
{
    static const char *const variables[] = {"ASCEND_HOME_PATH", "TWINRT_ASCEND_HOME"};
    if (ascend->toolkit)
        return ascend->toolkit;
    for (size_t i = 0; i < sizeof(variables) / sizeof(*variables); i++) {
        const char *home = getenv(variables[i]);
        if (home && below_toolkit(home))
            return home;
    }
    return NULL;
}

/* Headers of a toolkit, where its own compiler finds them. */
static int add_toolkit(const struct cc_ascend *ascend, struct cc_list *command)
{
    static const char *const folders[] = {"",
                                          "/include",
                                          "/impl",
                                          "/include/basic_api",
                                          "/include/adv_api",
                                          "/include/adv_api/matmul",
                                          "/include/c_api",
                                          "/include/utils",
                                          "/include/tensor_api",
                                          "/impl/basic_api",
                                          "/impl/adv_api",
                                          "/impl/utils",
                                          "/impl/c_api"};
    const char *toolkit = toolkit_of(ascend);
    const char *below = toolkit ? below_toolkit(toolkit) : NULL;
    if (!toolkit)
        return 0;
    if (!below)
        return cc_error("%s has neither include/kernel_operator.h nor "
                        "asc/include/kernel_operator.h; give the folder of a toolkit, or of its "
                        "sources",
                        toolkit);
    for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
        cc_add(command, "-isystem");
        cc_add_made(command, "%s%s%s", toolkit, below, folders[i]);
    }
    cc_add(command, "-isystem");
    cc_add_made(command, "%s/include", toolkit);
    return 0;
}

/* The options of the user for one side; without the files that -include names, unless
 * `include`. */
static void add_options(const struct cc_build *build, enum cc_side wanted, bool include,
                        struct cc_list *command)
{
    enum cc_side side = CC_SIDE_BOTH;
    for (size_t i = 0; i < build->compile.count; i++) {
        const char *word = build->compile.words[i];
        if (!include && strcmp(word, "-include") == 0)
            i++;
        else if (!cc_side_option(word, &side) && (side == CC_SIDE_BOTH || side == wanted))
            cc_add(command, word);
    }
}

static int add_common(const struct unit *unit, enum pass pass, bool include,
                      struct cc_list *command)
{
    cc_add_list(command, &unit->build->cxx);
    cc_add_split(command, "-x c++ -std=c++17 -O2");
    cc_add_split(command, common);
    cc_add_split(command, pass_defines[pass]);
    if (pass == PASS_HOST)
        cc_add_split(command,
                     unit->ascend->passes == CC_PASSES_CUBE ? host_of_cube : host_of_vector);
    if (include) /* before the files that the user names */
        cc_add_split(command, "-include twinrt_ascendc.h");
    add_options(unit->build, pass == PASS_HOST ? CC_SIDE_HOST : CC_SIDE_DEVICE, include, command);
    cc_add_list(command, &unit->build->compile_cxx);
    cc_add_split(command, unit->more);
    cc_add_split(command, exact);
    if (pass != PASS_HOST)
        cc_add(command, not_instrumented);
    cc_add_made(command, "-I%s/include", unit->build->prefix);
    cc_add(command, "-isystem");
    cc_add_made(command, "%s/lib64/twinrt/ascendc", unit->build->prefix);
    return add_toolkit(unit->ascend, command);
}

/* ---- to IR ----------------------------------------------------------------------------------- */

static void path_of(const struct unit *unit, const char *what, const char *end, char *out,
                    size_t room)
{
    snprintf(out, room, "%s/%zu.%s%s", unit->folder, unit->number, what, end);
}

/* All that the source includes, in one text. */
static int expand(const struct unit *unit, enum pass pass, const char *text)
{
    struct cc_list command = {0};
    char found[4096];
    path_of(unit, pass_names[pass], ".d", found, sizeof(found));
    int result = add_common(unit, pass, true, &command);
    if (unit->dependencies) {
        cc_add_split(&command, "-MD -MF");
        cc_add(&command, found);
        cc_add(&command, "-MT");
        cc_add(&command, unit->build->output);
    }
    cc_add_split(&command, "-E -frewrite-includes -w -o");
    cc_add(&command, text);
    cc_add(&command, unit->source);
    if (result == 0) {
        result = cc_run(unit->build->verbose, &command, unit->source);
        if (result != 0 && !toolkit_of(unit->ascend))
            fputs("twinrt-cc: note: without headers of a toolkit; --toolkit=DIR or "
                  "ASCEND_HOME_PATH names its folder, in CMake ASC_TOOLKIT\n",
                  stderr);
    }
    if (result == 0 && unit->dependencies)
        result = cc_append(unit->dependencies, found);
    cc_list_free(&command);
    return result;
}

static int rewrite(const char *from, const char *to)
{
    FILE *in = fopen(from, "re");
    FILE *out = fopen(to, "we");
    char *text = NULL;
    size_t length = 0;
    FILE *memory = open_memstream(&text, &length);
    char piece[1 << 16];
    size_t bytes = 0;
    int result = -1;
    if (!memory)
        cc_no_memory();
    while (in && (bytes = fread(piece, 1, sizeof(piece), in)) > 0)
        fwrite(piece, 1, bytes, memory);
    if (fclose(memory) != 0)
        cc_no_memory();
    if (in && out) {
        cc_rewrite_launches(text, length, out);
        result = ferror(in) || ferror(out) ? -1 : 0;
    }
    if (out && fclose(out) != 0)
        result = -1;
    if (result != 0)
        (void)cc_error("%s: %s", out ? to : from, strerror(errno));
    if (in)
        fclose(in);
    free(text);
    return result;
}

/* Debug information names the user's source, not the text that clang reads. */
static void name_source(const struct unit *unit, struct cc_list *command)
{
    char folder[4096];
    const bool absolute = unit->source[0] == '/' || !getcwd(folder, sizeof(folder));
    cc_add_split(command, "-Xclang -main-file-name -Xclang");
    cc_add_made(command, "%s%s%s", absolute ? "" : folder, absolute ? "" : "/", unit->source);
}

int cc_to_ir(struct unit *unit, enum pass pass)
{
    char text[4096], rewritten[4096], ir[4096];
    struct cc_list command = {0};
    path_of(unit, pass_names[pass], ".ii", text, sizeof(text));
    path_of(unit, pass_names[pass], ".cpp", rewritten, sizeof(rewritten));
    path_of(unit, pass_names[pass], ".ll", ir, sizeof(ir));
    int result = expand(unit, pass, text);
    if (result == 0)
        result = rewrite(text, rewritten);
    (void)unlink(text);
    if (result == 0)
        result = add_common(unit, pass, false, &command);
    /* Warnings once; of kernels, too, whose code is in each pass. */
    cc_add_split(&command, pass == PASS_HOST ? "-Xclang -disable-llvm-passes -fPIC"
                                             : "-w -fPIC -fvisibility=hidden "
                                               "-fstack-clash-protection " CC_LOOPS_AS_WRITTEN);
    cc_add_split(&command, "-Wno-pragma-once-outside-header -Wno-unused-command-line-argument "
                           "-Wno-unknown-attributes -g -S -emit-llvm -o");
    cc_add(&command, ir);
    name_source(unit, &command);
    cc_add(&command, rewritten);
    if (result == 0)
        result = cc_run(unit->build->verbose, &command, unit->source);
    if (result == 0)
        result = ir_read(&unit->modules[pass], ir);
    if (result == 0)
        result = ir_find_kernels(&unit->modules[pass], &unit->kernels[pass]);
    cc_list_free(&command);
    return result;
}

/* ---- kernels --------------------------------------------------------------------------------- */

static bool on_side(const struct cc_sides *sides, enum pass pass)
{
    return pass == PASS_CUBE ? sides->placed.cube : sides->placed.vector;
}

static int compile_ir(const struct unit *unit, const char *ir, const char *object, bool counted)
{
    struct cc_list command = {0};
    cc_add_list(&command, &unit->build->cxx);
    cc_add_split(&command, "-x ir -O2 -c -fPIC -Wno-unused-command-line-argument "
                           "-Wno-override-module");
    add_options(unit->build, counted ? CC_SIDE_DEVICE : CC_SIDE_HOST, false, &command);
    cc_add(&command, "-fno-lto"); /* what is made on the way is gone when the program is linked */
    if (counted)
        cc_add(&command, not_instrumented);
    if (counted)
        cc_add_split(&command, CC_COUNT_ALL_BLOCKS " " CC_LOOPS_AS_WRITTEN);
    cc_add(&command, "-o");
    cc_add(&command, object);
    cc_add(&command, ir);
    const int result = cc_run(unit->build->verbose, &command, unit->source);
    cc_list_free(&command);
    return result;
}

/* The object of one kind of core. */
static int compile_side(struct unit *unit, const struct cc_sides *sides, enum pass pass,
                        struct cc_list *objects)
{
    const struct ir_kernels *kernels = &unit->kernels[pass];
    char ir[4096], object[4096], side[64];
    bool *used = calloc(kernels->count + 1, sizeof(bool));
    int result = 0;
    bool any = false;
    if (!used)
        cc_no_memory();
    for (size_t i = 0; i < unit->kernels[PASS_HOST].count; i++)
        if (on_side(&sides[i], pass)) {
            struct ir_kernel *kernel = sides[i].kernel[pass];
            used[kernel - kernels->list] = any = true;
            if (ir_check_supported(&unit->modules[pass], kernel) != 0)
                result = -1;
        }
    if (any && result == 0) {
        path_of(unit, pass_names[pass], ".device.ll", ir, sizeof(ir));
        path_of(unit, pass_names[pass], ".o", object, sizeof(object));
        snprintf(side, sizeof(side), "twk_%s_%zu", pass_names[pass], unit->number);
        FILE *out = fopen(ir, "we");
        result = out ? ir_write_device(&unit->modules[pass], kernels, used, side, out) : -1;
        if (!out || fclose(out) != 0)
            result = cc_error("%s cannot be written: %s", ir, strerror(errno));
        if (result == 0)
            result = compile_ir(unit, ir, object, true);
        cc_add(objects, object);
    }
    free(used);
    return result;
}

static void write_function(const struct unit *unit, const struct cc_sides *sides, enum pass pass,
                           FILE *out)
{
    if (!on_side(sides, pass))
        fputs("0", out);
    else
        fprintf(out, "twk_%s_%zu_run_%zu", pass_names[pass], unit->number,
                (size_t)(sides->kernel[pass] - unit->kernels[pass].list));
}

/* A string of IR, where \22 is a quote, as one of C. */
static void write_text(struct ir_text text, FILE *out)
{
    unsigned int byte = 0;
    putc('"', out);
    for (size_t i = 0; i < text.length; i++)
        if (text.at[i] == '\\' && i + 2 < text.length && sscanf(text.at + i, "\\%2x", &byte) == 1) {
            fprintf(out, "\\%03o", byte);
            i += 2;
        } else if (text.at[i] == '\\' && i + 1 < text.length) {
            fprintf(out, "\\%c", text.at[++i]);
        } else {
            putc(text.at[i], out);
        }
    putc('"', out);
}

/* The record of a kernel, as TWK_VECTOR_KERNEL and its like write it. */
static void write_kernel(const struct unit *unit, const struct cc_sides *sides, size_t number,
                         FILE *out)
{
    const struct ir_kernel *kernel = sides->kernel[PASS_HOST];
    const bool mixed = sides->placed.cube && sides->placed.vector;
    for (int pass = 0; pass < PASS_HOST; pass++)
        if (on_side(sides, (enum pass)pass)) {
            fputs("extern TWK_HIDDEN void ", out);
            write_function(unit, sides, (enum pass)pass, out);
            fputs("(const void *args);\n", out);
        }
    fprintf(out, "static const twk_param list%zu[] = {", number);
    for (size_t i = 0; i < kernel->signature.count; i++)
        fprintf(out, "{%lluu, %lluu}, ", (unsigned long long)kernel->offsets[i],
                (unsigned long long)kernel->signature.parameters[i].bytes);
    fprintf(out, "{0, 0}};\nstatic const twk_params params%zu = {%zuu, list%zu};\n", number,
            kernel->signature.count, number);
    fprintf(out,
            "static const twk_kernel_entry kernel%zu = {sizeof(twk_kernel_entry), TWK_VERSION, "
            "\"%.*s\", %s, %uu, %uu, %lluu, ",
            number, (int)kernel->name.length, kernel->name.at,
            mixed                ? "TWK_CORES_MIXED"
            : sides->placed.cube ? "TWK_CORES_CUBE"
                                 : "TWK_CORES_VECTOR",
            mixed ? sides->placed.cubes : 0, mixed ? sides->placed.vectors : 0,
            (unsigned long long)kernel->args_bytes);
    write_function(unit, sides, PASS_CUBE, out);
    fputs(", ", out);
    write_function(unit, sides, PASS_VECTOR, out);
    fprintf(out, ", &params%zu, 0, ", number);
    write_text(kernel->source_name, out);
    fprintf(out,
            "};\nstatic const twk_kernel_entry *const listed%zu "
            "__attribute__((used, section(\"twk_kernels\"))) = &kernel%zu;\n",
            number, number);
}

static int compile_records(const struct unit *unit, const struct cc_sides *sides,
                           struct cc_list *objects)
{
    char source[4096], object[4096];
    struct cc_list command = {0};
    path_of(unit, "records", ".c", source, sizeof(source));
    path_of(unit, "records", ".o", object, sizeof(object));
    FILE *out = fopen(source, "we");
    if (out)
        fputs("#include \"twinrt/kernel_image.h\"\n", out);
    for (size_t i = 0; out && i < unit->kernels[PASS_HOST].count; i++)
        write_kernel(unit, &sides[i], i, out);
    int result =
        out && fclose(out) == 0 ? 0 : cc_error("%s cannot be written: %s", source, strerror(errno));
    cc_add_list(&command, &unit->build->cxx);
    cc_add_split(&command, "-x c -c -O1 -fPIC -w");
    cc_add_made(&command, "-I%s/include", unit->build->prefix);
    cc_add(&command, "-o");
    cc_add(&command, object);
    cc_add(&command, source);
    if (result == 0)
        result = cc_run(unit->build->verbose, &command, unit->source);
    cc_add(objects, object);
    cc_list_free(&command);
    return result;
}

/* The object with all kernels of the source. */
static int build_kernels(struct unit *unit, const char *image)
{
    const size_t count = unit->kernels[PASS_HOST].count;
    struct cc_sides *sides = calloc(count + 1, sizeof(struct cc_sides));
    struct cc_list objects = {0};
    char library[4096];
    int result = 0;
    if (!sides)
        cc_no_memory();
    for (size_t i = 0; i < count && result == 0; i++)
        result = cc_match(unit, i, &sides[i]);
    for (int pass = 0; pass < PASS_HOST && result == 0; pass++)
        result = compile_side(unit, sides, (enum pass)pass, &objects);
    if (result == 0)
        result = compile_records(unit, sides, &objects);
    path_of(unit, "kernels", ".so", library, sizeof(library));
    if (result == 0)
        result = cc_link_library(unit->build, &unit->build->cxx, &objects, unit->folder, library);
    if (result == 0)
        result = cc_make_object(library, image);
    cc_list_free(&objects);
    free(sides);
    return result;
}

/* ---- sources and programs -------------------------------------------------------------------- */

static int compile_host(struct unit *unit, const char *image, const char *object)
{
    char ir[4096];
    path_of(unit, "host", ".launch.ll", ir, sizeof(ir));
    FILE *out = fopen(ir, "we");
    int result =
        out ? ir_write_host(&unit->modules[PASS_HOST], &unit->kernels[PASS_HOST], image, out) : -1;
    if (!out || fclose(out) != 0)
        return cc_error("%s cannot be written: %s", ir, strerror(errno));
    if (result == 0)
        result = compile_ir(unit, ir, object, false);
    return result;
}

static bool is_wanted(const struct unit *unit, enum pass pass)
{
    const enum cc_passes passes = unit->ascend->passes;
    return pass == PASS_HOST || passes == CC_PASSES_BOTH ||
           (pass == PASS_CUBE) == (passes == CC_PASSES_CUBE);
}

/* `object`: of the host; NULL: kernels only, which go to `image`. */
static int build_source(struct unit *unit, const char *image, const char *object)
{
    static const enum pass order[PASSES] = {PASS_HOST, PASS_VECTOR, PASS_CUBE};
    int result = 0;
    for (int i = 0; i < PASSES && result == 0; i++)
        if (is_wanted(unit, order[i]))
            result = cc_to_ir(unit, order[i]);
    if (result == 0)
        result = cc_look_again(unit);
    if (result == 0 && unit->kernels[PASS_HOST].count == 0 && !object)
        result = cc_error("%s has no kernel: no function is __global__", unit->source);
    if (result == 0 && unit->kernels[PASS_HOST].count > 0)
        result = build_kernels(unit, image);
    if (result == 0 && object)
        result = compile_host(unit, image, object);
    cc_free_unit(unit);
    return result;
}

static int link_program(const struct cc_build *build, const struct cc_ascend *ascend,
                        const struct cc_list *objects)
{
    struct cc_list command = {0};
    cc_add_list(&command, &build->cxx);
    if (ascend->product == CC_LIBRARY)
        cc_add(&command, "-shared");
    cc_add(&command, "-o");
    cc_add(&command, build->output);
    cc_add_list(&command, objects);
    cc_add_list(&command, &ascend->inputs);
    cc_add_made(&command, "%s/lib64/libtwinrt_launch.a", build->prefix);
    cc_add_list(&command, &build->link);
    cc_add_made(&command, "-L%s/lib64", build->prefix);
    cc_add_split(&command, "-lascendcl -lm");
    const int result = cc_run(build->verbose, &command, "linking");
    cc_list_free(&command);
    return result;
}

int cc_build_ascend(struct cc_build *build, const struct cc_ascend *ascend, const char *folder)
{
    struct cc_list objects = {0};
    const bool links = ascend->product == CC_PROGRAM || ascend->product == CC_LIBRARY;
    if (!links && build->sources.count > 1)
        return cc_error("%s takes one source, and there are %zu",
                        ascend->product == CC_OBJECT ? "-c" : "--kernels-only",
                        build->sources.count);
    FILE *dependencies = NULL;
    int result = cc_find_clang(build, folder);
    if (result == 0)
        result = cc_open_dependencies(build, &dependencies);
    for (size_t i = 0; i < build->sources.count && result == 0; i++) {
        struct unit unit = {.build = build,
                            .ascend = ascend,
                            .folder = folder,
                            .source = build->sources.words[i],
                            .number = i,
                            .dependencies = dependencies,
                            .more = ""};
        struct cc_list paths = {0};
        cc_add_made(&paths, "%s/%zu.image.o", folder, i);
        cc_add_made(&paths, "%s/%zu.host.o", folder, i);
        result = build_source(&unit, ascend->product == CC_KERNELS ? build->output : paths.words[0],
                              ascend->product == CC_KERNELS  ? NULL
                              : ascend->product == CC_OBJECT ? build->output
                                                             : paths.words[1]);
        cc_add(&objects, paths.words[1]);
        cc_list_free(&paths);
    }
    result = cc_close_dependencies(build, dependencies, result);
    if (result == 0 && links)
        result = link_program(build, ascend, &objects);
    cc_list_free(&objects);
    return result;
}
