/** @file
 * See session_read.h: the session as a whole. */
#include "cli/session/session_read.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/session/session_read_private.h"
#include "counters/util/array_size.h"
#include "counters/util/fd.h"

static const char *const column_name[PP_SAVED_COLUMNS] = {
    [COL_FRAME] = "frame",
    [COL_API] = "api",
    [COL_DEVICE] = "device",
    [COL_SURFACE] = "surface",
    [COL_LEVEL] = "level",
    [COL_FRAME_TIME] = "frame_time_ns",
    [COL_CPU_BUSY] = "cpu_busy_ns",
    [COL_CPU_WAIT] = "cpu_wait_ns",
    [COL_GPU_TIME] = "gpu_time_ns",
    [COL_GPU_BUSY] = "gpu_busy_ns",
    [COL_GPU_WAIT] = "gpu_wait_ns",
    [COL_BOUND_BY] = "bound_by",
    [COL_PASS] = "pass",
    [COL_PASS_ID] = "pass_id",
    [COL_NAME] = "name",
    [COL_LABEL] = "label",
    [COL_KIND] = "kind",
    [COL_DRAW] = "draw",
    [COL_DRAW_ID] = "draw_id",
    [COL_CALL] = "call",
    [COL_PIPELINE] = "pipeline",
    [COL_VERTICES] = "vertices",
    [COL_INSTANCES] = "instances",
    [COL_DRAWS] = "draws",
    [COL_DISPATCHES] = "dispatches",
    [COL_COPIES] = "copies",
    [COL_BY_PLACE] = "id:by_place",
    [COL_INCLUSIVE] = "gpu_inclusive_ns",
    [COL_EXCLUSIVE] = "gpu_exclusive_ns",
    [COL_PASSES] = "passes",
};

/* What the readers share. */

const struct pp_cell *
pp_row_reader_cell(const struct pp_row_reader *r, const struct pp_cell *cell, enum pp_saved_column column)
{
    static const struct pp_cell absent = {.text = "", .len = 0, .present = false};
    return r->at[column] == SIZE_MAX ? &absent : &cell[r->at[column]];
}

void
pp_row_reader_columns(struct pp_row_reader *r, const struct pp_cell *cell, size_t cells)
{
    for (size_t c = 0; c < PP_SAVED_COLUMNS; c++) {
        r->at[c] = SIZE_MAX;
        for (size_t i = cells; i-- > 0;) {
            if (pp_cell_is(&cell[i], column_name[c]))
                r->at[c] = i;
        }
    }
}

size_t
pp_saved_level_of(const struct pp_cell *cell)
{
    return pp_cell_is(cell, "draw")   ? PP_SAVED_DRAW
           : pp_cell_is(cell, "pass") ? PP_SAVED_PASS
                                      : PP_SAVED_FRAME;
}

int
pp_saved_grow(void *array_pointer, size_t len, size_t *cap, size_t size)
{
    void *array = NULL;
    memcpy(&array, array_pointer, sizeof(array));
    if (len < *cap)
        return 0;
    size_t more = *cap ? 2 * *cap : 16;
    void *grown = reallocarray(array, more, size);
    if (!grown)
        return -ENOMEM;
    memset((char *)grown + *cap * size, 0, (more - *cap) * size);
    memcpy(array_pointer, &grown, sizeof(grown));
    *cap = more;
    return 0;
}

int
pp_saved_series_add_number(struct pp_series *series, double value)
{
    if (isnan(value))
        return 0;
    if (pp_saved_grow(&series->value, series->len, &series->cap, sizeof(*series->value)))
        return -ENOMEM;
    series->value[series->len++] = value;
    return 0;
}

int
pp_saved_series_add(struct pp_series *series, const struct pp_cell *cell)
{
    double value = 0;
    return pp_cell_number(cell, &value) ? pp_saved_series_add_number(series, value) : 0;
}

void
pp_saved_sum_add(struct pp_saved_sum *sum, const struct pp_cell *cell)
{
    double value = 0;
    if (!pp_cell_number(cell, &value))
        return;
    sum->sum += value;
    sum->rows++;
}

int
pp_saved_rows(const struct pp_saved_session *rec, const char *name, const char *text, size_t len,
              const struct pp_csv_reader *reader)
{
    return name ? pp_csv_read(rec->dir_fd, name, reader) : pp_csv_read_text(text, len, reader);
}

/* A session. */

int
pp_saved_read_at(int dir_fd, enum pp_saved_extent extent, struct pp_saved_session *ret)
{
    struct pp_saved_session rec;
    if (dir_fd < 0)
        return -ENOENT;
    memset(&rec, 0, sizeof(rec));
    rec.dir_fd = dir_fd;
    rec.json = pp_saved_load_json(dir_fd, rec.json_error, sizeof(rec.json_error), &rec.json_missing);
    rec.frames_error = pp_saved_read_frames(&rec, pp_saved_frames_file(dir_fd), NULL, 0);
    bool whole = rec.whole = extent == PP_SAVED_WHOLE;
    rec.draws_error = whole ? pp_saved_read_draws(&rec, "draws.csv", NULL, 0) : -ENOENT;
    rec.passes_error = pp_saved_read_passes(&rec, "passes.csv", NULL, 0);
    rec.labels_error = whole ? pp_saved_read_labels(&rec, "labels.csv", NULL, 0) : -ENOENT;
    int rc = 0;
    if (rec.frames_error == -ENOMEM || rec.passes_error == -ENOMEM || rec.draws_error == -ENOMEM ||
        rec.labels_error == -ENOMEM)
        rc = -ENOMEM;
    else if (!rec.json && rec.frames_error == -ENOENT)
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
pp_saved_read(const char *dir, enum pp_saved_extent extent, struct pp_saved_session *ret)
{
    int fd =
        open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC); /* files of a folder that cannot be listed can be read */
    if (fd < 0)
        return errno == ENOTDIR ? -ENOENT : -errno;
    int rc = pp_saved_read_at(fd, extent, ret);
    close(fd);
    return rc;
}

static void
surface_finish(struct pp_saved_surface *s)
{
    free(s->api);
    free(s->device);
    free(s->surface);
    free(s->first_value);
    free(s->count);
    for (size_t i = 0; i < PP_SAVED_LEVELS; i++) {
        free(s->times[i].frame_time.value);
        free(s->times[i].cpu_busy.value);
        free(s->times[i].cpu_wait.value);
        free(s->times[i].gpu_time.value);
        free(s->times[i].gpu_busy.value);
        free(s->times[i].gpu_wait.value);
    }
}

void
pp_saved_pass_finish(struct pp_saved_pass *pass)
{
    free(pass->pass_id);
    free(pass->name);
    free(pass->label);
    free(pass->kind);
    free(pass->metric);
    free(pass->gpu_time.value);
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
    free(draw->gpu_time.value);
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
    for (size_t i = 0; i < rec->labels; i++)
        free(rec->label[i].label);
    for (size_t i = 0; i < rec->pass_metrics; i++)
        free(rec->pass_metric[i]);
    free(rec->surface);
    free(rec->counter);
    free(rec->pass);
    free(rec->pass_metric);
    free(rec->draw);
    free(rec->label);
    free(rec->plain);
    free(rec->frame);
    json_decref(rec->json);
    memset(rec, 0, sizeof(*rec));
}

/* What is shown. */

bool
pp_saved_is_shown(const struct pp_saved_session *rec, size_t surface)
{
    if (surface == PP_SAVED_NO_SURFACE)
        return !rec->frames_only;
    return rec->shown == PP_SAVED_NO_SURFACE || surface == rec->shown;
}

static int
by_total_descending(const void *a, const void *b, void *rec)
{
    const struct pp_saved_pass *x = a;
    const struct pp_saved_pass *y = b;
    int shown = pp_saved_is_shown(rec, y->surface) - pp_saved_is_shown(rec, x->surface);
    if (shown)
        return shown;
    if (x->total_ns != y->total_ns)
        return x->total_ns < y->total_ns ? 1 : -1;
    int order = strcmp(x->name, y->name);
    return order ? order : strcmp(x->pass_id, y->pass_id);
}

static int
by_shown(const void *a, const void *b, void *rec)
{
    const struct pp_saved_draw *x = a;
    const struct pp_saved_draw *y = b;
    int shown = pp_saved_is_shown(rec, y->surface) - pp_saved_is_shown(rec, x->surface);
    return shown ? shown : strcmp(x->draw_id, y->draw_id);
}

static void
sort_shown(struct pp_saved_session *rec)
{
    if (rec->passes)
        qsort_r(rec->pass, rec->passes, sizeof(*rec->pass), by_total_descending, rec);
    if (rec->draws)
        qsort_r(rec->draw, rec->draws, sizeof(*rec->draw), by_shown, rec);
    rec->shown_passes = rec->shown_draws = 0;
    while (rec->shown_passes < rec->passes && pp_saved_is_shown(rec, rec->pass[rec->shown_passes].surface))
        rec->shown_passes++;
    while (rec->shown_draws < rec->draws && pp_saved_is_shown(rec, rec->draw[rec->shown_draws].surface))
        rec->shown_draws++;
    rec->measured_frames = 0;
    for (size_t i = 0; i < rec->surfaces; i++)
        rec->measured_frames += pp_saved_is_shown(rec, i) ? rec->surface[i].measured : 0;
}

void
pp_saved_show(struct pp_saved_session *rec, size_t surface)
{
    rec->shown = surface;
    rec->frames_only = false;
    sort_shown(rec);
}

void
pp_saved_show_frames_only(struct pp_saved_session *rec)
{
    rec->frames_only = true;
    sort_shown(rec);
}

size_t
pp_saved_counted_at(const struct pp_saved_surface *s, size_t i)
{
    size_t level = 0;
    while (level < PP_SAVED_LEVELS && !(s->count && s->count[i * PP_SAVED_LEVELS + level].rows))
        level++;
    return level;
}

/* Is something of this name missing in one of the sets? Columns have a unit behind the event's name. */
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
    /* Frames lack the CPU's counters for other reasons, too: another thread presented. */
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

/* The first version of session.json was written within a second, in sessions of older versions. */
#define SHORT_NS 2e9

bool
pp_saved_is_short(const struct pp_saved_session *rec)
{
    if (!rec->json_missing)
        return false;
    for (size_t i = 0; i < rec->surfaces; i++) {
        double sum = 0;
        for (size_t level = 0; level < PP_SAVED_LEVELS; level++) {
            const struct pp_series *times = &rec->surface[i].times[level].frame_time;
            for (size_t k = 0; k < times->len; k++)
                sum += times->value[k];
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

/* No session of passprobe has more; files from elsewhere may. */
#define MANY_EVENTS  4096U
#define MANY_DEVICES 16U

/* Does the list name this event, with this reason? */
static bool
names_missing(const json_t *list, const char *event, const char *reason)
{
    for (size_t i = 0; i < json_array_size(list) && i < MANY_EVENTS; i++) {
        const char *other = json_string_value(json_object_get(json_array_get(list, i), "event"));
        const char *why = json_string_value(json_object_get(json_array_get(list, i), "reason"));
        if (other && why && strcmp(other, event) == 0 && strcmp(why, reason) == 0)
            return true;
    }
    return false;
}

/* Lists of missing events, by device; the last one is that of frames. */
static const json_t *
missing_list(const struct pp_saved_session *rec, size_t list)
{
    const json_t *devices = pp_saved_json(rec, "devices");
    if (list < json_array_size(devices))
        return json_object_get(json_array_get(devices, list), "events_missing");
    return pp_saved_json(rec, "frames.events_missing");
}

/* Did another context of the same driver lack the event for the same reason? Then the event is already in the
 * list. */
static bool
is_said(const struct pp_saved_session *rec, size_t list, const char *event, const char *reason)
{
    for (size_t before = 0; before < list && before < MANY_DEVICES; before++)
        if (names_missing(missing_list(rec, before), event, reason))
            return true;
    return false;
}

/* Add an event to the groups. @return Groups there are now, also beyond cap. */
static size_t
add_missing(struct pp_saved_missing *ret, size_t len, size_t cap, const char *event, const char *reason)
{
    size_t at = 0;
    while (at < len && at < cap && strcmp(ret[at].reason, reason) != 0)
        at++;
    if (at >= cap)
        return len < cap ? len : len + 1;
    if (at == len)
        ret[len++] = (struct pp_saved_missing){event, reason, 0};
    ret[at].events++;
    return len;
}

size_t
pp_saved_missing(const struct pp_saved_session *rec, size_t device, struct pp_saved_missing *ret, size_t cap)
{
    size_t devices = json_array_size(pp_saved_json(rec, "devices")), len = 0;
    for (size_t d = 0; d <= devices; d++) {
        const json_t *list = missing_list(rec, d);
        bool all = device == PP_SAVED_ALL_DEVICES;
        if (!all && d != device && !(d == devices && device == 0))
            continue;
        for (size_t i = 0; i < json_array_size(list) && i < MANY_EVENTS; i++) {
            const char *event = json_string_value(json_object_get(json_array_get(list, i), "event"));
            const char *reason = json_string_value(json_object_get(json_array_get(list, i), "reason"));
            if (event && reason && !(all && is_said(rec, d, event, reason)))
                len = add_missing(ret, len, cap, event, reason);
        }
    }
    return len;
}
