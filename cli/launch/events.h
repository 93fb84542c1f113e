/** @file
 * Checks events whose names are known before the application runs: those of the kernel's sources, which do
 * not depend on the graphics driver. Knows no graphics API. All other events are looked up in the
 * application. */
#ifndef PP_CLI_LAUNCH_EVENTS_H
#define PP_CLI_LAUNCH_EVENTS_H

#include "core/config/config.h"
#include "counters/metric/catalogue.h"

/**
 * Check the list's events of `cpu`, `drm`, `hwmon`, `oa` and `mali` against what the kernel offers here.
 * Events of `oa` and `mali` that it does not offer are looked up in the catalogues of all GPUs. A source that
 * this machine lacks completely is no mistake: the session says why it is missing. Reports what is wrong,
 * with its place and the nearest name.
 *
 * @param place Where the list was given, for the message: "--events".
 * @retval 0
 * @retval -EINVAL An event that does not exist.
 * @retval -ENOMEM
 */
__attribute__((warn_unused_result)) int pp_events_check(const struct pp_config *config, const char *place);

/** Vendor of the catalogue that has the names of a source's events (`oa`: "intel"). @return NULL: none has.
 */
const char *pp_events_catalogue(const char *source);

/** Does `-e SOURCE:NAME` take this metric of the source's catalogue? */
bool pp_events_take(const char *source, const char *name, const struct pp_catalogue_set *set,
                    const struct pp_catalogue_metric *metric);

#endif
