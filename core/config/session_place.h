/** @file
 * Where sessions go: names with %e, %p and %t, the folder for sessions that no option names, and how much may
 * stay there. See also session_dir.h, which makes the directory itself. */
#ifndef PP_CORE_CONFIG_SESSION_PLACE_H
#define PP_CORE_CONFIG_SESSION_PLACE_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

/** What stays in the default folder when a new session begins there: the newest sessions. */
#define PP_PLACE_SESSIONS 20U
#define PP_PLACE_BYTES    (UINT64_C(8) << 30)

/** Does a name of a directory hold %e, %p or %t? */
bool pp_place_is_template(const char *output);

/** Is the name of a directory valid: is every % followed by e, p, t or %? */
bool pp_place_is_valid(const char *output);

/**
 * Replace %e by the application's name, %p by a process number, %t by the time of day (20260131-235959), %%
 * by %.
 *
 * @param program Path or name, also of a Windows program; only its last part is used. Characters that do not
 * belong in a file name become '_'.
 * @param ret PATH_MAX bytes.
 * @retval 0, -EINVAL (another letter follows a %), -ENAMETOOLONG.
 */
__attribute__((warn_unused_result)) int pp_place_expand(const char *output, const char *program, long pid,
                                                        time_t now, char *ret);

/** The folder for sessions that no option names: $XDG_DATA_HOME/passprobe or ~/.local/share/passprobe. @param
 * env NULL-terminated "NAME=value". @param ret PATH_MAX bytes. @return false: neither variable is set. */
bool pp_place_default(char *const *env, char *ret);

/** Make the folders of a path that do not exist yet, without its last part (mode 0755 and the umask). @param
 * ret_made Number of folders that were made. @retval 0, -errno. */
__attribute__((warn_unused_result)) int pp_place_make_folders(const char *path, unsigned *ret_made);

/**
 * Delete the oldest sessions of a folder until fewer than PP_PLACE_SESSIONS with at most PP_PLACE_BYTES
 * remain. Sessions without frames go first. Only sessions with names that passprobe chose
 * ("race-20260131-235959") are deleted. What the user named, what a process uses, what belongs to another
 * user, and directories with other files are left alone and not counted.
 *
 * @return The number of sessions with frames that were deleted.
 */
size_t pp_place_prune(const char *folder);

#endif
