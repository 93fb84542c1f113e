/** @file
 * See window_end.h. */
#include "cli/launch/window_end.h"

#include <math.h>

#include "cli/session/session_json.h"

/* After --duration, frames of the window may still wait for results of the GPU, or to be written. */
#define PATIENCE_NS 1e9

bool
pp_window_ends(const struct pp_config *config)
{
    return config->frames_last != UINT64_MAX || config->duration_ns || *config->between;
}

/* When the window of --duration or --between ends; INFINITY: never, or it is not known yet. */
static double
end_ns(const struct pp_window_end *end)
{
    const struct pp_config *config = end->config;
    double duration = config->duration_ns
                          ? end->first_ns + (double)config->delay_ns + (double)config->duration_ns
                          : INFINITY;
    return end->known_ns > 0 ? fmin(duration, end->known_ns) : duration;
}

/* With --between, look in session.json for the end of the window. */
static void
read_mark(struct pp_window_end *end, int dir_fd)
{
    char error[256];
    bool missing = false;
    if (!*end->config->between)
        return;
    json_t *json = pp_saved_load_json(dir_fd, error, sizeof(error), &missing);
    const json_t *to = json_object_get(json_object_get(json, "window"), "to_ns");
    if (json_is_number(to))
        end->known_ns = json_number_value(to);
    json_decref(json);
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
    end->newest_ns = fmax(end->newest_ns, start_ns);
    return true;
}

bool
pp_window_end_passed(struct pp_window_end *end, int dir_fd, uint64_t now_ns)
{
    const struct pp_csv_reader reader = {.header = on_header, .row = on_row, .data = end};
    read_mark(end, dir_fd);
    if (pp_follow_read(&end->follow, dir_fd, "frames.csv", &reader))
        return end->passed;
    if (end->begun && end->newest_ns >= end_ns(end))
        end->passed = true;
    return end->passed || (end->begun && (double)now_ns >= end_ns(end) + PATIENCE_NS);
}

void
pp_window_end_finish(struct pp_window_end *end)
{
    pp_follow_finish(&end->follow);
    *end = (struct pp_window_end){.config = end->config};
}
