/** @file
 * `passprobe push`: one session by its path, with what is printed of it. */
#ifndef PP_CLI_COMMANDS_PUSH_PATH_H
#define PP_CLI_COMMANDS_PUSH_PATH_H

#include <jansson.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "cli/push/lake_push.h"
#include "cli/push/push_retry.h"
#include "core/config/option.h"
#include "pp_options.h"

/** What became of a path. */
enum pp_push_path_end {
    PP_PATH_PUSHED,
    PP_PATH_WAS_THERE,
    PP_PATH_OLD,     /**< it is older than --since */
    PP_PATH_IN_USE,  /**< an application writes it */
    PP_PATH_REFUSED, /**< it will never be accepted as it is */
    PP_PATH_FAILED,  /**< the server was not reached, or refuses this user */
    PP_PATH_STOPPED, /**< by the user */
    PP_PATH_ENDS
};

/** The command line of `passprobe push`. Borrows argv. */
struct pp_push_options {
    const char *target; /**< the address of a server, or a folder */
    char *const *session;
    int sessions;
    int64_t since_ns; /**< of --since, since 1970; 0: not given */
    PP_PUSH_OPTIONS
};

/** Pushes that this command does. */
struct pp_pushing {
    const struct pp_push_options *options;
    struct pp_push_target *target; /**< of a server; NULL with --dry-run */
    json_t *tags;                  /**< that sessions get which lack them; borrowed */
    const struct pp_lake *lake;    /**< sessions go here; NULL: to the server */
    const volatile sig_atomic_t *stop;
    uint64_t count[PP_PATH_ENDS]; /**< of paths, by what became of them */
    bool quiet_failure;           /**< PP_PATH_FAILED is not printed */
    struct pp_push_error error;   /**< of the last PP_PATH_FAILED */
};

/** Push the session at a path, or each session of a folder of repeated runs. Prints what became of it. */
enum pp_push_path_end pp_push_path(struct pp_pushing *pushing, const char *path);

#endif
