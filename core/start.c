/** @file
 * Gives the collector and the control sockets to the session, which starts them and must not know them. */
#include "core/collect/collector.h"
#include "core/control/control.h"
#include "core/session/parts.h"

const struct pp_session_parts pp_session_parts = {
    .begin = pp_collector_create,
    .refuse = pp_collector_refuse,
    .write_empty = pp_collector_write_empty,
    .finish = pp_collector_finish,
    .forked = pp_control_forked,
};
