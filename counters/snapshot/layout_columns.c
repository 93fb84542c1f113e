/** @file
 * Planning which fields are decoded together; see layout_columns.h. */
#include "counters/snapshot/layout_columns.h"

#include <errno.h>
#include <stdbool.h>

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
