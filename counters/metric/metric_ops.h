/** @file
 * Inside of metric.h: the arithmetic operations of a formula, for one row. The constant folder and the column
 * loops share these functions. The loops are inlined functions that take them as arguments: the compiler
 * makes one tight loop of each. */
#ifndef PP_COUNTERS_METRIC_METRIC_OPS_H
#define PP_COUNTERS_METRIC_METRIC_OPS_H

#include <math.h>
#include <stdint.h>
#include <string.h>

/** Operations of a program. U: uint64_t modulo 2^64; F: double. */
enum pp_metric_op {
    PP_OP_INPUT,   /* imm.u = index of the input */
    PP_OP_CONST,   /* imm */
    PP_OP_MISSING, /* an input that the scope lacks: no row has a value */
    PP_OP_COPY,    /* copy of a, either type: an output that only names a value */
    PP_OP_U2F,     /* nearest double */
    PP_OP_F2U,     /* towards zero; below 0 and NaN: 0; from 2^64: 2^64 - 1 */
    PP_OP_FLOOR,
    /* uint64_t, uint64_t -> uint64_t */
    PP_OP_UADD,
    PP_OP_USUB,
    PP_OP_UMUL,
    PP_OP_UDIV, /* x / 0 = 0, as Intel specifies */
    PP_OP_UMIN,
    PP_OP_UMAX,
    PP_OP_AND,
    PP_OP_OR,
    PP_OP_XOR,
    PP_OP_SHL, /* by 64 and more: 0 */
    PP_OP_SHR,
    PP_OP_ULT, /* 1 or 0 */
    PP_OP_ULTE,
    PP_OP_LAND, /* && of truth values, 1 or 0 */
    PP_OP_LOR,
    /* double, double -> double */
    PP_OP_FADD,
    PP_OP_FSUB,
    PP_OP_FMUL,
    PP_OP_FDIV0, /* x / 0 = 0, as Intel specifies */
    PP_OP_FDIVN, /* x / 0 = no value: the row is marked PP_DIV_BY_ZERO */
    PP_OP_FMIN,
    PP_OP_FMAX,
    PP_OP_COUNT
};

#define PP_OP_FIRST_U PP_OP_UADD
#define PP_OP_FIRST_F PP_OP_FADD

static inline uint64_t
pp_op_uadd(uint64_t a, uint64_t b)
{
    return a + b;
}

static inline uint64_t
pp_op_usub(uint64_t a, uint64_t b)
{
    return a - b;
}

static inline uint64_t
pp_op_umul(uint64_t a, uint64_t b)
{
    return a * b;
}

static inline uint64_t
pp_op_udiv(uint64_t a, uint64_t b)
{
    return b ? a / b : 0;
}

static inline uint64_t
pp_op_umin(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static inline uint64_t
pp_op_umax(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static inline uint64_t
pp_op_and(uint64_t a, uint64_t b)
{
    return a & b;
}

static inline uint64_t
pp_op_or(uint64_t a, uint64_t b)
{
    return a | b;
}

static inline uint64_t
pp_op_xor(uint64_t a, uint64_t b)
{
    return a ^ b;
}

static inline uint64_t
pp_op_shl(uint64_t a, uint64_t b)
{
    return b < 64 ? a << (b & 63) : 0;
}

static inline uint64_t
pp_op_shr(uint64_t a, uint64_t b)
{
    return b < 64 ? a >> (b & 63) : 0;
}

static inline uint64_t
pp_op_ult(uint64_t a, uint64_t b)
{
    return a < b;
}

static inline uint64_t
pp_op_ulte(uint64_t a, uint64_t b)
{
    return a <= b;
}

static inline uint64_t
pp_op_land(uint64_t a, uint64_t b)
{
    return a && b;
}

static inline uint64_t
pp_op_lor(uint64_t a, uint64_t b)
{
    return a || b;
}

static inline double
pp_op_fadd(double a, double b)
{
    return a + b;
}

static inline double
pp_op_fsub(double a, double b)
{
    return a - b;
}

static inline double
pp_op_fmul(double a, double b)
{
    return a * b;
}

/* a / b, or 0. Divides by 1 where b is zero, so that a vector of divisions needs no branch. */
static inline double
pp_op_fdiv0(double a, double b)
{
    double quotient = a / (b == 0.0 ? 1.0 : b);
    return b == 0.0 ? 0.0 : quotient;
}

static inline double
pp_op_fmin(double a, double b)
{
    return a < b ? a : b;
}

static inline double
pp_op_fmax(double a, double b)
{
    return a > b ? a : b;
}

/** Nearest double of any uint64_t, without the branch that compilers make for the topmost bit. Both halves
 * are put into the mantissas of 2^84 and 2^52; only the last addition rounds. */
static inline double
pp_op_u2f(uint64_t a)
{
    uint64_t low_bits = (a & UINT64_C(0xffffffff)) | UINT64_C(0x4330000000000000);
    uint64_t high_bits = (a >> 32) | UINT64_C(0x4530000000000000);
    double low, high;
    memcpy(&low, &low_bits, sizeof(low));
    memcpy(&high, &high_bits, sizeof(high));
    return (high - 0x1.00000001p84) + low;
}

static inline uint64_t
pp_op_f2u(double a)
{
    if (!(a >= 1.0))
        return 0;
    return a < 0x1p64 ? (uint64_t)a : UINT64_MAX;
}

static inline double
pp_op_floor(double a)
{
    /* Not floor(): the layer has this code, and needs the C library only. Doubles beyond 2^52 have no
     * fraction. */
    if (!(a > -0x1p52 && a < 0x1p52))
        return a;
    double whole = (double)(int64_t)a;
    return __builtin_copysign(whole > a ? whole - 1 : whole, a);
}

#endif
