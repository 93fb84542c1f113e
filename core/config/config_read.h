/** @file
 * Reads the configuration: a file, text in memory, the environment. This file knows no graphics API and no
 * thread. */
#ifndef PP_CORE_CONFIG_CONFIG_READ_H
#define PP_CORE_CONFIG_CONFIG_READ_H

#include "core/config/config.h"

/**
 * Read one file of `key = value` lines; `#` starts a comment line; `[name]` opens a section that counts only
 * for the application whose executable has that base name, or that was started by it (a link).
 *
 * @param path    The file; a missing one is no error.
 * @param programs Base names that the application goes by, for sections, up to a NULL; may be NULL.
 * @retval 0      Read, or not there.
 * @retval -EINVAL A line is wrong: @p error names "path:line".
 * @retval -errno The file exists and cannot be read.
 */
__attribute__((warn_unused_result)) int pp_config_read_file(struct pp_config *config, const char *path,
                                                            const char *const *programs, char *error);

/**
 * Read options like pp_config_read_file(), from text in memory.
 *
 * @param text NUL-terminated; cut into lines in place.
 * @param path Names the file in messages.
 */
__attribute__((warn_unused_result)) int pp_config_read_text(struct pp_config *config, char *text,
                                                            const char *path, const char *const *programs,
                                                            char *error);

/**
 * Read every PASSPROBE_* variable of an environment. Reads the vector itself and never calls getenv(), which
 * the application (bash) may interpose.
 *
 * @param env NULL-terminated vector of "NAME=value".
 */
__attribute__((warn_unused_result)) int pp_config_read_env(struct pp_config *config, char *const *env,
                                                           char *error);

/**
 * Load the configuration of an application's process: defaults, then the file
 * ($XDG_CONFIG_HOME/passprobe/passprobe.conf, else ~/.config/...), then the environment.
 *
 * @param env     Environment vector.
 * @param programs Base names of the application, up to a NULL; may be NULL.
 */
__attribute__((warn_unused_result)) int pp_config_load(struct pp_config *config, char *const *env,
                                                       const char *const *programs, char *error);

#endif
