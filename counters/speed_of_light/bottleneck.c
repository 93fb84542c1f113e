/** @file
 * Workloads, and the verdict; see bottleneck.h. */
#include "counters/speed_of_light/bottleneck.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "counters/util/array_size.h"

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
