/** @file
 * See lake_store.h. */
#include "cli/push/lake_store.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/push/push_rows.h"
#include "counters/util/array_size.h"
#include "counters/util/grow_array.h"
#include "pp_texts.h"

struct archive;

/** What is in a cell that was not measured. Texts are in quotes, so no text is meant by it. */
#define PP_LAKE_NULL "\\N"

/** A file that is being written. Begin with all zero. */
struct pp_lake_csv {
    enum pp_push_table table;
    struct archive *out; /**< owned */
    char *text;          /**< rows that are not written yet; owned */
    size_t len, cap;
};

static int lake_csv_end(struct pp_lake_csv *csv);

#define WRITE_BYTES ((size_t)1 << 18)

static int
put_cell(struct pp_lake_csv *csv, const char *text, size_t len)
{
    if (csv->len + len > csv->cap) {
        size_t cap = 2 * (csv->len + len) + WRITE_BYTES;
        char *larger = realloc(csv->text, cap);
        if (!larger)
            return -ENOMEM;
        csv->text = larger;
        csv->cap = cap;
    }
    if (len)
        memcpy(csv->text + csv->len, text, len);
    csv->len += len;
    return 0;
}

static int
put_text(struct pp_lake_csv *csv, const char *text)
{
    return put_cell(csv, text, strlen(text));
}

/* Put a text in quotes. */
static int
put_quoted(struct pp_lake_csv *csv, const char *text, size_t len)
{
    int rc = put_cell(csv, "\"", 1);
    while (rc == 0 && len) {
        const char *quote = memchr(text, '"', len);
        size_t part = quote ? (size_t)(quote - text) + 1 : len;
        rc = put_cell(csv, text, part);
        if (rc == 0 && quote)
            rc = put_cell(csv, "\"", 1);
        text += part;
        len -= part;
    }
    return rc ? rc : put_cell(csv, "\"", 1);
}

static int
put_number(struct pp_lake_csv *csv, const struct pp_export_value *value)
{
    char number[40];
    if (value->kind == PP_EXPORT_IS_REAL && value->text)
        return put_text(csv, value->text);
    if (value->kind == PP_EXPORT_IS_INTEGER)
        snprintf(number, sizeof(number), "%" PRId64, value->integer);
    else
        snprintf(number, sizeof(number), "%.17g", value->real);
    return put_text(csv, number);
}

static int
put_value(struct pp_lake_csv *csv, const struct pp_export_value *value)
{
    switch (value->kind) {
    case PP_EXPORT_IS_NULL:
        return put_text(csv, PP_LAKE_NULL);
    case PP_EXPORT_IS_TEXT:
    case PP_EXPORT_IS_JSON:
        return put_quoted(csv, value->text, value->len);
    case PP_EXPORT_IS_INTEGER:
    case PP_EXPORT_IS_REAL:
        break;
    }
    return put_number(csv, value);
}

/* Put a text of a list. Engines do not agree on quotes and backslashes in lists, and a list that an engine
 * cannot read would make the whole table unreadable: such bytes become '_'. */
static int
put_list_text(struct pp_lake_csv *csv, const char *text, size_t len)
{
    int rc = put_cell(csv, "'", 1);
    for (size_t i = 0; i < len && rc == 0; i++) {
        bool plain = text[i] != '\'' && text[i] != '"' && text[i] != '\\' && (unsigned char)text[i] >= ' ';
        rc = put_cell(csv, plain ? text + i : "_", 1);
    }
    return rc ? rc : put_cell(csv, "'", 1);
}

/* Put the names, or the values, of a row's pairs. */
static int
put_list(struct pp_lake_csv *csv, const struct pp_push_row *row, bool names)
{
    int rc = put_text(csv, "\"[");
    for (size_t i = 0; i < row->pairs && rc == 0; i++) {
        const struct pp_push_pair *pair = &row->pair[i];
        if (i)
            rc = put_cell(csv, ",", 1);
        if (rc == 0 && names)
            rc = put_list_text(csv, pair->name, strlen(pair->name));
        else if (rc == 0 && pair->value.kind == PP_EXPORT_IS_TEXT)
            rc = put_list_text(csv, pair->value.text, pair->value.len);
        else if (rc == 0)
            rc = put_number(csv, &pair->value);
    }
    return rc ? rc : put_text(csv, "]\"");
}

/* Compress what has gathered. */
static int
write_out(struct pp_lake_csv *csv)
{
    size_t len = csv->len;
    csv->len = 0;
    return len == 0 || archive_write_data(csv->out, csv->text, len) == (la_ssize_t)len ? 0 : -EIO;
}

static int
put_header(struct pp_lake_csv *csv)
{
    char name[128];
    const struct pp_push_model *model = pp_push_model_of(csv->table);
    const char *pairs = pp_push_pairs_name(csv->table);
    int rc = 0;
    for (size_t i = 0; i < model->columns && rc == 0; i++) {
        rc = i ? put_cell(csv, ",", 1) : 0;
        rc = rc ? rc : put_text(csv, model->column[i].name);
    }
    if (pairs) {
        snprintf(name, sizeof(name), ",%s.name,%s.value", pairs, pairs);
        rc = rc ? rc : put_text(csv, name);
    }
    return rc ? rc : put_cell(csv, "\n", 1);
}

/*
 * Begin a file with its header row: the columns of push_tables.h and, of a table with pairs, `NAME.name` and
 * `NAME.value`, which are lists, as ClickHouse writes them: ['a','b'].
 *
 * @param fd  Empty, open for writing; borrowed until lake_csv_end().
 * @param ret lake_csv_end() must be called, whatever is returned.
 * @retval 0, -ENOMEM, -EIO.
 */
static int
lake_csv_begin(int fd, enum pp_push_table table, struct pp_lake_csv *ret)
{
    *ret = (struct pp_lake_csv){.table = table, .out = archive_write_new()};
    struct archive_entry *entry = archive_entry_new();
    int rc = ret->out && entry ? 0 : -ENOMEM;
    if (rc == 0) {
        archive_entry_set_filetype(entry, AE_IFREG);
        archive_entry_set_pathname(entry, "rows"); /* a raw file has no names */
        bool good = archive_write_set_format_raw(ret->out) == ARCHIVE_OK &&
                    archive_write_add_filter_zstd(ret->out) == ARCHIVE_OK &&
                    archive_write_set_bytes_in_last_block(ret->out, 1) == ARCHIVE_OK &&
                    archive_write_open_fd(ret->out, fd) == ARCHIVE_OK &&
                    archive_write_header(ret->out, entry) == ARCHIVE_OK;
        rc = good ? put_header(ret) : -EIO;
    }
    archive_entry_free(entry);
    return rc;
}

/* Add a row. @retval 0, -ENOMEM, -EIO. */
static int
lake_csv_row(struct pp_lake_csv *csv, const struct pp_push_row *row)
{
    const struct pp_push_model *model = pp_push_model_of(csv->table);
    int rc = 0;
    for (size_t i = 0; i < model->columns && rc == 0; i++) {
        rc = i ? put_cell(csv, ",", 1) : 0;
        rc = rc ? rc : put_value(csv, &row->value[i]);
    }
    for (int names = 1; pp_push_pairs_name(csv->table) && names >= 0 && rc == 0; names--) {
        rc = put_cell(csv, ",", 1);
        rc = rc ? rc : put_list(csv, row, names);
    }
    rc = rc ? rc : put_cell(csv, "\n", 1);
    return rc ? rc : csv->len >= WRITE_BYTES ? write_out(csv) : 0;
}

/* Write what is missing, and free everything. The file is not synced. @retval 0, -EIO. */
static int
lake_csv_end(struct pp_lake_csv *csv)
{
    int rc = csv->out && csv->len ? write_out(csv) : 0;
    if (csv->out && archive_write_close(csv->out) != ARCHIVE_OK && rc == 0)
        rc = -EIO;
    archive_write_free(csv->out);
    free(csv->text);
    *csv = (struct pp_lake_csv){.out = NULL};
    return rc;
}

/** An engine that reads files. */
enum pp_lake_engine {
    PP_LAKE_DUCKDB,     /**< SQL: views over the files, by paths relative to the lake */
    PP_LAKE_CLICKHOUSE, /**< the same with file(); from version 24.8 on: docs/fleet.md */
    PP_LAKE_PANDAS,     /**< JSON: an object of each table, with the dtype of each column */
    PP_LAKE_ENGINES
};

/* How an engine's file is written. */
struct form {
    const char *file;
    const char *before_column, *before_type, *after_type;
    const char *names, *values; /* types of lists of texts, and of numbers */
};

static const struct form form_of[PP_LAKE_ENGINES] = {
    [PP_LAKE_DUCKDB] = {"duckdb.sql", "'", "': '", "'", "VARCHAR[]", "DOUBLE[]"},
    [PP_LAKE_CLICKHOUSE] = {"clickhouse.sql", "`", "` ", "", "Array(String)", "Array(Float64)"},
    [PP_LAKE_PANDAS] = {"pandas.json", "\"", "\": \"", "\"", "string", "string"},
};

/* The type of a column in an engine. Any may be NULL, or missing. */
static const char *
type_of(enum pp_lake_engine engine, const struct pp_push_column *column)
{
    static const char *const name[PP_PUSH_TYPES][2] = {
        [PP_PUSH_SESSION_ID] = {"VARCHAR", "string"}, [PP_PUSH_WORK_ID] = {"VARCHAR", "string"},
        [PP_PUSH_TEXT] = {"VARCHAR", "string"},       [PP_PUSH_DATE] = {"DATE", "string"},
        [PP_PUSH_FLAG] = {"UTINYINT", "UInt8"},       [PP_PUSH_COUNT] = {"UINTEGER", "UInt32"},
        [PP_PUSH_WHOLE] = {"UBIGINT", "UInt64"},      [PP_PUSH_REAL] = {"DOUBLE", "Float64"}};
    return engine == PP_LAKE_CLICKHOUSE ? pp_push_clickhouse_type(column)
                                        : name[column->type][engine == PP_LAKE_PANDAS];
}

/* A text that grows. */
struct sql {
    char *text; /* owned */
    size_t len, cap;
    bool failed; /* no memory */
};

static void
put(struct sql *sql, const char *part)
{
    size_t len = strlen(part);
    if (pp_grow_large_array(&sql->text, &sql->cap, sql->len + len + 1, 1)) {
        sql->failed = true;
        return;
    }
    memcpy(sql->text + sql->len, part, len + 1);
    sql->len += len;
}

/* @return The text, owned by the caller; NULL: no memory. */
static char *
finish(struct sql *sql)
{
    if (!sql->failed)
        return sql->text;
    free(sql->text);
    return NULL;
}

static void
put_column(struct sql *sql, enum pp_lake_engine engine, bool first, const char *name, const char *part,
           const char *type)
{
    const struct form *form = &form_of[engine];
    const char *const parts[] = {first ? "" : ",",  "\n    ", form->before_column, name, part,
                                 form->before_type, type,     form->after_type};
    for (size_t i = 0; i < PP_ARRAY_SIZE(parts); i++)
        put(sql, parts[i]);
}

/* Put the columns of a table, each with its type. */
static void
put_columns(struct sql *sql, enum pp_lake_engine engine, enum pp_push_table table)
{
    const struct pp_push_model *model = pp_push_model_of(table);
    const char *pairs = pp_push_pairs_name(table);
    for (size_t i = 0; i < model->columns; i++) {
        const struct pp_push_column *column = &model->column[i];
        put_column(sql, engine, i == 0, column->name, "", type_of(engine, column));
    }
    if (!pairs)
        return;
    const struct form *form = &form_of[engine];
    put_column(sql, engine, false, pairs, ".name", form->names);
    put_column(sql, engine, false, pairs, ".value",
               model->pairs == PP_PUSH_COUNTERS ? form->values : form->names);
}

/* Put what is in front of the columns. */
static void
put_begin(struct sql *sql, enum pp_lake_engine engine, const char *name)
{
    char text[1024];
    if (engine == PP_LAKE_DUCKDB)
        snprintf(text, sizeof(text),
                 "CREATE OR REPLACE VIEW %s AS SELECT * REPLACE (coalesce(build, '') AS build)\n"
                 "FROM read_csv('%s/*/*/*.csv.zst', auto_detect = false, header = true, delim = ',',\n"
                 "  quote = '\"', escape = '\"', nullstr = '" PP_LAKE_NULL "', allow_quoted_nulls = false,\n"
                 "  hive_partitioning = true, hive_types = {'day': DATE, 'build': VARCHAR}, columns = {",
                 name, name);
    else
        snprintf(text, sizeof(text),
                 "CREATE VIEW %s AS SELECT * FROM file('%s/*/*/*.csv.zst', 'CSVWithNames', '", name, name);
    put(sql, text);
}

/* Only rows of sessions that are in the table of sessions count: a session gets its row there last. */
static void
put_view(struct sql *sql, enum pp_lake_engine engine, enum pp_push_table table)
{
    put_begin(sql, engine, pp_push_model_of(table)->name);
    put_columns(sql, engine, table);
    put(sql, engine == PP_LAKE_DUCKDB ? "\n  })" : "')");
    if (table != PP_PUSH_SESSIONS)
        put(sql, "\nWHERE session_id IN\n  (SELECT session_id\n  FROM sessions)");
    if (engine == PP_LAKE_CLICKHOUSE)
        put(sql, "\nSETTINGS use_hive_partitioning = 0"); /* else `build` is the encoded one of the path */
    put(sql, ";\n\n");
}

/* Put the types of all tables as JSON. */
static void
put_json(struct sql *sql)
{
    for (unsigned i = 0; i < PP_PUSH_TABLES; i++) {
        put(sql, i ? "},\n  \"" : "{\n  \"");
        put(sql, pp_push_model_of((enum pp_push_table)i)->name);
        put(sql, "\": {");
        put_columns(sql, PP_LAKE_PANDAS, (enum pp_push_table)i);
    }
    put(sql, "}\n}\n");
}

/* Name of the file of an engine in a lake. @return Static. */
static const char *
lake_views_name(enum pp_lake_engine engine)
{
    return form_of[engine].file;
}

/* Write the file of an engine. @return Owned by the caller; NULL: no memory. */
static char *
lake_views_text(enum pp_lake_engine engine)
{
    struct sql sql = {.text = NULL};
    if (engine == PP_LAKE_PANDAS) {
        put_json(&sql);
        return finish(&sql);
    }
    put(&sql, engine == PP_LAKE_DUCKDB ? PP_TEXT_LAKE_DUCKDB : PP_TEXT_LAKE_CLICKHOUSE);
    put_view(&sql, engine, PP_PUSH_SESSIONS); /* the others refer to it */
    for (unsigned i = 0; i < PP_PUSH_SESSIONS; i++)
        put_view(&sql, engine, (enum pp_push_table)i);
    return finish(&sql);
}

/* A session on its way into a lake. */
struct filling {
    struct pp_lake_entry entry;
    struct pp_lake_csv csv[PP_PUSH_TABLES];
    int fd[PP_PUSH_TABLES]; /* -1: the table has no file yet */
};

static const char *
reason(int rc)
{
    switch (rc) {
    case -ENOTEMPTY:
        return PP_TEXT_LAKE_OTHER_FILES;
    case -ELOOP:
        return PP_TEXT_LAKE_LINK;
    case -EBADMSG:
        return PP_TEXT_LAKE_NOTE;
    case -ENOTDIR:
        return PP_TEXT_LAKE_NO_FOLDER;
    default:
        return strerror(-rc);
    }
}

/* Make the file of a table. */
static int
begin_file(struct filling *f, enum pp_push_table table)
{
    f->fd[table] = pp_lake_entry_file(&f->entry, pp_push_model_of(table)->name);
    return f->fd[table] < 0 ? f->fd[table] : lake_csv_begin(f->fd[table], table, &f->csv[table]);
}

static int
take_row(void *data, enum pp_push_table table, const struct pp_push_row *row)
{
    struct filling *f = data;
    int rc = f->fd[table] < 0 ? begin_file(f, table) : 0;
    return rc ? rc : lake_csv_row(&f->csv[table], row);
}

/* End all files. A table without rows has a file, too: engines want one at least. */
static int
end_files(struct filling *f, int rc, struct pp_push_result *result)
{
    for (unsigned i = 0; i < PP_PUSH_TABLES; i++) {
        struct stat st;
        if (rc == 0 && f->fd[i] < 0)
            rc = begin_file(f, (enum pp_push_table)i);
        if (f->fd[i] < 0)
            continue;
        int ended = lake_csv_end(&f->csv[i]);
        rc = rc ? rc : ended;
        if (fstat(f->fd[i], &st) == 0)
            result->sent_bytes += (uint64_t)st.st_size;
        close(f->fd[i]);
    }
    return rc;
}

/* Write the session's files, and publish them. */
static int
fill(struct filling *f, int dir_fd, const struct pp_push_facts *facts, bool draws, struct pp_push_result *ret)
{
    const struct pp_push_sink sink = {.row = take_row, .data = f};
    const char *table[PP_PUSH_TABLES];
    char content[PP_SHA256_DIGITS + 1] = "";
    const struct pp_lake_session session = {
        .id = facts->session_id, .content = content, .day = facts->day, .build = facts->build};
    for (unsigned i = 0; i < PP_PUSH_TABLES; i++) {
        f->fd[i] = -1;
        table[i] = pp_push_model_of((enum pp_push_table)i)->name;
    }
    int rc = pp_push_read_rows(dir_fd, facts, &sink, draws, ret, content);
    rc = end_files(f, rc, ret);
    return rc ? rc : pp_lake_entry_publish(&f->entry, &session, table, PP_PUSH_TABLES);
}

int
pp_lake_push(const struct pp_lake *lake, int dir_fd, const struct pp_push_facts *facts, bool draws,
             struct pp_push_result *ret)
{
    struct filling f = {.entry.fd = -1};
    *ret = (struct pp_push_result){.outcome = PP_PUSH_FAILED, .facts = *facts};
    int rc = pp_lake_entry_begin(lake, &f.entry);
    if (rc == 0) {
        rc = fill(&f, dir_fd, facts, draws, ret);
        pp_lake_entry_end(&f.entry);
    }
    if (rc >= 0) {
        ret->outcome = rc ? PP_PUSH_WAS_THERE : PP_PUSH_DONE;
        return 0;
    }
    if (rc == -EEXIST)
        pp_push_error_set(&ret->error, PP_PUSH_REFUSED, PP_FORMAT_PUSH_OTHER_CONTENT, facts->session_id);
    else if (rc != -EPROTO) /* then the error is set */
        pp_push_error_set(&ret->error, rc == -ENOENT ? PP_PUSH_REFUSED : PP_PUSH_GIVE_UP, "%s",
                          rc == -ENOENT ? PP_TEXT_PUSH_NO_FILES : reason(rc));
    return -EIO;
}

/* Write the file of an engine. */
static int
write_views(const struct pp_lake *lake, enum pp_lake_engine engine)
{
    char *text = lake_views_text(engine);
    int rc = text ? pp_lake_write(lake, lake_views_name(engine), text, strlen(text)) : -ENOMEM;
    free(text);
    return rc;
}

int
pp_lake_begin(const char *path, struct pp_lake *ret, const char **ret_why)
{
    struct pp_lake lake;
    int rc = pp_lake_open(path, &lake);
    bool opened = rc == 0;
    for (unsigned i = 0; i < PP_LAKE_ENGINES && rc == 0; i++)
        rc = write_views(&lake, (enum pp_lake_engine)i);
    if (rc && opened)
        pp_lake_close(&lake);
    if (rc)
        *ret_why = reason(rc);
    else
        *ret = lake;
    return rc;
}
