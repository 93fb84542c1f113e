/** @file
 * Pushes one session to a ClickHouse server, so that it is there exactly once, whatever fails, and also if
 * others push it at the same time: docs/fleet.md says how. Tries again where that may help. Also prints what
 * a push would send, so that the user can look at it before. */
#ifndef PP_CLI_PUSH_PUSH_SESSION_H
#define PP_CLI_PUSH_PUSH_SESSION_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "cli/print/gaps.h"
#include "cli/push/clickhouse.h"
#include "cli/push/push_facts.h"
#include "cli/push/push_rows.h"
#include "cli/push/push_tables.h"

/** Failed pushes of this process whose rows are removed as soon as the server can. */
#define PP_PUSH_DEAD_MAX 64U

/** A server that sessions are pushed to. */
struct pp_push_target {
    struct pp_clickhouse server;
    bool ready;      /**< its tables were checked */
    bool draws;      /**< rows of draws.csv are wanted */
    uint64_t now_s;  /**< time of the server when its tables were checked, in seconds since 1970 */
    uint64_t mono_s; /**< time of CLOCK_MONOTONIC then */
    uint64_t random; /**< state of pp_splitmix64() */
    uint64_t dead[PP_PUSH_DEAD_MAX]; /**< numbers of failed pushes */
    unsigned deads;
};

/** What became of a session. */
enum pp_push_outcome {
    PP_PUSH_DONE,
    PP_PUSH_WAS_THERE, /**< with the same content */
    PP_PUSH_FAILED     /**< see error */
};

/** The result of pushing a session. */
struct pp_push_result {
    enum pp_push_outcome outcome;
    struct pp_push_error error;
    struct pp_push_facts facts;
    uint64_t rows[PP_PUSH_TABLES]; /**< of each table */
    uint64_t bytes, sent_bytes;    /**< of the rows, and compressed */
    uint64_t left_out, cut;        /**< as in struct pp_push_rows */
    uint64_t bad_cells;            /**< cells that are no numbers, or none that their column can have */
    const char *damaged;           /**< as pp_damage_find() returns it */
    char damage[PP_DAMAGE_MAX];    /**< what the session has lost, where it is damaged */
};

/** Prepare a target. Opens no connection. @param options Copied; what it points to is borrowed. @retval 0,
 * -errno: see ret->server.error. */
__attribute__((warn_unused_result)) int
pp_push_target_init(struct pp_push_target *ret, const struct pp_http_options *options, bool draws);

/** Free everything. */
void pp_push_target_finish(struct pp_push_target *target);

/**
 * Read a session, and give its rows to a sink.
 *
 * @param ret         rows, left_out, cut, bad_cells, what is damaged and, with -EPROTO, error are set.
 * @param ret_content PP_SHA256_DIGITS + 1 bytes: as in struct pp_push_rows.
 * @retval 0
 * @retval -EPROTO The session is refused.
 * @retval -ENOENT There is neither a session.json nor a frames.csv.
 * @retval -errno  What the sink returned, or no memory.
 */
__attribute__((warn_unused_result)) int pp_push_read_rows(int dir_fd, const struct pp_push_facts *facts,
                                                          const struct pp_push_sink *sink, bool draws,
                                                          struct pp_push_result *ret, char *ret_content);

/** Find out what would be sent, without a server. @retval 0, -EIO: ret->error says why. */
__attribute__((warn_unused_result)) int pp_push_measure(int dir_fd, const struct pp_push_facts *facts,
                                                        bool draws, struct pp_push_result *ret);

/** How often, and until when. */
struct pp_push_retry {
    unsigned most;                     /**< tries after the first one */
    const volatile sig_atomic_t *stop; /**< not 0: no more tries; NULL: nothing ends them */
    /** Called before each wait; NULL: not called. */
    void (*wait)(void *data, const struct pp_push_error *error, uint64_t wait_ms);
    void *data;
};

/** The wait before the try with this number, from 1, in milliseconds: twice as long each time, at most a
 * minute, and up to a half less by chance, so that many machines do not come back at the same moment. @param
 * random State of pp_splitmix64(). */
uint64_t pp_push_wait_ms(unsigned number, uint64_t *random);

/** Sleep. @return false: @p stop was set. */
bool pp_push_sleep(uint64_t ms, const volatile sig_atomic_t *stop);

/** Push a session as push_session() does, with further tries. */
__attribute__((warn_unused_result)) int pp_push_with_retry(struct pp_push_target *target, int dir_fd,
                                                           const struct pp_push_facts *facts,
                                                           const struct pp_push_retry *retry,
                                                           struct pp_push_result *ret);

/**
 * Print the row of the session, and of each other table the different texts of its columns, at most 100 of a
 * column. Numbers are left out.
 *
 * @param ret As pp_push_measure() fills it.
 * @retval 0, -EIO: ret->error says why.
 */
__attribute__((warn_unused_result)) int pp_push_show(FILE *out, int dir_fd, const struct pp_push_facts *facts,
                                                     bool draws, struct pp_push_result *ret);

#endif
