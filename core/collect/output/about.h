/** @file
 * Facts about the application and the machine for session.json that do not change while the session runs.
 * They are read once, at the session's start, because the application may confine itself later. This file
 * knows no graphics API. */
#ifndef PP_CORE_COLLECT_OUTPUT_ABOUT_H
#define PP_CORE_COLLECT_OUTPUT_ABOUT_H

#include <stddef.h>
#include <stdint.h>

#include "counters/util/random_id.h"

struct pp_json;

/** An application and its machine. */
struct pp_about {
    char session_id[PP_RANDOM_ID_MAX]; /**< that no other session has; "": the kernel gave no random bytes */
    char *executable;                  /**< path; NULL: not known */
    const char
        *command; /**< arguments at the process's start, each NUL-terminated; static; NULL: not known */
    size_t command_len;
    uint64_t start_monotonic_ns; /**< when the session began, by CLOCK_MONOTONIC */
    uint64_t start_boottime_ns;  /**< the same by CLOCK_BOOTTIME, which goes on while the machine sleeps */
    uint64_t start_realtime_ns;  /**< the same moment by CLOCK_REALTIME, as the clocks differed then */
    char start[80];              /**< the same moment: "2026-01-31T23:59:59Z" */
    char name[65];               /**< name of the machine; like all texts below "" if not known */
    char kernel[65];
    char machine[65];
    char os[256];
    char cpu[256];
    uint64_t cpus;         /**< on line; 0: not known */
    uint64_t memory_bytes; /**< 0: not known */
};

/** Read all facts. Opens files; facts that cannot be read stay unknown.
 * @param start_ns When the session began, by CLOCK_MONOTONIC. */
void pp_about_read(struct pp_about *ret, uint64_t start_ns);

/** Free the texts that pp_about_read() has made. */
void pp_about_finish(struct pp_about *about);

/** Write the member "session_id" of session.json, or nothing where there is none. */
void pp_about_id_json(const struct pp_about *about, struct pp_json *json);

/** Write the members "program" and "host" of session.json. Opens no file. */
void pp_about_json(const struct pp_about *about, struct pp_json *json, uint64_t pid);

#endif
