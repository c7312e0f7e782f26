/* SPDX-License-Identifier: Apache-2.0 */
/* A class as headers of Ascend C have them, with a mistake of the kernel that calls it. */
#ifndef TWINRT_TESTS_ASCENDC_MISTAKES_H
#define TWINRT_TESTS_ASCENDC_MISTAKES_H

template <typename T>
class Adder
{
  public:
    __aicore__ inline void Add(uint64_t to, uint64_t from)
    {
        vadds((__ubuf__ T *)to, (__ubuf__ T *)from, (T)1, 1, 1, 1, 8, 8); // mistake: in_header
    }
};

#endif
