/** @file
 * Users' metrics (`--metrics`) over the rows of a frame: columns of what the rows hold go into the
 * metric language, cells `metric:NAME` come out behind the counters. Collector thread only. Knows no graphics
 * API. See also report/. */
#ifndef PP_CORE_COLLECT_USER_METRICS_H
#define PP_CORE_COLLECT_USER_METRICS_H

#include <stdint.h>

#include "core/collect/output.h"
#include "core/util/csv_write.h"
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

/** Free them; NULL is fine. */
void pp_user_metrics_destroy(struct pp_user_metrics *user_metrics);

/** Append the header's cells. */
void pp_user_metrics_header(const struct pp_user_metrics *user_metrics, struct pp_csv *csv);

/** Evaluate the metrics of the frame, of all its passes, of all its works, for pp_user_metrics_cells().
 * @retval 0, -ENOMEM. */
__attribute__((warn_unused_result)) int pp_user_metrics_frame(struct pp_user_metrics *user_metrics,
                                                              const struct pp_frame_row *frame);
__attribute__((warn_unused_result)) int pp_user_metrics_passes(struct pp_user_metrics *user_metrics,
                                                               struct pp_session *session,
                                                               const struct pp_frame_row *frame);
__attribute__((warn_unused_result)) int pp_user_metrics_actions(struct pp_user_metrics *user_metrics,
                                                                struct pp_session *session,
                                                                const struct pp_frame_row *frame);

/** Append the cells of row @p row of what was evaluated last. */
void pp_user_metrics_cells(const struct pp_user_metrics *user_metrics, struct pp_csv *csv, uint32_t row);

/** Write the definitions as an array "metrics". */
void pp_user_metrics_json(const struct pp_user_metrics *user_metrics, struct pp_json *json);

#endif
