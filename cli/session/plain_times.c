/** @file
 * See plain_times.h. */
#include "cli/session/plain_times.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/session/saved_session.h"

#define SERIES 6U

static struct pp_series *
series_of(struct pp_saved_times *times, size_t i)
{
    struct pp_series *const series[SERIES] = {&times->frame_time, &times->cpu_busy, &times->cpu_wait,
                                              &times->gpu_time,   &times->gpu_busy, &times->gpu_wait};
    return series[i];
}

static int
add_row(struct pp_saved_times *times, const struct pp_saved_row *row)
{
    const double value[SERIES] = {row->frame_time, row->cpu_busy, row->cpu_wait,
                                  row->gpu_time,   row->gpu_busy, row->gpu_wait};
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < SERIES; i++)
        rc = pp_series_add(series_of(times, i), value[i], row->frame);
    return rc;
}

/* Copy the series of all rows so far: none of them created anything. */
static int
copy_all(struct pp_saved_surface *s)
{
    for (size_t level = 0; level < PP_SAVED_LEVELS; level++) {
        for (size_t i = 0; i < SERIES; i++) {
            const struct pp_series *from = series_of(&s->times[level], i);
            struct pp_series *to = series_of(&s->plain.level[level], i);
            int rc = pp_series_append(to, from);
            if (rc)
                return rc;
        }
    }
    return 0;
}

int
pp_plain_times_add(struct pp_saved_surface *surface, const struct pp_saved_row *row)
{
    struct pp_plain_times *plain = &surface->plain;
    bool creates = row->pipelines > 0;
    int rc = creates && !plain->creating ? copy_all(surface) : 0;
    if (rc == 0 && !creates && plain->creating)
        rc = add_row(&plain->level[row->level], row);
    plain->creating += creates;
    if (creates && isfinite(row->pipeline_ns))
        plain->create_ns += row->pipeline_ns;
    return rc ? rc : add_row(&surface->times[row->level], row);
}

void
pp_plain_times_finish(struct pp_saved_times *times)
{
    for (size_t i = 0; i < SERIES; i++)
        pp_series_finish(series_of(times, i));
}
