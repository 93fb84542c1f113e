/** @file
 * Selection of events: from the user's list to the counter sets that a device measures, their places in a
 * batch's rows, and their columns. This file knows no graphics API. See also core/collect/decode.c. */
#ifndef PP_CORE_ENGINE_EVENT_SELECTION_H
#define PP_CORE_ENGINE_EVENT_SELECTION_H

#include "core/collect/output.h"
#include "core/engine/session_private.h"
#include "counters/events/event_plan.h"

/** Size of the buffer for an error in the user's list. */
#define PP_COUNTER_ERROR_MAX 512

/**
 * Lay out a device's rows: fixed sources, then the selected events. Adds columns while the collector has not
 * started. Call with the session's lock.
 *
 * @param device Zeroed except for session; its source fields are filled.
 * @param error  PP_COUNTER_ERROR_MAX bytes, written on -EINVAL.
 * @retval 0       Done; events that cannot be measured are in device->missing.
 * @retval -EINVAL The list contains an event that no source has, or that cannot be measured.
 * @retval -ENOMEM No memory.
 */
__attribute__((warn_unused_result)) int pp_counter_plan(struct pp_device *device,
                                                        const struct pp_device_info *asked, char *error);

/** Receives an event that cannot be measured, and the reason. */
typedef void (*pp_tell_missing_fn)(void *to, const char *event, const char *reason);

/**
 * Plan the events of a list that are known and fit the hardware. Names and limits of a driver or a kernel are
 * known only when the application already runs, so an event or a group may work on one machine only. Such an
 * event or group is reported on stderr and removed from the list; the other events are measured. If the list
 * contains nothing else, the error is returned instead.
 *
 * @param config NULL: the list is not the user's; no item is removed.
 * @param list   Owned by the caller; items may be removed.
 * @return As pp_event_plan_make(). If no item is left, the plan is empty.
 */
__attribute__((warn_unused_result)) int
pp_counter_plan_known(const struct pp_config *config, struct pp_event_list *list,
                      const struct pp_event_source *source, size_t sources, struct pp_event_plan *plan,
                      struct pp_event_error *error, pp_tell_missing_fn tell, void *to);

/** Select the counter set of the frame that begins now in all streaming sources. Called on the presenting
 * thread. */
void pp_counter_select(struct pp_device *device, uint8_t set);

/**
 * Look up what streaming sources counted in the brackets of a batch, and write it into the batch's rows.
 *
 * @param patient True: results that have not arrived are waited for; false: they are lost.
 * @retval 0       Done.
 * @retval -EAGAIN Call again later; results found so far are kept.
 */
__attribute__((warn_unused_result)) int pp_counter_streams(struct pp_batch *batch, bool patient);

/** Name of a column, "khr:GPU active_cycles": a unit that the name ends in already is not repeated. */
void pp_counter_column_name(char *out, size_t size, const char *source, const char *name, enum pp_unit unit);

/** Is the source read by the CPU at both ends of a bracket, on a thread of the application? */
static inline bool
pp_counter_is_read(const struct pp_source_ops *ops)
{
    return ops->reads == PP_READ_THREAD || ops->reads == PP_READ_IDLE;
}

/** Free the source data of a device that pp_counter_plan() has made. */
void pp_counter_finish(struct pp_device *device);

/** Sum of two brackets' values of one column; missing if the column is not additive. */
static inline struct pp_value
pp_counter_add(const struct pp_column *column, struct pp_value a, struct pp_value b)
{
    enum pp_status worse = pp_status_worse(a.status, b.status);
    if (column->not_additive)
        return pp_value_missing(PP_UNSUPPORTED);
    uint64_t sum = pp_number_add(column->number, a.value, b.value);
    if (column->number == PP_NUMBER_U64 && sum > PP_VALUE_MAX && pp_status_has_value(worse))
        return pp_value_missing(PP_REJECTED);
    return (struct pp_value){sum, worse};
}

/** Compute the columns of rows of counters that are computed from others. @p row session->columns values
 * each. @retval 0, -ENOMEM. */
__attribute__((warn_unused_result)) int pp_counter_compute(const struct pp_session *session,
                                                           struct pp_value *const *row, size_t rows);

#endif
