/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/lock.h"

#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

static void test_rising(void)
{
    CU_ASSERT_TRUE(twin_rank_push(TWIN_RANK_DEVICE));
    CU_ASSERT_TRUE(twin_rank_push(TWIN_RANK_STREAM));
    CU_ASSERT_TRUE(twin_rank_pop(TWIN_RANK_STREAM));
    CU_ASSERT_TRUE(twin_rank_pop(TWIN_RANK_DEVICE));
    CU_ASSERT_TRUE(twin_rank_none());
}

static void test_falling(void)
{
    CU_ASSERT_TRUE(twin_rank_push(TWIN_RANK_STREAM));
    CU_ASSERT_FALSE(twin_rank_push(TWIN_RANK_DEVICE));
    CU_ASSERT_TRUE(twin_rank_pop(TWIN_RANK_STREAM));
}

static void test_same(void)
{
    CU_ASSERT_TRUE(twin_rank_push(TWIN_RANK_STREAM));
    CU_ASSERT_FALSE(twin_rank_push(TWIN_RANK_STREAM));
    CU_ASSERT_TRUE(twin_rank_pop(TWIN_RANK_STREAM));
}

static void test_any_order_back(void)
{
    CU_ASSERT_TRUE(twin_rank_push(TWIN_RANK_DEVICE));
    CU_ASSERT_TRUE(twin_rank_push(TWIN_RANK_STREAM));
    CU_ASSERT_TRUE(twin_rank_pop(TWIN_RANK_DEVICE));
    CU_ASSERT_FALSE(twin_rank_none());
    CU_ASSERT_FALSE(twin_rank_push(TWIN_RANK_CONTEXT));
    CU_ASSERT_TRUE(twin_rank_pop(TWIN_RANK_STREAM));
}

static void test_not_held(void)
{
    CU_ASSERT_FALSE(twin_rank_pop(TWIN_RANK_MESSAGES));
}

static void *hold_on_another(void *good)
{
    *(bool *)good =
        twin_rank_none() && twin_rank_push(TWIN_RANK_INIT) && twin_rank_pop(TWIN_RANK_INIT);
    return NULL;
}

static void test_per_thread(void)
{
    bool good = false;
    CU_ASSERT_TRUE(twin_rank_push(TWIN_RANK_MESSAGES));
    on_thread(hold_on_another, &good);
    CU_ASSERT_TRUE(good);
    CU_ASSERT_TRUE(twin_rank_pop(TWIN_RANK_MESSAGES));
}

static void test_violation_ends_process(void)
{
    pid_t child = fork();
    if (child == 0) {
        close(STDERR_FILENO);
        twin_rank_violation("a test", TWIN_RANK_MESSAGES);
        _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    CU_ASSERT_TRUE(WIFSIGNALED(status));
}

static const twin_test tests[] = {
    {"locks are taken in rising rank", test_rising},
    {"a lower rank is refused", test_falling},
    {"the same rank twice is refused", test_same},
    {"locks are released in any order", test_any_order_back},
    {"a lock that is not held cannot be released", test_not_held},
    {"ranks are held per thread", test_per_thread},
    {"a violation ends the process", test_violation_ends_process},
};

int main(int argc, char **argv)
{
    return twin_run_suite("lock", tests, TWIN_COUNT(tests), argc, argv);
}
