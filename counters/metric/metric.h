/** @file
 * The metric language: from counts to metrics. Intel's reverse Polish, Arm's infix and the user's formulas
 * compile to one program of typed column operations (metric_compile.h), which is evaluated a block of rows at
 * a time (metric_eval.h). This file has the types. The language, its operators and its rules about zero and
 * missing values: docs/formats/metric-language.md. Knows no graphics API, no file, no thread. */
#ifndef PP_COUNTERS_METRIC_METRIC_H
#define PP_COUNTERS_METRIC_METRIC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "counters/snapshot/value.h"

/** The language of a formula. */
enum pp_metric_lang {
    PP_METRIC_RPN,   /**< Intel's: "A 7 READ $EuCoresTotalCount UDIV 100 UMUL $GpuCoreClocks FDIV" */
    PP_METRIC_INFIX, /**< Arm's and users': "max(min($Busy / $Cycles * 100, 100), 0)" */
};

/** The type of a column's cells; a cell has eight bytes either way. */
enum pp_metric_type {
    PP_METRIC_AUTO = 0, /**< in a definition: the type that the formula has */
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
    const char *name; /**< "A7", "GPU_TIME", "MaliGPUCyclesGPUActive", "pipeline:vs_invocations"; borrowed
                         during compilation. `K n READ` finds the input named K followed by n, or, for n = 0,
                         the input named K */
    uint8_t type;     /**< PP_METRIC_U64 or PP_METRIC_F64 */
};

/** A constant of the machine ($EuCoresTotalCount, $MaliConstantsL2SliceCount), folded during compilation. */
struct pp_metric_variable {
    const char *name; /**< without the $; borrowed during compilation */
    uint8_t type;     /**< PP_METRIC_U64 or PP_METRIC_F64 */
    union pp_metric_number value;
};

/** The names that a formula may use, in addition to other metrics of the same compilation. A name is looked
 * up among the metrics first, then the variables, then the inputs. */
struct pp_metric_scope {
    const struct pp_metric_input *input; /**< in the order of pp_metric_eval()'s columns */
    size_t inputs;
    const struct pp_metric_variable *variable;
    size_t variables;
};

/** One metric to compile. All strings are borrowed, and only during compilation. */
struct pp_metric_def {
    const char *name;         /**< by which other formulas refer to the metric; NULL: none can */
    const char *formula;      /**< NUL-terminated */
    const char *availability; /**< NULL: always available. Else a formula in the same language over variables
                                 only: where it is zero, the metric's status is PP_UNSUPPORTED; other formulas
                                 may still use the metric */
    const char *self; /**< name of the metric that $Self means (in a maximum); NULL: $Self is unknown */
    uint8_t lang;     /**< enum pp_metric_lang */
    uint8_t type;     /**< enum pp_metric_type of the result; a conversion is added where needed */
    bool hidden;      /**< the metric has no output column: only other formulas use it */
    bool strict; /**< PP_METRIC_MISSING_OK means PP_METRIC_MISSING_SOURCES for this metric: a user's metric in
                    a compilation with Intel's */
};

/** Flags of pp_metric_compile(). */
enum {
    /** A READ or name that the scope lacks is no error: it is an input without values. What depends on it is
     * PP_UNSUPPORTED. For Intel's sets on reports that lack a kind of counter. */
    PP_METRIC_MISSING_OK = 1,
    /** As PP_METRIC_MISSING_OK, but only for names `source:counter` of a source that the scope does not have
     * at all. What a driver offers is known late; a typing error in any other name is still found. */
    PP_METRIC_MISSING_SOURCES = 2,
};

/** A mistake in a formula. */
struct pp_metric_error {
    size_t def;        /**< index of the offending definition */
    bool availability; /**< the offending text is the definition's availability, not its formula */
    uint32_t offset;   /**< first offending byte of the text */
    uint32_t length;   /**< bytes to underline; 0 at the end of the text */
    char message[200]; /**< one line without a full stop: "unknown name '$Foo'; did you mean '$Fob'?" */
};

/** Compiled metrics: immutable, may be shared between threads. */
struct pp_metric_program;

#endif
