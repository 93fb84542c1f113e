/** @file
 * See window_end.h. */
#include "cli/launch/window_end.h"

#include <math.h>

/* After --duration, frames of the window may still wait for results of the GPU, or to be written. */
#define PATIENCE_NS 1e9

bool
pp_window_ends(const struct pp_config *config)
{
    return config->frames_last != UINT64_MAX || config->duration_ns;
}

/* When the window of --duration ends; INFINITY: never. */
static double
end_ns(const struct pp_window_end *end)
{
    const struct pp_config *config = end->config;
    return config->duration_ns ? end->first_ns + (double)config->delay_ns + (double)config->duration_ns
                               : INFINITY;
}

/* pp_csv_reader.header. */
static bool
on_header(void *data, const struct pp_cell *cell, size_t cells)
{
    struct pp_window_end *end = data;
    end->frame_at = end->start_at = SIZE_MAX;
    for (size_t i = 0; i < cells; i++) {
        if (pp_cell_is(&cell[i], "frame"))
            end->frame_at = i;
        else if (pp_cell_is(&cell[i], "cpu_start_ns"))
            end->start_at = i;
    }
    return true;
}

/* pp_csv_reader.row. */
static bool
on_row(void *data, const struct pp_cell *cell, size_t cells)
{
    struct pp_window_end *end = data;
    double frame = 0;
    double start_ns = 0;
    if (end->frame_at < cells && pp_cell_number(&cell[end->frame_at], &frame) &&
        frame > (double)end->config->frames_last)
        end->passed = true;
    if (end->start_at >= cells || !pp_cell_number(&cell[end->start_at], &start_ns))
        return true;
    if (!end->begun || start_ns < end->first_ns)
        end->first_ns = start_ns;
    end->begun = true;
    if (start_ns >= end_ns(end))
        end->passed = true;
    return true;
}

bool
pp_window_end_passed(struct pp_window_end *end, int dir_fd, uint64_t now_ns)
{
    const struct pp_csv_reader reader = {.header = on_header, .row = on_row, .data = end};
    if (pp_follow_read(&end->follow, dir_fd, "frames.csv", &reader))
        return end->passed;
    return end->passed || (end->begun && (double)now_ns >= end_ns(end) + PATIENCE_NS);
}

void
pp_window_end_finish(struct pp_window_end *end)
{
    pp_follow_finish(&end->follow);
    *end = (struct pp_window_end){.config = end->config};
}
