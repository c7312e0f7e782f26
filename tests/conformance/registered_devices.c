/* SPDX-License-Identifier: Apache-2.0 */
/* Memory of the program that several devices have registered: each has its own registration. */
#include "registered_tests.h"

#include <string.h>

enum { FIRST, SECOND, DEVICES, PAGES = 6 };

typedef struct scene {
    aclrtContext contexts[DEVICES];
    aclrtStream streams[DEVICES];
    char *pages;
} scene;

static void begin(scene *s)
{
    for (int i = SECOND; i >= FIRST; i--) {
        CHECK_OK(aclrtSetDevice(i));
        CHECK_OK(aclrtGetCurrentContext(&s->contexts[i]));
        s->streams[i] = twin_stream();
    }
    s->pages = registered_pages(PAGES * PAGE);
}

static void use(const scene *s, int device)
{
    CHECK_OK(aclrtSetCurrentContext(s->contexts[device]));
}

static void end(scene *s)
{
    for (int i = FIRST; i < DEVICES; i++) {
        use(s, i);
        CHECK_OK(aclrtDestroyStream(s->streams[i]));
        CHECK_OK(aclrtResetDevice(i));
    }
    registered_unmap(s->pages, PAGES * PAGE);
}

static aclrtMemLocationType place_of(const void *pointer)
{
    aclrtPtrAttributes attributes;
    CHECK_OK(aclrtPointerGetAttributes(pointer, &attributes));
    return attributes.location.type;
}

/* Each device writes through its own address, and the host sees both. */
static void check_words(const scene *s, uint64_t *const device[DEVICES])
{
    const uint64_t *words = (const uint64_t *)(const void *)s->pages;
    for (int i = FIRST; i < DEVICES; i++) {
        use(s, i);
        CHECK_OK(aclrtValueWrite(device[i] + i, 100 + (uint64_t)i, 0, s->streams[i]));
        CHECK_OK(aclrtSynchronizeStream(s->streams[i]));
        CHECK_EQUAL(words[i], 100 + (uint64_t)i);
    }
}

void test_two_devices(void)
{
    scene s;
    uint64_t *device[DEVICES];
    begin(&s);
    for (int i = FIRST; i < DEVICES; i++) {
        void *same = NULL;
        use(&s, i);
        CHECK_CODE(aclrtHostGetDevicePointer(s.pages, &same, 0), ACL_ERROR_RT_PARAM_INVALID);
        device[i] = registered_map(s.pages, PAGES * PAGE);
        CHECK_OK(aclrtHostGetDevicePointer(s.pages, &same, 0));
        CHECK(same == device[i]);
        CHECK_CODE(aclrtHostRegisterV2(s.pages, PAGE, ACL_HOST_REG_PINNED),
                   ACL_ERROR_HOST_MEMORY_ALREADY_REGISTERED);
    }
    check_words(&s, device);
    use(&s, FIRST);
    CHECK_OK(aclrtHostUnregister(s.pages));
    CHECK_CODE(aclrtHostUnregister(s.pages), ACL_ERROR_HOST_MEMORY_NOT_REGISTERED);
    CHECK_EQUAL(place_of(s.pages + PAGE), ACL_MEM_LOCATION_TYPE_HOST);
    use(&s, SECOND);
    CHECK_OK(aclrtValueWrite(device[SECOND] + 2, 55, 0, s.streams[SECOND]));
    CHECK_OK(aclrtSynchronizeStream(s.streams[SECOND]));
    CHECK_EQUAL(((const uint64_t *)(const void *)s.pages)[2], 55);
    CHECK_OK(aclrtHostUnregister(s.pages));
    CHECK_EQUAL(place_of(s.pages + PAGE), ACL_MEM_LOCATION_TYPE_UNREGISTERED);
    end(&s);
}

/* A device that is reset ends its own registration only. */
void test_reset_of_one_device(void)
{
    scene s;
    begin(&s);
    for (int i = FIRST; i < DEVICES; i++) {
        use(&s, i);
        CHECK_OK(aclrtHostRegisterV2(s.pages, PAGE, ACL_HOST_REG_MAPPED));
    }
    CHECK_OK(aclrtResetDevice(SECOND));
    CHECK_OK(aclrtSetDevice(SECOND));
    CHECK_OK(aclrtGetCurrentContext(&s.contexts[SECOND]));
    s.streams[SECOND] = twin_stream();
    CHECK_CODE(aclrtHostUnregister(s.pages), ACL_ERROR_HOST_MEMORY_NOT_REGISTERED);
    CHECK_EQUAL(place_of(s.pages), ACL_MEM_LOCATION_TYPE_HOST);
    use(&s, FIRST);
    CHECK_OK(aclrtHostUnregister(s.pages));
    end(&s);
}

/* What a copy needs is registered with one of the devices, so it is asynchronous. */
static void check_asynchronous(const scene *s, unsigned first, unsigned count)
{
    twin_buffer buffer;
    twin_hold hold;
    const size_t bytes = (size_t)count * PAGE;
    char *host = s->pages + (size_t)first * PAGE;
    twin_buffer_make(&buffer, bytes, 1);
    memset(host, 2, bytes);
    twin_hold_begin(&hold, s->streams[FIRST]);
    CHECK_OK(aclrtMemcpyAsync(buffer.device, bytes, host, bytes, ACL_MEMCPY_HOST_TO_DEVICE,
                              s->streams[FIRST]));
    CHECK(!twin_idle(s->streams[FIRST]));
    memset(host, 3, bytes);
    twin_hold_end(&hold, NULL);
    twin_buffer_read(&buffer);
    CHECK_BYTES(buffer.host, 3, bytes);
    twin_buffer_free(&buffer);
}

/* Pages 0 to 3 and 2 to 5: ranges of several devices may overlap in part. */
void test_overlap_of_devices(void)
{
    scene s;
    begin(&s);
    use(&s, FIRST);
    CHECK_OK(aclrtHostRegisterV2(s.pages, 4 * PAGE, ACL_HOST_REG_PINNED));
    use(&s, SECOND);
    CHECK_OK(aclrtHostRegisterV2(s.pages + 2 * PAGE, 4 * PAGE, ACL_HOST_REG_PINNED));
    use(&s, FIRST);
    check_asynchronous(&s, 0, 2);
    check_asynchronous(&s, 3, 3);
    CHECK_CODE(aclrtHostUnregister(s.pages + 2 * PAGE), ACL_ERROR_HOST_MEMORY_NOT_REGISTERED);
    use(&s, SECOND);
    CHECK_OK(aclrtHostUnregister(s.pages + 2 * PAGE));
    use(&s, FIRST);
    CHECK_EQUAL(place_of(s.pages + 4 * PAGE), ACL_MEM_LOCATION_TYPE_UNREGISTERED);
    check_asynchronous(&s, 1, 3);
    CHECK_OK(aclrtHostUnregister(s.pages));
    end(&s);
}
