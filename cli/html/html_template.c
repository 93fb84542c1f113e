/** @file
 * See html_template.h. */
#include "cli/html/html_template.h"

#include <errno.h>
#include <string.h>

#include "cli/html/html_out.h"

/* Is this the name that is at a place? */
static int
is_name(const char *name, size_t length, const char *wanted)
{
    return strlen(wanted) == length && memcmp(wanted, name, length) == 0;
}

int
pp_html_template_write(FILE *out, const char *page, const struct pp_html_place *place, size_t places,
                       const json_t *data)
{
    static const char begin[] = "<!--", end[] = "-->";
    int rc = 0;
    errno = EIO; /* if the system says nothing */
    for (const char *at = NULL; rc == 0 && (at = strstr(page, begin));) {
        const char *name = at + strlen(begin), *name_end = strstr(name, end);
        if (!name_end)
            break;
        size_t length = (size_t)(name_end - name);
        pp_html_raw_part(out, page, (size_t)(at - page));
        if (is_name(name, length, "data"))
            rc = pp_html_json(out, data);
        for (size_t i = 0; i < places; i++)
            if (is_name(name, length, place[i].name))
                place[i].put(out, data);
        page = name_end + strlen(end);
    }
    pp_html_raw(out, page);
    return rc || fflush(out) || ferror(out) ? -errno : 0;
}
