/** @file
 * The command's messages on stderr: one line each, which begins with "passprobe: ". */
#ifndef PP_CLI_TEXT_MESSAGE_H
#define PP_CLI_TEXT_MESSAGE_H

/** Exit statuses of the command (docs/reference.md). */
enum pp_exit {
    PP_EXIT_FAILED = 125,     /**< passprobe itself failed */
    PP_EXIT_NOT_EXEC = 126,   /**< CMD was found and cannot be executed */
    PP_EXIT_NOT_FOUND = 127,  /**< CMD was not found */
    PP_EXIT_SIGNAL_BASE = 128 /**< plus the signal that ended CMD */
};

/** Print one line; line breaks in the arguments become spaces. */
__attribute__((format(printf, 1, 2))) void pp_message(const char *format, ...);

/** As pp_message(), then return PP_EXIT_FAILED: `return pp_fail("...")`. */
__attribute__((format(printf, 1, 2))) int pp_fail(const char *format, ...);

/** Print a message that shows a place in a text: its first line as pp_message() does, the others below it
 * unchanged, except for control characters. @return PP_EXIT_FAILED. */
int pp_fail_text(const char *text);

#endif
