/* SPDX-License-Identifier: Apache-2.0 */
/* Values of the SoC profile that the library under test uses, for times that a test derives. */
#ifndef TWINRT_CONFORMANCE_PROFILE_H
#define TWINRT_CONFORMANCE_PROFILE_H

#include <stdint.h>

/* The whole number behind a dotted name ("dma.pcie.setup_ns"). Fails the test when there is none. */
uint64_t twin_profile_value(const char *name);

#endif
