/** @file
 * Room: the directory that a session is written to, from the outside: made before CMD starts, mended after it
 * ended. The files in it are made by the recording process (core/session.c). Next room: session.h reads them.
 */
#ifndef PP_CLI_SESSION_DIR_H
#define PP_CLI_SESSION_DIR_H

#include <limits.h>
#include <stddef.h>

/** A prepared directory. */
struct pp_session_dir {
    char path[PATH_MAX]; /**< absolute */
};

/**
 * Make @p output an empty directory. One that holds a session becomes DIR.old, whose own session is deleted.
 *
 * Nothing that is not passprobe's is moved or deleted: a file, a symbolic link or a directory with other
 * files in the way is an error.
 *
 * @param output  As given; its parent must exist.
 * @param ret_dir Filled in on success.
 * @param why     What is wrong, one line, written only on failure.
 * @retval 0       It is there, empty and writable.
 * @retval -errno  See @p why.
 */
__attribute__((warn_unused_result)) int
pp_session_dir_prepare(const char *output, struct pp_session_dir *ret_dir, char *why, size_t why_len);

/** A new directory under $TMPDIR or /tmp, for `stat` where the usual place is not writable. */
__attribute__((warn_unused_result)) int pp_session_dir_temporary(struct pp_session_dir *ret_dir);

/** Delete a directory and the session in it. */
void pp_session_dir_delete(const struct pp_session_dir *dir);

/** Remove the directory if nothing was written into it. */
void pp_session_dir_drop_empty(const struct pp_session_dir *dir);

/**
 * Cut the last row of every CSV file in @p path if a killed program left it unfinished.
 *
 * @return Number of files that were cut; -errno if the directory cannot be read.
 */
int pp_session_dir_mend(const char *path);

/**
 * Length of the whole rows at the begin of CSV text (RFC 4180: a line break inside quotes ends no row).
 *
 * @param quoted In and out: are we inside quotes; false at the begin of a file.
 * @return Bytes up to and with the last line break outside quotes; 0 if there is none.
 */
size_t pp_csv_whole_rows(const char *text, size_t len, _Bool *quoted);

#endif
