/** @file
 * See metric_eval.h. Evaluates a program over columns, one operation over a block of rows at a time, so that
 * the cost of interpreting is shared by the rows and the loops vectorise. The scalar functions of
 * metric_ops.h are arguments of always-inlined loops: the compiler makes one loop per operation and operand
 * mode, without a macro. */
#include "counters/metric/metric_eval.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "counters/metric/metric_compile.h"

/* Set an output's statuses: the worst status of its inputs; PP_UNSUPPORTED where it is not available. */
static void
propagate(const struct pp_metric_program *program, const struct pp_metric_block *k,
          const struct pp_output *output, const struct pp_metric_column *column, size_t row,
          uint8_t *restrict status)
{
    bool absent = !output->available || output->missing;
    for (uint32_t d = 0; d < output->inputs && !absent; d++)
        absent = k->state[program->depends[output->first_input + d]] == PP_METRIC_INPUT_ABSENT;
    memset(status, absent ? PP_UNSUPPORTED : PP_OK, k->rows);
    for (uint32_t d = 0; d < output->inputs && !absent; d++) {
        uint32_t input = program->depends[output->first_input + d];
        if (k->state[input] == PP_METRIC_INPUT_CLEAN)
            continue;
        const uint8_t *in = column[input].status + row;
        for (size_t i = 0; i < k->rows; i++)
            status[i] = status[i] > in[i] ? status[i] : in[i];
    }
}

/* Mark the rows in which a division of the output had a zero divisor. The first such division of a row
 * decides between 0/0 and x/0. */
static void
mark_divisions(const struct pp_metric_program *program, const struct pp_metric_block *k,
               const struct pp_output *output, void *value, uint8_t *status)
{
    static const double no_value[] = {[PP_METRIC_ZERO_BY_ZERO] = NAN,
                                      [PP_METRIC_PLUS_BY_ZERO] = INFINITY,
                                      [PP_METRIC_MINUS_BY_ZERO] = -INFINITY};
    for (uint32_t d = 0; d < output->divides; d++) {
        uint32_t number = program->divide[output->first_divide + d];
        const uint8_t *flag = k->flag + (size_t)number * PP_METRIC_BLOCK;
        for (size_t i = 0; i < k->rows && k->zero[number]; i++) {
            if (flag[i] == PP_METRIC_ZERO_NONE || status[i] >= PP_DIV_BY_ZERO)
                continue;
            status[i] = PP_DIV_BY_ZERO;
            if (output->type == PP_METRIC_F64)
                ((double *)value)[i] = no_value[flag[i]];
        }
    }
}

static void
mark_overflow(const struct pp_metric_block *k, const double *value, uint8_t *status)
{
    for (size_t i = 0; i < k->rows; i++)
        if (!(fabs(value[i]) <= DBL_MAX) && pp_status_has_value(status[i]))
            status[i] = PP_REJECTED;
}

static void
finish_output(const struct pp_metric_program *program, const struct pp_metric_block *k, uint32_t o,
              const struct pp_metric_column *column, const struct pp_metric_result *result, size_t row)
{
    const struct pp_output *output = &program->output[o];
    void *value = k->slot[program->inputs + o];
    uint8_t *status = result[o].status + row;
    propagate(program, k, output, column, row, status);
    mark_divisions(program, k, output, value, status);
    if (output->check_finite)
        mark_overflow(k, value, status);
}

static uint8_t
state_of(const struct pp_metric_column *column, size_t row, size_t rows)
{
    if (!column->value)
        return PP_METRIC_INPUT_ABSENT;
    if (!column->status)
        return PP_METRIC_INPUT_CLEAN;
    uint8_t any = 0;
    for (size_t i = 0; i < rows; i++)
        any |= column->status[row + i];
    return any ? PP_METRIC_INPUT_MARKED : PP_METRIC_INPUT_CLEAN;
}

/* Get an input column as a slot. The cast removes const: inputs are only read, but share the table of slots
 * with outputs. */
static void *
input_slot(const struct pp_metric_column *column, size_t row)
{
    union {
        const void *in;
        void *slot;
    } u = {.in = (const uint64_t *)column->value + row};
    return u.slot;
}

static void
begin_block(const struct pp_metric_program *program, struct pp_metric_block *k,
            const struct pp_metric_column *column, const struct pp_metric_result *result, size_t row)
{
    for (uint32_t i = 0; i < program->inputs; i++) {
        k->state[i] = state_of(&column[i], row, k->rows);
        k->slot[i] = k->state[i] == PP_METRIC_INPUT_ABSENT ? k->zeros : input_slot(&column[i], row);
    }
    for (uint32_t o = 0; o < program->outputs; o++)
        k->slot[program->inputs + o] = (uint64_t *)result[o].value + row;
}

static size_t
round_up(size_t bytes)
{
    return (bytes + 63) / 64 * 64;
}

static size_t
slots_of(const struct pp_metric_program *program)
{
    return (size_t)program->inputs + program->outputs + 1 + program->temporaries;
}

/* Offsets of the parts of a workspace, which begins with the slots. */
struct areas {
    size_t state, zero, flag, zeros, end;
};

enum {
    COLUMN_BYTES = PP_METRIC_BLOCK * sizeof(uint64_t),
};

static struct areas
areas_of(const struct pp_metric_program *program)
{
    struct areas a;
    a.state = round_up(slots_of(program) * sizeof(void *));
    a.zero = a.state + round_up(program->inputs);
    a.flag = a.zero + round_up(program->divides_total);
    a.zeros = a.flag + (size_t)program->divides_total * PP_METRIC_BLOCK;
    a.end = a.zeros + (1 + (size_t)program->temporaries) * COLUMN_BYTES;
    return a;
}

static struct pp_metric_block
carve(const struct pp_metric_program *program, uint8_t *workspace)
{
    struct areas a = areas_of(program);
    struct pp_metric_block k = {
        .slot = (void **)(void *)workspace,
        .state = workspace + a.state,
        .zero = workspace + a.zero,
        .flag = workspace + a.flag,
        .zeros = (uint64_t *)(void *)(workspace + a.zeros),
    };
    memset(k.zeros, 0, COLUMN_BYTES);
    for (size_t i = 0; i <= program->temporaries; i++)
        k.slot[slots_of(program) - program->temporaries - 1 + i] = workspace + a.zeros + i * COLUMN_BYTES;
    return k;
}

size_t
pp_metric_workspace_bytes(const struct pp_metric_program *program)
{
    return areas_of(program).end;
}

void
pp_metric_eval(const struct pp_metric_program *program, const struct pp_metric_column *column,
               const struct pp_metric_result *result, size_t rows, void *workspace)
{
    struct pp_metric_block k = carve(program, workspace);
    for (size_t row = 0; row < rows; row += PP_METRIC_BLOCK) {
        k.rows = rows - row < PP_METRIC_BLOCK ? rows - row : PP_METRIC_BLOCK;
        begin_block(program, &k, column, result, row);
        for (uint32_t i = 0; i < program->insns; i++)
            pp_metric_run(&k, &program->insn[i], program->magic);
        for (uint32_t o = 0; o < program->outputs; o++)
            finish_output(program, &k, o, column, result, row);
    }
}

#define ALWAYS_INLINE static inline __attribute__((always_inline))

ALWAYS_INLINE void
apply_u64(const struct pp_metric_block *k, const struct pp_insn *insn, uint64_t (*op)(uint64_t, uint64_t))
{
    uint64_t *restrict dst = k->slot[insn->dst];
    size_t n = k->rows;
    uint64_t c = insn->constant.u;
    if (insn->mode == PP_INSN_VV) {
        const uint64_t *a = k->slot[insn->a], *b = k->slot[insn->b];
        for (size_t i = 0; i < n; i++)
            dst[i] = op(a[i], b[i]);
    } else if (insn->mode == PP_INSN_VC) {
        const uint64_t *a = k->slot[insn->a];
        for (size_t i = 0; i < n; i++)
            dst[i] = op(a[i], c);
    } else {
        const uint64_t *b = k->slot[insn->b];
        for (size_t i = 0; i < n; i++)
            dst[i] = op(c, b[i]);
    }
}

ALWAYS_INLINE void
apply_f64(const struct pp_metric_block *k, const struct pp_insn *insn, double (*op)(double, double))
{
    double *restrict dst = k->slot[insn->dst];
    size_t n = k->rows;
    double c = insn->constant.f;
    if (insn->mode == PP_INSN_VV) {
        const double *a = k->slot[insn->a], *b = k->slot[insn->b];
        for (size_t i = 0; i < n; i++)
            dst[i] = op(a[i], b[i]);
    } else if (insn->mode == PP_INSN_VC) {
        const double *a = k->slot[insn->a];
        for (size_t i = 0; i < n; i++)
            dst[i] = op(a[i], c);
    } else {
        const double *b = k->slot[insn->b];
        for (size_t i = 0; i < n; i++)
            dst[i] = op(c, b[i]);
    }
}

static void
run_u2f(const struct pp_metric_block *k, const struct pp_insn *insn)
{
    double *restrict dst = k->slot[insn->dst];
    const uint64_t *a = k->slot[insn->a];
    for (size_t i = 0; i < k->rows; i++)
        dst[i] = pp_op_u2f(a[i]);
}

static void
run_f2u(const struct pp_metric_block *k, const struct pp_insn *insn)
{
    uint64_t *restrict dst = k->slot[insn->dst];
    const double *a = k->slot[insn->a];
    for (size_t i = 0; i < k->rows; i++)
        dst[i] = pp_op_f2u(a[i]);
}

static void
run_floor(const struct pp_metric_block *k, const struct pp_insn *insn)
{
    double *restrict dst = k->slot[insn->dst];
    const double *a = k->slot[insn->a];
    for (size_t i = 0; i < k->rows; i++)
        dst[i] = pp_op_floor(a[i]);
}

#ifdef __AVX2__
/** floor(a / divisor) for a and divisor below 2^52, by the division of doubles, which vectorises. The double
 * nearest to the quotient is never the next integer above: that integer is at least 1 / divisor away, which
 * is more than the rounding error. Doubles and integers are converted in the mantissa of 2^52. */
ALWAYS_INLINE uint64_t
divide_small(uint64_t a, double divisor)
{
    const uint64_t exponent = UINT64_C(0x4330000000000000);
    uint64_t bits = a | exponent;
    double number;
    memcpy(&number, &bits, sizeof(number));
    double quotient = (number - 0x1p52) / divisor;
    double rounded = quotient + 0x1p52; /* to the nearest integer */
    memcpy(&bits, &rounded, sizeof(bits));
    return (bits ^ exponent) - (rounded - 0x1p52 > quotient);
}

/** Divide a block by divide_small(). @return False: a number is too large, nothing was done. */
static bool
run_udiv_small(const struct pp_metric_block *k, const struct pp_insn *insn)
{
    uint64_t *restrict dst = k->slot[insn->dst];
    const uint64_t *a = k->slot[insn->a];
    uint64_t all = insn->constant.u;
    double divisor = (double)insn->constant.u;
    for (size_t i = 0; i < k->rows; i++)
        all |= a[i];
    if (all >> 52)
        return false;
    for (size_t i = 0; i < k->rows; i++)
        dst[i] = divide_small(a[i], divisor);
    return true;
}
#else
/* With vectors of two doubles, division is no faster than run_udiv_constant(). */
static bool
run_udiv_small(const struct pp_metric_block *k, const struct pp_insn *insn)
{
    (void)k;
    (void)insn;
    return false;
}
#endif

/* Divide by a constant with one multiplication. Exact for every numerator. Source: Granlund and Montgomery,
 * "Division by Invariant Integers using Multiplication", 1994, figure 4.1. */
static void
run_udiv_constant(const struct pp_metric_block *k, const struct pp_insn *insn, const struct pp_magic *magic)
{
#ifdef __SIZEOF_INT128__
    __extension__ typedef unsigned __int128 wide;
    uint64_t *restrict dst = k->slot[insn->dst];
    const uint64_t *a = k->slot[insn->a];
    struct pp_magic m = *magic;
    if (run_udiv_small(k, insn))
        return;
    for (size_t i = 0; i < k->rows; i++) {
        uint64_t t = (uint64_t)((wide)m.magic * a[i] >> 64);
        dst[i] = (t + ((a[i] - t) >> m.shift1)) >> m.shift2;
    }
#else
    (void)magic;
    if (!run_udiv_small(k, insn))
        apply_u64(k, insn, pp_op_udiv);
#endif
}

static void
flag_row(const struct pp_metric_block *k, const struct pp_insn *insn, size_t row, uint8_t *flag)
{
    double over = insn->mode == PP_INSN_CV ? insn->constant.f : ((const double *)k->slot[insn->a])[row];
    double under = insn->mode == PP_INSN_VC ? insn->constant.f : ((const double *)k->slot[insn->b])[row];
    if (under != 0.0)
        *flag = PP_METRIC_ZERO_NONE;
    else if (over == 0.0 || isnan(over))
        *flag = PP_METRIC_ZERO_BY_ZERO;
    else
        *flag = over > 0.0 ? PP_METRIC_PLUS_BY_ZERO : PP_METRIC_MINUS_BY_ZERO;
}

/* Division without a value at 0. Rows with a zero divisor are rare: the fast loop only counts them. */
static void
run_fdivn(const struct pp_metric_block *k, const struct pp_insn *insn)
{
    uint64_t zeros = 0;
    apply_f64(k, insn, pp_op_fdiv0);
    if (insn->mode == PP_INSN_VC) {
        zeros = insn->constant.f == 0.0;
    } else {
        const double *b = k->slot[insn->b];
        for (size_t i = 0; i < k->rows; i++)
            zeros |= b[i] == 0.0;
    }
    k->zero[insn->extra] = zeros != 0;
    if (!zeros)
        return;
    uint8_t *flag = k->flag + (size_t)insn->extra * PP_METRIC_BLOCK;
    for (size_t i = 0; i < k->rows; i++)
        flag_row(k, insn, i, &flag[i]);
}

/* Multiply by a power of two: a shift vectorises everywhere, a multiplication of 64 bits does not. */
static void
run_umul_power(const struct pp_metric_block *k, const struct pp_insn *insn)
{
    uint64_t *restrict dst = k->slot[insn->dst];
    const uint64_t *a = k->slot[insn->a];
    unsigned shift = 0;
    while (insn->constant.u >> shift != 1)
        shift++;
    for (size_t i = 0; i < k->rows; i++)
        dst[i] = a[i] << shift;
}

static void
run_fill(const struct pp_metric_block *k, const struct pp_insn *insn)
{
    unsigned char *dst = k->slot[insn->dst]; /* either type */
    for (size_t i = 0; i < k->rows; i++)
        memcpy(dst + i * sizeof(insn->constant), &insn->constant, sizeof(insn->constant));
}

static void
run_u64(const struct pp_metric_block *k, const struct pp_insn *insn, const struct pp_magic *magic)
{
    switch (insn->op) {
    case PP_OP_UADD:
        apply_u64(k, insn, pp_op_uadd);
        break;
    case PP_OP_USUB:
        apply_u64(k, insn, pp_op_usub);
        break;
    case PP_OP_UMUL:
        if (insn->mode == PP_INSN_VC && insn->constant.u && !(insn->constant.u & (insn->constant.u - 1)))
            run_umul_power(k, insn);
        else
            apply_u64(k, insn, pp_op_umul);
        break;
    case PP_OP_UDIV:
        if (insn->mode == PP_INSN_VC && insn->constant.u)
            run_udiv_constant(k, insn, &magic[insn->extra]);
        else
            apply_u64(k, insn, pp_op_udiv);
        break;
    case PP_OP_UMIN:
        apply_u64(k, insn, pp_op_umin);
        break;
    case PP_OP_UMAX:
        apply_u64(k, insn, pp_op_umax);
        break;
    case PP_OP_AND:
        apply_u64(k, insn, pp_op_and);
        break;
    case PP_OP_OR:
        apply_u64(k, insn, pp_op_or);
        break;
    case PP_OP_XOR:
        apply_u64(k, insn, pp_op_xor);
        break;
    case PP_OP_SHL:
        apply_u64(k, insn, pp_op_shl);
        break;
    case PP_OP_SHR:
        apply_u64(k, insn, pp_op_shr);
        break;
    case PP_OP_ULT:
        apply_u64(k, insn, pp_op_ult);
        break;
    case PP_OP_ULTE:
        apply_u64(k, insn, pp_op_ulte);
        break;
    case PP_OP_LAND:
        apply_u64(k, insn, pp_op_land);
        break;
    default:
        apply_u64(k, insn, pp_op_lor);
        break;
    }
}

static void
run_f64(const struct pp_metric_block *k, const struct pp_insn *insn)
{
    switch (insn->op) {
    case PP_OP_FADD:
        apply_f64(k, insn, pp_op_fadd);
        break;
    case PP_OP_FSUB:
        apply_f64(k, insn, pp_op_fsub);
        break;
    case PP_OP_FMUL:
        apply_f64(k, insn, pp_op_fmul);
        break;
    case PP_OP_FDIV0:
        apply_f64(k, insn, pp_op_fdiv0);
        break;
    case PP_OP_FDIVN:
        run_fdivn(k, insn);
        break;
    case PP_OP_FMIN:
        apply_f64(k, insn, pp_op_fmin);
        break;
    default:
        apply_f64(k, insn, pp_op_fmax);
        break;
    }
}

void
pp_metric_run(const struct pp_metric_block *k, const struct pp_insn *insn, const struct pp_magic *magic)
{
    if (insn->op >= PP_OP_FIRST_F)
        run_f64(k, insn);
    else if (insn->op >= PP_OP_FIRST_U)
        run_u64(k, insn, magic);
    else if (insn->op == PP_OP_U2F)
        run_u2f(k, insn);
    else if (insn->op == PP_OP_F2U)
        run_f2u(k, insn);
    else if (insn->op == PP_OP_FLOOR)
        run_floor(k, insn);
    else if (insn->op == PP_OP_CONST)
        run_fill(k, insn);
    else
        memcpy(k->slot[insn->dst], k->slot[insn->a], k->rows * sizeof(uint64_t));
}
