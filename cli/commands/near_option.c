/** @file
 * See near_option.h. */
#include "cli/commands/near_option.h"

#include <stdio.h>
#include <string.h>

#include "counters/util/nearest_name.h"

const char *
pp_near_option(const struct option *longs, const char *word)
{
    if (strncmp(word, "--", 2) != 0)
        return NULL;
    struct pp_nearest nearest = pp_nearest_begin(word + 2, strcspn(word + 2, "="));
    for (size_t i = 0; longs[i].name; i++)
        pp_nearest_offer(&nearest, longs[i].name, strlen(longs[i].name));
    return nearest.found;
}

const char *
pp_option_argument(const struct option *longs, int letter, const char *help, char *ret, size_t size)
{
    char option[64];
    size_t i = 0;
    while (longs[i].name && longs[i].val != letter)
        i++;
    ret[0] = '\0';
    if (!longs[i].name || snprintf(option, sizeof(option), "--%s ", longs[i].name) >= (int)sizeof(option))
        return ret;
    const char *at = strstr(help, option);
    if (at) {
        at += strlen(option);
        snprintf(ret, size, "%.*s", (int)strcspn(at, " \n"), at);
    }
    return ret;
}
