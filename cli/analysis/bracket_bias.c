/** @file
 * See bracket_bias.h. */
#include "cli/analysis/bracket_bias.h"

#include <math.h>
#include <string.h>

/* A number of one kind of empty brackets, as devices[].bracket_bias[] in session.json has it. */
static double
bias_number(const json_t *bias, const char *key)
{
    const json_t *number = json_object_get(bias, key);
    return json_is_number(number) ? json_number_value(number) : (double)NAN;
}

struct pp_bracket_bias
pp_bias_of_scope(const struct pp_saved_session *rec, const char *wanted)
{
    struct pp_bracket_bias none = {(double)NAN, (double)NAN};
    json_t *devices = pp_saved_json(rec, "devices");
    for (size_t d = 0; d < json_array_size(devices); d++) {
        json_t *list = json_object_get(json_array_get(devices, d), "bracket_bias");
        for (size_t i = 0; i < json_array_size(list); i++) {
            json_t *bias = json_array_get(list, i);
            const char *scope = json_string_value(json_object_get(bias, "scope"));
            if (scope && strcmp(scope, wanted) == 0)
                return (struct pp_bracket_bias){bias_number(bias, "median_ns"), bias_number(bias, "iqr_ns")};
        }
    }
    return none;
}

double
pp_less(double ns, double bias)
{
    return isnan(ns) || isnan(bias) ? ns : fmax(ns - bias, 0);
}
