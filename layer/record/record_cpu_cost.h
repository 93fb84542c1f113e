/** @file
 * What recording a pass or an action costs the recording thread (counter source "cpu"). Measured while a
 * command buffer records, and put into the batch of the first submission of that recording; later
 * submissions cost no recording. A pass that executes secondaries has no such cost, because the
 * secondaries were recorded elsewhere. Nothing is measured unless the source is asked for. See also
 * core/recorded.c. */
#ifndef PP_LAYER_RECORD_RECORD_CPU_COST_H
#define PP_LAYER_RECORD_RECORD_CPU_COST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pp_batch;
struct pp_cmdbuf;

/** The CPU cost of one command buffer. */
struct pp_vk_cpu {
    bool on;       /**< this recording measures it */
    bool used;     /**< a submission has taken the values */
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

/** Are there values for a submission? */
bool pp_vk_cpu_has(const struct pp_cmdbuf *cb);

/** Put what was taken for bracket @p from into a batch. */
void pp_vk_cpu_put(const struct pp_cmdbuf *cb, uint32_t from, struct pp_batch *batch, uint32_t bracket);

/** Free the memory of @p cpu. */
void pp_vk_cpu_free(struct pp_vk_cpu *cpu);

#endif
