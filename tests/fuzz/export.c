/** @file
 * Fuzz target: a session, exported as `passprobe export` does. The input is session.json, frames.csv and
 * passes.csv with a line "--" between them. A format checks what it gets: names of columns are unique without
 * regard to case, texts are UTF-8, values have the column's type. Each JSON line must parse and have a member
 * for each column. Lines for viewers must have as many commas as their header, and no quotes. */
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "cli/export/export_columns.h"
#include "cli/export/export_format.h"
#include "cli/export/export_session.h"
#include "cli/export/export_viewer.h"

#define TABLES_MOST 16U

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A table that was begun. */
struct checked_table {
    enum pp_export_type *type;
    size_t columns;
    void *jsonl; /* the same table there */
};

/* A format that checks, and passes everything on to JSON lines. */
struct checking_format {
    struct pp_export_format format; /* the first member */
    struct pp_export_format *jsonl;
    struct checked_table table[TABLES_MOST];
    size_t tables;
    FILE *out;
    char *text; /* of the JSON lines so far */
    size_t len;
};

static char folder[] = "/tmp/passprobe-fuzz-XXXXXX";
static const char *const file_name[] = {"session.json", "frames.csv", "passes.csv"};
static int dir_fd = -1;

static void
must(bool holds)
{
    if (!holds)
        abort();
}

static int
check_table(struct pp_export_format *format, const char *name, const struct pp_export_column *column,
            size_t columns, void **ret_table)
{
    struct checking_format *c = (struct checking_format *)format;
    must(c->tables < TABLES_MOST && columns > 0);
    struct checked_table *table = &c->table[c->tables++];
    table->type = calloc(columns, sizeof(*table->type));
    must(table->type != NULL);
    table->columns = columns;
    for (size_t i = 0; i < columns; i++) {
        must(*column[i].name && pp_export_is_utf8(column[i].name) &&
             strcasecmp(column[i].name, "table") != 0);
        for (size_t k = 0; k < i; k++)
            must(strcasecmp(column[i].name, column[k].name) != 0);
        table->type[i] = column[i].type;
    }
    *ret_table = table;
    return c->jsonl->ops->table(c->jsonl, name, column, columns, &table->jsonl);
}

static void
check_value(const struct pp_export_value *value, enum pp_export_type type)
{
    if (value->kind == PP_EXPORT_IS_TEXT || value->kind == PP_EXPORT_IS_JSON)
        must(value->len == strlen(value->text) && pp_export_is_utf8(value->text));
    if (value->kind == PP_EXPORT_IS_REAL)
        must(isfinite(value->real));
    bool number = value->kind == PP_EXPORT_IS_INTEGER || value->kind == PP_EXPORT_IS_REAL;
    bool null = value->kind == PP_EXPORT_IS_NULL;
    if (type == PP_EXPORT_TEXT)
        must(null || !number);
    else if (type != PP_EXPORT_ANY)
        must(null || number);
}

static int
check_row(struct pp_export_format *format, void *in, const struct pp_export_value *value)
{
    struct checking_format *c = (struct checking_format *)format;
    const struct checked_table *table = in;
    for (size_t i = 0; i < table->columns; i++)
        check_value(&value[i], table->type[i]);
    must(fflush(c->out) == 0);
    size_t before = c->len;
    int rc = c->jsonl->ops->row(c->jsonl, table->jsonl, value);
    must(rc == 0 && fflush(c->out) == 0 && c->len > before && c->text[c->len - 1] == '\n');
    json_t *line =
        json_loadb(c->text + before, c->len - before, JSON_REJECT_DUPLICATES | JSON_DECODE_INT_AS_REAL, NULL);
    must(json_object_size(line) == table->columns + 1);
    json_decref(line);
    return 0;
}

static int
check_end(struct pp_export_format *format)
{
    struct checking_format *c = (struct checking_format *)format;
    return c->jsonl->ops->end(c->jsonl);
}

/* Write the files of the session. */
static void
write_files(const uint8_t *data, size_t size)
{
    for (size_t i = 0; i < 3; i++) {
        const uint8_t *end = i < 2 ? memmem(data, size, "\n--\n", 4) : NULL;
        size_t len = end ? (size_t)(end - data) + 1 : size;
        int fd = openat(dir_fd, file_name[i], O_WRONLY | O_CREAT | O_TRUNC, 0600);
        must(fd >= 0 && write(fd, data, len) == (ssize_t)len);
        close(fd);
        data += end ? len + 3 : len;
        size -= end ? len + 3 : len;
    }
}

static void
remove_files(void)
{
    for (size_t i = 0; i < 3; i++)
        (void)unlinkat(dir_fd, file_name[i], 0);
    (void)rmdir(folder);
}

/* Check the lines of a file for viewers. @param head Lines with `commas`; those after it have `more`. */
static void
check_lines(const char *text, uint64_t head, size_t commas, size_t more, uint64_t rows)
{
    uint64_t lines = 0;
    for (; *text; lines++) {
        const char *end = strchr(text, '\n');
        size_t found = 0;
        must(end != NULL);
        for (; text < end; text++) {
            must(*text != '"' && ((unsigned char)*text >= ' ' || (signed char)*text < 0));
            found += *text == ',';
        }
        must(found == (lines < head ? commas : more));
        text = end + 1;
    }
    must(lines == (rows ? head + 1 + rows : 0));
}

static void
export_for_viewers(void)
{
    for (unsigned i = 0; i < 2; i++) {
        struct pp_export e = {.format = NULL};
        struct pp_viewer_left_out left_out;
        char *text = NULL;
        size_t len = 0;
        FILE *out = open_memstream(&text, &len);
        must(out != NULL);
        int rc = pp_viewer_export(
            &e, dir_fd, i ? pp_export_as_mangohud.viewer : pp_export_as_presentmon.viewer, out, &left_out);
        must(rc == 0 || rc == -ENOENT);
        must(fclose(out) == 0 && strlen(text) == len);
        check_lines(text, i ? 2 : 0, 6, i ? 23 : 24, e.rows);
        pp_export_finish(&e);
        free(text);
    }
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct pp_export_ops ops = {.table = check_table, .row = check_row, .end = check_end};
    struct checking_format c = {.format.ops = &ops};
    struct pp_export e = {.format = &c.format};
    if (dir_fd < 0) {
        dir_fd = mkdtemp(folder) ? open(folder, O_RDONLY | O_DIRECTORY) : -1;
        must(dir_fd >= 0 && atexit(remove_files) == 0);
    }
    write_files(data, size);
    c.out = open_memstream(&c.text, &c.len);
    char why[64];
    must(c.out && pp_export_as_jsonl.create(NULL, c.out, &c.jsonl, why, sizeof(why)) == 0);
    int rc = pp_export_session(&e, dir_fd);
    must(rc == 0 || rc == -ENOENT);
    pp_export_finish(&e);
    c.jsonl->ops->destroy(c.jsonl);
    (void)fclose(c.out);
    free(c.text);
    for (size_t i = 0; i < c.tables; i++)
        free(c.table[i].type);
    export_for_viewers();
    return 0;
}
