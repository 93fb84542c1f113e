/** @file
 * Preliminary rows at the ends of files; see csv_tail.h. */
#include "core/report/csv_tail.h"

#include <errno.h>
#include <string.h>

#include "core/util/replace_file.h"

int
pp_csv_tail_add(struct pp_csv_tail *tail, struct pp_csv *csv)
{
    if (tail->files == PP_CSV_FILES)
        return -ENOSPC;
    tail->file[tail->files++] = csv;
    csv->tail = tail;
    return 0;
}

void
pp_csv_tail_begin(struct pp_csv_tail *tail)
{
    for (uint32_t i = 0; i < tail->files; i++)
        tail->from[i] = tail->file[i]->written + tail->file[i]->row;
    tail->there = true;
}

void
pp_csv_tail_drop(struct pp_csv_tail *tail)
{
    for (uint32_t i = 0; tail->there && i < tail->files; i++) {
        struct pp_csv *csv = tail->file[i];
        tail->stale |= csv->written > tail->from[i];
        if (csv->written > tail->from[i])
            csv->written = tail->from[i];
        csv->len = csv->row = (size_t)(tail->from[i] - csv->written);
        csv->cells = 0;
        while (csv->marks && csv->mark[csv->marks - 1].end > csv->row)
            csv->marks--;
    }
    tail->there = false;
}

void
pp_csv_tail_cut(struct pp_csv_tail *tail)
{
    if (!tail || !tail->stale)
        return;
    tail->stale = false;
    for (uint32_t i = tail->files; i-- > 0;) {
        const struct pp_csv *csv = tail->file[i];
        (void)!pp_file_cut(csv->fd, csv->written);
    }
}

void
pp_csv_tail_leave(struct pp_csv *csv)
{
    struct pp_csv_tail *tail = csv->tail;
    pp_csv_tail_cut(tail);
    for (uint32_t i = 0; tail && i < tail->files; i++)
        if (tail->file[i] == csv) {
            uint32_t behind = tail->files - i - 1;
            memmove(&tail->file[i], &tail->file[i + 1], behind * sizeof(struct pp_csv *));
            memmove(&tail->from[i], &tail->from[i + 1], behind * sizeof(tail->from[0]));
            tail->files--;
        }
    csv->tail = NULL;
}

uint64_t *
pp_csv_tail_from(const struct pp_csv *csv)
{
    struct pp_csv_tail *tail = csv->tail;
    for (uint32_t i = 0; tail && tail->there && i < tail->files; i++)
        if (tail->file[i] == csv)
            return &tail->from[i];
    return NULL;
}
