// SPDX-License-Identifier: Apache-2.0
// npu_event_table against the model's EventTable: random operations, every answer compared. Rules
// T-EVT-1 to T-EVT-5, T-EVT-7 to T-EVT-11.
#include <Vnpu_event_table.h>

#include "../../common/bench/table_bench.h"
#include "core/tables/event_table.h"

namespace
{

enum Op : uint8_t { kRead, kWait, kRecord, kClear, kForget, kLoad, kBad };

/// What a run must meet.
namespace met
{
bench::Met released{"queues released (T-EVT-4)"};
bench::Met displaced{"entries met in memory (T-EVT-9)"};
} // namespace met

struct Setting {
    uint32_t ids;
    uint32_t lines;
    bool isolated;
    uint32_t spread; // ids that are used, from all over the table
};

class Bench final : public bench::TableBench<Vnpu_event_table, tsim::EventTable>
{
  public:
    Bench(uint64_t first_seed, const Setting &setting)
        : TableBench(first_seed, setting.ids, BENCH_QUEUES, setting.lines, setting.isolated)
    {
        block.cfg_events_i = setting.ids;
        block.cfg_lines_i =
            setting.isolated ? setting.lines / tsim::EventTable::kParts : setting.lines;
        block.cfg_isolated_i = setting.isolated;
        reset();
        choose_ids(setting.spread);
    }

  private:
    void step(uint32_t id, uint32_t queue) override
    {
        const uint64_t kind = dice.below(100);
        if (kind < 45) { // a queue that waits does nothing else
            if (waits_[queue] == tsim::kNone)
                one(kWait, id, queue);
            else
                one(dice.chance(20) ? kForget : kRead, waits_[queue], queue);
        } else if (kind < 60) {
            one(kRecord, id, 0);
        } else if (kind < 75) {
            one(kClear, id, 0);
        } else if (kind < 85) {
            one(kRead, id, 0);
        } else {
            one(kind < 98 ? kLoad : kBad, id, 0);
        }
    }
    void read(uint32_t id) override { one(kRead, id, 0); }

    void one(Op op, uint32_t id, uint32_t queue)
    {
        static const char *const kNames[] = {"read",   "wait", "record", "clear",
                                             "forget", "load", "bad"};
        operation = kNames[op];
        put(op, id, queue, op == kBad, BENCH_EVENTS, kBad);
        BENCH_EQUAL("passes", "T-EVT-2", block.rsp_pass_o,
                    op == kWait && table_.wait(id, queue, now_));
        if (op == kWait && !block.rsp_pass_o)
            waits_[queue] = id;
        if (op == kRecord) {
            table_.record(id);
            releases(id);
        } else if (op == kClear) {
            table_.clear(id);
        } else if (op == kForget) {
            table_.forget(id, queue);
            waits_[queue] = tsim::kNone;
        } else if (op == kLoad) {
            table_.load(id);
        }
        if (op == kBad)
            BENCH_EQUAL("error", "T-SQE-10", block.rsp_error_o, true);
        else
            compare_entry(id);
        BENCH_EQUAL("last", "T-EVT-4", block.rsp_last_o, true);
        finish();
    }
    void compare_entry(uint32_t id) override
    {
        BENCH_EQUAL("error", "T-SQE-10", block.rsp_error_o, false);
        BENCH_EQUAL("flag", "T-EVT-1", block.rsp_flag_o, table_.flag(id));
        BENCH_EQUAL("pending", "T-EVT-3", block.rsp_pending_o, table_.pending(id));
        BENCH_EQUAL("in memory", "T-EVT-9", block.rsp_in_memory_o, table_.in_memory(id));
        met::displaced(block.rsp_in_memory_o);
    }

    // T-EVT-4: all that wait, in order.
    void releases(uint32_t id)
    {
        const uint32_t first = table_.release(id);
        BENCH_EQUAL("releases a queue", "T-EVT-4", block.rsp_release_o, first != tsim::kNone);
        for (uint32_t queue = first; queue != tsim::kNone;) {
            BENCH_EQUAL("released queue", "T-EVT-4", block.rsp_queue_o, queue);
            waits_[queue] = tsim::kNone;
            met::released();
            queue = table_.release(id);
            BENCH_EQUAL("last", "T-EVT-4", block.rsp_last_o, queue == tsim::kNone);
            if (queue != tsim::kNone) {
                take();
                await();
            }
        }
    }
};

} // namespace

int main(int argc, char **argv)
{
    const uint32_t most = BENCH_EVENTS;
    // All on the chip; few lines; as few as there can be, in parts; an odd number of ids.
    const Setting settings[] = {{most, most, false, 40},
                                {most, 16, false, 120},
                                {most, 32, true, 300},
                                {most - 27, 21, false, 60}};
    return bench::run<Bench>("npu_event_table", settings, argc, argv);
}
