/** @file
 * Room: the mean of a counter over all frames where it was on in some of them, in turn with others, and how
 * far to trust it. Knows no graphics API, no file, no thread. Previous room: multiplex.h (which frame
 * measures what, and totals as perf and rpistat scale them).
 *
 * Frames in which the counter was on are a sample of all frames; every frame's time on the GPU is known. The
 * estimator is survey sampling's regression estimator: the sample's mean, moved along the line through the
 * sample's counts and times to the mean time of all frames. Where counts do not follow the times, the line
 * only adds its own error, and the plain mean is taken: whichever claims the smaller one. */
#ifndef PP_COUNTERS_STATS_ROTATION_STATS_H
#define PP_COUNTERS_STATS_ROTATION_STATS_H

#include <stdint.h>

/** Numbers as they come: their mean, and the sums of powers of what they are off it. */
struct pp_moments {
    uint64_t n;
    double mean, squares, cubes, fourths;
};

/** Frames as a whole, whatever was on in them. */
struct pp_turns_frames {
    uint64_t frames;
    struct pp_moments time; /**< of those whose time is known */
};

/** One counter's frames. */
struct pp_turns {
    struct pp_moments all;         /**< what it counted, in every frame in which it was on */
    struct pp_moments time, count; /**< in those of them whose time is known */
    double products;               /**< sum of how far both are off */
};

/** What is said of a counter. */
struct pp_turns_mean {
    double mean; /**< over all frames; NaN: it was never on */
    double duty; /**< share of the frames in which it was on, 0..1 */
    double off;  /**< half the width of the mean's 99 % confidence interval; NaN: from one frame nobody can
                    say;  0 where it was on in all frames */
};

/** Add a frame; before the first, all is zero. @param time NaN or negative: not known. */
void pp_turns_frames_add(struct pp_turns_frames *all, double time);

/** Add a frame in which the counter was on. @param time As for the frames as a whole. */
void pp_turns_add(struct pp_turns *turns, double time, double count);

/** The mean over @p all, to which each frame of @p turns was added, too. Pure. */
void pp_turns_estimate(const struct pp_turns *turns, const struct pp_turns_frames *all,
                       struct pp_turns_mean *ret);

#endif
