/** @file
 * See push_row_give.h. */
#include "cli/push/push_row_give.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int
pp_push_rows_fail(struct pp_push_rows *rows, int rc)
{
    snprintf(rows->format.why, sizeof(rows->format.why), "%s", strerror(-rc));
    return rc;
}

bool
pp_push_row_fit(struct pp_push_rows *rows, enum pp_push_type type, struct pp_export_value *value)
{
    size_t most = type == PP_PUSH_TEXT ? PP_PUSH_TEXT_MAX : 64;
    switch (type) {
    case PP_PUSH_SESSION_ID:
        return value->kind == PP_EXPORT_IS_TEXT && pp_push_is_id(value->text);
    case PP_PUSH_WORK_ID:
        return value->kind == PP_EXPORT_IS_TEXT && pp_push_is_hex(value->text, 16);
    case PP_PUSH_TEXT:
    case PP_PUSH_DATE:
        if (value->kind != PP_EXPORT_IS_TEXT && value->kind != PP_EXPORT_IS_JSON)
            return false;
        rows->cut += value->len > most;
        value->len = pp_push_cut(value->text, value->len, most);
        return true;
    case PP_PUSH_FLAG:
        return value->kind == PP_EXPORT_IS_INTEGER && (value->integer == 0 || value->integer == 1);
    case PP_PUSH_COUNT:
        return value->kind == PP_EXPORT_IS_INTEGER && value->integer >= 0 && value->integer <= UINT32_MAX;
    case PP_PUSH_WHOLE:
        return value->kind == PP_EXPORT_IS_INTEGER && value->integer >= 0;
    case PP_PUSH_REAL:
        return value->kind == PP_EXPORT_IS_INTEGER ||
               (value->kind == PP_EXPORT_IS_REAL && isfinite(value->real));
    case PP_PUSH_TYPES:
        break;
    }
    return false;
}

/* Add a value to the fingerprint of the content. Of a text only that there is one: redaction changes texts,
 * and what it finds depends on who pushes. */
static void
digest(struct pp_sha256 *sha, const struct pp_export_value *value)
{
    unsigned char kind = (unsigned char)value->kind;
    pp_sha256_add(sha, &kind, 1);
    if (value->kind == PP_EXPORT_IS_INTEGER)
        pp_sha256_add(sha, &value->integer, sizeof(value->integer));
    else if (value->kind == PP_EXPORT_IS_REAL)
        pp_sha256_add(sha, &value->real, sizeof(value->real));
}

/* Add what a row measured to the fingerprint. */
static void
digest_row(struct pp_push_rows *rows, enum pp_push_table table, const struct pp_push_row *row)
{
    const struct pp_push_model *model = pp_push_model_of(table);
    unsigned char begin = (unsigned char)table;
    if (table == PP_PUSH_DRAWS || table == PP_PUSH_SESSIONS || table == PP_PUSH_COUNTERS_MISSING)
        return;
    pp_sha256_add(&rows->sha, &begin, 1);
    for (size_t i = 0; i < model->columns; i++)
        if (model->column[i].from)
            digest(&rows->sha, &row->value[i]);
    for (size_t i = 0; i < row->pairs; i++)
        digest(&rows->sha, &row->pair[i].value);
}

/* A text that was redacted. */
struct pp_push_made {
    struct pp_push_made *next;
    char text[];
};

int
pp_push_row_redact(struct pp_push_rows *rows, enum pp_push_table table, struct pp_export_value *value)
{
    size_t len = 0;
    struct pp_redaction *redact = rows->facts.redact;
    if (!redact || (value->kind != PP_EXPORT_IS_TEXT && value->kind != PP_EXPORT_IS_JSON))
        return 0;
    bool words =
        table == PP_PUSH_SESSIONS || table == PP_PUSH_COUNTERS_MISSING; /* no names of the application */
    const char *text = words ? pp_redact_words(redact, value->text, value->len, &len)
                             : pp_redact_text(redact, value->text, value->len, &len);
    if (text == value->text)
        return 0;
    struct pp_push_made *made = text ? malloc(sizeof(*made) + len + 1) : NULL;
    if (!made)
        return -ENOMEM;
    memcpy(made->text, text, len);
    made->text[len] = '\0';
    made->next = rows->made;
    rows->made = made;
    value->text = made->text;
    value->len = len;
    return 0;
}

static void
free_made(struct pp_push_rows *rows)
{
    while (rows->made) {
        struct pp_push_made *made = rows->made;
        rows->made = made->next;
        free(made);
    }
}

/* Redact the row's texts, and make all values fit. @retval 1: the row is left out. @retval 0, -ENOMEM. */
static int
check_row(struct pp_push_rows *rows, enum pp_push_table table, struct pp_export_value *value)
{
    const struct pp_push_model *model = pp_push_model_of(table);
    for (size_t i = 0; i < model->columns; i++) {
        int rc = model->column[i].type == PP_PUSH_TEXT ? pp_push_row_redact(rows, table, &value[i]) : 0;
        if (rc)
            return rc;
        if (pp_push_row_fit(rows, model->column[i].type, &value[i]))
            continue;
        rows->misfits += value[i].kind == PP_EXPORT_IS_INTEGER || value[i].kind == PP_EXPORT_IS_REAL;
        value[i] = (struct pp_export_value){.kind = PP_EXPORT_IS_NULL};
        if (model->column[i].optional)
            continue;
        if (model->column[i].type != PP_PUSH_TEXT) {
            rows->left_out++;
            return 1;
        }
        value[i] = (struct pp_export_value){.kind = PP_EXPORT_IS_TEXT, .text = ""};
    }
    return 0;
}

int
pp_push_rows_give(struct pp_push_rows *rows, enum pp_push_table table, struct pp_export_value *value,
                  const struct pp_push_pair *pair, size_t pairs)
{
    const struct pp_push_row row = {.value = value, .pair = pair, .pairs = pairs};
    int rc = check_row(rows, table, value);
    if (rc == 0) {
        digest_row(rows, table, &row);
        rows->rows[table]++;
        rc = rows->sink.row(rows->sink.data, table, &row);
    }
    free_made(rows);
    return rc < 0 ? pp_push_rows_fail(rows, rc) : 0;
}
