/* SPDX-License-Identifier: Apache-2.0 */
/* The functions that a program finds with dlsym: those of the vendor's library for hosts, by the
 * table of recorded functions, and none of those that only the library for the IPV350 has
 * ("c-variant-only"). The program links with such a name all the same. Built with ABI_FUNCTIONS,
 * the path of the table. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "acl/acl.h"
#include "support/cunit_main.h"

#define ABSENT "c-variant-only"

#pragma weak aclrtCreateStreamV2
#pragma weak aclrtCreateStream

/* The cell of that number in a line whose cells end at tabs. */
static const char *cell(char *line, int number)
{
    char *rest = line;
    const char *found = NULL;
    for (int i = 0; i <= number; i++)
        found = strsep(&rest, "\t\n");
    return found ? found : "";
}

/* Looks each recorded function up; answers how many were not as the table says. */
static unsigned look_up(void *library, const char *name, unsigned *out_absent)
{
    char line[4096], again[4096];
    unsigned wrong = 0;
    FILE *table = fopen(ABI_FUNCTIONS, "r");
    CU_ASSERT_PTR_NOT_NULL_FATAL(table);
    *out_absent = 0;
    while (table && fgets(line, sizeof(line), table)) {
        memcpy(again, line, sizeof(again));
        const char *function = cell(line, 1), *file = cell(again, 7);
        if (!strstr(file, ".so") && strcmp(file, ABSENT) != 0)
            continue; /* the title, and templates of C++ */
        const bool absent = strcmp(file, ABSENT) == 0;
        *out_absent += absent;
        if ((dlsym(library, function) == NULL) == absent)
            continue;
        printf("%s: %s is %s\n", name, function, absent ? "there" : "missing");
        wrong++;
    }
    if (table)
        (void)fclose(table);
    return wrong;
}

static void test_looked_up(void)
{
    static const char *const names[] = {"libascendcl.so", "libacl_rt.so"};
    unsigned absent = 0;
    CU_ASSERT_EQUAL(look_up(RTLD_DEFAULT, "the program", &absent), 0);
    CU_ASSERT(absent > 0);
    for (size_t i = 0; i < TWIN_COUNT(names); i++) {
        void *library = dlopen(names[i], RTLD_NOW);
        CU_ASSERT_PTR_NOT_NULL_FATAL(library);
        CU_ASSERT_EQUAL(look_up(library, names[i], &absent), 0);
        if (library)
            dlclose(library);
    }
}

static void test_weak(void)
{
    CU_ASSERT(aclrtCreateStreamV2 == NULL);
    CU_ASSERT(aclrtCreateStream != NULL);
}

static const twin_test tests[] = {
    {"dlsym finds the functions of the vendor's library for hosts, and no others", test_looked_up},
    {"a weak reference to a function that is not there is NULL", test_weak},
};

int main(int argc, char **argv)
{
    /* Never called: it has to link. */
    if (argc > 1000)
        free(aclrtCreateStreamConfigHandle());
    return twin_run_suite("link_only", tests, TWIN_COUNT(tests), argc, argv);
}
