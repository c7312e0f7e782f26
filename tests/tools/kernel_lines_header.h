/* SPDX-License-Identifier: Apache-2.0 */
/* A mistake in a header of the user's. */
static inline void add_in_header(twk_ub x)
{
    twk_adds(TWK_FP32, x, x, 1.0, 40); // mistake: header
}
