/** @file
 * CSV on stdout; see decode.h. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/commands/decode_csv.h"
#include "cli/print/message.h"
#include "cli/print/print.h"
#include "cli/session/csv_write.h"
#include "counters/metric/catalogue.h"
#include "pp_texts.h"

/** Has the current row a cell already? A process writes only one table. */
static bool in_row;

static void
separate(void)
{
    if (in_row)
        putchar(',');
    in_row = true;
}

void
pp_decode_text(const char *text)
{
    separate();
    pp_csv_print(stdout, text);
}

void
pp_decode_name(const char *symbol, const char *unit, enum pp_unit unit_id)
{
    const struct pp_catalogue_metric named = {.symbol = symbol, .unit = unit, .unit_id = unit_id};
    char name[256];
    pp_catalogue_column_name(&named, name, sizeof(name));
    pp_decode_text(name);
}

void
pp_decode_u64(uint64_t value)
{
    separate();
    printf("%" PRIu64, value);
}

void
pp_decode_number(union pp_metric_number value, enum pp_metric_type type)
{
    char text[40];
    if (type == PP_METRIC_U64) {
        pp_decode_u64(value.u);
        return;
    }
    if (!isfinite(value.f)) {
        pp_decode_empty();
        return;
    }
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, sizeof(text), "%.*g", digits, value.f);
        if (strtod(text, NULL) == value.f)
            break;
    }
    separate();
    fputs(text, stdout);
}

void
pp_decode_empty(void)
{
    separate();
}

int
pp_decode_row(void)
{
    pp_csv_end_row(stdout);
    in_row = false;
    return ferror(stdout) ? -EIO : 0;
}

int
pp_decode_finish(void)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return 0;
    return pp_fail(PP_FORMAT_STDOUT, strerror(errno));
}
