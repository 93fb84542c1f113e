/** @file
 * Columns of events; see row_column.h. */
#include "core/derive/row_column.h"

#include <math.h>
#include <string.h>

uint16_t
pp_row_column_find(const struct pp_session *session, const char *source, const char *event)
{
    size_t prefix = strlen(source), length = strlen(event);
    for (uint32_t i = 0; i < session->rows.columns; i++) {
        const struct pp_column *column = &session->rows.column[i];
        const char *name = column->name;
        if (column->hidden || strncmp(name, source, prefix) != 0 || name[prefix] != ':' ||
            strncmp(name + prefix + 1, event, length) != 0)
            continue;
        const char *rest = name + prefix + 1 + length;
        if (*rest == '\0' || strcmp(rest, pp_unit_suffix(column->unit)) == 0)
            return (uint16_t)i;
    }
    return UINT16_MAX;
}

double
pp_row_column_number(const struct pp_column *column, struct pp_value value)
{
    double number = 0;
    if (!pp_status_has_value(value.status))
        return NAN;
    if (column->number == PP_NUMBER_F64)
        memcpy(&number, &value.value, sizeof(number));
    else if (column->number == PP_NUMBER_I64)
        number = (double)(int64_t)value.value;
    else
        number = (double)value.value;
    return number;
}
