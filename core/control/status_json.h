/** @file
 * The status of a session as one line of JSON, and errors as the same. The members are in
 * docs/formats/control.md. Collector thread only. */
#ifndef PP_CORE_CONTROL_STATUS_JSON_H
#define PP_CORE_CONTROL_STATUS_JSON_H

#include "core/config/control_place.h"
#include "core/control/control_facts.h"
#include "core/control/order.h"
#include "core/control/recent_frames.h"
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

#endif
