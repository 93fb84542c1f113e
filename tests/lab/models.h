/** @file
 * All models, for the table in models.c. */
#ifndef LAB_MODELS_H
#define LAB_MODELS_H

#include "tests/lab/model.h"

/** A driver without ioctls of its own (null.c): "null". Tests of the DRM core use it. */
extern const struct lab_model lab_null_model;

/** Intel's GPUs of generations 8 to 12 (i915/): "kbl", "tgl", ... */
extern const struct lab_model lab_i915_model;

/** GPUs of AMD that do no work (no_work/amdgpu.c): "navi21", "navi10", "renoir". */
extern const struct lab_model lab_amdgpu_model;

/** A GPU of NVIDIA that does no work (no_work/nouveau.c): "gm204". */
extern const struct lab_model lab_nouveau_model;

/** A GPU of Qualcomm that does no work (no_work/msm.c): "adreno630". Only on arm64. */
extern const struct lab_model lab_msm_model;

/** The Raspberry Pi 4, whose GPU does no work (no_work/v3d.c): "rpi4". Only on arm64. */
extern const struct lab_model lab_v3d_model;

/** The display of the Raspberry Pi 4. */
extern const struct lab_model lab_vc4_model;

/** A GPU of Arm that does no work (no_work/panfrost.c): "mali-g52". Only on arm64. */
extern const struct lab_model lab_panfrost_model;

#endif
