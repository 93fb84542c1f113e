/** @file
 * Module: the live view of a session: reads it again and again, shows it on a screen, and does what keys ask.
 * It reads from session.json which process writes the session, its driver, and whether it records; and it
 * asks that process for another level through its control socket (cli/control/), without a wait. */
#ifndef PP_CLI_TOP_TOP_H
#define PP_CLI_TOP_TOP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/control/talk.h"
#include "cli/top/live_rows.h"
#include "cli/top/live_view.h"
#include "cli/top/top_lines.h"

/** A question that has no answer yet. Begin with talk.fd -1. */
struct pp_level_change {
    struct pp_talk talk; /**< fd -1: there is no question */
    uint64_t asked_ns;   /**< CLOCK_MONOTONIC */
    size_t level;        /**< PP_SAVED_FRAME and so on */
};

/** What session.json says of the process that writes the session. All zero: nothing yet. */
struct pp_session_about {
    long pid;      /**< 0: not known */
    bool software; /**< all of its drivers are software drivers */
    bool paused;   /**< recording is stopped */
};

/** A live view. Begin with pp_top_begin(). */
struct pp_top {
    int dir_fd; /**< the session; owned; -1: there is none yet */
    struct pp_live_frames frames;
    struct pp_live_rows rows;
    struct pp_live_view view;
    struct pp_level_change level;
    struct pp_session_about about;
    struct pp_top_look look;
    char application[256];
    char happened[256];       /**< what a key did, shown for some seconds; "": nothing */
    uint64_t happened_ns;     /**< CLOCK_MONOTONIC */
    const char *state;        /**< shown until it changes: that CMD is being ended; "": nothing. Static */
    bool frozen, quit;        /**< keys asked so */
    uint64_t next_ns;         /**< CLOCK_MONOTONIC: when to read again */
    struct pp_top_line *line; /**< PP_TOP_LINES_MAX; owned */
};

/** Begin. The screen is there (screen.h). @param application Foreign text; copied. @param pid 0: not known.
 * @retval 0, -ENOMEM. */
__attribute__((warn_unused_result)) int pp_top_begin(struct pp_top *top, const char *application, long pid);

/** Follow another session. @param dir_fd Its directory; taken over; -1: there is none. */
void pp_top_follow(struct pp_top *top, int dir_fd);

/** Read keys and, twice a second, the session; show what has changed. Call it many times a second. */
void pp_top_tick(struct pp_top *top);

/** Free everything. */
void pp_top_finish(struct pp_top *top);

#endif
