/* SPDX-License-Identifier: Apache-2.0 */
/* The link between two devices that a mapping, or memory of another process, uses. */
#include "virtual_tests.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LINK_KEY ACL_RT_IPC_MEM_ATTR_ACCESS_LINK
#define NO_LINK  ACL_ERROR_RT_LINK_TYPE_NOT_SUPPORTED

void test_set_link_arguments(void)
{
    CHECK_OK(aclrtSetDevice(0));
    aclrtDrvMemHandle handle = virtual_memory(1);
    CHECK_CODE(aclrtMemMapSetLink(NULL, ACL_RT_MEM_ACCESS_LINK_HCCS), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtMemMapSetLink(handle, (aclrtMemLinkType)4), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclrtMemMapSetLink(handle, (aclrtMemLinkType)-1), ACL_ERROR_RT_PARAM_INVALID);
    for (unsigned link = 0; link < 4; link++)
        CHECK_CODE(aclrtMemMapSetLink(handle, (aclrtMemLinkType)link),
                   ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    CHECK_OK(aclrtFreePhysical(handle));
    CHECK_OK(aclrtResetDevice(0));
}

void test_key_link_arguments(void)
{
    CHECK_CODE(aclrtIpcMemSetAttr(NULL, LINK_KEY, 0), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclrtIpcMemSetAttr("key", (aclrtIpcMemAttrType)1, 0), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclrtIpcMemSetAttr("key", LINK_KEY, 4), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclrtIpcMemSetAttr("key", LINK_KEY, 1), ACL_ERROR_RT_CONTEXT_NULL);
}

/* ---- a part that has links to choose from ---------------------------------------------------- */

/* Two mappings at `source`, of two granules and one. */
static void map_source(char *source, aclrtDrvMemHandle handles[2])
{
    for (unsigned i = 0; i < 2; i++) {
        handles[i] = virtual_memory(2 - i);
        CHECK_OK(aclrtMapMem(source + i * 2 * GRANULE, (2 - i) * GRANULE, 0, handles[i], 0));
        virtual_fill(source + i * 2 * GRANULE, 1 + (int)i, (2 - i) * GRANULE);
    }
}

static void check_refusals(char *to, char *source, aclrtDrvMemHandle handle, unsigned link)
{
    CHECK_CODE(aclrtMemMapSelectedLink(to, 3 * GRANULE, source, 1 - link), NO_LINK);
    CHECK_CODE(aclrtMemMapSelectedLink(to, GRANULE, source, link), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclrtMemMapSelectedLink(to, 4 * GRANULE, source, link), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclrtMemMapSelectedLink(to, GRANULE, source + GRANULE, link),
               ACL_ERROR_RT_PARAM_INVALID);
    /* its second half is taken: the first one is not mapped either */
    CHECK_OK(aclrtMapMem(to + 2 * GRANULE, GRANULE, 0, handle, 0));
    CHECK_CODE(aclrtMemMapSelectedLink(to, 3 * GRANULE, source, link), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_OK(aclrtUnmapMem(to + 2 * GRANULE));
    CHECK_CODE(aclrtUnmapMem(to), ACL_ERROR_RT_PARAM_INVALID);
}

/* All of two mappings has a second address, and lives until both have ended. */
static void check_mapping(unsigned link)
{
    aclrtDrvMemHandle handles[2];
    char *source = virtual_addresses(3);
    char *to = virtual_addresses(3);
    map_source(source, handles);
    check_refusals(to, source, handles[1], link);
    CHECK_OK(aclrtMemMapSelectedLink(to, 3 * GRANULE, source, link));
    virtual_check(to, 1, 2 * GRANULE);
    virtual_check(to + 2 * GRANULE, 2, GRANULE);
    virtual_fill(to + GRANULE, 3, GRANULE);
    virtual_check(source + GRANULE, 3, GRANULE);
    for (unsigned i = 0; i < 2; i++) {
        CHECK_OK(aclrtFreePhysical(handles[i]));
        CHECK_OK(aclrtUnmapMem(source + i * 2 * GRANULE));
    }
    virtual_check(to, 1, GRANULE);
    virtual_check(to + 2 * GRANULE, 2, GRANULE);
    CHECK_OK(aclrtUnmapMem(to));
    CHECK_OK(aclrtUnmapMem(to + 2 * GRANULE));
    CHECK_OK(aclrtReleaseMemAddress(to));
    CHECK_OK(aclrtReleaseMemAddress(source));
}

static void check_key(unsigned link)
{
    char key[65] = "";
    void *memory = NULL;
    CHECK_OK(aclrtMalloc(&memory, GRANULE, ACL_MEM_MALLOC_HUGE_FIRST));
    CHECK_CODE(aclrtIpcMemSetAttr("made up", LINK_KEY, link), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_OK(aclrtIpcMemGetExportKey(memory, GRANULE, key, sizeof(key), 1));
    CHECK_OK(aclrtIpcMemSetAttr(key, LINK_KEY, link));
    for (unsigned other = 0; other < 4; other++)
        if (other != link)
            CHECK_CODE(aclrtIpcMemSetAttr(key, LINK_KEY, other), NO_LINK);
    CHECK_OK(aclrtIpcMemClose(key));
    CHECK_CODE(aclrtIpcMemSetAttr(key, LINK_KEY, link), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_OK(aclrtFree(memory));
}

/* `link`: 0 or 1, what there is. */
static void use_link(unsigned link)
{
    CHECK_OK(aclInit(NULL));
    CHECK_OK(aclrtSetDevice(0));
    const size_t before = virtual_free_bytes();
    aclrtDrvMemHandle handle = virtual_memory(1);
    for (unsigned other = 0; other < 4; other++)
        CHECK_CODE(aclrtMemMapSetLink(handle, (aclrtMemLinkType)other),
                   other == link ? ACL_SUCCESS : NO_LINK);
    CHECK_OK(aclrtFreePhysical(handle));
    CHECK_CODE(aclrtMemMapSetLink(handle, (aclrtMemLinkType)link), ACL_ERROR_RT_INVALID_HANDLE);
    check_mapping(link);
    check_key(link);
    CHECK_EQUAL(virtual_free_bytes(), before);
    CHECK_OK(aclrtResetDevice(0));
    CHECK_OK(aclFinalize());
}

void virtual_child_hccs(void)
{
    use_link(ACL_RT_MEM_LINK_IDX_1);
}

void virtual_child_sio(void)
{
    use_link(ACL_RT_MEM_LINK_IDX_0);
}

void test_links(void)
{
    static const char profile[] =
        "{\"base\": \"910_9391\", \"identity\": {\"peer_link\": {\"value\": \"SIO\", \"unit\": "
        "\"text\", \"mark\": \"assumed\", \"source\": \"this test\"}}}";
    char file[] = "/tmp/twinrt-profile-XXXXXX";
    char setting[64];
    twin_run_child("hccs", (const char *const[]){"TWINRT_PROFILE=910_9391", NULL});
    const int descriptor = mkstemp(file);
    if (!CHECK(descriptor >= 0))
        return;
    CHECK(write(descriptor, profile, strlen(profile)) == (ssize_t)strlen(profile));
    (void)close(descriptor);
    snprintf(setting, sizeof(setting), "TWINRT_PROFILE=%s", file);
    twin_run_child("sio", (const char *const[]){setting, NULL});
    (void)unlink(file);
}
