/** @file
 * `passprobe export --as counts`: how many rows each table has. An example of a format. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/export/export_format.h"

struct table {
    struct table *next;
    char name[64];
    uint64_t rows;
};

struct counts_format {
    struct pp_export_format format; /* the first member */
    FILE *out;
    struct table *tables; /* the newest first; owned */
};

static int
begin_table(struct pp_export_format *format, const char *name, const struct pp_export_column *column,
            size_t columns, void **ret_table)
{
    struct counts_format *f = (struct counts_format *)format;
    struct table *table = calloc(1, sizeof(*table));
    (void)column;
    (void)columns;
    if (!table)
        return -ENOMEM;
    snprintf(table->name, sizeof(table->name), "%s", name);
    table->next = f->tables;
    f->tables = table;
    *ret_table = table;
    return 0;
}

static int
add_row(struct pp_export_format *format, void *table, const struct pp_export_value *value)
{
    (void)format;
    (void)value;
    ((struct table *)table)->rows++;
    return 0;
}

static int
end(struct pp_export_format *format)
{
    struct counts_format *f = (struct counts_format *)format;
    for (const struct table *table = f->tables; table; table = table->next)
        fprintf(f->out, "%s %" PRIu64 "\n", table->name, table->rows);
    return fflush(f->out) ? -EIO : 0;
}

static void
destroy(struct pp_export_format *format)
{
    struct counts_format *f = (struct counts_format *)format;
    while (f->tables) {
        struct table *table = f->tables;
        f->tables = table->next;
        free(table);
    }
    free(f);
}

static int
create(const char *path, FILE *out, struct pp_export_format **ret, char *why, size_t size)
{
    static const struct pp_export_ops ops = {
        .table = begin_table, .row = add_row, .end = end, .destroy = destroy};
    struct counts_format *f = calloc(1, sizeof(*f));
    (void)path;
    snprintf(why, size, "%s", strerror(ENOMEM));
    if (!f)
        return -ENOMEM;
    f->format.ops = &ops;
    f->out = out;
    *ret = &f->format;
    return 0;
}

const struct pp_export_choice pp_export_as_counts = {.ending = "txt", .create = create};
