/** @file
 * Compiling formulas to a program, questions about a program, and the contents of a program, which only
 * metric_compile.c makes and only metric_eval.c runs. See also metric.h. */
#ifndef PP_COUNTERS_METRIC_METRIC_COMPILE_H
#define PP_COUNTERS_METRIC_METRIC_COMPILE_H

#include "counters/metric/metric.h"
#include "counters/metric/metric_graph.h"

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

/**
 * Compile metrics to one program. Common parts of formulas are computed once; constants are folded.
 *
 * Ownership: *ret_program is the caller's, for pp_metric_destroy(); every argument is borrowed for the call
 * only. Threads: any. Allocates.
 *
 * @param scope       Inputs and variables.
 * @param def         The metrics, in any order; they may refer to each other, not in a circle.
 * @param defs        How many.
 * @param flags       PP_METRIC_MISSING_*, or 0.
 * @param ret_program Set on success.
 * @param error       Filled on -EINVAL, -ENOENT, -ELOOP; may be NULL.
 * @retval 0       Compiled.
 * @retval -EINVAL A formula breaks the grammar, or two metrics have one name.
 * @retval -ENOENT A name is unknown.
 * @retval -ELOOP  Metrics refer to each other in a circle.
 * @retval -E2BIG  More operations than a program may have (65535).
 * @retval -ENOMEM No memory.
 */
__attribute__((warn_unused_result)) int
pp_metric_compile(const struct pp_metric_scope *scope, const struct pp_metric_def *def, size_t defs,
                  unsigned flags, struct pp_metric_program **ret_program, struct pp_metric_error *error);

/**
 * Evaluate a formula of variables only: an availability, a maximum without counters.
 *
 * @param scope    Variables; inputs are not used.
 * @param lang     The formula's language.
 * @param formula  The text.
 * @param ret_type PP_METRIC_U64 or PP_METRIC_F64.
 * @param ret      The number.
 * @param error    As for pp_metric_compile(), with def = 0; may be NULL.
 * @retval 0       Evaluated.
 * @retval -EDOM   The formula divides by zero, or leaves the range of a double.
 * @return Else as pp_metric_compile().
 */
__attribute__((warn_unused_result)) int
pp_metric_constant(const struct pp_metric_scope *scope, enum pp_metric_lang lang, const char *formula,
                   enum pp_metric_type *ret_type, union pp_metric_number *ret, struct pp_metric_error *error);

/** Free a program; NULL is fine. */
void pp_metric_destroy(struct pp_metric_program *program);

/** Number of output columns: the definitions that are not hidden, in their order. */
size_t pp_metric_outputs(const struct pp_metric_program *program);

/** Type of output column @p output: PP_METRIC_U64 or PP_METRIC_F64. */
enum pp_metric_type pp_metric_output_type(const struct pp_metric_program *program, size_t output);

/** Does output @p output depend on input @p input, directly or through other metrics? A part of a formula
 * that was folded away (0 times a counter) does not count. */
bool pp_metric_output_reads(const struct pp_metric_program *program, size_t output, size_t input);

/** One output of the program. */
struct pp_emit_output {
    uint32_t node;  /**< its result in the graph */
    bool available; /**< false: all its rows are PP_UNSUPPORTED */
    bool infix;     /**< the formula's language is PP_METRIC_INFIX: results must be finite */
};

/**
 * Make a program of a graph.
 *
 * @param inputs Number of inputs of the scope.
 * @retval 0       *ret is the caller's, for pp_metric_destroy().
 * @retval -ENOMEM No memory.
 */
__attribute__((warn_unused_result)) int pp_metric_emit(const struct pp_graph *graph, size_t inputs,
                                                       const struct pp_emit_output *output, size_t outputs,
                                                       struct pp_metric_program **ret);

#endif
