/* SPDX-License-Identifier: Apache-2.0 */
/* Versions, and the log of programs. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "facts_tests.h"
#include "suite.h"

/* ---- versions -------------------------------------------------------------------------------- */

void test_interface_version(void)
{
    int32_t major = -1, minor = -1, patch = -1;
    CHECK_CODE(aclrtGetVersion(NULL, &minor, &patch), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtGetVersion(&major, NULL, &patch), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtGetVersion(&major, &minor, NULL), ACL_ERROR_INVALID_PARAM);
    CHECK(major == -1 && minor == -1 && patch == -1);
    CHECK_OK(aclrtGetVersion(&major, &minor, &patch));
    CHECK_EQUAL(major, ACL_MAJOR_VERSION);
    CHECK_EQUAL(minor, ACL_MINOR_VERSION);
    CHECK_EQUAL(patch, ACL_PATCH_VERSION);
}

static char home[64];

/* A folder like that of an installation, with this text for one package. */
static void install(const char *package, const char *text)
{
    char path[160];
    snprintf(home, sizeof(home), "/tmp/twinrt-home-XXXXXX");
    if (!mkdtemp(home))
        abort();
    snprintf(path, sizeof(path), "%s/share", home);
    mkdir(path, 0700);
    snprintf(path, sizeof(path), "%s/share/info", home);
    mkdir(path, 0700);
    snprintf(path, sizeof(path), "%s/share/info/%s", home, package);
    mkdir(path, 0700);
    snprintf(path, sizeof(path), "%s/share/info/%s/version.info", home, package);
    FILE *file = fopen(path, "w");
    if (!file)
        abort();
    fputs(text, file);
    fclose(file);
}

static void uninstall(const char *package)
{
    char path[160];
    snprintf(path, sizeof(path), "%s/share/info/%s/version.info", home, package);
    unlink(path);
    snprintf(path, sizeof(path), "%s/share/info/%s", home, package);
    rmdir(path);
    snprintf(path, sizeof(path), "%s/share/info", home);
    rmdir(path);
    snprintf(path, sizeof(path), "%s/share", home);
    rmdir(path);
    rmdir(home);
}

/* What the parent has set; never NULL. */
static const char *setting(const char *name)
{
    const char *text = getenv(name);
    return text ? text : "";
}

/* Asks for the package in VERSION_PACKAGE and compares with VERSION_TEXT and VERSION_NUMBER. */
void child_version(void)
{
    char *package = getenv("VERSION_PACKAGE");
    char text[ACL_PKG_VERSION_MAX_SIZE] = "";
    int32_t number = -1;
    CHECK_OK(aclsysGetVersionStr(package, text));
    CHECK(strcmp(text, setting("VERSION_TEXT")) == 0);
    long want = strtol(setting("VERSION_NUMBER"), NULL, 10);
    if (want == 0) {
        CHECK_CODE(aclsysGetVersionNum(package, &number), ACL_ERROR_INTERNAL_ERROR);
        CHECK_EQUAL(number, -1);
    } else {
        CHECK_OK(aclsysGetVersionNum(package, &number));
        CHECK_EQUAL(number, want);
    }
}

void test_package_version(void)
{
    static const struct {
        const char *file, *text, *number;
    } rows[] = {
        {"Version=8.5.0\n", "8.5.0", "80500000"},
        {"Name=x\nversion_dir=8.4\nVersion=9.12.3 \r\nTimestamp=1\n", "9.12.3", "91203000"},
        {"Version=8.5.0-beta.2\n", "8.5.0-beta.2", "80499802"},
        {"Version=8.5.0.alpha001\n", "8.5.0.alpha001", "80499701"},
        {"Version=8.5.1.RC1", "8.5.1.RC1", "80500901"},
        {"Version=8.5.0rc\n", "8.5.0rc", "80499900"},
        {"Version=8.5\n", "8.5", "0"},
        {"Version=8.0.RC1\n", "8.0.RC1", "0"},
        {"Version=8.5.0-rc..1\n", "8.5.0-rc..1", "0"},
        {"Version=8.5.0-rc.1x\n", "8.5.0-rc.1x", "0"},
        {"Version=8.5.0-final\n", "8.5.0-final", "0"},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        char where[96], text[64], number[64];
        install("my-package", rows[i].file);
        snprintf(where, sizeof(where), "ASCEND_HOME_PATH=%s", home);
        snprintf(text, sizeof(text), "VERSION_TEXT=%s", rows[i].text);
        snprintf(number, sizeof(number), "VERSION_NUMBER=%s", rows[i].number);
        /* Every other time by its other name. */
        const char *package =
            i % 2 == 0 ? "VERSION_PACKAGE=my-package" : "VERSION_PACKAGE=my_package";
        twin_run_child("version", (const char *const[]){where, package, text, number, NULL});
        uninstall("my-package");
    }
}

void child_cann_version(void)
{
    aclCANNPackageVersion version;
    memset(&version, 'x', sizeof(version));
    CHECK_OK(aclsysGetCANNVersion(ACL_PKG_NAME_CANN, &version));
    CHECK(strcmp(version.version, "8.5.0.rc1") == 0);
    CHECK(strcmp(version.majorVersion, "8") == 0);
    CHECK(strcmp(version.minorVersion, "5") == 0);
    CHECK(strcmp(version.releaseVersion, "0") == 0);
    CHECK(strcmp(version.patchVersion, "rc1") == 0);
    CHECK_OK(aclsysGetCANNVersion(ACL_PKG_NAME_RUNTIME, &version));
    CHECK_CODE(aclsysGetCANNVersion(ACL_PKG_NAME_HCCL, &version), ACL_ERROR_INVALID_FILE);
    CHECK_CODE(aclsysGetCANNVersion(ACL_PKG_NAME_DRIVER, &version), ACL_ERROR_INVALID_FILE);
}

void test_cann_version(void)
{
    char where[96];
    install("runtime", "Version=8.5.0-rc.1\n");
    snprintf(where, sizeof(where), "ASCEND_HOME_PATH=%s", home);
    twin_run_child("cann_version", (const char *const[]){where, NULL});
    uninstall("runtime");
}

void child_no_version(void)
{
    char package[] = "runtime", outside[] = "../runtime";
    char text[ACL_PKG_VERSION_MAX_SIZE] = "";
    int32_t number = -1;
    aclCANNPackageVersion version;
    CHECK_CODE(aclsysGetCANNVersion(ACL_PKG_NAME_CANN, NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclsysGetCANNVersion((aclCANNPackageName)8, &version), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclsysGetVersionStr(NULL, text), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclsysGetVersionStr(package, NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclsysGetVersionNum(NULL, &number), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclsysGetVersionNum(package, NULL), ACL_ERROR_INVALID_PARAM);

    CHECK_CODE(aclsysGetCANNVersion(ACL_PKG_NAME_CANN, &version), ACL_ERROR_INVALID_FILE);
    CHECK_CODE(aclsysGetVersionStr(package, text), ACL_ERROR_INVALID_FILE);
    CHECK_CODE(aclsysGetVersionStr(outside, text), ACL_ERROR_INVALID_FILE);
    CHECK_CODE(aclsysGetVersionNum(package, &number), ACL_ERROR_INVALID_FILE);
    const char *message = aclGetRecentErrMsg();
    CHECK(message && strstr(message, "ASCEND_HOME_PATH"));
    CHECK(text[0] == '\0' && number == -1);
}

void test_no_version(void)
{
    twin_run_child("no_version", (const char *const[]){"ASCEND_HOME_PATH=", NULL});
}

/* ---- the log --------------------------------------------------------------------------------- */

static char written[8192];
static int real_stderr = -1;
static FILE *caught;

static void catch_begin(void)
{
    caught = tmpfile();
    if (!caught)
        abort();
    real_stderr = dup(STDERR_FILENO);
    dup2(fileno(caught), STDERR_FILENO);
}

/* What was written to standard error since catch_begin. */
static const char *catch_end(void)
{
    dup2(real_stderr, STDERR_FILENO);
    close(real_stderr);
    rewind(caught);
    size_t length = fread(written, 1, sizeof(written) - 1, caught);
    written[length] = '\0';
    fclose(caught);
    return written;
}

/* The levels from LOG_LEAST upwards appear. */
void child_log_levels(void)
{
    static const char *const names[] = {"debug", "info", "warning", "error"};
    long least = strtol(setting("LOG_LEAST"), NULL, 10);
    for (int level = 0; level < 4; level++) {
        char want[128] = "";
        if (level >= least)
            snprintf(want, sizeof(want), "twinrt: %s: %ld work:here.c:7: \"3 apples\"\n",
                     names[level], syscall(SYS_gettid));
        catch_begin();
        aclAppLog((aclLogLevel)level, "work", "here.c", 7, "%d %s", 3, "apples");
        CHECK(strcmp(catch_end(), want) == 0);
    }
}

void test_log_levels(void)
{
    static const char *const rows[][2] = {
        {"ASCEND_GLOBAL_LOG_LEVEL=0", "LOG_LEAST=0"}, {"ASCEND_GLOBAL_LOG_LEVEL=1", "LOG_LEAST=1"},
        {"ASCEND_GLOBAL_LOG_LEVEL=2", "LOG_LEAST=2"}, {"ASCEND_GLOBAL_LOG_LEVEL=3", "LOG_LEAST=3"},
        {"ASCEND_GLOBAL_LOG_LEVEL=4", "LOG_LEAST=4"}, {"ASCEND_GLOBAL_LOG_LEVEL=5", "LOG_LEAST=3"},
        {"ASCEND_GLOBAL_LOG_LEVEL=", "LOG_LEAST=3"},  {"TWINRT_LOG=debug", "LOG_LEAST=3"},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        twin_run_child("log_levels", (const char *const[]){rows[i][0], rows[i][1], NULL});
}

void test_log_refusals(void)
{
    catch_begin();
    aclAppLog(ACL_ERROR, NULL, "here.c", 7, "text");
    aclAppLog(ACL_ERROR, "work", NULL, 7, "text");
    aclAppLog(ACL_ERROR, "work", "here.c", 7, NULL);
    CHECK(catch_end()[0] == '\0');
}

#define RECORD 1024

void test_log_is_cut(void)
{
    static const char mark[] = "...[truncated]";
    static char text[3 * RECORD];
    static const char level[] = "twinrt: error: ";
    for (size_t length = RECORD - 100; length < RECORD + 100; length++) {
        memset(text, 'a', length);
        text[length] = '\0';
        catch_begin();
        aclAppLog(ACL_ERROR, "f", "g", 1, "%s", text);
        const char *got = catch_end() + sizeof(level) - 1;
        char head[64];
        int before = snprintf(head, sizeof(head), "%ld f:g:1: \"", syscall(SYS_gettid));
        size_t whole = (size_t)before + length + 1; /* and the closing quote */
        size_t bytes = strcspn(got, "\n");
        bool cut = bytes >= sizeof(mark) &&
                   strncmp(got + bytes - (sizeof(mark) - 1), mark, sizeof(mark) - 1) == 0;
        CHECK_EQUAL(bytes, whole < RECORD ? whole : RECORD - 1);
        CHECK_EQUAL(cut, whole >= RECORD);
    }
    catch_begin();
    memset(text, 'b', sizeof(text) - 1);
    aclAppLog(ACL_ERROR, text, "g", 1, "%s", "x");
    CHECK(strstr(catch_end(), mark) != NULL);
}
