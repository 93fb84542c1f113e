/** @file
 * Answers of the control socket (JSON) and of the metrics socket (OpenMetrics).
 *
 * The status of a session as one line of JSON, and errors as the same. The members are in
 * docs/formats/control.md. Collector thread only.
 *
 * The figures of a session as a page in the OpenMetrics text format. The number of series does not depend on
 * the application. Collector thread only. Source: OpenMetrics 1.0.0. The series are in
 * docs/formats/control.md. */
#ifndef PP_CORE_CONTROL_ANSWERS_H
#define PP_CORE_CONTROL_ANSWERS_H

#include <stddef.h>

#include "core/config/control_place.h"
#include "core/control/control.h"
#include "core/control/recent_frames.h"
#include "core/control/request.h"
#include "core/util/json_write.h"

struct pp_session;

/** Which frames a status has figures of. */
struct pp_status_span {
    uint64_t now_ns;  /**< CLOCK_MONOTONIC */
    uint64_t seen;    /**< frames (pp_recent.frames) that the line before had; 0: none */
    uint64_t from_ns; /**< "interval" has frames that were noted since this moment */
};

/** Write a status with its line end. @param json All zero; its text is the caller's. */
void pp_status_json(struct pp_json *json, struct pp_session *session, const struct pp_control_facts *facts,
                    const struct pp_recent *recent, const struct pp_status_span *span);

/** Write an error with its line end. @param json All zero; its text is the caller's. @param text What is
 * wrong, for people; NULL: what the error means. */
void pp_status_json_error(struct pp_json *json, enum pp_order_error error, const char *text);

struct pp_session;

/** The media type of the page. */
#define PP_OPEN_METRICS_TYPE "application/openmetrics-text; version=1.0.0; charset=utf-8"

/** Write the page. @param ret_len Length of the text. @return The page, to be freed. NULL: no memory. */
char *pp_open_metrics_page(struct pp_session *session, const struct pp_control_facts *facts,
                           const struct pp_recent *recent, size_t *ret_len);

#endif
