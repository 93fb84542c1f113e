/** @file
 * See limit.h. */
#include "cli/compare/limit.h"

#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/config/option.h"
#include "counters/util/array_size.h"
#include "counters/util/nearest_name.h"
#include "pp_texts.h"

/* Bits for statistics. */
#define STAT(stat) (1U << (stat))
#define STATS_TIME                                                                                           \
    (STAT(PP_DIFF_P5) | STAT(PP_DIFF_P50) | STAT(PP_DIFF_MEAN) | STAT(PP_DIFF_P95) | STAT(PP_DIFF_P99) |     \
     STAT(PP_DIFF_MAX))
#define STATS_CPU (STAT(PP_DIFF_P5) | STAT(PP_DIFF_P50) | STAT(PP_DIFF_MEAN))

/* What an expression may begin with. */
struct figure {
    const char *name;
    enum pp_diff_kind kind;
    enum pp_diff_unit unit;
    unsigned stats; /* bits of the statistics that it has; 0: none to choose */
    enum pp_diff_stat usual;
};

/* Figures of frames have the names of diff's rows, with '-' for '_'. */
static const struct figure figure_table[] = {
    {"fps", PP_DIFF_FRAME, PP_DIFF_FPS, 0, PP_DIFF_TOTAL},
    {"low-1-percent-fps", PP_DIFF_FRAME, PP_DIFF_FPS, 0, PP_DIFF_TOTAL},
    {"frame-time", PP_DIFF_FRAME, PP_DIFF_NS, STATS_TIME, PP_DIFF_P50},
    {"gpu-time", PP_DIFF_FRAME, PP_DIFF_NS, STATS_TIME, PP_DIFF_P50},
    {"gpu-busy", PP_DIFF_FRAME, PP_DIFF_NS, STATS_TIME, PP_DIFF_P50},
    {"cpu-busy", PP_DIFF_FRAME, PP_DIFF_NS, STATS_CPU, PP_DIFF_P50},
    {"draws", PP_DIFF_FRAME, PP_DIFF_COUNT, 0, PP_DIFF_TOTAL},
    {"dispatches", PP_DIFF_FRAME, PP_DIFF_COUNT, 0, PP_DIFF_TOTAL},
    {"copies", PP_DIFF_FRAME, PP_DIFF_COUNT, 0, PP_DIFF_TOTAL},
    {"passes", PP_DIFF_FRAME, PP_DIFF_COUNT, 0, PP_DIFF_TOTAL},
    {"slow-frames", PP_DIFF_FRAME, PP_DIFF_PER_MINUTE, 0, PP_DIFF_TOTAL},
    {"pipelines-created", PP_DIFF_FRAME, PP_DIFF_COUNT, 0, PP_DIFF_TOTAL},
    {"pipeline-create", PP_DIFF_FRAME, PP_DIFF_NS, 0, PP_DIFF_TOTAL},
    {"pass", PP_DIFF_PASS, PP_DIFF_NS, STATS_TIME, PP_DIFF_MEAN},
    {"label", PP_DIFF_LABEL, PP_DIFF_NS, STATS_CPU, PP_DIFF_MEAN},
    {"counter", PP_DIFF_COUNTER, PP_DIFF_COUNT, STAT(PP_DIFF_MEAN), PP_DIFF_MEAN},
    {"metric", PP_DIFF_METRIC, PP_DIFF_COUNT, STAT(PP_DIFF_MEAN), PP_DIFF_MEAN},
};

/* A part of an expression. */
struct span {
    const char *at;
    size_t length;
};

/* An expression that is being read. */
struct parser {
    const char *text;
    struct pp_limit_error *error;
    const struct figure *figure;
    struct span name, amount;
    struct pp_limit limit; /* without texts */
};

__attribute__((format(printf, 3, 4))) static int
fail_at(const struct parser *p, const char *at, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(p->error->message, sizeof(p->error->message), format, args);
    va_end(args);
    p->error->column = (unsigned)(at - p->text) + 1;
    return -EINVAL;
}

static bool
is_text(struct span span, const char *text)
{
    return span.length == strlen(text) && memcmp(span.at, text, span.length) == 0;
}

static bool
is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static int
cut(struct span span)
{
    return span.length > 60 ? 60 : (int)span.length;
}

/* Is a figure's name the same as a word, in which '_' may represent '-'? */
static bool
is_figure(const struct figure *figure, struct span word)
{
    if (word.length != strlen(figure->name))
        return false;
    for (size_t i = 0; i < word.length; i++)
        if ((word.at[i] == '_' ? '-' : word.at[i]) != figure->name[i])
            return false;
    return true;
}

/* Find the figure. A name with a pattern after it and one without are different figures. */
static int
find_figure(struct parser *p, struct span word)
{
    struct pp_nearest nearest = pp_nearest_begin(word.at, word.length);
    for (size_t i = 0; i < PP_ARRAY_SIZE(figure_table); i++) {
        if (is_figure(&figure_table[i], word)) {
            p->figure = &figure_table[i];
            return 0;
        }
        pp_nearest_offer(&nearest, figure_table[i].name, strlen(figure_table[i].name));
    }
    if (nearest.found)
        return fail_at(p, word.at, PP_FORMAT_LIMIT_UNKNOWN_NEAR, cut(word), word.at,
                       (int)nearest.found_length, nearest.found);
    return fail_at(p, word.at, PP_FORMAT_LIMIT_UNKNOWN, cut(word), word.at);
}

/* Find a statistic by its word. @return PP_DIFF_STATS: it is none. */
static enum pp_diff_stat
find_stat(struct span word)
{
    for (unsigned i = 0; i < PP_DIFF_TOTAL; i++)
        if (is_text(word, pp_diff_stat_name((enum pp_diff_stat)i)))
            return (enum pp_diff_stat)i;
    return PP_DIFF_STATS;
}

/* Write the statistics that a figure has. */
static const char *
list_stats(const struct figure *figure, char *buffer, size_t size)
{
    size_t used = 0;
    buffer[0] = '\0';
    for (unsigned i = 0; i < PP_DIFF_TOTAL; i++)
        if (figure->stats & STAT(i) && used < size)
            used += (size_t)snprintf(buffer + used, size - used, "%s%s", used ? ", " : "",
                                     pp_diff_stat_name((enum pp_diff_stat)i));
    return buffer;
}

/* Take a statistic. @param known What find_stat() said. */
static int
take_stat(struct parser *p, struct span word, enum pp_diff_stat known)
{
    char list[64];
    if (!p->figure->stats)
        return fail_at(p, word.at, PP_FORMAT_LIMIT_NO_STATS, p->figure->name);
    if (known == PP_DIFF_STATS || !(p->figure->stats & STAT(known)))
        return fail_at(p, word.at, PP_FORMAT_LIMIT_STAT, p->figure->name, cut(word), word.at,
                       list_stats(p->figure, list, sizeof(list)));
    p->limit.stat = known;
    p->limit.stat_given = true;
    return 0;
}

/* Read the pattern of names, which may hold ':', and a statistic after it. */
static int
read_pattern(struct parser *p, struct span rest)
{
    const char *colon = memrchr(rest.at, ':', rest.length);
    if (colon) {
        struct span word = {colon + 1, rest.length - (size_t)(colon + 1 - rest.at)};
        enum pp_diff_stat known = find_stat(word);
        if (known != PP_DIFF_STATS) {
            int rc = take_stat(p, word, known);
            if (rc)
                return rc;
            rest.length = (size_t)(colon - rest.at);
        }
    }
    if (!rest.length)
        return fail_at(p, rest.at, PP_FORMAT_LIMIT_NO_NAME, p->figure->name, p->figure->name);
    p->name = rest;
    for (size_t i = 0; i < rest.length; i++)
        p->limit.pattern = p->limit.pattern || strchr("*?[", rest.at[i]);
    return 0;
}

/* Read what is in front of the limit. */
static int
read_what(struct parser *p, struct span what)
{
    const char *colon = memchr(what.at, ':', what.length);
    struct span word = {what.at, colon ? (size_t)(colon - what.at) : what.length};
    struct span rest = {word.at + word.length, what.length - word.length};
    int rc = find_figure(p, word);
    if (rc)
        return rc;
    p->limit.kind = p->figure->kind;
    p->limit.stat = p->figure->usual;
    if (colon) {
        rest.at++;
        rest.length--;
    }
    if (p->figure->kind != PP_DIFF_FRAME)
        return read_pattern(p, rest);
    p->name = word;
    return colon ? take_stat(p, rest, find_stat(rest)) : 0;
}

/* Take a unit of times. @return false: it is none. */
static bool
take_time_unit(struct parser *p, struct span unit)
{
    static const struct {
        const char *name;
        double ns;
    } table[] = {{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}};
    for (size_t i = 0; i < PP_ARRAY_SIZE(table); i++) {
        if (is_text(unit, table[i].name)) {
            p->limit.unit = table[i].name;
            p->limit.unit_size = table[i].ns;
            return true;
        }
    }
    return false;
}

bool
pp_limit_number(const char *text, double *ret, const char **ret_end)
{
    char digits[32];
    uint64_t millionths = 0;
    size_t length = strspn(text, "0123456789.");
    if (length == 0 || length >= sizeof(digits))
        return false;
    memcpy(digits, text, length);
    digits[length] = '\0';
    if (pp_config_number_decimal(digits, 1000000, &millionths))
        return false;
    *ret = (double)millionths / 1e6;
    *ret_end = text + length;
    return true;
}

/* Read the number of the limit, and find its unit. */
static int
read_number(struct parser *p, double *ret, struct span *ret_unit)
{
    const char *begin = p->amount.at + (*p->amount.at == '+'), *end = p->amount.at + p->amount.length;
    const char *unit = NULL;
    if (!pp_limit_number(begin, ret, &unit))
        return fail_at(p, p->amount.at, PP_FORMAT_LIMIT_NUMBER);
    *ret_unit = (struct span){unit, (size_t)(end - unit)};
    return 0;
}

static int
read_limit(struct parser *p)
{
    struct span unit = {.length = 0};
    double number = 0;
    int rc = read_number(p, &number, &unit);
    if (rc)
        return rc;
    bool is_time = p->figure->unit == PP_DIFF_NS;
    p->limit.relative = is_text(unit, "%");
    p->limit.unit = p->limit.relative ? "%" : "";
    p->limit.unit_size = p->limit.relative ? 0.01 : 1;
    if (!p->limit.relative && (is_time ? !take_time_unit(p, unit) : unit.length > 0))
        return is_time ? fail_at(p, p->amount.at, PP_FORMAT_LIMIT_TIME)
                       : fail_at(p, p->amount.at, PP_FORMAT_LIMIT_COUNT);
    p->limit.most = p->limit.relative ? number / 100 : number * p->limit.unit_size;
    return 0;
}

/* Divide an expression at its last blanks. */
static int
divide(struct parser *p, struct span *ret_what)
{
    const char *begin = p->text, *end = p->text + strlen(p->text), *limit, *what;
    while (is_blank(*begin))
        begin++;
    while (end > begin && is_blank(end[-1]))
        end--;
    for (limit = end; limit > begin && !is_blank(limit[-1]);)
        limit--;
    for (what = limit; what > begin && is_blank(what[-1]);)
        what--;
    if (what == begin)
        return fail_at(p, end, PP_FORMAT_LIMIT_NO_LIMIT);
    p->amount = (struct span){limit, (size_t)(end - limit)};
    *ret_what = (struct span){begin, (size_t)(what - begin)};
    return 0;
}

/* Make the texts of a limit. The name of a figure of frames is that of diff's row. */
static int
make_texts(const struct parser *p, struct pp_limit *ret)
{
    struct pp_limit made = p->limit;
    made.text = strdup(p->text);
    made.name = strndup(p->name.at, p->name.length);
    if (!made.text || !made.name) {
        pp_limit_finish(&made);
        return -ENOMEM;
    }
    for (char *at = made.name; made.kind == PP_DIFF_FRAME && *at; at++)
        *at = *at == '-' ? '_' : *at;
    *ret = made;
    return 0;
}

int
pp_limit_parse(const char *text, struct pp_limit *ret, struct pp_limit_error *error)
{
    struct parser p = {.text = text, .error = error, .amount = {.at = text}};
    struct span what = {.at = text};
    if (strlen(text) > PP_LIMIT_TEXT_MOST)
        return fail_at(&p, text + PP_LIMIT_TEXT_MOST, PP_FORMAT_LIMIT_LONG, PP_LIMIT_TEXT_MOST);
    int rc = divide(&p, &what);
    rc = rc ? rc : read_what(&p, what);
    rc = rc ? rc : read_limit(&p);
    return rc ? rc : make_texts(&p, ret);
}

char *
pp_limit_figure_of(const struct pp_diff_row *row)
{
    char *ret = NULL;
    const struct figure *figure = NULL;
    for (size_t i = 0; !figure && i < PP_ARRAY_SIZE(figure_table); i++) {
        const struct figure *one = &figure_table[i];
        const struct span name = {row->name, strlen(row->name)};
        if (one->kind == row->kind && (row->kind != PP_DIFF_FRAME || is_figure(one, name)))
            figure = one;
    }
    if (!figure)
        return NULL;
    bool is_frame = row->kind == PP_DIFF_FRAME, has_stat = figure->stats & STAT(row->stat);
    int length = asprintf(&ret, "%s%s%s%s%s", figure->name, is_frame ? "" : ":", is_frame ? "" : row->name,
                          has_stat ? ":" : "", has_stat ? pp_diff_stat_name(row->stat) : "");
    return length < 0 ? NULL : ret;
}

void
pp_limit_finish(struct pp_limit *limit)
{
    free(limit->text);
    free(limit->name);
    *limit = (struct pp_limit){.text = NULL};
}
