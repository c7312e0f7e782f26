/* SPDX-License-Identifier: Apache-2.0 */
/* Places in this program itself, which is built with debug information, and in libraries. */
#include "support/cunit_main.h"

#include <dlfcn.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "symbolize/symbolize.h"

static struct symbolizer *symbolizer;

/* The site at which its caller is called. */
static __attribute__((noinline)) uintptr_t call_site(void)
{
    return (uintptr_t)__builtin_return_address(0) - 1;
}

static __attribute__((noinline)) uintptr_t known_place(unsigned *out_line)
{
    *out_line = __LINE__ + 1;
    uintptr_t place = call_site();
    __asm__ volatile("" : "+r"(place)); /* no tail call */
    return place;
}

static void look(uintptr_t place, struct symbol *out)
{
    Dl_info info;
    struct link_map *map = NULL;
    CU_ASSERT_NOT_EQUAL_FATAL(dladdr1((void *)place, &info, (void **)&map, RTLD_DL_LINKMAP), 0);
    symbolizer_look(symbolizer, map->l_name[0] ? map->l_name : "/proc/self/exe", NULL, 0,
                    place - map->l_addr, out);
}

static void test_debug_information(void)
{
    struct symbol symbol;
    unsigned line = 0;
    look(known_place(&line), &symbol);
    CU_ASSERT_STRING_EQUAL(symbol.function, "known_place");
    CU_ASSERT_EQUAL(symbol.line, line);
    CU_ASSERT_EQUAL(symbol.file[0], '/');
    const char *name = strrchr(symbol.file, '/');
    CU_ASSERT_STRING_EQUAL(name ? name + 1 : "", "symbolize_test.c");
}

/* Without debug information the table of exported symbols has the function. */
static void test_library(void)
{
    struct symbol symbol;
    look((uintptr_t)dlsym(RTLD_DEFAULT, "CU_add_suite"), &symbol);
    CU_ASSERT_STRING_EQUAL(symbol.function, "CU_add_suite");
}

static void test_nothing_there(void)
{
    struct symbol symbol;
    const char *const paths[] = {"/nowhere", "/proc/self/environ", "", "[vdso]"};
    for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
        symbolizer_look(symbolizer, paths[i], NULL, 0, 0x1000, &symbol);
        CU_ASSERT_TRUE(!symbol.function[0] && !symbol.file[0] && symbol.line == 0);
    }
    symbolizer_look(symbolizer, "/proc/self/exe", NULL, 0, UINT64_MAX, &symbol);
    CU_ASSERT_TRUE(!symbol.function[0] && !symbol.file[0] && symbol.line == 0);
}

/* The pipe has no writer: an open that waits for one would never return. */
static void test_pipe(void)
{
    struct symbol symbol;
    char folder[] = "/tmp/symbolize.XXXXXX";
    char path[sizeof(folder) + 8];
    CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(folder));
    (void)snprintf(path, sizeof(path), "%s/pipe", folder);
    CU_ASSERT_EQUAL(mkfifo(path, 0600), 0);
    symbolizer_look(symbolizer, path, NULL, 0, 0x1000, &symbol);
    CU_ASSERT_TRUE(!symbol.function[0] && !symbol.file[0] && symbol.line == 0);
    (void)unlink(path);
    (void)rmdir(folder);
}

/* A program that was built anew since has its functions elsewhere. */
static void test_other_build(void)
{
    struct symbol symbol;
    unsigned line = 0;
    const char id[20] = "not this one";
    uintptr_t place = known_place(&line);
    Dl_info info;
    struct link_map *map = NULL;
    CU_ASSERT_NOT_EQUAL_FATAL(dladdr1((void *)place, &info, (void **)&map, RTLD_DL_LINKMAP), 0);
    symbolizer_look(symbolizer, "/proc/self/exe", id, sizeof(id), place - map->l_addr, &symbol);
    CU_ASSERT_TRUE(!symbol.function[0] && !symbol.file[0] && symbol.line == 0);
}

static const twin_test tests[] = {
    {"debug information gives function, file and line", test_debug_information},
    {"exported symbols give the function", test_library},
    {"a file that cannot be read gives nothing", test_nothing_there},
    {"a pipe gives nothing, at once", test_pipe},
    {"a file of another build gives nothing", test_other_build},
};

int main(int argc, char **argv)
{
    symbolizer = symbolizer_new();
    const int status =
        symbolizer ? twin_run_suite("symbolize", tests, TWIN_COUNT(tests), argc, argv) : 1;
    symbolizer_free(symbolizer);
    return status;
}
