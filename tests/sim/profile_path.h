/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TWINRT_TESTS_SIM_PROFILE_PATH_H
#define TWINRT_TESTS_SIM_PROFILE_PATH_H

#ifdef __cplusplus
extern "C" {
#endif

/* The file of the shipped profile 910b3, in the sources. */
const char *shipped_profile_path(void);

#ifdef __cplusplus
}
#endif

#endif
