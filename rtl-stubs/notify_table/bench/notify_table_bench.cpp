// SPDX-License-Identifier: Apache-2.0
// npu_notify_table against the model's NotifyTable: random operations, every answer compared. Rules
// T-NTF-1 to T-NTF-4.
#include <Vnpu_notify_table.h>

#include "../../common/bench/table_bench.h"
#include "core/tables/notify_table.h"

namespace
{

enum Op : uint8_t { kRead, kWait, kRecord, kClear, kForget, kBad };

/// What a run must meet.
namespace met
{
bench::Met released{"queues released (T-NTF-3)"};
} // namespace met

class Bench final : public bench::TableBench<Vnpu_notify_table, tsim::NotifyTable>
{
  public:
    Bench(uint64_t first_seed, uint32_t ids) : TableBench(first_seed, ids, BENCH_QUEUES)
    {
        block.cfg_notifies_i = ids;
        reset();
        choose_ids(30);
    }

  private:
    void step(uint32_t id, uint32_t queue) override
    {
        const uint64_t kind = dice.below(100);
        if (kind < 50) { // a queue that waits does nothing else
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
    void read(uint32_t id) override { one(kRead, id, 0); }

    void one(Op op, uint32_t id, uint32_t queue)
    {
        static const char *const kNames[] = {"read", "wait", "record", "clear", "forget", "bad"};
        operation = kNames[op];
        put(op, id, queue, op == kBad, BENCH_NOTIFIES, kBad);
        BENCH_EQUAL("passes", "T-NTF-2", block.rsp_pass_o,
                    op == kWait && table_.wait(id, queue, now_));
        const uint32_t next = op == kRecord ? table_.record(id) : tsim::kNone;
        BENCH_EQUAL("releases a queue", "T-NTF-3", block.rsp_release_o, next != tsim::kNone);
        if (next != tsim::kNone) {
            BENCH_EQUAL("released queue", "T-NTF-3", block.rsp_queue_o, next);
            waits_[next] = tsim::kNone;
            met::released();
        }
        if (op == kWait && !block.rsp_pass_o)
            waits_[queue] = id;
        if (op == kClear)
            table_.clear(id);
        if (op == kForget) {
            table_.forget(id, queue);
            waits_[queue] = tsim::kNone;
        }
        if (op == kBad)
            BENCH_EQUAL("error", "T-SQE-10", block.rsp_error_o, true);
        else
            compare_entry(id);
        BENCH_EQUAL("last", "T-NTF-3", block.rsp_last_o, true);
        finish();
    }
    void compare_entry(uint32_t id) override
    {
        BENCH_EQUAL("error", "T-SQE-10", block.rsp_error_o, false);
        BENCH_EQUAL("flag", "T-NTF-1", block.rsp_flag_o, table_.flag(id));
        BENCH_EQUAL("pending", "T-NTF-3", block.rsp_pending_o, table_.pending(id));
    }
};

} // namespace

int main(int argc, char **argv)
{
    const uint32_t ids[] = {BENCH_NOTIFIES, BENCH_NOTIFIES - 27};
    return bench::run<Bench>("npu_notify_table", ids, argc, argv);
}
