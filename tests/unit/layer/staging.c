/** @file
 * Staging memory: pieces never overlap, whichever thread takes them; pieces that are given back can be taken
 * again; blocks are few, and a driver that refuses is asked again later. */
#include "tests/lib/cmocka_test.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "core/engine/session_private.h"
#include "layer/base/staging.h"
#include "tests/unit/layer/buffer_driver.h"

enum { UNITS = PP_STAGING_BLOCK / PP_STAGING_UNIT };

/** A device that may have @p allocations. */
static struct pp_vk_device *
open_device(uint32_t allocations)
{
    struct pp_vk_device *dev = calloc(1, sizeof(*dev));
    assert_non_null(dev);
    dev->session = calloc(1, sizeof(*dev->session));
    assert_non_null(dev->session);
    dev->session->memory.bytes_max = (size_t)100 * PP_STAGING_BLOCK;
    dev->gpu.props.limits.maxMemoryAllocationCount = allocations;
    dev->gpu.families = 1;
    dev->gpu.family[0].queues = 1;
    buffer_driver_open(dev);
    assert_int_equal(pp_staging_open(dev), 0);
    return dev;
}

static void
close_device(struct pp_vk_device *dev)
{
    pp_staging_close(dev);
    assert_int_equal(atomic_load(&buffer_driver.live_buffers), 0);
    assert_int_equal(atomic_load(&buffer_driver.live_memories), 0);
    assert_int_equal(atomic_load(&dev->session->memory.bytes), 0);
    free(dev->session);
    free(dev);
}

static void
pieces_are_large_enough(void **state)
{
    (void)state;
    struct pp_vk_device *dev = open_device(4096);
    struct pp_staging_piece piece = {.offset = 77};
    const uint32_t size[][2] = {{1, 1},        {4096, 1},      {4097, 2},     {262144, 64},
                                {262145, 128}, {1048576, 256}, {2097152, 512}};
    assert_int_equal(pp_staging_take(dev, 0, &piece), -ENOMEM);
    assert_int_equal(pp_staging_take(dev, PP_STAGING_BLOCK + 1, &piece), -ENOMEM);
    assert_int_equal(piece.offset, 77);
    assert_int_equal(atomic_load(&buffer_driver.memories), 0);
    for (size_t i = 0; i < sizeof(size) / sizeof(size[0]); i++) {
        assert_int_equal(pp_staging_take(dev, size[i][0], &piece), 0);
        assert_int_equal(piece.size, size[i][1] * PP_STAGING_UNIT);
        assert_true(piece.offset + piece.size <= PP_STAGING_BLOCK);
    }
    assert_int_equal(buffer_driver.mode, VK_SHARING_MODE_EXCLUSIVE);
    close_device(dev);
}

/** Sizes of all kinds fill two blocks without an overlap; given back in another order, they do so again. */
static void
pieces_fill_blocks(void **state)
{
    (void)state;
    struct pp_vk_device *dev = open_device(16);
    static struct pp_staging_piece piece[2 * UNITS];
    for (int round = 0; round < 3; round++) {
        uint32_t pieces = 0, units = 0;
        uint8_t used[3][UNITS] = {0};
        const uint32_t want[] = {3, 64, 1, 130, 7, 33, 64, 5};
        for (uint32_t i = 0; pieces < 2 * UNITS; i++) {
            uint32_t size = (i < 12 ? want[i % 8] : 1) * PP_STAGING_UNIT;
            if (pp_staging_take(dev, size, &piece[pieces]) != 0)
                break;
            const struct pp_staging_piece *one = &piece[pieces++];
            for (uint32_t u = 0; u < one->size / PP_STAGING_UNIT; u++) {
                uint8_t *mine = &used[(uintptr_t)one->buffer][one->offset / PP_STAGING_UNIT + u];
                assert_int_equal(*mine, 0);
                *mine = 1;
                units++;
            }
        }
        assert_int_equal(units, 2 * UNITS);
        assert_int_equal(atomic_load(&buffer_driver.memories), 2);
        for (uint32_t i = 0; i < pieces; i++)
            pp_staging_give(&piece[round == 1 ? pieces - 1 - i : i]);
    }
    close_device(dev);
}

static void
blocks_are_bounded(void **state)
{
    (void)state;
    const uint32_t bound[][2] = {{4096, 32}, {64, 8}, {8, 1}, {0, 32}, {7, 1}, {UINT32_MAX, 32}};
    struct pp_staging_piece piece;
    for (size_t i = 0; i < sizeof(bound) / sizeof(bound[0]); i++) {
        struct pp_vk_device *dev = open_device(bound[i][0]);
        uint32_t got = 0;
        while (got < 100 && pp_staging_take(dev, PP_STAGING_BLOCK, &piece) == 0)
            got++;
        assert_int_equal(got, bound[i][1]);
        assert_int_equal(pp_staging_take(dev, 1, &piece), -ENOMEM);
        pp_staging_give(&piece);
        assert_int_equal(pp_staging_take(dev, 1, &piece), 0);
        assert_int_equal(atomic_load(&buffer_driver.memories), bound[i][1]);
        close_device(dev);
    }
}

static void
refused_memory_leaks_nothing(void **state)
{
    (void)state;
    struct pp_vk_device *dev = open_device(8);
    struct pp_staging_piece piece = {.offset = 77};
    bool *refuse[] = {&buffer_driver.refuse_buffer, &buffer_driver.refuse_memory, &buffer_driver.refuse_bind};
    for (size_t i = 0; i < sizeof(refuse) / sizeof(refuse[0]); i++) {
        *refuse[i] = true;
        assert_int_equal(pp_staging_take(dev, 1, &piece), -ENOMEM);
        assert_int_equal(piece.offset, 77);
        assert_int_equal(atomic_load(&buffer_driver.live_buffers), 0);
        assert_int_equal(atomic_load(&buffer_driver.live_memories), 0);
        *refuse[i] = false;
    }
    dev->gpu.memory.memoryTypeCount = 0;
    assert_int_equal(pp_staging_take(dev, 1, &piece), -ENOMEM);
    dev->gpu.memory.memoryTypeCount = 1;
    dev->session->memory.bytes_max = PP_STAGING_BLOCK - 1;
    assert_int_equal(pp_staging_take(dev, 1, &piece), -ENOMEM);
    dev->session->memory.bytes_max = PP_STAGING_BLOCK;
    assert_int_equal(pp_staging_take(dev, 1, &piece), 0);
    assert_int_equal(atomic_load(&dev->session->memory.bytes), PP_STAGING_BLOCK);
    close_device(dev);
}

/** Two families may use one block at once. */
static void
two_families_share_a_block(void **state)
{
    (void)state;
    struct pp_vk_device *dev = open_device(4096);
    struct pp_staging_piece piece;
    dev->gpu.families = 3;
    dev->gpu.family[2].queues = 2;
    assert_int_equal(pp_staging_take(dev, 1, &piece), 0);
    assert_int_equal(buffer_driver.mode, VK_SHARING_MODE_CONCURRENT);
    assert_int_equal(buffer_driver.families, 2);
    close_device(dev);
}

/** Owners of all units of all blocks, for the threads below. */
static uint8_t owner[33][UNITS]; /* no atomics: a piece has one owner, which the thread sanitizer sees */
static _Atomic(uint32_t) overlaps;

static void
stamp(const struct pp_staging_piece *piece, uint8_t from, uint8_t to)
{
    for (uint32_t u = 0; u < piece->size / PP_STAGING_UNIT; u++) {
        uint8_t *mine = &owner[(uintptr_t)piece->buffer][piece->offset / PP_STAGING_UNIT + u];
        if (*mine != from)
            atomic_fetch_add(&overlaps, 1);
        *mine = to;
    }
}

struct taker {
    struct pp_vk_device *dev;
    uint8_t name;
};

static void *
take_and_give(void *argument)
{
    const struct taker *taker = argument;
    struct pp_staging_piece held[16];
    uint32_t count = 0, random = taker->name;
    for (int i = 0; i < 20000; i++) {
        random = random * 1664525 + 1013904223;
        uint32_t units = random >> 28 == 0 ? 70 : 1 + (random >> 24) % 16;
        if (count < 16 && pp_staging_take(taker->dev, units * PP_STAGING_UNIT, &held[count]) == 0)
            stamp(&held[count++], 0, taker->name);
        if (count == 16 || (random & 0x100)) {
            uint32_t which = count > 0 ? (random >> 12) % count : 0;
            if (count == 0)
                continue;
            stamp(&held[which], taker->name, 0);
            pp_staging_give(&held[which]);
            held[which] = held[--count];
        }
    }
    while (count > 0) {
        stamp(&held[--count], taker->name, 0);
        pp_staging_give(&held[count]);
    }
    return NULL;
}

static void
threads_get_different_memory(void **state)
{
    (void)state;
    struct pp_vk_device *dev = open_device(16);
    struct taker taker[4];
    pthread_t thread[4];
    for (uint8_t i = 0; i < 4; i++) {
        taker[i] = (struct taker){dev, (uint8_t)(i + 1)};
        assert_int_equal(pthread_create(&thread[i], NULL, take_and_give, &taker[i]), 0);
    }
    for (int i = 0; i < 4; i++)
        pthread_join(thread[i], NULL);
    assert_int_equal(atomic_load(&overlaps), 0);
    assert_true(atomic_load(&buffer_driver.live_memories) <= 2);
    struct pp_staging_piece whole[2];
    for (int i = 0; i < atomic_load(&buffer_driver.live_memories); i++) /* all of it was given back */
        assert_int_equal(pp_staging_take(dev, PP_STAGING_BLOCK, &whole[i]), 0);
    close_device(dev);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pieces_are_large_enough),    cmocka_unit_test(pieces_fill_blocks),
        cmocka_unit_test(blocks_are_bounded),         cmocka_unit_test(refused_memory_leaks_nothing),
        cmocka_unit_test(two_families_share_a_block), cmocka_unit_test(threads_get_different_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
