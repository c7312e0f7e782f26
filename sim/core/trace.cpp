// SPDX-License-Identifier: Apache-2.0
#include "core/trace.h"

#include <sys/mman.h>

#include <new>

namespace tsim
{

namespace
{
constexpr size_t kFirstCapacity = 262144;
}

Trace::~Trace()
{
    if (records_)
        munmap(records_, capacity_ * sizeof(*records_));
}

void Trace::grow()
{
    const size_t capacity = capacity_ == 0 ? kFirstCapacity : capacity_ * 2;
    void *at = capacity_ == 0 ? mmap(nullptr, capacity * sizeof(*records_), PROT_READ | PROT_WRITE,
                                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)
                              : mremap(records_, capacity_ * sizeof(*records_),
                                       capacity * sizeof(*records_), MREMAP_MAYMOVE);
    if (at == MAP_FAILED)
        throw std::bad_alloc();
    // Records are written once, in order: huge pages save most of the page faults. A kernel without them says no.
    (void)madvise(at, capacity * sizeof(*records_), MADV_HUGEPAGE);
    records_ = static_cast<twinsim_trace_record *>(at);
    capacity_ = capacity;
}

} // namespace tsim
