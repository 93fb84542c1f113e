/** @file
 * How the process was started: its arguments and passprobe's part of its environment. Applications write
 * their title over both (Chromium, Wine), or clear the environment, mostly long before they use graphics. The
 * shim and the layer have a copy of this module, since they are loaded earlier than the core. */
#ifndef PP_CORE_UTIL_START_H
#define PP_CORE_UTIL_START_H

#include <stddef.h>

/** What is known of the start. Immutable, and never freed, as soon as the library's constructors ran. */
struct pp_start {
    char **variables;   /**< ends with NULL; NULL: not known */
    char *command;      /**< arguments, each NUL-terminated; NULL: not known */
    size_t command_len; /**< bytes of all arguments with their NUL bytes */
};

/** What this library has kept while it was loaded. */
struct pp_start *pp_start(void);

/** Value of a variable: as it is set now, or else as it was at the start. @return NULL: not set. */
const char *pp_start_variable(const char *name);

#endif
