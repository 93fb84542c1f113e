/** @file
 * Finds sessions: those of a folder, without reading their rows, and the one that a command reads, which is a
 * directory, an archive, or the newest one of the usual places. Refuses sessions of newer versions. See also
 * saved_session.h, which reads it. */
#ifndef PP_CLI_SESSION_SESSION_OPEN_H
#define PP_CLI_SESSION_SESSION_OPEN_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/archive/archive_read.h"

/** How a session ended. */
enum pp_listed_end {
    PP_LISTED_EXIT,
    PP_LISTED_RUNNING,
    PP_LISTED_KILLED,
    PP_LISTED_EARLY,
    PP_LISTED_UNKNOWN
};

/** A session, or the sessions of repeated runs. */
struct pp_listed_session {
    char name[NAME_MAX + 1];
    char program[256]; /**< foreign text; "": not known */
    char start[32];  /**< local time "2026-01-31 23:59:59"; of the last write where the start is not known */
    int64_t order_s; /**< seconds since 1970 of the same moment */
    int64_t order_ns;
    int64_t frames; /**< of all runs; -1: not known */
    size_t runs; /**< sessions in the folder of repeated runs, whose newest one the other members are about;
                    0: this is a session */
    uint64_t bytes;
    enum pp_listed_end end;
};

/** Sessions of a folder, the newest one first. */
struct pp_session_list {
    struct pp_listed_session *session; /**< owned */
    size_t len, cap;
};

/**
 * List a folder. What is no session of this user's is left out.
 *
 * @retval 0, -ENOMEM, -errno (the folder cannot be read).
 */
__attribute__((warn_unused_result)) int pp_session_list_read(const char *folder, struct pp_session_list *ret);

/** Free the list. */
void pp_session_list_finish(struct pp_session_list *list);

/** The folder in which a place of sessions is: everything before the part of the path with the first of %e,
 * %p, %t, or before the last part; %% becomes '%'. @param ret PATH_MAX bytes. @return false: the path is too
 * long, or no place. */
bool pp_session_list_folder(const char *place, char *ret);

/** A session to read. Its descriptor and unpacked files stay until pp_session_close(). */
struct pp_opened_session {
    int fd;                /**< its directory, for reading files by name; owned */
    char path[PATH_MAX];   /**< of the directory or archive, for messages */
    char folder[PATH_MAX]; /**< of repeated runs, if the path of one was given; "": it was not */
    size_t runs;           /**< in that folder */
    bool is_archive;
    struct pp_unpacked unpacked; /**< valid with is_archive */
};

/** Size of the text that says why a session cannot be opened. */
#define PP_SESSION_OPEN_WHY 8192

/**
 * Open a session. Of a folder with repeated runs (runs_file.h) it is the last run that counts.
 *
 * @param given Path of a directory or of an archive. NULL: the directory that the configuration or
 * PASSPROBE_OUTPUT names, or the newest one that its %e, %p and %t represent; without a configured place
 * passprobe.data, else the newest session of the default folder (core/config/session_place.h).
 * @param why PP_SESSION_OPEN_WHY bytes: a whole message that names the path, written only on failure.
 * @retval 0       pp_session_close() must be called. The session may still be damaged.
 * @retval -EPROTO A newer passprobe wrote the session.
 * @retval -errno  There is no such session, or it cannot be read.
 */
__attribute__((warn_unused_result)) int pp_session_open(const char *given, struct pp_opened_session *ret,
                                                        char *why);

/** Close a session, and delete what was unpacked. */
void pp_session_close(struct pp_opened_session *session);

/** Is this the session that a command reads if the user names none? @param path Of a directory or archive. */
bool pp_session_is_usual(const char *path);

/** The place that the configuration names for sessions. @param ret PATH_MAX bytes: as the user wrote it, or
 * "passprobe.data". @return Was it named? */
bool pp_session_place(char *ret);

#endif
