/** @file
 * See diff_files.h. */
#include "cli/commands/diff_files.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/commands/output_file.h"
#include "cli/compare/run.h"
#include "cli/print/message.h"
#include "counters/util/array_size.h"
#include "pp_texts.h"

/* Is a regular file at @p path, and at @p other the same one? */
static bool
is_same_file(const char *path, const char *other)
{
    struct stat a, b;
    return other && stat(path, &a) == 0 && S_ISREG(a.st_mode) && stat(other, &b) == 0 &&
           a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

/* Is the file one of the sides? */
static bool
is_side(const struct pp_diff_command *command, const char *name)
{
    for (size_t i = 0; i < command->olds; i++)
        if (is_same_file(name, command->old_path[i]))
            return true;
    for (size_t i = 0; i < command->news; i++)
        if (is_same_file(name, command->new_path[i]))
            return true;
    return false;
}

/* Do two options name one file? */
static bool
is_other_form(const struct pp_diff_command *command, const char *name)
{
    const char *const file[] = {command->markdown, command->junit, command->html};
    size_t found = 0;
    for (size_t i = 0; i < PP_ARRAY_SIZE(file); i++)
        found += file[i] && (strcmp(file[i], name) == 0 || is_same_file(name, file[i]));
    return found > 1;
}

const char *
pp_diff_file_taken(const struct pp_diff_command *command, const char *name)
{
    FILE *summary = pp_run_file_open(name);
    if (summary)
        fclose(summary);
    if (summary || is_side(command, name) || is_other_form(command, name))
        return PP_TEXT_DIFF_TAKEN;
    return pp_output_file_taken(name);
}

/* Can a file be made, or written if it is there? @retval 0, -errno. */
static int
is_writable(const char *name)
{
    struct stat st;
    if (stat(name, &st) == 0)
        return S_ISDIR(st.st_mode) ? -EISDIR : faccessat(AT_FDCWD, name, W_OK, AT_EACCESS) ? -errno : 0;
    int fd = pp_output_folder_open(name);
    if (fd < 0)
        return fd;
    int rc = faccessat(fd, ".", W_OK | X_OK, AT_EACCESS) ? -errno : 0;
    close(fd);
    return rc;
}

int
pp_diff_files_check(const struct pp_diff_command *command)
{
    const char *const file[] = {command->markdown, command->junit, command->html};
    struct stat st;
    for (size_t i = 0; i < PP_ARRAY_SIZE(file); i++) {
        if (!file[i] || strcmp(file[i], "-") == 0)
            continue;
        const char *taken = pp_diff_file_taken(command, file[i]);
        int rc = is_writable(file[i]);
        if (!taken && rc == 0 && file[i] == command->html && lstat(file[i], &st) == 0 && !S_ISREG(st.st_mode))
            rc = -EEXIST;
        if (taken)
            return pp_fail(PP_FORMAT_FILE_NOT_WRITTEN, file[i], taken);
        if (rc)
            return pp_output_file_error(file[i], rc);
    }
    return 0;
}
