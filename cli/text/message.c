/** @file
 * See message.h. */
#include "cli/text/message.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "counters/util/fd.h"
#include "counters/util/printable.h"

/* Write a line of @p used bytes, in memory for one byte more. Control characters become blanks. */
static void
write_line(char *line, size_t used)
{
    line[used] = '\0';
    used = strlen(pp_printable_clean(line, ' '));
    line[used++] = '\n';
    (void)!pp_write_all(STDERR_FILENO, line, used);
}

__attribute__((format(printf, 1, 0))) static void
say(const char *format, va_list args)
{
    static const char prefix[] = "passprobe: ";
    char line[2048];
    memcpy(line, prefix, sizeof(prefix));
    size_t used = sizeof(prefix) - 1;
    int n = vsnprintf(line + used, sizeof(line) - used - 1, format, args);
    if (n < 0)
        return;
    write_line(line, strlen(line));
}

void
pp_message(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    say(format, args);
    va_end(args);
}

int
pp_fail(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    say(format, args);
    va_end(args);
    return PP_EXIT_FAILED;
}

int
pp_fail_text(const char *text)
{
    size_t first = strcspn(text, "\n");
    pp_message("%.*s", (int)first, text);
    for (const char *at = text + first; *at;) {
        char line[1024];
        size_t length = strcspn(++at, "\n");
        size_t shown = length < sizeof(line) - 1 ? length : sizeof(line) - 1;
        memcpy(line, at, shown);
        write_line(line, shown);
        at += length;
    }
    return PP_EXIT_FAILED;
}
