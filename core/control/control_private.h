/** @file
 * The data that the files of core/control/ share. */
#ifndef PP_CORE_CONTROL_CONTROL_PRIVATE_H
#define PP_CORE_CONTROL_CONTROL_PRIVATE_H

#include "core/control/connection.h"
#include "core/control/control.h"
#include "core/control/recent_frames.h"
#include "core/control/request.h"

/** Most connections of the two sockets. */
#define PP_CONTROL_CLIENTS  8U
#define PP_CONTROL_SCRAPERS 4U

/** A client of the metrics socket. */
struct pp_scraper {
    struct pp_connection connection;
    struct pp_http_request request;
};

/** Both sockets of a session. */
struct pp_control {
    /* immutable after create */
    struct pp_session *session;
    const struct pp_control_ops *ops;
    void *self; /* for ops */
    /* descriptors are atomic; the rest belongs to the collector's thread */
    struct pp_listener commands, metrics;
    struct pp_connection client[PP_CONTROL_CLIENTS];
    struct pp_scraper scraper[PP_CONTROL_SCRAPERS];
    struct pp_recent recent;
    uint64_t now_ns;   /* when the last round of the collector ended */
    uint64_t round_ns; /* when the collector began to serve clients in this round */
    uint64_t asked_ns; /* when it last looked for clients */
    bool connected;    /* there is a connection */
    bool quit;         /* a client wished the end of profiling */
    bool ended;        /* everything is closed */
};

#endif
