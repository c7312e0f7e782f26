/* SPDX-License-Identifier: Apache-2.0 */
/* Values of the SoC profile that the library under test uses, for times that a test derives. */
#ifndef TWINRT_CONFORMANCE_PROFILE_H
#define TWINRT_CONFORMANCE_PROFILE_H

#include <stdbool.h>
#include <stdint.h>

/* The whole number of a dotted name ("dma.pcie.setup_ns"). Fails the test when there is none. */
uint64_t twin_profile_value(const char *name);
/* Whether the text of a dotted name is this one. Fails the test when there is none. */
bool twin_profile_says(const char *name, const char *text);
/* Whether the profile's part is one of these, a set as in api/functions.h. */
bool twin_profile_is_of(uint32_t parts);
/* Whether the profile's part offers a function: by the table of functions (api/functions.def). */
bool twin_profile_offers(const char *function);
/* Writes that profile with another value for one name to a new file; `file` ends in XXXXXX, as for
 * mkstemp. */
bool twin_profile_variant(char *file, const char *name, uint64_t value);

#endif
