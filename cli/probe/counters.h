/** @file
 * Counters of contexts and devices, on their way from a child process to `passprobe list`. */
#ifndef PP_CLI_PROBE_COUNTERS_H
#define PP_CLI_PROBE_COUNTERS_H

#include "cli/probe/probe.h"

/** Free what pp_probe_all() filled, and @p probes. */
void pp_probes_destroy(struct pp_probes *probes);

/* In a child process: what a context offers. `probe` counts its contexts from 0. */

/** Note a counter. After 16384 counters, further ones are left out. */
void pp_probe_counter_add(const struct pp_probe_counter *counter);

/** Note all events of a source. @p about What the source measures, and what that costs. @p limit How many
 * events of a group can be measured at a time; may be NULL. */
void pp_probe_source_add(uint32_t probe, const struct pp_source_ops *ops, void *self, const char *about,
                         uint32_t (*limit)(void *self, uint32_t event));

/** Describe a source by its row in counters/sources/registry.h: what it counts, of what, at what cost.
 * @return @p
 * text. */
const char *pp_probe_source_text(const char *source, char *text, size_t size);

/** Note that the context lacks a source. */
void pp_probe_absent_add(uint32_t probe, const char *source, const char *reason);

/** Send what pp_probe_counter_add() collected. */
bool pp_probe_counters_send(int fd);

/** Receive counters into @p probes (NULL: drop them), where the child's first context has number @p first. */
bool pp_probe_counters_receive(int fd, struct pp_probes *probes, uint32_t first);

#endif
