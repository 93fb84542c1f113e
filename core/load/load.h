/** @file
 * Opens the core for the shim and the layer. Both need the C library only, because a preloaded library whose
 * own libraries are not found ends the application, and Steam's containers preload a link in another folder.
 * They call the core's functions through stubs (stub.S), which return 0 until the core is open. */
#ifndef PP_CORE_LOAD_LOAD_H
#define PP_CORE_LOAD_LOAD_H

#include <stdbool.h>

/**
 * Open the core of this library's installation, at the first call. Call it where the application begins to
 * use graphics, before any other function of the core.
 *
 * The core is searched in the folder of this library, whose path is freed of links, and in passprobe/ below
 * it. A core that the process has already is used instead, so that a process has one engine. A core of
 * another build is refused. Before a file is opened, the filters of system calls are compared with those that
 * the process had when this library was loaded. If the core is refused, one line on stderr says why, where
 * the user asked for profiling.
 *
 * @return true: open. false: all functions of the core return 0, and the application runs without profiling.
 * The answer never changes. Any thread, also before constructors ran; errno is kept. Hot after the first
 * call.
 */
bool pp_core_open(void);

/** pp_core_open() of the shim, exported for the layer: a preloaded shim knows how the process was started. */
bool passprobe_core_open(void);

/** A function of the C library itself, also if another tool exports the name. @return NULL: there is none. */
void *pp_libc_function(const char *name);

#endif
