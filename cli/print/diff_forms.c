/** @file
 * See diff.h: the forms of other programs, Markdown and JUnit XML. */
#include "cli/print/diff.h"

#include <math.h>
#include <string.h>

#include "cli/print/diff_cells.h"
#include "cli/text/print.h"
#include "counters/stats/stats_runs.h"
#include "counters/util/printable.h"

/* Is this UTF-8 character U+FFFE or U+FFFF, which XML does not allow? */
static bool
is_noncharacter(const char *at, size_t length)
{
    return length == 3 && (memcmp(at, "\xef\xbf\xbe", 3) == 0 || memcmp(at, "\xef\xbf\xbf", 3) == 0);
}

/* Print a text. Characters that XML does not allow, or that are not printable, become '?'.
 * @param put Prints a character of ASCII. */
static void
print_escaped(FILE *out, const char *text, void (*put)(FILE *out, char c))
{
    while (*text) {
        bool printable = false;
        size_t length = pp_printable_next(text, &printable);
        if (!printable || is_noncharacter(text, length))
            pp_print_char(out, '?');
        else if (length == 1)
            put(out, *text);
        else
            pp_print(out, "%.*s", (int)length, text);
        text += length;
    }
}

/* For an attribute or the content of an XML element. */
static void
put_xml_char(FILE *out, char c)
{
    static const char special[] = "<>&\"'";
    static const char *const form[] = {"&lt;", "&gt;", "&amp;", "&quot;", "&apos;"};
    const char *at = strchr(special, c);
    if (at)
        pp_print(out, "%s", form[at - special]);
    else
        pp_print_char(out, c);
}

/* Everything that may begin markup: all but letters, digits and blanks. */
static void
put_markup_char(FILE *out, char c)
{
    if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == ' ')
        pp_print_char(out, c);
    else
        pp_print(out, "&#%d;", c);
}

/* Print a text of an application as code in a cell of a Markdown table (GitHub, GitLab). In code there are no
 * links, mentions, pictures or HTML. An empty text is "-". */
static void
print_code(FILE *out, const char *text)
{
    /* a code span ends at '`', a cell at '|', and '\\' matters in front of '|' */
    bool simple = !strpbrk(text, "`|\\");
    if (!*text) {
        pp_print_char(out, '-');
        return;
    }
    pp_print(out, "%s", simple ? "`" : "<code>");
    print_escaped(out, text, simple ? pp_print_char : put_markup_char);
    pp_print(out, "%s", simple ? "`" : "</code>");
}

#define NAME_MOST   2048U
#define CHANGE_MOST 256U
/* Passes of a surface that are shown. */
#define PASSES_MOST 20U

static void
print_side(FILE *out, const char *which, const struct pp_diff_side *side)
{
    char tags[NAME_MOST];
    pp_print(out, "* %s: ", which);
    print_code(out, pp_run_title(&side->run[0]));
    pp_print(out, ", %zu %s, ", side->runs, pp_format_noun((double)side->runs, "run", "runs"));
    print_code(out, side->run[0].surface[0].device);
    if (*pp_diff_cell_tags(side, tags, sizeof(tags))) {
        pp_print(out, ", ");
        print_code(out, tags);
    }
    pp_print(out, "\n");
}

static void
print_title(FILE *out, const struct pp_diff *diff, const struct pp_limit_checks *checks, bool refused)
{
    size_t failed = 0;
    for (size_t i = 0; i < checks->limits; i++)
        failed += checks->state[i] == PP_LIMIT_FAILED;
    pp_print(out, "### passprobe: ");
    if (refused)
        pp_print(out, "%s", "not comparable");
    else if (failed)
        pp_print(out, "%zu of %zu limits failed", failed, checks->limits);
    else if (checks->limits && !checks->blunt)
        pp_print(out, "%s",
                 pp_limit_worst(checks) == PP_LIMIT_PASSED ? "all limits are kept"
                                                           : "it is unclear whether all limits are kept");
    else if (checks->blunt)
        pp_print(out, "%s", "too blunt to decide");
    else
        pp_print(out, "%s", pp_diff_slower(diff) ? "slower" : "nothing slower");
    pp_print(out, "\n\n");
}

/* Print the name of a row: fixed words, or an application's name as code. */
static void
print_name(FILE *out, const struct pp_diff_row *row)
{
    char title[NAME_MOST];
    pp_diff_cell_title(title, sizeof(title), row);
    if (row->aligned)
        pp_print(out, "\\~ ");
    if (row->kind != PP_DIFF_FRAME && row->kind != PP_DIFF_REST)
        print_code(out, title);
    else
        pp_print(out, "%s", title);
}

static void
print_counts(FILE *out, const struct pp_diff_row *row)
{
    char from[PP_FORMATTED_MAX], to[PP_FORMATTED_MAX];
    for (size_t i = 0; i < row->counts; i++) {
        const struct pp_diff_count *count = &row->count[i];
        pp_print(out, "%s", i ? ", " : "");
        print_code(out, count->name);
        pp_print(out, " %s -> %s", pp_format_rough_count(from, count->old_value),
                 pp_format_rough_count(to, count->new_value));
    }
}

static void
print_row(FILE *out, const struct pp_diff_row *row)
{
    char from[PP_FORMATTED_MAX], to[PP_FORMATTED_MAX], by[PP_FORMATTED_MAX], range[PP_DIFF_CELL_MAX],
        verdict[PP_FORMATTED_MAX];
    const char *strong = row->verdict == PP_DIFF_SLOWER || row->limit == PP_LIMIT_FAILED ? "**" : "";
    pp_print(out, "| ");
    print_name(out, row);
    pp_print(out, " | %s | %s", pp_diff_cell_value(from, row->unit, row->old_value),
             pp_diff_cell_value(to, row->unit, row->new_value));
    pp_diff_cell_percent(by, row->percent);
    pp_print(out, " | %s%s | %s", isfinite(row->percent) ? by : "",
             isfinite(row->percent) ? pp_diff_cell_sign(by) : "", pp_diff_cell_range(range, row));
    pp_print(out, " | %s%s%s%s%s | ", strong, pp_diff_cell_verdict(verdict, row),
             *verdict && *pp_diff_cell_limit(row) ? ", " : "", pp_diff_cell_limit(row), strong);
    print_counts(out, row);
    pp_print(out, " |\n");
}

/* Is a row of frames shown? */
static bool
shows_frame(const struct pp_diff_row *row)
{
    bool known = row->old_value > 0 || row->new_value > 0;
    if (row->stat == PP_DIFF_TOTAL)
        return known && strcmp(row->name, "passes") != 0 &&
               (row->unit == PP_DIFF_FPS || row->verdict == PP_DIFF_CHANGED);
    return row->chosen || (strcmp(row->name, "frame_time") == 0 && row->stat != PP_DIFF_P5 &&
                           row->stat != PP_DIFF_MEAN && row->stat != PP_DIFF_MAX);
}

static void
print_part(FILE *out, const struct pp_diff *diff, const struct pp_diff_part *part)
{
    bool few = diff->olds->runs < PP_RUNS_LEAST || diff->news->runs < PP_RUNS_LEAST;
    size_t passes = 0;
    if (diff->parts > 1) {
        print_code(out, part->old_surface->surface);
        pp_print(out, "\n\n");
    }
    if (few)
        pp_print(out, "| | old | new | change | within the run | | |\n|:--|--:|--:|--:|:-:|:--|:--|\n");
    else
        pp_print(out, "| | old | new | change | 95 %% interval | | |\n|:--|--:|--:|--:|:-:|:--|:--|\n");
    for (size_t i = 0; i < part->len; i++) {
        const struct pp_diff_row *row = &part->row[i];
        bool is_pass = row->kind == PP_DIFF_PASS && !row->small;
        passes += is_pass;
        if ((row->kind == PP_DIFF_FRAME && shows_frame(row)) || (is_pass && passes <= PASSES_MOST) ||
            row->kind == PP_DIFF_REST)
            print_row(out, row);
    }
    if (passes > PASSES_MOST)
        pp_print(out, "\n%zu more passes: see the JSON, or `passprobe diff --all`\n", passes - PASSES_MOST);
    pp_print(out, "\n");
}

/* Print what a user must know of the limits. */
static void
print_limit_notes(FILE *out, const struct pp_limit_checks *checks)
{
    size_t notes = 0;
    for (size_t i = 0; i < checks->limits; i++) {
        if (!checks->note[i])
            continue;
        notes++;
        pp_print(out, "* ");
        print_code(out, checks->limit[i].text);
        pp_print(out, ": ");
        print_code(out, checks->note[i]);
        pp_print(out, "\n");
    }
    if (notes)
        pp_print(out, "\n");
}

static void
print_limits(FILE *out, const struct pp_limit_checks *checks)
{
    char title[NAME_MOST], change[CHANGE_MOST];
    if (checks->limits)
        pp_print(out, "| limit | | worst row | |\n|:--|:--|:--|:--|\n");
    for (size_t i = 0; i < checks->limits; i++) {
        const struct pp_limit_finding *worst = pp_limit_worst_row(checks, i);
        bool strong = checks->state[i] == PP_LIMIT_FAILED;
        pp_print(out, "| ");
        print_code(out, checks->limit[i].text);
        pp_print(out, " | %s%s%s | ", strong ? "**" : "", pp_limit_state_name(checks->state[i]),
                 strong ? "**" : "");
        if (worst)
            print_code(out, pp_diff_cell_title(title, sizeof(title), worst->row));
        pp_print(out, " | %s |\n",
                 worst ? pp_diff_cell_change_as(change, sizeof(change), worst->row, worst->limit) : "");
    }
    if (checks->limits)
        pp_print(out, "\n");
    print_limit_notes(out, checks);
}

void
pp_diff_markdown_write(FILE *out, const struct pp_diff_report *report)
{
    const struct pp_diff *diff = report->diff;
    char visible[PP_DIFF_VISIBLE_MOST];
    if (report->why) {
        pp_print(out, "### passprobe: %s\n\n", "not compared");
        print_code(out, report->why);
        pp_print(out, "\n");
        return;
    }
    print_title(out, diff, report->checks, report->refused);
    print_side(out, "old", diff->olds);
    print_side(out, "new", diff->news);
    pp_print(out, "\n");
    if (!report->refused && *pp_diff_cell_visible(visible, diff)) {
        print_code(out, visible);
        pp_print(out, "\n\n");
    }
    if (!report->refused)
        print_limits(out, report->checks);
    for (size_t p = 0; !report->refused && p < diff->parts; p++)
        print_part(out, diff, &diff->part[p]);
    for (size_t i = 0; i < diff->notes; i++) {
        pp_print(out, "* ");
        print_code(out, diff->note[i].text);
        pp_print(out, "\n");
    }
}

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
typedef void take_test(void *data, const struct test *test);

/* Write NAME="TEXT". */
static void
put_attribute(FILE *out, const char *name, const char *text)
{
    pp_print(out, " %s=\"", name);
    print_escaped(out, text, put_xml_char);
    pp_print_char(out, '"');
}

static void
put_property(FILE *out, const char *name, const char *value)
{
    pp_print(out, "<property name=\"%s\"", name);
    put_attribute(out, "value", value);
    pp_print(out, "/>\n");
}

static void
count_test(void *data, const struct test *test)
{
    size_t *count = data;
    count[test->outcome]++;
}

static void
write_test(void *data, const struct test *test)
{
    static const char *const element[OUTCOMES] = {"system-out", "skipped", "failure", "error"};
    FILE *out = data;
    pp_print(out, "<testcase classname=\"passprobe.diff\"");
    put_attribute(out, "name", test->name);
    pp_print(out, " time=\"%.9f\">\n<%s", fabs(test->seconds) < SECONDS_MOST ? test->seconds : 0.0,
             element[test->outcome]);
    if (test->outcome == PASSED) {
        pp_print_char(out, '>');
        print_escaped(out, test->message, put_xml_char);
        pp_print(out, "</system-out>\n");
    } else {
        put_attribute(out, "message", test->message);
        pp_print(out, "/>\n");
    }
    pp_print(out, "</testcase>\n");
}

static double
seconds_of(const struct pp_diff_row *row)
{
    return row->unit == PP_DIFF_NS ? row->new_value / 1e9 : (double)NAN;
}

static enum outcome
unclear(const struct pp_diff_report *report)
{
    return report->strict ? FAILED : SKIPPED;
}

static enum outcome
outcome_of_limit(const struct pp_diff_report *report, enum pp_limit_state state)
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
static void
each_of_limit(const struct pp_diff_report *report, size_t limit, take_test *take, void *data)
{
    const struct pp_limit_checks *checks = report->checks;
    const char *note = checks->note[limit];
    char name[NAME_MOST + PP_LIMIT_TEXT_MOST], title[NAME_MOST], change[CHANGE_MOST + NAME_MOST];
    if (checks->state[limit] == PP_LIMIT_NOTHING) {
        const struct test test = {checks->limit[limit].text,
                                  note ? note : "no row of both sides has such a name and a value",
                                  (double)NAN, ERROR};
        take(data, &test);
        return;
    }
    for (size_t i = 0; i < checks->findings; i++) {
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
        take(data, &test);
    }
}

static enum outcome
outcome_of_row(const struct pp_diff_report *report, const struct pp_diff_row *row)
{
    if (row->verdict == PP_DIFF_SLOWER)
        return FAILED;
    return row->verdict == PP_DIFF_UNCLEAR || row->verdict == PP_DIFF_FEW_RUNS ? unclear(report) : PASSED;
}

/* The rows that decide. */
static void
each_row(const struct pp_diff_report *report, take_test *take, void *data)
{
    char title[NAME_MOST], change[CHANGE_MOST];
    for (size_t p = 0; p < report->diff->parts; p++) {
        const struct pp_diff_part *part = &report->diff->part[p];
        for (size_t i = 0; i < part->len; i++) {
            const struct pp_diff_row *row = &part->row[i];
            const struct test test = {pp_diff_cell_title(title, sizeof(title), row),
                                      pp_diff_cell_change(change, sizeof(change), row), seconds_of(row),
                                      outcome_of_row(report, row)};
            if (row->decides)
                take(data, &test);
        }
    }
}

/* Why the sides are not comparable. */
static void
each_refusal(const struct pp_diff_report *report, take_test *take, void *data)
{
    for (size_t i = 0; i < report->diff->notes; i++) {
        const struct test test = {"the sides can be compared", report->diff->note[i].text, (double)NAN,
                                  ERROR};
        if (report->diff->note[i].refuses)
            take(data, &test);
    }
}

/* Give all tests to a function. */
static void
each_test(const struct pp_diff_report *report, take_test *take, void *data)
{
    const struct test failed = {"the sides can be compared", report->why, (double)NAN, ERROR};
    if (report->why) {
        take(data, &failed);
    } else if (report->refused) {
        each_refusal(report, take, data);
    } else {
        const struct test blunt = {"--fail-blunt", report->checks->blunt, (double)NAN, FAILED};
        if (report->checks->blunt)
            take(data, &blunt);
        if (report->checks->limits == 0)
            each_row(report, take, data);
        for (size_t i = 0; i < report->checks->limits; i++)
            each_of_limit(report, i, take, data);
    }
}

/* The sides, as properties. */
static void
put_sides(FILE *out, const struct pp_diff *diff)
{
    const struct pp_diff_side *const side[] = {diff->olds, diff->news};
    static const char *const name[] = {"old", "new"}, *const tags_name[] = {"old_tags", "new_tags"};
    for (size_t i = 0; i < 2; i++) {
        char tags[NAME_MOST];
        put_property(out, name[i], pp_run_title(&side[i]->run[0]));
        if (*pp_diff_cell_tags(side[i], tags, sizeof(tags)))
            put_property(out, tags_name[i], tags);
    }
}

void
pp_diff_junit_write(FILE *out, const struct pp_diff_report *report)
{
    size_t count[OUTCOMES] = {0};
    each_test(report, count_test, count);
    size_t all = count[PASSED] + count[SKIPPED] + count[FAILED] + count[ERROR];
    pp_print(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n");
    pp_print(out, "<testsuite name=\"passprobe diff\" tests=\"%zu\" failures=\"%zu\"", all, count[FAILED]);
    pp_print(out, " errors=\"%zu\" skipped=\"%zu\">\n<properties>\n", count[ERROR], count[SKIPPED]);
    if (report->diff)
        put_sides(out, report->diff);
    pp_print(out, "</properties>\n");
    each_test(report, write_test, out);
    pp_print(out, "</testsuite>\n</testsuites>\n");
}
