/** @file
 * See level_change.h. */
#include "cli/top/level_change.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "cli/session/saved_session.h"
#include "core/config/control_place.h"
#include "pp_texts.h"

#define PATIENCE_NS UINT64_C(2000000000)

static const char *const level_name[] = {
    [PP_SAVED_FRAME] = "frame", [PP_SAVED_PASS] = "pass", [PP_SAVED_DRAW] = "draw"};

static uint64_t
now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * UINT64_C(1000000000) + (uint64_t)t.tv_nsec;
}

/* Connect to the socket of a process. @return The connection, -errno. */
static int
connect_to(long pid)
{
    char name[PP_CONTROL_NAME_MAX];
    int folder = pp_control_folder_open(getenv("XDG_RUNTIME_DIR"), false);
    if (folder < 0)
        return folder;
    pp_control_name(name, (pid_t)pid);
    int fd = pp_control_connect(folder, name);
    close(folder);
    return fd;
}

int
pp_level_change_ask(struct pp_level_change *change, long pid, size_t level)
{
    char line[32];
    pp_level_change_finish(change);
    int len = snprintf(line, sizeof(line), "level %s\n", level_name[level]);
    int fd = connect_to(pid);
    if (fd < 0)
        return fd;
    ssize_t sent = send(fd, line, (size_t)len, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent != len) {
        int error = sent < 0 ? errno : EAGAIN;
        close(fd);
        return -error;
    }
    *change = (struct pp_level_change){.fd = fd, .asked_ns = now_ns(), .level = level};
    return 0;
}

/* Say what an answer means. */
static void
write_answer(const struct pp_level_change *change, char *text, size_t size)
{
    json_t *json = json_loadb(change->answer, change->len, 0, NULL);
    const char *why = json_string_value(json_object_get(json, "text"));
    if (json_is_true(json_object_get(json, "ok")))
        snprintf(text, size, PP_FORMAT_TOP_LEVEL, level_name[change->level]);
    else
        snprintf(text, size, PP_FORMAT_TOP_LEVEL_REFUSED, why ? why : PP_TEXT_TOP_NO_ANSWER);
    json_decref(json);
}

bool
pp_level_change_fetch(struct pp_level_change *change, char *text, size_t size)
{
    if (change->fd < 0)
        return false;
    ssize_t got =
        recv(change->fd, change->answer + change->len, sizeof(change->answer) - change->len, MSG_DONTWAIT);
    bool waits = got < 0 && (errno == EAGAIN || errno == EINTR);
    change->len += got > 0 ? (size_t)got : 0;
    bool whole = memchr(change->answer, '\n', change->len);
    bool more = waits || (got > 0 && change->len < sizeof(change->answer));
    if (!whole && more && now_ns() - change->asked_ns < PATIENCE_NS)
        return false;
    write_answer(change, text, size);
    pp_level_change_finish(change);
    return true;
}

void
pp_level_change_finish(struct pp_level_change *change)
{
    if (change->fd >= 0)
        close(change->fd);
    change->fd = -1;
}
