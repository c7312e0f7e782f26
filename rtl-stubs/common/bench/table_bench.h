// SPDX-License-Identifier: Apache-2.0
/// What the benches of event and notify table share: queues that wait for ids from all over the
/// table.
#ifndef RTL_STUBS_COMMON_BENCH_TABLE_BENCH_H
#define RTL_STUBS_COMMON_BENCH_TABLE_BENCH_H

#include <algorithm>
#include <vector>

#include "bench.h"
#include "core/base/types.h"

namespace bench
{

/// `Table` is the model's table.
template <typename Block, typename Table>
class TableBench : public Clocked<Block>
{
  public:
    static constexpr bool kRequestsWait = true;

    void run(uint64_t operations)
    {
        for (uint64_t i = 0; i < operations; ++i) {
            this->number = i;
            crowd_ = i / 256 % 2 != 0;
            now_ += dice.chance(crowd_ ? 95 : 40) ? 0 : dice.below(3);
            if (i % 4096 == 4095 && dice.chance(30)) {
                this->reset();
                table_.reset();
                waits_.assign(waits_.size(), tsim::kNone);
            }
            step(ids_[dice.below(crowd_ ? 3 : ids_.size())], this->below(waits_.size()));
        }
        for (const uint32_t id : ids_)
            read(id);
    }

  protected:
    using Clocked<Block>::block;
    using Clocked<Block>::dice;

    template <typename... Arguments>
    TableBench(uint64_t first_seed, uint32_t ids, uint32_t queues, Arguments... table)
        : Clocked<Block>(first_seed), table_(ids, queues, table...), waits_(queues, tsim::kNone)
    {
    }
    /// Chooses so many ids at least; some are neighbours, and share a word of bits.
    void choose_ids(uint32_t spread)
    {
        const uint32_t last = table_.size() - 1;
        ids_.push_back(last);
        while (ids_.size() < spread) {
            ids_.push_back(this->below(table_.size()));
            if (dice.chance(50))
                ids_.push_back(std::min(ids_.back() ^ 1, last));
        }
    }
    virtual void step(uint32_t id, uint32_t queue) = 0;
    virtual void read(uint32_t id) = 0;
    /// Compares what the response says of an entry.
    virtual void compare_entry(uint32_t id) = 0;

    /// Puts an operation on the request port. A bad one has no such id where the port has room for
    /// one, else it is not an operation of the block: those begin with `operations`.
    void put(uint32_t op, uint32_t id, uint32_t queue, bool bad, uint32_t room, uint32_t operations)
    {
        const uint32_t ids = table_.size();
        block.req_op_i = op;
        block.req_id_i = id;
        if (bad && ids < room)
            block.req_id_i = ids + (dice.chance(50) ? 0 : dice.below(room - ids));
        if (bad)
            block.req_op_i = ids < room ? dice.below(8) : operations + dice.below(8 - operations);
        block.req_queue_i = queue;
        block.req_now_i = now_;
        this->request();
        early_ = dice.chance(20);
        looked_ = ids_[dice.below(ids_.size())];
        if (early_) { // a read waits, with its own operands
            block.req_op_i = 0;
            block.req_id_i = looked_;
            block.req_queue_i = this->below(waits_.size());
            block.req_now_i = now_ + dice.below(100);
            this->press();
        }
        this->await();
    }
    /// Takes the response, and that of the read that waited.
    void finish()
    {
        this->take();
        if (!early_)
            return;
        this->operation = "read that waited";
        this->taken();
        this->await();
        compare_entry(looked_);
        this->take();
    }

    Table table_;
    std::vector<uint32_t> waits_; // by queue: the id that it waits for
    std::vector<uint32_t> ids_;
    tsim::Cycle now_ = dice.roll() >> 1;
    bool crowd_ = false; // many wait for few ids, in the same cycle

  private:
    bool early_ = false;
    uint32_t looked_ = 0;
};

} // namespace bench

#endif
