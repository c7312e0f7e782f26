/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/handle.h"

#include "check.h"
#include "core/base/alloc.h"

typedef struct thing {
    twin_object object;
    int value;
    bool constructed;
} thing;

static _Atomic int released;

static void construct(void *object)
{
    ((thing *)object)->constructed = true;
}
static void release(void *object);

static twin_handle_table things =
    TWIN_HANDLE_TABLE_INITIALIZER("thing", TWIN_HANDLE_EVENT, thing, construct, release);
static twin_handle_table others =
    TWIN_HANDLE_TABLE_INITIALIZER("other", TWIN_HANDLE_STREAM, thing, construct, release);

static void release(void *object)
{
    released++;
    twin_handle_free(&things, object);
}

static uint64_t make(int value)
{
    thing *made = twin_handle_alloc(&things);
    REQUIRE(made);
    CU_ASSERT_TRUE(made->constructed);
    made->value = value;
    return twin_handle_publish(made);
}

static void end(uint64_t handle)
{
    thing *ended = twin_handle_pin(&things, handle);
    REQUIRE(ended);
    CU_ASSERT_TRUE(twin_handle_retire(ended));
    twin_handle_unpin(&things, ended);
}

static void test_find(void)
{
    uint64_t handle = make(5);
    thing *found = twin_handle_find(&things, handle);
    REQUIRE(found);
    CU_ASSERT_EQUAL(found->value, 5);
    end(handle);
}

static void test_never_a_pointer(void)
{
    uint64_t handle = make(0);
    uint64_t top = handle >> 56;
    CU_ASSERT(top != 0 && top != 0xff);
    end(handle);
}

static void test_garbage(void)
{
    uint64_t handle = make(0);
    int local = 0;
    const uint64_t bad[] = {0,
                            1,
                            UINT64_MAX,
                            (uint64_t)(uintptr_t)&local,
                            handle + 1,
                            handle - 1,
                            handle ^ 1ull << 56,
                            handle ^ 1ull << 40,
                            handle ^ 1ull << 31};
    for (size_t i = 0; i < TWIN_COUNT(bad); i++)
        CU_ASSERT_PTR_NULL(twin_handle_find(&things, bad[i]));
    end(handle);
}

static void test_other_kind(void)
{
    uint64_t handle = make(0);
    CU_ASSERT_PTR_NULL(twin_handle_find(&others, handle));
    end(handle);
}

static void test_stale(void)
{
    uint64_t handle = make(1);
    end(handle);
    CU_ASSERT_PTR_NULL(twin_handle_find(&things, handle));
    uint64_t next = make(2); /* takes the same slot */
    CU_ASSERT_NOT_EQUAL(next, handle);
    CU_ASSERT_PTR_NULL(twin_handle_find(&things, handle));
    CU_ASSERT_PTR_NULL(twin_handle_pin(&things, handle));
    end(next);
}

static void test_pin_keeps(void)
{
    uint64_t handle = make(1);
    released = 0;
    thing *user = twin_handle_pin(&things, handle);
    end(handle);
    CU_ASSERT_EQUAL(released, 0);
    CU_ASSERT_PTR_NULL(twin_handle_find(&things, handle));
    CU_ASSERT_EQUAL(user->value, 1);
    twin_handle_unpin(&things, user);
    CU_ASSERT_EQUAL(released, 1);
}

static void test_retire_once(void)
{
    uint64_t handle = make(1);
    thing *first = twin_handle_pin(&things, handle);
    thing *second = twin_handle_pin(&things, handle);
    CU_ASSERT_TRUE(twin_handle_retire(first));
    CU_ASSERT_FALSE(twin_handle_retire(second));
    twin_handle_unpin(&things, first);
    twin_handle_unpin(&things, second);
}

static void test_unpublished(void)
{
    thing *made = twin_handle_alloc(&things);
    CU_ASSERT_PTR_NULL(twin_handle_find(&things, made->object.handle));
    twin_handle_free(&things, made);
}

static void test_slots_are_reused(void)
{
    uint32_t before = 0;
    for (int i = 0; i < 10000; i++) {
        uint64_t handle = make(i);
        if (i == 0)
            before = things.used;
        end(handle);
    }
    CU_ASSERT_EQUAL(things.used, before);
}

static void test_many(void)
{
    enum { COUNT = 1000 };
    static uint64_t handles[COUNT];
    for (int i = 0; i < COUNT; i++)
        handles[i] = make(i);
    int wrong = 0;
    for (int i = 0; i < COUNT; i++) {
        thing *found = twin_handle_find(&things, handles[i]);
        wrong += !found || found->value != i;
    }
    CU_ASSERT_EQUAL(wrong, 0);
    for (int i = 0; i < COUNT; i++)
        end(handles[i]);
}

static bool refuse(size_t bytes)
{
    (void)bytes;
    return true;
}

static void test_no_memory(void)
{
    static twin_handle_table empty =
        TWIN_HANDLE_TABLE_INITIALIZER("empty", TWIN_HANDLE_NOTIFY, thing, construct, release);
    twin_alloc_set_hook(refuse);
    CU_ASSERT_PTR_NULL(twin_handle_alloc(&empty));
    twin_alloc_set_hook(NULL);
    thing *made = twin_handle_alloc(&empty);
    CU_ASSERT_PTR_NOT_NULL(made);
    if (made)
        twin_handle_free(&empty, made);
}

/* One thread ends things while others pin them. */
enum { RACE_ROUNDS = 2000 };
static _Atomic uint64_t race_handle;
static _Atomic bool race_over;

static void *race_pin(void *wrong)
{
    while (!atomic_load(&race_over)) {
        uint64_t handle = atomic_load(&race_handle);
        thing *pinned = twin_handle_pin(&things, handle);
        if (!pinned)
            continue;
        if (pinned->value != 77)
            (*(_Atomic int *)wrong)++;
        twin_handle_unpin(&things, pinned);
    }
    return NULL;
}

static void test_race(void)
{
    _Atomic int wrong = 0;
    pthread_t threads[2];
    atomic_store(&race_over, false);
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, race_pin, &wrong);
    for (int i = 0; i < RACE_ROUNDS; i++) {
        uint64_t handle = make(77);
        atomic_store(&race_handle, handle);
        end(handle);
    }
    atomic_store(&race_over, true);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    CU_ASSERT_EQUAL(wrong, 0);
}

static const twin_test tests[] = {
    {"a handle finds its object", test_find},
    {"a handle is never an address", test_never_a_pointer},
    {"made-up numbers find nothing", test_garbage},
    {"a handle of another kind finds nothing", test_other_kind},
    {"a stale handle finds nothing, also when its slot lives again", test_stale},
    {"a pin keeps a retired object until it is given up", test_pin_keeps},
    {"an object is retired once", test_retire_once},
    {"an object is found only after publish", test_unpublished},
    {"slots are used again", test_slots_are_reused},
    {"many objects keep apart", test_many},
    {"without memory there is no slot, and later there is", test_no_memory},
    {"pinning and ending race without harm", test_race},
};

int main(int argc, char **argv)
{
    return twin_run_suite("handle", tests, TWIN_COUNT(tests), argc, argv);
}
