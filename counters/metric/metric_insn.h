/** @file
 * Inside of metric.h: the contents of a compiled program. metric_compile.c makes a program from a graph,
 * metric_eval.c runs it. */
#ifndef PP_COUNTERS_METRIC_METRIC_INSN_H
#define PP_COUNTERS_METRIC_METRIC_INSN_H

#include "counters/metric/metric_graph.h"
#include "counters/metric/metric_types.h"

/** Rows evaluated at a time: a column of them is 2 KiB, so a dozen stay in the first-level cache. */
#define PP_METRIC_BLOCK 256

/** The operands of an operation: slots, which hold columns, or the constant. */
enum pp_insn_mode {
    PP_INSN_VV, /**< a and b are slots */
    PP_INSN_VC, /**< a is a slot, b the constant */
    PP_INSN_CV, /**< a is the constant, b a slot */
    PP_INSN_V,  /**< a is a slot, there is no b */
    PP_INSN_C,  /**< fill with the constant */
};

/** Division of uint64_t by a constant: q = (t + ((n - t) >> shift1)) >> shift2, t = high half of magic * n.
 */
struct pp_magic {
    uint64_t magic;
    uint8_t shift1, shift2;
};

/** One operation on a block of rows. Slots: inputs, then outputs, then zeros, then temporaries. */
struct pp_insn {
    uint8_t op;     /**< enum pp_metric_op */
    uint8_t mode;   /**< enum pp_insn_mode */
    uint32_t a, b;  /**< operand slots */
    uint32_t dst;   /**< slot of the result; never that of an operand */
    uint32_t extra; /**< FDIVN: its number; UDIV by a constant: index into magic[] */
    union pp_metric_number constant;
};

/** One output column. */
struct pp_output {
    uint8_t type; /**< enum pp_metric_type */
    bool available;
    bool missing;                   /**< depends on an input that the scope lacks */
    bool check_finite;              /**< a formula in double that may overflow */
    uint32_t first_input, inputs;   /**< part of depends[]: the inputs that the output is computed from */
    uint32_t first_divide, divides; /**< part of divide[]: its FDIVN in the order of evaluation */
};

/** A compiled program. */
struct pp_metric_program {
    struct pp_insn *insn;
    uint32_t insns;
    struct pp_output *output;
    uint32_t outputs;
    uint32_t inputs; /**< of the scope */
    uint32_t temporaries;
    uint32_t divides_total; /**< FDIVN in the program */
    uint32_t *depends;
    uint32_t *divide;
    struct pp_magic *magic;
    uint32_t magics;
};

#endif
