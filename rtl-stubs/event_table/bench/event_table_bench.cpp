// SPDX-License-Identifier: Apache-2.0
// npu_event_table against the model's EventTable: random operations, every answer compared. Rules T-EVT-1 to T-EVT-5, T-EVT-7 to T-EVT-11.
#include <Vnpu_event_table.h>

#include <algorithm>
#include <vector>

#include "../../common/bench/bench.h"
#include "core/tables/event_table.h"

namespace
{

enum Op : uint8_t { kRead, kWait, kRecord, kClear, kForget, kLoad, kBad };

struct Setting {
    uint32_t ids;
    uint32_t lines;
    bool isolated;
    uint32_t spread; // ids that are used, from all over the table
};

class Bench : public bench::Clocked<Vnpu_event_table>
{
  public:
    Bench(uint64_t first_seed, const Setting &setting, uint32_t queues)
        : Clocked(first_seed), seed(first_seed), setting_(setting), queues_(queues),
          table_(setting.ids, queues, setting.lines, setting.isolated), waits_(queues, tsim::kNone)
    {
        block.cfg_events_i = setting.ids;
        block.cfg_lines_i =
            setting.isolated ? setting.lines / tsim::EventTable::kParts : setting.lines;
        block.cfg_isolated_i = setting.isolated;
        reset();
        ids_.push_back(setting.ids - 1);
        while (ids_.size() < setting.spread) { // some are neighbours, and share a word of bits
            ids_.push_back(static_cast<uint32_t>(dice.below(setting.ids)));
            if (dice.chance(50))
                ids_.push_back(std::min(ids_.back() ^ 1, setting.ids - 1));
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
    uint64_t displaced = 0;

  private:
    void step()
    {
        const uint32_t id = ids_[dice.below(crowd_ ? 3 : ids_.size())];
        const auto queue = static_cast<uint32_t>(dice.below(queues_));
        const uint64_t kind = dice.below(100);
        if (kind < 45) { // whoever waits does nothing else
            if (waits_[queue] == tsim::kNone)
                one(kWait, id, queue);
            else if (dice.chance(20))
                one(kForget, waits_[queue], queue);
            else
                one(kRead, waits_[queue], queue);
        } else if (kind < 60) {
            one(kRecord, id, 0);
        } else if (kind < 75) {
            one(kClear, id, 0);
        } else if (kind < 85) {
            one(kRead, id, 0);
        } else if (kind < 98) {
            one(kLoad, id, 0);
        } else {
            one(kBad, id, 0);
        }
    }

    void one(Op op, uint32_t id, uint32_t queue)
    {
        static const char *const kNames[] = {"read",   "wait", "record", "clear",
                                             "forget", "load", "bad"};
        operation = kNames[op];
        block.req_op_i = op;
        block.req_id_i = id;
        if (op == kBad) { // no such id where the port has room for one, else no such operation
            if (setting_.ids < kMaxIds)
                block.req_id_i =
                    setting_.ids + (dice.chance(50) ? 0 : dice.below(kMaxIds - setting_.ids));
            block.req_op_i = setting_.ids < kMaxIds ? dice.below(8) : 6 + dice.below(2);
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
        if (op != kBad) {
            BENCH_EQUAL("flag", "T-EVT-1", block.rsp_flag_o, table_.flag(id));
            BENCH_EQUAL("pending", "T-EVT-3", block.rsp_pending_o, table_.pending(id));
            BENCH_EQUAL("in memory", "T-EVT-9", block.rsp_in_memory_o, table_.in_memory(id));
            displaced += block.rsp_in_memory_o;
        }
        BENCH_EQUAL("last", "T-EVT-4", block.rsp_last_o, true);
        take();
        if (early)
            look(looked);
    }

    void put_read(uint32_t id)
    {
        block.req_op_i = kRead;
        block.req_id_i = id;
        block.req_queue_i = dice.below(queues_);
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
        BENCH_EQUAL("flag", "T-EVT-1", block.rsp_flag_o, table_.flag(id));
        BENCH_EQUAL("pending", "T-EVT-3", block.rsp_pending_o, table_.pending(id));
        BENCH_EQUAL("in memory", "T-EVT-9", block.rsp_in_memory_o, table_.in_memory(id));
        BENCH_EQUAL("last", "T-EVT-4", block.rsp_last_o, true);
        take();
    }

    // T-EVT-4: everybody, in order.
    void releases(uint32_t id)
    {
        const uint32_t first = table_.release(id);
        BENCH_EQUAL("releases somebody", "T-EVT-4", block.rsp_release_o, first != tsim::kNone);
        for (uint32_t queue = first; queue != tsim::kNone;) {
            BENCH_EQUAL("released queue", "T-EVT-4", block.rsp_queue_o, queue);
            waits_[queue] = tsim::kNone;
            ++released;
            queue = table_.release(id);
            BENCH_EQUAL("last", "T-EVT-4", block.rsp_last_o, queue == tsim::kNone);
            if (queue != tsim::kNone) {
                take();
                await();
            }
        }
    }

    const Setting setting_;
    const uint32_t queues_;
    static constexpr uint32_t kMaxIds = BENCH_EVENTS;
    tsim::EventTable table_;
    std::vector<uint32_t> waits_; // by queue: the id that it waits for
    std::vector<uint32_t> ids_;
    tsim::Cycle now_ = dice.roll() >> 1;
    bool crowd_ = false; // many wait for few ids, in the same cycle
};

} // namespace

int main(int argc, char **argv)
{
    const bench::Options options = bench::options(argc, argv);
    const uint32_t most = BENCH_EVENTS;
    // All on the chip; few lines; as few as there can be, in parts; an odd number of ids.
    const Setting settings[] = {{most, most, false, 40},
                                {most, 16, false, 120},
                                {most, 32, true, 300},
                                {most - 27, 21, false, 60}};
    uint64_t clocks = 0;
    uint64_t released = 0;
    uint64_t displaced = 0;
    for (const Setting &setting : settings) {
        Bench bench(options.seed + clocks, setting, BENCH_QUEUES);
        bench.run(options.operations / 4);
        clocks += bench.clocks;
        released += bench.released;
        displaced += bench.displaced;
        bench.write_coverage(options.coverage);
    }
    if (released == 0 || displaced == 0) {
        std::printf("FAIL: nothing was released or displaced: the run proves nothing\n");
        return 1;
    }
    if (!bench::handshakes.complete())
        return 1;
    std::printf("PASS npu_event_table: %llu operations, %llu queues released, %llu entries met in "
                "memory, %llu clocks, "
                "seed %llu\n",
                static_cast<unsigned long long>(options.operations),
                static_cast<unsigned long long>(released),
                static_cast<unsigned long long>(displaced), static_cast<unsigned long long>(clocks),
                static_cast<unsigned long long>(options.seed));
    return 0;
}
