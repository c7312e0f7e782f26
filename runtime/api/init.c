/* SPDX-License-Identifier: Apache-2.0 */
#include "core/init.h"

#include "acl/acl_rt.h"
#include "api/entry.h"

_Static_assert(TWIN_CALLBACK_MODEL == ACL_REG_TYPE_ACL_MODEL &&
                   TWIN_CALLBACK_OP_EXECUTOR == ACL_REG_TYPE_ACL_OP_EXECUTOR &&
                   TWIN_CALLBACK_OP_COMPILER == ACL_REG_TYPE_ACL_OP_COMPILER &&
                   TWIN_CALLBACK_DVPP == ACL_REG_TYPE_ACL_DVPP &&
                   TWIN_CALLBACK_LAST == ACL_REG_TYPE_ACL_RETR &&
                   TWIN_CALLBACK_OTHER == ACL_REG_TYPE_OTHER,
               "the core has the public numbers");

aclError aclInit(const char *configPath)
{
    TWIN_ENTER(DEVICE);
    return TWIN_LEAVE(twin_init(configPath));
}

aclError aclFinalize(void)
{
    TWIN_ENTER(DEVICE);
    return TWIN_LEAVE(twin_finalize());
}

aclError aclFinalizeReference(uint64_t *refCount)
{
    TWIN_ENTER(DEVICE);
    return TWIN_LEAVE(twin_finalize_reference(refCount));
}

aclError aclInitCallbackRegister(aclRegisterCallbackType type, aclInitCallbackFunc cbFunc,
                                 void *userData)
{
    TWIN_ENTER(LOCAL);
    const twin_registration registration = {
        .moment = TWIN_AT_INIT, .type = (int32_t)type, .at_init = cbFunc, .user = userData};
    return TWIN_LEAVE(twin_init_register(&registration));
}

aclError aclInitCallbackUnRegister(aclRegisterCallbackType type, aclInitCallbackFunc cbFunc)
{
    TWIN_ENTER(LOCAL);
    const twin_registration registration = {
        .moment = TWIN_AT_INIT, .type = (int32_t)type, .at_init = cbFunc};
    return TWIN_LEAVE(twin_init_unregister(&registration));
}

aclError aclFinalizeCallbackRegister(aclRegisterCallbackType type, aclFinalizeCallbackFunc cbFunc,
                                     void *userData)
{
    TWIN_ENTER(LOCAL);
    const twin_registration registration = {
        .moment = TWIN_AT_FINALIZE, .type = (int32_t)type, .at_finalize = cbFunc, .user = userData};
    return TWIN_LEAVE(twin_init_register(&registration));
}

aclError aclFinalizeCallbackUnRegister(aclRegisterCallbackType type, aclFinalizeCallbackFunc cbFunc)
{
    TWIN_ENTER(LOCAL);
    const twin_registration registration = {
        .moment = TWIN_AT_FINALIZE, .type = (int32_t)type, .at_finalize = cbFunc};
    return TWIN_LEAVE(twin_init_unregister(&registration));
}
