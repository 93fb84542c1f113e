/** @file
 * All models, for the table in models.c. */
#ifndef LAB_MODELS_H
#define LAB_MODELS_H

#include "tests/lab/model.h"

/** A driver without ioctls of its own (null.c): "null". Tests of the DRM core use it. */
extern const struct lab_model lab_null_model;

#endif
