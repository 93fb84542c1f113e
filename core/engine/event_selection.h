/** @file
 * Which counters a device measures: from the list that the user gave to sets of events, their place in
 * a batch's rows and their columns. Knows no graphics API. See also frame.h. */
#ifndef PP_CORE_ENGINE_EVENT_SELECTION_H
#define PP_CORE_ENGINE_EVENT_SELECTION_H

#include "core/collect/output.h"
#include "core/engine/session_private.h"
#include "counters/events/event_plan.h"

/** Room for what is wrong with the user's list. */
#define PP_COUNTER_ERROR_MAX 512

/**
 * Lay out a device's rows: fixed sources, then counters as far as they are asked for. Adds columns while the
 * collector has not started. With the session's lock.
 *
 * @param device Zeroed but for session; its source fields are filled.
 * @param error  PP_COUNTER_ERROR_MAX bytes, written on -EINVAL.
 * @retval 0       Done; what could not be had is in device->missing.
 * @retval -EINVAL The list asks for what nobody knows, or cannot be measured.
 * @retval -ENOMEM No memory.
 */
__attribute__((warn_unused_result)) int pp_counter_plan(struct pp_device *device,
                                                        const struct pp_device_info *asked, char *error);

/** Takes note of what cannot be measured. */
typedef void (*pp_tell_missing_fn)(void *to, const char *event, const char *reason);

/**
 * pp_event_plan_make() of what is known and fits. What a driver or a kernel has is asked when the application
 * runs already, and names and limits are theirs, so that one may be known on one machine only, and a group
 * fit there only: it costs itself and nothing else. It is told, said on stderr and taken out of the list;
 * unless the user asked for nothing else.
 *
 * @param config NULL: the list is not the user's; nothing of it is left out.
 * @param list   The caller's own; items go.
 * @return As pp_event_plan_make(); with no item left nothing is planned.
 */
__attribute__((warn_unused_result)) int
pp_counter_plan_known(const struct pp_config *config, struct pp_event_list *list,
                      const struct pp_event_source *source, size_t sources, struct pp_event_plan *plan,
                      struct pp_event_error *error, pp_tell_missing_fn tell, void *to);

/** Tell the sources that stream what the frame that begins now measures. The presenting thread's. */
void pp_counter_select(struct pp_device *device, uint8_t set);

/**
 * Look up what sources that stream counted in the brackets of a batch, and put it into its rows.
 *
 * @param patient True: come back later for what has not arrived; false: it is lost.
 * @retval 0       Done.
 * @retval -EAGAIN Ask again; what was found stays.
 */
__attribute__((warn_unused_result)) int pp_counter_streams(struct pp_batch *batch, bool patient);

/** Name of a column, "khr:GPU active_cycles": a unit that the name ends in already is not repeated. */
void pp_counter_column_name(char *out, size_t size, const char *source, const char *name, enum pp_unit unit);

/** Is it read by the CPU at brackets' ends, by a thread of the application? */
static inline bool
pp_counter_is_read(const struct pp_source_ops *ops)
{
    return ops->reads == PP_READ_THREAD || ops->reads == PP_READ_IDLE;
}

/** Free what it made. */
void pp_counter_finish(struct pp_device *device);

/** Sum of two brackets' values of one column; missing where they do not add up. */
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
