// SPDX-License-Identifier: Apache-2.0
#include "core/queue/cond.h"

#include <cstring>

namespace tsim
{

namespace
{

[[nodiscard]] uint32_t bits(uint32_t word, uint32_t shift, uint32_t width)
{
    return (word >> shift) & ((1u << width) - 1);
}

[[nodiscard]] uint64_t extend(uint64_t value, uint32_t width)
{
    const uint64_t sign = uint64_t{1} << (width - 1);
    return (value ^ sign) - sign;
}

// Shifts keep the sign without leaning on the compiler's choice for negative numbers.
[[nodiscard]] uint64_t shift_signed(uint64_t value, uint32_t by)
{
    const uint64_t moved = value >> by;
    return by != 0 && value >> 63 != 0 ? moved | ~uint64_t{0} << (64 - by) : moved;
}

[[nodiscard]] bool less(uint64_t a, uint64_t b)
{
    return static_cast<int64_t>(a) < static_cast<int64_t>(b);
}

class Machine
{
  public:
    Machine(const stars_sqe &sqe, CondPort &port)
        : port_(port), program_(reinterpret_cast<const uint8_t *>(&sqe.word[STARS_COND_WORD])),
          length_(STARS_COND_WORDS)
    {
    }

    CondResult run(uint64_t limit)
    {
        while (result_.error == 0 && pc_ < length_) {
            if (result_.instructions == limit) {
                fail(STARS_ERROR_TIMEOUT, STARS_STATUS_TASK_TIMEOUT);
                break;
            }
            ++result_.instructions;
            step();
        }
        return result_;
    }

  private:
    void fail(uint8_t error, uint16_t status)
    {
        result_.error = error;
        result_.status = status;
    }
    void bad() { fail(STARS_ERROR_BAD_SQE, STARS_STATUS_BAD_SQE); }
    void fault() { fail(STARS_ERROR_EXCEPTION, STARS_STATUS_BUS_FAULT); }

    // The next word of the program; a program that ends within an instruction is bad.
    uint32_t next()
    {
        uint32_t word = 0;
        if (pc_ < length_)
            std::memcpy(&word, program_ + size_t{4} * pc_, sizeof(word));
        else
            bad();
        ++pc_;
        return word;
    }

    [[nodiscard]] uint64_t get(uint32_t number)
    {
        if (number >= STARS_COND_REGISTERS) {
            bad();
            return 0;
        }
        return register_[number];
    }
    void set(uint32_t number, uint64_t value)
    {
        if (number >= STARS_COND_REGISTERS)
            bad();
        else if (number != 0 && result_.error == 0)
            register_[number] = value;
    }

    [[nodiscard]] uint64_t rs1(uint32_t word) { return get(bits(word, STARS_COND_RS1_SHIFT, 3)); }
    [[nodiscard]] uint64_t rs2(uint32_t word) { return get(bits(word, STARS_COND_RS2_SHIFT, 3)); }
    void set_rd(uint32_t word, uint64_t value) { set(bits(word, STARS_COND_RD_SHIFT, 3), value); }
    [[nodiscard]] static uint32_t function(uint32_t word)
    {
        return bits(word, STARS_COND_FUNCTION_SHIFT, 3);
    }
    [[nodiscard]] static uint64_t immediate(uint32_t word)
    {
        return extend(bits(word, STARS_COND_IMMEDIATE_SHIFT, 12), 12);
    }

    void step()
    {
        const uint32_t word = next();
        switch (bits(word, 0, 7)) {
        case STARS_COND_LOAD:
            if (function(word) != STARS_COND_DOUBLE)
                bad();
            else
                load(word, rs1(word) + immediate(word), STARS_COND_DOUBLE);
            break;
        case STARS_COND_LOAD_ADDRESS: {
            const uint64_t high = bits(word, STARS_COND_HIGH_SHIFT, 17);
            load(word, high << 32 | next(), function(word));
            break;
        }
        case STARS_COND_IMMEDIATE:
            arithmetic_immediate(word);
            break;
        case STARS_COND_REGISTER:
            arithmetic(word);
            break;
        case STARS_COND_STORE:
            store(word);
            break;
        case STARS_COND_VALUE:
            value(word);
            break;
        case STARS_COND_BRANCH:
            branch(word);
            break;
        case STARS_COND_LOOP:
            loop(word);
            break;
        case STARS_COND_QUEUE:
            queue(word);
            break;
        case STARS_COND_CALL:
            call(word);
            break;
        case STARS_COND_CSR:
            control_register(word);
            break;
        default:
            bad();
            break;
        }
    }

    void load(uint32_t word, uint64_t address, uint32_t width)
    {
        const bool is_unsigned = (width & STARS_COND_UNSIGNED) != 0;
        const uint32_t bytes = 1u << (width & 3u);
        if (is_unsigned && bytes == 8)
            bad();
        if (result_.error != 0)
            return;
        ++result_.accesses;
        const void *from = address % bytes == 0 ? port_.read(address, bytes) : nullptr;
        if (!from) {
            fault();
            return;
        }
        if (result_.reads < CondResult::kMostReads)
            result_.read[result_.reads] = {address, bytes};
        ++result_.reads;
        uint64_t value = 0;
        if (bytes == 8) // the host may be storing it just now
            value = __atomic_load_n(static_cast<const uint64_t *>(from), __ATOMIC_RELAXED);
        else
            std::memcpy(&value, from, bytes);
        set_rd(word, is_unsigned || bytes == 8 ? value : extend(value, 8 * bytes));
    }

    void store(uint32_t word)
    {
        const uint32_t width = function(word);
        const uint64_t offset =
            extend(bits(word, STARS_COND_RD_SHIFT, 5) | bits(word, 25, 7) << 5, 12);
        const uint64_t address = rs1(word) + offset;
        const uint64_t value = rs2(word);
        if (width > STARS_COND_DOUBLE)
            bad();
        if (result_.error != 0)
            return;
        ++result_.accesses;
        const uint32_t bytes = 1u << width;
        if (address % bytes != 0 || !port_.write(address, &value, bytes))
            fault();
        else
            result_.changed = true;
    }

    void value(uint32_t word)
    {
        constexpr uint32_t kLowBits = 49;
        constexpr uint64_t kLow = (uint64_t{1} << kLowBits) - 1;
        const uint64_t old = get(bits(word, STARS_COND_RD_SHIFT, 3));
        if (function(word) == STARS_COND_VALUE_TOP) {
            set_rd(word, (old & kLow) | uint64_t{bits(word, STARS_COND_TOP_SHIFT, 15)} << kLowBits);
        } else if (function(word) == STARS_COND_VALUE_LOW) {
            const uint64_t high = bits(word, STARS_COND_HIGH_SHIFT, 17);
            set_rd(word, (old & ~kLow) | high << 32 | next());
        } else {
            bad();
        }
    }

    void arithmetic_immediate(uint32_t word)
    {
        const uint32_t kind = function(word);
        const uint32_t by = bits(word, STARS_COND_IMMEDIATE_SHIFT, 6);
        const uint32_t second = bits(word, 26, 6);
        const uint64_t a = rs1(word);
        if (kind == STARS_COND_SHIFT_LEFT) {
            if (second != 0)
                bad();
            set_rd(word, a << by);
        } else if (kind == STARS_COND_SHIFT_RIGHT) {
            if (second != 0 && second != STARS_COND_SIGNED_CONSTANT)
                bad();
            set_rd(word, second == 0 ? a >> by : shift_signed(a, by));
        } else {
            set_rd(word, combine(kind, a, immediate(word)));
        }
    }

    void arithmetic(uint32_t word)
    {
        const uint32_t kind = function(word);
        const uint32_t second = bits(word, STARS_COND_FUNCTION2_SHIFT, 7);
        const uint64_t a = rs1(word);
        const uint64_t b = rs2(word);
        if (second == 0)
            set_rd(word, combine(kind, a, b));
        else if (kind == STARS_COND_ADD && second == STARS_COND_SUBTRACT)
            set_rd(word, a - b);
        else if (kind == STARS_COND_ADD && second == STARS_COND_MULTIPLY)
            set_rd(word, a * b);
        else if (kind == STARS_COND_SHIFT_RIGHT && second == STARS_COND_SIGNED)
            set_rd(word, shift_signed(a, b & 63));
        else
            bad();
    }

    [[nodiscard]] static uint64_t combine(uint32_t kind, uint64_t a, uint64_t b)
    {
        switch (kind) {
        case STARS_COND_ADD:
            return a + b;
        case STARS_COND_SHIFT_LEFT:
            return a << (b & 63);
        case STARS_COND_LESS:
            return less(a, b) ? 1 : 0;
        case STARS_COND_LESS_UNSIGNED:
            return a < b ? 1 : 0;
        case STARS_COND_XOR:
            return a ^ b;
        case STARS_COND_SHIFT_RIGHT:
            return a >> (b & 63);
        case STARS_COND_OR:
            return a | b;
        default:
            return a & b;
        }
    }

    void jump(uint32_t word)
    {
        const uint64_t to = jump_ << 4 | bits(word, STARS_COND_TARGET_SHIFT, 4);
        if (to > length_)
            bad();
        else
            pc_ = static_cast<uint32_t>(to);
    }

    void branch(uint32_t word)
    {
        const uint64_t a = rs1(word);
        const uint64_t b = rs2(word);
        bool taken = false;
        switch (function(word)) {
        case STARS_COND_EQUAL:
            taken = a == b;
            break;
        case STARS_COND_NOT_EQUAL:
            taken = a != b;
            break;
        case STARS_COND_BELOW:
            taken = less(a, b);
            break;
        case STARS_COND_NOT_BELOW:
            taken = !less(a, b);
            break;
        case STARS_COND_BELOW_UNSIGNED:
            taken = a < b;
            break;
        case STARS_COND_NOT_BELOW_UNSIGNED:
            taken = a >= b;
            break;
        default:
            bad();
            break;
        }
        if (taken && result_.error == 0)
            jump(word);
    }

    void loop(uint32_t word)
    {
        const uint64_t left = rs1(word);
        if (function(word) != 0)
            bad();
        if (left == 0 || result_.error != 0)
            return;
        set(bits(word, STARS_COND_RS1_SHIFT, 3), left - 1);
        result_.delays += bits(word, STARS_COND_DELAY_SHIFT, 13);
        jump(word);
    }

    void queue(uint32_t word)
    {
        const uint32_t kind = function(word);
        const bool by_register = (kind & STARS_COND_BY_REGISTER) != 0;
        uint8_t error = STARS_ERROR_BAD_SQE;
        uint64_t operand = by_register ? rs1(word) : bits(word, STARS_COND_QUEUE_SHIFT, 12);
        switch (kind & 3u) {
        case STARS_COND_GOTO:
            if (!by_register)
                operand = next();
            if (result_.error != 0)
                return;
            error =
                port_.go_to(static_cast<uint32_t>(operand & STARS_COND_GOTO_QUEUE_MASK),
                            static_cast<uint32_t>(operand >> STARS_COND_GOTO_HEAD_SHIFT) & 0xffffu);
            break;
        case STARS_COND_ENABLE:
        case STARS_COND_DISABLE:
            if (result_.error != 0)
                return;
            if (operand < kMaxQueues)
                error =
                    port_.enable(static_cast<uint32_t>(operand), (kind & 3u) == STARS_COND_ENABLE);
            break;
        default:
            break;
        }
        if (error != 0)
            fail(error, error == STARS_ERROR_BAD_SQE ? STARS_STATUS_BAD_SQE : STARS_STATUS_NONE);
        else
            result_.changed = true;
    }

    // The program continues elsewhere and does not come back; a program that was called calls no
    // other.
    void call(uint32_t word)
    {
        const uint64_t address = rs1(word);
        const auto words = static_cast<uint32_t>(rs2(word) & STARS_COND_CALL_LENGTH_MASK);
        if (called_ || function(word) != 0 || words == 0)
            bad();
        if (result_.error != 0)
            return;
        ++result_.accesses;
        const void *from = address % 4 == 0 ? port_.read(address, uint64_t{words} * 4) : nullptr;
        if (!from) {
            fault();
            return;
        }
        called_ = true;
        program_ = static_cast<const uint8_t *>(from);
        length_ = words;
        pc_ = 0;
        jump_ = 0;
    }

    void control_register(uint32_t word)
    {
        const uint64_t by = rs1(word);
        const uint64_t old = jump_;
        if (bits(word, 20, 12) != STARS_COND_CSR_JUMP)
            bad();
        switch (function(word)) {
        case STARS_COND_CSR_WRITE:
            jump_ = by & 0xffffu;
            break;
        case STARS_COND_CSR_SET:
            jump_ |= by & 0xffffu;
            break;
        case STARS_COND_CSR_CLEAR:
            jump_ &= ~by;
            break;
        default:
            bad();
            break;
        }
        set_rd(word, old);
    }

    CondPort &port_;
    const uint8_t *program_;
    uint32_t length_;
    uint32_t pc_ = 0;
    uint64_t jump_ = 0;
    bool called_ = false;
    std::array<uint64_t, STARS_COND_REGISTERS> register_{};
    CondResult result_;
};

} // namespace

CondResult run_cond(const stars_sqe &sqe, uint64_t limit, CondPort &port)
{
    return Machine(sqe, port).run(limit);
}

} // namespace tsim
