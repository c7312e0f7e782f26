/* SPDX-License-Identifier: Apache-2.0 */
/* Binaries that come from files: the object, the JSON file beside it, and the JSON files that list
 * CPU kernels. */
#include <cjson/cJSON.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "core/backend/error.h"
#include "core/base/alloc.h"
#include "core/base/file.h"
#include "core/image/binary.h"

#define OBJECT_BYTES_MOST (UINT64_C(1) << 30)
#define JSON_BYTES_MOST   (UINT64_C(1) << 24)

/* ---- the file beside an object --------------------------------------------------------------- */

/* The path with ".json" in place of the ending of its name. False: it is too long. */
static bool companion_path(const char *path, char *out, size_t bytes)
{
    const char *name = strrchr(path, '/');
    const char *dot = strrchr(name ? name : path, '.');
    const size_t length = dot ? (size_t)(dot - path) : strlen(path);
    const int written = snprintf(out, bytes, "%.*s.json", (int)length, path);
    return written > 0 && (size_t)written < bytes;
}

static uint32_t magic_of(const char *name)
{
    if (strcmp(name, "RT_DEV_BINARY_MAGIC_ELF") == 0)
        return TWIN_MAGIC_ELF;
    if (strcmp(name, "RT_DEV_BINARY_MAGIC_ELF_AICUBE") == 0)
        return TWIN_MAGIC_CUBE;
    if (strcmp(name, "RT_DEV_BINARY_MAGIC_ELF_AIVEC") == 0 ||
        strcmp(name, "FFTS_BINARY_MAGIC_ELF_MIX_AIC") == 0 ||
        strcmp(name, "FFTS_BINARY_MAGIC_ELF_MIX_AIV") == 0)
        return TWIN_MAGIC_VECTOR;
    return 0;
}

static bool is_one(const cJSON *item)
{
    return (cJSON_IsNumber(item) && item->valuedouble == 1) ||
           (cJSON_IsString(item) && strcmp(item->valuestring, "1") == 0);
}

static int32_t take_companion(const char *path, const cJSON *root, twin_binary_options *options)
{
    const cJSON *magic = cJSON_GetObjectItemCaseSensitive(root, "magic");
    const uint32_t number = cJSON_IsString(magic) ? magic_of(magic->valuestring) : 0;
    if (number != 0)
        options->magic = number;
    options->cross_core =
        options->cross_core || is_one(cJSON_GetObjectItemCaseSensitive(root, "intercoreSync"));
    const cJSON *debug = cJSON_GetObjectItemCaseSensitive(root, "debugOptions");
    if (debug && (!cJSON_IsString(debug) || strstr(debug->valuestring, "printf")))
        return twin_fail(TWIN_ERR_BINARY,
                         "%s: debugOptions is %s; kernels that print by that option cannot be "
                         "loaded, build without it",
                         path, cJSON_IsString(debug) ? debug->valuestring : "no text");
    return 0;
}

/* A file that is missing or is not JSON has no effect. */
static int32_t read_companion(const char *path, twin_binary_options *options)
{
    char beside[PATH_MAX];
    twin_file file;
    if (!companion_path(path, beside, sizeof(beside)) || strcmp(beside, path) == 0 ||
        twin_file_read(beside, JSON_BYTES_MOST, &file) != 0)
        return 0;
    cJSON *root = cJSON_ParseWithLength(file.text, file.bytes);
    const int32_t code = root ? take_companion(beside, root, options) : 0;
    cJSON_Delete(root);
    twin_free(file.text);
    return code;
}

/* ---- lists of CPU kernels -------------------------------------------------------------------- */

static const char *text_of(const cJSON *group, const char *name)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(group, name);
    return cJSON_IsString(item) && item->valuestring[0] ? item->valuestring : NULL;
}

/* The library of a kernel is in the folder of the list and can be read. */
static int32_t check_library(const char *list, const char *library)
{
    char path[PATH_MAX];
    const char *name = strrchr(list, '/');
    const int folder = name ? (int)(name - list + 1) : 0;
    const int written = snprintf(path, sizeof(path), "%.*s%s", folder, list, library);
    if (strchr(library, '/') || written < 0 || (size_t)written >= sizeof(path))
        return twin_fail(TWIN_ERR_BINARY, "%s: kernelSo is %s; give the name of a file beside it",
                         list, library);
    return access(path, R_OK) == 0
               ? 0
               : twin_fail(TWIN_ERR_BINARY, "%s: its library %s cannot be read: %s", list, path,
                           strerror(errno));
}

static int32_t add_cpu_kernels(const char *path, const cJSON *root, twin_binary *binary)
{
    const cJSON *kernel = NULL;
    int32_t code = 0;
    unsigned count = 0;
    cJSON_ArrayForEach(kernel, root)
    {
        const cJSON *facts = cJSON_GetObjectItemCaseSensitive(kernel, "opInfo");
        const char *entry = text_of(facts, "functionName");
        const char *library = text_of(facts, "kernelSo");
        if (!kernel->string || !kernel->string[0] || !entry || !library)
            return twin_fail(TWIN_ERR_BINARY,
                             "%s: kernel \"%s\" needs opInfo.functionName and opInfo.kernelSo",
                             path, kernel->string ? kernel->string : "");
        uint64_t handle = 0;
        if (binary->cpu == TWIN_CPU_WITH_LIBRARY)
            code = check_library(path, library);
        if (code == 0)
            code = twin_binary_register(binary, kernel->string, entry, &handle);
        if (code != 0)
            return code;
        count++;
    }
    return count > 0 ? 0 : twin_fail(TWIN_ERR_BINARY, "%s lists no CPU kernels", path);
}

static int32_t load_list(const char *path, const twin_file *file,
                         const twin_binary_options *options, uint64_t *out_handle)
{
    cJSON *root = cJSON_ParseWithLength(file->text, file->bytes);
    int32_t code = 0;
    if (!cJSON_IsObject(root))
        code = twin_fail(TWIN_ERR_BINARY, "%s is not a JSON object that lists CPU kernels", path);
    uint64_t handle = 0;
    if (code == 0)
        code = twin_binary_add(NULL, options, &handle);
    twin_binary *binary = NULL;
    if (code == 0)
        code = twin_binary_pin(handle, &binary);
    if (binary) {
        code = add_cpu_kernels(path, root, binary);
        twin_binary_unpin(binary);
        if (code != 0)
            (void)twin_binary_unload(handle);
    }
    cJSON_Delete(root);
    if (code == 0)
        *out_handle = handle;
    return code;
}

/* ---- files ----------------------------------------------------------------------------------- */

int32_t twin_binary_load_file(const char *path, const twin_binary_options *options,
                              uint64_t *out_handle)
{
    const bool list = options->cpu != TWIN_CPU_NONE;
    twin_file file;
    const int error = twin_file_read(path, list ? JSON_BYTES_MOST : OBJECT_BYTES_MOST, &file);
    if (error == ENOMEM)
        return twin_fail(TWIN_ERR_NOMEM, "no host memory for %s", path);
    if (error != 0)
        return twin_fail(TWIN_ERR_BINARY, "%s: %s", path, file.why);
    twin_binary_options all = *options;
    int32_t code = 0;
    if (list) {
        code = load_list(path, &file, &all, out_handle);
    } else {
        code = read_companion(path, &all);
        if (code == 0)
            code = twin_binary_load(file.text, file.bytes, &all, out_handle);
    }
    twin_free(file.text);
    return code;
}
