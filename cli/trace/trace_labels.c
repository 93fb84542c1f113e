/** @file
 * See trace_labels.h. */
#include "cli/trace/trace_labels.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

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
