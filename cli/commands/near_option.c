/** @file
 * See near_option.h. */
#include "cli/commands/near_option.h"

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
