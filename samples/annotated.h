/** @file
 * What the samples tell passprobe through passprobe/annotate.h, with --annotate: figures that a test can
 * compute from the frame's number. See also passprobe/annotate.h. */
#ifndef SAMPLES_ANNOTATED_H
#define SAMPLES_ANNOTATED_H

/** Begin a frame: a mark in the first frame, the region "frame N % 2", counters. */
void annotated_begin(unsigned frame);

/** Begin and end a pass inside the frame's region. */
void annotated_pass_begin(const char *name);
void annotated_pass_end(void);

/** End a frame, after its last command. */
void annotated_end(void);

#endif
