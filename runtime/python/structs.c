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

/* Adds `value` and takes it over; NULL spoils the dict. */
static void set(PyObject **dict, const char *key, PyObject *value)
{
    if (!*dict || !value || PyDict_SetItemString(*dict, key, value) != 0)
        Py_CLEAR(*dict);
    Py_XDECREF(value);
}

static void set_number(PyObject **dict, const char *key, uint64_t value)
{
    set(dict, key, PyLong_FromUnsignedLongLong(value));
}

static void set_numbers(PyObject **dict, const char *key, const void *items, size_t count,
                        size_t bytes)
{
    set(dict, key, twin_py_give_numbers(items, count, bytes, false));
}

PyObject *twin_py_give_uuid(const aclrtUuid *uuid)
{
    PyObject *dict = PyDict_New();
    set_numbers(&dict, "bytes", uuid->bytes, sizeof(uuid->bytes), 1);
    return dict;
}

PyObject *twin_py_give_utilization(const aclrtUtilizationInfo *info)
{
    PyObject *dict = PyDict_New();
    set(&dict, "cube_utilization", PyLong_FromLong(info->cubeUtilization));
    set(&dict, "vector_utilization", PyLong_FromLong(info->vectorUtilization));
    set(&dict, "aicpu_utilization", PyLong_FromLong(info->aicpuUtilization));
    set(&dict, "memory_utilization", PyLong_FromLong(info->memoryUtilization));
    set(&dict, "utilization_extend", twin_py_give_handle(info->utilizationExtend));
    return dict;
}

PyObject *twin_py_give_pointer_attr(const aclrtPtrAttributes *attributes)
{
    PyObject *location = PyDict_New();
    set_number(&location, "id", attributes->location.id);
    set_number(&location, "type", attributes->location.type);
    PyObject *dict = PyDict_New();
    set(&dict, "location", location);
    set_number(&dict, "page_size", attributes->pageSize);
    set_numbers(&dict, "rsv", attributes->rsv, sizeof(attributes->rsv) / sizeof(*attributes->rsv),
                sizeof(*attributes->rsv));
    return dict;
}

/* The type of the query decides which of them is valid. */
PyObject *twin_py_give_stream_value(const aclrtStreamAttrValue *value)
{
    PyObject *dict = PyDict_New();
    set_number(&dict, "failureMode", value->failureMode);
    set_number(&dict, "overflowSwitch", value->overflowSwitch);
    set_number(&dict, "userCustomTag", value->userCustomTag);
    set_numbers(&dict, "reserved", value->reserve, sizeof(value->reserve) / sizeof(uint32_t),
                sizeof(uint32_t));
    return dict;
}

PyObject *twin_py_give_package_version(const aclCANNPackageVersion *version)
{
    PyObject *dict = PyDict_New();
    set(&dict, "version", twin_py_give_text(version->version));
    set(&dict, "major_version", twin_py_give_text(version->majorVersion));
    set(&dict, "minor_version", twin_py_give_text(version->minorVersion));
    set(&dict, "release_version", twin_py_give_text(version->releaseVersion));
    set(&dict, "patch_version", twin_py_give_text(version->patchVersion));
    set(&dict, "reserved", twin_py_give_text(version->reserved));
    return dict;
}

PyObject *twin_py_give_uce_info(const aclrtMemUceInfo *info)
{
    PyObject *dict = PyDict_New();
    set(&dict, "addr", twin_py_give_handle(info->addr));
    set_number(&dict, "len", info->len);
    set_numbers(&dict, "reserved", info->reserved, sizeof(info->reserved) / sizeof(*info->reserved),
                sizeof(*info->reserved));
    return dict;
}
