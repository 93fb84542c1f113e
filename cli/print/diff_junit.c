/** @file
 * See diff_junit.h. The format is that of Ant and Jenkins (junit-10.xsd), which GitHub's and GitLab's readers
 * take. */
#include "cli/print/diff_junit.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "cli/print/diff_cells.h"
#include "cli/print/escape.h"
#include "cli/print/print.h"

#define NAME_MOST   2048U
#define CHANGE_MOST 256U
/* A longer time is nonsense of a damaged summary; as a number it would have hundreds of digits. */
#define SECONDS_MOST 1e9

/* How a test ended. */
enum outcome { PASSED, SKIPPED, FAILED, ERROR, OUTCOMES };

/* A test. Texts are borrowed and not escaped. */
struct test {
    const char *name;
    const char *message; /* why it did not pass, else what was measured */
    double seconds;      /* NaN: none */
    enum outcome outcome;
};

/* Takes one test. */
typedef int take_test(void *data, const struct test *test);

/* What is written, and how. */
struct report {
    const struct pp_diff *diff;
    const struct pp_limit_checks *checks;
    bool refused, strict;
    const char *why; /* the sides could not be read; NULL: they were */
};

/* Write NAME="TEXT". */
static int
put_attribute(FILE *out, const char *name, const char *text)
{
    char *escaped = pp_escape_xml(text);
    if (!escaped)
        return -ENOMEM;
    pp_print(out, " %s=\"%s\"", name, escaped);
    free(escaped);
    return 0;
}

static int
put_property(FILE *out, const char *name, const char *value)
{
    pp_print(out, "<property name=\"%s\"", name);
    int rc = put_attribute(out, "value", value);
    pp_print(out, "/>\n");
    return rc;
}

/* Write NAME="COUNT". */
static void
put_count(FILE *out, const char *name, size_t count)
{
    pp_print(out, " %s=\"%zu\"", name, count);
}

static int
count_test(void *data, const struct test *test)
{
    size_t *count = data;
    count[test->outcome]++;
    return 0;
}

static int
write_test(void *data, const struct test *test)
{
    static const char *const element[OUTCOMES] = {"system-out", "skipped", "failure", "error"};
    FILE *out = data;
    char *message = pp_escape_xml(test->message);
    if (!message)
        return -ENOMEM;
    pp_print(out, "<testcase classname=\"passprobe.diff\"");
    int rc = put_attribute(out, "name", test->name);
    pp_print(out, " time=\"%.9f\">\n", fabs(test->seconds) < SECONDS_MOST ? test->seconds : 0.0);
    if (test->outcome == PASSED)
        pp_print(out, "<system-out>%s</system-out>\n", message);
    else
        pp_print(out, "<%s message=\"%s\"/>\n", element[test->outcome], message);
    pp_print(out, "</testcase>\n");
    free(message);
    return rc;
}

static double
seconds_of(const struct pp_diff_row *row)
{
    return row->unit == PP_DIFF_NS ? row->new_value / 1e9 : (double)NAN;
}

static enum outcome
unclear(const struct report *report)
{
    return report->strict ? FAILED : SKIPPED;
}

static enum outcome
outcome_of_limit(const struct report *report, enum pp_limit_state state)
{
    switch (state) {
    case PP_LIMIT_PASSED:
        return PASSED;
    case PP_LIMIT_UNCLEAR:
        return unclear(report);
    case PP_LIMIT_FAILED:
        return FAILED;
    case PP_LIMIT_NOTHING:
        break;
    }
    return SKIPPED; /* one row of several */
}

/* The rows of a limit, or that it has none. */
static int
each_of_limit(const struct report *report, size_t limit, take_test *take, void *data)
{
    const struct pp_limit_checks *checks = report->checks;
    const char *note = checks->note[limit];
    char name[NAME_MOST + PP_LIMIT_TEXT_MOST], title[NAME_MOST], change[CHANGE_MOST + NAME_MOST];
    int rc = 0;
    if (checks->state[limit] == PP_LIMIT_NOTHING) {
        const struct test test = {checks->limit[limit].text,
                                  note ? note : "no row of both sides has such a name and a value",
                                  (double)NAN, ERROR};
        return take(data, &test);
    }
    for (size_t i = 0; rc == 0 && i < checks->findings; i++) {
        const struct pp_limit_finding *finding = &checks->finding[i];
        if (finding->limit != &checks->limit[limit])
            continue;
        snprintf(name, sizeof(name), "%s: %s", finding->limit->text,
                 pp_diff_cell_title(title, sizeof(title), finding->row));
        pp_diff_cell_change_as(change, sizeof(change), finding->row, finding->limit);
        if (note)
            pp_format_append(change, sizeof(change), "; %s", note);
        const struct test test = {name, change, seconds_of(finding->row),
                                  outcome_of_limit(report, finding->state)};
        rc = take(data, &test);
    }
    return rc;
}

static enum outcome
outcome_of_row(const struct report *report, const struct pp_diff_row *row)
{
    if (row->verdict == PP_DIFF_SLOWER)
        return FAILED;
    return row->verdict == PP_DIFF_UNCLEAR || row->verdict == PP_DIFF_FEW_RUNS ? unclear(report) : PASSED;
}

/* The rows that decide. */
static int
each_row(const struct report *report, take_test *take, void *data)
{
    char title[NAME_MOST], change[CHANGE_MOST];
    int rc = 0;
    for (size_t p = 0; p < report->diff->parts; p++) {
        const struct pp_diff_part *part = &report->diff->part[p];
        for (size_t i = 0; rc == 0 && i < part->len; i++) {
            const struct pp_diff_row *row = &part->row[i];
            const struct test test = {pp_diff_cell_title(title, sizeof(title), row),
                                      pp_diff_cell_change(change, sizeof(change), row), seconds_of(row),
                                      outcome_of_row(report, row)};
            if (row->decides)
                rc = take(data, &test);
        }
    }
    return rc;
}

/* Why the sides are not comparable. */
static int
each_refusal(const struct report *report, take_test *take, void *data)
{
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < report->diff->notes; i++) {
        const struct test test = {"the sides can be compared", report->diff->note[i].text, (double)NAN,
                                  ERROR};
        if (report->diff->note[i].refuses)
            rc = take(data, &test);
    }
    return rc;
}

/* Give all tests to a function. */
static int
each_test(const struct report *report, take_test *take, void *data)
{
    int rc = 0;
    if (report->why || !report->checks) {
        const char *why = report->why ? report->why : "";
        const struct test test = {"the sides can be compared", why, (double)NAN, ERROR};
        return take(data, &test);
    }
    if (report->refused)
        return each_refusal(report, take, data);
    if (report->checks->blunt) {
        const struct test test = {"--fail-blunt", report->checks->blunt, (double)NAN, FAILED};
        rc = take(data, &test);
    }
    if (rc == 0 && report->checks->limits == 0)
        rc = each_row(report, take, data);
    for (size_t i = 0; rc == 0 && i < report->checks->limits; i++)
        rc = each_of_limit(report, i, take, data);
    return rc;
}

/* The sides, as properties. */
static int
put_sides(FILE *out, const struct pp_diff *diff)
{
    const struct pp_diff_side *const side[] = {diff->olds, diff->news};
    static const char *const name[] = {"old", "new"}, *const tags_name[] = {"old_tags", "new_tags"};
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < 2; i++) {
        char tags[NAME_MOST];
        rc = put_property(out, name[i], pp_run_title(&side[i]->run[0]));
        if (rc == 0 && *pp_diff_cell_tags(side[i], tags, sizeof(tags)))
            rc = put_property(out, tags_name[i], tags);
    }
    return rc;
}

static int
write_report(FILE *out, const struct report *report)
{
    size_t count[OUTCOMES] = {0};
    int rc = each_test(report, count_test, count);
    size_t all = count[PASSED] + count[SKIPPED] + count[FAILED] + count[ERROR];
    pp_print(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n");
    pp_print(out, "<testsuite name=\"passprobe diff\"");
    put_count(out, "tests", all);
    put_count(out, "failures", count[FAILED]);
    put_count(out, "errors", count[ERROR]);
    put_count(out, "skipped", count[SKIPPED]);
    pp_print(out, ">\n");
    pp_print(out, "<properties>\n");
    if (report->diff)
        rc = rc ? rc : put_sides(out, report->diff);
    pp_print(out, "</properties>\n");
    rc = rc ? rc : each_test(report, write_test, out);
    pp_print(out, "</testsuite>\n</testsuites>\n");
    return rc;
}

int
pp_diff_junit_write(FILE *out, const struct pp_diff *diff, const struct pp_limit_checks *checks, bool refused,
                    bool strict)
{
    return write_report(out, &(struct report){diff, checks, refused, strict, NULL});
}

int
pp_diff_junit_not_compared(FILE *out, const char *why)
{
    return write_report(out, &(struct report){.why = why});
}
