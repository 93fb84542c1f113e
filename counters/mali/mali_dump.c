/** @file
 * See mali_dump.h. Raw dumps;
 *
 * Samples of kbase's kinstr_prfcnt interface; A sample is a list of metadata items in
 * shared memory. The items give the place of every block's values. Nothing in that memory is trusted. Source:
 * kbase uapi mali_kbase_hwcnt_reader.h. */
#include "counters/mali/mali_dump.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

enum {
    BLOCK_BYTES = PP_MALI_BLOCK_WORDS * 4,
};

static int
add_raw(const struct pp_mali_gpu *gpu, const struct pp_mali_config *config, const uint8_t *before,
        const uint8_t *after, size_t size, struct pp_mali_sums *sums)
{
    const uint32_t count[PP_MALI_BLOCK_KINDS] = {1, 1, config->l2_slices, pp_mali_core_positions(config)};
    const struct pp_layout *layout = pp_layout_find(before ? "mali-block-free-running" : "mali-block");
    struct pp_mali_dump dump;
    size_t offset = 0;
    if (size != pp_mali_dump_bytes(config))
        return -EMSGSIZE;
    pp_mali_dump_begin(&dump, gpu);
    for (unsigned kind = 0; kind < PP_MALI_BLOCK_KINDS; kind++) {
        for (uint32_t i = 0; i < count[kind]; i++, offset += BLOCK_BYTES) {
            bool present = kind != PP_MALI_SHADER_CORE || (config->core_mask >> i & 1);
            if (present)
                pp_mali_dump_block(&dump, kind, layout, before ? before + offset : NULL, after + offset);
        }
    }
    pp_mali_dump_end(&dump, sums);
    return 0;
}

int
pp_mali_add_dump(const struct pp_mali_gpu *gpu, const struct pp_mali_config *config, const uint8_t *dump,
                 size_t size, struct pp_mali_sums *sums)
{
    return add_raw(gpu, config, NULL, dump, size, sums);
}

int
pp_mali_add_difference(const struct pp_mali_gpu *gpu, const struct pp_mali_config *config,
                       const uint8_t *before, const uint8_t *after, size_t size, struct pp_mali_sums *sums)
{
    return add_raw(gpu, config, before, after, size, sums);
}

enum {
    ITEM_BYTES = 48, /* the smallest stride: a sample item */
    VALUES_BYTES = PP_MALI_BLOCK_WORDS * 8,
    ITEM_NONE = 0x0000,
    ITEM_SAMPLE = 0x2000,
    ITEM_CLOCK = 0x2001,
    ITEM_BLOCK = 0x2002,
};

enum {
    FLAG_STRETCHED = 1 << 0,
    FLAG_ERROR = 1 << 30,
    STATE_ON = 1 << 0,
    STATE_AVAILABLE = 1 << 2,
};

/* Indexes of fields, in the order of counters/snapshot/layouts/mali.csv. */
enum {
    HEADER_TYPE = 0,
    SAMPLE_START = 0,
    SAMPLE_END,
    SAMPLE_SEQUENCE,
    SAMPLE_USER_DATA,
    SAMPLE_FLAGS,
    CLOCK_DOMAINS = 0,
    CLOCK_CYCLES,
    BLOCK_TYPE = 0,
    BLOCK_STATE = 3,
    BLOCK_VALUES = 4,
};

/* A sample being read. */
struct reader {
    const struct pp_mali_kinstr *kinstr;
    const struct pp_layout *header, *sample, *clock, *block, *values;
    struct pp_mali_dump dump;
    struct pp_mali_sample out;
    size_t offset; /* of the current item */
    size_t
        stray; /* of the first block whose values are outside; 0: none, since a sample's item comes first */
};

static uint64_t
field(const struct reader *r, const struct pp_layout *layout, uint32_t index)
{
    return pp_field_read(&layout->field[index], r->kinstr->map + r->offset);
}

static int
take_sample(struct reader *r)
{
    uint64_t flags = field(r, r->sample, SAMPLE_FLAGS);
    r->out.start_ns = field(r, r->sample, SAMPLE_START);
    r->out.end_ns = field(r, r->sample, SAMPLE_END);
    r->out.sequence = field(r, r->sample, SAMPLE_SEQUENCE);
    r->out.user_data = field(r, r->sample, SAMPLE_USER_DATA);
    r->out.stretched = flags & FLAG_STRETCHED;
    return flags & FLAG_ERROR ? -EIO : 0;
}

static void
take_clock(struct reader *r)
{
    uint64_t domains = field(r, r->clock, CLOCK_DOMAINS);
    r->out.clocks = domains < 4 ? (uint32_t)domains : 4;
    for (uint32_t i = 0; i < r->out.clocks; i++)
        r->out.cycles[i] = field(r, r->clock, CLOCK_CYCLES + i);
}

/* Add the block of the current item. Firmware and CSG blocks are skipped. A block whose values are outside of
 * the mapping is noted: it is reported after the list has proved to be well formed. */
static void
take_block(struct reader *r)
{
    uint64_t type = field(r, r->block, BLOCK_TYPE);
    uint64_t state = field(r, r->block, BLOCK_STATE);
    uint64_t values = field(r, r->block, BLOCK_VALUES);
    size_t bytes = r->kinstr->map_bytes;
    if (type >= PP_MALI_BLOCK_KINDS)
        return;
    bool inside = values <= bytes && bytes - values >= VALUES_BYTES;
    bool gives = inside && (state == 0 || ((state & STATE_ON) && (state & STATE_AVAILABLE)));
    if (!inside && !r->stray)
        r->stray = r->offset;
    pp_mali_dump_block(&r->dump, (enum pp_mali_block)type, r->values, NULL,
                       gives ? r->kinstr->map + values : NULL);
}

static int
take_item(struct reader *r, uint64_t type, bool first)
{
    if (first != (type == ITEM_SAMPLE))
        return -EBADMSG;
    if (type == ITEM_SAMPLE)
        return take_sample(r);
    if (type == ITEM_CLOCK)
        take_clock(r);
    else if (type == ITEM_BLOCK)
        take_block(r);
    return 0;
}

/* Walk the list of items. Each step moves on by a stride: the walk ends at the end of the mapping at the
 * latest. */
static int
walk(struct reader *r)
{
    size_t bytes = r->kinstr->map_bytes, stride = r->kinstr->metadata_item_bytes;
    if (stride < ITEM_BYTES || r->kinstr->sample_offset > bytes)
        return -EBADMSG;
    r->offset = (size_t)r->kinstr->sample_offset;
    for (bool first = true;; first = false) {
        if (bytes - r->offset < r->header->size)
            return -EBADMSG;
        uint64_t type = field(r, r->header, HEADER_TYPE);
        if (type == ITEM_NONE && !first)
            return 0;
        if (bytes - r->offset < stride)
            return -EBADMSG;
        int result = take_item(r, type, first);
        if (result)
            return result;
        r->offset += stride;
    }
}

static int
check_blocks(struct reader *r, const struct pp_mali_config *config)
{
    const uint32_t expected[PP_MALI_BLOCK_KINDS] = {1, 1, config->l2_slices, pp_mali_cores(config)};
    if (memcmp(r->dump.blocks, expected, sizeof(expected)) != 0)
        return -EBADMSG;
    if (r->stray) {
        r->offset = r->stray;
        return -ERANGE;
    }
    return 0;
}

int
pp_mali_add_kinstr(const struct pp_mali_gpu *gpu, const struct pp_mali_config *config,
                   const struct pp_mali_kinstr *kinstr, struct pp_mali_sums *sums,
                   struct pp_mali_sample *ret_sample, size_t *ret_offset)
{
    struct reader r = {
        .kinstr = kinstr,
        .header = pp_layout_find("kinstr-header"),
        .sample = pp_layout_find("kinstr-sample"),
        .clock = pp_layout_find("kinstr-clock"),
        .block = pp_layout_find("kinstr-block"),
        .values = pp_layout_find("kinstr-values"),
    };
    pp_mali_dump_begin(&r.dump, gpu);
    int result = walk(&r);
    if (!result)
        result = check_blocks(&r, config);
    if (result) {
        if (ret_offset)
            *ret_offset = r.offset;
        return result;
    }
    pp_mali_dump_end(&r.dump, sums);
    sums->stretched |= r.out.stretched;
    if (ret_sample)
        *ret_sample = r.out;
    return 0;
}
