/** @file
 * See trace_lanes.h. */
#include "cli/trace/trace_lanes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "counters/util/grow_array.h"

/* A slice in one piece of memory: the struct, its args, its texts. */
struct pp_trace_waiting {
    struct pp_trace_slice slice;
    size_t size;     /* of the piece of memory */
    uint64_t serial; /* slices with the same begin keep their order */
};

static size_t
size_of(const struct pp_trace_slice *slice)
{
    size_t size = sizeof(struct pp_trace_waiting) + slice->args * sizeof(*slice->arg) + strlen(slice->name) +
                  strlen(slice->category) + 2;
    for (size_t i = 0; i < slice->args; i++)
        size += slice->arg[i].kind == PP_TRACE_ARG_TEXT ? strlen(slice->arg[i].text) + 1 : 0;
    return size;
}

/* Copy a text to *at, which moves behind it. */
static const char *
copy_text(char **at, const char *text)
{
    size_t len = strlen(text) + 1;
    char *ret = memcpy(*at, text, len);
    *at += len;
    return ret;
}

static struct pp_trace_waiting *
copy_of(const struct pp_trace_slice *slice)
{
    size_t size = size_of(slice);
    struct pp_trace_waiting *ret = malloc(size);
    if (!ret)
        return NULL;
    ret->size = size;
    struct pp_trace_arg *arg = (struct pp_trace_arg *)(ret + 1);
    char *at = (char *)(arg + slice->args);
    ret->slice = *slice;
    ret->slice.name = copy_text(&at, slice->name);
    ret->slice.category = copy_text(&at, slice->category);
    ret->slice.arg = arg;
    for (size_t i = 0; i < slice->args; i++) {
        arg[i] = slice->arg[i];
        if (arg[i].kind == PP_TRACE_ARG_TEXT)
            arg[i].text = copy_text(&at, slice->arg[i].text);
    }
    return ret;
}

/* Does a come before b? */
static bool
is_earlier(const struct pp_trace_waiting *a, const struct pp_trace_waiting *b)
{
    if (a->slice.start_ns != b->slice.start_ns)
        return a->slice.start_ns < b->slice.start_ns;
    return a->serial < b->serial;
}

static void
swap(struct pp_trace_waiting **a, struct pp_trace_waiting **b)
{
    struct pp_trace_waiting *was = *a;
    *a = *b;
    *b = was;
}

static void
push(struct pp_trace_lanes *lanes, struct pp_trace_waiting *waiting)
{
    size_t at = lanes->len++;
    lanes->waiting[at] = waiting;
    for (; at && is_earlier(lanes->waiting[at], lanes->waiting[(at - 1) / 2]); at = (at - 1) / 2)
        swap(&lanes->waiting[at], &lanes->waiting[(at - 1) / 2]);
}

static struct pp_trace_waiting *
pop(struct pp_trace_lanes *lanes)
{
    struct pp_trace_waiting **heap = lanes->waiting;
    struct pp_trace_waiting *ret = heap[0];
    size_t len = --lanes->len;
    heap[0] = heap[len];
    for (size_t at = 0;;) {
        size_t least = at, left = 2 * at + 1;
        if (left < len && is_earlier(heap[left], heap[least]))
            least = left;
        if (left + 1 < len && is_earlier(heap[left + 1], heap[least]))
            least = left + 1;
        if (least == at)
            return ret;
        swap(&heap[at], &heap[least]);
        at = least;
    }
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
    free(waiting);
    return rc;
}

int
pp_trace_lanes_add(struct pp_trace_lanes *lanes, const struct pp_trace_slice *slice)
{
    if (pp_grow_array(&lanes->waiting, &lanes->cap, lanes->len + 1, sizeof(*lanes->waiting)))
        return -ENOMEM;
    struct pp_trace_waiting *waiting = copy_of(slice);
    if (!waiting)
        return -ENOMEM;
    waiting->serial = lanes->serial++;
    lanes->bytes += waiting->size;
    push(lanes, waiting);
    int rc = 0;
    while (rc == 0 && (lanes->len >= PP_TRACE_WAITING || lanes->bytes > PP_TRACE_WAITING_BYTES))
        rc = give_earliest(lanes);
    return rc;
}

int
pp_trace_lanes_flush(struct pp_trace_lanes *lanes)
{
    int rc = 0;
    while (lanes->len && rc == 0)
        rc = give_earliest(lanes);
    return rc;
}

void
pp_trace_lanes_finish(struct pp_trace_lanes *lanes)
{
    for (size_t i = 0; i < lanes->len; i++)
        free(lanes->waiting[i]);
    free(lanes->waiting);
    memset(lanes, 0, sizeof(*lanes));
}
