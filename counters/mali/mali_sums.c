/** @file
 * Adding up blocks; see mali_sums.h. */
#include "counters/mali/mali_sums.h"

#include <string.h>

enum {
    WORD_ENABLE = 2, /* PRFCNT_EN: bit n enables words 4n..4n+3 */
};

void
pp_mali_dump_begin(struct pp_mali_dump *dump, const struct pp_mali_gpu *gpu)
{
    memset(dump, 0, sizeof(*dump));
    dump->gpu = gpu;
}

void
pp_mali_dump_block(struct pp_mali_dump *dump, enum pp_mali_block kind, const struct pp_layout *layout,
                   const uint8_t *before, const uint8_t *after)
{
    uint64_t word[PP_MALI_BLOCK_WORDS];
    uint8_t status[PP_MALI_BLOCK_WORDS];
    dump->blocks[kind]++;
    if (!after)
        return;
    pp_layout_delta(layout, before, after, word, status);
    uint64_t enabled = word[WORD_ENABLE];
    if (before)
        enabled &= pp_field_read(&layout->field[WORD_ENABLE], before);
    for (uint32_t i = 0; i < dump->gpu->counters; i++) {
        const struct pp_mali_counter *counter = &dump->gpu->counter[i];
        if (counter->block != (uint8_t)kind || !(enabled >> (counter->word / 4) & 1))
            continue;
        dump->sum[i] += word[counter->word];
        dump->contributed[i]++;
        dump->saturated[i] |= status[counter->word] == PP_SATURATED;
    }
}

void
pp_mali_dump_end(const struct pp_mali_dump *dump, struct pp_mali_sums *sums)
{
    for (uint32_t i = 0; i < dump->gpu->counters; i++) {
        uint32_t blocks = dump->blocks[dump->gpu->counter[i].block];
        sums->sum[i] += dump->sum[i];
        if (!dump->contributed[i])
            sums->remark[i] |= PP_MALI_UNAVAILABLE;
        else if (dump->contributed[i] < blocks)
            sums->remark[i] |= PP_MALI_PARTIAL;
        if (dump->saturated[i])
            sums->remark[i] |= PP_MALI_SATURATED;
    }
    sums->dumps++;
}

void
pp_mali_sums_begin(struct pp_mali_sums *sums)
{
    memset(sums, 0, sizeof(*sums));
}

enum pp_status
pp_mali_status(const struct pp_mali_sums *sums, uint32_t counter)
{
    uint8_t remark = sums->remark[counter];
    if (!sums->dumps)
        return PP_NOT_AVAILABLE;
    if (remark & PP_MALI_UNAVAILABLE)
        return PP_DISABLED;
    if (remark & PP_MALI_PARTIAL)
        return PP_PARTIAL;
    return remark & PP_MALI_SATURATED ? PP_SATURATED : PP_OK;
}
