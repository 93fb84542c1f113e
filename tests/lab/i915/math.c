/** @file
 * MI_MATH; see math.h. */
#include "tests/lab/i915/math.h"

#include "tests/lab/i915/registers.h"
#include "tests/lab/i915/streamer.h"

#define REGISTERS 16

/* Operands that are no registers. */
enum operand { SOURCE_A = 0x20, SOURCE_B = 0x21, ACCUMULATOR = 0x31, ZERO_FLAG = 0x32, CARRY_FLAG = 0x33 };

enum opcode {
    NOOP = 0x000,
    LOAD = 0x080,
    LOAD_INVERTED = 0x480,
    LOAD_ZEROS = 0x081,
    LOAD_ONES = 0x481,
    ADD = 0x100,
    SUBTRACT = 0x101,
    AND = 0x102,
    OR = 0x103,
    XOR = 0x104,
    SHIFT_LEFT = 0x105,
    SHIFT_RIGHT = 0x106,
    SHIFT_RIGHT_SIGNED = 0x107,
    STORE = 0x180,
    STORE_INVERTED = 0x580,
};

struct alu {
    uint64_t a, b, accumulator;
    bool zero, carry;
};

static uint64_t
value_of(const struct i915_streamer *streamer, const struct alu *alu, uint32_t operand)
{
    switch (operand) {
    case ACCUMULATOR:
        return alu->accumulator;
    case ZERO_FLAG:
        return alu->zero ? UINT64_MAX : 0;
    case CARRY_FLAG:
        return alu->carry ? UINT64_MAX : 0;
    default:
        return operand < REGISTERS ? i915_register_read64(streamer, streamer->base + I915_GPR + 8 * operand)
                                   : 0;
    }
}

static void
compute(struct i915_streamer *streamer, struct alu *alu, enum opcode opcode)
{
    switch ((unsigned)opcode) {
    case ADD:
        alu->accumulator = alu->a + alu->b;
        alu->carry = alu->accumulator < alu->a;
        break;
    case SUBTRACT:
        alu->accumulator = alu->a - alu->b;
        alu->carry = alu->a < alu->b;
        break;
    case AND:
        alu->accumulator = alu->a & alu->b;
        break;
    case OR:
        alu->accumulator = alu->a | alu->b;
        break;
    case XOR:
        alu->accumulator = alu->a ^ alu->b;
        break;
    case SHIFT_LEFT:
        alu->accumulator = alu->a << (alu->b & 63);
        break;
    case SHIFT_RIGHT:
        alu->accumulator = alu->a >> (alu->b & 63);
        break;
    case SHIFT_RIGHT_SIGNED:
        alu->accumulator = (uint64_t)((int64_t)alu->a >> (alu->b & 63));
        break;
    default:
        i915_streamer_fail(streamer, "an instruction of MI_MATH that the lab does not know", opcode);
    }
    alu->zero = alu->accumulator == 0;
}

static void
execute(struct i915_streamer *streamer, struct alu *alu, uint32_t instruction)
{
    enum opcode opcode = (enum opcode)(instruction >> 20);
    uint32_t first = instruction >> 10 & 0x3ff, second = instruction & 0x3ff;
    uint64_t value = value_of(streamer, alu, second);
    uint64_t *source = first == SOURCE_A ? &alu->a : &alu->b;
    switch ((unsigned)opcode) {
    case NOOP:
        break;
    case LOAD:
        *source = value;
        break;
    case LOAD_INVERTED:
        *source = ~value;
        break;
    case LOAD_ZEROS:
        *source = 0;
        break;
    case LOAD_ONES:
        *source = UINT64_MAX;
        break;
    case STORE:
    case STORE_INVERTED:
        if (first < REGISTERS)
            i915_register_write64(streamer, streamer->base + I915_GPR + 8 * first,
                                  opcode == STORE ? value : ~value);
        break;
    default:
        compute(streamer, alu, opcode);
    }
}

void
i915_math(struct i915_streamer *streamer, const uint32_t *instruction, unsigned count)
{
    struct alu alu = {0};
    for (unsigned i = 0; i < count; i++)
        execute(streamer, &alu, instruction[i]);
}
