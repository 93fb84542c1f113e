/** @file
 * A session as an SQLite database: tables with types, indexes and views. */
#include <errno.h>
#include <sqlite3.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/export/export_format.h"
#include "counters/util/array_size.h"
#include "pp_texts.h"

/* Version of the tables, in `PRAGMA user_version`. It rises when a query may have to change. */
#define DATABASE_VERSION 1
/* Tables that may be open at once. A session has ten. */
#define TABLES_MOST 32U

/* A table: how a row is added. */
struct table {
    sqlite3_stmt *insert;
    size_t columns;
};

struct sqlite_format {
    struct pp_export_format format; /* the first member */
    sqlite3 *db;
    struct table table[TABLES_MOST];
    size_t tables;
};

/* Indexes: for rows of one frame, of one pass, draw or label in all frames. */
static const struct {
    const char *table, *columns;
} indexes[] = {
    {"frames", "frame"},       {"first_frames", "frame"}, {"passes", "frame, pass"}, {"passes", "pass_id"},
    {"draws", "frame, pass"},  {"draws", "draw_id"},      {"labels", "frame"},       {"labels", "label"},
    {"app_counters", "frame"}, {"app_counters", "name"},  {"marks", "frame"},        {"stacks", "stack"},
};

/* Views: usual questions. A view whose columns a session does not have is left out. */
static const struct {
    const char *name, *query;
} views[] = {
    {"frames_without_first", "SELECT * FROM frames WHERE frame NOT IN (SELECT frame FROM first_frames)"},
    {"slowest_frames",
     "SELECT frame, frame_time_ns / 1e6 AS frame_ms, cpu_busy_ns / 1e6 AS cpu_busy_ms,"
     " gpu_busy_ns / 1e6 AS gpu_busy_ms, bound_by,"
     " (SELECT group_concat(label, '; ') FROM marks WHERE marks.frame = f.frame) AS marks"
     " FROM frames_without_first AS f WHERE frame_time_ns IS NOT NULL ORDER BY frame_time_ns DESC"},
    /* frame belongs to the row with the maximum: SQLite promises this for a query with one max() */
    {"pass_times", "SELECT pass_id, kind, label, name, count(*) AS count, sum(gpu_time_ns) / 1e6 AS total_ms,"
                   " avg(gpu_time_ns) / 1e6 AS mean_ms, max(gpu_time_ns) / 1e6 AS max_ms, frame AS max_frame"
                   " FROM passes WHERE frame NOT IN (SELECT frame FROM first_frames)"
                   " GROUP BY pass_id, kind, label, name ORDER BY sum(gpu_time_ns) DESC"},
};

/* Note what went wrong. @return -ENOMEM, or -EIO. */
static int
failed(struct sqlite_format *f, int rc)
{
    snprintf(f->format.why, sizeof(f->format.why), "%s", f->db ? sqlite3_errmsg(f->db) : sqlite3_errstr(rc));
    return rc == SQLITE_NOMEM ? -ENOMEM : -EIO;
}

static int
execute(struct sqlite_format *f, const char *sql)
{
    int rc = sqlite3_exec(f->db, sql, NULL, NULL, NULL);
    return rc == SQLITE_OK ? 0 : failed(f, rc);
}

/* Make "CREATE TABLE" or "INSERT" with a list of the columns. @return By sqlite3_free(); NULL: no memory. */
static char *
statement(sqlite3_str *sql, const struct pp_export_column *column, size_t columns, bool insert)
{
    static const char *const type[] = {[PP_EXPORT_ANY] = "",
                                       [PP_EXPORT_INTEGER] = " INTEGER",
                                       [PP_EXPORT_REAL] = " REAL",
                                       [PP_EXPORT_TEXT] = " TEXT"};
    for (size_t i = 0; i < columns; i++) {
        sqlite3_str_appendall(sql, i ? ", " : "(");
        if (insert)
            sqlite3_str_appendchar(sql, 1, '?');
        else
            sqlite3_str_appendf(sql, "\"%w\"%s", column[i].name, type[column[i].type]);
    }
    sqlite3_str_appendchar(sql, 1, ')');
    return sqlite3_str_finish(sql);
}

static int
begin_table(struct pp_export_format *format, const char *name, const struct pp_export_column *column,
            size_t columns, void **ret_table)
{
    struct sqlite_format *f = (struct sqlite_format *)format;
    struct table *table = &f->table[f->tables];
    int most = sqlite3_limit(f->db, SQLITE_LIMIT_COLUMN, -1);
    if (columns > (size_t)most || f->tables == TABLES_MOST) {
        snprintf(format->why, sizeof(format->why), PP_FORMAT_EXPORT_COLUMNS, name, columns, most);
        return -EFBIG;
    }
    sqlite3_str *create = sqlite3_str_new(f->db);
    sqlite3_str *insert = sqlite3_str_new(f->db);
    sqlite3_str_appendf(create, "CREATE TABLE \"%w\" ", name);
    sqlite3_str_appendf(insert, "INSERT INTO \"%w\" VALUES ", name);
    char *create_sql = statement(create, column, columns, false);
    char *insert_sql = statement(insert, column, columns, true);
    int rc = create_sql && insert_sql ? execute(f, create_sql) : failed(f, SQLITE_NOMEM);
    if (rc == 0) {
        int prepared =
            sqlite3_prepare_v3(f->db, insert_sql, -1, SQLITE_PREPARE_PERSISTENT, &table->insert, NULL);
        rc = prepared == SQLITE_OK ? 0 : failed(f, prepared);
    }
    sqlite3_free(create_sql);
    sqlite3_free(insert_sql);
    if (rc)
        return rc;
    table->columns = columns;
    f->tables++;
    *ret_table = table;
    return 0;
}

static int
bind(sqlite3_stmt *insert, int at, const struct pp_export_value *value)
{
    if (value->kind == PP_EXPORT_IS_INTEGER)
        return sqlite3_bind_int64(insert, at, value->integer);
    if (value->kind == PP_EXPORT_IS_REAL)
        return sqlite3_bind_double(insert, at, value->real);
    if (value->kind == PP_EXPORT_IS_NULL)
        return sqlite3_bind_null(insert, at);
    return sqlite3_bind_text64(insert, at, value->text, value->len, SQLITE_STATIC, SQLITE_UTF8);
}

static int
add_row(struct pp_export_format *format, void *in, const struct pp_export_value *value)
{
    struct sqlite_format *f = (struct sqlite_format *)format;
    const struct table *table = in;
    int rc = SQLITE_OK;
    for (size_t i = 0; i < table->columns && rc == SQLITE_OK; i++)
        rc = bind(table->insert, (int)i + 1, &value[i]);
    if (rc == SQLITE_OK)
        rc = sqlite3_step(table->insert);
    if (rc != SQLITE_DONE)
        return failed(f, rc);
    rc = sqlite3_reset(table->insert);
    return rc == SQLITE_OK ? 0 : failed(f, rc);
}

/* Does the database know all tables and columns of a query? */
static bool
is_possible(struct sqlite_format *f, const char *query)
{
    sqlite3_stmt *probe = NULL;
    bool ret = sqlite3_prepare_v2(f->db, query, -1, &probe, NULL) == SQLITE_OK;
    sqlite3_finalize(probe);
    return ret;
}

/* Make an index, if the table and its columns exist. */
static int
make_index(struct sqlite_format *f, const char *table, const char *columns)
{
    char sql[256];
    char name[64];
    snprintf(sql, sizeof(sql), "SELECT %s FROM %s", columns, table);
    if (!is_possible(f, sql))
        return 0;
    snprintf(name, sizeof(name), "%s_by_%.*s", table, (int)strcspn(columns, ","), columns);
    snprintf(sql, sizeof(sql), "CREATE INDEX %s ON %s (%s)", name, table, columns);
    return execute(f, sql);
}

static int
make_view(struct sqlite_format *f, const char *name, const char *query)
{
    if (!is_possible(f, query))
        return 0;
    char *sql = sqlite3_mprintf("CREATE VIEW %s AS %s", name, query);
    int rc = sql ? execute(f, sql) : failed(f, SQLITE_NOMEM);
    sqlite3_free(sql);
    return rc;
}

static void
finalize_inserts(struct sqlite_format *f)
{
    for (size_t i = 0; i < f->tables; i++)
        sqlite3_finalize(f->table[i].insert);
    f->tables = 0;
}

static int
end(struct pp_export_format *format)
{
    struct sqlite_format *f = (struct sqlite_format *)format;
    char version[48];
    int rc = 0;
    finalize_inserts(f);
    for (size_t i = 0; i < PP_ARRAY_SIZE(indexes) && rc == 0; i++)
        rc = make_index(f, indexes[i].table, indexes[i].columns);
    for (size_t i = 0; i < PP_ARRAY_SIZE(views) && rc == 0; i++)
        rc = make_view(f, views[i].name, views[i].query);
    snprintf(version, sizeof(version), "PRAGMA user_version = %d", DATABASE_VERSION);
    rc = rc ? rc : execute(f, version);
    rc = rc ? rc : execute(f, "COMMIT");
    if (rc)
        return rc;
    int closed = sqlite3_close(f->db);
    if (closed != SQLITE_OK)
        return failed(f, closed);
    f->db = NULL;
    return 0;
}

static void
destroy(struct pp_export_format *format)
{
    struct sqlite_format *f = (struct sqlite_format *)format;
    finalize_inserts(f);
    sqlite3_close(f->db);
    free(f);
}

static int
create(const char *path, FILE *out, struct pp_export_format **ret, char *why, size_t size)
{
    (void)out;
    static const struct pp_export_ops ops = {
        .table = begin_table, .row = add_row, .end = end, .destroy = destroy};
    /* A file that is not finished is deleted, so there is no journal; the caller syncs the finished one.
     * Indexes are sorted in the cache's memory, and beyond it in temporary files. */
    static const char *const begin = "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;"
                                     "PRAGMA locking_mode = EXCLUSIVE; PRAGMA cache_size = -32768;"
                                     "PRAGMA temp_store = FILE; BEGIN EXCLUSIVE";
    struct sqlite_format *f = calloc(1, sizeof(*f));
    /* "./" keeps a name from being one that SQLite treats in its own way, such as ":memory:" */
    char *file = sqlite3_mprintf("%s%s", *path == '/' ? "" : "./", path);
    int rc = f && file ? 0 : -ENOMEM;
    snprintf(why, size, "%s", strerror(ENOMEM));
    if (rc == 0) {
        f->format.ops = &ops;
        int opened = sqlite3_open_v2(file, &f->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL);
        rc = opened == SQLITE_OK ? execute(f, begin) : failed(f, opened);
        snprintf(why, size, "%s", f->format.why);
    }
    sqlite3_free(file);
    if (rc == 0)
        *ret = &f->format;
    else if (f)
        destroy(&f->format);
    return rc;
}

const struct pp_export_choice pp_export_as_sqlite = {
    .ending = "sqlite", .create = create, .opens_path = true};
