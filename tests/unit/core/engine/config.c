/** @file
 * Configuration: defaults, every option's good and bad values, the file's sections, the environment. */
#include "tests/lib/cmocka_test.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/config/config.h"
#include "core/config/config_read.h"
#include "core/config/option.h"

struct row {
    const char *name;
    const char *value;
    int rc;
    const char *says; /* part of the error */
};

static const struct row rows[] = {
    {"level", "frame", 0, ""},
    {"level", "pass", 0, ""},
    {"level", "Pass", -EINVAL, "frame, pass or draw"},
    {"LEVEL", "pass", 0, ""},
    {"levle", "pass", -EINVAL, "did you mean 'level'"},
    {"colour", "red", -EINVAL, "unknown option 'colour'"},
    {"events", "time", 0, ""},
    {"events", "{time,pipeline}", 0, ""},
    {"events", "pipeline:vertex_shader_invocations,time", 0, ""},
    {"events", "pipeline:vertices", -EINVAL, "column 1: unknown event 'pipeline:vertices'"},
    {"events", "pipeline:*_invocations", 0, ""},
    {"events", "time,oa:GpuTime,{khr:\"odd, name\",instructions},clipping_primitives", 0, ""},
    {"events", "time,ao:GpuTime", -EINVAL, "column 6: unknown event 'ao:GpuTime'"},
    {"events", "pipelin:vertices", -EINVAL, "did you mean 'pipeline'"},
    {"events", "pipeline:clipping_primitive", -EINVAL, "did you mean 'pipeline:clipping_primitives'"},
    {"events", "instrucions", -EINVAL, "did you mean 'instructions'"},
    {"events", "time:timestamp", 0, ""},
    {"events", "time:time*,pipeline", 0, ""},
    {"events", "time:timestmap", -EINVAL, "column 1: unknown event 'time:timestmap'"},
    {"events", "time,", -EINVAL, "column"},
    {"events", "{time", -EINVAL, "column"},
    {"events", "{{time}}", -EINVAL, "column 2"},
    {"events", "time}", -EINVAL, "column 5"},
    {"events", "", -EINVAL, "column 1"},
    {"events", "+cpu:run-delay,-pipeline", 0, ""},
    {"events", "-pipelin", -EINVAL, "column 2: unknown event 'pipelin'"},
    {"events", "+cpu,-time", -EINVAL, "column 7: the time is always measured"},
    {"events", "+cpu,time", -EINVAL, "column 6: '+' or '-' is needed here"},
    {"events", "time,+cpu", -EINVAL, "column 6: unexpected '+'"},
    {"frames", "10-20", 0, ""},
    {"frames", "10-", 0, ""},
    {"frames", "10", 0, ""},
    {"frames", "20-10", -EINVAL, "A-B"},
    {"frames", "-5", -EINVAL, "A-B"},
    {"frames", "1-2-3", -EINVAL, "A-B"},
    {"frames", "18446744073709551616", -EINVAL, "A-B"},
    {"every", "0", -EINVAL, "1 or more"},
    {"every", "3", 0, ""},
    {"require-frames", "0", 0, ""},
    {"require-frames", "600", 0, ""},
    {"require-frames", "6e2", -EINVAL, "number of frames"},
    {"require-frames", "", -EINVAL, "number of frames"},
    {"tag", "build=1234", 0, ""},
    {"tag", "build=1234,scene=the old town", 0, ""},
    {"tag", "b.u-i_1=\xc3\xbc=x'\"", 0, ""},
    {"tag", "", -EINVAL, "KEY=VALUE"},
    {"tag", "build", -EINVAL, "KEY=VALUE"},
    {"tag", "build=", -EINVAL, "KEY=VALUE"},
    {"tag", "=1", -EINVAL, "KEY=VALUE"},
    {"tag", "1st=1", -EINVAL, "KEY=VALUE"},
    {"tag", "a b=1", -EINVAL, "KEY=VALUE"},
    {"tag", "a=1,", -EINVAL, "KEY=VALUE"},
    {"tag", "a=1,b", -EINVAL, "KEY=VALUE"},
    {"tag", "a=1,b=2,a=3", -EINVAL, "each key once"},
    {"tag", "a=line\nbreak", -EINVAL, "KEY=VALUE"},
    {"tag", "a=\xff", -EINVAL, "KEY=VALUE"},
    {"delay", "1.5", 0, ""},
    {"delay", "1,5", -EINVAL, "seconds"},
    {"delay", ".", -EINVAL, "seconds"},
    {"delay", "99999999999999999999", -EINVAL, "seconds"},
    {"duration", "0.000000001", 0, ""},
    {"duration", "0", -EINVAL, "above 0"},
    {"duration", "0.0", -EINVAL, "above 0"},
    {"delay", "0", 0, ""},
    {"slower-than", "16.7", 0, ""},
    {"slower_than", "0", -EINVAL, "milliseconds"},
    {"frame-on", "submit", 0, ""},
    {"frame-on", "never", -EINVAL, "present"},
    {"max-size", "2G", 0, ""},
    {"max-size", "20T", 0, ""},
    {"max-size", "99999999T", -EINVAL, "bytes"},
    {"max-size", "0", -EINVAL, "bytes"},
    {"max-size", "1", -EINVAL, "64K or more"},
    {"max-size", "65535", -EINVAL, "64K or more"},
    {"max-size", "65536", 0, ""},
    {"max-size", "2GB", 0, ""},
    {"max-size", "2GiB", 0, ""},
    {"max-size", "2Gi", -EINVAL, "bytes"},
    {"max-size", "70000B", 0, ""},
    {"max-size", "2GBs", -EINVAL, "bytes"},
    {"delay", "10s", 0, ""},
    {"delay", "10 s", -EINVAL, "seconds"},
    {"delay", "s", -EINVAL, "seconds"},
    {"delay", "10ns", -EINVAL, "seconds"},
    {"delay", "99999999999min", -EINVAL, "seconds"},
    {"slower-than", "16.7ms", 0, ""},
    {"max-memory", "300M", 0, ""},
    {"max-memory", "16777215", -EINVAL, "16M or more"},
    {"max-memory", "16M", 0, ""},
    {"max-memory", "many", -EINVAL, "bytes"},
    {"output", "", -EINVAL, "directory"},
    {"quiet", "yes", -EINVAL, "1 or 0"},
};

static void
each_value(void **state)
{
    const struct row *row = *state;
    struct pp_config config;
    struct pp_config before;
    char error[PP_CONFIG_ERROR_MAX] = "";
    pp_config_init(&config);
    before = config;
    int rc = pp_config_set(&config, row->name, row->value, "here", error);
    assert_int_equal(rc, row->rc);
    if (rc) {
        assert_memory_equal(&config, &before, sizeof(config));
        assert_non_null(strstr(error, "here"));
        assert_non_null(strstr(error, row->says));
    }
}

static void
options_set_their_members(void **state)
{
    (void)state;
    struct pp_config config;
    char error[PP_CONFIG_ERROR_MAX];
    pp_config_init(&config);
    assert_int_equal(pp_config_set(&config, "frames", "10-20", "t", error), 0);
    assert_int_equal(config.frames_first, 10);
    assert_int_equal(config.frames_last, 20);
    assert_int_equal(pp_config_set(&config, "frames", "7", "t", error), 0);
    assert_int_equal(config.frames_last, 7);
    assert_int_equal(pp_config_set(&config, "delay", "1.25", "t", error), 0);
    assert_int_equal(config.delay_ns, 1250000000);
    assert_int_equal(pp_config_set(&config, "slower-than", "16.7", "t", error), 0);
    assert_int_equal(config.slower_than_ns, 16700000);
    assert_int_equal(pp_config_set(&config, "slower-than", "0.02s", "t", error), 0);
    assert_int_equal(config.slower_than_ns, 20000000);
    assert_int_equal(pp_config_set(&config, "duration", "1.5min", "t", error), 0);
    assert_int_equal(config.duration_ns, 90000000000);
    assert_int_equal(pp_config_set(&config, "duration", "500us", "t", error), 0);
    assert_int_equal(config.duration_ns, 500000);
    assert_int_equal(pp_config_set(&config, "max-size", "3GB", "t", error), 0);
    assert_int_equal(config.max_size_bytes, INT64_C(3) << 30);
    assert_int_equal(pp_config_set(&config, "max-size", "3MiB", "t", error), 0);
    assert_int_equal(config.max_size_bytes, INT64_C(3) << 20);
    assert_int_equal(pp_config_set(&config, "max-size", "96k", "t", error), 0);
    assert_int_equal(config.max_size_bytes, 96 << 10);
    assert_int_equal(config.max_memory_bytes, INT64_C(2) << 30);
    assert_int_equal(pp_config_set(&config, "max-memory", "96m", "t", error), 0);
    assert_int_equal(config.max_memory_bytes, 96 << 20);
    assert_int_equal(pp_config_set(&config, "events", "pipeline:clipping_primitives", "t", error), 0);
    assert_int_equal(config.pipeline_mask, 1U << 6);
    assert_int_equal(pp_config_set(&config, "events", "time", "t", error), 0);
    assert_int_equal(config.pipeline_mask, 0);
    assert_true(config.events_given && !pp_config_has_defaults(&config));
    assert_int_equal(pp_config_set(&config, "events", "-pipeline,+clipping_primitives", "test", error), 0);
    assert_int_equal(config.pipeline_mask, 1U << 6);
    assert_true(pp_config_has_defaults(&config) && !pp_config_wants(&config, "pipeline", true));
    assert_int_equal(pp_config_set(&config, "events", "+cpu:run-delay,-khr", "test", error), 0);
    assert_int_equal(config.pipeline_mask, (1U << PP_PIPELINE_STATISTICS) - 1);
    assert_true(pp_config_wants(&config, "cpu", false) && pp_config_wants(&config, "oa", true));
    assert_false(pp_config_wants(&config, "khr", true) || pp_config_wants(&config, "oa", false));
}

static void
a_list_of_tags_is_read_one_by_one(void **state)
{
    (void)state;
    char key[80], value[300];
    struct pp_tag tag;
    const char *list = "build=12=3,scene=a b";
    assert_int_equal(pp_config_tag_next(&list, &tag), 1);
    assert_string_equal(tag.key, "build");
    assert_string_equal(tag.value, "12=3");
    assert_int_equal(pp_config_tag_next(&list, &tag), 1);
    assert_string_equal(tag.key, "scene");
    assert_string_equal(tag.value, "a b");
    assert_int_equal(pp_config_tag_next(&list, &tag), 0);
    memset(key, 'k', sizeof(key));
    memcpy(key + PP_TAG_KEY_MAX - 1, "=v", 3);
    assert_true(pp_config_tags_are_valid(key));
    memcpy(key + PP_TAG_KEY_MAX - 1, "k=v", 4);
    assert_false(pp_config_tags_are_valid(key));
    memset(value, 'v', sizeof(value));
    memcpy(value, "k=", 2);
    value[2 + PP_TAG_VALUE_MAX - 1] = '\0';
    assert_true(pp_config_tags_are_valid(value));
    value[2 + PP_TAG_VALUE_MAX - 1] = 'v';
    value[2 + PP_TAG_VALUE_MAX] = '\0';
    assert_false(pp_config_tags_are_valid(value));
}

static const char *const games[] = {"game.x86_64", "game", NULL};

static int
read_file(struct pp_config *config, const char *text, char *error)
{
    char path[] = "/tmp/passprobe-config-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    close(fd);
    pp_config_init(config);
    int rc = pp_config_read_file(config, path, games, error);
    unlink(path);
    return rc;
}

static void
sections_apply_to_their_application(void **state)
{
    (void)state;
    struct pp_config config;
    char error[PP_CONFIG_ERROR_MAX];
    assert_int_equal(read_file(&config,
                               "# all\nlevel = frame\n\n[game]\nlevel=pass\nevery = 4\n[other]\nevery = 9\n",
                               error),
                     0);
    assert_int_equal(config.level, PP_LEVEL_PASS);
    assert_int_equal(config.every, 4);
    assert_int_equal(read_file(&config, "level = frame\nlevle = pass\n", error), -EINVAL);
    assert_non_null(strstr(error, ":2: unknown option 'levle'; did you mean 'level'?"));
    /* A mistake in another application's section is reported, too. */
    assert_int_equal(read_file(&config, "[other]\nevery = none\n", error), -EINVAL);
    assert_non_null(strstr(error, ":2: bad value 'none'"));
    assert_int_equal(read_file(&config, "[other\n", error), -EINVAL);
    assert_non_null(strstr(error, ":1: a section"));
    assert_int_equal(read_file(&config, "level\n", error), -EINVAL);
    assert_non_null(strstr(error, ":1: expected 'key = value'"));
    assert_int_equal(pp_config_read_file(&config, "/nonexistent/passprobe.conf", NULL, error), 0);
}

/* The FIFO has no writer: reading it would block the application forever. */
static void
a_fifo_is_no_configuration(void **state)
{
    (void)state;
    struct pp_config config;
    char error[PP_CONFIG_ERROR_MAX];
    char folder[] = "/tmp/passprobe-config-XXXXXX";
    char path[64];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof(path), "%s/fifo", folder);
    assert_int_equal(mkfifo(path, 0600), 0);
    pp_config_init(&config);
    assert_int_equal(pp_config_read_file(&config, path, games, error), -ENOTSUP);
    assert_non_null(strstr(error, "fifo: not a regular file"));
    assert_int_equal(pp_config_read_file(&config, folder, games, error), -EISDIR);
    unlink(path);
    rmdir(folder);
}

static void
variables_are_options(void **state)
{
    (void)state;
    /* the password is for the command `push` */
    char *good[] = {(char[]){"HOME=/nonexistent"},
                    (char[]){"PASSPROBE=1"},
                    (char[]){"PASSPROBE_LEVEL=frame"},
                    (char[]){"PASSPROBE_MAX_SIZE=1M"},
                    (char[]){"PASSPROBE_MAX_MEMORY=1G"},
                    (char[]){"PASSPROBE_PUSH_PASSWORD=x"},
                    NULL};
    char *bad[] = {(char[]){"PASSPROBE_LEVELS=frame"}, NULL};
    char *worse[] = {(char[]){"PASSPROBE_LEVEL=fine"}, NULL};
    char *off[] = {(char[]){"PASSPROBE_DISABLE=1"}, NULL};
    struct pp_config config;
    char error[PP_CONFIG_ERROR_MAX];
    assert_int_equal(pp_config_load(&config, good, games, error), 0);
    assert_int_equal(config.level, PP_LEVEL_FRAME);
    assert_int_equal(config.max_size_bytes, 1 << 20);
    assert_int_equal(config.max_memory_bytes, 1 << 30);
    assert_false(config.disabled);
    assert_int_equal(pp_config_load(&config, bad, games, error), -EINVAL);
    assert_string_equal(error, "PASSPROBE_LEVELS: unknown variable; did you mean PASSPROBE_LEVEL?");
    assert_int_equal(pp_config_load(&config, worse, games, error), -EINVAL);
    assert_non_null(strstr(error, "PASSPROBE_LEVEL: bad value 'fine'"));
    assert_int_equal(pp_config_load(&config, off, games, error), 0);
    assert_true(config.disabled);
}

static void
whole_numbers_have_bounds(void **state)
{
    static const char *const wrong[] = {"",    "-1", "+1",  " 2",   "2 ",
                                        "2.0", "0",  "101", "0x10", "18446744073709551616"};
    uint64_t value = 7;
    (void)state;
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
        assert_false(pp_config_number_whole(wrong[i], 1, 100, &value));
    assert_int_equal(value, 7);
    assert_true(pp_config_number_whole("1", 1, 100, &value) && value == 1);
    assert_true(pp_config_number_whole("0100", 1, 100, &value) && value == 100);
    assert_true(pp_config_number_whole("18446744073709551615", 0, UINT64_MAX, &value) && value == UINT64_MAX);
}

int
main(void)
{
    enum { ROWS = sizeof(rows) / sizeof(rows[0]), OTHERS = 4 };
    static char name[ROWS][96];
    struct CMUnitTest tests[ROWS + OTHERS] = {cmocka_unit_test(options_set_their_members),
                                              cmocka_unit_test(a_list_of_tags_is_read_one_by_one),
                                              cmocka_unit_test(sections_apply_to_their_application),
                                              cmocka_unit_test(a_fifo_is_no_configuration),
                                              cmocka_unit_test(variables_are_options),
                                              cmocka_unit_test(whole_numbers_have_bounds)};
    for (size_t i = 0; i < ROWS; i++) {
        snprintf(name[i], sizeof(name[i]), "config@%s=%s", rows[i].name, rows[i].value);
        tests[OTHERS + i] = (struct CMUnitTest){.name = name[i], .test_func = each_value};
        union {
            const void *in;
            void *out;
        } cast = {.in = &rows[i]};
        tests[OTHERS + i].initial_state = cast.out;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
