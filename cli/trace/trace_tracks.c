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
    return pp_trace_labels_add(&group->labels, text ? label->text : "", numbered ? frame->integer : -1,
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
    return pp_trace_lanes_add(&group->lanes, slice);
}

int
pp_trace_tracks_flush(struct pp_trace_tracks *tracks)
{
    int rc = 0;
    for (size_t i = 0; i < tracks->groups && rc == 0; i++) {
        rc = pp_trace_lanes_flush(&tracks->group[i]->lanes);
        rc = rc ? rc : pp_trace_labels_flush(&tracks->group[i]->labels);
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
        pp_trace_lanes_finish(&tracks->group[i]->lanes);
        pp_trace_labels_finish(&tracks->group[i]->labels);
        free(tracks->group[i]->name);
        free(tracks->group[i]);
    }
    free(tracks->group);
    memset(tracks, 0, sizeof(*tracks));
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

int
pp_trace_labels_add(struct pp_trace_labels *labels, const char *path, int64_t frame, int64_t start_ns,
                    int64_t end_ns)
{
    int rc = frame == labels->frame ? 0 : pp_trace_labels_flush(labels);
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

int
pp_trace_labels_flush(struct pp_trace_labels *labels)
{
    int rc = 0;
    while (labels->depth && rc == 0)
        rc = close_one(labels);
    return rc;
}

void
pp_trace_labels_finish(struct pp_trace_labels *labels)
{
    while (labels->depth)
        free(labels->region[--labels->depth].name);
}
