/** @file
 * Counters of contexts and devices, as `passprobe list` prints them. */
#ifndef PP_CLI_COMMANDS_LIST_COUNTERS_H
#define PP_CLI_COMMANDS_LIST_COUNTERS_H

#include "cli/probe/probe.h"

/** Does a name match the user's pattern? */
typedef bool pp_list_matches(const char *name, const char *pattern);

/** Could counters match the pattern, so that contexts have to be asked? */
bool pp_list_counters_may(const char *pattern);

/** Does a counter match the pattern? */
bool pp_list_counters_match(const struct pp_probes *probes, const char *pattern, pp_list_matches *matches);

/** Report every name that a pattern could have meant: names of sources, counters and their groups. */
void pp_list_counters_names(const struct pp_probes *probes, void (*say)(void *data, const char *name),
                            void *data);

/** Call @p take with every counter and source that matches. @return How many matched. */
unsigned pp_list_counters_each(const struct pp_probes *probes, const char *pattern, pp_list_matches *matches,
                               void (*take)(void *data, const struct pp_probe_counter *counter), void *data);

/** Print the sources with their groups, and with a pattern the counters that match. @return How many matched.
 */
unsigned pp_list_counters(const struct pp_probes *probes, const char *pattern, pp_list_matches *matches);

#endif
