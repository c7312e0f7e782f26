/* SPDX-License-Identifier: Apache-2.0 */
/* Objects of native kernels as they are loaded, unloaded, damaged, and used on a device that
 * goes. */
#include <stdio.h>
#include <stdlib.h>

#include "native_tests.h"

static unsigned char *read_object(size_t *out_bytes)
{
    FILE *file = fopen(native_path(), "rbe");
    CHECK(file && fseek(file, 0, SEEK_END) == 0);
    const long bytes = ftell(file);
    rewind(file);
    unsigned char *all = malloc((size_t)bytes);
    CHECK(all && fread(all, 1, (size_t)bytes, file) == (size_t)bytes);
    fclose(file);
    *out_bytes = (size_t)bytes;
    return all;
}

static aclError load(const void *data, size_t bytes, aclrtBinHandle *binary)
{
    return aclrtBinaryLoadFromData(data, bytes, NULL, binary);
}

/* Bytes all over the file; the unit test has every one. */
void test_damaged_object(void)
{
    size_t bytes = 0;
    aclrtBinHandle binary = NULL;
    CHECK_OK(aclrtSetDevice(0));
    unsigned char *all = read_object(&bytes);
    for (size_t at = 0; at < bytes; at += 97) {
        all[at] ^= 0x10;
        if (!CHECK_CODE(load(all, bytes, &binary), ACL_ERROR_RT_PARAM_INVALID))
            fprintf(stderr, "  byte %zu\n", at);
        all[at] ^= 0x10;
    }
    for (size_t left = 1; left < bytes; left += 211)
        CHECK_CODE(load(all, left, &binary), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_OK(load(all, bytes, &binary));
    CHECK_OK(aclrtBinaryUnLoad(binary));
    free(all);
    CHECK_OK(aclrtResetDevice(0));
}

static uint32_t count(aclrtBinHandle binary, aclrtStream stream, void *memory)
{
    const native n = {binary, stream};
    const struct native_count args = {native_address(memory)};
    uint32_t seen = 0;
    NATIVE_LAUNCH(&n, "count", 1, args);
    CHECK_OK(aclrtSynchronizeStream(stream));
    native_read(&seen, memory, sizeof(seen));
    return seen;
}

/* The kernel counts in a variable of its shared object. */
void test_instances(void)
{
    size_t bytes = 0;
    native n;
    native_begin(&n);
    aclrtBinHandle second = NULL;
    void *memory = native_memory(64);
    unsigned char *all = read_object(&bytes);
    CHECK_OK(load(all, bytes, &second));
    free(all); /* it was copied */
    for (uint32_t i = 1; i <= 3; i++)
        CHECK_EQUAL(count(n.binary, n.stream, memory), i);
    CHECK_EQUAL(count(second, n.stream, memory), 1);
    CHECK_EQUAL(count(n.binary, n.stream, memory), 4);
    CHECK_OK(aclrtBinaryUnLoad(second));
    CHECK_EQUAL(count(n.binary, n.stream, memory), 5);
    CHECK_OK(aclrtBinaryLoadFromFile(native_path(), NULL, &second));
    CHECK_EQUAL(count(second, n.stream, memory), 1);
    CHECK_OK(aclrtBinaryUnLoad(second));
    native_free(memory);
    native_end(&n);
}

/* Each load is a new instance, also where the loader has kept the one before. */
void test_kept_instances(void)
{
    for (uint32_t round = 0; round < 3; round++) {
        native n;
        native_begin(&n);
        aclrtBinHandle kept = NULL;
        void *memory = native_memory(64);
        CHECK_OK(aclrtBinaryLoadFromFile(NATIVE_KEPT, NULL, &kept));
        CHECK_EQUAL(count(kept, n.stream, memory), 1);
        CHECK_EQUAL(count(kept, n.stream, memory), 2);
        CHECK_OK(aclrtBinaryUnLoad(kept));
        native_free(memory);
        native_end(&n); /* with the last launch the image is closed */
    }
}

/* What is queued runs; then the shared object goes. */
void test_unloaded_while_launched(void)
{
    enum { LAUNCHES = 10 };
    native n;
    native_begin(&n);
    twin_hold hold;
    aclrtBinHandle binary = NULL;
    void *memory = native_memory(64);
    uint32_t seen = 0;
    CHECK_OK(aclrtBinaryLoadFromFile(native_path(), NULL, &binary));
    const native gone = {binary, n.stream};
    const aclrtFuncHandle function = native_find(binary, "count");
    const struct native_count args = {native_address(memory)};
    twin_hold_begin(&hold, n.stream);
    for (int i = 0; i < LAUNCHES; i++)
        NATIVE_LAUNCH(&gone, "count", 1, args);
    CHECK_OK(aclrtBinaryUnLoad(binary));
    struct native_count more = args;
    CHECK_CODE(
        aclrtLaunchKernelWithHostArgs(function, 1, n.stream, NULL, &more, sizeof(more), NULL, 0),
        ACL_ERROR_RT_INVALID_HANDLE);
    twin_hold_end(&hold, NULL);
    CHECK_OK(aclrtSynchronizeStream(n.stream));
    native_read(&seen, memory, sizeof(seen));
    CHECK_EQUAL(seen, LAUNCHES);
    native_free(memory);
    native_end(&n);
}

/* The device goes with kernels queued and under way, and is initialized again. */
void test_reset_while_running(void)
{
    for (int round = 0; round < 3; round++) {
        native n;
        native_begin(&n);
        void *memory = native_memory((size_t)1 << 20);
        const struct native_work work = {20, 8192};
        const struct native_places places = {native_address(memory)};
        for (int i = 0; i < 20; i++) {
            NATIVE_LAUNCH(&n, "work", 100, work);
            NATIVE_LAUNCH(&n, "places", 60, places);
        }
        aclrtEvent event = twin_event(EVENT_PLAIN);
        CHECK_OK(aclrtRecordEvent(event, n.stream));
        if (round == 1)
            (void)twin_recorded(event); /* a first bit of it runs */
        CHECK_OK(aclrtResetDeviceForce(0));
        CHECK_OK(aclrtBinaryUnLoad(n.binary));
    }
}

/* One image on two devices: each kernel reads and writes its own device's memory, at the same
 * time. */
static void on_device(void *argument, unsigned index)
{
    enum { LAUNCHES = 25 };
    aclrtStream stream = NULL;
    float values[NATIVE_TILE];
    CHECK_OK(aclrtSetDevice((int32_t)index));
    CHECK_OK(aclrtCreateStream(&stream));
    const native n = {argument, stream};
    void *one = native_memory(sizeof(values));
    void *sum = native_memory(sizeof(values));
    for (unsigned i = 0; i < NATIVE_TILE; i++)
        values[i] = (float)(index + 1);
    native_write(one, values, sizeof(values));
    const struct native_add args = {native_address(one), native_address(sum), native_address(sum),
                                    NATIVE_TILE, index % 2};
    for (int i = 0; i < LAUNCHES; i++)
        NATIVE_LAUNCH(&n, "add", 1, args);
    CHECK_OK(aclrtSynchronizeStream(stream));
    native_read(values, sum, sizeof(values));
    CHECK(values[0] == (float)(LAUNCHES * (index + 1)));
    CHECK(values[NATIVE_TILE - 1] == values[0]);
    native_free(one);
    native_free(sum);
    CHECK_OK(aclrtDestroyStream(stream));
    CHECK_OK(aclrtResetDevice((int32_t)index));
}

/* Another device's memory, be it data or arguments, is reached with access to that device alone. */
static void reach_across(void)
{
    native n;
    uint32_t seen = 0;
    CHECK_OK(aclrtSetDevice(1));
    void *far = native_memory(64);
    native_begin(&n);
    void *near = native_memory(64);
    const struct native_count to_far = {native_address(far)};
    const struct native_count to_near = {native_address(near)};
    native_write(near, &to_near, sizeof(to_near));
    for (int allowed = 0; allowed < 2; allowed++) {
        const aclError expected = allowed ? ACL_SUCCESS : ACL_ERROR_RT_VECTOR_CORE_EXCEPTION;
        if (allowed)
            CHECK_OK(aclrtDeviceEnablePeerAccess(1, 0));
        NATIVE_LAUNCH(&n, "count", 1, to_far);
        CHECK_CODE(aclrtSynchronizeStream(n.stream), expected);
        CHECK_OK(aclrtSetDevice(1));
        native_read(&seen, far, sizeof(seen));
        CHECK_EQUAL(seen != 0, allowed);
        native_write(far, &to_near, sizeof(to_near));
        CHECK_OK(aclrtSetDevice(0));
        CHECK_OK(
            aclrtLaunchKernel(native_find(n.binary, "count"), 1, far, sizeof(to_near), n.stream));
        CHECK_CODE(aclrtSynchronizeStream(n.stream), expected);
        CHECK_OK(aclrtSetDevice(1));
        seen = 0;
        native_write(far, &seen, sizeof(seen));
        CHECK_OK(aclrtSetDevice(0));
    }
    CHECK_OK(aclrtDeviceDisablePeerAccess(1));
    native_free(near);
    native_end(&n);
    CHECK_OK(aclrtSetDevice(1));
    native_free(far);
    for (int32_t device = 0; device < 2; device++)
        CHECK_OK(aclrtResetDeviceForce(device));
}

void native_devices_child(void)
{
    aclrtBinHandle binary = NULL;
    CHECK_OK(aclInit(NULL));
    reach_across();
    CHECK_OK(aclrtSetDevice(0));
    CHECK_OK(aclrtBinaryLoadFromFile(native_path(), NULL, &binary));
    twin_threads_run(3, on_device, binary);
    CHECK_OK(aclrtBinaryUnLoad(binary));
    CHECK_OK(aclrtResetDevice(0));
    CHECK_OK(aclFinalize());
}

void test_two_devices(void)
{
    static const char *const settings[] = {"TWINRT_DEVICES=3", NULL};
    twin_run_child("devices", settings);
}

/* Many threads, each with its own image, stream and results, on one device. */
static void on_own_image(void *argument, unsigned index)
{
    enum { ROUNDS = 8 };
    (void)argument;
    for (int round = 0; round < ROUNDS; round++) {
        native n;
        uint32_t seen = 0;
        native_begin(&n);
        void *memory = native_memory(64);
        const struct native_count args = {native_address(memory)};
        for (unsigned i = 0; i <= index; i++)
            NATIVE_LAUNCH(&n, "count", 1, args);
        CHECK_OK(aclrtSynchronizeStream(n.stream));
        native_read(&seen, memory, sizeof(seen));
        CHECK_EQUAL(seen, index + 1);
        native_free(memory);
        native_end(&n);
    }
}

void test_threads(void)
{
    CHECK_OK(aclrtSetDevice(0));
    twin_threads_run(6, on_own_image, NULL);
    CHECK_OK(aclrtResetDevice(0));
}
