/** @file
 * All models, for the table in models.c. */
#ifndef LAB_MODELS_H
#define LAB_MODELS_H

#include "tests/lab/model.h"

/** A driver without ioctls of its own (null.c): "null". Tests of the DRM core use it. */
extern const struct lab_model lab_null_model;

/** Intel's GPUs of generations 8 to 12 (i915/): "kbl", "tgl", ... */
extern const struct lab_model lab_i915_model;

#endif
