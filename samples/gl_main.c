/** @file
 * passprobe-sample-gl: the scene in OpenGL or OpenGL ES, without display. */
#include <epoxy/gl.h>
#include <inttypes.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>

#include "samples/annotated.h"
#include "samples/gl_context.h"
#include "samples/gl_query.h"
#include "samples/gl_scene.h"
#include "samples/options.h"
#include "samples/output.h"

#define STUTTER_DRAWS 100

static void
push_label(const struct gl_scene *scene, const char *prefix, const char *name)
{
    char label[SCENE_LABEL_MAX];
    snprintf(label, sizeof(label), "%s%s", prefix, name);
    if (scene->es)
        glPushDebugGroupKHR(GL_DEBUG_SOURCE_APPLICATION, 0, -1, label);
    else
        glPushDebugGroup(GL_DEBUG_SOURCE_APPLICATION, 0, -1, label);
}

static void
pop_label(const struct gl_scene *scene)
{
    if (scene->es)
        glPopDebugGroupKHR();
    else
        glPopDebugGroup();
}

static void
draw_frame(struct gl_scene *scene, const struct options *options, const struct scene_expected *name,
           struct gl_query *query, unsigned frame)
{
    if (options->annotate)
        annotated_begin(frame);
    scene->post_draws = options->stutter && frame == options->stutter ? STUTTER_DRAWS : options->post_draws;
    gl_scene_begin_frame(scene, frame);
    for (int pass = 0; pass < SCENE_PASSES; pass++) {
        if (options->annotate)
            annotated_pass_begin(name[pass].name);
        if (options->labels)
            push_label(scene, options->prefix, name[pass].name);
        if (query)
            gl_query_begin(query, frame, (enum scene_pass)pass);
        gl_scene_pass(scene, (enum scene_pass)pass);
        if (query)
            gl_query_end(query, frame, (enum scene_pass)pass);
        if (options->labels)
            pop_label(scene);
        if (options->annotate)
            annotated_pass_end();
    }
    if (options->annotate)
        annotated_end();
}

/* Print what the hand-written queries gave: counts to stdout, times to stderr. */
static int
report_queries(struct gl_query *query, const struct options *options, const struct scene_report *report,
               struct scene_expected *pass)
{
    gl_query_drain(query, options->frames);
    for (int i = 0; i < SCENE_PASSES; i++) {
        for (int j = 0; j < SCENE_COUNTS; j++)
            pass[i].count[j] = query->counted[i][j];
        if (options->times)
            fprintf(stderr, "%s: %" PRIu64 " ns\n", pass[i].name, query->least_ns[i]);
    }
    scene_print(stdout, report, pass);
    if (query->unequal)
        fprintf(stderr, "%s: counts differ from frame to frame\n", report->program);
    return query->unequal ? -1 : 0;
}

static int
draw_all(const struct gl_context *context, struct gl_scene *scene, const struct options *options,
         const struct scene_report *report, struct scene_expected *pass)
{
    static struct gl_query query;
    uint8_t *rgba = calloc((size_t)options->width * options->height, 4);
    int err = 0;
    if (options->labels)
        gl_scene_label(scene);
    if (!rgba || (options->query && gl_query_init(&query, options->es) < 0)) {
        free(rgba);
        return -1;
    }
    for (unsigned frame = 0; frame < options->frames; frame++) {
        draw_frame(scene, options, pass, options->query ? &query : NULL, frame);
        gl_context_end_frame(context);
    }
    if (options->query) {
        err = report_queries(&query, options, report, pass);
        gl_query_finish(&query);
    }
    if (gl_scene_read(scene, rgba) < 0 || output_frame(report->program, options, rgba) < 0)
        err = -1;
    free(rgba);
    return err;
}

static int
run(const struct options *options, const struct scene_report *report, struct scene_expected *pass)
{
    const struct gl_context_want want = {.es = options->es,
                                         .surfaceless = options->surfaceless,
                                         .labels = options->labels,
                                         .width = (int)options->width,
                                         .height = (int)options->height};
    struct gl_context context;
    struct gl_scene scene;
    GLenum error;
    int err;
    if (gl_context_init(&context, &want) < 0)
        return -1;
    err = gl_scene_init(&scene, options->es, options->surfaceless, want.width, want.height);
    if (err == 0)
        err = draw_all(&context, &scene, options, report, pass);
    gl_scene_finish(&scene);
    error = glGetError();
    if (error != GL_NO_ERROR) {
        fprintf(stderr, "%s: GL error 0x%04x\n", report->program, error);
        err = -1;
    }
    gl_context_finish(&context);
    return err;
}

int
main(int argc, char **argv)
{
    struct options options;
    struct scene_expected pass[SCENE_PASSES];
    setlocale(LC_ALL, "");
    int status = options_parse(OPTIONS_GL, argc, argv, &options);
    if (status >= 0)
        return status;
    const struct scene_report report = {.program = "passprobe-sample-gl",
                                        .api = options.es ? SCENE_GLES : SCENE_GL,
                                        .width = options.width,
                                        .height = options.height,
                                        .frames = options.frames,
                                        .labels = options.labels};
    scene_expect(report.api, !options.surfaceless, options.width, options.height, pass);
    scene_expect_post_draws(options.post_draws, pass);
    if (options.expect)
        scene_print(stdout, &report, pass);
    else if (run(&options, &report, pass) < 0)
        return 1;
    return fflush(stdout) == 0 ? 0 : 1;
}
