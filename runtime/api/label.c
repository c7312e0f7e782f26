/* SPDX-License-Identifier: Apache-2.0 */
#include "core/model_instance/label.h"

#include "acl/acl_rt.h"
#include "api/entry.h"

aclError aclrtCreateLabel(aclrtLabel *label)
{
    TWIN_ENTER(CREATE);
    TWIN_NOT_NULL(label);
    uint64_t handle = 0;
    return TWIN_LEAVE(twin_api_give(twin_label_create(&handle), &handle, label));
}

aclError aclrtDestroyLabel(aclrtLabel label)
{
    TWIN_ENTER(CREATE);
    TWIN_NOT_NULL(label);
    return TWIN_LEAVE(twin_label_destroy(twin_api_handle(label)));
}

aclError aclrtCreateLabelList(aclrtLabel *labels, size_t num, aclrtLabelList *labelList)
{
    TWIN_ENTER(CREATE);
    TWIN_NOT_NULL(labels, labelList);
    uint64_t handle = 0;
    return TWIN_LEAVE(
        twin_api_give(twin_label_list_create(labels, num, &handle), &handle, labelList));
}

aclError aclrtDestroyLabelList(aclrtLabelList labelList)
{
    TWIN_ENTER(CREATE);
    TWIN_NOT_NULL(labelList);
    return TWIN_LEAVE(twin_label_list_destroy(twin_api_handle(labelList)));
}

aclError aclrtSetLabel(aclrtLabel label, aclrtStream stream)
{
    TWIN_ENTER(SUBMIT);
    TWIN_NOT_NULL(label, stream);
    return TWIN_LEAVE(twin_label_set(twin_api_handle(label), twin_api_handle(stream)));
}

aclError aclrtSwitchLabelByIndex(void *ptr, uint32_t maxValue, aclrtLabelList labelList,
                                 aclrtStream stream)
{
    TWIN_ENTER(SUBMIT);
    TWIN_NOT_NULL(ptr, labelList, stream);
    return TWIN_LEAVE(twin_label_jump(twin_api_handle(ptr), maxValue, twin_api_handle(labelList),
                                      twin_api_handle(stream)));
}
