/** @file
 * Module: asks a profiled application for another level, through its control socket (cli/control/). Does not
 * wait: the answer is fetched later. */
#ifndef PP_CLI_TOP_LEVEL_CHANGE_H
#define PP_CLI_TOP_LEVEL_CHANGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/control/talk.h"

/** A question that has no answer yet. Begin with talk.fd -1. */
struct pp_level_change {
    struct pp_talk talk; /**< fd -1: there is no question */
    uint64_t asked_ns;   /**< CLOCK_MONOTONIC */
    size_t level;        /**< PP_SAVED_FRAME and so on */
};

/** Ask the process @p pid for a level. A question before it is forgotten. @retval 0, -errno: there is no
 * socket, or it cannot be reached. */
__attribute__((warn_unused_result)) int pp_level_change_ask(struct pp_level_change *change, long pid,
                                                            size_t level);

/** Fetch the answer. @param text @p size bytes: what to print for the user, written where there is an answer,
 * or where none came in two seconds. @return Is there one? */
bool pp_level_change_fetch(struct pp_level_change *change, char *text, size_t size);

/** Close the connection. */
void pp_level_change_finish(struct pp_level_change *change);

#endif
