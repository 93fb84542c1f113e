/** @file
 * What the command line of `passprobe diff` asks for, which files it may write, and the comparison itself.
 * `passprobe compare` has most of these options, too. */
#ifndef PP_CLI_COMMANDS_DIFF_H
#define PP_CLI_COMMANDS_DIFF_H

#include <stdbool.h>
#include <stddef.h>

#include "cli/compare/diff.h"
#include "cli/compare/limit.h"
#include "cli/session/frame_window.h"
#include "core/config/option.h"
#include "pp_options.h"

/** Most limits, as `times` of --fail-above in docs/options.yaml says. */
#define PP_DIFF_LIMITS_MOST 64U

/** What a comparison shows. Texts are borrowed from the command line. */
struct pp_diff_command {
    struct pp_diff_options how;
    struct pp_window_given window;
    double blunt_most;                          /**< --fail-blunt: a share; NaN: not given */
    struct pp_limit limit[PP_DIFF_LIMITS_MOST]; /**< of --fail-above; texts are owned */
    size_t limits;
    char **old_path,
        **new_path; /**< sessions of each side; with --trend, old_path are the points of a series */
    size_t olds, news;
    PP_DIFF_OPTIONS
};

/** Check and convert the options as they were given. @return 0; PP_EXIT_FAILED: a message was printed. */
__attribute__((warn_unused_result)) int pp_diff_command_check(struct pp_diff_command *command);

/** Compare two sides, and write what is asked for. @return Exit status, as that of diff(1): 0
 * nothing is slower, or all limits are kept; 1 something is; 2 the sides are not comparable, or a limit has
 * no row to check; PP_EXIT_FAILED: a message was printed. */
int pp_diff_run(const struct pp_diff_command *command);

/** Free the limits. */
void pp_diff_command_finish(struct pp_diff_command *command);

/** Can the files of --markdown, --junit and --html be written, as far as that is known before? Reports what
 * is wrong. Nothing is made. @return Exit status. */
int pp_diff_files_check(const struct pp_diff_command *command);

#endif
