/** @file
 * Results of OpenGL's performance monitors and queries, as a driver may give them. The first byte is the
 * number of wanted values, followed by two bytes for each (group, counter or offset; the lowest bit says
 * whether it is long); the rest is the result. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "hooks/counters/perf_result.h"

#define WANTS 32U

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct pp_gl_perf_want want[WANTS];
    if (size < 1 || size < 1 + 2 * (size_t)(data[0] % (WANTS + 1)))
        return 0;
    uint32_t wants = data[0] % (WANTS + 1);
    for (uint32_t i = 0; i < wants; i++)
        want[i] = (struct pp_gl_perf_want){.group = data[1 + 2 * i],
                                           .counter = data[2 + 2 * i],
                                           .offset = data[1 + 2 * i] * 256U + data[2 + 2 * i],
                                           .bytes = data[2 + 2 * i] & 1 ? 8 : 4};
    const uint8_t *result = data + 1 + 2 * wants;
    size -= 1 + 2 * (size_t)wants;
    /* Of exactly the allowed length, so that a sanitizer finds a byte too far. */
    uint8_t *copy = malloc(size + 1), *row = malloc(8 * (size_t)wants + 1);
    if (!copy || !row)
        abort();
    memcpy(copy, result, size);
    if (pp_gl_perf_monitor_parse(want, wants, copy, size, row) == 0 &&
        size != pp_gl_perf_monitor_bytes(want, wants))
        abort(); /* each once and nothing else */
    (void)pp_gl_perf_query_parse(want, wants, copy, size, row);
    free(copy);
    free(row);
    return 0;
}
