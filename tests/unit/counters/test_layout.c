/** @file
 * Layouts that are compiled in; reading and differences of each mode; columns compared with one snapshot at a
 * time. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "counters/snapshot/layout.h"
#include "counters/snapshot/layout_decode.h"
#include "tests/lib/random_number.h"

/* The @p index-th layout that is compiled in; NULL past the last. */
static const struct pp_layout *
layout_at(size_t index)
{
    return index < pp_layout_table_length ? &pp_layout_table[index] : NULL;
}

static void
all_are_well_formed(void **state)
{
    (void)state;
    size_t count = 0;
    const struct pp_layout *layout;
    for (; (layout = layout_at(count)); count++) {
        uint32_t field = 0;
        if (pp_layout_check(layout, &field) < 0)
            fail_msg("%s: field %s", layout->name, layout->field[field].name);
        assert_ptr_equal(pp_layout_find(layout->name), layout);
    }
    assert_true(count >= 16);
    assert_null(pp_layout_find("no-such-layout"));
}

/** Documented formats: name, bytes, and the number of counters of each kind. */
static void
all_oa_formats_are_there(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        uint32_t size, a, b, c;
    } format[] = {
        {"oa-a12", 64, 12, 0, 0},
        {"oa-a12-b8-c8", 128, 12, 8, 8},
        {"oa-a32u40-a4u32-b8-c8", 256, 36, 8, 8},
        {"oa-c4-b8", 64, 0, 8, 4},
        {"oa-gen75-a13", 64, 13, 0, 0},
        {"oa-gen75-a29", 128, 29, 0, 0},
        {"oa-gen75-a13-b8-c8", 128, 13, 8, 8},
        {"oa-gen75-b4-c8", 64, 0, 4, 8},
        {"oa-gen75-a45-b8-c8", 256, 45, 8, 8},
        {"oa-gen75-b4-c8-a16", 128, 16, 4, 8},
        {"oa-gen75-c4-b8", 64, 0, 8, 4},
        {"oa-a24u40-a14u32-b8-c8", 256, 38, 8, 8},
        {"oa-pec64u64", 576, 0, 0, 0},
        {"mdapi-gfx9", 672, 36, 8, 8},
        {"mdapi-gfx8", 536, 36, 8, 8},
        {"mdapi-gfx7", 536, 45, 8, 8},
    };
    for (size_t i = 0; i < sizeof(format) / sizeof(format[0]); i++) {
        const struct pp_layout *layout = pp_layout_find(format[i].name);
        uint32_t kind[3] = {0};
        assert_non_null(layout);
        assert_int_equal(layout->size, format[i].size);
        for (uint32_t f = 0; f < layout->fields; f++) {
            const char *name = layout->field[f].name;
            if (name[0] >= 'A' && name[0] <= 'C' && name[1] >= '0' && name[1] <= '9')
                kind[name[0] - 'A']++;
        }
        assert_int_equal(kind[0], format[i].a);
        assert_int_equal(kind[1], format[i].b);
        assert_int_equal(kind[2], format[i].c);
    }
}

/** No two counters of a format share a byte, except where the documentation says so. */
static void
fields_do_not_overlap(void **state)
{
    (void)state;
    const struct pp_layout *layout;
    for (size_t l = 0; (layout = layout_at(l)); l++) {
        uint8_t owner[8192] = {0};
        if (layout->size > sizeof(owner) ||
            (strncmp(layout->name, "oa-", 3) != 0 && strncmp(layout->name, "mdapi-", 6) != 0))
            continue;
        for (uint32_t f = 0; f < layout->fields; f++) {
            for (int p = 0; p < 2; p++) {
                const struct pp_field_part *part = &layout->field[f].part[p];
                for (uint32_t b = 0; b < (part->shift + part->bits + 7U) / 8U && part->bits; b++) {
                    if (owner[part->offset + b]++)
                        fail_msg("%s: %s shares byte %u", layout->name, layout->field[f].name,
                                 part->offset + b);
                }
            }
        }
    }
}

static void
split_and_narrow_fields_are_read(void **state)
{
    (void)state;
    const uint8_t bytes[12] = {0x78, 0x56, 0x34, 0x12, 0xaa, 0xbb, 0xcc, 0xdd, 0xee, 0xff, 0x11, 0x22};
    const struct pp_field split = {.name = "s", .part = {{0, 0, 32}, {9, 0, 8}}, .mode = PP_FIELD_WRAPS};
    const struct pp_field shifted = {.name = "t", .part = {{4, 1, 31}, {0, 0, 0}}, .mode = PP_FIELD_WRAPS};
    const struct pp_field wide = {.name = "w", .part = {{4, 0, 64}, {0, 0, 0}}, .mode = PP_FIELD_WRAPS};
    assert_int_equal(pp_field_read(&split, bytes), UINT64_C(0xff12345678));
    assert_int_equal(pp_field_read(&shifted, bytes), 0xddccbbaaU >> 1);
    assert_int_equal(pp_field_read(&wide, bytes), UINT64_C(0x2211ffeeddccbbaa));
}

static void
modes_make_differences(void **state)
{
    (void)state;
    const struct pp_field field[] = {
        {.name = "wraps", .part = {{0, 0, 16}, {0, 0, 0}}, .mode = PP_FIELD_WRAPS},
        {.name = "saturates", .part = {{2, 0, 16}, {0, 0, 0}}, .mode = PP_FIELD_SATURATES},
        {.name = "full", .part = {{4, 0, 16}, {0, 0, 0}}, .mode = PP_FIELD_SATURATES},
        {.name = "clears", .part = {{6, 0, 16}, {0, 0, 0}}, .mode = PP_FIELD_CLEARS},
        {.name = "gauge", .part = {{8, 0, 16}, {0, 0, 0}}, .mode = PP_FIELD_GAUGE},
    };
    const struct pp_layout layout = {"test", 10, 5, field};
    const uint8_t begin[10] = {0xff, 0xff, 9, 9, 9, 9, 9, 9, 9, 9};
    const uint8_t end[10] = {0x01, 0x00, 5, 0, 0xff, 0xff, 7, 0, 3, 0};
    uint64_t value[5];
    uint8_t status[5];
    assert_int_equal(pp_layout_check(&layout, NULL), 0);
    pp_layout_delta(&layout, begin, end, value, status);
    assert_int_equal(value[0], 2);
    assert_int_equal(value[1], 5);
    assert_int_equal(status[1], PP_OK);
    assert_int_equal(value[2], 0xffff);
    assert_int_equal(status[2], PP_SATURATED);
    assert_int_equal(value[3], 7);
    assert_int_equal(value[4], 3);
    uint64_t column[1];
    assert_int_equal(pp_field_delta_column(&field[2], begin, 10, end, 10, 1, column), 1);
    assert_int_equal(pp_field_delta_column(&field[1], begin, 10, end, 10, 1, column), 0);
}

static void
words_are_told_apart(void **state)
{
    (void)state;
    const struct pp_field field[] = {
        {.name = "a", .part = {{0, 0, 64}, {0, 0, 0}}, .mode = PP_FIELD_DELTA},
        {.name = "b", .part = {{12, 0, 64}, {0, 0, 0}}, .mode = PP_FIELD_CLEARS},
        {.name = "wraps", .part = {{20, 0, 64}, {0, 0, 0}}, .mode = PP_FIELD_WRAPS},
        {.name = "narrow", .part = {{20, 0, 32}, {0, 0, 0}}, .mode = PP_FIELD_DELTA},
        {.name = "split", .part = {{20, 0, 32}, {24, 0, 32}}, .mode = PP_FIELD_DELTA},
        {.name = "real", .part = {{20, 0, 64}, {0, 0, 0}}, .mode = PP_FIELD_DELTA, .number = PP_NUMBER_F64},
        {.name = "gauge", .part = {{20, 0, 64}, {0, 0, 0}}, .mode = PP_FIELD_GAUGE},
    };
    assert_true(pp_layout_is_words(&(struct pp_layout){"x", 28, 2, field}));
    for (uint32_t i = 2; i < sizeof(field) / sizeof(field[0]); i++)
        assert_false(pp_layout_is_words(&(struct pp_layout){"x", 28, 1, &field[i]}));
    assert_false(pp_layout_is_words(&(struct pp_layout){"x", 28, 3, field}));
}

static void
broken_layouts_are_refused(void **state)
{
    (void)state;
    uint32_t bad = 99;
    const struct pp_field outside[] = {{.name = "a", .part = {{0, 0, 8}, {0, 0, 0}}},
                                       {.name = "b", .part = {{3, 4, 8}, {0, 0, 0}}}};
    const struct pp_field twice[] = {{.name = "a", .part = {{0, 0, 8}, {0, 0, 0}}},
                                     {.name = "a", .part = {{1, 0, 8}, {0, 0, 0}}}};
    const struct pp_field empty[] = {{.name = "a", .part = {{0, 0, 0}, {0, 0, 0}}}};
    assert_int_equal(pp_layout_check(&(struct pp_layout){"x", 4, 2, outside}, &bad), -EINVAL);
    assert_int_equal(bad, 1);
    assert_int_equal(pp_layout_check(&(struct pp_layout){"x", 4, 2, twice}, &bad), -EINVAL);
    assert_int_equal(pp_layout_check(&(struct pp_layout){"x", 4, 1, empty}, &bad), -EINVAL);
    assert_int_equal(bad, 0);
}

static void
compare_columns(const struct pp_layout *layout, const struct pp_layout_plan *plan,
                const struct pp_snapshot_pairs *pairs, const uint8_t *wanted)
{
    size_t stride = pairs->pairs + 3;
    uint64_t *value = calloc((size_t)plan->columns * stride + 1, sizeof(*value));
    void *scratch = aligned_alloc(64, (pp_layout_plan_scratch_bytes(plan) + 63) / 64 * 64 + 64);
    pp_layout_plan_decode(plan, pairs, value, stride, scratch);
    for (uint32_t f = 0; f < layout->fields; f++) {
        int64_t column = pp_layout_plan_column(plan, f);
        if (wanted[f])
            assert_true(column >= 0);
        for (size_t i = 0; i < pairs->pairs && column >= 0; i++) {
            uint64_t expected;
            (void)pp_field_delta_column(&layout->field[f], pairs->begin + i * pairs->begin_stride, 0,
                                        pairs->end + i * pairs->end_stride, 0, 1, &expected);
            if (value[(size_t)column * stride + i] != expected)
                fail_msg("%s.%s, row %zu", layout->name, layout->field[f].name, i);
        }
    }
    free(scratch);
    free(value);
}

static void
columns_equal_single_differences(void **state)
{
    (void)state;
    static const size_t count[] = {0, 1, 15, 16, 17, 100};
    static uint8_t bytes[101 * 8192 + 8];
    uint64_t random = 7;
    const struct pp_layout *layout;
    for (size_t i = 0; i < sizeof(bytes); i++)
        bytes[i] = (uint8_t)random_number(&random);
    for (size_t l = 0; (layout = layout_at(l)); l++) {
        uint8_t *wanted = calloc(layout->fields, 1);
        struct pp_layout_plan plan = {.run = calloc(layout->fields, sizeof(struct pp_layout_run))};
        assert_true(layout->size <= 8192);
        for (size_t round = 0; round < 12; round++) {
            for (uint32_t f = 0; f < layout->fields; f++)
                wanted[f] = round == 0 || random_number(&random) % 3 != 0;
            pp_layout_plan(layout, wanted, &plan);
            struct pp_snapshot_pairs pairs = {.begin = bytes + round % 8, /* any alignment */
                                              .begin_stride = layout->size,
                                              .end = bytes + round % 8 + layout->size,
                                              .end_stride = layout->size,
                                              .pairs = count[round % 6]};
            compare_columns(layout, &plan, &pairs, wanted);
        }
        free(plan.run);
        free(wanted);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_are_well_formed),
        cmocka_unit_test(all_oa_formats_are_there),
        cmocka_unit_test(fields_do_not_overlap),
        cmocka_unit_test(split_and_narrow_fields_are_read),
        cmocka_unit_test(modes_make_differences),
        cmocka_unit_test(broken_layouts_are_refused),
        cmocka_unit_test(columns_equal_single_differences),
        cmocka_unit_test(words_are_told_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
