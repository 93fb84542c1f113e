/** @file
 * Makes a trace of a session's rows: a format of exports (cli/export/export_format.h) that gives slices,
 * moments and values to a format of traces. Each row is used when it comes, and no file is kept. */
#ifndef PP_CLI_TRACE_TRACE_ROWS_H
#define PP_CLI_TRACE_TRACE_ROWS_H

#include "cli/export/export_format.h"
#include "cli/session/saved_session.h"
#include "cli/trace/trace_format.h"

/** What a trace does not show. */
struct pp_trace_left_out {
    uint64_t untimed; /**< rows of passes and draws without times of the GPU */
    uint64_t crowded; /**< slices of which more than PP_TRACE_LANES overlap */
};

/**
 * Make the format.
 *
 * @param trace Borrowed until the format is destroyed. Its end() is called by the format's end().
 * @param rec   The session that is exported: session.json is read when the first table comes. Borrowed, too.
 * @retval 0, -ENOMEM.
 */
__attribute__((warn_unused_result)) int pp_trace_rows_create(struct pp_trace_format *trace,
                                                             const struct pp_saved_session *rec,
                                                             struct pp_export_format **ret);

/** What the trace does not show, after the format's end(). */
struct pp_trace_left_out pp_trace_rows_left_out(const struct pp_export_format *format);

#endif
