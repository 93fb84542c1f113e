/** @file
 * The folders of a lake: a session appears in them as a whole and once, also if several write at the same
 * time, and if a writer is killed. Knows no rows. docs/formats/fleet.md describes the folders.
 *
 *     DIR/TABLE/day=2026-01-31/build=1234/SESSION.csv.zst    the rows of a session
 *     DIR/.passprobe/sessions/SESSION                         what the lake has of it, and where
 *     DIR/.passprobe/writing/RANDOM/                          files of a writer that has not ended
 *     DIR/.passprobe/lock                                     held while files get their names
 *
 * All access is relative to open descriptors and follows no link below DIR: others may write there, too. */
#ifndef PP_CLI_PUSH_LAKE_STORE_H
#define PP_CLI_PUSH_LAKE_STORE_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#include "cli/push/push_session.h"

/** A lake that is open. */
struct pp_lake {
    int fd;     /**< DIR; owned */
    int own_fd; /**< DIR/.passprobe; owned */
};

/** Files of one session on their way into a lake. */
struct pp_lake_entry {
    const struct pp_lake *lake;
    int fd;        /**< its folder; owned */
    int lock_fd;   /**< its lock, which ends with the process; owned */
    char name[40]; /**< of the folder */
};

/** The session of an entry. */
struct pp_lake_session {
    const char *id;      /**< 32 hexadecimal digits */
    const char *content; /**< at most 64 hexadecimal digits; equal for equal rows */
    const char *day;     /**< 2026-01-31 */
    const char *build;   /**< any text; "": not known */
};

/**
 * Open a lake, or make one in a folder that is missing or empty.
 *
 * @retval 0         pp_lake_close() must be called.
 * @retval -ENOTDIR  The path is no folder.
 * @retval -ENOTEMPTY The folder has files and is no lake.
 * @retval -ELOOP    A link is where a folder of the lake should be.
 * @retval -errno    Not possible.
 */
__attribute__((warn_unused_result)) int pp_lake_open(const char *path, struct pp_lake *ret);

/** Close a lake. */
void pp_lake_close(struct pp_lake *lake);

/** Begin to write a session, and delete what killed writers have left. @retval 0: pp_lake_entry_end() must be
 * called. @retval -errno. */
__attribute__((warn_unused_result)) int pp_lake_entry_begin(const struct pp_lake *lake,
                                                            struct pp_lake_entry *ret);

/** Make a file of a table. @return Descriptor, owned by the caller; -errno. */
__attribute__((warn_unused_result)) int pp_lake_entry_file(struct pp_lake_entry *entry, const char *table);

/**
 * Give the files of an entry their names. They are synced first. A file of an earlier push of the session
 * that was cut off is replaced.
 *
 * @param table   Names of the tables that have a file. The last one makes the session visible.
 * @retval 0        The lake has the session now.
 * @retval 1        The lake had it already, with the same content.
 * @retval -EEXIST  The lake has a session with this id and other content.
 * @retval -ELOOP   A link is where a folder of the lake should be.
 * @retval -errno   Not possible; the session is not visible.
 */
__attribute__((warn_unused_result)) int pp_lake_entry_publish(struct pp_lake_entry *entry,
                                                              const struct pp_lake_session *session,
                                                              const char *const *table, size_t tables);

/** Delete what was not published, and close it. */
void pp_lake_entry_end(struct pp_lake_entry *entry);

/** Replace a file of the lake's top folder by a text. @retval 0, -errno. */
__attribute__((warn_unused_result)) int pp_lake_write(const struct pp_lake *lake, const char *name,
                                                      const char *text, size_t len);

/** Bytes of the name of a folder of a partition. */
#define PP_LAKE_PARTITION 300

/** The name of the folder of a build: "build=" and the text, where bytes other than letters, digits, '_', '-'
 * and '.' are percent-encoded; without a build "build=__HIVE_DEFAULT_PARTITION__", as Hive, Spark and DuckDB
 * name what is NULL. @param ret PP_LAKE_PARTITION bytes; a longer text is cut. */
void pp_lake_build_folder(const char *build, char *ret);

/* Pushes one session into a lake: its rows into one file for each table. See also
 * push_session.h. */

/** Open a lake, and write the SQL files with its views. @param ret_why What is wrong, static or of
 * strerror(); written only on failure. @retval 0: pp_lake_close() must be called. @retval -errno. */
__attribute__((warn_unused_result)) int pp_lake_begin(const char *path, struct pp_lake *ret,
                                                      const char **ret_why);

/**
 * Push a session.
 *
 * @param dir_fd The session's directory.
 * @param draws  Rows of draws.csv are wanted.
 * @param ret    Filled in any case; sent_bytes are those of the files.
 * @retval 0     Done, or it was there.
 * @retval -EIO  ret->error says why.
 */
__attribute__((warn_unused_result)) int pp_lake_push(const struct pp_lake *lake, int dir_fd,
                                                     const struct pp_push_facts *facts, bool draws,
                                                     struct pp_push_result *ret);

#endif
