/** @file
 * See live_frames.h. */
#include "cli/top/live_frames.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/session/row_reader.h"
#include "counters/util/grow_array.h"

/* Bytes at the end of frames.csv that are read first: hold 10 seconds of a thousand frames a second. */
#define TAIL_BYTES ((uint64_t)8 << 20)

/* Columns, in the order of pp_live_frames.column. */
enum { NUMBER, SURFACE, LEVEL, START, TIME, BOUND_BY };
static const char *const column_name[PP_LIVE_FRAME_COLUMNS] = {"frame",        "surface",       "level",
                                                               "cpu_start_ns", "frame_time_ns", "bound_by"};

/* pp_csv_reader.header. */
static bool
on_header(void *data, const struct pp_cell *cell, size_t cells)
{
    struct pp_live_frames *frames = data;
    pp_columns_find(cell, cells, column_name, PP_LIVE_FRAME_COLUMNS, frames->column);
    return true;
}

/* The cell of a column; an absent one where the file lacks the column. */
static const struct pp_cell *
cell_of(const struct pp_live_frames *frames, size_t column, const struct pp_cell *cell, size_t cells)
{
    static const struct pp_cell absent = {.text = ""};
    size_t at = frames->column[column];
    return at < cells ? &cell[at] : &absent;
}

/* The surface of this name. */
static size_t
surface_of(struct pp_live_frames *frames, const char *name)
{
    size_t size = sizeof(frames->surface[0]);
    size_t i = 0;
    while (i < frames->surfaces && strncmp(frames->surface[i], name, size - 1) != 0)
        i++;
    if (i == PP_LIVE_SURFACES_MAX)
        return i - 1;
    if (i == frames->surfaces) {
        snprintf(frames->surface[i], size, "%s", name);
        frames->surfaces++;
    }
    return i;
}

/* Drop the first frames, so that @p keep remain. */
static void
keep_last(struct pp_live_frames *frames, size_t keep)
{
    memmove(frames->frame, frames->frame + frames->len - keep, keep * sizeof(*frames->frame));
    frames->len = keep;
}

/* pp_csv_reader.row. */
static bool
on_row(void *data, const struct pp_cell *cell, size_t cells)
{
    struct pp_live_frames *frames = data;
    struct pp_live_frame frame = {
        .bound_by = pp_saved_verdict_of(cell_of(frames, BOUND_BY, cell, cells)),
        .level = pp_saved_level_of(cell_of(frames, LEVEL, cell, cells)),
    };
    if (frames->file.again) { /* all rows come again */
        frames->file.again = false;
        frames->len = 0;
        frames->newest_ns = 0;
        frames->total = 0;
    }
    if (!pp_cell_number(cell_of(frames, NUMBER, cell, cells), &frame.number) ||
        !pp_cell_number(cell_of(frames, START, cell, cells), &frame.start_ns) ||
        !pp_cell_number(cell_of(frames, TIME, cell, cells), &frame.time_ns) || !(frame.time_ns > 0))
        return true;
    if (frames->len == PP_LIVE_FRAMES_MAX)
        keep_last(frames, PP_LIVE_FRAMES_MAX / 2);
    if (pp_grow_array(&frames->frame, &frames->cap, frames->len + 1, sizeof(*frames->frame))) {
        frames->error = -ENOMEM;
        return true;
    }
    frame.surface = surface_of(frames, cell_of(frames, SURFACE, cell, cells)->text);
    frames->frame[frames->len++] = frame;
    frames->newest_ns = fmax(frames->newest_ns, frame.start_ns + frame.time_ns);
    frames->total++;
    return true;
}

/* Drop the frames that ended before the window. */
static void
drop_old(struct pp_live_frames *frames)
{
    size_t kept = 0;
    for (size_t i = 0; i < frames->len; i++) {
        const struct pp_live_frame *frame = &frames->frame[i];
        if (frame->start_ns + frame->time_ns > frames->newest_ns - PP_LIVE_WINDOW_NS)
            frames->frame[kept++] = *frame;
    }
    frames->len = kept;
}

int
pp_live_frames_read(struct pp_live_frames *frames, int dir_fd)
{
    const struct pp_csv_reader reader = {.header = on_header, .row = on_row, .data = frames};
    frames->file.tail = TAIL_BYTES;
    frames->error = 0;
    int rc = pp_follow_read(&frames->file, dir_fd, "frames.csv", &reader);
    drop_old(frames);
    return rc ? rc : frames->error;
}

void
pp_live_frames_finish(struct pp_live_frames *frames)
{
    pp_follow_finish(&frames->file);
    free(frames->frame);
    *frames = (struct pp_live_frames){.len = 0};
}
