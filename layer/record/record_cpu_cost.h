/** @file
 * What recording a pass or an action cost the thread that recorded it (source "cpu"). Taken while
 * a command buffer records, put into the batch of the first submission of the recording: later ones cost no
 * recording. A pass that secondaries are executed in has none: they were recorded elsewhere. Nothing of this
 * happens unless the source is asked for. See also core/recorded.c. */
#ifndef PP_LAYER_RECORD_RECORD_CPU_COST_H
#define PP_LAYER_RECORD_RECORD_CPU_COST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pp_batch;
struct pp_cmdbuf;

/** A command buffer's share. */
struct pp_vk_cpu {
    bool on;       /**< this recording measures it */
    bool used;     /**< a submission has had it */
    uint8_t set;   /**< of the device's sets */
    size_t bytes;  /**< of a snapshot */
    uint8_t *row;  /**< two for each bracket */
    uint8_t *ends; /**< of each bracket: bit 0 begin, bit 1 end taken */
    uint32_t cap;
};

/** A recording begins. */
void pp_vk_cpu_begin(struct pp_cmdbuf *cb);

/** The counts of this thread, at a bracket's begin (@p end 0) or end (1). */
void pp_vk_cpu_take(struct pp_cmdbuf *cb, uint32_t bracket, unsigned end);

/** Is there anything for a submission? */
bool pp_vk_cpu_has(const struct pp_cmdbuf *cb);

/** Put what was taken for bracket @p from into a batch. */
void pp_vk_cpu_put(const struct pp_cmdbuf *cb, uint32_t from, struct pp_batch *batch, uint32_t bracket);

/** Free it. */
void pp_vk_cpu_free(struct pp_vk_cpu *cpu);

#endif
