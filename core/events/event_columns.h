/** @file
 * Columns of the CSV files: which column the value of an event goes into. Columns are added while the
 * collector has not started; later devices share those of the first. This file knows no graphics API. See
 * also event_selection.h. */
#ifndef PP_CORE_EVENTS_EVENT_COLUMNS_H
#define PP_CORE_EVENTS_EVENT_COLUMNS_H

#include "core/engine/session_private.h"
#include "counters/snapshot/source.h"

struct pp_source_set;

/** Name of a column, "khr:GPU active_cycles": a unit that the name ends in already is not repeated. */
void pp_event_columns_name(char *out, size_t size, const char *source, const char *name, enum pp_unit unit);

/** The column of this name, made if @p like is not NULL and the collector has not started. @return Its index,
 * or UINT16_MAX. With the session's lock. */
uint16_t pp_event_columns_get_locked(struct pp_session *session, const char *name,
                                     const struct pp_column *like);

/** Find the columns of a set's fields. @param make Add columns that are missing. @return Number of fields
 * without a column. With the session's lock. */
uint32_t pp_event_columns_map_fields(struct pp_session *session, const char *source,
                                     struct pp_source_set *set, bool make);

/** Add hidden columns for a set's fields, and columns that are computed from the hidden ones. With the
 * session's lock. @retval 0, -ENOSPC (too many columns), -errno. */
__attribute__((warn_unused_result)) int pp_event_columns_map_formulas(struct pp_session *session,
                                                                      const struct pp_event_source *counter,
                                                                      struct pp_source_set *set);

/** Note where the words of a set's result are, if the result has them in the order of the columns: decoding
 * is then a copy. Does nothing for other layouts. @retval 0, -ENOMEM. */
__attribute__((warn_unused_result)) int pp_event_columns_note_words(struct pp_source_set *set);

/** Add a column "estimate:SOURCE", which says for each pass and action whether the values of these sets are
 * estimates. With the session's lock. */
void pp_event_columns_add_estimate(struct pp_session *session, const char *source,
                                   const struct pp_source_set *set, uint32_t sets);

#endif
