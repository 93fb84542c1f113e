/** @file
 * Questions in SQL with the conditions that are in an address after '?': build=, gpu=, driver=
 * and scene=. Values
 * become hexadecimal digits, so that none of them can be a part of SQL. Opens nothing. */
#ifndef PP_CLI_PUSH_FLEET_QUESTION_H
#define PP_CLI_PUSH_FLEET_QUESTION_H

#include <stddef.h>

/** The SQL of run_figures.sql, which pp_fleet_question_make() takes. */
extern const char pp_fleet_run_figures[];

/**
 * Make a statement from a question, whose conditions are in the table `ask`.
 *
 * @param sql   "FROM ask" in it is replaced by a list of the conditions.
 * @param query What is after '?': KEY=VALUE with '&' between them, and %XX for any byte. "" is none.
 * @param ret   Owned by the caller, free(); unchanged on failure.
 * @retval 0, -ENOMEM. @retval -EINVAL It is something else, or has another key.
 */
__attribute__((warn_unused_result)) int pp_fleet_question_make(const char *sql, const char *query,
                                                               char **ret);

/**
 * Write conditions as a user reads them: "build=1004, 1005, gpu=Mali-G78".
 *
 * @param query As for pp_fleet_question_make().
 * @param ret   @p size bytes; what does not fit is left out. "": there are none.
 */
void pp_fleet_question_words(const char *query, char *ret, size_t size);

#endif
