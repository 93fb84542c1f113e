/** @file
 * See html_report.h. The page without its session is page.html. */
#include "cli/html/html_report.h"

#include <errno.h>
#include <string.h>

#include "cli/html/html_out.h"
#include "cli/html/html_session.h"
#include "cli/html/html_static.h"
#include "cli/html/html_strip.h"
#include "cli/html/page_files.h"
#include "counters/util/array_size.h"

/* Write what stands at a place of the page. @param name Of the place, up to "-->". */
static void
put_place(FILE *out, const json_t *data, const char *name, size_t length)
{
    static const struct {
        const char *name;
        void (*put)(FILE *out, const json_t *data);
    } place[] = {{"title", pp_html_put_title},     {"run", pp_html_put_run},
                 {"verdict", pp_html_put_verdict}, {"strip", pp_html_put_strip},
                 {"slow", pp_html_put_slow},       {"passes", pp_html_put_passes},
                 {"labels", pp_html_put_labels},   {"counters", pp_html_put_counters},
                 {"missing", pp_html_put_missing}, {"machine", pp_html_put_machine}};
    for (size_t i = 0; i < PP_ARRAY_SIZE(place); i++)
        if (strlen(place[i].name) == length && memcmp(place[i].name, name, length) == 0)
            place[i].put(out, data);
}

int
pp_html_report_write(FILE *out, const json_t *data)
{
    static const char begin[] = "<!--", end[] = "-->", data_place[] = "data";
    const char *at = pp_html_page;
    int rc = 0;
    for (const char *place = NULL; rc == 0 && (place = strstr(at, begin));) {
        const char *name = place + strlen(begin), *name_end = strstr(name, end);
        if (!name_end)
            break;
        pp_html_raw_part(out, at, (size_t)(place - at));
        if (strncmp(name, data_place, strlen(data_place)) == 0)
            rc = pp_html_json(out, data);
        else
            put_place(out, data, name, (size_t)(name_end - name));
        at = name_end + strlen(end);
    }
    pp_html_raw(out, at);
    return rc || ferror(out) ? -EIO : 0;
}
