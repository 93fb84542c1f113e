/** @file
 * See layout.h. Reading fields and differences of snapshots; */
#include "counters/snapshot/layout.h"

#include <endian.h>
#include <errno.h>
#include <string.h>

static uint64_t
mask_of(unsigned bits)
{
    return bits >= 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
}

static uint32_t
load32(const uint8_t *at)
{
    uint32_t word;
    memcpy(&word, at, sizeof(word));
    return le32toh(word);
}

static uint64_t
load64(const uint8_t *at)
{
    uint64_t word;
    memcpy(&word, at, sizeof(word));
    return le64toh(word);
}

static bool
part_is(const struct pp_field_part *part, unsigned bits)
{
    return part->shift == 0 && part->bits == bits;
}

static uint64_t
part_read(const struct pp_field_part *part, const uint8_t *snapshot)
{
    if (part_is(part, 64))
        return load64(snapshot + part->offset);
    if (part_is(part, 32))
        return load32(snapshot + part->offset);
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
        value[i] = pp_number_widen((enum pp_number)field->number, last);
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

static bool
number_fits(const struct pp_field *field, unsigned bits)
{
    bool difference = field->mode == PP_FIELD_WRAPS || field->mode == PP_FIELD_SATURATES;
    if (field->number == PP_NUMBER_U64)
        return true;
    if (field->number > PP_NUMBER_F32 || difference)
        return false;
    return bits == (field->number == PP_NUMBER_I32 || field->number == PP_NUMBER_F32 ? 32 : 64);
}

int
pp_layout_check(const struct pp_layout *layout, uint32_t *ret_field)
{
    for (uint32_t i = 0; i < layout->fields; i++) {
        const struct pp_field *field = &layout->field[i];
        unsigned bits = field_bits(field);
        int bad = bits < 1 || bits > 64 || !number_fits(field, bits) ||
                  part_check(&field->part[0], layout->size) || part_check(&field->part[1], layout->size);
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

int
pp_layout_field(const struct pp_layout *layout, const char *name)
{
    for (uint32_t i = 0; i < layout->fields; i++) {
        if (strcmp(layout->field[i].name, name) == 0)
            return (int)i;
    }
    return -ENOENT;
}

bool
pp_layout_is_words(const struct pp_layout *layout)
{
    for (uint32_t i = 0; i < layout->fields; i++) {
        const struct pp_field *field = &layout->field[i];
        bool result = field->mode == PP_FIELD_DELTA || field->mode == PP_FIELD_CLEARS;
        if (!result || field->number != PP_NUMBER_U64 || !part_is(&field->part[0], 64) || field->part[1].bits)
            return false;
    }
    return __BYTE_ORDER == __LITTLE_ENDIAN;
}

const struct pp_layout *
pp_layout_find(const char *name)
{
    for (uint32_t i = 0; i < pp_layout_table_length; i++) {
        if (strcmp(pp_layout_table[i].name, name) == 0)
            return &pp_layout_table[i];
    }
    return NULL;
}

/* A column of differences of a free-running field. Nearly all counters have one of three shapes, each with a
 * loop without a branch. */
static void
wraps_column(const struct pp_field *field, const uint8_t *begin, size_t begin_stride, const uint8_t *end,
             size_t end_stride, size_t rows, uint64_t *value)
{
    size_t low = field->part[0].offset, high = field->part[1].offset;
    if (part_is(&field->part[0], 32) && part_is(&field->part[1], 0)) {
        for (size_t i = 0; i < rows; i++)
            value[i] = load32(end + i * end_stride + low) - load32(begin + i * begin_stride + low);
    } else if (part_is(&field->part[0], 32) && part_is(&field->part[1], 8)) {
        const uint64_t mask = mask_of(40);
        for (size_t i = 0; i < rows; i++) {
            const uint8_t *b = begin + i * begin_stride, *e = end + i * end_stride;
            uint64_t last = load32(e + low) | (uint64_t)e[high] << 32;
            uint64_t first = load32(b + low) | (uint64_t)b[high] << 32;
            value[i] = (last - first) & mask;
        }
    } else if (part_is(&field->part[0], 64) && part_is(&field->part[1], 0)) {
        for (size_t i = 0; i < rows; i++)
            value[i] = load64(end + i * end_stride + low) - load64(begin + i * begin_stride + low);
    } else {
        const uint64_t mask = mask_of(field_bits(field));
        for (size_t i = 0; i < rows; i++)
            value[i] = (pp_field_read(field, end + i * end_stride) -
                        pp_field_read(field, begin + i * begin_stride)) &
                       mask;
    }
}

size_t
pp_field_delta_column(const struct pp_field *field, const uint8_t *begin, size_t begin_stride,
                      const uint8_t *end, size_t end_stride, size_t rows, uint64_t *value)
{
    size_t saturated = 0;
    if (field->mode == PP_FIELD_WRAPS) {
        wraps_column(field, begin, begin_stride, end, end_stride, rows, value);
        return 0;
    }
    const uint64_t mask = mask_of(field_bits(field));
    for (size_t i = 0; i < rows; i++) {
        value[i] = pp_field_read(field, end + i * end_stride);
        saturated += field->mode == PP_FIELD_SATURATES && value[i] == mask;
    }
    return saturated;
}
