/** @file
 * Which drivers were checked with passprobe, and how: docs/hardware.yaml. Asks no driver. */
#ifndef PP_CLI_PROBE_CHECKED_H
#define PP_CLI_PROBE_CHECKED_H

#include <stddef.h>

#include "cli/probe/probe.h"

/**
 * Describe how the driver of a context or device was checked.
 *
 * @param text  Takes the description: driver, version, how; or that this version, or this driver, was not
 * checked.
 * @return @p text.
 */
const char *pp_checked_describe(const struct pp_probe *probe, char *text, size_t size);

#endif
