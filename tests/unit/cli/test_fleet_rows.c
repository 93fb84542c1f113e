/** @file
 * Rows that a database answers, as runs of `diff`: what a run knows of its driver, and what a side is called.
 */
#include "tests/lib/cmocka_test.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/compare/diff.h"
#include "cli/operands/operands.h"
#include "cli/print/diff.h"

#define RUNS 5U

static const char llvmpipe[] = "llvmpipe (LLVM 15.0.6, 256 bits)", mesa[] = "Mesa 22.3.6";

/* Read runs of a GPU and a driver, whose medians differ much and whose p5 differ little. */
static void
read_side(const char *address, const char *gpu, const char *driver, double factor, struct pp_diff_side *ret)
{
    static const double p50[RUNS] = {20e6, 31e6, 24e6, 42e6, 27e6};
    char text[4096] = "", why[PP_RUN_WHY] = "";
    *ret = (struct pp_diff_side){.runs = 0};
    for (size_t i = 0; i < RUNS; i++) {
        double p5 = factor * (10e6 + 1e4 * (double)i), middle = factor * p50[i];
        json_t *row =
            json_pack("{s:s, s:s, s:s, s:[[i,i,f,f,f], [i,i,f,f,f]]}", "session_id", "0123", "gpu", gpu,
                      "driver", driver, "times", 0, 100, middle, p5, middle, 3, 100, middle, p5, middle);
        char *line = json_dumps(row, JSON_COMPACT);
        assert_non_null(line);
        size_t len = strlen(text);
        assert_true(snprintf(text + len, sizeof(text) - len, "%s\n", line) < (int)(sizeof(text) - len));
        free(line);
        json_decref(row);
    }
    assert_int_equal(pp_fleet_rows_take(address, text, &ret->run, &ret->runs, why), 0);
    assert_int_equal(ret->runs, RUNS);
}

/* The statistic that `diff` chooses by itself for runs of a driver. @param ret_head What it prints; free().
 */
static enum pp_diff_stat
chosen(const char *gpu, const char *driver, char **ret_head)
{
    static const struct pp_diff_look look = {.most = 20};
    struct pp_diff_side olds, news;
    struct pp_diff diff;
    size_t len = 0;
    read_side("clickhouse://h/d?build=old&gpu=a%20b", gpu, driver, 1, &olds);
    read_side("clickhouse://h/d?build=new&build=newer", gpu, driver, 1.2, &news);
    assert_int_equal(pp_diff_make(&olds, &news, &pp_diff_options_usual, &diff), 0);
    FILE *out = open_memstream(ret_head, &len);
    assert_non_null(out);
    pp_diff_print(out, &diff, &look);
    (void)fclose(out);
    enum pp_diff_stat ret = diff.part[0].stat[PP_TIME_GPU];
    pp_diff_finish(&diff);
    pp_diff_side_finish(&olds);
    pp_diff_side_finish(&news);
    return ret;
}

/* As with sessions of the same software driver in folders: p5, where the median is known badly. */
static void
a_software_driver_is_known(void **state)
{
    static const char *const name[][2] = {{llvmpipe, mesa}, {"some device", "llvmpipe"}};
    (void)state;
    for (size_t i = 0; i < sizeof(name) / sizeof(name[0]); i++) {
        char *head = NULL;
        assert_int_equal(chosen(name[i][0], name[i][1], &head), PP_DIFF_P5);
        assert_non_null(strstr(head, " (software: "));
        free(head);
    }
}

static void
a_gpu_is_no_software_driver(void **state)
{
    (void)state;
    char *head = NULL;
    assert_int_equal(chosen("Mali-G78", "Valhall 1.0", &head), PP_DIFF_P50);
    assert_null(strstr(head, "(software"));
    free(head);
}

/* The conditions name a side; an address without conditions names itself. */
static void
a_side_has_the_name_of_its_conditions(void **state)
{
    (void)state;
    struct pp_diff_side side;
    char *head = NULL;
    (void)chosen(llvmpipe, mesa, &head);
    assert_non_null(strstr(head, "old  build=old, gpu=a b: 5 runs"));
    assert_non_null(strstr(head, "new  build=new, newer: 5 runs"));
    free(head);
    read_side("clickhouse://h/d", llvmpipe, mesa, 1, &side);
    assert_string_equal(pp_run_title(&side.run[0]), "clickhouse://h/d, session 0123");
    pp_diff_side_finish(&side);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_software_driver_is_known),
        cmocka_unit_test(a_gpu_is_no_software_driver),
        cmocka_unit_test(a_side_has_the_name_of_its_conditions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
