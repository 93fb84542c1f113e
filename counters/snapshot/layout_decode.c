/** @file
 * See layout_decode.h. Decoding runs of fields; A tile of snapshots is decoded, and turned into columns while
 * it is in the first-level cache.
 *
 * Planning which fields are decoded together; */
#include "counters/snapshot/layout_decode.h"

#include <errno.h>
#include <stdbool.h>
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

/** Most consecutive unwanted fields inside a run. */
#define GAP 4

static bool
part_is(const struct pp_field_part *part, unsigned bits)
{
    return part->shift == 0 && part->bits == bits;
}

static enum pp_layout_shape
shape_of(const struct pp_field *field)
{
    const struct pp_field_part *low = &field->part[0], *high = &field->part[1];
    if (field->mode != PP_FIELD_WRAPS || __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__)
        return PP_LAYOUT_OTHER;
    if (part_is(low, 32) && part_is(high, 0))
        return PP_LAYOUT_U32;
    if (part_is(low, 32) && part_is(high, 8))
        return PP_LAYOUT_U40;
    return part_is(low, 64) && part_is(high, 0) ? PP_LAYOUT_U64 : PP_LAYOUT_OTHER;
}

/** Does @p field continue the run that begins with @p first, @p index fields before? */
static bool
continues(const struct pp_field *first, const struct pp_field *field, uint32_t index,
          enum pp_layout_shape shape)
{
    uint32_t width = shape == PP_LAYOUT_U64 ? 8 : 4;
    if (shape == PP_LAYOUT_OTHER || shape_of(field) != shape)
        return false;
    if (field->part[0].offset != first->part[0].offset + index * width)
        return false;
    return shape != PP_LAYOUT_U40 || field->part[1].offset == first->part[1].offset + index;
}

/** Number of fields in the run that begins with field @p at. */
static uint32_t
run_length(const struct pp_layout *layout, const uint8_t *wanted, uint32_t at)
{
    enum pp_layout_shape shape = shape_of(&layout->field[at]);
    uint32_t length = 1, gap = 0;
    for (uint32_t i = 1; at + i < layout->fields && gap <= GAP; i++) {
        if (!continues(&layout->field[at], &layout->field[at + i], i, shape))
            break;
        gap = wanted[at + i] ? 0 : gap + 1;
        if (wanted[at + i])
            length = i + 1;
    }
    return length;
}

void
pp_layout_plan(const struct pp_layout *layout, const uint8_t *wanted, struct pp_layout_plan *plan)
{
    plan->layout = layout;
    plan->runs = 0;
    plan->columns = 0;
    for (uint32_t i = 0; i < layout->fields;) {
        if (!wanted[i]) {
            i++;
            continue;
        }
        uint32_t length = run_length(layout, wanted, i);
        plan->run[plan->runs++] = (struct pp_layout_run){
            .field = i,
            .fields = length,
            .column = plan->columns,
            .shape = (uint8_t)shape_of(&layout->field[i]),
        };
        plan->columns += length;
        i += length;
    }
}

int64_t
pp_layout_plan_column(const struct pp_layout_plan *plan, uint32_t field)
{
    for (uint32_t i = 0; i < plan->runs; i++) {
        const struct pp_layout_run *run = &plan->run[i];
        if (field >= run->field && field < run->field + run->fields)
            return (int64_t)run->column + field - run->field;
    }
    return -ENOENT;
}
