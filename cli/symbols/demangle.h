/** @file
 * Names of C++ and Rust as their sources have them. */
#ifndef PP_CLI_SYMBOLS_DEMANGLE_H
#define PP_CLI_SYMBOLS_DEMANGLE_H

#include <stddef.h>

/** A symbol's name as the source has it, without parameters; the name itself where it is not mangled. Its end
 * is cut off where @p size is too small. @return text. */
const char *pp_demangle(char *text, size_t size, const char *name);

#endif
