/** @file
 * The files that `passprobe diff` writes besides its table: which names it may use. See also diff.c,
 * which writes them. */
#ifndef PP_CLI_COMMANDS_DIFF_FILES_H
#define PP_CLI_COMMANDS_DIFF_FILES_H

#include <stdbool.h>

#include "cli/commands/diff.h"

/** Why a file must not be written: it is a side of the comparison, a summary, a file in a session, or the
 * file of another form. @param name As given; not "-". @return A text for a message; NULL: it may be written.
 */
const char *pp_diff_file_taken(const struct pp_diff_command *command, const char *name);

/** Can the files of --markdown, --junit and --html be written, as far as that is known before? Reports what
 * is wrong. Nothing is made. @return Exit status. */
int pp_diff_files_check(const struct pp_diff_command *command);

#endif
