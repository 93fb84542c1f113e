/** @file
 * See push_show.h. */
#include "cli/push/push_show.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/print/print.h"
#include "cli/redact/shown_texts.h"
#include "pp_texts.h"

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
take_row(void *data, enum pp_push_table table, const struct pp_push_row *row)
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
    const struct pp_push_sink sink = {.row = take_row, .data = s};
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
