// SPDX-License-Identifier: Apache-2.0
// npu_notify_table against the model's NotifyTable: random operations, every answer compared. Rules T-NTF-1 to T-NTF-4.
#include <Vnpu_notify_table.h>

#include <algorithm>
#include <vector>

#include "../../common/bench/bench.h"
#include "core/tables/notify_table.h"

namespace
{

enum Op : uint8_t { kRead, kWait, kRecord, kClear, kForget, kBad };

class Bench : public bench::Clocked<Vnpu_notify_table>
{
  public:
    Bench(uint64_t first_seed, uint32_t ids, uint32_t spread)
        : Clocked(first_seed), seed(first_seed), all_(ids), table_(ids, BENCH_QUEUES),
          waits_(BENCH_QUEUES, tsim::kNone)
    {
        block.cfg_notifies_i = ids;
        reset();
        ids_.push_back(ids - 1);
        while (ids_.size() < spread) { // some are neighbours, and share a word of bits
            ids_.push_back(static_cast<uint32_t>(dice.below(ids)));
            if (dice.chance(50))
                ids_.push_back(std::min(ids_.back() ^ 1, ids - 1));
        }
    }

    void run(uint64_t operations)
    {
        for (number = 0; number < operations; ++number) {
            crowd_ = number / 256 % 2 != 0;
            now_ += dice.chance(crowd_ ? 95 : 40) ? 0 : dice.below(3);
            if (number % 4096 == 4095 && dice.chance(30)) {
                reset();
                table_.reset();
                waits_.assign(waits_.size(), tsim::kNone);
            }
            step();
        }
        for (const uint32_t id : ids_)
            one(kRead, id, 0);
    }

    uint64_t number = 0;
    const uint64_t seed;
    const char *operation = "";
    uint64_t released = 0;

  private:
    void step()
    {
        const uint32_t id = ids_[dice.below(crowd_ ? 3 : ids_.size())];
        const auto queue = static_cast<uint32_t>(dice.below(BENCH_QUEUES));
        const uint64_t kind = dice.below(100);
        if (kind < 50) { // whoever waits does nothing else
            if (waits_[queue] == tsim::kNone)
                one(kWait, id, queue);
            else
                one(dice.chance(20) ? kForget : kRead, waits_[queue], queue);
        } else if (kind < 85) {
            one(kRecord, id, 0);
        } else if (kind < 90) {
            one(kClear, id, 0);
        } else {
            one(kind < 98 ? kRead : kBad, id, 0);
        }
    }

    void one(Op op, uint32_t id, uint32_t queue)
    {
        static const char *const kNames[] = {"read", "wait", "record", "clear", "forget", "bad"};
        operation = kNames[op];
        block.req_op_i = op;
        block.req_id_i = id;
        if (op == kBad) { // no such id where the port has room for one, else no such operation
            if (all_ < kMaxIds)
                block.req_id_i = all_ + (dice.chance(50) ? 0 : dice.below(kMaxIds - all_));
            block.req_op_i = all_ < kMaxIds ? dice.below(8) : 5 + dice.below(3);
        }
        block.req_queue_i = queue;
        block.req_now_i = now_;
        request();
        const bool early = dice.chance(20);
        const uint32_t looked = ids_[dice.below(ids_.size())];
        if (early) // the next one waits, with operands of its own
            put_read(looked);
        await();
        BENCH_EQUAL("error", "T-SQE-10", block.rsp_error_o, op == kBad);
        BENCH_EQUAL("passes", "T-NTF-2", block.rsp_pass_o,
                    op == kWait && table_.wait(id, queue, now_));
        const uint32_t next = op == kRecord ? table_.record(id) : tsim::kNone;
        BENCH_EQUAL("releases somebody", "T-NTF-3", block.rsp_release_o, next != tsim::kNone);
        if (next != tsim::kNone) {
            BENCH_EQUAL("released queue", "T-NTF-3", block.rsp_queue_o, next);
            waits_[next] = tsim::kNone;
            ++released;
        }
        if (op == kWait && !block.rsp_pass_o)
            waits_[queue] = id;
        if (op == kClear)
            table_.clear(id);
        if (op == kForget) {
            table_.forget(id, queue);
            waits_[queue] = tsim::kNone;
        }
        if (op != kBad) {
            BENCH_EQUAL("flag", "T-NTF-1", block.rsp_flag_o, table_.flag(id));
            BENCH_EQUAL("pending", "T-NTF-3", block.rsp_pending_o, table_.pending(id));
        }
        BENCH_EQUAL("last", "T-NTF-3", block.rsp_last_o, true);
        take();
        if (early)
            look(looked);
    }

    void put_read(uint32_t id)
    {
        block.req_op_i = kRead;
        block.req_id_i = id;
        block.req_queue_i = dice.below(BENCH_QUEUES);
        block.req_now_i = now_ + dice.below(100);
        press();
    }
    // The read that waited.
    void look(uint32_t id)
    {
        operation = "read that waited";
        taken();
        await();
        BENCH_EQUAL("error", "T-SQE-10", block.rsp_error_o, false);
        BENCH_EQUAL("flag", "T-NTF-1", block.rsp_flag_o, table_.flag(id));
        BENCH_EQUAL("pending", "T-NTF-3", block.rsp_pending_o, table_.pending(id));
        take();
    }

    static constexpr uint32_t kMaxIds = BENCH_NOTIFIES;
    const uint32_t all_;
    tsim::NotifyTable table_;
    std::vector<uint32_t> waits_; // by queue: the id that it waits for
    std::vector<uint32_t> ids_;
    tsim::Cycle now_ = dice.roll() >> 1;
    bool crowd_ = false; // many wait for few ids, in the same cycle
};

} // namespace

int main(int argc, char **argv)
{
    const bench::Options options = bench::options(argc, argv);
    const uint32_t most = BENCH_NOTIFIES;
    uint64_t clocks = 0;
    uint64_t released = 0;
    for (const uint32_t ids : {most, most - 27}) {
        Bench bench(options.seed + clocks, ids, 30);
        bench.run(options.operations / 2);
        clocks += bench.clocks;
        released += bench.released;
        bench.write_coverage(options.coverage);
    }
    if (released == 0) {
        std::printf("FAIL: nobody was released: the run proves nothing\n");
        return 1;
    }
    if (!bench::handshakes.complete())
        return 1;
    std::printf(
        "PASS npu_notify_table: %llu operations, %llu queues released, %llu clocks, seed %llu\n",
        static_cast<unsigned long long>(options.operations),
        static_cast<unsigned long long>(released), static_cast<unsigned long long>(clocks),
        static_cast<unsigned long long>(options.seed));
    return 0;
}
