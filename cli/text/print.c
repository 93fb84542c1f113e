/** @file
 * See print.h. The command never calls setlocale() for numbers: they have '.' decimals. */
#include "cli/text/print.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "cli/text/terminal.h"
#include "counters/util/printable.h"

/* Size of a buffer that holds a line of a table. Memory for longer text is allocated. */
#define USUAL_SIZE 2048U

/* A text in one of two buffers. */
struct formatted {
    char usual[USUAL_SIZE];
    char *text;  /* usual, or allocated */
    size_t size; /* bytes of text without its NUL */
};

/* Format a text. Without memory, a long text is cut. */
__attribute__((format(printf, 2, 0))) static void
format_text(struct formatted *ret, const char *format, va_list args)
{
    va_list again;
    va_copy(again, args);
    int length = vsnprintf(ret->usual, sizeof(ret->usual), format, args);
    ret->text = ret->usual;
    if (length < 0)
        ret->usual[0] = '\0';
    else if ((size_t)length >= sizeof(ret->usual) && vasprintf(&ret->text, format, again) < 0)
        ret->text = ret->usual;
    ret->size = strlen(ret->text);
    va_end(again);
}

static void
finish(struct formatted *formatted)
{
    if (formatted->text != formatted->usual)
        free(formatted->text);
}

/* Write a text that was formatted twice: once as it is and once without the format's line breaks. Where the
 * two differ, the format has a line break. All other line breaks came with the arguments. @return Bytes. */
static size_t
write_clean(FILE *out, const struct formatted *text, const struct formatted *unbroken)
{
    size_t wrote = 0;
    for (size_t at = 0; at < text->size;) {
        bool printable = false;
        size_t length = pp_printable_next(text->text + at, &printable);
        bool ours = at < unbroken->size && text->text[at] == '\n' && unbroken->text[at] != '\n';
        size_t bytes = printable || ours ? length : 1;
        fwrite(printable || ours ? text->text + at : "?", 1, bytes, out);
        wrote += bytes;
        at += length;
    }
    return wrote;
}

size_t
pp_print_list(FILE *out, const char *format, va_list args)
{
    struct formatted text, unbroken;
    char *blanks = strdup(format);
    va_list again;
    if (!blanks)
        return 0;
    pp_progress_erase();
    for (char *c = blanks; *c; c++)
        if (*c == '\n')
            *c = ' ';
    va_copy(again, args);
    format_text(&text, format, args);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral" /* the same format, with blanks */
    format_text(&unbroken, blanks, again);
#pragma GCC diagnostic pop
    va_end(again);
    size_t wrote = write_clean(out, &text, &unbroken);
    finish(&text);
    finish(&unbroken);
    free(blanks);
    return wrote;
}

size_t
pp_print(FILE *out, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    size_t wrote = pp_print_list(out, format, args);
    va_end(args);
    return wrote;
}

void
pp_print_style(FILE *out, unsigned style)
{
    pp_progress_erase();
    fprintf(out, "\033[%um", style);
}

void
pp_print_char(FILE *out, char c)
{
    pp_progress_erase();
    fputc(c, out);
}
