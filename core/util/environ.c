/** @file
 * See environ.h. */
#include "core/util/environ.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "counters/util/privileged.h"

extern char **environ;

/* Written once, before main(). */
static char **started;

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

static bool
is_ours(const char *variable)
{
    return strncmp(variable, "PASSPROBE", 9) == 0 || strncmp(variable, "HOME=", 5) == 0 ||
           strncmp(variable, "XDG_CONFIG_HOME=", 16) == 0 || strncmp(variable, "XDG_DATA_HOME=", 14) == 0 ||
           strncmp(variable, "XDG_RUNTIME_DIR=", 16) == 0;
}

static size_t
count(char *const *vector)
{
    size_t have = 0;
    while (vector && vector[have])
        have++;
    return have;
}

/* Copy the strings: applications that write their title into their arguments overwrite the environment
 * behind them. */
__attribute__((constructor)) static void
keep_environment(void)
{
    size_t have = 0;
    if (pp_is_privileged())
        return;
    char **kept = environ ? calloc(count(environ) + 1, sizeof(*kept)) : NULL;
    for (char *const *at = environ; kept && *at; at++)
        if (is_ours(*at) && (kept[have] = strdup(*at)))
            have++;
    started = kept;
}

char **
pp_environ_with_started(char *const *now)
{
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
