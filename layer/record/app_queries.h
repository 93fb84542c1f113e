/** @file
 * Application queries, and the statistics that passprobe leaves out because of them. See also bracket.h. */
#ifndef PP_LAYER_RECORD_APP_QUERIES_H
#define PP_LAYER_RECORD_APP_QUERIES_H

#include "layer/record/record.h"

/** Note that a bracket is not counted completely: its statistics stay empty. */
void pp_vk_app_queries_gap(struct pp_cmdbuf *cb, uint32_t bracket);

/** Report once that some statistics are not measured because the application uses statistics queries. */
void pp_vk_app_queries_missing(struct pp_vk_device *dev);

/** Report once that a query is left out because the driver would crash in it: pp_vk_quirk_needs_pipeline().
 */
void pp_vk_app_queries_unsafe(struct pp_vk_device *dev);

#endif
