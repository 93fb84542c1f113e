/** @file
 * The command line of `passprobe push`. */
#ifndef PP_CLI_COMMANDS_PUSH_OPTIONS_H
#define PP_CLI_COMMANDS_PUSH_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "core/config/config_tags.h"

/** A command line. Borrows argv. */
struct pp_push_options {
    const char *target; /**< the address of a server, or a folder */
    char *const *session;
    int sessions;
    const char *password_file, *ca_file; /**< NULL: not given */
    const char *watch;                   /**< folder; NULL: not given */
    int64_t since_ns;                    /**< since 1970; 0: not given */
    char tags[PP_TAGS_MAX];              /**< "KEY=VALUE,KEY=VALUE"; "": not given */
    unsigned retry, timeout_s;
    bool draws, dry_run, clean_up, no_redact, show, help;
};

/** Read the command line. Prints what is wrong. @return Exit status. */
__attribute__((warn_unused_result)) int pp_push_options_read(int argc, char **argv,
                                                             struct pp_push_options *ret);

/** Is the target a folder? Else it is the address of a server. */
bool pp_push_target_is_folder(const char *target);

#endif
