/* SPDX-License-Identifier: Apache-2.0 */
/* Sequences of aclrtSetDevice, aclrtResetDevice and aclrtResetDeviceForce, by one thread and by two. */
#ifndef TWINRT_CONFORMANCE_DEVICE_SEQUENCES_H
#define TWINRT_CONFORMANCE_DEVICE_SEQUENCES_H

void test_reset_sequences(void);
void test_reset_timelines(void);

#endif
