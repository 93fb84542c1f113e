/** @file
 * Counters of contexts and devices, of the machine and of the kernel, as `passprobe list` prints them, and
 * which of them a pattern matches. As in perf, a pattern without wildcards may be anywhere in a name
 * (pp_view_matches()). */
#ifndef PP_CLI_COMMANDS_LIST_COUNTERS_H
#define PP_CLI_COMMANDS_LIST_COUNTERS_H

#include <stdbool.h>

#include "cli/probe/probe.h"
#include "counters/events/event_plan.h"
#include "counters/util/nearest_name.h"

/** The known name that is most like a pattern. struct pp_nearest borrows names, so the guess has a copy. */
struct pp_list_guess {
    struct pp_nearest nearest;
    char name[256];
};

/** Offer a known name to a guess. */
void pp_list_guess_offer(struct pp_list_guess *guess, const char *name);

/** Report that nothing matches, with the nearest of all names. @return The exit status. */
int pp_list_guess_fail(const char *pattern, struct pp_list_guess *guess);

/** Could counters match the pattern, so that contexts have to be asked? */
bool pp_list_counters_may(const char *pattern);

/** Does a counter match the pattern? */
bool pp_list_counters_match(const struct pp_probes *probes, const char *pattern);

/** Offer every name that a pattern could have meant: names of sources, counters and their groups. */
void pp_list_counters_names(const struct pp_probes *probes, struct pp_list_guess *guess);

/** Call @p take with every counter and source that matches. @return How many matched. */
unsigned pp_list_counters_each(const struct pp_probes *probes, const char *pattern,
                               void (*take)(void *data, const struct pp_probe_counter *counter), void *data);

/** Print the sources with their groups, and with a pattern the counters that match. @return How many matched.
 */
unsigned pp_list_counters(const struct pp_probes *probes, const char *pattern);

/**
 * Open the kernel's sources and print those of their events that match: with unit, what a value covers, what
 * it costs, and why others are missing.
 *
 * @return How many matched.
 */
unsigned pp_list_kernel(const char *pattern);

/** Open the kernel's sources and call @p take with every event that matches, or with a source that the
 * machine lacks (@p event is NULL). @return How many matched. */
unsigned pp_list_kernel_each(const char *pattern,
                             void (*take)(void *data, const struct pp_event_source *source,
                                          const struct pp_event *event),
                             void *data);

#endif
