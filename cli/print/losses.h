/** @file
 * What a session lost while it was measured, in one sentence for each loss. record, report and stat print
 * it. Next module: saved_session.h. */
#ifndef PP_CLI_PRINT_LOSSES_H
#define PP_CLI_PRINT_LOSSES_H

#include <stddef.h>

#include "cli/session/saved_session.h"

/** Kinds of losses that pp_losses_list() lists. */
#define PP_LOSSES_MAX 9U

/** Size of one sentence. */
#define PP_LOSS_TEXT 160U

/**
 * List what the session's session.json says was lost: frames, results, times, counters.
 *
 * @param rec  A session that was read; borrowed.
 * @param text Filled: one sentence for each kind of loss that happened, without a full stop.
 * @return The number of sentences, 0 where nothing was lost.
 */
size_t pp_losses_list(const struct pp_saved_session *rec, char text[PP_LOSSES_MAX][PP_LOSS_TEXT]);

#endif
