/** @file
 * Module: what passprobe and an application print while a screen is on the terminal. Everything goes into
 * memory, and is shown when the screen has gone: see screen.h. */
#ifndef PP_CLI_TOP_OWN_STREAMS_H
#define PP_CLI_TOP_OWN_STREAMS_H

#include <stddef.h>
#include <stdint.h>

/** So much of the output is kept: the last bytes. */
#define PP_STREAMS_KEPT ((uint64_t)1 << 20)

/** The process's streams meanwhile. Begin with pp_streams_begin(). */
struct pp_streams {
    int in_fd, out_fd, err_fd; /**< standard input, output and error as they were; owned; -1: given back */
    int memory_fd;             /**< what was printed; owned */
    uint64_t freed;            /**< bytes at its begin whose memory was given back */
};

/** Let standard output and error lead into memory, and standard input give nothing. Child processes get the
 * same. @retval 0, -errno. */
__attribute__((warn_unused_result)) int pp_streams_begin(struct pp_streams *ret);

/** Free the memory of what is beyond PP_STREAMS_KEPT. Call it from time to time. */
void pp_streams_bound(struct pp_streams *streams);

/** Give the streams back. What was printed is kept until pp_streams_show(). */
void pp_streams_end(struct pp_streams *streams);

/** Write what was kept to standard output, unchanged, and free everything. @return Bytes that were not kept.
 */
uint64_t pp_streams_show(struct pp_streams *streams);

#endif
