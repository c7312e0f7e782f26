/* SPDX-License-Identifier: Apache-2.0 */
/* From sources to a shared object, by the compilers of the host. */
#ifndef TWINRT_TOOLS_CC_BUILD_H
#define TWINRT_TOOLS_CC_BUILD_H

#include <stdbool.h>
#include <stdio.h>

#include "list.h"

struct cc_build {
    const char *output;       /* for the file of dependencies alone */
    const char *dependencies; /* file for them; NULL: none */
    const char *prefix;       /* with include/ and lib64/ */
    struct cc_list cc, cxx;   /* the commands */
    bool cxx_given;           /* by --cxx: no other one is taken */
    struct cc_list sources;   /* .c, and of C++ .cc .cpp .cxx */
    struct cc_list compile;   /* options for both languages */
    struct cc_list compile_c; /* for one of them */
    struct cc_list compile_cxx;
    struct cc_list link;
    bool all_cxx; /* sources are C++ whatever their names */
    bool verbose;
};

/* How clang counts all basic blocks, with loops as they are written. */
#define CC_COUNT_ALL_BLOCKS "-fsanitize-coverage=bb,no-prune,trace-pc"
#define CC_LOOPS_AS_WRITTEN "-fno-unroll-loops -fno-vectorize -fno-slp-vectorize"

bool cc_ends_with(const char *name, const char *end);
/* Links the objects of kernels, with the runtime's part, into `library`; `folder` is for what the
 * linker reads. */
int cc_link_library(const struct cc_build *build, const struct cc_list *compiler,
                    const struct cc_list *objects, const char *folder, const char *library);

/* Whether the name is one of a source; a file by its end. */
bool cc_is_source(const char *name);
/* Compiles and links into `library`, in the empty `folder`. Returns 0, or -1 with a message. */
int cc_build_library(const struct cc_build *build, const char *folder, const char *library);

/* The file of -MF, to which the compilers' own files are appended; NULL: none is wanted. Closing
 * returns `result`, or -1 with a message. */
int cc_open_dependencies(const struct cc_build *build, FILE **out_file);
int cc_close_dependencies(const struct cc_build *build, FILE *file, int result);
int cc_append(FILE *to, const char *path);

#endif
