/** @file
 * See escape.h. */
#include "cli/print/escape.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "counters/util/printable.h"

/* Longest form of a byte: "&#127;". */
#define LONGEST 6U

/* Writes one character of a text. @param c ASCII. @return false: the character represents itself. */
typedef bool escape_char(char c, char *to, size_t size);

static bool
xml_char(char c, char *to, size_t size)
{
    const char *form = c == '<'   ? "&lt;"
                       : c == '>' ? "&gt;"
                       : c == '&' ? "&amp;"
                       : c == '"' ? "&quot;"
                                  : "&apos;";
    if (!strchr("<>&\"'", c))
        return false;
    snprintf(to, size, "%s", form);
    return true;
}

/* Everything that may begin markup: all but letters, digits and blanks. */
static bool
markup_char(char c, char *to, size_t size)
{
    if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == ' ')
        return false;
    snprintf(to, size, "&#%d;", c);
    return true;
}

/* Is this UTF-8 character U+FFFE or U+FFFF, which XML does not allow? */
static bool
is_noncharacter(const char *at, size_t length)
{
    return length == 3 && (memcmp(at, "\xef\xbf\xbe", 3) == 0 || memcmp(at, "\xef\xbf\xbf", 3) == 0);
}

static char *
escape(const char *text, const char *before, const char *after, escape_char *form)
{
    size_t size = strlen(before) + LONGEST * strlen(text) + strlen(after) + LONGEST + 2;
    char *ret = malloc(size);
    if (!ret)
        return NULL;
    size_t used = (size_t)snprintf(ret, size, "%s", before);
    while (*text) {
        bool printable = false;
        size_t length = pp_printable_next(text, &printable);
        if (!printable || is_noncharacter(text, length)) {
            ret[used++] = '?';
        } else if (length == 1 && form(*text, ret + used, LONGEST + 1)) {
            used += strlen(ret + used);
        } else {
            memcpy(ret + used, text, length);
            used += length;
        }
        text += length;
    }
    snprintf(ret + used, size - used, "%s", after);
    return ret;
}

char *
pp_escape_xml(const char *text)
{
    return escape(text, "", "", xml_char);
}

/* A character that a code span holds as it is. */
static bool
no_char(char c, char *to, size_t size)
{
    (void)c;
    (void)to;
    (void)size;
    return false;
}

char *
pp_escape_markdown(const char *text)
{
    if (!*text)
        return strdup("-");
    /* a code span ends at '`', a cell at '|', and '\\' matters in front of '|' */
    bool simple = !strpbrk(text, "`|\\");
    return simple ? escape(text, "`", "`", no_char) : escape(text, "<code>", "</code>", markup_char);
}
