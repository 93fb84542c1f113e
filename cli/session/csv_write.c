/** @file
 * See csv_write.h. */
#include "cli/session/csv_write.h"

#include <string.h>

#include "cli/text/terminal.h"
#include "counters/util/printable.h"

static bool
needs_quotes(const char *text, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if (text[i] == ',' || text[i] == '"' || text[i] == '\r' || text[i] == '\n')
            return true;
    return false;
}

/* Write a part of a cell, in which quotes are doubled. */
static void
put(FILE *out, const char *text, size_t len)
{
    if (*text == '"')
        (void)fputc('"', out);
    (void)fwrite(text, 1, len, out);
}

void
pp_csv_write(FILE *out, const char *text, size_t len, bool quoted)
{
    quoted = quoted || needs_quotes(text, len);
    if (!quoted) {
        (void)fwrite(text, 1, len, out);
        return;
    }
    (void)fputc('"', out);
    for (size_t i = 0; i < len; i++)
        put(out, text + i, 1);
    (void)fputc('"', out);
}

void
pp_csv_print(FILE *out, const char *text)
{
    bool quoted = needs_quotes(text, strlen(text));
    pp_progress_erase();
    if (quoted)
        (void)fputc('"', out);
    while (*text) {
        bool printable = false;
        size_t len = pp_printable_next(text, &printable);
        put(out, printable ? text : "?", printable ? len : 1);
        text += len;
    }
    if (quoted)
        (void)fputc('"', out);
}

void
pp_csv_end_row(FILE *out)
{
    (void)fputs("\r\n", out);
}
