/** @file
 * `passprobe ctl`: steers a running application, and shows its status. */
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cli/commands/commands.h"
#include "cli/control/applications.h"
#include "cli/control/talk.h"
#include "cli/options/options.h"
#include "cli/print/running.h"
#include "cli/text/format.h"
#include "cli/text/json_values.h"
#include "cli/text/message.h"
#include "cli/text/print.h"
#include "core/config/option.h"
#include "counters/util/array_size.h"
#include "counters/util/monotonic.h"
#include "pp_options.h"
#include "pp_texts.h"

extern char **environ;

/** What the command line asks for. */
struct request {
    unsigned watch_ms;
    bool status;        /**< the command is `status` */
    bool mark;          /**< the command is `mark` */
    bool starts;        /**< the command is `start` or `toggle` */
    bool stops;         /**< the command is `stop` */
    bool quits;         /**< the command is `quit` */
    bool done;          /**< nothing is to be sent: the application is asleep, and stays so */
    char command[2048]; /**< what is sent */
    pid_t process;      /**< of --pid; 0: the newest application */
    PP_CTL_OPTIONS
};

/* Write the command and its arguments as one line. @retval 0, -EINVAL: a line break is in it, or it is too
 * long. */
static int
join(struct request *request, int argc, char **argv)
{
    request->command[0] = '\0';
    for (int i = 0; i < argc; i++) {
        if (strlen(request->command) + strlen(argv[i]) + 2 > sizeof(request->command) ||
            strpbrk(argv[i], "\r\n"))
            return -EINVAL;
        pp_format_append(request->command, sizeof(request->command), "%s%s", i ? " " : "", argv[i]);
    }
    return 0;
}

/* Read the operands. @return 0, or the exit status. */
static int
read_operands(struct request *request, int argc, char **argv)
{
    static const char *const known[] = {"status", "start", "stop", "toggle", "mark", "level", "quit"};
    bool found = false;
    uint64_t interval_ms = 1000;
    for (size_t i = 0; argc > 0 && i < PP_ARRAY_SIZE(known); i++)
        found |= strcmp(argv[0], known[i]) == 0;
    if (!found)
        return pp_fail(PP_TEXT_CTL_COMMAND);
    request->status = strcmp(argv[0], "status") == 0;
    request->mark = strcmp(argv[0], "mark") == 0;
    request->starts = strcmp(argv[0], "start") == 0 || strcmp(argv[0], "toggle") == 0;
    request->stops = strcmp(argv[0], "stop") == 0;
    request->quits = strcmp(argv[0], "quit") == 0;
    if ((request->json || request->watch) && !request->status)
        return pp_fail(PP_TEXT_CTL_ONLY_STATUS);
    if (!request->watch)
        return join(request, argc, argv) ? pp_fail(PP_TEXT_CTL_LINE) : 0;
    if (argc > 2 || (argc == 2 && !pp_config_number_whole(argv[1], 100, 60000, &interval_ms)))
        return pp_fail(PP_FORMAT_CTL_OPTION, argv[argc - 1]);
    request->watch_ms = (unsigned)interval_ms;
    (void)snprintf(request->command, sizeof(request->command), "watch %u", request->watch_ms);
    return 0;
}

/* Say why there is no socket of this process. */
static int
no_socket_of(pid_t pid)
{
    char path[64];
    struct stat about;
    (void)snprintf(path, sizeof(path), "/proc/%ld", (long)pid);
    if (stat(path, &about))
        return pp_fail(PP_FORMAT_CTL_NO_PROCESS, (long)pid);
    if (about.st_uid != geteuid())
        return pp_fail(PP_FORMAT_CTL_OTHER_USER, (long)pid);
    return pp_fail(PP_FORMAT_CTL_NOT_PROFILED, (long)pid);
}

/* Several applications are profiled, and --pid is not given: say that the newest one is taken. Refuse `quit`,
 * which cannot be undone. @return 0, or the exit status. */
static int
take_newest(const struct request *request, const struct pp_applications *applications)
{
    char others[256] = "";
    for (size_t i = 1; i < applications->len; i++)
        pp_format_append(others, sizeof(others), " %ld", (long)applications->application[i].pid);
    long newest = applications->application[0].pid;
    if (request->quits)
        return pp_fail(PP_FORMAT_CTL_SEVERAL_QUIT, applications->len, newest, others);
    pp_message(PP_FORMAT_CTL_SEVERAL, applications->len, newest, others);
    return 0;
}

/* Print the status of an application that is asleep, without waking it. @return 0, or the exit status. */
static int
tell_asleep(struct request *request, const struct pp_sleep_page *page)
{
    char application[sizeof(page->application)], level[sizeof(page->level)];
    (void)snprintf(application, sizeof(application), "%.*s", (int)sizeof(application) - 1, page->application);
    (void)snprintf(level, sizeof(level), "%.*s", (int)sizeof(level) - 1, page->level);
    request->done = true;
    json_t *json = json_pack("{s:b, s:i, s:s, s:I, s:o, s:s, s:o}", "ok", 1, "protocol", PP_CONTROL_PROTOCOL,
                             "passprobe", PP_VERSION, "pid", (json_int_t)request->process, "application",
                             pp_json_text(application), "state", "asleep", "level", pp_json_text(level));
    char *line = json && request->json ? json_dumps(json, JSON_COMPACT) : NULL;
    if (line)
        pp_print(stdout, "%s\n", line);
    else if (json)
        pp_application_state_print(stdout, json);
    int status = !json || (request->json && !line) ? pp_fail(PP_TEXT_OUT_OF_MEMORY) : 0;
    free(line);
    json_decref(json);
    return status;
}

/* Wait until an application that was waked has its socket. @return 0, or the exit status. */
static int
wait_for_socket(const struct request *request, const struct pp_applications *applications,
                const struct pp_sleep_file *file, struct pp_talk *talk)
{
    const uint64_t until_ns = pp_monotonic_ns() + PP_TALK_MS * UINT64_C(1000000);
    const struct timespec pause = {.tv_nsec = 10000000};
    for (;;) {
        talk->fd = pp_applications_connect(applications, request->process);
        if (talk->fd >= 0)
            return 0;
        if (atomic_load(&file->page->state) == PP_SLEEP_REFUSED)
            return pp_fail(PP_FORMAT_CTL_NOT_WAKED, (long)request->process);
        if (!pp_sleep_is_shared(file))
            return pp_fail(PP_FORMAT_CTL_NO_ANSWER, (long)request->process, strerror(ESRCH));
        if (pp_monotonic_ns() > until_ns)
            break;
        (void)nanosleep(&pause, NULL);
    }
    if (atomic_load(&file->page->state) == PP_SLEEP_AWAKE)
        return pp_fail(PP_FORMAT_CTL_NOT_PROFILED, (long)request->process);
    return request->starts ? pp_fail(PP_FORMAT_CTL_ASLEEP_START, (long)request->process)
                           : pp_fail(PP_FORMAT_CTL_ASLEEP_LATER, (long)request->process);
}

/* Print the status of an application that is asleep; with --watch again and again, until it wakes or ends.
 * @return 0, or the exit status. */
static int
tell_while_asleep(struct request *request, const struct pp_sleep_file *file)
{
    const struct timespec pause = {request->watch_ms / 1000, (long)(request->watch_ms % 1000) * 1000000};
    int status = tell_asleep(request, file->page);
    while (request->watch && status == 0 && pp_sleep_is_shared(file)) {
        if (fflush(stdout))
            return pp_fail(PP_FORMAT_REPORT_NOT_WRITTEN, strerror(errno));
        (void)nanosleep(&pause, NULL);
        request->done = atomic_load(&file->page->state) == PP_SLEEP_ASLEEP;
        if (!request->done)
            return 0;
        status = pp_sleep_is_shared(file) ? tell_asleep(request, file->page) : 0;
    }
    return status;
}

/* Wake an application that is asleep, and connect to it. @return 0, or the exit status. */
static int
wake(struct request *request, const struct pp_applications *applications, struct pp_talk *talk)
{
    struct pp_sleep_file file;
    int rc = pp_applications_open_page(applications, request->process, &file);
    if (rc == -EXDEV)
        return pp_fail(PP_FORMAT_CTL_ASLEEP_ELSEWHERE, (long)request->process);
    if (rc || !pp_sleep_is_shared(&file)) {
        if (rc == 0)
            pp_sleep_close(&file);
        return no_socket_of(request->process);
    }
    int status = 0;
    if (request->status || request->stops) {
        status = tell_while_asleep(request, &file);
        if (status == 0 && !request->done)
            status = wait_for_socket(request, applications, &file, talk);
    } else {
        unsigned none = PP_SLEEP_ON;
        if (request->starts)
            atomic_store(&file.page->order, PP_SLEEP_START);
        else
            (void)atomic_compare_exchange_strong(&file.page->order, &none, PP_SLEEP_WAKE);
        if (request->starts) /* what the process has begun by itself must not be toggled */
            (void)snprintf(request->command, sizeof(request->command), "start");
        status = wait_for_socket(request, applications, &file, talk);
    }
    pp_sleep_close(&file);
    return status;
}

/* Connect to the application that is asked for. @return 0, or the exit status. */
static int
open_talk(struct request *request, struct pp_talk *talk)
{
    struct pp_applications applications;
    int rc = pp_applications_find(environ, &applications);
    if (rc)
        return pp_fail(PP_FORMAT_CTL_FOLDERS, strerror(-rc));
    int status = 0;
    if (!request->process && applications.len == 0 && applications.error)
        status = pp_fail(PP_FORMAT_CTL_FOLDER, applications.refused, strerror(-applications.error));
    else if (!request->process && applications.len == 0)
        status = pp_fail(PP_TEXT_CTL_NONE);
    else if (!request->process && applications.len > 1)
        status = take_newest(request, &applications);
    if (!request->process && applications.len)
        request->process = applications.application[0].pid;
    talk->fd = status ? -1 : pp_applications_connect(&applications, request->process);
    if (!status && (talk->fd == -ENOENT || talk->fd == -ECONNREFUSED))
        status = wake(request, &applications, talk);
    else if (!status && talk->fd < 0)
        status = pp_fail(PP_FORMAT_CTL_NO_ANSWER, (long)request->process, strerror(-talk->fd));
    pp_applications_finish(&applications);
    return status;
}

/* Print an answer. @return 0, or the exit status. */
static int
print_answer(const struct request *request, const char *line)
{
    json_t *json = pp_talk_parse(line);
    int status = 0;
    if (!json)
        status = pp_fail(PP_FORMAT_CTL_NO_ANSWER, (long)request->process, strerror(EBADMSG));
    else if (!json_is_true(json_object_get(json, "ok"))) {
        const char *text = json_string_value(json_object_get(json, "text"));
        status = pp_fail(PP_FORMAT_CTL_REFUSED, (long)request->process, request->command, text ? text : "-");
    } else if (request->json)
        pp_print(stdout, "%s\n", line);
    else if (request->watch)
        pp_application_interval_print(stdout, json);
    else if (request->status)
        pp_application_status_print(stdout, json);
    else
        pp_application_state_print(stdout, json);
    if (json && status == 0 && request->mark)
        pp_application_mark_print(stdout, json);
    json_decref(json);
    if (status == 0 && fflush(stdout))
        status = pp_fail(PP_FORMAT_REPORT_NOT_WRITTEN, strerror(errno));
    return status;
}

/* Send the command and print the answers. The lines of `watch` end with the application. */
static int
converse(const struct request *request, struct pp_talk *talk)
{
    const char *line = NULL;
    int status = 0;
    int rc = pp_talk_send(talk, request->command);
    if (rc == -EMSGSIZE)
        return pp_fail(PP_TEXT_CTL_LINE);
    rc = rc ? rc : pp_talk_read(talk, PP_TALK_MS, &line);
    if (rc == -ETIMEDOUT && !request->status)
        return pp_fail(PP_FORMAT_CTL_LATER, (long)request->process);
    if (rc)
        return pp_fail(PP_FORMAT_CTL_NO_ANSWER, (long)request->process, strerror(-rc));
    status = print_answer(request, line);
    while (request->watch && status == 0 && rc == 0) {
        rc = pp_talk_read(talk, -1, &line);
        if (rc == 0)
            status = print_answer(request, line);
    }
    if (status == 0 && rc && rc != -EPIPE)
        status = pp_fail(PP_FORMAT_CTL_NO_ANSWER, (long)request->process, strerror(-rc));
    return status;
}

int
pp_cmd_ctl(int argc, char **argv)
{
    static const struct pp_option rows[] = {PP_CTL_ROWS(struct request)};
    struct request request = {.process = 0};
    const struct pp_command_options own = {
        .name = "ctl", .usage = PP_TEXT_USAGE_CTL, .of = {{rows, PP_ARRAY_SIZE(rows), &request}}};
    struct pp_given_options given;
    struct pp_talk talk = {.fd = -1};
    int read = pp_options_read(&own, argc, argv, &given);
    if (read)
        return read < 0 ? pp_fail("%s", given.error) : 0;
    request.process = (pid_t)request.pid;
    int status = read_operands(&request, given.words, given.word);
    if (status)
        return status;
    status = open_talk(&request, &talk);
    if (status == 0 && !request.done)
        status = converse(&request, &talk);
    pp_talk_finish(&talk);
    return status;
}
