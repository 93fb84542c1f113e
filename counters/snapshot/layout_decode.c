/** @file
 * Decoding runs of fields; see layout_decode.h. A tile of snapshots is decoded, and turned into columns while
 * it is in the first-level cache. */
#include "counters/snapshot/layout_decode.h"

#include <string.h>

/** Number of snapshots that are decoded before they are turned into columns. */
#define TILE 16

/** How many snapshots ahead the code prefetches. While columns are written, the hardware does not prefetch
 * far enough (measured on Zen 5: 85 ns per pair without prefetching, 28 with it, 24 for merely reading). */
#define AHEAD 16

/* In the following loops, memcpy() reads words of snapshots without alignment. Vectorised, it costs nothing.
 */

static void
decode_u32(const uint8_t *begin, const uint8_t *end, uint32_t fields, uint64_t *restrict value)
{
    for (uint32_t i = 0; i < fields; i++) {
        uint32_t first, last;
        memcpy(&first, begin + 4 * (size_t)i, sizeof(first));
        memcpy(&last, end + 4 * (size_t)i, sizeof(last));
        value[i] = (uint32_t)(last - first);
    }
}

/* Decode fields of 40 bits. The difference of the high bytes counts modulo 256. */
static void
decode_u40(const uint8_t *begin, const uint8_t *end, size_t high, uint32_t fields, uint64_t *restrict value)
{
    for (uint32_t i = 0; i < fields; i++) {
        uint32_t first, last;
        memcpy(&first, begin + 4 * (size_t)i, sizeof(first));
        memcpy(&last, end + 4 * (size_t)i, sizeof(last));
        uint8_t carry = (uint8_t)(end[high + i] - begin[high + i]);
        value[i] = ((uint64_t)last - first + ((uint64_t)carry << 32)) & UINT64_C(0xffffffffff);
    }
}

static void
decode_u64(const uint8_t *begin, const uint8_t *end, uint32_t fields, uint64_t *restrict value)
{
    for (uint32_t i = 0; i < fields; i++) {
        uint64_t first, last;
        memcpy(&first, begin + 8 * (size_t)i, sizeof(first));
        memcpy(&last, end + 8 * (size_t)i, sizeof(last));
        value[i] = last - first;
    }
}

static void
decode_other(const struct pp_field *field, const uint8_t *begin, const uint8_t *end, uint64_t *value)
{
    (void)pp_field_delta_column(field, begin, 0, end, 0, 1, value);
}

static void
decode_row(const struct pp_layout_plan *plan, const uint8_t *begin, const uint8_t *end, uint64_t *value)
{
    for (uint32_t r = 0; r < plan->runs; r++) {
        const struct pp_layout_run *run = &plan->run[r];
        const struct pp_field *field = &plan->layout->field[run->field];
        size_t low = field->part[0].offset;
        uint64_t *out = value + run->column;
        if (run->shape == PP_LAYOUT_U40)
            decode_u40(begin + low, end + low, (size_t)field->part[1].offset - low, run->fields, out);
        else if (run->shape == PP_LAYOUT_U32)
            decode_u32(begin + low, end + low, run->fields, out);
        else if (run->shape == PP_LAYOUT_U64)
            decode_u64(begin + low, end + low, run->fields, out);
        else
            decode_other(field, begin, end, out);
    }
}

static void
prefetch(const uint8_t *snapshot, uint32_t size)
{
    for (uint32_t i = 0; i < size; i += 64)
        __builtin_prefetch(snapshot + i);
}

static void
turn_tile(const uint64_t *restrict rows, size_t columns, uint64_t *restrict value, size_t stride)
{
    for (size_t c = 0; c < columns; c++) {
        for (size_t i = 0; i < TILE; i++)
            value[c * stride + i] = rows[i * columns + c];
    }
}

static void
turn_rest(const uint64_t *rows, size_t count, size_t columns, uint64_t *value, size_t stride)
{
    for (size_t c = 0; c < columns; c++) {
        for (size_t i = 0; i < count; i++)
            value[c * stride + i] = rows[i * columns + c];
    }
}

void
pp_layout_plan_decode(const struct pp_layout_plan *plan, const struct pp_snapshot_pairs *pairs,
                      uint64_t *value, size_t stride, void *scratch)
{
    uint64_t *rows = scratch;
    for (size_t row = 0; row < pairs->pairs; row += TILE) {
        size_t count = pairs->pairs - row < TILE ? pairs->pairs - row : TILE;
        for (size_t i = row; i < row + count; i++) {
            const uint8_t *end = pairs->end + i * pairs->end_stride;
            const uint8_t *begin = pairs->begin ? pairs->begin + i * pairs->begin_stride : end;
            if (i + AHEAD < pairs->pairs + pairs->following) {
                if (pairs->begin)
                    prefetch(begin + AHEAD * pairs->begin_stride, plan->layout->size);
                prefetch(end + AHEAD * pairs->end_stride, plan->layout->size);
            }
            decode_row(plan, begin, end, rows + (i - row) * plan->columns);
        }
        if (count == TILE)
            turn_tile(rows, plan->columns, value + row, stride);
        else
            turn_rest(rows, count, plan->columns, value + row, stride);
    }
}

size_t
pp_layout_plan_scratch_bytes(const struct pp_layout_plan *plan)
{
    return TILE * sizeof(uint64_t) * plan->columns;
}
