/** @file
 * vectors_speed_of_light [DIR]: actions and their verdicts by a table that is compiled in. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "counters/speed_of_light/bottleneck.h"
#include "tests/unit/counters/vector_programs/vectors.h"
#include "tests/unit/counters/workload_parts.h"

#define TOLERANCE 1e-12

static double
number(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    return json_is_number(value) ? json_number_value(value) : NAN;
}

/* Absent: 0. */
static double
number_or(const json_t *object, const char *key, double otherwise)
{
    double value = number(object, key);
    return isnan(value) ? otherwise : value;
}

static const char *
text(const json_t *object, const char *key)
{
    const char *value = json_string_value(json_object_get(object, key));
    return value ? value : "";
}

static void
add(struct vec *vec, struct pp_workload *work, const char *key, double value)
{
    int err = pp_workload_add(work, key, value, false);
    vec_true(vec, !err, "work %s cannot be added: %d", key, err);
}

/** Amounts of the vectors that need no conversion: section and key of the vector, key of the engine. */
static const struct {
    const char *section, *from, *to;
} plain[] = {
    {NULL, "methods", "fe_method"},
    {NULL, "draws", "fe_draw"},
    {NULL, "index_bytes", "index_bytes"},
    {"setup", "points", "setup_point"},
    {"setup", "lines", "setup_line"},
    {"setup", "strip_first", "setup_strip"},
    {"setup", "strip_next", "setup_strip"},
    {"setup", "tris", "setup_tri"},
    {"raster", "coarse_tiles", "raster_coarse"},
    {"raster", "zcull_pixels", "zcull_px"},
    {"raster", "sample_tiles", "raster_fine"},
    {"z", "comp", "zrop_comp"},
    {"l1", "bytes", "l1_bytes"},
    {"l2", "read_bytes", "l2_read"},
    {"l2", "write_bytes", "l2_write"},
    {"dram", "bytes", "dram"},
    {"compute", "tasks", "launch_task"},
    {"compute", "ctas", "launch_group"},
};

static void
add_plain(struct vec *vec, struct pp_workload *work, const json_t *input)
{
    for (size_t i = 0; i < sizeof(plain) / sizeof(plain[0]); i++) {
        const json_t *section = plain[i].section ? json_object_get(input, plain[i].section) : input;
        if (json_object_get(section, plain[i].from))
            add(vec, work, plain[i].to, number(section, plain[i].from));
    }
}

static void
add_lists(struct vec *vec, struct pp_workload *work, const json_t *input)
{
    json_t *item;
    size_t i;
    char key[40];
    json_array_foreach(json_object_get(input, "targets"), i, item)
    {
        snprintf(key, sizeof(key), "rop_px.%.30s", text(item, "crop"));
        add(vec, work, *text(item, "crop") ? key : "rop_px", number(item, "pixels"));
    }
    json_array_foreach(json_object_get(input, "tex"), i, item)
    {
        double anisotropy = number_or(item, "aniso", number_or(item, "anisotropy", 1));
        int err = workload_add_texture(work, number(item, "threads"), anisotropy, text(item, "format"),
                                       text(item, "filter"));
        vec_true(vec, !err, "texture %zu cannot be added: %d", i, err);
    }
}

static void
add_input(struct vec *vec, struct pp_workload *work, const json_t *input)
{
    const json_t *vertex = json_object_get(input, "vertex"), *planes = json_object_get(input, "stri");
    const char *name;
    json_t *value;
    char key[40];
    add_plain(vec, work, input);
    add_lists(vec, work, input);
    json_object_foreach(json_object_get(input, "sm"), name, value)
    {
        snprintf(key, sizeof(key), "sm_%.30s", name);
        add(vec, work, key, json_number_value(value));
    }
    if (vertex) {
        int err = workload_add_vertices(work, number(vertex, "verts"), number(vertex, "vec_attrs"),
                                        number(vertex, "prims"), number(vertex, "out_scalars"));
        vec_true(vec, !err, "vertices cannot be added: %d", err);
    }
    if (planes)
        add(vec, work, "attribute_plane", number(planes, "prims") * number(planes, "planes"));
}

/* The clock that makes the table's bytes a second the vector's bytes a clock. */
static double
clock_of(const struct pp_peak_table *table, const json_t *input)
{
    double bytes_per_clock = number(json_object_get(input, "dram"), "bytes_per_clk");
    for (size_t i = 0; i < table->rows; i++) {
        if (!strcmp(table->row[i].id, "dram") && bytes_per_clock > 0)
            return table->row[i].peak / bytes_per_clock;
    }
    return number_or(input, "gpu_hz", 0);
}

static const struct pp_bottleneck_unit *
find_unit(const struct pp_bottleneck *verdict, const char *name)
{
    for (size_t i = 0; i < verdict->units; i++) {
        if (!strcmp(verdict->unit[i].name, name))
            return &verdict->unit[i];
    }
    return NULL;
}

/* Every unit has the expected figure, and no other unit has a load. */
static void
check_units(struct vec *vec, const struct pp_bottleneck *verdict, json_t *clocks, json_t *percents)
{
    const char *name;
    json_t *want;
    json_object_foreach(clocks, name, want)
    {
        const struct pp_bottleneck_unit *unit = find_unit(verdict, name);
        vec_close(vec, name, unit ? unit->clocks : NAN, json_number_value(want), TOLERANCE);
    }
    json_object_foreach(percents, name, want)
    {
        const struct pp_bottleneck_unit *unit = find_unit(verdict, name);
        vec_close(vec, name, unit ? unit->percent : NAN, json_number_value(want), TOLERANCE);
    }
    for (size_t i = 0; i < verdict->units; i++) {
        const struct pp_bottleneck_unit *unit = &verdict->unit[i];
        if (unit->seen == PP_BOTTLENECK_SEEN && unit->clocks > 0)
            vec_true(vec, json_object_get(clocks, unit->name) != NULL, "unit %s is not expected", unit->name);
    }
}

static void
check_verdict(struct vec *vec, const struct pp_bottleneck *verdict, const json_t *want)
{
    const char *bound = verdict->bound < verdict->units ? verdict->unit[verdict->bound].name : "";
    double percent = verdict->bound < verdict->units ? verdict->unit[verdict->bound].percent : 0;
    json_t *item;
    size_t i, co_limits = 0;
    vec_true(vec, !strcmp(bound, text(want, "bound")), "bound is '%s', should be '%s'", bound,
             text(want, "bound"));
    vec_close(vec, "bound_pct", percent, number_or(want, "bound_pct", 0), TOLERANCE);
    vec_true(vec, !strcmp(pp_bottleneck_class_name(verdict->class), text(want, "class")),
             "class is '%s', should be '%s'", pp_bottleneck_class_name(verdict->class), text(want, "class"));
    for (i = 0; i < verdict->units; i++)
        co_limits += verdict->unit[i].co_limit;
    vec_close(vec, "co_limited_with", (double)co_limits,
              (double)json_array_size(json_object_get(want, "co_limited_with")), 0);
    json_array_foreach(json_object_get(want, "co_limited_with"), i, item)
    {
        const struct pp_bottleneck_unit *unit = find_unit(verdict, json_string_value(item));
        vec_true(vec, unit && unit->co_limit, "%s should be a co-limit", json_string_value(item));
    }
}

/* "gm20b-public": the public table of the GM20B. */
static const struct pp_peak_builtin *
table_called(const char *name)
{
    char stem[40];
    const char *dash = strrchr(name, '-');
    snprintf(stem, sizeof(stem), "%.*s", (int)(dash && !strcmp(dash, "-public") ? dash - name : 39), name);
    return pp_peak_builtin_find(stem);
}

static void
check_table(struct vec *vec, const json_t *input, const char *name, const json_t *want)
{
    const struct pp_peak_builtin *builtin = table_called(name);
    struct pp_workload work = {.amounts = 0};
    struct pp_bottleneck verdict;
    struct pp_peak_table table;
    struct pp_peak_error error = {.message = ""};
    vec_true(vec, builtin != NULL, "there is no table '%s'", name);
    if (!builtin)
        return;
    int err = pp_peak_table_parse(builtin->text, builtin->size, &table, &error);
    vec_true(vec, !err, "%s: line %u column %u: %s", name, error.line, error.column, error.message);
    if (err)
        return;
    add_input(vec, &work, input);
    err = pp_bottleneck_judge(&table, &work, number(input, "elapsed_clocks"), clock_of(&table, input), NULL,
                              0, &verdict);
    if (json_object_get(want, "clocks")) {
        vec_close(vec, "judging", err, 0, 0);
        if (!err) {
            check_units(vec, &verdict, json_object_get(want, "clocks"), json_object_get(want, "sol_pct"));
            check_verdict(vec, &verdict, want);
        }
    } else {
        vec_true(vec, err != 0, "there should be no verdict");
    }
    pp_peak_table_destroy(&table);
}

static void
check(struct vec *vec, json_t *root)
{
    const char *name;
    json_t *want;
    json_object_foreach(json_object_get(root, "expected"), name, want)
    {
        check_table(vec, json_object_get(root, "input"), name, want);
    }
}

int
main(int argc, char **argv)
{
    return vec_main(argc, argv, PP_VECTORS "/speed-of-light", check);
}
