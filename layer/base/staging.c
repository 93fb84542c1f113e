/** @file
 * See staging.h. A block has a bit for each of its units; the thread that sets the bit owns the unit. A piece
 * of up to 64 units is in one word of bits. A larger piece has whole words. */
#include "layer/base/staging.h"

#include <errno.h>
#include <stdlib.h>

#include "core/engine/memory.h"

enum { WORD = 64, UNITS = PP_STAGING_BLOCK / PP_STAGING_UNIT, WORDS = UNITS / WORD };

#define ALL UINT64_MAX

struct pp_staging_block {
    /* immutable once published */
    VkBuffer buffer;
    VkDeviceMemory memory;
    /* any thread */
    _Atomic(uint64_t) taken[WORDS]; /**< one bit for each unit */
};

/* Blocks of a device. */
struct pp_staging {
    _Atomic(uint32_t) blocks; /**< number of blocks that exist or are being made */
    _Atomic(struct pp_staging_block *) block[PP_STAGING_BLOCKS];
};

int
pp_staging_open(struct pp_vk_device *dev)
{
    dev->staging = calloc(1, sizeof(*dev->staging));
    return dev->staging ? 0 : -ENOMEM;
}

static void
destroy_block(struct pp_vk_device *dev, struct pp_staging_block *block)
{
    if (!block)
        return;
    if (block->buffer != VK_NULL_HANDLE)
        dev->next.DestroyBuffer(dev->handle, block->buffer, NULL);
    if (block->memory != VK_NULL_HANDLE)
        dev->next.FreeMemory(dev->handle, block->memory, NULL);
    pp_memory_give(dev->session, PP_STAGING_BLOCK);
    free(block);
}

void
pp_staging_close(struct pp_vk_device *dev)
{
    for (uint32_t i = 0; dev->staging && i < PP_STAGING_BLOCKS; i++)
        destroy_block(dev, atomic_load(&dev->staging->block[i]));
    free(dev->staging);
    dev->staging = NULL;
}

/* Create a buffer for the queues of all families: two queues may use one block at once. */
static VkResult
create_buffer(struct pp_vk_device *dev, VkBuffer *ret_buffer)
{
    uint32_t family[PP_VK_MAX_FAMILIES], families = 0;
    for (uint32_t i = 0; i < dev->gpu.families; i++)
        if (dev->gpu.family[i].queues > 0)
            family[families++] = i;
    const VkBufferCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
        .size = PP_STAGING_BLOCK,
        .usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT,
        .sharingMode = families > 1 ? VK_SHARING_MODE_CONCURRENT : VK_SHARING_MODE_EXCLUSIVE,
        .queueFamilyIndexCount = families > 1 ? families : 0,
        .pQueueFamilyIndices = family,
    };
    return dev->next.CreateBuffer(dev->handle, &info, NULL, ret_buffer);
}

static VkResult
fill_block(struct pp_vk_device *dev, struct pp_staging_block *block)
{
    VkMemoryRequirements need;
    VkResult result = create_buffer(dev, &block->buffer);
    if (result != VK_SUCCESS)
        return result;
    dev->next.GetBufferMemoryRequirements(dev->handle, block->buffer, &need);
    uint32_t type = pp_vk_device_memory_type(dev, need.memoryTypeBits, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);
    if (type == UINT32_MAX)
        type = pp_vk_device_memory_type(dev, need.memoryTypeBits, 0);
    const VkMemoryAllocateInfo allocate = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
        .allocationSize = need.size,
        .memoryTypeIndex = type,
    };
    result = type == UINT32_MAX ? VK_ERROR_OUT_OF_DEVICE_MEMORY
                                : dev->next.AllocateMemory(dev->handle, &allocate, NULL, &block->memory);
    if (result == VK_SUCCESS)
        result = dev->next.BindBufferMemory(dev->handle, block->buffer, block->memory, 0);
    return result;
}

static uint32_t
most_blocks(const struct pp_vk_device *dev)
{
    uint32_t allocations = dev->gpu.props.limits.maxMemoryAllocationCount, most = allocations / 8;
    if (allocations == 0 || most > PP_STAGING_BLOCKS) /* 0: the driver does not say */
        return PP_STAGING_BLOCKS;
    return most > 0 ? most : 1;
}

/* Bits of @p units units of one word, from bit @p first on. */
static uint64_t
mask_of(uint32_t first, uint32_t units)
{
    return (units >= WORD ? ALL : (UINT64_C(1) << units) - 1) << first;
}

/* First run of @p units clear bits. @return WORD: there is none. */
static uint32_t
find_free(uint64_t taken, uint32_t units)
{
    uint64_t free_from = ~taken; /* bit i is set: the `have` units from i on are free */
    for (uint32_t have = 1; have < units;) {
        uint32_t more = units - have < have ? units - have : have;
        free_from &= free_from >> more;
        have += more;
    }
    return free_from == 0 ? WORD : (uint32_t)__builtin_ctzll(free_from);
}

/* Take @p units units from one word. @return The first unit; UNITS: there are none. */
static uint32_t
take_units(struct pp_staging_block *block, uint32_t units)
{
    for (uint32_t w = 0; w < WORDS; w++) {
        uint64_t taken = atomic_load_explicit(&block->taken[w], memory_order_relaxed);
        for (uint32_t at = find_free(taken, units); at < WORD; at = find_free(taken, units))
            if (atomic_compare_exchange_weak_explicit(&block->taken[w], &taken, taken | mask_of(at, units),
                                                      memory_order_acquire, memory_order_relaxed))
                return w * WORD + at;
    }
    return UNITS;
}

static void
give_units(struct pp_staging_block *block, uint32_t first, uint32_t units)
{
    for (uint32_t end = first + units; first < end; first += WORD - first % WORD) {
        uint32_t here = end - first < WORD - first % WORD ? end - first : WORD - first % WORD;
        atomic_fetch_and_explicit(&block->taken[first / WORD], ~mask_of(first % WORD, here),
                                  memory_order_release);
    }
}

/* Take @p words consecutive words. @return Their first unit; UNITS: there are none. */
static uint32_t
take_words(struct pp_staging_block *block, uint32_t words)
{
    uint32_t have = 0;
    for (uint32_t w = 0; w < WORDS; w++) {
        uint64_t none = 0;
        if (atomic_compare_exchange_strong_explicit(&block->taken[w], &none, ALL, memory_order_acquire,
                                                    memory_order_relaxed)) {
            if (++have == words)
                return (w + 1 - words) * WORD;
            continue;
        }
        give_units(block, (w - have) * WORD, have * WORD);
        have = 0;
    }
    give_units(block, (WORDS - have) * WORD, have * WORD);
    return UNITS;
}

/* Take a part of a block. @return 0: the block had enough free memory. */
static int
take_of(struct pp_staging_block *block, uint32_t units, struct pp_staging_piece *ret_piece)
{
    uint32_t first = units > WORD ? take_words(block, units / WORD) : take_units(block, units);
    if (first == UNITS)
        return -ENOMEM;
    *ret_piece = (struct pp_staging_piece){
        .block = block,
        .buffer = block->buffer,
        .offset = first * PP_STAGING_UNIT,
        .size = units * PP_STAGING_UNIT,
    };
    return 0;
}

/* Make an empty block, which counts against --max-memory. @return NULL: no memory. */
static struct pp_staging_block *
create_block(struct pp_vk_device *dev)
{
    if (!pp_memory_take(dev->session, PP_STAGING_BLOCK))
        return NULL;
    struct pp_staging_block *block = calloc(1, sizeof(*block));
    if (!block)
        pp_memory_give(dev->session, PP_STAGING_BLOCK);
    return block;
}

/* Make a block and take a part of it before other threads see it. */
static int
take_of_new(struct pp_vk_device *dev, uint32_t units, struct pp_staging_piece *ret_piece)
{
    struct pp_staging *staging = dev->staging;
    struct pp_staging_block *block = NULL, *none = NULL;
    if (atomic_fetch_add(&staging->blocks, 1) < most_blocks(dev))
        block = create_block(dev);
    if (!block || fill_block(dev, block) != VK_SUCCESS || take_of(block, units, ret_piece) != 0) {
        destroy_block(dev, block);
        atomic_fetch_sub(&staging->blocks, 1);
        return -ENOMEM;
    }
    /* Every counted block has a place in the array. */
    for (uint32_t i = 0; !atomic_compare_exchange_strong(&staging->block[i], &none, block); none = NULL)
        i = (i + 1) % PP_STAGING_BLOCKS;
    return 0;
}

int
pp_staging_take(struct pp_vk_device *dev, uint32_t size, struct pp_staging_piece *ret_piece)
{
    struct pp_staging *staging = dev->staging;
    if (!staging || size == 0 || size > PP_STAGING_BLOCK)
        return -ENOMEM;
    uint32_t units = (size + PP_STAGING_UNIT - 1) / PP_STAGING_UNIT;
    if (units > WORD)
        units = (units + WORD - 1) / WORD * WORD;
    for (uint32_t i = 0; i < PP_STAGING_BLOCKS; i++) {
        struct pp_staging_block *block = atomic_load_explicit(&staging->block[i], memory_order_acquire);
        if (block && take_of(block, units, ret_piece) == 0)
            return 0;
    }
    return take_of_new(dev, units, ret_piece);
}

void
pp_staging_give(const struct pp_staging_piece *piece)
{
    give_units(piece->block, piece->offset / PP_STAGING_UNIT, piece->size / PP_STAGING_UNIT);
}
