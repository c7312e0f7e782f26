/* SPDX-License-Identifier: Apache-2.0 */
#include "describe.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kernel/object.h"
#include "object.h"
#include "say.h"
#include "twinrt/kernel_image.h"

/* ---- kernels --------------------------------------------------------------------------------- */

static int take_params(const twk_kernel_entry *entry, struct cc_kernel *kernel)
{
    const twk_params *params = entry->params;
    kernel->args_bytes = entry->args_bytes;
    kernel->params_known = params != NULL;
    if (!params)
        return 0;
    struct cc_param *list = calloc(params->count + (size_t)1, sizeof(*list));
    if (!list)
        cc_no_memory();
    kernel->params = list;
    kernel->param_count = params->count;
    for (uint32_t i = 0; i < params->count; i++) {
        list[i] = (struct cc_param){params->list[i].offset, params->list[i].bytes};
        if (list[i].bytes == 0 || list[i].offset > entry->args_bytes ||
            list[i].bytes > entry->args_bytes - list[i].offset)
            return cc_error("kernel \"%s\": parameter %u, %u bytes at %u, exceeds its %u "
                            "bytes of arguments",
                            entry->name, i, list[i].bytes, list[i].offset, entry->args_bytes);
    }
    return 0;
}

/* The symbols of a mixed kernel end so; a kernel's own name must not hold what would be taken for
 * it. */
static int check_name(const char *name)
{
    if (strstr(name, "_mix_aic") || strstr(name, "_mix_aiv"))
        return cc_error("kernel \"%s\": _mix_aic and _mix_aiv mark halves of mixed kernels and "
                        "cannot be part of a name",
                        name);
    return strlen(name) < 1024 ? 0 : cc_error("kernel \"%.40s…\": the name is too long", name);
}

static int take_kernel(const twk_kernel_entry *entry, struct cc_kernel *kernel)
{
    if (entry->size < TWK_ENTRY_LEAST || entry->version > TWK_VERSION)
        return cc_error("the kernels are of version %u of twinrt/kernel.h, this tool knows %u",
                        entry->version, TWK_VERSION);
    *kernel = (struct cc_kernel){.name = entry->name,
                                 .cores = entry->cores == TWK_CORES_MIXED    ? CC_MIXED
                                          : entry->cores == TWK_CORES_VECTOR ? CC_VECTOR
                                                                             : CC_CUBE,
                                 .cube_ratio = (uint16_t)entry->cube_ratio,
                                 .vector_ratio = (uint16_t)entry->vector_ratio,
                                 .batch = entry->schedule && entry->schedule->batch != 0};
    if (entry->cores == TWK_CORES_MIXED &&
        (entry->cube_ratio != 1 || entry->vector_ratio < 1 || entry->vector_ratio > 2))
        return cc_error("kernel \"%s\": %u vector cores to a cube core; 1 and 2 are known",
                        entry->name, entry->vector_ratio);
    if (check_name(entry->name) != 0)
        return -1;
    return take_params(entry, kernel);
}

static int by_name(const void *left, const void *right)
{
    return strcmp(((const struct cc_kernel *)left)->name, ((const struct cc_kernel *)right)->name);
}

/* ---- variables ------------------------------------------------------------------------------- */

static int take_variable(const twk_variable_entry *entry, struct cc_variable *variable)
{
    if (entry->size < sizeof(*entry) || entry->bytes == 0)
        return cc_error("variable \"%.40s\": it has no bytes, or is of another version of "
                        "twinrt/kernel.h",
                        entry->name);
    *variable = (struct cc_variable){entry->name, entry->bytes, entry->initial};
    return 0;
}

static int by_variable_name(const void *left, const void *right)
{
    return strcmp(((const struct cc_variable *)left)->name,
                  ((const struct cc_variable *)right)->name);
}

/* All variables, in the order of their names. */
static int take_variables(const struct twk_image *image, struct cc_variable *variables,
                          size_t count)
{
    int result = 0;
    for (size_t i = 0; i < count && result == 0; i++)
        result = take_variable(image->variables[i], &variables[i]);
    if (result != 0)
        return result;
    qsort(variables, count, sizeof(*variables), by_variable_name);
    for (size_t i = 1; i < count && result == 0; i++)
        if (strcmp(variables[i - 1].name, variables[i].name) == 0)
            result = cc_error("variable \"%.40s\" is defined twice", variables[i].name);
    return result;
}

static int write_kernels(const struct twk_image *image, struct cc_bytes library, const char *output)
{
    const size_t count = (size_t)(image->end - image->begin);
    struct cc_kernel *kernels = calloc(count, sizeof(*kernels));
    int result = 0;
    if (!kernels)
        cc_no_memory();
    for (size_t i = 0; i < count && result == 0; i++)
        result = take_kernel(image->begin[i], &kernels[i]);
    if (result == 0) {
        qsort(kernels, count, sizeof(*kernels), by_name); /* the order of the link is arbitrary */
        const size_t variable_count = (size_t)(image->variables_end - image->variables);
        struct cc_variable *variables = calloc(variable_count + 1, sizeof(*variables));
        if (!variables)
            cc_no_memory();
        const struct cc_content content = {.kernels = kernels,
                                           .kernel_count = count,
                                           .variables = variables,
                                           .variable_count = variable_count};
        result = take_variables(image, variables, variable_count);
        if (result == 0)
            result = cc_write_object(output, &content, library);
        free(variables);
    }
    for (size_t i = 0; i < count; i++) {
        union {
            const struct cc_param *list;
            void *memory;
        } params = {.list = kernels[i].params};
        free(params.memory);
    }
    free(kernels);
    return result;
}

/* ---- the shared object ----------------------------------------------------------------------- */

static int describe(const char *library, struct cc_bytes bytes, const char *output)
{
    void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    if (!handle)
        return cc_error("the kernels cannot be loaded: %s", dlerror());
    const struct twk_image *image = dlsym(handle, TWIN_NATIVE_IMAGE_SYMBOL);
    int result = 0;
    if (!image || image->magic != TWK_IMAGE_MAGIC || image->version != TWK_VERSION)
        result = cc_error("the shared object has no list of kernels, or one of another version: "
                          "use the libtwinrt_kernel.a beside this tool");
    else if (image->begin == image->end)
        result = cc_error("the sources define no kernel; see TWK_VECTOR_KERNEL and its like in "
                          "twinrt/kernel.h");
    else
        result = write_kernels(image, bytes, output);
    dlclose(handle);
    return result;
}

static int map(const char *path, struct cc_bytes *out_bytes)
{
    struct stat facts;
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    int result = file >= 0 && fstat(file, &facts) == 0 ? 0 : -1;
    if (result == 0) {
        out_bytes->count = (size_t)facts.st_size;
        out_bytes->at = mmap(NULL, out_bytes->count, PROT_READ, MAP_PRIVATE, file, 0);
        result = out_bytes->at == MAP_FAILED ? -1 : 0;
    }
    if (result != 0)
        (void)cc_error("%s: %s", path, strerror(errno));
    if (file >= 0)
        close(file);
    return result;
}

int cc_make_object(const char *library, const char *output)
{
    struct cc_bytes bytes = {0};
    if (map(library, &bytes) != 0)
        return -1;
    fflush(NULL);
    const pid_t child = fork();
    if (child < 0)
        return cc_error("no process for loading the kernels: %s", strerror(errno));
    if (child == 0)
        exit(describe(library, bytes, output) == 0 ? 0 : 1);
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        continue;
    if (WIFSIGNALED(status))
        return cc_error("loading the kernels ended with signal %d: one of their constructors does "
                        "what it must not",
                        WTERMSIG(status));
    return WEXITSTATUS(status) == 0 ? 0 : -1;
}
