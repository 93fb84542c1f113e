/** @file
 * Inside of probe.h: the pipe between a child process and the command. */
#ifndef PP_CLI_PROBE_PROBE_PRIVATE_H
#define PP_CLI_PROBE_PROBE_PRIVATE_H

#include "cli/probe/counters.h"
#include "cli/probe/probe.h"

/** All bytes, or false. */
bool pp_probe_write(int fd, const void *bytes, size_t len);

/** All bytes, or false at the end, an error or the time-out. */
bool pp_probe_read(int fd, void *bytes, size_t len);

#endif
