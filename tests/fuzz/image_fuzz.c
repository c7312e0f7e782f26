/* SPDX-License-Identifier: Apache-2.0 */
/* Kernel images, the JSON files beside them and lists of CPU kernels, with anything in them: the
 * first byte selects the kind, the rest is the file. An accepted image is examined completely,
 * loaded, and put on a device of ordinary memory. */
#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/image/binary.h"
#include "core/object/device.h"
#include "core/backend/thread_state.h"
#include "kernel/object.h"
#include "core/image/image.h"
#include "core/work/kernel_args.h"
#include "support/kernel_object.h"
#include "unit/fake_backend.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

#define FUNCTIONS_MOST 64u

static char folder[64];
static uint16_t own_machine;

static void must(bool holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "not so: %s\n", what);
    abort();
}

/* ---- what holds of every image that is accepted ---------------------------------------------- */

static bool within(uint64_t offset, uint64_t bytes, uint64_t room)
{
    return offset <= room && bytes <= room - offset;
}

static void check_kernel(const twin_image *image, const twin_kernel *kernel)
{
    must(kernel->name && kernel->name[0] != '\0', "a kernel has a name");
    must(twin_image_kernel(image, kernel->name) == kernel, "a kernel is found by its name");
    if (kernel->has_key)
        must(twin_image_kernel_by_key(image, kernel->key) != NULL, "a key finds a kernel");
    bool code = false;
    for (unsigned half = 0; half < TWIN_HALF_COUNT; half++) {
        const twin_kernel_code *one = &kernel->code[half];
        code = code || one->present;
        must(!one->present || one->offset <= image->slice_bytes, "code begins in the slice");
    }
    must(code, "a kernel has code");
    for (uint32_t i = 0; kernel->has_params && i < kernel->param_count; i++)
        must(within(kernel->params[i].offset, kernel->params[i].bytes, kernel->param_bytes),
             "a parameter is in the block");
}

static void check_image(const twin_image *image)
{
    must(image->kernel_count > 0, "an image has kernels");
    must(within(image->slice_offset, image->slice_bytes, image->file_bytes),
         "the slice is in the file");
    for (uint32_t i = 0; i < image->kernel_count; i++)
        check_kernel(image, &image->kernels[i]);
    for (uint32_t i = 0; i < image->global_count; i++) {
        const twin_image_global *global = &image->globals[i];
        must(twin_image_find_global(image, global->name) != NULL, "a variable is found");
        must(within(global->offset, global->bytes, image->slice_bytes),
             "a variable is in the slice");
    }
    if (image->library)
        must(within((uint64_t)(image->library - image->file), image->library_bytes,
                    image->file_bytes),
             "the shared object is in the file");
}

/* ---- what programs do with them -------------------------------------------------------------- */

static void use_function(uint64_t handle)
{
    twin_function *function = NULL;
    twin_kernel_args *list = NULL;
    twin_arg *arg = NULL;
    size_t room = 0;
    must(twin_function_pin(handle, &function) == 0, "a function that was found is alive");
    const twin_kernel *kernel = function->kernel;
    /* As launches do, which refuse larger blocks. */
    if (kernel->has_params && kernel->param_count > 0 &&
        kernel->param_bytes <= TWIN_ARGS_SYSTEM_ROOM) {
        void **values = calloc(kernel->param_count, sizeof(*values));
        unsigned char *value = calloc(1, (size_t)kernel->param_bytes + 1);
        unsigned char *block = calloc(1, (size_t)kernel->param_bytes + 1);
        for (uint32_t i = 0; values && value && i < kernel->param_count; i++)
            values[i] = value;
        if (values && value && block && twin_args_check(kernel, values) == 0)
            twin_args_gather(kernel, values, block);
        free(block);
        free(values);
        free(value);
    }
    twin_function_unpin(function);
    if (twin_args_begin(handle, &list) == 0 && twin_args_append(list, &room, 8, &arg) == 0)
        (void)twin_args_finalize(list);
    (void)twin_args_room(handle, 8, &room);
}

static void use_binary(uint64_t handle, const char *const *names, uint32_t count)
{
    twin_binary *binary = NULL;
    uint64_t address = 0;
    uint64_t bytes = 0;
    must(twin_binary_pin(handle, &binary) == 0, "a binary that was loaded is alive");
    (void)twin_binary_address(binary, &address, &bytes);
    for (uint32_t i = 0; i < count && i < FUNCTIONS_MOST; i++) {
        uint64_t function = 0;
        if (twin_binary_find(binary, names[i], &function) == 0)
            use_function(function);
    }
    (void)twin_binary_find_key(binary, 0, &address);
    (void)twin_binary_global(binary, "table", &address, &bytes);
    twin_binary_unpin(binary);
    must(twin_binary_unload(handle) == 0, "a binary is unloaded");
}

static void try_image(const uint8_t *data, size_t bytes, unsigned how)
{
    const twin_image_defaults defaults = {.type = (twin_kernel_type)(how % 3),
                                          .cross_core = (how & 4u) != 0};
    twin_image *image = NULL;
    if (twin_image_read(data, bytes, &defaults, &image) != 0)
        return;
    check_image(image);
    const char *names[FUNCTIONS_MOST];
    uint32_t count = 0;
    for (; count < image->kernel_count && count < FUNCTIONS_MOST; count++)
        names[count] = image->kernels[count].name;
    uint64_t handle = 0;
    const twin_binary_options options = {.lazy = (how & 8u) != 0, .cpu = TWIN_CPU_NONE};
    /* A shared object would be given to the loader of this process, which trusts what it gets. */
    if (!image->library && twin_binary_load(data, bytes, &options, &handle) == 0)
        use_binary(handle, names, count);
    twin_image_free(image);
}

/* Native kernels have a checksum and a machine: with wrong ones no later check would be reached, so
 * both are corrected first. */
static void try_native(const uint8_t *data, size_t bytes)
{
    if (bytes < TWIN_NATIVE_PLACE + sizeof(twin_native_header))
        return;
    uint8_t *file = malloc(bytes);
    must(file != NULL, "memory for a file");
    memcpy(file, data, bytes);
    twin_native_header header;
    memcpy(&header, file + TWIN_NATIVE_PLACE, sizeof(header));
    memcpy(header.magic, TWIN_NATIVE_MAGIC, sizeof(header.magic));
    header.version = TWIN_NATIVE_VERSION;
    header.machine = own_machine;
    header.file_bytes = bytes;
    memcpy(file + TWIN_NATIVE_PLACE, &header, sizeof(header));
    header.sum = twin_native_sum(file, bytes);
    memcpy(file + TWIN_NATIVE_PLACE, &header, sizeof(header));
    try_image(file, bytes, 0);
    free(file);
}

/* ---- files ----------------------------------------------------------------------------------- */

static void path_of(const char *name, char out[PATH_MAX])
{
    snprintf(out, PATH_MAX, "%s/%s", folder, name);
}

static void write_file(const char *name, const void *data, size_t bytes)
{
    char path[PATH_MAX];
    path_of(name, path);
    const int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    must(file >= 0 && write(file, data, bytes) == (ssize_t)bytes, "a file is written");
    close(file);
}

static void load_file(const char *name, twin_cpu_mode cpu, const char *kernel)
{
    char path[PATH_MAX];
    uint64_t handle = 0;
    const twin_binary_options options = {.cpu = cpu};
    path_of(name, path);
    if (twin_binary_load_file(path, &options, &handle) == 0)
        use_binary(handle, &kernel, 1);
}

/* ---- the fuzzer's side ----------------------------------------------------------------------- */

static void remove_folder(void)
{
    static const char *const names[] = {"kernel.o", "kernel.json", "list.json"};
    char path[PATH_MAX];
    for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        path_of(names[i], path);
        (void)remove(path);
    }
    (void)rmdir(folder);
}

/* The object whose companion is varied. */
static void write_object(void)
{
    static const unsigned char code[64] = {1, 2, 3};
    kernel_object object;
    size_t bytes = 0;
    object_begin(&object, false);
    object_add_section(&object, ".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, code,
                       sizeof(code));
    object_add_kernel(&object, "kernel", 0, 16);
    unsigned char *file = object_write(&object, &bytes);
    write_file("kernel.o", file, bytes);
    free(file);
    object_end(&object);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    setenv("TWINRT_LOG", "error", 1);
    snprintf(folder, sizeof(folder), "/dev/shm/twinrt-fuzz-XXXXXX");
    if (!mkdtemp(folder)) {
        snprintf(folder, sizeof(folder), "/tmp/twinrt-fuzz-XXXXXX");
        must(mkdtemp(folder) != NULL, "a folder is made");
    }
    atexit(remove_folder);
    write_object();
    Elf64_Ehdr self = {.e_machine = EM_NONE};
    FILE *program = fopen("/proc/self/exe", "rbe");
    must(program && fread(&self, sizeof(self), 1, program) == 1, "this program can be read");
    fclose(program);
    own_machine = self.e_machine;
    fake_install();
    must(twin_device_set(0) == 0, "the device is set");
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    if (bytes == 0)
        return 0;
    const unsigned how = data[0];
    switch (how >> 4) {
    case 0xd:
        try_native(data + 1, bytes - 1);
        break;
    case 0xe:
        write_file("kernel.json", data + 1, bytes - 1);
        load_file("kernel.o", TWIN_CPU_NONE, "kernel");
        break;
    case 0xf:
        write_file("list.json", data + 1, bytes - 1);
        load_file("list.json", (how & 1u) != 0 ? TWIN_CPU_WITH_LIBRARY : TWIN_CPU_ON_DEVICE, "Add");
        break;
    default:
        try_image(data + 1, bytes - 1, how);
        break;
    }
    (void)twin_messages_take();
    return 0;
}
