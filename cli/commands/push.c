/** @file
 * `passprobe push`: sends sessions to a server or into a lake, one by one, and prints what became of each. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cli/commands/commands.h"
#include "cli/options/options.h"
#include "cli/push/lake_store.h"
#include "cli/push/push_facts.h"
#include "cli/push/push_schema.h"
#include "cli/push/push_session.h"
#include "cli/push/push_url.h"
#include "cli/session/runs_file.h"
#include "cli/session/session_json.h"
#include "cli/session/session_open.h"
#include "cli/text/format.h"
#include "cli/text/message.h"
#include "cli/text/print.h"
#include "core/config/dir_content.h"
#include "core/config/option.h"
#include "counters/util/array_size.h"
#include "counters/util/grow_array.h"
#include "pp_options.h"
#include "pp_texts.h"

/* What became of a path. */
enum pp_push_path_end {
    PP_PATH_PUSHED,
    PP_PATH_WAS_THERE,
    PP_PATH_OLD,     /**< it is older than --since */
    PP_PATH_IN_USE,  /**< an application writes it */
    PP_PATH_REFUSED, /**< it will never be accepted as it is */
    PP_PATH_FAILED,  /**< the server was not reached, or refuses this user */
    PP_PATH_STOPPED, /**< by the user */
    PP_PATH_ENDS
};

/* The command line of `passprobe push`. Borrows argv. */
struct pp_push_options {
    const char *target; /**< the address of a server, or a folder */
    char *const *session;
    int sessions;
    int64_t since_ns; /**< of --since, since 1970; 0: not given */
    PP_PUSH_OPTIONS
};

/* Pushes that this command does. */
struct pp_pushing {
    const struct pp_push_options *options;
    struct pp_push_target *target; /**< of a server; NULL with --dry-run */
    json_t *tags;                  /**< that sessions get which lack them; borrowed */
    const struct pp_lake *lake;    /**< sessions go here; NULL: to the server */
    const volatile sig_atomic_t *stop;
    uint64_t count[PP_PATH_ENDS]; /**< of paths, by what became of them */
    bool quiet_failure;           /**< PP_PATH_FAILED is not printed */
    struct pp_push_error error;   /**< of the last PP_PATH_FAILED */
};

/* Count what became of a path. */
static enum pp_push_path_end
ended(struct pp_pushing *pushing, enum pp_push_path_end end)
{
    pushing->count[end]++;
    return end;
}

/* Print that a session is refused. */
static enum pp_push_path_end
refuse(struct pp_pushing *pushing, const char *path, const char *why)
{
    (void)pp_fail(PP_FORMAT_PUSH_FAILED, path, why);
    return ended(pushing, PP_PATH_REFUSED);
}

/* Does an application write the session? @param fd May be O_PATH. */
static bool
is_in_use(int fd)
{
    int dir_fd = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    bool in_use = dir_fd >= 0 && pp_dir_is_in_use(dir_fd);
    if (dir_fd >= 0)
        close(dir_fd);
    return in_use;
}

/* Say which tags of a session stay as they are. */
static void
tell_kept_tags(const json_t *json, json_t *tags, const char *path)
{
    const char *key = NULL, *value = NULL;
    for (void *at = json_object_iter(tags); pp_push_tags_next_kept(json, tags, &at, &key, &value);)
        pp_message(PP_FORMAT_PUSH_TAG_KEPT, path, key, value);
}

/* Read session.json. @param redact NULL: nothing is redacted. @return What is wrong; NULL: nothing. */
static const char *
read_facts(const struct pp_pushing *pushing, int fd, const char *path, struct pp_redaction *redact,
           struct pp_push_facts *ret)
{
    char unused[256];
    bool missing = false;
    json_t *json = pp_saved_load_json(fd, unused, sizeof(unused), &missing);
    int rc = pp_push_facts_read(json, time(NULL), ret);
    ret->takes_damaged = pushing->options->damaged;
    if (rc == 0) {
        pp_push_tags_give(json, pushing->tags, ret);
        pp_push_facts_redact(json, redact, ret);
        if (ret->start_realtime_ns >= pushing->options->since_ns)
            tell_kept_tags(json, pushing->tags, path);
    }
    json_decref(json);
    if (rc == -ERANGE)
        return PP_TEXT_PUSH_FUTURE;
    if (rc == -EINVAL)
        return PP_TEXT_PUSH_BAD_ID;
    return rc ? PP_TEXT_PUSH_NO_START : NULL;
}

/* Say that a failed push is tried again. */
static void
tell_wait(void *data, const struct pp_push_error *error, uint64_t wait_ms)
{
    char seconds[PP_FORMATTED_MAX];
    const char *path = data;
    pp_message(PP_FORMAT_PUSH_AGAIN, path, error->text, pp_format_count(seconds, (double)wait_ms / 1000, 1));
}

/* Print what was sent, or would be. */
static void
tell_sent(const struct pp_push_result *result, const char *path, bool dry_run)
{
    char rows[PP_FORMATTED_MAX], sent[PP_FORMATTED_MAX];
    uint64_t sum = 0, lost = result->left_out + result->cut + result->bad_cells;
    for (unsigned i = 0; i < PP_PUSH_TABLES; i++)
        sum += result->rows[i];
    pp_print(stderr, dry_run ? PP_FORMAT_PUSH_WOULD "\n" : PP_FORMAT_PUSH_DONE "\n", path,
             pp_format_count(rows, (double)sum, 0), pp_format_bytes(sent, (double)result->sent_bytes),
             result->facts.session_id);
    for (unsigned i = 0; i < PP_PUSH_TABLES && dry_run; i++)
        if (result->rows[i])
            pp_print(stdout, "  %-17s %12s\n", pp_push_model_of((enum pp_push_table)i)->name,
                     pp_format_count(rows, (double)result->rows[i], 0));
    if (lost)
        pp_message(PP_FORMAT_PUSH_ODD, path, (unsigned long long)result->left_out,
                   (unsigned long long)result->bad_cells, (unsigned long long)result->cut);
}

/* Push a session that can be read. */
static enum pp_push_path_end
push(struct pp_pushing *pushing, int fd, const char *path, const struct pp_push_facts *facts)
{
    const struct pp_push_options *o = pushing->options;
    char copy[PATH_MAX];
    struct pp_push_result result;
    int rc = 0;
    snprintf(copy, sizeof(copy), "%s", path);
    const struct pp_push_retry retry = {
        .most = (unsigned)o->retry, .stop = pushing->stop, .wait = tell_wait, .data = copy};
    if (o->show)
        rc = pp_push_show(stdout, fd, facts, o->draws, &result);
    else if (o->dry_run)
        rc = pp_push_measure(fd, facts, o->draws, &result);
    else if (pushing->lake)
        rc = pp_lake_push(pushing->lake, fd, facts, o->draws, &result);
    else
        rc = pp_push_with_retry(pushing->target, fd, facts, &retry, &result);
    if (rc == 0) {
        bool was_there = !o->show && result.outcome == PP_PUSH_WAS_THERE;
        if (was_there)
            pp_print(stderr, PP_FORMAT_PUSH_WAS_THERE "\n", path, facts->session_id);
        else if (!o->show)
            tell_sent(&result, path, o->dry_run);
        if (result.damaged)
            pp_message(PP_FORMAT_DAMAGED, path, result.damaged, result.damage);
        return ended(pushing, was_there ? PP_PATH_WAS_THERE : PP_PATH_PUSHED);
    }
    if (result.error.failure == PP_PUSH_REFUSED)
        return refuse(pushing, path, result.error.text);
    if (result.error.failure == PP_PUSH_STOPPED || *pushing->stop)
        return ended(pushing, PP_PATH_STOPPED);
    pushing->error = result.error;
    if (!pushing->quiet_failure)
        (void)pp_fail(PP_FORMAT_PUSH_FAILED, path, result.error.text);
    return ended(pushing, PP_PATH_FAILED);
}

/* Push one session. */
static enum pp_push_path_end
push_one(struct pp_pushing *pushing, const char *path)
{
    struct pp_opened_session session;
    struct pp_push_facts facts;
    struct pp_redaction redaction = {.users = 0};
    char why[PP_SESSION_OPEN_WHY];
    enum pp_push_path_end end = PP_PATH_OLD;
    if (pp_session_open(path, &session, why)) {
        (void)pp_fail("%s", why);
        return ended(pushing, PP_PATH_REFUSED);
    }
    bool in_use = !session.is_archive && is_in_use(session.fd);
    pp_redaction_init(&redaction);
    struct pp_redaction *redact = pushing->options->no_redact ? NULL : &redaction;
    const char *wrong = in_use ? NULL : read_facts(pushing, session.fd, path, redact, &facts);
    if (in_use) {
        pp_message(PP_FORMAT_PUSH_IN_USE, path);
        end = ended(pushing, PP_PATH_IN_USE);
    } else if (wrong) {
        end = refuse(pushing, path, wrong);
    } else if (facts.start_realtime_ns < pushing->options->since_ns) {
        end = ended(pushing, PP_PATH_OLD);
    } else {
        end = push(pushing, session.fd, path, &facts);
    }
    pp_redaction_finish(&redaction);
    pp_session_close(&session);
    return end;
}

/* Which of two ends says more of a folder? */
static enum pp_push_path_end
worse(enum pp_push_path_end a, enum pp_push_path_end b)
{
    return a > b ? a : b;
}

/* Push the session at a path, or each session of a folder of repeated runs. Prints what became of it. */
static enum pp_push_path_end
push_path(struct pp_pushing *pushing, const char *path)
{
    char why[256];
    struct pp_run_list list = {.len = 0};
    enum pp_push_path_end end = PP_PATH_PUSHED;
    int fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
    bool runs = fd >= 0 && faccessat(fd, PP_DIR_RUNS_FILE, F_OK, AT_SYMLINK_NOFOLLOW) == 0 &&
                faccessat(fd, "session.json", F_OK, AT_SYMLINK_NOFOLLOW) != 0 &&
                pp_runs_file_read(fd, &list, why) == 0;
    if (fd >= 0)
        close(fd);
    if (!runs)
        return push_one(pushing, path);
    for (size_t i = 0; i < list.len && end < PP_PATH_FAILED; i++) {
        char run[PATH_MAX];
        if (!*list.run[i].session)
            continue;
        int len = snprintf(run, sizeof(run), "%s/%s", path, list.run[i].session);
        if (len > 0 && (size_t)len < sizeof(run))
            end = worse(end, push_one(pushing, run));
    }
    pp_run_list_finish(&list);
    return end;
}

/* Time between two looks into the folder. */
#define LOOK_MS 2000U
/* A file that changed less than this ago may not be complete. */
#define FRESH_S 10

static const char pushed[] = "pushed";
static const char refused[] = "refused";

/* Does a text end so? */
static bool
ends_with(const char *text, const char *tail)
{
    size_t len = strlen(text), tail_len = strlen(tail);
    return len > tail_len && strcmp(text + len - tail_len, tail) == 0;
}

/* May the name be that of a session in the folder: a directory, or an archive that is complete? Links are
 * none. */
static bool
is_candidate(int folder_fd, const char *name)
{
    struct stat st;
    if (*name == '.' || strcmp(name, pushed) == 0 || strcmp(name, refused) == 0 ||
        fstatat(folder_fd, name, &st, AT_SYMLINK_NOFOLLOW))
        return false;
    if (S_ISDIR(st.st_mode))
        return true;
    return S_ISREG(st.st_mode) && (ends_with(name, ".tar.zst") || ends_with(name, ".tar")) &&
           time(NULL) - st.st_mtime >= FRESH_S;
}

/* Has the directory a session that was not copied a moment ago? Of an archive always. */
static bool
is_complete(int folder_fd, const char *name)
{
    static const char *const files[] = {"session.json", "runs.json"};
    struct stat st;
    int fd = openat(folder_fd, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0)
        return errno == ENOTDIR;
    bool found = false;
    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]) && !found; i++)
        found = fstatat(fd, files[i], &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(st.st_mode) &&
                time(NULL) - st.st_mtime >= FRESH_S;
    close(fd);
    return found;
}

/* Move a session into a folder of the spool, under a name that is free there. */
static void
move(int folder_fd, const char *name, const char *where)
{
    char to[NAME_MAX + 64];
    int rc = -EEXIST;
    if (mkdirat(folder_fd, where, 0777) && errno != EEXIST)
        rc = -errno;
    for (unsigned number = 0; rc == -EEXIST && number < 1000; number++) {
        snprintf(to, sizeof(to), number ? "%s/%s.%u" : "%s/%s", where, name, number);
        rc = renameat2(folder_fd, name, folder_fd, to, RENAME_NOREPLACE) ? -errno : 0;
    }
    if (rc)
        (void)pp_fail(PP_FORMAT_PUSH_TROUBLE, name, where, strerror(-rc));
}

static int
by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* List what may be a session. @param ret Owned by the caller, like its texts. @return How many; -errno. */
static ssize_t
list_names(int folder_fd, char ***ret)
{
    char **names = NULL;
    size_t len = 0, cap = 0;
    int fd = openat(folder_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *dir = fd >= 0 ? fdopendir(fd) : NULL;
    if (!dir) {
        ssize_t rc = -errno;
        if (fd >= 0)
            close(fd);
        return rc;
    }
    for (struct dirent *entry = NULL; (entry = readdir(dir));) {
        if (!is_candidate(folder_fd, entry->d_name))
            continue;
        if (pp_grow_array(&names, &cap, len + 1, sizeof(*names)))
            break;
        names[len] = strdup(entry->d_name);
        if (!names[len])
            break;
        len++;
    }
    closedir(dir);
    if (len)
        qsort(names, len, sizeof(*names), by_name);
    *ret = names;
    return (ssize_t)len;
}

/* What a watch remembers from one look into the folder to the next. */
struct watched {
    char after[NAME_MAX + 1]; /* the session that failed: the next look begins after it */
    bool pushed;              /* this look has pushed a session */
};

/* Push one session, and move it. */
static enum pp_push_path_end
push_name(struct pp_pushing *pushing, const char *folder, int folder_fd, const char *name)
{
    char path[PATH_MAX];
    int bytes = snprintf(path, sizeof(path), "%s/%s", folder, name);
    if (bytes < 0 || (size_t)bytes >= sizeof(path) || !is_complete(folder_fd, name))
        return PP_PATH_IN_USE;
    enum pp_push_path_end end = push_path(pushing, path);
    if (end == PP_PATH_PUSHED || end == PP_PATH_WAS_THERE)
        move(folder_fd, name, pushed);
    else if (end == PP_PATH_REFUSED)
        move(folder_fd, name, refused);
    return end;
}

/* Push what is in the folder, up to the first session that fails. The next look goes on after that one: a
 * session that the server never takes must not keep the others back. @return false: one failed. */
static bool
push_folder(struct pp_pushing *pushing, const char *folder, int folder_fd, struct watched *watched)
{
    char **names = NULL;
    bool good = true;
    ssize_t len = list_names(folder_fd, &names), first = 0;
    while (names && first < len && strcmp(names[first], watched->after) <= 0)
        first++;
    watched->pushed = false;
    for (ssize_t i = 0; names && i < len && good && !*pushing->stop; i++) {
        const char *name = names[(first + i) % len];
        enum pp_push_path_end end = push_name(pushing, folder, folder_fd, name);
        watched->pushed |= end == PP_PATH_PUSHED || end == PP_PATH_WAS_THERE;
        good = end != PP_PATH_FAILED;
        if (!good)
            snprintf(watched->after, sizeof(watched->after), "%s", name);
    }
    for (ssize_t i = 0; names && i < len; i++)
        free(names[i]);
    free(names);
    return good;
}

/*
 * Push the sessions and archives of a folder until SIGINT or SIGTERM comes. What was pushed moves to the
 * folder `pushed` in it, what is refused to `refused`.
 *
 * @return Exit status.
 */
static int
push_watch(struct pp_pushing *pushing, const char *folder)
{
    char told[sizeof(pushing->error.text)] = "";
    unsigned failures = 0;
    struct watched watched = {.pushed = false};
    const struct pp_push_options *given = pushing->options;
    struct pp_push_options options = *given;
    int folder_fd = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (folder_fd < 0)
        return pp_fail(PP_FORMAT_READ_BACK, folder, strerror(errno));
    options.retry = 0; /* the folder is looked at again and again anyway */
    pushing->options = &options;
    pushing->quiet_failure = true;
    pp_print(stderr, PP_FORMAT_PUSH_WATCHING "\n", folder);
    while (!*pushing->stop) {
        uint64_t wait_ms = LOOK_MS;
        bool good = push_folder(pushing, folder, folder_fd, &watched);
        if (good || watched.pushed)
            failures = 0;
        if (good) {
            told[0] = '\0';
        } else if (!*pushing->stop) {
            wait_ms = pp_push_wait_ms(++failures, &pushing->target->random);
            /* a server that is away for a night is one line, not a thousand */
            if (strcmp(told, pushing->error.text) != 0)
                (void)pp_fail(PP_FORMAT_PUSH_FAILED, watched.after, pushing->error.text);
            snprintf(told, sizeof(told), "%s", pushing->error.text);
        }
        (void)pp_push_sleep(wait_ms, pushing->stop);
    }
    close(folder_fd);
    pushing->options = given;
    return 0;
}

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
        if (push_path(pushing, o->session[i]) == PP_PATH_FAILED)
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
    int status = o->watch ? push_watch(&pushing, o->watch) : push_all(&pushing);
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
    int status = o->watch ? push_watch(&pushing, o->watch) : push_all(&pushing);
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
    int read = pp_options_read(&own, argc, argv, &given);
    if (read)
        return read < 0 ? pp_fail("%s", given.error) : 0;
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
