/** @file
 * See html_session.h. */
#include "cli/html/html_session.h"

#include <math.h>
#include <stdlib.h>

#include "cli/html/html_figures.h"
#include "cli/html/html_out.h"
#include "counters/util/array_size.h"

/* Write each event that is missing, by reason. */
static void
put_events(FILE *out, const json_t *missing)
{
    static const char *const heads[] = {"<not measured", "events", "<why", NULL};
    pp_html_begin_table(out, "Events that were not measured", heads, NULL);
    for (size_t i = 0; i < json_array_size(missing); i++) {
        const json_t *row = json_array_get(missing, i);
        pp_html_raw(out, "<tr>");
        pp_html_element(out, "td class=\"name\"", pp_html_string(row, "event"));
        pp_html_put_fixed(out, pp_html_number(row, "events"), 0);
        pp_html_element(out, "td", pp_html_string(row, "reason"));
        pp_html_raw(out, "</tr>\n");
    }
    pp_html_end_table(out);
}

/* Write which cells of the files are empty. */
static void
put_empty_cells(FILE *out, const json_t *empty)
{
    static const char *const heads[] = {"<file", "<columns", "<why cells are empty", NULL};
    if (!json_array_size(empty))
        return;
    pp_html_begin_table(out, "Empty cells of the session's files", heads, NULL);
    for (size_t i = 0; i < json_array_size(empty); i++) {
        const json_t *row = json_array_get(empty, i), *columns = json_object_get(row, "columns");
        pp_html_raw(out, "<tr>");
        pp_html_element(out, "td class=\"name\"", pp_html_string(row, "file"));
        pp_html_raw(out, "<td class=\"name\">");
        for (size_t k = 0; k < json_array_size(columns); k++)
            pp_html_textf(out, k ? ", %s" : "%s", json_string_value(json_array_get(columns, k)));
        pp_html_raw(out, "</td>");
        pp_html_element(out, "td", pp_html_string(row, "reason"));
        pp_html_raw(out, "</tr>\n");
    }
    pp_html_end_table(out);
}

/* Write what was lost. */
static void
put_losses(FILE *out, const json_t *losses)
{
    size_t lost = json_array_size(losses);
    if (!lost) {
        pp_html_element(out, "p", "Nothing was lost.");
        return;
    }
    pp_html_raw(out, "<ul class=\"warning\">");
    for (size_t i = 0; i < lost; i++)
        pp_html_element(out, "li", json_string_value(json_array_get(losses, i)));
    pp_html_raw(out, "</ul>");
}

void
pp_html_put_missing(FILE *out, const json_t *data)
{
    const json_t *missing = pp_html_value(data, "report.not_measured");
    if (json_array_size(missing))
        put_events(out, missing);
    else
        pp_html_element(out, "p", "All events that were asked for were measured.");
    put_losses(out, pp_html_value(data, "report.losses"));
    put_empty_cells(out, json_object_get(data, "empty_cells"));
}

/* Write a device with its driver and what measuring changed. */
static void
put_device(FILE *out, const json_t *device)
{
    const json_t *notes = json_object_get(device, "notes");
    pp_html_put_fact(out, "GPU", pp_html_string(device, "name"));
    pp_html_put_fact(out, "driver", pp_html_string(device, "driver"));
    pp_html_put_fact(out, "API", pp_html_string(device, "api_version"));
    for (size_t i = 0; i < json_array_size(notes); i++)
        pp_html_put_fact(out, "note", json_string_value(json_array_get(notes, i)));
}

void
pp_html_put_machine(FILE *out, const json_t *data)
{
    static const char *const fact[][2] = {
        {"session", "report.session"},         {"executable", "report.program.executable"},
        {"start", "report.program.start"},     {"ended", "report.ended"},
        {"recorded by", "report.recorded_by"}, {"host", "report.host.name"},
        {"kernel", "report.host.kernel"},      {"system", "report.host.os"},
        {"processor", "report.host.cpu"},      {"level", "report.options.level"},
        {"events", "report.options.events"},   {"frame on", "report.options.frame_on"}};
    const json_t *devices = json_object_get(data, "devices");
    pp_html_raw(out, "<dl class=\"facts\">");
    for (size_t i = 0; i < PP_ARRAY_SIZE(fact); i++)
        pp_html_put_fact(out, fact[i][0], pp_html_string(data, fact[i][1]));
    for (size_t i = 0; i < json_array_size(devices); i++)
        put_device(out, json_array_get(devices, i));
    if (json_is_true(pp_html_value(data, "report.options.serialize")))
        pp_html_put_fact(out, "serialize",
                         "Passes ran one after another (--serialize): frame times are not those of the "
                         "application alone.");
    pp_html_raw(out, "</dl>");
}
