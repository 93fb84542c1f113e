/** @file
 * See trace_lanes.h. */
#include "cli/trace/trace_lanes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "counters/util/grow_array.h"

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

int
pp_trace_lanes_add(struct pp_trace_lanes *lanes, const struct pp_trace_slice *slice)
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

int
pp_trace_lanes_flush(struct pp_trace_lanes *lanes)
{
    int rc = 0;
    while (waiting_of(lanes) && rc == 0)
        rc = give_earliest(lanes);
    return rc;
}

void
pp_trace_lanes_finish(struct pp_trace_lanes *lanes)
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
