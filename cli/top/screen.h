/** @file
 * Module: the terminal while `top` runs: shows lines, reads keys, and gives the terminal back, also after a
 * signal. The only file that knows ncurses. One screen at a time. */
#ifndef PP_CLI_TOP_SCREEN_H
#define PP_CLI_TOP_SCREEN_H

#include <stdbool.h>
#include <stddef.h>

#include "cli/top/top.h"

/** Keys that are not characters. */
enum pp_screen_key {
    PP_SCREEN_NONE = 0,
    PP_SCREEN_UP = 0x1000,
    PP_SCREEN_DOWN,
    PP_SCREEN_PAGE_UP,
    PP_SCREEN_PAGE_DOWN,
    PP_SCREEN_RESIZED,
    PP_SCREEN_UNKNOWN
};

/**
 * Take the terminal. SIGINT, SIGTERM, SIGHUP and SIGQUIT are kept for pp_screen_signal(), except those that
 * are ignored. A signal for a fault (SIGSEGV and the like) gives the terminal back before it ends the
 * process.
 *
 * @param in_fd, out_fd The terminal; borrowed until pp_screen_end().
 * @retval 0       pp_screen_end() must be called.
 * @retval -ENODEV The terminal's type is not known (TERM), or cannot move the cursor.
 * @retval -errno
 */
__attribute__((warn_unused_result)) int pp_screen_begin(int in_fd, int out_fd);

/** Does the terminal's character set have all characters (UTF-8)? */
bool pp_screen_is_utf8(void);

/** The size of the screen. */
void pp_screen_size(size_t *ret_lines, size_t *ret_columns);

/** Show these lines, and nothing else. */
void pp_screen_show(const struct pp_top_line *line, size_t n);

/** The key that was pressed: a character, or enum pp_screen_key. Does not wait. */
int pp_screen_key(void);

/** The signal that asks to end; 0: none came. */
int pp_screen_signal(void);

/** Give the terminal back. Does nothing without a screen. */
void pp_screen_end(void);

#endif
