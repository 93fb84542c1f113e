/** @file
 * See bottleneck.h. Workloads, and the verdict;
 *
 * Reading peak tables; */
#include "counters/speed_of_light/bottleneck.h"

#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "counters/util/array_size.h"
#include "counters/util/csv_cells.h"
#include "pp_texts.h"

/* Kinds of work. `unit` does the work, unless the column `runs_on` of the table names another unit.
 * `fallback` is the kind whose rate is used if the table has no rate for this one. A unit does its kinds one
 * after the other; of the `parallel` ones, only the slowest counts. Of equally busy units, the first in this
 * list is the bottleneck. */
static const struct part {
    const char *unit, *key, *fallback;
    bool parallel;
} parts[] = {
    {"FRONT_END", "fe_method", NULL, false},
    {"FRONT_END", "fe_draw", NULL, false},
    {"INDEX", "index_bytes", NULL, false},
    {"ATTRIBUTE", "vertex_attribute", NULL, false},
    {"VPC", "vpc_vertex", NULL, true},
    {"VPC", "vpc_prim", NULL, true},
    {"VPC", "vpc_scalar", NULL, true},
    {"SETUP", "setup_point", "setup_tri", false},
    {"SETUP", "setup_line", "setup_tri", false},
    {"SETUP", "setup_strip", "setup_tri", false},
    {"SETUP", "setup_tri", NULL, false},
    {"COARSE", "raster_coarse", NULL, false},
    {"ZCULL", "zcull_px", NULL, false},
    {"FINE", "raster_fine", NULL, false},
    {"PLANES", "attribute_plane", NULL, false},
    {"PRE_ROP", "prop_px", NULL, false},
    {"ROP", "rop_px", NULL, false},
    {"DEPTH_ROP", "zrop_comp", NULL, false},
    {"DEPTH_ROP", "zrop_expand_one", NULL, false},
    {"DEPTH_ROP", "zrop_expand_both", NULL, false},
    {"DEPTH_ROP", "zrop_stencil", NULL, false},
    {"DEPTH_ROP", "zrop_shader_z", NULL, false},
    {"TEX", "tex_bilerp", NULL, false},
    {"L1", "l1_bytes", NULL, false},
    {"L2_READ", "l2_read", NULL, false},
    {"L2_WRITE", "l2_write", NULL, false},
    {"DRAM", "dram", NULL, false},
    {"SM_FULL", "sm_full", NULL, false},
    {"SM_FULL", "sm_h2", NULL, false}, /* packed half: two results on one lane of single precision */
    {"SM_HALF", "sm_half", NULL, false},
    {"SM_XU", "sm_xu", NULL, false},
    {"SM_IPA", "sm_ipa", NULL, false},
    {"SM_SHM", "sm_shm", NULL, false},
    {"SM_BRANCH", "sm_branch", NULL, false},
    {"SM_TEX", "sm_tex", NULL, false},
    {"SM_MEM", "sm_mem", NULL, false},
    {"LAUNCH", "launch_task", NULL, false},
    {"LAUNCH", "launch_group", NULL, false},
    {"COPY", "copy_bytes", NULL, false},
    {"CLEAR", "clear_bytes", NULL, false},
};

#define PARTS PP_ARRAY_SIZE(parts)

/* The workload. */

static int
add(struct pp_workload *work, const char *key, double value, double maximum, bool estimate)
{
    size_t len = strlen(key);
    if (!len || len >= sizeof(work->amount[0].key) || value < 0 || isinf(value))
        return -EINVAL;
    for (size_t i = 0; i < work->amounts; i++) {
        struct pp_workload_amount *a = &work->amount[i];
        if (!strcmp(a->key, key)) {
            a->value += value;
            a->maximum += maximum;
            a->estimate |= estimate;
            return 0;
        }
    }
    if (work->amounts == PP_WORKLOAD_AMOUNTS)
        return -ENOSPC;
    struct pp_workload_amount *a = &work->amount[work->amounts++];
    *a = (struct pp_workload_amount){.value = value, .maximum = maximum, .estimate = estimate};
    memcpy(a->key, key, len + 1);
    return 0;
}

int
pp_workload_add(struct pp_workload *work, const char *key, double value, bool estimate)
{
    return add(work, key, value, 0, estimate);
}

int
pp_workload_add_of(struct pp_workload *work, const char *key, double value, double maximum)
{
    return maximum > 0 && isfinite(maximum) ? add(work, key, value, maximum, false) : -EINVAL;
}

int
pp_workload_collect(struct pp_workload *work, const struct pp_peak_table *table,
                    const struct pp_workload_lookup *lookup)
{
    for (size_t i = 0; i < table->rows; i++) {
        const struct pp_peak_row *row = &table->row[i];
        double value = NAN, maximum = 0;
        if (row->kind == PP_PEAK_INFO || lookup->find(lookup->self, row->quantity, &value, &maximum))
            continue;
        int err = row->kind == PP_PEAK_MAXIMUM ? pp_workload_add_of(work, row->id, value, maximum)
                                               : pp_workload_add(work, row->id, value, false);
        if (err)
            return err;
    }
    return 0;
}

/* Units. */

/** One call of pp_bottleneck_judge(). */
struct judge {
    const struct pp_peak_table *table;
    const struct pp_workload *work;
    double elapsed_clocks, gpu_hz;
    const struct pp_peak_variable *variable;
    size_t variables;
    struct pp_bottleneck *verdict;
    double slowest[PP_BOTTLENECK_UNITS]; /**< by unit: clocks of its slowest parallel kind */
    bool matched[PP_WORKLOAD_AMOUNTS];
};

/* Is `key` this id, or a class of it ("rop_px.fill_c32" of "rop_px")? */
static bool
is_class_of(const char *key, const char *id)
{
    size_t len = strlen(id);
    return !strncmp(key, id, len) && (!key[len] || key[len] == '.');
}

static const struct pp_peak_row *
find_row(const struct pp_peak_table *table, const char *id)
{
    for (size_t i = 0; i < table->rows; i++) {
        if (table->row[i].kind != PP_PEAK_INFO && !strcmp(table->row[i].id, id))
            return &table->row[i];
    }
    return NULL;
}

static struct pp_bottleneck_unit *
unit_of(struct judge *judge, const char *name)
{
    struct pp_bottleneck *v = judge->verdict;
    for (size_t i = 0; i < v->units; i++) {
        if (!strcmp(v->unit[i].name, name))
            return &v->unit[i];
    }
    if (v->units == PP_BOTTLENECK_UNITS)
        return NULL;
    struct pp_bottleneck_unit *unit = &v->unit[v->units++];
    *unit = (struct pp_bottleneck_unit){.seen = PP_BOTTLENECK_NO_INPUT};
    snprintf(unit->name, sizeof(unit->name), "%s", name);
    return unit;
}

/* Compute the clocks of one amount at a row's peak; NaN if the peak cannot be computed. */
static double
clocks_at(const struct judge *judge, const struct pp_peak_row *row, const struct pp_workload_amount *amount)
{
    double peak = row->peak;
    if (row->kind == PP_PEAK_MAXIMUM)
        return amount->maximum > 0 ? amount->value / amount->maximum * judge->elapsed_clocks : NAN;
    for (size_t f = 0; f < PP_PEAK_FACTORS && row->factor[f]; f++) {
        size_t i = 0;
        while (i < judge->variables && strcmp(judge->variable[i].name, row->factor[f]) != 0)
            i++;
        peak *= i < judge->variables ? judge->variable[i].value : NAN;
    }
    if (row->kind == PP_PEAK_PERCENT)
        peak /= judge->elapsed_clocks;
    else if (row->kind == PP_PEAK_PER_SECOND)
        peak /= judge->gpu_hz > 0 ? judge->gpu_hz : NAN;
    return peak > 0 ? amount->value / peak : NAN;
}

/* Add an amount to its unit. */
static void
charge(struct judge *judge, struct pp_bottleneck_unit *unit, const struct pp_peak_row *row,
       const struct pp_workload_amount *amount, bool parallel)
{
    double clocks = row ? clocks_at(judge, row, amount) : NAN;
    enum pp_bottleneck_seen seen = isnan(amount->value) ? PP_BOTTLENECK_UNKNOWN
                                   : isnan(clocks)      ? PP_BOTTLENECK_NO_PEAK
                                                        : PP_BOTTLENECK_SEEN;
    unit->estimate |= amount->estimate;
    if (unit->seen == PP_BOTTLENECK_NO_INPUT)
        unit->seen = PP_BOTTLENECK_SEEN;
    if (seen != PP_BOTTLENECK_SEEN)
        unit->seen = (uint8_t)(unit->seen > seen ? unit->seen : seen);
    else if (parallel)
        judge->slowest[unit - judge->verdict->unit] =
            fmax(judge->slowest[unit - judge->verdict->unit], clocks);
    else
        unit->clocks += clocks;
}

static const struct pp_peak_row *
row_for(const struct pp_peak_table *table, const char *key, const struct part *part)
{
    const struct pp_peak_row *row = find_row(table, key);
    if (!row)
        row = find_row(table, part->key);
    return row || !part->fallback ? row : find_row(table, part->fallback);
}

/* Write a unit's name: an id up to the first dot, in capitals. */
static void
unit_name(const char *id, char name[32])
{
    size_t n = 0;
    for (; n < 31 && id[n] && id[n] != '.'; n++)
        name[n] = (char)(id[n] >= 'a' && id[n] <= 'z' ? id[n] - 'a' + 'A' : id[n]);
    name[n] = '\0';
}

/* Find the unit that the row's table names for its kind, or else the unit called `otherwise`. NULL: there
 * are too many units. */
static struct pp_bottleneck_unit *
unit_for(struct judge *judge, const struct pp_peak_row *row, const char *otherwise)
{
    char name[32];
    unit_name(row && *row->runs_on ? row->runs_on : otherwise, name);
    return unit_of(judge, name);
}

/* Charge the amounts of one kind of the engine. */
static int
charge_part(struct judge *judge, const struct part *part)
{
    const struct pp_peak_row *own = find_row(judge->table, part->key);
    if (own && !unit_for(judge, own, part->unit))
        return -ENOSPC;
    for (size_t i = 0; i < judge->work->amounts; i++) {
        const struct pp_workload_amount *amount = &judge->work->amount[i];
        if (!is_class_of(amount->key, part->key))
            continue;
        const struct pp_peak_row *row = row_for(judge->table, amount->key, part);
        struct pp_bottleneck_unit *unit = unit_for(judge, row, part->unit);
        if (!unit)
            return -ENOSPC;
        judge->matched[i] = true;
        charge(judge, unit, row, amount, part->parallel && !strcmp(unit->name, part->unit));
    }
    return 0;
}

/* Charge the kinds that the engine knows by name. */
static int
charge_parts(struct judge *judge)
{
    for (size_t p = 0; p < PARTS; p++) {
        int err = charge_part(judge, &parts[p]);
        if (err)
            return err;
    }
    return 0;
}

/* Units that only the table knows: their amounts are named like the row or like its quantity. */
static int
charge_rows(struct judge *judge)
{
    for (size_t r = 0; r < judge->table->rows; r++) {
        const struct pp_peak_row *row = &judge->table->row[r];
        bool engine = row->kind == PP_PEAK_INFO;
        for (size_t p = 0; p < PARTS && !engine; p++)
            engine = is_class_of(row->id, parts[p].key);
        if (engine)
            continue;
        struct pp_bottleneck_unit *unit = unit_for(judge, row, row->id);
        if (!unit)
            return -ENOSPC;
        for (size_t i = 0; i < judge->work->amounts; i++) {
            const struct pp_workload_amount *amount = &judge->work->amount[i];
            if (strcmp(amount->key, row->id) != 0 && strcmp(amount->key, row->quantity) != 0)
                continue;
            judge->matched[i] = true;
            charge(judge, unit, row, amount, false);
        }
    }
    return 0;
}

int
pp_bottleneck_judge(const struct pp_peak_table *table, const struct pp_workload *work, double elapsed_clocks,
                    double gpu_hz, const struct pp_peak_variable *variable, size_t variables,
                    struct pp_bottleneck *ret)
{
    struct judge judge = {
        .table = table,
        .work = work,
        .elapsed_clocks = elapsed_clocks,
        .gpu_hz = gpu_hz,
        .variable = variable,
        .variables = variables,
        .verdict = ret,
    };
    if (!(elapsed_clocks > 0) || isinf(elapsed_clocks))
        return -EINVAL;
    *ret = (struct pp_bottleneck){0};
    int err = charge_parts(&judge);
    if (!err)
        err = charge_rows(&judge);
    if (err)
        return err;
    for (size_t i = 0; i < ret->units; i++)
        ret->unit[i].clocks += judge.slowest[i];
    for (size_t i = 0; i < work->amounts; i++)
        ret->unmatched += !judge.matched[i];
    return pp_bottleneck_decide(ret, elapsed_clocks);
}

/* The verdict. */

int
pp_bottleneck_decide(struct pp_bottleneck *verdict, double elapsed_clocks)
{
    double most = 0;
    if (!(elapsed_clocks > 0) || isinf(elapsed_clocks))
        return -EINVAL;
    verdict->bound = verdict->units;
    verdict->unseen = 0;
    for (size_t i = 0; i < verdict->units; i++) {
        struct pp_bottleneck_unit *unit = &verdict->unit[i];
        if (unit->seen != PP_BOTTLENECK_SEEN) {
            unit->clocks = unit->percent = NAN;
            verdict->unseen++;
            continue;
        }
        unit->percent = 100 * unit->clocks / elapsed_clocks;
        if (unit->clocks > most * (1 + 1e-9)) {
            most = unit->clocks;
            verdict->bound = i;
        }
    }
    verdict->class = PP_BOTTLENECK_NO_WORK;
    if (verdict->bound == verdict->units)
        return 0;
    double percent = verdict->unit[verdict->bound].percent;
    verdict->class = percent > 100   ? PP_BOTTLENECK_OVER_PEAK
                     : percent >= 80 ? PP_BOTTLENECK_SATURATED
                     : percent >= 60 ? PP_BOTTLENECK_MIXED
                                     : PP_BOTTLENECK_UNDER_USED;
    for (size_t i = 0; i < verdict->units; i++) {
        struct pp_bottleneck_unit *unit = &verdict->unit[i];
        unit->co_limit = percent >= 60 && i != verdict->bound && unit->clocks >= 0.95 * most;
    }
    return 0;
}

const char *pp_bottleneck_class_name(enum pp_bottleneck_class class)
{
    static const char *const name[] = {
        [PP_BOTTLENECK_NO_WORK] = "no-work",     [PP_BOTTLENECK_UNDER_USED] = "under-used",
        [PP_BOTTLENECK_MIXED] = "mixed",         [PP_BOTTLENECK_SATURATED] = "saturated",
        [PP_BOTTLENECK_OVER_PEAK] = "over-peak",
    };
    return (unsigned)class <= PP_BOTTLENECK_OVER_PEAK ? name[class] : "unknown";
}

#define MAX_BYTES   ((size_t)16 << 20)
#define MAX_COLUMNS 16

enum column { ID, QUANTITY, PEAK, UNIT, RUNS_ON, BASIS, CONFIDENCE, IGNORED, COLUMNS = IGNORED };

static const char *const column_names[COLUMNS] = {
    [ID] = "id",       [QUANTITY] = "quantity",     [PEAK] = "peak", [UNIT] = "unit", [RUNS_ON] = "runs_on",
    [BASIS] = "basis", [CONFIDENCE] = "confidence",
};

/** A table that is being read. */
struct reader {
    struct pp_csv_cells csv;
    locale_t c_locale;
    struct pp_peak_row *row;
    size_t rows, capacity;
    uint8_t column[MAX_COLUMNS]; /**< enum column, by place */
    size_t columns;
    struct pp_peak_error *error; /**< never NULL */
};

__attribute__((format(printf, 4, 5))) static void
fail(struct reader *reader, uint32_t line, uint32_t column, const char *format, ...)
{
    va_list args;
    reader->error->line = line;
    reader->error->column = column;
    va_start(args, format);
    vsnprintf(reader->error->message, sizeof(reader->error->message), format, args);
    va_end(args);
}

/* Read the cells of one row, up to MAX_COLUMNS. @retval -ENODATA There are no more rows. */
static int
read_row(struct reader *reader, struct pp_csv_cell *cell, size_t *ret_cells)
{
    size_t n = 0;
    do {
        struct pp_csv_cell next = {0};
        const char *why = NULL;
        int err = pp_csv_cells_next(&reader->csv, &next, &why);
        if (err == -EINVAL)
            return fail(reader, next.line, next.column, "%s", why), -EINVAL;
        if (err)
            return err;
        if (n == MAX_COLUMNS)
            return fail(reader, next.line, next.column, PP_FORMAT_PEAKS_COLUMNS, MAX_COLUMNS), -EINVAL;
        cell[n++] = next;
    } while (!reader->csv.row_done);
    *ret_cells = n;
    return 0;
}

static int
read_header(struct reader *reader)
{
    struct pp_csv_cell cell[MAX_COLUMNS];
    bool seen[COLUMNS] = {false};
    size_t n = 0;
    int err = read_row(reader, cell, &n);
    if (err)
        return err == -ENODATA ? fail(reader, 1, 1, PP_TEXT_PEAKS_EMPTY), -EINVAL : err;
    for (size_t i = 0; i < n; i++) {
        unsigned c = 0;
        while (c < COLUMNS && strcmp(column_names[c], cell[i].text) != 0)
            c++;
        if (c == COLUMNS && strcmp(cell[i].text, "note") != 0)
            return fail(reader, cell[i].line, cell[i].column, PP_FORMAT_PEAKS_COLUMN, cell[i].text), -EINVAL;
        if (c < COLUMNS && seen[c])
            return fail(reader, cell[i].line, cell[i].column, PP_FORMAT_PEAKS_COLUMN_TWICE, column_names[c]),
                   -EINVAL;
        if (c < COLUMNS)
            seen[c] = true;
        reader->column[i] = (uint8_t)c;
    }
    for (unsigned c = ID; c <= UNIT; c++) {
        if (!seen[c])
            return fail(reader, cell[0].line, 1, PP_FORMAT_PEAKS_COLUMN_MISSING, column_names[c]), -EINVAL;
    }
    reader->columns = n;
    return 0;
}

static const char *
skip_blanks(const char *p)
{
    while (*p == ' ' || *p == '\t')
        p++;
    return p;
}

/* Read one factor of a peak: a decimal number or a $Variable, whose name is terminated in place. */
static int
read_factor(struct reader *reader, const struct pp_csv_cell *cell, char **text, struct pp_peak_row *row)
{
    char *p = *text;
    uint32_t column = cell->column + (uint32_t)(p - cell->text);
    if (*p == '$') {
        size_t len = strspn(p + 1, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_");
        size_t free_slot = 0;
        while (free_slot < PP_PEAK_FACTORS && row->factor[free_slot])
            free_slot++;
        if (!len)
            return fail(reader, cell->line, column, PP_TEXT_PEAKS_VARIABLE), -EINVAL;
        if (free_slot == PP_PEAK_FACTORS)
            return fail(reader, cell->line, column, PP_FORMAT_PEAKS_VARIABLES, PP_PEAK_FACTORS), -EINVAL;
        /* The byte of the $ becomes the terminator's. */
        memmove(p, p + 1, len);
        p[len] = '\0';
        row->factor[free_slot] = p;
        *text = p + len + 1;
        return 0;
    }
    size_t len = strspn(p, "0123456789.eE+-");
    char *end = p;
    double value = len ? strtod_l(p, &end, reader->c_locale) : 0;
    if (end != p + len || !len || !isfinite(value))
        return fail(reader, cell->line, column, PP_FORMAT_PEAKS_FACTOR, p), -EINVAL;
    row->peak *= value;
    *text = end;
    return 0;
}

static int
read_peak(struct reader *reader, const struct pp_csv_cell *cell, struct pp_peak_row *row)
{
    char *p = cell->text + (skip_blanks(cell->text) - cell->text);
    if (!strcmp(p, "max")) {
        row->kind = PP_PEAK_MAXIMUM;
        return 0;
    }
    row->peak = 1;
    for (;;) {
        int err = read_factor(reader, cell, &p, row);
        if (err)
            return err;
        p += skip_blanks(p) - p;
        if (!*p)
            break;
        if (*p != '*')
            return fail(reader, cell->line, cell->column + (uint32_t)(p - cell->text), PP_TEXT_PEAKS_JOIN),
                   -EINVAL;
        p += skip_blanks(p + 1) - p;
    }
    if (!isfinite(row->peak))
        return fail(reader, cell->line, cell->column, PP_TEXT_PEAKS_RANGE), -EINVAL;
    return 0;
}

static bool
ends_with(const char *text, const char *end)
{
    size_t n = strlen(text), m = strlen(end);
    return n > m && !strcmp(text + (n - m), end);
}

static int
read_kind(struct reader *reader, const struct pp_csv_cell *unit, const struct pp_csv_cell *peak,
          struct pp_peak_row *row)
{
    if (row->kind == PP_PEAK_MAXIMUM)
        return 0;
    if (ends_with(unit->text, "/clk"))
        row->kind = PP_PEAK_PER_CLOCK;
    else if (ends_with(unit->text, "/s"))
        row->kind = PP_PEAK_PER_SECOND;
    else if (!strcmp(unit->text, "percent"))
        row->kind = PP_PEAK_PERCENT;
    if (row->kind != PP_PEAK_INFO && !(row->peak > 0))
        return fail(reader, peak->line, peak->column, PP_TEXT_PEAKS_POSITIVE), -EINVAL;
    return 0;
}

static int
check_id(struct reader *reader, const struct pp_csv_cell *cell)
{
    const char *id = cell->text;
    size_t good = strspn(id, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-");
    if (!*id)
        return fail(reader, cell->line, cell->column, PP_TEXT_PEAKS_ID_EMPTY), -EINVAL;
    if (id[good])
        return fail(reader, cell->line, cell->column + (uint32_t)good, PP_TEXT_PEAKS_ID), -EINVAL;
    if (*id == '.' || good > 31)
        return fail(reader, cell->line, cell->column,
                    *id == '.' ? PP_TEXT_PEAKS_ID_DOT : PP_TEXT_PEAKS_ID_LONG),
               -EINVAL;
    for (size_t i = 0; i < reader->rows; i++) {
        if (!strcmp(reader->row[i].id, id))
            return fail(reader, cell->line, cell->column, PP_FORMAT_PEAKS_ID_TWICE,
                        (unsigned)reader->row[i].line, id),
                   -EINVAL;
    }
    return 0;
}

/* Check the name of a unit; an empty one is fine. */
static int
check_unit_name(struct reader *reader, const struct pp_csv_cell *cell)
{
    size_t good = strspn(cell->text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-");
    if (cell->text[good])
        return fail(reader, cell->line, cell->column + (uint32_t)good, PP_TEXT_PEAKS_UNIT), -EINVAL;
    if (good > 31)
        return fail(reader, cell->line, cell->column, PP_TEXT_PEAKS_UNIT_LONG), -EINVAL;
    return 0;
}

static int
parse_row(struct reader *reader, struct pp_csv_cell *cell, size_t cells, struct pp_peak_row *row)
{
    const struct pp_csv_cell *by[COLUMNS + 1] = {NULL};
    if (cells != reader->columns)
        return fail(reader, cell[0].line, cell[cells - 1].column, PP_FORMAT_PEAKS_CELLS, cells,
                    reader->columns),
               -EINVAL;
    for (size_t i = 0; i < cells; i++)
        by[reader->column[i]] = &cell[i];
    if (!by[ID] || !by[QUANTITY] || !by[PEAK] || !by[UNIT])
        return -EINVAL; /* read_header() has checked that */
    int err = check_id(reader, by[ID]);
    *row = (struct pp_peak_row){
        .id = by[ID]->text,
        .quantity = by[QUANTITY]->text,
        .unit = by[UNIT]->text,
        .runs_on = by[RUNS_ON] ? by[RUNS_ON]->text : "",
        .basis = by[BASIS] ? by[BASIS]->text : "",
        .confidence = by[CONFIDENCE] ? by[CONFIDENCE]->text : "",
        .line = by[ID]->line,
    };
    if (!err && by[RUNS_ON])
        err = check_unit_name(reader, by[RUNS_ON]);
    if (!err)
        err = read_peak(reader, by[PEAK], row);
    return err ? err : read_kind(reader, by[UNIT], by[PEAK], row);
}

static int
read_rows(struct reader *reader)
{
    struct pp_csv_cell cell[MAX_COLUMNS];
    struct pp_peak_row row;
    size_t n = 0;
    int err;
    while (!(err = read_row(reader, cell, &n))) {
        err = parse_row(reader, cell, n, &row);
        if (err)
            return err;
        /* The search for duplicates is quadratic: limit the number of rows. */
        if (reader->rows == reader->capacity)
            return fail(reader, row.line, 1, PP_FORMAT_PEAKS_ROWS, reader->capacity), -EINVAL;
        reader->row[reader->rows++] = row;
    }
    return err == -ENODATA ? 0 : err;
}

/* The largest number of rows in a text of this size, at most 4096: a row has at least six bytes. */
static size_t
capacity_for(size_t size)
{
    size_t capacity = size / 6 + 1;
    return capacity < 4096 ? capacity : 4096;
}

int
pp_peak_table_parse(const char *text, size_t size, struct pp_peak_table *ret, struct pp_peak_error *error)
{
    struct pp_peak_error unused;
    struct reader reader = {.error = error ? error : &unused};
    if (size > MAX_BYTES) {
        fail(&reader, 1, 1, PP_TEXT_PEAKS_LARGE);
        return -E2BIG;
    }
    reader.capacity = capacity_for(size);
    size_t rows_bytes = reader.capacity * sizeof(*reader.row);
    reader.row = malloc(rows_bytes + size + 1);
    if (!reader.row)
        return -ENOMEM;
    reader.c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (!reader.c_locale) {
        free(reader.row);
        return -ENOMEM;
    }
    char *bytes = (char *)reader.row + rows_bytes;
    if (size)
        memcpy(bytes, text, size);
    pp_csv_cells_init(&reader.csv, bytes, size);
    int err = read_header(&reader);
    if (!err)
        err = read_rows(&reader);
    freelocale(reader.c_locale);
    if (err) {
        free(reader.row);
        return err;
    }
    *ret = (struct pp_peak_table){.row = reader.row, .rows = reader.rows, .memory = reader.row};
    return 0;
}

void
pp_peak_table_destroy(struct pp_peak_table *table)
{
    free(table->memory);
    *table = (struct pp_peak_table){0};
}

const struct pp_peak_builtin *
pp_peak_builtin_find(const char *name)
{
    const struct pp_peak_builtin *builtin;
    for (size_t i = 0; (builtin = pp_peak_builtin(i)); i++) {
        if (!strcmp(builtin->name, name))
            return builtin;
    }
    return NULL;
}
