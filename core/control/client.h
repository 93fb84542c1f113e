/** @file
 * Clients of the control socket: answers their commands. Clients of the metrics socket: answers their
 * requests. Collector thread only. */
#ifndef PP_CORE_CONTROL_CLIENT_H
#define PP_CORE_CONTROL_CLIENT_H

#include <stdint.h>

#include "core/control/control.h"

/** Send what waits, answer the commands that came, and send the lines of `watch` that are due. */
void pp_client_serve(struct pp_control *control, struct pp_connection *client, uint64_t now_ns);

/** Send the last status to a client that watches, and to one that sent `quit`, as far as it takes it at once.
 */
void pp_client_finish(struct pp_control *control, struct pp_connection *client, uint64_t now_ns);

/** Tell a client that there are too many, and close its descriptor. */
void pp_client_refuse(int fd, uint64_t now_ns);

/** Send what waits, and answer the request when it is complete. Then the connection is closed. */
void pp_scraper_serve(struct pp_control *control, struct pp_scraper *scraper, uint64_t now_ns);

#endif
