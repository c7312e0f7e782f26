/* SPDX-License-Identifier: Apache-2.0 */
/* Kernel images that were loaded ("binaries"), their copies on devices, and the functions found in
 * them.
 *
 * A binary is of no context and no device. It is copied to the current device when it is loaded,
 * or, when it is loaded lazily or without a context (before main, before aclInit), with the first
 * lookup there; a copy goes with its device. A function is found once: later lookups give the same
 * handle, and it lives as long as its binary. Binaries of CPU kernels carry names alone. */
#ifndef TWINRT_CORE_IMAGE_BINARY_H
#define TWINRT_CORE_IMAGE_BINARY_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/handle.h"
#include "core/image/image.h"
#include "core/image/library.h"
#include "core/object/device.h"

/* How an AI CPU binary is given; the public values. */
typedef enum twin_cpu_mode {
    TWIN_CPU_NONE = -1,    /* it is none */
    TWIN_CPU_ON_DEVICE,    /* a file that lists kernels which the device has */
    TWIN_CPU_WITH_LIBRARY, /* a file that lists kernels of a library beside it */
    TWIN_CPU_LIBRARY       /* the library itself; functions are registered */
} twin_cpu_mode;

typedef struct twin_binary_options {
    bool lazy;
    twin_cpu_mode cpu;
    uint32_t magic;  /* TWIN_MAGIC_*; 0: not given */
    bool cross_core; /* all kernels wait for each other */
} twin_binary_options;

/* What kernels are that do not say it themselves. */
#define TWIN_MAGIC_ELF    0x43554245u
#define TWIN_MAGIC_CUBE   0x41494343u
#define TWIN_MAGIC_VECTOR 0x41415246u

typedef struct twin_function twin_function;

struct rtExceptionInfo;
/* The function to call for failed kernels of a binary. */
typedef struct twin_binary_listener {
    void (*function)(struct rtExceptionInfo *info, void *user); /* NULL: none */
    void *user;
} twin_binary_listener;

typedef struct twin_binary {
    twin_object object;
    /* Fixed from publish to release. */
    twin_image *image;     /* NULL: of CPU kernels */
    twin_library *library; /* of native kernels, else NULL */
    twin_cpu_mode cpu;
    /* By backend number of the device: address of the copy, 0: none. Release/acquire: the bytes are
     * there before it is seen. Taken away under the lock of binaries. */
    _Atomic uint64_t copies[TWIN_MAX_DEVICES];
    /* The same of devices that run device code: what was loaded there, set soon after its
     * address. */
    _Atomic(twin_loaded_image *) loaded[TWIN_MAX_DEVICES];
    uint32_t magic;
    /* Guarded by the lock of binaries. */
    uint64_t *functions; /* by kernel of the image: handle, 0: not looked up */
    twin_function *first_function;
    twin_binary_listener listener;
    struct twin_binary *next, *previous;
} twin_binary;

struct twin_function {
    twin_object object;
    /* Fixed from publish to release. */
    twin_binary *binary; /* there while it is pinned by its handle */
    uint64_t binary_handle;
    const twin_kernel *kernel; /* of the image; of a CPU kernel: own */
    twin_kernel own;
    char *entry;                    /* of a CPU kernel: its name in the library */
    const twk_kernel_entry *native; /* of a native kernel, else NULL */
    atomic_bool hazard_reported;    /* relaxed: what it forgets was said */
    twin_function *next;            /* guarded by the lock of binaries */
};

extern twin_handle_table twin_binaries;
extern twin_handle_table twin_functions;

/* Loads an image; `data` is copied. 107000: with a message; 207001. Blocks. */
int32_t twin_binary_load(const void *data, size_t bytes, const twin_binary_options *options,
                         uint64_t *out_handle);
/* The binary of an image that was read, which becomes the binary's or is freed; NULL: of CPU
 * kernels. As above. */
int32_t twin_binary_add(twin_image *image, const twin_binary_options *options,
                        uint64_t *out_handle);
/* The same from a file, and what the JSON file beside it says. 107000 also: the file cannot be
 * read. Blocks. */
int32_t twin_binary_load_file(const char *path, const twin_binary_options *options,
                              uint64_t *out_handle);
/* Ends a binary and its functions. 107017. */
int32_t twin_binary_unload(uint64_t handle);

/* A live binary, pinned. 107017. */
int32_t twin_binary_pin(uint64_t handle, twin_binary **out_binary);
void twin_binary_unpin(twin_binary *binary);
TWIN_PINNED_TYPE(binary)

/* Address of the copy on the current device and its bytes; a lazy binary has none at first: 0 and
 * 0. 107002, 107000: of CPU kernels. */
int32_t twin_binary_address(twin_binary *binary, uint64_t *out_address, uint64_t *out_bytes);
/* Makes the copy on a device that is up and stays so, unless it is there. 107001 never; 207001 and
 * what the device says. Blocks. */
int32_t twin_binary_place(twin_binary *binary, twin_device *device, uint64_t *out_address);
/* What a device that runs device code has loaded of a binary that was placed there. */
twin_loaded_image *twin_binary_loaded(twin_binary *binary, const twin_device *device);
/* A variable of the image on the current device. 107000: of CPU kernels; 107002; 107042: no such
 * variable. Blocks. */
int32_t twin_binary_global(twin_binary *binary, const char *name, uint64_t *out_address,
                           uint64_t *out_bytes);
/* A function by name, or by key; copies the image to the current device. 107000: there is none.
 * 107002. Blocks. */
int32_t twin_binary_find(twin_binary *binary, const char *name, uint64_t *out_function);
int32_t twin_binary_find_key(twin_binary *binary, uint64_t key, uint64_t *out_function);
/* A CPU kernel by that name, added unless it is there. 107000: not an image of CPU kernels; 107017;
 * 207001. */
int32_t twin_binary_register(twin_binary *binary, const char *name, const char *entry,
                             uint64_t *out_function);

/* A live function and its binary, pinned together. 107017. */
int32_t twin_function_pin(uint64_t handle, twin_function **out_function);
void twin_function_unpin(twin_function *function);
TWIN_PINNED_TYPE(function)
/* Whether the handle is 0, which callers refuse as NULL, or means a live binary. 107017. */
static inline int32_t twin_binary_guard(uint64_t handle)
{
    TWIN_PINNED(binary, binary);
    return handle == 0 ? 0 : twin_binary_pin(handle, &binary);
}
/* Whether the handle is 0, which callers refuse as NULL, or means a live function. 107017. */
static inline int32_t twin_function_guard(uint64_t handle)
{
    TWIN_PINNED(function, function);
    return handle == 0 ? 0 : twin_function_pin(handle, &function);
}

/* Sets the listener for failed kernels of a pinned binary; the newest counts. */
void twin_binary_listen(twin_binary *binary, twin_binary_listener listener);
/* Returns it; the binary is there, but may have been unloaded: then there is no listener. */
twin_binary_listener twin_binary_listener_of(twin_binary *binary, uint64_t handle);

/* The copies on a device that is going down. No lock is held. */
void twin_binaries_forget(twin_device *device);

/* ---- binary_data.c: descriptions of images in memory of the program; nothing is copied ---- */

/* The data stays the program's. 207001. */
int32_t twin_binary_data_create(const void *data, size_t bytes, uint64_t *out_handle);
/* 107017. */
int32_t twin_binary_data_destroy(uint64_t handle);
int32_t twin_binary_data_read(uint64_t handle, const void **out_data, size_t *out_bytes);

#endif
