/** @file
 * See trace_tracks.h. */
#include "cli/trace/trace_tracks.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/export/export_columns.h"
#include "counters/util/grow_array.h"

/* Slices that wait for earlier ones, at most. */
#define PP_TRACE_WAITING 65536U

/* Memory of the slices that wait, at most. A row of a session may have thousands of cells. */
#define PP_TRACE_WAITING_BYTES ((size_t)24 << 20)

/* Memory has a multiple of this size. */
#define SPARE_STEP ((size_t)256)
/* Unused memory at most. */
#define SPARE_BYTES ((size_t)1 << 20)

/* A slice in one piece of memory: the struct, its args, its texts. */
struct pp_trace_waiting {
    struct pp_trace_slice slice;
    size_t size;                   /* of what is used of the memory */
    struct pp_trace_waiting *next; /* of unused memory of this size */
};

static size_t
size_of(const struct pp_trace_slice *slice)
{
    size_t size = sizeof(struct pp_trace_waiting) + slice->args * sizeof(*slice->arg) + strlen(slice->name) +
                  strlen(slice->category) + 2;
    for (size_t i = 0; i < slice->args; i++)
        size += slice->arg[i].kind == PP_TRACE_ARG_TEXT ? (size_t)slice->arg[i].len + 1 : 0;
    return size;
}

/* Take memory that is unused, or new one: millions of slices have nearly the same size. */
static struct pp_trace_waiting *
take_memory(struct pp_trace_lanes *lanes, size_t size)
{
    size_t steps = (size + SPARE_STEP - 1) / SPARE_STEP;
    if (steps >= PP_TRACE_SPARE_SIZES)
        return malloc(size);
    struct pp_trace_waiting *ret = lanes->spare[steps];
    if (!ret)
        return malloc(steps * SPARE_STEP);
    lanes->spare[steps] = ret->next;
    lanes->spare_bytes -= steps * SPARE_STEP;
    return ret;
}

static void
give_memory(struct pp_trace_lanes *lanes, struct pp_trace_waiting *waiting)
{
    size_t steps = (waiting->size + SPARE_STEP - 1) / SPARE_STEP;
    if (steps >= PP_TRACE_SPARE_SIZES || lanes->spare_bytes > SPARE_BYTES) {
        free(waiting);
        return;
    }
    waiting->next = lanes->spare[steps];
    lanes->spare[steps] = waiting;
    lanes->spare_bytes += steps * SPARE_STEP;
}

/* Copy a text to *at, which moves after it. */
static const char *
copy_text(char **at, const char *text, size_t len)
{
    char *ret = memcpy(*at, text, len + 1);
    *at += len + 1;
    return ret;
}

static struct pp_trace_waiting *
copy_of(struct pp_trace_lanes *lanes, const struct pp_trace_slice *slice)
{
    size_t size = size_of(slice);
    struct pp_trace_waiting *ret = take_memory(lanes, size);
    if (!ret)
        return NULL;
    ret->size = size;
    struct pp_trace_arg *arg = (struct pp_trace_arg *)(ret + 1);
    char *at = (char *)(arg + slice->args);
    ret->slice = *slice;
    ret->slice.name = copy_text(&at, slice->name, strlen(slice->name));
    ret->slice.category = copy_text(&at, slice->category, strlen(slice->category));
    ret->slice.arg = arg;
    for (size_t i = 0; i < slice->args; i++) {
        arg[i] = slice->arg[i];
        if (arg[i].kind == PP_TRACE_ARG_TEXT)
            arg[i].text = copy_text(&at, slice->arg[i].text, slice->arg[i].len);
    }
    return ret;
}

/* Does a come before b? */
static bool
is_earlier(const struct pp_trace_turn *a, const struct pp_trace_turn *b)
{
    if (a->start_ns != b->start_ns)
        return a->start_ns < b->start_ns;
    return a->serial < b->serial;
}

static void
swap(struct pp_trace_turn *a, struct pp_trace_turn *b)
{
    struct pp_trace_turn was = *a;
    *a = *b;
    *b = was;
}

/* Add a slice to those that came late. */
static int
push_late(struct pp_trace_lanes *lanes, const struct pp_trace_turn *turn)
{
    if (pp_grow_array(&lanes->late, &lanes->late_cap, lanes->lates + 1, sizeof(*lanes->late)))
        return -ENOMEM;
    struct pp_trace_turn *heap = lanes->late;
    size_t at = lanes->lates++;
    heap[at] = *turn;
    for (; at && is_earlier(&heap[at], &heap[(at - 1) / 2]); at = (at - 1) / 2)
        swap(&heap[at], &heap[(at - 1) / 2]);
    return 0;
}

static struct pp_trace_turn
pop_late(struct pp_trace_lanes *lanes)
{
    struct pp_trace_turn *heap = lanes->late;
    struct pp_trace_turn ret = heap[0];
    size_t len = --lanes->lates;
    heap[0] = heap[len];
    heap[len].waiting = NULL;
    for (size_t at = 0;;) {
        size_t least = at, left = 2 * at + 1;
        if (left < len && is_earlier(&heap[left], &heap[least]))
            least = left;
        if (left + 1 < len && is_earlier(&heap[left + 1], &heap[least]))
            least = left + 1;
        if (least == at)
            return ret;
        swap(&heap[at], &heap[least]);
        at = least;
    }
}

/* Add a slice. Nearly all come in order. */
static int
push(struct pp_trace_lanes *lanes, const struct pp_trace_turn *turn)
{
    if (lanes->tail > lanes->head && is_earlier(turn, &lanes->queue[lanes->tail - 1]))
        return push_late(lanes, turn);
    if (lanes->tail == lanes->cap && lanes->head > lanes->cap / 2) {
        lanes->tail -= lanes->head;
        memmove(lanes->queue, lanes->queue + lanes->head, lanes->tail * sizeof(*lanes->queue));
        lanes->head = 0;
    }
    if (pp_grow_array(&lanes->queue, &lanes->cap, lanes->tail + 1, sizeof(*lanes->queue)))
        return -ENOMEM;
    lanes->queue[lanes->tail++] = *turn;
    return 0;
}

/* Slices that wait. */
static size_t
waiting_of(const struct pp_trace_lanes *lanes)
{
    return lanes->tail - lanes->head + lanes->lates;
}

static struct pp_trace_waiting *
pop(struct pp_trace_lanes *lanes)
{
    bool in_order = lanes->tail > lanes->head &&
                    (!lanes->lates || is_earlier(&lanes->queue[lanes->head], &lanes->late[0]));
    if (!in_order)
        return pop_late(lanes).waiting;
    struct pp_trace_turn *first = &lanes->queue[lanes->head++];
    struct pp_trace_waiting *ret = first->waiting;
    first->waiting = NULL;
    return ret;
}

/* Give the earliest slice to sink(), in the first lane that is free. */
static int
give_earliest(struct pp_trace_lanes *lanes)
{
    struct pp_trace_waiting *waiting = pop(lanes);
    const struct pp_trace_slice *slice = &waiting->slice;
    unsigned lane = 0;
    int rc = 0;
    while (lane < lanes->lanes && lanes->end_ns[lane] > slice->start_ns)
        lane++;
    if (lane == PP_TRACE_LANES) {
        lanes->left_out++;
    } else {
        lanes->lanes = lane == lanes->lanes ? lane + 1 : lanes->lanes;
        lanes->end_ns[lane] = slice->start_ns + slice->duration_ns;
        rc = lanes->sink(lanes->data, lane, slice);
    }
    lanes->bytes -= waiting->size;
    give_memory(lanes, waiting);
    return rc;
}

/* Add a slice; its texts are copied, but for the names of args. Its track does not matter. @retval 0,
 * -ENOMEM, or what sink() returned. */
static int
trace_lanes_add(struct pp_trace_lanes *lanes, const struct pp_trace_slice *slice)
{
    struct pp_trace_waiting *waiting = copy_of(lanes, slice);
    if (!waiting)
        return -ENOMEM;
    const struct pp_trace_turn turn = {slice->start_ns, lanes->serial++, waiting};
    int rc = push(lanes, &turn);
    if (rc) {
        free(waiting);
        return rc;
    }
    lanes->bytes += waiting->size;
    while (rc == 0 && (waiting_of(lanes) >= PP_TRACE_WAITING || lanes->bytes > PP_TRACE_WAITING_BYTES))
        rc = give_earliest(lanes);
    return rc;
}

/* Give all slices that wait to sink(). @retval 0, or what it returned. */
static int
trace_lanes_flush(struct pp_trace_lanes *lanes)
{
    int rc = 0;
    while (waiting_of(lanes) && rc == 0)
        rc = give_earliest(lanes);
    return rc;
}

/* Free everything. */
static void
trace_lanes_finish(struct pp_trace_lanes *lanes)
{
    for (size_t i = lanes->head; i < lanes->tail; i++)
        free(lanes->queue[i].waiting);
    for (size_t i = 0; i < lanes->lates; i++)
        free(lanes->late[i].waiting);
    for (size_t i = 0; i < PP_TRACE_SPARE_SIZES; i++) {
        while (lanes->spare[i]) {
            struct pp_trace_waiting *spare = lanes->spare[i];
            lanes->spare[i] = spare->next;
            free(spare);
        }
    }
    free(lanes->queue);
    free(lanes->late);
    memset(lanes, 0, sizeof(*lanes));
}

/* The length of the first name of a path. A '\' is in front of a '/' that belongs to the name. */
static size_t
name_len(const char *path)
{
    size_t len = 0;
    while (path[len] && path[len] != '/')
        len += path[len] == '\\' && path[len + 1] ? 2 : 1;
    return len;
}

/* A name as the application wrote it. @return NULL: no memory. */
static char *
name_of(const char *path, size_t len)
{
    char *ret = malloc(len + 1);
    size_t to = 0;
    for (size_t i = 0; ret && i < len; i++) {
        i += path[i] == '\\' && i + 1 < len;
        ret[to++] = path[i];
    }
    if (ret)
        ret[to] = '\0';
    return ret;
}

/* Is this a name, as the application wrote it, in a path? */
static bool
is_name(const char *path, size_t len, const char *name)
{
    for (size_t i = 0; i < len; i++) {
        i += path[i] == '\\' && i + 1 < len;
        if (*name++ != path[i])
            return false;
    }
    return !*name;
}

/* End the innermost region. */
static int
close_one(struct pp_trace_labels *labels)
{
    struct pp_trace_region *region = &labels->region[--labels->depth];
    const struct pp_trace_arg frame = {
        .name = "frame", .kind = PP_TRACE_ARG_INTEGER, .integer = labels->frame};
    const struct pp_trace_slice slice = {.start_ns = region->start_ns,
                                         .duration_ns = region->end_ns - region->start_ns,
                                         .name = region->name,
                                         .category = "label",
                                         .arg = &frame,
                                         .args = 1};
    int rc = labels->sink(labels->data, labels->depth, &slice);
    free(region->name);
    region->name = NULL;
    return rc;
}

/* How many of the open regions a path is in. @param ret_rest What follows in the path. */
static size_t
depth_in_common(const struct pp_trace_labels *labels, const char *path, const char **ret_rest)
{
    size_t depth = 0;
    while (depth < labels->depth && *path) {
        size_t len = name_len(path);
        if (!is_name(path, len, labels->region[depth].name))
            break;
        depth++;
        path += len + (path[len] == '/');
    }
    *ret_rest = path;
    return depth;
}

/* End all open regions. @retval 0, or what sink() returned. */
static int
trace_labels_flush(struct pp_trace_labels *labels)
{
    int rc = 0;
    while (labels->depth && rc == 0)
        rc = close_one(labels);
    return rc;
}

/* Work with a label path (docs/formats/session.md), later than all before. @param path "": no region.
 * @retval 0, -ENOMEM, or what sink() returned. */
static int
trace_labels_add(struct pp_trace_labels *labels, const char *path, int64_t frame, int64_t start_ns,
                 int64_t end_ns)
{
    int rc = frame == labels->frame ? 0 : trace_labels_flush(labels);
    size_t keep = depth_in_common(labels, path, &path);
    while (labels->depth > keep && rc == 0)
        rc = close_one(labels);
    labels->frame = frame;
    while (*path && labels->depth < PP_TRACE_LABEL_DEPTH && rc == 0) {
        size_t len = name_len(path);
        struct pp_trace_region *region = &labels->region[labels->depth];
        region->name = name_of(path, len);
        region->start_ns = start_ns;
        region->end_ns = end_ns;
        if (!region->name)
            return -ENOMEM;
        labels->depth++;
        path += len + (path[len] == '/');
    }
    for (size_t i = 0; i < labels->depth; i++)
        if (labels->region[i].end_ns < end_ns)
            labels->region[i].end_ns = end_ns;
    return rc;
}

/* Free everything. */
static void
trace_labels_finish(struct pp_trace_labels *labels)
{
    while (labels->depth)
        free(labels->region[--labels->depth].name);
}

/* Beyond this many groups, reuse the first group of a place: a forged session may name another queue in each
 * row. */
#define GROUPS_MAX 256U

int
pp_trace_tracks_begin(struct pp_trace_tracks *tracks, enum pp_trace_place place, const char *name,
                      const char *unit, uint32_t *ret_id)
{
    const struct pp_trace_track track = {.id = ++tracks->last_id,
                                         .kind = place == PP_TRACE_COUNTERS ? PP_TRACE_COUNTER
                                                 : place == PP_TRACE_PASSES ? PP_TRACE_QUEUE
                                                                            : PP_TRACE_SLICES,
                                         .name = name,
                                         .unit = unit ? unit : "",
                                         .rank = (uint32_t)place << 16 | (tracks->last_id & 0xffff)};
    *ret_id = track.id;
    return tracks->format->ops->track(tracks->format, &track);
}

/* Write a region of labels: each depth has a track. */
static int
write_region(void *data, size_t depth, const struct pp_trace_slice *region)
{
    struct pp_trace_group *group = data;
    struct pp_trace_slice slice = *region;
    char name[300], more[16] = "";
    int rc = 0;
    if (!group->label_track[depth]) { /* a track of slices, also for passes */
        if (depth)
            snprintf(more, sizeof(more), ", depth %zu", depth + 1);
        snprintf(name, sizeof(name), "labels: %.200s%s", group->name, more);
        pp_export_utf8(name); /* it may be cut inside of a character */
        rc =
            pp_trace_tracks_begin(group->tracks, PP_TRACE_GPU_FRAMES, name, NULL, &group->label_track[depth]);
    }
    slice.track = group->label_track[depth];
    return rc ? rc : group->tracks->format->ops->slice(group->tracks->format, &slice);
}

static int
write_slice(void *data, unsigned lane, const struct pp_trace_slice *given)
{
    struct pp_trace_group *group = data;
    struct pp_trace_slice slice = *given;
    char name[300];
    int rc = 0;
    if (!group->track[lane]) {
        if (lane)
            snprintf(name, sizeof(name), "%.200s (%u)", group->name, lane + 1);
        else
            snprintf(name, sizeof(name), "%.200s", group->name);
        pp_export_utf8(name); /* it may be cut inside of a character */
        rc = pp_trace_tracks_begin(group->tracks, group->place, name, NULL, &group->track[lane]);
    }
    slice.track = group->track[lane];
    rc = rc ? rc : group->tracks->format->ops->slice(group->tracks->format, &slice);
    const struct pp_trace_arg *label = slice.label_at ? &slice.arg[slice.label_at - 1] : NULL;
    const struct pp_trace_arg *frame = slice.frame_at ? &slice.arg[slice.frame_at - 1] : NULL;
    bool labelled = group->place == PP_TRACE_PASSES || group->place == PP_TRACE_DRAWS;
    if (rc || lane || !labelled) /* regions of work that overlaps would overlap, too */
        return rc;
    bool text = label && label->kind == PP_TRACE_ARG_TEXT;
    bool numbered = frame && frame->kind == PP_TRACE_ARG_INTEGER;
    return trace_labels_add(&group->labels, text ? label->text : "", numbered ? frame->integer : -1,
                            slice.start_ns, slice.start_ns + slice.duration_ns);
}

int
pp_trace_tracks_group(struct pp_trace_tracks *tracks, enum pp_trace_place place, const char *name,
                      struct pp_trace_group **ret)
{
    for (size_t i = tracks->groups; i-- > 0;) {
        *ret = tracks->group[i];
        if (tracks->group[i]->place == place &&
            (strcmp(tracks->group[i]->name, name) == 0 || tracks->groups >= GROUPS_MAX))
            return 0;
    }
    if (pp_grow_array(&tracks->group, &tracks->cap, tracks->groups + 1, sizeof(*tracks->group)))
        return -ENOMEM;
    struct pp_trace_group *group = calloc(1, sizeof(*group));
    char *copy = strdup(name);
    if (!group || !copy) {
        free(group);
        free(copy);
        return -ENOMEM;
    }
    *group = (struct pp_trace_group){.tracks = tracks, .place = place, .name = copy};
    group->lanes = (struct pp_trace_lanes){.sink = write_slice, .data = group};
    group->labels = (struct pp_trace_labels){.sink = write_region, .data = group};
    tracks->group[tracks->groups++] = *ret = group;
    return 0;
}

int
pp_trace_group_add(struct pp_trace_group *group, const struct pp_trace_slice *slice)
{
    return trace_lanes_add(&group->lanes, slice);
}

int
pp_trace_tracks_flush(struct pp_trace_tracks *tracks)
{
    int rc = 0;
    for (size_t i = 0; i < tracks->groups && rc == 0; i++) {
        rc = trace_lanes_flush(&tracks->group[i]->lanes);
        rc = rc ? rc : trace_labels_flush(&tracks->group[i]->labels);
    }
    return rc;
}

uint64_t
pp_trace_tracks_left_out(const struct pp_trace_tracks *tracks)
{
    uint64_t ret = 0;
    for (size_t i = 0; i < tracks->groups; i++)
        ret += tracks->group[i]->lanes.left_out;
    return ret;
}

void
pp_trace_tracks_finish(struct pp_trace_tracks *tracks)
{
    for (size_t i = 0; i < tracks->groups; i++) {
        trace_lanes_finish(&tracks->group[i]->lanes);
        trace_labels_finish(&tracks->group[i]->labels);
        free(tracks->group[i]->name);
        free(tracks->group[i]);
    }
    free(tracks->group);
    memset(tracks, 0, sizeof(*tracks));
}
