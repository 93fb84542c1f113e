/** @file
 * Reads a file that a just-in-time compiler of the application left: others may have written one of its name.
 */
#ifndef PP_CLI_SYMBOLS_JIT_FILE_H
#define PP_CLI_SYMBOLS_JIT_FILE_H

#include <stddef.h>
#include <stdint.h>

/** Addresses that the functions of a file are given to, at most: in a forged file, each function may have all
 * addresses. Reading ends there. */
#define PP_JIT_NAMED_MOST (UINT64_C(1) << 26)

/** When a file of a session was written last, in seconds since 1970. NaN: not known, and no file is read. */
struct pp_jit_time {
    double from_s, to_s;
};

/**
 * Read a whole file. Only a regular file that belongs to this user or to root is read, and only if it was
 * written while the session was recorded.
 *
 * @param ret Its bytes with a NUL after them, owned by the caller; NULL: it is no file to read.
 * @retval 0, -ENOMEM.
 */
__attribute__((warn_unused_result)) int pp_jit_file_read(const char *path, const struct pp_jit_time *time,
                                                         char **ret, size_t *ret_len);

#endif
