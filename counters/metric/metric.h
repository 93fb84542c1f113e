/** @file
 * Room: from counts to metrics. Intel's reverse Polish, Arm's infix and users' own formulas compile to one
 * program of typed column operations, which is then evaluated a block of rows at a time. The language, its
 * operators and its rules about zero and missing values: docs/metric-language.md. Knows no graphics API, no
 * file, no thread. Next rooms: metrics_file.h (users' formulas), mali.h, the generated tables of Intel. */
#ifndef PP_COUNTERS_METRIC_METRIC_H
#define PP_COUNTERS_METRIC_METRIC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "counters/snapshot/value.h"

/** How a formula is written. */
enum pp_metric_lang {
    PP_METRIC_RPN,   /**< Intel's: "A 7 READ $EuCoresTotalCount UDIV 100 UMUL $GpuCoreClocks FDIV" */
    PP_METRIC_INFIX, /**< Arm's and users': "max(min($Busy / $Cycles * 100, 100), 0)" */
};

/** What a column holds; one cell is eight bytes either way. */
enum pp_metric_type {
    PP_METRIC_AUTO = 0, /**< in a definition: whatever the formula gives */
    PP_METRIC_U64,      /**< uint64_t */
    PP_METRIC_F64,      /**< double */
};

/** One number of either type. */
union pp_metric_number {
    uint64_t u;
    double f;
};

/** A column of counts that formulas may read. */
struct pp_metric_input {
    const char
        *name;    /**< "A7", "GPU_TIME", "MaliGPUCyclesGPUActive", "pipeline:vs_invocations"; borrowed during
                       compilation. `K n READ` finds the input named K followed by n, or, for n = 0, K */
    uint8_t type; /**< PP_METRIC_U64 or PP_METRIC_F64 */
};

/** A constant of the machine ($EuCoresTotalCount, $MaliConstantsL2SliceCount), folded during compilation. */
struct pp_metric_variable {
    const char *name; /**< without the $; borrowed during compilation */
    uint8_t type;     /**< PP_METRIC_U64 or PP_METRIC_F64 */
    union pp_metric_number value;
};

/** The names a formula may use, beside other metrics of the same compilation. A name is looked up among the
 * metrics first, then the variables, then the inputs. */
struct pp_metric_scope {
    const struct pp_metric_input *input; /**< in the order of pp_metric_eval()'s columns */
    size_t inputs;
    const struct pp_metric_variable *variable;
    size_t variables;
};

/** One metric to compile. All strings are borrowed, and only during compilation. */
struct pp_metric_def {
    const char *name;    /**< by which other formulas refer to it; NULL: none can */
    const char *formula; /**< NUL-terminated */
    const char
        *availability; /**< NULL: always. Else a formula in the same language over variables only: where it is
                            zero the metric's own status is PP_UNSUPPORTED; others may still use it */
    const char *self;  /**< name of the metric that $Self means (in a maximum); NULL: $Self is unknown */
    uint8_t lang;      /**< enum pp_metric_lang */
    uint8_t type;      /**< enum pp_metric_type of the result; a conversion is added where needed */
    bool hidden;       /**< only for use by others: no output column */
    bool strict;       /**< PP_METRIC_MISSING_OK means PP_METRIC_MISSING_SOURCES for this one: a user's beside
                          Intel's */
};

/** Flags of pp_metric_compile(). */
enum {
    /** A READ or name that the scope lacks is not an error: it is an input without values, so what depends on
     * it is PP_UNSUPPORTED. For Intel's sets on reports that lack a counter kind. */
    PP_METRIC_MISSING_OK = 1,
    /** The same, but only for names `source:counter` whose source the scope does not know at all: what a
     * driver offers is known late, and a typing error in any other name is still found. */
    PP_METRIC_MISSING_SOURCES = 2,
};

/** What is wrong with a formula. */
struct pp_metric_error {
    size_t def;        /**< index of the offending definition */
    bool availability; /**< the offending text is def's availability, not its formula */
    uint32_t offset;   /**< first offending byte of the text */
    uint32_t length;   /**< bytes to underline; 0 at the end of the text */
    char message[200]; /**< one line without a full stop: "unknown name '$Foo'; did you mean '$Fob'?" */
};

/** Compiled metrics: immutable, may be shared between threads. */
struct pp_metric_program;

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

/** Free a program; NULL is fine. */
void pp_metric_destroy(struct pp_metric_program *program);

/** Number of output columns: the definitions that are not hidden, in their order. */
size_t pp_metric_outputs(const struct pp_metric_program *program);

/** Type of output column @p output: PP_METRIC_U64 or PP_METRIC_F64. */
enum pp_metric_type pp_metric_output_type(const struct pp_metric_program *program, size_t output);

/** Does output @p output depend on input @p input, directly or through other metrics? What was folded away
 * (0 of an unused branch) does not count. */
bool pp_metric_output_reads(const struct pp_metric_program *program, size_t output, size_t input);

/** Bytes of scratch memory pp_metric_eval() needs, 64-byte aligned; one per thread. */
size_t pp_metric_workspace_bytes(const struct pp_metric_program *program);

/** An input column. `value` NULL: the counter was not measured, all rows are PP_UNSUPPORTED. */
struct pp_metric_column {
    const void *value;     /**< uint64_t or double, as the input was declared; one a row */
    const uint8_t *status; /**< enum pp_status, one a row; NULL: all PP_OK. Where there is no value, value[]
                              may be anything */
};

/** An output column, filled by pp_metric_eval(). */
struct pp_metric_result {
    void *value; /**< uint64_t or double, as pp_metric_output_type() says. Where the status has no value it is
                      meaningless, except for PP_DIV_BY_ZERO in a double column: NaN for 0/0, infinite for x/0
                  */
    uint8_t *status; /**< enum pp_status */
};

/**
 * Evaluate all metrics of a program over columns.
 *
 * The status of a metric is the worst of the inputs its formula uses; PP_DIV_BY_ZERO where the formula
 * divides by zero (Arm's and users' `/`; Intel's own UDIV and FDIV give 0 instead, as Intel specifies);
 * PP_REJECTED where an infix formula leaves the range of a double.
 *
 * Ownership: borrows all, keeps nothing. Outputs must not overlap inputs. Threads: any; one @p workspace
 * each. Hot: allocates, locks, logs nothing.
 *
 * @param program   What to evaluate.
 * @param column    One per input of the scope the program was compiled with.
 * @param result    One per output.
 * @param rows      Rows of all columns; any number.
 * @param workspace pp_metric_workspace_bytes(), 64-byte aligned; contents do not matter.
 */
void pp_metric_eval(const struct pp_metric_program *program, const struct pp_metric_column *column,
                    const struct pp_metric_result *result, size_t rows, void *workspace);

/**
 * Evaluate a formula of variables only: an availability, a maximum without counters.
 *
 * @param scope    Variables; inputs are not used.
 * @param lang     enum pp_metric_lang.
 * @param formula  The text.
 * @param ret_type PP_METRIC_U64 or PP_METRIC_F64.
 * @param ret      The number.
 * @param error    As for pp_metric_compile(), with def = 0; may be NULL.
 * @retval 0       Evaluated.
 * @retval -EDOM   It divides by zero, or leaves the range of a double.
 * @return Else as pp_metric_compile().
 */
__attribute__((warn_unused_result)) int
pp_metric_constant(const struct pp_metric_scope *scope, enum pp_metric_lang lang, const char *formula,
                   enum pp_metric_type *ret_type, union pp_metric_number *ret, struct pp_metric_error *error);

#endif
