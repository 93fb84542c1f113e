/** @file
 * Clients of the metrics socket: answers their requests. Collector thread only. */
#ifndef PP_CORE_CONTROL_SCRAPER_H
#define PP_CORE_CONTROL_SCRAPER_H

#include <stdint.h>

#include "core/control/control_private.h"

/** Send what waits, and answer the request when it is complete. Then the connection is closed. */
void pp_scraper_serve(struct pp_control *control, struct pp_scraper *scraper, uint64_t now_ns);

#endif
