/** @file
 * Memory for results: parts of a block never overlap, places that were given back are used again, a block
 * without parts is freed, and blocks count against --max-memory. */
#include "tests/lib/cmocka_test.h"

#include <errno.h>

#include "core/engine/session_private.h"
#include "layer/base/device.h"
#include "layer/readback/indirect_readback.h"
#include "layer/readback/readback.h"
#include "layer/record/record.h"
#include "tests/unit/layer/buffer_driver.h"

#define UNIT  4096U
#define UNITS (PP_RESULT_MEMORY_BLOCK / UNIT)

/* A queue on the driver of buffer_driver.h. */
static struct {
    struct pp_session session;
    struct pp_vk_device dev;
    struct pp_vk_queue queue;
} all;

static int
set_up(void **state)
{
    (void)state;
    buffer_driver_open(&all.dev);
    all.session.memory.bytes_max = (size_t)16 * PP_RESULT_MEMORY_BLOCK;
    all.queue.dev = &all.dev;
    all.dev.session = &all.session;
    return 0;
}

/* No memory is left, in the driver or in the counts. */
static int
tear_down(void **state)
{
    (void)state;
    return buffer_driver.live_buffers == 0 && buffer_driver.live_memories == 0 && !all.queue.results &&
                   atomic_load(&all.session.memory.bytes) == 0
               ? 0
               : 1;
}

static void
pieces_do_not_overlap(void **state)
{
    (void)state;
    static struct pp_result_memory piece[UNITS];
    const uint32_t sizes[] = {1, 5000, 100, 70000, 4096, 4097, 1};
    uint32_t pieces = 0;
    static uint8_t used[UNITS];
    for (uint32_t i = 0; i < 60; i++)
        assert_int_equal(pp_result_memory_grow(&all.queue, &piece[pieces++], sizes[i % 7]), 0);
    for (uint32_t i = 0; i < pieces; i++) {
        if (piece[i].block != piece[0].block)
            continue;
        assert_true(piece[i].size >= sizes[i % 7]);
        for (uint32_t u = 0; u < piece[i].size / UNIT; u++)
            assert_int_equal(used[piece[i].offset / UNIT + u]++, 0);
    }
    for (uint32_t i = 0; i < pieces; i++)
        pp_result_memory_give(&all.queue, &piece[i]);
}

/* A part that is in use does not keep the places next to it from being used again. */
static void
freed_places_are_used_again(void **state)
{
    (void)state;
    struct pp_result_memory stays = {0}, piece = {0};
    assert_int_equal(pp_result_memory_grow(&all.queue, &stays, 1), 0);
    for (int i = 0; i < 2000; i++) {
        assert_int_equal(pp_result_memory_grow(&all.queue, &piece, PP_RESULT_MEMORY_BLOCK / 4), 0);
        assert_ptr_equal(piece.block, stays.block);
        pp_result_memory_give(&all.queue, &piece);
    }
    assert_int_equal(buffer_driver.live_memories, 1);
    pp_result_memory_give(&all.queue, &stays);
}

static void
large_pieces_have_blocks(void **state)
{
    (void)state;
    struct pp_result_memory small = {0}, large = {0}, full = {0};
    assert_int_equal(pp_result_memory_grow(&all.queue, &small, 1), 0);
    assert_int_equal(pp_result_memory_grow(&all.queue, &large, PP_RESULT_MEMORY_BLOCK + 1), 0);
    assert_int_equal(pp_result_memory_grow(&all.queue, &full, PP_RESULT_MEMORY_BLOCK), 0);
    assert_int_equal(buffer_driver.live_memories, 3);
    assert_int_equal(atomic_load(&all.session.memory.bytes), 4 * PP_RESULT_MEMORY_BLOCK);
    pp_result_memory_give(&all.queue, &large);
    assert_int_equal(atomic_load(&all.session.memory.bytes), 2 * PP_RESULT_MEMORY_BLOCK);
    pp_result_memory_give(&all.queue, &small);
    pp_result_memory_give(&all.queue, &full);
}

static void
refused_memory_leaks_nothing(void **state)
{
    (void)state;
    struct pp_result_memory piece = {0}, other = {0};
    buffer_driver.refuse_memory = true;
    assert_int_equal(pp_result_memory_grow(&all.queue, &piece, 1), -ENOMEM);
    buffer_driver.refuse_memory = false;
    assert_int_equal(buffer_driver.live_buffers, 0);
    assert_int_equal(atomic_load(&all.session.memory.bytes), 0);
    all.session.memory.bytes_max = PP_RESULT_MEMORY_BLOCK;
    assert_int_equal(pp_result_memory_grow(&all.queue, &piece, 1), 0);
    assert_int_equal(pp_result_memory_grow(&all.queue, &other, PP_RESULT_MEMORY_BLOCK), -ENOSPC);
    assert_null(other.block);
    pp_result_memory_give(&all.queue, &piece);
    assert_int_equal(pp_result_memory_grow(&all.queue, &other, PP_RESULT_MEMORY_BLOCK), 0);
    pp_result_memory_give(&all.queue, &other);
}

/* The queue frees the memory of a readback that is not in use; the readback can be used again. */
static void
freed_readbacks_can_be_used_again(void **state)
{
    (void)state;
    static struct pp_vk_readback readback;
    static struct pp_cmdbuf cb;
    struct pp_vk_staging staging = {.used = 16};
    uint32_t base = 0;
    cb.args.on = true;
    cb.args.first = &staging;
    assert_int_equal(pthread_mutex_init(&readback.lock, NULL), 0);
    for (int i = 0; i < 3; i++) {
        readback.bytes = readback.args.copies = readback.args.slots = 0;
        assert_int_equal(pp_indirect_readback_emit(&readback, &cb, &base), 0);
        assert_int_equal(readback.args.copies, 1);
        pp_readback_free_memory(&all.queue, &readback);
        assert_null(readback.args.copy);
        assert_int_equal(readback.args.copy_cap, 0);
        pp_readback_free_memory(&all.queue, &readback); /* as if the device was destroyed afterwards */
    }
    pthread_mutex_destroy(&readback.lock);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(pieces_do_not_overlap, set_up, tear_down),
        cmocka_unit_test_setup_teardown(freed_places_are_used_again, set_up, tear_down),
        cmocka_unit_test_setup_teardown(large_pieces_have_blocks, set_up, tear_down),
        cmocka_unit_test_setup_teardown(refused_memory_leaks_nothing, set_up, tear_down),
        cmocka_unit_test_setup_teardown(freed_readbacks_can_be_used_again, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
