/** @file
 * Files of user metrics: their content, which part applies to which GPU, GPUs that a file defines, and every
 * mistake with its line, column and underlined text. */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "counters/user_metrics/metrics_file.h"

static struct pp_metrics_file *
parse(const char *text)
{
    struct pp_metrics_file *file = NULL;
    struct pp_metrics_error error = {.text = ""};
    int r = pp_metrics_file_parse("my.metrics", text, strlen(text), &file, &error);
    if (r)
        fail_msg("%d: %s", r, error.text);
    return file;
}

static void
lines_become_metrics(void **state)
{
    (void)state;
    struct pp_metrics_file *file = parse("# mine\n"
                                         "\n"
                                         "busy [percent] = 100 * active / cycles   # how busy \n"
                                         "\ttwice= 2 * busy\r\n"
                                         "odd [bytes/cycle]=${a#b} # all\n");
    const struct pp_metrics_item **item;
    size_t items;
    assert_int_equal(pp_metrics_file_select(file, "any", false, &item, &items), 0);
    assert_int_equal(items, 3);
    assert_string_equal(item[0]->name, "busy");
    assert_string_equal(item[0]->unit, "percent");
    assert_int_equal(item[0]->unit_id, PP_UNIT_PERCENT);
    assert_string_equal(item[0]->formula, "100 * active / cycles");
    assert_string_equal(item[0]->description, "how busy");
    assert_int_equal(item[0]->line, 3);
    assert_int_equal(item[0]->column, 18);
    assert_string_equal(item[1]->name, "twice");
    assert_string_equal(item[1]->unit, "");
    assert_string_equal(item[1]->formula, "2 * busy");
    assert_string_equal(item[1]->description, "");
    assert_string_equal(item[2]->unit, "bytes/cycle");
    assert_int_equal(item[2]->unit_id, PP_UNIT_COUNT);
    assert_string_equal(item[2]->formula, "${a#b}");
    free(item);
    pp_metrics_file_destroy(file);
}

static size_t
applying(const struct pp_metrics_file *file, const char *gpu)
{
    const struct pp_metrics_item **item;
    size_t items;
    assert_int_equal(pp_metrics_file_select(file, gpu, false, &item, &items), 0);
    free(item);
    return items;
}

static void
sections_choose_gpus(void **state)
{
    (void)state;
    struct pp_metrics_file *file =
        parse("a = 1\n[gpu llvmpipe*]\nb = 2\n[gpu *G7?]\nc = 3\nd = 4\n[gpu exact]\ne = 5\n");
    assert_int_equal(applying(file, "LLVMpipe (LLVM 15.0.6, 256 bits)"), 2);
    assert_int_equal(applying(file, "Mali-G76"), 3);
    assert_int_equal(applying(file, "Mali-G7"), 1);
    assert_int_equal(applying(file, "exact"), 2);
    assert_int_equal(applying(file, "exactly"), 1);
    assert_int_equal(applying(file, ""), 1);
    pp_metrics_file_destroy(file);
}

static const struct pp_metric_input input[] = {{"active", PP_METRIC_U64}, {"cycles", PP_METRIC_U64}};
static const struct pp_metric_scope scope = {input, 2, NULL, 0};

static void
metrics_are_evaluated(void **state)
{
    (void)state;
    struct pp_metrics_file *file =
        parse("busy [percent] = active / cycles * 100\nidle [percent] = 100 - busy\n");
    struct pp_metric_program *program = NULL;
    assert_int_equal(pp_metrics_file_compile(file, "x", &scope, 0, &program, NULL), 0);
    const uint64_t active[3] = {1, 3, 0}, cycles[3] = {4, 4, 0};
    const struct pp_metric_column column[2] = {{active, NULL}, {cycles, NULL}};
    double busy[3], idle[3];
    uint8_t busy_status[3], idle_status[3];
    const struct pp_metric_result result[2] = {{busy, busy_status}, {idle, idle_status}};
    void *workspace = aligned_alloc(64, (pp_metric_workspace_bytes(program) + 63) / 64 * 64);
    pp_metric_eval(program, column, result, 3, workspace);
    assert_true(busy[0] == 25 && idle[0] == 75 && busy[1] == 75 && idle[1] == 25);
    assert_int_equal(busy_status[1], PP_OK);
    assert_int_equal(busy_status[2], PP_DIV_BY_ZERO);
    assert_int_equal(idle_status[2], PP_DIV_BY_ZERO);
    free(workspace);
    pp_metric_destroy(program);
    pp_metrics_file_destroy(file);
}

static void
formula_errors_point_into_the_file(void **state)
{
    (void)state;
    struct pp_metrics_file *file = parse("ok = active\nbusy [percent] = active / cycels * 100 # oh\n");
    struct pp_metric_program *program = NULL;
    struct pp_metrics_error error;
    assert_int_equal(pp_metrics_file_compile(file, "x", &scope, 0, &program, &error), -ENOENT);
    assert_int_equal(error.line, 2);
    assert_int_equal(error.column, 27);
    assert_string_equal(error.text, "my.metrics:2:27: unknown name 'cycels'; did you mean 'cycles'?\n"
                                    "    2 | busy [percent] = active / cycels * 100 # oh\n"
                                    "      |                           ^~~~~~");
    pp_metrics_file_destroy(file);
}

static void
long_lines_are_shown_around_the_place(void **state)
{
    (void)state;
    char text[600] = "x = active";
    for (int i = 0; i < 40; i++)
        strcat(text, " + active");
    strcat(text, " + \xc3\xa4");
    for (int i = 0; i < 10; i++)
        strcat(text, " + active");
    struct pp_metrics_file *file = parse(text);
    struct pp_metric_program *program = NULL;
    struct pp_metrics_error error;
    assert_int_equal(pp_metrics_file_compile(file, "x", &scope, 0, &program, &error), -EINVAL);
    assert_int_equal(error.column, 374);
    const char *source = strstr(error.text, "| ...") + 5;
    const char *caret = strstr(error.text, "|    ") + 5;
    assert_int_equal(strcspn(caret, "^"), strstr(source, "\xc3") - source);
    pp_metrics_file_destroy(file);
}

static void
mistakes_are_named(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint32_t line, column;
        const char *message;
    } golden[] = {
        {"busy percent = 3", 1, 6, "expected '=': name [unit] = formula"},
        {"a = 1\nbusy", 2, 5, "expected '=': name [unit] = formula"},
        {"busy [percent = 3", 1, 6, "']' is missing after '['"},
        {"busy [percent] 3", 1, 16, "expected '=': name [unit] = formula"},
        {"busy [percent] =  # nothing", 1, 17, "the formula is missing"},
        {"9busy = 3", 1, 1, "expected a name: letters, digits and _; the first character is not a digit"},
        {"+ = 3", 1, 1, "expected a name: letters, digits and _; the first character is not a digit"},
        {"a = 3\n  [gpu foo", 2, 3, "']' is missing after '['"},
        {"[gpu]", 1, 5, "the section names no GPU; [gpu *] means all GPUs"},
        {"[cpu x]", 1, 2, "a section is [gpu PATTERN] or [gpu NAME like GPU]"},
        {"[gpu x] y", 1, 9, "unexpected text after the section's name"},
        {"[gpu x like mali-g67]", 1, 13, "unknown GPU 'mali-g67'; `passprobe list -e mali` shows the GPUs"},
        {"counter A = SC 4 sum", 1, 1, "this line belongs in a section [gpu NAME like GPU]"},
        {"[gpu x like mali-g76]\nconter A = SC 4 sum", 2, 1,
         "unknown word 'conter'; did you mean 'counter'?"},
        {"[gpu x like mali-g76]\ncounter A = SX 4 sum", 2, 13, "expected a block: one of JM, TILER, L2, SC"},
        {"[gpu x like mali-g76]\ncounter A = SC 64 sum", 2, 16, "expected a word of the block: 4 to 63"},
        {"[gpu x like mali-g76]\ncounter A = SC 5x sum", 2, 16, "expected a word of the block: 4 to 63"},
        {"[gpu x like mali-g76]\ncounter A = SC 5", 2, 17,
         "expected an aggregation: one of single, sum, average"},
        {"[gpu x like mali-g76]\ncounter A = SC 5 sum sum", 2, 22, "unexpected text after the counter"},
        {"[gpu x like mali-g76]\ncores 0x", 2, 7, "this number is malformed or too large"},
        {"[gpu x like mali-g76]\ncores many", 2, 7, "expected a number"},
        {"[gpu x like mali-g76]\nl2 99999999999", 2, 4, "this number is malformed or too large"},
        {"[gpu x like mali-g76]\nl2 2 3", 2, 6, "unexpected text after the number"},
        {"[gpu x like mali-g76]\nl2 17", 1, 13, "l2 must be 1 to 16, and bus must be 8 to 4096"},
        {"[gpu x like mali-g76]\nm = $MaliGPUCyclesGPUActiv", 2, 5,
         "unknown name 'MaliGPUCyclesGPUActiv'; did you mean 'MaliGPUCyclesGPUActive'?"},
        {"[gpu x like mali-g76]\nm = 1 +", 2, 8, "the formula ends here; expected a number, a name or '('"},
    };
    for (size_t i = 0; i < sizeof(golden) / sizeof(golden[0]); i++) {
        struct pp_metrics_file *file = NULL;
        struct pp_metrics_error error = {.text = ""};
        char expected[300];
        int r = pp_metrics_file_parse("f", golden[i].text, strlen(golden[i].text), &file, &error);
        snprintf(expected, sizeof(expected), "f:%u:%u: %s\n", golden[i].line, golden[i].column,
                 golden[i].message);
        if ((r != -EINVAL && r != -ENOENT) || strncmp(error.text, expected, strlen(expected)) != 0 ||
            error.line != golden[i].line || error.column != golden[i].column)
            fail_msg("%s\n%d: %s", golden[i].text, r, error.text);
        assert_null(file);
    }
    struct pp_metrics_file *file = NULL;
    struct pp_metrics_error error;
    assert_int_equal(pp_metrics_file_parse("f", "a = 1\n\0b = 2\n", 13, &file, &error), -EINVAL);
    assert_int_equal(error.line, 2);
}

static void
two_metrics_of_one_name_are_a_mistake(void **state)
{
    (void)state;
    struct pp_metrics_file *file = parse("a = 1\n[gpu x]\na = 2\n[gpu y]\nb = 3\n");
    struct pp_metric_program *program = NULL;
    struct pp_metrics_error error;
    assert_int_equal(pp_metrics_file_compile(file, "y", &scope, 0, &program, &error), 0);
    pp_metric_destroy(program);
    program = NULL;
    assert_int_equal(pp_metrics_file_compile(file, "x", &scope, 0, &program, &error), -EINVAL);
    assert_int_equal(error.line, 3);
    assert_null(program);
    pp_metrics_file_destroy(file);
}

/* A GPU that the file defines: two words moved, a metric replaced, one added, another part assumed. */
static void
a_file_defines_a_gpu(void **state)
{
    (void)state;
    struct pp_metrics_file *file =
        parse("[gpu mali-g52 like mali-g76]\n"
              "product 0x7002\ncores 0x3\nl2 1\nbus 64\n"
              "counter MaliCoreWritesLoadStoreOtherWriteBeats [beats] = SC 63 average\n"
              "counter MaliCoreWritesLoadStoreWritebackWriteBeats [beats] = SC 61 average\n"
              "counter Extra [cycles] = JM 50 single # one more\n"
              "pixels [pixels] = 1 + Extra\n"
              "share [percent] = Extra / $MaliGPUCyclesGPUActive * 100\n"
              "[gpu mali-g52b like mali-g52]\n"
              "share = 7\n");
    const struct pp_mali_gpu *base = pp_mali_gpu_find("mali-g76"), *gpu = NULL;
    struct pp_mali_config config;
    struct pp_metrics_error error;
    assert_int_equal(pp_metrics_file_mali(file, "mali-g52:cores=0x5", &gpu, &config, &error), 0);
    const struct pp_metrics_gpu *const *own = file->gpus.data;
    assert_int_equal(file->gpus.length, 2);
    assert_ptr_equal(gpu, &own[0]->gpu);
    assert_string_equal(gpu->name, "mali-g52");
    assert_int_equal(gpu->product_id, 0x7002);
    assert_int_equal(gpu->counters, base->counters + 1);
    assert_int_equal(gpu->metrics, base->metrics + 1);
    assert_true(config.core_mask == 5 && config.l2_slices == 1 && config.bus_width_bits == 64);
    struct pp_mali_decoder *decoder = NULL;
    assert_int_equal(pp_mali_decoder_create(gpu, &config, &decoder, NULL), 0);
    size_t size = pp_mali_dump_bytes(&config);
    assert_int_equal(size, (2 + 1 + 3) * 256);
    uint32_t dump[6 * 64] = {0};
    for (size_t block = 0; block < 6; block++)
        dump[block * 64 + 2] = 0xffff;
    dump[6] = 200;
    dump[50] = 50;
    dump[3 * 64 + 63] = 10;
    dump[5 * 64 + 63] = 30;
    struct pp_mali_cell *cell = calloc(pp_mali_decoder_columns(decoder), sizeof(*cell));
    static struct pp_mali_sums sums;
    pp_mali_sums_begin(&sums);
    assert_int_equal(pp_mali_add_dump(gpu, &config, (const uint8_t *)dump, size, &sums), 0);
    pp_mali_decode_sums(decoder, &sums, cell);
    for (size_t i = 0; i < pp_mali_decoder_columns(decoder); i++) {
        struct pp_mali_column column = pp_mali_decoder_column(decoder, i);
        if (strcmp(column.symbol, "MaliCoreWritesLoadStoreOtherWriteBeats") == 0)
            assert_true(cell[i].value.f == 20);
        if (strcmp(column.symbol, "pixels") == 0)
            assert_true(cell[i].value.f == 51);
        if (strcmp(column.symbol, "share") == 0)
            assert_true(cell[i].value.f == 25);
        if (strcmp(column.symbol, "external_bus_beat_size") == 0)
            assert_true(cell[i].value.f == 8);
    }
    assert_string_equal(own[1]->gpu.metric[base->metrics].formula, "7");
    assert_int_equal(pp_metrics_file_mali(file, "mali-g76", &gpu, &config, &error), 0);
    assert_ptr_equal(gpu, base);
    assert_int_equal(pp_metrics_file_mali(file, "mali-g99", &gpu, &config, &error), -ENOENT);
    assert_int_equal(pp_metrics_file_mali(file, "mali-g52:l2=0", &gpu, &config, &error), -EINVAL);
    free(cell);
    pp_mali_decoder_destroy(decoder);
    pp_metrics_file_destroy(file);
}

/* Metrics of a section for a GPU that is compiled in, which may use the GPU's own. */
static void
a_file_adds_to_a_gpu(void **state)
{
    (void)state;
    struct pp_metrics_file *file = parse("per_draw = gpu_time_ns / draws # a session's: not the GPU's\n"
                                         "[gpu Mali-G7?]\nmine = pixels * 2\n"
                                         "[gpu llvmpipe]\nother = 1\n"
                                         "[gpu *]\nelsewhere = pipeline:vertices + 1\n");
    const struct pp_mali_gpu *base = pp_mali_gpu_find("mali-g76"), *gpu = NULL, *again = NULL;
    struct pp_mali_config config;
    struct pp_metrics_error error;
    assert_int_equal(pp_metrics_file_mali(file, NULL, &gpu, &config, &error), 0);
    assert_string_equal(gpu->name, "mali-g76");
    assert_int_equal(gpu->metrics, base->metrics + 2);
    assert_string_equal(gpu->metric[base->metrics].symbol, "mine");
    assert_string_equal(gpu->metric[base->metrics + 1].symbol, "elsewhere");
    assert_int_equal(pp_metrics_file_mali(file, "mali-g76:l2=1", &again, &config, &error), 0);
    assert_ptr_equal(again, gpu);
    assert_int_equal(config.l2_slices, 1);
    pp_metrics_file_destroy(file);
    file = parse("[gpu mali-g76]\nmine = pixel * 2\n");
    assert_int_equal(pp_metrics_file_mali(file, "mali-g76", &gpu, &config, &error), -ENOENT);
    assert_int_equal(error.line, 2);
    assert_int_equal(error.column, 8);
    pp_metrics_file_destroy(file);
    assert_int_equal(pp_metrics_file_mali(NULL, "mali-g76", &gpu, &config, &error), 0);
    assert_ptr_equal(gpu, base);
}

/* The built-in metrics compile with the columns of passes.csv, and give the values of an example: a grid of 4
 * triangles on 6 vertices drawn with an index buffer of 12, over a quarter of 8 x 8 pixels. */
static void
builtin_metrics_are_right(void **state)
{
    (void)state;
    static const struct pp_metric_input names[] = {
        {"gpu_time_ns", PP_METRIC_U64},
        {"width", PP_METRIC_U64},
        {"height", PP_METRIC_U64},
        {"layers", PP_METRIC_U64},
        {"pipeline:input_assembly_vertices", PP_METRIC_U64},
        {"pipeline:input_assembly_primitives", PP_METRIC_U64},
        {"pipeline:vertex_shader_invocations", PP_METRIC_U64},
        {"pipeline:clipping_invocations", PP_METRIC_U64},
        {"pipeline:clipping_primitives", PP_METRIC_U64},
        {"pipeline:fragment_shader_invocations", PP_METRIC_U64},
    };
    static const uint64_t value[10] = {1600, 8, 8, 0, 12, 4, 6, 4, 3, 16};
    static const double expected[7] = {0.5, 3, 25, 16.0 / 3, 0.25, 100, 1600.0 / 6};
    const struct pp_metric_scope all = {names, 10, NULL, 0};
    struct pp_metrics_file *file = NULL;
    struct pp_metric_program *program = NULL;
    struct pp_metrics_error error = {.text = ""};
    struct pp_metric_column column[10];
    struct pp_metric_result result[7];
    double got[7];
    uint8_t status[7];
    assert_int_equal(pp_metrics_file_builtin(&file), 0);
    if (pp_metrics_file_compile(file, "llvmpipe", &all, 0, &program, &error))
        fail_msg("%s", error.text);
    assert_int_equal(pp_metric_outputs(program), 7);
    for (size_t i = 0; i < 10; i++)
        column[i] = (struct pp_metric_column){&value[i], NULL};
    for (size_t i = 0; i < 7; i++)
        result[i] = (struct pp_metric_result){&got[i], &status[i]};
    void *workspace = aligned_alloc(64, (pp_metric_workspace_bytes(program) + 63) / 64 * 64);
    pp_metric_eval(program, column, result, 1, workspace);
    for (size_t i = 0; i < 7; i++) {
        assert_int_equal(status[i], PP_OK);
        assert_true(fabs(got[i] - expected[i]) < 1e-12);
    }
    free(workspace);
    pp_metric_destroy(program);
    pp_metrics_file_destroy(file);
}

static void
files_are_read(void **state)
{
    (void)state;
    char path[] = "/tmp/pp-metrics-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, "a = 1\nb = a * 2\n", 16), 16);
    close(fd);
    struct pp_metrics_file *file = NULL;
    struct pp_metrics_error error;
    assert_int_equal(pp_metrics_file_load(path, &file, &error), 0);
    assert_int_equal(applying(file, "x"), 2);
    pp_metrics_file_destroy(file);
    unlink(path);
    file = NULL;
    assert_int_equal(pp_metrics_file_load(path, &file, &error), -ENOENT);
    assert_non_null(strstr(error.text, "No such file"));
    assert_int_equal(pp_metrics_file_load("/", &file, &error), -EISDIR);
    assert_null(file);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_become_metrics),
        cmocka_unit_test(sections_choose_gpus),
        cmocka_unit_test(metrics_are_evaluated),
        cmocka_unit_test(formula_errors_point_into_the_file),
        cmocka_unit_test(long_lines_are_shown_around_the_place),
        cmocka_unit_test(mistakes_are_named),
        cmocka_unit_test(two_metrics_of_one_name_are_a_mistake),
        cmocka_unit_test(a_file_defines_a_gpu),
        cmocka_unit_test(a_file_adds_to_a_gpu),
        cmocka_unit_test(builtin_metrics_are_right),
        cmocka_unit_test(files_are_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
