/** @file
 * Opens the sockets of a session where the user's options and folders say. */
#ifndef PP_CORE_CONTROL_CONTROL_OPEN_H
#define PP_CORE_CONTROL_CONTROL_OPEN_H

#include "core/control/control_private.h"

/** Open the control socket and the one of --metrics-socket. A message says why one is not open. */
void pp_control_open(struct pp_control *control);

#endif
