/** @file
 * See live_rows.h. */
#include "cli/top/live_rows.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/text/format.h"
#include "counters/util/grow_array.h"
#include "pp_texts.h"

/* Bytes at the end of frames.csv that are read first: hold 10 seconds of a thousand frames a second. */
#define FRAMES_TAIL_BYTES ((uint64_t)8 << 20)

/* Columns, in the order of pp_live_frames.column. */
enum { NUMBER, SURFACE, LEVEL, START, TIME, BOUND_BY };
static const char *const column_name[PP_LIVE_FRAME_COLUMNS] = {"frame",        "surface",       "level",
                                                               "cpu_start_ns", "frame_time_ns", "bound_by"};

/* pp_csv_reader.header. */
static bool
on_frames_header(void *data, const struct pp_cell *cell, size_t cells)
{
    struct pp_live_frames *frames = data;
    pp_columns_find(cell, cells, column_name, PP_LIVE_FRAME_COLUMNS, frames->column);
    return true;
}

/* The cell of a column; an absent one where the file lacks the column. */
static const struct pp_cell *
frame_cell(const struct pp_live_frames *frames, size_t column, const struct pp_cell *cell, size_t cells)
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
on_frame(void *data, const struct pp_cell *cell, size_t cells)
{
    struct pp_live_frames *frames = data;
    struct pp_live_frame frame = {
        .bound_by = pp_saved_verdict_of(frame_cell(frames, BOUND_BY, cell, cells)),
        .level = pp_saved_level_of(frame_cell(frames, LEVEL, cell, cells)),
    };
    if (frames->file.again) { /* all rows come again */
        frames->file.again = false;
        frames->len = 0;
        frames->newest_ns = 0;
        frames->total = 0;
    }
    if (!pp_cell_number(frame_cell(frames, NUMBER, cell, cells), &frame.number) ||
        !pp_cell_number(frame_cell(frames, START, cell, cells), &frame.start_ns) ||
        !pp_cell_number(frame_cell(frames, TIME, cell, cells), &frame.time_ns) || !(frame.time_ns > 0))
        return true;
    if (frames->len == PP_LIVE_FRAMES_MAX)
        keep_last(frames, PP_LIVE_FRAMES_MAX / 2);
    if (pp_grow_array(&frames->frame, &frames->cap, frames->len + 1, sizeof(*frames->frame))) {
        frames->error = -ENOMEM;
        return true;
    }
    frame.surface = surface_of(frames, frame_cell(frames, SURFACE, cell, cells)->text);
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
    const struct pp_csv_reader reader = {.header = on_frames_header, .row = on_frame, .data = frames};
    frames->file.tail = FRAMES_TAIL_BYTES;
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

/* Bytes at the end of the file that are read first. */
#define ROWS_TAIL_BYTES ((uint64_t)16 << 20)
#define TITLE_SIZE      256

/* Columns, in the order of pp_live_rows.column. KEY: what identifies a row's pass, region or program. */
enum { FRAME, KEY, GPU, DRAWS, NAME, LABEL, WIDTH, HEIGHT, PLACE };
static const struct {
    const char *file;
    const char *column[PP_LIVE_ROW_COLUMNS]; /* NULL: the file has none */
} sources[PP_LIVE_BYS] = {
    [PP_LIVE_BY_PASS] = {"passes.csv",
                         {"frame", "pass_id", "gpu_time_ns", "draws", "name", "label", "width", "height",
                          "pass"}},
    [PP_LIVE_BY_LABEL] = {"labels.csv",
                          {"frame", "label", "gpu_exclusive_ns", "draws", NULL, "label", NULL, NULL, NULL}},
    [PP_LIVE_BY_PROGRAM] = {"draws.csv",
                            {"frame", "pipeline", "gpu_time_ns", NULL, "pipeline", NULL, NULL, NULL, NULL}},
};

/* pp_row_index.key */
static struct pp_saved_key
key_of(const void *array, size_t i)
{
    return (struct pp_saved_key){.text = ((const struct pp_live_name *)array)[i].key};
}

/* pp_csv_reader.header. */
static bool
on_header(void *data, const struct pp_cell *cell, size_t cells)
{
    struct pp_live_rows *rows = data;
    pp_columns_find(cell, cells, sources[rows->by].column, PP_LIVE_ROW_COLUMNS, rows->column);
    return true;
}

/* The cell of a column; an absent one where the file lacks the column. */
static const struct pp_cell *
cell_of(const struct pp_live_rows *rows, size_t column, const struct pp_cell *cell, size_t cells)
{
    static const struct pp_cell absent = {.text = ""};
    size_t at = rows->column[column];
    return at < cells ? &cell[at] : &absent;
}

/* Make the title of a row: its label and name, and the size of its render target. */
static void
write_title(const struct pp_live_rows *rows, const struct pp_cell *cell, size_t cells, char title[TITLE_SIZE])
{
    char label[TITLE_SIZE];
    char extent[64];
    const char *name = cell_of(rows, NAME, cell, cells)->text;
    const char *wide = cell_of(rows, WIDTH, cell, cells)->text;
    const char *path = cell_of(rows, LABEL, cell, cells)->text;
    snprintf(title, TITLE_SIZE, "%s", pp_format_unescaped(label, sizeof(label), path));
    pp_format_append(title, TITLE_SIZE, "%s%s", *label && *name ? ": " : "", name);
    if (!*title)
        snprintf(title, TITLE_SIZE, "%s",
                 rows->by == PP_LIVE_BY_PROGRAM ? PP_TEXT_TOP_NO_PROGRAM : PP_TEXT_TOP_NO_NAME);
    snprintf(extent, sizeof(extent), " %.20sx%.20s", wide, cell_of(rows, HEIGHT, cell, cells)->text);
    if (*wide && !strstr(title, extent))
        pp_format_append(title, TITLE_SIZE, "%s", extent);
}

/* Add a name. @return its index, UINT32_MAX: no memory. */
static uint32_t
add_name(struct pp_live_rows *rows, const char *key, const char *title)
{
    struct pp_live_name one = {.key = strdup(key), .title = strdup(title)};
    if (!one.key || !one.title || pp_row_index_reserve(&rows->index, rows->name, rows->names) ||
        pp_grow_array(&rows->name, &rows->names_cap, rows->names + 1, sizeof(*rows->name))) {
        free(one.key);
        free(one.title);
        rows->error = -ENOMEM;
        return UINT32_MAX;
    }
    uint32_t *slot = pp_row_index_find(&rows->index, rows->name, (struct pp_saved_key){.text = key});
    rows->name[rows->names] = one;
    *slot = (uint32_t)++rows->names;
    return *slot - 1;
}

/* Replace a title: a window that got another size keeps its passes. Without memory the old one stays. */
static void
set_title(struct pp_live_name *name, const char *title)
{
    char *copy = strcmp(name->title, title) == 0 ? NULL : strdup(title);
    if (!copy)
        return;
    free(name->title);
    name->title = copy;
}

/* The name of a row. @return its index, UINT32_MAX: no memory. */
static uint32_t
name_of(struct pp_live_rows *rows, const struct pp_cell *cell, size_t cells)
{
    char title[TITLE_SIZE];
    const char *key = cell_of(rows, KEY, cell, cells)->text;
    uint32_t *slot =
        rows->names ? pp_row_index_find(&rows->index, rows->name, (struct pp_saved_key){.text = key}) : NULL;
    if (slot && *slot && rows->by != PP_LIVE_BY_PASS)
        return *slot - 1;
    write_title(rows, cell, cells, title);
    if (slot && *slot) {
        set_title(&rows->name[*slot - 1], title);
        return *slot - 1;
    }
    if (rows->names == PP_LIVE_NAMES_MAX)
        return PP_LIVE_NAMES_MAX - 1;
    if (rows->names == PP_LIVE_NAMES_MAX - 1)
        return add_name(rows, PP_TEXT_TOP_OTHERS, PP_TEXT_TOP_OTHERS);
    return add_name(rows, key, title);
}

/* Drop the names that no row has, if there are many. Labels may have numbers of frames. */
static void
drop_names(struct pp_live_rows *rows)
{
    size_t kept = 0;
    uint32_t *place = rows->names > PP_LIVE_NAMES_MAX / 2 ? calloc(rows->names, sizeof(*place)) : NULL;
    if (!place) /* without memory, the next call tries again */
        return;
    for (size_t i = 0; i < rows->len; i++)
        place[rows->row[i].name] = 1;
    for (size_t i = 0; i < rows->names; i++) {
        if (place[i]) {
            rows->name[kept] = rows->name[i];
            place[i] = (uint32_t)kept++;
        } else {
            free(rows->name[i].key);
            free(rows->name[i].title);
        }
    }
    rows->names = kept;
    for (size_t i = 0; i < rows->len; i++)
        rows->row[i].name = place[rows->row[i].name];
    free(place);
    memset(rows->index.at, 0, rows->index.slots * sizeof(*rows->index.at));
    for (size_t i = 0; i < kept; i++)
        *pp_row_index_find(&rows->index, rows->name, key_of(rows->name, i)) = (uint32_t)i + 1;
}

/* Drop the older half of the rows. */
static void
drop_half(struct pp_live_rows *rows)
{
    size_t drop = rows->len / 2;
    rows->dropped = rows->row[drop].frame;
    rows->len -= drop;
    memmove(rows->row, rows->row + drop, rows->len * sizeof(*rows->row));
}

/* pp_csv_reader.row. */
static bool
on_row(void *data, const struct pp_cell *cell, size_t cells)
{
    struct pp_live_rows *rows = data;
    struct pp_live_row row = {.gpu_ns = (double)NAN};
    double draws = (double)NAN;
    if (rows->file.again) { /* all rows come again */
        rows->file.again = false;
        rows->begun = false;
        rows->len = 0;
        rows->dropped = rows->torn_frame = (double)NAN;
    }
    if (!pp_cell_number(cell_of(rows, FRAME, cell, cells), &row.frame)) /* work of no frame */
        return true;
    (void)!pp_cell_number(cell_of(rows, GPU, cell, cells), &row.gpu_ns);
    (void)!pp_cell_number(cell_of(rows, DRAWS, cell, cells), &draws);
    row.draws = rows->by == PP_LIVE_BY_PROGRAM ? 1 : (float)draws;
    row.name = name_of(rows, cell, cells);
    if (row.name != UINT32_MAX)
        rows->name[row.name].place = pp_row_place(cell_of(rows, PLACE, cell, cells));
    if (rows->len == PP_LIVE_ROWS_MAX)
        drop_half(rows);
    if (row.name == UINT32_MAX || pp_grow_array(&rows->row, &rows->cap, rows->len + 1, sizeof(*rows->row))) {
        rows->error = -ENOMEM;
        return true;
    }
    if (!rows->begun && rows->file.at > rows->file.header_len)
        rows->torn_frame = row.frame; /* reading began in the middle of the file, perhaps of this frame */
    rows->begun = true;
    rows->row[rows->len++] = row;
    return true;
}

void
pp_live_rows_begin(struct pp_live_rows *rows, enum pp_live_by by)
{
    pp_live_rows_finish(rows);
    rows->by = by;
    rows->file.tail = ROWS_TAIL_BYTES;
    rows->index.key = key_of;
    rows->torn_frame = rows->dropped = (double)NAN;
}

int
pp_live_rows_read(struct pp_live_rows *rows, int dir_fd, double oldest)
{
    const struct pp_csv_reader reader = {.header = on_header, .row = on_row, .data = rows};
    size_t kept = 0;
    rows->error = 0;
    int rc = pp_follow_read(&rows->file, dir_fd, sources[rows->by].file, &reader);
    for (size_t i = 0; i < rows->len; i++)
        if (rows->row[i].frame >= oldest)
            rows->row[kept++] = rows->row[i];
    rows->len = kept;
    drop_names(rows);
    return rc ? rc : rows->error;
}

void
pp_live_rows_finish(struct pp_live_rows *rows)
{
    for (size_t i = 0; i < rows->names; i++) {
        free(rows->name[i].key);
        free(rows->name[i].title);
    }
    free(rows->name);
    free(rows->row);
    free(rows->index.at);
    rows->file.tail = 0;
    pp_follow_finish(&rows->file);
    *rows = (struct pp_live_rows){.len = 0};
}
