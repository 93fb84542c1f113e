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
#include <unistd.h>

#include "cli/commands/commands.h"
#include "cli/control/applications.h"
#include "cli/control/talk.h"
#include "cli/print/application_status.h"
#include "cli/print/format.h"
#include "cli/print/message.h"
#include "cli/print/print.h"
#include "core/config/config_number.h"
#include "counters/util/array_size.h"
#include "pp_options.h"
#include "pp_texts.h"

/** What the command line asks for. */
struct request {
    pid_t pid; /**< 0: the newest application */
    bool json;
    bool watch;
    bool status;        /**< the command is `status` */
    bool mark;          /**< the command is `mark` */
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
    if ((request->json || request->watch) && !request->status)
        return pp_fail(PP_TEXT_CTL_ONLY_STATUS);
    if (!request->watch)
        return join(request, argc, argv) ? pp_fail(PP_TEXT_CTL_LINE) : 0;
    if (argc > 2 || (argc == 2 && !pp_config_number_whole(argv[1], 100, 60000, &interval_ms)))
        return pp_fail(PP_FORMAT_CTL_OPTION, argv[argc - 1]);
    (void)snprintf(request->command, sizeof(request->command), "watch %lu", (unsigned long)interval_ms);
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

/* Connect to the application that is asked for. @return 0, or the exit status. */
static int
open_talk(struct request *request, struct pp_talk *talk)
{
    struct pp_applications applications;
    const char *runtime = getenv("XDG_RUNTIME_DIR");
    int rc = pp_applications_find(runtime, &applications);
    if (rc == -ENOENT)
        return pp_fail(PP_TEXT_CTL_NO_RUNTIME);
    if (rc)
        return pp_fail(PP_FORMAT_CTL_FOLDER, runtime ? runtime : "", strerror(-rc));
    int status = 0;
    if (!request->pid && applications.len == 0)
        status = pp_fail(PP_TEXT_CTL_NONE);
    if (!request->pid && applications.len > 1)
        tell_newest(&applications);
    if (!request->pid && applications.len)
        request->pid = applications.application[0].pid;
    talk->fd = status ? -1 : pp_applications_connect(&applications, request->pid);
    if (!status && (talk->fd == -ENOENT || talk->fd == -ECONNREFUSED))
        status = no_socket_of(request->pid);
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
    if (status == 0)
        status = converse(&request, &talk);
    pp_talk_finish(&talk);
    return status;
}
