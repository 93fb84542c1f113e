/** @file
 * Decodes brackets: raw bytes of a batch become times and counters. Times are mapped to the CPU's axis, and
 * impossible values are refused. Collector thread only. This file knows no graphics API. See also rows.h.
 *
 * Columns that are computed from hidden columns: counters of sources whose raw fields go into formulas (`oa`,
 * `mali`). Collector thread only. This file knows no graphics API.
 *
 * Results of counter sources that stream: they are looked up afterwards, by the GPU timestamps of a bracket.
 * Collector thread only. This file knows no graphics API. */
#ifndef PP_CORE_COLLECT_DECODE_BRACKET_DECODE_H
#define PP_CORE_COLLECT_DECODE_BRACKET_DECODE_H

#include <stdbool.h>
#include <stddef.h>

#include "core/engine/clock.h"
#include "core/model/batch.h"
#include "core/model/row.h"

struct pp_session;

/** Counts of problems that were found while rows were made, for session.json. */
struct pp_frame_notes {
    bool draft; /**< input: the rows are a draft and may be made again (frame_output.h), so the device does
                   not count them */
    uint64_t rejected; /**< GPU intervals longer than, or outside, the CPU interval that encloses them */
    uint64_t lost;     /**< brackets whose time is not available */
    uint64_t brackets; /**< brackets in all */
    uint64_t
        conditional; /**< rows of passes under conditional rendering: near-zero figures are legal there */
    uint64_t counts_lost;     /**< results of a counter source that the driver did not give */
    uint64_t counts_rejected; /**< results that are not valid, or hold no finite number */
};

/** Times of a bracket. */
struct pp_bracket_times {
    struct pp_value start_ns;
    struct pp_value end_ns;
    struct pp_value length_ns;
    uint64_t begin_ticks;
};

/** What the brackets of one batch have in common, looked up once. */
struct pp_bracket_reader {
    struct pp_batch *batch;
    const struct pp_device *device;
    const struct pp_field *ticks; /**< NULL: the device has no timestamps */
    bool whole;                   /**< a tick is all of a word, the first of its row */
    uint32_t columns;
    bool covers; /**< the words of one source are all columns */
    struct pp_clock_view clock;
    uint64_t slack_ns;   /**< by which a time may contradict the CPU's */
    uint64_t longest_ns; /**< UINT64_MAX: the CPU does not know when */
};

/** Make the reader of a batch. Both arguments are borrowed. */
struct pp_bracket_reader pp_bracket_read_batch(const struct pp_session *session, struct pp_batch *batch);

/** Times of a bracket. A missing or refused time has a status. @param flags pp_pass.flags of a pass; 0 for an
 * action. @param notes Counts are added. */
struct pp_bracket_times pp_bracket_decode_times(const struct pp_bracket_reader *reader, uint32_t bracket,
                                                uint8_t flags, struct pp_frame_notes *notes);

/**
 * Decode what a bracket counted into every column. A column that no source of the bracket fills is
 * unsupported.
 *
 * @param counter Values of the session's columns.
 * @param notes   Counts are added.
 * @return True: every column has a value with status PP_OK, found by the fast path.
 */
bool pp_bracket_decode_counters(const struct pp_bracket_reader *reader, uint32_t bracket,
                                struct pp_value *counter, struct pp_frame_notes *notes);

struct pp_session;

/** Compute the session's computed columns of some rows. @param row Counters of each row:
 * session->rows.columns values. @retval 0, -ENOMEM. */
__attribute__((warn_unused_result)) int pp_formulas_compute(const struct pp_session *session,
                                                            struct pp_value *const *row, size_t rows);

struct pp_batch;

/**
 * Look up what streaming sources counted in the brackets of a batch, and write it into the batch's rows.
 *
 * @param patient True: results that have not arrived are waited for; false: they are lost.
 * @retval 0       Done.
 * @retval -EAGAIN Call again later; results found so far are kept.
 */
__attribute__((warn_unused_result)) int pp_streams_look_up(struct pp_batch *batch, bool patient);

#endif
