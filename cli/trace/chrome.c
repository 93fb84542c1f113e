/** @file
 * See chrome.h. Source: "Trace Event Format" of the Chromium project. Times are microseconds; with three
 * decimals they are exact to the nanosecond. */
#include "cli/trace/chrome.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "counters/util/grow_array.h"

struct chrome {
    struct pp_trace_format format; /* the first member */
    FILE *out;
    const struct pp_call_stacks *stacks; /* borrowed */
    int64_t pid;
    bool begun;     /* an event was written */
    char **counter; /* names of the counters as JSON, by the track's id; owned */
    size_t counters;
};

/* Write a text as JSON. */
static int
put_text(FILE *out, const char *text)
{
    json_t *string = json_string(text);
    int rc = json_dumpf(string, out, JSON_ENCODE_ANY) ? -errno : 0;
    json_decref(string);
    return rc;
}

static void
put_time(FILE *out, const char *name, int64_t ns)
{
    fprintf(out, ",\"%s\":%" PRId64 ".%03d", name, ns / 1000, (int)(ns % 1000));
}

/* Begin an event: what all events have. */
static void
begin_event(struct chrome *f, char phase, uint32_t track)
{
    errno = EIO; /* if the system says nothing */
    fputs(f->begun ? ",\n" : "[\n", f->out);
    f->begun = true;
    fprintf(f->out, "{\"ph\":\"%c\",\"pid\":%" PRId64 ",\"tid\":%" PRIu32, phase, f->pid, track);
}

/* Did what was written since begin_event() fail? */
static int
status(const struct chrome *f)
{
    return ferror(f->out) ? -errno : 0;
}

/* Write an event that says something about a process or a thread. */
static int
write_metadata(struct chrome *f, uint32_t track, const char *what, const char *member, const char *text,
               uint32_t number)
{
    begin_event(f, 'M', track);
    fprintf(f->out, ",\"name\":\"%s\",\"args\":{\"%s\":", what, member);
    int rc = 0;
    if (text)
        rc = put_text(f->out, text);
    else
        fprintf(f->out, "%" PRIu32, number);
    fputs("}}", f->out);
    return rc ? rc : status(f);
}

static int
write_process(struct pp_trace_format *format, const struct pp_trace_process *process)
{
    struct chrome *f = (struct chrome *)format;
    f->pid = process->pid;
    int rc = write_metadata(f, 0, "process_name", "name", process->name, 0);
    return rc ? rc : write_metadata(f, 0, "process_labels", "labels", process->command, 0);
}

/* A counter's name is kept: each of its values has it. */
static int
keep_counter(struct chrome *f, const struct pp_trace_track *track)
{
    if (pp_grow_array(&f->counter, &f->counters, (size_t)track->id + 1, sizeof(*f->counter)))
        return -ENOMEM;
    json_t *name = json_string(track->name);
    free(f->counter[track->id]);
    f->counter[track->id] = name ? json_dumps(name, JSON_ENCODE_ANY) : NULL;
    json_decref(name);
    return f->counter[track->id] ? 0 : -ENOMEM;
}

static int
write_track(struct pp_trace_format *format, const struct pp_trace_track *track)
{
    struct chrome *f = (struct chrome *)format;
    if (track->kind == PP_TRACE_COUNTER)
        return keep_counter(f, track);
    int rc = write_metadata(f, track->id, "thread_name", "name", track->name, 0);
    return rc ? rc : write_metadata(f, track->id, "thread_sort_index", "sort_index", NULL, track->rank);
}

/* Write the functions of a call stack, the outermost first. */
static int
put_stack(const struct chrome *f, const struct pp_call_stack *stack)
{
    int rc = 0;
    fputs("[", f->out);
    for (size_t i = stack->frames; i-- > 0 && rc == 0;) {
        const struct pp_address *a = &f->stacks->address[f->stacks->frame[stack->frame + i]];
        char place[32];
        snprintf(place, sizeof(place), "0x%" PRIx64, a->offset);
        for (size_t k = a->symbols ? a->symbols : 1; k-- > 0 && rc == 0;) {
            const char *name = a->symbols ? f->stacks->symbol[a->symbol + k].function : "";
            rc = put_text(f->out, *name ? name : place);
            fputs(k || i ? "," : "", f->out);
        }
    }
    fputs("]", f->out);
    return rc;
}

static int
put_args(const struct chrome *f, const struct pp_trace_slice *slice)
{
    const struct pp_call_stack *stack = slice->stack ? pp_call_stacks_find(f->stacks, slice->stack) : NULL;
    int rc = 0;
    fputs(",\"args\":{", f->out);
    for (size_t i = 0; i < slice->args && rc == 0; i++) {
        const struct pp_trace_arg *arg = &slice->arg[i];
        fputs(i ? "," : "", f->out);
        rc = put_text(f->out, arg->name);
        fputs(":", f->out);
        if (arg->kind == PP_TRACE_ARG_INTEGER)
            fprintf(f->out, "%" PRId64, arg->integer);
        else if (arg->kind == PP_TRACE_ARG_REAL)
            fprintf(f->out, "%.17g", arg->real);
        else
            rc = rc ? rc : put_text(f->out, arg->text);
    }
    if (stack) {
        fputs(slice->args ? ",\"stack\":" : "\"stack\":", f->out);
        rc = rc ? rc : put_stack(f, stack);
    }
    fputs("}", f->out);
    return rc;
}

/* Write one end of an arrow between two slices. */
static void
write_arrow(struct chrome *f, char phase, const struct pp_trace_slice *slice, uint64_t number)
{
    begin_event(f, phase, slice->track);
    fprintf(f->out, ",\"name\":\"frame\",\"cat\":\"frame\",\"id\":%" PRIu64, number);
    put_time(f->out, "ts", slice->start_ns);
    fputs(phase == 'f' ? ",\"bp\":\"e\"}" : "}", f->out);
}

static int
write_event(struct chrome *f, const struct pp_trace_slice *slice, char phase)
{
    f->format.events++;
    begin_event(f, phase, slice->track);
    fputs(",\"name\":", f->out);
    int rc = put_text(f->out, *slice->name ? slice->name : "(no name)");
    fputs(",\"cat\":", f->out);
    rc = rc ? rc : put_text(f->out, slice->category);
    put_time(f->out, "ts", slice->start_ns);
    if (phase == 'X')
        put_time(f->out, "dur", slice->duration_ns);
    else
        fputs(",\"s\":\"p\"", f->out);
    rc = rc ? rc : put_args(f, slice);
    fputs("}", f->out);
    if (slice->begins)
        write_arrow(f, 's', slice, slice->begins);
    if (slice->ends)
        write_arrow(f, 'f', slice, slice->ends);
    return rc ? rc : status(f);
}

static int
write_slice(struct pp_trace_format *format, const struct pp_trace_slice *slice)
{
    return write_event((struct chrome *)format, slice, 'X');
}

static int
write_moment(struct pp_trace_format *format, const struct pp_trace_slice *moment)
{
    return write_event((struct chrome *)format, moment, 'i');
}

static int
write_value(struct pp_trace_format *format, uint32_t track, int64_t at_ns, double value)
{
    struct chrome *f = (struct chrome *)format;
    if (!isfinite(value))
        return 0;
    f->format.events++;
    begin_event(f, 'C', 0);
    fprintf(f->out, ",\"name\":%s", f->counter[track]);
    put_time(f->out, "ts", at_ns);
    fprintf(f->out, ",\"args\":{\"value\":%.17g}}", value);
    return status(f);
}

static int
end(struct pp_trace_format *format)
{
    struct chrome *f = (struct chrome *)format;
    errno = EIO;
    fputs(f->begun ? "\n]\n" : "[]\n", f->out);
    return fflush(f->out) || ferror(f->out) ? -errno : 0;
}

static void
destroy(struct pp_trace_format *format)
{
    struct chrome *f = (struct chrome *)format;
    for (size_t i = 0; i < f->counters; i++)
        free(f->counter[i]);
    free(f->counter);
    free(f);
}

int
pp_trace_chrome_create(FILE *out, const struct pp_call_stacks *stacks, struct pp_trace_format **ret)
{
    static const struct pp_trace_ops ops = {.process = write_process,
                                            .track = write_track,
                                            .slice = write_slice,
                                            .moment = write_moment,
                                            .value = write_value,
                                            .end = end,
                                            .destroy = destroy};
    struct chrome *f = calloc(1, sizeof(*f));
    if (!f)
        return -ENOMEM;
    f->format.ops = &ops;
    f->out = out;
    f->stacks = stacks;
    *ret = &f->format;
    return 0;
}
