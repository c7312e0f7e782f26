// SPDX-License-Identifier: Apache-2.0
/// Jobs whose addresses or parameters are in memory. Rules T-DMA-50 to T-DMA-53, T-RND-1.
#include <cstring>

#include "core/engine/dma.h"
#include "core/engine/system_state.h"

namespace tsim
{

namespace
{

/// What a device reads for itself.
class Reader
{
  public:
    Reader(SystemState &system, uint32_t device) : system_(system), device_(device) {}

    /// 0, or why it was refused.
    [[nodiscard]] uint16_t read(uint64_t address, void *to, uint64_t bytes) const
    {
        const twinsim_bus &bus = system_.bus;
        twinsim_target target = TWINSIM_TARGET_NONE;
        uint32_t owner = device_;
        const void *const from =
            bus.translate(bus.context, device_, address, bytes, TWINSIM_READ, &target, &owner);
        const bool pages = target == TWINSIM_TARGET_HOST_PAGES;
        if (!from || (pages && !bus.host_move(bus.context, to, from, bytes)))
            return system_.refusal();
        if (!pages)
            std::memcpy(to, from, bytes);
        return 0;
    }
    /// A parameter that is a value, or the address of one.
    [[nodiscard]] uint16_t parameter(bool is_value, uint64_t &value, uint32_t bytes) const
    {
        const uint64_t given = value;
        if (!is_value)
            value = 0;
        return is_value ? uint16_t{0} : read(given, &value, bytes);
    }

  private:
    SystemState &system_;
    const uint32_t device_;
};

/// T-RND-1: all that the task names in memory. Its job then has the counter in src and src_row, and
/// the parameters in src_plane and dst_plane.
[[nodiscard]] uint16_t resolve_random(DmaJob &job, const Reader &reader)
{
    const uint32_t function = job.value >> STARS_DSA_FUNCTION_SHIFT & 7;
    const uint32_t type = job.value >> STARS_DSA_TYPE_SHIFT & 7;
    const uint32_t values = job.value >> STARS_DSA_VALUES_SHIFT;
    const bool is_normal = function >= STARS_DSA_NORMAL;
    const uint32_t first = is_normal                       ? STARS_DSA_MEAN
                           : function == STARS_DSA_UNIFORM ? STARS_DSA_MINIMUM
                                                           : STARS_DSA_RATIO;
    const auto is_value = [values](uint32_t parameter) { return (values >> parameter & 1) != 0; };
    uint64_t counter[2] = {0, 0};
    uint64_t given[2] = {0, 0};
    uint16_t status = reader.read(job.src, counter, sizeof(counter));
    if (status == 0)
        status = reader.read(job.src_row, given, sizeof(given));
    const uint32_t bytes = random_element_bytes(type);
    if (status == 0 && bytes != 0)
        status = reader.parameter(is_value(first), given[0], bytes);
    if (status == 0 && bytes != 0 && function != STARS_DSA_DROPOUT)
        status = reader.parameter(is_value(first + 1), given[1], bytes);
    if (status == 0)
        status = reader.parameter(is_value(STARS_DSA_SEED), job.seed, sizeof(job.seed));
    if (status == 0)
        status = reader.parameter(is_value(STARS_DSA_COUNT), job.count, sizeof(job.count));
    if (status != 0)
        return status;
    job.kind = DmaJob::Kind::kRandom;
    job.src = counter[0];
    job.src_row = counter[1];
    job.src_plane = given[0];
    job.dst_plane = given[1];
    job.bytes = (job.value >> STARS_DSA_ALGORITHM_SHIFT & 7) == 0
                    ? random_bytes(function, type, job.count)
                    : 0;
    return job.bytes != 0 ? uint16_t{0} : uint16_t{STARS_STATUS_BAD_SQE};
}

} // namespace

RandomTask random_task(const DmaJob &job)
{
    RandomTask task;
    task.function = job.value >> STARS_DSA_FUNCTION_SHIFT & 7;
    task.type = job.value >> STARS_DSA_TYPE_SHIFT & 7;
    task.counter[0] = job.src;
    task.counter[1] = job.src_row;
    task.seed = job.seed;
    task.first = job.src_plane;
    task.second = job.dst_plane;
    task.count = job.count;
    return task;
}

uint16_t resolve(DmaJob &job, SystemState &system, uint32_t device)
{
    const Reader reader(system, device);
    if (job.kind == DmaJob::Kind::kDsa)
        return resolve_random(job, reader);
    if (job.kind == DmaJob::Kind::kOffsets) {
        uint64_t base[2] = {0, 0};
        uint16_t status = reader.read(job.src, &base[0], sizeof(base[0]));
        if (status == 0)
            status = reader.read(job.dst, &base[1], sizeof(base[1]));
        job.src = base[0] + job.src_row;
        job.dst = base[1] + job.dst_row;
        job.kind = DmaJob::Kind::kCopy;
        return status;
    }
    stars_sqe entry{};
    const uint16_t status = reader.read(job.src, &entry.word[4], STARS_SDMA_DESCRIPTOR_BYTES);
    entry.word[0] = STARS_SQE_SDMA;
    entry.word[4] = job.value;
    if (status != 0)
        return status;
    return decode_job(entry, 0, job) ? uint16_t{0} : uint16_t{STARS_STATUS_BAD_SQE};
}

} // namespace tsim
