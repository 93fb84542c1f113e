/** @file
 * Repairs the CSV files of a session whose application was killed. See also session_dir.h. */
#ifndef PP_CLI_LAUNCH_SESSION_MEND_H
#define PP_CLI_LAUNCH_SESSION_MEND_H

#include <stdbool.h>
#include <stddef.h>

/**
 * Cut the last row of passprobe's CSV files if a killed application left it unfinished. Files of these names
 * that passprobe did not write, links and hard links are left alone.
 *
 * @param dir_fd A session directory.
 * @return Number of files that were cut; -EBUSY if a process still writes; -EPERM if the directory belongs to
 * another user; -errno if the directory cannot be read.
 */
int pp_session_mend(int dir_fd);

/**
 * Length of the whole rows at the begin of CSV text (RFC 4180: a line break inside quotes ends no row).
 *
 * @param quoted In and out: is the text inside quotes? False at the begin of a file.
 * @return Bytes up to and with the last line break outside quotes; 0 if there is none.
 */
size_t pp_session_mend_whole_rows(const char *text, size_t len, bool *quoted);

#endif
