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
    for (size_t s = 0; s < PP_DRAW_SHADERS; s++) {
        ret.at[s] = SIZE_MAX;
        for (size_t i = 0; i < cells; i++)
            if (pp_cell_is(&cell[i], shader[s]))
                ret.at[s] = i;
    }
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
    double vertices = (double)NAN, instances = (double)NAN;
    if (pp_cell_number(pp_row_reader_cell(reader, cell, COL_VERTICES), &vertices))
        (void)!pp_cell_number(pp_row_reader_cell(reader, cell, COL_INSTANCES), &instances);
    *ret_instances = instances;
    return vertices;
}
