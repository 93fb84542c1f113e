/** @file
 * See push_path.h. */
#include "cli/commands/push_path.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/print/format.h"
#include "cli/print/message.h"
#include "cli/print/print.h"
#include "cli/push/push_show.h"
#include "cli/push/push_tags.h"
#include "cli/session/runs_file.h"
#include "cli/session/session_files.h"
#include "cli/session/session_open.h"
#include "core/config/dir_content.h"
#include "pp_texts.h"

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
    if (rc == 0 && o->show)
        return ended(pushing, PP_PATH_PUSHED);
    if (rc == 0 && result.outcome == PP_PUSH_WAS_THERE) {
        pp_print(stderr, PP_FORMAT_PUSH_WAS_THERE "\n", path, facts->session_id);
        return ended(pushing, PP_PATH_WAS_THERE);
    }
    if (rc == 0) {
        tell_sent(&result, path, o->dry_run);
        return ended(pushing, PP_PATH_PUSHED);
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

enum pp_push_path_end
pp_push_path(struct pp_pushing *pushing, const char *path)
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
