/** @file
 * Prints the columns of the command's tables (cli/analysis/table.h) as JSON, for tools/gen_columns.py. */
#include <jansson.h>
#include <stdio.h>

#include "cli/analysis/draw_table.h"
#include "cli/analysis/pass_table.h"
#include "cli/analysis/summary.h"
#include "cli/json/diff_json.h"
#include "counters/util/array_size.h"

static void
put_text(json_t *object, const char *name, const char *text)
{
    json_object_set_new(object, name, text ? json_string(text) : json_null());
}

static json_t *
column_json(const struct pp_table_column *column)
{
    static const char *const type[] = {
        [PP_TYPE_TEXT] = "text",     [PP_TYPE_NUMBER] = "number", [PP_TYPE_COUNT] = "count",
        [PP_TYPE_CHOICE] = "choice", [PP_TYPE_TRUTH] = "truth",   [PP_TYPE_SPREAD] = "spread",
        [PP_TYPE_OBJECT] = "object"};
    json_t *ret = json_object();
    put_text(ret, "id", column->id);
    put_text(ret, "csv", column->csv ? column->csv : column->id);
    put_text(ret, "unit", column->unit);
    put_text(ret, "doc", column->doc);
    put_text(ret, "schema", column->schema);
    put_text(ret, "values", column->values);
    put_text(ret, "type", type[column->type]);
    json_object_set_new(ret, "whole", json_boolean(column->whole));
    json_object_set_new(ret, "null", json_boolean(column->null));
    json_object_set_new(
        ret, "optional",
        json_boolean(column->since || column->only_if || (column->type == PP_TYPE_OBJECT && !column->whole)));
    json_object_set_new(ret, "in_json", json_boolean(column->in & PP_IN_JSON));
    json_object_set_new(ret, "in_csv", json_boolean(column->in & PP_IN_CSV));
    return ret;
}

int
main(void)
{
    static const struct pp_columns *const table[] = {&pp_time_columns, &pp_pass_columns,    &pp_label_columns,
                                                     &pp_draw_columns, &pp_counter_columns, &pp_diff_columns};
    json_t *all = json_array();
    for (size_t i = 0; i < PP_ARRAY_SIZE(table); i++) {
        json_t *of = json_object(), *columns = json_array();
        put_text(of, "name", table[i]->name);
        put_text(of, "row", table[i]->row);
        for (size_t k = 0; k < table[i]->len; k++)
            json_array_append_new(columns, column_json(&table[i]->column[k]));
        json_object_set_new(of, "columns", columns);
        json_array_append_new(all, of);
    }
    int rc = json_dumpf(all, stdout, JSON_INDENT(1));
    json_decref(all);
    return rc ? 1 : 0;
}
