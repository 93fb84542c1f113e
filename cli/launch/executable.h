/** @file
 * Looks at an executable file: can LD_PRELOAD reach it at all? Knows ELF and scripts; runs nothing. */
#ifndef PP_CLI_LAUNCH_EXECUTABLE_H
#define PP_CLI_LAUNCH_EXECUTABLE_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

/** What a file is. */
enum pp_executable_kind {
    PP_EXECUTABLE_DYNAMIC, /**< ELF with an interpreter: LD_PRELOAD works */
    PP_EXECUTABLE_STATIC,  /**< ELF without: nothing can be preloaded */
    PP_EXECUTABLE_SCRIPT,  /**< "#!": the interpreter counts */
    PP_EXECUTABLE_OTHER    /**< anything else, such as a script without "#!" */
};

/** An executable as the kernel would start it. */
struct pp_executable_file {
    char path[PATH_MAX];   /**< where PATH found it */
    char interpreter[256]; /**< of a script; empty otherwise */
    enum pp_executable_kind kind;
    bool other_class; /**< ELF of another word size or machine than passprobe */
    bool secure; /**< set-user-ID, set-group-ID or file capabilities that make the loader ignore LD_PRELOAD */
};

/**
 * Find an executable as execvp() does.
 *
 * @param name     As given on a command line: with '/', or to be found by PATH.
 * @param ret_path Where it is.
 * @retval 0       Found, and executable.
 * @retval -ENOENT Not found.
 * @retval -EACCES Found, not executable (or a directory).
 * @retval -errno  Cannot be looked at.
 */
__attribute__((warn_unused_result)) int pp_executable_find(const char *name, char ret_path[PATH_MAX]);

/**
 * Find and look at an executable.
 *
 * @param name As given on a command line: with '/', or to be found by PATH.
 * @retval 0       Filled in.
 * @retval -ENOENT Not found.
 * @retval -EACCES Found, not executable (or a directory).
 * @retval -errno  Cannot be read (executable without read permission: kind is unknown).
 */
__attribute__((warn_unused_result)) int pp_executable_inspect(const char *name,
                                                              struct pp_executable_file *ret_file);

/**
 * Say what the first bytes of a file are. For pp_executable_inspect() and its fuzz target.
 *
 * @param bytes Begin of the file: at least 64 KiB or all of it.
 * @param file  Its kind, interpreter and other_class are set.
 */
void pp_executable_classify(const unsigned char *bytes, size_t len, struct pp_executable_file *file);

/** Why LD_PRELOAD cannot reach an executable, in one line; NULL: it can. Static text. */
const char *pp_executable_obstacle(const struct pp_executable_file *file);

#endif
