/** @file
 * See saved_session.h: the session as a whole. */
#include "cli/session/saved_session.h"
#include "cli/session/session_shown.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/session/csv_read.h"
#include "cli/session/frames_read.h"
#include "cli/session/session_json.h"
#include "core/config/dir_content.h"
#include "counters/util/array_size.h"

int
pp_saved_place_window(struct pp_saved_session *rec, const struct pp_frame_window *window, const char *between)
{
    double begin_ns = (double)NAN;
    if (window)
        rec->window = *window;
    if (!rec->window.any)
        rec->window = pp_frame_window_recorded(pp_saved_json(rec, "window"));
    if (between && !pp_frame_window_between(pp_saved_json(rec, "marks"), between, &rec->window))
        return -ESRCH;
    if (rec->window.timed && pp_saved_first_start(rec, &begin_ns) == 0)
        pp_frame_window_begin(&rec->window, begin_ns);
    return 0;
}

/* Does a process write the session? dir_fd may be O_PATH, which takes no locks. */
static bool
is_in_use(int dir_fd)
{
    int fd = openat(dir_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    bool in_use = fd >= 0 && pp_dir_is_in_use(fd);
    if (fd >= 0)
        close(fd);
    return in_use;
}

void
pp_saved_begin(struct pp_saved_session *ret, int dir_fd)
{
    memset(ret, 0, sizeof(*ret));
    ret->dir_fd = dir_fd;
    ret->window = pp_frame_window_open();
    ret->json = pp_saved_load_json(dir_fd, ret->json_error, sizeof(ret->json_error), &ret->json_missing);
    ret->keep_ns = fmax(0, pp_saved_number(ret, "options.keep_slower_than_ns")); /* fmax() ignores NaN */
    ret->in_use = is_in_use(dir_fd);
    ret->of_schema_2 = json_integer_value(pp_saved_json(ret, "schema")) >= 2;
}

bool
pp_saved_is_none(const struct pp_saved_session *rec)
{
    return rec->json_missing && rec->frames_error == -ENOENT && rec->passes_error && rec->draws_error &&
           rec->labels_error;
}

static bool
take_cells(void *data, const struct pp_cell *cell, size_t cells)
{
    (void)data;
    (void)cell;
    (void)cells;
    return true;
}

/* Look whether the files of call stacks can be read, and count the stacks. symbols.csv need not be there. */
static void
count_stacks(struct pp_saved_session *rec)
{
    const struct pp_csv_reader stacks = {
        .header = take_cells, .row = take_cells, .damaged = &rec->damaged_rows, .rows = &rec->stacks_rows};
    const struct pp_csv_reader modules = {.header = take_cells, .row = take_cells};
    if (!pp_saved_json(rec, "stacks"))
        return;
    rec->stacks_error = pp_csv_read(rec->dir_fd, "stacks.csv", &stacks);
    rec->modules_error = pp_csv_read(rec->dir_fd, "modules.csv", &modules);
    if (rec->modules_error && pp_csv_read(rec->dir_fd, "modules.csv.new", &modules) == 0)
        rec->modules_error = 0; /* after a kill, the newer one of two files may have the name of the spare */
}

static int
read_at(int dir_fd, enum pp_saved_extent extent, const struct pp_frame_window *window, const char *between,
        struct pp_saved_session *ret)
{
    struct pp_saved_session rec;
    if (dir_fd < 0)
        return -ENOENT;
    pp_saved_begin(&rec, dir_fd);
    if (pp_saved_place_window(&rec, window, between)) {
        pp_saved_finish(&rec);
        return -ESRCH;
    }
    rec.frames_error = pp_saved_read_frames(&rec, pp_saved_frames_file(dir_fd), NULL, 0);
    bool whole = rec.whole = extent == PP_SAVED_WHOLE;
    rec.draws_error = whole ? pp_saved_read_draws(&rec, "draws.csv", NULL, 0) : -ENOENT;
    rec.passes_error = pp_saved_read_passes(&rec, "passes.csv", NULL, 0);
    rec.labels_error = whole ? pp_saved_read_labels(&rec, "labels.csv", NULL, 0) : -ENOENT;
    if (whole)
        count_stacks(&rec);
    int rc = 0;
    if (rec.frames_error == -ENOMEM || rec.passes_error == -ENOMEM || rec.draws_error == -ENOMEM ||
        rec.labels_error == -ENOMEM)
        rc = -ENOMEM;
    else if (pp_saved_is_none(&rec))
        rc = -ENOENT;
    if (rc) {
        pp_saved_finish(&rec);
        return rc;
    }
    pp_saved_show(&rec, PP_SAVED_NO_SURFACE);
    *ret = rec;
    return 0;
}

int
pp_saved_read_at(int dir_fd, enum pp_saved_extent extent, struct pp_saved_session *ret)
{
    return read_at(dir_fd, extent, NULL, NULL, ret);
}

int
pp_saved_read_window(int dir_fd, const struct pp_frame_window *window, const char *between,
                     struct pp_saved_session *ret)
{
    return read_at(dir_fd, PP_SAVED_WHOLE, window, between, ret);
}

static void
surface_finish(struct pp_saved_surface *s)
{
    free(s->api);
    free(s->device);
    free(s->surface);
    pp_first_frames_finish(&s->leading);
    free(s->count);
    for (size_t i = 0; i < PP_SAVED_LEVELS; i++) {
        pp_plain_times_finish(&s->times[i]);
        pp_plain_times_finish(&s->plain.level[i]);
    }
}

void
pp_saved_pass_finish(struct pp_saved_pass *pass)
{
    free(pass->pass_id);
    free(pass->name);
    free(pass->label);
    free(pass->kind);
    free(pass->queue);
    free(pass->metric);
    free(pass->count);
    free(pass->attachments);
    pp_series_finish(&pass->gpu_time);
    pp_series_finish(&pass->usual_time);
    free(pass->calls.at);
    memset(pass, 0, sizeof(*pass));
}

void
pp_saved_draw_finish(struct pp_saved_draw *draw)
{
    free(draw->draw_id);
    free(draw->call);
    free(draw->label);
    free(draw->pipeline);
    free(draw->pass_id);
    pp_series_finish(&draw->gpu_time);
    free(draw->calls.at);
    memset(draw, 0, sizeof(*draw));
}

void
pp_saved_finish(struct pp_saved_session *rec)
{
    for (size_t i = 0; i < rec->surfaces; i++)
        surface_finish(&rec->surface[i]);
    for (size_t i = 0; i < rec->counters; i++)
        free(rec->counter[i]);
    for (size_t i = 0; i < rec->passes; i++)
        pp_saved_pass_finish(&rec->pass[i]);
    for (size_t i = 0; i < rec->draws; i++)
        pp_saved_draw_finish(&rec->draw[i]);
    for (size_t i = 0; i < rec->labels; i++) {
        free(rec->label[i].label);
        pp_series_finish(&rec->label[i].times);
    }
    for (size_t i = 0; i < rec->pass_metrics; i++)
        free(rec->pass_metric[i]);
    for (size_t i = 0; i < rec->pass_counters; i++)
        free(rec->pass_counter[i]);
    free(rec->surface);
    free(rec->counter);
    free(rec->pass);
    free(rec->pass_metric);
    free(rec->pass_metric_at);
    free(rec->pass_counter);
    free(rec->pass_counter_at);
    free(rec->draw);
    free(rec->label);
    free(rec->plain);
    free(rec->frame);
    pp_row_blocks_finish(&rec->pass_blocks);
    pp_row_blocks_finish(&rec->frame_blocks);
    pp_row_blocks_finish(&rec->draw_blocks);
    json_decref(rec->json);
    memset(rec, 0, sizeof(*rec));
}

size_t
pp_saved_counted_at(const struct pp_saved_surface *s, size_t i)
{
    size_t level = 0;
    while (level < PP_SAVED_LEVELS && !(s->count && s->count[i * PP_SAVED_LEVELS + level].rows))
        level++;
    return level;
}

/* Is something of this name missing in one of the sets? Columns have a unit after the event's name. */
static bool
is_in_some_sets(const json_t *sets, const char *column)
{
    size_t in = 0;
    for (size_t k = 0; k < json_array_size(sets); k++) {
        const json_t *set = json_array_get(sets, k);
        bool found = false;
        for (size_t j = 0; j < json_array_size(set) && !found; j++) {
            const char *event = json_string_value(json_array_get(set, j));
            size_t length = event ? strlen(event) : 0;
            found = length && strncmp(column, event, length) == 0 && strchr("_", column[length]);
        }
        in += found;
    }
    return in > 0 && in < json_array_size(sets);
}

bool
pp_saved_rotates(const struct pp_saved_session *rec, size_t i)
{
    static const char *const never[] = {"app:", "drm:", "hwmon:", "metric:", "pipeline:"};
    const char *name = rec->counter[i];
    for (size_t j = 0; j < PP_ARRAY_SIZE(never); j++)
        if (strncmp(name, never[j], strlen(never[j])) == 0)
            return false;
    /* Frames can lack the CPU's counters for another reason: another thread presented. */
    return strncmp(name, "cpu:", 4) != 0 ||
           is_in_some_sets(json_object_get(pp_saved_json(rec, "frames"), "event_sets"), name);
}

bool
pp_saved_is_state(const struct pp_saved_session *rec, size_t i)
{
    static const char *const unit[] = {"_percent", "_hz"};
    const char *name = rec->counter[i];
    json_t *states = pp_saved_json(rec, "states");
    for (size_t j = 0; j < json_array_size(states); j++) {
        const char *state = json_string_value(json_array_get(states, j));
        if (state && strcmp(state, name) == 0)
            return true;
    }
    for (size_t j = 0; j < PP_ARRAY_SIZE(unit); j++) {
        size_t length = strlen(name), tail = strlen(unit[j]);
        if (length > tail && strcmp(name + length - tail, unit[j]) == 0)
            return true;
    }
    return false;
}

const char *
pp_saved_bound(const struct pp_saved_pass *pass)
{
    const struct pp_saved_bound *most = &pass->bound[0];
    for (size_t i = 1; i < PP_SAVED_BOUNDS; i++)
        if (pass->bound[i].rows > most->rows)
            most = &pass->bound[i];
    return most->rows ? most->unit : "";
}

double
pp_saved_usual(const struct pp_usual_count *usual)
{
    return usual->rows && usual->votes >= usual->rows / 2 ? usual->value : (double)NAN;
}

double
pp_saved_mean(const struct pp_saved_sum *sum)
{
    return sum->rows ? sum->sum / (double)sum->rows : (double)NAN;
}

double
pp_saved_scale(double sum, uint64_t of, uint64_t to)
{
    return of && of < to ? sum / (double)of * (double)to : sum;
}

const json_t *
pp_saved_device(const struct pp_saved_session *rec, const struct pp_saved_surface *s)
{
    const json_t *devices = pp_saved_json(rec, "devices");
    for (size_t i = 0; i < json_array_size(devices); i++) {
        const json_t *device = json_array_get(devices, i);
        const char *api = json_string_value(json_object_get(device, "api"));
        const char *name = json_string_value(json_object_get(device, "name"));
        if (api && name && strcmp(api, s->api) == 0 && strcmp(name, s->device) == 0)
            return device;
    }
    return NULL;
}

const struct pp_saved_pass *
pp_saved_pass(const struct pp_saved_session *rec, const char *pass_id, size_t surface)
{
    for (size_t i = 0; i < rec->passes; i++) {
        if (rec->pass[i].surface == surface && strcmp(rec->pass[i].pass_id, pass_id) == 0)
            return &rec->pass[i];
    }
    return NULL;
}

uint64_t
pp_saved_inside(const struct pp_saved_session *rec, double *ret_first, double *ret_last)
{
    uint64_t inside = 0;
    for (size_t i = 0; i < rec->frames; i++) {
        if (rec->frame[i].outside)
            continue;
        *ret_first = inside++ ? *ret_first : rec->frame[i].number;
        *ret_last = rec->frame[i].number;
    }
    return inside;
}

uint64_t
pp_saved_frames(const struct pp_saved_session *rec)
{
    uint64_t frames = 0;
    for (size_t i = 0; i < rec->surfaces; i++)
        frames += rec->surface[i].frames;
    return frames;
}

json_t *
pp_saved_json(const struct pp_saved_session *rec, const char *path)
{
    json_t *at = rec->json;
    while (at && *path) {
        char key[64];
        size_t len = strcspn(path, ".");
        if (len >= sizeof(key))
            return NULL;
        memcpy(key, path, len);
        key[len] = '\0';
        at = json_object_get(at, key);
        path += len + (path[len] == '.');
    }
    return at;
}

const char *
pp_saved_operand(const struct pp_saved_session *rec)
{
    return rec->operand ? rec->operand : "";
}

double
pp_saved_number(const struct pp_saved_session *rec, const char *path)
{
    json_t *number = pp_saved_json(rec, path);
    return json_is_number(number) ? json_number_value(number) : (double)NAN;
}

/* The first version of session.json was written within a second, in sessions of older versions. */
#define SHORT_NS 2e9

bool
pp_saved_is_short(const struct pp_saved_session *rec)
{
    /* From schema 2 on, session.json is there before the first frame, right after frames.csv. */
    if (!rec->json_missing || (rec->of_schema_2 && rec->frames) ||
        (rec->frames_error == -ENOENT && rec->passes_rows))
        return false;
    for (size_t i = 0; i < rec->surfaces; i++) {
        double sum = 0;
        for (size_t level = 0; level < PP_SAVED_LEVELS; level++) {
            const struct pp_series *times = &rec->surface[i].times[level].frame_time;
            for (size_t k = 0; k < times->len; k++)
                sum += pp_series_at(times, k);
        }
        if (sum > SHORT_NS)
            return false;
    }
    return true;
}

enum pp_saved_end
pp_saved_end(const struct pp_saved_session *rec, const char **ret_why)
{
    const char *ended = json_string_value(pp_saved_json(rec, "ended"));
    if (!ended || strcmp(ended, "exit") == 0)
        return PP_SAVED_ENDED;
    if (strcmp(ended, "running") == 0)
        return PP_SAVED_KILLED;
    if (ret_why)
        *ret_why = ended;
    return PP_SAVED_STOPPED;
}
