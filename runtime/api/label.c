/* SPDX-License-Identifier: Apache-2.0 */
#include "core/model_instance/label.h"

#include "acl/acl_rt.h"
#include "api/entry.h"

aclError aclrtCreateLabel(aclrtLabel *label)
{
    TWIN_ENTER(CREATE);
    if (!label)
        return TWIN_LEAVE(twin_api_null("label"));
    uint64_t handle = 0;
    int32_t code = twin_label_create(&handle);
    if (code == 0)
        *label = twin_api_pointer(handle);
    return TWIN_LEAVE(code);
}

aclError aclrtDestroyLabel(aclrtLabel label)
{
    TWIN_ENTER(CREATE);
    if (!label)
        return TWIN_LEAVE(twin_api_null("label"));
    return TWIN_LEAVE(twin_label_destroy(twin_api_handle(label)));
}

aclError aclrtCreateLabelList(aclrtLabel *labels, size_t num, aclrtLabelList *labelList)
{
    TWIN_ENTER(CREATE);
    if (!labels || !labelList)
        return TWIN_LEAVE(twin_api_null(!labels ? "labels" : "labelList"));
    uint64_t handle = 0;
    int32_t code = twin_label_list_create(labels, num, &handle);
    if (code == 0)
        *labelList = twin_api_pointer(handle);
    return TWIN_LEAVE(code);
}

aclError aclrtDestroyLabelList(aclrtLabelList labelList)
{
    TWIN_ENTER(CREATE);
    if (!labelList)
        return TWIN_LEAVE(twin_api_null("labelList"));
    return TWIN_LEAVE(twin_label_list_destroy(twin_api_handle(labelList)));
}

aclError aclrtSetLabel(aclrtLabel label, aclrtStream stream)
{
    TWIN_ENTER(SUBMIT);
    if (!label || !stream)
        return TWIN_LEAVE(twin_api_null(!label ? "label" : "stream"));
    return TWIN_LEAVE(twin_label_set(twin_api_handle(label), twin_api_handle(stream)));
}

aclError aclrtSwitchLabelByIndex(void *ptr, uint32_t maxValue, aclrtLabelList labelList,
                                 aclrtStream stream)
{
    TWIN_ENTER(SUBMIT);
    if (!ptr || !labelList || !stream)
        return TWIN_LEAVE(twin_api_null(!ptr ? "ptr" : !labelList ? "labelList" : "stream"));
    return TWIN_LEAVE(twin_label_jump(twin_api_handle(ptr), maxValue, twin_api_handle(labelList),
                                      twin_api_handle(stream)));
}
