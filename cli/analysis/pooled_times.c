/** @file
 * See pooled_times.h. */
#include "cli/analysis/pooled_times.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int
pp_pooled_times_add(struct pp_series *pool, const struct pp_series *series)
{
    if (!series->len)
        return 0;
    if (pool->len + series->len > pool->cap) {
        size_t cap = 2 * pool->cap > pool->len + series->len ? 2 * pool->cap : pool->len + series->len;
        double *value = reallocarray(pool->value, cap, sizeof(*value));
        if (!value)
            return -ENOMEM;
        pool->value = value;
        pool->cap = cap;
    }
    memcpy(pool->value + pool->len, series->value, series->len * sizeof(*pool->value));
    if (!pool->len || series->most > pool->most) {
        pool->most = series->most;
        pool->most_frame = series->most_frame;
    }
    pool->len += series->len;
    return 0;
}
