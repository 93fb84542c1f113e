/** @file
 * Room: users' metrics (`--metrics`) over the rows of a frame: columns of what the rows hold go into the
 * metric language, cells `metric:NAME` come out behind the counters. Collector thread only. Knows no graphics
 * API. Next room: report/. */
#ifndef PP_CORE_COLLECT_USER_METRICS_H
#define PP_CORE_COLLECT_USER_METRICS_H

#include <stdint.h>

#include "core/util/csv_write.h"
#include "core/util/json_write.h"
#include "core/collect/output.h"
#include "counters/user_metrics/metrics_file.h"

/** The metrics of a session. NULL everywhere below: there are none. */
struct pp_derive;

/**
 * Compile the metrics of session->config for a GPU.
 *
 * @param gpu        Name of the device.
 * @param ret_derive Set on success; NULL if the configuration names no file. For pp_derive_destroy().
 * @param error      Filled on failure.
 * @retval 0, else as pp_metrics_file_compile().
 */
__attribute__((warn_unused_result)) int pp_derive_create(const struct pp_session *session, const char *gpu,
                                                         struct pp_derive **ret_derive,
                                                         struct pp_metrics_error *error);

/** Free them; NULL is fine. */
void pp_derive_destroy(struct pp_derive *derive);

/** Append the header's cells. */
void pp_derive_header(const struct pp_derive *derive, struct pp_csv *csv);

/** Evaluate the metrics of the frame, of all its passes, of all its works, for pp_derive_cells(). @retval 0,
 * -ENOMEM. */
__attribute__((warn_unused_result)) int pp_derive_frame(struct pp_derive *derive,
                                                        const struct pp_frame_row *frame);
__attribute__((warn_unused_result)) int pp_derive_passes(struct pp_derive *derive, struct pp_session *session,
                                                         const struct pp_frame_row *frame);
__attribute__((warn_unused_result)) int pp_derive_works(struct pp_derive *derive, struct pp_session *session,
                                                        const struct pp_frame_row *frame);

/** Append the cells of row @p row of what was evaluated last. */
void pp_derive_cells(const struct pp_derive *derive, struct pp_csv *csv, uint32_t row);

/** Write the definitions as an array "metrics". */
void pp_derive_json(const struct pp_derive *derive, struct pp_json *json);

#endif
