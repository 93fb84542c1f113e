/** @file
 * See talk.h. */
#include "cli/control/talk.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "counters/util/monotonic.h"

/* The longest command, with its line end (docs/formats/control.md), and the longest answer that is read. */
#define COMMAND_MAX 1024
#define ANSWER_MAX  ((size_t)1 << 20)

int
pp_talk_send(struct pp_talk *talk, const char *command)
{
    char line[COMMAND_MAX + 1];
    int len = snprintf(line, sizeof(line), "%s\n", command);
    if (len < 0 || len > COMMAND_MAX)
        return -EMSGSIZE;
    for (int at = 0; at < len;) {
        ssize_t sent = send(talk->fd, line + at, (size_t)(len - at), MSG_NOSIGNAL);
        if (sent < 0 && errno != EINTR)
            return errno == ECONNRESET ? -EPIPE : -errno;
        at += sent > 0 ? (int)sent : 0;
    }
    return 0;
}

/* Make space for more bytes. */
static int
grow(struct pp_talk *talk)
{
    if (talk->len + 1 < talk->cap)
        return 0;
    if (talk->cap >= ANSWER_MAX)
        return -EBADMSG;
    size_t cap = talk->cap ? 2 * talk->cap : 4096;
    char *text = realloc(talk->text, cap);
    if (!text)
        return -ENOMEM;
    talk->text = text;
    talk->cap = cap;
    return 0;
}

static int64_t
now_ms(void)
{
    return (int64_t)(pp_monotonic_ns() / 1000000U);
}

/* Read what comes. @param until_ms CLOCK_MONOTONIC; -1: no limit. @retval 0 More bytes. */
static int
read_more(struct pp_talk *talk, int64_t until_ms)
{
    struct pollfd wait = {.fd = talk->fd, .events = POLLIN};
    int rc = grow(talk);
    if (rc)
        return rc;
    int64_t left_ms = until_ms < 0 ? -1 : until_ms - now_ms();
    int ready = poll(&wait, 1, until_ms < 0 ? -1 : left_ms > 0 ? (int)left_ms : 0);
    if (ready < 0)
        return -errno;
    if (ready == 0)
        return -ETIMEDOUT;
    ssize_t got = recv(talk->fd, talk->text + talk->len, talk->cap - talk->len - 1, 0);
    if (got < 0)
        return errno == ECONNRESET ? -EPIPE : -errno;
    talk->len += (size_t)got;
    return got == 0 ? -EPIPE : 0;
}

int
pp_talk_read(struct pp_talk *talk, int wait_ms, const char **ret_line)
{
    char *end = NULL;
    int64_t until_ms = wait_ms < 0 ? -1 : now_ms() + wait_ms;
    if (talk->line) {
        talk->len -= talk->line;
        memmove(talk->text, talk->text + talk->line, talk->len);
        talk->line = 0;
    }
    while (!(end = talk->len ? memchr(talk->text, '\n', talk->len) : NULL)) {
        int rc = read_more(talk, until_ms);
        if (rc)
            return rc;
    }
    *end = '\0';
    talk->line = (size_t)(end - talk->text) + 1;
    if (strlen(talk->text) + 1 != talk->line)
        return -EBADMSG;
    *ret_line = talk->text;
    return 0;
}

json_t *
pp_talk_parse(const char *line)
{
    json_t *json = json_loads(line, JSON_REJECT_DUPLICATES, NULL);
    if (json_is_object(json))
        return json;
    json_decref(json);
    return NULL;
}

void
pp_talk_finish(struct pp_talk *talk)
{
    if (talk->fd >= 0)
        (void)close(talk->fd);
    free(talk->text);
    *talk = (struct pp_talk){.fd = -1};
}
