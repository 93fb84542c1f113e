/** @file
 * What passprobe's own statistics say about numbers, for tests of the SQL that answers questions. Reads
 * lines, writes one line for each:
 *   rows [OLDS NEWS VALUE...]...   two sides of each pass of a comparison: change, interval (2), p, verdict,
 * ";" quantile P VALUE...       the type-7 quantile trend VALUE...            indexes of change points adjust
 * P...               p values after Benjamini's and Hochberg's adjustment */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "counters/stats/change_points.h"
#include "counters/stats/stats.h"
#include "counters/stats/stats_runs.h"
#include "counters/stats/stats_spread.h"

#define MOST      100000
#define ROWS_MOST 1000

static double value[MOST], adjusted[MOST];

/* Read numbers up to the end of a line. @return How many. */
static size_t
read_values(char *text)
{
    size_t n = 0;
    for (char *end = text; n < MOST; text = end) {
        double number = strtod(text, &end);
        if (end == text)
            break;
        value[n++] = number;
    }
    return n;
}

static int
rows(size_t n)
{
    static const char *const verdict[] = {
        [PP_CHANGE_NO_VALUE] = "no value", [PP_CHANGE_FEW_RUNS] = "few sessions",
        [PP_CHANGE_SLOWER] = "slower",     [PP_CHANGE_FASTER] = "faster",
        [PP_CHANGE_SAME] = "same",         [PP_CHANGE_UNCLEAR] = "unclear"};
    static struct pp_run_change change[ROWS_MOST];
    size_t len = 0;
    for (size_t at = 0; at < n;) {
        size_t olds = (size_t)value[at], news = at + 1 < n ? (size_t)value[at + 1] : n;
        if (len == ROWS_MOST || at + 2 + olds + news > n ||
            pp_compare_runs(value + at + 2, olds, value + at + 2 + olds, news, &pp_change_rule_usual,
                            &change[len++]))
            return 1;
        at += 2 + olds + news;
    }
    pp_share_spread(change, len, &pp_change_rule_usual);
    for (size_t i = 0; i < len; i++)
        printf("%.12g %.12g %.12g %.12g %s;", change[i].change, change[i].interval.low,
               change[i].interval.high, change[i].p, verdict[change[i].verdict]);
    printf("\n");
    return 0;
}

static int
quantile(size_t n)
{
    if (n < 2)
        return 1;
    pp_stats_sort(value + 1, n - 1);
    printf("%.12g\n", pp_quantile7(value + 1, n - 1, value[0]));
    return 0;
}

static int
trend(size_t n)
{
    struct pp_change_point *change = NULL;
    size_t changes = 0;
    if (pp_change_points(value, n, &pp_change_points_rule_usual, &change, &changes))
        return 1;
    for (size_t i = 0; i < changes; i++)
        printf("%s%zu", i ? " " : "", change[i].index);
    printf("\n");
    free(change);
    return 0;
}

static int
adjust(size_t n)
{
    if (pp_false_discovery(value, n, adjusted))
        return 1;
    for (size_t i = 0; i < n; i++)
        printf("%s%.12g", i ? " " : "", adjusted[i]);
    printf("\n");
    return 0;
}

int
main(void)
{
    static const struct {
        const char *word;
        int (*answer)(size_t n);
    } questions[] = {{"rows", rows}, {"quantile", quantile}, {"trend", trend}, {"adjust", adjust}};
    char *line = NULL;
    size_t size = 0;
    int status = 0;
    while (status == 0 && getline(&line, &size, stdin) > 0) {
        size_t known = sizeof(questions) / sizeof(questions[0]);
        status = 1;
        for (size_t i = 0; i < known; i++) {
            size_t len = strlen(questions[i].word);
            if (strncmp(line, questions[i].word, len) == 0)
                status = questions[i].answer(read_values(line + len));
        }
    }
    free(line);
    return status;
}
