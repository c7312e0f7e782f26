// SPDX-License-Identifier: Apache-2.0
/// How the trace packs its entries into words. Written in trace.h and trace.cpp, read in
/// trace_read.cpp.
#ifndef TWINSIM_CORE_TRACE_TRACE_WORDS_H
#define TWINSIM_CORE_TRACE_TRACE_WORDS_H

#include <cstddef>
#include <cstdint>

#include "core/base/types.h"
#include "twinsim.h"

namespace tsim::words
{

// An entry's first word: kind, flags, source, whether the next SQE is meant, and the cycles since
// the entry before it. Other words by kind:
//   head   number << 24 | task id << 8 | SQE type; bits of the number that this drops are in place
//          of the time
//   time   nothing else; wide: the time itself, as the cycles since are too many
//   swap   time since it was asked for; flag: the slots were short
//   begin  time since the arrival | time until it is fetched << 32
//   phases length | parameter << 32 | id << 47;     bytes, if any;     with the flag: waker, its
//   SQE's number; of a
//          transfer: the route; of a slot: the length of swap-out comes on top
//   retire time since the phase began | time since the SQE began << 32;     bytes, if any;
//   flag: it goes on
//   link   of that number, in place of the source: length; parameter | device << 32; bytes per
//          second
//   open   the stream
//   table  as a phase, with the id that it is higher by than in the queue's last one: programs take
//          them in turn
//   whole  the entry
// A wide entry has, in place of that one word, one per value.
inline constexpr uint32_t kTable = 47; // below: a twinsim_phase
inline constexpr uint32_t kHead = 48;
inline constexpr uint32_t kTime = 49;
inline constexpr uint32_t kSwap = 50;
inline constexpr uint32_t kBegin = 51;
inline constexpr uint32_t kRetire = 52;
inline constexpr uint32_t kWhole = 53;
inline constexpr uint32_t kLink = 54;
inline constexpr uint32_t kOpen = 55;
inline constexpr uint32_t kKindMask = 63;
inline constexpr uint32_t kWide = 64;
inline constexpr uint32_t kBytes = 128;
inline constexpr uint32_t kFlag = 256;

// What every DMA task writes fits in a word: the cycles since the entry before it are few, and the
// rest of the word holds
//   swap     time since it was asked for | slot << 17; flag: the slots were short; kBytes: the SQE
//            begins, which arrived when the slot was asked for, and with kWide is read from the
//            ring
//   begin    time since the arrival; flag: it is read from the ring, else it is there
//   engine   length | channel << 16: ENGINE with the flag, else SETUP, for the reason that the
//            engine has
//   transfer length | channel << 16; kBytes: a word follows, as moved() makes it; else it is as of
//   the queue's last one;
//            flag: the link in there carried something for as long
//   retire   time since the SQE began | 1 << 22 if the slot of the last swap is left | 1 << 23 if
//            what was written since the last short swap or begin is the pattern of its queue from
//            now on; kWide: with the write of a CQE; kBytes: as many as in moved(); flag: the share
//            that was taken after decode ends too
//   leave    length of the stay | slot << 17
//   link     length; at the rate of its last entry that has one
// What comes together is put into the word that is there already. And what a queue writes from a
// swap or begin to the retire is mostly what it wrote for the SQE before:
//   repeat   the pattern of the queue, word for word, but for the first one's time and whether the
//            next SQE is meant; kWide: the rest of that word too is as in here; flag: the slot is
//            left
inline constexpr uint32_t kShortSwap = 56;
inline constexpr uint32_t kShortBegin = 57;
inline constexpr uint32_t kShortEngine = 58;
inline constexpr uint32_t kShortTransfer = 59;
inline constexpr uint32_t kShortRetire = 60;
inline constexpr uint32_t kShortLeave = 61;
inline constexpr uint32_t kShortLink = 62;
inline constexpr uint32_t kRepeat = 63;

inline constexpr unsigned kSourceShift = 9;
inline constexpr unsigned kNextShift = 26;
inline constexpr unsigned kTimeShift = 27;
inline constexpr uint32_t kSourceMask = (1u << (kNextShift - kSourceShift)) - 1;
inline constexpr uint64_t kNextBit = uint64_t{1} << kNextShift;
inline constexpr uint64_t kStartMask = kNextBit - 1; // kind, flags, source
inline constexpr uint64_t kQueueMask = uint64_t{kSourceMask} << kSourceShift | kNextBit;
inline constexpr Cycle kTimeLimit = uint64_t{1} << (64 - kTimeShift);
static_assert(kMaxDevices * kMaxQueues == kSourceMask + 1);
static_assert(TWINSIM_PHASE_COUNT <= kTable);

inline constexpr unsigned kShortTimeBits = 13;
inline constexpr unsigned kShortShift = kTimeShift + kShortTimeBits;
inline constexpr unsigned kShortBits = 64 - kShortShift;
inline constexpr unsigned kLengthBits = 16; // of engine and transfer
inline constexpr unsigned kStayBits = 17;   // of leave, and of the wait of swap
inline constexpr unsigned kTaskBits = 22;
inline constexpr uint64_t kLeft = uint64_t{1} << kTaskBits;
inline constexpr uint64_t kPattern = kLeft << 1;
static_assert(kPattern >> kShortBits == 0);

/// The words of an SQE, which a later SQE of the same queue may repeat. Writer and readers keep
/// some, at the same places.
struct Pattern {
    static constexpr size_t kMost = 6;
    static constexpr uint32_t kPlaces = 8;
    size_t count = 0;
    uint64_t words[kMost] = {};
};

inline constexpr unsigned kParameterShift = 32;
inline constexpr unsigned kIdShift = 47;
inline constexpr uint32_t kParameterMask =
    (1u << (kIdShift - kParameterShift)) - 1;                    // all bits: none
inline constexpr uint32_t kIdMask = (1u << (64 - kIdShift)) - 1; // all bits: none

inline constexpr size_t kTraceEntryWords = sizeof(twinsim_trace_entry) / sizeof(uint64_t);
static_assert(kTraceEntryWords * sizeof(uint64_t) == sizeof(twinsim_trace_entry));

[[nodiscard]] constexpr bool fits32(uint64_t value)
{
    return value >> 32 == 0;
}

// As a field of the width of `mask`, where all bits mean kNone.
[[nodiscard]] constexpr bool fits(uint32_t value, uint32_t mask)
{
    return value < mask || value == kNone;
}

[[nodiscard]] constexpr uint32_t widen(uint64_t field, uint32_t mask)
{
    const uint32_t value = static_cast<uint32_t>(field) & mask;
    return value == mask ? kNone : value;
}

/// What a transfer moves, and how, and the link in the same entry: 0 when that does not fit.
[[nodiscard]] constexpr uint64_t moved(uint64_t bytes, uint32_t parameter, uint32_t route,
                                       uint32_t link)
{
    return fits32(bytes) && parameter >> 12 == 0 && route >> 12 == 0 && link >> 8 == 0
               ? bytes << 32 | uint64_t{parameter} << 20 | uint64_t{route} << 8 | link
               : 0;
}

[[nodiscard]] constexpr uint64_t moved_bytes(uint64_t word)
{
    return word >> 32;
}

[[nodiscard]] constexpr uint32_t moved_parameter(uint64_t word)
{
    return static_cast<uint32_t>(word >> 20 & 0xfff);
}

[[nodiscard]] constexpr uint32_t moved_route(uint64_t word)
{
    return static_cast<uint32_t>(word >> 8 & 0xfff);
}

[[nodiscard]] constexpr uint32_t moved_link(uint64_t word)
{
    return static_cast<uint32_t>(word & 0xff);
}

[[nodiscard]] constexpr uint32_t kind_of(uint64_t word)
{
    return static_cast<uint32_t>(word & kKindMask);
}

[[nodiscard]] constexpr uint32_t place_of(uint64_t word)
{
    return static_cast<uint32_t>(word >> kSourceShift) % Pattern::kPlaces;
}

[[nodiscard]] constexpr uint32_t source_of(uint64_t word)
{
    return static_cast<uint32_t>(word >> kSourceShift) & kSourceMask;
}

} // namespace tsim::words

#endif
