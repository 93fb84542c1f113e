/** @file
 * See export_viewer_cells.h. */
#include "cli/export/export_viewer_cells.h"

#include <inttypes.h>
#include <stdbool.h>

#include "cli/export/export_viewer.h"
#include "counters/util/printable.h"

void
pp_viewer_put_text(FILE *out, const char *text, const char *instead)
{
    bool any = false, blank = false;
    while (text && *text) {
        bool printable = false;
        size_t len = pp_printable_next(text, &printable);
        bool wanted = printable && *text != ',' && *text != '"' && *text != ' ';
        if (wanted && blank && any)
            fputc(' ', out);
        if (wanted)
            fwrite(text, 1, len, out);
        blank = !wanted;
        any |= wanted;
        text += len;
    }
    if (!any)
        fputs(instead, out);
}

void
pp_viewer_put_number(FILE *out, int64_t value, const char *none)
{
    if (value == PP_VIEWER_NONE)
        fputs(none, out);
    else
        fprintf(out, "%" PRId64, value);
}

static void
put_decimal(FILE *out, int64_t value, uint64_t unit, int decimals, const char *none)
{
    uint64_t size = value < 0 ? -(uint64_t)value : (uint64_t)value;
    if (value == PP_VIEWER_NONE)
        fputs(none, out);
    else
        fprintf(out, "%s%" PRIu64 ".%0*" PRIu64, value < 0 ? "-" : "", size / unit, decimals, size % unit);
}

void
pp_viewer_put_millionths(FILE *out, int64_t millionths, const char *none)
{
    put_decimal(out, millionths, 1000000U, 6, none);
}

void
pp_viewer_put_billionths(FILE *out, int64_t billionths, const char *none)
{
    put_decimal(out, billionths, 1000000000U, 9, none);
}

void
pp_viewer_put_address(FILE *out, uint64_t value)
{
    fprintf(out, "0x%016" PRIX64, value);
}

int64_t
pp_viewer_sum(int64_t a, int64_t b)
{
    return a == PP_VIEWER_NONE || b == PP_VIEWER_NONE ? PP_VIEWER_NONE : a + b;
}

int64_t
pp_viewer_difference(int64_t a, int64_t b)
{
    return a == PP_VIEWER_NONE || b == PP_VIEWER_NONE ? PP_VIEWER_NONE : a - b;
}
