/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the error suite share. */
#ifndef TWINRT_CONFORMANCE_ERROR_TESTS_H
#define TWINRT_CONFORMANCE_ERROR_TESTS_H

/* error_codes.c */
void test_answers_from_below(void);
void test_codes_of_waits(void);
void test_handles_that_are_null(void);

#endif
