/** @file
 * See frame_window.h. */
#include "cli/session/frame_window.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/session/saved_session.h"
#include "counters/util/grow_array.h"

struct pp_first_frame {
    struct pp_saved_row row;
    double *value; /* counters; owned */
};

/* Has a frame no draw and no dispatch? No if one of the counts is not known. */
static bool
is_idle(const struct pp_saved_row *row)
{
    return row->draws <= 0 && row->dispatches <= 0;
}

static int
hold(struct pp_first_frames *first, const struct pp_saved_row *row, const double *value, size_t values)
{
    int rc = pp_grow_array(&first->held, &first->cap, first->count + 1, sizeof(*first->held));
    double *copy = calloc(values + 1, sizeof(*copy));
    if (rc || !copy) {
        free(copy);
        return -ENOMEM;
    }
    if (values)
        memcpy(copy, value, values * sizeof(*copy));
    first->held[first->count++] = (struct pp_first_frame){*row, copy};
    return 0;
}

/* Pass on the rows that are held and are after first->last. */
static int
pass_on(struct pp_first_frames *first, pp_first_frames_take *take, void *data)
{
    size_t kept = 0;
    int rc = 0;
    for (size_t i = 0; i < first->count; i++) {
        struct pp_first_frame *held = &first->held[i];
        if (held->row.frame <= first->last) {
            first->held[kept++] = *held;
            continue;
        }
        rc = rc ? rc : take(data, &held->row, held->value);
        first->passed_on++;
        free(held->value);
    }
    first->count = kept;
    return rc;
}

/* Let the frame with the lowest number be the only first frame. */
static void
decide_lowest(struct pp_first_frames *first)
{
    first->decided = true;
    first->last = first->held[0].row.frame;
    for (size_t i = 1; i < first->count; i++)
        first->last = fmin(first->last, first->held[i].row.frame);
}

int
pp_first_frames_add(struct pp_first_frames *first, const struct pp_saved_row *row, const double *value,
                    size_t values, pp_first_frames_take *take, void *data)
{
    if (first->decided && row->frame > first->last) {
        first->passed_on++;
        return take(data, row, value);
    }
    int rc = hold(first, row, value, values);
    if (rc || (first->decided && row->frame >= first->last))
        return rc; /* a number that was there before: only files that passprobe did not write have it */
    if (!is_idle(row)) {
        first->decided = true;
        first->last = row->frame;
    } else if (first->count > PP_FIRST_FRAMES_MAX) {
        decide_lowest(first);
    } else {
        return 0;
    }
    return pass_on(first, take, data);
}

int
pp_first_frames_end(struct pp_first_frames *first, pp_first_frames_take *take, void *data,
                    struct pp_saved_first *ret)
{
    int rc = 0;
    *ret = (struct pp_saved_first){0};
    if (first->count > 0 && (!first->decided || first->passed_on == 0)) {
        bool only = first->count == 1 && first->passed_on == 0;
        decide_lowest(first);
        if (only)
            first->last = -INFINITY;
        rc = pass_on(first, take, data);
    }
    for (size_t i = 0; i < first->count; i++) {
        const struct pp_saved_row *row = &first->held[i].row;
        ret->frames++;
        ret->frame = i ? fmax(ret->frame, row->frame) : row->frame;
        ret->frame_time += isnan(row->frame_time) ? 0 : row->frame_time;
    }
    return rc;
}

void
pp_first_frames_finish(struct pp_first_frames *first)
{
    for (size_t i = 0; i < first->count; i++)
        free(first->held[i].value);
    free(first->held);
    memset(first, 0, sizeof(*first));
}

struct pp_frame_window
pp_frame_window_open(void)
{
    return (struct pp_frame_window){
        .first = -INFINITY, .last = INFINITY, .from_ns = -INFINITY, .to_ns = INFINITY, .before = INFINITY};
}

/* Read a number of digits and at most one point. @return false: there is none at @p *text. */
static bool
take_number(const char **text, bool fraction, double *ret)
{
    static const char digits[] = "0123456789";
    size_t length = strspn(*text, digits);
    size_t whole = length;
    if (fraction && (*text)[length] == '.')
        length += 1 + strspn(*text + length + 1, digits);
    if (!whole || length > 15)
        return false;
    *ret = strtod(*text, NULL); /* the command sets no locale */
    *text += length;
    return true;
}

/* Read "A-B", "A-" or, if @p single, "A". @return false: it is none of these, or B is before A. */
static bool
take_range(const char *text, bool single, double *ret_from, double *ret_to)
{
    double from = 0, to = INFINITY;
    if (!take_number(&text, !single, &from))
        return false;
    if (single && !*text) {
        *ret_from = *ret_to = from;
        return true;
    }
    if (*text++ != '-' || (*text && !take_number(&text, !single, &to)) || *text || to < from)
        return false;
    *ret_from = from;
    *ret_to = to;
    return true;
}

const char *
pp_frame_window_parse(const struct pp_window_given *given, struct pp_frame_window *ret)
{
    struct pp_frame_window window = pp_frame_window_open();
    if (given->frames && !take_range(given->frames, true, &window.first, &window.last))
        return "frames";
    if (given->time && !take_range(given->time, false, &window.after_s, &window.before))
        return "time";
    if (given->between && !strchr(given->between, ','))
        return "between";
    window.timed = given->time != NULL;
    window.any = given->frames || given->time || given->between;
    *ret = window;
    return NULL;
}

/* The time of the first mark of a name that is not before @p after_ns; NaN: there is none. */
static double
mark_at(const json_t *marks, const char *name, size_t length, double after_ns)
{
    double found = (double)NAN;
    for (size_t i = 0; i < json_array_size(marks); i++) {
        const json_t *mark = json_array_get(marks, i);
        const char *label = json_string_value(json_object_get(mark, "label"));
        const json_t *at = json_object_get(mark, "at_ns");
        if (!label || !json_is_number(at) || strlen(label) != length || strncmp(label, name, length) != 0)
            continue;
        double ns = json_number_value(at);
        if (ns >= after_ns && !(ns >= found))
            found = ns;
    }
    return found;
}

bool
pp_frame_window_between(const json_t *marks, const char *between, struct pp_frame_window *ret)
{
    for (const char *comma = strchr(between, ','); comma; comma = strchr(comma + 1, ',')) {
        double from = mark_at(marks, between, (size_t)(comma - between), -INFINITY);
        double to =
            isnan(from) ? from : mark_at(marks, comma + 1, strlen(comma + 1), nextafter(from, INFINITY));
        if (isnan(to))
            continue;
        ret->from_ns = from;
        ret->to_ns = to;
        return true;
    }
    return false;
}

static double
number_or(const json_t *object, const char *name, double instead)
{
    const json_t *number = json_object_get(object, name);
    return json_is_number(number) ? json_number_value(number) : instead;
}

struct pp_frame_window
pp_frame_window_recorded(const json_t *window)
{
    struct pp_frame_window ret = pp_frame_window_open();
    const char *options = json_string_value(json_object_get(window, "options"));
    if (!options)
        return ret;
    bool begun = !json_is_false(json_object_get(window, "begun"));
    ret.any = true;
    ret.recorded = options;
    ret.first = number_or(window, "first_frame", -INFINITY);
    ret.last = number_or(window, "last_frame", INFINITY);
    ret.from_ns = begun ? number_or(window, "from_ns", -INFINITY) : INFINITY;
    ret.to_ns = number_or(window, "to_ns", INFINITY);
    return ret;
}

void
pp_frame_window_begin(struct pp_frame_window *window, double begin_ns)
{
    if (!window->timed)
        return;
    window->from_ns = fmax(window->from_ns, begin_ns + window->after_s * 1e9);
    window->to_ns = fmin(window->to_ns, begin_ns + window->before * 1e9);
}

bool
pp_frame_window_holds(const struct pp_frame_window *window, double frame, double start_ns)
{
    if (frame < window->first || frame > window->last)
        return false;
    if (!(window->from_ns > -INFINITY) && !(window->to_ns < INFINITY))
        return true;
    return start_ns >= window->from_ns && start_ns < window->to_ns;
}
