/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the fault suite share. */
#ifndef TWINRT_CONFORMANCE_FAULT_TESTS_H
#define TWINRT_CONFORMANCE_FAULT_TESTS_H

#include "suite.h"
#include "twinrt/fault.h"

/* A fault of that kind with the times and factors that it needs. */
twinrt_fault twin_fault_for(twinrt_fault_kind kind);
uint32_t twin_inject_fault(const twinrt_fault *fault);

/* fault_rows.c */
void test_failed_rows(void);

/* fault_sweep.c */
void test_sweep(void);
void twin_sweep_child(void);

#endif
