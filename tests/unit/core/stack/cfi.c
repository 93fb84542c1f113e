/** @file
 * Call frame information: rules of entries that compilers and assemblers write, and entries that are broken.
 */
#include "tests/lib/cmocka_test.h"

#include <string.h>

#include "core/stack/cfi.h"

/* An object: a common entry, then an entry for a function of 0x100 bytes that begins at the object's first
 * byte. */
struct object {
    uint8_t byte[256];
    size_t size;
    size_t entry;
};

static void
put(struct object *object, const void *bytes, size_t size)
{
    memcpy(object->byte + object->size, bytes, size);
    object->size += size;
}

static void
put_u32(struct object *object, uint32_t value)
{
    put(object, &value, sizeof(value));
}

/* Instructions up to their full length, and the length in front. */
static void
put_entry(struct object *object, const struct object *content)
{
    put_u32(object, (uint32_t)content->size);
    put(object, content->byte, content->size);
}

/* @param letters Of the augmentation. */
static void
make(struct object *object, const char *letters, const uint8_t *code, size_t size)
{
    static const uint8_t initial[] = {0x0c, 7, 8, 0x90, 1}; /* top = sp + 8; return address at top - 8 */
    struct object common = {.size = 0}, entry = {.size = 0};
    uint32_t length = 0x100;
    int32_t begin = 0;
    put_u32(&common, 0);
    put(&common, "\1", 1);
    put(&common, letters, strlen(letters) + 1);
    put(&common, "\1\x78\x10", 3); /* code 1, data -8, return address in column 16 */
    put(&common, "\1\x1b", 2);     /* one byte of data: pcrel, sdata4 */
    put(&common, initial, sizeof(initial));
    *object = (struct object){.size = 0};
    put_entry(object, &common);
    object->entry = object->size;
    put_u32(&entry, (uint32_t)object->size + 4);
    begin = -(int32_t)(object->size + 8); /* relative to its own place */
    put(&entry, &begin, sizeof(begin));
    put(&entry, &length, sizeof(length));
    put(&entry, "\0", 1);
    put(&entry, code, size);
    put_entry(object, &entry);
}

static struct pp_frame_rule
rule_at(const struct object *object, size_t at)
{
    return pp_cfi_rule(object->byte + object->entry, object->byte, object->byte + object->size,
                       (uintptr_t)object->byte + at);
}

static void
functions_with_fixed_frames(void **state)
{
    /* sub rsp, 24 at 4; and back at 0x24, after a part that a jump enters */
    static const uint8_t code[] = {0x44, 0x0e, 32, 0x60, 0x0a, 0x0e, 8, 0x44, 0x0b};
    struct object object;
    (void)state;
    make(&object, "zR", code, sizeof(code));
    assert_int_equal(rule_at(&object, 3).kind, PP_RULE_SP);
    assert_int_equal(rule_at(&object, 3).top_offset, 8);
    assert_int_equal(rule_at(&object, 4).top_offset, 32);
    assert_int_equal(rule_at(&object, 0x24).top_offset, 8);
    assert_int_equal(rule_at(&object, 0x28).top_offset, 32);
    assert_int_equal(rule_at(&object, 0xff).base, PP_BASE_KEPT);
    assert_int_equal(rule_at(&object, 0x100).kind, PP_RULE_NO_TABLE);
}

static void
functions_with_base_pointers(void **state)
{
    /* push rbp at 1; mov rbp, rsp at 4; leave at 0x34 */
    static const uint8_t code[] = {0x41, 0x0e, 16, 0x86, 2, 0x43, 0x0d, 6, 0x70, 0xc6, 0x0c, 7, 8};
    struct object object;
    (void)state;
    make(&object, "zR", code, sizeof(code));
    assert_int_equal(rule_at(&object, 0).base, PP_BASE_KEPT);
    assert_int_equal(rule_at(&object, 1).kind, PP_RULE_SP);
    assert_int_equal(rule_at(&object, 1).base, PP_BASE_FROM_TOP);
    assert_int_equal(rule_at(&object, 1).base_offset, -16);
    assert_int_equal(rule_at(&object, 4).kind, PP_RULE_BP);
    assert_int_equal(rule_at(&object, 4).top_offset, 16);
    assert_int_equal(rule_at(&object, 0x34).kind, PP_RULE_SP);
    assert_int_equal(rule_at(&object, 0x34).base, PP_BASE_KEPT);
}

static void
functions_that_realign_the_stack(void **state)
{
    /* top = the word at rbp - 8; rbp saved where it points to */
    static const uint8_t code[] = {0x0f, 3, 0x76, 0x78, 0x06, 0x10, 6, 2, 0x76, 0};
    struct object object;
    (void)state;
    make(&object, "zR", code, sizeof(code));
    assert_int_equal(rule_at(&object, 0).kind, PP_RULE_BP_LOAD);
    assert_int_equal(rule_at(&object, 0).top_offset, -8);
    assert_int_equal(rule_at(&object, 0).base, PP_BASE_FROM_BP);
    assert_int_equal(rule_at(&object, 0).base_offset, 0);
}

static void
other_rules(void **state)
{
    static const uint8_t first[] = {0x07, 16};             /* no return address: the first function */
    static const uint8_t other_register[] = {0x0c, 3, 16}; /* top = rbx + 16 */
    static const uint8_t lost_register[] = {0x0c, 11, 16}; /* top = r11 + 16, which calls change */
    static const uint8_t expression[] = {0x0f, 3, 0x77, 0x08, 0x12}; /* an expression with dup */
    static const uint8_t in_register[] = {0x09, 16, 3};              /* the return address is in rbx */
    static const uint8_t in_lost_register[] = {0x09, 16, 0};         /* it is in rax, which calls change */
    static const uint8_t no_base[] = {0x07, 6};                      /* no base pointer */
    static const uint8_t unknown[] = {0x3c};
    struct object object;
    (void)state;
    make(&object, "zR", first, sizeof(first));
    assert_int_equal(rule_at(&object, 0).kind, PP_RULE_OUTERMOST);
    make(&object, "zR", other_register, sizeof(other_register));
    assert_int_equal(rule_at(&object, 0).kind, PP_RULE_OTHER);
    make(&object, "zR", lost_register, sizeof(lost_register));
    assert_int_equal(rule_at(&object, 0).kind, PP_RULE_BROKEN);
    make(&object, "zR", expression, sizeof(expression));
    assert_int_equal(rule_at(&object, 0).kind, PP_RULE_OTHER);
    make(&object, "zR", in_register, sizeof(in_register));
    assert_int_equal(rule_at(&object, 0).kind, PP_RULE_OTHER);
    make(&object, "zR", in_lost_register, sizeof(in_lost_register));
    assert_int_equal(rule_at(&object, 0).kind, PP_RULE_BROKEN);
    make(&object, "zR", no_base, sizeof(no_base));
    assert_int_equal(rule_at(&object, 0).kind, PP_RULE_OTHER);
    make(&object, "zR", unknown, sizeof(unknown));
    assert_int_equal(rule_at(&object, 0).kind, PP_RULE_BROKEN);
    make(&object, "zRS", first, sizeof(first)); /* the frame of a signal handler */
    assert_int_equal(rule_at(&object, 0).kind, PP_RULE_OTHER);
    make(&object, "eh", first, sizeof(first)); /* of gcc 2 */
    assert_int_equal(rule_at(&object, 0).kind, PP_RULE_BROKEN);
}

/* Memory of words that have their own number as value; from 100 on it cannot be read. */
static bool
read_word(void *user, uintptr_t place, uintptr_t *ret_value)
{
    (void)user;
    *ret_value = place;
    return place < 100;
}

static uintptr_t
base_of_40(void *user)
{
    (void)user;
    return 40;
}

/* Leave a function with the stack pointer 8, the base pointer 40 and rbx 24. */
static enum pp_cfi_end
leave(const struct object *object, bool has_kept, struct pp_cfi_registers *registers)
{
    static const struct pp_cfi_memory memory = {.read = read_word, .base = base_of_40};
    *registers = (struct pp_cfi_registers){.sp = 8, .kept = {24}, .has_kept = has_kept};
    return pp_cfi_leave(object->byte + object->entry, object->byte, object->byte + object->size,
                        (uintptr_t)object->byte, &memory, registers);
}

static void
rules_of_any_kind_are_followed(void **state)
{
    static const uint8_t sum[] = {0x0f, 5, 0x77, 0, 0x40, 0x22, 0x06}; /* top = word at rsp + 16 */
    static const uint8_t at_base[] = {0x10, 16, 2, 0x76, 8};           /* return address at rbp + 8 */
    static const uint8_t in_kept[] = {0x09, 16, 3};                    /* return address in rbx */
    static const uint8_t unreadable[] = {0x0f, 4, 0x08, 200, 0x06, 0x06};
    static const uint8_t unknown[] = {0x0f, 3, 0x77, 0, 0xe0};
    static const uint8_t empty[] = {0x0f, 0};
    static const uint8_t many[] = {0x0f, 10, 0x30, 0x30, 0x30, 0x30, 0x30, 0x30, 0x30, 0x30, 0x30, 0x30};
    struct pp_cfi_registers registers;
    struct object object;
    (void)state;
    make(&object, "zR", sum, sizeof(sum));
    assert_int_equal(leave(&object, false, &registers), PP_CFI_LEFT);
    assert_int_equal(registers.sp, 24);
    assert_int_equal(registers.ip, 16);
    assert_true(registers.bp_is_same);
    make(&object, "zR", at_base, sizeof(at_base));
    assert_int_equal(leave(&object, false, &registers), PP_CFI_LEFT);
    assert_int_equal(registers.ip, 48);
    make(&object, "zR", in_kept, sizeof(in_kept));
    assert_int_equal(leave(&object, false, &registers), PP_CFI_NEEDS_KEPT);
    assert_int_equal(leave(&object, true, &registers), PP_CFI_LEFT);
    assert_int_equal(registers.ip, 24);
    make(&object, "zR", unreadable, sizeof(unreadable));
    assert_int_equal(leave(&object, false, &registers), PP_CFI_UNREADABLE);
    make(&object, "zR", unknown, sizeof(unknown));
    assert_int_equal(leave(&object, false, &registers), PP_CFI_OTHER);
    make(&object, "zR", empty, sizeof(empty));
    assert_int_equal(leave(&object, false, &registers), PP_CFI_OTHER);
    make(&object, "zR", many, sizeof(many));
    assert_int_equal(leave(&object, false, &registers), PP_CFI_OTHER);
}

/* Every byte of an entry has every value: no crash, and no memory outside of the object is read (the
 * sanitizers see it). */
static void
broken_entries_are_refused(void **state)
{
    static const uint8_t code[] = {0x41, 0x0e, 16,   0x86, 2, 0x43, 0x0d, 6,
                                   0x0a, 0x70, 0xc6, 0x0c, 7, 8,    0x0b};
    struct object object, broken;
    struct pp_cfi_registers registers;
    unsigned kinds[PP_RULE_BP_LOAD + 1] = {0};
    (void)state;
    make(&object, "zR", code, sizeof(code));
    for (size_t at = 0; at < object.size; at++)
        for (unsigned value = 0; value < 256; value++) {
            broken = object;
            broken.byte[at] = (uint8_t)value;
            kinds[rule_at(&broken, 5).kind]++;
            (void)leave(&broken, true, &registers);
        }
    for (size_t size = 0; size < object.size; size++) {
        broken = object;
        broken.size = size;
        if (size > broken.entry)
            assert_int_equal(rule_at(&broken, 5).kind, PP_RULE_BROKEN);
    }
    assert_true(kinds[PP_RULE_BROKEN] > 100);
    assert_true(kinds[PP_RULE_BP] > 100);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(functions_with_fixed_frames),      cmocka_unit_test(functions_with_base_pointers),
        cmocka_unit_test(functions_that_realign_the_stack), cmocka_unit_test(other_rules),
        cmocka_unit_test(rules_of_any_kind_are_followed),   cmocka_unit_test(broken_entries_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
