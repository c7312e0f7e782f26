/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel/run.h"

#include <stdatomic.h>
#include <stdio.h>

/* An object may get the place of one that was closed. The loader orders the two by its own lock,
 * which is not seen by ThreadSanitizer: linking acquires what all unlinking has released. */
static atomic_uint unlinked;

static twin_status refuse(const struct twk_image *image, char *why, size_t why_bytes)
{
    if (!image || image->magic != TWK_IMAGE_MAGIC)
        snprintf(why, why_bytes, "its twk_image is not one of twinrt's kernel header");
    else if (image->version > TWK_VERSION)
        snprintf(why, why_bytes,
                 "it was made for version %u of kernels, this runtime knows %u; build it with the "
                 "twinrt that runs it, or install a newer one",
                 image->version, TWK_VERSION);
    else if (image->size < offsetof(struct twk_image, variables) ||
             image->ops_bytes > sizeof(twk_ops) || !image->ops)
        snprintf(why, why_bytes,
                 "its twk_image of %u bytes, for %u bytes of operations, is damaged", image->size,
                 image->ops_bytes);
    else
        return TWIN_OK;
    return TWIN_E_INVALID;
}

twin_status twin_native_link(const struct twk_image *image, char *why, size_t why_bytes)
{
    const twin_status status = refuse(image, why, why_bytes);
    if (status != TWIN_OK)
        return status;
    const twk_ops *ops = twin_native_ops();
    if (!ops) {
        snprintf(why, why_bytes, "the process has no addresses left for the stacks of kernels");
        return TWIN_E_NOMEM;
    }
    (void)atomic_load_explicit(&unlinked, memory_order_acquire);
    *image->ops = ops;
    return TWIN_OK;
}

void twin_native_unlink(const struct twk_image *image)
{
    *image->ops = NULL;
    atomic_fetch_add_explicit(&unlinked, 1, memory_order_release);
}
