/** @file
 * See baseline_json.h. */
#include "cli/json/baseline_json.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "cli/json/json_values.h"
#include "cli/print/print.h"
#include "counters/util/array_size.h"

/* Members that no comparison reads, wherever they are. What is not named here stays. */
static const char *const left_out[] = {
    "at",           "bound_by",          "dropped",   "exclusive_ns", "first_frame_ns",
    "first_frames", "gpu_share_percent", "histogram", "inclusive_ns", "is_call",
    "max_frame",    "not_measured",      "own_cost",  "runs_for",     "share_percent",
    "slow_frames"};

/* Objects of session.json, and what a comparison reads of them. */
static const struct {
    const char *name;
    const char *member[4];
} kept[] = {{"program", {"executable", "start", "start_realtime_ns"}},
            {"host", {"name", "cpu", "kernel"}},
            {"options", {"level", "events", "serialize"}}};

static bool
is_left_out(const char *name)
{
    for (size_t i = 0; i < PP_ARRAY_SIZE(left_out); i++)
        if (strcmp(name, left_out[i]) == 0)
            return true;
    return false;
}

/* Does a member say no more than one that is missing? Readers take what is missing as not known, empty or
 * false; only in_a_frame is true then. */
static bool
says_nothing(const char *name, const json_t *member)
{
    const char *text = json_string_value(member);
    return json_is_null(member) || (text && !*text) ||
           (json_is_object(member) && !json_object_size(member)) ||
           (json_is_false(member) && strcmp(name, "in_a_frame") != 0);
}

/* Copy a value without the members that are left out. @return A new reference; NULL: no memory. */
static json_t *
pruned(const json_t *value)
{
    const char *name = NULL;
    json_t *member = NULL;
    json_t *ret = json_is_object(value) ? json_object() : json_is_array(value) ? json_array() : NULL;
    if (!json_is_object(value) && !json_is_array(value))
        return json_deep_copy(value);
    json_object_foreach((json_t *)(uintptr_t)value, name, member)
    {
        if (!says_nothing(name, member) && !is_left_out(name) &&
            json_object_set_new(ret, name, pruned(member)))
            goto drop;
    }
    for (size_t i = 0; i < json_array_size(value); i++)
        if (json_array_append_new(ret, pruned(json_array_get(value, i))))
            goto drop;
    return ret;
drop:
    json_decref(ret);
    return NULL;
}

/* Is the member of an object of session.json read? */
static bool
is_kept(size_t object, const char *name)
{
    for (size_t i = 0; i < PP_ARRAY_SIZE(kept[object].member); i++)
        if (kept[object].member[i] && strcmp(kept[object].member[i], name) == 0)
            return true;
    return false;
}

json_t *
pp_baseline_json_make(const json_t *report)
{
    json_t *ret = pruned(report);
    for (size_t i = 0; ret && i < PP_ARRAY_SIZE(kept); i++) {
        json_t *object = json_object_get(ret, kept[i].name), *member = NULL;
        const char *name = NULL;
        void *next = NULL;
        json_object_foreach_safe(object, next, name, member)
        {
            if (!is_kept(i, name))
                (void)json_object_del(object, name);
        }
    }
    return ret;
}

int
pp_baseline_json_write(FILE *out, const json_t *baseline)
{
    if (!baseline)
        return -ENOMEM;
    errno = EIO; /* if the system says nothing */
    if (json_dumpf(baseline, out, JSON_COMPACT | JSON_REAL_PRECISION(12)))
        return -errno;
    pp_print_char(out, '\n');
    return fflush(out) || ferror(out) ? -errno : 0;
}
