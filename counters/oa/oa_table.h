/** @file
 * The tables that tools/gen_oa.py generates of Intel's metric descriptions, for oa_gpu.c. A text is an
 * offset into pp_oa_text, so that the tables need no relocation in the application's process. */
#ifndef PP_COUNTERS_OA_OA_TABLE_H
#define PP_COUNTERS_OA_OA_TABLE_H

#include <stdint.h>

/** A counter of the XML. Equal counters of different sets share a row. */
struct pp_oa_metric_row {
    uint32_t symbol, name, description, unit, equation, max_equation, availability, group;
    uint8_t unit_id; /**< enum pp_unit */
    uint8_t type;    /**< enum pp_metric_type */
};

/** A register_config of the XML: registers to write to program a set. */
struct pp_oa_config_row {
    uint32_t availability; /**< "": always */
    uint32_t first;        /**< of pp_oa_register */
    uint16_t registers;
    uint8_t kind; /**< enum pp_oa_register_kind */
};

/** A set of the XML. */
struct pp_oa_set_row {
    uint32_t symbol, name, guid;
    uint32_t first_metric; /**< of pp_oa_set_metric */
    uint32_t first_config; /**< of pp_oa_config */
    uint16_t metrics;
    uint16_t configs;
    uint16_t gpu; /**< of pp_oa_gpu_table */
};

/** A row of counters/gpus/intel/devices.csv. */
struct pp_oa_gpu_row {
    uint32_t name, layout;
    uint32_t first_set;
    uint16_t sets;
    uint16_t gen;
    uint64_t variable[7]; /**< in the order of pp_oa_gpu_variable; UINT64_MAX: unknown */
};

/** A PCI device id of counters/gpus/intel/devices.csv. */
struct pp_oa_pci_row {
    uint16_t id;
    uint16_t gpu; /**< of pp_oa_gpu_table */
};

extern const char *const pp_oa_text; /**< all texts, each ending in 0 */
extern const struct pp_oa_metric_row pp_oa_metric[];
extern const uint16_t pp_oa_set_metric[];  /**< indexes into pp_oa_metric */
extern const uint32_t pp_oa_register[][2]; /**< address, value */
extern const struct pp_oa_config_row pp_oa_config[];
extern const struct pp_oa_set_row pp_oa_set[];
extern const uint32_t pp_oa_sets;
extern const struct pp_oa_gpu_row pp_oa_gpu_table[];
extern const uint32_t pp_oa_gpus;
extern const struct pp_oa_pci_row pp_oa_pci[];
extern const uint32_t pp_oa_pcis;
extern const uint32_t pp_oa_gpu_variable[7]; /**< names, without the $ */

#endif
