/** @file
 * `passprobe push`: sessions to a ClickHouse server, or into a folder. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <time.h>
#include <unistd.h>

#include "cli/commands/commands.h"
#include "cli/commands/push_path.h"
#include "cli/commands/push_watch.h"
#include "cli/options/options.h"
#include "cli/print/format.h"
#include "cli/print/message.h"
#include "cli/print/print.h"
#include "cli/push/push_password.h"
#include "cli/push/push_removal.h"
#include "cli/push/push_schema.h"
#include "cli/push/push_tags.h"
#include "cli/push/since.h"
#include "counters/util/array_size.h"
#include "pp_options.h"
#include "pp_texts.h"

/* Set by SIGINT and SIGTERM. */
static volatile sig_atomic_t stop;

static void
on_signal(int signal)
{
    (void)signal;
    stop = 1;
}

/* A push that is interrupted ends its request, and removes nothing that it has begun. A second signal ends
 * the command at once. */
static void
catch_signals(void)
{
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = (int)SA_RESETHAND};
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

/* Is the target a folder? Else it is the address of a server. */
static bool
is_folder(const char *target)
{
    /* "clickhouse:/host" is an address with a slash too few, hardly a folder */
    bool scheme = strncasecmp(target, "clickhouse:", 11) == 0 || strncasecmp(target, "clickhouses:", 12) == 0;
    return !scheme && !strstr(target, "://");
}

/* Read the address and the password. Neither is printed: both may hold a secret. @return Exit status. */
static int
read_address(const struct pp_push_options *o, struct pp_push_url *ret_url, char *ret_password)
{
    const char *why = "";
    if (pp_push_url_read(o->target, ret_url, &why))
        return pp_fail(PP_FORMAT_PUSH_ADDRESS, why);
    if (*ret_url->query)
        return pp_fail(PP_FORMAT_PUSH_ADDRESS, PP_TEXT_PUSH_URL_FORM);
    if (!o->dry_run && pp_push_password(o->password_file, ret_password, &why))
        return pp_fail(PP_FORMAT_PUSH_PASSWORD,
                       o->password_file ? o->password_file : "PASSPROBE_PUSH_PASSWORD", why);
    if (*ret_password && pp_push_url_is_plain(ret_url))
        pp_message("%s", PP_TEXT_PUSH_PLAIN);
    return 0;
}

/* Let the server remove what old pushes left. @return Exit status. */
static int
clean_up(struct pp_push_target *target)
{
    uint64_t removed = 0, now = 0;
    int rc = pp_push_schema_make(&target->server, &now);
    rc = rc ? rc : pp_push_remove_old(&target->server, &removed);
    if (rc)
        return pp_fail(PP_FORMAT_PUSH_ADDRESS, target->server.error.text);
    pp_print(stderr, PP_FORMAT_PUSH_REMOVED "\n", (unsigned long long)removed);
    return 0;
}

/* Push the sessions of the command line. @return Exit status. */
static int
push_all(struct pp_pushing *pushing)
{
    const struct pp_push_options *o = pushing->options;
    const uint64_t *count = pushing->count;
    for (int i = 0; i < o->sessions && !stop; i++)
        if (pp_push_path(pushing, o->session[i]) == PP_PATH_FAILED)
            break; /* the next session would wait as long */
    uint64_t bad = count[PP_PATH_REFUSED] + count[PP_PATH_IN_USE] + count[PP_PATH_FAILED];
    if (o->sessions > 1 && !o->dry_run)
        pp_print(stderr, PP_FORMAT_PUSH_SUM "\n", (unsigned long long)count[PP_PATH_PUSHED],
                 (unsigned long long)count[PP_PATH_WAS_THERE], (unsigned long long)count[PP_PATH_OLD],
                 (unsigned long long)bad);
    if (stop)
        return pp_fail("%s", PP_TEXT_PUSH_STOPPED);
    return bad ? PP_EXIT_FAILED : 0;
}

/* Push into the folder of a lake. @return Exit status. */
static int
run_lake(const struct pp_push_options *o, json_t *tags)
{
    struct pp_lake lake = {.fd = -1};
    const char *why = "";
    struct pp_push_target none = {.random = (uint64_t)getpid()}; /* of its waits only */
    struct pp_pushing pushing = {.options = o, .target = &none, .stop = &stop, .lake = &lake, .tags = tags};
    if (o->dry_run)
        return push_all(&pushing);
    if (pp_lake_begin(o->target, &lake, &why))
        return pp_fail(PP_FORMAT_LAKE_FAILED, o->target, why);
    int status = o->watch ? pp_push_watch(&pushing, o->watch) : push_all(&pushing);
    pp_lake_close(&lake);
    return status;
}

/* Push to a server. @return Exit status. */
static int
run_server(const struct pp_push_options *o, const struct pp_push_url *url, const char *password, json_t *tags)
{
    struct pp_push_target target;
    const struct pp_http_options http = {.url = url,
                                         .password = password,
                                         .ca_file = o->ca_file,
                                         .timeout_s = (unsigned)o->timeout,
                                         .stop = &stop};
    struct pp_pushing pushing = {.options = o, .target = &target, .stop = &stop, .tags = tags};
    if (o->dry_run)
        return push_all(&pushing);
    if (pp_push_target_init(&target, &http, o->draws))
        return pp_fail(PP_FORMAT_PUSH_ADDRESS, target.server.error.text);
    int status = o->watch ? pp_push_watch(&pushing, o->watch) : push_all(&pushing);
    if (status == 0 && o->clean_up)
        status = clean_up(&target);
    pp_push_target_finish(&target);
    return status;
}

/* Do what the options say. @return Exit status. */
static int
run(const struct pp_push_options *o, json_t *tags)
{
    struct pp_push_url url;
    char password[PP_PUSH_PASSWORD_MAX] = "";
    if (is_folder(o->target))
        return run_lake(o, tags);
    int status = read_address(o, &url, password);
    if (status == 0)
        status = run_server(o, &url, password, tags);
    pp_push_forget(password, sizeof(password));
    return status;
}

/* Do the options and arguments go together? @return Exit status. */
static int
check(const struct pp_push_options *o)
{
    if (!o->target)
        return pp_fail(PP_TEXT_PUSH_NO_TARGET);
    if (is_folder(o->target) && (o->password_file || o->ca_file || o->clean_up))
        return pp_fail(PP_TEXT_LAKE_OPTIONS);
    if (!o->sessions && !o->watch && !o->clean_up)
        return pp_fail(PP_TEXT_PUSH_NO_SESSION);
    if (o->watch && (o->sessions || o->dry_run || o->since_ns))
        return pp_fail(PP_TEXT_PUSH_WATCH_ALONE);
    return 0;
}

/* Take the options whose values are more than a text. @param tags PP_TAGS_MAX bytes. @return Exit status. */
static int
take_values(struct pp_push_options *o, char *tags)
{
    *tags = '\0';
    o->dry_run = o->dry_run || o->show;
    if (o->since && pp_since_read(o->since, time(NULL), &o->since_ns))
        return pp_fail(PP_FORMAT_OPTION_VALUE, "since", o->since, PP_TEXT_PUSH_SINCE);
    for (size_t i = 0; i < o->tag.len; i++)
        if (!pp_push_tags_append(tags, o->tag.value[i]))
            return pp_fail(PP_FORMAT_OPTION_VALUE, "tag", o->tag.value[i], PP_TEXT_CONFIG_TAG);
    return 0;
}

int
pp_cmd_push(int argc, char **argv)
{
    char list[PP_TAGS_MAX];
    struct pp_push_options options = {.target = NULL};
    static const struct pp_option rows[] = {PP_PUSH_ROWS(struct pp_push_options)};
    const struct pp_command_options own = {
        .name = "push", .usage = PP_TEXT_USAGE_PUSH, .of = {{rows, PP_ARRAY_SIZE(rows), &options}}};
    struct pp_given_options given;
    if (pp_options_read(&own, argc, argv, &given))
        return pp_fail("%s", given.error);
    if (given.help)
        return 0;
    options.target = given.word[0];
    options.session = given.words ? given.word + 1 : given.word;
    options.sessions = given.words ? given.words - 1 : 0;
    int status = take_values(&options, list);
    status = status ? status : check(&options);
    if (status)
        return status;
    catch_signals();
    json_t *tags = pp_push_tags_object(list);
    status = tags ? run(&options, tags) : pp_fail("%s", strerror(ENOMEM));
    json_decref(tags);
    return status;
}
