/** @file
 * What a session lost after it was written, or what cannot be read of it, as stat, record and report print
 * it. See also not_measured.h. */
#ifndef PP_CLI_PRINT_DAMAGE_H
#define PP_CLI_PRINT_DAMAGE_H

#include <stddef.h>

#include "cli/session/saved_session.h"

/** Size of the text that names what is damaged. */
#define PP_DAMAGE_MAX 1024

/**
 * Did the session lose data after it was written, or could a part of it not be read: are there files that
 * cannot be read, partly or at all, or rows that were changed? A killed application loses its last second,
 * which is no damage.
 *
 * @param text What is lost, file by file; at most @p size bytes.
 * @return What to say of the session: "is damaged"; "cannot be read completely": the files may be whole, but
 * the command has no memory, no permission or the like; NULL: nothing is lost.
 */
const char *pp_damage_find(const struct pp_saved_session *rec, char *text, size_t size);

/** Why a file could not be read, in words. @param error Negative, as the readers of cli/session/ return it.
 */
const char *pp_damage_error_text(int error);

/** Rows that session.json counts in passes.csv and that this file does not have; 0 or less: none. */
double pp_damage_missing_passes(const struct pp_saved_session *rec);

/**
 * Print a line on stderr for each of the session's files that has more rows than tables can keep apart.
 *
 * @param dir Names the session.
 */
void pp_damage_print_left_out(const struct pp_saved_session *rec, const char *dir);

/**
 * Print on stderr what pp_damage_print_left_out() does, and a line on what is damaged.
 *
 * @param dir Names the session.
 */
void pp_damage_print(const struct pp_saved_session *rec, const char *dir);

#endif
