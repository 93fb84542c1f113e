/** @file
 * What this machine's drivers offer. Each driver is asked in a child process, so a driver that crashes,
 * prints or hangs does no harm; its counters come through a pipe. Also says which drivers were checked with
 * passprobe (docs/hardware.yaml). list.c and doctor.c print the result. */
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

/** Free what pp_probe_all() filled, and @p probes. */
void pp_probes_destroy(struct pp_probes *probes);

/* In a child process: what a context offers. `probe` counts its contexts from 0. */

/** Note a counter. After 16384 counters, further ones are left out. */
void pp_probe_counter_add(const struct pp_probe_counter *counter);

/** Note all events of a source. @p about What the source measures, and what that costs. @p limit How many
 * events of a group can be measured at a time; may be NULL. */
void pp_probe_source_add(uint32_t probe, const struct pp_source_ops *ops, void *self, const char *about,
                         uint32_t (*limit)(void *self, uint32_t event));

/** Describe a source by its row in counters/sources/registry.h: what it counts, of what, at what cost.
 * @return @p
 * text. */
const char *pp_probe_source_text(const char *source, char *text, size_t size);

/** Note that the context lacks a source. */
void pp_probe_absent_add(uint32_t probe, const char *source, const char *reason);

/**
 * Describe how the driver of a context or device was checked.
 *
 * @param text  Takes the description: driver, version, how; or that this version, or this driver, was not
 * checked.
 * @return @p text.
 */
const char *pp_checked_describe(const struct pp_probe *probe, char *text, size_t size);

#endif
