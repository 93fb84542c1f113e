/** @file
 * The options of `passprobe diff`, read from its command line. See also diff.c. */
#ifndef PP_CLI_COMMANDS_DIFF_OPTIONS_H
#define PP_CLI_COMMANDS_DIFF_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "cli/compare/diff.h"
#include "cli/compare/limit.h"
#include "cli/session/frame_window.h"

/** Limits of one command line at most. */
#define PP_DIFF_LIMITS_MOST 64U

/** What a comparison shows. Texts are borrowed from the command line. */
struct pp_diff_command {
    bool help, json, all, strict, force;
    double blunt_most; /**< --fail-blunt: a share; NaN: not given */
    bool trend;        /**< old_path are the points of a series; there is no new side */
    size_t entries;
    const char *html; /**< --html; NULL: not given */
    struct pp_diff_options how;
    struct pp_limit limit[PP_DIFF_LIMITS_MOST]; /**< texts are owned */
    size_t limits;
    const char *markdown, *junit; /**< files, "-": stdout; NULL: not wanted */
    struct pp_window_given window;
    char **old_path, **new_path; /**< sessions of each side */
    size_t olds, news;
};

/** Read the command line of `diff`. @param ret pp_diff_options_finish() frees it if 0 is returned. @return 0;
 * PP_EXIT_FAILED: a message was printed. */
__attribute__((warn_unused_result)) int pp_diff_options_read(int argc, char **argv,
                                                             struct pp_diff_command *ret);

/** Free the limits. */
void pp_diff_options_finish(struct pp_diff_command *command);

#endif
