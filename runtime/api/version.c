/* SPDX-License-Identifier: Apache-2.0 */
/* Versions of the interface and of the packages beside the runtime. */
#include <stdio.h>
#include <string.h>

#include "acl/acl_rt.h"
#include "api/entry.h"
#include "core/package.h"

#define PARTS 4

_Static_assert(TWIN_VERSION_BYTES == ACL_PKG_VERSION_MAX_SIZE, "the core has the public size");

aclError aclrtGetVersion(int32_t *majorVersion, int32_t *minorVersion, int32_t *patchVersion)
{
    TWIN_ENTER_HOST(LOCAL);
    TWIN_NOT_NULL(majorVersion, minorVersion, patchVersion);
    *majorVersion = ACL_MAJOR_VERSION;
    *minorVersion = ACL_MINOR_VERSION;
    *patchVersion = ACL_PATCH_VERSION;
    return TWIN_LEAVE(ACL_SUCCESS);
}

/* Splits "8.5.0-rc.1" into 8, 5, 0 and rc1; what is not there is 0. 100003: fewer than two
 * parts. */
static int32_t split(const char *text, aclCANNPackageVersion *version)
{
    char flat[TWIN_VERSION_BYTES];
    char *parts[PARTS] = {version->majorVersion, version->minorVersion, version->releaseVersion,
                          version->patchVersion};
    size_t used = 0;
    bool stage = false; /* after the first '-' */
    for (; *text; text++) {
        bool dash = *text == '-' && !stage;
        if (stage && *text == '.')
            continue;
        stage = stage || dash;
        flat[used++] = dash ? '.' : *text;
    }
    flat[used] = '\0';

    memset(version, 0, sizeof(*version));
    memcpy(version->version, flat, used + 1);
    char *rest = flat;
    int count = 0;
    for (; count < PARTS && rest; count++) {
        const char *part = strsep(&rest, ".");
        (void)snprintf(parts[count], ACL_PKG_VERSION_PARTS_MAX_SIZE, "%s", part);
        if (*part == '\0')
            break;
    }
    if (count < 2)
        return twin_fail(TWIN_ERR_INVALID_FILE, "\"%s\" is not a version like 8.5.0",
                         version->version);
    for (; count < PARTS; count++)
        memcpy(parts[count], "0", 2);
    return 0;
}

aclError aclsysGetCANNVersion(aclCANNPackageName name, aclCANNPackageVersion *version)
{
    static const char *const packages[] = {
        [ACL_PKG_NAME_CANN] = "runtime",
        [ACL_PKG_NAME_RUNTIME] = "runtime",
        [ACL_PKG_NAME_COMPILER] = "bisheng-compiler",
        [ACL_PKG_NAME_HCCL] = "hccl",
        [ACL_PKG_NAME_TOOLKIT] = "oam-tools",
        [ACL_PKG_NAME_OPP] = "ops-legacy",
        [ACL_PKG_NAME_OPP_KERNEL] = "ops-legacy",
        [ACL_PKG_NAME_DRIVER] = "driver",
    };
    TWIN_ENTER_HOST(LOCAL);
    char text[TWIN_VERSION_BYTES];
    TWIN_NOT_NULL(version);
    if ((int)name < ACL_PKG_NAME_CANN || (int)name > ACL_PKG_NAME_DRIVER)
        return TWIN_LEAVE(twin_fail(TWIN_ERR_ARG_VALUE, "name is %d; 0 to 7 are known", (int)name));
    int32_t code = twin_package_version(packages[name], text);
    return TWIN_LEAVE(code != 0 ? code : split(text, version));
}

aclError aclsysGetVersionStr(char *pkgName, char *versionStr)
{
    TWIN_ENTER_HOST(LOCAL);
    TWIN_NOT_NULL(versionStr, pkgName);
    char text[TWIN_VERSION_BYTES];
    int32_t code = twin_package_version(pkgName, text);
    if (code == 0)
        memcpy(versionStr, text, strlen(text) + 1);
    return TWIN_LEAVE(code);
}

aclError aclsysGetVersionNum(char *pkgName, int32_t *versionNum)
{
    TWIN_ENTER_HOST(LOCAL);
    TWIN_NOT_NULL(versionNum, pkgName);
    char text[TWIN_VERSION_BYTES];
    int32_t code = twin_package_version(pkgName, text);
    return TWIN_LEAVE(code != 0 ? code : twin_version_number(text, versionNum));
}
