/** @file
 * See frame_window.h. */
#include "core/engine/frame_window.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/config/config.h"

/** Has one of the frames a number that is asked for? */
static bool
has_number(const struct pp_config *config, uint64_t first, uint64_t count)
{
    uint64_t next = first > config->frames_first ? first : config->frames_first;
    uint64_t past = (next - config->frames_first) % config->every;
    next += past == 0 ? 0 : config->every - past;
    return next <= config->frames_last && next - first < count;
}

bool
pp_frame_window_includes(const struct pp_config *config, const struct pp_frame_range *range)
{
    assert(config->every > 0 && range->count > 0 && range->earliest_ns <= range->latest_ns);
    if (range->latest_ns < config->delay_ns)
        return false;
    if (config->duration_ns != 0 && range->earliest_ns >= config->delay_ns &&
        range->earliest_ns - config->delay_ns >= config->duration_ns)
        return false;
    return has_number(config, range->first, range->count);
}

bool
pp_frame_window_between(const struct pp_config *config, const struct pp_window_moments *moments,
                        uint64_t earliest_ns, uint64_t latest_ns)
{
    if (!*config->between)
        return true;
    uint64_t from_ns = atomic_load(&moments->from_mark_ns), to_ns = atomic_load(&moments->to_mark_ns);
    /* the mark may come between the two moments */
    bool begun = from_ns ? latest_ns >= from_ns : latest_ns > earliest_ns;
    return begun && (!to_ns || earliest_ns < to_ns);
}

void
pp_frame_window_note_mark(const struct pp_config *config, struct pp_window_moments *moments,
                          const char *label, uint64_t at_ns)
{
    const char *between = config->between;
    size_t length = strlen(label);
    if (atomic_load(&moments->from_mark_ns)) {
        if (!atomic_load(&moments->to_mark_ns) && strcmp(between + moments->comma + 1, label) == 0)
            atomic_store(&moments->to_mark_ns, at_ns);
        return;
    }
    if (strncmp(between, label, length) != 0 || between[length] != ',')
        return;
    moments->comma = (uint32_t)length;
    atomic_store(&moments->from_mark_ns, at_ns);
}

static uint64_t
later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static uint64_t
earlier(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

struct pp_frame_bounds
pp_frame_window_bounds(const struct pp_config *config, const struct pp_window_moments *moments)
{
    uint64_t first_ns = atomic_load(&moments->first_frame_ns);
    uint64_t from_ns = atomic_load(&moments->from_mark_ns), to_ns = atomic_load(&moments->to_mark_ns);
    bool timed = config->delay_ns || config->duration_ns, between = *config->between;
    struct pp_frame_bounds bounds = {.any = timed || between || config->frames_first ||
                                            config->frames_last != UINT64_MAX,
                                     .begun = (!timed || first_ns) && (!between || from_ns),
                                     .first = config->frames_first,
                                     .last = config->frames_last,
                                     .end_ns = UINT64_MAX};
    if (timed && first_ns)
        bounds.begin_ns = first_ns + config->delay_ns;
    if (first_ns && config->duration_ns)
        bounds.end_ns = first_ns + config->delay_ns + config->duration_ns;
    bounds.begin_ns = later(bounds.begin_ns, from_ns);
    if (to_ns)
        bounds.end_ns = earlier(bounds.end_ns, to_ns);
    return bounds;
}

bool
pp_frame_bounds_hold(const struct pp_frame_bounds *bounds, uint64_t frame, uint64_t start_ns)
{
    return !bounds->any || (bounds->begun && frame >= bounds->first && frame <= bounds->last &&
                            start_ns >= bounds->begin_ns && start_ns < bounds->end_ns);
}

__attribute__((format(printf, 3, 4))) static void
append(char *text, size_t size, const char *format, ...)
{
    size_t used = strlen(text);
    va_list args;
    va_start(args, format);
    (void)vsnprintf(text + used, size - used, format, args);
    va_end(args);
}

/* Append an option with seconds. printf's "%g" would write the decimal point of the application's locale. */
static void
append_seconds(char *text, size_t size, const char *option, uint64_t ns)
{
    char fraction[16];
    if (!ns)
        return;
    snprintf(fraction, sizeof(fraction), ".%09u", (unsigned)(ns % 1000000000U));
    for (size_t i = strlen(fraction); i > 0 && strchr(".0", fraction[i - 1]); i--)
        fraction[i - 1] = '\0';
    append(text, size, " --%s %llu%s", option, (unsigned long long)(ns / 1000000000U), fraction);
}

void
pp_frame_window_text(const struct pp_config *config, char *text, size_t size)
{
    unsigned long long first = config->frames_first, last = config->frames_last;
    text[0] = '\0';
    if (config->frames_last == UINT64_MAX && first)
        append(text, size, " --frames %llu-", first);
    else if (first == last)
        append(text, size, " --frames %llu", first);
    else if (config->frames_last != UINT64_MAX)
        append(text, size, " --frames %llu-%llu", first, last);
    append_seconds(text, size, "delay", config->delay_ns);
    append_seconds(text, size, "duration", config->duration_ns);
    if (*config->between)
        append(text, size, " --between %s", config->between);
    memmove(text, text + (*text == ' '), strlen(text) + (*text != ' '));
}
