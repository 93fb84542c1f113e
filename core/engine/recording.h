/** @file
 * Which frames are recorded, and how finely, as the user says while the application runs: the control socket
 * (core/control/) changes it, and frames follow from their begin on. This file knows no socket and no
 * graphics API. */
#ifndef PP_CORE_ENGINE_RECORDING_H
#define PP_CORE_ENGINE_RECORDING_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/config/config.h"
#include "core/util/compiler.h"

struct pp_session;

/** Most changes that session.json lists; later ones are only counted. */
#define PP_RECORDING_CHANGES 1000U

/** What changed. */
enum pp_recording_what { PP_RECORDING_START, PP_RECORDING_STOP, PP_RECORDING_LEVEL };

/** A change. */
struct pp_recording_change {
    uint64_t at_ns;      /**< CLOCK_MONOTONIC */
    uint64_t next_frame; /**< number of the next frame that begins */
    enum pp_recording_what what;
    enum pp_level level; /**< of LEVEL: the new one */
};

/** The state of a session. */
struct pp_recording {
    /* atomic */
    atomic_bool paused; /**< frames that begin now are not recorded */
    atomic_int level;   /**< enum pp_level of the frames inside the window that begin now */
    /* guarded by the session's lock */
    struct pp_recording_change *change; /**< oldest first; owned */
    uint32_t kept, change_cap;          /**< changes in change[] */
    uint64_t changes;                   /**< in all */
    /* collector thread only */
    bool was_paused;         /**< at the last pp_recording_look() */
    uint64_t paused_from_ns; /**< its CPU time when the pause began */
    uint64_t paused_ns;      /**< its CPU time in the pauses before */
};

/** Begin as the options say. */
void pp_recording_init(struct pp_recording *recording, const struct pp_config *config);

/** Free. */
void pp_recording_finish(struct pp_recording *recording);

/** Are frames that begin now not recorded? Any thread. Hot. */
PP_API bool pp_session_paused(const struct pp_session *session);

/** How many frame numbers have been given out. Any thread. Hot. */
PP_API uint64_t pp_session_frames(const struct pp_session *session);

/** The level of frames inside the window that begin now. Any thread. Hot. */
PP_API enum pp_level pp_session_level(const struct pp_session *session);

/** Record frames that begin from now on, or do not. @return false: it was so already. */
bool pp_recording_set_paused(struct pp_session *session, bool paused);

/** Bracket frames that begin from now on at this level. @return false: it was so already. */
bool pp_recording_set_level(struct pp_session *session, enum pp_level level);

/** Note whether recording is paused now, for pp_recording_collector_ns(). Collector thread only, in each
 * round. */
void pp_recording_look(struct pp_session *session);

/** CPU time of the collector thread without the pauses of recording, in nanoseconds. Collector thread only.
 */
uint64_t pp_recording_collector_ns(const struct pp_session *session);

#endif
