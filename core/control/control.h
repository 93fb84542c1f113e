/** @file
 * What other programs ask of a profiled process: the control socket (docs/formats/control.md) and the socket
 * of --metrics-socket. Both are opened where the user's options and folders say. The collector's thread
 * serves them between its other work and never waits for a client. What they must know of the session's
 * files, and ask of them, is an interface (struct pp_control_ops), so that core/control/ does not know
 * core/collect/. See also request.h and client.h. This file knows no graphics API. */
#ifndef PP_CORE_CONTROL_CONTROL_H
#define PP_CORE_CONTROL_CONTROL_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/config/config.h"
#include "core/control/connection.h"
#include "core/control/recent_frames.h"
#include "core/control/request.h"

/** The files of a session at this moment. */
struct pp_control_facts {
    uint64_t frames; /**< with a row in frames.csv */
    uint64_t dropped_frames;
    uint64_t bytes;        /**< of the CSV files */
    uint64_t hooks_ns;     /**< time in passprobe's hooks, on the application's threads */
    uint64_t collector_ns; /**< CPU time of the collector thread */
    const char *ended;     /**< why profiling ended; NULL: it goes on. Valid until the next round */
    char path[PATH_MAX];   /**< absolute path of the session directory; "": not known */
};

/** Interface of the collector. All functions are called on the collector thread. */
struct pp_control_ops {
    /** Mandatory. Fill in the facts. */
    void (*facts)(void *self, struct pp_control_facts *ret);

    /** Mandatory. Make what rows of this level need. @retval 0, -errno: frames keep their level. */
    int (*prepare_level)(void *self, enum pp_level level);

    /** Mandatory. End profiling, as the user wished: the files are written to their end. */
    void (*quit)(void *self);
};

struct pp_control;
struct pp_frame_row;
struct pp_session;

/**
 * Open the sockets. Without a folder for the control socket the session goes on; a note or warning says why.
 * Called by the thread that begins the session.
 *
 * @param self For @p ops; borrowed.
 * @return NULL: no socket is open.
 */
struct pp_control *pp_control_create(struct pp_session *session, const struct pp_control_ops *ops,
                                     void *self);

/** Serve the clients. Returns at once without a connection while it is not yet time to look for new clients.
 * Collector thread only. @p control may be NULL. */
void pp_control_poll(struct pp_control *control, uint64_t now_ns);

/** Note a frame whose row was written. Collector thread only. @p control may be NULL. */
void pp_control_note_frame(struct pp_control *control, const struct pp_frame_row *row);

/** Profiling has ended or will: send what waits, as far as clients take it at once, and close and remove the
 * sockets. Under a filter of system calls the sockets' files stay. @p control may be NULL. */
void pp_control_end(struct pp_control *control);

/** Free it; pp_control_end() is due before. NULL is allowed. */
void pp_control_destroy(struct pp_control *control);

/** Close all descriptors in a forked child. Async-signal-safe. */
void pp_control_forked(struct pp_control *control);

/** Open the control socket and the one of --metrics-socket. A message says why one is not open. */
void pp_control_open(struct pp_control *control);

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
