/** @file
 * See push_session.h. */
#include "cli/push/push_session.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli/push/push_batch.h"
#include "cli/push/push_schema.h"
#include "cli/push/server_answer.h"
#include "cli/redact/redact_show.h"
#include "cli/text/print.h"
#include "counters/util/array_size.h"
#include "counters/util/monotonic.h"
#include "counters/util/random.h"
#include "pp_texts.h"

/* Seconds that a push of one session may take. Afterwards its rows may be removed by others, so it is not
 * completed. */
#define PP_PUSH_LEASE_S 3600U

/* A session on its way. */
struct sending {
    struct pp_clickhouse *server; /* NULL: nothing is sent */
    struct pp_push_result *result;
    uint64_t push;
    bool completing; /* the row of the session was sent, or may have been */
    struct pp_push_text row;
    struct pp_push_batch batch[PP_PUSH_TABLES];
};

static uint64_t
monotonic_s(void)
{
    return pp_monotonic_ns() / UINT64_C(1000000000);
}

/* Send the rows of a table that wait. */
static int
send_batch(struct sending *s, enum pp_push_table table)
{
    struct pp_push_batch *batch = &s->batch[table];
    int rc = 0;
    if (!batch->rows)
        return 0;
    rc = pp_push_batch_end(batch);
    char *statement = rc ? NULL : pp_push_insert_statement(table);
    if (!statement)
        return -ENOMEM;
    s->result->bytes += batch->bytes;
    s->result->sent_bytes += batch->len;
    if (s->server)
        rc = pp_clickhouse_insert(s->server, statement, batch->gzip, batch->len, true);
    free(statement);
    pp_push_batch_clear(batch);
    return rc;
}

static int
take_row(void *data, enum pp_push_table table, const struct pp_push_row *row)
{
    struct sending *s = data;
    s->row.len = 0;
    int rc = pp_push_text_row(&s->row, table, s->push, row);
    rc = rc ? rc : pp_push_batch_add(&s->batch[table], s->row.text, s->row.len);
    /* the row of the session is sent after all others */
    if (rc == 0 && table != PP_PUSH_SESSIONS && pp_push_batch_is_full(&s->batch[table]))
        rc = send_batch(s, table);
    return rc;
}

/* Note a failure that the server has no part in. */
static int
own_failure(struct pp_push_result *result, int rc)
{
    const char *why = rc == -ENOENT ? PP_TEXT_PUSH_NO_FILES : strerror(-rc);
    pp_push_error_set(&result->error, PP_PUSH_REFUSED, "%s", why);
    return -EIO;
}

/* Could all files be read that have rows to send? A file that is missing has none, and neither has one whose
 * session was killed at its start. */
static int
check_files(const struct pp_saved_session *rec, bool draws, struct pp_push_error *error)
{
    const struct {
        const char *name;
        int error;
    } files[] = {
        {"passes.csv", rec->passes_error},
        {"labels.csv", rec->labels_error},
        {"draws.csv", draws ? rec->draws_error : 0},
    };
    if (rec->frames_error) {
        pp_push_error_set(error, PP_PUSH_REFUSED, "%s", PP_TEXT_PUSH_NO_FRAMES);
        return -EPROTO;
    }
    for (size_t i = 0; i < PP_ARRAY_SIZE(files); i++) {
        if (!files[i].error || files[i].error == -ENOENT || files[i].error == -ENODATA)
            continue;
        pp_push_error_set(error, PP_PUSH_REFUSED, "%s: %s", files[i].name, strerror(-files[i].error));
        return -EPROTO;
    }
    return 0;
}

/* Read a session, and give its rows to a sink. @retval -EPROTO The error is noted. */
static int
read_rows(struct pp_push_rows *rows, int dir_fd, const struct pp_push_facts *facts,
          const struct pp_push_sink *sink, bool draws, struct pp_push_result *result)
{
    struct pp_export e = {.rows = 0};
    pp_push_rows_init(rows, &e, facts, sink, draws);
    e.format = &rows->format;
    int rc = pp_export_session(&e, dir_fd);
    if (rc == 0)
        rc = check_files(&e.rec, draws, &result->error);
    result->damaged = rc ? NULL : pp_damage_find(&e.rec, result->damage, sizeof(result->damage));
    if (result->damaged && !facts->takes_damaged) {
        pp_push_error_set(&result->error, PP_PUSH_REFUSED, PP_FORMAT_PUSH_DAMAGED, result->damaged,
                          result->damage);
        rc = -EPROTO;
    }
    memcpy(result->rows, rows->rows, sizeof(result->rows));
    result->left_out = rows->left_out + e.rec.bad_rows;
    result->cut = rows->cut;
    result->bad_cells = e.bad_cells + rows->misfits;
    rows->e = NULL;
    pp_push_rows_finish(rows);
    pp_export_finish(&e);
    return rc;
}

int
pp_push_read_rows(int dir_fd, const struct pp_push_facts *facts, const struct pp_push_sink *sink, bool draws,
                  struct pp_push_result *ret, char *ret_content)
{
    struct pp_push_rows rows;
    int rc = read_rows(&rows, dir_fd, facts, sink, draws, ret);
    memcpy(ret_content, rows.content, sizeof(rows.content));
    return rc;
}

static int
ignore_row(void *data, enum pp_push_table table, const struct pp_push_row *row)
{
    (void)data;
    (void)table;
    (void)row;
    return 0;
}

/* Is the content of the session that which the server has? */
static int
compare_content(int dir_fd, const struct pp_push_facts *facts, const char *content,
                struct pp_push_result *result)
{
    const struct pp_push_sink sink = {.row = ignore_row};
    struct pp_push_rows rows;
    int rc = read_rows(&rows, dir_fd, facts, &sink, false, result);
    if (rc)
        return rc == -EPROTO ? -EIO : own_failure(result, rc);
    if (strcmp(rows.content, content) == 0) {
        result->outcome = PP_PUSH_WAS_THERE;
        return 0;
    }
    pp_push_error_set(&result->error, PP_PUSH_REFUSED, PP_FORMAT_PUSH_OTHER_CONTENT, facts->session_id);
    return -EIO;
}

/* Read the rows that the server has of a session, that of the push which counts first. @param ret_text Owned
 * by the caller. */
static int
ask_for_pushes(struct pp_push_target *target, const char *session_id, char **ret_text)
{
    char statement[256];
    snprintf(statement, sizeof(statement),
             "SELECT push, content FROM stored_sessions WHERE session_id = '%s' ORDER BY push LIMIT %u"
             " FORMAT TabSeparated",
             session_id, PP_PUSH_DEAD_MAX);
    return pp_clickhouse_run(&target->server, statement, true, ret_text);
}

/* Take the next of the rows. @retval 1, 0: there are no more, -EIO. */
static int
next_push(struct pp_push_target *target, const char **io_text, uint64_t *ret_push, char *ret_content)
{
    int rc = pp_answer_number_and_hex(io_text, ret_push, ret_content, PP_SHA256_DIGITS);
    if (rc >= 0)
        return rc;
    pp_push_error_set(&target->server.error, PP_PUSH_GIVE_UP, "%s", PP_TEXT_PUSH_ANSWER_ODD);
    return -EIO;
}

/* Find the push of a session that counts. @retval 1, 0: there is none, -EIO. */
static int
find_winner(struct pp_push_target *target, const char *session_id, uint64_t *ret_push, char *ret_content)
{
    char *text = NULL;
    int rc = ask_for_pushes(target, session_id, &text);
    const char *at = text;
    rc = rc ? rc : next_push(target, &at, ret_push, ret_content);
    free(text);
    return rc;
}

/* A number for a push: earlier ones are smaller, and hardly any two are equal. */
static uint64_t
new_push(struct pp_push_target *target)
{
    uint64_t now = target->now_s + (monotonic_s() - target->mono_s);
    return now << 32 | (pp_splitmix64(&target->random) & UINT32_MAX);
}

/* Note on the server that a push begins. */
static int
announce(struct pp_push_target *target, const struct pp_push_facts *facts, uint64_t push)
{
    static const char statement[] = "INSERT INTO stored_pushes (push, session_id) FORMAT TabSeparated";
    char row[64];
    int len = snprintf(row, sizeof(row), "%" PRIu64 "\t%s\n", push, facts->session_id);
    return pp_clickhouse_insert(&target->server, statement, row, (size_t)len, false);
}

/* Send all rows, that of the session last. */
static int
send_rows(struct sending *s, int dir_fd, const struct pp_push_facts *facts, bool draws, char *ret_content)
{
    const struct pp_push_sink sink = {.row = take_row, .data = s};
    struct pp_push_rows rows;
    uint64_t begun = monotonic_s();
    struct pp_push_error *error = &s->result->error;
    error->text[0] = '\0';
    int rc = read_rows(&rows, dir_fd, facts, &sink, draws, s->result);
    memcpy(ret_content, rows.content, sizeof(rows.content));
    for (unsigned i = 0; i < PP_PUSH_SESSIONS && rc == 0; i++)
        rc = send_batch(s, (enum pp_push_table)i);
    if (rc == 0 && s->server && monotonic_s() - begun > PP_PUSH_LEASE_S) {
        pp_push_error_set(error, PP_PUSH_AGAIN, PP_FORMAT_PUSH_LEASE, PP_PUSH_LEASE_S);
        return -EIO;
    }
    s->completing = rc == 0;
    rc = rc ? rc : send_batch(s, PP_PUSH_SESSIONS);
    if (rc == -EPROTO)
        return -EIO;
    if (rc == -EIO && s->server)
        *error = s->server->error;
    else if (rc)
        rc = own_failure(s->result, rc);
    return rc;
}

static void
finish_sending(struct sending *s)
{
    for (unsigned i = 0; i < PP_PUSH_TABLES; i++)
        pp_push_batch_finish(&s->batch[i]);
    free(s->row.text);
}

/* Remember a push whose rows are to be removed. */
static void
bury(struct pp_push_target *target, uint64_t push)
{
    if (target->deads < PP_PUSH_DEAD_MAX)
        target->dead[target->deads++] = push;
}

/* Remove the rows of pushes that failed. If the server cannot do it now, pp_push_remove_old() finds them
 * later. */
static void
remove_dead(struct pp_push_target *target)
{
    if (pp_push_remove(&target->server, target->dead, target->deads) == 0 ||
        target->server.error.failure != PP_PUSH_AGAIN)
        target->deads = 0;
}

/* Decide which rows of a session count, now that this push is complete. */
static int
judge(struct pp_push_target *target, const char *rows, uint64_t push, const char *content,
      struct pp_push_result *ret)
{
    char other_content[PP_SHA256_DIGITS + 1];
    uint64_t winner = 0, other = 0;
    bool differs = false;
    const char *at = rows;
    int rc = next_push(target, &at, &winner, other_content);
    if (rc < 0)
        ret->error = target->server.error;
    else if (rc == 0)
        pp_push_error_set(&ret->error, PP_PUSH_AGAIN, "%s", PP_TEXT_PUSH_VANISHED);
    if (rc <= 0)
        return -EIO;
    differs = strcmp(other_content, content) != 0;
    /* The process of a copy that was complete earlier has reported success. If its content is another one,
     * this push removes its own rows, and fails. If two copies are complete at the same moment, both may do
     * so. */
    while (winner == push && !differs && next_push(target, &at, &other, other_content) == 1)
        differs = strcmp(other_content, content) != 0;
    if (winner != push || differs)
        bury(target, push);
    if (differs)
        pp_push_error_set(&ret->error, PP_PUSH_REFUSED, PP_FORMAT_PUSH_OTHER_CONTENT, ret->facts.session_id);
    else if (winner != push)
        ret->outcome = PP_PUSH_WAS_THERE;
    for (at = rows; !differs && winner == push && next_push(target, &at, &other, other_content) == 1;)
        if (other != push)
            bury(target, other);
    return differs ? -EIO : 0;
}

/* Find out whether this push counts: another one may have been faster. */
static int
check_winner(struct pp_push_target *target, uint64_t push, const char *content, struct pp_push_result *ret)
{
    char *rows = NULL;
    int rc = ask_for_pushes(target, ret->facts.session_id, &rows);
    if (rc)
        ret->error = target->server.error;
    rc = rc ? rc : judge(target, rows, push, content, ret);
    free(rows);
    return rc;
}

/* Push a session that the server does not have. */
static int
push_new(struct pp_push_target *target, int dir_fd, const struct pp_push_facts *facts,
         struct pp_push_result *ret)
{
    char content[PP_SHA256_DIGITS + 1] = "";
    struct sending s = {.server = &target->server, .result = ret, .push = new_push(target)};
    int rc = announce(target, facts, s.push);
    if (rc) {
        ret->error = target->server.error;
        return rc;
    }
    rc = send_rows(&s, dir_fd, facts, target->draws, content);
    finish_sending(&s);
    /* A request that failed may still be carried out, even later. So the next try has another number. If the
     * row of the session may have been sent, this push may count: its rows must stay. If it does not count,
     * pp_push_remove_old() removes them. */
    if (rc && !s.completing)
        bury(target, s.push);
    return rc ? rc : check_winner(target, s.push, content, ret);
}

/* Make the tables, once. */
static int
make_ready(struct pp_push_target *target)
{
    if (target->ready)
        return 0;
    int rc = pp_push_schema_make(&target->server, &target->now_s);
    target->mono_s = monotonic_s();
    target->ready = rc == 0;
    return rc;
}

int
pp_push_target_init(struct pp_push_target *ret, const struct pp_http_options *options, bool draws)
{
    struct timespec now;
    *ret = (struct pp_push_target){.draws = draws};
    clock_gettime(CLOCK_REALTIME, &now);
    if (pp_random_bytes(&ret->random, sizeof(ret->random)))
        ret->random = (uint64_t)now.tv_nsec ^ (uint64_t)now.tv_sec << 20;
    return pp_clickhouse_init(&ret->server, options);
}

void
pp_push_target_finish(struct pp_push_target *target)
{
    pp_clickhouse_finish(&target->server);
}

/* Try once to push a session.
 *
 * @param dir_fd The session's directory.
 * @param facts  Of the session.
 * @param ret    Filled in any case.
 * @retval 0     Done, or it was there.
 * @retval -EIO  ret->error says why. */
static int
push_session(struct pp_push_target *target, int dir_fd, const struct pp_push_facts *facts,
             struct pp_push_result *ret)
{
    char content[PP_SHA256_DIGITS + 1];
    uint64_t winner = 0;
    *ret = (struct pp_push_result){.outcome = PP_PUSH_DONE, .facts = *facts};
    int rc = make_ready(target);
    rc = rc ? rc : find_winner(target, facts->session_id, &winner, content);
    if (rc < 0)
        ret->error = target->server.error;
    else if (rc == 1)
        rc = compare_content(dir_fd, facts, content, ret);
    else
        rc = push_new(target, dir_fd, facts, ret);
    if (rc)
        ret->outcome = PP_PUSH_FAILED;
    if (rc == 0 || ret->error.failure == PP_PUSH_REFUSED)
        remove_dead(target);
    return rc;
}

int
pp_push_measure(int dir_fd, const struct pp_push_facts *facts, bool draws, struct pp_push_result *ret)
{
    char content[PP_SHA256_DIGITS + 1];
    struct sending s = {.result = ret, .push = UINT64_MAX};
    *ret = (struct pp_push_result){.outcome = PP_PUSH_DONE, .facts = *facts};
    int rc = send_rows(&s, dir_fd, facts, draws, content);
    finish_sending(&s);
    if (rc)
        ret->outcome = PP_PUSH_FAILED;
    return rc;
}

#define FIRST_MS 500U
#define MOST_MS  60000U
/* Pieces of a wait, after which `stop` is looked at: a signal may come before the sleep begins. */
#define PIECE_MS 200U

uint64_t
pp_push_wait_ms(unsigned number, uint64_t *random)
{
    uint64_t ms = number > 8 ? MOST_MS : (uint64_t)FIRST_MS << (number ? number - 1 : 0);
    if (ms > MOST_MS)
        ms = MOST_MS;
    return ms - pp_random_below(random, ms / 2 + 1);
}

bool
pp_push_sleep(uint64_t ms, const volatile sig_atomic_t *stop)
{
    while (ms && !(stop && *stop)) {
        uint64_t piece = ms < PIECE_MS ? ms : PIECE_MS;
        const struct timespec wait = {.tv_nsec = (long)(piece * 1000000)};
        (void)nanosleep(&wait, NULL);
        ms -= piece;
    }
    return !(stop && *stop);
}

int
pp_push_with_retry(struct pp_push_target *target, int dir_fd, const struct pp_push_facts *facts,
                   const struct pp_push_retry *retry, struct pp_push_result *ret)
{
    for (unsigned number = 1;; number++) {
        int rc = push_session(target, dir_fd, facts, ret);
        if (rc == 0 || ret->error.failure != PP_PUSH_AGAIN || number > retry->most)
            return rc;
        uint64_t ms = pp_push_wait_ms(number, &target->random);
        if (retry->wait)
            retry->wait(retry->data, &ret->error, ms);
        if (!pp_push_sleep(ms, retry->stop))
            return rc;
    }
}

struct showing {
    FILE *out;
    struct pp_shown_texts texts[PP_PUSH_TABLES][PP_PUSH_COLUMNS_MAX];
};

static void
print_value(FILE *out, const char *name, const struct pp_export_value *value)
{
    if (value->kind == PP_EXPORT_IS_INTEGER)
        pp_print(out, "    %s: %" PRId64 "\n", name, value->integer);
    else if (value->kind == PP_EXPORT_IS_REAL)
        pp_print(out, "    %s: %g\n", name, value->real);
    else if (value->kind != PP_EXPORT_IS_NULL)
        pp_print(out, "    %s: %.*s\n", name, (int)value->len, value->text);
}

static int
show_row(void *data, enum pp_push_table table, const struct pp_push_row *row)
{
    struct showing *s = data;
    const struct pp_push_model *model = pp_push_model_of(table);
    bool session = table == PP_PUSH_SESSIONS;
    int rc = 0;
    for (size_t i = 0; i < model->columns && rc == 0; i++)
        if (session)
            print_value(s->out, model->column[i].name, &row->value[i]);
        else if (model->column[i].type == PP_PUSH_TEXT && row->value[i].kind == PP_EXPORT_IS_TEXT &&
                 row->value[i].len)
            rc = pp_shown_texts_add(&s->texts[table][i], row->value[i].text, row->value[i].len);
    for (size_t i = 0; i < row->pairs && session; i++)
        print_value(s->out, row->pair[i].name, &row->pair[i].value);
    return rc;
}

static void
print_columns(struct showing *s)
{
    for (unsigned t = 0; t < PP_PUSH_TABLES; t++) {
        const struct pp_push_model *model = pp_push_model_of((enum pp_push_table)t);
        for (size_t i = 0; i < model->columns; i++)
            pp_shown_texts_print(s->out, &s->texts[t][i], model->name, model->column[i].name);
    }
}

static void
finish(struct showing *s)
{
    for (unsigned t = 0; t < PP_PUSH_TABLES; t++)
        for (size_t i = 0; i < PP_PUSH_COLUMNS_MAX; i++)
            pp_shown_texts_finish(&s->texts[t][i]);
    free(s);
}

int
pp_push_show(FILE *out, int dir_fd, const struct pp_push_facts *facts, bool draws, struct pp_push_result *ret)
{
    char content[PP_SHA256_DIGITS + 1];
    struct showing *s = calloc(1, sizeof(*s));
    const struct pp_push_sink sink = {.row = show_row, .data = s};
    *ret = (struct pp_push_result){.outcome = PP_PUSH_FAILED, .facts = *facts};
    int rc = s ? 0 : -ENOMEM;
    if (rc == 0) {
        s->out = out;
        pp_print(out, "sessions:\n");
        rc = pp_push_read_rows(dir_fd, facts, &sink, draws, ret, content);
        if (rc == 0)
            print_columns(s);
        finish(s);
    }
    if (rc && rc != -EPROTO)
        pp_push_error_set(&ret->error, PP_PUSH_REFUSED, "%s",
                          rc == -ENOENT ? PP_TEXT_PUSH_NO_FILES : strerror(-rc));
    ret->outcome = rc ? PP_PUSH_FAILED : PP_PUSH_DONE;
    return rc ? -EIO : 0;
}
