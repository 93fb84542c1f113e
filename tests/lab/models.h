/** @file
 * All models, for the table in models.c. */
#ifndef LAB_MODELS_H
#define LAB_MODELS_H

#include "tests/lab/model.h"

/** A driver without ioctls of its own (null.c): "null". Tests of the DRM core use it. */
extern const struct lab_model lab_null_model;

/** GPUs of AMD that do no work (no_work/amdgpu.c): "navi21", "navi10", "renoir". */
extern const struct lab_model lab_amdgpu_model;

/** A GPU of NVIDIA that does no work (no_work/nouveau.c): "gm204". */
extern const struct lab_model lab_nouveau_model;

#endif
