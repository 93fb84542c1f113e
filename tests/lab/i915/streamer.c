/** @file
 * The loop over a batch's commands; see streamer.h. What the commands do: mi.c, draws.c. */
#include "tests/lab/i915/streamer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tests/lab/i915/draws.h"
#include "tests/lab/i915/mi.h"
#include "tests/lab/i915/perf.h"
#include "tests/lab/report.h"

#define MAX_COMMANDS 50000000u /* of one batch: more never end */

void
i915_streamer_fail(struct i915_streamer *streamer, const char *why, uint64_t value)
{
    LAB_FAULT("batch at 0x%llx: %s (0x%llx)", (unsigned long long)streamer->at, why,
              (unsigned long long)value);
    streamer->failed = true;
}

void *
i915_streamer_memory(struct i915_streamer *streamer, uint64_t address, uint64_t size)
{
    void *found = i915_addresses_find(streamer->addresses, address, size);
    if (!found)
        i915_streamer_fail(streamer, "no buffer of the submission is at the address", address);
    return found;
}

void
i915_streamer_store(struct i915_streamer *streamer, uint64_t address, uint64_t value, unsigned size)
{
    void *to = i915_streamer_memory(streamer, address, size);
    if (address & 3)
        i915_streamer_fail(streamer, "a write is not aligned to 4 bytes", address);
    else if (to)
        memcpy(to, &value, size);
}

/* Dwords of a command that the streamer hands on to the pipelines. */
static unsigned
length_of(uint32_t head)
{
    unsigned type = head >> 29, subtype = head >> 27 & 3;
    if (type == 2)
        return (head & 0xff) + 2;
    if (subtype == 1)
        return 1;                                              /* PIPELINE_SELECT, 3DSTATE_VF_STATISTICS */
    return (head & (head >> 16 == 0x7917 ? 0x1ff : 0xff)) + 2; /* 0x7917: 3DSTATE_SO_DECL_LIST */
}

static void
step(struct i915_streamer *streamer)
{
    const uint32_t *command = i915_streamer_memory(streamer, streamer->at, 4);
    if (!command)
        return;
    unsigned type = *command >> 29;
    unsigned length = type == 0 ? i915_mi_length(*command) : length_of(*command);
    if (type == 1 || type > 3) {
        i915_streamer_fail(streamer, "not a command", *command);
        return;
    }
    if (length > 1 && !(command = i915_streamer_memory(streamer, streamer->at, 4ull * length)))
        return;
    i915.units++;
    streamer->counts.dwords += length;
    uint64_t next = streamer->at + 4ull * length;
    if (type == 0)
        next = i915_mi_execute(streamer, command, length, next);
    else
        i915_draws_execute(streamer, command, length);
    streamer->at = next;
    i915_perf_tick();
}

int
i915_streamer_run(struct i915_context *context, enum i915_engine engine, struct i915_addresses *addresses,
                  uint64_t start, struct i915_batch_counts *ret_counts)
{
    struct i915_streamer streamer = {.context = context,
                                     .addresses = addresses,
                                     .base = engine == I915_COPY ? 0x22000 : 0x2000,
                                     .at = start};
    if (!context->registers[engine])
        context->registers[engine] = calloc(1, I915_REGISTER_BYTES);
    streamer.registers = context->registers[engine];
    if (!streamer.registers)
        abort();
    for (unsigned i = 0; !streamer.ended && !streamer.failed; i++) {
        if (i == MAX_COMMANDS)
            i915_streamer_fail(&streamer, "the batch does not end", i);
        else
            step(&streamer);
    }
    *ret_counts = streamer.counts;
    return streamer.failed ? -EIO : 0;
}
