/* SPDX-License-Identifier: Apache-2.0 */
#include "process.h"

/* Statuses whose public code is the vendor's code, so that nothing is lost. 507899 is not among
 * them: it is the code of many errors of the driver, and TWIN_E_DEVICE would take the device out of
 * service. */
static const struct {
    int32_t code;
    twin_status status;
} table[] = {
    {107000, TWIN_E_INVALID},
    {107001, TWIN_E_DEVICE_ID},
    {107006, TWIN_E_NOT_READY},
    {107020, TWIN_E_TASK_TIMEOUT},
    {107022, TWIN_E_DEVICE_ABORTED},
    {107023, TWIN_E_ABORTED},
    {207000, TWIN_E_UNSUPPORTED},
    {207001, TWIN_E_DEVICE_MEMORY},
    {207004, TWIN_E_NO_DEVICE},
    {207007, TWIN_E_NO_EVENT},
    {207008, TWIN_E_NO_QUEUE},
    {207009, TWIN_E_NO_NOTIFY},
    {207021, TWIN_E_NO_LINK},
    {507001, TWIN_E_TASK},
    {507013, TWIN_E_COPY},
    {507014, TWIN_E_KERNEL_TIMEOUT},
    {507015, TWIN_E_KERNEL_EXCEPTION},
    {507016, TWIN_E_KERNEL_TRAP},
    {507023, TWIN_E_RUN_ABORTED},
    {507033, TWIN_E_SETUP},
    {507053, TWIN_E_POISON},
    {507057, TWIN_E_LINK},
};

twin_status ascend_status_of(int32_t code)
{
    if (code == 0)
        return TWIN_OK;
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
        if (table[i].code == code)
            return table[i].status;
    ascend.services->vendor_code(code);
    return TWIN_E_VENDOR;
}

/* Messages of the vendor's runtime about this thread's failures. */
static void take_messages(void)
{
    const char *text = vendor.recent_message ? vendor.recent_message() : NULL;
    if (text && *text)
        ascend.services->explain(text);
}

twin_status ascend_status(int32_t code)
{
    if (__builtin_expect(code == 0, 1))
        return TWIN_OK;
    take_messages();
    return ascend_status_of(code);
}

twin_status ascend_wait_status(int32_t code, bool forever)
{
    if (code != ACL_ERROR_RT_STREAM_SYNC_TIMEOUT && code != ACL_ERROR_RT_EVENT_SYNC_TIMEOUT &&
        code != ACL_ERROR_RT_REPORT_TIMEOUT)
        return ascend_status(code);
    take_messages();
    return forever ? TWIN_E_DEADLOCK : TWIN_E_TIMEOUT;
}
