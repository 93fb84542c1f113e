/** @file
 * The arguments with which the process was started. Applications write their title over them (Chromium,
 * Wine), mostly long before the first call that makes a session. See also environ.h. */
#ifndef PP_CORE_UTIL_COMMAND_LINE_H
#define PP_CORE_UTIL_COMMAND_LINE_H

#include <stddef.h>

/**
 * The process's arguments at the time when this library was loaded: before main() where it is preloaded,
 * later where only the Vulkan loader loads it. Any thread.
 *
 * @param ret_len Bytes of all arguments with their NUL bytes.
 * @return Arguments, each NUL-terminated; static. NULL, with length 0: not known.
 */
const char *pp_command_line(size_t *ret_len);

/** Write the name by which the application was started, without its folder, also as Wine writes it. "" if it
 * is not known. Any thread. */
void pp_command_line_name(char *name, size_t size);

#endif
