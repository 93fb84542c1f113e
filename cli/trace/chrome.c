/** @file
 * See chrome.h. Source: "Trace Event Format" of the Chromium project. Times are microseconds; with three
 * decimals they are exact to the nanosecond.
 *
 * Source of the escapes: RFC 8259, section 7. */
#include "cli/trace/chrome.h"

#include <errno.h>
#include <float.h>
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/trace/number_text.h"
#include "counters/util/grow_array.h"
#include "counters/util/printable.h"

#define DIGITS_MOST 18   /* 10^18 fits an int64_t */
#define EXACT_MOST  1e12 /* 2^18 times as much fits, too */

struct chrome {
    struct pp_trace_format format; /* the first member */
    struct pp_json_text out;
    const struct pp_call_stacks *stacks; /* borrowed */
    int64_t pid;
    bool begun;     /* an event was written */
    char **counter; /* names of the counters as JSON, by the track's id; owned */
    size_t counters;
};

/* Append a literal. */
#define PUT(out, literal) pp_json_text_put((out), (literal), sizeof(literal) - 1)

static void
put_time(struct pp_json_text *out, int64_t ns)
{
    const char fraction[] = {'.', (char)('0' + ns % 1000 / 100), (char)('0' + ns % 100 / 10),
                             (char)('0' + ns % 10)};
    pp_json_text_i64(out, ns / 1000);
    pp_json_text_put(out, fraction, sizeof(fraction));
}

/* Write a difference of two doubles that are multiples of 2^-@p digits: its decimal digits are as many. */
static void
put_exact(struct pp_json_text *out, double value, int digits)
{
    char text[DIGITS_MOST + 1] = ".";
    int64_t units = (int64_t)ldexp(value, digits), fraction = units & (((int64_t)1 << digits) - 1);
    for (int i = 0; i < digits; i++)
        fraction *= 5; /* of 2^-digits: now of 10^-digits */
    for (int i = digits; i > 0; i--, fraction /= 10)
        text[i] = (char)('0' + fraction % 10);
    pp_json_text_i64(out, units >> digits);
    pp_json_text_put(out, text, (size_t)digits + 1);
}

/* Write a duration. A reader with doubles, such as Speedscope, adds it to the begin: the sum must be exactly
 * the end, as the begin of what follows is written, or slices that meet overlap. So a duration has the digits
 * of the difference of these doubles, where the usual three digits are another number. */
static void
put_duration(struct pp_json_text *out, int64_t begin_ns, int64_t duration_ns)
{
    char text[40];
    int exponent = 0;
    int64_t end_ns = 0;
    bool overflows = __builtin_add_overflow(begin_ns, duration_ns, &end_ns);
    double begin = (double)begin_ns / 1e3, usual = (double)duration_ns / 1e3;
    double exact = (double)end_ns / 1e3 - begin;
    if (overflows || (!(exact < usual) && !(exact > usual))) {
        put_time(out, duration_ns);
        return;
    }
    (void)frexp(begin, &exponent);
    int digits = DBL_MANT_DIG - exponent; /* begin is a multiple of 2^-digits */
    if (exact >= 0 && exact < EXACT_MOST && digits > 0 && digits <= DIGITS_MOST) {
        put_exact(out, exact, digits);
    } else { /* within hours after the machine's start */
        int len = snprintf(text, sizeof(text), "%.17g", exact);
        pp_json_text_put(out, text, (size_t)len);
    }
}

/* Begin an event: what all events have. */
static void
begin_event(struct chrome *f, char phase, uint32_t track)
{
    if (f->begun)
        PUT(&f->out, ",\n");
    else
        PUT(&f->out, "[\n");
    f->begun = true;
    PUT(&f->out, "{\"ph\":\"");
    pp_json_text_put(&f->out, &phase, 1);
    PUT(&f->out, "\",\"pid\":");
    pp_json_text_i64(&f->out, f->pid);
    PUT(&f->out, ",\"tid\":");
    pp_json_text_u64(&f->out, track);
}

/* Write an event that says something about a process or a thread. */
static int
write_metadata(struct chrome *f, uint32_t track, const char *what, const char *member, const char *text,
               uint32_t number)
{
    begin_event(f, 'M', track);
    PUT(&f->out, ",\"name\":");
    pp_json_text_string(&f->out, what);
    PUT(&f->out, ",\"args\":{");
    pp_json_text_string(&f->out, member);
    PUT(&f->out, ":");
    if (text)
        pp_json_text_string(&f->out, text);
    else
        pp_json_text_u64(&f->out, number);
    PUT(&f->out, "}}");
    return pp_json_text_drain(&f->out);
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
static void
put_stack(struct chrome *f, const struct pp_call_stack *stack)
{
    PUT(&f->out, "[");
    for (size_t i = stack->frames; i-- > 0;) {
        const struct pp_address *a = &f->stacks->address[f->stacks->frame[stack->frame + i]];
        char place[32];
        snprintf(place, sizeof(place), "0x%" PRIx64, a->offset);
        for (size_t k = a->symbols ? a->symbols : 1; k-- > 0;) {
            const char *name = a->symbols ? f->stacks->symbol[a->symbol + k].function : "";
            pp_json_text_string(&f->out, *name ? name : place);
            if (k || i)
                PUT(&f->out, ",");
        }
    }
    PUT(&f->out, "]");
}

static void
put_args(struct chrome *f, const struct pp_trace_slice *slice)
{
    const struct pp_call_stack *stack = slice->stack ? pp_call_stacks_find(f->stacks, slice->stack) : NULL;
    PUT(&f->out, ",\"args\":{");
    for (size_t i = 0; i < slice->args; i++) {
        const struct pp_trace_arg *arg = &slice->arg[i];
        if (i)
            PUT(&f->out, ",");
        pp_json_text_string(&f->out, arg->name);
        PUT(&f->out, ":");
        if (arg->kind == PP_TRACE_ARG_INTEGER)
            pp_json_text_i64(&f->out, arg->integer);
        else if (arg->kind == PP_TRACE_ARG_REAL)
            pp_json_text_double(&f->out, arg->real);
        else
            pp_json_text_string(&f->out, arg->text);
    }
    if (stack) {
        if (slice->args)
            PUT(&f->out, ",");
        PUT(&f->out, "\"stack\":");
        put_stack(f, stack);
    }
    PUT(&f->out, "}");
}

/* Write one end of an arrow between two slices. */
static void
write_arrow(struct chrome *f, char phase, const struct pp_trace_slice *slice, uint64_t number)
{
    begin_event(f, phase, slice->track);
    PUT(&f->out, ",\"name\":\"frame\",\"cat\":\"frame\",\"id\":");
    pp_json_text_u64(&f->out, number);
    PUT(&f->out, ",\"ts\":");
    put_time(&f->out, slice->start_ns);
    if (phase == 'f')
        PUT(&f->out, ",\"bp\":\"e\"");
    PUT(&f->out, "}");
}

static int
write_event(struct chrome *f, const struct pp_trace_slice *slice, char phase)
{
    f->format.events++;
    begin_event(f, phase, slice->track);
    PUT(&f->out, ",\"name\":");
    pp_json_text_string(&f->out, *slice->name ? slice->name : "(no name)");
    PUT(&f->out, ",\"cat\":");
    pp_json_text_string(&f->out, slice->category);
    PUT(&f->out, ",\"ts\":");
    put_time(&f->out, slice->start_ns);
    if (phase == 'X') {
        PUT(&f->out, ",\"dur\":");
        put_duration(&f->out, slice->start_ns, slice->duration_ns);
    } else {
        PUT(&f->out, ",\"s\":\"p\"");
    }
    put_args(f, slice);
    PUT(&f->out, "}");
    if (slice->begins)
        write_arrow(f, 's', slice, slice->begins);
    if (slice->ends)
        write_arrow(f, 'f', slice, slice->ends);
    return pp_json_text_drain(&f->out);
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
    PUT(&f->out, ",\"name\":");
    pp_json_text_put(&f->out, f->counter[track], strlen(f->counter[track]));
    PUT(&f->out, ",\"ts\":");
    put_time(&f->out, at_ns);
    PUT(&f->out, ",\"args\":{\"value\":");
    pp_json_text_double(&f->out, value);
    PUT(&f->out, "}}");
    return pp_json_text_drain(&f->out);
}

static int
end(struct pp_trace_format *format)
{
    struct chrome *f = (struct chrome *)format;
    if (f->begun)
        PUT(&f->out, "\n]\n");
    else
        PUT(&f->out, "[]\n");
    int rc = pp_json_text_flush(&f->out);
    errno = EIO; /* if the system says nothing */
    return rc ? rc : fflush(f->out.out) || ferror(f->out.out) ? -errno : 0;
}

static void
destroy(struct pp_trace_format *format)
{
    struct chrome *f = (struct chrome *)format;
    for (size_t i = 0; i < f->counters; i++)
        free(f->counter[i]);
    free(f->counter);
    pp_json_text_finish(&f->out);
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
    f->out.out = out;
    f->stacks = stacks;
    *ret = &f->format;
    return 0;
}

/* From this many bytes on, they are written to the stream. */
#define MUCH ((size_t)256 << 10)

/* Make place for more bytes. @return NULL: no memory. */
static char *
reserve(struct pp_json_text *text, size_t more)
{
    if (text->failed)
        return NULL;
    text->failed = pp_grow_large_array(&text->byte, &text->cap, text->len + more, 1);
    return text->failed ? NULL : text->byte + text->len;
}

void
pp_json_text_put(struct pp_json_text *text, const char *bytes, size_t len)
{
    char *to = reserve(text, len);
    if (!to)
        return;
    memcpy(to, bytes, len);
    text->len += len;
}

/* Bytes at the begin of a text that a JSON string has as they are, and that are one character each. */
static size_t
plain_length(const char *string)
{
    size_t len = 0;
    while ((unsigned char)string[len] >= 0x20 && (unsigned char)string[len] < 0x80 && string[len] != '"' &&
           string[len] != '\\')
        len++;
    return len;
}

/* Append a character that a JSON string has as an escape. */
static void
put_escape(struct pp_json_text *text, char character)
{
    static const char digit[] = "0123456789ABCDEF", letter[] = "\"\"\\\\\bb\ff\nn\rr\tt";
    for (size_t i = 0; i + 1 < sizeof(letter); i += 2)
        if (letter[i] == character) {
            pp_json_text_put(text, (const char[]){'\\', letter[i + 1]}, 2);
            return;
        }
    unsigned char code = (unsigned char)character;
    pp_json_text_put(text, (const char[]){'\\', 'u', '0', '0', digit[code >> 4], digit[code & 0xf]}, 6);
}

void
pp_json_text_string(struct pp_json_text *text, const char *string)
{
    pp_json_text_put(text, "\"", 1);
    for (;;) {
        size_t len = plain_length(string);
        pp_json_text_put(text, string, len);
        string += len;
        if (!*string)
            break;
        size_t many = (unsigned char)*string < 0x80 ? 1 : pp_utf8_length((const unsigned char *)string);
        if ((unsigned char)*string < 0x80)
            put_escape(text, *string);
        else
            pp_json_text_put(text, many ? string : "?", many ? many : 1);
        string += many ? many : 1;
    }
    pp_json_text_put(text, "\"", 1);
}

void
pp_json_text_i64(struct pp_json_text *text, int64_t number)
{
    char *to = reserve(text, PP_NUMBER_TEXT_MAX);
    if (to)
        text->len += pp_number_text_i64(number, to);
}

void
pp_json_text_u64(struct pp_json_text *text, uint64_t number)
{
    char *to = reserve(text, PP_NUMBER_TEXT_MAX);
    if (to)
        text->len += pp_number_text_u64(number, to);
}

void
pp_json_text_double(struct pp_json_text *text, double number)
{
    char *to = reserve(text, PP_NUMBER_TEXT_MAX);
    if (to)
        text->len += pp_number_text_double(number, to);
}

int
pp_json_text_flush(struct pp_json_text *text)
{
    if (text->failed)
        return -ENOMEM;
    size_t len = text->len;
    text->len = 0;
    errno = EIO; /* if the system says nothing */
    return !len || fwrite(text->byte, 1, len, text->out) == len ? 0 : -errno;
}

int
pp_json_text_drain(struct pp_json_text *text)
{
    return text->len < MUCH && !text->failed ? 0 : pp_json_text_flush(text);
}

void
pp_json_text_finish(struct pp_json_text *text)
{
    free(text->byte);
    *text = (struct pp_json_text){.out = NULL};
}
