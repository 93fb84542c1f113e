/** @file
 * What session.json says of the application and the machine, and what does not change while the session runs.
 * It is read once, at the session's start: later the application may have confined itself. Knows no graphics
 * API. */
#ifndef PP_CORE_COLLECT_ABOUT_H
#define PP_CORE_COLLECT_ABOUT_H

#include <stddef.h>
#include <stdint.h>

struct pp_json;

/** An application and its machine. */
struct pp_about {
    char *executable; /**< path; NULL: not known */
    char *command;    /**< /proc/self/cmdline: arguments, each NUL-terminated; NULL: not known */
    size_t command_len;
    char start[80]; /**< "2026-01-31T23:59:59Z" */
    char name[65];  /**< of the machine, "" if not known, as all texts below */
    char kernel[65];
    char machine[65];
    char os[256];
    char cpu[256];
    uint64_t cpus;         /**< on line; 0: not known */
    uint64_t memory_bytes; /**< 0: not known */
};

/** Read all of it. Opens files; what cannot be read stays unknown. */
void pp_about_read(struct pp_about *ret);

/** Free what it holds. */
void pp_about_finish(struct pp_about *about);

/** Write the members "program" and "host". Opens nothing. */
void pp_about_json(const struct pp_about *about, struct pp_json *json, uint64_t pid,
                   uint64_t start_monotonic_ns);

#endif
