/** @file
 * Raw dumps; see mali_dump.h. */
#include "counters/mali/mali_dump.h"

#include <errno.h>
#include <stdbool.h>

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
