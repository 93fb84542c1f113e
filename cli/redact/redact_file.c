/** @file
 * See redact_file.h. */
#include "cli/redact/redact_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/session/read_watch.h"

#define READ_BYTES ((size_t)1 << 18)

bool
pp_redact_has_paths(const char *name)
{
    return strncmp(name, "modules.csv", 11) == 0 || strncmp(name, "symbols.csv", 11) == 0;
}

static int
pass_on(struct pp_redaction *r, bool words, const char *bytes, size_t len, pp_redact_sink *sink, void *data)
{
    size_t made = 0;
    const char *text = words ? pp_redact_words(r, bytes, len, &made) : pp_redact_text(r, bytes, len, &made);
    return !text ? -ENOMEM : made ? sink(data, text, made) : 0;
}

/* Bytes up to the end of the last whole row; 0: there is none. */
static size_t
whole_rows(const char *bytes, size_t len)
{
    const char *end = memrchr(bytes, '\n', len);
    return end ? (size_t)(end - bytes) + 1 : 0;
}

/* Make place for more bytes. */
static int
grow(char **buffer, size_t *cap, size_t len)
{
    if (len > PP_REDACT_ROW_MAX)
        return -EFBIG;
    if (len + READ_BYTES <= *cap)
        return 0;
    char *larger = realloc(*buffer, 2 * (len + READ_BYTES));
    if (!larger)
        return -ENOMEM;
    *buffer = larger;
    *cap = 2 * (len + READ_BYTES);
    return 0;
}

int
pp_redact_file(struct pp_redaction *redaction, const char *name, int fd, pp_redact_sink *sink, void *data)
{
    char *buffer = NULL;
    size_t cap = 0, len = 0;
    ssize_t got = 1;
    bool words = pp_redact_has_paths(name);
    int rc = 0;
    while (rc == 0 && got) {
        rc = grow(&buffer, &cap, len);
        got = rc ? 0 : pp_read_watched(fd, buffer + len, READ_BYTES);
        if (got < 0 && errno != EINTR)
            rc = -errno;
        if (rc || got < 0)
            continue;
        len += (size_t)got;
        size_t whole = got ? whole_rows(buffer, len) : len;
        rc = whole ? pass_on(redaction, words, buffer, whole, sink, data) : 0;
        memmove(buffer, buffer + whole, len - whole);
        len -= whole;
    }
    free(buffer);
    return rc;
}
