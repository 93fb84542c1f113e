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

/* Module: the lines of the screen of `top`, as text. Knows no terminal. See also live_view.h, which has the
 * figures, and screen.h, which shows the lines. */

/** Most lines and columns of a screen; what is beyond stays empty. */
#define PP_TOP_LINES_MAX   200U
#define PP_TOP_COLUMNS_MAX 300U

/** How a line looks. */
enum pp_top_style { PP_TOP_PLAIN, PP_TOP_BOLD, PP_TOP_REVERSE, PP_TOP_WARNING };

/** A line. */
struct pp_top_line {
    char text[4 * PP_TOP_COLUMNS_MAX + 4]; /**< safe for a terminal; UTF-8 */
    enum pp_top_style style;
    char chart[4 * PP_TOP_COLUMNS_MAX + 4]; /**< bars after the text, from chart_column on; "": none */
    size_t chart_column;
};

/** What the screen shows, besides figures. */
struct pp_top_look {
    size_t lines, columns;   /**< of the screen */
    bool utf8;               /**< the terminal has the characters of bars, and those of foreign names */
    const char *application; /**< foreign text */
    long pid;                /**< 0: not known */
    bool software;           /**< times of the GPU are times of the CPU */
    enum pp_live_sort sort;
    enum pp_live_by by;
    size_t scroll;      /**< rows of the table that are above the screen */
    bool help;          /**< show the help instead of the table */
    const char *notice; /**< what happened; "": nothing */
};

/** Make the lines. @param ret PP_TOP_LINES_MAX lines. @return How many there are: as many as the screen has.
 */
size_t pp_top_lines_make(const struct pp_live_view *view, const struct pp_top_look *look,
                         struct pp_top_line *ret);

/** Rows of the table that a screen of this many lines shows. */
size_t pp_top_lines_rows(size_t lines);

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
