/** @file
 * The figures of a session as a page in the OpenMetrics text format. The number of series does not depend on
 * the application. Collector thread only. Source: OpenMetrics 1.0.0. The series are in
 * docs/formats/control.md. */
#ifndef PP_CORE_CONTROL_OPEN_METRICS_H
#define PP_CORE_CONTROL_OPEN_METRICS_H

#include <stddef.h>

#include "core/control/control_facts.h"
#include "core/control/recent_frames.h"

struct pp_session;

/** The media type of the page. */
#define PP_OPEN_METRICS_TYPE "application/openmetrics-text; version=1.0.0; charset=utf-8"

/** Write the page. @param ret_len Length of the text. @return The page, to be freed. NULL: no memory. */
char *pp_open_metrics_page(struct pp_session *session, const struct pp_control_facts *facts,
                           const struct pp_recent *recent, size_t *ret_len);

#endif
