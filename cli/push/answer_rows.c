/** @file
 * See answer_rows.h. */
#include "cli/push/answer_rows.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Read a number that ends with @p end. @return After it; NULL: there is none. */
static const char *
number(const char *text, char end, uint64_t *ret)
{
    char *behind = NULL;
    if (*text < '0' || *text > '9')
        return NULL;
    errno = 0;
    *ret = strtoull(text, &behind, 10);
    return errno || *behind != end ? NULL : behind + 1;
}

size_t
pp_answer_numbers(const char *text, uint64_t *ret, size_t most)
{
    size_t len = 0;
    while (*text && len < most) {
        text = number(text, '\n', &ret[len]);
        if (!text)
            return SIZE_MAX;
        len++;
    }
    return len;
}

int
pp_answer_number_and_hex(const char **io_text, uint64_t *ret_number, char *ret_hex, size_t digits)
{
    uint64_t value = 0;
    if (!**io_text)
        return 0;
    const char *hex = number(*io_text, '\t', &value);
    if (!hex || strspn(hex, "0123456789abcdef") != digits || hex[digits] != '\n')
        return -1;
    memcpy(ret_hex, hex, digits);
    ret_hex[digits] = '\0';
    *ret_number = value;
    *io_text = hex + digits + 1;
    return 1;
}
