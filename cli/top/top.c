/** @file
 * See top.h. */
#include "cli/top/top.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/analysis/summary.h"
#include "cli/control/applications.h"
#include "cli/session/saved_session.h"
#include "cli/session/session_json.h"
#include "cli/top/screen.h"
#include "counters/util/monotonic.h"
#include "pp_texts.h"

#define SECOND  UINT64_C(1000000000)
#define READ_NS (SECOND / 2) /* the session is written five times a second */
#define STALLED_NS                                                                                           \
    (2 * SECOND) /* frames are written when their results are there: some time after their end */
#define SHOW_NS     (4 * SECOND) /* how long the screen says what a key did */

#define PATIENCE_NS (2 * SECOND) /* for an answer */

extern char **environ;

static const char *const level_name[] = {
    [PP_SAVED_FRAME] = "frame", [PP_SAVED_PASS] = "pass", [PP_SAVED_DRAW] = "draw"};

int
pp_top_begin(struct pp_top *top, const char *application, long pid)
{
    *top = (struct pp_top){.dir_fd = -1, .level = {.talk = {.fd = -1}}, .state = ""};
    top->line = calloc(PP_TOP_LINES_MAX, sizeof(*top->line));
    if (!top->line)
        return -ENOMEM;
    snprintf(top->application, sizeof(top->application), "%s", application);
    top->look = (struct pp_top_look){
        .utf8 = pp_screen_is_utf8(), .application = top->application, .pid = pid, .notice = ""};
    pp_live_rows_begin(&top->rows, PP_LIVE_BY_PASS);
    return 0;
}

void
pp_top_follow(struct pp_top *top, int dir_fd)
{
    pp_live_view_finish(&top->view);
    pp_live_frames_finish(&top->frames);
    pp_live_rows_begin(&top->rows, top->look.by);
    if (top->dir_fd >= 0)
        close(top->dir_fd);
    top->dir_fd = dir_fd;
}

/* Close the connection. */
static void
finish_question(struct pp_level_change *change)
{
    pp_talk_finish(&change->talk);
}

/* Ask the process @p pid for a level. A question before it is forgotten. @retval 0, -errno: there is no
 * socket, or it cannot be reached. */
static int
ask_level(struct pp_level_change *change, long pid, size_t level)
{
    char command[32];
    finish_question(change);
    snprintf(command, sizeof(command), "level %s", level_name[level]);
    int fd = pp_application_connect(environ, (pid_t)pid);
    if (fd < 0)
        return fd;
    *change = (struct pp_level_change){.talk = {.fd = fd}, .asked_ns = pp_monotonic_ns(), .level = level};
    int rc = pp_talk_send(&change->talk, command);
    if (rc)
        finish_question(change);
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

/* Fetch the answer. @param text @p size bytes: what to print for the user, written where there is an answer,
 * or where none came in two seconds. @return Is there one? */
static bool
fetch_answer(struct pp_level_change *change, char *text, size_t size)
{
    const char *line = NULL;
    if (change->talk.fd < 0)
        return false;
    int rc = pp_talk_read(&change->talk, 0, &line);
    if ((rc == -ETIMEDOUT || rc == -EINTR) && pp_monotonic_ns() - change->asked_ns < PATIENCE_NS)
        return false;
    write_answer(change, rc ? NULL : line, text, size);
    finish_question(change);
    return true;
}

static bool
is_software(const json_t *devices)
{
    bool ret = json_array_size(devices) > 0;
    for (size_t i = 0; i < json_array_size(devices); i++) {
        const json_t *device = json_array_get(devices, i);
        ret = ret && (pp_summary_is_software(json_string_value(json_object_get(device, "name"))) ||
                      pp_summary_is_software(json_string_value(json_object_get(device, "driver"))));
    }
    return ret;
}

/* Read what session.json says of the process. If it cannot be read, @p about is unchanged. */
static void
read_process(struct pp_session_about *about, int dir_fd)
{
    char why[256];
    bool missing = false;
    json_t *json = pp_saved_load_json(dir_fd, why, sizeof(why), &missing);
    if (!json)
        return;
    about->pid = (long)json_integer_value(json_object_get(json_object_get(json, "program"), "pid"));
    about->software = is_software(json_object_get(json, "devices"));
    about->paused = pp_session_is_paused(json);
    json_decref(json);
}

/* Show a text for some seconds. */
static void
tell(struct pp_top *top, const char *text)
{
    snprintf(top->happened, sizeof(top->happened), "%s", text);
    top->happened_ns = pp_monotonic_ns();
}

/* Ask for the next level. The answer comes later. */
static void
change_level(struct pp_top *top)
{
    if (!top->view.frames)
        return;
    int rc = top->look.pid ? ask_level(&top->level, top->look.pid, (top->view.level + 1) % PP_SAVED_LEVELS)
                           : -ESRCH;
    if (rc) {
        char text[sizeof(top->happened)];
        snprintf(text, sizeof(text), PP_FORMAT_TOP_NO_SOCKET, strerror(-rc));
        tell(top, text);
    }
}

/* Show other rows, from the first one on. */
static void
change_rows(struct pp_top *top)
{
    top->look.by = (top->look.by + 1) % PP_LIVE_BYS;
    top->look.scroll = 0;
    top->frozen = false; /* the other rows of that moment were not read */
    pp_live_rows_begin(&top->rows, top->look.by);
    top->next_ns = 0;
}

/* Scroll the table by this many rows. */
static void
scroll_by(struct pp_top *top, bool down, size_t rows)
{
    size_t most = top->view.groups ? top->view.groups - 1 : 0;
    if (down)
        top->look.scroll = top->look.scroll + rows < most ? top->look.scroll + rows : most;
    else
        top->look.scroll -= rows < top->look.scroll ? rows : top->look.scroll;
}

/* Do what a key asks. */
static void
press(struct pp_top *top, int key)
{
    size_t page = pp_top_lines_rows(top->look.lines);
    switch (key) {
    case 'q':
    case 'Q':
        top->quit = true;
        break;
    case 'p':
        change_rows(top);
        break;
    case 's':
        top->look.sort = (top->look.sort + 1) % PP_LIVE_SORTS;
        pp_live_view_sort(&top->view, top->look.sort);
        break;
    case 'l':
        change_level(top);
        break;
    case ' ':
        top->frozen = !top->frozen;
        break;
    case '?':
    case 'h':
        top->look.help = !top->look.help;
        break;
    case PP_SCREEN_UP:
    case PP_SCREEN_DOWN:
        scroll_by(top, key == PP_SCREEN_DOWN, 1);
        break;
    case PP_SCREEN_PAGE_UP:
    case PP_SCREEN_PAGE_DOWN:
        scroll_by(top, key == PP_SCREEN_PAGE_DOWN, page);
        break;
    default:
        break;
    }
}

/* Read what session.json says. */
static void
read_about(struct pp_top *top)
{
    read_process(&top->about, top->dir_fd);
    if (!top->look.pid)
        top->look.pid = top->about.pid;
    top->look.software = top->about.software;
}

/* The lowest number of a frame in the window. */
static double
oldest_frame(const struct pp_live_frames *frames)
{
    double oldest = INFINITY;
    for (size_t i = 0; i < frames->len; i++)
        oldest = fmin(oldest, frames->frame[i].number);
    return frames->len ? oldest : 0;
}

/* Read what is new, also while the figures are frozen: what is read then would otherwise grow without end. */
static void
read_session(struct pp_top *top)
{
    struct pp_live_view view;
    if (top->dir_fd < 0)
        return;
    read_about(top);
    /* errors of the files, as of damaged rows, are left for `report` */
    (void)!pp_live_frames_read(&top->frames, top->dir_fd);
    (void)!pp_live_rows_read(&top->rows, top->dir_fd, oldest_frame(&top->frames));
    if (top->frozen || pp_live_view_make(&top->frames, &top->rows, top->look.sort, &view))
        return;
    pp_live_view_finish(&top->view);
    top->view = view;
}

/* Write what the third line says. */
static void
write_notice(const struct pp_top *top, char *text, size_t size)
{
    uint64_t now = pp_monotonic_ns();
    double newest_ns = top->frames.newest_ns;
    text[0] = '\0';
    if (*top->happened && now - top->happened_ns < SHOW_NS)
        snprintf(text, size, "%s", top->happened);
    else if (*top->state)
        snprintf(text, size, "%s", top->state);
    else if (top->frozen)
        snprintf(text, size, "%s", PP_TEXT_TOP_FROZEN);
    else if (top->dir_fd >= 0 && newest_ns > 0 && !pp_running_goes_on(top->dir_fd))
        snprintf(text, size, "%s", PP_TEXT_TOP_ENDED);
    else if (top->about.paused)
        snprintf(text, size, "%s", PP_TEXT_TOP_PAUSED);
    else if (newest_ns > 0 && (double)now - newest_ns > (double)STALLED_NS)
        snprintf(text, size, PP_FORMAT_TOP_STALLED, ((double)now - newest_ns) / 1e9);
}

static void
show(struct pp_top *top)
{
    char notice[256];
    write_notice(top, notice, sizeof(notice));
    top->look.notice = notice;
    pp_screen_size(&top->look.lines, &top->look.columns);
    pp_screen_show(top->line, pp_top_lines_make(&top->view, &top->look, top->line));
    top->look.notice = "";
}

void
pp_top_tick(struct pp_top *top)
{
    bool changed = false;
    for (int key = pp_screen_key(); key != PP_SCREEN_NONE; key = pp_screen_key()) {
        press(top, key);
        changed = true;
    }
    char answer[256];
    if (fetch_answer(&top->level, answer, sizeof(answer))) {
        tell(top, answer);
        changed = true;
    }
    if (pp_monotonic_ns() >= top->next_ns) {
        read_session(top);
        top->next_ns = pp_monotonic_ns() + READ_NS;
        changed = true;
    }
    if (changed)
        show(top);
}

void
pp_top_finish(struct pp_top *top)
{
    pp_top_follow(top, -1);
    pp_live_rows_finish(&top->rows);
    finish_question(&top->level);
    free(top->line);
    top->line = NULL;
}
