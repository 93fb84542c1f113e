/** @file
 * Traces of Chrome: JSON that Perfetto, Speedscope, Firefox Profiler and Tracy read.
 *
 * Writes JSON into memory, and the memory to a stream when there is enough of it. Knows no member by name. */
#ifndef PP_CLI_TRACE_CHROME_H
#define PP_CLI_TRACE_CHROME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "cli/symbols/call_stacks.h"
#include "cli/trace/trace_format.h"

/**
 * Write a trace of Chrome to a stream: a list with an event in each line. A file that was cut off is still
 * read.
 *
 * @param out    Borrowed until the format is destroyed.
 * @param stacks The session's call stacks; borrowed, too. Without stacks where it has none.
 * @retval 0, -ENOMEM.
 */
__attribute__((warn_unused_result)) int pp_trace_chrome_create(FILE *out, const struct pp_call_stacks *stacks,
                                                               struct pp_trace_format **ret);

/** A text that is being written. Begin with out and zeros; pp_json_text_finish(). */
struct pp_json_text {
    FILE *out;  /**< borrowed */
    char *byte; /**< that are not in the stream yet; owned */
    size_t len, cap;
    bool failed; /**< there was no memory: the text is not whole */
};

/** Append bytes as they are. */
void pp_json_text_put(struct pp_json_text *text, const char *bytes, size_t len);

/** Append a text as a JSON string. Bytes that are no UTF-8 become '?'. */
void pp_json_text_string(struct pp_json_text *text, const char *string);

/** Append a whole number. */
void pp_json_text_i64(struct pp_json_text *text, int64_t number);

/** Append a whole number. */
void pp_json_text_u64(struct pp_json_text *text, uint64_t number);

/** Append a number that is finite. */
void pp_json_text_double(struct pp_json_text *text, double number);

/** Write what is in memory to the stream if it is much. @retval 0 @retval -ENOMEM Something was not appended.
 * @retval -errno The stream failed. */
__attribute__((warn_unused_result)) int pp_json_text_drain(struct pp_json_text *text);

/** Write all that is in memory to the stream. @retval 0, -errno As pp_json_text_drain(). */
__attribute__((warn_unused_result)) int pp_json_text_flush(struct pp_json_text *text);

/** Free the memory. */
void pp_json_text_finish(struct pp_json_text *text);

#endif
