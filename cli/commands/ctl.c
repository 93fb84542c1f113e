/** @file
 * `passprobe ctl`: steers a running application, and shows its status. */
#include <errno.h>
#include <getopt.h>
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
#include "cli/json/json_values.h"
#include "cli/print/application_status.h"
#include "cli/print/format.h"
#include "cli/print/message.h"
#include "cli/print/print.h"
#include "core/config/config_number.h"
#include "counters/util/array_size.h"
#include "counters/util/monotonic.h"
#include "pp_options.h"
#include "pp_texts.h"

extern char **environ;

/** What the command line asks for. */
struct request {
    pid_t pid; /**< 0: the newest application */
    bool json;
    bool watch;
    unsigned watch_ms;
    bool status;        /**< the command is `status` */
    bool mark;          /**< the command is `mark` */
    bool starts;        /**< the command is `start` or `toggle` */
    bool stops;         /**< the command is `stop` */
    bool done;          /**< nothing is to be sent: the application is asleep, and stays so */
    char command[2048]; /**< what is sent */
};

static int
usage(void)
{
    puts(PP_TEXT_USAGE_CTL PP_HELP_CTL);
    return 0;
}

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

/* Read the command line. @return 0, the exit status, or -1 after --help. */
static int
parse(struct request *request, int argc, char **argv)
{
    static const struct option longs[] = {{.name = "help", .val = 'h'},
                                          {.name = "pid", .val = 'p', .has_arg = required_argument},
                                          {.name = "json", .val = 'J'},
                                          {.name = "watch", .val = 'W'},
                                          {.name = NULL}};
    opterr = 0;
    optind = 0;
    for (int answer = 0; (answer = getopt_long(argc, argv, ":hp:", longs, NULL)) != -1;) {
        uint64_t pid = 0;
        if (answer == 'h') {
            (void)usage();
            return -1;
        }
        request->json |= answer == 'J';
        request->watch |= answer == 'W';
        if (answer == 'J' || answer == 'W')
            continue;
        if (answer != 'p' || !pp_config_number_whole(optarg, 1, INT32_MAX, &pid))
            return pp_fail(PP_FORMAT_CTL_OPTION, argv[optind - 1]);
        request->pid = (pid_t)pid;
    }
    return read_operands(request, argc - optind, argv + optind);
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

/* Say that the newest of several applications was taken. */
static void
tell_newest(const struct pp_applications *applications)
{
    char others[256] = "";
    for (size_t i = 1; i < applications->len; i++)
        pp_format_append(others, sizeof(others), " %ld", (long)applications->application[i].pid);
    pp_message(PP_FORMAT_CTL_SEVERAL, applications->len, (long)applications->application[0].pid, others);
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
                             "passprobe", PP_VERSION, "pid", (json_int_t)request->pid, "application",
                             pp_json_text(application), "state", "asleep", "level", pp_json_text(level));
    char *line = json && request->json ? json_dumps(json, JSON_COMPACT) : NULL;
    if (line)
        pp_print(stdout, "%s\n", line);
    else if (json)
        pp_application_state_print(stdout, json);
    int status = !json || (request->json && !line) ? pp_fail(PP_TEXT_COMMAND_MEMORY) : 0;
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
        talk->fd = pp_applications_connect(applications, request->pid);
        if (talk->fd >= 0)
            return 0;
        if (atomic_load(&file->page->state) == PP_SLEEP_REFUSED)
            return pp_fail(PP_FORMAT_CTL_NOT_WAKED, (long)request->pid);
        if (!pp_sleep_is_shared(file))
            return pp_fail(PP_FORMAT_CTL_NO_ANSWER, (long)request->pid, strerror(ESRCH));
        if (pp_monotonic_ns() > until_ns)
            break;
        (void)nanosleep(&pause, NULL);
    }
    if (atomic_load(&file->page->state) == PP_SLEEP_AWAKE)
        return pp_fail(PP_FORMAT_CTL_NOT_PROFILED, (long)request->pid);
    return request->starts ? pp_fail(PP_FORMAT_CTL_ASLEEP_START, (long)request->pid)
                           : pp_fail(PP_FORMAT_CTL_ASLEEP_LATER, (long)request->pid);
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
    int rc = pp_applications_open_page(applications, request->pid, &file);
    if (rc == -EXDEV)
        return pp_fail(PP_FORMAT_CTL_ASLEEP_ELSEWHERE, (long)request->pid);
    if (rc || !pp_sleep_is_shared(&file)) {
        if (rc == 0)
            pp_sleep_close(&file);
        return no_socket_of(request->pid);
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
    if (!request->pid && applications.len == 0 && applications.error)
        status = pp_fail(PP_FORMAT_CTL_FOLDER, applications.refused, strerror(-applications.error));
    else if (!request->pid && applications.len == 0)
        status = pp_fail(PP_TEXT_CTL_NONE);
    if (!request->pid && applications.len > 1)
        tell_newest(&applications);
    if (!request->pid && applications.len)
        request->pid = applications.application[0].pid;
    talk->fd = status ? -1 : pp_applications_connect(&applications, request->pid);
    if (!status && (talk->fd == -ENOENT || talk->fd == -ECONNREFUSED))
        status = wake(request, &applications, talk);
    else if (!status && talk->fd < 0)
        status = pp_fail(PP_FORMAT_CTL_NO_ANSWER, (long)request->pid, strerror(-talk->fd));
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
        status = pp_fail(PP_FORMAT_CTL_NO_ANSWER, (long)request->pid, strerror(EBADMSG));
    else if (!json_is_true(json_object_get(json, "ok"))) {
        const char *text = json_string_value(json_object_get(json, "text"));
        status = pp_fail(PP_FORMAT_CTL_REFUSED, (long)request->pid, request->command, text ? text : "-");
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
        return pp_fail(PP_FORMAT_CTL_LATER, (long)request->pid);
    if (rc)
        return pp_fail(PP_FORMAT_CTL_NO_ANSWER, (long)request->pid, strerror(-rc));
    status = print_answer(request, line);
    while (request->watch && status == 0 && rc == 0) {
        rc = pp_talk_read(talk, -1, &line);
        if (rc == 0)
            status = print_answer(request, line);
    }
    if (status == 0 && rc && rc != -EPIPE)
        status = pp_fail(PP_FORMAT_CTL_NO_ANSWER, (long)request->pid, strerror(-rc));
    return status;
}

int
pp_cmd_ctl(int argc, char **argv)
{
    struct request request = {.pid = 0};
    struct pp_talk talk = {.fd = -1};
    int status = parse(&request, argc, argv);
    if (status)
        return status < 0 ? 0 : status;
    status = open_talk(&request, &talk);
    if (status == 0 && !request.done)
        status = converse(&request, &talk);
    pp_talk_finish(&talk);
    return status;
}
