/** @file
 * Random Latin squares of counter sets; see rotation.h. */
#include "counters/events/rotation.h"

#include "counters/util/random.h"

static void
shuffle(uint8_t *order, uint32_t n, uint64_t *random)
{
    for (uint32_t i = 0; i < n; i++)
        order[i] = (uint8_t)i;
    for (uint32_t i = n; i > 1; i--) {
        uint32_t j = (uint32_t)pp_random_below(random, i);
        uint8_t kept = order[i - 1];
        order[i - 1] = order[j];
        order[j] = kept;
    }
}

/* A cyclic Latin square with its rows and its symbols shuffled: cell (row, column) holds
 * symbol[(column + start[row]) mod n]. */
uint32_t
pp_rotation_set_of_frame(uint64_t seed, uint32_t sets, uint64_t frame)
{
    uint8_t symbol[PP_ROTATION_SETS], start[PP_ROTATION_SETS];
    uint32_t n = sets < PP_ROTATION_SETS ? sets : PP_ROTATION_SETS;
    if (n < 2)
        return 0;
    uint64_t square = frame / ((uint64_t)n * n);
    uint32_t row = (uint32_t)(frame / n % n), column = (uint32_t)(frame % n);
    uint64_t random = seed ^ square * 0xD1B54A32D192ED03U;
    shuffle(symbol, n, &random);
    shuffle(start, n, &random);
    return symbol[(column + start[row]) % n];
}
