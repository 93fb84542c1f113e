/** @file
 * See draw_work.h. */
#include "cli/session/draw_work.h"

#include <math.h>

struct pp_draw_work_columns
pp_draw_work_find(const struct pp_cell *cell, size_t cells)
{
    static const char *const shader[PP_DRAW_SHADERS] = {
        "pipeline:vertex_shader_invocations", "pipeline:tessellation_evaluation_shader_invocations",
        "pipeline:geometry_shader_invocations", "pipeline:fragment_shader_invocations",
        "pipeline:compute_shader_invocations"};
    struct pp_draw_work_columns ret;
    pp_columns_find(cell, cells, shader, PP_DRAW_SHADERS, ret.at);
    return ret;
}

double
pp_draw_work_invocations(const struct pp_draw_work_columns *columns, const struct pp_cell *cell)
{
    double sum = (double)NAN, value = 0;
    for (size_t s = 0; s < PP_DRAW_SHADERS; s++)
        if (columns->at[s] != SIZE_MAX && pp_cell_number(&cell[columns->at[s]], &value))
            sum = isnan(sum) ? value : sum + value;
    return sum;
}

double
pp_draw_work_vertices(const struct pp_row_reader *reader, const struct pp_cell *cell, double *ret_instances)
{
    double vertices = pp_row_reader_number(reader, cell, COL_VERTICES);
    *ret_instances = isnan(vertices) ? (double)NAN : pp_row_reader_number(reader, cell, COL_INSTANCES);
    return vertices;
}
