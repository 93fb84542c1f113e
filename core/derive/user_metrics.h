/** @file
 * Users' metrics (`--metrics`) over the rows of a frame: columns of what the rows hold go into the
 * metric language, values of the columns `metric:NAME` come out after the counters. Collector thread only.
 * Knows no graphics API. */
#ifndef PP_CORE_DERIVE_USER_METRICS_H
#define PP_CORE_DERIVE_USER_METRICS_H

#include <stdint.h>

#include "core/engine/session_private.h"
#include "core/model/row.h"
#include "core/util/json_write.h"
#include "counters/user_metrics/metrics_file.h"

/** The metrics of a session. NULL everywhere below: there are none. */
struct pp_user_metrics;

/**
 * Compile the metrics of session->config for a GPU.
 *
 * @param gpu        Name of the device.
 * @param ret_user_metrics Set on success; NULL if the configuration names no file. For
 * pp_user_metrics_destroy().
 * @param error      Filled on failure.
 * @retval 0, else as pp_metrics_file_compile().
 */
__attribute__((warn_unused_result)) int pp_user_metrics_create(const struct pp_session *session,
                                                               const char *gpu,
                                                               struct pp_user_metrics **ret_user_metrics,
                                                               struct pp_metrics_error *error);

/** Free the user metrics; NULL is fine. */
void pp_user_metrics_destroy(struct pp_user_metrics *user_metrics);

/** Columns of the metrics: names and numbers (U64 or F64). Borrowed until pp_user_metrics_destroy(). */
struct pp_column *pp_user_metrics_columns(struct pp_user_metrics *user_metrics, uint32_t *ret_columns);

/** Evaluate the metrics for a frame, all its passes and all its actions. The values go after the counters of
 * each row: session->rows.metrics values at counter + session->rows.columns. @retval 0, -ENOMEM. */
__attribute__((warn_unused_result)) int pp_user_metrics_fill(struct pp_user_metrics *user_metrics,
                                                             struct pp_session *session,
                                                             struct pp_frame_row *frame);

/** Write the definitions as an array "metrics". */
void pp_user_metrics_json(const struct pp_user_metrics *user_metrics, struct pp_json *json);

#endif
