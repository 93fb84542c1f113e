/** @file
 * See redact_show.h. */
#include "cli/redact/redact_show.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/redact/redact_file.h"
#include "cli/session/csv_read.h"
#include "cli/text/print.h"
#include "counters/util/array_size.h"
#include "pp_texts.h"

int
pp_shown_texts_add(struct pp_shown_texts *texts, const char *text, size_t len)
{
    if (texts->more || pp_name_table_find(&texts->seen, text, len))
        return 0;
    texts->more = texts->texts == PP_SHOWN_TEXTS_MOST;
    if (texts->more)
        return 0;
    char *copy = strndup(text, len);
    if (!copy)
        return -ENOMEM;
    texts->text[texts->texts++] = copy;
    return pp_name_table_add(&texts->seen, copy, strlen(copy), 0, 0) == -ENOMEM ? -ENOMEM : 0;
}

void
pp_shown_texts_print(FILE *out, const struct pp_shown_texts *texts, const char *table, const char *column)
{
    if (texts->texts)
        pp_print(out, PP_FORMAT_REDACT_COLUMN "\n", table, column);
    for (size_t i = 0; i < texts->texts; i++)
        pp_print(out, "    %s\n", texts->text[i]);
    if (texts->more)
        pp_print(out, "    %s\n", "(and others)");
}

void
pp_shown_texts_finish(struct pp_shown_texts *texts)
{
    for (size_t i = 0; i < texts->texts; i++)
        free(texts->text[i]);
    pp_name_table_finish(&texts->seen);
    *texts = (struct pp_shown_texts){.texts = 0};
}

/* Columns whose texts come from the application, the driver or the machine. */
static const char *const shown[] = {"name",     "label", "attachments", "pipeline", "app",     "path",
                                    "function", "file",  "queue",       "device",   "surface", "debuglink"};

/* A column of a file. */
struct column {
    char *name; /* owned */
    bool shown;
    struct pp_shown_texts texts;
};

struct showing {
    struct pp_redaction *redact; /* NULL: texts are shown as they are */
    bool words;                  /* the file holds paths */
    struct column *column;       /* owned */
    size_t columns;
    int error; /* no memory */
};

static bool
is_shown(const char *name)
{
    for (size_t i = 0; i < PP_ARRAY_SIZE(shown); i++)
        if (strcmp(name, shown[i]) == 0)
            return true;
    return false;
}

static bool
on_header(void *data, const struct pp_cell *cell, size_t cells)
{
    struct showing *s = data;
    s->column = calloc(cells, sizeof(*s->column));
    s->error = s->column ? 0 : -ENOMEM;
    for (size_t i = 0; i < cells && !s->error; i++, s->columns++) {
        s->column[i].shown = is_shown(cell[i].text);
        s->column[i].name = strdup(cell[i].text);
        s->error = s->column[i].name ? 0 : -ENOMEM;
    }
    return s->error == 0;
}

/* Remember a text as the redaction makes it. */
static int
add_text(struct showing *s, struct column *column, const char *text, size_t len)
{
    if (s->redact)
        text = s->words ? pp_redact_words(s->redact, text, len, &len)
                        : pp_redact_text(s->redact, text, len, &len);
    return text ? pp_shown_texts_add(&column->texts, text, len) : -ENOMEM;
}

static bool
on_row(void *data, const struct pp_cell *cell, size_t cells)
{
    struct showing *s = data;
    for (size_t i = 0; i < cells && !s->error; i++)
        if (s->column[i].shown && !s->column[i].texts.more && cell[i].present)
            s->error = add_text(s, &s->column[i], cell[i].text, cell[i].len);
    return s->error == 0;
}

static void
finish(struct showing *s)
{
    for (size_t i = 0; i < s->columns; i++) {
        pp_shown_texts_finish(&s->column[i].texts);
        free(s->column[i].name);
    }
    free(s->column);
}

static int
show_file(FILE *out, struct pp_redaction *redact, int dir_fd, const char *file)
{
    struct showing s = {.redact = redact};
    const struct pp_csv_reader reader = {.header = on_header, .row = on_row, .data = &s};
    s.words = pp_redact_has_paths(file);
    int rc = pp_csv_read(dir_fd, file, &reader);
    if (rc == -ENOENT || rc == -ENODATA)
        rc = 0;
    rc = s.error ? s.error : rc;
    for (size_t i = 0; rc == 0 && i < s.columns; i++)
        pp_shown_texts_print(out, &s.column[i].texts, file, s.column[i].name);
    finish(&s);
    return rc;
}

/* Print the lines of a text. A text that is foreign may not move the cursor. */
static void
print_lines(FILE *out, const char *text)
{
    while (*text) {
        size_t len = strcspn(text, "\n");
        pp_print(out, "%.*s\n", (int)len, text);
        text += len + (text[len] == '\n');
    }
}

int
pp_redact_show(FILE *out, struct pp_redaction *redact, int dir_fd, const json_t *json,
               const char *const *file)
{
    char *text = json ? json_dumps(json, JSON_INDENT(1)) : NULL;
    int rc = json && !text ? -ENOMEM : 0;
    if (text)
        print_lines(out, text);
    free(text);
    for (; rc == 0 && *file; file++)
        rc = show_file(out, redact, dir_fd, *file);
    return rc;
}
