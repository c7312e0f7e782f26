/* SPDX-License-Identifier: Apache-2.0 */
/* What a backend does not do. A test is named by its suite and the beginning of its name. */
#ifndef TWINRT_CONFORMANCE_EXPECT_H
#define TWINRT_CONFORMANCE_EXPECT_H

typedef struct twin_exception {
    const char *suite;
    const char *test; /* beginning of the test's name; "": every test of the suite */
    const char *reason;
} twin_exception;

/* Both lists end with a row whose suite is NULL. */
typedef struct twin_exceptions {
    const char *backend;
    const twin_exception *unsupported;   /* for ever: skipped, with the reason printed */
    const twin_exception *known_failing; /* until fixed: run; a pass fails the run */
} twin_exceptions;

/* Each backend has a file <name>.c, which ends with this. */
#define TWIN_EXCEPTIONS(backend)                                                                   \
    const twin_exceptions twin_exceptions_##backend = {#backend, unsupported, known_failing}

/* What the part of the model's profile does not offer; ends as the lists above. */
const twin_exception *twin_exceptions_of_part(void);

/* TWIN_BACKEND_LIST, from backends/CMakeLists.txt, is X(name) for each. Those of `board` are of
 * ascend when there is a board below: TWIN_TESTS_ON_BOARD. */
#define X(backend) extern const twin_exceptions twin_exceptions_##backend;
TWIN_BACKEND_LIST X(board)
#undef X

#endif
