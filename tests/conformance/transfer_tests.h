/* SPDX-License-Identifier: Apache-2.0 */
/* The tests of the transfer suite that are in other files; transfer_suite.c gives each its
 * sentence. */
#ifndef TWINRT_CONFORMANCE_TRANSFER_TESTS_H
#define TWINRT_CONFORMANCE_TRANSFER_TESTS_H

/* transfer_random.c */
void test_random_arguments(void);
void test_random_words(void);
void test_random_by_address(void);
void test_random_distributions(void);

#endif
