/* SPDX-License-Identifier: Apache-2.0 */
/* The shared objects inside images of native kernels, loaded into this process.
 *
 * Loading one runs its constructors, as loading any library does: a user who may give an image may
 * run code. Only images that begin as kernel/object.h says and whose checksum is right come here.
 * Each image that is loaded is a separate instance, with its own variables. */
#ifndef TWINRT_CORE_IMAGE_LIBRARY_H
#define TWINRT_CORE_IMAGE_LIBRARY_H

#include "core/image/image.h"
#include "twinrt/kernel_image.h"

typedef struct twin_library twin_library;

/* Loads the shared object of an image and finds an entry for each of the image's kernels. 107000:
 * with a message; 207001. No lock is held. Blocks. */
int32_t twin_library_open(const twin_image *image, twin_library **out_library);
/* Unloads it, which runs its destructors. NULL does nothing. No lock is held, and nothing of it
 * runs. */
void twin_library_close(twin_library *library);

/* The entry of the image's kernel of that number. */
const twk_kernel_entry *twin_library_entry(const twin_library *library, size_t kernel);

#endif
