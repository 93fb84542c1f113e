/** @file
 * The value of the option --events: is each item of the list a known event, or may it be known when the
 * application runs? This file knows no graphics API and no thread. See also config.h. */
#ifndef PP_CORE_CONFIG_CONFIG_EVENTS_H
#define PP_CORE_CONFIG_CONFIG_EVENTS_H

#include <stddef.h>

#include "core/config/config.h"

/** Set the list of events. @param why @p why_len bytes: what a good value is, or what the user may have
 * meant; written only on failure. @retval 0, -EINVAL. */
__attribute__((warn_unused_result)) int pp_config_events_set(struct pp_config *config, const char *value,
                                                             char *why, size_t why_len);

#endif
