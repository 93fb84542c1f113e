/** @file
 * Finds which libraries the processes of a run loaded. The dynamic loader itself writes their names into
 * files of a private directory (LD_DEBUG=files). So this module also sees short-lived processes, and need not
 * watch any. Next module: doctor.c. */
#ifndef PP_CLI_LAUNCH_LD_DEBUG_H
#define PP_CLI_LAUNCH_LD_DEBUG_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#include "cli/launch/environ.h"

/** What one process had loaded. */
struct pp_ld_process {
    int pid;
    char program[128]; /**< as the loader named it */
    bool gl, egl, gles, vulkan;
    bool shim, layer;
    char ahead[64]; /**< overlay that was preloaded before the shim and calls the driver past it; "": none */
    char overlay[64]; /**< overlay seen so far in the image that is being loaded */
};

/** Is this file, by its name, an overlay that preloads OpenGL functions and calls the driver directly, past
 * the libraries that are preloaded after it? */
bool pp_ld_debug_is_overlay(const char *file);

#define PP_LOADS_MAX 256

/** A run's processes. */
struct pp_ld_debug {
    char dir[PATH_MAX]; /**< the private directory; "": none */
    int dir_fd;         /**< the directory, held open */
    struct pp_ld_process process[PP_LOADS_MAX];
    size_t len;
};

/** Make the directory and add LD_DEBUG and LD_DEBUG_OUTPUT. @retval 0, -errno. */
__attribute__((warn_unused_result)) int pp_ld_debug_begin(struct pp_ld_debug *loads, struct pp_environ *env);

/** Read what the loader wrote, and remove the directory. */
void pp_ld_debug_end(struct pp_ld_debug *loads);

/** Read one line that the loader wrote; for pp_ld_debug_end() and its tests. */
void pp_ld_debug_line(struct pp_ld_process *process, const char *line);

#endif
