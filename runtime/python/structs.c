/* SPDX-License-Identifier: Apache-2.0 */
#include "structs.h"

#include <stddef.h>
#include <string.h>

/* A key of a dict and the unsigned field that it fills. */
struct field {
    const char *key;
    size_t offset, bytes;
};
#define FIELD(type, member, key)                                                                   \
    {                                                                                              \
        key, offsetof(type, member), sizeof(((type *)0)->member)                                   \
    }
#define LAST                                                                                       \
    {                                                                                              \
        NULL, 0, 0                                                                                 \
    }

static bool is_dict(const struct twin_py_args *args, const char *name, PyObject *object)
{
    return PyDict_Check(object) || twin_py_refuse(args, name, "expected a dict");
}

/* Little endian, as every machine that the runtime is for. */
static bool read_fields(const struct twin_py_args *args, const char *name, PyObject *dict,
                        const struct field *fields, void *out)
{
    if (!is_dict(args, name, dict))
        return false;
    for (const struct field *field = fields; field->key; field++) {
        PyObject *value = PyDict_GetItemString(dict, field->key);
        if (!value)
            continue;
        uint64_t most = field->bytes >= 8 ? UINT64_MAX : (UINT64_C(1) << (8 * field->bytes)) - 1;
        uint64_t number;
        if (!twin_py_unsigned(args, field->key, value, most, &number))
            return false;
        memcpy((char *)out + field->offset, &number, field->bytes);
    }
    return true;
}

/* ---- dicts that programs give ---------------------------------------------------------------- */

bool twin_py_take_memory_prop(struct twin_py_args *args, const char *name, twin_py_memory_prop *out)
{
    static const struct field whole[] = {
        FIELD(aclrtPhysicalMemProp, allocationType, "allocationType"),
        FIELD(aclrtPhysicalMemProp, handleType, "handleType"),
        FIELD(aclrtPhysicalMemProp, memAttr, "memAttr"),
        FIELD(aclrtPhysicalMemProp, reserve, "reserve"), LAST};
    static const struct field place[] = {FIELD(aclrtMemLocation, id, "id"),
                                         FIELD(aclrtMemLocation, type, "type"), LAST};
    PyObject *dict = twin_py_next(args);
    if (!read_fields(args, name, dict, whole, out))
        return false;
    PyObject *location = PyDict_GetItemString(dict, "location");
    return !location || read_fields(args, "location", location, place, &out->location);
}

bool twin_py_take_stream_value(struct twin_py_args *args, const char *name,
                               twin_py_stream_value *out)
{
    static const struct field fields[] = {
        FIELD(aclrtStreamAttrValue, cacheOpInfoSwitch, "cacheOpInfoSwitch"),
        FIELD(aclrtStreamAttrValue, failureMode, "failureMode"),
        FIELD(aclrtStreamAttrValue, overflowSwitch, "overflowSwitch"),
        FIELD(aclrtStreamAttrValue, streamPriority, "streamPriority"),
        FIELD(aclrtStreamAttrValue, userCustomTag, "userCustomTag"),
        LAST};
    return read_fields(args, name, twin_py_next(args), fields, out);
}

/* numAttrs may be left out; given, it must not be more than there are. */
bool twin_py_take_malloc_cfg(struct twin_py_args *args, const char *name, twin_py_malloc_cfg *out)
{
    static const struct field attribute[] = {FIELD(aclrtMallocAttribute, attr, "attr"), LAST};
    static const struct field value[] = {FIELD(aclrtMallocAttrValue, deviceId, "deviceId"),
                                         FIELD(aclrtMallocAttrValue, moduleId, "moduleId"),
                                         FIELD(aclrtMallocAttrValue, rsv, "rsv"),
                                         FIELD(aclrtMallocAttrValue, vaFlag, "vaFlag"), LAST};
    PyObject *dict = twin_py_next(args);
    if (!is_dict(args, name, dict))
        return false;
    PyObject *list = PyDict_GetItemString(dict, "attrs");
    PyObject *number = PyDict_GetItemString(dict, "numAttrs");
    out->given = list || number;
    size_t count = 0;
    void *items = NULL;
    if (list && !twin_py_array(args, "attrs", list, sizeof(*out->cfg.attrs), &items, &count))
        return false;
    out->cfg.attrs = items;
    out->cfg.numAttrs = count;
    uint64_t used;
    if (number && !twin_py_unsigned(args, "numAttrs", number, count, &used))
        return false;
    if (number)
        out->cfg.numAttrs = (size_t)used;
    for (size_t i = 0; i < count; i++) {
        PyObject *item = twin_py_element(args, "attrs", list, i);
        bool good = item && read_fields(args, "attrs", item, attribute, &out->cfg.attrs[i]);
        PyObject *inner = good ? PyDict_GetItemString(item, "value") : NULL;
        Py_XINCREF(inner);
        if (inner)
            good = read_fields(args, "value", inner, value, &out->cfg.attrs[i].value);
        Py_XDECREF(inner);
        Py_XDECREF(item);
        if (!good)
            return false;
    }
    return true;
}

/* An element of a list of dicts; `context`: its fields. */
static bool put_struct(const struct twin_py_args *args, const char *name, PyObject *element,
                       size_t index, const void *context, void *slot)
{
    (void)index;
    return read_fields(args, name, element, context, slot);
}

static const struct field load_option[] = {FIELD(aclrtBinaryLoadOption, type, "type"),
                                           FIELD(aclrtBinaryLoadOption, value.isLazyLoad, "value"),
                                           LAST};
static const struct field launch_attribute[] = {
    FIELD(aclrtLaunchKernelAttr, id, "id"),
    FIELD(aclrtLaunchKernelAttr, value.blockDimOffset, "value"), LAST};
static const struct field place_holder[] = {FIELD(aclrtPlaceHolderInfo, addrOffset, "addrOffset"),
                                            FIELD(aclrtPlaceHolderInfo, dataOffset, "dataOffset"),
                                            LAST};
static const struct field uce_info[] = {FIELD(aclrtMemUceInfo, addr, "addr"),
                                        FIELD(aclrtMemUceInfo, len, "len"), LAST};
TWIN_PY_TAKE_LIST(load_options, cfg.options, cfg.numOpt, put_struct, load_option)
TWIN_PY_TAKE_LIST(launch_cfg, cfg.attrs, cfg.numAttrs, put_struct, launch_attribute)
TWIN_PY_TAKE_LIST(place_holders, items, count, put_struct, place_holder)
TWIN_PY_TAKE_LIST(uce_infos, items, count, put_struct, uce_info)

/* ---- dicts that programs get ----------------------------------------------------------------- */

/* A list of the elements of an array of unsigned numbers. */
#define NUMBERS(array)                                                                             \
    twin_py_give_numbers(array, sizeof(array) / sizeof(*(array)), sizeof(*(array)), false)

PyObject *twin_py_give_uuid(const aclrtUuid *uuid)
{
    return Py_BuildValue("{s:N}", "bytes", NUMBERS(uuid->bytes));
}

PyObject *twin_py_give_utilization(const aclrtUtilizationInfo *info)
{
    return Py_BuildValue("{s:i,s:i,s:i,s:i,s:N}", "cube_utilization", info->cubeUtilization,
                         "vector_utilization", info->vectorUtilization, "aicpu_utilization",
                         info->aicpuUtilization, "memory_utilization", info->memoryUtilization,
                         "utilization_extend", twin_py_give_handle(info->utilizationExtend));
}

PyObject *twin_py_give_pointer_attr(const aclrtPtrAttributes *attributes)
{
    return Py_BuildValue("{s:{s:I,s:I},s:I,s:N}", "location", "id", attributes->location.id, "type",
                         (unsigned)attributes->location.type, "page_size", attributes->pageSize,
                         "rsv", NUMBERS(attributes->rsv));
}

/* The type of the query decides which of them is valid. */
PyObject *twin_py_give_stream_value(const aclrtStreamAttrValue *value)
{
    return Py_BuildValue("{s:K,s:I,s:I,s:N}", "failureMode", (unsigned long long)value->failureMode,
                         "overflowSwitch", value->overflowSwitch, "userCustomTag",
                         value->userCustomTag, "reserved", NUMBERS(value->reserve));
}

PyObject *twin_py_give_package_version(const aclCANNPackageVersion *version)
{
    return Py_BuildValue(
        "{s:N,s:N,s:N,s:N,s:N,s:N}", "version", twin_py_give_text(version->version),
        "major_version", twin_py_give_text(version->majorVersion), "minor_version",
        twin_py_give_text(version->minorVersion), "release_version",
        twin_py_give_text(version->releaseVersion), "patch_version",
        twin_py_give_text(version->patchVersion), "reserved", twin_py_give_text(version->reserved));
}

PyObject *twin_py_give_uce_info(const aclrtMemUceInfo *info)
{
    return Py_BuildValue("{s:N,s:K,s:N}", "addr", twin_py_give_handle(info->addr), "len",
                         (unsigned long long)info->len, "reserved", NUMBERS(info->reserved));
}
