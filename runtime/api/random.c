/* SPDX-License-Identifier: Apache-2.0 */
/* Tasks that make random numbers. */
#include <string.h>

#include "acl/acl_rt.h"
#include "api/entry.h"
#include "core/work/indirect.h"

typedef struct number_type {
    aclDataType type;
    twin_random_type random;
    uint8_t bytes;
} number_type;

static const number_type types[] = {
    {ACL_INT32, TWIN_RANDOM_INT32, 4},   {ACL_INT64, TWIN_RANDOM_INT64, 8},
    {ACL_UINT32, TWIN_RANDOM_UINT32, 4}, {ACL_UINT64, TWIN_RANDOM_UINT64, 8},
    {ACL_BF16, TWIN_RANDOM_BF16, 2},     {ACL_FLOAT16, TWIN_RANDOM_FP16, 2},
    {ACL_FLOAT, TWIN_RANDOM_FP32, 4},
};

static const number_type *type_of(aclDataType type)
{
    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
        if (types[i].type == type)
            return &types[i];
    return NULL;
}

/* A parameter of at most `bytes` bytes, or the address of one. */
static int32_t take(const char *name, const aclrtRandomParaInfo *given, uint8_t bytes,
                    twin_random_value *out)
{
    if (given->isAddr > 1)
        return twin_fail(TWIN_ERR_PARAM, "isAddr of %s is %u; it must be 0 or 1", name,
                         given->isAddr);
    const uint8_t most = given->isAddr == 1 ? (uint8_t)sizeof(given->valueOrAddr) : bytes;
    if (given->size == 0 || given->size > most)
        return twin_fail(TWIN_ERR_PARAM, "size of %s is %u; it must be 1 to %u", name, given->size,
                         most);
    *out = (twin_random_value){.is_address = given->isAddr == 1};
    memcpy(&out->value, given->valueOrAddr, given->size); /* of little-endian hosts */
    return 0;
}

static int32_t take_parameters(const aclrtRandomNumFuncParaInfo *given, uint8_t bytes,
                               twin_random *out)
{
    int32_t code = 0;
    switch (given->funcType) {
    case ACL_RT_RANDOM_NUM_FUNC_TYPE_DROPOUT_BITMASK:
        return take("dropoutRation", &given->paramInfo.dropoutBitmaskInfo.dropoutRation, bytes,
                    &out->first);
    case ACL_RT_RANDOM_NUM_FUNC_TYPE_UNIFORM_DIS:
        code = take("min", &given->paramInfo.uniformDisInfo.min, bytes, &out->first);
        return code != 0 ? code
                         : take("max", &given->paramInfo.uniformDisInfo.max, bytes, &out->second);
    default:
        code = take("mean", &given->paramInfo.normalDisInfo.mean, bytes, &out->first);
        return code != 0
                   ? code
                   : take("stddev", &given->paramInfo.normalDisInfo.stddev, bytes, &out->second);
    }
}

static int32_t take_task(const aclrtRandomNumTaskInfo *given, const number_type *type,
                         twin_random *out)
{
    const aclrtRandomNumFuncType function = given->randomNumFuncParaInfo.funcType;
    if ((unsigned)function > ACL_RT_RANDOM_NUM_FUNC_TYPE_TRUNCATED_NORMAL_DIS)
        return twin_fail(TWIN_ERR_PARAM, "funcType is %d; it must be 0 to %d", (int)function,
                         ACL_RT_RANDOM_NUM_FUNC_TYPE_TRUNCATED_NORMAL_DIS);
    if (function != ACL_RT_RANDOM_NUM_FUNC_TYPE_UNIFORM_DIS && type->random < TWIN_RANDOM_BF16)
        return twin_fail(TWIN_ERR_PARAM,
                         "dataType is %d; whole numbers have the uniform distribution alone",
                         (int)given->dataType);
    if (!given->randomCounterAddr || !given->randomResultAddr)
        return twin_fail(TWIN_ERR_PARAM_NULL, "%s is NULL; give device memory",
                         !given->randomCounterAddr ? "randomCounterAddr" : "randomResultAddr");
    *out = (twin_random){.function = (twin_random_function)function,
                         .type = type->random,
                         .dst = (uint64_t)(uintptr_t)given->randomResultAddr,
                         .counter = (uint64_t)(uintptr_t)given->randomCounterAddr,
                         .params = (uint64_t)(uintptr_t)given->randomParaAddr};
    int32_t code = take("randomSeed", &given->randomSeed, sizeof(uint64_t), &out->seed);
    if (code == 0)
        code = take("randomNum", &given->randomNum, sizeof(uint64_t), &out->count);
    return code != 0 ? code : take_parameters(&given->randomNumFuncParaInfo, type->bytes, out);
}

aclError aclrtRandomNumAsync(const aclrtRandomNumTaskInfo *taskInfo, const aclrtStream stream,
                             void *reserve)
{
    TWIN_ENTER_BY_PART(SUBMIT, aclrtRandomNumAsync);
    TWIN_NOT_NULL(taskInfo);
    const number_type *type = type_of(taskInfo->dataType);
    if (!type)
        return TWIN_LEAVE(twin_fail(TWIN_ERR_ARG_VALUE,
                                    "dataType is %d, of which there are no random numbers",
                                    (int)taskInfo->dataType));
    if (reserve)
        return TWIN_LEAVE(twin_fail(TWIN_ERR_PARAM, "reserve must be NULL"));
    twin_random random;
    const int32_t code = take_task(taskInfo, type, &random);
    return TWIN_LEAVE(code != 0 ? code : twin_random_async(&random, twin_api_handle(stream)));
}
