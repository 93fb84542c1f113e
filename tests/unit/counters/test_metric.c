/** @file
 * The metric language: hand-computed goldens of every operator, zero and missing values, names, errors with
 * their place, and columns longer than a block. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "counters/metric/metric_compile.h"
#include "counters/metric/metric_eval.h"

static const struct pp_metric_input inputs[] = {
    {"A0", PP_METRIC_U64},        {"A7", PP_METRIC_U64},      {"B3", PP_METRIC_U64},
    {"GPU_CLOCK", PP_METRIC_U64}, {"average", PP_METRIC_F64}, {"pipeline:vs_invocations", PP_METRIC_U64},
};

static const struct pp_metric_variable variables[] = {
    {"EuCoresTotalCount", PP_METRIC_U64, {.u = 24}},
    {"SubsliceMask", PP_METRIC_U64, {.u = 0x7}},
    {"Half", PP_METRIC_F64, {.f = 0.5}},
};

static const struct pp_metric_scope scope = {inputs, 6, variables, 3};

/* One row of inputs: A0, A7, B3, GPU_CLOCK, average, vs_invocations. */
struct row {
    uint64_t a0, a7, b3, clock;
    double average;
    uint64_t vs;
};

struct outcome {
    enum pp_metric_type type;
    union pp_metric_number value;
    uint8_t status;
};

static void *
workspace_of(const struct pp_metric_program *program)
{
    void *workspace = aligned_alloc(64, (pp_metric_workspace_bytes(program) + 63) / 64 * 64);
    assert_non_null(workspace);
    return workspace;
}

static struct outcome
run_row(const struct pp_metric_program *program, const struct row *row, const uint8_t *status)
{
    const struct pp_metric_column column[6] = {
        {&row->a0, status},  {&row->a7, NULL},      {&row->b3, NULL},
        {&row->clock, NULL}, {&row->average, NULL}, {&row->vs, NULL},
    };
    struct outcome out = {.type = pp_metric_output_type(program, 0)};
    const struct pp_metric_result result = {&out.value, &out.status};
    void *workspace = workspace_of(program);
    pp_metric_eval(program, column, &result, 1, workspace);
    free(workspace);
    return out;
}

static struct outcome
evaluate(enum pp_metric_lang lang, const char *formula, const struct row *row)
{
    const struct pp_metric_def def = {.name = "m", .formula = formula, .lang = (uint8_t)lang};
    struct pp_metric_program *program = NULL;
    struct pp_metric_error error = {.message = ""};
    int r = pp_metric_compile(&scope, &def, 1, 0, &program, &error);
    if (r)
        fail_msg("%s: %d %s at %u", formula, r, error.message, error.offset);
    struct outcome out = run_row(program, row, NULL);
    pp_metric_destroy(program);
    return out;
}

static const struct row plain = {.a0 = 1000, .a7 = 250, .b3 = 0, .clock = 4000, .average = 2.5, .vs = 12};

static void
rpn_computes_integers_modulo_2_64(void **state)
{
    (void)state;
    static const struct {
        const char *formula;
        uint64_t expected;
    } golden[] = {
        {"A 7 READ", 250},
        {"GPU_CLOCK 0 READ", 4000},
        {"A 0 READ A 7 READ UADD", 1250},
        {"A 7 READ A 0 READ USUB", UINT64_MAX - 749},
        {"A 7 READ 0xffffffffffffffff UMUL", UINT64_MAX - 249},
        {"A 0 READ $EuCoresTotalCount UDIV", 41},
        {"$EuCoresTotalCount A 7 READ UDIV", 0},
        {"A 0 READ B 3 READ UDIV", 0},
        {"A 0 READ 0 UDIV", 0},
        {"A 0 READ A 7 READ UMIN", 250},
        {"A 0 READ A 7 READ UMAX", 1000},
        {"1 A 7 READ <<", 0},
        {"A 7 READ 4 <<", 4000},
        {"A 7 READ 4 >>", 15},
        {"A 7 READ 64 >>", 0},
        {"A 7 READ 0xf AND", 10},
        {"A 7 READ 0xf00 OR", 0xffa},
        {"A 7 READ 1 XOR", 251},
        {"A 7 READ A 0 READ ULT", 1},
        {"A 7 READ 250 ULT", 0},
        {"A 7 READ 250 ULTE", 1},
        {"A 7 READ 250 UGT", 0},
        {"A 7 READ 250 UGTE", 1},
        {"A 7 READ B 3 READ &&", 0},
        {"A 7 READ B 3 READ ||", 1},
        {"true A 7 READ &&", 1},
        {"  A 7 READ\t2   UMUL ", 500},
        {"A 0 READ 64 UMUL A 7 READ 32 UMUL UADD 1 UADD", 72001},
    };
    for (size_t i = 0; i < sizeof(golden) / sizeof(golden[0]); i++) {
        struct outcome out = evaluate(PP_METRIC_RPN, golden[i].formula, &plain);
        if (out.type != PP_METRIC_U64 || out.value.u != golden[i].expected || out.status != PP_OK)
            fail_msg("%s = %" PRIu64 " (type %d, status %d)", golden[i].formula, out.value.u, out.type,
                     out.status);
    }
}

static void
computes_doubles(void **state)
{
    (void)state;
    static const struct {
        enum pp_metric_lang lang;
        const char *formula;
        double expected;
    } golden[] = {
        {PP_METRIC_RPN, "A 0 READ $EuCoresTotalCount UDIV 100 UMUL GPU_CLOCK 0 READ FDIV", 1.025},
        {PP_METRIC_RPN, "A 7 READ A 0 READ FSUB", -750},
        {PP_METRIC_RPN, "A 7 READ A 0 READ FADD 4 FMUL", 5000},
        {PP_METRIC_RPN, "A 7 READ B 3 READ FDIV", 0},
        {PP_METRIC_RPN, "B 3 READ B 3 READ FDIV", 0},
        {PP_METRIC_RPN, "A 7 READ A 0 READ FMAX", 1000},
        {PP_METRIC_RPN, "A 7 READ A 0 READ FMIN", 250},
        {PP_METRIC_RPN, "A 7 READ $Half FMUL", 125},
        {PP_METRIC_INFIX, "$A7 + A0 * 2", 2250},
        {PP_METRIC_INFIX, "(A7 + A0) * 2", 2500},
        {PP_METRIC_INFIX, "A0 - A7 - 50", 700},
        {PP_METRIC_INFIX, "A0 / A7 / 2", 2},
        {PP_METRIC_INFIX, "A0 / (A7 / 2)", 8},
        {PP_METRIC_INFIX, "-A7 + 300", 50},
        {PP_METRIC_INFIX, "--A7*1", 250},
        {PP_METRIC_INFIX, "max(min($A0 / $A7 * 100, 100), 0)", 100},
        {PP_METRIC_INFIX, "max(min((A7 - A0) / A7 * 100, 100), 0)", 0},
        {PP_METRIC_INFIX, "clamp(A7, 300, 400)", 300},
        {PP_METRIC_INFIX, "clamp(A7, 0, 400)", 250},
        {PP_METRIC_INFIX, "clamp(A7, 0, 40)", 40},
        {PP_METRIC_INFIX, "min(A0, A7, 3)", 3},
        {PP_METRIC_INFIX, "max(1, A7, A0)", 1000},
        {PP_METRIC_INFIX, "div0(A7, B3) + 1", 1},
        {PP_METRIC_INFIX, "floor(A0 / 24)", 41},
        {PP_METRIC_INFIX, "average * Half", 1.25},
        {PP_METRIC_INFIX, "${pipeline:vs_invocations} / 4", 3},
        {PP_METRIC_INFIX, "pipeline:vs_invocations / .5e1", 2.4},
        {PP_METRIC_INFIX, "0.1 + 2e-1*0 + 1e22 - 1e22 ", 0},
        {PP_METRIC_INFIX, "123456789.125 + A7*0", 123456789.125},
    };
    for (size_t i = 0; i < sizeof(golden) / sizeof(golden[0]); i++) {
        struct outcome out = evaluate(golden[i].lang, golden[i].formula, &plain);
        if (out.type != PP_METRIC_F64 || out.value.f != golden[i].expected || out.status != PP_OK)
            fail_msg("%s = %.17g (type %d, status %d)", golden[i].formula, out.value.f, out.type, out.status);
    }
}

/* VMEPipe.VMEBusy is the one mixed formula that Intel has: U operators compute in double and truncate. */
static void
mixed_operands_follow_intels_generators(void **state)
{
    (void)state;
    struct outcome out = evaluate(PP_METRIC_RPN, "A 7 READ 1 FADD 2 FDIV 100 UMUL", &plain);
    assert_int_equal(out.type, PP_METRIC_U64);
    assert_int_equal(out.value.u, 12550);
    out = evaluate(PP_METRIC_RPN, "A 7 READ 1 FADD 2 FDIV 2 UDIV", &plain);
    assert_int_equal(out.value.u, 62);
    out = evaluate(PP_METRIC_RPN, "A 7 READ A 0 READ FSUB 100 UMUL", &plain);
    assert_int_equal(out.value.u, 0);
}

static void
naming_a_count_keeps_it_exact(void **state)
{
    (void)state;
    struct row row = {.a7 = UINT64_C(0xfffffffffffffffd)};
    struct outcome out = evaluate(PP_METRIC_INFIX, "$A7", &row);
    assert_int_equal(out.type, PP_METRIC_U64);
    assert_true(out.value.u == row.a7);
    out = evaluate(PP_METRIC_INFIX, "(average)", &plain);
    assert_int_equal(out.type, PP_METRIC_F64);
    assert_true(out.value.f == 2.5);
}

static void
division_by_zero_is_no_value_in_infix(void **state)
{
    (void)state;
    struct outcome out = evaluate(PP_METRIC_INFIX, "max(min(B3 / B3 * 100, 100), 0)", &plain);
    assert_int_equal(out.status, PP_DIV_BY_ZERO);
    assert_true(isnan(out.value.f));
    out = evaluate(PP_METRIC_INFIX, "max(min(A7 / B3 * 100, 100), 0)", &plain);
    assert_int_equal(out.status, PP_DIV_BY_ZERO);
    assert_true(isinf(out.value.f) && out.value.f > 0);
    out = evaluate(PP_METRIC_INFIX, "(B3 - A7) / B3", &plain);
    assert_true(isinf(out.value.f) && out.value.f < 0);
    out = evaluate(PP_METRIC_INFIX, "A7 / 0", &plain);
    assert_int_equal(out.status, PP_DIV_BY_ZERO);
    out = evaluate(PP_METRIC_INFIX, "1 / 0 + A7", &plain);
    assert_int_equal(out.status, PP_DIV_BY_ZERO);
    out = evaluate(PP_METRIC_INFIX, "0 / 0", &plain);
    assert_true(isnan(out.value.f));
    out = evaluate(PP_METRIC_INFIX, "1 / B3", &plain);
    assert_int_equal(out.status, PP_DIV_BY_ZERO);
    out = evaluate(PP_METRIC_INFIX, "B3 / 3", &plain);
    assert_int_equal(out.status, PP_OK);
}

static void
leaving_the_range_of_a_double_is_no_value(void **state)
{
    (void)state;
    struct outcome out =
        evaluate(PP_METRIC_INFIX,
                 "A7 * 1e22 * 1e22 * 1e22 * 1e22 * 1e22 * 1e22 * 1e22 * 1e22 * 1e22 * 1e22 * "
                 "1e22 * 1e22 * 1e22 * 1e22",
                 &plain);
    assert_int_equal(out.status, PP_REJECTED);
}

/* The worst status of the inputs decides; a missing input leaves no value, whatever the formula does with it.
 */
static void
status_is_propagated(void **state)
{
    (void)state;
    static const struct {
        uint8_t a0;
        const char *formula;
        uint8_t expected;
    } golden[] = {
        {PP_LOST, "A7 * 2", PP_OK},
        {PP_LOST, "A0 * 0", PP_LOST},
        {PP_SATURATED, "A0 / A7", PP_SATURATED},
        {PP_PARTIAL, "A0 - A0", PP_PARTIAL},
        {PP_SATURATED, "A0 / B3", PP_DIV_BY_ZERO},
        {PP_LOST, "A0 / B3", PP_LOST},
        {PP_NOT_AVAILABLE, "min(A0, 3)", PP_NOT_AVAILABLE},
        {PP_UNSUPPORTED, "A0", PP_UNSUPPORTED},
    };
    for (size_t i = 0; i < sizeof(golden) / sizeof(golden[0]); i++) {
        const struct pp_metric_def def = {.formula = golden[i].formula, .lang = PP_METRIC_INFIX};
        struct pp_metric_program *program = NULL;
        assert_int_equal(pp_metric_compile(&scope, &def, 1, 0, &program, NULL), 0);
        struct outcome out = run_row(program, &plain, &golden[i].a0);
        if (out.status != golden[i].expected)
            fail_msg("%s: status %d", golden[i].formula, out.status);
        pp_metric_destroy(program);
    }
}

static void
metrics_refer_to_each_other_in_any_order(void **state)
{
    (void)state;
    const struct pp_metric_def def[] = {
        {.name = "Freq", .formula = "$Clocks 1000 UMUL $Time UDIV", .lang = PP_METRIC_RPN},
        {.name = "Time", .formula = "A 0 READ 4 UMUL", .lang = PP_METRIC_RPN, .hidden = true},
        {.name = "Clocks", .formula = "GPU_CLOCK 0 READ", .lang = PP_METRIC_RPN},
        {.name = "ClocksAgain", .formula = "$Clocks", .lang = PP_METRIC_RPN},
        {.name = "Share", .formula = "Clocks / Freq", .lang = PP_METRIC_INFIX},
        {.name = "Whole", .formula = "7 2 FDIV", .lang = PP_METRIC_RPN, .type = PP_METRIC_U64},
        {.name = "Freq.max",
         .formula = "$Self 2 UMUL",
         .self = "Freq",
         .lang = PP_METRIC_RPN,
         .type = PP_METRIC_F64},
    };
    struct pp_metric_program *program = NULL;
    assert_int_equal(pp_metric_compile(&scope, def, 7, 0, &program, NULL), 0);
    assert_int_equal(pp_metric_outputs(program), 6);
    union pp_metric_number value[6];
    uint8_t status[6];
    struct pp_metric_result result[6];
    for (size_t i = 0; i < 6; i++)
        result[i] = (struct pp_metric_result){&value[i], &status[i]};
    const struct pp_metric_column column[6] = {{&plain.a0, NULL},      {&plain.a7, NULL},
                                               {&plain.b3, NULL},      {&plain.clock, NULL},
                                               {&plain.average, NULL}, {&plain.vs, NULL}};
    void *workspace = workspace_of(program);
    pp_metric_eval(program, column, result, 1, workspace);
    assert_int_equal(value[0].u, 1000);
    assert_int_equal(value[1].u, 4000);
    assert_int_equal(value[2].u, 4000);
    assert_true(value[3].f == 4.0);
    assert_int_equal(value[4].u, 3);
    assert_true(value[5].f == 2000.0);
    assert_true(pp_metric_output_reads(program, 0, 0));
    assert_true(pp_metric_output_reads(program, 0, 3));
    assert_false(pp_metric_output_reads(program, 0, 1));
    assert_false(pp_metric_output_reads(program, 1, 0));
    free(workspace);
    pp_metric_destroy(program);
}

static void
availability_hides_a_metric_but_not_from_others(void **state)
{
    (void)state;
    const struct pp_metric_def def[] = {
        {.name = "S0",
         .formula = "A 0 READ",
         .availability = "$SubsliceMask 0x09 AND",
         .lang = PP_METRIC_RPN},
        {.name = "S1",
         .formula = "A 7 READ",
         .availability = "$SubsliceMask 0x18 AND",
         .lang = PP_METRIC_RPN},
        {.name = "Max", .formula = "$S0 $S1 UMAX", .lang = PP_METRIC_RPN},
        {.name = "Rev",
         .formula = "1",
         .availability = "$SubsliceMask 2 UGTE $SubsliceMask 5 ULT &&",
         .lang = PP_METRIC_RPN},
    };
    struct pp_metric_program *program = NULL;
    assert_int_equal(pp_metric_compile(&scope, def, 4, 0, &program, NULL), 0);
    assert_true(program->output[0].available);
    assert_false(program->output[1].available);
    assert_false(program->output[3].available);
    union pp_metric_number value[4];
    uint8_t status[4];
    struct pp_metric_result result[4];
    for (size_t i = 0; i < 4; i++)
        result[i] = (struct pp_metric_result){&value[i], &status[i]};
    const struct pp_metric_column column[6] = {{&plain.a0, NULL}, {&plain.a7, NULL}};
    void *workspace = workspace_of(program);
    pp_metric_eval(program, column, result, 1, workspace);
    assert_int_equal(status[0], PP_OK);
    assert_int_equal(status[1], PP_UNSUPPORTED);
    assert_int_equal(status[2], PP_OK);
    assert_int_equal(value[2].u, 1000);
    assert_int_equal(status[3], PP_UNSUPPORTED);
    free(workspace);
    pp_metric_destroy(program);
}

static void
an_absent_column_leaves_no_value(void **state)
{
    (void)state;
    const struct pp_metric_def def[] = {
        {.formula = "A 0 READ PERFCNT 0 READ UADD", .lang = PP_METRIC_RPN},
        {.formula = "A 7 READ 0 UMUL", .lang = PP_METRIC_RPN},
        {.formula = "A 0 READ", .lang = PP_METRIC_RPN},
    };
    struct pp_metric_program *program = NULL;
    assert_int_equal(pp_metric_compile(&scope, def, 3, 0, &program, NULL), -ENOENT);
    assert_int_equal(pp_metric_compile(&scope, def, 3, PP_METRIC_MISSING_OK, &program, NULL), 0);
    union pp_metric_number value[3];
    uint8_t status[3];
    const struct pp_metric_result result[3] = {
        {&value[0], &status[0]}, {&value[1], &status[1]}, {&value[2], &status[2]}};
    const struct pp_metric_column column[6] = {{&plain.a0, NULL}};
    void *workspace = workspace_of(program);
    pp_metric_eval(program, column, result, 1, workspace);
    assert_int_equal(status[0], PP_UNSUPPORTED);
    assert_int_equal(status[1], PP_UNSUPPORTED);
    assert_int_equal(status[2], PP_OK);
    free(workspace);
    pp_metric_destroy(program);
}

static void
errors_name_their_place(void **state)
{
    (void)state;
    static const struct {
        enum pp_metric_lang lang;
        const char *formula;
        int code;
        uint32_t offset, length;
        const char *message;
    } golden[] = {
        {PP_METRIC_RPN, "", -EINVAL, 0, 0, "the formula is empty"},
        {PP_METRIC_RPN, "A 7 READ UADD", -EINVAL, 9, 4, "UADD needs two operands before it"},
        {PP_METRIC_RPN, "A 7 READ 3", -EINVAL, 9, 1,
         "an operator is missing: 2 values remain instead of one"},
        {PP_METRIC_RPN, "A 7 READ 3 UADDD", -EINVAL, 11, 5, "unknown operator 'UADDD'; did you mean 'UADD'?"},
        {PP_METRIC_RPN, "A 7 READ 3 4 UADD +", -EINVAL, 18, 1, NULL},
        {PP_METRIC_RPN, "3 READ", -EINVAL, 2, 4, "READ needs the kind and the number of a counter before it"},
        {PP_METRIC_RPN, "3 4 READ", -EINVAL, 0, 8,
         "READ needs the kind and the number of a counter before it, as in A 7 READ"},
        {PP_METRIC_RPN, "A 8 READ", -ENOENT, 0, 8, "unknown name 'A8'; did you mean 'A7'?"},
        {PP_METRIC_RPN, "1 $EuCoreTotalCount UADD", -ENOENT, 2, 17,
         "unknown name 'EuCoreTotalCount'; did you mean 'EuCoresTotalCount'?"},
        {PP_METRIC_RPN, "1 $Self UADD", -ENOENT, 2, 5, "'$Self' has no meaning here"},
        {PP_METRIC_RPN, "18446744073709551616", -EINVAL, 0, 20,
         "'18446744073709551616' is not an integer below 2^64"},
        {PP_METRIC_INFIX, "", -EINVAL, 0, 0, "the formula is empty"},
        {PP_METRIC_INFIX, "A7 +", -EINVAL, 4, 0, "the formula ends here; expected a number, a name or '('"},
        {PP_METRIC_INFIX, "A7 A0", -EINVAL, 3, 1, "expected an operator, found 'A'"},
        {PP_METRIC_INFIX, "(A7 + A0", -EINVAL, 8, 0, "the formula ends here; expected an operator or ')'"},
        {PP_METRIC_INFIX, "A7 + A0)", -EINVAL, 7, 1, "expected an operator, found ')'"},
        {PP_METRIC_INFIX, "avg(A7, A0)", -EINVAL, 0, 3, NULL},
        {PP_METRIC_INFIX, "mim(A7, A0)", -EINVAL, 0, 3, "unknown function 'mim'; did you mean 'min'?"},
        {PP_METRIC_INFIX, "min(A7)", -EINVAL, 0, 7, "min takes two or more arguments"},
        {PP_METRIC_INFIX, "1 + div0(A7)", -EINVAL, 4, 8, "div0 takes 2 arguments, not 1"},
        {PP_METRIC_INFIX, "floor(A7, 2)", -EINVAL, 0, 12, "floor takes 1 argument, not 2"},
        {PP_METRIC_INFIX, "2 * $averag", -ENOENT, 4, 7, "unknown name 'averag'; did you mean 'average'?"},
        {PP_METRIC_INFIX, "2 * zzzzzzzzzzzzz", -ENOENT, 4, 13, "unknown name 'zzzzzzzzzzzzz'"},
        {PP_METRIC_INFIX, "2 * ${averag", -EINVAL, 4, 2, "'}' is missing after '${'"},
        {PP_METRIC_INFIX, "2 * $", -EINVAL, 4, 1, "a name is missing after '$'"},
        {PP_METRIC_INFIX, "1.2.3", -EINVAL, 0, 4, "this number is malformed"},
        {PP_METRIC_INFIX, "12x", -EINVAL, 0, 3, "this number is malformed"},
        {PP_METRIC_INFIX, "1e", -EINVAL, 0, 2, "this number is malformed"},
        {PP_METRIC_INFIX, "1e99", -EINVAL, 0, 4,
         "this number is larger than 2^53, or has more than 22 digits after the point"},
        {PP_METRIC_INFIX, "A7 \x01", -EINVAL, 3, 1, "expected an operator, found byte 0x01"},
        {PP_METRIC_INFIX, "1 + m", -ELOOP, 4, 1, "'m' depends on itself here"},
    };
    for (size_t i = 0; i < sizeof(golden) / sizeof(golden[0]); i++) {
        const struct pp_metric_def def = {
            .name = "m", .formula = golden[i].formula, .lang = (uint8_t)golden[i].lang};
        struct pp_metric_program *program = NULL;
        struct pp_metric_error error = {.message = "-"};
        int r = pp_metric_compile(&scope, &def, 1, 0, &program, &error);
        if (r != golden[i].code || error.offset != golden[i].offset || error.length != golden[i].length ||
            (golden[i].message && strcmp(error.message, golden[i].message) != 0))
            fail_msg("'%s': %d, %u+%u: %s", golden[i].formula, r, error.offset, error.length, error.message);
        assert_null(program);
    }
}

static void
errors_name_the_definition(void **state)
{
    (void)state;
    struct pp_metric_def def[] = {
        {.name = "a", .formula = "b + 1", .lang = PP_METRIC_INFIX},
        {.name = "b", .formula = "c * 2", .lang = PP_METRIC_INFIX},
        {.name = "c", .formula = "3 - a", .lang = PP_METRIC_INFIX},
    };
    struct pp_metric_program *program = NULL;
    struct pp_metric_error error;
    assert_int_equal(pp_metric_compile(&scope, def, 3, 0, &program, &error), -ELOOP);
    assert_int_equal(error.def, 2);
    assert_int_equal(error.offset, 4);
    def[2].formula = "3 - zz";
    assert_int_equal(pp_metric_compile(&scope, def, 3, 0, &program, &error), -ENOENT);
    assert_int_equal(error.def, 2);
    def[2].formula = "3";
    def[2].availability = "A7";
    assert_int_equal(pp_metric_compile(&scope, def, 3, 0, &program, &error), -EINVAL);
    assert_true(error.availability);
    assert_string_equal(error.message, "an availability can only use variables");
    def[2].availability = NULL;
    def[2].name = "a";
    assert_int_equal(pp_metric_compile(&scope, def, 3, 0, &program, &error), -EINVAL);
    assert_int_equal(error.def, 2);
    assert_string_equal(error.message, "two metrics have the name 'a'");
}

static void
nesting_is_limited(void **state)
{
    (void)state;
    char formula[2048];
    memset(formula, '(', 1000);
    formula[1000] = 0;
    strcat(formula, "A7");
    const struct pp_metric_def def = {.formula = formula, .lang = PP_METRIC_INFIX};
    struct pp_metric_program *program = NULL;
    struct pp_metric_error error;
    assert_int_equal(pp_metric_compile(&scope, &def, 1, 0, &program, &error), -EINVAL);
    assert_string_equal(error.message, "this is nested more than 200 levels deep");
}

static void
variables_alone_give_a_constant(void **state)
{
    (void)state;
    enum pp_metric_type type;
    union pp_metric_number number;
    assert_int_equal(
        pp_metric_constant(&scope, PP_METRIC_RPN, "$EuCoresTotalCount 2 UMUL", &type, &number, NULL), 0);
    assert_int_equal(type, PP_METRIC_U64);
    assert_int_equal(number.u, 48);
    assert_int_equal(pp_metric_constant(&scope, PP_METRIC_INFIX, "Half / 4", &type, &number, NULL), 0);
    assert_true(type == PP_METRIC_F64 && number.f == 0.125);
    assert_int_equal(pp_metric_constant(&scope, PP_METRIC_INFIX, "Half / 0", &type, &number, NULL), -EDOM);
    assert_int_equal(pp_metric_constant(&scope, PP_METRIC_INFIX, "A7", &type, &number, NULL), -ENOENT);
}

static uint64_t
random_u64(uint64_t *seed)
{
    uint64_t x = *seed += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    x ^= x >> 31;
    return x >> (x & 63); /* of every width */
}

enum {
    ROWS = 1000, /* three blocks and a part */
};

/* Columns longer than a block, against the same arithmetic written in C. */
static void
columns_of_any_length(void **state)
{
    (void)state;
    static uint64_t a[ROWS], b[ROWS], quotient[ROWS];
    static uint8_t b_status[ROWS], status[3][ROWS];
    static double ratio[ROWS], intel[ROWS];
    uint64_t seed = 1;
    for (size_t i = 0; i < ROWS; i++) {
        a[i] = random_u64(&seed);
        b[i] = i % 7 ? random_u64(&seed) : 0;
        b_status[i] = i == 700 ? PP_LOST : PP_OK;
    }
    const struct pp_metric_def def[] = {
        {.formula = "A 0 READ A 7 READ UDIV 3 UADD", .lang = PP_METRIC_RPN},
        {.formula = "A0 / A7 * 100", .lang = PP_METRIC_INFIX},
        {.formula = "A 0 READ A 7 READ FDIV", .lang = PP_METRIC_RPN},
    };
    struct pp_metric_program *program = NULL;
    assert_int_equal(pp_metric_compile(&scope, def, 3, 0, &program, NULL), 0);
    const struct pp_metric_column column[6] = {{a, NULL}, {b, b_status}};
    const struct pp_metric_result result[3] = {{quotient, status[0]}, {ratio, status[1]}, {intel, status[2]}};
    void *workspace = workspace_of(program);
    pp_metric_eval(program, column, result, ROWS, workspace);
    for (size_t i = 0; i < ROWS; i++) {
        if (i == 700) {
            assert_int_equal(status[0][i], PP_LOST);
            assert_int_equal(status[1][i], PP_LOST);
            continue;
        }
        assert_true(quotient[i] == (b[i] ? a[i] / b[i] : 0) + 3);
        assert_int_equal(status[0][i], PP_OK);
        assert_int_equal(status[1][i], b[i] ? PP_OK : PP_DIV_BY_ZERO);
        assert_true(!b[i] || ratio[i] == (double)a[i] / (double)b[i] * 100);
        assert_true(intel[i] == (b[i] ? (double)a[i] / (double)b[i] : 0.0));
    }
    free(workspace);
    pp_metric_destroy(program);
}

/* Division by a constant is done with a multiplication: it must give what division gives, for every divisor.
 */
static void
division_by_constants_is_exact(void **state)
{
    (void)state;
    static uint64_t a[ROWS], quotient[ROWS];
    static uint8_t status[ROWS];
    uint64_t seed = 7;
    for (size_t i = 0; i < ROWS; i++)
        a[i] = i < 4 ? UINT64_MAX - i : random_u64(&seed);
    for (unsigned k = 0; k < 300; k++) {
        uint64_t divisor = k < 130    ? k
                           : k < 194  ? UINT64_C(1) << (k - 130)
                           : k == 194 ? UINT64_MAX
                                      : random_u64(&seed);
        for (size_t i = 4; i < 20; i++)
            a[i] = divisor * i - i % 3;
        char formula[64];
        snprintf(formula, sizeof(formula), "A 0 READ %" PRIu64 " UDIV", divisor);
        const struct pp_metric_def def = {.formula = formula, .lang = PP_METRIC_RPN};
        struct pp_metric_program *program = NULL;
        assert_int_equal(pp_metric_compile(&scope, &def, 1, 0, &program, NULL), 0);
        const struct pp_metric_column column[6] = {{a, NULL}};
        const struct pp_metric_result result = {quotient, status};
        void *workspace = workspace_of(program);
        pp_metric_eval(program, column, &result, ROWS, workspace);
        for (size_t i = 0; i < ROWS; i++)
            if (quotient[i] != (divisor ? a[i] / divisor : 0))
                fail_msg("%" PRIu64 " / %" PRIu64 " = %" PRIu64, a[i], divisor, quotient[i]);
        free(workspace);
        pp_metric_destroy(program);
    }
}

/* The conversion to double is done by hand; it must round as the compiler's own. */
static void
conversion_to_double_is_exact(void **state)
{
    (void)state;
    static uint64_t a[ROWS];
    static double f[ROWS];
    static uint8_t status[ROWS];
    static const uint64_t hard[] = {0,
                                    1,
                                    UINT64_MAX,
                                    UINT64_C(1) << 53,
                                    (UINT64_C(1) << 53) + 1,
                                    (UINT64_C(1) << 53) + 3,
                                    UINT64_C(0x8000000000000400),
                                    UINT64_C(0x8000000000000401),
                                    UINT64_C(0xfffffffffffffbff),
                                    UINT64_C(0xfffffffffffffc00),
                                    UINT64_C(0xffffffff),
                                    UINT64_C(0x100000000)};
    uint64_t seed = 3;
    for (size_t i = 0; i < ROWS; i++)
        a[i] = i < sizeof(hard) / sizeof(hard[0]) ? hard[i] : random_u64(&seed);
    const struct pp_metric_def def = {.formula = "$A0", .lang = PP_METRIC_RPN, .type = PP_METRIC_F64};
    struct pp_metric_program *program = NULL;
    assert_int_equal(pp_metric_compile(&scope, &def, 1, 0, &program, NULL), 0);
    const struct pp_metric_column column[6] = {{a, NULL}};
    const struct pp_metric_result result = {f, status};
    void *workspace = workspace_of(program);
    pp_metric_eval(program, column, &result, ROWS, workspace);
    for (size_t i = 0; i < ROWS; i++)
        assert_true(f[i] == (double)a[i]);
    free(workspace);
    pp_metric_destroy(program);
}

/* Parts that several metrics share are computed once. */
static void
common_parts_are_shared(void **state)
{
    (void)state;
    const struct pp_metric_def def[] = {
        {.formula = "A 0 READ $EuCoresTotalCount UDIV 100 UMUL GPU_CLOCK 0 READ FDIV", .lang = PP_METRIC_RPN},
        {.formula = "A 7 READ $EuCoresTotalCount UDIV 100 UMUL GPU_CLOCK 0 READ FDIV", .lang = PP_METRIC_RPN},
        {.formula = "A 0 READ 24 UDIV 100 UMUL GPU_CLOCK 0 READ FDIV", .lang = PP_METRIC_RPN},
    };
    struct pp_metric_program *program = NULL;
    assert_int_equal(pp_metric_compile(&scope, def, 3, 0, &program, NULL), 0);
    /* One conversion of the clock; twice divide, multiply, convert, divide; one copy. */
    assert_int_equal(program->insns, 1 + 2 * 4 + 1);
    pp_metric_destroy(program);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rpn_computes_integers_modulo_2_64),
        cmocka_unit_test(computes_doubles),
        cmocka_unit_test(mixed_operands_follow_intels_generators),
        cmocka_unit_test(naming_a_count_keeps_it_exact),
        cmocka_unit_test(division_by_zero_is_no_value_in_infix),
        cmocka_unit_test(leaving_the_range_of_a_double_is_no_value),
        cmocka_unit_test(status_is_propagated),
        cmocka_unit_test(metrics_refer_to_each_other_in_any_order),
        cmocka_unit_test(availability_hides_a_metric_but_not_from_others),
        cmocka_unit_test(an_absent_column_leaves_no_value),
        cmocka_unit_test(errors_name_their_place),
        cmocka_unit_test(errors_name_the_definition),
        cmocka_unit_test(nesting_is_limited),
        cmocka_unit_test(variables_alone_give_a_constant),
        cmocka_unit_test(columns_of_any_length),
        cmocka_unit_test(division_by_constants_is_exact),
        cmocka_unit_test(conversion_to_double_is_exact),
        cmocka_unit_test(common_parts_are_shared),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
