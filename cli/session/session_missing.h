/** @file
 * Events that session.json reports as missing, by reason. See also saved_session.h. */
#ifndef PP_CLI_SESSION_SESSION_MISSING_H
#define PP_CLI_SESSION_SESSION_MISSING_H

#include "cli/session/saved_session.h"

/** Events that a device could not measure, for one reason. Borrowed from session.json. */
struct pp_saved_missing {
    const char *event; /**< the first of them */
    const char *reason;
    size_t events;
};

/** Every device. */
#define PP_SAVED_ALL_DEVICES SIZE_MAX

/**
 * Group the events_missing of a device by reason. For the first device, include what frames lack in addition
 * to the GPU's work.
 *
 * @param device Index in session.json's devices, or PP_SAVED_ALL_DEVICES.
 * @param ret An array for @p cap groups.
 * @return Groups written. More than @p cap: that many events had further reasons. 0: nothing is missing, or
 * there is no such device.
 */
size_t pp_saved_missing(const struct pp_saved_session *rec, size_t device, struct pp_saved_missing *ret,
                        size_t cap);

#endif
