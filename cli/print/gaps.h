/** @file
 * What a session lacks and what measuring cost, as stat, record and report print it: what could not be
 * measured, and why; what was lost while it was measured; what cannot be read of it; and how the runs agree
 * that `record --runs-for` merged. */
#ifndef PP_CLI_PRINT_GAPS_H
#define PP_CLI_PRINT_GAPS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "cli/session/saved_session.h"

/** Print which events are missing: in one line, or with @p reasons a block for each reason. Nothing if
 * nothing is missing. */
void pp_not_measured_print(FILE *out, const struct pp_saved_session *rec, bool reasons);

/** Print a line for each reason on stderr. */
void pp_not_measured_message(const struct pp_saved_session *rec);

/** Kinds of losses that pp_losses_list() lists. */
#define PP_LOSSES_MAX 10U

/** Size of one sentence. */
#define PP_LOSS_TEXT 160U

/**
 * List what was lost: frames, results, times, counters, as session.json says.
 *
 * @param rec    A session that was read; borrowed.
 * @param damage Also what its files lack or what is wrong in them (pp_damage_find()).
 * @param text   Filled: one sentence for each kind of loss that happened, without a full stop.
 * @return The number of sentences, 0 where nothing was lost.
 */
size_t pp_losses_list(const struct pp_saved_session *rec, bool damage,
                      char text[PP_LOSSES_MAX][PP_LOSS_TEXT]);

/** Size of the text that names what is damaged. */
#define PP_DAMAGE_MAX 1024

/**
 * Did the session lose data after it was written, or could a part of it not be read: are there files that
 * cannot be read, partly or at all, or rows that were changed? A killed application loses its last second,
 * which is no damage.
 *
 * @param text What is lost, file by file; at most @p size bytes.
 * @return What to say of the session: "is damaged"; "cannot be read completely": the files may be whole, but
 * the command has no memory, no permission or the like; NULL: nothing is lost.
 */
const char *pp_damage_find(const struct pp_saved_session *rec, char *text, size_t size);

/** Why a file could not be read, in words. @param error Negative, as the readers of cli/session/ return it.
 */
const char *pp_damage_error_text(int error);

/** Rows that session.json counts in passes.csv and that this file does not have; 0 or less: none. */
double pp_damage_missing_passes(const struct pp_saved_session *rec);

/**
 * Print a line on stderr for each of the session's files that has more rows than tables can keep apart.
 *
 * @param dir Names the session.
 */
void pp_damage_print_left_out(const struct pp_saved_session *rec, const char *dir);

/**
 * Print on stderr what pp_damage_print_left_out() does, and a line on what is damaged.
 *
 * @param dir Names the session.
 */
void pp_damage_print(const struct pp_saved_session *rec, const char *dir);

/** Size of each text. */
#define PP_RUNS_FOR_TEXT 512

/** What a merged session says about its runs; "" where there is nothing to say. */
struct pp_runs_for_texts {
    char agree[PP_RUNS_FOR_TEXT];    /**< "412 of 415 draws, ... agree in all 7 runs; ..." */
    char left_out[PP_RUNS_FOR_TEXT]; /**< a run of which nothing is merged, and why */
    char columns[PP_RUNS_FOR_TEXT];  /**< counters that did not fit into a file */
    char ended[PP_RUNS_FOR_TEXT];    /**< why there are fewer runs than the events need */
};

/** Make the texts. @param json session.json; NULL, and any other content, is fine. */
void pp_runs_for_texts(const json_t *json, struct pp_runs_for_texts *ret);

/** Print them in the summary of a session. Prints nothing for other sessions. */
void pp_runs_for_print(FILE *out, const json_t *json);

/* What measuring cost. */

/** If overhead dominates, print a warning that FPS does not describe the application. */
void pp_cost_print_burden(FILE *out, const struct pp_saved_session *rec);

/** Print one line on what measuring cost and on what was lost. @param verbose Also print the overhead on the
 * CPU and the GPU in detail. */
void pp_cost_print(FILE *out, const struct pp_saved_session *rec, bool verbose);

/** The object of session.json with the cost of the frames that the figures describe, by its path: the frames
 * inside the recorded window, or all but the first ones; if it has neither, the whole session. Static. */
const char *pp_cost_path(const struct pp_saved_session *rec);

#endif
