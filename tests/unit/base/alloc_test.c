/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/alloc.h"

#include <stdint.h>

#include "check.h"

static void test_zeroed(void)
{
    unsigned char *bytes = twin_zalloc(64);
    REQUIRE(bytes);
    int set = 0;
    for (int i = 0; i < 64; i++)
        set += bytes[i] != 0;
    CU_ASSERT_EQUAL(set, 0);
    twin_free(bytes);
}

static void test_nothing(void)
{
    void *memory = twin_zalloc(0);
    CU_ASSERT_PTR_NOT_NULL(memory);
    twin_free(memory);
}

static void test_overflow(void)
{
    /* Volatile: the compiler need not see that no such array exists. */
    volatile size_t count = SIZE_MAX / 2;
    CU_ASSERT_PTR_NULL(twin_regrow(NULL, count, 16));
}

static void test_regrow(void)
{
    int *numbers = twin_regrow(NULL, 2, sizeof(int));
    REQUIRE(numbers);
    numbers[1] = 9;
    int *more = twin_regrow(numbers, 100, sizeof(int));
    REQUIRE(more);
    CU_ASSERT_EQUAL(more[1], 9);
    twin_free(more);
}

static int asked;

static bool fail_second(size_t bytes)
{
    (void)bytes;
    return ++asked == 2;
}

static void test_hook(void)
{
    asked = 0;
    twin_alloc_set_hook(fail_second);
    void *first = twin_zalloc(1);
    char *second = twin_strdup("x");
    void *third = twin_regrow(NULL, 1, 1);
    twin_alloc_set_hook(NULL);
    CU_ASSERT_PTR_NOT_NULL(first);
    CU_ASSERT_PTR_NULL(second);
    CU_ASSERT_PTR_NOT_NULL(third);
    twin_free(first);
    twin_free(third);
}

static const twin_test tests[] = {
    {"memory comes zeroed", test_zeroed},
    {"no bytes are a block too", test_nothing},
    {"a product that overflows is refused", test_overflow},
    {"growing keeps the contents", test_regrow},
    {"the hook fails the request it is meant for", test_hook},
};

int main(int argc, char **argv)
{
    return twin_run_suite("alloc", tests, TWIN_COUNT(tests), argc, argv);
}
