/** @file
 * Benjamini and Hochberg's adjustment; see false_discovery.h. */
#include "counters/stats/false_discovery.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

static int
by_value(const void *a, const void *b)
{
    const double *x = *(const double *const *)a, *y = *(const double *const *)b;
    if (*x < *y || *x > *y)
        return *x < *y ? -1 : 1;
    return (x > y) - (x < y);
}

int
pp_false_discovery(const double *p, size_t n, double *ret_q)
{
    const double **order = calloc(n + 1, sizeof(*order));
    size_t numbers = 0;
    if (!order)
        return -ENOMEM;
    for (size_t i = 0; i < n; i++) {
        if (!isnan(p[i]))
            order[numbers++] = &p[i];
        else
            ret_q[i] = NAN;
    }
    qsort(order, numbers, sizeof(*order), by_value);
    double least = 1;
    for (size_t i = numbers; i > 0; i--) {
        size_t at = (size_t)(order[i - 1] - p);
        least = fmin(least, p[at] * (double)numbers / (double)i);
        ret_q[at] = least;
    }
    free(order);
    return 0;
}
