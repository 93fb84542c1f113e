/** @file
 * What a format of traces is: something that takes tracks, slices, moments and values of counters, one after
 * the other. Knows no session. The formats are perfetto.h and chrome.h. */
#ifndef PP_CLI_TRACE_TRACE_FORMAT_H
#define PP_CLI_TRACE_TRACE_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** What a track shows. */
enum pp_trace_track_kind {
    PP_TRACE_SLICES,  /**< slices of time */
    PP_TRACE_QUEUE,   /**< slices of the GPU's time in a queue */
    PP_TRACE_COUNTER, /**< a value over time */
};

/** A track. */
struct pp_trace_track {
    uint32_t id; /**< from 1, unique in the trace */
    enum pp_trace_track_kind kind;
    const char *name;
    const char *unit; /**< of a counter; "": a count */
    uint32_t rank;    /**< tracks are shown in this order */
};

/** What is known of a slice, by name. The name stays where it is until the trace has ended. */
struct pp_trace_arg {
    const char *name;
    enum { PP_TRACE_ARG_INTEGER, PP_TRACE_ARG_REAL, PP_TRACE_ARG_TEXT } kind;
    uint32_t len; /**< of the text */
    union {
        int64_t integer;
        double real;
        const char *text; /**< valid UTF-8 */
    };
};

/** A slice of time. Slices of a track do not overlap. Texts are borrowed
 * for the call, names of args until the trace has ended. */
struct pp_trace_slice {
    uint32_t track;
    bool unique; /**< the name is that of few slices, so it is not worth a number of its own */
    int64_t start_ns, duration_ns; /**< not negative; CLOCK_MONOTONIC */
    const char *name;
    const char *category; /**< kind of the slice: "frame", "render", ... */
    const struct pp_trace_arg *arg;
    uint32_t args;
    uint16_t label_at, frame_at; /**< args with the label path and the frame: their index + 1; 0: none */
    uint64_t stack;              /**< row of stacks.csv with the call that made it; 0: none */
    uint64_t begins, ends;       /**< number of an arrow that begins or ends at the slice; 0: none */
};

/** The application, and when the session began by three clocks. */
struct pp_trace_process {
    int64_t pid;
    const char *name, *command;                     /**< borrowed */
    int64_t monotonic_ns, boottime_ns, realtime_ns; /**< the same moment */
};

struct pp_trace_format;

/** The functions of a format. Each returns 0 or -errno. All are mandatory and run on one thread. */
struct pp_trace_ops {
    int (*process)(struct pp_trace_format *format, const struct pp_trace_process *process);
    int (*track)(struct pp_trace_format *format, const struct pp_trace_track *track);
    int (*slice)(struct pp_trace_format *format, const struct pp_trace_slice *slice);
    /** Write a moment: a slice without an end. */
    int (*moment)(struct pp_trace_format *format, const struct pp_trace_slice *moment);
    int (*value)(struct pp_trace_format *format, uint32_t track, int64_t at_ns, double value);
    /** All was given: write what is missing. */
    int (*end)(struct pp_trace_format *format);
    /** Free everything, whether or not end() was called. */
    void (*destroy)(struct pp_trace_format *format);
};

/** A format that writes. It is the first member of the format's own struct. */
struct pp_trace_format {
    const struct pp_trace_ops *ops;
    uint64_t events; /**< slices, moments and values that were written */
};

#endif
