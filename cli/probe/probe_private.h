/** @file
 * For the files of this folder only: the pipe between a child process and the command. */
#ifndef PP_CLI_PROBE_PROBE_PRIVATE_H
#define PP_CLI_PROBE_PROBE_PRIVATE_H

#include "cli/probe/counters.h"
#include "cli/probe/probe.h"

/** Write all bytes. @return false: some could not be written. */
bool pp_probe_write(int fd, const void *bytes, size_t len);

/** Read all bytes. @return false: the end of the pipe, an error or the time-out came first. */
bool pp_probe_read(int fd, void *bytes, size_t len);

#endif
