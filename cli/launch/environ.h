/** @file
 * The environment in which an application is measured: the OpenGL shim preloaded, the Vulkan layer enabled
 * and found, the options as variables. See also launch.h. */
#ifndef PP_CLI_LAUNCH_ENVIRON_H
#define PP_CLI_LAUNCH_ENVIRON_H

#include <limits.h>
#include <stddef.h>

#include "cli/launch/command_line.h"
#include "cli/launch/install_paths.h"

/** An environment vector that passprobe owns. */
struct pp_environ {
    char **env;           /**< NULL-terminated; the struct owns each entry and the vector */
    size_t len;           /**< entries */
    size_t cap;           /**< allocated entries, the NULL included */
    char alias[PATH_MAX]; /**< directory of symbolic links to be removed by finish, or empty */
};

/** Copy the process's environment. @retval -ENOMEM Nothing is owned. */
__attribute__((warn_unused_result)) int pp_environ_init(struct pp_environ *e);

/** Free the environment, and remove the alias directory. */
void pp_environ_finish(struct pp_environ *e);

/** Set or replace one variable. */
__attribute__((warn_unused_result)) int pp_environ_set(struct pp_environ *e, const char *name,
                                                       const char *value);

/** Remove one variable. */
void pp_environ_unset(struct pp_environ *e, const char *name);

/** Value of a variable, or NULL; borrowed until the next change. */
const char *pp_environ_get(const struct pp_environ *e, const char *name);

/** Add the variables that make passprobe measure an application: LD_PRELOAD with the shim before all others
 * (MangoHud before the shim would hide every swap), PASSPROBE=1 (PASSPROBE_DISABLE=1 stays stronger), and the
 * share directory before XDG_DATA_DIRS unless the Vulkan loader looks there anyway (Debian 12's loader has no
 * variable only for implicit layers). LD_PRELOAD is separated by blanks and colons, XDG_DATA_DIRS by colons.
 * An installation whose path has such a character is reached through a private directory of symbolic links,
 * which pp_environ_finish() removes. */
__attribute__((warn_unused_result)) int pp_environ_add_profiling(struct pp_environ *e,
                                                                 const struct pp_install_paths *places);

/** Add the command line's options as variables, PASSPROBE_OUTPUT = @p output, and PASSPROBE_LAUNCHER, which
 * says to the engine that the output directory is already prepared. */
__attribute__((warn_unused_result)) int
pp_environ_options(struct pp_environ *e, const struct pp_command_line *line, const char *output);

/** Size of a path in which each % is two. */
#define PP_ENVIRON_ESCAPED ((size_t)2 * PATH_MAX)

/** Write a final path as PASSPROBE_OUTPUT has it: its % represents itself. @param ret PP_ENVIRON_ESCAPED
 * bytes. */
void pp_environ_escape(const char *path, char *ret);

#endif
