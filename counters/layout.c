/** @file
 * Reading fields and differences of snapshots; see layout.h. */
#include "counters/layout.h"

#include <errno.h>
#include <string.h>

static uint64_t
mask_of(unsigned bits)
{
    return bits >= 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
}

static uint64_t
part_read(const struct pp_field_part *part, const uint8_t *snapshot)
{
    unsigned bytes = (part->shift + part->bits + 7U) / 8U;
    uint64_t word = 0;
    for (unsigned i = 0; i < bytes; i++)
        word |= (uint64_t)snapshot[part->offset + i] << (8 * i);
    return (word >> part->shift) & mask_of(part->bits);
}

static unsigned
field_bits(const struct pp_field *field)
{
    return (unsigned)field->part[0].bits + field->part[1].bits;
}

uint64_t
pp_field_read(const struct pp_field *field, const uint8_t *snapshot)
{
    uint64_t value = part_read(&field->part[0], snapshot);
    if (field->part[1].bits)
        value |= part_read(&field->part[1], snapshot) << field->part[0].bits;
    return value;
}

void
pp_layout_delta(const struct pp_layout *layout, const uint8_t *begin, const uint8_t *end, uint64_t *value,
                uint8_t *status)
{
    for (uint32_t i = 0; i < layout->fields; i++) {
        const struct pp_field *field = &layout->field[i];
        uint64_t mask = mask_of(field_bits(field));
        uint64_t last = pp_field_read(field, end);
        status[i] = PP_OK;
        value[i] = last;
        if (field->mode == PP_FIELD_WRAPS)
            value[i] = (last - pp_field_read(field, begin)) & mask;
        else if (field->mode == PP_FIELD_SATURATES && last == mask)
            status[i] = PP_SATURATED;
    }
}

static int
part_check(const struct pp_field_part *part, uint32_t size)
{
    uint32_t bytes = (part->shift + part->bits + 7U) / 8U;
    if (part->bits == 0)
        return 0;
    if (part->shift + part->bits > 64 || bytes > size || part->offset > size - bytes)
        return -EINVAL;
    return 0;
}

int
pp_layout_check(const struct pp_layout *layout, uint32_t *ret_field)
{
    for (uint32_t i = 0; i < layout->fields; i++) {
        const struct pp_field *field = &layout->field[i];
        unsigned bits = field_bits(field);
        int bad = bits < 1 || bits > 64 || part_check(&field->part[0], layout->size) ||
                  part_check(&field->part[1], layout->size);
        for (uint32_t j = 0; j < i && !bad; j++)
            bad = strcmp(layout->field[j].name, field->name) == 0;
        if (bad) {
            if (ret_field)
                *ret_field = i;
            return -EINVAL;
        }
    }
    return 0;
}
