/** @file
 * The geometry of the scene and the arithmetic of its counts; see scene.h. */
#include "samples/scene.h"

#include <inttypes.h>
#include <string.h>

const float scene_corner[SCENE_QUAD_VERTICES][2] = {{0, 0}, {1, 0}, {0, 1}, {1, 1}};
const uint16_t scene_index[SCENE_QUAD_INDICES] = {0, 1, 2, 2, 1, 3};

const char *const scene_count_name[SCENE_COUNTS] = {
    [SCENE_VERTICES] = "input_assembly_vertices",
    [SCENE_PRIMITIVES] = "input_assembly_primitives",
    [SCENE_VERTEX_INVOCATIONS] = "vertex_shader_invocations",
    [SCENE_GEOMETRY_INVOCATIONS] = "geometry_shader_invocations",
    [SCENE_GEOMETRY_PRIMITIVES] = "geometry_shader_primitives",
    [SCENE_CLIPPING_INVOCATIONS] = "clipping_invocations",
    [SCENE_CLIPPING_PRIMITIVES] = "clipping_primitives",
    [SCENE_FRAGMENT_INVOCATIONS] = "fragment_shader_invocations",
    [SCENE_TESS_CONTROL_PATCHES] = "tessellation_control_shader_patches",
    [SCENE_TESS_EVALUATION_INVOCATIONS] = "tessellation_evaluation_shader_invocations",
    [SCENE_COMPUTE_INVOCATIONS] = "compute_shader_invocations",
};

/* A cell of the grid is this wide in clip space, which goes from -1 to 1. */
#define CELL (2.0F / SCENE_CELLS)

static struct scene_instance
instance_at(float column, float row, float columns, float rows, float depth)
{
    struct scene_instance it = {
        .rect = {-1 + column * CELL, -1 + row * CELL, -1 + (column + columns) * CELL,
                 -1 + (row + rows) * CELL},
        .look = {1 + column / SCENE_CELLS, 2 - depth, 1 + row / SCENE_CELLS, depth},
    };
    return it;
}

void
scene_instances(struct scene_instance instance[SCENE_INSTANCES])
{
    instance[0] = instance_at(0, 0, SCENE_CELLS, SCENE_CELLS, 0.75F);
    for (int i = 0; i < SCENE_BOXES; i++)
        instance[SCENE_FIRST_BOX + i] = instance_at((float)(i % 4 * 2), (float)(i / 4 * 2), 1, 1, 0.5F);
    instance[SCENE_FIRST_OUTLIER] = instance_at(SCENE_CELLS + 2, 3, 2, 1, 0.25F);
    instance[SCENE_FIRST_OUTLIER + 1] = instance_at(-1, 3, 2, 1, 0.25F);
}

void
scene_uniforms(unsigned frame, struct scene_uniforms *uniforms)
{
    *uniforms = (struct scene_uniforms){
        .tint = {1, 0.5F + (float)(frame % 16) / 32, 0.5F + (float)(frame % 8) / 16, 1},
        .light = {CELL, CELL, 0, 0}, /* half a cell at the boxes' depth of a half */
    };
}

/* Twice the signed area of a, b, p: positive when p is to the inside of edge ab. */
static int64_t
edge(const int a[2], const int b[2], int64_t x2, int64_t y2)
{
    /* p is given in half pixels, so that centres are whole numbers */
    return (int64_t)(b[0] - a[0]) * (y2 - 2 * a[1]) - (int64_t)(b[1] - a[1]) * (x2 - 2 * a[0]);
}

/* Does the centre of pixel x, y are in the triangle? Centres on a top or left edge do. */
static bool
covers(const int corner[3][2], int x, int y)
{
    for (int i = 0; i < 3; i++) {
        const int *a = corner[i], *b = corner[(i + 1) % 3];
        int64_t inside = edge(a, b, 2 * (int64_t)x + 1, 2 * (int64_t)y + 1);
        bool top_left = (a[1] == b[1] && b[0] > a[0]) || b[1] < a[1];
        if (inside < 0 || (inside == 0 && !top_left))
            return false;
    }
    return true;
}

static bool
block_touched(const int corner[3][2], int x, int y)
{
    for (int i = 0; i < 16; i++)
        if (covers(corner, x + i % 4, y + i / 4))
            return true;
    return false;
}

uint64_t
scene_fragments(const int corner[3][2], int width, int height)
{
    int clockwise[3][2];
    uint64_t pixels = 0;
    memcpy(clockwise, corner, sizeof(clockwise));
    if (edge(corner[0], corner[1], 2 * (int64_t)corner[2][0], 2 * (int64_t)corner[2][1]) < 0) {
        memcpy(clockwise[1], corner[2], sizeof(clockwise[1]));
        memcpy(clockwise[2], corner[1], sizeof(clockwise[2]));
    }
    for (int y = 0; y < height; y += 4)
        for (int x = 0; x < width; x += 4)
            pixels += block_touched((const int(*)[2])clockwise, x, y) ? 16 : 0;
    return pixels;
}

/* Fragments of the two triangles of a rectangle; the blocks along its diagonal are shaded twice. */
static uint64_t
quad_fragments(int width, int height)
{
    const int first[3][2] = {{0, 0}, {width, 0}, {0, height}};
    const int second[3][2] = {{0, height}, {width, 0}, {width, height}};
    return scene_fragments(first, width, height) + scene_fragments(second, width, height);
}

/* Add one draw of triangles: what input assembly, vertex shading and clipping count for it. */
static void
add_draw(struct scene_expected *pass, unsigned vertices, unsigned primitives, unsigned shaded,
         unsigned instances, unsigned visible)
{
    pass->draws++;
    pass->count[SCENE_VERTICES] += (uint64_t)vertices * instances;
    pass->count[SCENE_PRIMITIVES] += (uint64_t)primitives * instances;
    pass->count[SCENE_VERTEX_INVOCATIONS] += (uint64_t)shaded * instances;
    pass->count[SCENE_CLIPPING_INVOCATIONS] += (uint64_t)primitives * instances;
    pass->count[SCENE_CLIPPING_PRIMITIVES] += visible;
}

static void
expect_shadow(struct scene_expected *pass)
{
    /* the light's shift keeps all boxes in view; an index buffer's shared corners are shaded once */
    const int cell = SCENE_SHADOW_SIZE / SCENE_CELLS;
    add_draw(pass, SCENE_QUAD_INDICES, 2, SCENE_QUAD_VERTICES, SCENE_BOXES, 2 * SCENE_BOXES);
    pass->count[SCENE_FRAGMENT_INVOCATIONS] = SCENE_BOXES * quad_fragments(cell, cell);
}

static void
expect_main(struct scene_expected *pass, int width, int height)
{
    int cell_w = width / SCENE_CELLS, cell_h = height / SCENE_CELLS;
    const int outlier[3][2] = {{-cell_w, 0}, {cell_w, 0}, {-cell_w, cell_h}};
    add_draw(pass, 4, 2, 4, 1, 2);
    add_draw(pass, SCENE_QUAD_INDICES, 2, SCENE_QUAD_VERTICES, SCENE_BOXES, 2 * SCENE_BOXES);
    add_draw(pass, 3, 1, 3, SCENE_OUTLIERS, 1);
    pass->count[SCENE_FRAGMENT_INVOCATIONS] = quad_fragments(width, height) +
                                              SCENE_BOXES * quad_fragments(cell_w, cell_h) +
                                              scene_fragments(outlier, width, height);
}

void
scene_expect(enum scene_api api, bool surface, unsigned width, unsigned height,
             struct scene_expected pass[SCENE_PASSES])
{
    const bool vulkan = api == SCENE_VULKAN;
    const struct scene_expected empty[SCENE_PASSES] = {
        [SCENE_SHADOW] = {.name = "shadow",
                          .kind = "render",
                          .attachments = vulkan ? "depth=D32_SFLOAT" : "depth=DEPTH_COMPONENT32F",
                          .width = SCENE_SHADOW_SIZE,
                          .height = SCENE_SHADOW_SIZE},
        [SCENE_MAIN] = {.name = "scene",
                        .kind = "render",
                        .attachments = vulkan ? "color0=R16G16B16A16_SFLOAT depth=D32_SFLOAT"
                                              : "color0=RGBA16F depth=DEPTH_COMPONENT32F",
                        .width = width,
                        .height = height},
        [SCENE_TONE] = {.name = "tone", .kind = "compute", .attachments = "", .dispatches = 1},
        [SCENE_POST] = {.name = "post",
                        .kind = "render",
                        .attachments = vulkan ? "color0=R8G8B8A8_UNORM" : "color0=RGBA8",
                        .width = width,
                        .height = height},
        [SCENE_TRANSFER] = {.name = "transfer", .kind = "transfer", .attachments = "", .copies = 2},
    };
    memcpy(pass, empty, sizeof(empty));
    expect_shadow(&pass[SCENE_SHADOW]);
    expect_main(&pass[SCENE_MAIN], (int)width, (int)height);
    pass[SCENE_TONE].count[SCENE_COMPUTE_INVOCATIONS] = (uint64_t)width * height;
    /* llvmpipe clips the triangle to the view: three triangles, one of them without area */
    add_draw(&pass[SCENE_POST], 3, 1, 3, 1, 3);
    pass[SCENE_POST].count[SCENE_FRAGMENT_INVOCATIONS] = quad_fragments((int)width, (int)height);
    if (surface) /* llvmpipe blits to a surface by drawing, and counts that */
        pass[SCENE_TRANSFER].count[SCENE_FRAGMENT_INVOCATIONS] = (uint64_t)width * height;
}

void
scene_expect_post_draws(unsigned draws, struct scene_expected pass[SCENE_PASSES])
{
    pass[SCENE_POST].draws *= draws;
    for (int i = 0; i < SCENE_COUNTS; i++)
        pass[SCENE_POST].count[i] *= draws;
}

static void
print_pass(FILE *file, const struct scene_report *report, const struct scene_expected *pass)
{
    fprintf(file, "  {\"name\": \"%s\", \"label\": \"%s\", \"kind\": \"%s\", \"width\": %u, \"height\": %u,",
            pass->name, report->labels ? pass->name : "", pass->kind, pass->width, pass->height);
    fprintf(file,
            " \"attachments\": \"%s\", \"draws\": %u, \"dispatches\": %u, \"copies\": %u, \"counts\": {",
            pass->attachments, pass->draws, pass->dispatches, pass->copies);
    for (int i = 0; i < SCENE_COUNTS && report->api != SCENE_GLES; i++) /* GLES has no statistics queries */
        fprintf(file, "%s\"%s\": %" PRIu64, i ? ", " : "", scene_count_name[i], pass->count[i]);
    fprintf(file, "}}");
}

void
scene_print(FILE *file, const struct scene_report *report, const struct scene_expected pass[SCENE_PASSES])
{
    static const char *const api[] = {[SCENE_GL] = "gl", [SCENE_GLES] = "gles", [SCENE_VULKAN] = "vulkan"};
    fprintf(file, "{\"program\": \"%s\", \"api\": \"%s\", \"width\": %u, \"height\": %u, \"frames\": %u,\n",
            report->program, api[report->api], report->width, report->height, report->frames);
    fprintf(file, " \"uploads\": %d,\n \"passes\": [\n", report->api == SCENE_VULKAN ? 0 : SCENE_GL_UPLOADS);
    for (int i = 0; i < SCENE_PASSES; i++) {
        print_pass(file, report, &pass[i]);
        fprintf(file, i + 1 < SCENE_PASSES ? ",\n" : "\n");
    }
    fprintf(file, " ]}\n");
}
