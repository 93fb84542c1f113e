/** @file
 * The memo finds a stack if and only if each word that decides is the same, and reads no word after the
 * first other one. The stacks are memory that looks like one: functions with and without frame pointers. */
#include "tests/lib/cmocka_test.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/stack/thread_stacks.h"

#define STACK 7U /* its number */

/* Memory that looks like a stack: two pages. */
static struct {
    uint64_t *word;
    size_t page_bytes;
} memory;

static struct pp_memo *memo;
static struct pp_walk walk;
static struct pp_walk_registers from;

static int
begin(void **state)
{
    (void)state;
    memory.page_bytes = (size_t)sysconf(_SC_PAGESIZE);
    memory.word =
        mmap(NULL, 2 * memory.page_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(memory.word, MAP_FAILED);
    for (size_t i = 0; i < 2 * memory.page_bytes / sizeof(uint64_t); i++)
        memory.word[i] = i * UINT64_C(0x100000001);
    memo = calloc(1, sizeof(*memo));
    assert_non_null(memo);
    memset(&walk, 0, sizeof(walk));
    from = (struct pp_walk_registers){.ip = 0x1000, .sp = (uintptr_t)memory.word, .bp = 5};
    return 0;
}

static int
end(void **state)
{
    (void)state;
    munmap(memory.word, 2 * memory.page_bytes);
    free(memo);
    return 0;
}

static void
note(size_t at)
{
    walk.word[walk.words].offset = (uint32_t)(at * sizeof(uint64_t));
    walk.word[walk.words++].value = memory.word[at];
}

/* A frame whose return address is the word `at`. With a frame pointer, the saved one below decides, too. */
static void
note_frame(size_t at, bool has_pointer)
{
    note(at);
    if (has_pointer)
        note(at - 1);
}

/* Add the walk, and find it again: at first by search, then as the one that was expected. */
static void
add(void)
{
    pp_memo_add(memo, &from, &walk, STACK);
    memo->last = NULL;
    for (int i = 0; i < 3; i++) {
        const struct pp_memo_entry *entry = pp_memo_find(memo, &from);
        assert_non_null(entry);
        assert_int_equal(entry->stack, STACK);
    }
}

static bool
is_found(void)
{
    return pp_memo_find(memo, &from) != NULL;
}

/* Change a bit of each word that decides, and of each word of the registers. */
static void
check_each_word(void)
{
    for (uint32_t i = 0; i < walk.words; i++) {
        uint64_t *word = memory.word + walk.word[i].offset / sizeof(uint64_t), bit = UINT64_C(1)
                                                                                     << (i * 7 % 64);
        *word ^= bit;
        assert_false(is_found());
        *word ^= bit;
        assert_true(is_found());
    }
    uintptr_t *const reg[] = {&from.ip, &from.sp};
    for (size_t i = 0; i < 2; i++) {
        *reg[i] += 8;
        assert_false(is_found());
        *reg[i] -= 8;
    }
    from.bp++;
    assert_int_equal(is_found(), !walk.uses_bp);
    from.bp--;
    memory.word[1] ^= 1; /* decides nothing */
    assert_true(is_found());
    memory.word[1] ^= 1;
}

/* Frames of all kinds in turn, chosen by the bits of a number; frame pointers in a row are compared together.
 */
static void
each_word_decides(void **state)
{
    (void)state;
    static const uint32_t kinds[] = {0,          UINT32_MAX, 0xf0f0f0f0, 0xfffefffe,
                                     0x00ffff01, 0xeeeeeeee, 0x7f3f1f0f};
    for (size_t kind = 0; kind < sizeof(kinds) / sizeof(kinds[0]); kind++)
        for (uint32_t frames = 0; frames <= PP_WALK_FRAMES; frames += frames < 20 ? 1 : 20) {
            walk.words = 0;
            walk.uses_bp = frames % 2 != 0;
            for (uint32_t i = 0; i < frames; i++)
                note_frame(3 + 3 * i, (kinds[kind] >> i % 32) & 1);
            pp_memo_clear(memo);
            assert_false(is_found());
            add();
            check_each_word();
        }
}

/* One word between any two groups of pairs takes the most groups. */
static void
all_walks_fit(void **state)
{
    (void)state;
    for (uint32_t i = 0; walk.words + 2 <= PP_WALK_WORDS; i++)
        note_frame(3 + 3 * i, i % (PP_MEMO_PAIRS + 1) != 0);
    add();
    assert_true(memo->last->groups <= PP_MEMO_GROUPS);
    check_each_word();
}

/* A stack that became shorter: its words end where the page ends. */
static void
no_word_behind_another_is_read(void **state)
{
    (void)state;
    size_t last = memory.page_bytes / sizeof(uint64_t) - 1;
    for (int has_pointers = 0; has_pointers < 2; has_pointers++)
        for (uint32_t below = 1; below < 12; below++) {
            walk.words = 0;
            for (uint32_t i = 0; i < 24; i++)
                note_frame(last + 2 * i - 2 * (below - 1), has_pointers);
            pp_memo_clear(memo);
            add();
            memory.word[last] ^= 1;
            assert_int_equal(mprotect((char *)memory.word + memory.page_bytes, memory.page_bytes, PROT_NONE),
                             0);
            assert_false(is_found());
            assert_int_equal(
                mprotect((char *)memory.word + memory.page_bytes, memory.page_bytes, PROT_READ | PROT_WRITE),
                0);
            memory.word[last] ^= 1;
            assert_true(is_found());
        }
}

static void
walks_that_are_too_large_are_not_added(void **state)
{
    (void)state;
    note_frame(3, false);
    walk.too_large = true;
    pp_memo_add(memo, &from, &walk, STACK);
    assert_false(is_found());
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(each_word_decides, begin, end),
        cmocka_unit_test_setup_teardown(all_walks_fit, begin, end),
        cmocka_unit_test_setup_teardown(no_word_behind_another_is_read, begin, end),
        cmocka_unit_test_setup_teardown(walks_that_are_too_large_are_not_added, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
