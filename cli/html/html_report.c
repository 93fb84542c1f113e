/** @file
 * See html_report.h. The page without its session is page.html. */
#include "cli/html/html_report.h"

#include "cli/html/html_session.h"
#include "cli/html/html_static.h"
#include "cli/html/html_strip.h"
#include "cli/html/html_template.h"
#include "cli/html/page_files.h"
#include "counters/util/array_size.h"

int
pp_html_report_write(FILE *out, const json_t *data)
{
    static const struct pp_html_place place[] = {
        {"title", pp_html_put_title},    {"run", pp_html_put_run},           {"verdict", pp_html_put_verdict},
        {"strip", pp_html_put_strip},    {"slow", pp_html_put_slow},         {"passes", pp_html_put_passes},
        {"labels", pp_html_put_labels},  {"counters", pp_html_put_counters}, {"missing", pp_html_put_missing},
        {"machine", pp_html_put_machine}};
    return pp_html_template_write(out, pp_html_page, place, PP_ARRAY_SIZE(place), data);
}
