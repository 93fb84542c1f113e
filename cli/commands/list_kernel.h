/** @file
 * Counters of the machine and the kernel, as `passprobe list` prints them. */
#ifndef PP_CLI_COMMANDS_LIST_KERNEL_H
#define PP_CLI_COMMANDS_LIST_KERNEL_H

#include "cli/commands/list_counters.h"
#include "counters/events/event_plan.h"

/**
 * Open the kernel's sources and print those of their events that match: with unit, what a value covers, what
 * it costs, and why others are missing.
 *
 * @return How many matched.
 */
unsigned pp_list_kernel(const char *pattern, pp_list_matches *matches);

/** Open the kernel's sources and call @p take with every event that matches, or with a source that the
 * machine lacks
 * (@p event is NULL). @return How many matched. */
unsigned pp_list_kernel_each(const char *pattern, pp_list_matches *matches,
                             void (*take)(void *data, const struct pp_event_source *source,
                                          const struct pp_event *event),
                             void *data);

/** Call @p take with every name of the kernel's sources: "source", "source:event", "event". */
void pp_list_kernel_names(void (*take)(void *data, const char *name), void *data);

#endif
