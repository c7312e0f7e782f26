/* SPDX-License-Identifier: Apache-2.0 */
/* Memory of the program that a device reaches in place: parts of the suite `registered`. */
#ifndef TWINRT_CONFORMANCE_REGISTERED_TESTS_H
#define TWINRT_CONFORMANCE_REGISTERED_TESTS_H

#include "suite.h"

#define PAGE 4096u

/* Zeroed pages of the program. */
void *registered_pages(size_t bytes);
void registered_unmap(void *pages, size_t bytes);
/* Maps them; the device's address. */
void *registered_map(void *pages, size_t bytes);

/* registered_devices.c: several devices. */
void test_two_devices(void);
void test_reset_of_one_device(void);
void test_overlap_of_devices(void);

/* registered_gone.c: pages that change while they are registered. */
void test_unmapped(void);
void test_truncated(void);
void test_moved(void);
void test_protected(void);
void test_read_only(void);
void test_cause_of_another(void);
void test_forked(void);
void test_unregistered_in_flight(void);

#endif
