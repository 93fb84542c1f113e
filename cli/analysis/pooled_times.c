/** @file
 * See pooled_times.h. */
#include "cli/analysis/pooled_times.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "counters/util/grow_array.h"

int
pp_pooled_times_add(struct pp_series *pool, const struct pp_series *series)
{
    if (!series->len)
        return 0;
    if (pp_grow_array(&pool->value, &pool->cap, pool->len + series->len, sizeof(*pool->value)))
        return -ENOMEM;
    memcpy(pool->value + pool->len, series->value, series->len * sizeof(*pool->value));
    if (!pool->len || series->most > pool->most) {
        pool->most = series->most;
        pool->most_frame = series->most_frame;
    }
    pool->len += series->len;
    return 0;
}
