/* SPDX-License-Identifier: Apache-2.0 */
#include "core/work/stream_value.h"

#include <stdint.h>

#include "core/work/memory.h"

#include "check.h"

static uint64_t memory;
static twin_device *device;

static void begin(void)
{
    void *pointer = NULL;
    fresh();
    CHECK_OK(twin_device_set(0));
    /* A size that no backend of ours rounds: its last word ends before a multiple of 8. */
    CHECK_OK(twin_memory_alloc(&(twin_allocation){.bytes = 100}, &pointer));
    memory = (uintptr_t)pointer;
    twin_context *context = NULL;
    CHECK_OK(twin_context_current(&context));
    device = context ? context->device : NULL;
}

static void finish(void)
{
    (void)twin_device_reset(0, true);
    CU_ASSERT_EQUAL(fake_count.memory, 0);
}

static void test_inside(void)
{
    begin();
    CHECK_OK(twin_value_check_word("word", memory, 8, device, NULL));
    CHECK_OK(twin_value_check_word("word", memory + 88, 8, device, NULL));
    CHECK_OK(twin_value_check_word("word", memory + 96, 4, device, NULL));
    finish();
}

static void test_outside(void)
{
    begin();
    CHECK_CODE(twin_value_check_word("word", memory + 96, 8, device, NULL), 107000);
    CHECK_CODE(twin_value_check_word("word", memory + 4, 8, device, NULL), 107000);
    finish();
}

static const twin_test tests[] = {
    {"a word in its allocation is accepted", test_inside},
    {"a word that leaves its allocation, or is not aligned, is refused", test_outside},
};

int main(int argc, char **argv)
{
    return twin_run_suite("value", tests, TWIN_COUNT(tests), argc, argv);
}
