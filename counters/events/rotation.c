/** @file
 * Rotation, sums and scaling of counters measured in turn. */
#include "counters/events/rotation.h"
#include "counters/util/mul128.h"

#include <errno.h>
#include <math.h>

#include "counters/stats/stats_compare.h"

static void
shuffle(uint8_t *order, uint32_t n, uint64_t *random)
{
    for (uint32_t i = 0; i < n; i++)
        order[i] = (uint8_t)i;
    for (uint32_t i = n; i > 1; i--) {
        uint32_t j = (uint32_t)pp_random_below(random, i);
        uint8_t kept = order[i - 1];
        order[i - 1] = order[j];
        order[j] = kept;
    }
}

/* A cyclic Latin square with its rows and its symbols shuffled: cell (row, column) holds
 * symbol[(column + start[row]) mod n]. */
uint32_t
pp_mux_set_of_frame(uint64_t seed, uint32_t sets, uint64_t frame)
{
    uint8_t symbol[PP_MUX_SETS], start[PP_MUX_SETS];
    uint32_t n = sets < PP_MUX_SETS ? sets : PP_MUX_SETS;
    if (n < 2)
        return 0;
    uint64_t square = frame / ((uint64_t)n * n);
    uint32_t row = (uint32_t)(frame / n % n), column = (uint32_t)(frame % n);
    uint64_t random = seed ^ square * 0xD1B54A32D192ED03U;
    shuffle(symbol, n, &random);
    shuffle(start, n, &random);
    return symbol[(column + start[row]) % n];
}

static uint64_t
mask_of(unsigned bits)
{
    return bits >= 64 ? UINT64_MAX : ((uint64_t)1 << bits) - 1;
}

uint64_t
pp_counter_delta(unsigned bits, uint64_t begin, uint64_t end)
{
    return (end - begin) & mask_of(bits);
}

uint64_t
pp_counter_wrap_ns(unsigned bits, double per_second)
{
    double ns = per_second > 0 ? ldexp(1e9, (int)bits) / per_second : INFINITY;
    return ns < 0x1p64 ? (uint64_t)ns : UINT64_MAX;
}

void
pp_wide_counter_start(struct pp_wide_counter *counter, unsigned bits, uint64_t now)
{
    *counter = (struct pp_wide_counter){.last = now, .bits = bits};
}

uint64_t
pp_wide_counter_read(struct pp_wide_counter *counter, uint64_t now)
{
    counter->sum += pp_counter_delta(counter->bits, counter->last, now);
    counter->last = now;
    return counter->sum;
}

void
pp_mux_init(struct pp_mux *mux, struct pp_mux_event *event, size_t events, const uint64_t *wrap_ns)
{
    *mux = (struct pp_mux){.event = event, .events = events};
    for (size_t i = 0; i < events; i++)
        event[i] = (struct pp_mux_event){.wrap_ns = wrap_ns ? wrap_ns[i] : 0};
}

static void
add_result(struct pp_mux_event *event, uint64_t count, uint64_t cycles)
{
    event->raw += count;
    event->running_periods++;
    event->running_cycles += cycles;
    if (!cycles)
        return;
    double rate = (double)count / (double)cycles, off = rate - event->rate_mean;
    event->rate_mean += off / (double)event->running_periods;
    event->rate_m2 += off * (rate - event->rate_mean);
}

void
pp_mux_period(struct pp_mux *mux, uint64_t cycles, enum pp_status cycles_status, uint64_t length_ns,
              const struct pp_mux_result *result, size_t results)
{
    bool blind = !pp_status_has_value(cycles_status);
    mux->enabled_periods++;
    if (blind)
        mux->blind_periods++;
    else
        mux->enabled_cycles += cycles;
    for (size_t i = 0; i < results; i++) {
        if (result[i].event >= mux->events)
            continue;
        struct pp_mux_event *event = &mux->event[result[i].event];
        enum pp_status status = blind ? cycles_status : (enum pp_status)result[i].status;
        if (event->wrap_ns && length_ns >= event->wrap_ns)
            status = pp_status_worse(status, PP_WRAPPED);
        if (pp_status_has_value(status)) {
            add_result(event, result[i].count, cycles);
        } else {
            event->lost_periods++;
            event->worst = (uint8_t)pp_status_worse((enum pp_status)event->worst, status);
        }
    }
}

int
pp_mux_scale(uint64_t raw, uint64_t enabled, uint64_t running, uint64_t *ret)
{
    if (!running)
        return -ENODATA;
    if (pp_product(raw, enabled).high >= running)
        return -ERANGE; /* the quotient needs more than 64 bits */
    *ret = pp_muldiv(raw, enabled, 0, running);
    return 0;
}

static double
share(uint64_t part, uint64_t whole)
{
    return whole ? (double)part / (double)whole : 0;
}

void
pp_mux_value(const struct pp_mux *mux, size_t i, struct pp_mux_value *ret)
{
    const struct pp_mux_event *e = &mux->event[i];
    *ret = (struct pp_mux_value){
        .duty = share(e->running_cycles, mux->enabled_cycles),
        .duty_periods = share(e->running_periods, mux->enabled_periods),
        .spread_percent = NAN,
    };
    int by_periods = pp_mux_scale(e->raw, mux->enabled_periods, e->running_periods, &ret->by_periods);
    int by_cycles = pp_mux_scale(e->raw, mux->enabled_cycles, e->running_cycles, &ret->count);
    if (by_periods) {
        ret->status = by_periods == -ERANGE ? PP_REJECTED
                      : e->lost_periods     ? (enum pp_status)e->worst
                                            : PP_DISABLED;
        return;
    }
    ret->by_cycles_valid = by_cycles == 0;
    if (by_cycles == -ERANGE) {
        ret->status = PP_REJECTED;
    } else if (by_cycles) {
        ret->count = ret->by_periods;
        ret->duty = ret->duty_periods;
    }
    if (e->running_periods > 1 && e->rate_mean > 0)
        ret->spread_percent = 100 * sqrt(e->rate_m2 / (double)(e->running_periods - 1)) / e->rate_mean;
}

int
pp_mux_ratio(const struct pp_mux *mux, size_t numerator, size_t denominator, bool same_set, double *ret)
{
    const struct pp_mux_event *a = &mux->event[numerator], *b = &mux->event[denominator];
    if (!a->running_periods || !b->running_periods)
        return -ENODATA;
    /* A lost result of one only makes their raw counts incomparable even within a set. */
    if (same_set && a->running_periods == b->running_periods && a->running_cycles == b->running_cycles) {
        if (!b->raw)
            return -EDOM;
        *ret = (double)a->raw / (double)b->raw;
        return 0;
    }
    double ra = (double)a->raw, rb = (double)b->raw;
    if (a->running_cycles && b->running_cycles) {
        ra /= (double)a->running_cycles;
        rb /= (double)b->running_cycles;
    } else {
        ra /= (double)a->running_periods;
        rb /= (double)b->running_periods;
    }
    if (rb <= 0)
        return -EDOM;
    *ret = ra / rb;
    return 0;
}
