/** @file
 * MI commands; see mi.h. Encodings are those of Intel's Programmer's Reference Manuals and of Mesa's genxml.
 */
#include "tests/lab/i915/mi.h"

#include <i915_drm.h>

#include "tests/lab/i915/device.h"
#include "tests/lab/i915/math.h"
#include "tests/lab/i915/oa.h"
#include "tests/lab/i915/perf.h"
#include "tests/lab/i915/registers.h"
#include "tests/lab/i915/streamer.h"
#include "tests/lab/report.h"

enum opcode {
    MI_NOOP = 0x00,
    MI_SET_PREDICATE = 0x01,
    MI_USER_INTERRUPT = 0x02,
    MI_WAIT_FOR_EVENT = 0x03,
    MI_ARB_CHECK = 0x05,
    MI_RS_CONTROL = 0x06,
    MI_REPORT_HEAD = 0x07,
    MI_ARB_ON_OFF = 0x08,
    MI_BATCH_BUFFER_END = 0x0a,
    MI_PREDICATE = 0x0c,
    MI_TOPOLOGY_FILTER = 0x0d,
    MI_SET_APPID = 0x0e,
    MI_RS_CONTEXT = 0x0f,
    MI_MATH = 0x1a,
    MI_SEMAPHORE_WAIT = 0x1c,
    MI_STORE_DATA_IMM = 0x20,
    MI_LOAD_REGISTER_IMM = 0x22,
    MI_STORE_REGISTER_MEM = 0x24,
    MI_FLUSH_DW = 0x26,
    MI_REPORT_PERF_COUNT = 0x28,
    MI_LOAD_REGISTER_MEM = 0x29,
    MI_LOAD_REGISTER_REG = 0x2a,
    MI_COPY_MEM_MEM = 0x2e,
    MI_ATOMIC = 0x2f,
    MI_BATCH_BUFFER_START = 0x31,
    MI_CONDITIONAL_BATCH_BUFFER_END = 0x36,
};

static enum opcode
opcode_of(uint32_t head)
{
    return (enum opcode)(head >> 23 & 0x3f);
}

unsigned
i915_mi_length(uint32_t head)
{
    return opcode_of(head) < 0x10 ? 1 : (head & 0xff) + 2;
}

/* An address has one word before generation 8, and two since then. */
static unsigned
address_words(void)
{
    return i915.gpu->verx10 < 80 ? 1 : 2;
}

static uint64_t
address_of(const uint32_t *word)
{
    return (word[0] & ~3u) | (address_words() == 2 ? (uint64_t)(word[1] & 0xffff) << 32 : 0);
}

/* A register's number; from generation 11 on, a bit of the command makes it relative to the engine. */
static uint32_t
register_of(const struct i915_streamer *streamer, uint32_t head, uint32_t word, unsigned relative_bit)
{
    uint32_t at = word & 0x7ffffc;
    return head >> relative_bit & 1 && i915.gpu->verx10 >= 110 && at < 0x2000 ? at + streamer->base : at;
}

static bool
predicate(const struct i915_streamer *streamer)
{
    return i915_register_read(streamer, streamer->base + I915_PREDICATE_RESULT) & 1;
}

static void
load_immediates(struct i915_streamer *streamer, const uint32_t *command, unsigned length)
{
    for (unsigned i = 1; i + 1 < length; i += 2)
        i915_register_write(streamer, register_of(streamer, command[0], command[i], 19), command[i + 1]);
}

static void
store_register(struct i915_streamer *streamer, const uint32_t *command)
{
    uint32_t at = register_of(streamer, command[0], command[1], 19);
    uint64_t to = address_of(command + 2);
    uint32_t value = i915_register_read(streamer, at);
    if (command[0] >> 21 & 1 && !predicate(streamer))
        return;
    i915_streamer_store(streamer, to, value, 4);
    lab_log("register number=0x%x address=0x%llx value=%u", at, (unsigned long long)to, value);
}

static void
load_register(struct i915_streamer *streamer, const uint32_t *command)
{
    const uint32_t *from = i915_streamer_memory(streamer, address_of(command + 2), 4);
    if (from)
        i915_register_write(streamer, register_of(streamer, command[0], command[1], 19), *from);
}

static void
store_data(struct i915_streamer *streamer, const uint32_t *command, unsigned length)
{
    uint64_t to = address_of(command + 3 - address_words());
    unsigned size = length == 5 ? 8 : 4;
    uint64_t value = command[3] | (length == 5 ? (uint64_t)command[4] << 32 : 0);
    i915_streamer_store(streamer, to, value, size);
    lab_log("store address=0x%llx value=%llu", (unsigned long long)to, (unsigned long long)value);
}

static void
copy_memory(struct i915_streamer *streamer, const uint32_t *command)
{
    const uint32_t *from = i915_streamer_memory(streamer, address_of(command + 3), 4);
    if (from)
        i915_streamer_store(streamer, address_of(command + 1), *from, 4);
}

/* Of the atomic operations, those that only write. */
static void
write_atomically(struct i915_streamer *streamer, const uint32_t *command, unsigned length)
{
    enum { MOVE_4 = 0x04, MOVE_8 = 0x24 };
    unsigned operation = command[0] >> 8 & 0xff;
    if ((operation != MOVE_4 && operation != MOVE_8) || !(command[0] >> 18 & 1) || length < 7) {
        i915_streamer_fail(streamer, "an MI_ATOMIC that the lab does not know", command[0]);
        return;
    }
    uint64_t value = command[3] | (uint64_t)command[5] << 32;
    i915_streamer_store(streamer, address_of(command + 1), value, operation == MOVE_8 ? 8 : 4);
}

/* Generation 12 counts A for each context; its B and C counters are not in these reports, whose words hold no
 * values. */
static void
report_counters(struct i915_streamer *streamer, const uint32_t *command)
{
    uint64_t to = address_of(command + 1) | (command[1] & 2);
    uint64_t format = i915_perf_format();
    uint32_t id = command[1 + address_words()];
    bool per_context = i915.gpu->verx10 >= 120;
    if (to & 63) {
        i915_streamer_fail(streamer, "MI_REPORT_PERF_COUNT: the address is not aligned to 64 bytes", to);
        return;
    }
    if (!format) {
        i915_streamer_fail(streamer, "MI_REPORT_PERF_COUNT hangs while the OA unit is off", to);
        return;
    }
    uint32_t *report = i915_streamer_memory(streamer, to, I915_OA_BYTES);
    const struct i915_counts *counts = i915_perf_counts(streamer->context);
    if (!report)
        return;
    i915_oa_report(report, format, id, streamer->context->hardware_id, counts);
    for (unsigned i = 48; per_context && i < 64; i++)
        report[i] = (uint32_t)i915_ticks() * (2 * i + 1);
    lab_log("report address=0x%llx id=%u clock=%llu cycles=%llu vertices=%llu", (unsigned long long)to, id,
            (unsigned long long)i915_ticks(), (unsigned long long)i915_core_cycles(i915.units),
            (unsigned long long)counts->vertices);
}

static void
set_predicate(struct i915_streamer *streamer, uint32_t head)
{
    uint32_t base = streamer->base;
    bool equal = i915_register_read64(streamer, base + I915_PREDICATE_SRC0) ==
                 i915_register_read64(streamer, base + I915_PREDICATE_SRC1);
    unsigned load = head >> 6 & 3, combine = head >> 3 & 3, compare = head & 3;
    bool value = compare == 0 || (compare != 1 && equal), old = predicate(streamer);
    if (load < 2)
        return;
    value = load == 3 ? !value : value;
    value = combine == 1 ? old && value : combine == 2 ? old || value : combine == 3 ? old != value : value;
    i915_register_write(streamer, base + I915_PREDICATE_RESULT, value);
}

static void
flush(struct i915_streamer *streamer, const uint32_t *command)
{
    unsigned what = command[0] >> 14 & 3;
    uint64_t to = address_of(command + 1) & ~UINT64_C(7);
    const uint32_t *value = command + 1 + address_words();
    if (what == 1)
        i915_streamer_store(streamer, to, value[0] | (uint64_t)value[1] << 32, 8);
    else if (what == 3)
        i915_streamer_store(streamer, to, i915_ticks() & I915_TIMESTAMP_MASK, 8);
    if (what == 3)
        lab_log("time address=0x%llx clock=%llu", (unsigned long long)to, (unsigned long long)i915_ticks());
}

/* Work is executed when it is submitted: what is not there now never comes. */
static void
wait_for_value(struct i915_streamer *streamer, const uint32_t *command)
{
    uint32_t want = command[1], is = want;
    if (command[0] >> 16 & 1) {
        is = i915_register_read(streamer, command[2] & 0x7ffffc);
    } else {
        const uint32_t *at = i915_streamer_memory(streamer, address_of(command + 2), 4);
        is = at ? *at : want;
    }
    const bool true_if[8] = {is > want,  is >= want, is < want, is <= want,
                             is == want, is != want, true,      true};
    if (!true_if[command[0] >> 12 & 7])
        i915_streamer_fail(streamer, "MI_SEMAPHORE_WAIT waits for a value that never comes", is);
}

/* Jumps. */

static uint64_t
start_batch(struct i915_streamer *streamer, const uint32_t *command, uint64_t next)
{
    if (command[0] >> 15 & 1 && !predicate(streamer))
        return next;
    if (command[0] >> 22 & 1) {
        if (streamer->depth == I915_BATCH_DEPTH) {
            i915_streamer_fail(streamer, "batches call each other too deeply", streamer->depth);
            return next;
        }
        streamer->back[streamer->depth++] = next;
    }
    return address_of(command + 1);
}

static uint64_t
end_batch(struct i915_streamer *streamer, uint64_t next)
{
    if (streamer->depth)
        return streamer->back[--streamer->depth];
    streamer->ended = true;
    return next;
}

static uint64_t
end_batch_if(struct i915_streamer *streamer, const uint32_t *command, uint64_t next)
{
    const uint32_t *at = i915_streamer_memory(streamer, address_of(command + 2), 4);
    return at && *at <= command[1] ? end_batch(streamer, next) : next;
}

uint64_t
i915_mi_execute(struct i915_streamer *streamer, const uint32_t *command, unsigned length, uint64_t next)
{
    uint32_t head = command[0];
    switch (opcode_of(head)) {
    case MI_NOOP:
    case MI_SET_PREDICATE:
    case MI_USER_INTERRUPT:
    case MI_WAIT_FOR_EVENT:
    case MI_ARB_CHECK:
    case MI_RS_CONTROL:
    case MI_REPORT_HEAD:
    case MI_ARB_ON_OFF:
    case MI_TOPOLOGY_FILTER:
    case MI_SET_APPID:
    case MI_RS_CONTEXT:
        return next;
    case MI_BATCH_BUFFER_END:
        return end_batch(streamer, next);
    case MI_BATCH_BUFFER_START:
        return start_batch(streamer, command, next);
    case MI_CONDITIONAL_BATCH_BUFFER_END:
        return end_batch_if(streamer, command, next);
    case MI_PREDICATE:
        set_predicate(streamer, head);
        return next;
    case MI_MATH:
        i915_math(streamer, command + 1, length - 1);
        return next;
    case MI_SEMAPHORE_WAIT:
        wait_for_value(streamer, command);
        return next;
    case MI_STORE_DATA_IMM:
        store_data(streamer, command, length);
        return next;
    case MI_LOAD_REGISTER_IMM:
        load_immediates(streamer, command, length);
        return next;
    case MI_STORE_REGISTER_MEM:
        store_register(streamer, command);
        return next;
    case MI_FLUSH_DW:
        flush(streamer, command);
        return next;
    case MI_REPORT_PERF_COUNT:
        report_counters(streamer, command);
        return next;
    case MI_LOAD_REGISTER_MEM:
        load_register(streamer, command);
        return next;
    case MI_LOAD_REGISTER_REG:
        i915_register_write(streamer, register_of(streamer, head, command[2], 19),
                            i915_register_read(streamer, register_of(streamer, head, command[1], 18)));
        return next;
    case MI_ATOMIC:
        write_atomically(streamer, command, length);
        return next;
    case MI_COPY_MEM_MEM:
        copy_memory(streamer, command);
        return next;
    }
    i915_streamer_fail(streamer, "an MI command that the lab does not know", head);
    return next;
}
