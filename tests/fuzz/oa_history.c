/** @file
 * Fuzz target: any content of an i915-perf stream, and brackets of any two moments. The first bytes are the
 * bracket, the rest is the stream. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "counters/oa/oa_gpu.h"
#include "counters/oa/oa_history.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct pp_oa_machine machine = {
        .gen = PP_OA_GEN9, .timestamp_hz = 12000000, .max_clock_hz = 1050000000, .eus = 24};
    struct pp_oa_history history;
    struct pp_oa_sum sum;
    uint32_t word[3] = {0};
    if (size < sizeof(word))
        return 0;
    memcpy(word, data, sizeof(word));
    machine.layout = pp_layout_find("oa-a32u40-a4u32-b8-c8");
    machine.gen = word[2] & 2 ? PP_OA_GEN9 : PP_OA_GEN7_5;
    if (!machine.layout || pp_oa_history_init(&history, &machine, 16))
        abort();
    /* Twice, as two reads. */
    (void)!pp_oa_history_add(&history, data + sizeof(word), (size - sizeof(word)) / 2);
    pp_oa_history_change(&history, word[2] >> 2 & 1);
    (void)!pp_oa_history_add(&history, data + sizeof(word), size - sizeof(word));
    for (uint32_t i = 1; i < history.reports; i++)
        if (history.kept[i].ticks < history.kept[i - 1].ticks)
            abort();
    if (history.reports > history.capacity)
        abort();
    if (pp_oa_history_between(&history, word[2] >> 1 & 1, word[0], word[1], word[2] & 1, &sum) == 0)
        for (uint32_t f = 0; f < machine.layout->fields; f++)
            if (sum.status[f] >= PP_STATUS_COUNT)
                abort();
    pp_oa_history_finish(&history);
    return 0;
}
