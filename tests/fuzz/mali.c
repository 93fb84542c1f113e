/** @file
 * Raw Mali dumps and kinstr samples. The first four bytes are the configuration: shader cores, L2 slices,
 * metadata stride, sample offset; what follows is the dump or the shared memory. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "counters/mali/mali_decode.h"

static struct pp_mali_cell cell[PP_MALI_MAX_COUNTERS + 1024];

static void
decode(const struct pp_mali_gpu *gpu, const struct pp_mali_config *config, const struct pp_mali_sums *sums)
{
    static struct pp_mali_decoder *decoder;
    static struct pp_mali_config made;
    if (!decoder || memcmp(&made, config, sizeof(made)) != 0) {
        pp_mali_decoder_destroy(decoder);
        decoder = NULL;
        made = *config;
        if (pp_mali_decoder_create(gpu, config, &decoder, NULL))
            abort();
    }
    pp_mali_decode_sums(decoder, sums, cell);
    for (size_t i = 0; i < pp_mali_decoder_columns(decoder); i++)
        if (pp_status_has_value(cell[i].status) && cell[i].type == PP_METRIC_F64 &&
            cell[i].value.f != cell[i].value.f)
            abort(); /* a value is never NaN */
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct pp_mali_gpu *gpu = pp_mali_gpu_at(0);
    struct pp_mali_sums sums;
    struct pp_mali_config config;
    size_t offset = 0;
    if (size < 4)
        return 0;
    memset(&config, 0, sizeof(config));
    config.core_mask = (data[0] & 0xf) | 1;
    config.l2_slices = 1 + data[1] % 2;
    config.bus_width_bits = 128;
    const struct pp_mali_kinstr kinstr = {.map = data + 4,
                                          .map_bytes = size - 4,
                                          .sample_offset = data[3] * UINT64_C(16),
                                          .metadata_item_bytes = 40 + data[2] % 24};
    pp_mali_sums_begin(&sums);
    if (pp_mali_add_kinstr(gpu, &config, &kinstr, &sums, NULL, &offset) == 0)
        decode(gpu, &config, &sums);
    else if (offset > size)
        abort();
    pp_mali_sums_begin(&sums);
    size_t bytes = pp_mali_dump_bytes(&config);
    if (pp_mali_add_dump(gpu, &config, data + 4, size - 4, &sums) == 0)
        decode(gpu, &config, &sums);
    if (size - 4 >= 2 * bytes &&
        pp_mali_add_difference(gpu, &config, data + 4, data + 4 + bytes, bytes, &sums) == 0)
        decode(gpu, &config, &sums);
    return 0;
}
