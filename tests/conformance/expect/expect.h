/* SPDX-License-Identifier: Apache-2.0 */
/* What a backend does not do. A test is named by its suite and the beginning of its name. */
#ifndef TWINRT_CONFORMANCE_EXPECT_H
#define TWINRT_CONFORMANCE_EXPECT_H

typedef struct twin_exception {
    const char *suite;
    const char *test; /* beginning of the test's name; "" stands for every test of the suite */
    const char *reason;
} twin_exception;

/* Both lists end with a row whose suite is NULL. */
typedef struct twin_exceptions {
    const char *backend;
    const twin_exception *unsupported;   /* for ever: skipped, with the reason printed */
    const twin_exception *known_failing; /* until fixed: run; a pass fails the run */
} twin_exceptions;

extern const twin_exceptions twin_exceptions_ascend;
/* Of the same backend when there is a board below: TWIN_TESTS_ON_BOARD. */
extern const twin_exceptions twin_exceptions_board;
extern const twin_exceptions twin_exceptions_null;
extern const twin_exceptions twin_exceptions_sim;

/* What the part of the model's profile does not offer; ends as the lists above. */
const twin_exception *twin_exceptions_of_part(void);

#endif
