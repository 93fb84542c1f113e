/** @file
 * How the runs of a session agree that `record --runs-for` merged, as texts. */
#ifndef PP_CLI_PRINT_RUNS_FOR_H
#define PP_CLI_PRINT_RUNS_FOR_H

#include <jansson.h>
#include <stdio.h>

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

#endif
