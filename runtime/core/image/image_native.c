/* SPDX-License-Identifier: Apache-2.0 */
/* Objects of native kernels: whole, of our version, for this machine; else nothing in them is
 * looked at. */
#include <dlfcn.h>
#include <elf.h>
#include <string.h>

#include "core/backend/error.h"
#include "core/image/image_parts.h"
#include "kernel/object.h"

static int32_t fail(const char *what)
{
    return twin_fail(TWIN_ERR_BINARY, "the object of native kernels cannot be used: %s", what);
}

/* The machine that this library was built for; EM_NONE: unknown. */
static uint16_t own_machine(void)
{
    Dl_info own;
    static const char inside;
    if (!dladdr(&inside, &own) || !own.dli_fbase || memcmp(own.dli_fbase, ELFMAG, SELFMAG) != 0)
        return EM_NONE;
    return ((const Elf64_Ehdr *)own.dli_fbase)->e_machine;
}

int32_t twin_image_check_native(const void *data, size_t bytes)
{
    if (!twin_native_is(data, bytes))
        return 0;
    twin_native_header header;
    memcpy(&header, (const char *)data + TWIN_NATIVE_PLACE, sizeof(header));
    if (header.version != TWIN_NATIVE_VERSION)
        return twin_fail(TWIN_ERR_BINARY,
                         "the object of native kernels is of version %u, this runtime reads %u; "
                         "build it anew with the twinrt-cc of this runtime",
                         header.version, TWIN_NATIVE_VERSION);
    if (header.file_bytes != bytes)
        return twin_fail(TWIN_ERR_BINARY,
                         "the object of native kernels has %zu bytes and was written with %llu",
                         bytes, (unsigned long long)header.file_bytes);
    if (header.sum != twin_native_sum(data, bytes))
        return fail("its checksum is wrong, so it was changed since twinrt-cc wrote it");
    const uint16_t own = own_machine();
    if (header.machine != own)
        return twin_fail(TWIN_ERR_BINARY,
                         "the object of native kernels is for machine %u of the ELF list, this "
                         "process is %u; build it with a compiler for this machine",
                         header.machine, own);
    return 0;
}

int32_t twin_image_take_native(twin_image *image, twin_image_bytes section)
{
    if (!twin_native_is(image->file, image->file_bytes))
        return section.count == 0 ? 0
                                  : fail("it has the section " TWIN_NATIVE_SECTION
                                         " and not the header in front that twinrt-cc writes");
    twin_native_header header;
    memcpy(&header, image->file + TWIN_NATIVE_PLACE, sizeof(header));
    if (section.count == 0 || section.at != image->file + header.library_place ||
        section.count != header.library_bytes)
        return fail("its header names another place than the section " TWIN_NATIVE_SECTION);
    image->library = section.at;
    image->library_bytes = section.count;
    return 0;
}
