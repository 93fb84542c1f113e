/** @file
 * What a ClickHouse server is asked, and what it answers: an error, whose meaning decides whether a push is
 * tried again, or rows of the format TabSeparated. The bytes may be of any server. Opens nothing. */
#ifndef PP_CLI_PUSH_SERVER_ANSWER_H
#define PP_CLI_PUSH_SERVER_ANSWER_H

#include <stddef.h>
#include <stdint.h>

/** What a failed step of a push means. */
enum pp_push_failure {
    PP_PUSH_AGAIN,   /**< it may succeed later: the network, or a server with too much to do */
    PP_PUSH_GIVE_UP, /**< it will not succeed before someone changes something */
    PP_PUSH_REFUSED, /**< the session is refused; others may be accepted */
    PP_PUSH_STOPPED  /**< the user stopped it */
};

/** A failed step. */
struct pp_push_error {
    enum pp_push_failure failure;
    int code;       /**< of ClickHouse; 0: there is none */
    char text[768]; /**< one line: what went wrong, and what to do */
};

/** Note a failure, with a text. */
__attribute__((format(printf, 3, 4))) void
pp_push_error_set(struct pp_push_error *error, enum pp_push_failure failure, const char *format, ...);

/**
 * Find out what an answer with an error means.
 *
 * @param status   Of HTTP.
 * @param text     The answer; @p len bytes and a NUL.
 * @param password Is replaced wherever the answer has it; "": there is none.
 */
void pp_push_error_of_answer(struct pp_push_error *ret, long status, const char *text, size_t len,
                             const char *password);

/** Read lines of one number each. @return How many there are, at most @p most; SIZE_MAX: a line is no
 * number. */
size_t pp_answer_numbers(const char *text, uint64_t *ret, size_t most);

/**
 * Read the next line, of a number and a text of hexadecimal digits.
 *
 * @param io_text After the line afterwards.
 * @param ret_hex @p digits + 1 bytes.
 * @retval 1, 0 (there is no line), -1 (the line is another one).
 */
int pp_answer_number_and_hex(const char **io_text, uint64_t *ret_number, char *ret_hex, size_t digits);

/* Questions in SQL with the conditions that are in an address after '?': build=, gpu=, driver= and scene=.
 * Values become hexadecimal digits, so that none of them can be a part of SQL. Opens nothing. */

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
