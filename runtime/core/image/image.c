/* SPDX-License-Identifier: Apache-2.0 */
#include "core/image/image.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"

void twin_image_free(twin_image *image)
{
    if (!image)
        return;
    for (uint32_t i = 0; i < image->kernel_count; i++) {
        twin_free(image->kernels[i].name);
        twin_free(image->kernels[i].params);
    }
    for (uint32_t i = 0; i < image->global_count; i++)
        twin_free(image->globals[i].name);
    twin_free(image->kernels);
    twin_free(image->globals);
    twin_free(image->library_name);
    twin_free(image->file);
    twin_free(image);
}

static int compare_kernel(const void *name, const void *kernel)
{
    return strcmp(name, ((const twin_kernel *)kernel)->name);
}

static int compare_global(const void *name, const void *global)
{
    return strcmp(name, ((const twin_image_global *)global)->name);
}

const twin_kernel *twin_image_kernel(const twin_image *image, const char *name)
{
    return bsearch(name, image->kernels, image->kernel_count, sizeof(*image->kernels),
                   compare_kernel);
}

const twin_kernel *twin_image_kernel_by_key(const twin_image *image, uint64_t key)
{
    const twin_kernel *first = NULL;
    for (uint32_t i = 0; i < image->kernel_count; i++) {
        const twin_kernel *kernel = &image->kernels[i];
        if (kernel->has_key && kernel->key == key && (!first || kernel->order < first->order))
            first = kernel;
    }
    return first;
}

const twin_image_global *twin_image_find_global(const twin_image *image, const char *name)
{
    if (image->global_count == 0)
        return NULL;
    return bsearch(name, image->globals, image->global_count, sizeof(*image->globals),
                   compare_global);
}
