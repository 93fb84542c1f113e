/** @file
 * See level_change.h. */
#include "cli/top/level_change.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "cli/control/applications.h"
#include "cli/session/saved_session.h"
#include "pp_texts.h"

extern char **environ;

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

int
pp_level_change_ask(struct pp_level_change *change, long pid, size_t level)
{
    char command[32];
    pp_level_change_finish(change);
    snprintf(command, sizeof(command), "level %s", level_name[level]);
    int fd = pp_application_connect(environ, (pid_t)pid);
    if (fd < 0)
        return fd;
    *change = (struct pp_level_change){.talk = {.fd = fd}, .asked_ns = now_ns(), .level = level};
    int rc = pp_talk_send(&change->talk, command);
    if (rc)
        pp_level_change_finish(change);
    return rc;
}

/* Say what an answer means. @param line NULL: none came. */
static void
write_answer(const struct pp_level_change *change, const char *line, char *text, size_t size)
{
    json_t *json = line ? pp_talk_parse(line) : NULL;
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
    const char *line = NULL;
    if (change->talk.fd < 0)
        return false;
    int rc = pp_talk_read(&change->talk, 0, &line);
    if ((rc == -ETIMEDOUT || rc == -EINTR) && now_ns() - change->asked_ns < PATIENCE_NS)
        return false;
    write_answer(change, rc ? NULL : line, text, size);
    pp_level_change_finish(change);
    return true;
}

void
pp_level_change_finish(struct pp_level_change *change)
{
    pp_talk_finish(&change->talk);
}
