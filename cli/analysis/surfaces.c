/** @file
 * See surfaces.h. */
#include "cli/analysis/surfaces.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#define GPU_SHARE   0.05
#define FRAME_SHARE 0.1

static double
gpu_time_of(const struct pp_saved_surface *s)
{
    double sum = 0;
    for (size_t level = 0; level < PP_SAVED_LEVELS; level++)
        for (size_t i = 0; i < s->times[level].gpu_time.len; i++)
            sum += pp_series_at(&s->times[level].gpu_time, i);
    return sum > 0 ? sum : 0;
}

static int
by_gpu_time(const void *a, const void *b, void *data)
{
    const struct pp_surface_rank *x = a;
    const struct pp_surface_rank *y = b;
    const struct pp_saved_session *rec = data;
    if (x->gpu_ns < y->gpu_ns || x->gpu_ns > y->gpu_ns)
        return x->gpu_ns < y->gpu_ns ? 1 : -1;
    uint64_t first = rec->surface[x->index].frames, second = rec->surface[y->index].frames;
    if (first != second)
        return first < second ? 1 : -1;
    return (x->index > y->index) - (x->index < y->index);
}

static bool
matters(const struct pp_saved_session *rec, const struct pp_surface_rank *rank)
{
    if (rank->gpu_ns > 0)
        return rank->share >= GPU_SHARE;
    return (double)rec->surface[rank->index].frames >= FRAME_SHARE * (double)pp_saved_frames(rec);
}

int
pp_surfaces_rank(const struct pp_saved_session *rec, struct pp_surface_ranking *ret)
{
    struct pp_surface_ranking ranking = {.len = rec->surfaces};
    double all = 0;
    ranking.rank = calloc(rec->surfaces + 1, sizeof(*ranking.rank));
    if (!ranking.rank)
        return -ENOMEM;
    for (size_t i = 0; i < ranking.len; i++) {
        ranking.rank[i] = (struct pp_surface_rank){.index = i, .gpu_ns = gpu_time_of(&rec->surface[i])};
        all += ranking.rank[i].gpu_ns;
    }
    for (size_t i = 0; i < ranking.len; i++)
        ranking.rank[i].share = all > 0 ? ranking.rank[i].gpu_ns / all : (double)NAN;
    qsort_r(ranking.rank, ranking.len, sizeof(*ranking.rank), by_gpu_time, (void *)(uintptr_t)rec);
    /* surfaces that matter come first; a surface without GPU time may be after less important ones */
    for (size_t i = 0; i < ranking.len && ranking.matter < PP_SURFACES_MATTER; i++) {
        struct pp_surface_rank rank = ranking.rank[i];
        if (i > 0 && !matters(rec, &rank))
            continue;
        for (size_t k = i; k > ranking.matter; k--)
            ranking.rank[k] = ranking.rank[k - 1];
        ranking.rank[ranking.matter++] = rank;
    }
    *ret = ranking;
    return 0;
}

void
pp_surface_ranking_finish(struct pp_surface_ranking *ranking)
{
    free(ranking->rank);
    *ranking = (struct pp_surface_ranking){.len = 0};
}
