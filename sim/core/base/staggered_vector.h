// SPDX-License-Identifier: Apache-2.0
/// Memory for arrays that have an entry per queue each. Not a rule of the model: a processor
/// compares addresses by their place in a page before it knows better, so that a store to one array
/// holds up a load from another at the same place.
#ifndef TWINSIM_CORE_BASE_STAGGERED_VECTOR_H
#define TWINSIM_CORE_BASE_STAGGERED_VECTOR_H

#include <cstddef>
#include <new>
#include <vector>

/// Of the library that valgrind puts into every process.
extern "C" void _vgnU_freeres() __attribute__((weak));

namespace tsim
{

/// Memory that begins `kAt` bytes into a page, so that arrays with different ones do not meet in
/// their first entries.
template <typename T, size_t kAt>
class StaggeredVector
{
    static constexpr size_t kPage = 4096;
    static_assert(kAt < kPage && kAt % alignof(T) == 0);
    /// Valgrind takes memory for lost when only its middle is pointed at.
    static size_t shift() { return &_vgnU_freeres ? 0 : kAt; }

  public:
    using value_type = T;
    template <typename U>
    struct rebind {
        using other = StaggeredVector<U, kAt>;
    };

    StaggeredVector() = default;
    template <typename U>
    explicit StaggeredVector(const StaggeredVector<U, kAt> &)
    {
    }
    [[nodiscard]] T *allocate(size_t count)
    {
        void *const page = ::operator new (count * sizeof(T) + kAt, std::align_val_t{kPage});
        void *const at = static_cast<char *>(page) + shift();
        return static_cast<T *>(at);
    }
    void deallocate(T *at, size_t)
    {
        ::operator delete (reinterpret_cast<char *>(at) - shift(), std::align_val_t{kPage});
    }
    friend bool operator==(const StaggeredVector &, const StaggeredVector &) { return true; }
    friend bool operator!=(const StaggeredVector &, const StaggeredVector &) { return false; }
};

/// Fixed once it is made.
template <typename T, size_t kAt>
using ApartVector = std::vector<T, StaggeredVector<T, kAt>>;

} // namespace tsim

#endif
