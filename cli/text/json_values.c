/** @file
 * See json_values.h. */
#include "cli/text/json_values.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/text/print.h"
#include "cli/text/terminal.h"
#include "counters/util/printable.h"

#define DIGITS 12

json_t *
pp_json_number(double value)
{
    if (!isfinite(value))
        return json_null();
    return value == floor(value) && fabs(value) < 9e15 ? json_integer((json_int_t)value) : json_real(value);
}

json_t *
pp_json_text(const char *value)
{
    json_t *ret = json_string(value);
    if (ret)
        return ret;
    char *clean = strdup(value);
    if (!clean)
        return NULL;
    ret = json_string(pp_printable_clean(clean, '?'));
    free(clean);
    return ret;
}

void
pp_json_put(json_t *object, const char *name, json_t *value)
{
    (void)!json_object_set_new(object, name, value);
}

void
pp_json_append(json_t *array, json_t *value)
{
    (void)!json_array_append_new(array, value);
}

void
pp_json_put_number(json_t *object, const char *name, double value)
{
    pp_json_put(object, name, pp_json_number(value));
}

void
pp_json_put_text(json_t *object, const char *name, const char *value)
{
    pp_json_put(object, name, value ? pp_json_text(value) : json_null());
}

void
pp_json_put_known(json_t *object, const char *name, const char *value)
{
    pp_json_put_text(object, name, value && *value ? value : NULL);
}

void
pp_json_put_truth(json_t *object, const char *name, bool value)
{
    pp_json_put(object, name, json_boolean(value));
}

double
pp_json_value(const json_t *value)
{
    return json_is_number(value) ? json_number_value(value) : (double)NAN;
}

double
pp_json_get_number(const json_t *object, const char *name)
{
    return pp_json_value(json_object_get(object, name));
}

const char *
pp_json_get_text(const json_t *object, const char *name)
{
    return json_string_value(json_object_get(object, name));
}

void
pp_json_round(json_t *value)
{
    char digits[40];
    const char *name = NULL;
    json_t *member = NULL;
    size_t i = 0;
    if (json_is_real(value)) {
        snprintf(digits, sizeof(digits), "%.*g", DIGITS, json_real_value(value));
        json_real_set(value, strtod(digits, NULL));
    }
    json_array_foreach(value, i, member) pp_json_round(member);
    json_object_foreach(value, name, member) pp_json_round(member);
}

int
pp_json_write(FILE *out, const json_t *value)
{
    if (!value)
        return -ENOMEM;
    pp_progress_erase();
    errno = EIO; /* if the system says nothing */
    if (json_dumpf(value, out, JSON_INDENT(1) | JSON_REAL_PRECISION(DIGITS)))
        return -errno;
    pp_print_char(out, '\n');
    return fflush(out) || ferror(out) ? -errno : 0;
}
