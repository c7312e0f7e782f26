// SPDX-License-Identifier: Apache-2.0
#include "core/engine/l2_cache.h"

#include <algorithm>

namespace tsim
{

namespace
{
constexpr unsigned kTableBits = 16;

unsigned log2_of(uint64_t power)
{
    return static_cast<unsigned>(__builtin_ctzll(power));
}

// A call in builds for any x86-64, so not where every row comes by.
uint64_t bits_of(uint64_t word)
{
    return static_cast<uint64_t>(__builtin_popcountll(word));
}
} // namespace

L2Cache::L2Cache(uint64_t bytes, uint64_t sector)
    : most_(std::max<uint64_t>(bytes / sector, kSectors)), sector_(sector),
      sector_shift_(log2_of(sector)), block_shift_(sector_shift_ + log2_of(kSectors))
{
}

void L2Cache::reset()
{
    blocks_.clear();
    free_.clear();
    std::fill(table_.begin(), table_.end(), kNone);
    held_ = 0;
    oldest_ = newest_ = kNone;
}

uint32_t &L2Cache::chain_of(uint64_t number)
{
    return table_[(number * 0x9e3779b97f4a7c15u) >> (64 - kTableBits)];
}

uint32_t L2Cache::find(uint64_t number) const
{
    uint32_t at = table_[(number * 0x9e3779b97f4a7c15u) >> (64 - kTableBits)];
    while (at != kNone && blocks_[at].number != number)
        at = blocks_[at].next;
    return at;
}

void L2Cache::take_out(uint32_t block)
{
    const Block &b = blocks_[block];
    (b.older == kNone ? oldest_ : blocks_[b.older].newer) = b.newer;
    (b.newer == kNone ? newest_ : blocks_[b.newer].older) = b.older;
}

void L2Cache::put_newest(uint32_t block)
{
    blocks_[block].older = newest_;
    blocks_[block].newer = kNone;
    (newest_ == kNone ? oldest_ : blocks_[newest_].newer) = block;
    newest_ = block;
}

// T-L2-3.
void L2Cache::drop_oldest(Outcome &out)
{
    const uint32_t block = oldest_;
    const Block &b = blocks_[block];
    uint32_t *link = &chain_of(b.number);
    while (*link != block)
        link = &blocks_[*link].next;
    *link = b.next;
    out.returned += bits_of(b.written) * sector_;
    held_ -= bits_of(b.present);
    take_out(block);
    free_.push_back(block);
}

uint32_t L2Cache::add(uint64_t number, Outcome &out)
{
    if (blocks_.size() - free_.size() == kBlocksMost)
        drop_oldest(out);
    uint32_t block;
    if (free_.empty()) {
        block = static_cast<uint32_t>(blocks_.size());
        blocks_.emplace_back();
    } else {
        block = free_.back();
        free_.pop_back();
    }
    Block &b = blocks_[block];
    b = {};
    b.number = number;
    uint32_t &chain = chain_of(number);
    b.next = chain;
    chain = block;
    put_newest(block);
    return block;
}

// T-L2-6.
void L2Cache::queue(Block &block, uint64_t wanted, uint64_t sectors, const Visit &visit,
                    Outcome &out)
{
    const bool waits =
        block.until > visit.now && (block.in_hand & wanted) != 0 && block.user != visit.core;
    const uint64_t served = (waits ? block.until : visit.now) + sectors * visit.each;
    if (waits)
        out.served = std::max(out.served, served);
    else
        block.in_hand = 0;
    block.in_hand |= wanted;
    block.until = served;
    block.user = visit.core;
}

// Bytes `first` to `last` of one block.
void L2Cache::touch(uint64_t number, uint64_t first, uint64_t last, bool write, bool once,
                    const Visit &visit, Outcome &out)
{
    const uint64_t from = first >> sector_shift_, to = last >> sector_shift_;
    const uint64_t count = to - from + 1;
    const uint64_t wanted = (~uint64_t{0} >> (63 - (to - from))) << from;
    uint32_t block = find(number);
    const uint64_t absent = wanted & ~(block == kNone ? 0 : blocks_[block].present);
    const uint64_t sectors = absent == 0 ? 0 : absent == wanted ? count : bits_of(absent);
    uint64_t rest = 0; // of absent sectors, before the first byte and after the last
    if ((absent >> from & 1) != 0)
        rest += first & (sector_ - 1);
    if ((absent >> to & 1) != 0)
        rest += sector_ - 1 - (last & (sector_ - 1));
    const uint64_t miss = sectors * sector_ - rest;
    out.miss += miss;
    out.hit += last - first + 1 - miss;
    if (once) {
        if (block == kNone)
            return;
        if (write)
            blocks_[block].written |= wanted & blocks_[block].present;
        queue(blocks_[block], wanted, count, visit, out);
        return;
    }
    if (!write)
        out.rest += rest;
    if (block == kNone) {
        block = add(number, out);
    } else if (block != newest_) {
        take_out(block);
        put_newest(block);
    }
    queue(blocks_[block], wanted, count, visit, out);
    blocks_[block].present |= wanted;
    if (write)
        blocks_[block].written |= wanted;
    held_ += sectors;
    while (held_ > most_ && oldest_ != block)
        drop_oldest(out);
}

void L2Cache::access(const Rows &rows, bool write, bool once, const Visit &visit, Outcome &out)
{
    if (table_.empty())
        table_.assign(size_t{1} << kTableBits, kNone);
    const uint64_t block = uint64_t{1} << block_shift_;
    for (uint64_t row = 0; row < rows.rows; ++row) {
        const uint64_t before = out.miss;
        uint64_t at = rows.address + row * rows.pitch;
        for (uint64_t left = rows.bytes; left != 0;) {
            const uint64_t inside = at & (block - 1);
            const uint64_t part = std::min(left, block - inside);
            touch(at >> block_shift_, inside, inside + part - 1, write, once, visit, out);
            at += part;
            left -= part;
        }
        out.rows += out.miss != before ? 1 : 0;
    }
}

} // namespace tsim
