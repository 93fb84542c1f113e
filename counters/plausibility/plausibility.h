/** @file
 * Do the counters of a source contradict each other? Rules that hold for every counter set of a sound driver
 * are checked on what was measured around passes and actions, so that a fault of a driver that no table
 * knows is found. A table says which events of which counter sources play a part in the rules. Knows no
 * graphics API, no file, no thread. */
#ifndef PP_COUNTERS_PLAUSIBILITY_PLAUSIBILITY_H
#define PP_COUNTERS_PLAUSIBILITY_PLAUSIBILITY_H

#include <stdbool.h>
#include <stdint.h>

/** The parts that events play in the rules. Those from PP_PART_VS_INVOCATIONS on come from `pipeline`. */
enum pp_part {
    PP_PART_CLOCKS,     /**< clocks of the GPU in the bracket */
    PP_PART_TIME_NS,    /**< time of the bracket, as the source itself measured it */
    PP_PART_BUSY,       /**< percentage of the clocks in which the GPU was busy */
    PP_PART_VS_THREADS, /**< hardware threads that were started for vertex shaders */
    PP_PART_HS_THREADS,
    PP_PART_DS_THREADS,
    PP_PART_GS_THREADS,
    PP_PART_VS_INVOCATIONS,
    PP_PART_HS_PATCHES,
    PP_PART_DS_INVOCATIONS,
    PP_PART_GS_INVOCATIONS,
    PP_PARTS
};

/** Number of events that can play a part, over all sources. @return The @p i-th one's source, event and part;
 * false past the last. */
bool pp_part_at(uint32_t i, const char **ret_source, const char **ret_event, enum pp_part *ret_part);

/** One bracket. A value that is not known is NAN. */
struct pp_part_values {
    double part[PP_PARTS];
    double gpu_time_ns; /**< time of the bracket by the GPU's timestamps */
};

/** What contradicts what. */
enum pp_contradiction {
    PP_CONTRADICTION_NONE,
    PP_CONTRADICTION_STUCK,     /**< the GPU worked, but neither clocks nor time passed */
    PP_CONTRADICTION_FREQUENCY, /**< clocks and time give a frequency that no GPU has */
    PP_CONTRADICTION_BUSY,      /**< busy in more clocks than there were */
    PP_CONTRADICTION_SHIFTED, /**< busy clocks equal the clocks, and threads ran without shader invocations */
    PP_CONTRADICTIONS
};

/** Rules that are counted one by one. */
#define PP_PLAUSIBILITY_RULES 5

/** Brackets of a source so far. All zero: none. */
struct pp_plausibility {
    uint32_t checked[PP_PLAUSIBILITY_RULES]; /**< brackets that keep or break the rule, since the counts began
                                                again */
    uint32_t violated[PP_PLAUSIBILITY_RULES]; /**< those of the checked brackets that break the rule */
    enum pp_contradiction found;              /**< the rule that was broken; NONE: no fault is proved */
};

/** Violations that prove a fault: a single bracket may hold work of another process. */
#define PP_PLAUSIBILITY_PROOF 8U

/**
 * Check one bracket.
 *
 * @return The state's `found`. It is set when three quarters of the checked brackets break a rule, and these
 * are at least PP_PLAUSIBILITY_PROOF; it stays set.
 */
enum pp_contradiction pp_plausibility_add(struct pp_plausibility *state, const struct pp_part_values *values);

/** Can these values not be those of any bracket, whatever used the GPU? Then they are wrong, even if the
 * source is not. */
bool pp_plausibility_is_absurd(const struct pp_part_values *values);

/** Text for the user that says what contradicts what. Static. */
const char *pp_contradiction_text(enum pp_contradiction contradiction);

#endif
