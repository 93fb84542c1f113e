/** @file
 * Patterns of `passprobe list`: which names match, and which name the user may have meant if none does. */
#ifndef PP_CLI_COMMANDS_LIST_MATCH_H
#define PP_CLI_COMMANDS_LIST_MATCH_H

#include <stdbool.h>

#include "counters/util/nearest_name.h"

/** The known name that is most like a pattern. struct pp_nearest borrows names, so the guess has a copy. */
struct pp_list_guess {
    struct pp_nearest nearest;
    char name[256];
};

/** Does a name match the user's pattern? As in perf, a pattern without wildcards may be anywhere in the
 * name. */
bool pp_list_match(const char *name, const char *pattern);

/** Offer a known name to a guess. @param data struct pp_list_guess. */
void pp_list_guess_offer(void *data, const char *name);

/** Report that nothing matches, with the nearest of all names. @return The exit status. */
int pp_list_guess_fail(const char *pattern, struct pp_list_guess *guess);

#endif
