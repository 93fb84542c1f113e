/** @file
 * See diff_build.h. */
#include "cli/compare/diff_build.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "counters/util/array_size.h"
#include "counters/util/grow_array.h"
#include "pp_texts.h"

/* Clocks that differ by more make times doubtful. */
#define CLOCK_SHARE 0.05

int
pp_diff_note_add(struct pp_diff *diff, bool refuses, const char *format, ...)
{
    char *text = NULL;
    va_list arguments;
    int rc = pp_grow_array(&diff->note, &diff->note_cap, diff->notes + 1, sizeof(*diff->note));
    if (rc)
        return rc;
    va_start(arguments, format);
    int length = vasprintf(&text, format, arguments);
    va_end(arguments);
    if (length < 0)
        return -ENOMEM;
    diff->note[diff->notes++] = (struct pp_diff_note){.text = text, .refuses = refuses};
    diff->incomparable = diff->incomparable || refuses;
    return 0;
}

/* A text that both sides should share. */
struct shared_text {
    const char *what;
    bool refuses;
    bool of_run; /* else of the surface */
    size_t at;   /* of the member that has the text */
};

static const struct shared_text shared[] = {
    {"API", false, false, offsetof(struct pp_run_surface, api)},
    {"device", true, false, offsetof(struct pp_run_surface, device)},
    {"driver", false, false, offsetof(struct pp_run_surface, driver)},
    {"--level", true, true, offsetof(struct pp_run_figures, level)},
    {"--events", true, true, offsetof(struct pp_run_figures, events)},
    {PP_TEXT_DIFF_VERSION, false, false, offsetof(struct pp_run_surface, api_version)},
    {"CPU", false, true, offsetof(struct pp_run_figures, cpu)},
    {"host", false, true, offsetof(struct pp_run_figures, host)},
    {"kernel", false, true, offsetof(struct pp_run_figures, kernel)},
    {PP_TEXT_DIFF_PASSPROBE, false, true, offsetof(struct pp_run_figures, recorded_by)},
};

static const char *
text_of(const struct shared_text *of, const struct pp_run_figures *run, const struct pp_run_surface *surface)
{
    const char *text = NULL;
    memcpy(&text, (const char *)(of->of_run ? (const void *)run : (const void *)surface) + of->at,
           sizeof(text));
    return text;
}

/* Length of a device's name without what Mesa's drivers for OpenGL put in parentheses after it: the
 * generation of the GPU, but also versions of LLVM, of the kernel and of its driver. */
static size_t
device_length(const char *name)
{
    const char *more = strstr(name, " (");
    return more && name[strlen(name) - 1] == ')' ? (size_t)(more - name) : strlen(name);
}

bool
pp_diff_same_device(const char *a, const char *b)
{
    size_t length = device_length(a);
    return length == device_length(b) && strncmp(a, b, length) == 0;
}

/* Note texts that differ. A text that one of them does not know is no difference. */
static int
note_texts(struct pp_diff *diff, const struct pp_run_figures *a, const struct pp_run_surface *x,
           const struct pp_run_figures *b, const struct pp_run_surface *y)
{
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < PP_ARRAY_SIZE(shared); i++) {
        const char *old_text = text_of(&shared[i], a, x), *new_text = text_of(&shared[i], b, y);
        bool device = strcmp(shared[i].what, "device") == 0;
        bool refuses = shared[i].refuses && !(device && pp_diff_same_device(old_text, new_text));
        if (*old_text && *new_text && strcmp(old_text, new_text) != 0)
            rc = pp_diff_note_add(diff, refuses, PP_FORMAT_DIFF_DIFFERS, shared[i].what, old_text, new_text);
    }
    return rc;
}

/* Note numbers and options that differ. */
static int
note_numbers(struct pp_diff *diff, const struct pp_run_figures *a, const struct pp_run_surface *x,
             const struct pp_run_figures *b, const struct pp_run_surface *y)
{
    int rc = 0;
    bool sized = x->width > 0 && x->height > 0 && y->width > 0 && y->height > 0;
    if (x->software != y->software)
        rc = pp_diff_note_add(diff, true, "%s", PP_TEXT_DIFF_SOFTWARE);
    if (rc == 0 && a->serialize != b->serialize)
        rc = pp_diff_note_add(diff, true, "%s", PP_TEXT_DIFF_SERIALIZE);
    if (rc == 0 && (a->slower_ns < b->slower_ns || a->slower_ns > b->slower_ns))
        rc = pp_diff_note_add(diff, true, "%s", PP_TEXT_DIFF_KEPT);
    if (rc == 0 && sized && (fabs(x->width - y->width) > 0 || fabs(x->height - y->height) > 0))
        rc = pp_diff_note_add(diff, true, PP_FORMAT_DIFF_SIZE, x->width, x->height, y->width, y->height);
    if (rc == 0 && a->window != b->window)
        rc = pp_diff_note_add(diff, false, "%s", PP_TEXT_DIFF_WINDOWS);
    return rc;
}

/* Note clocks that differ. */
static int
note_clocks(struct pp_diff *diff, const struct pp_run_surface *x, const struct pp_run_surface *y)
{
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < x->counters; i++) {
        const char *name = x->counter[i].name;
        size_t len = strlen(name);
        const struct pp_counter_figures *other = pp_run_find_counter(y, name);
        double old_hz = x->counter[i].mean, new_hz = other ? other->mean : (double)NAN;
        if (len > 3 && strcmp(name + len - 3, "_hz") == 0 && strncmp(name, "hwmon:", 6) == 0 &&
            fabs(new_hz - old_hz) > CLOCK_SHARE * fmax(old_hz, new_hz))
            rc = pp_diff_note_add(diff, false, PP_FORMAT_DIFF_CLOCKS, name, old_hz / 1e9, new_hz / 1e9);
    }
    return rc;
}

/* Note runs of one side that are not alike. */
static int
note_side(struct pp_diff *diff, const struct pp_diff_side *side)
{
    int rc = 0;
    for (size_t i = 1; rc == 0 && i < side->runs; i++) {
        const struct pp_run_figures *a = &side->run[0], *b = &side->run[i];
        size_t before = diff->notes;
        rc = note_texts(diff, a, &a->surface[0], b, &b->surface[0]);
        rc = rc ? rc : note_numbers(diff, a, &a->surface[0], b, &b->surface[0]);
        if (rc == 0 && diff->notes > before)
            return pp_diff_note_add(diff, false, PP_FORMAT_DIFF_OF_ONE_SIDE, a->name, b->name);
    }
    return rc;
}

int
pp_diff_note_differences(struct pp_diff *diff, const struct pp_diff_part *part)
{
    const struct pp_run_figures *a = &diff->olds->run[0], *b = &diff->news->run[0];
    int rc = note_texts(diff, a, part->old_surface, b, part->new_surface);
    rc = rc ? rc : note_numbers(diff, a, part->old_surface, b, part->new_surface);
    rc = rc ? rc : note_clocks(diff, part->old_surface, part->new_surface);
    rc = rc ? rc : note_side(diff, diff->olds);
    return rc ? rc : note_side(diff, diff->news);
}
