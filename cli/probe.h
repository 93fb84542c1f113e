/** @file
 * Room: what this machine's drivers offer, asked of the drivers themselves in a child process each, so that a
 * driver that crashes, prints or hangs does no harm. Next rooms: list.c and doctor.c print it. */
#ifndef PP_CLI_PROBE_H
#define PP_CLI_PROBE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/config.h"

/** One context or device. Plain data: it crosses a pipe. */
struct pp_probe {
    char api[32];     /**< "OpenGL (EGL)", "Vulkan" */
    char device[256]; /**< GL_RENDERER, deviceName */
    char version[128];
    char driver[128];
    char why_not[256]; /**< why there is no context; "" if there is one */
    uint32_t timestamp_bits;
    char why_no_time[160];
    uint32_t statistics; /**< bit i: pipeline statistic i of core/config.h can be counted */
    char why_no_statistics[160];
    bool inherited_queries; /**< Vulkan: statistics go on in secondary command buffers */
    bool host_reset;        /**< Vulkan: queries can be reset by the CPU */
    bool calibrated;        /**< Vulkan: GPU and CPU clocks can be read together */
};

#define PP_PROBES_MAX 16

/** What was found. */
struct pp_probes {
    struct pp_probe probe[PP_PROBES_MAX];
    size_t len;
};

/** Ask OpenGL and GLES (by EGL without a window system, and by GLX where DISPLAY is set) and every Vulkan
 * device. */
void pp_probe_all(struct pp_probes *ret);

/** Does the Vulkan loader find our layer, and will it load it when PASSPROBE=1? @param share Our share
 * directory, put before XDG_DATA_DIRS as `passprobe stat` does; may be "". @return "" if so, else the reason.
 * Static buffer. */
const char *pp_probe_layer(const char *share);

/* The two front ends' halves; called in a child process. They return 0 or -errno and say why in
 * probe->why_not. */
void pp_probe_gl(struct pp_probe *probe, const char *how);
void pp_probe_vk(struct pp_probes *probes);
int pp_probe_vk_layers(bool *ret_found);

#endif
