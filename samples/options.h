/** @file
 * The command line of the samples. See also scene.h. */
#ifndef SAMPLES_OPTIONS_H
#define SAMPLES_OPTIONS_H

#include <stdbool.h>

enum { OPTIONS_GL = 1, OPTIONS_VULKAN = 2 };
enum options_renderpass { RENDERPASS_1 = 1, RENDERPASS_2 = 2, RENDERPASS_DYNAMIC = 3 };

/** What was asked for: options of both samples, then those of one. */
struct options {
    unsigned frames;
    unsigned width, height;
    const char *image;   /**< where the last frame goes as PPM; NULL: nowhere */
    bool labels;         /**< name passes and objects by KHR_debug or VK_EXT_debug_utils */
    const char *prefix;  /**< with labels: put in front of the passes' names; "" for none */
    bool annotate;       /**< regions, a mark, counters and frame ends by passprobe/annotate.h */
    bool query;          /**< measure by hand: timestamps and pipeline statistics around every pass */
    bool draws;          /**< with query: count each draw and dispatch, not each pass */
    bool times;          /**< with query: print the passes' shortest times to stderr */
    bool expect;         /**< print what each pass must count, draw nothing */
    unsigned post_draws; /**< draws of the full-screen pass: more of them make the pass longer */

    unsigned stutter; /**< the frame that draws its full-screen pass 100 times, as a fault to find; 0: none */
    bool es;          /**< OpenGL ES instead of OpenGL */
    bool surfaceless; /**< no surface: glFinish ends the frame instead of eglSwapBuffers */

    enum options_renderpass renderpass;
    bool rerecord;  /**< record command buffers anew for each frame instead of once */
    bool hazard;    /**< leave out one barrier, so that validation layers report it */
    bool secondary; /**< record the scene pass' draws into a secondary command buffer */
};

/**
 * Read the command line.
 *
 * @param which OPTIONS_GL or OPTIONS_VULKAN: the options that exist.
 * @return -1: go on. Else exit with this status: 0 after --help, 2 after a message about what was wrong.
 */
int options_parse(int which, int argc, char **argv, struct options *ret);

#endif
