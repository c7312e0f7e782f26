/* SPDX-License-Identifier: Apache-2.0 */
/* Two runs of one project that make the folder of their reports at the same time. */
#include "support/cunit_main.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "twinrt/report_file.h"

/* In place of the C library's: another process makes the folder just before. */
int mkdir(const char *path, mode_t mode)
{
    (void)mkdirat(AT_FDCWD, path, mode);
    errno = EEXIST;
    return -1;
}

static void test_folder_of_another(void)
{
    char folder[] = "/tmp/report-file-XXXXXX";
    char reports[sizeof(folder) + 8];
    char path[sizeof(folder) + 24];
    struct report_file file;
    CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(folder));
    (void)snprintf(reports, sizeof(reports), "%s/new", folder);
    (void)snprintf(path, sizeof(path), "%s/report.xml", reports);
    CU_ASSERT_TRUE(report_file_prepare(&file, path));
    CU_ASSERT_PTR_NOT_NULL(report_file_open(&file));
    CU_ASSERT_TRUE(report_file_close(&file, true));
    CU_ASSERT_EQUAL(unlink(path), 0);
    CU_ASSERT_EQUAL(rmdir(reports), 0);
    CU_ASSERT_EQUAL(rmdir(folder), 0);
}

static const twin_test tests[] = {
    {"a folder that another run makes at the same time is taken", test_folder_of_another},
};

int main(int argc, char **argv)
{
    return twin_run_suite("report_file", tests, TWIN_COUNT(tests), argc, argv);
}
