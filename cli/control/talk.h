/** @file
 * A conversation with a running application: sends commands and reads its answers, each a line of JSON.
 * Prints nothing. The protocol is in docs/formats/control.md. */
#ifndef PP_CLI_CONTROL_TALK_H
#define PP_CLI_CONTROL_TALK_H

#include <jansson.h>
#include <stddef.h>

/** An application that answers takes at most so long. */
#define PP_TALK_MS 5000

/** A conversation. All zero but fd: nothing was read. */
struct pp_talk {
    int fd;     /**< connected, blocking */
    char *text; /**< bytes that came; owned */
    size_t len, cap;
    size_t line; /**< bytes of the last line with its end, at the begin of text */
};

/** Send a command. @param command Without a line end, and without one inside. @retval 0, -EPIPE: the
 * application has ended; -EMSGSIZE: too long; -errno. */
__attribute__((warn_unused_result)) int pp_talk_send(struct pp_talk *talk, const char *command);

/**
 * Read the next line.
 *
 * @param wait_ms Longest wait for the whole line, however it comes; -1: no limit.
 * @param ret_line The line without its end, NUL-terminated; valid until the next call.
 * @retval 0
 * @retval -EPIPE The connection has ended. -ETIMEDOUT: no line came. -EBADMSG: what came is no line of JSON,
 * or endless. -ENOMEM, -errno.
 */
__attribute__((warn_unused_result)) int pp_talk_read(struct pp_talk *talk, int wait_ms,
                                                     const char **ret_line);

/** Parse a line as an object. @return A new reference; NULL: it is none. */
json_t *pp_talk_parse(const char *line);

/** Close the connection and free what came. */
void pp_talk_finish(struct pp_talk *talk);

#endif
