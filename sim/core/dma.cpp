// SPDX-License-Identifier: Apache-2.0
#include "core/dma.h"

#include <cstring>

namespace tsim
{

DmaPool::DmaPool(uint32_t channels, uint32_t queues, uint64_t seed)
    : channels_(channels), seed_(seed), links_(queues)
{
    reset();
}

void DmaPool::reset()
{
    free_ = channels_ == 64 ? ~uint64_t{0} : (uint64_t{1} << channels_) - 1;
    first_ = last_ = 0;
}

uint32_t DmaPool::acquire()
{
    if (free_ == 0)
        return kNone;
    uint64_t choice = free_;
    if (seed_ != 0) { // TIM-6: any free channel will do
        auto skip =
            static_cast<uint32_t>(mix(seed_) % static_cast<uint32_t>(__builtin_popcountll(free_)));
        while (skip-- > 0)
            choice &= choice - 1;
    }
    const auto channel = static_cast<uint32_t>(__builtin_ctzll(choice));
    free_ &= ~(uint64_t{1} << channel);
    return channel;
}

uint32_t DmaPool::release(uint32_t channel)
{
    free_ |= uint64_t{1} << channel;
    if (first_ == 0)
        return kNone;
    const uint32_t queue = first_ - 1u;
    forget(queue);
    return queue;
}

void DmaPool::wait(uint32_t queue)
{
    const auto self = static_cast<uint16_t>(queue + 1);
    links_[queue] = {0, last_};
    (last_ == 0 ? first_ : links_[last_ - 1u].next) = self;
    last_ = self;
}

void DmaPool::forget(uint32_t queue)
{
    const Link link = links_[queue];
    (link.previous == 0 ? first_ : links_[link.previous - 1u].next) = link.next;
    (link.next == 0 ? last_ : links_[link.next - 1u].previous) = link.previous;
}

bool decode_job(const stars_sqe &sqe, DmaJob &out)
{
    const auto wide = [&sqe](unsigned i) {
        return uint64_t{sqe.word[i]} | uint64_t{sqe.word[i + 1]} << 32;
    };
    out = {};
    out.src = wide(8);
    out.dst = wide(10);
    if ((sqe.word[0] & STARS_W0_TYPE_MASK) == STARS_SQE_PCIE_DMA) {
        out.bytes = wide(12);
        const bool converted = (sqe.word[7] & 1u) != 0;
        return !converted && out.bytes != 0;
    }
    out.bytes = sqe.word[7];
    const uint32_t operation = sqe.word[4] & 0xfu;
    out.fill = operation == STARS_SDMA_OP_FILL;
    out.value = static_cast<uint8_t>(sqe.word[8]);
    return (operation == STARS_SDMA_OP_COPY || out.fill) && out.bytes != 0;
}

uint32_t find_route(const DmaJob &job, const twinsim_bus &bus, const LinkNetwork &links,
                    uint32_t device, bool pcie)
{
    twinsim_target to = TWINSIM_TARGET_NONE;
    uint32_t to_device = device;
    if (!bus.translate(bus.context, device, job.dst, job.bytes, TWINSIM_ROUTE, &to, &to_device))
        return kNone;
    if (job.fill)
        return to == TWINSIM_TARGET_HBM ? links.fill_device(to_device) : links.fill_host(device);

    twinsim_target from = TWINSIM_TARGET_NONE;
    uint32_t from_device = device;
    if (!bus.translate(bus.context, device, job.src, job.bytes, TWINSIM_ROUTE, &from, &from_device))
        return kNone;
    if (from != TWINSIM_TARGET_HBM)
        return to == TWINSIM_TARGET_HBM ? links.host_to_device(to_device) : links.loop_back(device);
    if (to != TWINSIM_TARGET_HBM)
        return links.device_to_host(from_device);
    return from_device == to_device ? links.within_device(to_device)
                                    : links.peer(from_device, to_device, pcie);
}

bool apply(const DmaJob &job, const twinsim_bus &bus, uint32_t device)
{
    twinsim_target target = TWINSIM_TARGET_NONE;
    uint32_t owner = device;
    const void *src = nullptr;
    if (!job.fill) {
        src = bus.translate(bus.context, device, job.src, job.bytes, TWINSIM_READ, &target, &owner);
        if (!src)
            return false;
    }
    void *dst =
        bus.translate(bus.context, device, job.dst, job.bytes, TWINSIM_WRITE, &target, &owner);
    if (!dst)
        return false;
    if (job.fill)
        std::memset(dst, job.value, job.bytes);
    else
        std::memmove(dst, src, job.bytes);
    return true;
}

} // namespace tsim
