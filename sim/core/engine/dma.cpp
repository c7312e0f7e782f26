// SPDX-License-Identifier: Apache-2.0
#include "core/engine/dma.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cstring>
#include <utility>
#include <vector>

#include "core/engine/random.h"
#include "core/engine/system_state.h"

namespace tsim
{

DmaPool::DmaPool(uint32_t channels, uint32_t queues, uint64_t seed,
                 std::unique_ptr<DmaPoolRtlPort> rtl_port)
    : channels_(channels), seed_(seed), links_(queues), rtl_port_(std::move(rtl_port))
{
    reset();
}

void DmaPool::reset()
{
    if (rtl_port_)
        rtl_port_->reset();
    free_ = channels_ == 64 ? ~uint64_t{0} : (uint64_t{1} << channels_) - 1;
    first_ = last_ = 0;
}

uint32_t DmaPool::acquire()
{
    if (__builtin_expect(rtl_port_ != nullptr, 0))
        return rtl_port_->acquire();
    if (free_ == 0)
        return kNone;
    uint64_t choice = free_;
    if (seed_ != 0) { // T-TIM-6: any free channel will do
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
    if (__builtin_expect(rtl_port_ != nullptr, 0))
        return rtl_port_->release(channel);
    free_ |= uint64_t{1} << channel;
    if (first_ == 0)
        return kNone;
    const uint32_t queue = first_ - 1u;
    forget(queue);
    return queue;
}

void DmaPool::wait(uint32_t queue)
{
    if (__builtin_expect(rtl_port_ != nullptr, 0))
        return rtl_port_->wait(queue);
    const auto self = static_cast<uint16_t>(queue + 1);
    links_[queue] = {0, last_};
    (last_ == 0 ? first_ : links_[last_ - 1u].next) = self;
    last_ = self;
}

void DmaPool::forget(uint32_t queue)
{
    if (__builtin_expect(rtl_port_ != nullptr, 0))
        return rtl_port_->forget(queue);
    const Link link = links_[queue];
    (link.previous == 0 ? first_ : links_[link.previous - 1u].next) = link.next;
    (link.next == 0 ? last_ : links_[link.next - 1u].previous) = link.previous;
}

namespace
{

[[nodiscard]] uint64_t wide(const stars_sqe &sqe, unsigned word)
{
    return uint64_t{sqe.word[word]} | uint64_t{sqe.word[word + 1]} << 32;
}

/// T-DMA-20: operation and type out of the opcode; every address and length a whole number of
/// elements.
[[nodiscard]] bool decode_reduce(uint32_t opcode, DmaJob &out)
{
    const uint32_t operation = opcode & 0xfu;
    const uint32_t type = opcode >> 4 & 0xfu;
    const uint32_t bytes = reduce_element_bytes(type);
    if (bytes == 0)
        return false;
    out.kind = DmaJob::Kind::kReduce;
    out.op = static_cast<ReduceOp>(operation);
    out.type = static_cast<ReduceType>(type);
    const uint64_t all =
        out.src | out.dst |
        (out.rows == 0 ? out.bytes
                       : out.row | out.src_row | out.dst_row | out.src_plane | out.dst_plane);
    return all % bytes == 0;
}

/// T-DMA-25, T-DMA-26: the short form: a plain length, rows, or planes of rows.
[[nodiscard]] bool decode_short(const stars_sqe &sqe, DmaJob &out)
{
    const uint32_t length = sqe.word[STARS_SDMA_SHORT_LENGTH_WORD];
    const uint32_t mode = sqe.word[4] >> STARS_SDMA_STRIDE_SHIFT & 3u;
    if (mode == STARS_SDMA_STRIDE_NONE) {
        out.bytes = length;
        return true;
    }
    out.row = length;
    out.src_plane = out.dst_plane = 0;
    if (mode == STARS_SDMA_STRIDE_ROWS) {
        out.src_row = sqe.word[13];
        out.dst_row = sqe.word[14];
        out.rows = sqe.word[15];
        out.planes = 1;
    } else if (mode == STARS_SDMA_STRIDE_PLANES) {
        out.planes = sqe.word[7] & 0xffffu;
        out.rows = sqe.word[7] >> 16;
        out.src_plane = sqe.word[10];
        out.src_row = sqe.word[11];
        out.dst = wide(sqe, 13);
        out.dst_row = sqe.word[15];
        out.dst_plane = out.dst_row * out.rows;
    } else {
        return false;
    }
    out.bytes = uint64_t{out.row} * out.rows * out.planes;
    return out.rows != 0 && out.bytes >> STARS_SDMA_SHORT_BYTES_BITS == 0;
}

} // namespace

uint64_t DmaJob::rows_span(bool of_dst) const
{
    return (planes - 1) * (of_dst ? dst_plane : src_plane) +
           (rows - 1) * (of_dst ? dst_row : src_row) + row;
}

namespace
{

/// T-DMA-50, T-DMA-52, T-DMA-54: what differs between the long forms of the SDMA. False: bad.
[[nodiscard]] bool decode_sdma(const stars_sqe &sqe, DmaJob &out)
{
    const uint32_t opcode = sqe.word[4] & 0xffu;
    switch (opcode & 0xfu) {
    case STARS_SDMA_OP_COPY:
        if ((sqe.word[4] & (STARS_SDMA_OFFSETS | STARS_SDMA_SHORT_FORM)) == STARS_SDMA_OFFSETS) {
            out.kind = DmaJob::Kind::kOffsets;
            out.src_row = uint64_t{sqe.word[14] & 0xffffu} << 32 | sqe.word[12];
            out.dst_row = uint64_t{sqe.word[14] >> 16} << 32 | sqe.word[13];
        }
        return true;
    case STARS_SDMA_OP_FILL:
        out.kind = DmaJob::Kind::kFill;
        out.value = opcode >> STARS_SDMA_TYPE_SHIFT == STARS_SDMA_UINT32
                        ? sqe.word[8] // T-DMA-9
                        : fill_pattern(sqe.word[8]);
        return true;
    case STARS_SDMA_OP_PREFETCH:
    case STARS_SDMA_OP_WRITEBACK:
    case STARS_SDMA_OP_INVALIDATE:
    case STARS_SDMA_OP_FLUSH:
        out.kind = DmaJob::Kind::kMaintain;
        out.dst = out.src;
        out.dst_row = out.src_row;
        out.dst_plane = out.src_plane;
        return true;
    case STARS_SDMA_OP_ADD:
    case STARS_SDMA_OP_MAX:
    case STARS_SDMA_OP_MIN:
        return decode_reduce(opcode, out);
    default:
        return false;
    }
}

} // namespace

bool decode_job(const stars_sqe &sqe, uint64_t list_most, DmaJob &out)
{
    // Field by field: to clear all of it costs more than all the rest. Strides count only where
    // there are rows.
    out.src = wide(sqe, 8);
    out.dst = wide(sqe, 10);
    out.kind = DmaJob::Kind::kCopy;
    out.route = kNone;
    out.rows = 0;
    out.made = false;
    out.limit = kNever;
    if ((sqe.word[0] & STARS_W0_TYPE_MASK) == STARS_SQE_DSA) { // T-RND-1
        out.kind = DmaJob::Kind::kDsa;
        out.value = sqe.word[2];
        out.dst = wide(sqe, 4);
        out.src = wide(sqe, 6);
        out.src_row = wide(sqe, 8);
        out.seed = wide(sqe, 10);
        out.count = wide(sqe, 12);
        out.bytes = 0;
        return true;
    }
    if ((sqe.word[0] & STARS_W0_TYPE_MASK) == STARS_SQE_PCIE_DMA) {
        if ((sqe.word[7] & STARS_W7_CONVERTED) != 0) { // T-DMA-40
            out.kind = DmaJob::Kind::kList;
            out.dst = out.bytes = 0;
            out.planes = 1;
            out.src_row = out.dst_row = out.src_plane = out.dst_plane = 0;
            out.src = wide(sqe, 4);
            out.rows = sqe.word[6] & STARS_W6_LIST_TAIL_MASK;
            out.row = kNone;
            return out.rows != 0 && out.rows <= list_most &&
                   out.src % sizeof(stars_dma_descriptor) == 0;
        }
        out.bytes = wide(sqe, 12);
        return out.bytes != 0;
    }
    if (__builtin_expect((sqe.word[3] & STARS_W3_POINTER) != 0, 0)) { // T-DMA-50
        out.kind = DmaJob::Kind::kPointer;
        out.src = uint64_t{sqe.word[5] & 0x1ffffu} << 32 | sqe.word[4];
        out.dst = out.bytes = 0;
        out.value = sqe.word[6] & 0xffu;
        return out.src % STARS_SDMA_DESCRIPTOR_ALIGN == 0;
    }
    out.bytes = sqe.word[7];
    if ((sqe.word[4] & STARS_SDMA_SHORT_FORM) != 0 && !decode_short(sqe, out))
        return false;
    if (out.bytes == 0)
        return false;
    return decode_sdma(sqe, out);
}

bool leads_to(const twinsim_bus &bus, uint32_t device, uint64_t address, uint64_t bytes,
              twinsim_target *target, uint32_t *owner)
{
    if (bus.translate(bus.context, device, address, bytes, TWINSIM_ROUTE, target, owner))
        return true;
    for (uint64_t done = 0; bus.piece && done < bytes;) {
        uint64_t place = 0;
        const uint64_t left = bytes - done;
        const uint64_t piece =
            std::min(bus.piece(bus.context, device, address + done, &place), left);
        twinsim_target piece_target = TWINSIM_TARGET_NONE;
        uint32_t piece_owner = device;
        if (piece == 0 || !bus.translate(bus.context, device, address + done, piece, TWINSIM_ROUTE,
                                         &piece_target, &piece_owner))
            return false;
        if (done == 0) {
            *target = piece_target;
            *owner = piece_owner;
        }
        done += piece;
    }
    return bus.piece != nullptr;
}

uint32_t find_route(const DmaJob &job, const twinsim_bus &bus, const LinkNetwork &links,
                    uint32_t device, bool pcie)
{
    twinsim_target to = TWINSIM_TARGET_NONE;
    uint32_t to_device = device;
    const auto leads = [&](uint64_t address, uint64_t span, uint64_t row, twinsim_target *target,
                           uint32_t *owner) {
        // Rows may be in different allocations: then the first one decides.
        return leads_to(bus, device, address, span, target, owner) ||
               (job.rows != 0 && leads_to(bus, device, address, row, target, owner));
    };
    if (!leads(job.dst, job.dst_span(), job.row, &to, &to_device))
        return kNone;
    if (job.kind == DmaJob::Kind::kFill || job.kind == DmaJob::Kind::kRandom)
        return to == TWINSIM_TARGET_HBM ? links.fill_device(to_device) : links.fill_host(device);
    if (job.kind == DmaJob::Kind::kMaintain) // T-DMA-54
        return to == TWINSIM_TARGET_HBM ? links.fill_device(to_device) : kNone;

    twinsim_target from = TWINSIM_TARGET_NONE;
    uint32_t from_device = device;
    if (!leads(job.src, job.src_span(), job.row, &from, &from_device))
        return kNone;
    // T-LNK-3: without links the SDMA of a device reaches the memory of no other.
    if (!pcie && !links.peers_linked() &&
        ((to == TWINSIM_TARGET_HBM && to_device != device) ||
         (from == TWINSIM_TARGET_HBM && from_device != device)))
        return kNone;
    if (job.kind == DmaJob::Kind::kReduce) {
        if (to != TWINSIM_TARGET_HBM) // T-DMA-24
            return kNone;
        if (from != TWINSIM_TARGET_HBM)
            return links.reduce_from_host(to_device);
        return from_device == to_device ? links.reduce_within(to_device)
                                        : links.reduce_peer(from_device, to_device);
    }
    if (from != TWINSIM_TARGET_HBM)
        return to == TWINSIM_TARGET_HBM ? links.host_to_device(to_device) : links.loop_back(device);
    if (to != TWINSIM_TARGET_HBM)
        return links.device_to_host(from_device);
    return from_device == to_device ? links.within_device(to_device)
                                    : links.peer(from_device, to_device, pcie);
}

namespace
{

/// A range as the bus gives it.
struct Place {
    unsigned char *at; ///< nullptr: not in one piece, or a fault
    bool pages;        ///< for bus.host_move alone
};

[[nodiscard]] Place find_place(const twinsim_bus &bus, uint32_t device, uint64_t address,
                               uint64_t bytes, twinsim_access access)
{
    twinsim_target target = TWINSIM_TARGET_NONE;
    uint32_t owner = device;
    void *const at = bus.translate(bus.context, device, address, bytes, access, &target, &owner);
    return {static_cast<unsigned char *>(at), target == TWINSIM_TARGET_HOST_PAGES};
}

/// T-DMA-9: the last word may be cut. Doubles what is there, which costs as much as a copy.
void fill(unsigned char *dst, uint32_t value, uint64_t bytes)
{
    if (value == fill_pattern(value)) {
        std::memset(dst, static_cast<int>(value & 0xff), bytes);
        return;
    }
    uint64_t done = std::min<uint64_t>(bytes, sizeof(value));
    std::memcpy(dst, &value, done);
    for (uint64_t part = 0; done < bytes; done += part) {
        part = std::min({done, bytes - done, uint64_t{4096}});
        std::memcpy(dst + done, dst, part);
    }
}

void apply_row(const DmaJob &job, void *dst, const void *src, uint64_t bytes)
{
    switch (job.kind) {
    case DmaJob::Kind::kCopy:
        assert(src);
        std::memmove(dst, src, bytes);
        break;
    case DmaJob::Kind::kFill:
        fill(static_cast<unsigned char *>(dst), job.value, bytes);
        break;
    case DmaJob::Kind::kReduce:
        reduce(dst, src, bytes, job.op, job.type);
        break;
    case DmaJob::Kind::kMaintain:
    case DmaJob::Kind::kRandom: // apply_random
    case DmaJob::Kind::kList:   // each descriptor is a job
    case DmaJob::Kind::kPointer:
    case DmaJob::Kind::kOffsets:
    case DmaJob::Kind::kDsa: // resolved by now
        break;
    }
}

/// Fills and random numbers have no source; cache maintenance reads what a fill would write.
[[nodiscard]] bool has_source(const DmaJob &job)
{
    return job.kind != DmaJob::Kind::kFill && job.kind != DmaJob::Kind::kMaintain &&
           job.kind != DmaJob::Kind::kRandom;
}

[[nodiscard]] twinsim_access dst_access(const DmaJob &job)
{
    return job.kind == DmaJob::Kind::kMaintain ? TWINSIM_READ : TWINSIM_WRITE;
}

/// Whether a range is of several pieces, so that it can be there although it is not one.
[[nodiscard]] bool is_split(const twinsim_bus &bus, uint32_t device, uint64_t address,
                            uint64_t bytes)
{
    uint64_t place = 0;
    const uint64_t first = bus.piece ? bus.piece(bus.context, device, address, &place) : 0;
    return first != 0 && first < bytes;
}

/// The effect where pages may be missing. False: one is; a part may have changed.
[[nodiscard]] bool apply_to_pages(const DmaJob &job, const twinsim_bus &bus, const Place &dst,
                                  const Place &src, uint64_t bytes)
{
    const auto move = [&bus](void *to, const void *from, uint64_t count) {
        return bus.host_move && bus.host_move(bus.context, to, from, count);
    };
    if (job.kind == DmaJob::Kind::kMaintain)
        return true;
    if (job.kind == DmaJob::Kind::kCopy)
        return move(dst.at, src.at, bytes);
    alignas(8) std::array<unsigned char, 16384> part;
    for (uint64_t done = 0; done < bytes; done += part.size()) {
        const uint64_t count = std::min<uint64_t>(part.size(), bytes - done);
        if (src.at && !move(part.data(), src.at + done, count))
            return false;
        if (!dst.pages) {
            apply_row(job, dst.at + done, part.data(), count);
            continue;
        }
        fill(part.data(), job.value, count);
        if (!move(dst.at + done, part.data(), count))
            return false;
    }
    return true;
}

/// One row, in the pieces that memory has on both sides; `changes`: false only looks them up.
[[nodiscard, gnu::noinline]] bool apply_pieces(const DmaJob &job, const twinsim_bus &bus,
                                               uint32_t device, uint64_t dst, uint64_t src,
                                               uint64_t bytes, bool changes)
{
    const bool reads = has_source(job);
    const auto piece = [&](uint64_t address, uint64_t left) {
        uint64_t place = 0;
        return bus.piece ? std::min(bus.piece(bus.context, device, address, &place), left) : left;
    };
    for (uint64_t done = 0; done < bytes;) {
        uint64_t count = piece(dst + done, bytes - done);
        if (reads && count != 0)
            count = piece(src + done, count);
        if (count == 0)
            return false;
        const Place to = find_place(bus, device, dst + done, count, dst_access(job));
        const Place from = reads ? find_place(bus, device, src + done, count, TWINSIM_READ)
                                 : Place{nullptr, false};
        if (!to.at || (reads && !from.at))
            return false;
        DmaJob part = job;
        if (const auto cut = static_cast<uint32_t>(done % 4) * 8; !reads && cut != 0)
            part.value = job.value >> cut | job.value << (32 - cut); // T-DMA-9
        if (changes && (to.pages || from.pages)) {
            if (!apply_to_pages(part, bus, to, from, count))
                return false;
        } else if (changes) {
            apply_row(part, to.at, from.at, count);
        }
        done += count;
    }
    return true;
}

/// A plain job whose memory is in pieces, or may go away. What is one piece and was refused stays
/// refused: it is not asked for again.
[[nodiscard, gnu::noinline]] bool apply_split(const DmaJob &job, const twinsim_bus &bus,
                                              uint32_t device, const Place &dst, const Place &src)
{
    const bool reads = has_source(job);
    if (!dst.at && !is_split(bus, device, job.dst, job.bytes))
        return false;
    if (reads && dst.at && !src.at && !is_split(bus, device, job.src, job.bytes))
        return false;
    // All of it is looked up before any of it changes.
    return apply_pieces(job, bus, device, job.dst, job.src, job.bytes, false) &&
           apply_pieces(job, bus, device, job.dst, job.src, job.bytes, true);
}

[[nodiscard]] bool apply_plain(const DmaJob &job, const twinsim_bus &bus, uint32_t device)
{
    const bool reads = has_source(job);
    const Place dst = find_place(bus, device, job.dst, job.bytes, dst_access(job));
    const Place src = reads && dst.at ? find_place(bus, device, job.src, job.bytes, TWINSIM_READ)
                                      : Place{nullptr, false};
    if (__builtin_expect(!dst.at || (reads && !src.at) || dst.pages || src.pages, 0))
        return apply_split(job, bus, device, dst, src);
    apply_row(job, dst.at, src.at, job.bytes);
    return true;
}

/// One side of a job: the address of each row, found at once when the whole span is one piece of
/// memory and no fault can be between rows.
class Side
{
  public:
    Side(const twinsim_bus &bus, uint32_t device, twinsim_access access, uint64_t address,
         uint64_t span, bool apart)
        : bus_(bus), device_(device), access_(access), address_(address),
          whole_(apart ? nullptr : at(address, span))
    {
    }
    [[nodiscard]] Place row(uint64_t offset, uint64_t bytes) const
    {
        if (whole_)
            return {whole_ + offset, false};
        return find_place(bus_, device_, address_ + offset, bytes, access_);
    }

  private:
    [[nodiscard]] unsigned char *at(uint64_t address, uint64_t bytes) const
    {
        const Place place = find_place(bus_, device_, address, bytes, access_);
        return place.pages ? nullptr : place.at;
    }

    const twinsim_bus &bus_;
    const uint32_t device_;
    const twinsim_access access_;
    const uint64_t address_;
    unsigned char *const whole_;
};

[[nodiscard, gnu::noinline]] bool apply_rows(const DmaJob &job, const twinsim_bus &bus,
                                             uint32_t device, bool apart)
{
    const bool reads = has_source(job);
    const Side to(bus, device, dst_access(job), job.dst, job.dst_span(), apart);
    const Side from = reads ? Side(bus, device, TWINSIM_READ, job.src, job.src_span(), apart) : to;
    // Every row is looked up before any changes, so that a fault leaves memory as it was.
    for (const bool changes : {false, true}) {
        for (uint64_t plane = 0; plane < job.planes; ++plane) {
            for (uint64_t i = 0; i < job.rows; ++i) {
                const uint64_t in = plane * job.src_plane + i * job.src_row;
                const uint64_t out = plane * job.dst_plane + i * job.dst_row;
                const Place src = reads ? from.row(in, job.row) : Place{nullptr, false};
                if (reads && !src.at && !is_split(bus, device, job.src + in, job.row))
                    return false;
                const Place dst = to.row(out, job.row);
                if (!dst.at && !is_split(bus, device, job.dst + out, job.row))
                    return false;
                if (!dst.at || (reads && !src.at) || dst.pages || src.pages) {
                    if (!apply_pieces(job, bus, device, job.dst + out, job.src + in, job.row,
                                      changes))
                        return false;
                } else if (changes) {
                    apply_row(job, dst.at, src.at, job.row);
                }
            }
        }
    }
    return true;
}

/// The numbers, made in place, or to be copied to pieces of memory.
[[nodiscard, gnu::noinline]] bool apply_random(const DmaJob &job, const twinsim_bus &bus,
                                               uint32_t device)
{
    const Place dst = find_place(bus, device, job.dst, job.bytes, TWINSIM_WRITE);
    if (dst.at && !dst.pages) {
        make_random(random_task(job), dst.at);
        return true;
    }
    if (!dst.at && !is_split(bus, device, job.dst, job.bytes))
        return false;
    std::vector<unsigned char> made(job.bytes);
    make_random(random_task(job), made.data());
    for (const bool changes : {false, true}) {
        for (uint64_t done = 0; done < job.bytes;) {
            uint64_t place = 0;
            const uint64_t left = job.bytes - done;
            const uint64_t count =
                bus.piece ? std::min(bus.piece(bus.context, device, job.dst + done, &place), left)
                          : left;
            if (count == 0)
                return false;
            const Place to = find_place(bus, device, job.dst + done, count, TWINSIM_WRITE);
            if (!to.at)
                return false;
            if (changes && !to.pages)
                std::memcpy(to.at, made.data() + done, count);
            else if (changes && !bus.host_move(bus.context, to.at, made.data() + done, count))
                return false;
            done += count;
        }
    }
    return true;
}

} // namespace

bool apply(const DmaJob &job, const twinsim_bus &bus, uint32_t device)
{
    return job.is_plain() ? apply_plain(job, bus, device) : apply_rows(job, bus, device, false);
}

// The status is asked for at once: other accesses may come before the task fails (T-FLT-4,
// T-DMA-30).
void apply(DmaJob &job, SystemState &system, uint32_t device)
{
    const bool good = job.kind == DmaJob::Kind::kRandom ? apply_random(job, system.bus, device)
                      : job.is_plain()
                          ? apply_plain(job, system.bus, device)
                          : apply_rows(job, system.bus, device, system.faults.watches_memory());
    job.status = good ? uint16_t{0} : system.refusal();
    if (good && job.kind != DmaJob::Kind::kMaintain)
        system.stored(device, job.dst, job.dst_span());
}

DmaCeiling::DmaCeiling(LinkNetwork &links, const Setting &mb_s)
{
    if (mb_s.value == 0)
        return;
    const uint32_t count = links.plain_route_count();
    for (uint32_t route = 0; route < count; ++route)
        routes_.push_back(links.capped(route, mb_s.value, mb_s.index));
}

} // namespace tsim
