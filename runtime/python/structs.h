/* SPDX-License-Identifier: Apache-2.0 */
/* Structures of the interface as dicts and lists of dicts. A missing key keeps the zero, others are
 * ignored. */
#ifndef TWINRT_PYTHON_STRUCTS_H
#define TWINRT_PYTHON_STRUCTS_H

#include "convert.h"

typedef twin_py_buffer twin_py_key_buffer;  /* C takes text, length */
typedef twin_py_buffer twin_py_name_buffer; /* C takes length, text */
#define twin_py_take_key_buffer  twin_py_take_buffer
#define twin_py_take_name_buffer twin_py_take_buffer

typedef aclrtPhysicalMemProp twin_py_memory_prop;
typedef aclrtStreamAttrValue twin_py_stream_value;
typedef aclrtUuid twin_py_uuid;
typedef aclrtUtilizationInfo twin_py_utilization;
typedef aclrtPtrAttributes twin_py_pointer_attr;
typedef aclCANNPackageVersion twin_py_package_version;

typedef struct {
    aclrtMallocConfig cfg;
    bool given; /* {} is NULL */
} twin_py_malloc_cfg;

typedef struct {
    aclrtBinaryLoadOptions cfg;
} twin_py_load_options;

typedef struct {
    aclrtLaunchKernelCfg cfg;
} twin_py_launch_cfg;

typedef struct {
    aclrtPlaceHolderInfo *items;
    size_t count;
} twin_py_place_holders;

typedef struct {
    aclrtMemUceInfo *items;
    size_t count;
} twin_py_uce_infos;

bool twin_py_take_memory_prop(struct twin_py_args *args, const char *name,
                              twin_py_memory_prop *out);
bool twin_py_take_stream_value(struct twin_py_args *args, const char *name,
                               twin_py_stream_value *out);
bool twin_py_take_malloc_cfg(struct twin_py_args *args, const char *name, twin_py_malloc_cfg *out);
bool twin_py_take_load_options(struct twin_py_args *args, const char *name,
                               twin_py_load_options *out);
bool twin_py_take_launch_cfg(struct twin_py_args *args, const char *name, twin_py_launch_cfg *out);
bool twin_py_take_place_holders(struct twin_py_args *args, const char *name,
                                twin_py_place_holders *out);
bool twin_py_take_uce_infos(struct twin_py_args *args, const char *name, twin_py_uce_infos *out);

PyObject *twin_py_give_uuid(const aclrtUuid *uuid);
PyObject *twin_py_give_utilization(const aclrtUtilizationInfo *info);
PyObject *twin_py_give_pointer_attr(const aclrtPtrAttributes *attributes);
PyObject *twin_py_give_stream_value(const aclrtStreamAttrValue *value);
PyObject *twin_py_give_package_version(const aclCANNPackageVersion *version);
PyObject *twin_py_give_uce_info(const aclrtMemUceInfo *info);

#endif
