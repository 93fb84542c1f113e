/** @file
 * What this machine's drivers offer. Each driver is asked in a child process, so a driver that crashes,
 * prints or hangs does no harm. list.c and doctor.c print the result. */
#ifndef PP_CLI_PROBE_PROBE_H
#define PP_CLI_PROBE_PROBE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/config/config.h"
#include "counters/snapshot/source.h"

/** One context or device. Plain data: it crosses a pipe. */
struct pp_probe {
    char api[32];     /**< "OpenGL (EGL)", "Vulkan" */
    char device[256]; /**< GL_RENDERER, deviceName */
    char version[128];
    char driver[128];
    char driver_version[32]; /**< Vulkan: as Mesa writes it, "22.3.6"; OpenGL: "", version has it */
    char why_not[256];       /**< why there is no context; "" if there is one */
    uint32_t timestamp_bits;
    char why_no_time[160];
    uint32_t statistics; /**< bit i: pipeline statistic i of core/config/config.h can be counted */
    char why_no_statistics[160];
    bool inherited_queries; /**< Vulkan: statistics go on in secondary command buffers */
    bool host_reset;        /**< Vulkan: queries can be reset by the CPU */
    bool calibrated;        /**< Vulkan: GPU and CPU clocks can be read together */
};

/** Size of a description. */
#define PP_PROBE_TEXT 256

/** A counter of a context or device besides time and statistics, available or not. With an empty name: the
 * source as a whole. Plain data. */
struct pp_probe_counter {
    uint32_t probe; /**< whose: index in pp_probes.probe */
    uint32_t limit; /**< of its group, how many at a time; 0: all */
    char source[16];
    char group[256]; /**< "": none */
    char name[544];
    char unit[24];
    char description[PP_PROBE_TEXT]; /**< of a source: what it measures, and what that costs */
    char reason[320];                /**< "": available */
};

#define PP_PROBES_MAX 16

/** What was found. */
struct pp_probes {
    struct pp_probe probe[PP_PROBES_MAX];
    size_t len;
    struct pp_probe_counter *counter; /**< owned; for pp_probes_destroy() */
    size_t counters;
};

/** Ask OpenGL and GLES (by EGL without a window system, and by GLX where DISPLAY is set) and every Vulkan
 * device. */
void pp_probe_all(struct pp_probes *ret);

/** Does the Vulkan loader find passprobe's layer, and load it if PASSPROBE=1? @param share The
 * share directory of passprobe, put before XDG_DATA_DIRS as `passprobe stat` does; may be "". @return "" if
 * so, else the reason. Static buffer. */
const char *pp_probe_layer(const char *share);

#endif
