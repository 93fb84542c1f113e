/** @file
 * See environ.h. */
#include "core/util/environ.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "core/util/start.h"

/* Do both strings name the same variable? */
static bool
same_name(const char *a, const char *b)
{
    while (*a && *a == *b && *a != '=') {
        a++;
        b++;
    }
    return *a == '=' && *b == '=';
}

static size_t
count(char *const *vector)
{
    size_t have = 0;
    while (vector && vector[have])
        have++;
    return have;
}

char **
pp_environ_with_started(char *const *now)
{
    char *const *started = pp_start()->variables;
    size_t have = count(now);
    char **all = calloc(have + count(started) + 1, sizeof(*all));
    if (!all)
        return NULL;
    if (have)
        memcpy(all, now, have * sizeof(*all));
    size_t end = have;
    for (char *const *kept = started; kept && *kept; kept++) {
        size_t i = 0;
        while (i < have && !same_name(all[i], *kept))
            i++;
        if (i == have)
            all[end++] = *kept;
    }
    return all;
}
