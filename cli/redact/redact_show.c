/** @file
 * See redact_show.h. */
#include "cli/redact/redact_show.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "cli/print/print.h"
#include "cli/session/csv_read.h"
#include "counters/util/array_size.h"
#include "counters/util/name_table.h"
#include "pp_texts.h"

#define TEXTS_MOST 100U

/* Columns whose texts come from the application, the driver or the machine. */
static const char *const shown[] = {"name",     "label", "attachments", "pipeline", "app",     "path",
                                    "function", "file",  "queue",       "device",   "surface", "debuglink"};

/* The different texts of a column. */
struct column {
    bool shown;
    struct pp_name_table seen;
    char *text[TEXTS_MOST]; /* owned, in the order of the file */
    size_t texts;
    bool more;
};

struct showing {
    FILE *out;
    struct pp_redaction *redact; /* NULL: texts are shown as they are */
    bool words;                  /* the file holds paths */
    struct column *column;
    char **name; /* of each column; owned */
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
    s->name = calloc(cells, sizeof(*s->name));
    s->error = s->column && s->name ? 0 : -ENOMEM;
    for (size_t i = 0; i < cells && !s->error; i++) {
        s->name[i] = strdup(cell[i].text);
        s->error = s->name[i] ? 0 : -ENOMEM;
        s->column[i].shown = is_shown(cell[i].text);
        s->columns++;
    }
    return s->error == 0;
}

/* Remember a text, unless it is known. */
static int
add_text(struct showing *s, struct column *column, const char *text, size_t len)
{
    if (s->redact)
        text = s->words ? pp_redact_words(s->redact, text, len, &len)
                        : pp_redact_text(s->redact, text, len, &len);
    if (!text)
        return -ENOMEM;
    if (pp_name_table_find(&column->seen, text, len))
        return 0;
    column->more = column->texts == TEXTS_MOST;
    if (column->more)
        return 0;
    char *copy = strndup(text, len);
    if (!copy)
        return -ENOMEM;
    column->text[column->texts++] = copy;
    return pp_name_table_add(&column->seen, copy, strlen(copy), 0, 0) == -ENOMEM ? -ENOMEM : 0;
}

static bool
on_row(void *data, const struct pp_cell *cell, size_t cells)
{
    struct showing *s = data;
    for (size_t i = 0; i < cells && !s->error; i++)
        if (s->column[i].shown && !s->column[i].more && cell[i].present)
            s->error = add_text(s, &s->column[i], cell[i].text, cell[i].len);
    return s->error == 0;
}

static void
print_columns(const struct showing *s, const char *file)
{
    for (size_t i = 0; i < s->columns; i++) {
        const struct column *column = &s->column[i];
        if (!column->texts)
            continue;
        pp_print(s->out, PP_FORMAT_REDACT_COLUMN "\n", file, s->name[i]);
        for (size_t t = 0; t < column->texts; t++)
            pp_print(s->out, "    %s\n", column->text[t]);
        if (column->more)
            pp_print(s->out, "    %s\n", PP_TEXT_REDACT_MORE);
    }
}

static void
finish(struct showing *s)
{
    for (size_t i = 0; i < s->columns; i++) {
        for (size_t t = 0; t < s->column[i].texts; t++)
            free(s->column[i].text[t]);
        pp_name_table_finish(&s->column[i].seen);
        free(s->name[i]);
    }
    free(s->column);
    free(s->name);
}

static int
show_file(FILE *out, struct pp_redaction *redact, int dir_fd, const char *file)
{
    struct showing s = {.out = out, .redact = redact};
    const struct pp_csv_reader reader = {.header = on_header, .row = on_row, .data = &s};
    s.words = strcmp(file, "modules.csv") == 0 || strcmp(file, "symbols.csv") == 0;
    int rc = pp_csv_read(dir_fd, file, &reader);
    if (rc == -ENOENT || rc == -ENODATA)
        rc = 0;
    rc = s.error ? s.error : rc;
    if (rc == 0)
        print_columns(&s, file);
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
