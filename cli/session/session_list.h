/** @file
 * The sessions of a folder, without reading their rows. See also session_open.h. */
#ifndef PP_CLI_SESSION_SESSION_LIST_H
#define PP_CLI_SESSION_SESSION_LIST_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

/** Find the newest session of a folder that has frames. @param ret PATH_MAX bytes: its path, unchanged if
 * there is none. @return Is there one? */
bool pp_session_list_newest(const char *folder, char *ret);

/** The folder in which a place of sessions is: everything before the part of the path with the first of %e,
 * %p, %t, or before the last part; %% becomes '%'. @param ret PATH_MAX bytes. @return false: the path is too
 * long, or no place. */
bool pp_session_list_folder(const char *place, char *ret);

#endif
