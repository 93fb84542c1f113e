/** @file
 * What both samples draw, and what every pass of it must count. The geometry is made of axis-aligned
 * rectangles on multiples of four pixels, so that each number can be worked out by hand. Knows no graphics
 * API. See also gl_scene.h, vk_record.h. */
#ifndef SAMPLES_SCENE_H
#define SAMPLES_SCENE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define SCENE_SHADOW_SIZE   256 /**< width and height of the shadow map, pixels */
#define SCENE_CELLS         8   /**< the view is a grid of 8x8 cells */
#define SCENE_BOXES         16  /**< boxes are on every second cell of every second row */
#define SCENE_OUTLIERS      2   /**< one triangle outside the view, one across its left edge */
#define SCENE_INSTANCES     (1 + SCENE_BOXES + SCENE_OUTLIERS)
#define SCENE_FIRST_BOX     1 /**< instance 0 is the floor */
#define SCENE_FIRST_OUTLIER (1 + SCENE_BOXES)
#define SCENE_GROUP         16 /**< the compute shader's groups are 16x16 */
#define SCENE_LABEL_MAX     128
#define SCENE_QUAD_VERTICES 4
#define SCENE_QUAD_INDICES  6
#define SCENE_SIZE_MULTIPLE 64 /**< width and height must be multiples of it, or counts are not exact */

/** One instance: a rectangle in clip space, its colour and depth, as the vertex shaders read them. */
struct scene_instance {
    float rect[4]; /**< left, top, right, bottom */
    float look[4]; /**< red, green, blue, depth (0 near, 1 far) */
};

/** The uniform block of a frame (std140). */
struct scene_uniforms {
    float tint[4];
    float light[4]; /**< x, y: shift between eye and light at depth 0, in clip space */
};

extern const float scene_corner[SCENE_QUAD_VERTICES][2];
extern const uint16_t scene_index[SCENE_QUAD_INDICES];

/** Fill the instances: floor, boxes, outliers. */
void scene_instances(struct scene_instance instance[SCENE_INSTANCES]);

/** Uniforms of frame @p frame: only colours change from frame to frame, so that counts do not. */
void scene_uniforms(unsigned frame, struct scene_uniforms *uniforms);

/** What a pass counts, in the order of Vulkan's pipeline statistics bits. */
enum scene_count {
    SCENE_VERTICES,
    SCENE_PRIMITIVES,
    SCENE_VERTEX_INVOCATIONS,
    SCENE_GEOMETRY_INVOCATIONS,
    SCENE_GEOMETRY_PRIMITIVES,
    SCENE_CLIPPING_INVOCATIONS,
    SCENE_CLIPPING_PRIMITIVES,
    SCENE_FRAGMENT_INVOCATIONS,
    SCENE_TESS_CONTROL_PATCHES,
    SCENE_TESS_EVALUATION_INVOCATIONS,
    SCENE_COMPUTE_INVOCATIONS,
    SCENE_COUNTS
};

extern const char *const scene_count_name[SCENE_COUNTS];

/** The passes of a frame, in order. */
enum scene_pass { SCENE_SHADOW, SCENE_MAIN, SCENE_TONE, SCENE_POST, SCENE_TRANSFER, SCENE_PASSES };

/** The API that draws the scene. Formats are spelt differently, and llvmpipe counts blits differently. */
enum scene_api { SCENE_GL, SCENE_GLES, SCENE_VULKAN };

/** What one pass of one frame is and counts. */
struct scene_expected {
    const char *name; /**< its debug label with --labels */
    const char *kind; /**< render, compute or transfer */
    const char *attachments;
    unsigned width, height; /**< 0 where the pass has no attachment */
    unsigned draws, dispatches, copies;
    uint64_t count[SCENE_COUNTS];
};

/**
 * Work out what every pass must count in a frame of @p width x @p height pixels.
 *
 * Vertices, primitives and invocations of vertex and compute shaders are arithmetic on the draws. Fragment
 * invocations and clipped primitives hold for llvmpipe and lavapipe of Mesa 22.3: see scene_fragments().
 *
 * @param surface The last pass blits to a surface, not to a texture.
 */
void scene_expect(enum scene_api api, bool surface, unsigned width, unsigned height,
                  struct scene_expected pass[SCENE_PASSES]);

/** Expect @p draws draws of the full-screen pass instead of one. */
void scene_expect_post_draws(unsigned draws, struct scene_expected pass[SCENE_PASSES]);

/**
 * Pixels in the 4x4 blocks that a triangle touches: what llvmpipe counts as its fragment invocations.
 *
 * @param corner Three corners in whole pixels, either winding.
 * @param width  Width of the viewport; what is outside is clipped. A multiple of four, as is @p height.
 */
uint64_t scene_fragments(const int corner[3][2], int width, int height);

/** Uploads before the first frame, which are work of that frame: OpenGL's buffers with initial contents. */
#define SCENE_GL_UPLOADS 3

/** What scene_print() prints about the run, besides the counts. */
struct scene_report {
    const char *program;
    enum scene_api api;
    unsigned width, height, frames;
    bool labels; /**< passes carry debug labels */
};

/** Print counts of the passes as JSON, one pass a line: expected ones (--expect) or measured ones (--query).
 */
void scene_print(FILE *file, const struct scene_report *report,
                 const struct scene_expected pass[SCENE_PASSES]);

#endif
