/** @file
 * See json_values.h. */
#include "cli/json/json_values.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/print/print.h"
#include "cli/print/progress.h"
#include "counters/util/printable.h"

#define WRITTEN (JSON_INDENT(1) | JSON_REAL_PRECISION(12))

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
pp_json_put_number(json_t *object, const char *name, double value)
{
    (void)!json_object_set_new(object, name, pp_json_number(value));
}

void
pp_json_put_text(json_t *object, const char *name, const char *value)
{
    (void)!json_object_set_new(object, name, pp_json_text(value));
}

json_t *
pp_json_written(json_t *value)
{
    char *text = value ? json_dumps(value, WRITTEN) : NULL;
    json_t *ret = text ? json_loads(text, 0, NULL) : NULL;
    free(text);
    json_decref(value);
    return ret;
}

int
pp_json_write(FILE *out, const json_t *value)
{
    if (!value)
        return -ENOMEM;
    pp_progress_erase();
    errno = EIO; /* if the system says nothing */
    if (json_dumpf(value, out, WRITTEN))
        return -errno;
    pp_print_char(out, '\n');
    return fflush(out) || ferror(out) ? -errno : 0;
}
