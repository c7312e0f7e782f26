/* SPDX-License-Identifier: Apache-2.0 */
/* Native kernels that fail, and the reports of it: function and arguments, memory that has failed,
 * engines that fail. */
#include <string.h>

#include "fault_tests.h"
#include "native_tests.h"

enum { ADD_BYTES = NATIVE_TILE * 4 };

static unsigned exceptions;
static uint32_t seen_code;
static aclrtFuncHandle seen_function;
static unsigned char seen_args[256];
static uint32_t seen_bytes;

static void on_exception(aclrtExceptionInfo *info)
{
    void *args = NULL;
    exceptions++;
    seen_code = aclrtGetErrorCodeFromExceptionInfo(info);
    CHECK_OK(aclrtGetFuncHandleFromExceptionInfo(info, &seen_function));
    CHECK_OK(aclrtGetArgsFromExceptionInfo(info, &args, &seen_bytes));
    CHECK(seen_bytes <= sizeof(seen_args));
    native_read(seen_args, args, seen_bytes);
}

typedef struct scene {
    native n;
    void *x, *y, *z;
} scene;

static void begin(scene *s)
{
    exceptions = 0;
    native_begin(&s->n);
    s->x = native_memory(ADD_BYTES);
    s->y = native_memory(ADD_BYTES);
    s->z = native_memory(ADD_BYTES);
    CHECK_OK(aclrtExceptionInfoCallbackRegister(on_exception));
}

static void end(scene *s)
{
    CHECK_OK(twinrt_fault_remove(0));
    CHECK_OK(aclrtExceptionInfoCallbackUnregister(on_exception));
    native_free(s->z);
    native_free(s->y);
    native_free(s->x);
    native_end(&s->n);
}

static struct native_add add_of(const scene *s)
{
    return (struct native_add){native_address(s->x), native_address(s->y), native_address(s->z),
                               NATIVE_TILE, 0};
}

static void put_floats(void *memory, float value)
{
    static float values[NATIVE_TILE];
    for (unsigned i = 0; i < NATIVE_TILE; i++)
        values[i] = value;
    native_write(memory, values, ADD_BYTES);
}

static float first_sum(const scene *s)
{
    float value = 0;
    native_read(&value, s->z, sizeof(value));
    return value;
}

void test_failed_kernel_is_reported(void)
{
    scene s;
    begin(&s);
    const struct native_wrong args = {native_address(s.x), NATIVE_TRAP, 1};
    NATIVE_LAUNCH(&s.n, "wrong", 3, args);
    CHECK_CODE(aclrtSynchronizeStream(s.n.stream), ACL_ERROR_RT_VECTOR_CORE_TRAP_EXCEPTION);
    CHECK_EQUAL(exceptions, 1);
    CHECK_EQUAL(seen_code, ACL_ERROR_RT_VECTOR_CORE_TRAP_EXCEPTION);
    CHECK(seen_function == native_find(s.n.binary, "wrong"));
    CHECK_EQUAL(seen_bytes, sizeof(args));
    CHECK(memcmp(seen_args, &args, sizeof(args)) == 0);
    end(&s);
}

/* The kernel reads all of x, and nothing after it. */
void test_kernel_meets_failed_memory(void)
{
    scene s;
    aclrtErrorInfo report;
    begin(&s);
    const struct native_add args = add_of(&s);
    twinrt_fault fault = TWINRT_FAULT_INIT(TWINRT_FAULT_MEMORY);
    fault.bytes = 8;
    fault.times = 0;
    fault.address = args.x + ADD_BYTES; /* not used */
    uint32_t spared = twin_inject_fault(&fault);
    uint64_t times = 1;
    NATIVE_LAUNCH(&s.n, "add", 1, args);
    CHECK_OK(aclrtSynchronizeStream(s.n.stream));
    CHECK_OK(twinrt_fault_triggered(spared, &times));
    CHECK_EQUAL(times, 0);
    CHECK_OK(twinrt_fault_remove(spared));
    put_floats(s.x, 1);
    put_floats(s.y, 2);
    fault.address = args.x + ADD_BYTES - 16;
    (void)twin_inject_fault(&fault);
    NATIVE_LAUNCH(&s.n, "add", 1, args);
    CHECK_CODE(aclrtSynchronizeStream(s.n.stream), ACL_ERROR_RT_DEVICE_MEM_ERROR);
    CHECK_EQUAL(exceptions, 1);
    CHECK_EQUAL(seen_code, ACL_ERROR_RT_DEVICE_MEM_ERROR);
    CHECK(first_sum(&s) == 0); /* it left nothing */
    CHECK_OK(aclrtGetErrorVerbose(0, &report));
    CHECK_EQUAL(report.errorType, ACL_RT_ERROR_MEMORY);
    CHECK_OK(aclrtRepairError(0, &report));
    put_floats(s.x, 1);
    NATIVE_LAUNCH(&s.n, "add", 1, args);
    CHECK_OK(aclrtSynchronizeStream(s.n.stream));
    CHECK(first_sum(&s) == 3);
    end(&s);
}

void test_engine_fails_under_a_kernel(void)
{
    scene s;
    begin(&s);
    put_floats(s.x, 1);
    put_floats(s.y, 2);
    const struct native_add args = add_of(&s);
    for (unsigned kind = TWINRT_FAULT_ENGINE_ERROR; kind <= TWINRT_FAULT_ENGINE_SLOW; kind++) {
        twinrt_fault fault = twin_fault_for((twinrt_fault_kind)kind);
        fault.task = TWINRT_FAULT_TASK_KERNEL;
        (void)twin_inject_fault(&fault);
        const aclError code = kind == TWINRT_FAULT_ENGINE_ERROR ? ACL_ERROR_RT_VECTOR_CORE_EXCEPTION
                              : kind == TWINRT_FAULT_ENGINE_TIMEOUT
                                  ? ACL_ERROR_RT_VECTOR_CORE_TIMEOUT
                                  : ACL_SUCCESS;
        NATIVE_LAUNCH(&s.n, "add", 1, args);
        CHECK_CODE(aclrtSynchronizeStream(s.n.stream), code);
        CHECK(first_sum(&s) == (code == ACL_SUCCESS ? 3 : 0));
        CHECK_OK(twinrt_fault_remove(0));
    }
    end(&s);
}
