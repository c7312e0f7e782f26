/* SPDX-License-Identifier: Apache-2.0 */
/* Native kernels whose blocks wait for each other. */
#include "native_tests.h"

#include <string.h>

enum { ROUNDS = 7 };

static uint32_t cores(void)
{
    return (uint32_t)twin_profile_value("limit.aiv_cores");
}

/* Words that are not what so many rounds leave. */
static unsigned wrong_words(const void *memory, uint32_t blocks, uint32_t rounds)
{
    static int32_t words[2 * NATIVE_MEET];
    unsigned wrong = 0;
    native_read(words, memory, sizeof(words));
    for (uint32_t block = 0; block < blocks; block++)
        wrong += words[(rounds % 2) * NATIVE_MEET + block * 8] !=
                 (int32_t)((block + rounds) % blocks * 100 + rounds);
    return wrong;
}

void test_meet(void)
{
    native n;
    native_begin(&n);
    void *memory = native_memory((size_t)2 * NATIVE_MEET * 4);
    struct native_meet args = {.rows = native_address(memory)};
    for (args.rounds = 1; args.rounds <= ROUNDS; args.rounds += 2)
        for (uint32_t blocks = 1; blocks <= cores(); blocks += cores() - 1) {
            NATIVE_LAUNCH(&n, "meet", blocks, args);
            CHECK_OK(aclrtSynchronizeStream(n.stream));
            CHECK_EQUAL(wrong_words(memory, blocks, args.rounds), 0);
        }
    native_free(memory);
    native_end(&n);
}

/* A block that stays away holds the others for ever: the kernel ends by its time limit, or without
 * one where it got to, and has written nothing. */
void test_meet_in_vain(void)
{
    native n;
    native_begin(&n);
    void *memory = native_memory((size_t)2 * NATIVE_MEET * 4);
    static int32_t words[2 * NATIVE_MEET], zeros[2 * NATIVE_MEET];
    struct native_meet args = {.rows = native_address(memory), .rounds = 2, .away = 3};
    for (uint32_t seconds = 0; seconds < 2; seconds++) {
        aclrtLaunchKernelAttr limit = {.id = ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT,
                                       .value = {.timeout = (uint16_t)seconds}};
        aclrtLaunchKernelCfg cfg = {.attrs = &limit, .numAttrs = 1};
        CHECK_OK(aclrtLaunchKernelWithHostArgs(native_find(n.binary, "meet"), 5, n.stream, &cfg,
                                               &args, sizeof(args), NULL, 0));
        CHECK_CODE(aclrtSynchronizeStream(n.stream), ACL_ERROR_RT_VECTOR_CORE_TIMEOUT);
        native_read(words, memory, sizeof(words));
        CHECK_EQUAL(memcmp(words, zeros, sizeof(words)), 0);
    }
    args.away = 0;
    NATIVE_LAUNCH(&n, "meet", 5, args); /* and kernels run as before */
    CHECK_OK(aclrtSynchronizeStream(n.stream));
    CHECK_EQUAL(wrong_words(memory, 5, 2), 0);
    native_free(memory);
    native_end(&n);
}
