/** @file
 * Passes the files of a session through the redaction: takes out of session.json what it says of a person,
 * and redacts rows. Knows which files a session has, and the members of docs/formats/session.md. Also makes
 * the number under which a machine is known where its name is removed. See also redact_text.h. */
#ifndef PP_CLI_REDACT_REDACT_FILE_H
#define PP_CLI_REDACT_REDACT_FILE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "cli/redact/redact_text.h"

/** Learn the machine's name from session.json, and the user's from its paths, for the redaction of other
 * texts.
 * @param json NULL: nothing is learnt. */
void pp_redaction_learn(struct pp_redaction *redaction, const json_t *json);

/** The number or the name of the machine that recorded a session: `host.id`, as the redaction makes it; with
 * @p keep `host.name` as it is. @param ret PP_REDACTION_NAME bytes; "": not known. */
void pp_redaction_machine(const json_t *json, bool keep, char *ret);

/**
 * Redact session.json, in place:
 *
 * - `program.command` keeps its first word, and `program.arguments_removed` says how many others there were;
 * - `host.name` becomes `host.id`, as pp_machine_id() makes it (nothing, if that is not possible);
 * - in all texts, home directories, parts of paths that are the user's name, and the names of the machine are
 *   replaced, as by pp_redact_words();
 * - `session_id` is set where it was missing, because it depends on what is removed;
 * - `redacted` becomes true.
 *
 * @param redaction Learns the machine's name from the session, and the user's from its paths, for the other
 * files.
 * @param json Read by pp_saved_load_json(). A session that is redacted already does not change.
 * @retval 0, -ENOMEM: do not use @p json.
 */
__attribute__((warn_unused_result)) int pp_redact_json(struct pp_redaction *redaction, json_t *json);

/** Bytes of a machine's number as text: 16 hexadecimal digits and a NUL. */
#define PP_MACHINE_ID_MAX 17

/**
 * Make the number of a machine from its name and the user's salt. The same user gets the same number for a
 * machine each time; without the salt, the name cannot be found by trying names.
 *
 * The salt is 256 random bits in passprobe/salt under $XDG_STATE_HOME (else ~/.local/state), a file of mode
 * 0600 that never leaves the machine and is made when it is first needed. A link, a file of another user, or
 * one that others may read is not used.
 *
 * @param name Of the machine. @param ret PP_MACHINE_ID_MAX bytes; unchanged on failure.
 * @retval 0
 * @retval -EPERM  The salt's file is not the user's alone.
 * @retval -ENOENT There is no home directory.
 * @retval -errno  The salt cannot be read or made.
 */
__attribute__((warn_unused_result)) int pp_machine_id(const char *name, char *ret);

/** Takes the redacted bytes, part by part. @return 0; else what pp_redact_file() returns. */
typedef int pp_redact_sink(void *data, const char *bytes, size_t len);

/** Bytes of a row, above which a file is refused: readers refuse cells of 1 MiB already. */
#define PP_REDACT_ROW_MAX ((size_t)8 << 20)

/** Does the file of this name hold paths of the machine that recorded the session? Then its texts are
 * redacted by pp_redact_words(). */
bool pp_redact_has_paths(const char *name);

/**
 * Redact a file row by row: paths of modules and sources (modules.csv, symbols.csv) by pp_redact_words(), the
 * other files by pp_redact_text(). Labels and names of the application's own stay. Not for session.json.
 *
 * @param name Of the file, which decides how it is redacted.
 * @param fd   Open for reading, at its begin; borrowed.
 * @retval 0
 * @retval -EFBIG  A row is longer than PP_REDACT_ROW_MAX.
 * @retval -errno  Reading failed, no memory, or what @p sink returned.
 */
__attribute__((warn_unused_result)) int pp_redact_file(struct pp_redaction *redaction, const char *name,
                                                       int fd, pp_redact_sink *sink, void *data);

#endif
