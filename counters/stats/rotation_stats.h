/** @file
 * The mean of a rotated counter over all frames, estimated from the frames in which the counter was on, with
 * its error. Knows no graphics API, no file, no thread. See events/event_plan.h for which frame measures
 * what.
 *
 * The frames in which the counter was on are a sample of all frames; the GPU time of every frame is known.
 * The estimator is survey sampling's regression estimator: the sample's mean, moved along the line through
 * the sample's counts and times to the mean time of all frames. Where counts do not follow the times, the
 * line only adds an error of its own. Of the plain mean and the line, the one with the smaller error is used;
 * never the line if a frame is twice as long as the longest one of the sample.
 */
#ifndef PP_COUNTERS_STATS_ROTATION_STATS_H
#define PP_COUNTERS_STATS_ROTATION_STATS_H

#include <stdint.h>

/** Running moments of a series: the mean, and the sums of powers of the deviations from the mean. */
struct pp_moments {
    uint64_t n;
    double mean, squares, cubes, fourths;
};

/** All frames, whatever was measured in them. Starts zeroed. */
struct pp_rotation_frames {
    uint64_t frames;
    struct pp_moments time; /**< of the frames whose GPU time is known */
    double longest;         /**< of these times */
};

/** The frames in which one counter was on. Starts zeroed. */
struct pp_rotation_sample {
    struct pp_moments all;         /**< the counts of all these frames */
    struct pp_moments time, count; /**< of the frames among them whose GPU time is known */
    double longest;                /**< of these times */
    double products;               /**< sum of the products of both deviations */
};

/** The estimate for one counter. */
struct pp_rotation_mean {
    double mean;  /**< over all frames; NaN: the counter was never on */
    double duty;  /**< share of the frames in which the counter was on, 0..1 */
    double error; /**< half the width of the mean's 99 % confidence interval; 0 where the counter was on in
                     all frames; NaN: one frame is too few to know */
};

/** Add a frame to all frames. @param time GPU time; NaN or negative: not known. */
void pp_rotation_frames_add(struct pp_rotation_frames *all, double time);

/** Add a frame in which the counter was on. @param time GPU time, as for pp_rotation_frames_add(). */
void pp_rotation_sample_add(struct pp_rotation_sample *sample, double time, double count);

/** Estimate the mean over @p all, which also has every frame of @p sample. Pure. */
void pp_rotation_estimate(const struct pp_rotation_sample *sample, const struct pp_rotation_frames *all,
                          struct pp_rotation_mean *ret);

#endif
