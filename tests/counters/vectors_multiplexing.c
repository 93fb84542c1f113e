/** @file
 * vectors_multiplexing [DIR]: frames in which sets of counters took turns, with the scaled values; and
 * published reports (rpistat) with the figures they must give. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "counters/events/rotation.h"
#include "tests/counters/vectors.h"

#define MAX_EVENTS 256
#define TOLERANCE  1e-12

static double
number(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    return json_is_number(value) ? json_number_value(value) : NAN;
}

static uint64_t
integer(const json_t *value)
{
    return (uint64_t)json_integer_value(value);
}

/* [begin, end] of a free-running counter. */
static bool
delta(const json_t *pair, unsigned bits, uint64_t *ret)
{
    const json_t *begin = json_array_get(pair, 0), *end = json_array_get(pair, 1);
    if (!json_is_integer(begin) || !json_is_integer(end))
        return false;
    *ret = pp_counter_delta(bits, integer(begin), integer(end));
    return true;
}

/* Frames of sets */

/** Events by number, in the order of the sets. */
struct names {
    const char *name[MAX_EVENTS];
    uint32_t n;
};

static uint32_t
name_index(struct names *names, const char *name)
{
    for (uint32_t i = 0; i < names->n; i++) {
        if (!strcmp(names->name[i], name))
            return i;
    }
    if (names->n == MAX_EVENTS)
        abort();
    names->name[names->n] = name;
    return names->n++;
}

static void
feed_frame(struct pp_mux *mux, struct names *names, const json_t *sets, unsigned bits, const json_t *frame)
{
    const json_t *set = json_array_get(sets, integer(json_object_get(frame, "set")));
    const json_t *counts = json_object_get(frame, "c");
    bool valid = !json_is_false(json_object_get(frame, "valid"));
    struct pp_mux_result result[MAX_EVENTS];
    size_t results = 0;
    uint64_t cycles = 0;
    bool seen = delta(json_object_get(frame, "cycles"), bits, &cycles);
    for (size_t i = 0; i < json_array_size(set) && results < MAX_EVENTS; i++) {
        uint64_t count = 0;
        bool got = delta(json_array_get(counts, i), bits, &count);
        result[results++] = (struct pp_mux_result){
            .event = name_index(names, json_string_value(json_array_get(set, i))),
            .status = valid && got ? PP_OK : PP_LOST,
            .count = count,
        };
    }
    pp_mux_period(mux, cycles, seen ? PP_OK : PP_LOST, 0, result, results);
}

/* A scaled value, which may be null: no value. */
static void
check_scaled(struct vec *vec, const char *event, const char *key, const json_t *want, bool has, uint64_t got)
{
    if (json_is_null(want))
        vec_true(vec, !has, "%s.%s is %llu, should have no value", event, key, (unsigned long long)got);
    else
        vec_true(vec,
                 has && json_is_number(want) && (double)got == json_number_value(want) &&
                     (!json_is_integer(want) || got == integer(want)),
                 "%s.%s is %llu, should be %.17g", event, key, (unsigned long long)got,
                 json_number_value(want));
}

static void
check_event(struct vec *vec, const struct pp_mux *mux, uint32_t i, const char *event, json_t *expected)
{
    const struct pp_mux_event *e = &mux->event[i];
    struct pp_mux_value value;
    const char *key;
    json_t *want;
    pp_mux_value(mux, i, &value);
    bool has = pp_status_has_value(value.status);
    json_object_foreach(expected, key, want)
    {
        if (!strcmp(key, "raw"))
            check_scaled(vec, event, key, want, true, e->raw);
        else if (!strcmp(key, "running_frames"))
            check_scaled(vec, event, key, want, true, e->running_periods);
        else if (!strcmp(key, "running_cycles"))
            check_scaled(vec, event, key, want, true, e->running_cycles);
        else if (!strcmp(key, "enabled_frames"))
            check_scaled(vec, event, key, want, true, mux->enabled_periods);
        else if (!strcmp(key, "enabled_cycles"))
            check_scaled(vec, event, key, want, true, mux->enabled_cycles);
        else if (!strcmp(key, "scaled_by_frames"))
            check_scaled(vec, event, key, want, has, value.by_periods);
        else if (!strcmp(key, "scaled_by_cycles"))
            check_scaled(vec, event, key, want, has && value.by_cycles_valid, value.count);
        else if (!strcmp(key, "duty_frames"))
            vec_close(vec, key, value.duty_periods, json_number_value(want), TOLERANCE);
        else if (!strcmp(key, "duty_cycles"))
            vec_close(vec, key, value.duty, json_number_value(want), TOLERANCE);
        else
            vec_true(vec, false, "unknown key %s.%s", event, key);
    }
}

static void
check_frames(struct vec *vec, json_t *root)
{
    json_t *sets = json_object_get(root, "sets");
    json_t *want, *set, *item;
    const char *name;
    size_t i, j;
    double bits = number(root, "counter_bits");
    struct names names = {.n = 0};
    struct pp_mux_event event[MAX_EVENTS];
    struct pp_mux mux;
    vec_true(vec, bits >= 1 && bits <= 64, "counter_bits");
    if (!(bits >= 1 && bits <= 64))
        return;
    json_array_foreach(sets, i, set)
    {
        json_array_foreach(set, j, item)
        {
            name_index(&names, json_string_value(item));
        }
    }
    pp_mux_init(&mux, event, names.n, NULL);
    json_array_foreach(json_object_get(root, "frames"), i, item)
    {
        feed_frame(&mux, &names, sets, (unsigned)bits, item);
    }
    json_object_foreach(json_object_get(root, "expected"), name, want)
    {
        uint32_t known = names.n, at = name_index(&names, name);
        vec_true(vec, at < known, "event %s is in no set", name);
        if (at < known)
            check_event(vec, &mux, at, name, want);
    }
}

/* Published reports */

/** Figures that can be made from a report's counts: factor * a / b of the published scaled counts. */
static const struct {
    const char *name, *a, *b;
    double factor;
} ratios[] = {
    {"CPI", "cycles", "instr", 1},           {"IBUF stall %", "ibuf", "cycles", 100},
    {"DC miss ratio %", "dcm", "dca", 100},  {"Micro TLB PTI", "utlb", "instr", 1000},
    {"Main TLB PTI", "mtlb", "instr", 1000}, {"Branch PTI", "br", "instr", 1000},
    {"Mispredict %", "bmis", "br", 100},
};

/* Does the published figure follow from the computed one by rounding as the check says? */
static void
check_rounding(struct vec *vec, const json_t *check)
{
    const char *name = json_string_value(json_object_get(check, "name"));
    const char *how = json_string_value(json_object_get(check, "reproduces"));
    double unit = pow(10, number(check, "digits")), computed = number(check, "computed");
    double published = number(check, "published") * unit, exact = computed * unit;
    /* Half a unit less a rounding error of the decimal: figures with digits are not exact in binary. */
    bool nearest = fabs(round(exact) - published) < 1e-6, truncated = fabs(floor(exact) - published) < 1e-6;
    bool right = how && (!strcmp(how, "both")        ? nearest && truncated
                         : !strcmp(how, "nearest")   ? nearest && !truncated
                         : !strcmp(how, "truncated") ? truncated && !nearest
                                                     : !nearest && !truncated);
    vec_true(vec, right, "%s: %.17g does not give %.17g as '%s'", name, computed, published / unit,
             how ? how : "");
}

/* Replay a report: every event ran alone in its periods, each with a count of one cycle. */
static bool
scaled_count(const json_t *input, const char *event, uint64_t *ret)
{
    const json_t *raw = json_object_get(json_object_get(input, "raw"), event);
    const json_t *periods = json_object_get(json_object_get(input, "periods"), event);
    uint64_t total = integer(json_object_get(input, "total_periods"));
    if (!json_is_integer(raw))
        return false;
    struct pp_mux_event sum;
    struct pp_mux mux;
    pp_mux_init(&mux, &sum, 1, NULL);
    uint64_t running = periods ? integer(periods) : total;
    for (uint64_t i = 0; i < total; i++) {
        struct pp_mux_result result = {.count = i == 0 ? integer(raw) : 0};
        pp_mux_period(&mux, 1, PP_OK, 0, &result, i < running ? 1 : 0);
    }
    struct pp_mux_value value;
    pp_mux_value(&mux, 0, &value);
    *ret = value.by_periods;
    return pp_status_has_value(value.status);
}

static double
computed(const json_t *root, const char *name)
{
    const json_t *input = json_object_get(root, "input");
    uint64_t a, b;
    if (!strncmp(name, "scaled ", 7)) {
        double raw = number(json_object_get(input, "raw"), name + 7);
        return raw * number(input, "total_periods") / number(json_object_get(input, "periods"), name + 7);
    }
    for (size_t i = 0; i < sizeof(ratios) / sizeof(ratios[0]); i++) {
        if (!strcmp(name, ratios[i].name) && scaled_count(input, ratios[i].a, &a) &&
            scaled_count(input, ratios[i].b, &b))
            return ratios[i].factor * (double)a / (double)b;
    }
    return NAN;
}

static void
check_report(struct vec *vec, const json_t *root)
{
    const char *name;
    json_t *want, *check;
    size_t i;
    json_object_foreach(json_object_get(root, "published_scaled"), name, want)
    {
        uint64_t got = 0;
        bool has = scaled_count(json_object_get(root, "input"), name, &got);
        check_scaled(vec, name, "scaled", want, has, got);
    }
    json_array_foreach(json_object_get(root, "checks"), i, check)
    {
        const char *figure = json_string_value(json_object_get(check, "name"));
        double ours = computed(root, figure);
        check_rounding(vec, check);
        if (!isnan(ours))
            vec_close(vec, figure, ours, number(check, "computed"), TOLERANCE);
    }
}

static void
check(struct vec *vec, json_t *root)
{
    if (json_object_get(root, "frames"))
        check_frames(vec, root);
    else if (json_object_get(root, "published_scaled"))
        check_report(vec, root);
    else
        vec_true(vec, false, "neither frames nor a published report");
}

int
main(int argc, char **argv)
{
    return vec_main(argc, argv, PP_VECTORS "/multiplexing", check);
}
