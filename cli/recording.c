/** @file
 * See recording.h. */
#include "cli/recording.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/csv.h"
#include "cli/places.h"

#define MAX_SURFACES 1024U
#define MAX_PASSES   65536U

/* Columns that are read by name. */
enum column {
    COL_FRAME,
    COL_API,
    COL_DEVICE,
    COL_SURFACE,
    COL_LEVEL,
    COL_FRAME_TIME,
    COL_CPU_BUSY,
    COL_CPU_WAIT,
    COL_GPU_LATENCY,
    COL_GPU_TIME,
    COL_GPU_BUSY,
    COL_GPU_WAIT,
    COL_BOUND_BY,
    COL_PASSES,
    COL_DRAWS,
    COL_DISPATCHES,
    COL_COPIES,
    COL_PASS_ID,
    COL_NAME,
    COL_LABEL,
    COL_KIND,
    COLUMNS
};

static const char *const column_name[COLUMNS] = {
    [COL_FRAME] = "frame",
    [COL_API] = "api",
    [COL_DEVICE] = "device",
    [COL_SURFACE] = "surface",
    [COL_LEVEL] = "level",
    [COL_FRAME_TIME] = "frame_time_ns",
    [COL_CPU_BUSY] = "cpu_busy_ns",
    [COL_CPU_WAIT] = "cpu_wait_ns",
    [COL_GPU_LATENCY] = "gpu_latency_ns",
    [COL_GPU_TIME] = "gpu_time_ns",
    [COL_GPU_BUSY] = "gpu_busy_ns",
    [COL_GPU_WAIT] = "gpu_wait_ns",
    [COL_BOUND_BY] = "bound_by",
    [COL_PASSES] = "passes",
    [COL_DRAWS] = "draws",
    [COL_DISPATCHES] = "dispatches",
    [COL_COPIES] = "copies",
    [COL_PASS_ID] = "pass_id",
    [COL_NAME] = "name",
    [COL_LABEL] = "label",
    [COL_KIND] = "kind",
};

/* One file being read. */
struct reading {
    struct pp_recording *rec;
    size_t at[COLUMNS]; /* column of the file, SIZE_MAX: it has none */
    size_t *counter_at; /* column of rec->counter[i] */
    int error;
};

static const struct pp_cell absent = {.text = "", .len = 0, .present = false};

static const struct pp_cell *
get(const struct reading *r, const struct pp_cell *cell, enum column column)
{
    return r->at[column] == SIZE_MAX ? &absent : &cell[r->at[column]];
}

static double
number_or_zero(const struct pp_cell *cell)
{
    double value = 0;
    return pp_cell_number(cell, &value) ? value : 0;
}

/* Room for one more element in an array. */
static int
grow(void *array_pointer, size_t len, size_t *cap, size_t size)
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

static int
series_add(struct pp_series *series, const struct pp_cell *cell)
{
    double value = 0;
    if (!pp_cell_number(cell, &value))
        return 0;
    if (grow(&series->value, series->len, &series->cap, sizeof(*series->value)))
        return -ENOMEM;
    series->value[series->len++] = value;
    return 0;
}

static void
find_columns(struct reading *r, const struct pp_cell *cell, size_t cells)
{
    for (size_t c = 0; c < COLUMNS; c++) {
        r->at[c] = SIZE_MAX;
        for (size_t i = cells; i-- > 0;) {
            if (pp_cell_is(&cell[i], column_name[c]))
                r->at[c] = i;
        }
    }
}

/* frames.csv */

static bool
frames_header(void *data, const struct pp_cell *cell, size_t cells)
{
    struct reading *r = data;
    find_columns(r, cell, cells);
    size_t counters = 0;
    for (size_t i = 0; i < cells; i++)
        counters += strchr(cell[i].text, ':') != NULL;
    if (r->at[COL_FRAME] == SIZE_MAX) {
        r->error = -EINVAL;
        return false;
    }
    r->rec->counter = calloc(counters + 1, sizeof(*r->rec->counter));
    r->counter_at = calloc(counters + 1, sizeof(*r->counter_at));
    if (!r->rec->counter || !r->counter_at) {
        r->error = -ENOMEM;
        return false;
    }
    for (size_t i = 0; i < cells; i++) {
        if (!strchr(cell[i].text, ':'))
            continue;
        struct pp_rec_counter *counter = &r->rec->counter[r->rec->counters];
        counter->name = strdup(cell[i].text);
        if (!counter->name) {
            r->error = -ENOMEM;
            return false;
        }
        r->counter_at[r->rec->counters++] = i;
    }
    return true;
}

/* The surface of a row, made if it is new. */
static struct pp_rec_surface *
surface_of(struct reading *r, const struct pp_cell *cell)
{
    struct pp_recording *rec = r->rec;
    const char *api = get(r, cell, COL_API)->text;
    const char *device = get(r, cell, COL_DEVICE)->text;
    const char *surface = get(r, cell, COL_SURFACE)->text;
    for (size_t i = 0; i < rec->surfaces; i++) {
        struct pp_rec_surface *s = &rec->surface[i];
        if (strcmp(s->surface, surface) == 0 && strcmp(s->device, device) == 0 && strcmp(s->api, api) == 0)
            return s;
    }
    if (rec->surfaces == MAX_SURFACES) {
        r->error = -EFBIG;
        return NULL;
    }
    if (grow(&rec->surface, rec->surfaces, &rec->surface_cap, sizeof(*rec->surface))) {
        r->error = -ENOMEM;
        return NULL;
    }
    struct pp_rec_surface *s = &rec->surface[rec->surfaces++];
    s->api = strdup(api);
    s->device = strdup(device);
    s->surface = strdup(surface);
    if (!s->api || !s->device || !s->surface) {
        r->error = -ENOMEM;
        return NULL;
    }
    return s;
}

static size_t
level_of(const struct pp_cell *cell)
{
    return pp_cell_is(cell, "draw") ? PP_REC_DRAW : pp_cell_is(cell, "pass") ? PP_REC_PASS : PP_REC_FRAME;
}

static enum pp_verdict
verdict_of(const struct pp_cell *cell)
{
    static const char *const name[] = {"cpu", "gpu", "present", "sync"};
    for (size_t i = 0; i < sizeof(name) / sizeof(name[0]); i++) {
        if (pp_cell_is(cell, name[i]))
            return (enum pp_verdict)i;
    }
    return PP_VERDICT_NONE;
}

/* The parts of a row that are kept one by one. */
static int
add_times(const struct reading *r, struct pp_rec_surface *s, const struct pp_cell *cell, size_t level)
{
    int rc = series_add(&s->frame_time[level], get(r, cell, COL_FRAME_TIME));
    rc = rc ? rc : series_add(&s->cpu_busy, get(r, cell, COL_CPU_BUSY));
    rc = rc ? rc : series_add(&s->cpu_wait, get(r, cell, COL_CPU_WAIT));
    rc = rc ? rc : series_add(&s->gpu_latency, get(r, cell, COL_GPU_LATENCY));
    rc = rc ? rc : series_add(&s->gpu_time, get(r, cell, COL_GPU_TIME));
    rc = rc ? rc : series_add(&s->gpu_busy, get(r, cell, COL_GPU_BUSY));
    return rc ? rc : series_add(&s->gpu_wait, get(r, cell, COL_GPU_WAIT));
}

/* A frame's counters: a period of a rotation, in which those with a value were on. */
static void
add_counters(struct reading *r, const struct pp_cell *cell)
{
    double time = 0;
    bool timed = pp_cell_number(get(r, cell, COL_GPU_TIME), &time) && time >= 0 && time < 1e18;
    enum pp_status status = timed ? PP_OK : PP_NOT_LANDED;
    uint64_t cycles = timed ? (uint64_t)time : 0;
    pp_mux_period(&r->rec->mux, cycles, status, 0, NULL, 0);
    for (size_t i = 0; i < r->rec->counters; i++) {
        struct pp_rec_counter *counter = &r->rec->counter[i];
        double value = 0;
        if (!pp_cell_number(&cell[r->counter_at[i]], &value))
            continue;
        counter->sum += value;
        counter->rows++;
        counter->other |= value < 0 || value > 0;
        if (!timed)
            continue;
        counter->weighted += value * time;
        counter->weight += time;
        if (value < 0 || value > 1e18)
            continue;
        /* A counter's own sums, beside the frames' that all of them share. */
        struct pp_mux own = {.event = &counter->at, .events = 1};
        const struct pp_mux_result result = {.count = (uint64_t)(value + 0.5)};
        pp_mux_period(&own, cycles, PP_OK, 0, &result, 1);
    }
}

static bool
frames_row(void *data, const struct pp_cell *cell, size_t cells)
{
    struct reading *r = data;
    double frame = 0;
    (void)cells;
    if (!pp_cell_number(get(r, cell, COL_FRAME), &frame)) {
        r->rec->bad_rows++;
        return true;
    }
    struct pp_rec_surface *s = surface_of(r, cell);
    if (!s)
        return false;
    size_t level = level_of(get(r, cell, COL_LEVEL));
    s->by_level[level]++;
    s->verdict[verdict_of(get(r, cell, COL_BOUND_BY))]++;
    s->passes += number_or_zero(get(r, cell, COL_PASSES));
    s->draws += number_or_zero(get(r, cell, COL_DRAWS));
    s->dispatches += number_or_zero(get(r, cell, COL_DISPATCHES));
    s->copies += number_or_zero(get(r, cell, COL_COPIES));
    add_counters(r, cell);
    double time = number_or_zero(get(r, cell, COL_FRAME_TIME));
    if (s->frames++ == 0) {
        s->first_frame = frame;
        s->first_time_ns = time;
        return true;
    }
    s->total_ns += time;
    r->error = add_times(r, s, cell, level);
    return r->error == 0;
}

/* passes.csv */

static bool
passes_header(void *data, const struct pp_cell *cell, size_t cells)
{
    struct reading *r = data;
    find_columns(r, cell, cells);
    if (r->at[COL_PASS_ID] == SIZE_MAX && r->at[COL_NAME] == SIZE_MAX)
        r->error = -EINVAL;
    return r->error == 0;
}

static bool
same_pass(const struct pp_rec_pass *pass, const char *pass_id, const char *name)
{
    return strcmp(pass->pass_id, pass_id) == 0 && strcmp(pass->name, name) == 0;
}

/* The pass of a row, made if it is new. The search begins behind the last hit: rows come in the same order
 * frame by frame. */
static struct pp_rec_pass *
pass_of(struct reading *r, const struct pp_cell *cell, size_t *last)
{
    struct pp_recording *rec = r->rec;
    const char *pass_id = get(r, cell, COL_PASS_ID)->text;
    const char *name = get(r, cell, COL_NAME)->text;
    for (size_t i = 0; i < rec->passes; i++) {
        size_t at = (*last + 1 + i) % rec->passes;
        if (same_pass(&rec->pass[at], pass_id, name)) {
            *last = at;
            return &rec->pass[at];
        }
    }
    if (rec->passes == MAX_PASSES) {
        r->error = -EFBIG;
        return NULL;
    }
    if (grow(&rec->pass, rec->passes, &rec->pass_cap, sizeof(*rec->pass))) {
        r->error = -ENOMEM;
        return NULL;
    }
    *last = rec->passes;
    struct pp_rec_pass *pass = &rec->pass[rec->passes++];
    pass->pass_id = strdup(pass_id);
    pass->name = strdup(name);
    pass->label = strdup(get(r, cell, COL_LABEL)->text);
    pass->kind = strdup(get(r, cell, COL_KIND)->text);
    if (!pass->pass_id || !pass->name || !pass->label || !pass->kind) {
        r->error = -ENOMEM;
        return NULL;
    }
    return pass;
}

/* Reading passes.csv: where the last row's pass was. */
struct passes_reading {
    struct reading r; /* first: passes_header() takes it */
    size_t last;
};

/* Is this a first frame, whose times hold the program's start? Not if it is its surface's only one. */
static bool
is_first_frame(const struct pp_recording *rec, double frame)
{
    for (size_t i = 0; i < rec->surfaces; i++) {
        if (rec->surface[i].frames > 1 && rec->surface[i].first_frame >= frame &&
            rec->surface[i].first_frame <= frame)
            return true;
    }
    return false;
}

static void
add_bound(struct pp_rec_pass *pass, const struct pp_cell *cell)
{
    if (!cell->len || cell->len >= sizeof(pass->bound[0].unit))
        return;
    for (size_t i = 0; i < PP_REC_BOUNDS; i++) {
        struct pp_rec_bound *bound = &pass->bound[i];
        if (bound->rows && !pp_cell_is(cell, bound->unit))
            continue;
        memcpy(bound->unit, cell->text, cell->len);
        bound->unit[cell->len] = '\0';
        bound->rows++;
        return;
    }
}

static bool
passes_row(void *data, const struct pp_cell *cell, size_t cells)
{
    struct passes_reading *p = data;
    double frame = -1;
    double time = 0;
    (void)cells;
    /* an empty frame cell is no error: work that belongs to no frame */
    if (get(&p->r, cell, COL_FRAME)->present && !pp_cell_number(get(&p->r, cell, COL_FRAME), &frame)) {
        p->r.rec->bad_rows++;
        return true;
    }
    struct pp_rec_pass *pass = pass_of(&p->r, cell, &p->last);
    if (!pass)
        return false;
    pass->rows++;
    p->r.rec->pass_rows++;
    add_bound(pass, get(&p->r, cell, COL_BOUND_BY));
    if (!is_first_frame(p->r.rec, frame) && pp_cell_number(get(&p->r, cell, COL_GPU_TIME), &time)) {
        pass->total_ns += time;
        p->r.error = series_add(&pass->gpu_time, get(&p->r, cell, COL_GPU_TIME));
    }
    return p->r.error == 0;
}

static int
by_total_descending(const void *a, const void *b)
{
    const struct pp_rec_pass *x = a;
    const struct pp_rec_pass *y = b;
    if (x->total_ns != y->total_ns)
        return x->total_ns < y->total_ns ? 1 : -1;
    int order = strcmp(x->name, y->name);
    return order ? order : strcmp(x->pass_id, y->pass_id);
}

/* One of the two sources: a path, or text. */
static int
read_rows(const char *path, const char *text, size_t len, const struct pp_csv_reader *reader)
{
    return path ? pp_csv_read(path, reader) : pp_csv_read_text(text, len, reader);
}

static int
read_frames(struct pp_recording *rec, const char *path, const char *text, size_t len)
{
    struct reading r = {.rec = rec};
    const struct pp_csv_reader reader = {.header = frames_header, .row = frames_row, .data = &r};
    int rc = read_rows(path, text, len, &reader);
    free(r.counter_at);
    return rc ? rc : r.error;
}

static int
read_passes(struct pp_recording *rec, const char *path, const char *text, size_t len)
{
    struct passes_reading p = {.r.rec = rec};
    const struct pp_csv_reader reader = {.header = passes_header, .row = passes_row, .data = &p};
    int rc = read_rows(path, text, len, &reader);
    if (rec->passes)
        qsort(rec->pass, rec->passes, sizeof(*rec->pass), by_total_descending);
    return rc ? rc : p.r.error;
}

int
pp_recording_frames_text(struct pp_recording *rec, const char *text, size_t len)
{
    return read_frames(rec, NULL, text, len);
}

int
pp_recording_passes_text(struct pp_recording *rec, const char *text, size_t len)
{
    return read_passes(rec, NULL, text, len);
}

static void
read_json(struct pp_recording *rec, const char *path)
{
    json_error_t error;
    rec->json = json_load_file(path, JSON_REJECT_DUPLICATES, &error);
    if (!rec->json)
        strncpy(rec->json_error, error.text, sizeof(rec->json_error) - 1);
}

int
pp_recording_read(const char *dir, struct pp_recording *ret)
{
    struct pp_recording rec;
    char path[PATH_MAX];
    memset(&rec, 0, sizeof(rec));
    if (!pp_join(path, dir, "session.json"))
        return -ENOENT;
    read_json(&rec, path);
    rec.frames_error = pp_join(path, dir, "frames.csv") ? read_frames(&rec, path, NULL, 0) : -ENAMETOOLONG;
    rec.passes_error = pp_join(path, dir, "passes.csv") ? read_passes(&rec, path, NULL, 0) : -ENAMETOOLONG;
    if (rec.frames_error == -ENOMEM || rec.passes_error == -ENOMEM) {
        pp_recording_finish(&rec);
        return -ENOMEM;
    }
    if (!rec.json && (rec.frames_error == -ENOENT || rec.frames_error == -ENOTDIR)) {
        pp_recording_finish(&rec);
        return -ENOENT;
    }
    *ret = rec;
    return 0;
}

static void
surface_finish(struct pp_rec_surface *s)
{
    free(s->api);
    free(s->device);
    free(s->surface);
    for (size_t i = 0; i < PP_REC_LEVELS; i++)
        free(s->frame_time[i].value);
    free(s->cpu_busy.value);
    free(s->cpu_wait.value);
    free(s->gpu_time.value);
    free(s->gpu_busy.value);
    free(s->gpu_wait.value);
    free(s->gpu_latency.value);
}

void
pp_recording_finish(struct pp_recording *rec)
{
    for (size_t i = 0; i < rec->surfaces; i++)
        surface_finish(&rec->surface[i]);
    for (size_t i = 0; i < rec->counters; i++)
        free(rec->counter[i].name);
    for (size_t i = 0; i < rec->passes; i++) {
        free(rec->pass[i].pass_id);
        free(rec->pass[i].name);
        free(rec->pass[i].label);
        free(rec->pass[i].kind);
        free(rec->pass[i].gpu_time.value);
    }
    free(rec->surface);
    free(rec->counter);
    free(rec->pass);
    json_decref(rec->json);
    memset(rec, 0, sizeof(*rec));
}

void
pp_recording_mux(const struct pp_recording *rec, size_t i, struct pp_mux_value *ret)
{
    struct pp_mux_event event = rec->counter[i].at;
    struct pp_mux mux = rec->mux;
    mux.event = &event;
    mux.events = 1;
    pp_mux_value(&mux, 0, ret);
}

bool
pp_recording_is_state(const struct pp_recording *rec, size_t i)
{
    static const char *const unit[] = {"_percent", "_hz"};
    const char *name = rec->counter[i].name;
    json_t *states = pp_recording_json(rec, "states");
    for (size_t j = 0; j < json_array_size(states); j++) {
        const char *state = json_string_value(json_array_get(states, j));
        if (state && strcmp(state, name) == 0)
            return true;
    }
    for (size_t j = 0; j < sizeof(unit) / sizeof(unit[0]); j++) {
        size_t length = strlen(name), tail = strlen(unit[j]);
        if (length > tail && strcmp(name + length - tail, unit[j]) == 0)
            return true;
    }
    return false;
}

const char *
pp_recording_bound(const struct pp_rec_pass *pass)
{
    const struct pp_rec_bound *most = &pass->bound[0];
    for (size_t i = 1; i < PP_REC_BOUNDS; i++)
        if (pass->bound[i].rows > most->rows)
            most = &pass->bound[i];
    return most->rows ? most->unit : "";
}

uint64_t
pp_recording_frames(const struct pp_recording *rec)
{
    uint64_t frames = 0;
    for (size_t i = 0; i < rec->surfaces; i++)
        frames += rec->surface[i].frames;
    return frames;
}

const struct pp_rec_surface *
pp_recording_main_surface(const struct pp_recording *rec)
{
    const struct pp_rec_surface *best = NULL;
    for (size_t i = 0; i < rec->surfaces; i++) {
        if (!best || rec->surface[i].frames > best->frames)
            best = &rec->surface[i];
    }
    return best;
}

json_t *
pp_recording_json(const struct pp_recording *rec, const char *path)
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

/* Add a list of events to the groups. @return Groups there are now. */
static size_t
add_missing(const json_t *list, struct pp_rec_missing *ret, size_t len, size_t cap)
{
    for (size_t i = 0; i < json_array_size(list); i++) {
        const char *event = json_string_value(json_object_get(json_array_get(list, i), "event"));
        const char *reason = json_string_value(json_object_get(json_array_get(list, i), "reason"));
        if (!event || !reason)
            continue;
        size_t at = 0;
        while (at < len && strcmp(ret[at].reason, reason) != 0)
            at++;
        if (at == len && len == cap)
            continue;
        if (at == len)
            ret[len++] = (struct pp_rec_missing){event, reason, 0};
        ret[at].events++;
    }
    return len;
}

size_t
pp_recording_missing(const struct pp_recording *rec, size_t device, struct pp_rec_missing *ret, size_t cap)
{
    const json_t *of = json_array_get(pp_recording_json(rec, "devices"), device);
    size_t len = add_missing(json_object_get(of, "events_missing"), ret, 0, cap);
    if (device == 0)
        len = add_missing(pp_recording_json(rec, "frames.events_missing"), ret, len, cap);
    return len;
}
