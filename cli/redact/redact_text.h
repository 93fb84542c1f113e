/** @file
 * Replaces what texts of a session say of a person. Knows no file and no member by name. See also
 * redact_file.h. */
#ifndef PP_CLI_REDACT_REDACT_TEXT_H
#define PP_CLI_REDACT_REDACT_TEXT_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Most names of a user that are known at once. */
#define PP_REDACTION_USERS 4U

/** Bytes of a name that is replaced, the NUL included. */
#define PP_REDACTION_NAME 65

/** What is replaced. Zero it, then call pp_redaction_init(). */
struct pp_redaction {
    char home[PATH_MAX];                              /**< home directory of the user; "": not known */
    char user[PP_REDACTION_USERS][PP_REDACTION_NAME]; /**< names of the user, as parts of paths */
    size_t users;
    char host[PP_REDACTION_NAME]; /**< name of the machine, for pp_redact_words(); "": not known */
    uint64_t replaced;            /**< texts that were replaced so far */
    char *text;                   /**< the last text that was made; owned */
    size_t cap;
};

/** Learn the names of the user from HOME, USER, LOGNAME and the system, and the machine's name. */
void pp_redaction_init(struct pp_redaction *redaction);

/** Also replace this name of a user, where it is a part of a path. Names of less than three bytes, and those
 * that many folders have ("root", "home"), are left out. */
void pp_redaction_add_user(struct pp_redaction *redaction, const char *name);

/** Also replace this name of a machine, in place of the one before. */
void pp_redaction_set_host(struct pp_redaction *redaction, const char *name);

/** Free what was made. */
void pp_redaction_finish(struct pp_redaction *redaction);

/**
 * Replace home directories of all users by "~": /home/NAME, /Users/NAME, C:\users\NAME (also with the
 * doubled backslashes of JSON), and the user's own. Replace each part of a path that is the user's name by
 * "USER".
 *
 * @param text @p len bytes; NUL bytes and broken UTF-8 are kept.
 * @param ret_len Bytes of the result.
 * @return @p text itself if nothing was replaced; else a text that ends with NUL and is valid until the next
 * call; NULL: no memory.
 */
__attribute__((warn_unused_result)) const char *pp_redact_text(struct pp_redaction *redaction,
                                                               const char *text, size_t len, size_t *ret_len);

/** As pp_redact_text(), and replace the machine's name by "HOST" where it is a word. For texts that are no
 * names of the application's own: paths, messages. */
__attribute__((warn_unused_result)) const char *
pp_redact_words(struct pp_redaction *redaction, const char *text, size_t len, size_t *ret_len);

#endif
