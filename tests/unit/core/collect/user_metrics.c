/** @file
 * User metrics over the rows of a frame: header, cells with and without values in all three files,
 * definitions in session.json, and a configuration that names a file with mistakes. */
#include "tests/lib/cmocka_test.h"

#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/config/user_metric_names.h"
#include "core/derive/user_metrics.h"
#include "core/report/csv_file.h"

static struct pp_session session;
static char dir_path[] = "/tmp/passprobe-derive-XXXXXX";
static char file_path[64];
static int dir_fd;

/* Counters of the frame, two passes and an action; user metrics go after them. */
#define COUNTERS                                                                                             \
    {.value = 600},                                                                                          \
    {                                                                                                        \
        .value = 150                                                                                         \
    }
static struct pp_value counter[4][2 + 8] = {
    {COUNTERS}, {COUNTERS}, {{.value = 10}, {.status = PP_LOST}}, {COUNTERS}};
static struct pp_pass_row pass[2] = {
    {.number = 0, .draws = 3, .gpu_time_ns = {.value = 1000}, .counter = counter[1]},
    {.number = 1, .draws = 0, .gpu_time_ns = {.status = PP_NOT_AVAILABLE}, .counter = counter[2]},
};
static struct pp_action action = {.kind = PP_ACTION_DRAW, .vertices = 36, .instances = 2};
static struct pp_action_row action_row = {
    .action = &action, .gpu_time_ns = {.value = 7}, .counter = counter[3]};
static struct pp_frame_row frame = {.is_frame = true,
                                    .level = PP_LEVEL_PASS,
                                    .gpu_time_ns = {.value = 4000},
                                    .counter = counter[0],
                                    .pass = pass,
                                    .passes = 2,
                                    .action = &action_row,
                                    .actions = 1};

static void
write_metrics(const char *text)
{
    int fd = openat(dir_fd, "my.metrics", O_WRONLY | O_CREAT | O_TRUNC, 0600);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    close(fd);
}

static struct pp_user_metrics *
create(const char *gpu)
{
    struct pp_user_metrics *user_metrics = NULL;
    struct pp_metrics_error error;
    int rc = pp_user_metrics_create(&session, gpu, &user_metrics, &error);
    if (rc)
        fail_msg("%d: %s", rc, error.text);
    session.rows.metric = pp_user_metrics_columns(user_metrics, &session.rows.metrics);
    return user_metrics;
}

static struct pp_csv
open_csv(void)
{
    struct pp_csv csv;
    (void)unlinkat(dir_fd, "out.csv", 0);
    assert_int_equal(pp_csv_open(&csv, dir_fd, "out.csv"), 0);
    return csv;
}

static void
expect_text(struct pp_csv *csv, const char *expected)
{
    static char text[4096];
    pp_csv_close(csv);
    int fd = openat(dir_fd, "out.csv", O_RDONLY);
    ssize_t len = read(fd, text, sizeof(text) - 1);
    assert_true(len >= 0);
    text[len] = '\0';
    close(fd);
    assert_string_equal(text, expected);
}

static const char some[] =
    "per_draw [ns/draw] = gpu_time_ns / draws\n"
    "share [percent] = 100 * pipeline:clipping_primitives / pipeline:clipping_invocations # kept\n"
    "exact = pipeline:clipping_invocations\n"
    "other = khr:something + 1\n"
    "[gpu no-such*]\nabsent = 1\n[gpu LLVM*]\nhere [cycles] = 2.5 + width * 0\nverts = vertices / 8\n";

static void
cells_follow_the_counters(void **state)
{
    (void)state;
    write_metrics(some);
    struct pp_user_metrics *user_metrics = create("llvmpipe");
    struct pp_csv csv = open_csv();
    assert_in_range(session.rows.metrics, 1, 8);
    for (uint32_t i = 0; i < session.rows.metrics; i++)
        pp_csv_column(&csv, session.rows.metric[i].name);
    assert_int_equal(pp_csv_row(&csv), 0);
    assert_int_equal(pp_user_metrics_fill(user_metrics, &session, &frame), 0);
    for (uint32_t i = 0; i < 4; i++) {
        pp_csv_metrics(&csv, &session, counter[i]);
        assert_int_equal(pp_csv_row(&csv), 0);
    }
    expect_text(
        &csv,
        "metric:per_draw,metric:share_percent,metric:exact,metric:other,metric:here_cycles,metric:verts\r\n"
        ",25,600,,,\r\n"                  /* the frame has no draws, no width */
        "333.3333333333333,25,600,,,\r\n" /* this pass has no size */
        ",,10,,,\r\n"                     /* no time, a lost counter */
        ",25,600,,,4.5\r\n");
    pp_user_metrics_destroy(user_metrics);
}

static void
definitions_stand_in_session_json(void **state)
{
    (void)state;
    write_metrics("share [percent] = 100 * pipeline:clipping_primitives # \"kept\"\n");
    struct pp_user_metrics *user_metrics = create("x");
    struct pp_json json = {0};
    pp_json_open(&json, NULL, '{');
    pp_user_metrics_json(user_metrics, &json);
    pp_json_close(&json, '}');
    assert_int_equal(json.error, 0);
    assert_non_null(strstr(json.text, "\"name\": \"metric:share_percent\""));
    assert_non_null(strstr(json.text, "\"formula\": \"100 * pipeline:clipping_primitives\""));
    assert_non_null(strstr(json.text, "\"description\": \"\\\"kept\\\"\""));
    free(json.text);
    pp_user_metrics_destroy(user_metrics);
}

static void
without_a_file_there_is_nothing(void **state)
{
    (void)state;
    char path[sizeof(session.config.metrics)];
    memcpy(path, session.config.metrics, sizeof(path));
    session.config.metrics[0] = '\0';
    struct pp_user_metrics *user_metrics = create("x");
    assert_null(user_metrics);
    struct pp_csv csv = open_csv();
    assert_int_equal(session.rows.metrics, 0);
    assert_int_equal(pp_user_metrics_fill(user_metrics, &session, &frame), 0);
    pp_csv_metrics(&csv, &session, counter[0]);
    assert_int_equal(pp_csv_row(&csv), 0);
    expect_text(&csv, "\r\n");
    memcpy(session.config.metrics, path, sizeof(path));
}

static void
mistakes_are_found_before_anything_runs(void **state)
{
    (void)state;
    struct pp_config config;
    char error[PP_CONFIG_ERROR_MAX];
    char expected[256];
    pp_config_init(&config);
    write_metrics("good = gpu_time_ns\nbad = pipeline:clipping_primitive + 1\n");
    assert_int_equal(pp_config_set(&config, "metrics", file_path, "--metrics", error), -EINVAL);
    snprintf(
        expected, sizeof(expected),
        "%s:2:7: unknown name 'pipeline:clipping_primitive'; did you mean 'pipeline:clipping_primitives'?",
        file_path);
    assert_non_null(strstr(error, expected));
    assert_string_equal(config.metrics, "");
    write_metrics(some);
    assert_int_equal(pp_config_set(&config, "metrics", file_path, "--metrics", error), 0);
    assert_string_equal(config.metrics, file_path);
    assert_int_equal(pp_config_set(&config, "metrics", "generic", "--metrics", error), 0);
    assert_int_equal(pp_config_set(&config, "metrics", "", "--metrics", error), -EINVAL);
    assert_int_equal(pp_config_set(&config, "metrics", "/no/such/file", "--metrics", error), -EINVAL);
    assert_non_null(strstr(error, "No such file"));
    assert_int_equal(pp_config_set(&config, "metrics", "/dev/null", "--metrics", error), -EINVAL);
}

static void
numbers_do_not_follow_the_locale(void **state)
{
    (void)state;
    (void)setlocale(LC_ALL, "de_DE.UTF-8"); /* where it has been installed */
    struct pp_csv csv = open_csv();
    pp_csv_f64(&csv, 0.1);
    pp_csv_f64(&csv, -1234567.5);
    pp_csv_f64(&csv, 1e-9);
    pp_csv_f64(&csv, 1e300);
    pp_csv_f64(&csv, 0);
    pp_csv_f64(&csv, 1.0 / 3);
    assert_int_equal(pp_csv_row(&csv), 0);
    (void)setlocale(LC_ALL, "C");
    expect_text(&csv, "0.1,-1234567.5,1e-09,1e+300,0,0.3333333333333333\r\n");
}

static int
set_up(void **state)
{
    (void)state;
    static char name[][40] = {"pipeline:clipping_invocations", "pipeline:clipping_primitives"};
    static struct pp_column column[2];
    if (!mkdtemp(dir_path))
        return -1;
    dir_fd = open(dir_path, O_RDONLY | O_DIRECTORY);
    snprintf(file_path, sizeof(file_path), "%s/my.metrics", dir_path);
    snprintf(session.config.metrics, sizeof(session.config.metrics), "%s", file_path);
    session.rows.column = column;
    for (uint32_t i = 0; i < 2; i++)
        column[session.rows.columns++].name = name[i];
    return dir_fd >= 0 ? 0 : -1;
}

static int
tear_down(void **state)
{
    (void)state;
    (void)unlinkat(dir_fd, "my.metrics", 0);
    (void)unlinkat(dir_fd, "out.csv", 0);
    close(dir_fd);
    return rmdir(dir_path);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cells_follow_the_counters),
        cmocka_unit_test(definitions_stand_in_session_json),
        cmocka_unit_test(without_a_file_there_is_nothing),
        cmocka_unit_test(mistakes_are_found_before_anything_runs),
        cmocka_unit_test(numbers_do_not_follow_the_locale),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
