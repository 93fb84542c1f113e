/** @file
 * See annotation_json.h. */
#include "cli/json/annotation_json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/analysis/annotation.h"
#include "cli/json/json_values.h"

static const char *const by_name[] = {"function", "line", "file", "module"};
static const char *const measure_name[] = {[PP_DRAWS_BY_INVOCATIONS] = "invocations",
                                           [PP_DRAWS_BY_VERTICES] = "vertices",
                                           [PP_DRAWS_BY_COUNT] = "draws"};

/* A GPU time, or null where it is not known. */
static void
put_cost(json_t *object, const char *name, const struct pp_annotation *a, double ns)
{
    pp_json_put_number(object, name, a->costs->measure == PP_DRAWS_BY_TIME ? ns : (double)NAN);
}

/* Work by the measure that replaces GPU times, if one does. */
static void
put_work(json_t *object, const char *name, const struct pp_annotation *a, double work)
{
    if (a->costs->measure != PP_DRAWS_BY_TIME)
        pp_json_put_number(object, name, work);
}

/* Callers of a row, or what it calls. */
static json_t *
neighbours_json(const struct pp_annotation *a, size_t row, bool callers)
{
    struct pp_annotated_neighbour *all = calloc(a->len + 1, sizeof(*all));
    json_t *ret = json_array();
    size_t len = 0;
    if (!all || pp_annotation_neighbours(a, row, callers, all, a->len + 1, &len)) {
        free(all);
        json_decref(ret);
        return NULL;
    }
    for (size_t i = 0; i < len; i++) {
        json_t *one = json_object();
        (void)!json_object_set_new(
            one, "name", all[i].row == PP_NO_ROW ? json_null() : pp_json_text(a->row[all[i].row].name));
        put_cost(one, "gpu_time_ns", a, all[i].ns);
        put_work(one, "work", a, all[i].ns);
        (void)!json_array_append_new(ret, one);
    }
    free(all);
    return ret;
}

/* A text, or null where it is not known. */
static void
put_known(json_t *object, const char *name, const char *value)
{
    (void)!json_object_set_new(object, name, *value ? pp_json_text(value) : json_null());
}

/* A number of actions, or null where actions were not recorded. */
static void
put_actions(json_t *object, const char *name, const struct pp_annotation *a, uint64_t actions)
{
    (void)!json_object_set_new(object, name,
                               a->costs->no_actions ? json_null() : json_integer((json_int_t)actions));
}

static json_t *
row_json(const struct pp_annotation *a, size_t i, const char *counter)
{
    const struct pp_annotated *row = &a->row[i];
    json_t *ret = json_object();
    pp_json_put_text(ret, "name", row->name);
    put_known(ret, "function", row->function);
    put_known(ret, "file", row->file);
    (void)!json_object_set_new(ret, "line", row->line ? json_integer(row->line) : json_null());
    put_known(ret, "module", row->module);
    (void)!json_object_set_new(ret, "inlined", json_boolean(row->inlined));
    put_cost(ret, "self_ns", a, pp_annotated_has_self(row) ? row->self_ns : (double)NAN);
    put_cost(ret, "total_ns", a, row->total_timed ? row->total_ns : (double)NAN);
    put_work(ret, "self_work", a, row->self_ns);
    put_work(ret, "total_work", a, row->total_ns);
    put_actions(ret, "self_actions", a, row->self_actions);
    put_actions(ret, "total_actions", a, row->total_actions);
    if (counter)
        pp_json_put_number(ret, "value", pp_annotated_value(a, row));
    (void)!json_object_set_new(ret, "callers", neighbours_json(a, i, true));
    (void)!json_object_set_new(ret, "callees", neighbours_json(a, i, false));
    return ret;
}

/* Has a stack an address of this module? */
static bool
has_address(const struct pp_call_stacks *stacks, size_t module)
{
    for (size_t i = 0; i < stacks->addresses; i++)
        if (stacks->address[i].module == module)
            return true;
    return false;
}

static json_t *
modules_json(const struct pp_annotation *a)
{
    static const char *const state[] = {[PP_MODULE_UNREAD] = "recorded",    [PP_MODULE_LINES] = "lines",
                                        [PP_MODULE_NO_LINES] = "functions", [PP_MODULE_STRIPPED] = "stripped",
                                        [PP_MODULE_NO_FILE] = "no_file",    [PP_MODULE_OTHER] = "other_build",
                                        [PP_MODULE_NO_ID] = "no_build_id",  [PP_MODULE_BROKEN] = "unreadable",
                                        [PP_MODULE_SLOW] = "too_slow"};
    json_t *ret = json_array();
    for (size_t i = 0; i < a->stacks->modules; i++) {
        const struct pp_saved_module *module = &a->stacks->module[i];
        if (!has_address(a->stacks, i))
            continue;
        json_t *one = json_object();
        pp_json_put_text(one, "path", module->path);
        put_known(one, "build_id", module->build_id);
        pp_json_put_text(one, "symbols", state[module->state]);
        (void)!json_array_append_new(ret, one);
    }
    return ret;
}

json_t *
pp_annotation_json_make(const struct pp_annotation *a, const char *dir, const char *counter,
                        bool (*takes)(void *data, const struct pp_annotated *row), void *data)
{
    json_t *ret = json_object(), *rows = json_array();
    pp_json_put_text(ret, "format", "passprobe-annotate");
    pp_json_put_number(ret, "schema", PP_ANNOTATION_JSON_SCHEMA);
    pp_json_put_text(ret, "session", dir);
    pp_json_put_text(ret, "by", by_name[a->by]);
    if (counter)
        pp_json_put_text(ret, "counter", counter);
    (void)!json_object_set_new(ret, "frames", json_integer((json_int_t)a->costs->frames));
    bool by_time = a->costs->measure == PP_DRAWS_BY_TIME;
    if (!by_time)
        pp_json_put_text(ret, "measure", measure_name[a->costs->measure]);
    put_work(ret, "work", a, a->costs->total_ns);
    pp_json_put_number(ret, "gpu_time_ns", a->costs->gpu_ns);
    pp_json_put_number(ret, "gpu_time_with_stack_ns", by_time ? a->costs->stacked_ns : 0);
    if (a->costs->undivided_ns > 0)
        pp_json_put_number(ret, "gpu_time_undivided_ns", a->costs->undivided_ns);
    for (size_t i = 0; i < a->len; i++)
        if (a->row[i].heaviest != PP_NO_STACK && (!takes || takes(data, &a->row[i])))
            (void)!json_array_append_new(rows, row_json(a, i, counter));
    (void)!json_object_set_new(ret, "rows", rows);
    (void)!json_object_set_new(ret, "modules", modules_json(a));
    return ret;
}
