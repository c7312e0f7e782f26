// SPDX-License-Identifier: Apache-2.0
#include "core/base/time_pool.h"

#include <sys/mman.h>

#include <array>
#include <mutex>
#include <new>

namespace tsim
{

namespace
{

constexpr size_t kLine = 64;

/// A free block; the entry is in the block itself.
struct Free {
    Free *next;
};

struct Pool {
    std::mutex lock;
    std::array<Free *, 32> free{}; // by binary logarithm of the entries
    char *next = nullptr;          // rest of the newest chunk
    size_t left = 0;
    unsigned chunks = 0;
};

// Never destroyed: systems may outlive the end of main().
Pool &pool()
{
    static Pool *const the_pool = new Pool;
    return *the_pool;
}

void *map(size_t bytes)
{
    void *at = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at == MAP_FAILED)
        throw std::bad_alloc();
    return at;
}

// Begins at a multiple of its size, as huge pages do.
char *map_chunk()
{
    char *const at = static_cast<char *>(map(2 * TimePool::kChunk));
    const size_t before = -reinterpret_cast<uintptr_t>(at) % TimePool::kChunk;
    if (before != 0)
        munmap(at, before);
    munmap(at + before + TimePool::kChunk, TimePool::kChunk - before);
    return at + before;
}

size_t size_of(uint32_t entries)
{
    return (entries * sizeof(SqeTimes) + kLine - 1) / kLine * kLine;
}

bool has_own_mapping(size_t bytes)
{
    return bytes > TimePool::kChunk / 4;
}

uint32_t class_of(uint32_t entries)
{
    return 31u - static_cast<uint32_t>(__builtin_clz(entries));
}

} // namespace

SqeTimes *TimePool::take(uint32_t entries)
{
    const size_t bytes = size_of(entries);
    if (has_own_mapping(bytes))
        return static_cast<SqeTimes *>(map(bytes));
    Pool &p = pool();
    const std::lock_guard<std::mutex> guard(p.lock);
    Free *&list = p.free[class_of(entries)];
    if (list) {
        Free *const block = list;
        list = block->next;
        return reinterpret_cast<SqeTimes *>(block);
    }
    if (p.left < bytes + kLine) {
        p.next = map_chunk();
        p.left = kChunk;
        if (p.chunks++ != 0)
            (void)madvise(p.next, kChunk, MADV_HUGEPAGE); // without it, it is only slower
    }
    char *const block = p.next;
    p.next += bytes + kLine;
    p.left -= bytes + kLine;
    return reinterpret_cast<SqeTimes *>(block);
}

void TimePool::release(SqeTimes *block, uint32_t entries)
{
    const size_t bytes = size_of(entries);
    if (has_own_mapping(bytes)) {
        munmap(block, bytes);
        return;
    }
    Pool &p = pool();
    const std::lock_guard<std::mutex> guard(p.lock);
    Free *&list = p.free[class_of(entries)];
    list = new (block) Free{list};
}

} // namespace tsim
