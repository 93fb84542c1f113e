/** @file
 * See wrong_number.h. Names are those of docs/formats/session.md and report.schema.json. */
#include "cli/session/wrong_number.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/session/csv_read.h"
#include "counters/util/array_size.h"

static bool
ends_with(const char *name, const char *end)
{
    size_t len = strlen(name), end_len = strlen(end);
    return len >= end_len && strcmp(name + len - end_len, end) == 0;
}

/* Is this the name of a number? */
static bool
is_number_name(const char *name)
{
    static const char *const end[] = {"_ns", "_bytes", "_hz", "percent", "fps", "_per_frame", "_ticks"};
    static const char *const number[] = {"block",
                                         "brackets",
                                         "count",
                                         "cpus",
                                         "dispatches",
                                         "draws",
                                         "duty",
                                         "every",
                                         "frame",
                                         "frames",
                                         "first_frames",
                                         "frames_first",
                                         "frames_last",
                                         "height",
                                         "keep_around",
                                         "labels",
                                         "layers",
                                         "mean",
                                         "passes",
                                         "pid",
                                         "place",
                                         "max_frame",
                                         "pipelines_created",
                                         "rate",
                                         "revision",
                                         "samples",
                                         "slow_frames_found",
                                         "timestamp_bits",
                                         "usual_draws",
                                         "width"};
    for (size_t i = 0; i < PP_ARRAY_SIZE(end); i++)
        if (ends_with(name, end[i]))
            return true;
    for (size_t i = 0; i < PP_ARRAY_SIZE(number); i++)
        if (strcmp(name, number[i]) == 0)
            return true;
    return strchr(name, ':') != NULL;
}

/* Has an object of this name numbers only, or further such objects? */
static bool
has_numbers(const char *name)
{
    return strcmp(name, "counts") == 0 || strcmp(name, "dropped") == 0 || strcmp(name, "statistics") == 0;
}

/* Look into a value. @param name Of its member; "": it is an element of an array. @param len Of its path. */
static bool
find(const json_t *json, const char *name, bool number, bool by_name, char *key, size_t size, size_t len)
{
    const char *member = NULL;
    json_t *value = NULL;
    char *rest = key + len;
    if (json_is_number(json))
        return !(fabs(json_number_value(json)) <= PP_CELL_MOST);
    if (json_is_string(json) || json_is_boolean(json))
        return number || (by_name && is_number_name(name));
    for (size_t i = 0; i < json_array_size(json); i++) {
        snprintf(rest, size - len, "[%zu]", i);
        if (find(json_array_get(json, i), "", false, by_name, key, size, strlen(key)))
            return true;
    }
    json_object_foreach((json_t *)(uintptr_t)json, member, value)
    {
        snprintf(rest, size - len, "%s%s", len ? "." : "", member);
        /* a user chooses the names of tags */
        if (strcmp(rest, "tags") != 0 &&
            find(value, member, has_numbers(name), by_name, key, size, strlen(key)))
            return true;
    }
    return false;
}

bool
pp_json_wrong_number(const json_t *json, bool by_name, char *key, size_t size)
{
    *key = '\0';
    return find(json, "", false, by_name, key, size, 0);
}
