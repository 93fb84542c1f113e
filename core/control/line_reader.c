/** @file
 * See line_reader.h. */
#include "core/control/line_reader.h"

#include <assert.h>
#include <string.h>

char *
pp_line_reader_space(struct pp_line_reader *reader, size_t *ret_size)
{
    *ret_size = PP_LINE_BYTES - reader->len;
    return reader->text + reader->len;
}

void
pp_line_reader_add(struct pp_line_reader *reader, size_t bytes)
{
    assert(bytes <= PP_LINE_BYTES - reader->len);
    reader->len += bytes;
}

/* Remove the first bytes. */
static void
remove_first(struct pp_line_reader *reader, size_t bytes)
{
    reader->len -= bytes;
    memmove(reader->text, reader->text + bytes, reader->len);
}

bool
pp_line_reader_has_line(const struct pp_line_reader *reader)
{
    return memchr(reader->text, '\n', reader->len) != NULL;
}

enum pp_line
pp_line_reader_take(struct pp_line_reader *reader, char *ret_line)
{
    const char *end = memchr(reader->text, '\n', reader->len);
    *ret_line = '\0';
    if (!end && reader->len == PP_LINE_BYTES) {
        reader->skipping = true;
        reader->len = 0;
    }
    if (!end)
        return PP_LINE_NONE;
    size_t len = (size_t)(end - reader->text);
    bool skipped = reader->skipping;
    reader->skipping = false;
    if (!skipped) {
        size_t text = len > 0 && end[-1] == '\r' ? len - 1 : len;
        for (size_t i = 0; i < text; i++)
            ret_line[i] = reader->text[i] ? reader->text[i] : '\1';
        ret_line[text] = '\0';
    }
    remove_first(reader, len + 1);
    return skipped ? PP_LINE_TOO_LONG : PP_LINE_TEXT;
}
